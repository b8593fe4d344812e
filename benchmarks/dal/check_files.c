/* SPDX-License-Identifier: MIT */
/* The copies of process networks: what is in them besides the values is what was in the file; wrong names
 * end the program. */
#include "benchmarks/dal/files.h"
#include "tests/common/common.h"

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A file's lines. Freed by the caller. */
static char *text_of(const char *path)
{
	char *text = calloc(1, 65536);
	FILE *file = fopen(path, "r");

	ck_assert_ptr_nonnull(text);
	ck_assert_msg(file, "%s", path);
	ck_assert_uint_lt(fread(text, 1, 65535, file), 65535);
	fclose(file);
	return text;
}

static char *copy(const char *name, const struct files_value *values, size_t count)
{
	char path[FILES_PATH], *text;

	files_copy(path, name, values, count);
	text = text_of(path);
	files_remove(path);
	ck_assert_int_eq(access(path, F_OK), -1);
	files_remove(NULL);
	return text;
}

START_TEST(new_values)
{
	const struct files_value values[] = { { "BYTES", 1234567890 }, { "WINDOWS", 7 } };
	char *is = copy("motion.xml", values, 2), *was = text_of(DAL_FILES "/motion.xml");
	const char *bytes = strstr(was, "76800"), *windows = strstr(was, "\"2\"");
	size_t before = (size_t)(bytes - was), between = (size_t)(windows - bytes) - 5;

	ck_assert(!strncmp(is, was, before));
	ck_assert(!strncmp(is + before, "1234567890", 10));
	ck_assert(!strncmp(is + before + 10, bytes + 5, between));
	ck_assert_str_eq(is + before + 10 + between + 2, windows + 2);
	ck_assert(!strncmp(is + before + 10 + between, "\"7\"", 3));
	free(is);
	free(was);
}
END_TEST

START_TEST(as_it_is)
{
	char *is = copy("predistortion.xml", NULL, 0), *was = text_of(DAL_FILES "/predistortion.xml");

	ck_assert_str_eq(is, was);
	free(is);
	free(was);
}
END_TEST

START_TEST(no_such_file)
{
	copy("none.xml", NULL, 0);
}
END_TEST

START_TEST(no_file)
{
	copy(".", NULL, 0);
}
END_TEST

START_TEST(no_such_variable)
{
	copy("motion.xml", &(struct files_value){ "BLOCK", 1 }, 1);
}
END_TEST

/* The first cores of the set, in equal parts, neighbours together. */
START_TEST(shared_cores)
{
	enum { PLACES = 4 };
	uint32_t cores[PLACES];
	cpu_set_t set;
	unsigned n = 0, changes = 0;

	ck_assert_int_eq(sched_getaffinity(0, sizeof set, &set), 0);
	n = (unsigned)CPU_COUNT(&set) < PLACES ? (unsigned)CPU_COUNT(&set) : PLACES;
	files_cores(cores, PLACES);
	for (unsigned i = 0; i < PLACES; i++) {
		ck_assert(CPU_ISSET(cores[i], &set));
		if (i && cores[i] != cores[i - 1]) {
			ck_assert_uint_gt(cores[i], cores[i - 1]);
			changes++;
		}
	}
	ck_assert_uint_eq(changes, n - 1);
}
END_TEST

/* With one core there is nothing to share out. */
START_TEST(one_core)
{
	uint32_t cores[4], first;
	cpu_set_t one;

	files_cores(cores, 4);
	first = cores[3];
	CPU_ZERO(&one);
	CPU_SET(first, &one);
	ck_assert_int_eq(sched_setaffinity(0, sizeof one, &one), 0);
	files_cores(cores, 4);
	for (unsigned i = 0; i < 4; i++)
		ck_assert_uint_eq(cores[i], first);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("files");
	TCase *tcase = test_case(suite, "files");

	tcase_add_test(tcase, new_values);
	tcase_add_test(tcase, as_it_is);
	tcase_add_exit_test(tcase, no_such_file, 1);
	tcase_add_exit_test(tcase, no_file, 1);
	tcase_add_exit_test(tcase, no_such_variable, 1);
	tcase_add_test(tcase, shared_cores);
	tcase_add_test(tcase, one_core);
	return test_main(suite);
}
