/* SPDX-License-Identifier: MIT */
/* Machines: what can be built, what is refused and in which words, and memory that is out. */
#include "lib/base/memory.h"
#include "lib/machine/machine.h"
#include "tests/common/common.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static struct pstk_machine *make(void)
{
	struct pstk_machine *m = pstk_machine_create();

	ck_assert_int_eq(pstk_machine_add_host(m, "c0", 4, 1000), 0);
	ck_assert_int_eq(pstk_machine_add_device(m, "c0", "g0", "gpu", 0), 1);
	ck_assert_int_eq(pstk_machine_add_device(m, "c0", "g1", "", 7), 2);
	ck_assert_int_eq(pstk_machine_add_host(m, "c1", 1, 0), 3);
	ck_assert_str_eq(pstk_machine_error(m), "");
	return m;
}

START_TEST(it_tells_what_it_has)
{
	struct pstk_machine *m = make();
	struct pstk_place p;
	struct pstk_link l;

	ck_assert_int_eq(pstk_machine_add_link(m, &(struct pstk_link){ .a = "c0/g0",
							  .b = "c0",
							  .kind = PSTK_LINK_COPY,
							  .rate = 5,
							  .latency = 2,
							  .half = true }),
		0);
	ck_assert_int_eq(pstk_machine_add_link(m, &(struct pstk_link){ .a = "c0", .b = "c0/g1" }), 1);
	ck_assert_uint_eq(pstk_machine_place_count(m), 4);
	ck_assert_uint_eq(pstk_machine_link_count(m), 2);
	ck_assert_int_eq(pstk_machine_get_place(m, 1, &p), 0);
	ck_assert_str_eq(p.name, "c0/g0");
	ck_assert_str_eq(p.selector, "gpu");
	ck_assert_uint_eq(p.host, 0);
	ck_assert_uint_eq(p.cores, 1);
	ck_assert_int_eq(pstk_machine_get_place(m, 2, &p), 0);
	ck_assert_ptr_null(p.selector);
	ck_assert_uint_eq(p.memory, 7);
	ck_assert_int_eq(pstk_machine_get_place(m, 3, &p), 0);
	ck_assert_uint_eq(p.host, 3);
	ck_assert_int_eq(pstk_machine_get_link(m, 0, &l), 0);
	ck_assert_str_eq(l.a, "c0/g0");
	ck_assert_str_eq(l.b, "c0");
	ck_assert(l.half && l.kind == PSTK_LINK_COPY);
	ck_assert_double_eq(l.rate, 5);
	ck_assert_double_eq(l.latency, 2);
	ck_assert_int_eq(pstk_machine_find(m, "c0/g1"), 2);
	ck_assert_double_eq(ps_link_seconds(&m->links[0], 20), 6);
	ck_assert_str_eq(ps_link_kind_name(m->links[1].kind), "shared");
	ck_assert_int_eq(pstk_machine_get_place(m, 4, &p), -EINVAL);
	ck_assert_int_eq(pstk_machine_get_link(m, 2, &l), -EINVAL);
	pstk_machine_destroy(m);
}
END_TEST

/* Of which machine each place is, as last said. */
static void expect_addresses(const struct pstk_machine *m, const char *c0, const char *c1)
{
	const char *const wanted[] = { c0, NULL, NULL, c1 };
	struct pstk_place p;

	for (unsigned i = 0; !pstk_machine_get_place(m, i, &p); i++)
		ck_assert_msg(!p.address == !wanted[i] && (!p.address || !strcmp(p.address, wanted[i])),
			"'%s' is '%s'", p.name, p.address);
}

START_TEST(hosts_have_addresses)
{
	struct pstk_machine *m = make();

	expect_addresses(m, NULL, NULL);
	ck_assert_int_eq(pstk_machine_set_address(m, "c1", "node17"), 0);
	expect_addresses(m, NULL, "node17");
	ck_assert_int_eq(pstk_machine_set_address(m, "c1", "node18"), 0);
	ck_assert_int_eq(pstk_machine_set_address(m, "c0", "node17"), 0);
	expect_addresses(m, "node17", "node18");
	ck_assert_int_eq(pstk_machine_set_address(m, "c1", NULL), 0);
	expect_addresses(m, "node17", NULL);
	ck_assert_int_eq(pstk_machine_set_address(m, "c0", ""), 0);
	expect_addresses(m, NULL, NULL);
	pstk_machine_destroy(m);
}
END_TEST

static void expect(const struct pstk_machine *m, int result, int err, const char *why)
{
	ck_assert_int_eq(result, err);
	ck_assert_str_eq(pstk_machine_error(m), why);
}

