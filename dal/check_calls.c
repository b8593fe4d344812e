/* SPDX-License-Identifier: MIT */
/* The calls that a process makes, but for those that move tokens; and wrong ones. */
#include "dal/check_square.h"
#include "tests/common/file.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

START_TEST(test_port_names)
{
	CREATEPORTVAR(port);
	char longest[64];

	ck_assert_int_eq(CREATEPORT(port, "out", 1, 2, 3), 0);
	ck_assert_str_eq(port, "out_2");
	ck_assert_int_eq(CREATEPORT(port, (const char *)7, 2, 0, 1, 10, 11), 0);
	ck_assert_str_eq(port, "7_0_10");
	ck_assert_int_eq(CREATEPORT(port, "out", 1, 3, 3), -1);
	ck_assert_str_eq(port, "out_3 of 3");
	ck_assert_int_eq(CREATEPORT(port, "out", 1, -1, 3), -1);
	memset(longest, 'x', sizeof longest - 1);
	longest[63] = '\0';
	ck_assert_int_eq(CREATEPORT(port, longest, 1, 0, 1), -1);
	ck_assert_uint_eq(strlen(port), DAL_PORT_NAME - 1);
	ck_assert_int_eq(DAL_create_port(NULL, "out", 0), -1);
}
END_TEST

/* -- checkpoints -- */

static int saves_fire(DALProcess *p)
{
	int x = (int)p->local->next, back = -1;
	char word[] = "word", other[sizeof word] = "";

	if (x)
		ck_assert_int_eq(DAL_read_checkpoint(&back, sizeof back, "last", p), 0);
	ck_assert_int_eq(back, x - 1);
	ck_assert_int_eq(DAL_create_checkpoint(&x, sizeof x, "last", p), 0);
	ck_assert_int_eq(DAL_create_checkpoint(word, sizeof word, "word", p), 0);
	ck_assert_int_eq(DAL_create_checkpoint(NULL, 0, "empty", p), 0);
	ck_assert_int_eq(DAL_read_checkpoint(NULL, 0, "empty", p), 0);
	ck_assert_int_eq(DAL_read_checkpoint(other, sizeof other - 1, "word", p), -1);
	ck_assert_int_eq(DAL_read_checkpoint(other, sizeof other, "none", p), -1);
	ck_assert_int_eq(DAL_read_checkpoint(other, sizeof other, "word", p), 0);
	ck_assert_str_eq(other, "word");
	ck_assert_int_eq(DAL_destroy_checkpoint("word", p), 0);
	ck_assert_int_eq(DAL_destroy_checkpoint("word", p), -1);
	ck_assert_int_eq(DAL_read_checkpoint(other, sizeof other, "word", p), -1);
	ck_assert_int_eq(DAL_create_checkpoint(&x, -1, "x", p), -1);
	ck_assert_int_eq(DAL_create_checkpoint(NULL, 1, "x", p), -1);
	ck_assert_int_eq(DAL_create_checkpoint(&x, 1, NULL, p), -1);
	ck_assert_int_eq(DAL_create_checkpoint(&x, 1, "x", NULL), -1);
	ck_assert_int_eq(DAL_read_checkpoint(&x, -1, "last", p), -1);
	ck_assert_int_eq(DAL_read_checkpoint(NULL, sizeof x, "last", p), -1);
	ck_assert_int_eq(DAL_destroy_checkpoint(NULL, p), -1);
	if (++p->local->next == 20)
		DAL_send_event("done", p);
	return 0;
}

/* They are there until the end of finish; with no memory for a new one the old one stays. */
static void saves_finish(DALProcess *p)
{
	int x = 4711, back;

	for (unsigned n = 1; n <= 2; n++) {
		atomic_store(&dal_fail_allocation, n);
		ck_assert_int_eq(DAL_create_checkpoint(&x, sizeof x, "last", p), -1);
	}
	atomic_store(&dal_fail_allocation, 0);
	ck_assert_int_eq(DAL_read_checkpoint(&back, sizeof back, "last", p), 0);
	ck_assert_int_eq(back, (int)p->local->next - 1);
	square.finishes++;
}

