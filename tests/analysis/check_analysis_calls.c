/* SPDX-License-Identifier: MIT */
/* pstk_network_check() as a call: wrong calls, memory that is out, reports that can't be written,
 * figures, the start. */
#include "lib/base/memory.h"
#include "tests/analysis/analysis_net.h"
#include "tests/common/common.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BUILD(name, actors, links) \
	analysis_net_build(name, actors, TEST_COUNT(actors), links, TEST_COUNT(links))

static const struct net_actor chain_actors[] = { { "a" }, { "b" } };
static const struct net_link chain[] = { { "a", "o", "b", "i" } };
static const struct net_link dead_loop[] = { { "a", "o", "b", "i", 3 }, { "b", "o", "a", "i", 2, 1 } };

/* A group, a nested one, a cycle that one value closes: every part of the analysis has something to do. */
static const struct net_actor rich_actors[] = { { "conf" },
	{ "p", 3, { { "o", 2 }, { "i", 2 }, { "q", 4 } } }, { "a", 3, { { "o", 2 }, { "i", 2 } } },
	{ "inner" }, { "f", 2, { { "o", 1 } } }, { "s" } };
static const struct net_link rich[] = { { "conf", "c", "p", "ctl" }, { "conf", "c", "a", "ctl" },
	{ "p", "q", "inner", "i" }, { "inner", "c", "f", "ctl" }, { "f", "o", "s", "i" },
	{ "p", "o", "a", "i" }, { "a", "o", "p", "i" } };

START_TEST(wrong_calls)
{
	struct pstk_network *net = BUILD("wrong", chain_actors, chain);
	struct pstk_verdict *v = PSTK_VERDICT();

	ck_assert_int_eq(pstk_network_check(NULL, NULL, v), -EINVAL);
	ck_assert_int_eq(pstk_network_check(NULL, stdout, NULL), -EINVAL);
	ck_assert_int_eq(pstk_network_check(net, NULL, NULL), 0);
	v->struct_size = 0;
	ck_assert_int_eq(pstk_network_check(net, NULL, v), -EINVAL);
	v->struct_size = 1u << 20;
	ck_assert_int_eq(pstk_network_check(net, NULL, v), -EINVAL);
	ck_assert_str_eq(v->reason, "");
	ck_assert_int_eq(pstk_network_run(net), 0);
	ck_assert_str_eq(pstk_network_error(net), "");
	pstk_network_destroy(net);
}
END_TEST

/* A program that knows less of the verdict, and one that knows more. */
START_TEST(other_sizes)
{
	struct pstk_network *net = BUILD("sizes", chain_actors, dead_loop);
	struct {
		struct pstk_verdict v;
		uint32_t more[4];
	} large = { .v = { .struct_size = sizeof large } };

	ck_assert_int_eq(pstk_network_check(net, NULL, &large.v), -EDEADLK);
	ck_assert_uint_eq(large.v.struct_size, sizeof large);
	ck_assert_int_eq(large.v.rule, PSTK_RULE_CYCLES);
	ck_assert_uint_eq(large.more[0], 0);
	large.more[3] = 1;
	ck_assert_int_eq(pstk_network_check(net, NULL, &large.v), -EINVAL);

	/* no release had a smaller one */
	for (uint32_t size = 0; size < offsetof(struct pstk_verdict, remedy) + sizeof large.v.remedy;
		size++) {
		uint32_t *small = malloc(size < sizeof size ? sizeof size : size);
		char is[64];

		*small = size;
		test_log_start();
		ck_assert_int_eq(pstk_network_check(net, NULL, (struct pstk_verdict *)small), -EINVAL);
		ck_assert_uint_eq(*small, size);
		snprintf(is, sizeof is, "struct_size of its struct pstk_verdict is %u, expected %zu: ", size,
			sizeof large.v);
		ck_assert_msg(test_log_has(is), "%s", is);
		test_log_stop();
		free(small);
	}
	pstk_network_destroy(net);
}
END_TEST

static char *report_of(struct pstk_network *net, int result, struct pstk_verdict *v)
{
	char *text = NULL;
	size_t size;
	FILE *report = open_memstream(&text, &size);

	ck_assert_int_eq(pstk_network_check(net, report, v), result);
	fclose(report);
	return text;
}

