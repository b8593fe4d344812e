/* SPDX-License-Identifier: MIT */
/*
 * Item: one firing of a pipeline, which is one firing of each of its stages, one after the other.
 *
 * A window at the border is the FIFO's own, for the stages, too. What only stages read and write lies in the carrier's
 * buffers. A stage is fired as any actor is; only that nothing of it is taken or published.
 */
#include "lib/base/memory.h"
#include "lib/firing/firing.h"
#include "lib/firing/firing_error.h"
#include "lib/firing/partial.h"
#include "lib/model/actor.h"
#include "lib/model/error.h"
#include "lib/model/type.h"
#include "lib/opencl/row.h"
#include "lib/pipeline/carriage.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

/*
 * Wires.
 */

static unsigned border_of(const struct pstk_pipeline *p, const struct pstk_actor *stage, unsigned port)
{
	for (unsigned q = 0; q < p->actor->type.port_count; q++)
		if (p->border[q].actor == stage && p->border[q].port == port)
			return q;
	return PS_NO_PORT;
}

static size_t window_bytes(const struct pstk_actor *a, unsigned port)
{
	return (size_t)pstk_actor_port_rate(a, port) * pstk_actor_port_token_size(a, port);
}

int ps_item_wire(struct ps_carriage *c, size_t *bytes)
{
	const struct pstk_pipeline *p = c->pipeline;

	*bytes = 0;
	for (unsigned k = 0; k < p->stage_count; k++) {
		const struct pstk_actor *a = p->stages[k];

		c->wires[k] = ps_memory_zalloc(a->type.port_count, sizeof *c->wires[k]);
		for (unsigned i = 0; c->wires[k] && i < a->type.port_count; i++) {
			struct ps_wire *w = &c->wires[k][i];

			w->bytes = window_bytes(a, i);
			w->border = border_of(p, a, i);
			if (w->border != PS_NO_PORT)
				continue;
			if (a->ports[i].reads) {
				w->stage = ps_stage_index(a->ports[i].fifo->from.actor);
				w->port = a->ports[i].fifo->from.port;
				continue;
			}
			w->offset = *bytes;
			*bytes += (w->bytes + PS_ROW_ALIGNMENT - 1) / PS_ROW_ALIGNMENT * PS_ROW_ALIGNMENT;
		}
		if (!c->wires[k])
			return -ENOMEM;
	}
	return 0;
}

/*
 * A stage.
 */

/* An item on its way. */
struct carried {
	struct ps_carrier *by;
	struct pstk_firing *item;
	const struct ps_setting *setting;
	uint32_t fired; /* stages, as a mask */
	bool on_device; /* the device has done some stage */
	uint64_t now;   /* the clock, when its latest stage was through, or it had a place */
	struct ps_item_times times;
};

static struct pstk_firing *firing_of(const struct carried *is, unsigned stage)
{
	return &is->by->of->pipeline->stages[stage]->task->slots[is->by->index];
}

/* Behind the valid tokens of an input's window there are zeros. */
static void clear_rest(const struct pstk_firing *writer, unsigned port)
{
	const struct ps_window *w = &writer->windows[port];
	size_t size = pstk_actor_port_token_size(writer->actor, port);

	if (w->valid < writer->actor->ports[port].rate)
		memset((unsigned char *)w->data + w->valid * size, 0,
			(writer->actor->ports[port].rate - w->valid) * size);
}

/* Valid tokens of an output; one that returns PSTK_DONE may have left it. */
static uint32_t written(const struct pstk_firing *f, unsigned port)
{
	return f->windows[port].state == PS_WINDOW_ENDED ? f->windows[port].valid : 0;
}

