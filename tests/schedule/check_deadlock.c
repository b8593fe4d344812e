/* SPDX-License-Identifier: MIT */
/*
 * The detector: each kind of deadlock is found at once, also while others run. The report says which actor waits for
 * what. An actor that may still go on, if only by ending, is not taken for dead.
 */
#include "tests/common/common.h"
#include "tests/random/node.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

/* What the analyser has said of a cycle. */
#define MEND_TOKENS(connection, tokens, has, window)                                                   \
	"before the start: give " connection " " tokens " or more initial tokens (.delay; it has " has \
	", a window "                                                                                  \
	"is " window ")"

enum { NODES = 24 };

static _Atomic uint64_t never;

static struct pstk_network *make(const char *name, struct node *nodes, unsigned count)
{
	struct pstk_network *net = pstk_network_create(name);

	pstk_network_set_flags(net, PSTK_UNCHECKED);
	for (unsigned i = 0; i < count; i++)
		node_add(net, &nodes[i]);
	return net;
}

/* Runs it into a deadlock and keeps the error; every finish() has run. */
static void run_dead(struct pstk_network *net, struct node *nodes, unsigned count, char *error)
{
	int err;

	test_log_start();
	err = pstk_network_run(net);
	ck_assert_msg(err == -EDEADLK, "%d: %s", err, pstk_network_error(net));
	snprintf(error, 512, "%s", pstk_network_error(net));
	ck_assert(test_log_has("wait for each other:") || test_log_has("an actor waits for itself:"));
	test_log_stop();
	pstk_network_destroy(net);
	for (unsigned i = 0; i < count; i++)
		ck_assert_uint_eq(nodes[i].finished, 1);
}

/* The rest of one that runs. */
static void end_alive(struct pstk_network *net, struct node *nodes, unsigned count)
{
	int err = pstk_network_wait(net);

	ck_assert_msg(!err, "%d: %s", err, pstk_network_error(net));
	pstk_network_destroy(net);
	for (unsigned i = 0; i < count; i++)
		ck_assert_uint_eq(nodes[i].finished, 1);
}

/* Rings for want of tokens. */
START_TEST(test_rings)
{
	static const unsigned sizes[] = { 1, 2, 3, 20 };
	unsigned count = sizes[_i];
	struct node nodes[NODES] = { 0 };
	struct pstk_network *net;
	char names[NODES][16], error[512];

	for (unsigned i = 0; i < count; i++) {
		snprintf(names[i], sizeof names[i], "n%u", i);
		nodes[i] = (struct node){ .name = names[i], .ports = "<in >out" };
	}
	net = make("ring", nodes, count);
	for (unsigned i = 0; i < count; i++)
		node_connect(&nodes[i], "out", &nodes[(i + 1) % count], "in", 4, i == 1 ? 3 : 0, 0);
	run_dead(net, nodes, count, error);
	if (count == 1)
		ck_assert_str_eq(error,
			"deadlock: n0 (firing 0) waits for tokens on in [rate 4, 0/8] <- n0; " MEND_TOKENS(
				"'n0'.out -> 'n0'.in", "4", "0", "4"));
	if (count == 2)
		ck_assert_str_eq(error,
			"deadlock: n0 (firing 0) waits for tokens on in [rate 4, 3/11] <- n1; "
			"n1 (firing 0) waits for tokens on in [rate 4, 0/8] <- n0; " MEND_TOKENS(
				"'n1'.out -> 'n0'.in", "4", "3", "4"));
	if (count == 20)
		TEST_SAYS(error, "deadlock: n0 (firing 0) waits for tokens on in [rate 4, 0/8] <- n19; n19 ",
			" more; " MEND_TOKENS("'n1'.out -> 'n2'.in", "4", "3", "4"));
	for (unsigned i = 0; i < count; i++)
		ck_assert_uint_eq(nodes[i].firings, 0);
}
END_TEST

