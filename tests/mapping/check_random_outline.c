/* SPDX-License-Identifier: MIT */
/*
 * Outlines of random flows on random machines against an oracle that computes each step as doc/planning.md says it, in
 * the plainest way: recursion, lists of members, all ways, rounds until nothing changes.
 */
#include "lib/mapping/outline.h"
#include "lib/mapping/selftimed.h"
#include "tests/common/common.h"
#include "tests/mapping/execution.h"
#include "tests/mapping/random_flow.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum {
	ACTORS = FLOW_ACTORS,
	READERS = FLOW_READERS,
	BUFFERS = FLOW_BUFFERS,
	PLACES = FLOW_PLACES,
	ROUNDS = 3000,
	SETTLED = 250,
	TIMED = 10 /* every 10th is executed with times, which takes longer */
};

struct oracle_buffer {
	unsigned place, output;
	int from; /* -1: the writer fills it */
	unsigned link;
	bool emptied, leaves;
	uint64_t depth, bytes, delay_bytes;
	unsigned group;
	int64_t live_from, live_until, latency; /* latency -1: none */
	unsigned part; /* the least actor of those that FIFOs connect with its writer */
	bool merges;
};

struct oracle {
	const struct ps_flow *f;
	bool overlap;
	int schedule[ACTORS]; /* -1: not yet; -2: it is being visited */
	int next;
	bool cycle, lost;
	struct oracle_buffer buffers[BUFFERS];
	unsigned count;
	unsigned feeds[READERS];
	int64_t cost[READERS], latency[ACTORS], slack[READERS];
	unsigned groups;
};

static void visit(struct oracle *o, unsigned actor)
{
	o->schedule[actor] = -2;
	for (unsigned order = 0; order < o->f->reader_count; order++)
		for (unsigned i = 0; i < o->f->reader_count; i++) {
			const struct ps_flow_reader *r = &o->f->readers[i];
			unsigned writer = o->f->outputs[r->output].writer;

			if (r->order != order || r->actor != actor || r->delay)
				continue;
			if (o->schedule[writer] == -2)
				o->cycle = true;
			else if (o->schedule[writer] == -1)
				visit(o, writer);
		}
	o->schedule[actor] = o->next++;
}

struct way {
	unsigned links[PLACES], places[PLACES], count, hops;
};

static bool is_better(const struct way *a, const struct way *b)
{
	if (a->hops != b->hops || a->count != b->count)
		return a->hops != b->hops ? a->hops < b->hops : a->count < b->count;
	for (unsigned i = 0; i < a->count; i++)
		if (a->links[i] != b->links[i])
			return a->links[i] < b->links[i];
	return false;
}

static bool find_way(const struct pstk_machine *m, unsigned from, unsigned to, bool *seen, struct way *here,
	struct way *best, bool found)
{
	if (from == to) {
		if (!found || is_better(here, best))
			*best = *here;
		return true;
	}
	seen[from] = true;
	for (unsigned i = 0; i < m->link_count; i++) {
		const struct ps_link *l = &m->links[i];
		struct way before = *here;
		unsigned other = l->ends[0] == from ? l->ends[1] : l->ends[0];

		if ((l->ends[0] != from && l->ends[1] != from) || seen[other])
			continue;
		here->links[here->count] = i;
		here->places[here->count++] = other;
		here->hops += l->kind != PSTK_LINK_SHARED;
		found = find_way(m, other, to, seen, here, best, found);
		*here = before;
	}
	seen[from] = false;
	return found;
}

static unsigned buffer_at(const struct oracle *o, unsigned output, unsigned place)
{
	for (unsigned i = 0; i < o->count; i++)
		if (o->buffers[i].output == output && o->buffers[i].place == place)
			return i;
	return BUFFERS;
}

