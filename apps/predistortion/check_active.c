/* SPDX-License-Identifier: MIT */
/* --active: which sets of branches a text stands for, and what is said of wrong ones. */
#include "config.h"

#include "actors/common/check_files.h"
#include "apps/common/check_said.h"
#include "apps/predistortion/active.h"

#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static struct coefficients branches_of(unsigned count, unsigned least)
{
	return (struct coefficients){ .count = count, .least = least, .most = count };
}

/* The caller frees it. */
static struct active parse(const char *spec, unsigned count, unsigned least)
{
	struct coefficients coefficients = branches_of(count, least);
	struct active active;
	int status = active_parse(&active, spec, &coefficients);

	ck_assert_msg(status == 0, "%s: status %d", spec ? spec : "(all)", status);
	return active;
}

static void expect_one(const char *spec, unsigned count, unsigned least, uint32_t set)
{
	struct active active = parse(spec, count, least);

	for (uint64_t period = 0; period < 3; period++)
		ck_assert_msg(active_set(&active, period) == set, "%s of %u: %x instead of %x",
			spec ? spec : "(all)", count, active_set(&active, period), set);
	ck_assert_uint_eq(active_set(&active, UINT64_MAX), set);
	active_free(&active);
}

/* Refused with this text, all of it, after the program's name. */
static void refuse(const char *spec, unsigned count, unsigned least, int expected, const char *text)
{
	struct coefficients coefficients = branches_of(count, least);
	struct active active;
	char line[512];
	int status;

	said_start();
	status = active_parse(&active, spec, &coefficients);
	said_stop();
	active_free(&active);
	snprintf(line, sizeof(line), "predistortion: %s\n", text);
	ck_assert_str_eq(said_err, line);
	ck_assert_str_eq(said_out, "");
	ck_assert_int_eq(status, expected);
}

static unsigned bits(uint32_t set)
{
	unsigned count = 0;

	for (; set; set >>= 1)
		count += set & 1;
	return count;
}

static void write_set(char *text, uint32_t set, unsigned count)
{
	for (unsigned b = 0; b < count; b++)
		text[b] = set >> b & 1 ? '1' : '0';
	text[count] = '\0';
}

START_TEST(all_by_default)
{
	uint32_t all = 0;

	for (unsigned count = 1; count <= PSTK_MAX_BRANCHES; count++) {
		all = 2 * all + 1;
		expect_one(NULL, count, 1, all);
		expect_one("all", count, 1, all);
	}
}
END_TEST

#define AS_BUILT_IN ", as in the paper that the built-in ones follow"

/* Each string of up to ten digits. */
START_TEST(strings)
{
	char text[PSTK_MAX_BRANCHES + 1], line[192];
	unsigned count = (unsigned)_i, least = count == 10 ? 2 : 1;

	for (uint32_t set = 0; set < UINT32_C(1) << count; set++) {
		write_set(text, set, count);
		if (bits(set) >= least) {
			expect_one(text, count, least, set);
			continue;
		}
		snprintf(line, sizeof(line), "--active %s: %s active; %u to %u may be%s", text,
			set ? "1 branch is" : "no branch is", least, count, least > 1 ? AS_BUILT_IN : "");
		if (count == 1)
			snprintf(line, sizeof(line), "--active 0: no branch is active; the only one must be");
		refuse(text, count, least, 2, line);
	}
}
END_TEST

START_TEST(long_strings)
{
	char text[PSTK_MAX_BRANCHES + 1];
	struct test_rng rng = { test_seed() };

	for (unsigned count = 11; count <= PSTK_MAX_BRANCHES; count++) {
		for (int i = 0; i < 100; i++) {
			uint32_t set = test_between(&rng, 1, (UINT32_C(1) << count) - 1);

			write_set(text, set, count);
			expect_one(text, count, 1, set);
		}
	}
}
END_TEST

