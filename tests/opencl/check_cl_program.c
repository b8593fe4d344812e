/* SPDX-License-Identifier: MIT */
#include "lib/opencl/cl_program.h"
#include "lib/base/memory.h"
#include "tests/opencl/cl_test.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define GOOD "__kernel void good(__global int *a) { a[0] = 1; }\n"
#define BAD "__kernel void bad(__global int *a)\n{\n\ta[0] = nothere;\n}\n"

#define all cl_test_programs

static void setup(void)
{
	setenv("PENSTOCK_DEBUG", "opencl:info", 1);
	cl_test_setup();
}

static struct ps_cl_program *want(const char *source, const char *options)
{
	struct ps_cl_program *p = ps_cl_programs_want(&all, cl_test_device, source, options);

	ck_assert_ptr_nonnull(p);
	return p;
}

START_TEST(wanted_once)
{
	struct ps_cl_device other = *cl_test_device;
	char text[] = GOOD;
	struct ps_cl_program *p = want(GOOD, NULL), *list[4] = { p, want(GOOD, "-DN=1"), want(BAD, NULL) };

	list[3] = ps_cl_programs_want(&all, &other, GOOD, NULL);
	for (unsigned i = 0; i < 4; i++)
		for (unsigned j = 0; j < i; j++)
			ck_assert_ptr_ne(list[i], list[j]);
	ck_assert_ptr_eq(want(text, ""), p);
	ck_assert_ptr_eq(want(text, "-DN=1"), list[1]);
	ck_assert_ptr_eq(ps_cl_programs_want(&all, &other, text, ""), list[3]);
	ck_assert_str_eq(p->options, "");
	ck_assert_str_eq(list[1]->options, "-DN=1");
	ck_assert_ptr_null(p->id);
}
END_TEST

START_TEST(built_once)
{
	struct ps_cl_program *p = want(GOOD, "-DN=1");
	cl_program id;

	cl_test_plan.cores = 1;
	ck_assert_int_eq(ps_cl_programs_build(&all), 0);
	id = p->id;
	ck_assert_ptr_nonnull(id);
	ck_assert_int_eq(p->fault.err, 0);
	ck_assert_ptr_null(p->log);
	ck_assert_str_eq(cl_test_options, "-DN=1 -cl-kernel-arg-info");
	ck_assert_uint_eq(cl_test_builds, 1);
	want(GOOD, "-DN=2");
	ck_assert_int_eq(ps_cl_programs_build(&all), 0);
	ck_assert_uint_eq(cl_test_builds, 2);
	ck_assert_ptr_eq(p->id, id);
	ck_assert_int_eq(ps_cl_programs_build(&all), 0);
	ck_assert_uint_eq(cl_test_builds, 2);
	ck_assert_uint_eq(cl_test_threads, 0);
}
END_TEST

START_TEST(nothing_to_build)
{
	ck_assert_int_eq(ps_cl_programs_build(&all), 0);
	ck_assert_uint_eq(cl_test_threads, 0);
}
END_TEST

/* OpenCL 1.1 knows no arguments' information, and no option for it. */
START_TEST(an_old_device)
{
	struct ps_cl_device old = *cl_test_device;

	old.kernel_arg_info = false;
	ps_cl_programs_want(&all, &old, GOOD, "-w");
	cl_test_plan.cores = 1;
	ck_assert_int_eq(ps_cl_programs_build(&all), 0);
	ck_assert_str_eq(cl_test_options, "-w");
}
END_TEST

enum { MANY = 24 };

/* Builds programs that differ; each of their kernels says which one it is. */
static void build_many(void)
{
	struct ps_cl_program *programs[MANY];
	cl_mem out = cl_test_buffer(sizeof(cl_int), NULL);
	char options[32];
	cl_int code, value;

	for (int i = 0; i < MANY; i++) {
		snprintf(options, sizeof options, "-DN=%d", i + 1000);
		programs[i] = want("__kernel void n(__global int *a) { a[0] = N; }", options);
	}
	ck_assert_int_eq(ps_cl_programs_build(&all), 0);
	ck_assert_uint_eq(cl_test_builds, MANY);
	for (int i = 0; i < MANY; i++) {
		cl_kernel kernel = clCreateKernel(programs[i]->id, "n", &code);

		ck_assert_int_eq(clSetKernelArg(kernel, 0, sizeof out, &out), 0);
		if (i < 3 || i == MANY - 1) { /* a launch is expensive */
			cl_test_launch(kernel, 1);
			cl_test_buffer_read(out, sizeof value, &value);
			ck_assert_int_eq(value, i + 1000);
		}
		clReleaseKernel(kernel);
	}
	clReleaseMemObject(out);
	ck_assert_uint_eq(cl_test_bad_builders, 0);
}