static void lead(struct oracle *o, unsigned reader)
{
	const struct ps_flow_reader *r = &o->f->readers[reader];
	unsigned place = o->f->actors[o->f->outputs[r->output].writer].place, buffer = r->output;
	bool seen[PLACES] = { false };
	struct way here = { .count = 0 }, best = here;

	if (!find_way(o->f->machine, place, r->place, seen, &here, &best, false)) {
		o->lost = true;
		return;
	}
	for (unsigned i = 0; i < best.count; i++) {
		unsigned there = buffer_at(o, r->output, best.places[i]);

		if (o->f->machine->links[best.links[i]].kind == PSTK_LINK_SHARED)
			continue;
		if (there == BUFFERS) {
			there = o->count++;
			o->buffers[there] = (struct oracle_buffer){ .place = best.places[i],
				.output = r->output,
				.from = (int)buffer,
				.link = best.links[i],
				.bytes = o->f->outputs[r->output].bytes };
			o->buffers[buffer].emptied = true;
		}
		buffer = there;
	}
	o->feeds[reader] = buffer;
	if (o->buffers[buffer].place != r->place)
		o->buffers[buffer].leaves = true;
	if (o->buffers[buffer].delay_bytes < r->delay_bytes)
		o->buffers[buffer].delay_bytes = r->delay_bytes;
}

static bool moves(const struct oracle_buffer *b)
{
	return b->from >= 0 || b->emptied;
}

/* With overlap the buffers of the way that move; without it what the phases let wait. */
static int64_t cost_of(const struct oracle *o, unsigned reader)
{
	int way[BUFFERS], count = 0, cost = 0;
	bool after_net = false;

	for (int b = (int)o->feeds[reader]; b >= 0; b = o->buffers[b].from)
		way[count++] = b;
	for (int i = count - 1; i >= 0; i--) {
		const struct oracle_buffer *b = &o->buffers[way[i]];

		if (o->overlap) {
			cost += moves(b);
		} else if (b->from >= 0) {
			bool net = o->f->machine->links[b->link].kind == PSTK_LINK_NET;

			cost += net || !after_net;
			after_net = net;
		}
	}
	return cost;
}

static int64_t arrives(const struct oracle *o, unsigned reader)
{
	const struct ps_flow_reader *r = &o->f->readers[reader];

	return o->latency[o->f->outputs[r->output].writer] + o->cost[reader] - (int64_t)r->delay;
}

static void settle(struct oracle *o)
{
	for (unsigned round = 0; round < ROUNDS; round++)
		for (unsigned i = 0; i < o->f->reader_count; i++) {
			int64_t *latency = &o->latency[o->f->readers[i].actor];

			*latency = arrives(o, i) > *latency ? arrives(o, i) : *latency;
		}
	for (unsigned i = 0; i < o->f->reader_count; i++) {
		unsigned writer = o->f->outputs[o->f->readers[i].output].writer,
			 actor = o->f->readers[i].actor;

		if (o->latency[actor] < SETTLED && o->latency[writer] < SETTLED)
			o->slack[i] = o->latency[actor] - arrives(o, i);
	}
}

/* Until nothing changes: each FIFO gives both of its actors the lesser number. */
static void set_parts(const struct oracle *o, unsigned part[ACTORS])
{
	bool changes = true;

	for (unsigned a = 0; a < o->f->actor_count; a++)
		part[a] = a;
	while (changes) {
		changes = false;
		for (unsigned i = 0; i < o->f->reader_count; i++) {
			unsigned *one = &part[o->f->outputs[o->f->readers[i].output].writer],
				 *other = &part[o->f->readers[i].actor];

			changes = changes || *one != *other;
			*one = *other = *one < *other ? *one : *other;
		}
	}
}

static bool is_host(const struct oracle *o, unsigned place)
{
	return o->f->machine->places[place].host == place;
}

