/* SPDX-License-Identifier: MIT */
/* Networks of processes that read and write when they like: what arrives, how they end, what calls they may
 * not make. */
#include "dal/check_square.h"
#include "tests/common/file.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static struct pstk_network *build(const char *file)
{
	struct pstk_network *net = pstk_network_create("dal");

	ck_assert_msg(pstk_dal_build(net, file, NULL, square_processes, SQUARE_PROCESSES) == 0, "%s",
		pstk_network_error(net));
	return net;
}

static uint64_t sums(uint64_t n)
{
	return n + 1 + 100 * (0 + 1 + 2 + 3);
}

/* The producer says "done" when it has written all: everything arrives. */
START_TEST(test_square)
{
	struct pstk_network *net = build(DAL_DATA "/square.xml");

	square.tokens = 5000;
	square.expect = square_of;
	square_run(net, 0);
	ck_assert_uint_eq(square.consumed, 5000);
	ck_assert_uint_eq(square.wrong, 0);
	ck_assert_uint_eq(square.inits, 1);
	ck_assert_uint_eq(square.finishes, 2);
	pstk_network_destroy(net);
}
END_TEST

START_TEST(test_pipeline)
{
	struct pstk_network *net = build(DAL_DATA "/pipeline.xml");

	ck_assert_uint_eq(pstk_network_actor_count(net), 6);
	ck_assert_str_eq(pstk_actor_name(pstk_network_actor(net, 3)), "add_2");
	square.tokens = 2000;
	square.expect = sums;
	square_run(net, 0);
	ck_assert_uint_eq(square.consumed, 2000);
	ck_assert_uint_eq(square.wrong, 0);
	pstk_network_destroy(net);
}
END_TEST

/* A team runs nothing of it, the processes keep their threads: the same comes out. */
START_TEST(test_under_team)
{
	struct pstk_network *net = build(DAL_DATA "/pipeline.xml");

	ck_assert_int_eq(pstk_network_set_threads(net, 2), 0);
	square.tokens = 500;
	square.expect = sums;
	square_run(net, 0);
	ck_assert_uint_eq(square.consumed, 500);
	ck_assert_uint_eq(square.wrong, 0);
	pstk_network_destroy(net);
}
END_TEST

/* The consumer has had enough and never looks at its port again; the producer is endless. */
START_TEST(test_consumer_stops)
{
	struct pstk_network *net = build(DAL_DATA "/square.xml");

	square.tokens = 700;
	square.event = true;
	square.message = "stop";
	square.expect = square_of;
	/* the producer goes on where square.tokens would end it: its own event is not heard of */
	square_run(net, 0);
	ck_assert_uint_eq(square.consumed, 700);
	ck_assert_uint_eq(square.wrong, 0);
	ck_assert_int_eq(square.sent, 0);
	pstk_network_destroy(net);
}
END_TEST

static int go_on(void *data, const char *process, const char *message)
{
	ck_assert_ptr_eq(data, &square);
	ck_assert_str_eq(process, "consumer");
	ck_assert_str_eq(message, "tick");
	return atomic_fetch_add(&square.heard, 1) + 1 >= 20000;
}

static void build_endless(struct pstk_network *net, const char *file)
{
	struct pstk_dal_process *endless = square_endless();

	ck_assert_int_eq(pstk_dal_build(net, file, NULL, endless, SQUARE_PROCESSES), 0);
}

/* An actor that is none of DAL's. */
static int stranger_fire(struct pstk_firing *f)
{
	(void)f;
	return PSTK_DONE;
}

/* The function that hears says 19999 times that the application goes on, so a consumer that looks away is no
 * reason to end. */
START_TEST(test_heard)
{
	struct pstk_network *net = pstk_network_create("heard");

	build_endless(net, DAL_DATA "/square.xml");
	pstk_network_add(net, "stranger", PSTK_ACTOR_TYPE(.name = "stranger", .fire = stranger_fire), NULL);
	ck_assert_int_eq(pstk_dal_set_event(net, go_on, &square), 0);
	square.tokens = 7;
	square.event = true;
	square.message = "tick";
	square.expect = square_of;
	square_run(net, 0);
	ck_assert_uint_ge(square.heard, 20000);
	ck_assert_uint_eq(square.consumed, 7);
	pstk_network_destroy(net);
}
END_TEST