/* However long the names are: a wait, and what would fix it. */
START_TEST(test_long_names)
{
	static const uint32_t on[] = { 1 };
	static const char port[] = "pppppppppppppppppppppppppppppp";
	char long_name[128], ports[2][64], error[512];
	struct node ring[2] = { { .name = long_name, .ports = "<in >out" },
		{ .name = "b", .ports = "<in >out" } };
	struct node group[] = { { .name = "conf", .ports = ">ctl", .gives = on, .give_count = 1 },
		{ .name = long_name, .ports = ports[0], .on = { 0, 2 } },
		{ .name = "b", .ports = ports[1], .on = { 0, 0 } } };
	struct pstk_network *net;

	memset(long_name, 'x', 127);
	memcpy(long_name + 29, "\xc3\xa4", 2); /* one letter of two bytes, where the name is cut */
	long_name[127] = 0;
	net = make("long", ring, 2);
	node_connect(&ring[0], "out", &ring[1], "in", 1, 0, 0);
	node_connect(&ring[1], "out", &ring[0], "in", 1, 0, 0);
	run_dead(net, ring, 2, error);
	ck_assert_uint_lt(strlen(error), 511);
	TEST_SAYS(error,
		"deadlock: xxxxxxxxxxxxxxxxxxxxxxxxxxxxx.. (firing 0) waits for tokens on in [rate 1, 0/2] "
		"<- b; ",
		"; before the start: give 'b'.out -> 'xxx");

	snprintf(ports[0], sizeof ports[0], "@ctl ?%s", port);
	snprintf(ports[1], sizeof ports[1], "@ctl !%s", port);
	for (uint32_t declared = 0; declared < 3; declared += 2) {
		for (unsigned i = 1; i < 3; i++) {
			group[i].values = declared;
			group[i].finished = 0;
		}
		group[0].finished = 0;
		net = make("long", group, 3);
		node_connect(&group[0], "ctl", &group[1], "ctl", 1, 0, 0);
		node_connect(&group[0], "ctl", &group[2], "ctl", 1, 0, 0);
		node_connect(&group[2], port, &group[1], port, 4, 0, 0);
		run_dead(net, group, 3, error);
		TEST_SAYS(error, "deadlock: conf (firing 3) waits for room on ctl [rate 1, 2/2] <- ");
		if (!declared)
			TEST_SAYS(error,
				"; 'xxxxxxxxxxxxxxxxxxxxxxxxxxxxx..'.pppppppppppppppppppppppppppppp and "
				"'b'.pppppppppppppppppppppppppppppp must be on at the same times: compare");
		else
			TEST_SAYS(error, "; before the start: 'b'.ppp", ", value 1: ");
	}
}
END_TEST

/* The control of two members is asymmetric: conf runs into the one that waits for data which the other never sends. */
START_TEST(test_control)
{
	static const uint32_t a_values[] = { 0 }, b_values[] = { 1 };
	struct node nodes[] = {
		{ .name = "conf_a", .ports = ">ctl", .gives = a_values, .give_count = 1, .ends = 50 },
		{ .name = "a", .ports = "@ctl !data <x", .on = { 0, 2 }, .values = 2 },
		{ .name = "b", .ports = "@ctl ?data >x", .on = { 0, 2 }, .values = 2 },
		{ .name = "conf_b", .ports = ">ctl", .gives = b_values, .give_count = 1, .ends = 50 }
	};
	struct pstk_network *net = make("control", nodes, 4);
	char error[512];

	node_connect(&nodes[0], "ctl", &nodes[1], "ctl", 1, 0, 0);
	node_connect(&nodes[3], "ctl", &nodes[2], "ctl", 1, 0, 0);
	node_connect(&nodes[1], "data", &nodes[2], "data", 4, 0, 0);
	node_connect(&nodes[2], "x", &nodes[1], "x", 1, 1, 0);
	run_dead(net, nodes, 4, error);
	TEST_SAYS(error, "a (firing 1, control 0) waits for tokens on x [rate 1, 0/3] <- b",
		"b (firing 0, control 1) waits for tokens on data [rate 4, 0/8] <- a",
		"; before the start: 'a'.data -> 'b'.data: ", "from one output, a broadcast");
	ck_assert_uint_eq(nodes[1].firings, 1); /* with b's initial token */
}
END_TEST

