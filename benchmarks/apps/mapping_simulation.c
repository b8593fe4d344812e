/* SPDX-License-Identifier: MIT */
#include "benchmarks/apps/mapping_simulation.h"
#include "benchmarks/common/rounds.h"

#include <math.h>
#include <string.h>

enum { THREADS = MAPPING_CORES + 1, FLYING = 4096, NOBODY = -1, TINY_NS = 1 };

/* What a thread is at. */
enum act { BEGINS, ON_DEVICE, ON_CORES, WAITS_DEVICE, WAITS_CORES, WAITS_ROOM };

struct thread {
	enum act act;
	unsigned next;   /* the stage that follows; as many as there are: the item is through */
	bool on_device;  /* the item has had the device */
	bool falls_back; /* all the rest of it is done on the cores */
	unsigned upto;   /* of a run on the cores: its end */
	uint64_t item;
	double left; /* of what it is at: s of its own work */
};

struct world {
	const struct mapping_pipeline *is;
	const struct mapping_simulation *how;
	const struct pstk_configuration *with;
	struct thread threads[THREADS];
	unsigned count;
	bool waits;        /* for the device, and the cores */
	int device, cores; /* the thread that has it; NOBODY. cores: of medium grain, and of waits */
	unsigned permits, queue[THREADS], queued;
	uint64_t taken, published, through;
	bool flying[FLYING]; /* by item: it is through, and not published */
	uint64_t random;
	double now;
	struct mapping_busy busy; /* of all items */
};

/* -- what takes time -- */

static double long_of(struct world *w, const double *times, unsigned from, unsigned to)
{
	double sum = 0;

	for (unsigned k = from; k < to; k++)
		sum += times[k];
	return w->how->jitter > 0 ? sum * (1 + w->how->jitter * mapping_random(&w->random)) : sum;
}

static unsigned busy_on_cores(const struct world *w)
{
	unsigned busy = 0;

	for (unsigned i = 0; i < w->count; i++)
		busy += w->threads[i].act == ON_CORES;
	return w->with->medium_grain ? busy * w->is->cores : busy;
}

/* How fast a thread on the cores is. */
static double speed(const struct world *w)
{
	unsigned busy, most = w->is->cores;
	double share;

	busy = busy_on_cores(w);
	share = busy > most && !w->with->medium_grain ? (double)most / busy : 1;
	busy = busy < most ? busy : most;
	return busy ? share / (1 + w->how->stretch * (busy - 1)) : 1;
}

/* -- one thread -- */

static void publish(struct world *w, uint64_t item)
{
	w->flying[item % FLYING] = true;
	while (w->flying[w->published % FLYING]) {
		w->flying[w->published % FLYING] = false;
		w->published++;
	}
}

/* false: as many are in flight as may be. */
static bool take_item(struct world *w, struct thread *t)
{
	uint64_t room = w->how->in_flight ? w->how->in_flight : FLYING - 1;

	if (w->taken - w->published >= room) {
		t->act = WAITS_ROOM;
		return false;
	}
	*t = (struct thread){ .item = w->taken++ };
	return true;
}

static unsigned end_of_run(const struct world *w, unsigned first)
{
	unsigned end = first + 1;

	while (end < w->is->stages && (w->with->mask >> end & 1) == (w->with->mask >> first & 1))
		end++;
	return end;
}

/* Stages on the cores: by permits one at a time, else all of the run. */
static void work(struct world *w, unsigned self)
{
	struct thread *t = &w->threads[self];
	unsigned end = w->how->permits && !w->with->medium_grain ? t->next + 1 : t->upto;

	if (w->with->medium_grain) {
		if (w->cores != NOBODY) {
			t->act = WAITS_CORES;
			return;
		}
		w->cores = (int)self;
	} else if (w->how->permits && !w->permits) {
		t->act = WAITS_CORES;
		w->queue[w->queued++] = self;
		return;
	} else {
		w->permits--;
	}
	t->act = ON_CORES;
	t->left = long_of(w, w->with->medium_grain ? w->is->medium : w->is->core, t->next, end);
	t->next = end;
}