START_TEST(places_are_refused)
{
	static const char rule[] = ": it begins with a letter, a digit or '_', and contains no '/'";
	struct pstk_machine *m = make();
	char why[200];

	snprintf(why, sizeof why, "'a/b' is no name of a host%s", rule);
	expect(m, pstk_machine_add_host(m, "a/b", 1, 0), -EINVAL, why);
	snprintf(why, sizeof why, "'' is no name of a host%s", rule);
	expect(m, pstk_machine_add_host(m, "", 1, 0), -EINVAL, why);
	snprintf(why, sizeof why, "'\\x1b' is no name of a device%s", rule);
	expect(m, pstk_machine_add_device(m, "c0", "\x1b", NULL, 0), -EINVAL, why);
	expect(m, pstk_machine_add_host(m, "x", 0, 0), -EINVAL, "host 'x' has no core: it needs at least 1");
	expect(m, pstk_machine_add_host(m, "c1", 1, 0), -EEXIST, "host 'c1' is there already");
	expect(m, pstk_machine_add_device(m, "c0", "g1", NULL, 0), -EEXIST,
		"device 'c0/g1' is there already");
	expect(m, pstk_machine_add_device(m, "c2", "g1", NULL, 0), -ENOENT,
		"the machine has no place 'c2'; did you mean 'c0'? It has c0, c0/g0, c0/g1, c1");
	expect(m, pstk_machine_add_device(m, "c0/g0", "g", NULL, 0), -EINVAL,
		"'c0/g0' is a device: only a host has devices");
	expect(m, pstk_machine_set_address(m, "c0/g0", "node17"), -EINVAL,
		"'c0/g0' is a device: only a host has an address");
	expect(m, pstk_machine_set_address(m, "c2", "node17"), -ENOENT,
		"the machine has no place 'c2'; did you mean 'c0'? It has c0, c0/g0, c0/g1, c1");
	expect_addresses(m, NULL, NULL);
	ck_assert_uint_eq(pstk_machine_place_count(m), 4);
	pstk_machine_destroy(m);
}
END_TEST

START_TEST(links_are_refused)
{
	static const struct {
		struct pstk_link link;
		int err;
		const char *why;
	} wrong[] = {
		{ { .a = "c0", .b = "c0", .kind = PSTK_LINK_COPY, .rate = 1 }, -EINVAL,
			"a link joins 'c0' to itself" },
		{ { .a = "c0", .b = "c0/g0", .kind = PSTK_LINK_COPY }, -EINVAL,
			"link 'c0' - 'c0/g0': the rate is 0 bytes/s, it must be above 0" },
		{ { .a = "c0", .b = "c0/g0", .kind = PSTK_LINK_COPY, .rate = -2 }, -EINVAL,
			"link 'c0' - 'c0/g0': the rate is -2 bytes/s, it must be above 0" },
		{ { .a = "c0", .b = "c0/g0", .kind = PSTK_LINK_COPY, .rate = NAN }, -EINVAL,
			"link 'c0' - 'c0/g0': the rate is nan bytes/s, it must be above 0" },
		{ { .a = "c0", .b = "c0/g0", .kind = PSTK_LINK_COPY, .rate = 1, .latency = -1 }, -EINVAL,
			"link 'c0' - 'c0/g0': the latency is -1 s, it can't be below 0" },
		{ { .a = "c0", .b = "c0/g0", .kind = PSTK_LINK_NET, .rate = 1 }, -EINVAL,
			"link 'c0' - 'c0/g0': a net joins two hosts" },
		{ { .a = "c0/g0", .b = "c1", .kind = PSTK_LINK_COPY, .rate = 1 }, -EINVAL,
			"link 'c0/g0' - 'c1': places of two hosts are joined by a net between the hosts" },
		{ { .a = "c0", .b = "c0/g0", .rate = 1 }, -EINVAL,
			"link 'c0' - 'c0/g0': a shared link copies nothing: it has no rate, latency or "
			"duplex" },
		{ { .a = "c0", .b = "c0/g0", .half = true }, -EINVAL,
			"link 'c0' - 'c0/g0': a shared link copies nothing: it has no rate, latency or "
			"duplex" },
		{ { .a = "c0", .b = "c0/g1" }, -EEXIST, "'c0' and 'c0/g1' have a link already" },
		{ { .a = "c0/g1", .b = "c0" }, -EEXIST, "'c0/g1' and 'c0' have a link already" },
		{ { .a = "c0", .b = "c9" }, -ENOENT,
			"the machine has no place 'c9'; did you mean 'c0'? It has c0, c0/g0, c0/g1, c1" },
		{ { .a = "c0", .b = "c0/g0", .kind = (enum pstk_link_kind)3 }, -EINVAL,
			"link 'c0' - 'c0/g0': there is no kind 3" },
	};
	struct pstk_machine *m = make();

	ck_assert_int_eq(pstk_machine_add_link(m, &(struct pstk_link){ .a = "c0", .b = "c0/g1" }), 0);
	for (unsigned i = 0; i < TEST_COUNT(wrong); i++)
		expect(m, pstk_machine_add_link(m, &wrong[i].link), wrong[i].err, wrong[i].why);
	ck_assert_uint_eq(pstk_machine_link_count(m), 1);
	pstk_machine_destroy(m);
}
END_TEST

