/* SPDX-License-Identifier: MIT */
#include "lib/pipeline/carriage.h"
#include "lib/base/eventcount.h"
#include "lib/base/memory.h"
#include "lib/firing/delegate.h"
#include "lib/firing/firing.h"
#include "lib/firing/firing_error.h"
#include "lib/firing/mover.h"
#include "lib/firing/reorder.h"
#include "lib/firing/runner.h"
#include "lib/firing/texts.h"
#include "lib/model/actor.h"
#include "lib/model/error.h"
#include "lib/opencl/row.h"
#include "lib/plan/threads.h"
#include "lib/schedule/thread.h"
#include "lib/schedule/thread_wait.h"

#include <errno.h>
#include <string.h>

_Thread_local struct ps_carrier *ps_carrier_current;

static struct ps_carriage *carriage_of(const struct ps_task *t)
{
	return t->actor->pipeline->run;
}

/*
 * What carriers count.
 */

uint64_t ps_carriage_busy_ns(const struct ps_carriage *c)
{
	uint64_t ns = 0;

	for (unsigned i = 0; c->carriers && i < c->carrier_count; i++)
		ns += atomic_load_explicit(&c->carriers[i].busy_ns, memory_order_relaxed);
	return ns;
}

uint64_t ps_carriage_items(const struct ps_carriage *c, bool on_device)
{
	uint64_t items = 0;

	for (unsigned i = 0; c->carriers && i < c->carrier_count; i++)
		items +=
			atomic_load_explicit(on_device ? &c->carriers[i].on_device : &c->carriers[i].on_cores,
				memory_order_relaxed);
	return items;
}

/*
 * Its threads.
 */

/* Asked with the claim held, and in a carrier's sleep. */
static bool may_take(void *carrier)
{
	const struct ps_carrier *own = carrier;

	return own->index < atomic_load(&own->of->takers) || atomic_load(&own->of->over);
}

void ps_carriage_wake(struct ps_carriage *c)
{
	ps_crew_wake(c->crew);
	if (ps_eventcount_awaited(c->handing))
		ps_eventcount_notify(c->handing);
}

void ps_carriage_end(struct ps_carriage *c)
{
	atomic_store(&c->over, true);
	ps_carriage_wake(c);
}

static struct ps_carrier *begin_carrier(struct ps_carriage *c)
{
	return ps_carrier_current = &c->carriers[atomic_fetch_add(&c->begun, 1)];
}

/* A carrier's thread. One that takes no items helps those that do. */
static void run(struct ps_task *t)
{
	struct ps_carriage *c = carriage_of(t);
	struct ps_carrier *own = begin_carrier(c);
	struct pstk_firing *item;
	enum ps_firing_state state;

	for (;;) {
		ps_crew_serve(c->crew, may_take, own);
		state = atomic_load(&c->over) ? PS_FIRING_ENDED : ps_thread_take(t, &item, may_take, own);
		if (state == PS_FIRING_ENDED)
			break;
		if (state == PS_FIRING_READY)
			ps_thread_fire(item);
	}
	ps_carriage_end(c);
	ps_carrier_current = NULL;
}

static bool takes(const struct ps_task *t)
{
	return ps_is_pipeline(t->actor) && !ps_threads_on_team(t->actor);
}

/*
 * Its threads beside a team.
 */

/* Of `carried`; above are the takers. */
enum { TAKERS_AT = 48 };
#define ITEMS ((UINT64_C(1) << TAKERS_AT) - 1)

void ps_carriage_hand_from(struct ps_carriage *c, uint64_t item)
{
	/* `carried` first: what members have fired is handed to no carrier */
	atomic_store(&c->carried, (uint64_t)atomic_load(&c->takers) << TAKERS_AT | (item & ITEMS));
	atomic_store(&c->handed, item & ITEMS);
}

/* Is there an item for it, when `carried` says so? */
static bool is_handed(const struct ps_carrier *own, uint64_t carried)
{
	return own->index < carried >> TAKERS_AT && (carried & ITEMS) < atomic_load(&own->of->handed);
}

static struct pstk_firing *next_handed(struct ps_carrier *own)
{
	struct ps_carriage *c = own->of;
	uint64_t carried = atomic_load(&c->carried);

	while (is_handed(own, carried))
		if (atomic_compare_exchange_weak(&c->carried, &carried, carried + 1))
			return &c->task->slots[(carried & ITEMS) % c->task->slot_count];
	return NULL;
}

/* Returns also if it takes none any more. */
static void await_item(struct ps_carrier *own)
{
	struct ps_eventcount *handing = own->of->handing;
	unsigned seen = ps_eventcount_expect(handing);

	if (may_take(own) && !atomic_load(&own->of->over) && !is_handed(own, atomic_load(&own->of->carried)))
		ps_eventcount_wait(handing, seen, PS_EVENTCOUNT_FOR_EVER);
	ps_eventcount_leave(handing);
}