/* Memory that a host and a device use both: by transfers, or because one of them reads it at the other. */
static bool is_of_both(const struct oracle *o, unsigned buffer)
{
	const struct oracle_buffer *b = &o->buffers[buffer];
	bool both = is_host(o, b->place) && moves(b);

	for (unsigned i = 0; i < o->f->reader_count; i++)
		if (o->feeds[i] == buffer && is_host(o, b->place) != is_host(o, o->f->readers[i].place))
			both = true;
	return both;
}

static bool is_on_way(const struct oracle *o, unsigned buffer, unsigned reader)
{
	for (int b = (int)o->feeds[reader]; b >= 0; b = o->buffers[b].from)
		if (b == (int)buffer)
			return true;
	return false;
}

/* The most of what each reader wants at the places of its way: the depth that it was given, or else what its own slack
 * lets wait besides. */
static uint64_t depth_of(const struct oracle *o, unsigned buffer)
{
	const struct oracle_buffer *b = &o->buffers[buffer];
	uint64_t usual = moves(b) || b->leaves                       ? o->overlap ? 2 : 1
	                 : o->f->machine->places[b->place].cores > 1 ? o->f->core_depth
	                                                             : 1;
	uint64_t depth = 0;

	for (unsigned i = 0; i < o->f->reader_count; i++) {
		uint64_t wants = usual;

		if (!is_on_way(o, buffer, i))
			continue;
		if (o->overlap && o->feeds[i] == buffer)
			wants += (uint64_t)o->slack[i];
		if (o->f->readers[i].depth)
			wants = o->f->readers[i].depth;
		depth = wants > depth ? wants : depth;
	}
	return depth;
}

static void set_lives(struct oracle *o)
{
	unsigned part[ACTORS];

	set_parts(o, part);
	for (unsigned b = 0; b < o->count; b++) {
		struct oracle_buffer *x = &o->buffers[b];
		unsigned writer = o->f->outputs[x->output].writer;

		x->merges =
			o->f->outputs[x->output].merges && o->latency[writer] < SETTLED && !is_of_both(o, b);
		x->live_from = x->live_until = x->from < 0 ? o->schedule[writer] : -1;
		x->latency = o->latency[writer];
		x->part = part[writer];
		for (unsigned i = 0; i < o->f->reader_count; i++) {
			const struct ps_flow_reader *r = &o->f->readers[i];

			if (o->feeds[i] != b)
				continue;
			if (o->schedule[r->actor] > x->live_until)
				x->live_until = o->schedule[r->actor];
			if (x->from >= 0)
				x->latency = o->latency[r->actor];
			if (o->slack[i] || r->delay_bytes || o->latency[r->actor] >= SETTLED)
				x->merges = false;
		}
		if (x->emptied)
			x->live_until = INT64_MAX;
		x->depth = depth_of(o, b);
	}
}

static uint64_t group_bytes(const struct oracle *o, unsigned group, unsigned until)
{
	uint64_t bytes = 0, depth = 0, delay = 0;

	for (unsigned i = 0; i <= until; i++) {
		const struct oracle_buffer *b = &o->buffers[i];

		if (b->group != group)
			continue;
		bytes = b->bytes > bytes ? b->bytes : bytes;
		depth = b->depth > depth ? b->depth : depth;
		delay = b->delay_bytes; /* such a one is alone */
	}
	return bytes * depth + delay;
}

static bool fit(const struct oracle_buffer *a, const struct oracle_buffer *b)
{
	return a->place == b->place && a->merges && b->merges && a->latency == b->latency &&
	       a->part == b->part && !(moves(a) && moves(b)) &&
	       (a->live_until < b->live_from || b->live_until < a->live_from);
}

static bool joins(struct oracle *o, unsigned buffer, unsigned group)
{
	struct oracle_buffer *b = &o->buffers[buffer];
	uint64_t apart = b->bytes * b->depth + b->delay_bytes;

	b->group = BUFFERS;
	apart += group_bytes(o, group, buffer);
	for (unsigned i = 0; i < buffer; i++)
		if (o->buffers[i].group == group && !fit(&o->buffers[i], b))
			return false;
	b->group = group;
	return group_bytes(o, group, buffer) < apart;
}

