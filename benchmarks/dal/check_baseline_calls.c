/* SPDX-License-Identifier: MIT */
/* The baseline runtime: iterators, events, checkpoints, cycles; wrong calls; what it refuses to build. */
#include "benchmarks/dal/baseline.h"
#include "dal/check_dal.h"
#include "tests/common/file.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct _local_states {
	uint64_t next;
};

/* What processes have seen: each member is one process's while the application runs. */
static struct {
	uint64_t tokens; /* of the producer; 0: it never ends */
	uint64_t enough; /* of the consumer: it sends an event then; 0: never */
	uint64_t consumed, wrong;
	uint64_t (*expect)(uint64_t n);
	unsigned inits, finishes;
} seen;

/* -- processes -- */

static void count_init(DALProcess *p)
{
	ck_assert_uint_eq(p->local->next, 0);
	seen.inits++;
}

static void count_finish(DALProcess *p)
{
	ck_assert_int_eq(DAL_send_event("too late", p), -1);
	seen.finishes++;
}

static int producer_fire(DALProcess *p)
{
	uint64_t x = p->local->next + 1;

	if (seen.tokens && p->local->next == seen.tokens) {
		DAL_send_event("done", p);
		return 0;
	}
	p->local->next++;
	DAL_write("out", &x, sizeof x, p);
	return 0;
}

static int consumer_fire(DALProcess *p)
{
	uint64_t x;

	if (DAL_read("in", &x, sizeof x, p) < (int)sizeof x)
		return 0;
	seen.wrong += x != seen.expect(seen.consumed);
	seen.consumed++;
	if (seen.enough && seen.consumed >= seen.enough)
		ck_assert_int_eq(DAL_send_event("enough", p), 0);
	return 0;
}

/* Ports of this one have numbers for names. */
static int square_fire(DALProcess *p)
{
	uint64_t x;

	DAL_read((void *)0, &x, sizeof x, p);
	x *= x;
	DAL_write((void *)1, &x, sizeof x, p);
	return 0;
}

static int add_fire(DALProcess *p)
{
	uint64_t x;

	DAL_read("in", &x, sizeof x, p);
	x += 100 * (uint64_t)GETINDEX(0);
	DAL_write("out", &x, sizeof x, p);
	return 0;
}

enum { PRODUCER, CONSUMER, SQUARE, ADD, PROCESSES };
static const struct pstk_dal_process processes[PROCESSES] = {
	PSTK_DAL_PROCESS("producer", count_init, producer_fire, count_finish, sizeof(struct _local_states)),
	PSTK_DAL_PROCESS("consumer", count_init, consumer_fire, count_finish, sizeof(struct _local_states)),
	PSTK_DAL_PROCESS("square", NULL, square_fire, NULL, 0),
	PSTK_DAL_PROCESS("add", NULL, add_fire, NULL, 0),
};

static uint64_t square_of(uint64_t n)
{
	return (n + 1) * (n + 1);
}

static uint64_t sum_of(uint64_t n)
{
	return n + 1 + 100 * (0 + 1 + 2 + 3);
}

/* -- running -- */

static struct baseline_options options(unsigned i)
{
	struct baseline_options o = i & 1 ? baseline_best() : baseline_paper();

	o.wait = (enum baseline_wait)(i / 2 % 3);
	return o;
}

static struct baseline *create(const char *file, const char *mapping, const struct pstk_dal_process *list,
	unsigned count, unsigned i)
{
	struct baseline_options o = options(i);
	char text[400] = "";
	struct baseline *b = baseline_create(file, mapping, list, count, &o, text, sizeof text);

	ck_assert_msg(b != NULL, "%s", text);
	return b;
}

static void run(struct baseline *b)
{
	int err = baseline_run(b);

	ck_assert_msg(err == 0, "%s", baseline_error(b));
	ck_assert_uint_eq(seen.wrong, 0);
	baseline_destroy(b);
}