/* Its windows, as if they had been taken. false: an input has no token: it is not fired. */
static bool take_stage(const struct carried *is, unsigned k)
{
	const struct ps_carriage *c = is->by->of;
	struct pstk_firing *f = firing_of(is, k);
	bool any = true;

	f->index = f->ran = is->item->index;
	for (unsigned i = 0; i < f->actor->type.port_count; i++) {
		const struct ps_wire *wire = &c->wires[k][i];
		struct ps_window *w = &f->windows[i];

		if (wire->border != PS_NO_PORT) {
			w->data = is->item->windows[wire->border].data;
			w->valid = is->item->windows[wire->border].valid;
		} else if (f->actor->ports[i].reads) {
			struct pstk_firing *writer = firing_of(is, wire->stage);

			w->data = writer->windows[wire->port].data;
			w->valid = written(writer, wire->port);
		} else {
			w->data = is->by->buffers + wire->offset;
		}
		any &= !f->actor->ports[i].reads || w->valid;
	}
	ps_partial_take_stage(f);
	return any && !(f->actor->type.whole_steps && f->actor->steps && !f->steps);
}

/* What a stage that is not fired has written. */
static void leave_stage(struct pstk_firing *f)
{
	f->rc = PSTK_AGAIN;
	f->last = true;
	for (unsigned i = 0; i < f->actor->type.port_count; i++) {
		f->windows[i].state = PS_WINDOW_ENDED;
		if (!f->actor->ports[i].reads)
			f->windows[i].valid = 0;
	}
}

/* 0, or what the item fails with: its text names the stage. */
static int fail_stage(const struct carried *is, const struct pstk_firing *f, int err)
{
	char reason[64];

	snprintf(is->item->text, PS_TEXT_SIZE, "stage '%s' (%s) on the cores: %.255s", f->actor->name,
		f->actor->type.name,
		f->misuse[0] ? f->misuse
		: f->text[0] ? f->text
			     : ps_strerror(err, reason, sizeof reason));
	return err;
}

/* What a stage that was fired has taken. */
static void note_stage(struct carried *is, unsigned k)
{
	struct ps_carrier *by = is->by;
	bool loop = is->setting->configuration.medium_grain;
	uint64_t begin = is->now, ns;

	is->now = ps_setting_clock();
	ns = is->now - begin;
	is->times.stage[k] = ns;
	atomic_store_explicit(loop ? &by->loop_ns[k] : &by->core_ns[k], ns, memory_order_relaxed);
	ps_carrier_count(&by->busy_ns, ns);
}

static int fire_stage(struct carried *is, unsigned k)
{
	struct pstk_firing *f = firing_of(is, k);
	struct pstk_actor *former;
	int err;

	if (!take_stage(is, k)) {
		leave_stage(f);
		return 0;
	}
	former = ps_actor_enter(f->actor);
	atomic_store_explicit(&is->by->at, k + 1, memory_order_relaxed);
	ps_firing_fire(f);
	atomic_store_explicit(&is->by->at, 0, memory_order_relaxed);
	ps_actor_leave(former);
	note_stage(is, k);
	is->fired |= 1u << k;
	err = ps_firing_check(f);
	if (err)
		return fail_stage(is, f, err);
	for (unsigned i = 0; f->last && i < f->actor->type.port_count; i++)
		if (!f->actor->ports[i].reads)
			clear_rest(f, i);
	return 0;
}

static int fire_on_cores(struct carried *is, unsigned first, unsigned end)
{
	int err = 0;

	for (unsigned k = first; k < end && !err; k++)
		err = fire_stage(is, k);
	return err;
}

/*
 * The device.
 */

static struct pstk_firing *take_for_device(void *carried, unsigned stage)
{
	struct carried *is = carried;
	struct pstk_firing *f = firing_of(is, stage);

	if (!take_stage(is, stage)) {
		leave_stage(f);
		return NULL;
	}
	is->fired |= 1u << stage;
	return f;
}

/* A run whose stages are timed one by one takes longer. Of the device's time these are one part in so many. */
enum { UNTIMED = 64 };

/* The latest times of a run's stages, for the report. */
static void note_run(const struct carried *is, unsigned first, unsigned end, const struct ps_row_times *times,
	uint64_t took)
{
	struct ps_carriage *c = is->by->of;

	for (unsigned k = first; k < end; k++)
		if (is->fired >> k & 1)
			atomic_store_explicit(&is->by->device_ns[k], times->stage[k], memory_order_relaxed);
	c->timed_from[first] = atomic_load_explicit(&c->device_ns, memory_order_relaxed) + UNTIMED * took;
}