START_TEST(test_checkpoints)
{
	static const struct pstk_dal_process saves =
		PSTK_DAL_PROCESS("saves", NULL, saves_fire, saves_finish, sizeof(struct _local_states));
	struct pstk_network *net = pstk_network_create("saves");
	const char *file =
		test_file("net.xml", "<processnetwork name='n'><process name='saves'/></processnetwork>");

	ck_assert_int_eq(pstk_dal_build(net, file, NULL, &saves, 1), 0);
	square_run(net, 0);
	ck_assert_uint_eq(square.finishes, 1);
	pstk_network_destroy(net);
	test_files_remove();
}
END_TEST

/* -- wrong calls, which the square makes instead of its third fire -- */

static char bytes[64];

static int read_unknown(DALProcess *p)
{
	return DAL_read("none", bytes, 8, p);
}

static int read_output(DALProcess *p)
{
	return DAL_read((void *)1, bytes, 8, p);
}

static int write_input(DALProcess *p)
{
	return DAL_write((void *)0, bytes, 8, p);
}

static int write_part(DALProcess *p)
{
	return DAL_write((void *)1, bytes, 12, p);
}

static int write_negative(DALProcess *p)
{
	return DAL_write((void *)1, bytes, -8, p);
}

static int read_null(DALProcess *p)
{
	return DAL_read((void *)0, NULL, 8, p);
}

static int write_null(DALProcess *p)
{
	return DAL_write((void *)1, NULL, 8, p);
}

static int range_port(DALProcess *p)
{
	CREATEPORTVAR(port);

	CREATEPORT(port, "out", 1, 4, 4);
	return DAL_write(port, bytes, 8, p);
}

static int begin_stream(DALProcess *p)
{
	return DAL_read_begin(0, 8, 4, p) == NULL;
}

static int end_unbegun(DALProcess *p)
{
	DAL_write_end(1, bytes, p);
	return 0;
}

static int leave_open(DALProcess *p)
{
	return DAL_write_begin(1, 8, 1, 1, 0, p) == NULL;
}

static int leave_both(DALProcess *p)
{
	return !DAL_write_begin(1, 8, 1, 1, 0, p) || !DAL_read_begin(0, 1, 1, p);
}

static int read_while_open(DALProcess *p)
{
	return DAL_read_begin(0, 1, 1, p) ? DAL_read((void *)0, bytes, 8, p) : -1;
}

static int begin_twice(DALProcess *p)
{
	return DAL_read_begin(0, 1, 1, p) ? DAL_read_begin(0, 1, 1, p) == NULL : -1;
}

static const struct {
	int (*call)(DALProcess *p);
	const char *says;
} calls[] = {
	{ read_unknown, "DAL_read(\"none\"): the process network gives it no such input" },
	{ read_output, "DAL_read(\"1\"): the process network gives it no such input" },
	{ write_input, "DAL_write(\"0\"): the process network gives it no such output" },
	{ write_part, "DAL_write(\"1\") of 12 bytes: the channel's tokens have 8, take whole tokens" },
	{ write_negative, "DAL_write(\"1\") of -8 bytes" },
	{ read_null, "DAL_read(\"0\") with NULL" },
	{ write_null, "DAL_write(\"1\") with NULL" },
	{ range_port, "DAL_write(\"out_4 of 4\")" },
	{ begin_stream, "DAL_read_begin(\"0\") of 4 tokens of 8 bytes: its windows have 1 of 1" },
	{ end_unbegun, "DAL_write_end(\"1\") without DAL_write_begin()" },
	{ leave_open, "fire() has left a window of port '1' open: end it" },
	{ leave_both, "fire() has left a window of port '0' open: end it" }, /* the first one counts */
	{ read_while_open, "DAL_read(\"0\") while a window of it is open" },
	{ begin_twice, "DAL_read_begin(\"0\") twice: end the window first" },
};

/* The call of test_calls, and what it returned. */
static int (*wrong_call)(DALProcess *p);
static int wrong_result;

static int square_wrong_fire(DALProcess *p)
{
	if (p->local->next++ < 2)
		return square_fire(p);
	wrong_result = wrong_call(p);
	if (wrong_call == leave_both) /* wrong when fire() has returned */
		return 0;
	/* what comes behind a wrong call does nothing */
	ck_assert_int_eq(DAL_read((void *)0, bytes, 8, p), wrong_call == leave_open ? 8 : 0);
	return 0;
}