/* What is missing may still come: the check of an unfinished network leaves no problem behind. */
START_TEST(unfinished)
{
	static const struct pstk_port in = { .name = "i", .kind = PSTK_INPUT },
				      out = { .name = "o", .kind = PSTK_OUTPUT };
	struct pstk_network *net = pstk_network_create("unfinished");
	struct pstk_verdict *v = PSTK_VERDICT();
	struct pstk_actor *a, *b;
	char *text;

	ck_assert_int_eq(pstk_network_check(net, NULL, v), -EINVAL);
	ck_assert_int_eq(v->result, -EINVAL);
	TEST_SAYS(v->reason, "no actors");
	a = net_build_end(net, "a", &out);
	b = net_build_end(net, "b", &in);
	for (unsigned i = 0; i < 2; i++) {
		text = report_of(net, -EINVAL, v);
		TEST_SAYS(v->reason, "'a'", "'o'", "not connected");
		TEST_SAYS(text, "network 'unfinished'", "'a' (end): output 'o' is not connected",
			"'b' (end): input 'i' is not connected");
		free(text);
		ck_assert_ptr_null(pstk_network_problem(net, 0));
		ck_assert_str_eq(pstk_network_error(net), "");
		ck_assert_int_eq(pstk_network_failed(net), false);
	}
	ck_assert_ptr_nonnull(pstk_connect(a, "o", b, "i", PSTK_FIFO(.rate = 1, .token_size = 1)));
	ck_assert_int_eq(pstk_network_check(net, NULL, v), 0);
	ck_assert_int_eq(pstk_network_run(net), 0);
	pstk_network_destroy(net);
}
END_TEST

/* Problems of BUILD calls stay, once. */
START_TEST(problems_stay)
{
	struct pstk_network *net = BUILD("problems", chain_actors, chain);
	struct pstk_verdict *v = PSTK_VERDICT();

	pstk_network_refuse(net, -EDOM, "the first");
	pstk_network_refuse(net, -EIO, "the second");
	for (unsigned i = 0; i < 2; i++) {
		char *text = report_of(net, -EINVAL, v);

		ck_assert_str_eq(v->reason, "the first");
		TEST_SAYS(text, "the first\n", "the second\n");
		free(text);
		ck_assert_ptr_null(pstk_network_problem(net, 2));
	}
	test_log_start();
	ck_assert_int_eq(pstk_network_start(net), -EDOM);
	test_log_stop();
	ck_assert_str_eq(pstk_network_error(net), "the first");
	pstk_network_destroy(net);
}
END_TEST

START_TEST(too_late)
{
	struct pstk_network *net = BUILD("late", chain_actors, chain);
	struct pstk_verdict *v = PSTK_VERDICT();

	ck_assert_int_eq(pstk_network_run(net), 0);
	test_log_start();
	ck_assert_int_eq(pstk_network_check(net, stdout, v), -EBUSY);
	ck_assert(test_log_has("pstk_network_check() comes too late"));
	test_log_stop();
	ck_assert_str_eq(v->reason, "");
	ck_assert_str_eq(pstk_network_error(net), "");
	pstk_network_destroy(net);
}
END_TEST

START_TEST(full_report)
{
	struct pstk_network *proven = BUILD("chain", chain_actors, chain),
			    *refused = BUILD("loop", chain_actors, dead_loop),
			    *empty = pstk_network_create("empty");
	struct pstk_verdict *v = PSTK_VERDICT();

	for (unsigned i = 0; i < 3; i++) {
		FILE *full = fopen("/dev/full", "w");

		ck_assert_ptr_nonnull(full);
		ck_assert_int_eq(pstk_network_check(i == 0   ? proven
						    : i == 1 ? refused
							     : empty,
					 full, v),
			i < 2 ? -EIO : -EINVAL);
		ck_assert_int_eq(v->result, i == 0 ? 0 : i == 1 ? -EDEADLK : -EINVAL);
		fclose(full);
	}
	pstk_network_destroy(proven);
	pstk_network_destroy(refused);
	pstk_network_destroy(empty);
}
END_TEST

/* Each allocation of a check fails once; afterwards the network is as it was. How many there are. */
static long fail_each(struct pstk_network *net, enum pstk_rule rule)
{
	struct pstk_verdict *v = PSTK_VERDICT();
	long n = 0;

	for (;; n++) {
		int err;

		ps_memory_fail_at = n;
		err = pstk_network_check(net, NULL, v);
		if (ps_memory_fail_at != -1)
			break;
		ck_assert_int_eq(err, -ENOMEM);
		ck_assert_int_eq(v->result, -ENOMEM);
		TEST_SAYS(v->reason, "memory");
		ck_assert_str_eq(pstk_network_error(net), "");
	}
	ps_memory_fail_at = -1;
	ck_assert_int_eq(pstk_network_check(net, NULL, v), -EDEADLK);
	ck_assert_int_eq(v->rule, rule);
	return n;
}

