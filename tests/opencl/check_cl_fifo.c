/* SPDX-License-Identifier: MIT */
/* The ends of a FIFO on a device, driven by hand, with commands that end when the test says so. */
#include "lib/opencl/cl_event.h"
#include "lib/base/memory.h"
#include "lib/opencl/cl_fifo.h"
#include "tests/fifo/one_rate.h"
#include "tests/opencl/cl_test.h"

#include <stdlib.h>

enum { RATE = 16, DEPTH = 2 };

static const enum ps_cl_kind kinds[] = { PS_CL_MAPPED, PS_CL_COARSE };

static struct ps_fifo fifo;
static struct ps_cl_fifo *cl;
static cl_command_queue queue; /* the writer's */
static cl_event firing;        /* a firing of the writer, which ends when the test says so */

static void setup(void)
{
	cl_int code;

	/* PoCL's basic device runs what waits for a user event within clSetUserEventStatus(), which hangs */
	setenv("POCL_DEVICES", "pthread", 1);
	cl_test_open();
	fifo = (struct ps_fifo){ 0 };
	ck_assert_int_eq(one_rate(&fifo.layout, RATE, 0, DEPTH, sizeof(cl_uint)), 0);
	ck_assert_int_eq(ps_fifo_init(&fifo), 0);
	queue = clCreateCommandQueue(cl_test_device->context, cl_test_device->id, 0, &code);
	ck_assert_ptr_nonnull(queue);
	firing = clCreateUserEvent(cl_test_device->context, &code);
	ck_assert_ptr_nonnull(firing);
}

static void teardown(void)
{
	clReleaseEvent(firing);
	clReleaseCommandQueue(queue);
	ps_fifo_fini(&fifo);
	cl_test_close();
}

/* From the device to the host. */
static void create(enum ps_cl_kind kind)
{
	const struct ps_cl_way_shape way = { .members = 1,
		.windows = { fifo.layout.depth, fifo.layout.depth } };
	struct ps_cl_fault fault = { 0 };

	cl = ps_memory_zalloc(1, sizeof *cl);
	*cl = (struct ps_cl_fifo){
		.fifo = &fifo, .kind = kind, .writer = cl_test_device, .owner = cl, .lead = cl, .home = cl
	};
	ck_assert_msg(!ps_cl_fifo_create(cl, NULL, true, &way, &fault), "%s", fault.text);
	ps_fifo_end_put(&fifo.writer, &ps_cl_fifo_ops, cl);
	ps_fifo_end_put(&fifo.reader, &ps_cl_fifo_ops, cl);
}

/* The device's next write, a firing whose event is this one. */
static int fire(struct ps_cl_window *window, cl_event event)
{
	uint64_t w = ps_fifo_write_take(&fifo);
	int err = ps_cl_fifo_write_window(cl, w, window);

	if (!err)
		err = ps_cl_fifo_written(cl, w, RATE, queue, event);
	if (!err)
		ps_fifo_write_publish(&fifo, RATE);
	return err;
}

static bool through(cl_event event)
{
	struct ps_cl_fault fault = { 0 };
	enum ps_cl_event_state state = ps_cl_event_state(event, "an event", "a device", &fault);

	ck_assert_int_ne(state, PS_CL_EVENT_FAILED);
	return state == PS_CL_EVENT_DONE;
}

static unsigned pending(struct ps_cl_fault *fault)
{
	cl_event one;

	return ps_cl_fifo_pending(cl, &one, fault);
}

/* The reader ends while the maps of what it did not read wait for the firings. The writer takes the blocks back; the
 * unmaps must not overtake the maps. */
START_TEST(blocks_are_taken_back_behind_their_maps)
{
	struct ps_cl_fault fault = { 0 };
	struct ps_cl_window windows[2 * DEPTH];

	create(kinds[_i]);
	for (unsigned w = 0; w < DEPTH; w++) {
		ck_assert_int_eq(fire(&windows[w], firing), 0);
		ck_assert_ptr_null(windows[w].after);
	}
	ps_fifo_read_close(&fifo);
	for (unsigned w = DEPTH; w < 2 * DEPTH; w++) {
		ck_assert_msg(!fire(&windows[w], firing), "%s", cl->write_fault.text);
		ck_assert_ptr_nonnull(windows[w].after);
		ck_assert_ptr_eq(windows[w].buffer, windows[w - DEPTH].buffer);
		ck_assert_ptr_eq(windows[w].svm, windows[w - DEPTH].svm);
		ck_assert(!through(windows[w].after));
	}
	clFlush(queue);
	clSetUserEventStatus(firing, CL_COMPLETE);
	for (unsigned w = DEPTH; w < 2 * DEPTH; w++)
		ck_assert_int_eq(clWaitForEvents(1, &windows[w].after), 0);
	ck_assert_uint_eq(pending(&fault), 0);
	ck_assert_msg(!fault.err, "%s", fault.text);
	ps_cl_fifo_destroy(cl, false);
}
END_TEST

/* Behind a map that has failed nothing may be enqueued: PoCL would keep it for ever. (The failed one is no map here:
 * PoCL 3.1 leaks a map whose dependency fails.) */
START_TEST(no_block_is_taken_back_behind_a_failed_map)
{
	struct ps_cl_fault fault = { 0 };
	struct ps_cl_window window;
	cl_event map;
	cl_int code;

	clSetUserEventStatus(firing, CL_COMPLETE);
	create(kinds[_i]);
	for (unsigned w = 0; w < DEPTH; w++) {
		ck_assert_int_eq(fire(&window, firing), 0);
		ck_assert_int_eq(clWaitForEvents(1, &cl->wev[w]), 0);
	}
	ps_fifo_read_close(&fifo);
	map = clCreateUserEvent(cl_test_device->context, &code);
	ck_assert_int_eq(code, 0);
	clSetUserEventStatus(map, CL_OUT_OF_RESOURCES);
	ps_cl_event_put(&cl->maps[0], map);
	ck_assert_int_lt(fire(&window, firing), 0);
	TEST_SAYS(cl->write_fault.text, "CL_OUT_OF_RESOURCES");
	ck_assert_uint_eq(pending(&fault), 0);
	ps_cl_fifo_destroy(cl, false);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("cl_fifo");
	TCase *taken_back = test_case(suite, "taken_back");

	tcase_add_checked_fixture(taken_back, setup, teardown);
	tcase_add_loop_test(taken_back, blocks_are_taken_back_behind_their_maps, 0, TEST_COUNT(kinds));
	if (!TEST_SANITIZED) /* the block stays mapped in it, which PoCL leaks */
		tcase_add_loop_test(
			taken_back, no_block_is_taken_back_behind_a_failed_map, 0, TEST_COUNT(kinds));
	return test_main(suite);
}
