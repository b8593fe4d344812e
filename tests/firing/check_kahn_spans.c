/* SPDX-License-Identifier: MIT */
/* Copies of many tokens to and from FIFOs of rate 1: several readers, a team's actors at the other end. */
#include "tests/common/common.h"
#include "tests/common/simple.h"

#include <inttypes.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { READERS = 5, MOST = 64 };

static const struct pstk_port out_port[] = { { .name = "out", .kind = PSTK_OUTPUT, .token_size = 8 } };
static const struct pstk_port in_port[] = { { .name = "in", .kind = PSTK_INPUT, .token_size = 8 } };

/* Of whichever thread: runs others, or goes round for a while. */
static void linger(struct test_rng *rng, unsigned percent)
{
	if (!test_chance(rng, percent))
		return;
	if (test_chance(rng, 50))
		sched_yield();
	for (volatile uint32_t i = test_between(rng, 0, 2000); i; i--)
		;
}

/* -- every token arrives, whichever reader ends first -- */

struct writer {
	uint64_t tokens, seed, given;
	unsigned windows; /* percent of the tokens that are given in windows */
	unsigned lingers;
};

struct reader {
	const struct writer *writer;
	uint64_t seed, last; /* tokens after which it ends; SIMPLE_ALL: with the stream */
	uint64_t initial[8]; /* the delay tokens */
	uint32_t delay, depth;
	bool ring, kahn;
	unsigned windows, lingers;
	struct pstk_fifo *fifo;
	uint64_t got, wrong;
};

/* What token number t of the stream is. */
static uint64_t token_at(const struct writer *w, uint64_t t)
{
	return test_mix(w->seed ^ t);
}

static int writer_fire(struct pstk_firing *f)
{
	struct writer *w = pstk_actor_arg(pstk_firing_actor(f));
	struct test_rng rng = { w->seed };
	uint64_t piece[MOST], *window;

	while (w->given < w->tokens) {
		uint64_t n = test_between(&rng, 1, MOST), put = 1;

		n = n < w->tokens - w->given ? n : w->tokens - w->given;
		linger(&rng, w->lingers);
		if (test_chance(&rng, w->windows)) {
			n = 1;
			window = pstk_fifo_write_start(f, 0);
			if (!window)
				break;
			*window = token_at(w, w->given);
			linger(&rng, w->lingers);
			pstk_fifo_write_end(f, 0);
		} else {
			for (uint64_t i = 0; i < n; i++)
				piece[i] = token_at(w, w->given + i);
			put = (uint64_t)pstk_fifo_write(f, 0, piece, n);
			memset(piece, 0xaa, sizeof piece);
		}
		w->given += put;
		if (put < n)
			break;
	}
	return PSTK_DONE;
}

static void look(struct reader *r, const uint64_t *tokens, uint64_t n)
{
	for (uint64_t i = 0; i < n; i++) {
		uint64_t t = r->got + i;

		r->wrong += tokens[i] != (t < r->delay ? r->initial[t] : token_at(r->writer, t - r->delay));
	}
}

/* A window is looked at twice: it must stay as it is. */
static bool read_window(struct pstk_firing *f, struct reader *r, struct test_rng *rng)
{
	const uint64_t *window = pstk_fifo_read_start(f, 0);

	if (!window)
		return false;
	look(r, window, 1);
	linger(rng, r->lingers);
	look(r, window, 1);
	r->got++;
	pstk_fifo_read_end(f, 0);
	return true;
}

static int kahn_reader_fire(struct pstk_firing *f)
{
	struct reader *r = pstk_actor_arg(pstk_firing_actor(f));
	struct test_rng rng = { r->seed };
	uint64_t piece[MOST];

	while (r->got < r->last) {
		uint64_t n = test_between(&rng, 1, MOST);
		int got;

		linger(&rng, r->lingers);
		if (test_chance(&rng, r->windows)) {
			if (!read_window(f, r, &rng))
				break;
			continue;
		}
		n = n < r->last - r->got ? n : r->last - r->got;
		got = pstk_fifo_read(f, 0, piece, n);
		look(r, piece, (uint64_t)got);
		r->got += (uint64_t)got;
		if ((uint64_t)got < n)
			break;
	}
	return PSTK_DONE;
}