START_TEST(test_square)
{
	seen.tokens = 2000;
	seen.expect = square_of;
	run(create(DAL_DATA "/square.xml", NULL, processes, PROCESSES, (unsigned)_i));
	ck_assert_uint_eq(seen.consumed, 2000);
	ck_assert_uint_eq(seen.inits, 2);
	ck_assert_uint_eq(seen.finishes, 2);
}
END_TEST

START_TEST(test_pipeline)
{
	seen.tokens = 1000;
	seen.expect = sum_of;
	run(create(DAL_DATA "/pipeline.xml", NULL, processes, PROCESSES, (unsigned)_i));
	ck_assert_uint_eq(seen.consumed, 1000);
}
END_TEST

/* No process ends but by the consumer's event; what is under way drains. */
START_TEST(test_event)
{
	seen.enough = 500;
	seen.expect = sum_of;
	run(create(DAL_DATA "/pipeline.xml", NULL, processes, PROCESSES, (unsigned)_i));
	ck_assert_uint_ge(seen.consumed, 500);
}
END_TEST

static void early_init(DALProcess *p)
{
	ck_assert_int_eq(DAL_send_event(NULL, p), -1);
	ck_assert_int_eq(DAL_send_event("early", p), 0);
}

START_TEST(test_event_in_init)
{
	struct pstk_dal_process list[PROCESSES];

	memcpy(list, processes, sizeof list);
	list[CONSUMER].init = early_init;
	seen.expect = sum_of;
	run(create(DAL_DATA "/pipeline.xml", NULL, list, PROCESSES, (unsigned)_i));
	ck_assert_uint_eq(seen.consumed, 0);
}
END_TEST

/* Does not look at its ports any more when it has had enough: ends all the same, and so do those before. */
static int tired_fire(DALProcess *p)
{
	return seen.consumed < 10 ? consumer_fire(p) : 0;
}

START_TEST(test_tired)
{
	struct pstk_dal_process list[PROCESSES];

	memcpy(list, processes, sizeof list);
	list[CONSUMER].fire = tired_fire;
	seen.tokens = 12;
	seen.expect = square_of;
	run(create(DAL_DATA "/square.xml", NULL, list, PROCESSES, (unsigned)_i));
	ck_assert_uint_eq(seen.consumed, 10);
}
END_TEST

/* -- iterated ports -- */

static int deal_fire(DALProcess *p)
{
	for (int i = 0; i < 2; i++)
		for (int j = 0; j < 3; j++) {
			uint64_t x = p->local->next++;
			CREATEPORTVAR(port);

			ck_assert_int_eq(CREATEPORT(port, "out", 2, i, 2, j, 3), 0);
			if (x < 6 * 50)
				DAL_write(port, &x, sizeof x, p);
			else
				DAL_send_event("done", p);
		}
	return 0;
}

/* i, j: each gets every sixth. */
static uint64_t dealt[6];

static int hand_fire(DALProcess *p)
{
	unsigned me = (unsigned)(3 * GETINDEX(0) + GETINDEX(1));
	uint64_t x;

	ck_assert_int_eq(DAL_getIndex(2, p), -1);
	ck_assert_int_eq(DAL_getIndex(-1, p), -1);
	if (DAL_read("in", &x, sizeof x, p) == sizeof x)
		ck_assert_uint_eq(x, 6 * dealt[me]++ + me);
	return 0;
}

static const char *hands =
	"<processnetwork name='hands'><process name='deal'><iterator variable='i' range='2'>"
	"<iterator variable='j' range='3'><port type='output' name='out'><append function='i'/>"
	"<append function='j'/></port></iterator></iterator></process>"
	"<iterator variable='i' range='2'><iterator variable='j' range='3'>"
	"<process name='hand'><append function='i'/><append function='j'/>" DAL_IN(
		"in") "</process>"
		      "<sw_channel type='fifo' name='c' size='2' tokensize='8'><append function='i'/><append "
		      "function='j'/>"
		      "</sw_channel>"
		      "<connection><origin name='deal'><port name='out'><append function='i'/><append "
		      "function='j'/></port>"
		      "</origin><target name='c'><append function='i'/><append function='j'/><port "
		      "name='0'/></target>"
		      "</connection><connection><origin name='c'><append function='i'/><append function='j'/>"
		      "<port name='1'/></origin><target name='hand'><append function='i'/><append "
		      "function='j'/>"
		      "<port name='in'/></target></connection></iterator></iterator></processnetwork>";

