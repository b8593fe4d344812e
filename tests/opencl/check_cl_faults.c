/* SPDX-License-Identifier: MIT */
/*
 * Every OpenCL call of a network's life fails once, in each way in which host and device share memory: the run ends,
 * says what and where, and leaves nothing behind.
 */
#include "tests/common/common.h"
#include "tests/opencl/fault_net.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* The driver and PENSTOCK_MEMORY. */
static const struct way {
	const char *settings, *memory;
	uint32_t delay;
	bool overlaps;
} ways[] = {
	{ "svm=none,unified=0", NULL, 2 },             /* staged, blocks and spares */
	{ "svm=none,unified=0,arginfo=0", "copy", 4 }, /* the same */
	{ "svm=none,unified=1", "map", 4 },            /* mapped */
	{ "svm=coarse,unified=1", "svm", 4 },          /* coarse-grain SVM */
	{ "svm=fine,unified=1", NULL, 2 },             /* fine-grain SVM */
	{ "svm=none,unified=0", NULL, 2, true },       /* staged, gathered */
	{ "svm=fine,unified=1", NULL, 3, true },       /* a ring in fine-grain SVM */
	{ "svm=none,unified=0,lazy=1", NULL, 2 },      /* begins nothing before a flush */
	{ "svm=none,unified=1,lazy=1", "map", 4 },
	{ "svm=none,unified=0,nvidia=1", NULL, 2 }, /* times of a fill instead of a marker */
	/* what follows says nothing new, but it is asked for: in long runs only */
	{ "svm=none,unified=0", "svm", 4 },
	{ "svm=none,unified=0", "map", 2 },
	{ "svm=none,unified=1", "copy", 4 },
	{ "svm=coarse,unified=0", NULL, 2 },
	{ "svm=coarse,unified=0", "svm", 2 },
	{ "svm=coarse,unified=1", "map", 4 },
	{ "svm=coarse,unified=1", "copy", 4 },
	{ "svm=fine,unified=0", "svm", 4 },
	{ "svm=fine,unified=0", "copy", 2 },
	{ "svm=fine,unified=1", "map", 4 },
	{ "svm=fine,unified=1", "svm", 4 },
	{ "svm=coarse,unified=1", "svm", 3, true },
	{ "svm=none,unified=1", "map", 2, true },
};
enum { QUICK_WAYS = 10 };

enum outcome {
	FAILS,   /* the run fails, and says this function and code */
	MAY,     /* there may be another way: if the run fails it says the function */
	IGNORED, /* the run is a success */
};

struct function {
	const char *name;
	cl_int code;
	const char *code_name;
	int err;
	enum outcome outcome;
};

#define RESOURCES CL_OUT_OF_RESOURCES, "CL_OUT_OF_RESOURCES (-5)", -ENOMEM
#define HOST_MEMORY CL_OUT_OF_HOST_MEMORY, "CL_OUT_OF_HOST_MEMORY (-6)", -ENOMEM
#define MEMORY CL_MEM_OBJECT_ALLOCATION_FAILURE, "CL_MEM_OBJECT_ALLOCATION_FAILURE (-4)", -ENOMEM
#define LOST CL_DEVICE_NOT_AVAILABLE, "CL_DEVICE_NOT_AVAILABLE (-2)", -ENODEV
#define INVALID CL_INVALID_VALUE, "CL_INVALID_VALUE (-30)", -EINVAL

static const struct function functions[] = {
	{ "clCreateContext", LOST, FAILS },
	{ "clRetainContext", RESOURCES, FAILS },
	{ "clCreateCommandQueue", RESOURCES, FAILS },
	{ "clCreateBuffer", MEMORY, FAILS },
	{ "clSVMAlloc", MEMORY, FAILS },
	{ "clCreateProgramWithSource", HOST_MEMORY, FAILS },
	{ "clBuildProgram", CL_BUILD_PROGRAM_FAILURE, "CL_BUILD_PROGRAM_FAILURE (-11)", -EINVAL, FAILS },
	{ "clGetProgramBuildInfo", HOST_MEMORY, MAY }, /* the log is no must */
	{ "clCreateKernel", HOST_MEMORY, FAILS },
	{ "clGetKernelInfo", HOST_MEMORY, FAILS },
	{ "clGetKernelWorkGroupInfo", HOST_MEMORY, FAILS },
	{ "clGetKernelArgInfo", HOST_MEMORY, FAILS },
	{ "clGetDeviceInfo", INVALID, MAY }, /* some is only told to the user */
	{ "clGetDeviceIDs", RESOURCES, MAY },
	{ "clGetPlatformInfo", HOST_MEMORY, MAY },
	{ "clSetKernelArg", HOST_MEMORY, FAILS },
	{ "clSetKernelArgSVMPointer", HOST_MEMORY, FAILS },
	{ "clEnqueueNDRangeKernel", RESOURCES, FAILS },
	{ "clEnqueueReadBuffer", RESOURCES, FAILS },
	{ "clEnqueueWriteBuffer", MEMORY, FAILS },
	{ "clEnqueueCopyBuffer", MEMORY, FAILS },
	{ "clEnqueueFillBuffer", MEMORY, FAILS },
	{ "clEnqueueMapBuffer", CL_MAP_FAILURE, "CL_MAP_FAILURE (-12)", -EIO, FAILS },
	{ "clEnqueueUnmapMemObject", RESOURCES, MAY }, /* after the run no caller wants to know */
	{ "clEnqueueSVMMap", RESOURCES, FAILS },
	{ "clEnqueueSVMUnmap", RESOURCES, MAY },
	{ "clEnqueueSVMMemcpy", RESOURCES, FAILS },
	{ "clEnqueueSVMMemFill", RESOURCES, FAILS },
	{ "clEnqueueBarrierWithWaitList", RESOURCES, FAILS },
	{ "clEnqueueMarkerWithWaitList", RESOURCES, FAILS },
	{ "clFlush", RESOURCES, MAY },
	{ "clWaitForEvents", RESOURCES, MAY },
	{ "clGetEventInfo", RESOURCES, MAY }, /* where it only ends a wait early */
	{ "clRetainEvent", RESOURCES, MAY },  /* one that is kept for its time only */
	{ "clFinish", RESOURCES, IGNORED },
	{ "clSetEventCallback", RESOURCES, IGNORED }, /* a time limit brings the waiter back */
	{ "clGetEventProfilingInfo", RESOURCES, IGNORED },
};

