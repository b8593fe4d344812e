/* SPDX-License-Identifier: MIT */
/* Which windows a firing takes, by hand: what a run does only now and then. */
#include "lib/firing/firing.h"
#include "lib/firing/windows.h"
#include "tests/common/common.h"

enum { READERS = 3 };

static void make(struct pstk_fifo fifos[READERS])
{
	for (unsigned i = 0; i < READERS; i++) {
		fifos[i].fifo.layout = (struct ps_layout){
			.write_rate = 1, .read_rate = 1, .depth = 4, .token_size = sizeof(uint32_t)
		};
		fifos[i].next = i + 1 < READERS ? &fifos[i + 1] : NULL;
		ck_assert_int_eq(ps_layout_init(&fifos[i].fifo.layout), 0);
		ck_assert_int_eq(ps_fifo_init(&fifos[i].fifo), 0);
		ck_assert_int_eq(ps_fifo_allocate(&fifos[i].fifo, NULL, 0), 0);
	}
}

static uint64_t started(const struct pstk_fifo *f)
{
	return atomic_load(&f->fifo.writer.started);
}

/*
 * Three readers with memories of their own, two firings in flight. All readers end while the second firing is taken.
 * It must not take a window of a FIFO of which the first one took none: publishing the first would publish that.
 */
START_TEST(the_last_readers_end)
{
	struct pstk_fifo fifos[READERS] = { 0 };
	struct ps_port port = { .fifo = &fifos[0] };
	struct ps_window first = { 0 }, second = { 0 };

	make(fifos);
	ps_fifo_read_close(&fifos[0].fifo);
	ps_windows_take_output(&first, &port);
	ck_assert_ptr_eq(first.primary, &fifos[1]);
	ck_assert_uint_eq(started(&fifos[0]), 0);
	ck_assert_uint_eq(started(&fifos[2]), 1);
	ps_fifo_read_close(&fifos[1].fifo);
	ps_fifo_read_close(&fifos[2].fifo);
	ps_windows_take_output(&second, &port);
	ck_assert_ptr_eq(second.primary, &fifos[1]);
	ck_assert_uint_eq(started(&fifos[0]), 0);
	ck_assert_uint_eq(started(&fifos[1]), 2);
	for (unsigned i = 0; i < READERS; i++)
		ps_fifo_fini(&fifos[i].fifo);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("firing");
	TCase *test = test_case(suite, "windows");

	tcase_add_test(test, the_last_readers_end);
	return test_main(suite);
}
