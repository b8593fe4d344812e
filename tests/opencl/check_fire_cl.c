/* SPDX-License-Identifier: MIT */
/* <penstock/opencl.h> as a user sees it: host code on a device, with queues of its own, and everything that is
 * wrong. */
#include "tests/opencl/cl_chain.h"
#include "tests/common/common.h"

#include <penstock/opencl.h>

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What the library flushes: nothing may stay behind. */
static _Atomic int unflushed;

cl_int __real_clEnqueueMarkerWithWaitList(cl_command_queue, cl_uint, const cl_event *, cl_event *);
cl_int __wrap_clEnqueueMarkerWithWaitList(cl_command_queue, cl_uint, const cl_event *, cl_event *);
cl_int __wrap_clEnqueueMarkerWithWaitList(
	cl_command_queue queue, cl_uint n, const cl_event *list, cl_event *event)
{
	atomic_store(&unflushed, 1);
	return __real_clEnqueueMarkerWithWaitList(queue, n, list, event);
}

cl_int __real_clFlush(cl_command_queue);
cl_int __wrap_clFlush(cl_command_queue);
cl_int __wrap_clFlush(cl_command_queue queue)
{
	atomic_store(&unflushed, 0);
	return __real_clFlush(queue);
}

static const char source[] = "__kernel void scale(__global const uint *in, __global uint *out, uint factor) {"
			     "	size_t i = get_global_id(0); out[i] = in[i] * factor; }";

/* What a tested actor does in a firing: set by the test before the run. */
enum deed {
	COPIES,      /* on its own queue */
	OWN_QUEUE,   /* on another queue, behind a user event that another thread completes; depends on it */
	TWICE,       /* asks for a window twice */
	NO_PORT,     /* asks for port 7 */
	NULL_WINDOW, /* where to put it: NULL */
	FORGETS,     /* asks for one window only, PSTK_AGAIN */
	DONE_EARLY,  /* the same in firing 3, PSTK_DONE */
	DONE_OUT,    /* publishes in firing 3 and leaves its input, PSTK_DONE */
	HOST_READ,   /* pstk_fifo_read_start() */
	HOST_WRITE,  /* pstk_fifo_write_start() */
	HOST_END,    /* pstk_fifo_read_end() of a window it was given */
	TOO_MANY,    /* 9 events */
	NULL_EVENT,
	BAD_EVENT, /* depends on an event that has failed; one that fails later crashes PoCL 3.1 now and then */
	PARTIAL,   /* ends with 2 of 4 tokens in firing 3 */
	VALID_INPUT,  /* pstk_cl_set_valid() of an input */
	VALID_BEFORE, /* before the window was asked for */
	VALID_0,
	VALID_5, /* of a window of 4 */
	VALID_PORT,
	FAILS,  /* -EDOM in firing 3, with a text, with commands enqueued */
	RETURNS /* returns 7 */
};

struct tested {
	enum deed deed;
	uint32_t tokens; /* of the source, for the values of valid */
	cl_program program;
	cl_kernel kernel;
	cl_command_queue other;
	uint32_t inits, finishes, firings, bad;
	pthread_t thread; /* completes event */
	bool has_thread;
	cl_event event;
	cl_int status;
	unsigned yields;
};

static void make(struct pstk_actor *self, struct tested *t)
{
	const char *text = source;
	cl_device_id device = pstk_cl_device(self);
	cl_context context = pstk_cl_context(self), of_device = NULL;
	cl_int code;

	t->program = clCreateProgramWithSource(context, 1, &text, NULL, &code);
	ck_assert_int_eq(code, 0);
	ck_assert_int_eq(clBuildProgram(t->program, 1, &device, NULL, NULL, NULL), 0);
	t->kernel = clCreateKernel(t->program, "scale", &code);
	ck_assert_int_eq(code, 0);
	t->other = clCreateCommandQueue(context, device, 0, &code);
	ck_assert_int_eq(code, 0);
	ck_assert_int_eq(
		clGetCommandQueueInfo(t->other, CL_QUEUE_CONTEXT, sizeof of_device, &of_device, NULL), 0);
	ck_assert_ptr_eq(of_device, context);
}

