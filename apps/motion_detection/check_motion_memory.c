/* SPDX-License-Identifier: MIT */
/* What the program asks of the system and does not get: each allocation fails once. It runs inside of this
 * one. */
#define main motion_detection_main
int main(int argc, char **argv);
#include "apps/motion_detection/motion_detection.c"
#undef main

#include "actors/common/check_media.h"
#include "apps/common/check_main.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

#ifdef HAVE_JANSSON
#define STATS "--stats", "stats.json",
#define STATS_FILE "stats.json",
#else
#define STATS
#define STATS_FILE
#endif

static const struct main_program program = { "motion_detection", motion_detection_main };
static const char *const outputs[] = { "maps.gray", "maps.y4m", STATS_FILE NULL };
static char pin[16];
static const char *const arguments[] = { "--synthetic", "32x24", "--frames", "5", "--rate", "2", "--device",
	"cores", "--pin", pin, "--output", "maps.gray", "--output", "maps.y4m", STATS NULL };

static void set_up(void)
{
	snprintf(pin, sizeof pin, "%u", test_core(0));
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
	ck_assert_int_eq(main_run(&program, arguments, NULL, NULL, 0), 1);
	no_stream = false;
	ck_assert_uint_eq(files_count(), 0);
}
END_TEST
#endif

/* A closed standard stream, and nothing to put in its place: the program ends before it writes anywhere. */
START_TEST(no_null_device)
{
	char *argv[] = { (char *)(uintptr_t)program.name, NULL };

	close(STDIN_FILENO);
	no_file = true;
	motion_detection_main(1, argv);
	_exit(99);
}
END_TEST

START_TEST(each_allocation_fails)
{
	main_each_allocation_fails(&program, arguments, &(const struct main_outputs){ outputs, false }, 30);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("motion memory");
	TCase *c = files_case(suite, "memory");

	tcase_add_checked_fixture(c, set_up, NULL);
	tcase_add_test(c, each_allocation_fails);
#ifdef HAVE_JANSSON
	tcase_add_test(c, no_stream_for_the_statistics);
#endif
	tcase_add_exit_test(c, no_null_device, 1);
	return test_main(suite);
}