static int reader_fire(struct pstk_firing *f)
{
	struct reader *r = pstk_actor_arg(pstk_firing_actor(f));
	struct test_rng rng = { r->seed ^ r->got };

	read_window(f, r, &rng);
	return r->got >= r->last ? PSTK_DONE : PSTK_AGAIN;
}

static void draw_reader(struct reader *r, const struct writer *w, struct test_rng *rng)
{
	*r = (struct reader){ .writer = w,
		.seed = test_random(rng),
		.last = test_chance(rng, 70) ? SIMPLE_ALL : test_between(rng, 1, 1500),
		.delay = test_chance(rng, 50) ? 0 : test_between(rng, 1, 4),
		.depth = test_between(rng, 1, 40),
		.kahn = test_chance(rng, 70),
		.windows = test_chance(rng, 50) ? 0 : test_between(rng, 0, 100),
		.lingers = test_chance(rng, 50) ? 0 : test_between(rng, 0, 20) };
	r->ring = r->kahn && test_chance(rng, 50);
	for (uint32_t i = 0; i < r->delay; i++) /* equal to others' now and then: these share */
		r->initial[i] = test_chance(rng, 90) ? i + 1 : 99;
}

static void add_reader(struct pstk_actor *writer, unsigned number, struct reader *r)
{
	struct pstk_fifo_spec spec = *PSTK_FIFO(.delay = r->delay, .token_size = 8);
	char name[24];

	snprintf(name, sizeof name, "reader%u", number);
	spec.initial = r->delay ? r->initial : NULL;
	if (r->ring)
		spec.capacity = r->depth + r->delay;
	spec.rate = r->ring ? 0 : 1;
	spec.depth = r->ring ? 0 : r->depth;
	r->fifo = pstk_connect(writer, "out",
		pstk_network_add(pstk_actor_network(writer), name,
			PSTK_ACTOR_TYPE(.name = "reader", .ports = in_port, .port_count = 1, .kahn = r->kahn,
				.fire = r->kahn ? kahn_reader_fire : reader_fire),
			r),
		"in", &spec);
	ck_assert_ptr_nonnull(r->fifo);
}

/* What a reader has seen, and what its FIFO says of it. */
static void check_reader(const struct writer *w, const struct reader *r, uint64_t seed, unsigned number)
{
	uint64_t all = r->delay + w->given;
	struct pstk_fifo_info info;

	ck_assert_msg(!r->wrong, "seed %" PRIu64 ": reader %u: %" PRIu64 " wrong", seed, number, r->wrong);
	ck_assert_msg(r->got == (r->last < all ? r->last : all),
		"seed %" PRIu64 ": reader %u: %" PRIu64 " of %" PRIu64, seed, number, r->got, all);
	ck_assert_int_eq(pstk_fifo_get_info(r->fifo, &info), 0);
	ck_assert_uint_eq(info.read, r->got);
	ck_assert_uint_le(info.written, w->given);
	ck_assert_uint_ge(info.written + r->delay, r->got);
}

START_TEST(test_every_token)
{
	struct test_rng rng = { test_seed() };
	uint64_t tokens = 0, ended = 0, rounds = test_rounds(400);

	for (uint64_t round = 0; round < rounds; round++) {
		uint64_t seed = rng.state;
		struct writer w = { .tokens = test_between(&rng, 0, 3000), .seed = test_random(&rng) };
		unsigned count = test_between(&rng, 1, READERS), until_the_end = 0;
		struct reader readers[READERS];
		struct pstk_network *net;
		struct pstk_actor *writer;

		test_guard("readers of a kahn actor", seed);
		w.windows = test_chance(&rng, 60) ? 0 : test_between(&rng, 0, 60);
		w.lingers = test_chance(&rng, 50) ? 0 : test_between(&rng, 0, 30);
		setenv("PENSTOCK_SHARE", test_chance(&rng, 30) ? "0" : "1", 1);
		net = pstk_network_create("spans");
		ck_assert_int_eq(pstk_network_set_threads(net, test_team(&rng)), 0);
		writer = pstk_network_add(net, "writer",
			PSTK_ACTOR_TYPE(.name = "writer", .ports = out_port, .port_count = 1, .kahn = true,
				.fire = writer_fire),
			&w);
		for (unsigned i = 0; i < count; i++) {
			draw_reader(&readers[i], &w, &rng);
			add_reader(writer, i, &readers[i]);
			until_the_end += readers[i].last == SIMPLE_ALL;
		}
		ck_assert_msg(
			pstk_network_run(net) == 0, "seed %" PRIu64 ": %s", seed, pstk_network_error(net));
		for (unsigned i = 0; i < count; i++)
			check_reader(&w, &readers[i], seed, i);
		if (until_the_end)
			ck_assert_uint_eq(w.given, w.tokens);
		tokens += w.given * count;
		ended += count - until_the_end;
		pstk_network_destroy(net);
	}
	unsetenv("PENSTOCK_SHARE");
	printf("spans: %" PRIu64 " tokens, %" PRIu64 " readers ended early\n", tokens, ended);
}
END_TEST