/* An event without a message is none; the program stops the network itself, and a consumer that looks no
 * more, with tokens that wait for it, ends too. */
START_TEST(test_stopped_outside)
{
	struct pstk_network *net = pstk_network_create("outside");

	build_endless(net, DAL_DATA "/square.xml");
	square.tokens = 3;
	square.event = true;
	square.message = NULL;
	square.expect = square_of;
	ck_assert_int_eq(pstk_network_start(net), 0);
	test_await(&square.looks_away, 1);
	pstk_network_stop(net);
	ck_assert_int_eq(pstk_network_wait(net), 0);
	ck_assert_uint_eq(square.consumed, 3);
	ck_assert_int_eq(square.sent, -1);
	pstk_network_destroy(net);
}
END_TEST

/* -- capacity: a process that writes k tokens before it asks for an answer needs the k that the channel says -- */

static unsigned burst;

static int burst_fire(DALProcess *p)
{
	uint64_t answer;

	for (uint64_t i = 0; i < burst; i++)
		DAL_write("out", &i, sizeof i, p);
	DAL_write("go", &(uint64_t){ 1 }, sizeof(uint64_t), p);
	if (DAL_read("answer", &answer, sizeof answer, p) == sizeof answer) {
		square.wrong += answer != (uint64_t)burst * (burst - 1) / 2;
		square.consumed++;
	}
	DAL_send_event("enough", p);
	return 0;
}

static int later_fire(DALProcess *p)
{
	uint64_t x, all = 0;

	DAL_read("go", &x, sizeof x, p);
	for (unsigned i = 0; i < burst; i++) {
		DAL_read("in", &x, sizeof x, p);
		all += x;
	}
	DAL_write("answer", &all, sizeof all, p);
	return 0;
}

static const struct pstk_dal_process bursts[] = {
	PSTK_DAL_PROCESS("burst", NULL, burst_fire, NULL, 0),
	PSTK_DAL_PROCESS("later", NULL, later_fire, NULL, 0),
};

/* With one less than it says both wait for ever, and are told so. */
START_TEST(test_capacity)
{
	struct pstk_network *net = pstk_network_create("capacity");
	const char *file = test_file("net.xml",
		"<processnetwork name='capacity'>"
		"<process name='burst'>" DAL_OUT("out") DAL_OUT("go") DAL_IN(
			"answer") "</process>"
				  "<process name='later'>" DAL_IN("in") DAL_IN("go") DAL_OUT(
					  "answer") "</process>" DAL_CHANNEL("C", "size='40'", "burst", "out",
					  "later", "in") DAL_CHANNEL("G", "size='1' tokensize='8'", "burst",
					  "go", "later", "go") DAL_CHANNEL("A", "size='1' tokensize='8'",
					  "later", "answer", "burst", "answer") "</processnetwork>");

	burst = 5 + (unsigned)_i;
	ck_assert_msg(pstk_dal_build(net, file, NULL, bursts, 2) == 0, "%s", pstk_network_error(net));
	test_log_start();
	square_run(net, _i ? -EDEADLK : 0);
	test_log_stop();
	ck_assert_uint_eq(square.consumed, _i ? 0 : 1);
	ck_assert_uint_eq(square.wrong, 0);
	pstk_network_destroy(net);
	test_files_remove();
}
END_TEST

/* -- initial tokens, a loop -- */

static int counter_fire(DALProcess *p)
{
	uint64_t x;

	if (DAL_read("back", &x, sizeof x, p) < (int)sizeof x)
		return 0;
	square.wrong += x != square.consumed / 3;
	square.consumed++;
	x++;
	DAL_write("out", &x, sizeof x, p);
	if (square.consumed == 300)
		DAL_send_event("enough", p);
	return 0;
}

