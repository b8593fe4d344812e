/* SPDX-License-Identifier: MIT */
/* PoCL's cache: where it is, that it can be written, and what is said where it can't. Each test is a process of its
 * own. */
#include "lib/opencl/cl_cache.h"
#include "tests/common/common.h"

#include <penstock/penstock.h>

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

static char base[] = "/tmp/pstk-cache-XXXXXX";
static struct ps_cl_cache cache;

static void setup(void)
{
	ck_assert_ptr_nonnull(mkdtemp(base));
	unsetenv("POCL_CACHE_DIR");
	unsetenv("XDG_CACHE_HOME");
	unsetenv("HOME");
	unsetenv("PENSTOCK_DEBUG");
}

static void teardown(void)
{
	char command[64];

	snprintf(command, sizeof command, "rm -rf %s", base);
	ck_assert_int_eq(system(command), 0);
}

static const char *below_base(const char *end)
{
	static char path[128];

	snprintf(path, sizeof path, "%s%s", base, end);
	return path;
}

/* Files in the cache; -1: there is no such directory. */
static int files(void)
{
	DIR *dir = opendir(cache.path);
	int count = dir ? -2 : -1; /* . and .. */

	while (dir && readdir(dir))
		count++;
	if (dir)
		closedir(dir);
	return count;
}

static const struct {
	const char *own, *xdg, *home; /* below base; "": empty; NULL: not set */
	const char *path, *from;
} places[] = {
	{ "/a/b", "/xdg", "/home", "/a/b", "POCL_CACHE_DIR" },
	{ NULL, "/xdg", "/home", "/xdg/pocl/kcache", "XDG_CACHE_HOME" },
	{ NULL, "", "/home", "/home/.cache/pocl/kcache", "HOME" },
	{ NULL, NULL, "/home", "/home/.cache/pocl/kcache", "HOME" },
};

START_TEST(where_it_is)
{
	char text[512];

	if (places[_i].own)
		setenv("POCL_CACHE_DIR", below_base(places[_i].own), 1);
	if (places[_i].xdg)
		setenv("XDG_CACHE_HOME", *places[_i].xdg ? below_base(places[_i].xdg) : "", 1);
	if (places[_i].home)
		setenv("HOME", below_base(places[_i].home), 1);
	for (int again = 0; again < 2; again++) {
		ps_cl_cache_look(&cache);
		ck_assert_int_eq(cache.err, 0);
		ck_assert_str_eq(cache.path, below_base(places[_i].path));
		ck_assert_str_eq(cache.from, places[_i].from);
		ck_assert(cache.left > 0);
		ck_assert_int_eq(files(), 0);
		ck_assert(!ps_cl_cache_fault(&cache, text, sizeof text));
	}
}
END_TEST

START_TEST(nowhere_said)
{
	bool had = !access("/tmp/pocl", F_OK), had_all = !access("/tmp/pocl/kcache", F_OK);

	ps_cl_cache_look(&cache);
	ck_assert_str_eq(cache.path, "/tmp/pocl/kcache");
	ck_assert_ptr_null(cache.from);
	if (!had_all)
		rmdir("/tmp/pocl/kcache");
	if (!had)
		rmdir("/tmp/pocl");
}
END_TEST

START_TEST(no_directory)
{
	char text[512], *longest = calloc(1, PS_CL_CACHE_PATH + 1);
	int fd = open(below_base("/file"), O_CREAT | O_WRONLY, 0600);

	ck_assert_int_ge(fd, 0);
	close(fd);
	setenv("POCL_CACHE_DIR", below_base("/file/cache"), 1);
	ps_cl_cache_look(&cache);
	ck_assert_int_eq(cache.err, -ENOTDIR);
	ck_assert(ps_cl_cache_fault(&cache, text, sizeof text));
	TEST_SAYS(text, "PoCL can't write its cache ",
		below_base("/file/cache (POCL_CACHE_DIR): Not a directory; set"));
	setenv("POCL_CACHE_DIR", below_base("/file"), 1);
	ps_cl_cache_look(&cache);
	ck_assert_int_eq(cache.err, -ENOTDIR);
	setenv("POCL_CACHE_DIR", "", 1);
	ps_cl_cache_look(&cache);
	ck_assert_int_eq(cache.err, -ENOENT);
	memset(longest, 'x', PS_CL_CACHE_PATH);
	setenv("POCL_CACHE_DIR", longest, 1);
	ps_cl_cache_look(&cache);
	ck_assert_int_eq(cache.err, -ENAMETOOLONG);
	ck_assert(ps_cl_cache_fault(&cache, text, sizeof text));
	TEST_SAYS(text, "xxxx.. (POCL_CACHE_DIR): File name too long");
	free(longest);
}
END_TEST