START_TEST(test_iterated_ports)
{
	static const struct pstk_dal_process list[] = {
		PSTK_DAL_PROCESS("deal", NULL, deal_fire, NULL, sizeof(struct _local_states)),
		PSTK_DAL_PROCESS("hand", NULL, hand_fire, NULL, 0),
	};
	char port[DAL_PORT_NAME];

	ck_assert_int_eq(DAL_create_port(port, "out", 1, 3, 3), -1);
	ck_assert_int_eq(DAL_create_port(NULL, "out", 1, 0, 3), -1);
	run(create(test_file("hands.xml", hands), NULL, list, 2, (unsigned)_i));
	for (unsigned i = 0; i < 6; i++)
		ck_assert_uint_eq(dealt[i], 50);
	test_files_remove();
}
END_TEST

/* -- cycles -- */

/* Adds what comes to what it has said before, which comes back. */
static int sum_fire(DALProcess *p)
{
	const uint64_t *x = DAL_read_begin("in", 8, 2, p), *old = DAL_read_begin("old", 8, 2, p);
	uint64_t *sum = DAL_write_begin("sum", 8, 2, 2, 0, p), *out = DAL_write_begin("out", 8, 2, 2, 0, p);

	for (unsigned i = 0; i < 2; i++)
		sum[i] = out[i] = x[i] + old[i];
	DAL_write_end("out", out, p);
	DAL_write_end("sum", sum, p);
	DAL_read_end("in", x, p);
	DAL_read_end("old", old, p);
	return 0;
}

/* Two delay tokens: sums of every other number. */
static uint64_t sum_up(uint64_t n)
{
	uint64_t k = n / 2 + 1;

	return n % 2 ? k * (k + 1) : k * k;
}

static const char *cycle = "<processnetwork name='cycle'><process name='producer'>" DAL_OUT(
	"out") "</process>"
	       "<process name='sum'>" DAL_IN("old") DAL_IN("in") DAL_OUT("sum")
		       DAL_OUT("out") "</process>"
				      "<process name='consumer'>" DAL_IN("in") "</process>" DAL_CHANNEL(
					      "a", "size='2' tokensize='8'", "producer", "out", "sum", "in")
					      DAL_CHANNEL("b", "size='4' tokensize='8' initialtokens='2'",
						      "sum", "sum", "sum", "old")
						      DAL_CHANNEL("c", "size='2' tokensize='8'", "sum", "out",
							      "consumer", "in") "</processnetwork>";

START_TEST(test_cycle)
{
	static const struct pstk_dal_port ports[] = { { "in", 2, 8, 0 }, { "old", 2, 8, 0 },
		{ "sum", 2, 8, 1 }, { "out", 2, 8, 1 } };
	struct pstk_dal_process list[3] = { processes[PRODUCER], processes[CONSUMER],
		{ .name = "sum", .fire = sum_fire, .ports = ports, .port_count = 4 } };

	seen.tokens = 400;
	seen.expect = sum_up;
	run(create(test_file("cycle.xml", cycle), NULL, list, 3, (unsigned)_i));
	ck_assert_uint_eq(seen.consumed, 400);
	test_files_remove();
}
END_TEST

/* Nothing feeds it: it goes round until the event, which makes it end itself. */
static int round_fire(DALProcess *p)
{
	uint64_t x;

	DAL_read("in", &x, sizeof x, p);
	x++;
	if (++p->local->next == 100)
		ck_assert_int_eq(DAL_send_event("enough", p), 0);
	DAL_write("out", &x, sizeof x, p);
	return 0;
}

static const char *round_text =
	"<processnetwork name='round'>"
	"<process name='ping'>" DAL_IN("in") DAL_OUT(
		"out") "</process>"
		       "<process name='pong'>" DAL_IN("in") DAL_OUT("out") "</process>" DAL_CHANNEL(
			       "a", "size='2' tokensize='8' initialtokens='1'", "ping", "out", "pong", "in")
			       DAL_CHANNEL("b", "size='2' tokensize='8'", "pong", "out", "ping",
				       "in") "</processnetwork>";

