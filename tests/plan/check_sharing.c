/* SPDX-License-Identifier: MIT */
/*
 * Broadcasts on the cores: which readers share one buffer, and that no actor notices.
 */
#include "tests/common/common.h"
#include "tests/common/simple.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { READERS = 5, RATE = 4 };

static const uint64_t zeros[8], others[8] = { 1, 2, 3, 4, 5, 6, 7, 8 };

struct broadcast {
	struct pstk_network *net;
	struct simple_count count;
	struct simple_collect collect[READERS];
	struct pstk_fifo *fifos[READERS];
	unsigned readers;
};

static void begin(struct broadcast *b, uint64_t tokens)
{
	memset(b, 0, sizeof *b);
	b->count.tokens = tokens;
	b->net = pstk_network_create("broadcast");
	ck_assert_ptr_nonnull(pstk_network_add(b->net, "count", simple_count_type(), &b->count));
}

static struct simple_collect *add_reader(
	struct broadcast *b, uint32_t delay, uint32_t depth, const uint64_t *initial)
{
	struct simple_collect *collect = &b->collect[b->readers];
	struct pstk_actor *actor;
	char name[16];

	snprintf(name, sizeof name, "s%u", b->readers);
	collect->delay = delay;
	collect->wanted = SIMPLE_ALL;
	atomic_store(&collect->allowed, SIMPLE_ALL);
	actor = pstk_network_add(b->net, name, simple_collect_type(), collect);
	b->fifos[b->readers++] = pstk_connect(pstk_network_actor(b->net, 0), "out", actor, "in",
		PSTK_FIFO(.rate = RATE, .delay = delay, .depth = depth, .token_size = 8, .initial = initial));
	return collect;
}

static struct pstk_fifo_info info_of(const struct pstk_fifo *fifo)
{
	struct pstk_fifo_info info;

	ck_assert_int_eq(pstk_fifo_get_info(fifo, &info), 0);
	return info;
}

/* -- which readers share -- */

struct sharing_case {
	struct {
		uint32_t delay, depth;
		const uint64_t *initial;
	} readers[READERS];
	const char *expected; /* a letter a reader: S uses another's memory */
	size_t slots;         /* of all memories */
};

/* By hand, rate 4. */
static const struct sharing_case cases[] = {
	{ { { 0, 2, NULL } }, "-", 8 },
	{ { { 0, 2, NULL }, { 1, 2, NULL } }, "S-", 13 }, /* motion detection's pair */
	{ { { 0, 2, NULL }, { 0, 2, NULL }, { 0, 2, NULL } }, "-SS", 8 },
	{ { { 1, 2, NULL }, { 1, 2, zeros }, { 0, 2, NULL } }, "-SS", 13 },
	{ { { 1, 2, zeros }, { 1, 2, NULL } }, "-S", 13 },
	{ { { 5, 2, others }, { 5, 2, others } }, "-S", 17 },
	{ { { 1, 2, NULL }, { 1, 2, others }, { 0, 2, NULL } }, "--S", 26 }, /* other tokens */
	{ { { 1, 2, NULL }, { 5, 2, NULL }, { 0, 2, NULL } }, "--S", 30 },   /* other delays */
	{ { { 0, 4, NULL }, { 4, 1, NULL } }, "S-", 20 },                    /* the deepest's depth */
	{ { { 0, 1, NULL }, { 0, 3, NULL } }, "-S", 12 },
	{ { { 0, 2, NULL }, { 3, 3, NULL }, { 3, 2, NULL }, { 2, 2, NULL }, { 0, 4, NULL } }, "S-S-S",
		23 + 14 },
};

static void check_case(const struct sharing_case *c, const struct broadcast *b, bool running)
{
	size_t allocated = 0, apart = 0;

	for (unsigned i = 0; i < b->readers; i++) {
		struct pstk_fifo_info info = info_of(b->fifos[i]);

		ck_assert_int_eq(info.shared, c->expected[i] == 'S');
		ck_assert_int_eq(info.allocated > 0, running && !info.shared);
		ck_assert_str_eq(info.memory, "host");
		allocated += info.allocated;
		apart += info.bytes;
	}
	ck_assert_uint_eq(pstk_network_fifo_bytes(b->net), apart);
	ck_assert_uint_eq(pstk_network_shared_bytes(b->net), c->slots * 8);
	ck_assert_uint_eq(pstk_network_allocated_bytes(b->net), allocated);
	if (running) {
		ck_assert_uint_ge(allocated, c->slots * 8);
		ck_assert_uint_lt(allocated, c->slots * 8 + b->readers * 64);
	}
}