/* No file gets larger: an error as of a full disk, which only root could mount. */
static void limit_files(rlim_t bytes)
{
	struct rlimit limit;

	ck_assert_int_eq(getrlimit(RLIMIT_FSIZE, &limit), 0);
	limit.rlim_cur = bytes;
	signal(SIGXFSZ, SIG_IGN);
	ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &limit), 0);
}

START_TEST(no_room)
{
	char text[512];

	setenv("HOME", base, 1);
	limit_files(1000);
	ps_cl_cache_look(&cache);
	limit_files(RLIM_INFINITY);
	ck_assert_int_eq(cache.err, -EFBIG);
	ck_assert_int_eq(files(), 0);
	ck_assert(ps_cl_cache_fault(&cache, text, sizeof text));
	TEST_SAYS(text, "kcache (HOME): File too large; set POCL_CACHE_DIR to a directory with some "
			"megabytes of room");
}
END_TEST

static int done(struct pstk_firing *f)
{
	pstk_fifo_write_start(f, 0);
	pstk_fifo_write_end(f, 0);
	return PSTK_DONE;
}

/* A network with a kernel. */
static struct pstk_network *build(void)
{
	static const struct pstk_port out = { .name = "out", .kind = PSTK_OUTPUT, .token_size = 4 },
				      in = { .name = "in", .kind = PSTK_INPUT, .token_size = 4 };
	static const struct pstk_kernel kernel = { .name = "nothing",
		.source = "kernel void nothing(global const int *in, ulong firing) {}\n" };
	struct pstk_network *net = pstk_network_create("cache");
	struct pstk_actor *a = pstk_network_add(net, "a",
		PSTK_ACTOR_TYPE(.name = "source", .ports = &out, .port_count = 1, .fire = done), NULL);
	struct pstk_actor *b = pstk_network_add(net, "b",
		PSTK_ACTOR_TYPE(.name = "sink", .ports = &in, .port_count = 1, .kernel = &kernel), NULL);

	pstk_connect(a, "out", b, "in", PSTK_FIFO(.rate = 1));
	ck_assert_int_eq(pstk_actor_map(b, "pocl"), 0);
	ck_assert_int_eq(pstk_actor_set_work_size(b, 1, (size_t[]){ 1 }, NULL), 0);
	return net;
}

/* What a program's start says of it; PoCL would say that it failed, or LLVM would end the program. */
START_TEST(a_start_without_room)
{
	struct pstk_network *net;
	int err;

	setenv("POCL_CACHE_DIR", below_base("/kernels"), 1);
	net = build();
	limit_files(1000);
	err = pstk_network_start(net);
	limit_files(RLIM_INFINITY);
	ck_assert_int_eq(err, -EFBIG);
	TEST_SAYS(pstk_network_error(net),
		"'b' (sink): pocl:cpu:0 builds no kernels: PoCL can't write its cache ",
		below_base("/kernels (POCL_CACHE_DIR): File too large; set POCL_CACHE_DIR to"));
	pstk_network_destroy(net);
}
END_TEST

START_TEST(a_start_with_little_room)
{
	struct pstk_network *net;

	if (TEST_SANITIZED) /* it compiles into a new cache each time, and PoCL's compiler leaks */
		return;
	setenv("POCL_CACHE_DIR", below_base("/kernels"), 1);
	test_log_start();
	net = build();
	ck_assert_msg(!pstk_network_run(net), "%s", pstk_network_error(net));
	pstk_network_destroy(net);
	ck_assert(!test_log_has("room left"));
	ps_cl_cache_low = UINT64_MAX;
	net = build();
	ck_assert_msg(!pstk_network_run(net), "%s", pstk_network_error(net));
	pstk_network_destroy(net);
	ck_assert(test_log_has(below_base("/kernels has ")));
	ck_assert(test_log_has(
		" kB of room left: where that does not do for a new kernel, LLVM ends the program; set "
		"POCL_CACHE_DIR to"));
	test_log_stop();
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("cl_cache");
	TCase *tcase = test_case(suite, "cl_cache");

	tcase_add_checked_fixture(tcase, setup, teardown);
	tcase_add_loop_test(tcase, where_it_is, 0, TEST_COUNT(places));
	tcase_add_test(tcase, nowhere_said);
	tcase_add_test(tcase, no_directory);
	tcase_add_test(tcase, no_room);
	tcase_add_test(tcase, a_start_without_room);
	tcase_add_test(tcase, a_start_with_little_room);
	return test_main(suite);
}
