/* SPDX-License-Identifier: MIT */
#include "lib/mapping/search.h"
#include "lib/base/memory.h"
#include "lib/mapping/selftimed.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define TIE 1e-9
enum { COMPARING = 100 };

/* Of two mappings with one period: the first member that differs decides. */
struct merit {
	double simulated; /* INFINITY: too large to be executed, or it can't go on */
	double bytes;
	uint64_t latency;
};

/* What a step has changed: a load, and that an output crosses a link. */
struct change {
	unsigned load;
	double former;
	size_t crossing; /* SIZE_MAX: none */
};

struct level {
	unsigned actor;
	unsigned tried; /* so many of its places */
	size_t change;  /* the first of this level */
	double former;  /* the period before it */
};

struct state {
	struct ps_search *search;
	struct ps_flow *flow;
	const struct pstk_machine *machine;
	struct ps_routes routes;
	unsigned actors, places, load_count;
	unsigned *place; /* of each actor; PS_NONE: not yet */
	double *loads;   /* places, then two of each link */
	bool *crosses;   /* output x (2 x links) */
	double period;   /* of the partial mapping */
	double bytes;    /* over links, of the partial mapping */
	struct level *levels;
	unsigned *order;  /* level x places: the places in the order in which they are tried */
	unsigned *counts; /* of each level: how many of them */
	double *periods;  /* of one level's places, while they are put into order */
	struct change *changes;
	size_t change_count, change_room;
	/* where actors at one place are to follow each other: of each actor, its position among those that can be at
	 * several places, PS_NONE: it is not one of them; of each position, the actor */
	unsigned *position, *positioned, position_count;

	bool found, has_merit;
	double best;
	unsigned *best_place;
	struct merit merit; /* of the best one */
};

/* Of the output that crosses a link there. */
static double crossing_bytes(const struct state *s, size_t crossing)
{
	const struct ps_flow_output *out = &s->flow->outputs[crossing / (2 * (size_t)s->machine->link_count)];

	return (double)out->windows * (double)out->bytes;
}

static int add_load(struct state *s, unsigned load, double seconds, size_t crossing)
{
	if (s->change_count == s->change_room) {
		size_t room = 2 * s->change_room + 64;
		struct change *changes = ps_memory_resize(s->changes, room, sizeof *changes);

		if (!changes)
			return -ENOMEM;
		s->changes = changes;
		s->change_room = room;
	}
	s->changes[s->change_count++] = (struct change){ load, s->loads[load], crossing };
	s->loads[load] += seconds;
	if (crossing != SIZE_MAX)
		s->bytes += crossing_bytes(s, crossing);
	if (s->loads[load] > s->period)
		s->period = s->loads[load];
	return 0;
}

static void undo(struct state *s, size_t until, double period)
{
	while (s->change_count > until) {
		const struct change *c = &s->changes[--s->change_count];

		s->loads[c->load] = c->former;
		if (c->crossing == SIZE_MAX)
			continue;
		s->crosses[c->crossing] = false;
		s->bytes -= crossing_bytes(s, c->crossing);
	}
	s->period = period;
}

static unsigned read_at(const struct state *s, const struct ps_flow_reader *r)
{
	unsigned place = s->place[r->actor];

	return r->on_host ? s->machine->places[place].host : place;
}

/* The transfers from an output to one reader, both of which have places. -ENOENT: there is no route. */
static int cross(struct state *s, const struct ps_flow_reader *r)
{
	const struct ps_flow_output *out = &s->flow->outputs[r->output];
	unsigned here = s->place[out->writer], there = read_at(s, r), link;
	int err = 0;

	for (; here != there && !err; here = ps_link_other(&s->machine->links[link], here)) {
		const struct ps_link *l;
		size_t crossing;
		bool back;

		err = ps_routes_next(&s->routes, here, there, &link);
		if (err)
			return err;
		l = &s->machine->links[link];
		back = l->ends[1] == here;
		crossing = (size_t)r->output * 2 * s->machine->link_count + 2 * link + back;
		if (l->kind == PSTK_LINK_SHARED || s->crosses[crossing])
			continue;
		s->crosses[crossing] = true;
		err = add_load(s, s->places + 2 * link + (back && !l->half),
			(double)out->windows * ps_link_seconds(l, (double)out->bytes), crossing);
	}
	return err;
}