/* No caller can do anything about these; what they leave is the driver's. */
static const char *const releases[] = { "clReleaseEvent", "clReleaseMemObject", "clReleaseKernel",
	"clReleaseProgram", "clReleaseCommandQueue", "clReleaseContext", "clSVMFree" };

static struct fault_plan plan_of(const struct way *way)
{
	return (struct fault_plan){ .tokens = 11, .delay = way->delay, .overlaps = way->overlaps };
}

static unsigned way_count(void)
{
	return getenv("PENSTOCK_TEST_LONG") ? TEST_COUNT(ways) : QUICK_WAYS;
}

static char device[64];

static const struct fake_cl *driver(const struct way *way)
{
	const struct fake_cl *fake = fault_driver(way->settings, way->memory);
	struct pstk_device_info info;

	setenv("PENSTOCK_PROFILE", "1", 1);
	ck_assert_int_eq(pstk_device_find("fake", &info, NULL, 0), 0);
	snprintf(device, sizeof device, "%s", info.selector);
	return fake;
}

/* A life; its result, and what it said. */
static int live(const struct way *way, char text[512], const char *what)
{
	static struct fault_net net;
	struct fault_plan plan = plan_of(way);
	int err;

	fault_build(&net, &plan);
	ck_assert_ptr_nonnull(net.network);
	err = pstk_network_run(net.network);
	snprintf(text, 512, "%s", pstk_network_error(net.network));
	fault_check(&net, !err, what);
	ck_assert_int_eq(pstk_network_wait(net.network), err);
	pstk_network_destroy(net.network);
	return err;
}

/* The text names an actor or a FIFO, or the network for what is opened for all of them. It names the device, but not
 * before that is known. */
static void check_text(const struct function *f, const char *text, const char *what)
{
	bool early = !strncmp(f->name, "clGetDeviceIDs", 14) || !strncmp(f->name, "clGetPlatform", 13);

	ck_assert_msg(strstr(text, f->name), "%s: '%s' does not say %s", what, text, f->name);
	ck_assert_msg(strchr(text, '\''), "%s: '%s' does not say who", what, text);
	ck_assert_msg(early || strstr(text, device), "%s: '%s' does not say %s", what, text, device);
	if (strcmp(f->name, "clSVMAlloc")) /* it gives no reason */
		ck_assert_msg(
			strstr(text, f->code_name), "%s: '%s' does not say %s", what, text, f->code_name);
}

static uint64_t injections, successes;

/* Without page-locked memory the host's side of transfers is plain memory. */
static bool locks(const struct way *way, const struct function *f)
{
	return strstr(way->settings, "unified=0") &&
	       (!strcmp(f->name, "clCreateBuffer") || !strcmp(f->name, "clEnqueueMapBuffer"));
}

/* The k-th call of a function fails. */
static void fail_call(const struct fake_cl *fake, const struct way *way, const struct function *f, unsigned k)
{
	char what[160], text[512];
	int err;

	snprintf(what, sizeof what, "%s,%s: call %u of %s fails", way->settings,
		way->memory ? way->memory : "", k, f->name);
	test_guard(what, k);
	fault_reset(fake);
	ck_assert_int_eq(fake->fail_calls(f->name, k, 1, f->code), 0);
	err = live(way, text, what);
	fault_check_left(fake, false, what);
	if (fake->calls(f->name) < k) { /* this time there were fewer */
		ck_assert_msg(!err, "%s: %d, %s", what, err, text);
		return;
	}
	injections++;
	successes += !err;
	ck_assert_msg(
		err <= 0 && (f->outcome != FAILS || locks(way, f) || err) && (f->outcome != IGNORED || !err),
		"%s: %d, %s", what, err, text);
	if (!err)
		return;
	ck_assert_msg(
		err == f->err || f->outcome == MAY, "%s: %d instead of %d, %s", what, err, f->err, text);
	check_text(f, text, what);
}