START_TEST(nulls_are_refused)
{
	struct pstk_machine *m = make();
	struct pstk_place p;
	struct pstk_link l = { .a = "c0" };

	pstk_machine_destroy(NULL);
	ck_assert_int_eq(pstk_machine_add_host(NULL, "a", 1, 0), -EINVAL);
	ck_assert_int_eq(pstk_machine_add_host(m, NULL, 1, 0), -EINVAL);
	ck_assert_int_eq(pstk_machine_add_device(NULL, "c0", "a", NULL, 0), -EINVAL);
	ck_assert_int_eq(pstk_machine_add_device(m, NULL, "a", NULL, 0), -EINVAL);
	ck_assert_int_eq(pstk_machine_add_device(m, "c0", NULL, NULL, 0), -EINVAL);
	ck_assert_int_eq(pstk_machine_add_link(NULL, &l), -EINVAL);
	ck_assert_int_eq(pstk_machine_add_link(m, NULL), -EINVAL);
	ck_assert_int_eq(pstk_machine_add_link(m, &l), -EINVAL);
	ck_assert_int_eq(pstk_machine_set_address(NULL, "c0", "a"), -EINVAL);
	ck_assert_int_eq(pstk_machine_set_address(m, NULL, "a"), -EINVAL);
	ck_assert_int_eq(pstk_machine_find(m, NULL), -EINVAL);
	ck_assert_int_eq(pstk_machine_find(NULL, "c0"), -EINVAL);
	ck_assert_int_eq(pstk_machine_get_place(NULL, 0, &p), -EINVAL);
	ck_assert_int_eq(pstk_machine_get_place(m, 0, NULL), -EINVAL);
	ck_assert_int_eq(pstk_machine_get_link(NULL, 0, &l), -EINVAL);
	ck_assert_int_eq(pstk_machine_get_link(m, 0, NULL), -EINVAL);
	ck_assert_str_eq(pstk_machine_error(NULL), "");
	ck_assert_uint_eq(pstk_machine_place_count(NULL), 0);
	ck_assert_uint_eq(pstk_machine_link_count(NULL), 0);
	pstk_machine_destroy(m);
}
END_TEST

/* One call after the other; each allocation fails once, and the machine stays as it was. */
static int build(struct pstk_machine *m)
{
	int result = pstk_machine_add_host(m, "h", 1, 0);

	if (result >= 0)
		result = pstk_machine_set_address(m, "h", "node17");
	if (result >= 0)
		result = pstk_machine_add_device(m, "h", "d", "gpu", 0);
	if (result >= 0)
		result = pstk_machine_add_link(m, &(struct pstk_link){ .a = "h", .b = "h/d" });
	return result;
}

START_TEST(memory_may_be_out)
{
	int result = -ENOMEM;
	long n;

	for (n = 0; result < 0; n++) {
		struct pstk_machine *m;

		ps_memory_fail_at = n;
		m = pstk_machine_create();
		ck_assert(n ? m != NULL : !m);
		result = m ? build(m) : -ENOMEM;
		if (result < 0)
			ck_assert_int_eq(result, -ENOMEM);
		if (m && result < 0)
			ck_assert_str_eq(pstk_machine_error(m), "out of memory");
		pstk_machine_destroy(m);
	}
	ps_memory_fail_at = -1;
	ck_assert_int_eq(n, 13);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("machine");
	TCase *c = test_case(s, "machine");

	tcase_add_test(c, it_tells_what_it_has);
	tcase_add_test(c, hosts_have_addresses);
	tcase_add_test(c, places_are_refused);
	tcase_add_test(c, links_are_refused);
	tcase_add_test(c, nulls_are_refused);
	tcase_add_test(c, memory_may_be_out);
	return test_main(s);
}
