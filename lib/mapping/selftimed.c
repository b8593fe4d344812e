/* SPDX-License-Identifier: MIT */
#include "lib/mapping/selftimed.h"
#include "lib/base/memory.h"

#include <errno.h>
#include <math.h>
#include <string.h>

/* Iterations: at least so many, besides those that fill the pipeline. */
enum { LEAST = 32, FEWEST = 8 };

/*
 * A process is an actor, or the transfer that fills a buffer: actor i is process i, buffer b process actors + b (of a
 * buffer that its writer fills there is none). `done` counts its iterations that have ended, `begun` those that have
 * begun.
 */
struct process {
	uint32_t begun, done;
	unsigned unit;  /* place, or direction of a link */
	bool waits;     /* it is in its unit's heap */
	double seconds; /* of an iteration */
	double end;     /* of the one that is on its way */
	double ready;   /* since when the one that waits could begin */
};

/* What serves processes: a place, or a direction of a link. */
struct unit {
	unsigned free;
	unsigned *heap, count; /* processes that could begin */
};

struct selftimed {
	const struct ps_outline *o;
	bool merge;
	uint32_t iterations;
	unsigned actors, processes, unit_count;
	struct process *process;
	struct unit *units;
	unsigned *heaps;              /* the memory of all heaps */
	unsigned *running, run_count; /* a heap by end */
	unsigned *hops, *hop_start;   /* of each buffer: the buffers that are filled from it */
	unsigned *fed, *fed_start;    /* .. the readers that it feeds */
	unsigned *former, *last,
		*next;   /* of each buffer: the member before it in its group; the group's last; the next */
	uint32_t *depth; /* of its group, or its own */
	unsigned *touched, touch_count; /* processes to look at again */
	bool *is_touched;
};

/* Heaps of processes. */

typedef bool earlier(const struct selftimed *, unsigned a, unsigned b);

static bool ends_earlier(const struct selftimed *s, unsigned a, unsigned b)
{
	return s->process[a].end < s->process[b].end;
}

static unsigned rank(const struct selftimed *s, unsigned process)
{
	return process < s->actors ? s->o->schedule[process] : process;
}

static bool goes_before(const struct selftimed *s, unsigned a, unsigned b)
{
	uint32_t done_a = s->process[a].done, done_b = s->process[b].done;

	if (s->process[a].ready != s->process[b].ready)
		return s->process[a].ready < s->process[b].ready;
	return done_a != done_b ? done_a < done_b : rank(s, a) < rank(s, b);
}

static void push(const struct selftimed *s, unsigned *heap, unsigned *count, unsigned process, earlier *first)
{
	unsigned i = (*count)++;

	for (; i && first(s, process, heap[(i - 1) / 2]); i = (i - 1) / 2)
		heap[i] = heap[(i - 1) / 2];
	heap[i] = process;
}

static unsigned pop(const struct selftimed *s, unsigned *heap, unsigned *count, earlier *first)
{
	unsigned top = heap[0], last = heap[--*count], i = 0;

	for (unsigned child; (child = 2 * i + 1) < *count; i = child) {
		if (child + 1 < *count && first(s, heap[child + 1], heap[child]))
			child++;
		if (!first(s, heap[child], last))
			break;
		heap[i] = heap[child];
	}
	heap[i] = last;
	return top;
}

/* What fills a buffer. */
static const struct process *filler(const struct selftimed *s, unsigned buffer)
{
	const struct ps_buffer *b = &s->o->buffers[buffer];

	return &s->process[b->from == PS_NONE ? s->o->flow->outputs[b->output].writer : s->actors + buffer];
}

/* Of how many windows of a buffer all that read it are done. An output without readers frees its windows at once. */
static uint64_t emptied(const struct selftimed *s, unsigned buffer)
{
	uint64_t least = UINT64_MAX;

	for (unsigned i = s->hop_start[buffer]; i < s->hop_start[buffer + 1]; i++)
		if (s->process[s->actors + s->hops[i]].done < least)
			least = s->process[s->actors + s->hops[i]].done;
	for (unsigned i = s->fed_start[buffer]; i < s->fed_start[buffer + 1]; i++)
		if (s->process[s->o->flow->readers[s->fed[i]].actor].done < least)
			least = s->process[s->o->flow->readers[s->fed[i]].actor].done;
	return least;
}

