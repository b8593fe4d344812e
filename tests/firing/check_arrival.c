/* SPDX-License-Identifier: MIT */
/* How many iterations a source is through with when each input has its first window, on cores, where one window of room
 * in each FIFO leaves the source no choice. Of devices and transfers: check_arrivals. */
#include "lib/base/memory.h"
#include "penstock/plan.h"
#include "tests/common/common.h"
#include "tests/common/simple.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static struct pstk_arrival arrival(const struct pstk_network *net, unsigned fifo)
{
	struct pstk_arrival a = { 1, 1 };

	ck_assert_int_eq(pstk_fifo_get_arrival(pstk_network_fifo(net, fifo), &a), 0);
	return a;
}

/* No firing comes before the window that it reads: the source is through with one window more for each relay, and with
 * no further one, as that needs the room of the window that the relay still has. */
START_TEST(one_more_for_each_relay)
{
	for (unsigned threads = 0; threads < 3; threads++) {
		struct simple_chain c;

		simple_chain(&c, 3, 40, 2, 0, 1);
		pstk_network_set_threads(c.net, threads);
		ck_assert_int_eq(pstk_network_note_arrivals(c.net), 0);
		ck_assert_uint_eq(arrival(c.net, 0).came, PSTK_NO_CYCLE);
		ck_assert_int_eq(pstk_network_run(c.net), 0);
		ck_assert_uint_eq(arrival(c.net, 0).came, 0);
		ck_assert_uint_eq(arrival(c.net, 1).came, 1);
		for (unsigned i = 2; i < 4; i++) {
			ck_assert_uint_ge(arrival(c.net, i).came, 1);
			ck_assert_uint_le(arrival(c.net, i).came, i);
		}
		ck_assert_uint_eq(arrival(c.net, 0).planned, PSTK_NO_CYCLE);
		pstk_network_destroy(c.net);
	}
}
END_TEST

/* What lies there from the start has come in cycle 0; a part of a window does not count, and never comes whole where
 * the stream ends before. */
START_TEST(initial_tokens)
{
	struct simple_chain c;

	simple_chain(&c, 2, 40, 4, 4, 1);
	ck_assert_int_eq(pstk_network_note_arrivals(c.net), 0);
	ck_assert_int_eq(pstk_network_run(c.net), 0);
	for (unsigned i = 0; i < 3; i++)
		ck_assert_uint_eq(arrival(c.net, i).came, 0);
	pstk_network_destroy(c.net);

	simple_chain(&c, 1, 40, 4, 3, 1);
	ck_assert_int_eq(pstk_network_note_arrivals(c.net), 0);
	ck_assert_int_eq(pstk_network_run(c.net), 0);
	ck_assert_uint_eq(arrival(c.net, 0).came, 0);
	ck_assert_uint_ge(arrival(c.net, 1).came, 1);
	pstk_network_destroy(c.net);
}
END_TEST

/* count -> relay -> collect, with rates of their own. */
static struct pstk_network *of_rates(
	struct simple_count *count, struct simple_collect *collect, uint32_t out, uint32_t in, uint32_t delay)
{
	static struct simple_relay relay;
	struct pstk_network *net = pstk_network_create("rates");
	struct pstk_actor *a = pstk_network_add(net, "count", simple_count_type(), count),
			  *b = pstk_network_add(net, "relay", simple_relay_type(), &relay),
			  *d = pstk_network_add(net, "collect", simple_collect_type(), collect);

	pstk_network_set_threads(net, 0);
	pstk_connect(a, "out", b, "in",
		PSTK_FIFO(.write_rate = out, .read_rate = in, .token_size = 8, .delay = delay));
	pstk_connect(b, "out", d, "in", PSTK_FIFO(.rate = in, .token_size = 8, .depth = 1));
	ck_assert_int_eq(pstk_network_note_arrivals(net), 0);
	return net;
}