/* As the model's example: a configuration actor with one token for each, in one firing. */
START_TEST(test_room_and_tokens)
{
	static const uint32_t on[] = { 1 };
	struct node nodes[] = { { .name = "conf", .ports = ">ctl_a >ctl_b", .gives = on, .give_count = 1 },
		{ .name = "a", .ports = "@ctl !data", .on = { 0, 0 }, .values = 2 },
		{ .name = "b", .ports = "@ctl ?data", .on = { 0, 2 }, .values = 2 } };
	struct pstk_network *net = make("match", nodes, 3);
	char error[512];

	node_connect(&nodes[0], "ctl_a", &nodes[1], "ctl", 1, 0, 0);
	node_connect(&nodes[0], "ctl_b", &nodes[2], "ctl", 1, 0, 0);
	node_connect(&nodes[1], "data", &nodes[2], "data", 4, 0, 0);
	run_dead(net, nodes, 3, error);
	TEST_SAYS(error, "deadlock: conf (firing 3) waits for room on ctl_b [rate 1, 2/2] <- b; "
			 "b (firing 0, control 1) waits for tokens on data [rate 4, 0/8] <- a; "
			 "a (firing 3) waits for tokens on ctl [rate 1, 0/2] <- conf; "
			 "before the start: 'a'.data -> 'b'.data: ");
	ck_assert_ptr_null(strstr(error, "depth"));
}
END_TEST

/* One group of which the analyser could not know: its values are not declared. */
START_TEST(test_unknown_control)
{
	static const uint32_t on[] = { 1 };
	struct node nodes[] = { { .name = "conf", .ports = ">ctl", .gives = on, .give_count = 1 },
		{ .name = "a", .ports = "@ctl !data", .on = { 0, 0 } },
		{ .name = "b", .ports = "@ctl ?in", .on = { 0, 2 } } };
	struct pstk_network *net;
	char error[512];

	net = make("unknown", nodes, 3);
	node_connect(&nodes[0], "ctl", &nodes[1], "ctl", 1, 0, 0);
	node_connect(&nodes[0], "ctl", &nodes[2], "ctl", 1, 0, 0);
	node_connect(&nodes[1], "data", &nodes[2], "in", 4, 0, 0);
	ck_assert_int_eq(pstk_network_check(net, NULL, NULL), 1);
	run_dead(net, nodes, 3, error);
	TEST_SAYS(error, "b (firing 0, control 1) waits for tokens on in [rate 4, 0/8] <- a; ",
		"; 'b'.in and 'a'.data must be on at the same times: compare the control of both");
}
END_TEST

/* The same with a stream of control tokens for each. */
START_TEST(test_unknown_groups)
{
	static const uint32_t a_values[] = { 0 }, b_values[] = { 1 };
	struct node nodes[] = {
		{ .name = "conf_a", .ports = ">ctl", .gives = a_values, .give_count = 1, .ends = 50 },
		{ .name = "a", .ports = "@ctl !data <x", .on = { 0, 2 } },
		{ .name = "b", .ports = "@ctl ?data >x", .on = { 0, 2 } },
		{ .name = "conf_b", .ports = ">ctl", .gives = b_values, .give_count = 1, .ends = 50 }
	};
	struct pstk_network *net = make("groups", nodes, 4);
	char error[512];

	node_connect(&nodes[0], "ctl", &nodes[1], "ctl", 1, 0, 0);
	node_connect(&nodes[3], "ctl", &nodes[2], "ctl", 1, 0, 0);
	node_connect(&nodes[1], "data", &nodes[2], "data", 4, 0, 0);
	node_connect(&nodes[2], "x", &nodes[1], "x", 1, 1, 0);
	run_dead(net, nodes, 4, error);
	TEST_SAYS(error, "; 'b'.data and 'a'.data must be on at the same times: feed both control ports from "
			 "one output, a broadcast");
}
END_TEST

/* A static actor behind a dynamic port. */
START_TEST(test_tap)
{
	static const uint32_t off[] = { 0 };
	struct node nodes[] = { { .name = "conf", .ports = ">ctl", .gives = off, .give_count = 1 },
		{ .name = "a", .ports = "@ctl !data >x", .on = { 0, 2 } },
		{ .name = "tap", .ports = "<data <x" } };
	struct pstk_network *net = make("tap", nodes, 3);
	char error[512];

	node_connect(&nodes[0], "ctl", &nodes[1], "ctl", 1, 0, 0);
	node_connect(&nodes[1], "data", &nodes[2], "data", 1, 0, 0);
	node_connect(&nodes[1], "x", &nodes[2], "x", 1, 0, 0);
	run_dead(net, nodes, 3, error);
	ck_assert_str_eq(error, "deadlock: a (firing 2, control 0) waits for room on x [rate 1, 2/2] <- tap; "
				"tap (firing 0) waits for tokens on data [rate 1, 0/2] <- a; "
				"'a'.data may be off: the actor that waits behind it needs a dynamic port "
				"under the same control");
}
END_TEST