static void make_case(struct broadcast *b, const struct sharing_case *c, uint64_t tokens)
{
	begin(b, tokens);
	for (unsigned i = 0; i < strlen(c->expected); i++)
		add_reader(b, c->readers[i].delay, c->readers[i].depth, c->readers[i].initial);
}

static void check_tokens(const struct broadcast *b, const struct sharing_case *c, uint64_t tokens)
{
	for (unsigned i = 0; i < b->readers; i++) {
		/* collect expects zeros for delay tokens */
		ck_assert_uint_eq(
			b->collect[i].wrong, c->readers[i].initial == others ? c->readers[i].delay : 0);
		ck_assert_uint_eq(b->collect[i].tokens, tokens + c->readers[i].delay);
	}
}

START_TEST(who_shares)
{
	const struct sharing_case *c = &cases[_i];

	for (uint64_t tokens = 1; tokens < 50; tokens++) {
		struct broadcast b;

		make_case(&b, c, tokens);
		check_case(c, &b, false);
		ck_assert_int_eq(pstk_network_run(b.net), 0);
		check_case(c, &b, true);
		check_tokens(&b, c, tokens);
		pstk_network_destroy(b.net);
	}
}
END_TEST

/* PENSTOCK_SHARE=0: each for itself, and the same tokens. */
START_TEST(nobody_shares)
{
	const struct sharing_case *c = &cases[_i];
	struct broadcast b;

	ck_assert_int_eq(setenv("PENSTOCK_SHARE", "0", 1), 0);
	make_case(&b, c, 50);
	ck_assert_uint_eq(pstk_network_shared_bytes(b.net), pstk_network_fifo_bytes(b.net));
	ck_assert_int_eq(pstk_network_run(b.net), 0);
	ck_assert_uint_eq(pstk_network_shared_bytes(b.net), pstk_network_fifo_bytes(b.net));
	for (unsigned i = 0; i < b.readers; i++) {
		struct pstk_fifo_info info = info_of(b.fifos[i]);

		ck_assert(!info.shared && info.allocated >= info.bytes);
		ck_assert_uint_ge(info.bytes_copied, i ? 50 * 8 : 0);
	}
	check_tokens(&b, c, 50);
	pstk_network_destroy(b.net);
	ck_assert_int_eq(unsetenv("PENSTOCK_SHARE"), 0);
}
END_TEST

START_TEST(unknown_switch)
{
	struct broadcast b;

	ck_assert_int_eq(setenv("PENSTOCK_SHARE", "maybe", 1), 0);
	test_log_start();
	make_case(&b, &cases[1], 50);
	ck_assert_int_eq(pstk_network_run(b.net), 0);
	ck_assert(test_log_has("PENSTOCK_SHARE='maybe' is ignored"));
	test_log_stop();
	check_case(&cases[1], &b, true);
	pstk_network_destroy(b.net);
	ck_assert_int_eq(unsetenv("PENSTOCK_SHARE"), 0);
}
END_TEST

static char *table_of(const struct pstk_network *net)
{
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);

	ck_assert_int_eq(pstk_network_print(net, out), 0);
	ck_assert_int_eq(fclose(out), 0);
	return text;
}

/* The same table before and after. */
START_TEST(tables)
{
	struct broadcast b;
	char *before, *after;

	make_case(&b, &cases[1], 10);
	before = table_of(b.net);
	TEST_SAYS(before, "delay 0, depth 2, token 8 B: 64 B, shared\n",
		"delay 1, depth 2, token 8 B: 104 B\n", "FIFO memory: 168 B, with shared buffers 104 B\n");
	ck_assert_int_eq(pstk_network_run(b.net), 0);
	after = table_of(b.net);
	ck_assert_str_eq(before, after);
	free(before);
	free(after);
	pstk_network_destroy(b.net);
}
END_TEST

