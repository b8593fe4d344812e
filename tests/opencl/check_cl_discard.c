/* SPDX-License-Identifier: MIT */
/*
 * A host actor's only reader, on a device, ends between the host actor's looking whether it is over and its
 * looking for room: then there is neither room nor a place for what no actor reads.
 *
 * feed -> relay (device) -> writer -> reader (device) <- conf
 */
#include "tests/common/common.h"
#include "tests/fake_cl/fake_cl.h"

#include <penstock/penstock.h>

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

static struct {
	struct pstk_actor *writer;
	struct pstk_fifo *last;   /* writer -> reader */
	_Atomic uint64_t looking; /* the writer is in its second firing's look at its input */
	uint64_t null_windows;
} run;

static bool is_writer(void)
{
	char name[16] = "";

	pthread_getname_np(pthread_self(), name, sizeof name);
	return !strcmp(name, "writer");
}

cl_int __real_clGetEventInfo(cl_event, cl_event_info, size_t, void *, size_t *);
cl_int __wrap_clGetEventInfo(cl_event, cl_event_info, size_t, void *, size_t *);
cl_int __wrap_clGetEventInfo(cl_event event, cl_event_info what, size_t size, void *value, size_t *got)
{
	cl_int code = __real_clGetEventInfo(event, what, size, value, got);
	struct pstk_actor_stats stats;
	struct pstk_fifo_info info;

	if (!is_writer() || what != CL_EVENT_COMMAND_EXECUTION_STATUS || *(cl_int *)value != CL_COMPLETE ||
		atomic_load(&run.looking))
		return code;
	pstk_actor_get_stats(run.writer, &stats);
	if (stats.firings != 1)
		return code;
	atomic_store(&run.looking, 1);
	do
		pstk_fifo_get_info(run.last, &info);
	while (!info.discards);
	return code;
}

static int feed_fire(struct pstk_firing *f)
{
	*(uint32_t *)pstk_fifo_write_start(f, 0) = 1;
	pstk_fifo_write_end(f, 0);
	return PSTK_AGAIN;
}

static int writer_fire(struct pstk_firing *f)
{
	const uint32_t *in = pstk_fifo_read_start(f, 0);
	uint32_t *out = pstk_fifo_write_start(f, 1);

	if (out)
		*out = *in;
	else
		run.null_windows++;
	pstk_fifo_read_end(f, 0);
	pstk_fifo_write_end(f, 1);
	return PSTK_AGAIN;
}

/* Its only token turns the reader's port off; then the reader ends. */
static int conf_fire(struct pstk_firing *f)
{
	test_await(&run.looking, 1);
	*(uint32_t *)pstk_fifo_write_start(f, 0) = 0;
	pstk_fifo_write_end(f, 0);
	return PSTK_DONE;
}

static int decide(struct pstk_firing *f, uint32_t value)
{
	pstk_port_enable(f, 1, value);
	return 0;
}

static int one_init(struct pstk_actor *self)
{
	const size_t one = 1;

	return pstk_actor_set_work_size(self, 1, &one, &one);
}

/* -- the kernels -- */

static const char source[] = "kernel void relay(\nkernel void swallow(\n";

static void run_relay(const struct fake_cl_launch *l)
{
	*(uint32_t *)l->arg[1] = *(const uint32_t *)l->arg[0];
}

static void run_swallow(const struct fake_cl_launch *l)
{
	(void)l;
}

static void add_kernels(const struct fake_cl *fake)
{
	static const struct fake_cl_arg relay[] = { FAKE_CL_IN("in", "uint"), FAKE_CL_OUT("out", "uint"),
		FAKE_CL_VALUE("firing", "ulong", 8) };
	static const struct fake_cl_arg swallow[] = { FAKE_CL_IN("in", "uint"),
		FAKE_CL_VALUE("firing", "ulong", 8) };
	static const struct fake_cl_kernel kernels[] = {
		{ .name = "relay", .args = relay, .arg_count = TEST_COUNT(relay), .run = run_relay },
		{ .name = "swallow", .args = swallow, .arg_count = TEST_COUNT(swallow), .run = run_swallow },
	};

	for (size_t i = 0; i < TEST_COUNT(kernels); i++)
		ck_assert_int_eq(fake->add_kernel(&kernels[i]), 0);
}