/* The carrier has the device. */
static int fire_on_device(struct carried *is, unsigned first, unsigned end)
{
	struct ps_carriage *c = is->by->of;
	const struct ps_row_item item = { .take = take_for_device, .data = is };
	uint64_t begin = is->now;
	bool timed = is->setting->timed ||
	             atomic_load_explicit(&c->device_ns, memory_order_relaxed) >= c->timed_from[first];
	struct ps_row_times times = { .stages_only = !is->setting->timed };
	char text[PS_TEXT_SIZE] = "";
	unsigned failed = first;
	int err;

	atomic_store_explicit(&is->by->at, PS_STAGES_MAX + first + 1, memory_order_relaxed);
	err = ps_row_run(c->pipeline->row, &item, first, end - first, timed ? &times : NULL, text, &failed);
	atomic_store_explicit(&is->by->at, 0, memory_order_relaxed);
	is->now = ps_setting_clock();
	atomic_fetch_add_explicit(&c->device_ns, is->now - begin, memory_order_relaxed);
	is->on_device = true;
	if (timed && !err)
		note_run(is, first, end, &times, is->now - begin);
	if (is->setting->timed && !err) {
		memcpy(is->times.stage + first, times.stage + first, (end - first) * sizeof *times.stage);
		memcpy(is->times.to_device + first, times.to_device + first,
			(end + 1 - first) * sizeof *times.to_device);
		memcpy(is->times.to_host + first, times.to_host + first,
			(end + 1 - first) * sizeof *times.to_host);
	}
	is->by->spoilt = err;
	if (err)
		snprintf(is->item->text, PS_TEXT_SIZE, "stage '%s' (%s) on %s: %.255s",
			c->pipeline->stages[failed]->name, c->pipeline->stages[failed]->type.name,
			ps_row_device(c->pipeline)->selector, text);
	return err;
}

/*
 * The way of an item: runs, which are rows of neighbouring stages of the mask, or not of it.
 */

static unsigned end_of_run(const struct carried *is, uint32_t mask, unsigned first)
{
	unsigned count = is->by->of->pipeline->stage_count, end = first + 1;

	while (end < count && (mask >> end & 1) == (mask >> first & 1))
		end++;
	return end;
}

static void wait_for(struct carried *is, struct ps_token *place)
{
	ps_token_wait(place);
	is->now = ps_setting_clock();
}

/* Another pipeline may have the device of both items: in medium grain one at a time is on the cores all the same. */
static int fall_back(struct carried *is, unsigned first, unsigned end)
{
	struct ps_carriage *c = is->by->of;
	bool alone = is->setting->configuration.medium_grain;
	int err;

	if (alone)
		wait_for(is, &c->cores);
	err = fire_on_cores(is, first, end);
	if (alone)
		ps_token_give(&c->cores);
	return err;
}

/* A row that another item has broken counts as busy: an item in front of that one must not fail with it. */
static bool is_broken(const struct carried *is)
{
	return ps_row_broken(is->by->of->pipeline->row);
}

static bool try_device(const struct carried *is)
{
	struct ps_token *device = is->by->of->device;

	if (!ps_token_try(device))
		return false;
	if (!is_broken(is))
		return true;
	ps_token_give(device);
	return false;
}

/*
 * An item that finds the device busy at its first run goes on on the cores; at a later one it does that run there. It
 * never waits: the cores would stand still. Source: the paper, section II.
 */
static int go(struct carried *is)
{
	struct ps_carriage *c = is->by->of;
	uint32_t mask = is->setting->configuration.mask;
	unsigned count = c->pipeline->stage_count, end;
	int err = 0;

	for (unsigned k = 0; k < count && !err; k = end) {
		end = end_of_run(is, mask, k);
		if (!(mask >> k & 1)) {
			err = fire_on_cores(is, k, end);
		} else if (try_device(is)) {
			err = fire_on_device(is, k, end);
			ps_token_give(c->device);
		} else {
			end = is->on_device ? end : count;
			err = fall_back(is, k, end);
		}
	}
	return err;
}