static int init(struct pstk_actor *self)
{
	struct tested *t = pstk_actor_arg(self);

	t->inits++;
	if (pstk_cl_device(self))
		make(self, t);
	return 0;
}

static void join(struct tested *t)
{
	if (t->has_thread)
		pthread_join(t->thread, NULL);
	t->has_thread = false;
	if (t->event)
		clReleaseEvent(t->event);
	t->event = NULL;
}

static int finish(struct pstk_actor *self)
{
	struct tested *t = pstk_actor_arg(self);

	t->finishes++;
	join(t);
	if (t->kernel)
		clReleaseKernel(t->kernel);
	if (t->program)
		clReleaseProgram(t->program);
	if (t->other)
		clReleaseCommandQueue(t->other);
	return 0;
}

static void *complete(void *arg)
{
	struct tested *t = arg;

	for (unsigned i = 0; i < t->yields; i++)
		sched_yield();
	clSetUserEventStatus(t->event, t->status);
	return NULL;
}

static void complete_later(struct pstk_actor *self, struct tested *t, cl_int status, unsigned yields)
{
	cl_int code;

	join(t);
	t->event = clCreateUserEvent(pstk_cl_context(self), &code);
	ck_assert_int_eq(code, 0);
	t->status = status;
	t->yields = yields;
	ck_assert_int_eq(pthread_create(&t->thread, NULL, complete, t), 0);
	t->has_thread = true;
}

/* Are a window's values what they must be? */
static bool window_is(
	const struct tested *t, struct pstk_firing *f, unsigned port, const struct pstk_cl_window *w)
{
	uint32_t rate = pstk_actor_port_rate(pstk_firing_actor(f), port);
	uint64_t left = t->tokens - pstk_firing_index(f) * rate;
	size_t size = 0;

	return w->buffer && w->rate == rate && w->bytes == 4 * (size_t)rate &&
	       w->valid == (left < rate ? left : rate) && w->valid == pstk_port_valid(f, port) && w->ready &&
	       !clGetMemObjectInfo(w->buffer, CL_MEM_SIZE, sizeof size, &size, NULL) && size >= w->bytes;
}

static int scale(struct tested *t, cl_command_queue queue, const struct pstk_cl_window *in,
	const struct pstk_cl_window *out, cl_uint n, const cl_event *list, cl_event *event)
{
	cl_uint factor = 3;
	size_t global = in->rate;
	cl_int code = clSetKernelArg(t->kernel, 0, sizeof in->buffer, &in->buffer);

	if (!code)
		code = clSetKernelArg(t->kernel, 1, sizeof out->buffer, &out->buffer);
	if (!code)
		code = clSetKernelArg(t->kernel, 2, sizeof factor, &factor);
	if (!code)
		code = clEnqueueNDRangeKernel(queue, t->kernel, 1, NULL, &global, NULL, n, list, event);
	return code;
}

/* The work is on another queue, between the windows' being there and the event that is given to the library. */
static int on_other_queue(struct pstk_firing *f, struct tested *t, const struct pstk_cl_window *in,
	const struct pstk_cl_window *out)
{
	struct pstk_actor *self = pstk_firing_actor(f);
	struct test_rng rng = { test_mix(pstk_firing_index(f)) };
	cl_event list[3] = { in->ready, out->ready }, done;

	complete_later(self, t, CL_COMPLETE, test_between(&rng, 0, 200));
	list[2] = t->event;
	if (scale(t, t->other, in, out, 3, list, &done) || clFlush(t->other))
		return pstk_actor_error(self, -EIO, "scale");
	t->bad += pstk_cl_depend(f, done) != 0;
	clReleaseEvent(done);
	return PSTK_AGAIN;
}

