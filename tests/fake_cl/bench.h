/* SPDX-License-Identifier: MIT */
/* What the suites of the fake driver itself share: a device, a context, a queue. */
#ifndef PENSTOCK_TESTS_FAKE_CL_BENCH_H
#define PENSTOCK_TESTS_FAKE_CL_BENCH_H

#include "tests/common/common.h"
#include "tests/fake_cl/fake_cl.h"

enum { BENCH_SIZE = 256 };

extern struct bench {
	const struct fake_cl *fake;
	cl_platform_id platform;
	cl_device_id device;
	cl_context context;
	cl_command_queue queue;
	unsigned said; /* violations that BENCH_VIOLATION() has looked at */
} b;

#define OK(call) ck_assert_int_eq(call, CL_SUCCESS)

void bench_start(const char *settings);
/* Releases the above; nothing is left, and there are no violations but those that have been looked at. */
void bench_finish(void);

/* The next violation says all this. */
#define BENCH_VIOLATION(...)                                        \
	do {                                                        \
		const char *text_ = b.fake->violation(b.said++);    \
		ck_assert_msg(text_ != NULL, "no violation noted"); \
		TEST_SAYS(text_, __VA_ARGS__);                      \
	} while (0)

cl_command_queue bench_queue(void);
cl_mem bench_buffer(size_t size);             /* read and write, nothing in it */
cl_program bench_program(const char *source); /* built */
cl_kernel bench_kernel(const char *name);     /* copy_uchar, .. */
cl_kernel bench_copy(cl_mem in, cl_mem out);  /* copy_uchar with its arguments */
cl_int bench_launch(cl_kernel, size_t items, cl_event *);
cl_event bench_user_event(void);
cl_int bench_status(cl_event);
void bench_pattern(unsigned char bytes[BENCH_SIZE], unsigned seed);
void bench_write(cl_mem, const unsigned char *bytes); /* BENCH_SIZE of them, waits */
void bench_read(cl_mem, unsigned char *bytes);

#endif
