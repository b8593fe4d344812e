/* SPDX-License-Identifier: MIT */
/* Callback: a program's own meter, what it may return, and how it may be given. */
#include "lib/base/memory.h"
#include "tests/energy/made_chip.h"

#include <math.h>

static struct {
	struct pstk_joules total, step;
	int err;
	unsigned reads;
	unsigned fails_at; /* this read, from 1 on; 0: none */
} board;

static int board_read(void *data, struct pstk_joules *total)
{
	ck_assert_ptr_eq(data, &board);
	board.reads++;
	*total = board.total;
	return board.reads == board.fails_at ? -EREMOTEIO : board.err;
}

static void count(void)
{
	board.total.cores += board.step.cores;
	board.total.device += board.step.device;
	board.total.rest += board.step.rest;
}

static const struct pstk_meter meter = { sizeof meter, board_read, &board };

static void start(void)
{
	made_start();
	memset(&board, 0, sizeof board);
	board.total = (struct pstk_joules){ -100, 1e6, 3 };
	board.step = (struct pstk_joules){ 1, 2, 4 };
	made_on_work = count;
}

static struct ps_energy *open_board(const char *selector)
{
	char why[PS_ENERGY_WHY] = "nothing yet";
	struct ps_energy *e;

	ck_assert_msg(!ps_energy_open(selector, &meter, &e, why, sizeof why), "%s", why);
	ck_assert_str_eq(why, "");
	return e;
}

static void refused(const struct pstk_meter *own, int err, const char *said)
{
	char why[PS_ENERGY_WHY];
	struct ps_energy *e = (struct ps_energy *)1;

	ck_assert_int_eq(ps_energy_open("callback", own, &e, why, sizeof why), err);
	ck_assert_ptr_null(e);
	TEST_SAYS(why, said);
}

START_TEST(joules_from_the_beginning)
{
	static const char *const selectors[] = { NULL, "", "callback" };

	for (unsigned i = 0; i < TEST_COUNT(selectors); i++) {
		struct ps_energy *e = open_board(selectors[i]);

		ck_assert_str_eq(ps_energy_name(e), "callback");
		ck_assert_uint_eq(ps_energy_flags(e), PSTK_ENERGY_MEASURED);
		made_reads(e, 0, 0, 0);
		ps_energy_system.work();
		made_reads(e, 1, 2, 4);
		made_reads(e, 1, 2, 4);
		ps_energy_close(e);
	}
}
END_TEST

/* Any part that moves will do. */
START_TEST(one_part_moves)
{
	for (unsigned i = 0; i < 3; i++) {
		struct ps_energy *e;

		board.step = (struct pstk_joules){ i == 0, i == 1, i == 2 };
		made_works = 0;
		e = open_board(NULL);
		ck_assert_uint_eq(made_works, 1);
		ps_energy_close(e);
	}
	board.step = (struct pstk_joules){ 0 };
	made_works = 0;
	refused(&meter, -ENODEV, "callback counts nothing: it stood still while a thread worked for 500 ms");
	ck_assert_uint_eq(made_works, 10);
}
END_TEST

/* A selector that names another kind wins. */
START_TEST(another_one_is_selected)
{
	struct ps_energy *e = open_board("sim:cores=1,core=1,device_idle=1,device=1,rest=1");

	ck_assert_str_eq(ps_energy_name(e), "sim");
	ck_assert_uint_eq(board.reads, 0);
	ps_energy_close(e);
}
END_TEST

START_TEST(what_is_refused)
{
	struct pstk_meter own = meter;
	char why[PS_ENERGY_WHY], said[64];
	struct ps_energy *e;

	refused(NULL, -EINVAL, "callback: the program has given no struct pstk_meter");
	own.struct_size--;
	snprintf(said, sizeof said, "struct pstk_meter is %zu, expected %zu", sizeof own - 1, sizeof own);
	refused(&own, -EINVAL, said);
	own.struct_size = 1000; /* a later version's */
	own.read = NULL;
	refused(&own, -EINVAL, "its struct pstk_meter has no read()");
	MADE_REFUSED("callback:x", -EINVAL, "nothing is expected behind its name, not ':x'");
	own.read = board_read;
	ck_assert_int_eq(ps_energy_open(NULL, &own, &e, why, sizeof why), 0);
	ps_energy_close(e);
}
END_TEST

START_TEST(it_fails)
{
	struct pstk_joules total;
	struct ps_energy *e;

	for (unsigned n = 1; n <= 3; n++) { /* the first one, behind the work, to begin */
		board.reads = 0;
		board.fails_at = n;
		refused(&meter, -EACCES, "callback can't be read: Remote I/O error");
		ck_assert_uint_eq(board.reads, n);
	}
	e = open_board(NULL);
	board.err = -ETIME;
	ck_assert_int_eq(ps_energy_read(e, NULL, &total), -ETIME);
	board.err = 1;
	ck_assert_int_eq(ps_energy_read(e, NULL, &total), -EPROTO);
	board.err = 0;
	ps_energy_system.work();
	made_reads(e, 1, 2, 4);
	ps_energy_close(e);
}
END_TEST

START_TEST(no_total_of_joules)
{
	const double wrong[] = { (double)NAN, (double)INFINITY, (double)-INFINITY, -1e9 };
	struct pstk_joules total;
	struct ps_energy *e = open_board(NULL);

	for (unsigned i = 0; i < 3 * TEST_COUNT(wrong); i++) {
		const struct pstk_joules right = board.total;
		double *parts[] = { &board.total.cores, &board.total.device, &board.total.rest };

		*parts[i % 3] = wrong[i / 3];
		ck_assert_int_eq(ps_energy_read(e, NULL, &total), -ERANGE);
		board.total = right;
		made_reads(e, 0, 0, 0);
	}
	ps_energy_close(e);
	board.total.rest = (double)NAN;
	refused(&meter, -EACCES, "callback can't be read: ");
}
END_TEST

START_TEST(memory_may_be_out)
{
	for (long n = 0; n < 3; n++) {
		ps_memory_fail_at = n;
		refused(&meter, -ENOMEM, "out of memory");
		ck_assert_int_eq(ps_memory_fail_at, -1);
	}
}
END_TEST

int main(void)
{
	Suite *s = suite_create("callback");
	TCase *c = test_case(s, "callback");

	tcase_add_checked_fixture(c, start, made_stop);
	tcase_add_test(c, joules_from_the_beginning);
	tcase_add_test(c, one_part_moves);
	tcase_add_test(c, another_one_is_selected);
	tcase_add_test(c, what_is_refused);
	tcase_add_test(c, it_fails);
	tcase_add_test(c, no_total_of_joules);
	tcase_add_test(c, memory_may_be_out);
	return test_main(s);
}