static void run_beside(struct ps_task *t)
{
	struct ps_carriage *c = carriage_of(t);
	struct ps_carrier *own = begin_carrier(c);
	struct pstk_firing *item;

	while (!atomic_load(&c->over)) {
		ps_crew_serve(c->crew, may_take, own);
		item = next_handed(own);
		if (!item) {
			await_item(own);
			continue;
		}
		ps_firing_fire(item);
		ps_reorder_done(item);
		/* there is room for another one, or a boundary or the end may come now */
		t->runner->nudge(t);
	}
	ps_carrier_current = NULL;
}

static bool fires(struct pstk_firing *item)
{
	struct ps_carriage *c = carriage_of(item->task);

	if (c->by_members)
		return false;
	atomic_store(&c->handed, atomic_load_explicit(&item->task->taken, memory_order_relaxed) & ITEMS);
	if (ps_eventcount_awaited(c->handing))
		ps_eventcount_notify_one(c->handing);
	return true;
}

static void nudge_beside(struct ps_task *t)
{
	ps_carriage_wake(carriage_of(t));
	ps_row_nudge(t->actor->pipeline->row);
}

static const struct ps_delegate beside = { .run = run_beside, .fires = fires, .nudge = nudge_beside };

/* A helper's thread is for this while in the stage whose loop it helps with. */
static void help_begin(void *firing)
{
	ps_carrier_current->helped = ps_setting_clock();
	ps_firing_current = firing;
	ps_actor_current = ps_firing_current->actor;
}

static void help_end(void *firing)
{
	const struct pstk_firing *f = firing;

	ps_firing_current = NULL;
	ps_actor_current = f->actor->pipeline->actor;
	ps_carrier_count(&ps_carrier_current->busy_ns, ps_setting_clock() - ps_carrier_current->helped);
}

/*
 * What start() makes.
 */

/* Of a stage: it owns the firings of it that carriers have, and its counts. No runner schedules it. */
static int make_task(struct pstk_actor *stage, const struct ps_task *of, unsigned carriers)
{
	size_t allocated;
	int err;

	stage->task = ps_task_create(stage);
	if (!stage->task)
		return -ENOMEM;
	stage->task->runner = of->runner;
	err = ps_firing_init(stage->task, carriers);
	if (!err)
		err = ps_texts_give(stage->task, true);
	if (!err && stage->state_size) {
		stage->state = ps_memory_windows(stage->state_size, 0, &allocated);
		if (!stage->state)
			return -ENOMEM;
		memset(stage->state, 0, stage->state_size);
	}
	return err;
}

/* Where what lies between stages is, for a device that uses it in place. */
static int tell_row(const struct ps_carriage *c, const struct ps_carrier *carrier)
{
	const struct pstk_pipeline *p = c->pipeline;
	int err = 0;

	for (unsigned k = 0; p->row && k < p->stage_count; k++)
		for (unsigned i = 0; i < p->stages[k]->type.port_count && !err; i++)
			if (!p->stages[k]->ports[i].reads && c->wires[k][i].border == PS_NO_PORT)
				err = ps_row_window(p->row, k, i, carrier->buffers + c->wires[k][i].offset);
	return err;
}

static int make_carriers(struct ps_carriage *c)
{
	size_t allocated;
	int err = ps_item_wire(c, &c->buffer_bytes);

	c->carriers = ps_memory_zalloc_lines(c->carrier_count * sizeof *c->carriers);
	if (err || !c->carriers)
		return -ENOMEM;
	for (unsigned i = 0; i < c->carrier_count; i++) {
		c->carriers[i].of = c;
		c->carriers[i].index = i;
		c->carriers[i].buffers = ps_memory_windows(c->buffer_bytes, PS_ROW_ALIGNMENT, &allocated);
		if (!c->carriers[i].buffers || tell_row(c, &c->carriers[i]))
			return -ENOMEM;
	}
	return 0;
}

/* Pipelines at one device share its token. */
static int share_device(struct ps_carriage *c)
{
	const struct pstk_device_info *device = ps_row_device(c->pipeline);

	for (const struct pstk_pipeline *p = device ? c->pipeline->network->pipelines : NULL; p; p = p->next)
		if (p->run && p->run->device && !strcmp(ps_row_device(p)->selector, device->selector)) {
			c->device = p->run->device;
			return 0;
		}
	if (!device)
		return 0;
	c->device = ps_memory_zalloc(1, sizeof *c->device);
	if (!c->device || ps_token_init(c->device)) {
		ps_memory_free(c->device);
		c->device = NULL;
		return -ENOMEM;
	}
	c->owns_device = true;
	return 0;
}