/* A kahn actor writes control tokens too far ahead: no control() is to blame. More room, for data if they are in the
 * circle. */
START_TEST(test_kahn_control)
{
	struct node nodes[] = { { .name = "conf", .ports = ">ctl >in", .kahn = "cccccccci" },
		{ .name = "a", .ports = _i ? "@ctl >more" : "@ctl <in" },
		{ .name = "b", .ports = "<in <more", .kahn = "im" } };
	struct pstk_network *net = make("ahead", nodes, _i ? 3 : 2);
	char error[512];

	node_connect(&nodes[0], "ctl", &nodes[1], "ctl", 1, 0, 0);
	node_connect(&nodes[0], "in", &nodes[_i ? 2 : 1], "in", 1, 0, 0);
	if (_i)
		node_connect(&nodes[1], "more", &nodes[2], "more", 1, 0, 3);
	run_dead(net, nodes, _i ? 3 : 2, error);
	TEST_SAYS(error, "deadlock: conf (firing 0) waits for room on ctl [rate 1, 2/2] <- a; ",
		_i ? "; give 'a'.more -> 'b'.more more room: a .depth of 4 or more (it is 3)"
		   : "; give 'conf'.ctl -> 'a'.ctl more room: a .depth of 3 or more (it is 2)");
}
END_TEST

/* A broadcast of which one reader takes five before it gives one, to the other one's second input. */
START_TEST(test_broadcast)
{
	struct node nodes[] = { { .name = "source", .ports = ">out" },
		{ .name = "slow", .ports = "<in >out", .kahn = "iiiiio" },
		{ .name = "sink", .ports = "<out <slow" } };
	struct pstk_network *net = make("broadcast", nodes, 3);
	char error[512];

	node_connect(&nodes[0], "out", &nodes[1], "in", 1, 0, 0);
	node_connect(&nodes[0], "out", &nodes[2], "out", 1, 0, 3);
	node_connect(&nodes[1], "out", &nodes[2], "slow", 1, 0, 0);
	run_dead(net, nodes, 3, error);
	ck_assert_str_eq(error, "deadlock: source (firing 3) waits for room on out [rate 1, 3/3] <- sink; "
				"sink (firing 0) waits for tokens on slow [rate 1, 0/2] <- slow; "
				"slow (firing 0) waits for tokens on in [rate 1, 0/2] <- source; "
				"give 'source'.out -> 'sink'.out more room: a .depth of 4 or more (it is 3)");
}
END_TEST

/* Both read first; both write for ever. */
START_TEST(test_kahn)
{
	struct node nodes[] = { { .name = "a", .ports = "<in >out", .kahn = _i ? "o" : "io" },
		{ .name = "b", .ports = "<in >out", .kahn = _i ? "o" : "io" } };
	struct pstk_network *net = make("kahn", nodes, 2);
	char error[512];

	node_connect(&nodes[0], "out", &nodes[1], "in", 1, 0, 5);
	node_connect(&nodes[1], "out", &nodes[0], "in", 1, 0, 3);
	run_dead(net, nodes, 2, error);
	if (_i)
		ck_assert_str_eq(error, "deadlock: a (firing 5) waits for room on out [rate 1, 5/5] <- b; "
					"b (firing 3) waits for room on out [rate 1, 3/3] <- a; "
					"give 'a'.out -> 'b'.in more room: a .depth of 6 or more (it is 5)");
	else
		TEST_SAYS(error, "a (firing 0) waits for tokens on in [rate 1, 0/3] <- b",
			"; give 'b'.out -> 'a'.in 1 or more initial tokens (.delay; it has 0, a window is "
			"1)");
}
END_TEST

/*
 * Data before the word that it is there, between kahn actors: the reader waits for the word, the writer for room.
 */

enum { AHEAD = 300 };

struct ahead {
	unsigned step; /* tokens of one call */
	bool windows;  /* a token a window, by hand */
	uint64_t sum;  /* of what was read */
};