START_TEST(one_thread_a_core)
{
	sigset_t before, after;

	pthread_sigmask(SIG_BLOCK, NULL, &before);
	cl_test_plan.cores = 4;
	build_many();
	ck_assert_uint_eq(cl_test_threads, 3);
	pthread_sigmask(SIG_BLOCK, NULL, &after);
	for (int number = 1; number < 32; number++)
		ck_assert_int_eq(sigismember(&before, number), sigismember(&after, number));
}
END_TEST

START_TEST(more_cores_than_threads)
{
	cl_test_plan.cores = 500;
	build_many();
	ck_assert_uint_eq(cl_test_threads, MANY - 1);
}
END_TEST

START_TEST(threads_that_cannot_be_had)
{
	cl_test_plan.cores = 4;
	cl_test_plan.threads = _i;
	build_many();
	ck_assert_uint_eq(cl_test_threads, (unsigned)_i);
}
END_TEST

START_TEST(cores_that_are_not_told)
{
	cl_test_plan.no_affinity = true;
	build_many();
	ck_assert_uint_eq(cl_test_threads, 0);
}
END_TEST

START_TEST(the_compiler_refuses)
{
	struct ps_cl_program *good = want(GOOD, NULL), *bad = want(BAD, NULL);

	ck_assert_int_eq(ps_cl_programs_build(&all), ps_cl_errno(CL_BUILD_PROGRAM_FAILURE));
	ck_assert_ptr_nonnull(good->id);
	ck_assert_ptr_null(bad->id);
	ck_assert_int_eq(bad->fault.err, ps_cl_errno(CL_BUILD_PROGRAM_FAILURE));
	TEST_SAYS(bad->fault.text, "clBuildProgram: CL_BUILD_PROGRAM_FAILURE (-11) on ",
		"kernel-source:3:", "nothere", cl_test_device->info.selector);
	ck_assert_ptr_null(strchr(bad->fault.text, '\n'));
	TEST_SAYS(bad->log, "kernel-source:3:", "nothere");
	/* another call has nothing to do, and no error */
	ck_assert_int_eq(ps_cl_programs_build(&all), 0);
}
END_TEST

START_TEST(the_first_failed_one)
{
	cl_test_plan.cores = (unsigned)_i;
	want(GOOD, NULL);
	want("file:/nonexistent/a.cl", NULL);
	want(BAD, NULL);
	ck_assert_int_eq(ps_cl_programs_build(&all), -ENOENT);
	want(BAD, "-DN");
	want("file:/nonexistent/b.cl", NULL);
	ck_assert_int_eq(ps_cl_programs_build(&all), ps_cl_errno(CL_BUILD_PROGRAM_FAILURE));
}
END_TEST

START_TEST(options_that_it_does_not_know)
{
	struct ps_cl_program *p = want(GOOD, "-what");

	ck_assert_int_eq(ps_cl_programs_build(&all), ps_cl_errno(CL_INVALID_BUILD_OPTIONS));
	TEST_SAYS(p->fault.text, "clBuildProgram: CL_INVALID_BUILD_OPTIONS (-43)", "options '-what'");
}
END_TEST

/* A file beside the test, whose name is hard on a compiler. */
static char path[300], source[sizeof path + 5];

static void write_file(const char *name, const void *data, size_t size)
{
	FILE *file;

	snprintf(path, sizeof path, "%s", name);
	snprintf(source, sizeof source, "file:%s", path);
	file = fopen(path, "w");
	ck_assert_ptr_nonnull(file);
	ck_assert_uint_eq(fwrite(data, 1, size, file), size);
	fclose(file);
}

static void file_setup(void)
{
	char folder[] = "check_programs.XXXXXX";

	ck_assert_ptr_nonnull(mkdtemp(folder));
	ck_assert_int_eq(chdir(folder), 0);
	setup();
}

static void file_teardown(void)
{
	char folder[4096], *name;

	unlink(path);
	ck_assert_ptr_nonnull(getcwd(folder, sizeof folder));
	name = strrchr(folder, '/') + 1;
	ck_assert_int_eq(chdir(".."), 0);
	ck_assert_int_eq(rmdir(name), 0);
	cl_test_teardown();
}

START_TEST(a_file)
{
	static const char marked[] = "\xef\xbb\xbf" GOOD;
	struct ps_cl_program *p;

	write_file("good.cl", marked + (_i ? 0 : 3), sizeof marked - (_i ? 1 : 4));
	p = want(source, NULL);
	ck_assert_int_eq(ps_cl_programs_build(&all), 0);
	ck_assert_ptr_nonnull(p->id);
}
END_TEST