START_TEST(test_closed_cycle)
{
	static const struct pstk_dal_process list[] = {
		PSTK_DAL_PROCESS("ping", NULL, round_fire, NULL, sizeof(struct _local_states)),
		PSTK_DAL_PROCESS("pong", NULL, round_fire, NULL, sizeof(struct _local_states)),
	};

	run(create(test_file("round.xml", round_text), NULL, list, 2, (unsigned)_i));
	test_files_remove();
}
END_TEST

/* -- checkpoints, in init -- */

static void save_init(DALProcess *p)
{
	uint64_t x = 5, y = 0;

	ck_assert_int_eq(DAL_create_checkpoint(&x, sizeof x, "a", p), 0);
	x = 6;
	ck_assert_int_eq(DAL_create_checkpoint(&x, sizeof x, "b", p), 0);
	ck_assert_int_eq(DAL_read_checkpoint(&y, sizeof y, "a", p), 0);
	ck_assert_uint_eq(y, 5);
	ck_assert_int_eq(DAL_create_checkpoint(&x, sizeof x, "a", p), 0);
	ck_assert_int_eq(DAL_read_checkpoint(&y, sizeof y, "a", p), 0);
	ck_assert_uint_eq(y, 6);
	ck_assert_int_eq(DAL_read_checkpoint(&y, 4, "a", p), -1);
	ck_assert_int_eq(DAL_destroy_checkpoint("a", p), 0);
	ck_assert_int_eq(DAL_destroy_checkpoint("a", p), -1);
	ck_assert_int_eq(DAL_create_checkpoint(&x, -1, "c", p), -1);
	ck_assert_int_eq(DAL_printf("%s", ""), 0);
	ck_assert_int_eq(DAL_printf(NULL), -1);
	seen.inits++;
}

START_TEST(test_checkpoints)
{
	struct pstk_dal_process list[PROCESSES];

	memcpy(list, processes, sizeof list);
	list[PRODUCER].init = save_init;
	seen.tokens = 1;
	seen.expect = square_of;
	run(create(DAL_DATA "/square.xml", NULL, list, PROCESSES, 0));
	ck_assert_uint_eq(seen.inits, 2);
}
END_TEST

/* -- wrong calls -- */

static uint64_t *begin_both(DALProcess *p)
{
	DAL_read_begin("in", 8, 6, p);
	return DAL_write_begin("out", 8, 6, 6, 0, p);
}

/* Processes of DAL don't look whether there is a window. */
static int use(void *window, size_t bytes)
{
	memset(window, 1, bytes);
	return 0;
}

static int other_rate(DALProcess *p)
{
	return use(DAL_read_begin("in", 8, 5, p), 40);
}

static int other_size(DALProcess *p)
{
	return use(DAL_write_begin("out", 4, 6, 6, 0, p), 24);
}

static int other_block(DALProcess *p)
{
	return use(DAL_write_begin("out", 8, 6, 3, 0, p), 48);
}

static int far_block(DALProcess *p)
{
	return use(DAL_write_begin("out", 8, 6, 6, 1, p), 48);
}

static int nothing(DALProcess *p)
{
	return p == NULL;
}

static int never_ends(DALProcess *p)
{
	begin_both(p);
	DAL_read_end("in", NULL, p);
	return 0;
}

static int ends_early(DALProcess *p)
{
	DAL_read_end("in", NULL, p);
	return 0;
}

static int begins_twice(DALProcess *p)
{
	begin_both(p);
	return use(DAL_read_begin("in", 8, 6, p), 48);
}

static int begins_again(DALProcess *p)
{
	begin_both(p);
	DAL_read_end("in", NULL, p);
	return use(DAL_read_begin("in", 8, 6, p), 48);
}

static int reads_stream(DALProcess *p)
{
	uint64_t x;

	return DAL_read("in", &x, sizeof x, p);
}

