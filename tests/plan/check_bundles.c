/* SPDX-License-Identifier: MIT */
/*
 * Bundles: which FIFOs use one pair of counters, what print() says of it, and that no actor and no figure shows it:
 * tokens, last windows that are filled differently, windows that a reader leaves. With bundles and without.
 */
#include "lib/fifo/bundle.h"
#include "lib/plan/bundles.h"
#include "tests/common/common.h"
#include "tests/plan/bundle_net.h"
#include "tests/plan/plan_net.h"

#include <string.h>

static struct bundle_net n;

/* -- which ones -- */

/* What start() looks at. */
#define ON(r, d, k, s, values)                                                             \
	{                                                                                  \
		.rate = (r), .delay = (d), .depth = (k), .token_size = (s), .on = (values) \
	}

struct which {
	const char *name;
	struct bundle_fifo fifos[5];
	unsigned values;
	const char *leads; /* by FIFO: the number of the one whose counters it uses */
	const char *said;  /* print() has this text */
	bool undeclared;
};

static const struct which whiches[] = {
	{ "alike", { ON(4, 0, 2, 4, 0), ON(4, 0, 2, 4, 0), ON(4, 0, 2, 4, 0) }, 0, "000", "bundle of 3\n" },
	{ "sizes", { ON(4, 0, 2, 4, 0), ON(4, 0, 2, 8, 0) }, 0, "00", "bundled with o0\n" },
	{ "one", { ON(4, 0, 2, 4, 0) }, 0, "0", "token 4 B: 32 B\n" },
	{ "rates", { ON(4, 0, 2, 4, 0), ON(2, 0, 2, 4, 0) }, 0, "01",
		"not bundled: its rate is not that of the FIFO beside it\n" },
	{ "delays", { ON(4, 1, 2, 4, 0), ON(4, 0, 2, 4, 0) }, 0, "01",
		"not bundled: its delay is not that of the FIFO beside it\n" },
	{ "depths", { ON(4, 1, 2, 4, 0), ON(4, 1, 3, 4, 0) }, 0, "01",
		"not bundled: its depth is not that of the FIFO beside it\n" },
	{ "two bundles",
		{ ON(4, 0, 2, 4, 0), ON(4, 1, 2, 4, 0), ON(4, 0, 2, 4, 0), ON(4, 1, 2, 4, 0),
			ON(4, 1, 2, 8, 0) },
		0, "01011", "bundle of 3\n" },
	{ "together", { ON(4, 0, 2, 4, 6), ON(4, 0, 2, 4, 6), ON(4, 0, 2, 4, 2) }, 4, "002",
		"not bundled: its ports are on for other control values\n" },
	/* a static port ends its actor whatever the control value is */
	{ "always on", { ON(4, 0, 2, 4, 15), ON(4, 0, 2, 4, 0) }, 4, "01",
		"not bundled: its ports are on for other control values\n" },
	{ "undeclared", { ON(4, 0, 2, 4, 6), ON(4, 0, 2, 4, 6) }, 4, "01",
		"not bundled: what turns its ports on is not known before the start\n", true },
	{ "one of each, undeclared", { ON(4, 0, 2, 4, 6), ON(4, 0, 2, 4, 0) }, 4, "01",
		"not bundled: its ports are on for other control values\n", true },
};

static void begin(const struct bundle_fifo *fifos, unsigned count, unsigned values, unsigned threads)
{
	memset(&n, 0, sizeof n);
	memcpy(n.fifos, fifos, count * sizeof *fifos);
	n.count = count;
	n.values = values;
	n.threads = threads;
	n.firings = 20;
}

START_TEST(which_are_bundled)
{
	const struct which *w = &whiches[_i];
	char text[4096];

	begin(w->fifos, (unsigned)strlen(w->leads), w->values, 0);
	n.undeclared = w->undeclared;
	for (unsigned i = 0; i < n.count; i++)
		n.fifos[i].last = n.fifos[i].rate;
	ck_assert_int_eq(bundle_net_run(&n), 0);
	for (unsigned i = 0; i < n.count; i++)
		ck_assert_msg(n.made[i]->lead == n.made[w->leads[i] - '0'], "%s, FIFO %u", w->name, i);
	plan_printed(n.net, text, sizeof text);
	ck_assert_msg(strstr(text, w->said), "%s: '%s' is not in\n%s", w->name, w->said, text);
	ck_assert_uint_eq(atomic_load(&n.wrong), 0);
	bundle_net_destroy(&n);
}
END_TEST

START_TEST(none_before_the_start)
{
	char text[4096];

	begin(whiches[0].fifos, 3, 0, 0);
	bundle_net_build(&n);
	plan_printed(n.net, text, sizeof text);
	ck_assert_ptr_null(strstr(text, "bundle"));
	bundle_net_destroy(&n);
}
END_TEST

