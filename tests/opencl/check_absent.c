/* SPDX-License-Identifier: MIT */
/* A library that was configured --without-opencl: it names no device, and says why not. */
#include "tests/common/common.h"

#include <penstock/penstock.h>
#include <penstock/plan.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#define WHY "was built without OpenCL (configure --without-opencl)"

START_TEST(there_are_no_devices)
{
	struct pstk_device_info info;
	struct pstk_transfers transfers;
	char text[200], *printed = NULL;
	size_t size;
	FILE *out = open_memstream(&printed, &size);

	ck_assert_int_eq(pstk_devices(NULL, 0), 0);
	ck_assert_int_eq(pstk_devices(&info, 1), 0);
	ck_assert_int_eq(pstk_devices(NULL, 1), -EINVAL);
	ck_assert_int_eq(pstk_device_find("gpu", &info, text, sizeof text), -ENODEV);
	TEST_SAYS(text, "'gpu'", WHY);
	ck_assert_int_eq(pstk_device_find(NULL, &info, text, sizeof text), -EINVAL);
	TEST_SAYS(text, "the selector is NULL");
	ck_assert_int_eq(pstk_device_find("gpu", NULL, NULL, 0), -EINVAL);
	ck_assert_int_eq(pstk_device_measure("gpu", 0, &transfers, text, sizeof text), -ENODEV);
	TEST_SAYS(text, "'gpu'", WHY);
	ck_assert_int_eq(pstk_device_measure("gpu", 0, NULL, text, sizeof text), -EINVAL);
	ck_assert_int_eq(pstk_devices_print(NULL), -EINVAL);
	ck_assert_int_eq(pstk_devices_print(out), 0);
	fclose(out);
	TEST_SAYS(printed, WHY);
	free(printed);
}
END_TEST

static int fire(struct pstk_firing *f)
{
	pstk_fifo_write_start(f, 0);
	pstk_fifo_write_end(f, 0);
	return PSTK_DONE;
}

static int take(struct pstk_firing *f)
{
	pstk_fifo_read_start(f, 0);
	pstk_fifo_read_end(f, 0);
	return PSTK_AGAIN;
}

/* As types with both forms do. */
static int init(struct pstk_actor *a)
{
	uint32_t value = 1;
	size_t global = 4, local = 3, none = 0;
	int err = pstk_actor_set_arg(a, 1, sizeof value, &value);

	ck_assert_int_eq(pstk_actor_set_arg(a, 1, 0, &value), -EINVAL);
	ck_assert_int_eq(pstk_actor_set_arg(a, 64, sizeof value, &value), -EINVAL);
	ck_assert_int_eq(pstk_actor_set_work_size(a, 4, &global, NULL), -EINVAL);
	ck_assert_int_eq(pstk_actor_set_work_size(a, 1, &global, &local), -EINVAL);
	ck_assert_int_eq(pstk_actor_set_work_size(a, 1, &none, NULL), -EINVAL);
	ck_assert_int_eq(pstk_actor_set_arg(a, 1, sizeof value, PSTK_ARG_RATE(1)), -EINVAL);
	ck_assert_int_eq(pstk_actor_set_arg(a, 2, sizeof value, PSTK_ARG_RATE(0)), 0);
	return err ? err : pstk_actor_set_work_size(a, 1, &global, NULL);
}

static struct pstk_network *build(struct pstk_actor **source, int (*begin)(struct pstk_actor *))
{
	static const struct pstk_port out = { .name = "out", .kind = PSTK_OUTPUT },
				      in = { .name = "in", .kind = PSTK_INPUT };
	static const struct pstk_kernel kernel = { .source = "kernel void k(", .name = "k" };
	struct pstk_network *net = pstk_network_create("cores");
	struct pstk_actor *sink = pstk_network_add(net, "sink",
		PSTK_ACTOR_TYPE(.name = "take", .ports = &in, .port_count = 1, .fire = take), NULL);

	*source = pstk_network_add(net, "source",
		PSTK_ACTOR_TYPE(.name = "both", .ports = &out, .port_count = 1, .init = begin, .fire = fire,
			.kernel = &kernel),
		NULL);
	ck_assert_ptr_nonnull(
		pstk_connect(*source, "out", sink, "in", PSTK_FIFO(.rate = 1, .token_size = 4)));
	return net;
}

START_TEST(none_is_mapped)
{
	struct pstk_device_info info;
	struct pstk_actor *source;
	struct pstk_network *net = build(&source, init);

	ck_assert_int_eq(pstk_actor_map(NULL, "gpu"), -EINVAL);
	ck_assert_int_eq(pstk_actor_map(source, "gpu"), -ENODEV);
	TEST_SAYS(pstk_network_error(net), "'source' (both)", "'gpu'", WHY);
	ck_assert_int_eq(pstk_actor_device(source, &info), -ENODEV);
	ck_assert_int_eq(pstk_actor_device(source, NULL), -EINVAL);
	ck_assert_int_eq(pstk_network_start(net), -ENODEV);
	pstk_network_destroy(net);
}
END_TEST

static int init_wrong(struct pstk_actor *a)
{
	uint32_t value = 1;

	return pstk_actor_set_arg(a, 64, sizeof value, &value);
}

/* A type with a mistake in its device form is refused here, too, with the same words. */
START_TEST(mistakes_are_named)
{
	static const struct pstk_port out = { .name = "out", .kind = PSTK_OUTPUT };
	struct pstk_network *net = pstk_network_create("cores");
	struct pstk_actor *source = pstk_network_add(net, "source",
		PSTK_ACTOR_TYPE(.name = "give", .ports = &out, .port_count = 1, .fire = fire), NULL);
	size_t none = 0;

	ck_assert_int_eq(pstk_actor_map(source, "gpu"), -EINVAL);
	TEST_SAYS(pstk_network_error(net), "'source' (give)", "no device form", "'gpu'");
	pstk_network_destroy(net);

	net = build(&source, init);
	ck_assert_int_eq(pstk_actor_set_work_size(source, 1, &none, NULL), -EINVAL);
	TEST_SAYS(pstk_network_error(net), "'source' (both)", "dimension 0: global 0, local 0");
	pstk_network_destroy(net);

	net = build(&source, init_wrong);
	ck_assert_int_eq(pstk_network_start(net), -EINVAL);
	TEST_SAYS(pstk_network_error(net), "'source' (both)", "index 64, 4 bytes");
	pstk_network_destroy(net);
}
END_TEST

/* A type with both forms runs on the cores. */
START_TEST(it_runs_on_the_cores)
{
	struct pstk_actor *source;
	struct pstk_network *net = build(&source, init);

	ck_assert_int_eq(pstk_actor_map(source, NULL), 0);
	ck_assert_int_eq(pstk_network_run(net), 0);
	pstk_network_destroy(net);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("absent");
	TCase *c = test_case(suite, "absent");

	tcase_add_test(c, there_are_no_devices);
	tcase_add_test(c, none_is_mapped);
	tcase_add_test(c, mistakes_are_named);
	tcase_add_test(c, it_runs_on_the_cores);
	return test_main(suite);
}
