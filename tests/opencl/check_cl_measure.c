/* SPDX-License-Identifier: MIT */
/* Transfers that are measured, of the fake driver: which there are, and each call that fails. No times. */
#include "penstock/plan.h"
#include "tests/common/common.h"
#include "tests/fake_cl/fake_cl.h"
#include "tests/opencl/fault_net.h"
#include "tests/plan/plan_net.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { BYTES = 4096, MIB = 1 << 20 };

static const struct fake_cl *fake;

static void start(const char *settings)
{
	fake = fault_driver(settings, NULL);
	ck_assert_ptr_nonnull(fake);
}

static void nothing_is_left(void)
{
	fake->settle();
	for (int kind = 0; kind < FAKE_CL_KIND_COUNT; kind++)
		ck_assert_int_eq(fake->live((enum fake_cl_kind)kind), 0);
	ck_assert_uint_eq(fake->violation_count(), 0);
}

static bool is_rate(double rate)
{
	return isfinite(rate) && rate > 0;
}

START_TEST(all_is_measured)
{
	struct pstk_transfers t;
	char text[256] = "x";

	start("");
	ck_assert_int_eq(pstk_device_measure("fake", BYTES, &t, text, sizeof text), 0);
	ck_assert_str_eq(text, "");
	ck_assert_uint_eq(t.bytes, BYTES);
	for (int locked = 0; locked < 2; locked++)
		for (int k = 0; k < 3; k++) {
			ck_assert(is_rate(t.to_device[locked][k]));
			ck_assert(is_rate(t.to_host[locked][k]));
		}
	ck_assert(is_rate(t.latency) && is_rate(t.both));
	/* 1, 2 and 6 at once and one beside the other direction, 4 rounds, pageable and page-locked; small ones; what
	 * is mapped comes to the host */
	ck_assert_uint_eq(fake->bytes_to_device() - 6 * BYTES, 2 * (10 * 4 * BYTES + 31 * 8));
	ck_assert_uint_ge(fake->bytes_to_host(), 2 * (10 * 4 * BYTES + 31 * 8));
	nothing_is_left();
}
END_TEST

/* As large as the driver allows. */
START_TEST(what_fits)
{
	struct pstk_transfers t;

	start("max_alloc=2500000");
	ck_assert_int_eq(pstk_device_measure("fake", 8 * MIB, &t, NULL, 0), 0);
	ck_assert_uint_eq(t.bytes, 2 * MIB);
	fake->reset();
	ck_assert_int_eq(fake->configure("max_alloc=2500000"), 0);
	ck_assert_int_eq(fake->fail_calls("clCreateBuffer", 4, 1, CL_MEM_OBJECT_ALLOCATION_FAILURE), 0);
	ck_assert_int_eq(pstk_device_measure("fake", 8 * MIB, &t, NULL, 0), 0);
	ck_assert_uint_eq(t.bytes, MIB);
	nothing_is_left();
}
END_TEST

static const struct {
	const char *function;
	unsigned nth;
} calls[] = { { "clCreateContext", 1 }, { "clCreateCommandQueue", 1 }, { "clCreateCommandQueue", 6 },
	{ "clCreateBuffer", 1 }, { "clCreateBuffer", 6 }, { "clCreateBuffer", 8 },
	{ "clEnqueueMapBuffer", 1 }, { "clEnqueueMapBuffer", 3 }, { "clEnqueueWriteBuffer", 1 },
	{ "clEnqueueWriteBuffer", 50 }, { "clEnqueueReadBuffer", 1 }, { "clEnqueueReadBuffer", 50 },
	{ "clFlush", 3 }, { "clFinish", 2 } };