static int depend_wrongly(struct pstk_firing *f, struct tested *t)
{
	struct pstk_actor *self = pstk_firing_actor(f);

	if (t->deed == NULL_EVENT)
		t->bad += pstk_cl_depend(f, NULL) != -EINVAL;
	if (t->deed == TOO_MANY) {
		complete_later(self, t, CL_COMPLETE, 1);
		for (int i = 0; i < 8; i++)
			t->bad += pstk_cl_depend(f, t->event) != 0;
		t->bad += pstk_cl_depend(f, t->event) != -ENOSPC;
	}
	if (t->deed == BAD_EVENT) {
		complete_later(self, t, CL_INVALID_OPERATION, 0);
		pthread_join(t->thread, NULL);
		t->has_thread = false;
		pstk_cl_depend(f, t->event);
	}
	return PSTK_AGAIN;
}

static int set_valid_wrongly(struct pstk_firing *f, enum deed deed)
{
	switch (deed) {
	case VALID_INPUT:
		return pstk_cl_set_valid(f, 0, 1);
	case VALID_0:
		return pstk_cl_set_valid(f, 1, 0);
	case VALID_5:
		return pstk_cl_set_valid(f, 1, 5);
	case VALID_PORT:
		return pstk_cl_set_valid(f, 2, 1);
	default:
		return -EINVAL;
	}
}

/* What is done instead of asking for the windows in an orderly way. */
static int ask_wrongly(struct pstk_firing *f, struct tested *t)
{
	struct pstk_cl_window w = { 0 };

	switch (t->deed) {
	case TWICE:
		t->bad += pstk_cl_window(f, 0, &w) != 0;
		t->bad += pstk_cl_window(f, 0, &w) != -EPROTO;
		t->bad += pstk_cl_window(f, 1, &w) != 0;
		break;
	case NO_PORT:
		t->bad += pstk_cl_window(f, 7, &w) != -EINVAL;
		break;
	case NULL_WINDOW:
		t->bad += pstk_cl_window(f, 0, NULL) != -EINVAL;
		break;
	case FORGETS:
		t->bad += pstk_cl_window(f, 1, &w) != 0;
		break;
	case HOST_READ:
		t->bad += pstk_fifo_read_start(f, 0) != NULL;
		pstk_fifo_read_end(f, 0);
		break;
	case HOST_WRITE:
		t->bad += pstk_fifo_write_start(f, 1) != NULL;
		pstk_fifo_write_end(f, 1);
		break;
	case HOST_END:
		t->bad += pstk_cl_window(f, 0, &w) || pstk_cl_window(f, 1, &w);
		pstk_fifo_read_end(f, 0);
		break;
	case VALID_BEFORE:
		t->bad += pstk_cl_set_valid(f, 1, 1) != -EINVAL;
		break;
	default:
		return -ENOSYS;
	}
	return PSTK_AGAIN;
}

static int end_early(struct pstk_firing *f, struct tested *t)
{
	struct pstk_cl_window w;
	cl_uint what = 77;

	t->bad += pstk_cl_window(f, t->deed == DONE_OUT ? 1 : 0, &w) != 0;
	if (t->deed == DONE_OUT)
		t->bad += clEnqueueFillBuffer(
				  pstk_cl_queue(f), w.buffer, &what, 4, 0, w.bytes, 0, NULL, NULL) != 0;
	return PSTK_DONE;
}

static int fire_cl(struct pstk_firing *f)
{
	struct pstk_actor *self = pstk_firing_actor(f);
	struct tested *t = pstk_actor_arg(self);
	struct pstk_cl_window in, out;
	uint64_t number = pstk_firing_index(f);
	int rc = ask_wrongly(f, t);

	t->firings++;
	t->bad += !pstk_cl_queue(f) || pstk_actor_state(self) != NULL;
	if (rc != -ENOSYS)
		return rc;
	if ((t->deed == DONE_EARLY || t->deed == DONE_OUT) && number == 3)
		return end_early(f, t);
	if (pstk_cl_window(f, 0, &in) || pstk_cl_window(f, 1, &out))
		return -EPROTO;
	t->bad += !window_is(t, f, 0, &in) || !window_is(t, f, 1, &out);
	if (t->deed == OWN_QUEUE)
		return on_other_queue(f, t, &in, &out);
	if (scale(t, pstk_cl_queue(f), &in, &out, 0, NULL, NULL))
		return pstk_actor_error(self, -EIO, "scale");
	if (t->deed >= TOO_MANY && t->deed <= BAD_EVENT)
		return depend_wrongly(f, t);
	if (t->deed >= VALID_INPUT && t->deed <= VALID_PORT)
		t->bad += set_valid_wrongly(f, t->deed) != -EINVAL;
	if (t->deed == PARTIAL && number == 3)
		t->bad += pstk_cl_set_valid(f, 1, 2) != 0;
	if (t->deed == FAILS && number == 3)
		return pstk_actor_error(self, -EDOM, "the third is wrong");
	return t->deed == RETURNS ? 7 : PSTK_AGAIN;
}

