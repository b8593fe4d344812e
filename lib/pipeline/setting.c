/* SPDX-License-Identifier: MIT */
/*
 * Setting: what the carriers of a pipeline do, and its change between two items.
 *
 *	any thread                            the taker
 *	asks, under the lock; a change is     finds it due; items are in flight: takes no further one until they are
 *	due from now on (task.move_at)        published
 *	nudges the pipeline                   none is: changes the setting, under the lock; none is due any more
 *	                                      wakes carriers that are takers now; goes on, or sleeps if it is none
 */
#include "lib/base/log.h"
#include "lib/firing/firing.h"
#include "lib/firing/mover.h"
#include "lib/model/error.h"
#include "lib/pipeline/carriage.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

/* Of a configuration. waits: items wait for the device. */
static struct ps_setting setting_of(const struct pstk_configuration *configuration, bool waits)
{
	struct ps_setting s = { .configuration = *configuration, .waits = waits };

	/* in medium grain there is one item on the cores, and one on the device */
	s.takers = !configuration->medium_grain ? configuration->threads : configuration->mask ? 2 : 1;
	return s;
}

/* What runs for this aim. */
static struct ps_setting choose(const struct ps_carriage *c, const struct ps_aim *aim)
{
	struct pstk_configuration cores = { .threads = c->pipeline->spec.cores };

	return setting_of(aim->kind == PS_AIM_FIXED ? &aim->fixed : &cores, false);
}

/* The taker, with no item in flight; or start(). Call with the lock held. */
static void change(struct ps_carriage *c)
{
	c->now = choose(c, &c->aim);
	c->asked = false;
	atomic_store(&c->takers, c->now.takers);
}

void ps_setting_begin(struct ps_carriage *c, struct ps_task *t)
{
	pthread_mutex_lock(&c->lock);
	c->task = t;
	t->mover = &ps_setting_mover;
	change(c);
	pthread_mutex_unlock(&c->lock);
}

static enum ps_firing_state step(struct ps_task *t)
{
	struct ps_carriage *c = t->actor->pipeline->run;

	if (atomic_load(&t->taken) != atomic_load(&t->published)) {
		atomic_store(&t->most, 1); /* until those in flight are published */
		return PS_FIRING_WAIT;
	}
	pthread_mutex_lock(&c->lock);
	if (c->asked)
		change(c);
	atomic_store(&t->move_at, UINT64_MAX);
	pthread_mutex_unlock(&c->lock);
	atomic_store(&t->most, t->slot_count);
	ps_crew_wake(c->crew);
	return PS_FIRING_WAIT; /* this carrier may be no taker any more: it looks again */
}

static void took(struct pstk_firing *item)
{
	(void)item;
}

/* The publisher. */
static void published(struct pstk_firing *item)
{
	const struct pstk_pipeline *p = item->actor->pipeline;
	uint32_t fired = p->run->fired[item - item->task->slots];

	for (unsigned k = 0; k < p->stage_count; k++)
		if (fired >> k & 1)
			atomic_fetch_add_explicit(&p->stages[k]->task->firings, 1, memory_order_relaxed);
}

static void ended(struct ps_task *t)
{
	(void)t;
}

const struct ps_mover ps_setting_mover = {
	.step = step,
	.took = took,
	.published = published,
	.ended = ended,
};

void ps_setting_ask(struct ps_carriage *c, const struct ps_aim *aim)
{
	struct ps_task *t;

	pthread_mutex_lock(&c->lock);
	c->aim = *aim;
	c->asked = true;
	t = c->task;
	if (t)
		atomic_store(&t->move_at, 0);
	pthread_mutex_unlock(&c->lock);
	if (t)
		ps_task_nudge(t);
}