START_TEST(out_of_memory)
{
	static const struct net_actor swapped_actors[] = { { "conf" }, { "a", 2, { { "o", 1 } } }, { "x" },
		{ "b", 2, { { "i", 2 } } } };
	static const struct net_link swapped[] = { { "conf", "c", "a", "ctl" }, { "conf", "c", "b", "ctl" },
		{ "a", "o", "x", "i" }, { "x", "o", "b", "i" } };
	struct pstk_network *net = BUILD("memory", rich_actors, rich),
			    *clash = BUILD("clash", swapped_actors, swapped);

	ck_assert_int_gt(fail_each(net, PSTK_RULE_CYCLES), 30);
	ck_assert_int_ge(fail_each(clash, PSTK_RULE_CLOCKS), 15);
	ps_memory_fail_at = 3;
	ck_assert_int_eq(pstk_network_start(net), -ENOMEM);
	TEST_SAYS(pstk_network_error(net), "'memory'", "out of memory for its analysis");
	ps_memory_fail_at = -1;
	pstk_network_destroy(net);
	pstk_network_destroy(clash);
}
END_TEST

/* Unchecked, the same network starts, with a warning; here every actor ends at its first firing, if it
 * comes to that. */
START_TEST(unchecked)
{
	struct pstk_network *net = BUILD("daring", chain_actors, dead_loop),
			    *sound = BUILD("sound", chain_actors, chain);

	test_log_start();
	ck_assert_int_eq(pstk_network_set_flags(sound, PSTK_UNCHECKED), 0);
	ck_assert_int_eq(pstk_network_run(sound), 0);
	ck_assert(!test_log_has("unchecked"));
	ck_assert_int_eq(pstk_network_set_flags(net, PSTK_UNCHECKED), 0);
	ck_assert_int_eq(pstk_network_check(net, NULL, NULL), -EDEADLK);
	ck_assert_int_eq(pstk_network_start(net), 0);
	ck_assert(test_log_has("daring: started unchecked"));
	ck_assert(test_log_has("2 or more initial tokens"));
	pstk_network_abort(net);
	pstk_network_wait(net);
	test_log_stop();
	pstk_network_destroy(net);
	pstk_network_destroy(sound);
}
END_TEST

/* Bytes worked out by hand: slots by the layout rule (d + 2r, or d + 3r with a remainder), 4 bytes a
 * token. */
START_TEST(memory_bound)
{
	static const struct net_actor actors[] = { { "a" }, { "b" }, { "c" }, { "d" } };
	static const struct net_link one_delay[] = { { "a", "o", "b", "i", 4 }, { "a", "o", "b", "j", 4, 1 },
		{ "a", "o", "c", "i", 4 }, { "b", "o", "d", "i", 2, 2 }, { "a", "p", "c", "j", 3 } };
	static const struct net_link equal_delays[] = { { "a", "o", "b", "i", 4, 1 },
		{ "a", "o", "c", "i", 4, 1 }, { "a", "o", "d", "i", 4 } };
	static const struct net_link two_delays[] = { { "a", "o", "b", "i", 4, 1 },
		{ "a", "o", "c", "i", 4, 2 }, { "a", "o", "d", "i", 4 } };
	const struct {
		const struct net_link *links;
		unsigned count;
		size_t slots, shared;
	} bounds[] = {
		{ one_delay, TEST_COUNT(one_delay), 8 + 13 + 8 + 6 + 6, 13 + 6 + 6 },
		{ equal_delays, TEST_COUNT(equal_delays), 13 + 13 + 8, 13 },
		{ two_delays, TEST_COUNT(two_delays), 13 + 14 + 8, 13 + 14 },
	};

	for (unsigned i = 0; i < TEST_COUNT(bounds); i++) {
		struct pstk_network *net = analysis_net_build(
			"bound", actors, TEST_COUNT(actors), bounds[i].links, bounds[i].count);
		struct pstk_verdict *v = PSTK_VERDICT();
		char *text = report_of(net, 0, v), line[80];

		ck_assert_uint_eq(v->bytes, 4 * bounds[i].slots);
		ck_assert_uint_eq(v->shared_bytes, 4 * bounds[i].shared);
		snprintf(line, sizeof line, "memory bound: %zu B", v->bytes);
		TEST_SAYS(text, line);
		snprintf(line, sizeof line, ", %zu B where readers of a broadcast share", v->shared_bytes);
		ck_assert_int_eq(strstr(text, line) != NULL, v->bytes != v->shared_bytes);
		free(text);
		pstk_network_destroy(net);
	}
}
END_TEST

