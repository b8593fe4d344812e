/* SPDX-License-Identifier: MIT */
/*
 * Moves of a node against vectors (tests/data) and against a simulation, token by token: buffers are registers, and in
 * each iteration all edges move at once.
 */
#include "config.h"

#include "penstock/plan.h"
#include "tests/common/common.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MOST = 9, NONE = -1, BEHIND = 4 /* iterations that are looked at after the move */ };

/* Nodes of a path: pred, buffers, the actor, buffers, succ. Edge j leads from node j to node j + 1. */
struct line {
	unsigned buffers, actor;
	int weights[MOST + 2];
	bool starts;         /* the weights are start weights; else stop weights */
	int token[MOST + 3]; /* that a buffer has; NONE: it is empty */
};

struct simulation {
	struct line original, migrated;
	struct pstk_pause upstream;
	int first, end;        /* iterations */
	int next;              /* token of pred */
	int outputs[64];       /* of each iteration, from the first on: the token that succ reads, or NONE */
	const char *fault;     /* what went wrong first; NULL: nothing */
	unsigned starts_empty; /* edges that started before there was a token for them */
};

static bool is_on(const struct line *l, unsigned edge, int t)
{
	return l->starts ? t >= l->weights[edge] : t < l->weights[edge];
}

static void blame(struct simulation *s, const char *fault)
{
	s->fault = s->fault ? s->fault : fault;
}

/* One iteration of a path; fed: pred's token, for its first edge. Returns what succ reads. */
static int step(struct simulation *s, struct line *l, int t, int fed)
{
	unsigned edges = l->buffers + 2;
	int new[MOST + 3], here = fed;

	memcpy(new, l->token, sizeof new);
	for (unsigned j = 0; j < edges; j++) {
		bool reads_buffer = j && j != l->actor, writes_buffer = j + 1 != l->actor && j + 1 < edges;
		int moved = NONE;

		if (reads_buffer)
			here = l->token[j];
		if (is_on(l, j, t)) {
			moved = here;
			if (reads_buffer &&
				new[j] == here) /* not one that the edge before has just written */
				new[j] = NONE;
			if (l->starts && t == l->weights[j] && moved == NONE)
				s->starts_empty++;
		} else if (!reads_buffer && here != NONE) {
			blame(s, "lost: no edge takes it on");
		}
		/* a buffer that is written must be empty, or be read in this iteration */
		if (writes_buffer && moved != NONE) {
			if (l->token[j + 1] != NONE && !is_on(l, j + 1, t))
				blame(s, "lost: overwritten");
			new[j + 1] = moved;
		}
		here = moved;
	}
	memcpy(l->token, new, sizeof new);
	return here;
}

static void line_of(struct line *l, const struct pstk_migration *m, bool starts)
{
	const struct pstk_path *p = starts ? &m->migrated : &m->original;

	*l = (struct line){ .buffers = p->buffers, .actor = p->before + 1, .starts = starts };
	for (unsigned j = 0; j < p->buffers + 2; j++)
		l->weights[j] = starts ? pstk_migration_start(m, j) : pstk_migration_stop(m, j);
	for (unsigned i = 0; i < MOST + 3; i++)
		l->token[i] = NONE;
}

static void simulation_begin(struct simulation *s, const struct pstk_migration *m)
{
	*s = (struct simulation){ .upstream = m->upstream,
		.first = -(int)m->original.buffers - 3,
		.end = (int)m->duration + BEHIND };
	line_of(&s->original, m, false);
	line_of(&s->migrated, m, true);
}

/* Pred's token goes to whichever path takes it; exactly one does. */
static void simulation_run(struct simulation *s)
{
	for (int t = s->first; t < s->end; t++) {
		bool paused = t >= (int)s->upstream.stop && t < (int)s->upstream.start;
		bool old = is_on(&s->original, 0, t), new = is_on(&s->migrated, 0, t);
		int fed = paused ? NONE : s->next++, out, other;

		if (fed != NONE && old == new)
			blame(s, old ? "twice: both paths take it" : "lost: no path takes it");
		out = step(s, &s->original, t, old ? fed : NONE);
		other = step(s, &s->migrated, t, new ? fed : NONE);
		if (out != NONE && other != NONE)
			blame(s, "two in one iteration");
		s->outputs[t - s->first] = out != NONE ? out : other;
	}
}