/* Three zeros go round in a channel that is full of them. */
START_TEST(test_initial)
{
	static const struct pstk_dal_process counter = PSTK_DAL_PROCESS("c", NULL, counter_fire, NULL, 0);
	struct pstk_network *net = pstk_network_create("initial");
	const char *file = test_file("net.xml",
		"<processnetwork name='initial'>"
		"<process name='c'>" DAL_IN("back") DAL_OUT("out") "</process>" DAL_CHANNEL("C",
			"size='3' tokensize='8' initialtokens='3'", "c", "out", "c",
			"back") "</processnetwork>");

	ck_assert_msg(pstk_dal_build(net, file, NULL, &counter, 1) == 0, "%s", pstk_network_error(net));
	square_run(net, 0);
	ck_assert_uint_eq(square.consumed, 300);
	ck_assert_uint_eq(square.wrong, 0);
	pstk_network_destroy(net);
	test_files_remove();
}
END_TEST

/* -- iterated ports -- */

static int fan_fire(DALProcess *p)
{
	if (p->local->next == 50) {
		DAL_send_event("done", p);
		return 0;
	}
	for (int i = 0; i < 2; i++)
		for (int j = 0; j < 3; j++) {
			uint64_t x = 1000 * (uint64_t)i + 100 * (uint64_t)j + p->local->next;
			CREATEPORTVAR(port);

			ck_assert_int_eq(CREATEPORT(port, "out", 2, i, 2, j, 3), 0);
			DAL_write(port, &x, sizeof x, p);
		}
	p->local->next++;
	return 0;
}

static int leaf_fire(DALProcess *p)
{
	uint64_t x, want = 1000 * (uint64_t)DAL_getIndex(0, p) + 100 * (uint64_t)DAL_getIndex(1, p);

	if (DAL_read("in", &x, sizeof x, p) < (int)sizeof x)
		return 0;
	if (x != want + p->local->next)
		DAL_send_event(NULL, NULL);
	else
		p->local->next++;
	return 0;
}

static _Atomic unsigned right_leaves;

static void leaf_finish(DALProcess *p)
{
	if (p->local->next == 50)
		atomic_fetch_add(&right_leaves, 1);
}

START_TEST(test_fan)
{
	static const struct pstk_dal_process fan[] = {
		PSTK_DAL_PROCESS("fan", NULL, fan_fire, NULL, sizeof(struct _local_states)),
		PSTK_DAL_PROCESS("leaf", NULL, leaf_fire, leaf_finish, sizeof(struct _local_states)),
	};
	static const char both[] = "<append function='i'/><append function='j'/>";
	struct pstk_network *net = pstk_network_create("fan");
	char text[3000];

	snprintf(text, sizeof text,
		"<processnetwork name='fan'><process name='fan'>"
		"<iterator variable='i' range='2'><iterator variable='j' range='3'>"
		"<port type='output' name='out'>%s</port></iterator></iterator></process>"
		"<iterator variable='i' range='2'><iterator variable='j' range='3'>"
		"<process name='leaf'>%s<port type='input' name='in'/></process>"
		"<sw_channel name='C' size='2' tokensize='8'>%s</sw_channel>"
		"<connection><origin name='fan'><port name='out'>%s</port></origin>"
		"<target name='C'>%s<port name='0'/></target></connection>"
		"<connection><origin name='C'>%s<port name='1'/></origin>"
		"<target name='leaf'>%s<port name='in'/></target></connection>"
		"</iterator></iterator></processnetwork>",
		both, both, both, both, both, both, both);
	ck_assert_msg(pstk_dal_build(net, test_file("net.xml", text), NULL, fan, 2) == 0, "%s",
		pstk_network_error(net));
	square_run(net, 0);
	ck_assert_uint_eq(right_leaves, 6);
	pstk_network_destroy(net);
	test_files_remove();
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("network");
	TCase *data = test_case(suite, "data"), *ends = test_case(suite, "ends");

	tcase_add_test(data, test_square);
	tcase_add_test(data, test_pipeline);
	tcase_add_test(data, test_under_team);
	tcase_add_test(data, test_initial);
	tcase_add_loop_test(data, test_capacity, 0, 2);
	tcase_add_test(data, test_fan);
	tcase_add_test(ends, test_consumer_stops);
	tcase_add_test(ends, test_heard);
	tcase_add_test(ends, test_stopped_outside);
	return test_main(suite);
}