/* How often the functions are called in a good run. */
static void count_calls(const struct fake_cl *fake, const struct way *way, unsigned counts[])
{
	char text[512];
	uint64_t known = 0;
	int err;

	fault_reset(fake);
	err = live(way, text, way->settings);
	ck_assert_msg(!err, "%s, %s: %d, %s", way->settings, way->memory ? way->memory : "", err, text);
	fault_check_left(fake, false, way->settings);
	for (size_t i = 0; i < TEST_COUNT(functions); i++) {
		counts[i] = (unsigned)fake->calls(functions[i].name);
		known += counts[i];
	}
	for (size_t i = 0; i < TEST_COUNT(releases); i++)
		known += fake->calls(releases[i]);
	ck_assert_msg(known == fake->calls(NULL),
		"%" PRIu64 " calls of %" PRIu64 " are of functions listed here", known, fake->calls(NULL));
}

/* Without any fault, many times, with waits in the driver. (In shared virtual memory the driver can't tell which
 * command is where.) */
START_TEST(no_call)
{
	const struct way *way = &ways[_i];
	bool races = strstr(way->settings, "none");
	uint64_t rounds = test_rounds(20);
	char settings[96], text[512];
	const struct fake_cl *fake = driver(way);

	for (uint64_t i = 0; i < rounds; i++) {
		int err;

		snprintf(settings, sizeof settings, "%s,races=%d,delay=%" PRIu64, way->settings, races,
			i + test_seed());
		fault_reset(fake);
		ck_assert_int_eq(fake->configure(settings), 0);
		test_guard(settings, i);
		err = live(way, text, settings);
		ck_assert_msg(!err, "%s: %d, %s", settings, err, text);
		fault_check_left(fake, false, settings);
	}
}
END_TEST

START_TEST(every_call)
{
	const struct way *way = &ways[_i];
	const struct fake_cl *fake = driver(way);
	unsigned counts[TEST_COUNT(functions)], most = 0;

	if ((unsigned)_i >= way_count())
		return;
	test_log_start();
	count_calls(fake, way, counts);
	for (size_t i = 0; i < TEST_COUNT(functions); i++) {
		for (unsigned k = 1; k <= counts[i];
			k = TEST_SANITIZED ? k + 1 + counts[i] / 6 : test_next(k))
			fail_call(fake, way, &functions[i], k);
		most = counts[i] > most ? counts[i] : most;
	}
	test_log_stop();
	printf("%s,%s: %" PRIu64 " calls failed, %" PRIu64
	       " of them without harm; at most %u of a function\n",
		way->settings, way->memory ? way->memory : "", injections, successes, most);
}
END_TEST

/* In a process of its own: what was not released stays for ever. */
static void fail_release(const struct fake_cl *fake, const struct way *way, const char *name, unsigned k)
{
	char text[512];
	int status;
	pid_t child = fork();

	ck_assert_int_ge(child, 0);
	if (!child) {
		test_guard(name, k);
		fault_reset(fake);
		if (fake->fail_calls(name, k, 1, CL_OUT_OF_RESOURCES) || live(way, text, name))
			_exit(1);
		fault_check_violations(fake, name);
		_exit(0);
	}
	ck_assert_int_eq(waitpid(child, &status, 0), child);
	ck_assert_msg(!status, "%s: call %u of %s fails: status %d", way->settings, k, name, status);
}

/* Is the run a success all the same? */
START_TEST(releases_that_fail)
{
	const struct way *way = &ways[_i];
	const struct fake_cl *fake = driver(way);
	unsigned counts[TEST_COUNT(functions)], done = 0;

	count_calls(fake, way, counts);
	for (size_t i = 0; i < TEST_COUNT(releases); i++) {
		unsigned count = (unsigned)fake->calls(releases[i]), step = 1 + count / 4;

		for (unsigned k = 1; k <= count; k += step, done++)
			fail_release(fake, way, releases[i], k);
	}
	printf("%s: %u releases failed\n", way->settings, done);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("cl_faults");
	TCase *calls = test_case(suite, "calls");

	tcase_add_loop_test(calls, no_call, 0, TEST_COUNT(ways));
	tcase_add_loop_test(calls, every_call, 0, TEST_COUNT(ways));
	/* ThreadSanitizer forbids threads in the child of a process that has had some */
	if (!TEST_SANITIZED)
		tcase_add_loop_test(calls, releases_that_fail, 0, QUICK_WAYS);
	return test_main(suite);
}