static void go_on(struct world *w, unsigned self)
{
	struct thread *t = &w->threads[self];
	unsigned end;

	if (t->upto > t->next) { /* by permits, within a run */
		work(w, self);
		return;
	}
	if (t->act == BEGINS || t->act == WAITS_ROOM || t->next == w->is->stages)
		if (!take_item(w, t))
			return;
	end = end_of_run(w, t->next);
	if (w->with->mask >> t->next & 1) {
		if (w->device == NOBODY) {
			w->device = (int)self;
			t->act = ON_DEVICE;
			t->left = long_of(w, w->is->device, t->next, end);
			t->next = end;
			t->on_device = true;
			return;
		}
		if (w->waits) {
			t->act = WAITS_DEVICE;
			return;
		}
		end = t->on_device ? end : w->is->stages;
	}
	t->upto = end;
	work(w, self);
}

/* What it was at is over: gives back what it had. */
static void let_go(struct world *w, unsigned self)
{
	struct thread *t = &w->threads[self];

	if (w->device == (int)self)
		w->device = NOBODY;
	if (w->cores == (int)self)
		w->cores = NOBODY;
	else if (t->act == ON_CORES)
		w->permits++;
	if (t->next == w->is->stages && t->act != BEGINS) {
		publish(w, t->item);
		w->through++;
	}
}

/* -- all of them -- */

static bool works(const struct thread *t)
{
	return t->act == BEGINS || t->act == ON_DEVICE || t->act == ON_CORES;
}

/* To the next moment at which something ends. ended: of which threads. */
static void advance(struct world *w, bool ended[THREADS])
{
	double share = speed(w), step = INFINITY;

	for (unsigned i = 0; i < w->count; i++) {
		const struct thread *t = &w->threads[i];

		if (works(t))
			step = fmin(step, t->act == ON_CORES ? t->left / share : t->left);
	}
	if (isinf(step))
		rounds_fail("the simulation stands still");
	w->now += step;
	w->busy.cores += step * busy_on_cores(w);
	w->busy.device += w->device != NOBODY ? step : 0;
	for (unsigned i = 0; i < w->count; i++) {
		struct thread *t = &w->threads[i];

		ended[i] = false;
		if (!works(t))
			continue;
		t->left -= t->act == ON_CORES ? step * share : step;
		ended[i] = t->left <= TINY_NS * 1e-9;
	}
}

/* First all that end give back what they had, then each goes on, then those that wait. */
static void step_all(struct world *w)
{
	bool ended[THREADS], waited[THREADS];
	unsigned queued = w->queued, queue[THREADS];

	for (unsigned i = 0; i < w->count; i++)
		waited[i] = !works(&w->threads[i]);
	advance(w, ended);
	for (unsigned i = 0; i < w->count; i++)
		if (ended[i])
			let_go(w, i);
	if (w->how->permits) { /* an item that has waited for a core comes first, in turn */
		memcpy(queue, w->queue, sizeof queue);
		w->queued = 0;
		for (unsigned i = 0; i < queued; i++) {
			work(w, queue[i]);
			waited[queue[i]] = false;
		}
	}
	for (unsigned i = 0; i < w->count; i++)
		if (ended[i])
			go_on(w, i);
	for (unsigned i = 0; i < w->count; i++)
		if (waited[i]) {
			if (w->threads[i].act == WAITS_CORES)
				work(w, i);
			else
				go_on(w, i);
		}
}

double mapping_simulate(const struct mapping_pipeline *p, const struct pstk_configuration *with,
	const struct mapping_simulation *how, struct mapping_busy *busy)
{
	uint32_t all = (1u << p->stages) - 1;
	struct world w = { .is = p,
		.how = how,
		.with = with,
		.device = NOBODY,
		.cores = NOBODY,
		.permits = p->cores,
		.random = 1 };
	uint64_t first = how->items / 4;
	double began = 0;

	w.count = !with->medium_grain ? with->threads : with->mask ? 2 : 1;
	w.waits = with->medium_grain && with->mask && with->mask != all;
	for (unsigned i = 0; i < w.count; i++)
		w.threads[i].left = how->stagger * i;
	while (w.through < first)
		step_all(&w);
	began = w.now;
	first = w.through;
	w.busy = (struct mapping_busy){ 0, 0 };
	while (w.through < how->items)
		step_all(&w);
	if (busy)
		*busy = (struct mapping_busy){ w.busy.cores / (double)(w.through - first),
			w.busy.device / (double)(w.through - first) };
	return (double)(w.through - first) / (w.now - began);
}