/* NULL: all tokens come in order, one after the other; silent iterations and the gap are as the rule says. */
static const char *wrong(const struct simulation *s, const struct pstk_migration *m)
{
	int wanted = 0, last = -4, gap = 0;

	if (s->fault)
		return s->fault;
	for (int t = -3; t < s->end; t++) {
		int out = s->outputs[t - s->first];
		bool silent = t >= (int)m->downstream.stop && t < (int)m->downstream.start;

		if ((out == NONE) != silent)
			return silent ? "not silent" : "silent";
		if (out == NONE)
			continue;
		if (out != wanted++)
			return "out of order";
		gap = t - last > gap ? t - last : gap;
		last = t;
	}
	if (gap != (int)m->longest_gap)
		return "another gap";
	/* what is still on its way */
	return s->next - wanted == (int)m->migrated.buffers ? NULL : "lost: fewer come than went";
}

typedef void with_pair(const struct pstk_path *, const struct pstk_path *);

static unsigned for_each_pair(with_pair *look, uint32_t most)
{
	unsigned count = 0;
	struct pstk_path a, b;

	for (a.buffers = 0; a.buffers <= most; a.buffers++)
		for (a.before = 0; a.before <= a.buffers; a.before++)
			for (b.buffers = 0; b.buffers <= most; b.buffers++)
				for (b.before = 0; b.before <= b.buffers; b.before++, count++)
					look(&a, &b);
	return count;
}

static void is_right(const struct pstk_path *a, const struct pstk_path *b)
{
	struct pstk_migration m;
	struct simulation s;
	uint32_t k = b->buffers > a->buffers ? b->buffers - a->buffers : 0;

	ck_assert_int_eq(pstk_migration_find(a, b, &m), 0);
	simulation_begin(&s, &m);
	simulation_run(&s);
	ck_assert_msg(!wrong(&s, &m), "%s", wrong(&s, &m));
	ck_assert_uint_eq(s.starts_empty, 0);
	ck_assert_uint_eq(m.longest_gap, k + 1);
	ck_assert_uint_eq(m.downstream.start - m.downstream.stop, k);
	ck_assert_uint_eq(m.duration, a->buffers > b->buffers ? a->buffers : b->buffers);
	ck_assert_uint_eq(
		m.difference, m.upstream.start - m.upstream.stop + m.downstream.start - m.downstream.stop);
	/* as after the move: from its last iteration on nothing depends on it */
	for (unsigned j = 0; j < a->buffers + 2; j++)
		ck_assert_int_le(pstk_migration_stop(&m, j), (int)m.duration);
	for (unsigned j = 0; j < b->buffers + 2; j++)
		ck_assert_int_le(pstk_migration_start(&m, j), (int)m.duration);
}

START_TEST(all_pairs_lose_nothing)
{
	ck_assert_uint_eq(for_each_pair(is_right, MOST), 3025);
}
END_TEST

static void expect_fault(const struct pstk_migration *m, bool starts, unsigned edge, int by)
{
	struct simulation s;
	struct line *l;

	simulation_begin(&s, m);
	l = starts ? &s.migrated : &s.original;
	l->weights[edge] += by;
	simulation_run(&s);
	ck_assert_msg(wrong(&s, m),
		"%s weight of edge %u moved by %d: %" PRIu32 ":%" PRIu32 ",%" PRIu32 ":%" PRIu32,
		starts ? "start" : "stop", edge, by, m->original.buffers, m->original.before,
		m->migrated.buffers, m->migrated.before);
}

/* A weight that is wrong by one is seen, so the simulation sees what it is for. */
static void is_seen(const struct pstk_path *a, const struct pstk_path *b)
{
	struct pstk_migration m;

	ck_assert_int_eq(pstk_migration_find(a, b, &m), 0);
	for (unsigned j = 0; j < a->buffers + 2; j++)
		expect_fault(&m, false, j, -1);
	for (unsigned j = 0; j < b->buffers + 2; j++)
		expect_fault(&m, true, j, 1);
}