/* -- as many as there is room for are published at once -- */

/* All in one call, for which there is room. */
struct burst {
	struct pstk_fifo *fifos[READERS];
	uint64_t first[READERS]; /* tokens that were written when the reader saw its first one */
	uint64_t tokens;
};

static int burst_fire(struct pstk_firing *f)
{
	const struct burst *b = pstk_actor_arg(pstk_firing_actor(f));
	uint64_t tokens[MOST] = { 0 };

	ck_assert_int_eq(pstk_fifo_write(f, 0, tokens, b->tokens), (int)b->tokens);
	return PSTK_DONE;
}

struct burst_reader {
	struct burst *burst;
	unsigned number;
};

static int burst_reader_fire(struct pstk_firing *f)
{
	const struct burst_reader *r = pstk_actor_arg(pstk_firing_actor(f));
	struct pstk_fifo_info info;
	uint64_t token;

	ck_assert_int_eq(pstk_fifo_read(f, 0, &token, 1), 1);
	ck_assert_int_eq(pstk_fifo_get_info(r->burst->fifos[r->number], &info), 0);
	r->burst->first[r->number] = info.written;
	while (pstk_fifo_read(f, 0, &token, 1) == 1)
		;
	return PSTK_DONE;
}

/* _i: readers; every other round each has a copy. */
START_TEST(test_published_at_once)
{
	for (uint64_t round = 0; round < test_rounds(40) + 2; round++) {
		struct burst b = { .tokens = 17 };
		struct burst_reader readers[READERS];
		struct pstk_network *net;
		struct pstk_actor *writer;

		setenv("PENSTOCK_SHARE", round % 2 ? "1" : "0", 1);
		net = pstk_network_create("burst");
		writer = pstk_network_add(net, "writer",
			PSTK_ACTOR_TYPE(.name = "writer", .ports = out_port, .port_count = 1, .kahn = true,
				.fire = burst_fire),
			&b);
		for (unsigned i = 0; i < (unsigned)_i; i++) {
			char name[24];

			snprintf(name, sizeof name, "reader%u", i);
			readers[i] = (struct burst_reader){ &b, i };
			b.fifos[i] = pstk_connect(writer, "out",
				pstk_network_add(net, name,
					PSTK_ACTOR_TYPE(.name = "reader", .ports = in_port, .port_count = 1,
						.kahn = true, .fire = burst_reader_fire),
					&readers[i]),
				"in", PSTK_FIFO(.rate = 1, .depth = (uint32_t)b.tokens + i, .token_size = 8));
		}
		ck_assert_msg(pstk_network_run(net) == 0, "%s", pstk_network_error(net));
		for (unsigned i = 0; i < (unsigned)_i; i++)
			ck_assert_uint_eq(b.first[i], b.tokens);
		pstk_network_destroy(net);
	}
	unsetenv("PENSTOCK_SHARE");
}
END_TEST

/* -- a team at the other end hears of each copy, while the kahn actor blocks elsewhere -- */

/* Each waits, outside of the library, until the other one has moved on. */
struct pace {
	uint64_t tokens;
	_Atomic uint64_t moved;
};

static int paced_write_fire(struct pstk_firing *f)
{
	struct pace *p = pstk_actor_arg(pstk_firing_actor(f));

	for (uint64_t i = 0; i < p->tokens; i++) {
		test_await(&p->moved, i);
		ck_assert_int_eq(pstk_fifo_write(f, 0, &i, 1), 1);
	}
	return PSTK_DONE;
}

