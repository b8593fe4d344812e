/* SPDX-License-Identifier: MIT */
/* Which process is which host: by name, by the machine that it runs on, by number; and what can't be. */
#include "lib/plan/ranks.h"
#include "tests/common/common.h"

#include <errno.h>

static const struct ps_planned_host plain[] = { { 0, "a", NULL }, { 2, "b", NULL }, { 5, "c", NULL } };
static const struct ps_planned_host named[] = { { 0, "a", "n1" }, { 2, "b", "n2" }, { 5, "c", "n1.lan" } };

/* What three ranks say; expected: their hosts, or the error and some words of it. */
static const struct {
	const struct ps_planned_host *hosts;
	const char *given[3], *machine[3];
	int result;
	const char *expected[3];
} cases[] = {
	{ plain, { 0 }, { "x", "x", "x" }, 0, { "a", "b", "c" } },
	{ plain, { "c", 0, 0 }, { "x", "x", "x" }, 0, { "c", "b", "a" } },
	{ plain, { 0, "a", "b" }, { "x", "x", "x" }, 0, { "c", "a", "b" } },
	{ named, { 0 }, { "n2", "n1", "n1" }, 0, { "b", "a", "c" } },
	{ named, { 0 }, { "n1.lan", "n2.lan", "n1" }, 0, { "a", "b", "c" } },
	{ named, { "b", 0, 0 }, { "n1", "n1", "n1" }, 0, { "b", "a", "c" } },
	{ named, { 0 }, { "n1", "n2", "n3" }, -EINVAL, { "'c'", "'n1.lan'", "rank 2" } },
	{ named, { 0 }, { "n1.lan", "n2.lan", "n1.wan" }, -EINVAL,
		{ "'c'", "'n1.lan'", "runs on 'n1.wan'" } },
	{ plain, { "b", "b", 0 }, { "x", "x", "x" }, -EEXIST, { "ranks 0 and 1", "'b'", "one rank a host" } },
	{ plain, { 0, "bb", 0 }, { "x", "x", "x" }, -ENOENT, { "rank 1", "no host 'bb'", "a, b, c" } },
};

static struct pstk_network *make(unsigned i, uint32_t own)
{
	struct pstk_network *net = pstk_network_create("ranks");

	ck_assert_int_eq(ps_ranks_set(net, 3, own), 0);
	for (uint32_t r = 0; r < 3; r++)
		ck_assert_int_eq(ps_ranks_name(net, r, cases[i].given[r], cases[i].machine[r]), 0);
	return net;
}

/* A plan may be applied again. */
START_TEST(each_case)
{
	struct pstk_network *net = make((unsigned)_i, 1);

	for (unsigned again = 0; again < 2; again++)
		ck_assert_int_eq(ps_ranks_place(net, cases[_i].hosts, 3), cases[_i].result);
	for (uint32_t r = 0; r < 3 && !cases[_i].result; r++) {
		const struct ps_planned_host *h = cases[_i].hosts;

		ck_assert_str_eq(ps_ranks_host(net, r), cases[_i].expected[r]);
		while (*h->name != *cases[_i].expected[r])
			h++;
		ck_assert_uint_eq(ps_ranks_of_host(net, h->place), r);
		if (r == 1)
			ck_assert_uint_eq(net->host, h->place);
	}
	if (cases[_i].result) {
		ck_assert(!net->has_hosts);
		TEST_SAYS(pstk_network_error(net), cases[_i].expected[0], cases[_i].expected[1],
			cases[_i].expected[2]);
	}
	pstk_network_destroy(net);
}
END_TEST

START_TEST(another_number_of_hosts)
{
	struct pstk_network *net = make(0, 0);

	ck_assert_int_eq(ps_ranks_place(net, plain, 2), -EINVAL);
	TEST_SAYS(pstk_network_error(net), "2 hosts (a, b)", "3 processes run", "mpirun -n 2");
	ck_assert_ptr_null(ps_ranks_host(net, 0));
	pstk_network_destroy(net);
}
END_TEST

START_TEST(one_process)
{
	struct pstk_network *net = pstk_network_create("ranks");

	ck_assert_int_eq(ps_ranks_place(net, plain, 3), 0);
	ck_assert(!net->has_hosts);
	ck_assert_uint_eq(ps_ranks_count(net), 0);
	ck_assert_ptr_null(ps_ranks_host(net, 0));
	pstk_network_destroy(net);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("ranks");
	TCase *c = test_case(suite, "ranks");

	tcase_add_loop_test(c, each_case, 0, TEST_COUNT(cases));
	tcase_add_test(c, another_number_of_hosts);
	tcase_add_test(c, one_process);
	return test_main(suite);
}