static int ahead_write(struct pstk_firing *f)
{
	const struct ahead *t = pstk_actor_arg(pstk_firing_actor(f));
	uint32_t data[AHEAD], word = AHEAD;
	const uint32_t *next = data;

	for (unsigned i = 0; i < AHEAD; i++)
		data[i] = i + 1;
	for (unsigned left = AHEAD, n; left; left -= n, next += n) {
		uint32_t *window = t->windows ? pstk_fifo_write_start(f, 0) : NULL;

		n = t->windows || left < t->step ? 1 : t->step;
		if (window)
			*window = *next;
		if (window)
			pstk_fifo_write_end(f, 0);
		if (!t->windows && pstk_fifo_write(f, 0, next, n) != (int)n)
			return PSTK_DONE;
	}
	pstk_fifo_write(f, 1, &word, 1);
	return PSTK_DONE;
}

static int ahead_read(struct pstk_firing *f)
{
	struct ahead *t = pstk_actor_arg(pstk_firing_actor(f));
	uint32_t data[AHEAD], word;

	if (pstk_fifo_read(f, 1, &word, 1) != 1 || pstk_fifo_read(f, 0, data, AHEAD) != AHEAD)
		return PSTK_DONE;
	for (unsigned i = 0; i < AHEAD; i++)
		t->sum += data[i];
	return PSTK_DONE;
}

/* The number after a piece of the error: what it says that would do. */
static unsigned proposed(const char *error, const char *behind)
{
	const char *at = strstr(error, behind);
	unsigned number = 0;

	ck_assert_msg(at && sscanf(at + strlen(behind), "%u or more (it is ", &number) == 1, "%s", error);
	return number;
}

/* One run with so much room. 0: it came to its end, else the size that the error proposes. */
static unsigned run_ahead(struct ahead *t, struct pstk_fifo_spec spec)
{
	static const struct pstk_port out[] = { { .name = "data", .kind = PSTK_OUTPUT },
		{ .name = "word", .kind = PSTK_OUTPUT } };
	static const struct pstk_port in[] = { { .name = "data", .kind = PSTK_INPUT },
		{ .name = "word", .kind = PSTK_INPUT } };
	struct pstk_network *net = pstk_network_create("ahead");
	struct pstk_actor *a = pstk_network_add(net, "a",
		PSTK_ACTOR_TYPE(.name = "writer", .ports = out, .port_count = 2, .kahn = true,
			.fire = ahead_write),
		t);
	struct pstk_actor *b = pstk_network_add(net, "b",
		PSTK_ACTOR_TYPE(.name = "reader", .ports = in, .port_count = 2, .kahn = true,
			.fire = ahead_read),
		t);
	unsigned more = 0;
	int err;

	pstk_connect(a, "data", b, "data", &spec);
	pstk_connect(a, "word", b, "word", PSTK_FIFO(.capacity = 1, .token_size = 4));
	test_log_start();
	err = pstk_network_run(net);
	test_log_stop();
	ck_assert_msg(!err || err == -EDEADLK, "%d: %s", err, pstk_network_error(net));
	if (err)
		more = proposed(pstk_network_error(net),
			spec.capacity ? "give 'a'.data -> 'b'.data more room: a "
					".capacity of "
				      : "give 'a'.data -> 'b'.data more room: a .depth "
					"of ");
	pstk_network_destroy(net);
	return more;
}

/* What the error proposes would do, and no less: the call that waited goes on then. */
START_TEST(test_remedy_for_a_ring)
{
	static const struct {
		struct pstk_fifo_spec spec;
		struct ahead how;
		unsigned proposed, runs; /* by the first run; until it ends */
	} cases[] = {
		{ { .capacity = 200 }, { .step = AHEAD }, 300, 2 },
		{ { .capacity = 200, .delay = 7 }, { .step = AHEAD }, 307, 2 },
		{ { .capacity = 200 }, { .step = 150 }, 300, 2 },
		{ { .capacity = 100 }, { .step = 150 }, 150, 3 },
		{ { .capacity = 297 }, { .step = 1 }, 298, 4 },
		{ { .capacity = 297 }, { .windows = true }, 298, 4 },
		/* windows: their number, by as many of them as the call has tokens left */
		{ { .rate = 8, .depth = 3 }, { .step = AHEAD }, 38, 2 },
	};
	struct pstk_fifo_spec spec = cases[_i].spec;
	unsigned runs = 1, more;

	spec.struct_size = sizeof spec;
	spec.token_size = 4;
	for (;; runs++) {
		struct ahead t = cases[_i].how;

		more = run_ahead(&t, spec);
		if (runs == 1)
			ck_assert_uint_eq(more, cases[_i].proposed);
		if (!more) {
			/* the reader has read AHEAD tokens, of which the delay's were zeros */
			uint64_t seen = AHEAD - spec.delay;

			ck_assert_uint_eq(t.sum, seen * (seen + 1) / 2);
			break;
		}
		if (cases[_i].how.step == AHEAD) {
			struct pstk_fifo_spec less = spec;
			struct ahead again = cases[_i].how;

			*(spec.capacity ? &less.capacity : &less.depth) = more - 1;
			ck_assert_uint_eq(run_ahead(&again, less), more);
		}
		*(spec.capacity ? &spec.capacity : &spec.depth) = more;
	}
	ck_assert_uint_eq(runs, cases[_i].runs);
}
END_TEST