/* More than memory can have is refused, shared or not. */
START_TEST(too_large)
{
	struct broadcast b;

	begin(&b, 1);
	add_reader(&b, UINT32_MAX, 1, NULL);
	for (unsigned i = 1; i < READERS; i++)
		add_reader(&b, 0, UINT32_MAX, NULL);
	/* (q + k + 1) 4 + 3 slots */
	ck_assert_uint_eq(pstk_network_shared_bytes(b.net),
		8 * (4 * ((uint64_t)(UINT32_MAX / 4) + UINT32_MAX + 1) + 3));
	ck_assert_uint_gt(pstk_network_fifo_bytes(b.net), 4 * (size_t)UINT32_MAX * 32);
	ck_assert_int_eq(pstk_network_run(b.net), -ENOMEM);
	TEST_SAYS(pstk_network_error(b.net), "this machine has", "lower");
	pstk_network_destroy(b.net);
}
END_TEST

/* -- readers that see more than the writer's windows -- */

struct seer {
	uint32_t rate, history, delay, depth, tail;
	bool peek;
	const uint64_t *initial;
	/* what came of it */
	uint64_t given, next, wrong; /* tokens of the stream, new ones seen so far */
};

struct seen_case {
	struct seer readers[READERS];
	const char *expected; /* as above */
	size_t slots;
};

/* By hand, write rate 4, tokens of 8 bytes: ring + margin + ends. */
static const struct seen_case seen_cases[] = {
	{ { { .rate = 4, .depth = 2 }, { .rate = 4, .history = 3, .depth = 2 } }, "-S", 12 + 4 },
	/* in front of the writer's tokens the one has zeros, the others initial tokens */
	{ { { .rate = 4, .delay = 5, .depth = 2, .initial = others }, { .rate = 4, .history = 3, .depth = 2 },
		  { .rate = 4, .depth = 2 } },
		"--S", 17 + 15 },
	{ { { .rate = 4, .history = 3, .depth = 2 }, { .rate = 4, .delay = 5, .depth = 2, .initial = others },
		  { .rate = 4, .history = 1, .depth = 2 } },
		"--S", 12 + 3 + 17 },
	/* the initial tokens are zeros; a peek sees none of them */
	{ { { .rate = 4, .delay = 5, .depth = 2, .initial = zeros }, { .rate = 4, .history = 3, .depth = 2 },
		  { .rate = 4, .history = 2, .peek = true, .depth = 2 } },
		"-SS", 16 + 5 + 4 + 6 },
	{ { { .rate = 4, .history = 1, .depth = 2 }, { .rate = 4, .delay = 5, .depth = 2, .initial = others },
		  { .rate = 4, .delay = 3, .depth = 2 } },
		"S--", 17 + 15 + 4 },
	{ { { .rate = 4, .depth = 2, .tail = 6 }, { .rate = 4, .depth = 2 } }, "-S", 8 + 8 },
	{ { { .rate = 6, .depth = 1 }, { .rate = 4, .depth = 2 } }, "-S", 12 + 6 },
};

static int see_init(struct pstk_actor *self)
{
	const struct seer *s = pstk_actor_arg(self);

	if (s->peek)
		pstk_actor_set_peek(self, 0, s->rate + s->history);
	else
		pstk_actor_set_history(self, 0, s->history);
	return pstk_actor_set_rate(self, 0, s->rate);
}

/* What position x of the stream is, initial tokens first. */
static uint64_t seen_at(const struct seer *s, int64_t x)
{
	if (x < 0 || x >= (int64_t)(s->delay + s->given))
		return 0;
	if (x < s->delay)
		return s->initial ? s->initial[x] : 0;
	return (uint64_t)x - s->delay;
}

static int see_fire(struct pstk_firing *f)
{
	struct seer *s = pstk_actor_arg(pstk_firing_actor(f));
	const uint64_t *window = pstk_fifo_read_start(f, 0);
	int64_t first = (int64_t)s->next - (s->peek ? 0 : s->history);

	for (uint32_t i = 0; i < s->history + s->rate; i++)
		s->wrong += window[i] != seen_at(s, first + i);
	s->next += pstk_port_valid(f, 0);
	pstk_fifo_read_end(f, 0);
	return PSTK_AGAIN;
}

