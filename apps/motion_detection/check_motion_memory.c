/* SPDX-License-Identifier: MIT */
/* Memory that is out: each allocation of the whole program fails once. The program runs inside of this one. */
#define main motion_detection_main
int main(int argc, char **argv);
#include "apps/motion_detection/motion_detection.c"
#undef main

#include "actors/check_media.h"

#include <fcntl.h>
#include <getopt.h>
#include <string.h>

#ifdef HAVE_JANSSON
enum { FILES = 3 };
#define STATS "--stats", "stats.json",
#else
enum { FILES = 2 };
#define STATS
#endif

static const char *const arguments[] = { "motion_detection", "--synthetic", "32x24", "--frames", "5",
	"--rate", "2", "--pin", NULL, "--output", "maps.gray", "--output", "maps.y4m", STATS NULL };

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
	media_fail_allocation(n);
	status = motion_detection_main(argc, argv);
	return status;
}

START_TEST(each_allocation_fails)
{
	unsigned n = 0, failed = 0;
	int null = open("/dev/null", O_WRONLY), err = dup(STDERR_FILENO);

	ck_assert_int_eq(dup2(null, STDERR_FILENO), STDERR_FILENO);
	for (;;) {
		int status = run_once(++n);
		bool fell = media_allocation_failed();

		if (!fell) {
			dup2(err, STDERR_FILENO);
			ck_assert_int_eq(status, 0);
			ck_assert_uint_eq(media_count(), FILES);
			break;
		}
		/* some it can do without (a buffer of stdio's, say): then the outputs are whole */
		if (!status) {
			ck_assert_uint_eq(media_count(), FILES);
			ck_assert_int_eq(remove("maps.gray") | remove("maps.y4m"), 0);
			remove("stats.json");
			continue;
		}
		failed++;
		ck_assert_msg(status == 1 || status == 2, "allocation %u: status %d", n, status);
		ck_assert_msg(media_count() == 0, "allocation %u: a file is left", n);
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
	TCase *c = media_case(suite, "memory");

	tcase_add_test(c, each_allocation_fails);
	return test_main(suite);
}