static const struct pstk_actor_type type = { .struct_size = sizeof type,
	.name = "type",
	.ports = cl_chain_ports,
	.port_count = 2,
	.init = init,
	.fire_cl = fire_cl,
	.finish = finish };

static const struct {
	const char *memory, *pocl;
} ways[] = { { "svm", "basic" }, { "map", "basic" }, { "copy", "basic" }, { "map", "pthread" },
	{ "copy", "pthread" } };

static void run_well(enum deed deed, const char *device)
{
	static struct cl_chain c;
	static const uint32_t rates[] = { 1, 4, 5 }, delays[] = { 0, 4, 3 };

	for (size_t i = 0; i < TEST_COUNT(rates); i++) {
		struct tested t = { .deed = deed, .tokens = 42 + delays[i] };

		test_guard("a chain", i);
		memset(&c, 0, sizeof c);
		c.tokens = 42;
		c.rate = rates[i];
		c.delay = delays[i];
		cl_chain_build(&c, &type, &t, device);
		cl_chain_expect(&c, 3, 0);
		ck_assert_uint_eq(t.bad, 0);
		ck_assert_uint_eq(t.inits, 1);
		ck_assert_uint_eq(t.finishes, 1);
		ck_assert_uint_eq(t.firings, (t.tokens + rates[i] - 1) / rates[i]);
	}
}

START_TEST(windows)
{
	const char *device = cl_chain_device(ways[_i].pocl, ways[_i].memory);

	if (!device)
		return;
	run_well(COPIES, device);
	/* PoCL's basic device runs what waits for a user event in the thread that completes it, and waits there for
	 * itself */
	if (strcmp(ways[_i].pocl, "basic"))
		run_well(OWN_QUEUE, device);
}
END_TEST

/* What a deed leads to. */
static const struct {
	enum deed deed;
	int err;
	uint32_t firings, tokens; /* at its end, and at the sink */
	const char *says[4];
} deeds[] = {
	{ TWICE, -EPROTO, 1, 0,
		{ "'tested' (type), firing 0", "pstk_cl_window", "'in' was asked for before" } },
	{ NO_PORT, -EPROTO, 1, 0, { "'tested'", "pstk_cl_window", "no port 7", "only 2" } },
	{ NULL_WINDOW, -EPROTO, 1, 0, { "'tested'", "'in' was not asked for", "pstk_cl_window()" } },
	{ FORGETS, -EPROTO, 1, 0, { "'tested'", "'in' was not asked for before PSTK_AGAIN" } },
	{ DONE_EARLY, 0, 4, 12, { "" } },
	{ DONE_OUT, 0, 4, 16, { "" } },
	{ HOST_READ, -EPROTO, 1, 0, { "'tested'", "pstk_fifo_read_start", "'in'", "pstk_cl_window()" } },
	{ HOST_WRITE, -EPROTO, 1, 0, { "'tested'", "pstk_fifo_write_start", "'out'", "pstk_cl_window()" } },
	{ HOST_END, -EPROTO, 1, 0, { "'tested'", "pstk_fifo_read_end", "'in'", "on the device" } },
	{ TOO_MANY, 0, 8, 32, { "" } },
	{ NULL_EVENT, 0, 8, 32, { "" } },
	{ BAD_EVENT, -EINVAL, 1, 0, { "'tested' (type)", "pstk_cl_depend()", "CL_INVALID_OPERATION" } },
	{ PARTIAL, 0, 4, 14, { "" } },
	{ VALID_INPUT, -EPROTO, 1, 0, { "pstk_cl_set_valid", "'in'", "expected an output" } },
	{ VALID_BEFORE, -EPROTO, 1, 0, { "pstk_cl_set_valid", "'out'", "that was asked for" } },
	{ VALID_0, -EPROTO, 1, 0, { "pstk_cl_set_valid", "'out'", "0 valid tokens", "1 to 4" } },
	{ VALID_5, -EPROTO, 1, 0, { "pstk_cl_set_valid", "'out'", "5 valid tokens", "1 to 4" } },
	{ VALID_PORT, -EPROTO, 1, 0, { "pstk_cl_set_valid", "no port 2" } },
	{ FAILS, -EDOM, 4, 0, { "'tested' (type), fire_cl() in firing 3", "the third is wrong" } },
	{ RETURNS, -EPROTO, 1, 0, { "'tested'", "fire_cl() returned 7" } },
};