static int follow_fire(struct pstk_firing *f)
{
	struct pace *p = pstk_actor_arg(pstk_firing_actor(f));

	ck_assert_uint_eq(*(const uint64_t *)pstk_fifo_read_start(f, 0), pstk_firing_index(f));
	pstk_fifo_read_end(f, 0);
	atomic_fetch_add(&p->moved, 1);
	return PSTK_AGAIN;
}

/* _i: readers. The first in the list paces the writer. */
START_TEST(test_team_hears_writes)
{
	struct pace pace = { .tokens = 1000 }, others[READERS] = { 0 };
	struct pstk_network *net = pstk_network_create("paced");
	struct pstk_actor *writer = pstk_network_add(net, "writer",
		PSTK_ACTOR_TYPE(.name = "writer", .ports = out_port, .port_count = 1, .kahn = true,
			.fire = paced_write_fire),
		&pace);

	ck_assert_int_eq(pstk_network_set_threads(net, 2), 0);
	for (unsigned i = 0; i < (unsigned)_i; i++) {
		char name[24];

		snprintf(name, sizeof name, "reader%u", i);
		ck_assert_ptr_nonnull(pstk_connect(writer, "out",
			pstk_network_add(net, name,
				PSTK_ACTOR_TYPE(.name = "reader", .ports = in_port, .port_count = 1,
					.fire = follow_fire),
				i ? &others[i] : &pace),
			"in", PSTK_FIFO(.rate = 1, .depth = 2000, .token_size = 8)));
	}
	ck_assert_msg(pstk_network_run(net) == 0, "%s", pstk_network_error(net));
	for (unsigned i = 0; i < (unsigned)_i; i++)
		ck_assert_uint_eq(i ? others[i].moved : pace.moved, 1000);
	pstk_network_destroy(net);
}
END_TEST

static int lead_fire(struct pstk_firing *f)
{
	struct pace *p = pstk_actor_arg(pstk_firing_actor(f));

	*(uint64_t *)pstk_fifo_write_start(f, 0) = pstk_firing_index(f);
	pstk_fifo_write_end(f, 0);
	atomic_fetch_add(&p->moved, 1);
	return pstk_firing_index(f) + 1 == p->tokens ? PSTK_DONE : PSTK_AGAIN;
}

/* The FIFO is full whenever it reads. */
static int paced_read_fire(struct pstk_firing *f)
{
	struct pace *p = pstk_actor_arg(pstk_firing_actor(f));

	for (uint64_t i = 0, token; i < p->tokens; i++) {
		test_await(&p->moved, i + 3 < p->tokens ? i + 3 : p->tokens);
		ck_assert_int_eq(pstk_fifo_read(f, 0, &token, 1), 1);
		ck_assert_uint_eq(token, i);
	}
	return PSTK_DONE;
}

START_TEST(test_team_hears_reads)
{
	struct pace pace = { .tokens = 1000 };
	struct pstk_network *net = pstk_network_create("paced");
	struct pstk_actor *a = pstk_network_add(net, "leads",
		PSTK_ACTOR_TYPE(.name = "leads", .ports = out_port, .port_count = 1, .fire = lead_fire),
		&pace);
	struct pstk_actor *b = pstk_network_add(net, "reader",
		PSTK_ACTOR_TYPE(.name = "reader", .ports = in_port, .port_count = 1, .kahn = true,
			.fire = paced_read_fire),
		&pace);

	ck_assert_int_eq(pstk_network_set_threads(net, 2), 0);
	pstk_connect(a, "out", b, "in", PSTK_FIFO(.rate = 1, .depth = 3, .token_size = 8));
	ck_assert_msg(pstk_network_run(net) == 0, "%s", pstk_network_error(net));
	pstk_network_destroy(net);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("kahn spans");
	TCase *data = test_case(suite, "data"), *team = test_case(suite, "team");

	tcase_add_test(data, test_every_token);
	tcase_add_loop_test(data, test_published_at_once, 1, READERS + 1);
	tcase_add_loop_test(team, test_team_hears_writes, 1, 4);
	tcase_add_test(team, test_team_hears_reads);
	return test_main(suite);
}