static int no_port(DALProcess *p)
{
	return use(DAL_read_begin("out", 8, 6, p), 48);
}

static int stream_bytes(DALProcess *p)
{
	uint64_t x;

	return DAL_read("in", &x, 3, p);
}

static int stream_null(DALProcess *p)
{
	return DAL_read("in", NULL, 8, p);
}

static int stream_open(DALProcess *p)
{
	DAL_read_begin("in", 8, 6, p);
	return reads_stream(p);
}

static int stream_left_open(DALProcess *p)
{
	return DAL_read_begin("in", 8, 6, p) != NULL;
}

static int stream_amid(DALProcess *p)
{
	reads_stream(p);
	return use(DAL_read_begin("in", 8, 6, p), 48);
}

static int stream_writes(DALProcess *p)
{
	uint64_t x = 0;

	return DAL_write("in", &x, sizeof x, p);
}

static const struct {
	int (*call)(DALProcess *p);
	bool streams; /* its rates are not said */
	const char *says;
} calls[] = {
	{ other_rate, false, "DAL_read_begin(\"in\") of 5 tokens of 8 bytes: its windows have 6 of 8" },
	{ other_size, false, "DAL_write_begin(\"out\") of 6 tokens of 4 bytes: its windows have 6 of 8" },
	{ other_block, false, "block 0 of 3 tokens: its windows have 1 blocks of 6" },
	{ far_block, false, "block 1 of 6 tokens: its windows have 1 blocks of 6" },
	{ nothing, false, "fire() has not begun a window of port 'in'" },
	{ never_ends, false, "fire() has not ended a window of port 'out'" },
	{ ends_early, false, "DAL_read_end(\"in\") without DAL_read_begin()" },
	{ begins_twice, false, "DAL_read_begin(\"in\") twice" },
	{ begins_again, false, "DAL_read_begin(\"in\"): its window was ended in this fire" },
	{ reads_stream, false, "DAL_read(\"in\"): its program says that it uses windows only" },
	{ no_port, false, "DAL_read_begin(\"out\"): the process network gives it no such input" },
	{ stream_bytes, true, "DAL_read(\"in\") of 3 bytes: the channel's tokens have 8" },
	{ stream_null, true, "DAL_read(\"in\") with NULL for its bytes" },
	{ stream_open, true, "DAL_read(\"in\") while a window of it is open" },
	{ stream_left_open, true, "fire() has left a window of port 'in' open" },
	{ stream_amid, true, "DAL_read_begin(\"in\") amid a window" },
	{ stream_writes, true, "DAL_write(\"in\"): the process network gives it no such output" },
};

/* The end of a chain of windows of 6, which the process before it says or this one itself. */
static const char *windows = "<processnetwork name='w'><process name='producer'>" DAL_OUT(
	"out") "</process>"
	       "<process name='first'>" DAL_IN("in")
		       DAL_OUT("out") "</process>"
				      "<process name='caller'>" DAL_IN("in")
					      DAL_OUT("out") "</process>"
							     "<process name='consumer'>" DAL_IN(
								     "in") "</process>" DAL_CHANNEL("a",
								     "size='9' tokensize='8'", "producer",
								     "out", "first", "in") DAL_CHANNEL("b",
								     "size='12' tokensize='8'", "first",
								     "out", "caller", "in") DAL_CHANNEL("c",
								     "size='96'", "caller", "out", "consumer",
								     "in") "</processnetwork>";

static int pass_fire(DALProcess *p)
{
	const uint64_t *in = DAL_read_begin("in", 8, 6, p);
	uint64_t *out = DAL_write_begin("out", 8, 6, 6, 0, p);

	memcpy(out, in, 6 * sizeof *in);
	DAL_write_end("out", out, p);
	DAL_read_end("in", in, p);
	return 0;
}

static const struct pstk_dal_port six[] = { { "in", 6, 8, 0 }, { "out", 6, 8, 1 } };