/* Puts an actor at a place. The changes are undone by the caller, also on an error. */
static int put(struct state *s, unsigned actor, unsigned place)
{
	const struct ps_flow *f = s->flow;
	int err = add_load(s, place,
		s->search->seconds[(size_t)actor * s->places + place] / s->machine->places[place].cores,
		SIZE_MAX);

	s->place[actor] = place;
	for (unsigned i = f->input_start[actor]; i < f->input_start[actor + 1] && !err; i++) {
		const struct ps_flow_reader *r = &f->readers[f->inputs[i]];

		if (s->place[f->outputs[r->output].writer] != PS_NONE)
			err = cross(s, r);
	}
	for (unsigned o = f->output_start[actor]; o < f->output_start[actor + 1] && !err; o++)
		for (unsigned i = 0; i < f->outputs[o].count && !err; i++) {
			const struct ps_flow_reader *r = &f->readers[f->outputs[o].first + i];

			if (s->place[r->actor] != PS_NONE)
				err = cross(s, r);
		}
	return err;
}

/* Would an actor at this place part those of a place from each other, or be parted from them? */
static bool parts_run(const struct state *s, unsigned actor, unsigned place)
{
	unsigned here = s->position ? s->position[actor] : PS_NONE;
	unsigned nearest[2] = { PS_NONE, PS_NONE };

	if (here == PS_NONE)
		return false;
	for (unsigned side = 0; side < 2; side++)
		for (unsigned i = side ? here + 1 : here; side ? i < s->position_count : i-- > 0; i += side) {
			unsigned other = s->place[s->positioned[i]];

			if (other == PS_NONE)
				continue;
			if (nearest[side] == PS_NONE)
				nearest[side] = other;
			else if (other == place && nearest[side] != place)
				return true;
		}
	return nearest[0] != PS_NONE && nearest[0] == nearest[1] && nearest[0] != place;
}

/* The places of a level's actor in the order of the period that they leave; of one period as the machine has them. */
static int sort_places(struct state *s, unsigned level)
{
	struct level *l = &s->levels[level];
	unsigned *order = &s->order[(size_t)level * s->places], *count = &s->counts[level];
	double *periods = s->periods;

	*count = l->tried = 0;
	for (unsigned p = 0; p < s->places; p++) {
		size_t until = s->change_count;
		double former = s->period, period;
		unsigned i = *count;
		int err;

		if (isnan(s->search->seconds[(size_t)l->actor * s->places + p]) || parts_run(s, l->actor, p))
			continue;
		err = put(s, l->actor, p);
		period = s->period;
		s->place[l->actor] = PS_NONE;
		undo(s, until, former);
		if (err == -ENOMEM)
			return err;
		if (err)
			continue;
		for (; i > 0 && periods[i - 1] > period; i--) {
			periods[i] = periods[i - 1];
			order[i] = order[i - 1];
		}
		periods[i] = period;
		order[i] = p;
		++*count;
	}
	return 0;
}

/* Gives the flow a mapping. */
static void set_flow(const struct state *s, const unsigned *place)
{
	for (unsigned i = 0; i < s->actors; i++) {
		s->flow->actors[i].place = place[i];
		s->flow->actors[i].seconds = s->search->seconds[(size_t)i * s->places + place[i]];
	}
	for (unsigned i = 0; i < s->flow->reader_count; i++) {
		struct ps_flow_reader *r = &s->flow->readers[i];

		r->place = r->on_host ? s->machine->places[place[r->actor]].host : place[r->actor];
	}
}