START_TEST(a_file_with_a_mistake)
{
	static const char *const names[] = { "bad.cl", "we\"ird \\n.cl", "new\nline.cl" };
	static const char *const told[] = { "bad.cl:3:", "we\"ird \\n.cl:3:", "new?line.cl:3:" };
	struct ps_cl_program *p;

	write_file(names[_i], BAD, strlen(BAD));
	p = want(source, NULL);
	ck_assert_int_eq(ps_cl_programs_build(&all), ps_cl_errno(CL_BUILD_PROGRAM_FAILURE));
	TEST_SAYS(p->log, told[_i], "nothere");
	TEST_SAYS(p->fault.text, told[_i], "nothere");
}
END_TEST

/* Larger than what is read at once. */
START_TEST(a_long_file)
{
	static char text[100000];
	struct ps_cl_program *p;

	memset(text, '\n', sizeof text);
	memcpy(text + sizeof text - strlen(BAD), BAD, strlen(BAD));
	write_file("long.cl", text, sizeof text);
	p = want(source, NULL);
	ck_assert_int_eq(ps_cl_programs_build(&all), ps_cl_errno(CL_BUILD_PROGRAM_FAILURE));
	snprintf(text, sizeof text, "long.cl:%zu:", sizeof text - strlen(BAD) + 3);
	TEST_SAYS(p->log, text);
}
END_TEST

static void refused_file(const char *of, int err, const char *why)
{
	struct ps_cl_program *p = want(of, NULL);

	ck_assert_int_eq(ps_cl_programs_build(&all), err);
	ck_assert_int_eq(p->fault.err, err);
	TEST_SAYS(p->fault.text, "kernel source '", of + 5, why);
	ck_assert_ptr_null(p->log);
	ck_assert_ptr_null(p->id);
}

START_TEST(files_that_are_refused)
{
	refused_file("file:nonexistent.cl", -ENOENT, "No such file");
	refused_file("file:", -ENOENT, "No such file");
	refused_file("file:.", -EISDIR, "Is a directory");
	write_file("refused.cl", "", 0);
	refused_file(source, -EINVAL, "empty");
	write_file("./refused.cl", "a\0b", 3);
	refused_file(source, -EINVAL, "bytes of 0");
	write_file("././refused.cl", "", 0);
	ck_assert_int_eq(truncate(path, 64 * 1024 * 1024 + 1), 0);
	refused_file(source, -EFBIG, "64 MiB");
	ck_assert_uint_eq(cl_test_builds, 0);
}
END_TEST

START_TEST(memory_fails_with_a_file)
{
	int err = -1;

	write_file("good.cl", GOOD, strlen(GOOD));
	want(source, NULL);
	for (long at = 0; err; at++) {
		ps_cl_programs_free(&all);
		want(source, NULL);
		ps_memory_fail_at = at;
		err = ps_cl_programs_build(&all);
		ps_memory_fail_at = -1;
		ck_assert_int_eq(all.first->id ? 0 : -ENOMEM, err);
		ck_assert_int_eq(all.first->fault.err, err);
		if (err)
			TEST_SAYS(all.first->fault.text, at == 2 ? "out of memory" : "good.cl");
		ck_assert_int_lt(at, 10);
	}
}
END_TEST

START_TEST(memory_fails)
{
	struct ps_cl_program *p = NULL;

	for (long at = 0; !p; at++) {
		ps_memory_fail_at = at;
		p = ps_cl_programs_want(&all, cl_test_device, BAD, "-DN");
		ck_assert_int_eq(p ? 3 : at, at);
		ps_memory_fail_at = -1;
		ck_assert_ptr_eq(all.first, p);
	}
	/* the options, then the log: the build fails as it would, but its log is gone */
	ps_memory_fail_at = 0;
	ck_assert_int_eq(ps_cl_programs_build(&all), -ENOMEM);
	ps_memory_fail_at = -1;
	p = want(BAD, NULL);
	ps_memory_fail_at = 1;
	ck_assert_int_eq(ps_cl_programs_build(&all), ps_cl_errno(CL_BUILD_PROGRAM_FAILURE));
	ps_memory_fail_at = -1;
	ck_assert_ptr_null(p->log);
	TEST_SAYS(p->fault.text, "clBuildProgram: CL_BUILD_PROGRAM_FAILURE (-11) on ");
}
END_TEST