static void merge(struct oracle *o)
{
	for (unsigned i = 0; i < o->count; i++) {
		unsigned group = 0;

		while (group < o->groups && !joins(o, i, group))
			group++;
		o->buffers[i].group = group;
		o->groups += group == o->groups;
	}
}

static void compute(struct oracle *o, const struct ps_flow *f, bool overlap)
{
	*o = (struct oracle){ .f = f, .overlap = overlap };
	for (unsigned i = 0; i < f->actor_count; i++)
		o->schedule[i] = -1;
	for (unsigned i = 0; i < f->actor_count; i++)
		if (o->schedule[i] == -1)
			visit(o, i);
	if (o->cycle)
		return;
	for (unsigned i = 0; i < f->output_count; i++)
		o->buffers[o->count++] =
			(struct oracle_buffer){ .place = f->actors[f->outputs[i].writer].place,
				.output = i,
				.from = -1,
				.bytes = f->outputs[i].bytes };
	for (unsigned i = 0; i < f->reader_count && !o->lost; i++)
		lead(o, i);
	for (unsigned i = 0; i < f->reader_count && !o->lost; i++)
		o->cost[i] = cost_of(o, i);
	settle(o);
	set_lives(o);
	merge(o);
}

/* The largest load: each link's direction, each place. */
static double period_of(const struct oracle *o)
{
	const struct pstk_machine *m = o->f->machine;
	double period = 0;

	for (unsigned p = 0; p < m->place_count; p++) {
		double load = 0;

		for (unsigned i = 0; i < o->f->actor_count; i++)
			load += o->f->actors[i].place == p ? o->f->actors[i].seconds : 0;
		period = fmax(period, load / m->places[p].cores);
	}
	for (unsigned l = 0; l < m->link_count; l++) {
		double loads[2] = { 0, 0 };

		for (unsigned b = 0; b < o->count; b++)
			if (o->buffers[b].from >= 0 && o->buffers[b].link == l)
				loads[o->buffers[b].place == m->links[l].ends[0]] +=
					m->links[l].latency + (double)o->buffers[b].bytes / m->links[l].rate;
		period = fmax(period, m->links[l].half ? loads[0] + loads[1] : fmax(loads[0], loads[1]));
	}
	return period;
}

static void compare_buffers(const struct oracle *o, const struct ps_outline *got)
{
	ck_assert_uint_eq(got->buffer_count, o->count);
	for (unsigned i = 0; i < o->count; i++) {
		const struct oracle_buffer *a = &o->buffers[i];
		const struct ps_buffer *b = &got->buffers[i];

		ck_assert_uint_eq(b->place, a->place);
		ck_assert_uint_eq(b->output, a->output);
		ck_assert_uint_eq(b->from, a->from < 0 ? PS_NONE : (unsigned)a->from);
		ck_assert_uint_eq(b->depth, a->depth);
		ck_assert_uint_eq(b->bytes, a->bytes);
		ck_assert_uint_eq(b->delay_bytes, a->delay_bytes);
		ck_assert_uint_eq(b->group, a->group);
	}
}

static void compare_memory(const struct oracle *o, const struct ps_outline *got)
{
	uint64_t apart[PLACES] = { 0 }, merged[PLACES] = { 0 };

	for (unsigned i = 0; i < o->count; i++)
		apart[o->buffers[i].place] +=
			o->buffers[i].bytes * o->buffers[i].depth + o->buffers[i].delay_bytes;
	for (unsigned g = 0; g < o->groups; g++)
		for (unsigned i = 0; i < o->count; i++)
			if (o->buffers[i].group == g) {
				merged[o->buffers[i].place] += group_bytes(o, g, o->count - 1);
				break;
			}
	for (unsigned p = 0; p < o->f->machine->place_count; p++) {
		ck_assert_uint_eq(got->memory[p].bytes, apart[p]);
		ck_assert_uint_eq(got->memory[p].merged, merged[p]);
	}
}