START_TEST(numbers)
{
	expect_one("2", 10, 2, 0x3);
	expect_one("3", 10, 2, 0x7);
	expect_one("10", 10, 2, 0x3ff);
	expect_one("007", 10, 2, 0x7f);
	expect_one("11", 16, 1, 0x7ff);
	expect_one("16", 16, 1, 0xffff);
	expect_one("1", 5, 1, 0x1);
	expect_one("1", 1, 1, 0x1);
	/* as many digits as branches, 0 and 1: no number */
	expect_one("10", 2, 1, 0x1);
	expect_one("01", 2, 1, 0x2);
	expect_one("02", 2, 1, 0x3);
	expect_one("2", 2, 1, 0x3);
}
END_TEST

static const struct {
	const char *spec;
	unsigned count, least;
	const char *text;
} wrong[] = {
	{ "0", 10, 2, "--active 0: no branch is active; 2 to 10 may be" AS_BUILT_IN },
	{ "1", 10, 2, "--active 1: 1 branch is active; 2 to 10 may be" AS_BUILT_IN },
	{ "0", 10, 1, "--active 0: no branch is active; 1 to 10 may be" },
	{ "11", 10, 2, "--active: '11' is not a number from 2 to 10 or a string of 10 digits 0 and 1" },
	{ "111111111", 10, 2,
		"--active: '111111111' is not a number from 2 to 10 or a string of 10 digits 0 and 1" },
	{ "11111111111", 10, 2,
		"--active: '11111111111' is not a number from 2 to 10 or a string of 10 digits 0 and 1" },
	{ "1111111112", 10, 2,
		"--active: '1111111112' is not a number from 2 to 10 or a string of 10 digits 0 and 1" },
	{ "99999999999999999999", 5, 1,
		"--active: '99999999999999999999' is not a number from 1 to 5 or a string of 5 digits 0 and "
		"1" },
	{ "2", 1, 1, "--active: '2' is not 1; there is only one branch" },
	{ "0", 1, 1, "--active 0: no branch is active; the only one must be" },
	{ "random", 10, 2, "--active: 'random' is not random:SEED with a number from 0, such as random:1" },
	{ "random:", 10, 2, "--active: 'random:' is not random:SEED with a number from 0, such as random:1" },
	{ "random:x", 10, 2,
		"--active: 'random:x' is not random:SEED with a number from 0, such as random:1" },
	{ "random:-1", 10, 2,
		"--active: 'random:-1' is not random:SEED with a number from 0, such as random:1" },
	{ "random:1 ", 10, 2,
		"--active: 'random:1 ' is not random:SEED with a number from 0, such as random:1" },
	{ "random:18446744073709551616", 10, 2,
		"--active: 'random:18446744073709551616' is not random:SEED with a number from 0, such as "
		"random:1" },
	{ "random:1", 1, 1, "--active random:1: random sets have 2 branches or more, but there is only one" },
	{ "none", 10, 2, "--active: none: No such file or directory" },
	{ "-1", 10, 2, "--active: -1: No such file or directory" },
	{ ".", 10, 2, ".: Is a directory" },
};

START_TEST(wrong_specs)
{
	refuse(wrong[_i].spec, wrong[_i].count, wrong[_i].least, 2, wrong[_i].text);
}
END_TEST

START_TEST(what_is_a_file)
{
	static const char *const no[] = { "all", "random", "0", "1", "1111111111", "10",
		"123456789012345678901234567890", "random:1", "random:", "random:x" };
	static const char *const yes[] = { "-", "sets", "1111x", "1.txt", "./1", "./all", "al", "all ",
		"rando", "randomly", "Random:1", "", "-1", "+1", " 1" };

	ck_assert(!active_is_file(NULL));
	for (size_t i = 0; i < TEST_COUNT(no); i++)
		ck_assert_msg(!active_is_file(no[i]), "%s", no[i]);
	for (size_t i = 0; i < TEST_COUNT(yes); i++)
		ck_assert_msg(active_is_file(yes[i]), "%s", yes[i]);
}
END_TEST

/* Random sets have 2 branches or more, also of coefficients that may have one; the same ones each time,
 * in whatever order they are asked for; others for another seed. */