static int judge(const struct state *s, const unsigned *place, struct merit *merit)
{
	struct ps_outline o;
	int err;

	*merit = (struct merit){ .simulated = INFINITY };
	set_flow(s, place);
	err = ps_outline_make(&o, s->flow, s->search->overlap);
	if (!err)
		err = ps_selftimed(&o, true, &merit->simulated);
	if (err || isnan(merit->simulated))
		merit->simulated = INFINITY;
	for (unsigned i = 0; i < o.buffer_count && err != -ENOMEM; i++)
		if (o.buffers[i].from != PS_NONE)
			merit->bytes += (double)s->flow->outputs[o.buffers[i].output].windows *
			                (double)s->flow->outputs[o.buffers[i].output].bytes;
	for (unsigned i = 0; i < s->actors && !err; i++)
		if (o.latency[i] > merit->latency)
			merit->latency = o.latency[i];
	ps_outline_fini(&o);
	return err == -ENOMEM ? err : 0;
}

static bool is_below(double a, double b)
{
	return a < b && (isinf(b) || b - a > TIE * b);
}

static bool is_better(const struct merit *a, const struct merit *b)
{
	if (is_below(a->simulated, b->simulated) || is_below(b->simulated, a->simulated))
		return a->simulated < b->simulated;
	if (a->bytes < b->bytes || a->bytes > b->bytes)
		return a->bytes < b->bytes;
	return a->latency < b->latency;
}

/* No mapping that goes on so can be better than the best one: its period is longer, or it is the same, the best one
 * runs as fast as that says, and moves fewer bytes. Sums of whole numbers are exact. */
static bool is_hopeless(const struct state *s)
{
	if (!s->found || is_below(s->period, s->best))
		return false;
	return is_below(s->best, s->period) ||
	       (s->has_merit && !is_below(s->best, s->merit.simulated) && s->bytes > s->merit.bytes);
}

/* All actors have places: is it better than the best one so far? */
static int consider(struct state *s)
{
	struct merit merit;
	bool tie = s->found && !is_below(s->period, s->best) && !is_below(s->best, s->period);
	int err = 0;

	if (tie) {
		s->search->steps += COMPARING;
		if (!s->has_merit)
			err = judge(s, s->best_place, &s->merit);
		s->has_merit = true;
		if (!err)
			err = judge(s, s->place, &merit);
		if (err || !is_better(&merit, &s->merit))
			return err;
		s->merit = merit;
	} else if (s->found && !is_below(s->period, s->best)) {
		return 0;
	} else {
		s->has_merit = false;
	}
	s->found = true;
	/* of ties the least period stays what later ones are compared with, or they could creep upwards */
	s->best = tie && s->best < s->period ? s->best : s->period;
	memcpy(s->best_place, s->place, s->actors * sizeof *s->place);
	return 0;
}

/* Takes back what the level did, and does the next. false: it has nothing more to try. */
static bool next_place(struct state *s, unsigned level, int *err)
{
	struct level *l = &s->levels[level];

	if (s->place[l->actor] != PS_NONE) {
		s->place[l->actor] = PS_NONE;
		undo(s, l->change, l->former);
	}
	while (l->tried < s->counts[level]) {
		unsigned place = s->order[(size_t)level * s->places + l->tried++];

		*err = put(s, l->actor, place);
		if (*err || !is_hopeless(s))
			return true;
		s->place[l->actor] = PS_NONE;
		undo(s, l->change, l->former);
	}
	return false;
}

static int enter(struct state *s, unsigned level)
{
	s->levels[level].change = s->change_count;
	s->levels[level].former = s->period;
	return sort_places(s, level);
}

/* Depth first, without recursion. */
static int branch(struct state *s)
{
	unsigned level = 0;
	int err = enter(s, 0);

	while (!err) {
		if (s->search->steps++ >= s->search->most)
			return 0;
		if (!next_place(s, level, &err)) {
			if (!level--)
				break;
		} else if (!err && level + 1 == s->actors) {
			err = consider(s);
		} else if (!err) {
			err = enter(s, ++level);
		}
	}
	s->search->proven = !err;
	return err;
}

static double longest(const struct state *s, unsigned actor)
{
	double most = -1;

	for (unsigned p = 0; p < s->places; p++) {
		double seconds = s->search->seconds[(size_t)actor * s->places + p];

		if (seconds > most) /* not NAN */
			most = seconds;
	}
	return most;
}

struct rank {
	double seconds;
	unsigned actor;
};