/* -- what keeps a FIFO from all bundles -- */

static int fire_never(struct pstk_firing *f)
{
	(void)f;
	return PSTK_DONE;
}

struct unfit {
	const char *said;
	bool kahn, broadcast;
	uint32_t write_rate, read_rate, tail;
};

static const struct unfit unfits[] = {
	{ "not bundled: an end is a Kahn actor's\n", true, false, 2, 2, 0 },
	{ "not bundled: its output has several readers\n", false, true, 2, 2, 0 },
	{ "not bundled: its ends have different rates\n", false, false, 2, 3, 0 },
	{ "not bundled: its windows overlap\n", false, false, 2, 2, 1 },
};

START_TEST(some_never_are)
{
	static const struct pstk_port outs[] = { { .name = "a", .kind = PSTK_OUTPUT },
		{ .name = "b", .kind = PSTK_OUTPUT } },
				      ins[] = { { .name = "a", .kind = PSTK_INPUT },
					      { .name = "b", .kind = PSTK_INPUT } };
	const struct unfit *u = &unfits[_i];
	struct pstk_network *net = pstk_network_create("unfit");
	struct pstk_actor *src = pstk_network_add(net, "src",
		PSTK_ACTOR_TYPE(.name = "src", .ports = outs, .port_count = u->broadcast ? 1 : 2,
			.fire = fire_never, .kahn = u->kahn),
		NULL);
	struct pstk_actor *dst = pstk_network_add(net, "dst",
		PSTK_ACTOR_TYPE(.name = "dst", .ports = ins, .port_count = 2, .fire = fire_never), NULL);
	char text[4096];

	for (unsigned i = 0; i < 2; i++)
		ck_assert_ptr_nonnull(pstk_connect(src, u->broadcast ? "a" : outs[i].name, dst, ins[i].name,
			PSTK_FIFO(.write_rate = u->write_rate, .read_rate = u->read_rate, .tail = u->tail,
				.token_size = 4)));
	ck_assert_int_eq(pstk_network_run(net), 0);
	plan_printed(net, text, sizeof text);
	ck_assert_msg(strstr(text, u->said), "'%s' is not in\n%s", u->said, text);
	pstk_network_destroy(net);
}
END_TEST

/* Each with the others, however unfit the first of them is. */
START_TEST(said_of_each)
{
	static const struct pstk_port outs[] = { { .name = "a", .kind = PSTK_OUTPUT },
		{ .name = "b", .kind = PSTK_OUTPUT }, { .name = "c", .kind = PSTK_OUTPUT } },
				      ins[] = { { .name = "a", .kind = PSTK_INPUT },
					      { .name = "b", .kind = PSTK_INPUT },
					      { .name = "c", .kind = PSTK_INPUT } };
	static const uint32_t rates[] = { 2, 4, 2 };
	struct pstk_network *net = pstk_network_create("each");
	struct pstk_actor *src = pstk_network_add(net, "src",
		PSTK_ACTOR_TYPE(.name = "src", .ports = outs, .port_count = 3, .fire = fire_never), NULL);
	struct pstk_actor *dst = pstk_network_add(net, "dst",
		PSTK_ACTOR_TYPE(.name = "dst", .ports = ins, .port_count = 3, .fire = fire_never), NULL);
	struct pstk_fifo *made[3];

	for (unsigned i = 0; i < 3; i++)
		made[i] = pstk_connect(src, outs[i].name, dst, ins[i].name,
			PSTK_FIFO(.rate = rates[i], .tail = i ? 0 : 1, .token_size = 4));
	ck_assert_int_eq(pstk_network_run(net), 0);
	ck_assert_str_eq(ps_bundles_refused(made[0]), "its windows overlap");
	for (unsigned i = 1; i < 3; i++)
		ck_assert_str_eq(ps_bundles_refused(made[i]), "its rate is not that of the FIFO beside it");
	pstk_network_destroy(net);
}
END_TEST

/* What start() finds out of an actor or a FIFO, put there by hand: the second of three that are alike. */
enum mark { CONTROLS, ELSEWHERE, HAS_WAY, ON_DEVICE, MAY_MOVE, GUARDED, MERGED, ALIGNED, SHARED };