START_TEST(random_sets)
{
	enum { PERIODS = 300 };
	uint32_t sets[PERIODS];

	for (unsigned count = 2; count <= PSTK_MAX_BRANCHES; count++) {
		struct active a = parse("random:1", count, 1), b = parse("random:1", count, 1),
			      c = parse("random:2", count, 1),
			      d = parse("random:18446744073709551615", count, 1);
		unsigned same_c = 0, same_d = 0;

		for (unsigned i = 0; i < PERIODS; i++) {
			sets[i] = active_set(&a, i);
			ck_assert_uint_ge(bits(sets[i]), 2);
			ck_assert_uint_eq(sets[i] >> count, 0);
			same_c += sets[i] == active_set(&c, i);
			same_d += sets[i] == active_set(&d, i);
		}
		for (unsigned i = PERIODS; i-- > 0;)
			ck_assert_uint_eq(active_set(&b, i), sets[i]);
		ck_assert_uint_ge(bits(active_set(&a, UINT64_MAX)), 2);
		if (count == 2)
			ck_assert(same_c == PERIODS && same_d == PERIODS);
		else
			ck_assert_msg(same_c < PERIODS / 2 && same_d < PERIODS / 2, "%u", count);
		active_free(&a), active_free(&b), active_free(&c), active_free(&d);
	}
}
END_TEST

/* Pearson's test: all sets of 2 branches or more, and nothing else, equally often; also one after another.
 * The seeds are fixed, so that it fails for a reason only. */
START_TEST(all_sets_are_as_likely)
{
	enum { EACH = 40 };
	static const char *const seeds[] = { "random:0", "random:1", "random:20260101" };
	unsigned count = _i < 3 ? 5 : 10;
	struct active active = parse(seeds[_i % 3], count, 1);
	unsigned sets = (1U << count) - 1 - count, *seen = calloc(1U << count, sizeof(*seen)), repeated = 0;
	double chi = 0, freedom = sets - 1;
	uint32_t before = 0;

	for (unsigned i = 0; i < sets * EACH; i++) {
		uint32_t set = active_set(&active, i);

		seen[set]++;
		repeated += set == before;
		before = set;
	}
	for (uint32_t set = 0; set < 1U << count; set++) {
		double d = (double)seen[set] - EACH;

		if (bits(set) >= 2)
			chi += d * d / EACH;
		else
			ck_assert_uint_eq(seen[set], 0);
	}
	/* four standard deviations: sqrt(2 x freedom) */
	ck_assert_double_lt((chi - freedom) * (chi - freedom), 16 * 2 * freedom);
	/* EACH expected, sqrt(EACH) is its standard deviation */
	ck_assert_uint_ge(repeated, EACH / 4);
	ck_assert_uint_le(repeated, 2 * EACH);
	free(seen);
	active_free(&active);
}
END_TEST

static void expect_sets(const char *spec, unsigned count, const uint32_t *sets, size_t n)
{
	struct active active = parse(spec, count, 1);

	ck_assert_uint_eq(active.count, n);
	for (size_t i = 0; i < n; i++)
		ck_assert_uint_eq(active_set(&active, i), sets[i]);
	/* the last one holds */
	ck_assert_uint_eq(active_set(&active, n), sets[n - 1]);
	ck_assert_uint_eq(active_set(&active, UINT64_MAX), sets[n - 1]);
	active_free(&active);
}

START_TEST(files)
{
	static const uint32_t sets[] = { 0x7, 0x1, 0x6 };

	files_text("lf", "111\n100\n011\n");
	files_text("crlf", "111\r\n100\r\n011\r\n");
	files_text("open", "111\n100\n011");
	files_text("return", "111\n100\n011\r");
	expect_sets("lf", 3, sets, 3);
	expect_sets("crlf", 3, sets, 3);
	expect_sets("open", 3, sets, 3);
	expect_sets("return", 3, sets, 3);
	files_text("one", "1");
	expect_sets("one", 1, sets + 1, 1);
}
END_TEST

enum { MANY = 5000 };