/* Merged or not, it goes on, no faster than the bound says; timed: as when it is executed. */
static void compare_simulated(const struct ps_outline *got, bool timed)
{
	unsigned groups[2][BUFFERS];
	uint64_t longest = 0;

	for (unsigned i = 0; i < got->flow->actor_count; i++)
		if (got->latency[i] != PS_UNSETTLED && got->latency[i] > longest)
			longest = got->latency[i];
	for (unsigned i = 0; i < got->buffer_count; i++) {
		groups[0][i] = i;
		groups[1][i] = got->buffers[i].group;
	}
	for (int merged = 0; merged < 2; merged++) {
		double simulated;

		ck_assert_int_eq(ps_selftimed(got, merged, &simulated), 0);
		ck_assert_double_ge(simulated, got->period - 1e-9);
		if (timed)
			ck_assert_double_eq_tol(simulated,
				fmax(got->period,
					execution_period(got, groups[merged], 2 * (uint32_t)(longest + 32))),
				1e-9);
	}
}

static void compare(const struct oracle *o, const struct ps_outline *got)
{
	bool slow = false;

	for (unsigned i = 0; i < o->f->actor_count; i++) {
		bool settled = o->latency[i] < SETTLED;

		slow |= !settled;
		ck_assert_uint_eq(got->schedule[i], (unsigned)o->schedule[i]);
		ck_assert_uint_eq(got->latency[i], settled ? (uint64_t)o->latency[i] : PS_UNSETTLED);
	}
	for (unsigned i = 0; i < o->f->reader_count; i++) {
		ck_assert_uint_eq(got->feeds[i], o->feeds[i]);
		ck_assert_int_eq((int64_t)got->costs[i], o->cost[i]);
		ck_assert_int_eq((int64_t)got->slack[i], o->slack[i]);
	}
	ck_assert_int_eq(got->slow.count > 0, slow);
	ck_assert(!slow || got->slow.cycles > got->slow.windows);
	compare_buffers(o, got);
	compare_memory(o, got);
	ck_assert_double_eq_tol(got->period, period_of(o), 1e-9);
}

START_TEST(outlines_are_the_oracle_s)
{
	uint64_t rounds = test_rounds(10000), good = 0, cycles = 0, lost = 0, slow = 0, merged = 0;

	for (uint64_t i = 0; i < rounds; i++) {
		struct test_rng rng = { test_mix(test_seed() + i) };
		struct pstk_machine *m = flow_random_machine(&rng);
		static struct oracle oracle;
		struct ps_outline got;
		struct ps_flow f;
		int err;

		test_guard("outline", test_seed() + i);
		flow_random(&f, m, &rng);
		compute(&oracle, &f, test_chance(&rng, 50));
		err = ps_outline_make(&got, &f, oracle.overlap);
		ck_assert_int_eq(err, oracle.cycle ? -ELOOP : oracle.lost ? -ENOENT : 0);
		if (!err) {
			compare(&oracle, &got);
			compare_simulated(&got, i % TIMED == 0);
		}
		good += !err;
		cycles += oracle.cycle;
		lost += oracle.lost;
		slow += !err && got.slow.count;
		merged += !err && oracle.groups < oracle.count;
		ps_outline_fini(&got);
		ps_flow_fini(&f);
		pstk_machine_destroy(m);
	}
	ck_assert(good && (rounds < 100 || (cycles && lost && slow && merged)));
}
END_TEST

int main(void)
{
	Suite *s = suite_create("random_outline");
	TCase *c = test_case(s, "outline");

	tcase_add_test(c, outlines_are_the_oracle_s);
	return test_main(s);
}