START_TEST(wrong_weights_are_seen)
{
	ck_assert_uint_eq(for_each_pair(is_seen, 4), 225);
}
END_TEST

/* Without its pause upstream a shorter path delivers two windows in one iteration, or loses one. */
START_TEST(upstream_must_pause)
{
	struct pstk_migration m;
	struct simulation s;

	ck_assert_int_eq(
		pstk_migration_find(&(struct pstk_path){ 6, 3 }, &(struct pstk_path){ 4, 2 }, &m), 0);
	simulation_begin(&s, &m);
	s.upstream.start = 0;
	simulation_run(&s);
	ck_assert_ptr_nonnull(wrong(&s, &m));
}
END_TEST

#ifdef HAVE_JANSSON

#include <jansson.h>

static struct pstk_path path_of(const json_t *json)
{
	return (struct pstk_path){ (uint32_t)json_integer_value(json_object_get(json, "buffers")),
		(uint32_t)json_integer_value(json_object_get(json, "before")) };
}

static void expect_weights(const struct pstk_migration *m, const json_t *weights, bool starts)
{
	int (*weight)(const struct pstk_migration *, unsigned) =
		starts ? pstk_migration_start : pstk_migration_stop;
	size_t i;
	json_t *value;

	ck_assert_uint_gt(json_array_size(weights), 1);
	json_array_foreach(weights, i, value)
		ck_assert_int_eq(weight(m, (unsigned)i), (int)json_integer_value(value));
	ck_assert_int_eq(weight(m, (unsigned)json_array_size(weights)), -EINVAL);
}

static void expect_pause(const struct pstk_pause *p, const json_t *json)
{
	ck_assert_int_eq(p->stop, (int)json_integer_value(json_object_get(json, "stop")));
	ck_assert_int_eq(p->start, (int)json_integer_value(json_object_get(json, "start")));
}

static void expect_outputs(const struct pstk_migration *m, const json_t *outputs)
{
	struct simulation s;
	size_t i;
	json_t *pair;

	simulation_begin(&s, m);
	simulation_run(&s);
	ck_assert_uint_eq(json_array_size(outputs), (size_t)(s.end + 3));
	json_array_foreach(outputs, i, pair)
	{
		int t = (int)json_integer_value(json_array_get(pair, 0));

		ck_assert_int_eq(s.outputs[t - s.first], (int)json_integer_value(json_array_get(pair, 1)));
	}
}

static void expect_vector(const json_t *v)
{
	const json_t *original = json_object_get(v, "original"), *migrated = json_object_get(v, "migrated");
	struct pstk_path a = path_of(original), b = path_of(migrated);
	struct pstk_migration m;

	ck_assert_int_eq(pstk_migration_find(&a, &b, &m), 0);
	expect_weights(&m, json_object_get(original, "stop"), false);
	expect_weights(&m, json_object_get(migrated, "start"), true);
	ck_assert_int_eq(m.difference, (int)json_integer_value(json_object_get(v, "difference")));
	expect_pause(&m.upstream, json_object_get(v, "upstream"));
	expect_pause(&m.downstream, json_object_get(v, "downstream"));
	ck_assert_int_eq(m.duration, (int)json_integer_value(json_object_get(v, "duration")));
	ck_assert_uint_eq(
		m.downstream.start - m.downstream.stop, json_array_size(json_object_get(v, "silent")));
	ck_assert_int_eq(m.longest_gap, (int)json_integer_value(json_object_get(v, "longest_gap")));
	expect_outputs(&m, json_object_get(v, "outputs"));
}

static json_t *load(const char *name)
{
	char path[4096];
	json_t *json;

	snprintf(path, sizeof path, "%s/migration-%s.json", TEST_DATA, name);
	json = json_load_file(path, 0, NULL);
	ck_assert_msg(json != NULL, "%s", path);
	return json;
}

START_TEST(vectors_are_met)
{
	json_t *equal = load("equal"), *shorter = load("shorter"), *skewed = load("skewed"), *v;
	size_t i;

	expect_vector(equal);
	expect_vector(shorter);
	ck_assert_uint_eq(json_array_size(json_object_get(skewed, "vectors")), 4);
	json_array_foreach(json_object_get(skewed, "vectors"), i, v) expect_vector(v);
	json_decref(equal);
	json_decref(shorter);
	json_decref(skewed);
}
END_TEST