/* Random sets as lines; the caller frees the text. */
static char *many_lines(uint32_t *sets, unsigned count)
{
	struct test_rng rng = { test_seed() };
	char *text = malloc((count + 1) * MANY + 1), *at = text;

	for (size_t i = 0; i < MANY; i++, at += count + 1) {
		sets[i] = test_between(&rng, 1, (UINT32_C(1) << count) - 1);
		write_set(at, sets[i], count);
		at[count] = '\n';
	}
	*at = '\0';
	return text;
}

static void *write_slowly(void *arg)
{
	const char *const *to = arg; /* path, text */
	int fd = open(to[0], O_WRONLY | O_CLOEXEC);
	size_t size = strlen(to[1]);

	/* in pieces that end within lines */
	for (size_t done = 0; done < size;) {
		size_t left = size - done;
		ssize_t n = write(fd, to[1] + done, left < 1001 ? left : 1001);

		ck_assert_int_gt(n, 0);
		done += (size_t)n;
	}
	close(fd);
	return NULL;
}

/* A file, a FIFO, and stdin, each to its end. */
START_TEST(many_sets)
{
	static uint32_t sets[MANY];
	char *text = many_lines(sets, 16);
	const char *to[2] = { "pipe", text };
	pthread_t thread;

	files_text("sets", text);
	expect_sets("sets", 16, sets, MANY);
	ck_assert_int_eq(mkfifo("pipe", 0600), 0);
	for (int standard = 0; standard < 2; standard++) {
		ck_assert_int_eq(pthread_create(&thread, NULL, write_slowly, to), 0);
		if (standard)
			ck_assert_ptr_nonnull(freopen("pipe", "r", stdin));
		expect_sets(standard ? "-" : "pipe", 16, sets, MANY);
		pthread_join(thread, NULL);
	}
	free(text);
}
END_TEST

static const struct {
	const char *content;
	unsigned count, least;
	const char *text;
} contents[] = {
	{ "", 3, 1, "sets: is empty; a line has 3 digits 0 and 1, one for each branch" },
	{ "", 1, 1, "sets: is empty; a line has 1 digit 0 and 1, one for each branch" },
	{ "\n", 3, 1, "sets:1: an empty line; 3 digits 0 and 1 are wanted, one for each branch" },
	{ "\r\n", 3, 1, "sets:1: an empty line; 3 digits 0 and 1 are wanted, one for each branch" },
	{ "111\n\n111\n", 3, 1, "sets:2: an empty line; 3 digits 0 and 1 are wanted, one for each branch" },
	{ "111\n\n", 3, 1, "sets:2: an empty line; 3 digits 0 and 1 are wanted, one for each branch" },
	{ "111\n11\n", 3, 1, "sets:2: 2 digits; 3 digits 0 and 1 are wanted, one for each branch" },
	{ "111\n1", 3, 1, "sets:2: 1 digit; 3 digits 0 and 1 are wanted, one for each branch" },
	{ "1111\n", 3, 1, "sets:1: more than 3 digits; 3 digits 0 and 1 are wanted, one for each branch" },
	{ "11", 1, 1, "sets:1: more than 1 digit; 1 digit 0 and 1 is wanted, one for each branch" },
	{ "111\n1x1\n", 3, 1, "sets:2: 'x' is neither 0 nor 1" },
	{ "111\n121\n", 3, 1, "sets:2: '2' is neither 0 nor 1" },
	{ "111 \n", 3, 1, "sets:1: byte 0x20 is neither 0 nor 1" },
	{ "111\n111\r111\n", 3, 1, "sets:2: byte 0x0d is neither 0 nor 1" },
	{ "\xef\xbb\xbf"
	  "111\n",
		3, 1, "sets:1: byte 0xef is neither 0 nor 1" },
	{ "111\n111\n000\n", 3, 1, "sets:3: no branch is active; 1 to 3 may be" },
	{ "1111111111\n0000010000\n", 10, 2, "sets:2: 1 branch is active; 2 to 10 may be" AS_BUILT_IN },
	{ "0000000000", 10, 2, "sets:1: no branch is active; 2 to 10 may be" AS_BUILT_IN },
};