/* Initial tokens are proposed where there are some already; a window is more than one. */
START_TEST(test_kahn_tokens)
{
	struct node nodes[] = { { .name = "a", .ports = "<in >out", .kahn = "io" },
		{ .name = "b", .ports = "<in >out" }, { .name = "c", .ports = "<in >out" } };
	struct pstk_network *net = make("kahn", nodes, 3);
	char error[512];

	node_connect(&nodes[0], "out", &nodes[1], "in", 4, _i ? 0 : 2, 0);
	node_connect(&nodes[1], "out", &nodes[2], "in", 4, 3, 0);
	node_connect(&nodes[2], "out", &nodes[0], "in", 4, 0, 0);
	run_dead(net, nodes, 3, error);
	TEST_SAYS(
		error, "; give 'b'.out -> 'c'.in 4 or more initial tokens (.delay; it has 3, a window is 4)");
}
END_TEST

/* Another part of the network that never ends, and one that is in fire() all the time. */
START_TEST(test_others_run)
{
	struct node nodes[] = { { .name = "a", .ports = "<in >out" }, { .name = "b", .ports = "<in >out" },
		{ .name = "endless", .ports = ">out" }, { .name = "sink", .ports = "<in" },
		{ .name = "busy", .ports = ">out", .fire = "hold", .open = &never },
		{ .name = "waits", .ports = "<in" } };
	struct pstk_network *net = make("parts", nodes, 6);
	char error[512];

	node_connect(&nodes[0], "out", &nodes[1], "in", 1, 0, 0);
	node_connect(&nodes[1], "out", &nodes[0], "in", 1, 0, 0);
	node_connect(&nodes[2], "out", &nodes[3], "in", 1, 0, 0);
	node_connect(&nodes[4], "out", &nodes[5], "in", 1, 0, 0);
	run_dead(net, nodes, 6, error);
	TEST_SAYS(error, "deadlock: a (firing 0) waits for tokens on in [rate 1, 0/2] <- b;");
}
END_TEST

/* The chain from the actor that waits last leads into the cycle; that actor is not on it. */
START_TEST(test_fed_ring)
{
	struct node nodes[] = { { .name = "source", .ports = ">out" },
		{ .name = "a", .ports = "<back <in >out" }, { .name = "b", .ports = "<in >out" },
		{ .name = "sink", .ports = "<in" } };
	struct pstk_network *net = make("fed", nodes, 4);
	char error[512];

	node_connect(&nodes[0], "out", &nodes[1], "in", 1, 0, 0);
	node_connect(&nodes[1], "out", &nodes[2], "in", 1, 0, 0);
	node_connect(&nodes[2], "out", &nodes[1], "back", 1, 0, 0);
	node_connect(&nodes[2], "out", &nodes[3], "in", 1, 0, 0);
	run_dead(net, nodes, 4, error);
	ck_assert_str_eq(error, "deadlock: a (firing 0) waits for tokens on back [rate 1, 0/2] <- b; "
				"b (firing 0) waits for tokens on in [rate 1, 0/2] <- a; " MEND_TOKENS(
					"'b'.out -> 'a'.back", "1", "0", "1"));
}
END_TEST

/* A source gives one window, by which its reader can't end any more, and stays in fire(). The ring was undecided
 * before. */
