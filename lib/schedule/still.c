/* SPDX-License-Identifier: MIT */
#include "lib/schedule/still.h"
#include "lib/firing/task.h"
#include "lib/model/type.h"
#include "lib/plan/ways.h"
#include "lib/schedule/detector.h"
#include "lib/schedule/detector_state.h"

uint64_t ps_still_activity(const struct pstk_network *net)
{
	uint64_t sum = 0;

	for (unsigned i = 0; i < net->fifo_count; i++) {
		const struct ps_fifo *f = &net->fifos[i]->fifo;

		if (net->fifos[i]->crossing != PS_CROSSES_ELSEWHERE)
			sum += atomic_load(&f->written) + atomic_load(&f->read) + atomic_load(&f->closed) +
			       atomic_load(&f->discards);
	}
	for (unsigned i = 0; i < net->task_count; i++) {
		const struct ps_task *t = net->tasks[i];

		sum += atomic_load(&t->firings) + atomic_load(&t->control_tokens) + atomic_load(&t->ended);
	}
	return sum;
}

unsigned ps_still_left(const struct pstk_network *net)
{
	unsigned count = 0;

	for (unsigned i = 0; i < net->task_count; i++)
		count += !atomic_load(&net->tasks[i]->ended);
	return count;
}

/* It has said that it ends, then closes its ports: others may wait for that. */
static bool has_closed(const struct pstk_actor *a)
{
	for (unsigned p = 0; p < a->type.port_count; p++) {
		const struct pstk_fifo *f = a->ports[p].fifo;
		bool reads = ps_port_reads(a->type.ports[p].kind);

		for (; f; f = reads ? NULL : f->next)
			if (!atomic_load(reads ? &ps_counters(f)->discards : &ps_counters(f)->closed))
				return false;
	}
	return true;
}

bool ps_still_begin(struct pstk_network *net)
{
	bool still;

	pthread_mutex_lock(&ps_judging);
	still = ps_detector_hold(net) && !net->schedule->detector->deadlocked;
	for (unsigned i = 0; i < net->task_count && still; i++) {
		const struct pstk_actor *a = net->tasks[i]->actor;

		still = atomic_load(&a->task->ended) ? has_closed(a) : ps_detector_stays(a);
	}
	return still;
}

void ps_still_end(struct pstk_network *net)
{
	ps_detector_let_go(net);
	pthread_mutex_unlock(&ps_judging);
}

/* A window that was started waits for its data. */
static bool is_full(const struct ps_fifo *f)
{
	return atomic_load(&f->writer.started) == f->writer.ended && ps_fifo_look(&f->writer) == PS_FIFO_WAIT;
}

/* Of the FIFOs from here on, which another host writes at once: the first one that has no room. NULL: all have. */
static const struct pstk_fifo *find_full(const struct pstk_fifo *f)
{
	while (f && !is_full(&f->fifo))
		f = f->next;
	return f;
}

static const struct pstk_fifo *first_of(const struct pstk_fifo *f)
{
	return f->src->ports[f->src_port].fifo;
}

static struct ps_still_wait wait_of(struct pstk_actor *a)
{
	const struct ps_dead_wait *dead = &ps_judged(a)->dead;

	ps_detector_remember(a);
	return (struct ps_still_wait){ .actor = a->index,
		.fifo = dead->fifo->index,
		.other = dead->other->index,
		.flags = (dead->writes ? PS_STILL_WRITES : 0) | (dead->merged ? PS_STILL_MERGED : 0) |
		         (dead->decided ? PS_STILL_DECIDED : 0) |
		         (dead->fifo->crossing == PS_CROSSES_OUT ? PS_STILL_CROSSES : 0),
		.value = dead->value,
		.rate = dead->rate,
		.firing = dead->firing,
		.fill = dead->fill,
		.capacity = dead->capacity,
		.lacks = dead->lacks,
		.layout = dead->layout };
}

/* The owner of the away ends from this FIFO on has no room at this one. */
static struct ps_still_wait full_at(const struct pstk_fifo *first, const struct pstk_fifo *full)
{
	const struct ps_fifo *f = &full->fifo;
	uint64_t taken = atomic_load(&f->read), have = f->layout.delay + atomic_load(&f->written);

	return (struct ps_still_wait){ .actor = PS_STILL_NO_ACTOR,
		.fifo = first->index,
		.full = full->index,
		.other = full->dst->index,
		.host = full->src->network->host,
		.fill = have > taken ? have - taken : 0,
		.capacity = ps_fifo_capacity(f),
		.layout = f->layout };
}

unsigned ps_still_most(const struct pstk_network *net)
{
	unsigned count = net->actor_count;

	for (unsigned i = 0; i < net->fifo_count; i++) /* an owner may wait at each host that it comes to */
		count += 1 + (net->fifos[i]->way ? net->fifos[i]->way->count : 0);
	return count;
}

unsigned ps_still_waits(struct pstk_network *net, struct ps_still_wait *waits, unsigned max)
{
	unsigned count = 0;

	for (unsigned i = 0; i < net->task_count && count < max; i++)
		if (!atomic_load(&net->tasks[i]->ended))
			waits[count++] = wait_of(net->tasks[i]->actor);
	for (unsigned i = 0; i < net->fifo_count && count < max; i++) {
		const struct pstk_fifo *f = net->fifos[i], *full = NULL;

		if ((f->crossing == PS_CROSSES_IN || f->crossing == PS_CROSSES_THROUGH) && first_of(f) == f)
			full = find_full(f);
		if (full)
			waits[count++] = full_at(f, full);
	}
	return count;
}