#endif

/* Fig. 7: the paper's weights, and the pause behind the path. */
START_TEST(figure_7)
{
	static const int stop[] = { 0, 1, 2, 2, 3, 4 }, start[] = { 0, 1, 2, 3, 3, 4, 5, 6 };
	struct pstk_migration m;

	ck_assert_int_eq(
		pstk_migration_find(&(struct pstk_path){ 4, 2 }, &(struct pstk_path){ 6, 3 }, &m), 0);
	for (unsigned i = 0; i < TEST_COUNT(stop); i++)
		ck_assert_int_eq(pstk_migration_stop(&m, i), stop[i]);
	for (unsigned i = 0; i < TEST_COUNT(start); i++)
		ck_assert_int_eq(pstk_migration_start(&m, i), start[i]);
	ck_assert_uint_eq(m.upstream.stop, 0);
	ck_assert_uint_eq(m.upstream.start, 0);
	ck_assert_uint_eq(m.downstream.stop, 4);
	ck_assert_uint_eq(m.downstream.start, 6);
	ck_assert_uint_eq(m.duration, 6);
	ck_assert_uint_eq(m.longest_gap, 3);
}
END_TEST

static void find(struct pstk_migration *m, uint32_t original, uint32_t migrated)
{
	ck_assert_int_eq(pstk_migration_find(
				 &(struct pstk_path){ original, 1 }, &(struct pstk_path){ migrated, 1 }, m),
		0);
}

/* Section V: 7 and 7 buffers at 40 ms, 7 and 5 at 20 ms, 2 and 5 at 20 ms, which 15 frames/s were measured of. */
START_TEST(rates_of_the_paper)
{
	static const struct {
		uint32_t original, migrated;
		double seconds, before, during;
	} cases[] = { { 7, 7, 0.04, 25, 25 }, { 7, 5, 0.02, 50, 50 }, { 2, 5, 0.02, 50, 12.5 } };

	for (unsigned i = 0; i < TEST_COUNT(cases); i++) {
		struct pstk_migration_run run = { .original = cases[i].seconds,
			.migrated = cases[i].seconds };
		struct pstk_migration_prediction p;
		struct pstk_migration m;

		find(&m, cases[i].original, cases[i].migrated);
		ck_assert_int_eq(pstk_migration_predict(&m, &run, &p), 0);
		ck_assert_double_eq_tol(p.rate_before, cases[i].before, 1e-9);
		ck_assert_double_eq_tol(p.rate_during, cases[i].during, 1e-9);
		ck_assert_double_eq_tol(p.rate_after, cases[i].before, 1e-9);
		ck_assert(isnan(p.before) && isnan(p.during) && isnan(p.after) && isnan(p.total));
	}
}
END_TEST

/* Iteration by iteration, against the three sums. */
START_TEST(times_are_sums)
{
	static const double org = 0.25, mig = 0.5; /* exact in binary */

	for (uint32_t a = 1; a < 6; a++)
		for (uint32_t b = 1; b < 6; b++)
			for (uint64_t first = 1; first < 5; first++) {
				struct pstk_migration_run run = { org, mig, 12, first };
				struct pstk_migration_prediction p;
				struct pstk_migration m;
				double sums[3] = { 0 };

				find(&m, a, b);
				for (uint64_t i = 1; i <= run.iterations; i++)
					sums[(i >= first) + (i >= first + (a > b ? a : b))] +=
						i < first ? org : mig;
				ck_assert_int_eq(pstk_migration_predict(&m, &run, &p), 0);
				ck_assert_double_eq(p.before, sums[0]);
				ck_assert_double_eq(p.during, sums[1]);
				ck_assert_double_eq(p.after, sums[2]);
				ck_assert_double_eq(p.total, sums[0] + sums[1] + sums[2]);
				run = (struct pstk_migration_run){ mig, org, 12, first };
				ck_assert_int_eq(pstk_migration_predict(&m, &run, &p), 0);
				ck_assert_double_eq(p.during, sums[1]); /* the longer of both times, too */
				ck_assert_double_eq(p.rate_during, 1 / (mig * m.longest_gap));
			}
}
END_TEST