/* An iteration is as many firings of the source as fill a window of the relay. */
START_TEST(iterations)
{
	struct simple_count count = { .tokens = 80 };
	struct simple_collect collect = { .wanted = SIMPLE_ALL, .allowed = SIMPLE_ALL };
	struct pstk_network *net = of_rates(&count, &collect, 2, 8, 0);
	struct pstk_fifo_info info;

	ck_assert_int_eq(pstk_network_run(net), 0);
	ck_assert_uint_eq(atomic_load(&collect.tokens), 80);
	ck_assert_uint_eq(arrival(net, 0).came, 0); /* with the fourth firing: three are through */
	ck_assert_int_eq(pstk_fifo_get_info(pstk_network_fifo(net, 0), &info), 0);
	ck_assert_uint_ge(arrival(net, 1).came, 1);
	ck_assert_uint_le(arrival(net, 1).came, info.room / 8);
	pstk_network_destroy(net);
}
END_TEST

START_TEST(never_whole)
{
	struct simple_count count = { .tokens = 3 };
	struct simple_collect collect = { .wanted = SIMPLE_ALL, .allowed = SIMPLE_ALL };
	struct pstk_network *net = of_rates(&count, &collect, 1, 8, 0);

	ck_assert_int_eq(pstk_network_run(net), 0);
	ck_assert_uint_eq(atomic_load(&collect.tokens), 3);
	ck_assert_uint_eq(arrival(net, 0).came, PSTK_NO_CYCLE);
	pstk_network_destroy(net);
}
END_TEST

static int give(struct pstk_firing *f)
{
	const uint64_t token = 0;

	pstk_fifo_write(f, 0, &token, 1);
	return pstk_firing_index(f) < 20 ? PSTK_AGAIN : PSTK_DONE;
}

/* Behind a Kahn actor nothing is known: it has no firings. */
START_TEST(kahn_sources)
{
	static const struct pstk_port out = { .name = "out", .kind = PSTK_OUTPUT };
	struct simple_collect collect = { .wanted = SIMPLE_ALL, .allowed = SIMPLE_ALL };
	struct pstk_network *net = pstk_network_create("kahn");
	struct pstk_actor *a = pstk_network_add(net, "give",
				  PSTK_ACTOR_TYPE(.name = "give", .ports = &out, .port_count = 1,
					  .kahn = true, .fire = give),
				  NULL),
			  *b = pstk_network_add(net, "collect", simple_collect_type(), &collect);

	pstk_connect(a, "out", b, "in", PSTK_FIFO(.rate = 1, .token_size = 8));
	ck_assert_int_eq(pstk_network_note_arrivals(net), 0);
	ck_assert_int_eq(pstk_network_run(net), 0);
	ck_assert_uint_gt(atomic_load(&collect.tokens), 0);
	ck_assert_uint_eq(arrival(net, 0).came, PSTK_NO_CYCLE);
	pstk_network_destroy(net);
}
END_TEST

/* Two sources: each way counts its own. */
START_TEST(the_source_of_a_way)
{
	struct simple_count counts[2] = { { .tokens = 20 }, { .tokens = 20 } };
	struct simple_collect collect = { .wanted = SIMPLE_ALL, .allowed = SIMPLE_ALL };
	struct pstk_network *net = pstk_network_create("two");
	struct pstk_actor *a = pstk_network_add(net, "a", simple_count_type(), &counts[0]),
			  *b = pstk_network_add(net, "b", simple_count_type(), &counts[1]),
			  *j = pstk_network_add(net, "j", simple_join_type(), NULL),
			  *c = pstk_network_add(net, "c", simple_collect_type(), &collect);

	pstk_network_set_threads(net, 0);
	pstk_connect(a, "out", j, "a", PSTK_FIFO(.rate = 1, .token_size = 8, .depth = 1));
	pstk_connect(b, "out", j, "b", PSTK_FIFO(.rate = 1, .token_size = 8, .depth = 7));
	pstk_connect(j, "out", c, "in", PSTK_FIFO(.rate = 1, .token_size = 8, .depth = 1));
	ck_assert_int_eq(pstk_network_note_arrivals(net), 0);
	ck_assert_int_eq(pstk_network_run(net), 0);
	ck_assert_uint_eq(arrival(net, 0).came, 0);
	ck_assert_uint_eq(arrival(net, 1).came, 0);
	ck_assert_uint_eq(arrival(net, 2).came, 1); /* a's: b may be through with 7 */
	pstk_network_destroy(net);
}
END_TEST

