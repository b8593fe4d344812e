/* SPDX-License-Identifier: MIT */
/* penstock run --move: actors move while a graph runs, and what is wrong with how that is said. */
#include "config.h"

#include "apps/common/check_program.h"
#include "apps/common/moves.h"
#include "apps/penstock/check_command.h"
#include "penstock/penstock.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef HAVE_JANSSON
#include <jansson.h>
#endif

const char app_name[] = "check";

static char graph[] = TEST_SOURCE "/examples/moving.yaml";

/* false: says that there is no device. */
static bool has_device(void)
{
	struct pstk_device_info info;

	setenv("POCL_DEVICES", "pthread", 1);
	if (!pstk_device_find("pocl:cpu:0/2of2", &info, NULL, 0))
		return true;
	printf("no pocl:cpu:0/2of2: skipped\n");
	return false;
}

START_TEST(moves)
{
	struct run run = { 0 };

	if (!has_device())
		return;
	setenv("PENSTOCK_DEBUG", "network:info", 1);
	RUN(&run, 0, "run", graph, "--frames", "40", "--set", "device=pocl:cpu:0/1of2", "--move",
		"gauss@9=cores", "--move", "gauss@20=pocl:cpu:0/2of2", "--move", "median@7=cores");
	TEST_SAYS(run.err, "'gauss' is at cores from firing 9 on",
		"'gauss' is at pocl:cpu:0/2of2 from firing 20 on", "'median' is at cores from firing 7 on");
	program_free(&run);
}
END_TEST

/* The table says where the actors are at the end. */
START_TEST(top)
{
	struct run run = { 0 };

	if (!has_device())
		return;
	RUN(&run, 0, "run", graph, "--frames", "40", "--top", "--move", "gauss@9=cores");
	TEST_SAYS(run.err, "at cores\n", "at pocl:cpu:0\n");
	program_free(&run);
}
END_TEST

/* JSON has no number as large as the last firing's. */
START_TEST(stats)
{
#ifdef HAVE_JANSSON
	struct run run = { 0 };
	json_t *json;

	if (!has_device())
		return;
	RUN(&run, 0, "run", graph, "--frames", "20", "--stats", "s.json", "--move", "gauss@9=cores", "--move",
		"gauss@18446744073709551615=pocl:cpu:0", "--move", "gauss@9223372036854775806=pocl:cpu:0");
	program_free(&run);
	json = json_load_file("s.json", 0, NULL);
	ck_assert_ptr_nonnull(json);
	for (size_t i = 0; i < 3; i++) {
		const json_t *move = json_array_get(json_object_get(json, "moves"), i);
		const json_int_t wanted[] = { 9, INT64_MAX, INT64_MAX - 1 };

		ck_assert_int_eq(json_integer_value(json_object_get(move, "wanted")), wanted[i]);
	}
	json_decref(json);
#endif
}
END_TEST

static const struct {
	int status;
	const char *move, *words;
} wrongs[] = {
	{ 2, "gauss=cores",
		"--move: 'gauss=cores' is not ACTOR@FIRING=SELECTOR or ACTOR@FIRING=cores, FIRING from 1" },
	{ 2, "gauss@0=cores", "--move: 'gauss@0=cores' is not " },
	{ 2, "@1=cores", "--move: '@1=cores' is not " },
	{ 2, "gauss@1", "--move: 'gauss@1' is not " },
	{ 2, "gauss@1=", "--move: 'gauss@1=' is not " },
	{ 2, "gaus@1=cores", "--move: the network has no actor 'gaus'" },
	{ 3, "gauss@1=none:gpu:7", "'gauss' (gauss5x5): " },
	{ 2, "source@1=pocl:cpu:0",
		"its type has no kernel and no fire_cl(): it can't move to 'pocl:cpu:0'" },
};

START_TEST(wrong)
{
	if (has_device())
		FAILS(wrongs[_i].status, wrongs[_i].words, "run", graph, "--frames", "3", "--move",
			wrongs[_i].move);
}
END_TEST

/* More than the program keeps. */
START_TEST(too_many)
{
	static const char text[] = "gauss@1=cores";
	struct moves many = { .count = 0 };

	for (unsigned i = 0; i < MOVES_MOST; i++)
		ck_assert_int_eq(moves_take(&many, text), 0);
	ck_assert_int_eq(moves_take(&many, text), 2);
	ck_assert_uint_eq(many.count, MOVES_MOST);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("moves");
	TCase *c = files_case(suite, "moves");

	command_find();
	tcase_add_test(c, moves);
	tcase_add_test(c, top);
	tcase_add_test(c, stats);
	tcase_add_loop_test(c, wrong, 0, (int)TEST_COUNT(wrongs));
	tcase_add_test(c, too_many);
	return test_main(suite);
}