START_TEST(test_calls)
{
	struct pstk_network *net = pstk_network_create("calls");
	struct pstk_dal_process *endless = square_endless();

	endless[SQUARE_SQUARE].fire = square_wrong_fire;
	endless[SQUARE_SQUARE].state_size = sizeof(struct _local_states);
	ck_assert_int_eq(pstk_dal_build(net, DAL_DATA "/square.xml", NULL, endless, SQUARE_PROCESSES), 0);
	square.expect = square_of;
	wrong_call = calls[_i].call;
	square_run(net, -EINVAL);
	TEST_SAYS(pstk_network_error(net), "'square'", calls[_i].says);
	ck_assert_int_eq(wrong_result, 0);
	ck_assert_uint_le(square.consumed, 2);
	ck_assert_uint_eq(square.wrong, 0);
	pstk_network_destroy(net);
}
END_TEST

static void reads_init(DALProcess *p)
{
	ck_assert_int_eq(DAL_create_checkpoint(bytes, 8, "lost with the error", p), 0);
	memset(bytes, 1, 8);
	ck_assert_int_eq(DAL_read((void *)0, bytes, 8, p), 0);
	ck_assert_int_eq(bytes[0] | bytes[7], 0);
}

START_TEST(test_read_in_init)
{
	struct pstk_network *net = pstk_network_create("init");
	struct pstk_dal_process *endless = square_endless();

	endless[SQUARE_SQUARE].init = reads_init;
	ck_assert_int_eq(pstk_dal_build(net, DAL_DATA "/square.xml", NULL, endless, SQUARE_PROCESSES), 0);
	square_run(net, -EINVAL);
	TEST_SAYS(pstk_network_error(net), "'square'", "DAL_read(\"0\") in init or finish");
	ck_assert_uint_eq(square.finishes, 1); /* the producer's: init() runs in the order of the file */
	pstk_network_destroy(net);
}
END_TEST

static void writes_finish(DALProcess *p)
{
	ck_assert_int_eq(DAL_write("out", bytes, 8, p), 0);
}

START_TEST(test_write_in_finish)
{
	struct pstk_network *net = pstk_network_create("finish");
	struct pstk_dal_process *endless = square_endless();

	endless[SQUARE_PRODUCER].fire = square_processes[SQUARE_PRODUCER].fire;
	endless[SQUARE_PRODUCER].finish = writes_finish;
	ck_assert_int_eq(pstk_dal_build(net, DAL_DATA "/square.xml", NULL, endless, SQUARE_PROCESSES), 0);
	square.tokens = 10;
	square.expect = square_of;
	square_run(net, -EINVAL);
	TEST_SAYS(pstk_network_error(net), "'producer'", "DAL_write(\"out\") in init or finish");
	ck_assert_uint_eq(square.consumed, 10);
	pstk_network_destroy(net);
}
END_TEST

/* Without a process nothing happens. */
START_TEST(test_no_process)
{
	uint64_t x = 5;

	ck_assert_int_eq(DAL_read("in", &x, sizeof x, NULL), 0);
	ck_assert_uint_eq(x, 0);
	ck_assert_int_eq(DAL_write("out", &x, sizeof x, NULL), 0);
	ck_assert_ptr_null(DAL_read_begin("in", 8, 1, NULL));
	ck_assert_ptr_null(DAL_write_begin("out", 8, 1, 1, 0, NULL));
	DAL_read_end("in", &x, NULL);
	DAL_write_end("out", &x, NULL);
	ck_assert_int_eq(DAL_send_event("x", NULL), -1);
	ck_assert_int_eq(DAL_getIndex(0, NULL), -1);
	ck_assert_int_eq(DAL_printf(NULL), -1);
}
END_TEST

/* -- printing -- */

START_TEST(test_printf)
{
	char text[100] = "";
	FILE *before = stdout, *f = fmemopen(text, sizeof text, "w");

	stdout = f;
	ck_assert_int_eq(DAL_printf("%d %s\n", 12, "words"), 9);
	stdout = before;
	fclose(f);
	ck_assert_str_eq(text, "12 words\n");
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("calls");
	TCase *right = test_case(suite, "right"), *wrong = test_case(suite, "wrong");

	tcase_add_test(right, test_port_names);
	tcase_add_test(right, test_checkpoints);
	tcase_add_test(right, test_printf);
	tcase_add_loop_test(wrong, test_calls, 0, TEST_COUNT(calls));
	tcase_add_test(wrong, test_read_in_init);
	tcase_add_test(wrong, test_write_in_finish);
	tcase_add_test(wrong, test_no_process);
	return test_main(suite);
}