static const struct {
	enum mark mark;
	const char *said;
	bool alone; /* it is about this FIFO alone; else about its actor, and so all three */
} marks[] = {
	{ CONTROLS, "it carries control tokens", true },
	{ ELSEWHERE, "an end is on another host", true },
	{ HAS_WAY, "an end is on another host", true },
	{ ON_DEVICE, "an end is on a device", false },
	{ MAY_MOVE, "an end may move", false },
	{ GUARDED, "an end may move", false },
	{ MERGED, "its memory is merged", true },
	{ ALIGNED, "its memory is not plain", true },
	{ SHARED, "its memory is not plain", true },
};

static void mark(struct pstk_fifo *f, enum mark what)
{
	void *any = f;

	switch (what) {
	case CONTROLS:
		f->dst->control_port = f->dst_port;
		break;
	case ELSEWHERE:
		f->crossing = PS_CROSSES_ELSEWHERE;
		break;
	case HAS_WAY:
		f->way = any;
		break;
	case ON_DEVICE:
		f->dst->backend = any;
		break;
	case MAY_MOVE:
		f->src->places = any;
		break;
	case GUARDED:
		f->src->guarded = true;
		break;
	case MERGED:
		f->fifo.merged = any;
		break;
	case ALIGNED:
		f->fifo.alignment = 64;
		break;
	case SHARED:
		f->fifo.alone = false;
		break;
	}
}

static void untie(void)
{
	for (unsigned i = 0; i < n.count; i++) {
		n.made[i]->lead = n.made[i];
		n.write->ports[i].along = n.read->ports[i].along = PS_NO_PORT;
	}
}

START_TEST(marked)
{
	const struct bundle_fifo fifos[] = { ON(4, 0, 2, 4, 0), ON(4, 0, 2, 4, 0), ON(4, 0, 2, 4, 0) };
	struct pstk_actor write, read;
	struct pstk_fifo f;

	begin(fifos, 3, 0, 0);
	ck_assert_int_eq(bundle_net_run(&n), 0);
	untie();
	write = *n.write;
	read = *n.read;
	f = *n.made[1];
	mark(n.made[1], marks[_i].mark);
	ck_assert_int_eq(ps_bundles_tie(n.net), 0);
	ck_assert_str_eq(ps_bundles_refused(n.made[1]), marks[_i].said);
	ck_assert_uint_eq(ps_bundles_count(n.made[0]), marks[_i].alone ? 2 : 1);
	ck_assert_uint_eq(ps_bundles_count(n.made[1]), 1);
	*n.write = write;
	*n.read = read;
	*n.made[1] = f;
	untie();
	bundle_net_destroy(&n);
}
END_TEST

/* The lead's blocks are those of all: they are kept warm if any window is large. */
START_TEST(small_beside_large)
{
	const struct bundle_fifo fifos[] = { ON(4, 0, 3, 4, 0), ON(4, 0, 3, 8, 0) };

	ps_fifo_warm_least = (size_t)_i;
	begin(fifos, 2, 0, 2);
	ck_assert_int_eq(bundle_net_run(&n), 0);
	ck_assert_ptr_eq(n.made[1]->lead, n.made[0]);
	ck_assert_int_eq(n.made[0]->fifo.warm != NULL, _i <= 4 * 8);
	ck_assert_ptr_null(n.made[1]->fifo.warm);
	ck_assert_uint_eq(atomic_load(&n.wrong), 0);
	bundle_net_destroy(&n);
}
END_TEST

/* -- last windows -- */

static const uint32_t lasts[][3] = { { 4, 4, 4 }, { 3, 2, 1 }, { 4, 4, 1 }, { 1, 4, 4 }, { 4, 0, 3 },
	{ 0, 4, 0 }, { 0, 0, 0 }, { BUNDLE_OPEN, 4, 2 }, { 2, BUNDLE_OPEN, BUNDLE_OPEN },
	{ BUNDLE_OPEN, BUNDLE_OPEN, BUNDLE_OPEN } };
static const uint32_t delays[] = { 0, 1, 4, 7 };

/* Windows that the reader gets: each has a valid token in each FIFO. */
static uint64_t windows(void)
{
	uint64_t least = UINT64_MAX;

	for (unsigned i = 0; i < n.count; i++) {
		uint64_t tokens = n.fifos[i].delay + bundle_net_total(&n, i);
		uint64_t count = (tokens + n.fifos[i].rate - 1) / n.fifos[i].rate;

		least = count < least ? count : least;
	}
	return least;
}