/* May write n of a buffer begin? */
static bool has_room(const struct selftimed *s, unsigned buffer, uint32_t n)
{
	uint64_t free = emptied(s, buffer);

	if (free != UINT64_MAX && n >= free + s->depth[buffer])
		return false;
	if (!s->merge || s->next[buffer] == buffer) /* alone */
		return true;
	if (s->former[buffer] != PS_NONE)
		return emptied(s, s->former[buffer]) > n;
	free = emptied(s, s->last[buffer]);
	return free == UINT64_MAX || n < free + s->depth[buffer];
}

static bool actor_can_begin(const struct selftimed *s, unsigned actor)
{
	const struct ps_flow *f = s->o->flow;
	uint32_t n = s->process[actor].begun;

	for (unsigned i = f->input_start[actor]; i < f->input_start[actor + 1]; i++) {
		const struct ps_flow_reader *r = &f->readers[f->inputs[i]];

		if (filler(s, s->o->feeds[f->inputs[i]])->done + r->delay <= n)
			return false;
	}
	for (unsigned i = f->output_start[actor]; i < f->output_start[actor + 1]; i++)
		if (!has_room(s, i, n)) /* an output's own buffer has its number */
			return false;
	return true;
}

static bool can_begin(const struct selftimed *s, unsigned process)
{
	const struct process *p = &s->process[process];
	unsigned buffer = process - s->actors;

	if (p->begun != p->done || p->waits || p->begun == s->iterations)
		return false;
	if (process < s->actors)
		return actor_can_begin(s, process);
	return filler(s, s->o->buffers[buffer].from)->done > p->begun && has_room(s, buffer, p->begun);
}

static void touch(struct selftimed *s, unsigned process)
{
	if (s->is_touched[process])
		return;
	s->is_touched[process] = true;
	s->touched[s->touch_count++] = process;
}

static void touch_filler(struct selftimed *s, unsigned buffer)
{
	touch(s, (unsigned)(filler(s, buffer) - s->process));
}

/* A window of a buffer is there: all that read it may begin. */
static void was_filled(struct selftimed *s, unsigned buffer)
{
	for (unsigned i = s->hop_start[buffer]; i < s->hop_start[buffer + 1]; i++)
		touch(s, s->actors + s->hops[i]);
	for (unsigned i = s->fed_start[buffer]; i < s->fed_start[buffer + 1]; i++)
		touch(s, s->o->flow->readers[s->fed[i]].actor);
}

/* A window of it was read: what fills it may go on, and what fills the next member of its group. */
static void was_read(struct selftimed *s, unsigned buffer)
{
	touch_filler(s, buffer);
	if (s->merge)
		touch_filler(s, s->next[buffer]);
}

static void end(struct selftimed *s, unsigned process)
{
	const struct ps_flow *f = s->o->flow;
	unsigned buffer = process - s->actors;

	s->process[process].done++;
	s->units[s->process[process].unit].free++;
	touch(s, process);
	if (process >= s->actors) {
		was_filled(s, buffer);
		was_read(s, s->o->buffers[buffer].from);
		return;
	}
	for (unsigned i = f->output_start[process]; i < f->output_start[process + 1]; i++)
		was_filled(s, i);
	for (unsigned i = f->input_start[process]; i < f->input_start[process + 1]; i++)
		was_read(s, s->o->feeds[f->inputs[i]]);
}

static void serve(struct selftimed *s, struct unit *u, double now)
{
	for (; u->free && u->count; u->free--) {
		unsigned process = pop(s, u->heap, &u->count, goes_before);
		struct process *p = &s->process[process];

		p->waits = false;
		p->begun++;
		p->end = now + p->seconds;
		push(s, s->running, &s->run_count, process, ends_earlier);
	}
}

/* Lets begin what can. */
static void dispatch(struct selftimed *s, double now)
{
	for (unsigned i = 0; i < s->touch_count; i++) {
		unsigned process = s->touched[i];
		struct unit *u = &s->units[s->process[process].unit];

		s->is_touched[process] = false;
		if (can_begin(s, process)) {
			s->process[process].waits = true;
			s->process[process].ready = now;
			push(s, u->heap, &u->count, process, goes_before);
		}
	}
	/* a unit that has become free is that of a process that has ended, which was touched */
	for (unsigned i = 0; i < s->touch_count; i++)
		serve(s, &s->units[s->process[s->touched[i]].unit], now);
	s->touch_count = 0;
}