static int make(struct ps_task *t)
{
	static const struct ps_crew_hooks hooks = { .enter = help_begin, .leave = help_end };
	struct pstk_pipeline *p = t->actor->pipeline;
	struct ps_carriage *c = p->run;
	int err = 0;

	c->carrier_count = t->thread_count = p->spec.cores + 1;
	t->delegate = t->polled ? &beside : NULL;
	c->crew = ps_crew_create(p->spec.cores, &hooks);
	c->handing = ps_eventcount_get();
	c->fired = ps_memory_zalloc(p->spec.in_flight, sizeof *c->fired);
	if (!c->crew || !c->handing || !c->fired)
		return -ENOMEM;
	for (unsigned k = 0; k < p->stage_count && !err; k++)
		err = make_task(p->stages[k], t, c->carrier_count);
	if (!err)
		err = make_carriers(c);
	return err ? err : share_device(c);
}

static int prepare(struct pstk_network *net)
{
	int err = 0;

	for (unsigned i = 0; i < net->task_count && !err; i++)
		if (ps_is_pipeline(net->tasks[i]->actor))
			err = make(net->tasks[i]);
	return err;
}

struct ps_carriage *ps_carriage_create(
	struct pstk_pipeline *p, const struct ps_aim *aim, struct ps_energy *meter)
{
	struct ps_carriage *c = ps_memory_zalloc_lines(sizeof *c);

	if (!c)
		return NULL;
	if (ps_token_init(&c->cores)) {
		ps_memory_free(c);
		return NULL;
	}
	if (pthread_mutex_init(&c->lock, NULL)) {
		ps_token_fini(&c->cores);
		ps_memory_free(c);
		return NULL;
	}
	c->pipeline = p;
	c->aim = *aim;
	c->meter = meter;
	if (!ps_conductor_init(&c->conductor, &p->spec, p->stage_count, p->device_ok, meter,
		    meter && !(ps_energy_flags(meter) & PSTK_ENERGY_SIMULATED)))
		return c;
	c->meter = NULL;
	ps_carriage_destroy(c);
	return NULL;
}

static void free_stages(struct pstk_pipeline *p)
{
	for (unsigned k = 0; k < p->stage_count; k++)
		if (p->stages[k]->task) {
			ps_texts_take_back(p->stages[k]->task);
			ps_firing_fini(p->stages[k]->task);
			ps_memory_free(p->stages[k]->task);
		}
}

void ps_carriage_destroy(struct ps_carriage *c)
{
	free_stages(c->pipeline);
	for (unsigned k = 0; k < PS_STAGES_MAX; k++)
		ps_memory_free(c->wires[k]);
	for (unsigned i = 0; c->carriers && i < c->carrier_count; i++)
		if (!ps_row_keeps(c->pipeline->row, c->carriers[i].buffers, c->buffer_bytes))
			ps_memory_free(c->carriers[i].buffers);
	if (c->owns_device) {
		ps_token_fini(c->device);
		ps_memory_free(c->device);
	}
	ps_conductor_fini(&c->conductor);
	ps_energy_close(c->meter);
	ps_token_fini(&c->cores);
	ps_memory_free(c->carriers);
	ps_memory_free(c->fired);
	ps_crew_destroy(c->crew);
	ps_eventcount_put(c->handing);
	pthread_mutex_destroy(&c->lock);
	ps_memory_free(c);
}

void ps_carriages_free(struct pstk_network *net)
{
	for (struct pstk_pipeline *p = net->pipelines; p; p = p->next)
		if (p->run)
			ps_carriage_destroy(p->run);
}

/* Makes a carrier look again: one that waits for a window, and those that sleep. */
static void nudge(struct ps_task *t)
{
	ps_thread_nudge(t);
	nudge_beside(t);
}

const struct ps_runner ps_carriage_runner = {
	.name = "pipeline",
	.takes = takes,
	.prepare = prepare,
	.run = run,
	.wait = ps_thread_wait,
	.nudge = nudge,
};

/*
 * The stages' own.
 */

static int finish_stages(struct pstk_pipeline *p, unsigned count)
{
	int first = 0;

	while (count--) {
		struct pstk_actor *a = p->stages[count], *former = ps_actor_enter(a);
		int err;

		a->text[0] = 0;
		err = a->type.finish ? a->type.finish(a) : 0;
		ps_actor_leave(former);
		if (err < 0) {
			ps_actor_fail(a, err, "finish()");
			first = first ? first : err;
		}
	}
	return first;
}

int ps_carriage_init(struct pstk_actor *actor)
{
	struct pstk_pipeline *p = actor->pipeline;

	for (unsigned k = 0; k < p->stage_count; k++) {
		struct pstk_actor *a = p->stages[k], *former = ps_actor_enter(a);
		int err;

		a->text[0] = 0;
		err = a->type.init ? a->type.init(a) : 0;
		ps_actor_leave(former);
		if (err >= 0)
			continue;
		ps_actor_fail(a, err, "init()");
		finish_stages(p, k);
		return err;
	}
	ps_setting_begin(p->run, actor->task);
	return 0;
}

int ps_carriage_finish(struct pstk_actor *actor)
{
	return finish_stages(actor->pipeline, actor->pipeline->stage_count);
}