START_TEST(test_decided_by_a_window)
{
	_Atomic uint64_t open = 0;
	struct node nodes[] = { { .name = "source", .ports = ">out", .fire = "hold", .open = &open },
		{ .name = "a", .ports = "<back <in >out" }, { .name = "b", .ports = "<in >out" } };
	struct pstk_network *net = make("decided", nodes, 3);

	node_connect(&nodes[0], "out", &nodes[1], "in", 1, 0, 8);
	node_connect(&nodes[1], "out", &nodes[2], "in", 1, 0, 0);
	node_connect(&nodes[2], "out", &nodes[1], "back", 1, 0, 0);
	test_log_start();
	ck_assert_int_eq(pstk_network_start(net), 0);
	/* the ring waits, and may still end: nothing is said, however long it takes */
	ck_assert_int_eq(pstk_network_wait_for(net, 20000000), -ETIMEDOUT);
	atomic_store(&open, 1);
	ck_assert_int_eq(pstk_network_wait(net), -EDEADLK);
	TEST_SAYS(pstk_network_error(net), "deadlock: a (firing 0) waits for tokens on back", "b (firing 0)");
	test_log_stop();
	ck_assert_uint_le(nodes[0].firings, 2); /* the second one was let go on by the failure */
	pstk_network_destroy(net);
}
END_TEST

/* A source may still end a ring, and does: no deadlock, and none was said before. */
START_TEST(test_ended_by_a_source)
{
	_Atomic uint64_t open = _i;
	struct node nodes[] = { { .name = "source", .ports = ">out", .fire = "end", .open = &open },
		{ .name = "a", .ports = "<back <in >out" }, { .name = "b", .ports = "<in >out" } };
	struct pstk_network *net = make("ended", nodes, 3);

	node_connect(&nodes[0], "out", &nodes[1], "in", 1, 0, 0);
	node_connect(&nodes[1], "out", &nodes[2], "in", 1, 0, 0);
	node_connect(&nodes[2], "out", &nodes[1], "back", 1, 0, 0);
	ck_assert_int_eq(pstk_network_start(net), 0);
	if (!_i)
		ck_assert_int_eq(pstk_network_wait_for(net, 20000000), -ETIMEDOUT);
	atomic_store(&open, 1);
	end_alive(net, nodes, 3);
}
END_TEST

/* A cycle of waits for room and for tokens. Only a sink wants the tokens of one of its members, and the sink ends. */
START_TEST(test_ended_by_a_sink)
{
	_Atomic uint64_t open = 0;
	struct node nodes[] = { { .name = "p", .ports = ">xs >zs", .kahn = "xxxxxxxxz", .ends = 3 },
		{ .name = "x", .ports = "<q <p >out" }, { .name = "z", .ports = "<in >out" },
		{ .name = "sink", .ports = "<in", .kahn = "i", .fire = "end", .open = &open } };
	struct pstk_network *net = make("unwanted", nodes, 4);

	node_connect(&nodes[0], "xs", &nodes[1], "p", 1, 0, 0);
	node_connect(&nodes[0], "zs", &nodes[2], "in", 1, 0, 0);
	node_connect(&nodes[2], "out", &nodes[1], "q", 1, 0, 0);
	node_connect(&nodes[1], "out", &nodes[3], "in", 1, 0, 0);
	ck_assert_int_eq(pstk_network_start(net), 0);
	ck_assert_int_eq(pstk_network_wait_for(net, 20000000), -ETIMEDOUT);
	atomic_store(&open, 1);
	end_alive(net, nodes, 4);
	/* what is written to x is dropped from now on; all of it, unless a firing hears that no reader wants it */
	ck_assert_uint_ge(nodes[0].firings, 1);
	ck_assert_uint_le(nodes[0].firings, 3);
}
END_TEST