START_TEST(wrong_files)
{
	files_text("sets", contents[_i].content);
	refuse("sets", contents[_i].count, contents[_i].least, 2, contents[_i].text);
}
END_TEST

START_TEST(a_zero_byte)
{
	files_write("sets", "11\0\n", 4);
	refuse("sets", 3, 1, 2, "sets:1: byte 0x00 is neither 0 nor 1");
}
END_TEST

START_TEST(stdin_is_named_so)
{
	files_text("sets", "11\n");
	ck_assert_ptr_nonnull(freopen("sets", "r", stdin));
	refuse("-", 3, 1, 2, "stdin:1: 2 digits; 3 digits 0 and 1 are wanted, one for each branch");
	/* a closed one is replaced by one that can't be read */
	ck_assert_int_eq(dup2(open("/dev/null", O_WRONLY | O_CLOEXEC), STDIN_FILENO), STDIN_FILENO);
	clearerr(stdin);
	refuse("-", 3, 1, 2, "stdin: Bad file descriptor");
}
END_TEST

static void *write_for_ever(void *arg)
{
	int fd = open(arg, O_WRONLY | O_CLOEXEC);
	char lines[65536];

	for (size_t i = 0; i < sizeof(lines); i += 2)
		memcpy(lines + i, "1\n", 2);
	while (write(fd, lines, sizeof(lines)) > 0) {
	}
	close(fd);
	return NULL;
}

/* It reads no more than it can keep. */
START_TEST(without_end)
{
	pthread_t thread;

	signal(SIGPIPE, SIG_IGN);
	ck_assert_int_eq(mkfifo("sets", 0600), 0);
	ck_assert_int_eq(pthread_create(&thread, NULL, write_for_ever, (void *)"sets"), 0);
	refuse("sets", 1, 1, 2, "sets:16777217: more than 16777216 lines");
	pthread_join(thread, NULL);
}
END_TEST

/* Each allocation fails once: of a file's sets there are several. */
START_TEST(out_of_memory)
{
	static const char *const specs[] = { "11111", "3", "sets", NULL };
	struct coefficients coefficients = branches_of(5, 1);
	struct active active;
	char text[301 * 6 + 1] = "";

	for (size_t i = 0; i < 300; i++)
		memcpy(text + i * 6, "10101\n", 7);
	files_text("sets", text);
	for (size_t s = 0; s < TEST_COUNT(specs); s++) {
		unsigned failed = 0;
		bool fell;
		int status;

		do {
			said_start();
			test_fail_allocation(failed + 1);
			status = active_parse(&active, specs[s], &coefficients);
			fell = test_allocation_failed(); /* before those of the test itself */
			said_stop();
			active_free(&active);
			ck_assert_int_eq(status, fell ? 1 : 0);
			if (status)
				ck_assert_str_eq(said_err, "predistortion: out of memory\n");
			failed += status != 0;
		} while (status);
		/* 64, 128, 256, 512 */
		ck_assert_uint_eq(failed, s == 2 ? 4 : 1);
	}
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("active");
	TCase *c = files_case(suite, "active"), *r = test_case(suite, "random");

	tcase_add_test(c, all_by_default);
	tcase_add_loop_test(c, strings, 1, 11);
	tcase_add_test(c, long_strings);
	tcase_add_test(c, numbers);
	tcase_add_loop_test(c, wrong_specs, 0, TEST_COUNT(wrong));
	tcase_add_test(c, what_is_a_file);
	tcase_add_test(c, files);
	tcase_add_test(c, many_sets);
	tcase_add_loop_test(c, wrong_files, 0, TEST_COUNT(contents));
	tcase_add_test(c, a_zero_byte);
	tcase_add_test(c, stdin_is_named_so);
	if (!TEST_SANITIZED) /* seconds there */
		tcase_add_test(c, without_end);
	tcase_add_test(c, out_of_memory);
	tcase_add_test(r, random_sets);
	tcase_add_loop_test(r, all_sets_are_as_likely, 0, 6);
	return test_main(suite);
}