/* -- the network -- */

static struct pstk_network *build(void)
{
	static const struct pstk_port in_out[] = { { .name = "in", .kind = PSTK_INPUT },
		{ .name = "out", .kind = PSTK_OUTPUT } };
	static const struct pstk_port dynamic[] = { { .name = "control", .kind = PSTK_CONTROL },
		{ .name = "in", .kind = PSTK_DYNAMIC_INPUT } };
	static const struct pstk_kernel relay_kernel = { .source = source, .name = "relay" };
	static const struct pstk_kernel swallow = { .source = source, .name = "swallow" };
	struct pstk_network *net = pstk_network_create("discard");
	struct pstk_actor *feed, *relay, *reader, *conf;

	pstk_network_set_threads(
		net, 0); /* it is the writer's own thread that looks at the FIFO while it waits */
	feed = pstk_network_add(net, "feed",
		PSTK_ACTOR_TYPE(.name = "feed", .ports = &in_out[1], .port_count = 1, .fire = feed_fire),
		NULL);
	relay = pstk_network_add(net, "relay",
		PSTK_ACTOR_TYPE(.name = "relay", .ports = in_out, .port_count = 2, .init = one_init,
			.kernel = &relay_kernel),
		NULL);
	run.writer = pstk_network_add(net, "writer",
		PSTK_ACTOR_TYPE(.name = "writer", .ports = in_out, .port_count = 2, .fire = writer_fire),
		NULL);
	reader = pstk_network_add(net, "reader",
		PSTK_ACTOR_TYPE(.name = "reader", .ports = dynamic, .port_count = 2, .control_values = 2,
			.init = one_init, .control = decide, .kernel = &swallow),
		NULL);
	conf = pstk_network_add(net, "conf",
		PSTK_ACTOR_TYPE(.name = "conf", .ports = &in_out[1], .port_count = 1, .blocks = true,
			.fire = conf_fire),
		NULL);
	pstk_actor_map(relay, "pstk:gpu:0");
	pstk_actor_map(reader, "pstk:gpu:0");
	pstk_connect(feed, "out", relay, "in", PSTK_FIFO(.rate = 1, .token_size = 4));
	pstk_connect(relay, "out", run.writer, "in", PSTK_FIFO(.rate = 1, .token_size = 4));
	run.last = pstk_connect(
		run.writer, "out", reader, "in", PSTK_FIFO(.rate = 1, .depth = 1, .token_size = 4));
	pstk_connect(conf, "out", reader, "control", PSTK_FIFO(.rate = 1, .token_size = 4));
	pstk_network_set_flags(net, PSTK_UNCHECKED); /* the writer's output is static */
	return net;
}

static const struct {
	const char *settings, *memory;
} ways[] = { { "svm=none,unified=0", "copy" }, { "svm=none,unified=1", "map" },
	{ "svm=coarse,unified=1", "svm" }, { "svm=fine,unified=1", "svm" } };

START_TEST(reader_ends)
{
	const struct fake_cl *fake = fake_cl_start(FAKE_CL_DRIVER, ways[_i].settings, NULL);
	struct pstk_actor_stats stats;
	struct pstk_network *net;

	ck_assert_ptr_nonnull(fake);
	setenv("PENSTOCK_MEMORY", ways[_i].memory, 1);
	add_kernels(fake);
	test_log_start();
	net = build();
	ck_assert_msg(!pstk_network_run(net), "%s", pstk_network_error(net));
	pstk_actor_get_stats(run.writer, &stats);
	ck_assert_uint_eq(atomic_load(&run.looking), 1);
	ck_assert_uint_eq(run.null_windows, 0);
	ck_assert_uint_eq(stats.firings, 1);
	pstk_network_destroy(net);
	fake->settle();
	for (int kind = FAKE_CL_CONTEXT; kind < FAKE_CL_KIND_COUNT; kind++)
		ck_assert_int_eq(fake->live((enum fake_cl_kind)kind), 0);
	ck_assert_uint_eq(fake->violation_count(), 0);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("cl_discard");

	tcase_add_loop_test(test_case(suite, "discard"), reader_ends, 0, TEST_COUNT(ways));
	return test_main(suite);
}