/* Waits for the device, or, if the row is broken, for the cores instead: never for one with the other. */
static struct ps_token *get_place(struct carried *is, bool on_device)
{
	struct ps_carriage *c = is->by->of;

	if (on_device) {
		wait_for(is, c->device);
		if (!is_broken(is))
			return c->device;
		ps_token_give(c->device);
	}
	wait_for(is, &c->cores);
	return &c->cores;
}

/* One item is on the device and one on the cores: each waits for the other place. */
static int go_in_turn(struct carried *is)
{
	struct ps_carriage *c = is->by->of;
	uint32_t mask = is->setting->configuration.mask;
	unsigned count = c->pipeline->stage_count, end;
	int err = 0;

	for (unsigned k = 0; k < count && !err; k = end) {
		struct ps_token *place = get_place(is, mask >> k & 1);

		end = end_of_run(is, mask, k);
		err = place == c->device ? fire_on_device(is, k, end) : fire_on_cores(is, k, end);
		ps_token_give(place);
	}
	return err;
}

/* All stages are through: what the item's own windows are. Returns what fire() does. */
static int finish(const struct carried *is)
{
	const struct pstk_pipeline *p = is->by->of->pipeline;
	int rc = PSTK_AGAIN;

	is->item->open = 0; /* of a stage that has returned PSTK_DONE some may be left */
	for (unsigned q = 0; q < p->actor->type.port_count; q++) {
		const struct ps_connected *b = &p->border[q];
		const struct ps_window *from = &firing_of(is, ps_stage_index(b->actor))->windows[b->port];
		struct ps_window *to = &is->item->windows[q];

		to->state = from->state;
		is->item->open += to->state != PS_WINDOW_ENDED;
		if (!p->actor->ports[q].reads)
			to->valid = from->valid;
	}
	for (unsigned k = 0; k < p->stage_count; k++) {
		const struct pstk_firing *f = firing_of(is, k);

		is->item->last |= f->last;
		if (f->rc == PSTK_DONE)
			rc = PSTK_DONE;
	}
	return rc;
}

static int carry(struct ps_carrier *by, struct pstk_firing *item)
{
	struct ps_carriage *c = by->of;
	struct carried is = {
		.by = by, .item = item, .setting = &c->conductor.phase.setting, .now = ps_setting_clock()
	};
	int err;

	if (by->spoilt) /* an item before this one has failed: this one will be dropped */
		return -ECANCELED;
	is.times.began = is.now;
	err = is.setting->waits ? go_in_turn(&is) : go(&is);
	is.times.ended = is.now;
	ps_carrier_count(is.on_device ? &by->on_device : &by->on_cores, 1);
	c->fired[item - item->task->slots] = is.fired;
	if (err == -ECANCELED && ps_network_over(item->actor->network)) {
		item->open = 0; /* it is dropped */
		return PSTK_AGAIN;
	}
	if (err)
		return err;
	ps_setting_through(c, &is.times);
	return finish(&is);
}

/* No more members fire items than carriers would (setting.c), and no carrier does so meanwhile. Each member takes the
 * one that it had last, if it can: those windows are in its cache. */
static struct ps_carrier *borrow(struct ps_carriage *c)
{
	static _Thread_local unsigned latest;
	unsigned takers = c->conductor.phase.setting.takers;

	while (atomic_exchange(&c->carriers[latest %= takers].lent, true))
		latest++;
	return &c->carriers[latest];
}

int ps_item_fire(struct pstk_firing *item)
{
	struct ps_carrier *by = ps_carrier_current;
	int rc;

	if (by)
		return carry(by, item);
	by = ps_carrier_current = borrow(item->actor->pipeline->run);
	rc = carry(by, item);
	ps_carrier_current = NULL;
	atomic_store(&by->lent, false);
	return rc;
}