static void add_seer(struct broadcast *b, struct seer *s)
{
	static const struct pstk_port in = { .name = "in", .kind = PSTK_INPUT, .token_size = 8 };
	struct pstk_actor *actor;
	char name[16];

	snprintf(name, sizeof name, "s%u", b->readers);
	actor = pstk_network_add(b->net, name,
		PSTK_ACTOR_TYPE(.name = "see", .ports = &in, .port_count = 1, .rates = see_init,
			.fire = see_fire),
		s);
	b->fifos[b->readers] = pstk_connect(pstk_network_actor(b->net, 0), "out", actor, "in",
		PSTK_FIFO(.write_rate = RATE, .read_rate = s->rate, .delay = s->delay, .depth = s->depth,
			.tail = s->tail, .token_size = 8, .initial = s->initial));
	ck_assert_msg(b->fifos[b->readers++], "%s", pstk_network_error(b->net));
}

/* Streams of each length, also shorter than a history. */
START_TEST(who_sees_what)
{
	const struct seen_case *c = &seen_cases[_i];
	const struct sharing_case shares = { .expected = c->expected, .slots = c->slots };

	for (uint64_t tokens = 1; tokens < 50; tokens++) {
		struct seer readers[READERS];
		struct broadcast b;

		begin(&b, tokens);
		for (unsigned i = 0; i < strlen(c->expected); i++) {
			readers[i] = c->readers[i];
			readers[i].given = tokens;
			add_seer(&b, &readers[i]);
		}
		check_case(&shares, &b, false);
		ck_assert_msg(pstk_network_run(b.net) == 0, "%s", pstk_network_error(b.net));
		check_case(&shares, &b, true);
		for (unsigned i = 0; i < b.readers; i++) {
			const struct seer *s = &readers[i];
			uint64_t all = s->delay + tokens + s->tail, before = s->peek ? s->history : 0;

			ck_assert_uint_eq(s->wrong, 0);
			ck_assert_uint_eq(s->next, all > before ? all - before : 0);
		}
		pstk_network_destroy(b.net);
	}
}
END_TEST

/* -- which readers end -- */

/* Each may end before the others, whosever memory it is; the others see all. */
START_TEST(readers_end)
{
	struct test_rng rng = { test_seed() };

	for (uint64_t round = test_rounds(400) + 1; round > 0; round--) {
		uint64_t tokens = test_between(&rng, 1, 200), windows = (tokens + RATE - 1) / RATE;
		uint32_t delay = test_between(&rng, 0, 9);
		bool all_end = true;
		struct broadcast b;

		begin(&b, tokens);
		for (unsigned i = test_between(&rng, 2, READERS); i > 0; i--) {
			struct simple_collect *collect = add_reader(
				&b, test_chance(&rng, 50) ? delay : 0, test_between(&rng, 1, 3), NULL);

			if (test_chance(&rng, 60))
				collect->wanted = test_between(&rng, 1, (uint32_t)windows + 2);
			else
				all_end = false;
		}
		ck_assert_int_eq(pstk_network_run(b.net), 0);
		for (unsigned i = 0; i < b.readers; i++) {
			const struct simple_collect *collect = &b.collect[i];
			uint64_t all = (all_end ? b.count.given : tokens) + collect->delay;
			uint64_t most = collect->wanted < SIMPLE_ALL ? collect->wanted * RATE : all;

			ck_assert_uint_eq(collect->wrong, 0);
			if (!all_end || collect->wanted < SIMPLE_ALL)
				ck_assert_uint_le(collect->tokens, all < most ? all : most);
			if (!all_end)
				ck_assert_uint_eq(collect->tokens, all < most ? all : most);
		}
		pstk_network_destroy(b.net);
	}
}
END_TEST

/* -- kahn actors -- */

struct stream {
	uint64_t tokens, done, seed, delay, wrong;
};

