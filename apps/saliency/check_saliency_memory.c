/* SPDX-License-Identifier: MIT */
/* What the program asks of the system and does not get: each allocation fails once. It runs inside of this
 * one. */
#define main saliency_main
int main(int argc, char **argv);
#include "apps/saliency/saliency.c"
#undef main

#include "actors/common/check_media.h"

#include <fcntl.h>
#include <getopt.h>
#include <string.h>
#include <unistd.h>

#ifdef HAVE_JANSSON
enum { FILES = 2 };
#define STATS "--stats", "stats.json",
#else
enum { FILES = 1 };
#define STATS
#endif

static const char *const floats[] = { "saliency", "--synthetic", "17x9", "--frames", "2", "--device", "cores",
	"--overlap", "on", "--output", "maps.f32", STATS NULL };
static const char *const pictures[] = { "saliency", "--synthetic", "16x9", "--frames", "2", "--device",
	"cores,cores", "--split", "auto", "--overlay", "--output", "maps.y4m", STATS NULL };
static const char *const *const lists[] = { floats, pictures };

/* A run with the n-th allocation failing. */
static int run_once(const char *const *arguments, unsigned n)
{
	char *argv[24] = { NULL };
	int argc = 0;

	for (; arguments[argc]; argc++)
		argv[argc] = (char *)arguments[argc];
	optind = 0; /* getopt starts again */
	test_fail_allocation(n);
	return saliency_main(argc, argv);
}

START_TEST(each_allocation_fails)
{
	unsigned n = 0, failed = 0;
	int null = open("/dev/null", O_WRONLY), err = dup(STDERR_FILENO);

	ck_assert_int_eq(dup2(null, STDERR_FILENO), STDERR_FILENO);
	for (;;) {
		int status;
		bool fell;

		test_guard("an allocation", n);
		status = run_once(lists[_i], ++n);
		fell = test_allocation_failed();
		if (!fell) {
			dup2(err, STDERR_FILENO);
			ck_assert_int_eq(status, 0);
			ck_assert_uint_eq(files_count(), FILES);
			break;
		}
		/* some it can do without (a buffer of stdio's, say): then the outputs are whole */
		if (!status) {
			ck_assert_uint_eq(files_count(), FILES);
			ck_assert_int_eq(remove(_i ? "maps.y4m" : "maps.f32"), 0);
			remove("stats.json");
			continue;
		}
		failed++;
		ck_assert_msg(status == 1 || status == 2, "allocation %u: status %d", n, status);
		ck_assert_msg(files_count() == 0, "allocation %u: a file is left", n);
	}
	printf("saliency: %u allocations failed\n", failed);
	ck_assert_uint_gt(failed, 30);
	close(null);
	close(err);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("saliency memory");
	TCase *c = files_case(suite, "memory");

	tcase_add_loop_test(c, each_allocation_fails, 0, 2);
	return test_main(suite);
}