START_TEST(wrong_calls)
{
	static const struct pstk_path path = { 4, 2 }, skewed = { 4, 5 }, most = { PSTK_PATH_BUFFERS, 0 },
				      more = { PSTK_PATH_BUFFERS + 1, 0 };
	struct pstk_migration m;
	struct pstk_migration_prediction p;
	struct pstk_migration_run run = { 1, 1, 8, 5 };

	ck_assert_int_eq(pstk_migration_find(NULL, &path, &m), -EINVAL);
	ck_assert_int_eq(pstk_migration_find(&path, NULL, &m), -EINVAL);
	ck_assert_int_eq(pstk_migration_find(&path, &path, NULL), -EINVAL);
	ck_assert_int_eq(pstk_migration_find(&skewed, &path, &m), -EINVAL);
	ck_assert_int_eq(pstk_migration_find(&path, &skewed, &m), -EINVAL);
	ck_assert_int_eq(pstk_migration_find(&more, &path, &m), -EINVAL);
	ck_assert_int_eq(pstk_migration_find(&most, &most, &m), 0);
	ck_assert_int_eq(pstk_migration_stop(&m, PSTK_PATH_BUFFERS + 1), PSTK_PATH_BUFFERS);
	ck_assert_int_eq(pstk_migration_find(&path, &path, &m), 0);
	ck_assert_int_eq(pstk_migration_stop(NULL, 0), -EINVAL);
	ck_assert_int_eq(pstk_migration_start(NULL, 0), -EINVAL);
	ck_assert_int_eq(pstk_migration_stop(&m, 6), -EINVAL);
	ck_assert_int_eq(pstk_migration_start(&m, UINT32_MAX), -EINVAL);
	ck_assert_int_eq(pstk_migration_predict(NULL, &run, &p), -EINVAL);
	ck_assert_int_eq(pstk_migration_predict(&m, NULL, &p), -EINVAL);
	ck_assert_int_eq(pstk_migration_predict(&m, &run, NULL), -EINVAL);
	ck_assert_int_eq(pstk_migration_predict(&m, &run, &p), 0);
	ck_assert_double_eq(p.after, 0);
	run = (struct pstk_migration_run){ 1e-12, 1e12, UINT64_MAX, 1 };
	ck_assert_int_eq(pstk_migration_predict(&m, &run, &p), 0);
	ck_assert(isfinite(p.rate_before) && isfinite(p.total));
	for (unsigned i = 0; i < 8; i++) {
		const double bad[] = { 0, -1, INFINITY, NAN, 5e-324, 9e-13, 2e12, 1e308 };

		run = (struct pstk_migration_run){ bad[i], 1, 8, 5 };
		ck_assert_int_eq(pstk_migration_predict(&m, &run, &p), -EINVAL);
		run = (struct pstk_migration_run){ 1, bad[i], 8, 5 };
		ck_assert_int_eq(pstk_migration_predict(&m, &run, &p), -EINVAL);
	}
	for (unsigned i = 0; i < 4; i++) {
		static const uint64_t bad[][2] = { { 8, 6 }, { 8, 9 }, { 8, 0 }, { 0, 1 } };

		run = (struct pstk_migration_run){ 1, 1, bad[i][0], bad[i][1] };
		ck_assert_int_eq(pstk_migration_predict(&m, &run, &p), -ERANGE);
	}
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("migration");
	TCase *c = test_case(suite, "migration");

	tcase_add_test(c, all_pairs_lose_nothing);
	tcase_add_test(c, wrong_weights_are_seen);
	tcase_add_test(c, upstream_must_pause);
#ifdef HAVE_JANSSON
	tcase_add_test(c, vectors_are_met);
#endif
	tcase_add_test(c, figure_7);
	tcase_add_test(c, rates_of_the_paper);
	tcase_add_test(c, times_are_sums);
	tcase_add_test(c, wrong_calls);
	return test_main(suite);
}