static int by_seconds(const void *a, const void *b)
{
	const struct rank *x = a, *y = b;

	if (x->seconds < y->seconds || x->seconds > y->seconds)
		return x->seconds > y->seconds ? -1 : 1;
	return x->actor < y->actor ? -1 : 1;
}

static int order_actors(struct state *s)
{
	struct rank *ranks = ps_memory_zalloc(s->actors, sizeof *ranks);

	if (!ranks)
		return -ENOMEM;
	for (unsigned i = 0; i < s->actors; i++)
		ranks[i] = (struct rank){ longest(s, i), i };
	qsort(ranks, s->actors, sizeof *ranks, by_seconds);
	for (unsigned i = 0; i < s->actors; i++) {
		s->levels[i].actor = ranks[i].actor;
		s->place[i] = PS_NONE;
	}
	ps_memory_free(ranks);
	return 0;
}

static unsigned place_count(const struct state *s, unsigned actor)
{
	unsigned count = 0;

	for (unsigned p = 0; p < s->places; p++)
		count += !isnan(s->search->seconds[(size_t)actor * s->places + p]);
	return count;
}

/* The positions of what can be at several places. Of a cycle without delay there are none, and no outline either. */
static int order_positions(struct state *s)
{
	struct ps_outline o;
	int err = ps_outline_init(&o, s->flow, s->search->overlap);

	s->position = ps_memory_zalloc(s->actors, sizeof *s->position);
	s->positioned = ps_memory_zalloc(s->actors, sizeof *s->positioned);
	if (!s->position || !s->positioned)
		err = -ENOMEM;
	if (!err)
		err = ps_outline_schedule(&o);
	for (unsigned i = 0; i < s->actors && !err; i++) {
		unsigned actor = o.scheduled[i];

		s->position[actor] = PS_NONE;
		if (place_count(s, actor) > 1) {
			s->position[actor] = s->position_count;
			s->positioned[s->position_count++] = actor;
		}
	}
	ps_outline_fini(&o);
	if (err == -ELOOP) {
		ps_memory_free(s->position);
		s->position = NULL;
		err = 0;
	}
	return err;
}

static int allocate(struct state *s)
{
	const struct pstk_machine *m = s->machine;

	s->place = ps_memory_zalloc(s->actors, sizeof *s->place);
	s->best_place = ps_memory_zalloc(s->actors, sizeof *s->best_place);
	s->loads = ps_memory_zalloc(s->places + 2 * (size_t)m->link_count, sizeof *s->loads);
	s->crosses = ps_memory_zalloc((size_t)s->flow->output_count * 2 * m->link_count, sizeof *s->crosses);
	s->levels = ps_memory_zalloc(s->actors, sizeof *s->levels);
	s->order = ps_memory_zalloc((size_t)s->actors * s->places, sizeof *s->order);
	s->counts = ps_memory_zalloc(s->actors, sizeof *s->counts);
	s->periods = ps_memory_zalloc(s->places, sizeof *s->periods);
	return s->place && s->best_place && s->loads && s->crosses && s->levels && s->order && s->counts &&
	                       s->periods
	               ? 0
	               : -ENOMEM;
}

static void free_all(struct state *s)
{
	void *const all[] = { s->place, s->best_place, s->loads, s->crosses, s->levels, s->order, s->counts,
		s->periods, s->changes, s->position, s->positioned };

	ps_routes_fini(&s->routes);
	for (unsigned i = 0; i < sizeof all / sizeof *all; i++)
		ps_memory_free(all[i]);
}

int ps_search_run(struct ps_search *search)
{
	struct state s = { .search = search,
		.flow = search->flow,
		.machine = search->flow->machine,
		.actors = search->flow->actor_count,
		.places = search->flow->machine->place_count };
	int err = ps_routes_init(&s.routes, s.machine);

	search->steps = 0;
	search->proven = false;
	if (!err)
		err = allocate(&s);
	if (!err)
		err = order_actors(&s);
	if (!err && search->contiguous)
		err = order_positions(&s);
	if (!err && s.actors)
		err = branch(&s);
	s.found |= !s.actors;
	if (!err && s.found) {
		set_flow(&s, s.best_place);
		search->period = s.best;
	}
	free_all(&s);
	return !err && !s.found ? -ENOENT : err;
}