/* Executes all iterations. *half: when the first half of them had ended; *all: when all had. */
static int execute(struct selftimed *s, double *half, double *all)
{
	double now = 0;

	for (unsigned i = 0; i < s->processes; i++)
		if (i < s->actors || s->o->buffers[i - s->actors].from != PS_NONE)
			touch(s, i);
	for (dispatch(s, now); s->run_count; dispatch(s, now)) {
		now = s->process[s->running[0]].end;
		while (s->run_count && s->process[s->running[0]].end <= now) {
			unsigned process = pop(s, s->running, &s->run_count, ends_earlier);

			end(s, process);
			/* transfers may go on, of windows that no firing takes any more */
			if (process < s->actors && s->process[process].done == s->iterations / 2)
				*half = now;
			else if (process < s->actors && s->process[process].done == s->iterations)
				*all = now;
		}
	}
	for (unsigned i = 0; i < s->actors; i++)
		if (s->process[i].done < s->iterations)
			return -EDEADLK;
	return 0;
}

/* A list for each buffer: of which buffer is i, if of any? */
static void make_lists(const struct selftimed *s, unsigned *start, unsigned *list, unsigned count,
	unsigned (*buffer_of)(const struct ps_outline *, unsigned))
{
	unsigned buffers = s->o->buffer_count, sum = 0;

	for (unsigned i = 0; i < count; i++)
		if (buffer_of(s->o, i) != PS_NONE)
			start[buffer_of(s->o, i)]++;
	for (unsigned i = 0; i <= buffers; i++) {
		unsigned own = start[i];

		start[i] = sum;
		sum += own;
	}
	for (unsigned i = 0; i < count; i++)
		if (buffer_of(s->o, i) != PS_NONE)
			list[start[buffer_of(s->o, i)]++] = i;
	for (unsigned i = buffers; i > 0; i--)
		start[i] = start[i - 1];
	start[0] = 0;
}

static unsigned filled_from(const struct ps_outline *o, unsigned buffer)
{
	return o->buffers[buffer].from;
}

static unsigned fed_from(const struct ps_outline *o, unsigned reader)
{
	return o->feeds[reader];
}

/* Members of a group are in the order of their live ranges: one that a transfer fills comes first, then by position. */
static bool lives_before(const struct ps_outline *o, unsigned a, unsigned b)
{
	const struct ps_buffer *x = &o->buffers[a], *y = &o->buffers[b];

	if ((x->from == PS_NONE) != (y->from == PS_NONE))
		return x->from != PS_NONE;
	return o->schedule[o->flow->outputs[x->output].writer] <
	       o->schedule[o->flow->outputs[y->output].writer];
}

/* Puts each buffer into its group's ring: first -> next -> .. -> last -> first. touched[] is free for the first
 * members. */
static void make_rings(struct selftimed *s)
{
	const struct ps_outline *o = s->o;
	unsigned *first = s->touched;

	for (unsigned i = 0; i < o->group_count; i++)
		first[i] = PS_NONE;
	for (unsigned i = 0; i < o->buffer_count; i++) {
		unsigned *at = &first[o->buffers[i].group], former = PS_NONE;

		for (; *at != PS_NONE && lives_before(o, *at, i); at = &s->next[*at])
			former = *at;
		s->former[i] = former;
		s->next[i] = *at;
		if (*at != PS_NONE)
			s->former[*at] = i;
		*at = i;
	}
	for (unsigned g = 0; g < o->group_count; g++) {
		unsigned last = first[g];
		uint32_t depth = 0;

		for (unsigned i = first[g]; i != PS_NONE; i = s->next[i]) {
			depth = o->buffers[i].depth > depth ? o->buffers[i].depth : depth;
			last = i;
		}
		for (unsigned i = first[g]; i != PS_NONE; i = s->next[i]) {
			s->last[i] = last;
			s->depth[i] = s->merge ? depth : o->buffers[i].depth;
		}
		s->next[last] = first[g];
	}
}

/* Several windows in an iteration: the depth in iterations, at least one. */
static void set_depths(struct selftimed *s)
{
	for (unsigned i = 0; i < s->o->buffer_count; i++) {
		uint64_t windows = s->o->flow->outputs[s->o->buffers[i].output].windows;

		s->depth[i] = windows < s->depth[i] ? (uint32_t)(s->depth[i] / windows) : 1;
	}
}