static int give_fire(struct pstk_firing *f)
{
	struct stream *s = pstk_actor_arg(pstk_firing_actor(f));
	struct test_rng rng = { s->seed + s->done };
	uint64_t chunk[20], n = test_between(&rng, 1, 20);

	n = n < s->tokens - s->done ? n : s->tokens - s->done;
	for (uint64_t i = 0; i < n; i++)
		chunk[i] = s->done + i;
	if ((uint64_t)pstk_fifo_write(f, 0, chunk, n) != n)
		return PSTK_DONE;
	s->done += n;
	return s->done == s->tokens ? PSTK_DONE : PSTK_AGAIN;
}

static int take_fire(struct pstk_firing *f)
{
	struct stream *s = pstk_actor_arg(pstk_firing_actor(f));
	struct test_rng rng = { s->seed + s->done };
	uint64_t chunk[20];
	size_t n = test_between(&rng, 1, 20);
	int got = pstk_fifo_read(f, 0, chunk, n);

	for (int i = 0; i < got; i++, s->done++)
		s->wrong += chunk[i] != (s->done < s->delay ? 0 : s->done - s->delay);
	return got < (int)n ? PSTK_DONE : PSTK_AGAIN;
}

static const struct pstk_port give_port = { .name = "out", .kind = PSTK_OUTPUT, .token_size = 8 },
			      take_port = { .name = "in", .kind = PSTK_INPUT, .token_size = 8 };

static void connect_kahn(struct pstk_network *net, struct stream *take, const char *name, uint32_t rate,
	uint32_t read_rate, uint32_t depth)
{
	struct pstk_actor *reader = pstk_network_add(net, name,
		PSTK_ACTOR_TYPE(.name = "take", .ports = &take_port, .port_count = 1, .kahn = true,
			.fire = take_fire),
		take);

	ck_assert_ptr_nonnull(pstk_connect(pstk_network_actor(net, 0), "out", reader, "in",
		PSTK_FIFO(.write_rate = rate, .read_rate = read_rate, .delay = (uint32_t)take->delay,
			.depth = depth, .token_size = 8)));
}

START_TEST(kahn_actors_share)
{
	struct test_rng rng = { test_seed() };

	for (uint64_t round = test_rounds(200) + 1; round > 0; round--) {
		uint32_t rate = test_chance(&rng, 50) ? 1 : test_between(&rng, 1, 6);
		struct pstk_network *net = pstk_network_create("kahn");
		struct stream give = { .tokens = test_between(&rng, 1, 300), .seed = rng.state };
		struct stream take[2] = { { .seed = rng.state + 1 },
			{ .seed = rng.state + 2, .delay = test_between(&rng, 0, 8) } };

		pstk_network_add(net, "give",
			PSTK_ACTOR_TYPE(.name = "give", .ports = &give_port, .port_count = 1, .kahn = true,
				.fire = give_fire),
			&give);
		connect_kahn(net, &take[0], "first", rate, test_chance(&rng, 70) ? rate : 3,
			test_between(&rng, 1, 5));
		connect_kahn(net, &take[1], "second", rate, test_chance(&rng, 70) ? rate : 5,
			test_between(&rng, 1, 5));
		ck_assert_int_eq(pstk_network_run(net), 0);
		for (unsigned i = 0; i < 2; i++) {
			ck_assert_uint_eq(take[i].wrong, 0);
			ck_assert_uint_eq(take[i].done, give.tokens + take[i].delay);
		}
		ck_assert_int_ne(
			info_of(pstk_network_fifo(net, 0)).shared, info_of(pstk_network_fifo(net, 1)).shared);
		pstk_network_destroy(net);
	}
}
END_TEST

/* -- control tokens, and outputs that are off -- */

enum { MEMBERS = 3 };

static int conf_fire(struct pstk_firing *f)
{
	struct stream *s = pstk_actor_arg(pstk_firing_actor(f));

	*(uint32_t *)pstk_fifo_write_start(f, 0) = (uint32_t)(test_mix(s->seed + s->done++) & 1);
	pstk_fifo_write_end(f, 0);
	return s->done == s->tokens ? PSTK_DONE : PSTK_AGAIN;
}

static int member_control(struct pstk_firing *f, uint32_t value)
{
	pstk_port_enable(f, 1, value == 1);
	return 0;
}

