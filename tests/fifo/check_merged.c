/* SPDX-License-Identifier: MIT */
/*
 * Merged memory without threads: which member waits for which, where windows lie, and how few members are asked. The
 * suite of lib/plan/merges.c runs networks (check_merges).
 */
#include "lib/fifo/merged.h"
#include "tests/common/common.h"

#include <string.h>

enum { MEMBERS = 1000, SLOTS = 2, RATE = 4 };

static struct ps_merged group;
static struct ps_member members[MEMBERS];
static struct ps_fifo fifos[MEMBERS];

/* Members of one FIFO each, of bytes; the windows of member 1 are the largest. */
static void begin(unsigned count)
{
	group = (struct ps_merged){ .members = members, .count = count, .slots = SLOTS };
	memset(members, 0, sizeof members);
	group.bytes = group.step = 3 * RATE;
	for (unsigned i = 0; i < count; i++) {
		struct ps_fifo *f = &fifos[i];

		memset(f, 0, sizeof *f);
		f->layout = (struct ps_layout){
			.write_rate = RATE, .read_rate = RATE, .depth = SLOTS, .token_size = i == 1 ? 3 : 1
		};
		ck_assert_int_eq(ps_layout_init(&f->layout), 0);
		ck_assert_int_eq(ps_fifo_init(f), 0);
		members[i].of = &group;
		members[i].index = i;
		ps_merged_join(&members[i], f);
	}
	for (unsigned i = 0; i < count; i++)
		ck_assert_int_eq(ps_fifo_allocate(&fifos[i], NULL, 0), 0);
}

static void end(void)
{
	for (unsigned i = 0; i < group.count; i++)
		ps_fifo_fini(&fifos[i]);
}

static bool may_write(unsigned member)
{
	return ps_fifo_peek(&fifos[member].writer) == PS_FIFO_READY;
}

/* Returns where the window lies: bytes. */
static size_t write_one(unsigned member)
{
	unsigned char *at = ps_fifo_write_start(&fifos[member]);

	ck_assert_int_eq(ps_fifo_write_end(&fifos[member], RATE), 0);
	return (size_t)(at - (unsigned char *)group.memory);
}

static size_t read_one(unsigned member)
{
	uint32_t valid;
	const unsigned char *at = ps_fifo_read_start(&fifos[member], &valid);

	ck_assert_uint_eq(valid, RATE);
	ck_assert_int_eq(ps_fifo_read_end(&fifos[member]), 0);
	return (size_t)(at - (unsigned char *)group.memory);
}

START_TEST(order_of_three)
{
	begin(3);
	ck_assert(may_write(0) && !may_write(1) && !may_write(2));
	ck_assert_ptr_eq(ps_fifo_blocker(&fifos[1].writer), &fifos[0].writer);
	ck_assert_uint_eq(write_one(0), 0);
	ck_assert_uint_eq(write_one(0), group.step);
	ck_assert(!may_write(0) && !may_write(1));
	ck_assert_ptr_eq(ps_fifo_blocker(&fifos[0].writer), &fifos[0].reader);
	ck_assert_ptr_eq(ps_fifo_blocker(&fifos[1].writer), &fifos[0].reader);
	ck_assert_uint_eq(read_one(0), 0);
	/* member 0 has room for window 2, but the last one has not used slot 0 */
	ck_assert(!may_write(0) && may_write(1) && !may_write(2));
	ck_assert_ptr_eq(ps_fifo_blocker(&fifos[0].writer), &fifos[2].writer);
	ck_assert_ptr_null(ps_fifo_blocker(&fifos[1].writer));
	ck_assert_uint_eq(write_one(1), 0);
	ck_assert_uint_eq(read_one(1), 0);
	ck_assert(may_write(2));
	write_one(2);
	ck_assert(!may_write(0));
	read_one(2);
	ck_assert(may_write(0) && !may_write(1));
	read_one(0);
	ck_assert(may_write(1));
	ck_assert_uint_eq(write_one(1), group.step);
	ck_assert_uint_eq(write_one(0), 0);
	end();
}
END_TEST

/* An ended member is passed over, from its last window on. One that has no reader gives windows back by writing. */
START_TEST(ends)
{
	begin(3);
	write_one(0);
	ps_fifo_write_close(&fifos[0]);
	ck_assert(!may_write(1));
	read_one(0);
	ck_assert(may_write(1) && !may_write(2));
	ps_fifo_read_close(&fifos[1]);
	ck_assert(!may_write(2)); /* member 1 may still write there */
	ck_assert_ptr_eq(ps_fifo_blocker(&fifos[2].writer), &fifos[1].writer);
	write_one(1);
	ck_assert(may_write(2));
	write_one(2);
	ck_assert(!may_write(2)); /* member 1 comes first, member 0 never */
	ps_fifo_write_close(&fifos[1]);
	ck_assert(may_write(2));
	write_one(2);
	ck_assert(!may_write(2)); /* its own reader has both */
	end();
}
END_TEST

/* A dropped window waits for the others, too. */
START_TEST(dropped)
{
	begin(2);
	ps_fifo_read_close(&fifos[1]);
	ck_assert_int_eq(ps_fifo_peek(&fifos[1].writer), PS_FIFO_WAIT);
	write_one(0);
	ck_assert_int_eq(ps_fifo_peek(&fifos[1].writer), PS_FIFO_WAIT);
	read_one(0);
	ck_assert_int_eq(ps_fifo_peek(&fifos[1].writer), PS_FIFO_ENDED);
	end();
}
END_TEST

static bool waits(unsigned member)
{
	return !may_write(member) && atomic_load(&members[member].waits);
}

/* A waiter learns of what is given back; of what is written only if it has a thread, or if nothing else will come. */
START_TEST(what_is_told)
{
	begin(2);
	ck_assert(waits(1));
	write_one(0);
	ck_assert(!atomic_load(&members[1].waits));
	ck_assert(waits(1));
	fifos[1].writer_polled = true;
	write_one(0);
	ck_assert(atomic_load(&members[1].waits));
	read_one(0);
	ck_assert(!atomic_load(&members[1].waits));
	end();
	begin(2);
	fifos[1].writer_polled = true;
	ps_fifo_read_close(&fifos[0]);
	ck_assert(waits(1));
	write_one(0);
	ck_assert(!atomic_load(&members[1].waits));
	end();
}
END_TEST

/* Of a thousand that wait a window given back asks the next one; behind ended ones, the one after these. */
START_TEST(few_are_asked)
{
	begin(MEMBERS);
	for (unsigned ended = 0; ended < 5; ended++) {
		unsigned told = 0;

		if (ended)
			ps_fifo_write_close(&fifos[ended]);
		for (unsigned i = 0; i < MEMBERS; i++)
			atomic_store(&members[i].waits, true);
		ps_merged_changed(&members[0]);
		for (unsigned i = 0; i < MEMBERS; i++)
			told += !atomic_load(&members[i].waits);
		ck_assert_uint_eq(told, ended + 1);
		ck_assert(!atomic_load(&members[ended + 1].waits));
	}
	end();
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("merged");
	TCase *tcase = test_case(suite, "without threads");

	tcase_add_test(tcase, order_of_three);
	tcase_add_test(tcase, ends);
	tcase_add_test(tcase, dropped);
	tcase_add_test(tcase, what_is_told);
	tcase_add_test(tcase, few_are_asked);
	return test_main(suite);
}