/* On a host of one core the plan has everything in cycle 0. */
START_TEST(table)
{
	struct pstk_machine *m = pstk_machine_create();
	struct pstk_plan *plan;
	struct simple_chain c;
	char text[300] = "";
	FILE *out = fmemopen(text, sizeof text, "w");

	simple_chain(&c, 1, 40, 2, 0, 1);
	ck_assert_int_eq(pstk_machine_add_host(m, "h", 1, 0), 0);
	plan = pstk_plan_create(c.net, m, NULL);
	ck_assert_int_eq(pstk_plan_apply(c.net, plan), 0);
	ck_assert_int_eq(pstk_network_print_arrivals(c.net, out), 0);
	fclose(out);
	ck_assert_str_eq(text, "network 'chain': cycle of each input's first window\n"
			       "  planned     came\n"
			       "        0        -  relay0.in from count.out\n"
			       "        0        -  collect.in from relay0.out\n");
	ck_assert_int_eq(pstk_network_note_arrivals(c.net), 0);
	ck_assert_int_eq(pstk_network_run(c.net), 0);
	out = fmemopen(text, sizeof text, "w");
	ck_assert_int_eq(pstk_network_print_arrivals(c.net, out), 0);
	fclose(out);
	TEST_SAYS(text, "        0        0  relay0.in", "        0        1  collect.in");
	out = fopen("/dev/full", "w");
	ck_assert_int_eq(pstk_network_print_arrivals(c.net, out), -EIO);
	fclose(out);
	pstk_plan_destroy(plan);
	pstk_network_destroy(c.net);
	pstk_machine_destroy(m);
}
END_TEST

START_TEST(misuse)
{
	struct pstk_arrival a;
	struct simple_chain c;

	simple_chain(&c, 1, 8, 1, 0, 1);
	ck_assert_int_eq(pstk_network_note_arrivals(NULL), -EINVAL);
	ck_assert_int_eq(pstk_fifo_get_arrival(NULL, &a), -EINVAL);
	ck_assert_int_eq(pstk_fifo_get_arrival(c.fifos[0], NULL), -EINVAL);
	ck_assert_int_eq(pstk_network_print_arrivals(NULL, stdout), -EINVAL);
	ck_assert_int_eq(pstk_network_print_arrivals(c.net, NULL), -EINVAL);
	ck_assert_int_eq(pstk_network_run(c.net), 0); /* not asked for */
	ck_assert_uint_eq(arrival(c.net, 0).came, PSTK_NO_CYCLE);
	ck_assert_int_eq(pstk_network_note_arrivals(c.net), -EBUSY);
	pstk_network_destroy(c.net);
}
END_TEST

START_TEST(memory)
{
	bool said = false, done = false;

	for (long n = 0; !done; n++) {
		struct simple_chain c;
		int err;

		simple_chain(&c, 2, 8, 1, 0, 1);
		ck_assert_int_eq(pstk_network_note_arrivals(c.net), 0);
		ps_memory_fail_at = n;
		err = pstk_network_start(c.net);
		done = ps_memory_fail_at != -1;
		ps_memory_fail_at = -1;
		said |= strstr(pstk_network_error(c.net), "no memory to count cycles") != NULL;
		ck_assert_int_eq(err, done ? 0 : -ENOMEM);
		pstk_network_destroy(c.net);
	}
	ck_assert(said);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("arrival");
	TCase *tcase = test_case(suite, "arrival");

	tcase_add_test(tcase, one_more_for_each_relay);
	tcase_add_test(tcase, initial_tokens);
	tcase_add_test(tcase, iterations);
	tcase_add_test(tcase, never_whole);
	tcase_add_test(tcase, kahn_sources);
	tcase_add_test(tcase, the_source_of_a_way);
	tcase_add_test(tcase, table);
	tcase_add_test(tcase, misuse);
	tcase_add_test(tcase, memory);
	return test_main(suite);
}