/* Each call of OpenCL in a build fails: an error that names it, or a build that has no log. */
START_TEST(opencl_fails)
{
	static const char *const functions[] = { "clCreateProgramWithSource", "clBuildProgram", NULL, NULL,
		"clGetProgramBuildInfo" };
	static const char warning[] = "a warning";

	for (int at = 1; at <= 5; at++) {
		const char *function = functions[at - 1];
		int err;

		ps_cl_programs_free(&all);
		want(GOOD, NULL);
		cl_test_plan_none();
		cl_test_plan.log = warning;
		cl_test_plan.fail_at = at;
		cl_test_plan.code = CL_OUT_OF_RESOURCES;
		err = ps_cl_programs_build(&all);
		ck_assert_int_eq(cl_test_plan.fail_at, 0);
		ck_assert_int_eq(err, function ? ps_cl_errno(CL_OUT_OF_RESOURCES) : 0);
		ck_assert((all.first->id != NULL) == !function);
		if (function)
			TEST_SAYS(all.first->fault.text, function, "CL_OUT_OF_RESOURCES (-5)");
	}
	cl_test_plan.fail_at = 6;
	ps_cl_programs_free(&all);
	want(GOOD, NULL);
	ck_assert_int_eq(ps_cl_programs_build(&all), 0);
	ck_assert_int_eq(cl_test_plan.fail_at, 1);
}
END_TEST

/* What drivers have been seen to say, or not to say, of a build that failed. */
START_TEST(logs)
{
	static const struct {
		const char *log, *line;
	} cases[] = {
		{ "", NULL },
		{ " \n\r\n", NULL },
		{ "\n  it is wrong\r\nindeed", ": it is wrong" },
		{ "some\nfile.cl:1:2: Error: no\r\nmore", ": file.cl:1:2: Error: no" },
		{ "ERROR", ": ERROR" },
	};
	struct ps_cl_program *p = want(GOOD, NULL);
	char expected[PS_CL_TEXT];

	cl_test_plan.log = cases[_i].log;
	cl_test_plan.status = CL_BUILD_ERROR; /* with a clBuildProgram() that succeeds */
	ck_assert_int_eq(ps_cl_programs_build(&all), ps_cl_errno(CL_BUILD_PROGRAM_FAILURE));
	snprintf(expected, sizeof expected, "clBuildProgram: CL_BUILD_PROGRAM_FAILURE (-11) on %s%s",
		cl_test_device->info.selector, cases[_i].line ? cases[_i].line : "");
	ck_assert_str_eq(p->fault.text, expected);
	ck_assert_ptr_null(p->id);
	if (cases[_i].line)
		ck_assert_str_eq(p->log, cases[_i].log);
	else
		ck_assert_ptr_null(p->log);
}
END_TEST

START_TEST(a_log_of_one_long_line)
{
	static char log[10000];
	struct ps_cl_program *p = want(GOOD, NULL);

	memset(log, 'x', sizeof log - 1);
	memcpy(log + 9000, "error", 5);
	cl_test_plan.log = log;
	cl_test_plan.status = CL_BUILD_NONE;
	ck_assert_int_ne(ps_cl_programs_build(&all), 0);
	ck_assert_uint_eq(strlen(p->fault.text), PS_CL_TEXT - 1);
	ck_assert_str_eq(p->log, log);
}
END_TEST

START_TEST(warnings_and_times_are_logged)
{
	want("#warning look here\n" GOOD, NULL);
	want(BAD, NULL);
	cl_test_plan.cores = 1;
	cl_test_plan.log = "x.cl:1:1: warning: look here";
	ck_assert_int_ne(ps_cl_programs_build(&all), 0);
	ck_assert(test_log_has("says: x.cl:1:1: warning: look here"));
	ck_assert(test_log_has("built in "));
	ck_assert(test_log_has("failed in "));
	ck_assert(test_log_has("2 opencl ")); /* info */
	ck_assert(!test_log_has("1 opencl "));
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("programs");
	TCase *c = test_case(suite, "programs"), *f = test_case(suite, "files");

	tcase_add_checked_fixture(c, setup, cl_test_teardown);
	tcase_add_test(c, wanted_once);
	tcase_add_test(c, built_once);
	tcase_add_test(c, nothing_to_build);
	tcase_add_test(c, an_old_device);
	tcase_add_test(c, one_thread_a_core);
	tcase_add_test(c, more_cores_than_threads);
	tcase_add_loop_test(c, threads_that_cannot_be_had, 0, 2);
	tcase_add_test(c, cores_that_are_not_told);
	tcase_add_test(c, the_compiler_refuses);
	tcase_add_loop_test(c, the_first_failed_one, 1, 4);
	tcase_add_test(c, options_that_it_does_not_know);
	tcase_add_test(c, memory_fails);
	tcase_add_test(c, opencl_fails);
	tcase_add_loop_test(c, logs, 0, 5);
	tcase_add_test(c, a_log_of_one_long_line);
	tcase_add_test(c, warnings_and_times_are_logged);
	tcase_add_checked_fixture(f, file_setup, file_teardown);
	tcase_add_loop_test(f, a_file, 0, 2);
	tcase_add_loop_test(f, a_file_with_a_mistake, 0, 3);
	tcase_add_test(f, a_long_file);
	tcase_add_test(f, files_that_are_refused);
	tcase_add_test(f, memory_fails_with_a_file);
	return test_main(suite);
}
