/* SPDX-License-Identifier: MIT */
/* Pictures that gnuplot draws: with the real one where it is installed, and with others that fail. */
#include "config.h"

#include "actors/common/check_files.h"
#include "apps/common/app.h"
#include "apps/common/check_gnuplot.h"
#include "apps/common/check_said.h"
#include "apps/common/plot.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

const char app_name[] = "draw";

/* Draws into the file; said_err has what was said. */
static int draw(const char *path, const char *commands)
{
	struct plot *plot;
	int status;

	said_start();
	status = plot_open(&plot, path, 300, 200);
	if (!status) {
		fputs(commands, plot_script(plot));
		status = plot_complete(plot);
	}
	said_stop();
	return status;
}

/* It failed, said so, and left nothing. */
#define FAILS(text, path, commands)                             \
	do {                                                    \
		ck_assert_int_eq(draw(path, commands), 1);      \
		ck_assert_str_eq(said_err, "draw: " text "\n"); \
		ck_assert_uint_eq(files_count(), 0);            \
	} while (0)

START_TEST(kinds)
{
	static const char commands[] =
		"$d << EOD\n1 2\n3 4\nEOD\nplot $d using 1:2 with lines title 'a name'\n";
	static const char png[] = "\x89PNG\r\n\x1a\n";
	unsigned char *picture;
	size_t size;

	if (!gnuplot_is_there())
		return;
	for (int i = 0; i < 2; i++) {
		ck_assert_int_eq(draw(i ? "none" : "a.svg", commands), 0);
		ck_assert_str_eq(said_err, "");
		picture = files_read(i ? "none" : "a.svg", &size);
		picture[size] = '\0';
		ck_assert_ptr_nonnull(strstr((char *)picture, "viewBox=\"0 0 300 200\""));
		ck_assert_ptr_nonnull(strstr((char *)picture, "a name"));
		ck_assert_str_eq((char *)picture + size - 8, "</svg>\n\n");
		free(picture);
	}
	ck_assert_int_eq(draw("a.png", commands), 0);
	picture = files_read("a.png", &size);
	ck_assert_uint_gt(size, 33);
	ck_assert_int_eq(memcmp(picture, png, 8), 0);
	/* its width and height */
	ck_assert_int_eq(memcmp(picture + 16, "\0\0\x01\x2c\0\0\0\xc8", 8), 0);
	free(picture);
	ck_assert_uint_eq(files_count(), 3);
}
END_TEST

START_TEST(wrong_script)
{
	if (!gnuplot_is_there())
		return;
	ck_assert_int_eq(draw("a.svg", "set nonsense\n"), 1);
	ck_assert_msg(
		strstr(said_err, "draw: a.svg: gnuplot failed: line 0: unrecognized option"), "%s", said_err);
	FAILS("a.svg: gnuplot drew nothing: it did not say why", "a.svg", "");
}
END_TEST

START_TEST(names)
{
	static const char *const refused[] = { "p.pdf", "a.svg/P.EPS", ".jpeg", "x.png.webp" };
	static const char *const accepted[] = { NULL, "p.svg", "p.png", "P.SVG", "p", "/dev/null", "a.b" };

	for (size_t i = 0; i < TEST_COUNT(refused); i++) {
		said_start();
		ck_assert_int_eq(plot_check_name("plot", refused[i]), 2);
		said_stop();
		ck_assert_ptr_nonnull(strstr(
			said_err, ": it is written as SVG or PNG; a name in .svg or .png is wanted\n"));
	}
	for (size_t i = 0; i < TEST_COUNT(accepted); i++)
		ck_assert_int_eq(plot_check_name("plot", accepted[i]), 0);
}
END_TEST

static const char *check_says(int status)
{
	said_start();
	ck_assert_int_eq(plot_check_gnuplot("plot"), status);
	said_stop();
	return said_err;
}

/* Before the run; and where it goes in between. */
START_TEST(no_gnuplot)
{
	gnuplot_fake(NULL);
	ck_assert_str_eq(check_says(1),
		"draw: --plot: there is no gnuplot, which draws the picture: install it (Debian's package is "
		"gnuplot-nox, which scripts/setup installs), or leave out --plot\n");
	FAILS("a.svg: No such file or directory", "a.svg", "");
	gnuplot_fake("exit 1\n");
	ck_assert_str_eq(check_says(1),
		"draw: --plot: 'gnuplot --version' fails: install it anew, or leave out --plot\n");
	gnuplot_fake(GNUPLOT_DRAWS);
	ck_assert_str_eq(check_says(0), "");
}
END_TEST

START_TEST(failures)
{
	gnuplot_fake("cat >/dev/null; echo part; echo first >&2; printf '  at last\\n\\n' >&2; exit 3\n");
	FAILS("a.svg: gnuplot failed: at last", "a.svg", "x");
	gnuplot_fake("exit 3\n");
	FAILS("a.svg: gnuplot failed: it did not say why", "a.svg", "x");
	gnuplot_fake("echo part; kill -KILL $$\n");
	FAILS("a.svg: gnuplot was ended by signal 9 (Killed)", "a.svg", "x");
	gnuplot_fake(GNUPLOT_DRAWS);
	FAILS("missing/a.svg: No such file or directory", "missing/a.svg", "x");
	ck_assert_int_eq(draw("/dev/full", "x"), 1);
	ck_assert_str_eq(said_err, "draw: /dev/full: No space left on device\n");
}
END_TEST

