/* SPDX-License-Identifier: MIT */
/* FIFOs whose ends are at a place, as a device's: busy for a while, or failed. */
#include "tests/remote/rig.h"

#include <errno.h>
#include <sched.h>

/* Its windows are those of the FIFO's own memory. */
struct place {
	struct ps_fifo *fifo;
	_Atomic enum ps_fifo_state state;
	_Atomic(struct ps_eventcount *) listener;
	int end_err;
};

static enum ps_fifo_state peek(void *place, uint64_t n)
{
	(void)n;
	return atomic_load(&((struct place *)place)->state);
}

static void *awaited(void *place, bool writer, uint64_t n)
{
	(void)writer;
	(void)n;
	return place;
}

static void announce(void *place, struct ps_eventcount *eventcount, void *what)
{
	ck_assert_ptr_eq(what, place);
	atomic_store(&((struct place *)place)->listener, eventcount);
}

static void *write_start(void *place, uint64_t w)
{
	struct ps_fifo *f = ((struct place *)place)->fifo;

	return f->memory + ps_layout_write_slot(&f->layout, w) * f->layout.token_size;
}

static const void *read_start(void *place, uint64_t j, uint32_t valid)
{
	struct ps_fifo *f = ((struct place *)place)->fifo;

	(void)valid;
	return f->memory + ps_layout_read_slot(&f->layout, &f->layout, j) * f->layout.token_size;
}

static int write_end(void *place, uint64_t w, uint32_t valid)
{
	(void)w;
	(void)valid;
	return ((struct place *)place)->end_err;
}

static int read_end(void *place, uint64_t j)
{
	(void)j;
	return ((struct place *)place)->end_err;
}

static const struct ps_fifo_ops ops = { .write_peek = peek,
	.read_peek = peek,
	.awaited = awaited,
	.announce = announce,
	.write_start = write_start,
	.read_start = read_start,
	.write_end = write_end,
	.read_end = read_end };

/* A stream from rank 0 to rank 1, of which one end is at the place: the receiver's, or the sender's. */
static void build(struct rig *rig, struct place *place, bool receiver)
{
	struct ps_fifo *f;

	*rig = (struct rig){ .ranks = 2, .eventcounts = true };
	rig_stream(rig, 0, 1);
	rig_build(rig);
	f = receiver ? &rig->stream[0].reader[0].fifo : &rig->stream[0].way[0];
	place->fifo = f;
	ps_fifo_end_put(receiver ? &f->writer : &f->reader, &ops, place);
	rig_begin(rig);
}

/* The place is free once it was asked to tell. Nothing else wakes the remote thread for it. */
static void *free_it(void *arg)
{
	struct place *place = arg;

	while (!atomic_load(&place->listener))
		sched_yield();
	atomic_store(&place->state, PS_FIFO_READY);
	ps_eventcount_notify(place->listener);
	return NULL;
}

START_TEST(busy_places_are_waited_for)
{
	for (unsigned receiver = 0; receiver < 2; receiver++) {
		struct place place = { .state = PS_FIFO_WAIT };
		struct rig rig;
		pthread_t thread;

		build(&rig, &place, receiver);
		ck_assert_int_eq(pthread_create(&thread, NULL, free_it, &place), 0);
		rig_run(&rig);
		pthread_join(thread, NULL);
		rig_check(&rig);
		rig_free(&rig);
	}
}
END_TEST

/* A place that fails when a window is started, or ended. */
START_TEST(failed_places_end_the_stream)
{
	for (unsigned i = 0; i < 4; i++) {
		uint32_t receiver = i & 1, late = i & 2;
		struct place place = { .state = late ? PS_FIFO_READY : PS_FIFO_FAILED, .end_err = -EIO };
		struct rig rig;

		build(&rig, &place, receiver);
		rig.stream[0].tokens = 1000;
		rig_run(&rig);
		ck_assert_uint_eq(rig.rank[receiver].faults, 1);
		ck_assert_uint_eq(rig.rank[receiver].blamed, receiver);
		ck_assert_uint_eq(rig.rank[1 - receiver].faults, 0);
		TEST_SAYS(rig.rank[receiver].text, "channel 1", "the memory of its FIFO has failed");
		ck_assert(rig.stream[0].discarded);
		ck_assert_uint_lt(rig.stream[0].reader[0].tokens, 1000);
		rig_free(&rig);
	}
}
END_TEST

int main(void)
{
	Suite *s = suite_create("remote_places");
	TCase *c = test_case(s, "remote_places");

	tcase_add_test(c, busy_places_are_waited_for);
	tcase_add_test(c, failed_places_end_the_stream);
	return test_main(s);
}