/* The same sink waits: then it is a deadlock, and the sink is not on the cycle. */
START_TEST(test_unwanted_by_nobody)
{
	struct node nodes[] = { { .name = "p", .ports = ">xs >zs", .kahn = "xxxxxxxxz", .ends = 3 },
		{ .name = "x", .ports = "<q <p >out" }, { .name = "z", .ports = "<in >out" },
		{ .name = "sink", .ports = "<in" } };
	struct pstk_network *net = make("wanted", nodes, 4);
	char error[512];

	node_connect(&nodes[0], "xs", &nodes[1], "p", 1, 0, 0);
	node_connect(&nodes[0], "zs", &nodes[2], "in", 1, 0, 0);
	node_connect(&nodes[2], "out", &nodes[1], "q", 1, 0, 0);
	node_connect(&nodes[1], "out", &nodes[3], "in", 1, 0, 0);
	run_dead(net, nodes, 4, error);
	ck_assert_str_eq(error, "deadlock: p (firing 0) waits for room on xs [rate 1, 2/2] <- x; "
				"x (firing 0) waits for tokens on q [rate 1, 0/2] <- z; "
				"z (firing 0) waits for tokens on in [rate 1, 0/2] <- p; give "
				"'p'.xs -> 'x'.p more room: a .depth of 3 or more (it is 2)");
}
END_TEST

/* Two at once: one error, and one report. */
START_TEST(test_two)
{
	for (uint64_t round = 0; round < test_rounds(200); round++) {
		struct node nodes[] = { { .name = "a", .ports = "<in >out" },
			{ .name = "b", .ports = "<in >out" }, { .name = "c", .ports = "<in >out" },
			{ .name = "d", .ports = "<in >out" } };
		struct pstk_network *net = make("two", nodes, 4);
		char error[512];

		node_connect(&nodes[0], "out", &nodes[1], "in", 1, 0, 0);
		node_connect(&nodes[1], "out", &nodes[0], "in", 1, 0, 0);
		node_connect(&nodes[2], "out", &nodes[3], "in", 1, 0, 0);
		node_connect(&nodes[3], "out", &nodes[2], "in", 1, 0, 0);
		run_dead(net, nodes, 4, error);
		if (strstr(error, "a (firing 0)"))
			ck_assert_ptr_null(strstr(error, "c (firing"));
		else
			TEST_SAYS(error, "c (firing 0)", "d (firing 0)");
	}
}
END_TEST

/* Starts, stops, ends at random times around a deadlock: whatever comes first, it ends. */
START_TEST(test_stop_around)
{
	for (uint64_t round = 0; round < test_rounds(300); round++) {
		struct node nodes[] = { { .name = "a", .ports = "<in >out" },
			{ .name = "b", .ports = "<in >out" } };
		struct pstk_network *net = make("around", nodes, 2);
		int err;

		test_guard("a stop around a deadlock", round);
		node_connect(&nodes[0], "out", &nodes[1], "in", 1, 0, 0);
		node_connect(&nodes[1], "out", &nodes[0], "in", 1, 0, 0);
		test_log_start();
		ck_assert_int_eq(pstk_network_start(net), 0);
		if (round % 3 == 0)
			pstk_network_stop(net);
		if (round % 3 == 1)
			pstk_network_abort(net);
		err = pstk_network_wait(net);
		test_log_stop();
		ck_assert(
			err == -EDEADLK || (round % 3 == 0 && !err) || (round % 3 == 1 && err == -ECANCELED));
		pstk_network_destroy(net);
	}
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("deadlock");
	TCase *dead = test_case(suite, "dead"), *alive = test_case(suite, "alive");

	tcase_add_loop_test(dead, test_rings, 0, 4);
	tcase_add_test(dead, test_long_names);
	tcase_add_test(dead, test_control);
	tcase_add_test(dead, test_room_and_tokens);
	tcase_add_test(dead, test_unknown_control);
	tcase_add_test(dead, test_unknown_groups);
	tcase_add_test(dead, test_tap);
	tcase_add_loop_test(dead, test_kahn_control, 0, 2);
	tcase_add_loop_test(dead, test_kahn_tokens, 0, 2);
	tcase_add_test(dead, test_broadcast);
	tcase_add_loop_test(dead, test_kahn, 0, 2);
	tcase_add_loop_test(dead, test_remedy_for_a_ring, 0, 7);
	tcase_add_test(dead, test_others_run);
	tcase_add_test(dead, test_fed_ring);
	tcase_add_test(dead, test_decided_by_a_window);
	tcase_add_test(dead, test_unwanted_by_nobody);
	tcase_add_test(dead, test_two);
	tcase_add_test(dead, test_stop_around);
	tcase_add_loop_test(alive, test_ended_by_a_source, 0, 2);
	tcase_add_test(alive, test_ended_by_a_sink);
	return test_main(suite);
}