/* What it says while all is well is not passed on; it is given the script as it is and no user's settings. */
START_TEST(script)
{
	static char commands[200000];
	unsigned char *picture;
	size_t size;

	memset(commands, 'x', sizeof(commands) - 1);
	gnuplot_fake("echo warning >&2; echo \"$@\"; cat\n");
	ck_assert_int_eq(draw("a.svg", commands), 0);
	ck_assert_str_eq(said_err, "");
	picture = files_read("a.svg", &size);
	picture[size] = '\0';
	ck_assert_int_eq(strncmp((char *)picture, "-d\nset terminal svg size 300,200 ", 33), 0);
	ck_assert_str_eq(strchr((char *)picture, 'x') ? (char *)picture + size - 199999 : "", commands);
	free(picture);
}
END_TEST

/* It isn't ended by what this program ignores or blocks. */
START_TEST(signals)
{
	sigset_t all;

	signal(SIGPIPE, SIG_IGN);
	sigfillset(&all);
	sigprocmask(SIG_BLOCK, &all, NULL);
	/* the first sixteen of each, of which one is SIGPIPE */
	gnuplot_fake("sed -n 's/^Sig\\(Blk\\|Ign\\):.*\\(....\\)$/\\1 \\2/p' /proc/$$/status | tr '\\n' ' ' "
		     ">&2; exit 1\n");
	FAILS("a.svg: gnuplot failed: Blk 0000 Ign 0000 ", "a.svg", "");
	sigprocmask(SIG_UNBLOCK, &all, NULL);
}
END_TEST

START_TEST(dropped)
{
	struct plot *plot;

	ck_assert_int_eq(plot_open(&plot, "a.svg", 300, 200), 0);
	ck_assert_uint_eq(files_count(), 1);
	plot_drop(plot);
	plot_drop(NULL);
	ck_assert_uint_eq(files_count(), 0);
	said_start();
	test_fail_allocation(1);
	ck_assert_int_eq(plot_open(&plot, "a.svg", 300, 200), 1);
	said_stop();
	ck_assert_str_eq(said_err, "draw: out of memory\n");
	ck_assert_ptr_null(plot);
}
END_TEST

/* Each system call fails once: it is said, and nothing is left, or the picture is whole. */
START_TEST(system_fails)
{
	unsigned n = 0, failed = 0;

	gnuplot_fake("cat >/dev/null; seq 1 5000\n");
	for (bool more = true; more;) {
		int status;

		files_fail_system(++n);
		status = draw("a.svg", "x");
		more = files_system_failed();
		ck_assert_int_eq(files_size("a.svg"), status ? -1 : 23893);
		ck_assert_msg(!status || strstr(said_err, "a.svg: Input/output error\n"), "%s", said_err);
		ck_assert_uint_eq(files_count(), !status);
		failed += status != 0;
		remove("a.svg");
	}
	ck_assert_uint_ge(failed, 6); /* lseek, pipe2, three reads, rename */
}
END_TEST

/* The script has no room. */
START_TEST(full_disk)
{
	struct rlimit limit = { 10000, 10000 };
	static char commands[20000];

	memset(commands, 'x', sizeof(commands) - 1);
	gnuplot_fake(GNUPLOT_DRAWS);
	signal(SIGXFSZ, SIG_IGN);
	setrlimit(RLIMIT_FSIZE, &limit);
	FAILS("a.svg: File too large", "a.svg", commands);
}
END_TEST

/* Temporary files can't be had. */
START_TEST(no_descriptors)
{
	struct rlimit limit, few;
	struct plot *plot;
	int status;

	said_start();
	ck_assert_int_eq(getrlimit(RLIMIT_NOFILE, &limit), 0);
	few = (struct rlimit){ 3, limit.rlim_max };
	ck_assert_int_eq(setrlimit(RLIMIT_NOFILE, &few), 0);
	status = plot_open(&plot, "a.svg", 300, 200);
	ck_assert_int_eq(setrlimit(RLIMIT_NOFILE, &limit), 0); /* the fixture needs some */
	said_stop();
	ck_assert_int_eq(status, 1);
	ck_assert_ptr_nonnull(strstr(said_err, "a.svg: a temporary file for gnuplot: Too many open files"));
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("plot");
	TCase *tcase = files_case(suite, "plot");

	tcase_add_test(tcase, kinds);
	tcase_add_test(tcase, wrong_script);
	tcase_add_test(tcase, names);
	tcase_add_test(tcase, no_gnuplot);
	tcase_add_test(tcase, failures);
	tcase_add_test(tcase, script);
	tcase_add_test(tcase, signals);
	tcase_add_test(tcase, dropped);
	tcase_add_test(tcase, system_fails);
	tcase_add_test(tcase, full_disk);
	tcase_add_test(tcase, no_descriptors);
	return test_main(suite);
}