START_TEST(what_comes_of_it)
{
	static struct cl_chain c;

	for (size_t way = 0; way < 3; way++) {
		const char *device = cl_chain_device("pthread", ways[way].memory);
		struct tested t = { .deed = deeds[_i].deed, .tokens = 32 };
		int err;

		if (!device)
			return;
		test_guard("a deed", (uint64_t)_i);
		memset(&c, 0, sizeof c);
		c.rate = 4;
		cl_chain_build(&c, &type, &t, device);
		err = pstk_network_run(c.net);
		ck_assert_int_eq(err, deeds[_i].err);
		for (size_t i = 0; i < 4 && deeds[_i].says[i]; i++)
			TEST_SAYS(pstk_network_error(c.net), deeds[_i].says[i]);
		ck_assert_uint_eq(t.bad, 0);
		ck_assert_uint_eq(t.finishes, 1);
		if (deeds[_i].firings)
			ck_assert_uint_eq(t.firings, deeds[_i].firings);
		ck_assert_int_eq(unflushed, 0);
		if (!deeds[_i].err)
			ck_assert_uint_eq(c.count, deeds[_i].tokens);
		if (deeds[_i].deed == DONE_OUT)
			ck_assert_uint_eq(c.got[15], 77);
		for (uint32_t i = 0; i < c.count && i < 12; i++)
			ck_assert_uint_eq(c.got[i], 3 * (i + 1));
		pstk_network_destroy(c.net);
	}
}
END_TEST

/* The other forms of a type beside fire_cl, and its calls in fire(). */
static int host_fire(struct pstk_firing *f)
{
	struct pstk_actor *self = pstk_firing_actor(f);
	struct tested *t = pstk_actor_arg(self);
	const uint32_t *in = pstk_fifo_read_start(f, 0);
	uint32_t *out = pstk_fifo_write_start(f, 1);
	struct pstk_cl_window w;
	size_t one = 1;

	for (uint32_t i = 0; i < pstk_port_valid(f, 0); i++)
		out[i] = in[i] + 1000;
	pstk_fifo_read_end(f, 0);
	pstk_fifo_write_end(f, 1);
	t->firings++;
	t->bad += pstk_cl_queue(f) || pstk_cl_device(self) || pstk_cl_context(self);
	t->bad += pstk_cl_depend(f, (cl_event)&w) != -EINVAL;
	t->bad += pstk_actor_set_work_size(self, 1, &one, NULL) != -EBUSY;
	t->bad += pstk_actor_set_arg(self, 0, sizeof one, &one) != -EBUSY;
	t->bad += pstk_actor_map(self, NULL) != -EBUSY;
	if (t->deed == TWICE)
		t->bad += pstk_cl_window(f, 0, &w) != -EINVAL;
	if (t->deed == VALID_5)
		t->bad += pstk_cl_set_valid(f, 1, 1) != -EINVAL;
	return PSTK_AGAIN;
}

static const struct pstk_kernel broken = { .source = "this is no OpenCL C", .name = "none" };

static const struct pstk_actor_type all_forms = { .struct_size = sizeof type,
	.name = "type",
	.ports = cl_chain_ports,
	.port_count = 2,
	.init = init,
	.fire = host_fire,
	.fire_cl = fire_cl,
	.kernel = &broken,
	.finish = finish };