/* Memory for all heaps lies in one piece: of each unit as much as it has processes. */
static void make_units(struct selftimed *s)
{
	const struct ps_outline *o = s->o;
	const struct pstk_machine *m = o->flow->machine;
	unsigned *room = s->heaps;

	for (unsigned i = 0; i < s->actors; i++) {
		s->process[i].unit = o->flow->actors[i].place;
		s->process[i].seconds = o->flow->actors[i].seconds;
	}
	for (unsigned i = 0; i < o->buffer_count; i++) {
		const struct ps_buffer *b = &o->buffers[i];
		const struct ps_flow_output *out = &o->flow->outputs[b->output];
		struct process *p = &s->process[s->actors + i];
		const struct ps_link *l;

		if (b->from == PS_NONE)
			continue;
		l = &m->links[b->link];
		p->unit = m->place_count + 2 * b->link + (!l->half && ps_buffer_goes_back(o, b));
		p->seconds = (double)out->windows * ps_link_seconds(l, (double)out->bytes);
	}
	for (unsigned i = 0; i < s->processes; i++)
		s->units[s->process[i].unit].count++;
	for (unsigned i = 0; i < s->unit_count; i++) {
		struct unit *u = &s->units[i];

		u->heap = room;
		room += u->count;
		u->count = 0;
		u->free = i < m->place_count ? m->places[i].cores : 1;
	}
}

static int allocate(struct selftimed *s)
{
	const struct ps_outline *o = s->o;
	unsigned buffers = o->buffer_count;

	s->process = ps_memory_zalloc(s->processes, sizeof *s->process);
	s->units = ps_memory_zalloc(s->unit_count, sizeof *s->units);
	s->heaps = ps_memory_zalloc(s->processes, sizeof *s->heaps);
	s->running = ps_memory_zalloc(s->processes, sizeof *s->running);
	s->hops = ps_memory_zalloc(buffers, sizeof *s->hops);
	s->hop_start = ps_memory_zalloc((size_t)buffers + 1, sizeof *s->hop_start);
	s->fed = ps_memory_zalloc(o->flow->reader_count, sizeof *s->fed);
	s->fed_start = ps_memory_zalloc((size_t)buffers + 1, sizeof *s->fed_start);
	s->former = ps_memory_zalloc(buffers, sizeof *s->former);
	s->last = ps_memory_zalloc(buffers, sizeof *s->last);
	s->next = ps_memory_zalloc(buffers, sizeof *s->next);
	s->depth = ps_memory_zalloc(buffers, sizeof *s->depth);
	s->touched = ps_memory_zalloc(s->processes, sizeof *s->touched);
	s->is_touched = ps_memory_zalloc(s->processes, sizeof *s->is_touched);
	return s->process && s->units && s->heaps && s->running && s->hops && s->hop_start && s->fed &&
	                       s->fed_start && s->former && s->last && s->next && s->depth && s->touched &&
	                       s->is_touched
	               ? 0
	               : -ENOMEM;
}

static void free_all(struct selftimed *s)
{
	void *const all[] = { s->process, s->units, s->heaps, s->running, s->hops, s->hop_start, s->fed,
		s->fed_start, s->former, s->last, s->next, s->depth, s->touched, s->is_touched };

	for (unsigned i = 0; i < sizeof all / sizeof *all; i++)
		ps_memory_free(all[i]);
}

/* Twice as many as fill the pipeline, if that is not too much work; 0: it is. */
static uint32_t iterations_for(const struct ps_outline *o, unsigned processes)
{
	uint64_t longest = 0, most = PS_SELFTIMED_MOST / (processes ? processes : 1), wanted;

	for (unsigned i = 0; i < o->flow->actor_count; i++)
		if (o->latency[i] != PS_UNSETTLED && o->latency[i] > longest)
			longest = o->latency[i];
	wanted = 2 * (longest + LEAST);
	return wanted <= most || most >= 2 * (longest + FEWEST)
	               ? (uint32_t)(wanted < most ? wanted : most) & ~1u
	               : 0;
}

int ps_selftimed(const struct ps_outline *o, bool merge, double *period)
{
	struct selftimed s = { .o = o, .merge = merge, .actors = o->flow->actor_count };
	double half = 0, all = 0;
	int err;

	s.processes = s.actors + o->buffer_count;
	s.unit_count = o->flow->machine->place_count + 2 * o->flow->machine->link_count;
	s.iterations = iterations_for(o, s.processes);
	*period = NAN;
	if (!s.iterations)
		return 0;
	err = allocate(&s);
	if (!err) {
		make_lists(&s, s.hop_start, s.hops, o->buffer_count, filled_from);
		make_lists(&s, s.fed_start, s.fed, o->flow->reader_count, fed_from);
		make_rings(&s);
		set_depths(&s);
		make_units(&s);
		err = execute(&s, &half, &all);
	}
	if (!err) {
		*period = (all - half) / (s.iterations / 2);
		*period = *period > o->period ? *period : o->period;
	}
	free_all(&s);
	return err;
}
