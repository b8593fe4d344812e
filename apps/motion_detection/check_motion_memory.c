/* SPDX-License-Identifier: MIT */
/* What the program asks of the system and does not get: each allocation fails once. It runs inside of this
 * one. */
#define main motion_detection_main
int main(int argc, char **argv);
#include "apps/motion_detection/motion_detection.c"
#undef main

#include "actors/common/check_media.h"

#include <fcntl.h>
#include <getopt.h>
#include <stdarg.h>
#include <string.h>
#include <unistd.h>

#ifdef HAVE_JANSSON
enum { FILES = 3 };
#define STATS "--stats", "stats.json",
#else
enum { FILES = 2 };
#define STATS
#endif

static const char *const arguments[] = { "motion_detection", "--synthetic", "32x24", "--frames", "5",
	"--rate", "2", "--device", "cores", "--pin", NULL, "--output", "maps.gray", "--output", "maps.y4m",
	STATS NULL };

/* A run with the n-th allocation failing. */
static int run_once(unsigned n)
{
	char pin[16], *argv[TEST_COUNT(arguments)];
	int status, argc = 0;

	snprintf(pin, sizeof(pin), "%u", test_core(0));
	while (argc < (int)TEST_COUNT(arguments) - 1) {
		argv[argc] = (char *)(arguments[argc] ? arguments[argc] : pin);
		argc++;
	}
	argv[argc] = NULL;
	optind = 0; /* getopt starts again */
	test_fail_allocation(n);
	status = motion_detection_main(argc, argv);
	return status;
}

static bool no_stream, no_file;

FILE *__real_fdopen(int fd, const char *mode);
PSTK_PUBLIC FILE *__wrap_fdopen(int fd, const char *mode);
FILE *__wrap_fdopen(int fd, const char *mode)
{
	if (no_stream) {
		errno = ENFILE;
		return NULL;
	}
	return __real_fdopen(fd, mode);
}

int __real_open(const char *path, int flags, ...);
PSTK_PUBLIC int __wrap_open(const char *path, int flags, ...);
int __wrap_open(const char *path, int flags, ...)
{
	va_list args;
	mode_t mode = 0;

	if (no_file) {
		errno = ENFILE;
		return -1;
	}
	va_start(args, flags);
	if (flags & O_CREAT)
		mode = va_arg(args, mode_t);
	va_end(args);
	return __real_open(path, flags, mode);
}

#ifdef HAVE_JANSSON
START_TEST(no_stream_for_the_statistics)
{
	no_stream = true;
	ck_assert_int_eq(run_once(0), 1);
	no_stream = false;
	ck_assert_uint_eq(files_count(), 0);
}
END_TEST
#endif

/* A closed standard stream, and nothing to put in its place: the program ends before it writes anywhere. */
START_TEST(no_null_device)
{
	close(STDIN_FILENO);
	no_file = true;
	run_once(0);
	_exit(99);
}
END_TEST

START_TEST(each_allocation_fails)
{
	unsigned n = 0, failed = 0;
	int null = open("/dev/null", O_WRONLY), err = dup(STDERR_FILENO);

	ck_assert_int_eq(dup2(null, STDERR_FILENO), STDERR_FILENO);
	for (;;) {
		int status = run_once(++n);
		bool fell = test_allocation_failed();

		if (!fell) {
			dup2(err, STDERR_FILENO);
			ck_assert_int_eq(status, 0);
			ck_assert_uint_eq(files_count(), FILES);
			break;
		}
		/* some it can do without (a buffer of stdio's, say): then the outputs are whole */
		if (!status) {
			ck_assert_uint_eq(files_count(), FILES);
			ck_assert_int_eq(remove("maps.gray") | remove("maps.y4m"), 0);
			remove("stats.json");
			continue;
		}
		failed++;
		ck_assert_msg(status == 1 || status == 2, "allocation %u: status %d", n, status);
		ck_assert_msg(files_count() == 0, "allocation %u: a file is left", n);
	}
	printf("motion_detection: %u allocations failed\n", failed);
	ck_assert_uint_gt(failed, 30);
	close(null);
	close(err);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("motion memory");
	TCase *c = files_case(suite, "memory");

	tcase_add_test(c, each_allocation_fails);
#ifdef HAVE_JANSSON
	tcase_add_test(c, no_stream_for_the_statistics);
#endif
	tcase_add_exit_test(c, no_null_device, 1);
	return test_main(suite);
}