START_TEST(forms)
{
	static struct cl_chain c;
	const char *device = cl_chain_device("basic", "");
	struct tested t = { .deed = COPIES, .tokens = 32 };
	struct pstk_device_info info;

	if (!device)
		return;
	test_log_start();
	cl_chain_build(
		&c, &all_forms, &t, device); /* fire_cl wins over the kernel, which is not even built */
	ck_assert_int_eq(pstk_actor_device(c.tested, &info), 0);
	ck_assert_str_eq(info.selector, device);
	cl_chain_expect(&c, 3, 0);
	t = (struct tested){ .tokens = 32 };
	cl_chain_build(&c, &all_forms, &t, device);
	ck_assert_int_eq(pstk_actor_map(c.tested, NULL), 0); /* and back */
	ck_assert_int_eq(pstk_actor_device(c.tested, &info), -ENODEV);
	cl_chain_expect(&c, 1, 1000);
	ck_assert_uint_eq(t.bad, 0);
	ck_assert_uint_eq(t.firings, 32);
	ck_assert_uint_eq(t.finishes, 1);

	t = (struct tested){ .deed = TWICE };
	cl_chain_build(&c, &all_forms, &t, NULL);
	CL_CHAIN_FAILS(&c, -EPROTO, "'tested'", "pstk_cl_window", "only in fire_cl()");
	t = (struct tested){ .deed = VALID_5 };
	cl_chain_build(&c, &all_forms, &t, NULL);
	CL_CHAIN_FAILS(&c, -EPROTO, "'tested'", "pstk_cl_set_valid", "only in fire_cl()");
	ck_assert_uint_eq(t.bad, 0);
	test_log_stop();
}
END_TEST

START_TEST(profile)
{
	static struct cl_chain c;
	const char *device = cl_chain_device("pthread", "");
	struct tested t = { .tokens = 32 };
	struct pstk_actor_stats stats;

	if (!device)
		return;
	for (unsigned flags = 0; flags <= PSTK_PROFILE; flags += PSTK_PROFILE) {
		t = (struct tested){ .tokens = 32 };
		cl_chain_build(&c, &type, &t, device);
		ck_assert_int_eq(pstk_network_set_flags(c.net, flags), 0);
		ck_assert_int_eq(pstk_network_run(c.net), 0);
		ck_assert_int_eq(pstk_actor_get_stats(c.tested, &stats), 0);
		ck_assert_uint_eq(stats.firings, 32);
		ck_assert(flags ? stats.device_ns > 0 : stats.device_ns == 0);
		ck_assert_int_eq(pstk_actor_get_stats(c.source, &stats), 0);
		ck_assert_uint_eq(stats.device_ns, 0);
		pstk_network_destroy(c.net);
	}
}
END_TEST

START_TEST(nothing)
{
	struct pstk_cl_window w;

	ck_assert_ptr_null(pstk_cl_device(NULL));
	ck_assert_ptr_null(pstk_cl_context(NULL));
	ck_assert_ptr_null(pstk_cl_queue(NULL));
	ck_assert_int_eq(pstk_cl_window(NULL, 0, &w), -EINVAL);
	ck_assert_int_eq(pstk_cl_window(NULL, 0, NULL), -EINVAL);
	ck_assert_int_eq(pstk_cl_depend(NULL, NULL), -EINVAL);
	ck_assert_int_eq(pstk_cl_set_valid(NULL, 0, 1), -EINVAL);
	ck_assert_str_eq(pstk_cl_error_name(CL_OUT_OF_RESOURCES), "CL_OUT_OF_RESOURCES");
	ck_assert_ptr_nonnull(pstk_cl_error_name(12345));
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("fire_cl");
	TCase *tcase = test_case(suite, "fire_cl");

	tcase_add_loop_test(tcase, windows, 0, TEST_COUNT(ways));
	tcase_add_loop_test(tcase, what_comes_of_it, 0, TEST_COUNT(deeds));
	tcase_add_test(tcase, forms);
	tcase_add_test(tcase, profile);
	tcase_add_test(tcase, nothing);
	return test_main(suite);
}