START_TEST(calls_may_fail)
{
	struct pstk_transfers t;
	char text[256];

	start("");
	ck_assert_int_eq(fake->fail_calls(calls[_i].function, calls[_i].nth, 1, CL_OUT_OF_HOST_MEMORY), 0);
	ck_assert_int_eq(pstk_device_measure("fake", BYTES, &t, text, sizeof text), -ENOMEM);
	TEST_SAYS(text, calls[_i].function, "CL_OUT_OF_HOST_MEMORY", " on ");
	nothing_is_left();
}
END_TEST

START_TEST(what_is_refused)
{
	struct pstk_transfers t;
	char text[256];

	start("");
	ck_assert_int_eq(pstk_device_measure(NULL, 0, &t, text, sizeof text), -EINVAL);
	TEST_SAYS(text, "the selector is NULL");
	ck_assert_int_eq(pstk_device_measure("fake", 0, NULL, text, sizeof text), -EINVAL);
	TEST_SAYS(text, "transfers is NULL");
	ck_assert_int_eq(pstk_device_measure("fake", 7, &t, text, sizeof text), -EINVAL);
	TEST_SAYS(text, "less than 8 bytes");
	ck_assert_int_eq(pstk_device_measure("vesta", 0, &t, text, sizeof text), -ENODEV);
	TEST_SAYS(text, "vesta");
	ck_assert_int_eq(pstk_device_measure("3", 0, &t, NULL, 0), -EINVAL);
	nothing_is_left();
}
END_TEST

static const char *const svm[] = { "svm=none", "svm=coarse", "svm=fine" }, *const memories[] = { NULL, "svm",
	"map", "copy" };

/* What pstk_device_link() tells is what a FIFO from the host to the device, and one back, do. */
START_TEST(links_are_what_fifos_do)
{
	const char *memory = memories[_i % 4];
	bool unified = _i / 4 % 2;
	struct pstk_network *net;
	struct pstk_actor *a, *k, *b;
	struct pstk_device_info device;
	enum pstk_link_kind kind;
	char settings[64];

	snprintf(settings, sizeof settings, "%s,unified=%d", svm[_i / 8], unified);
	fake = fault_driver(settings, memory);
	ck_assert_ptr_nonnull(fake);
	net = pstk_network_create("three");
	a = plan_add_kernel(net, "a");
	k = plan_add_kernel(net, "k");
	b = plan_add_kernel(net, "b");
	ck_assert_int_eq(pstk_actor_map(k, "fake"), 0);
	ck_assert_ptr_nonnull(pstk_connect(a, "out", k, "in", PSTK_FIFO(.rate = 1, .token_size = 4)));
	ck_assert_ptr_nonnull(pstk_connect(k, "out", b, "in", PSTK_FIFO(.rate = 1, .token_size = 4)));
	ck_assert_int_eq(pstk_actor_device(k, &device), 0);
	ck_assert_int_eq(pstk_device_link(&device, NULL, &kind), 0);
	for (unsigned i = 0; i < 2; i++) {
		const char *where = plan_info(pstk_network_fifo(net, i)).memory;
		/* the driver of a device with memory of its own copies what is mapped */
		bool maps = !strcmp(where, "mapped") || !strcmp(where, "coarse-grain SVM"),
		     copies = !strncmp(where, "staged", 6) || (maps && !unified);

		ck_assert_msg(copies == (kind == PSTK_LINK_COPY), "%s, %s: %s, but a link that %s", settings,
			memory ? memory : "any", where, kind == PSTK_LINK_COPY ? "copies" : "shares");
	}
	pstk_network_destroy(net);
	nothing_is_left();
}
END_TEST

int main(void)
{
	Suite *s = suite_create("cl_measure");
	TCase *c = test_case(s, "measure");

	tcase_add_test(c, all_is_measured);
	tcase_add_test(c, what_fits);
	tcase_add_loop_test(c, calls_may_fail, 0, TEST_COUNT(calls));
	tcase_add_test(c, what_is_refused);
	tcase_add_loop_test(c, links_are_what_fifos_do, 0, 24);
	return test_main(s);
}