static void check_figures(uint64_t read, bool all)
{
	for (unsigned i = 0; i < n.count; i++) {
		struct pstk_fifo_info info;
		uint64_t have, taken = (read - n.fifos[i].left) * n.fifos[i].rate;

		ck_assert_int_eq(pstk_fifo_get_info(n.made[i], &info), 0);
		ck_assert_uint_eq(n.read_windows[i], read);
		ck_assert_uint_eq(info.read, taken);
		ck_assert(info.closed && info.discards);
		ck_assert_uint_le(info.fill, ps_fifo_capacity(&n.made[i]->fifo));
		ck_assert_uint_eq(ps_bundle_windows_read(&n.made[i]->fifo, ps_counters(n.made[i])),
			read - n.fifos[i].left);
		if (!all)
			continue;
		have = n.fifos[i].delay + bundle_net_total(&n, i);
		ck_assert_uint_eq(info.written, bundle_net_total(&n, i));
		ck_assert_uint_eq(ps_bundle_windows_written(&n.made[i]->fifo, ps_counters(n.made[i])),
			n.firings - 1 + (n.fifos[i].last && n.fifos[i].last != BUNDLE_OPEN));
		ck_assert_uint_eq(info.fill, have > taken ? have - taken : 0);
	}
}

/* _i: the writer's last windows, threads, delay. */
START_TEST(last_windows)
{
	unsigned delay = (unsigned)_i % 4, threads = (unsigned)_i / 4 % 3, last = (unsigned)_i / 12;

	for (unsigned on = 0; on < 2; on++) {
		const struct bundle_fifo fifos[] = { { 4, delays[delay], 2, 4, lasts[last][0], false, 0 },
			{ 4, delays[delay], 2, 8, lasts[last][1], false, 0 },
			{ 4, delays[delay], 2, 4, lasts[last][2], false, 0 } };

		ps_bundles_wanted = on;
		begin(fifos, 3, 0, threads);
		ck_assert_int_eq(bundle_net_run(&n), 0);
		ck_assert_uint_eq(ps_bundles_count(n.made[1]), on ? 3 : 1);
		ck_assert_uint_eq(atomic_load(&n.wrong), 0);
		/* apart, a reader may have ended at one FIFO before the writer publishes its last tokens to the next */
		check_figures(windows(), on || threads == 1);
		bundle_net_destroy(&n);
	}
}
END_TEST

/* The reader ends by itself, and leaves some of its last windows. _i: a mask of these. */
START_TEST(windows_that_are_left)
{
	for (unsigned on = 0; on < 2; on++)
		for (unsigned threads = 0; threads < 3; threads++) {
			const struct bundle_fifo fifos[] = { { 4, 1, 2, 4, 4, _i & 1, 0 },
				{ 4, 1, 2, 4, 4, _i >> 1 & 1, 0 }, { 4, 1, 2, 8, 4, _i >> 2 & 1, 0 } };

			ps_bundles_wanted = on;
			begin(fifos, 3, 0, threads);
			n.reads = 7;
			ck_assert_int_eq(bundle_net_run(&n), 0);
			ck_assert_uint_eq(atomic_load(&n.wrong), 0);
			check_figures(7, false);
			bundle_net_destroy(&n);
		}
}
END_TEST

/* A port that follows another one in a bundle may be in any word of the mask, and in any order. */
START_TEST(many_ports)
{
	static struct bundle_fifo fifos[BUNDLE_MOST];

	for (unsigned i = 0; i < BUNDLE_MOST; i++) /* eight bundles, each over the whole of the ports */
		fifos[i] = (struct bundle_fifo){ 2, 0, 2, i % 3 ? 4 : 8, 0, false,
			1u << i % 8 | 1u << (i + 3) % 8 };
	begin(fifos, BUNDLE_MOST, 8, (unsigned)_i);
	n.firings = 400;
	ck_assert_int_eq(bundle_net_run(&n), 0);
	ck_assert_uint_eq(atomic_load(&n.wrong), 0);
	for (unsigned i = 0; i < BUNDLE_MOST; i++) {
		ck_assert_ptr_eq(n.made[i]->lead, n.made[i % 8]);
		ck_assert_uint_eq(n.read_windows[i], 100);
	}
	bundle_net_destroy(&n);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("bundles");
	TCase *which = test_case(suite, "which"), *last = test_case(suite, "last");

	tcase_add_checked_fixture(which, plan_setup, NULL);
	tcase_add_loop_test(which, which_are_bundled, 0, TEST_COUNT(whiches));
	tcase_add_test(which, none_before_the_start);
	tcase_add_loop_test(which, some_never_are, 0, TEST_COUNT(unfits));
	tcase_add_test(which, said_of_each);
	tcase_add_loop_test(which, marked, 0, TEST_COUNT(marks));
	tcase_add_loop_test(which, small_beside_large, 31, 34);
	tcase_add_loop_test(last, last_windows, 0, 12 * TEST_COUNT(lasts));
	tcase_add_loop_test(last, windows_that_are_left, 0, 8);
	tcase_add_loop_test(last, many_ports, 0, 3);
	return test_main(suite);
}