START_TEST(test_calls)
{
	struct pstk_dal_process list[4] = { processes[PRODUCER], processes[CONSUMER],
		{ .name = "first", .fire = pass_fire, .ports = six, .port_count = 2 },
		{ .name = "caller", .fire = calls[_i].call } };
	struct baseline *b;

	if (!calls[_i].streams) {
		list[3].ports = six;
		list[3].port_count = 2;
	}
	b = create(test_file("w.xml", windows), NULL, list, 4, (unsigned)_i);
	ck_assert_int_eq(baseline_run(b), -EINVAL);
	TEST_SAYS(baseline_error(b), "process 'caller': ", calls[_i].says);
	ck_assert_uint_eq(seen.consumed, 0);
	ck_assert_uint_eq(seen.finishes, 2);
	baseline_destroy(b);
	test_files_remove();
}
END_TEST

static void moving_init(DALProcess *p)
{
	uint64_t x = 0;

	ck_assert_int_eq(DAL_write("out", &x, sizeof x, p), 0);
}

START_TEST(test_call_in_init)
{
	struct pstk_dal_process list[PROCESSES];
	struct baseline *b;

	memcpy(list, processes, sizeof list);
	list[PRODUCER].init = moving_init;
	b = create(DAL_DATA "/square.xml", NULL, list, PROCESSES, (unsigned)_i);
	ck_assert_int_eq(baseline_run(b), -EINVAL);
	TEST_SAYS(baseline_error(b), "'producer'", "DAL_write(\"out\") in init or finish");
	ck_assert_int_eq(baseline_run(b), -EINVAL);
	TEST_SAYS(baseline_error(b), "DAL_write(\"out\")");
	ck_assert_uint_eq(seen.finishes, 0);
	baseline_destroy(b);
}
END_TEST

/* Calls of a process that is not ours fail. */
START_TEST(test_strangers)
{
	DALProcess p = { .wptr = NULL };
	char x[4] = "abc";

	ck_assert_int_eq(DAL_read("in", x, 4, &p), 0);
	ck_assert_str_eq(x, "");
	ck_assert_int_eq(DAL_write("out", x, 4, NULL), 0);
	ck_assert_ptr_null(DAL_read_begin("in", 1, 1, NULL));
	ck_assert_ptr_null(DAL_write_begin("out", 1, 1, 1, 0, &p));
	DAL_read_window_end("in", &p);
	DAL_write_window_end("out", NULL);
	ck_assert_int_eq(DAL_send_event("x", NULL), -1);
	ck_assert_int_eq(DAL_getIndex(0, &p), -1);
	ck_assert_int_eq(DAL_create_checkpoint(x, 4, "x", &p), -1);
}
END_TEST

START_TEST(test_twice)
{
	struct baseline *b = create(DAL_DATA "/square.xml", NULL, processes, PROCESSES, 0);

	seen.tokens = 3;
	seen.expect = square_of;
	ck_assert_int_eq(baseline_run(b), 0);
	ck_assert_int_eq(baseline_run(b), -EINVAL);
	TEST_SAYS(baseline_error(b), "baseline_run() for the second time");
	ck_assert_uint_eq(seen.finishes, 2);
	baseline_destroy(b);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("baseline calls");
	TCase *data = test_case(suite, "data"), *wrong_calls = test_case(suite, "calls");

	tcase_add_loop_test(data, test_square, 0, 6);
	tcase_add_loop_test(data, test_pipeline, 0, 6);
	tcase_add_loop_test(data, test_event, 0, 6);
	tcase_add_loop_test(data, test_event_in_init, 0, 6);
	tcase_add_loop_test(data, test_tired, 0, 6);
	tcase_add_loop_test(data, test_iterated_ports, 0, 6);
	tcase_add_loop_test(data, test_cycle, 0, 6);
	tcase_add_loop_test(data, test_closed_cycle, 0, 6);
	tcase_add_test(data, test_checkpoints);
	tcase_add_loop_test(wrong_calls, test_calls, 0, TEST_COUNT(calls));
	tcase_add_loop_test(wrong_calls, test_call_in_init, 0, 2);
	tcase_add_test(wrong_calls, test_strangers);
	tcase_add_test(wrong_calls, test_twice);
	return test_main(suite);
}