/* Initial tokens that differ can't be shared; windows of different depth take the deeper one's buffer. */
START_TEST(initial_tokens)
{
	static const struct pstk_port out = { .name = "o", .kind = PSTK_OUTPUT },
				      in = { .name = "i", .kind = PSTK_INPUT };
	const uint32_t tokens[] = { 7, 7, 9 };

	for (unsigned i = 0; i < 4; i++) {
		struct pstk_network *net = pstk_network_create("initial");
		int err = pstk_network_set_threads(net, 0); /* depth 2, where none is said */
		struct pstk_actor *a = net_build_end(net, "a", &out), *b = net_build_end(net, "b", &in),
				  *c = net_build_end(net, "c", &in);
		struct pstk_verdict *v = PSTK_VERDICT();

		pstk_connect(
			a, "o", b, "i", PSTK_FIFO(.rate = 1, .delay = 1, .token_size = 4, .initial = tokens));
		pstk_connect(a, "o", c, "i",
			PSTK_FIFO(.rate = 1, .delay = 1, .token_size = 4, .depth = i == 2 ? 5 : 2,
				.initial = i == 3   ? NULL
		                           : i == 2 ? tokens
		                                    : tokens + i + 1));
		ck_assert_int_eq(err, 0);
		ck_assert_int_eq(pstk_network_check(net, NULL, v), 0);
		ck_assert_uint_eq(v->bytes, i == 2 ? 36 : 24);
		ck_assert_uint_eq(v->shared_bytes, i ? 24 : 12);
		pstk_network_destroy(net);
	}
}
END_TEST

/* Does the text end behind a whole letter of UTF-8? (Of two bytes, here.) */
static bool is_whole(const char *text)
{
	for (; *text; text++)
		if ((unsigned char)*text >= 0xC0 && ((unsigned char)*++text & 0xC0) != 0x80)
			return false;
	return true;
}

/* Names as long as they may be: what is said is cut, and says so. Whatever the place of the cut: 0 to 3 letters of one
 * byte before those of two. */
START_TEST(long_names)
{
	char names[3][128];
	const struct net_actor actors[] = { { names[0] }, { names[1], 2, { { "o", 2 } } },
		{ names[2], 2, { { "i", 1 } } } };
	const struct net_link links[] = { { names[0], "c", names[1], "ctl" },
		{ names[0], "c", names[2], "ctl" }, { names[1], "o", names[2], "i" } };
	struct pstk_verdict *v = PSTK_VERDICT();
	struct pstk_network *net;

	for (unsigned n = 0; n < 3; n++) {
		size_t length = 0;

		names[n][length++] = (char)('0' + n);
		for (int i = 0; i < _i; i++)
			names[n][length++] = 'a';
		for (; length < 120; length += 2)
			memcpy(names[n] + length, "\xc3\xa9", 2);
		names[n][length] = 0;
	}
	net = BUILD("long", actors, links);
	ck_assert_int_eq(pstk_network_check(net, NULL, v), -EDEADLK);
	ck_assert(is_whole(v->reason) && is_whole(v->remedy));
	ck_assert_uint_gt(strlen(v->reason) + 4, sizeof v->reason); /* it is full */
	ck_assert_str_eq(v->reason + strlen(v->reason) - 2, "..");
	test_log_start();
	ck_assert_int_eq(pstk_network_start(net), -EDEADLK);
	test_log_stop();
	ck_assert(is_whole(pstk_network_error(net)));
	pstk_network_destroy(net);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("analysis_calls");
	TCase *c = test_case(suite, "calls");

	tcase_add_test(c, wrong_calls);
	tcase_add_loop_test(c, long_names, 0, 4);
	tcase_add_test(c, other_sizes);
	tcase_add_test(c, unfinished);
	tcase_add_test(c, problems_stay);
	tcase_add_test(c, too_late);
	tcase_add_test(c, full_report);
	tcase_add_test(c, out_of_memory);
	tcase_add_test(c, unchecked);
	tcase_add_test(c, memory_bound);
	tcase_add_test(c, initial_tokens);
	return test_main(suite);
}