/* Counts in windows, so that its readers are what collect expects. */
static int member_fire(struct pstk_firing *f)
{
	uint64_t *next = pstk_actor_state(pstk_firing_actor(f)), *out = pstk_fifo_write_start(f, 1);

	for (unsigned i = 0; i < RATE; i++)
		out[i] = (*next)++;
	pstk_fifo_write_end(f, 1);
	return PSTK_AGAIN;
}

static void add_member(struct pstk_network *net, struct simple_collect *collect, unsigned number)
{
	static const struct pstk_port ports[] = {
		{ .name = "ctl", .kind = PSTK_CONTROL, .token_type = "u32" },
		{ .name = "out", .kind = PSTK_DYNAMIC_OUTPUT, .token_size = 8 }
	};
	char name[16];
	struct pstk_actor *member;

	snprintf(name, sizeof name, "m%u", number);
	member = pstk_network_add(net, name,
		PSTK_ACTOR_TYPE(.name = "member", .ports = ports, .port_count = 2, .state_size = 8,
			.control_values = 2, .control = member_control, .fire = member_fire),
		NULL);
	ck_assert_ptr_nonnull(pstk_connect(pstk_network_actor(net, 0), "out", member, "ctl",
		PSTK_FIFO(.rate = 1, .token_size = 4, .depth = 1 + number)));
	for (unsigned i = 0; i < 2; i++) {
		snprintf(name, sizeof name, "c%u.%u", number, i);
		collect[i].delay = i;
		collect[i].wanted = SIMPLE_ALL;
		atomic_store(&collect[i].allowed, SIMPLE_ALL);
		ck_assert_ptr_nonnull(pstk_connect(member, "out",
			pstk_network_add(net, name, simple_collect_type(), &collect[i]), "in",
			PSTK_FIFO(.rate = RATE, .delay = i, .token_size = 8)));
	}
}

START_TEST(control_tokens_share)
{
	static const struct pstk_port out = { .name = "out", .kind = PSTK_OUTPUT, .token_type = "u32" };
	struct stream conf = { .tokens = 300, .seed = test_seed() };
	struct simple_collect collect[MEMBERS][2] = { 0 };
	struct pstk_network *net = pstk_network_create("control");
	uint64_t on = 0;

	pstk_network_add(net, "conf",
		PSTK_ACTOR_TYPE(.name = "conf", .ports = &out, .port_count = 1, .fire = conf_fire), &conf);
	for (unsigned m = 0; m < MEMBERS; m++)
		add_member(net, collect[m], m);
	ck_assert_int_eq(pstk_network_set_flags(net, PSTK_UNCHECKED), 0);
	ck_assert_int_eq(pstk_network_run(net), 0);
	for (unsigned i = 0; i < 300; i++)
		on += test_mix(conf.seed + i) & 1;
	for (unsigned m = 0; m < MEMBERS; m++) {
		struct pstk_fifo_info control = info_of(pstk_network_fifo(net, 3 * m));

		ck_assert_int_eq(control.shared, m > 0);
		ck_assert_uint_eq(control.written, 300);
		ck_assert_uint_eq(control.bytes_copied, 0);
		for (unsigned i = 0; i < 2; i++) {
			struct pstk_fifo_info info = info_of(pstk_network_fifo(net, 3 * m + 1 + i));

			ck_assert_uint_eq(info.written, on * RATE);
			ck_assert_int_eq(info.shared, i == 0);
			ck_assert_uint_eq(collect[m][i].wrong, 0);
			ck_assert_uint_eq(collect[m][i].tokens, on * RATE + i);
		}
	}
	pstk_network_destroy(net);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("sharing");
	TCase *who = test_case(suite, "who"), *run = test_case(suite, "run");

	tcase_add_loop_test(who, who_shares, 0, (int)TEST_COUNT(cases));
	tcase_add_loop_test(who, nobody_shares, 1, (int)TEST_COUNT(cases));
	tcase_add_loop_test(who, who_sees_what, 0, (int)TEST_COUNT(seen_cases));
	tcase_add_test(who, unknown_switch);
	tcase_add_test(who, tables);
	tcase_add_test(who, too_large);
	tcase_add_test(run, readers_end);
	tcase_add_test(run, kahn_actors_share);
	tcase_add_test(run, control_tokens_share);
	return test_main(suite);
}
