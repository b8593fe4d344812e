/* SPDX-License-Identifier: MIT */
/* The sinks in a network: every frame to every output, named at the end, nothing left after a failure. */
#include "actors/common/check_media.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

enum { W = 16, H = 8, SIZE = W * H };

static struct pstk_video_output *create(const char *path, bool overlay)
{
	struct pstk_video_output *output;

	ck_assert_int_eq(pstk_video_output_open(&output,
				 PSTK_VIDEO_OUTPUT(.path = path, .width = W, .height = H, .overlay = overlay),
				 NULL, 0),
		0);
	return output;
}

/* A video source straight into the sink; with overlay the picture is its own map. */
static struct pstk_network *build(
	struct pstk_video_input *input, struct pstk_video_sink_arg *arg, uint32_t rate, bool overlay)
{
	struct pstk_network *net = pstk_network_create("test");
	struct pstk_actor *source = pstk_network_add(net, "source", pstk_video_source_type_for(input), input);
	struct pstk_actor *sink = pstk_network_add(
		net, "sink", overlay ? pstk_video_overlay_type_for(arg) : pstk_video_sink_type_for(arg), arg);

	pstk_connect(source, "out", sink, "map", PSTK_FIFO(.rate = rate, .token_size = SIZE));
	if (overlay)
		pstk_connect(source, "out", sink, "frame", PSTK_FIFO(.rate = rate, .token_size = SIZE));
	return net;
}

static unsigned char *write_input(size_t frames)
{
	unsigned char *bytes = files_random(frames * SIZE, 1);

	files_write("in.gray", bytes, frames * SIZE);
	return bytes;
}

static struct pstk_video_input *open_input(void)
{
	return media_open(PSTK_VIDEO_INPUT(.path = "in.gray", .width = W, .height = H));
}

START_TEST(every_frame_to_every_output)
{
	unsigned char *bytes = write_input(11);

	for (uint32_t rate = 1; rate <= 12; rate++) {
		struct pstk_video_input *input = open_input();
		struct pstk_video_output *outputs[] = { create("a.gray", false), create("b", false) };
		struct pstk_network *net =
			build(input, &(struct pstk_video_sink_arg){ outputs, 2 }, rate, false);
		size_t size;

		ck_assert_msg(!pstk_network_run(net), "%s", pstk_network_error(net));
		pstk_network_destroy(net);
		for (int i = 0; i < 2; i++) {
			unsigned char *got;

			pstk_video_output_close(outputs[i]);
			got = files_read(i ? "b" : "a.gray", &size);
			ck_assert_uint_eq(size, 11 * SIZE);
			ck_assert_mem_eq(got, bytes, size);
			free(got);
		}
		pstk_video_input_close(input);
	}
	free(bytes);
}
END_TEST

START_TEST(no_output)
{
	struct pstk_video_sink_arg none = { NULL, 0 };

	free(write_input(5));
	for (int i = 0; i < 2; i++) {
		struct pstk_video_input *input = open_input();
		struct pstk_network *net = build(input, i ? &none : NULL, 2, false);

		ck_assert_int_eq(pstk_network_run(net), 0);
		pstk_network_destroy(net);
		pstk_video_input_close(input);
	}
	ck_assert_uint_eq(files_count(), 1);
}
END_TEST

/* Where the map is not 0 the picture is red, and it is the picture of the same frame. */
START_TEST(overlay_is_of_the_same_frame)
{
	unsigned char *bytes = write_input(7);
	struct pstk_video_input *input = open_input();
	struct pstk_video_output *output = create("a.y4m", true);
	struct pstk_network *net = build(input, &(struct pstk_video_sink_arg){ &output, 1 }, 3, true);
	const size_t frame = 6 + 3 * SIZE, header = strlen("YUV4MPEG2 W16 H8 F25:1 Ip A1:1 C444\n");
	unsigned char *got;
	size_t size;

	ck_assert_msg(!pstk_network_run(net), "%s", pstk_network_error(net));
	pstk_network_destroy(net);
	pstk_video_output_close(output);
	got = files_read("a.y4m", &size);
	ck_assert_uint_eq(size, header + 7 * frame);
	for (size_t n = 0; n < 7; n++) {
		for (size_t i = 0; i < SIZE; i++) {
			unsigned char grey = bytes[n * SIZE + i];
			const unsigned char *y = got + header + n * frame + 6 + i;
			double rest = grey ? grey / 4 : 0,
			       red = grey ? 255 : 0; /* integer division is meant */

			ck_assert_double_eq_tol(y[0], 16 + 219 / 255.0 * (0.299 * red + 0.701 * rest), 0.51);
			ck_assert_double_eq_tol(y[2 * SIZE], 128 + 112 / 255.0 * (red - rest), 0.51);
		}
	}
	pstk_video_input_close(input);
	free(got);
	free(bytes);
}
END_TEST

START_TEST(failure_removes_the_files)
{
	unsigned char *bytes = files_random(3 * SIZE + 5, 1);
	struct pstk_video_output *outputs[2];
	struct pstk_video_input *input;
	struct pstk_network *net;

	files_write("in.gray", bytes, 3 * SIZE + 5);
	outputs[0] = create("a.gray", false);
	outputs[1] = create("a.y4m", false);
	input = open_input();
	net = build(input, &(struct pstk_video_sink_arg){ outputs, 2 }, 1, false);
	ck_assert_int_eq(pstk_network_run(net), -ENODATA);
	TEST_SAYS(pstk_network_error(net), "source", "in.gray: truncated");
	pstk_network_destroy(net);
	pstk_video_output_close(outputs[0]);
	pstk_video_output_close(outputs[1]);
	pstk_video_input_close(input);
	ck_assert_uint_eq(files_count(), 1);
	free(bytes);
}
END_TEST

START_TEST(write_error_fails_the_network)
{
	struct pstk_video_output *outputs[2];
	struct pstk_video_input *input;
	struct pstk_network *net;

	free(write_input(50));
	ck_assert_int_eq(symlink("/dev/full", "full"), 0);
	outputs[0] = create("a.gray", false);
	outputs[1] = create("full", false);
	input = open_input();
	net = build(input, &(struct pstk_video_sink_arg){ outputs, 2 }, 1, false);
	ck_assert_int_eq(pstk_network_run(net), -ENOSPC);
	TEST_SAYS(pstk_network_error(net), "sink", "full: No space left on device");
	pstk_network_destroy(net);
	pstk_video_output_close(outputs[0]);
	pstk_video_output_close(outputs[1]);
	pstk_video_input_close(input);
	ck_assert(!files_exists("a.gray"));
	ck_assert_str_eq(files_part("a.gray"), "");
}
END_TEST

/* What goes wrong in completing is the network's error too: the folder is gone. */
START_TEST(complete_error_fails_the_network)
{
	struct pstk_video_output *output;
	struct pstk_video_input *input;
	struct pstk_network *net;

	free(write_input(3));
	ck_assert_int_eq(mkdir("sub", 0777), 0);
	output = create("sub/a.gray", false);
	ck_assert_int_eq(remove(files_part("sub/a.gray")), 0);
	ck_assert_int_eq(remove("sub"), 0);
	input = open_input();
	net = build(input, &(struct pstk_video_sink_arg){ &output, 1 }, 1, false);
	ck_assert_int_eq(pstk_network_run(net), -ENOENT);
	TEST_SAYS(pstk_network_error(net), "sink", "sub/a.gray: No such file or directory");
	pstk_network_destroy(net);
	pstk_video_output_close(output);
	pstk_video_input_close(input);
}
END_TEST

/* A pipe that no process reads: the network stands, then an abort ends it; a stop alone would let it drain. */
START_TEST(abort_while_the_pipe_is_full)
{
	struct pstk_video_input *input = media_open(PSTK_VIDEO_INPUT(.scene_width = W, .scene_height = H));
	struct pstk_video_output *output;
	struct pstk_fifo_info info;
	struct pstk_network *net;
	struct pollfd writer = { .events = POLLOUT };
	int reader, held;

	ck_assert_int_eq(mkfifo("pipe.gray", 0600), 0);
	reader = open("pipe.gray", O_RDONLY | O_NONBLOCK);
	writer.fd = open("pipe.gray", O_WRONLY | O_NONBLOCK);
	output = create("pipe.gray", false);
	net = build(input, &(struct pstk_video_sink_arg){ &output, 1 }, 1, false);
	ck_assert_int_eq(pstk_network_start(net), 0);
	/* the pipe takes no more, and there is a frame that it has not */
	do {
		ck_assert_int_eq(pstk_fifo_get_info(pstk_network_fifo(net, 0), &info), 0);
		ck_assert_int_eq(ioctl(reader, FIONREAD, &held), 0);
	} while (poll(&writer, 1, 0) != 0 || info.written * SIZE <= (uint64_t)held);
	pstk_network_stop(net);
	pstk_network_abort(net);
	ck_assert_int_eq(pstk_network_wait(net), -ECANCELED);
	pstk_network_destroy(net);
	pstk_video_output_close(output);
	pstk_video_input_close(input);
	close(writer.fd);
	close(reader);
}
END_TEST

/* An endless source that is stopped: what has been written is complete. */
START_TEST(stop_completes)
{
	struct pstk_video_input *input = media_open(PSTK_VIDEO_INPUT(.scene_width = W, .scene_height = H));
	struct pstk_video_output *output = create("a.gray", false);
	struct pstk_network *net = build(input, &(struct pstk_video_sink_arg){ &output, 1 }, 4, false);
	struct pstk_fifo_info info;
	unsigned char *got;
	size_t size;

	ck_assert_int_eq(pstk_network_start(net), 0);
	do {
		ck_assert_int_eq(pstk_fifo_get_info(pstk_network_fifo(net, 0), &info), 0);
	} while (info.written < 40);
	pstk_network_stop(net);
	ck_assert_int_eq(pstk_network_wait(net), 0);
	ck_assert_int_eq(pstk_fifo_get_info(pstk_network_fifo(net, 0), &info), 0);
	pstk_network_destroy(net);
	pstk_video_output_close(output);
	pstk_video_input_close(input);
	got = files_read("a.gray", &size);
	ck_assert_uint_eq(size, info.written * SIZE);
	free(got);
}
END_TEST

static void refuses(struct pstk_video_output *output, bool overlay, const char *text)
{
	struct pstk_video_input *input = open_input();
	struct pstk_network *net = build(input, &(struct pstk_video_sink_arg){ &output, 1 }, 1, overlay);

	ck_assert_int_eq(pstk_network_run(net), -EINVAL);
	TEST_SAYS(pstk_network_error(net), "sink", text);
	pstk_network_destroy(net);
	pstk_video_output_close(output);
	pstk_video_input_close(input);
}

/* A second sink with one of the outputs, or the same output twice: refused, and the others are free again. */
START_TEST(shared_outputs)
{
	struct pstk_video_output *outputs[] = { create("a.gray", false), create("b.gray", false) };
	struct pstk_video_output *reversed[] = { outputs[1], outputs[0] },
				 *twice[] = { outputs[0], outputs[0] };
	struct pstk_video_input *input;
	struct pstk_network *net;

	free(write_input(5));
	for (unsigned round = 0; round < 2; round++) {
		input = open_input();
		net = build(input, &(struct pstk_video_sink_arg){ twice, 2 }, 2, false);
		ck_assert_int_eq(pstk_network_run(net), -EBUSY);
		TEST_SAYS(pstk_network_error(net), "'sink'", "a.gray: another actor has this output",
			"open one for each");
		pstk_network_destroy(net);
		net = build(input, &(struct pstk_video_sink_arg){ outputs, 2 }, 2, false);
		pstk_connect(pstk_network_actor(net, 0), "out",
			pstk_network_add(net, "second", pstk_video_sink_type(),
				&(struct pstk_video_sink_arg){ reversed, 2 }),
			"map", PSTK_FIFO(.rate = 2, .token_size = SIZE));
		ck_assert_int_eq(pstk_network_run(net), -EBUSY);
		TEST_SAYS(pstk_network_error(net), "'second'", "b.gray: another actor has this output");
		pstk_network_destroy(net);
		pstk_video_input_close(input);
	}
	input = open_input();
	net = build(input, &(struct pstk_video_sink_arg){ outputs, 1 }, 2, false);
	ck_assert_msg(!pstk_network_run(net), "%s", pstk_network_error(net));
	pstk_network_destroy(net);
	net = build(input, &(struct pstk_video_sink_arg){ reversed, 2 }, 2, false);
	ck_assert_int_eq(pstk_network_run(net), -EINVAL);
	TEST_SAYS(pstk_network_error(net), "'sink'", "a.gray: is complete: open another output");
	pstk_network_destroy(net);
	net = build(input, &(struct pstk_video_sink_arg){ outputs + 1, 1 }, 2, false);
	ck_assert_int_eq(pstk_network_run(net), -ENODATA); /* free, and the input was at its end */
	pstk_network_destroy(net);
	pstk_video_input_close(input);
	for (unsigned i = 0; i < 2; i++)
		pstk_video_output_close(outputs[i]);
	ck_assert_uint_eq(files_count(), 2);
}
END_TEST

START_TEST(wrong_outputs)
{
	struct pstk_video_output *output;

	free(write_input(3));
	refuses(create("a.y4m", true), false, "a.y4m: an output with overlay");
	refuses(create("a.y4m", false), true, "a.y4m: an output without overlay");
	refuses(NULL, false, "an output is NULL");
	ck_assert_int_eq(pstk_video_output_open(&output,
				 PSTK_VIDEO_OUTPUT(.path = "a.y4m", .width = W, .height = H + 1), NULL, 0),
		0);
	refuses(output, false, "a.y4m: tokens of 128 bytes, frames of 16x9");
	ck_assert_uint_eq(files_count(), 1);
}
END_TEST

/* Do actors of these types keep a thread of their own? */
static bool keeps_a_thread(const struct pstk_video_sink_arg *arg)
{
	const struct pstk_actor_type *sink = pstk_video_sink_type_for(arg),
				     *overlay = pstk_video_overlay_type_for(arg);

	ck_assert_str_eq(sink->name, pstk_video_sink_type()->name);
	ck_assert_str_eq(overlay->name, pstk_video_overlay_type()->name);
	ck_assert_uint_eq(sink->port_count, 1);
	ck_assert_uint_eq(overlay->port_count, 2);
	ck_assert_int_eq(sink->blocks, overlay->blocks);
	ck_assert(sink->blocks == (sink == pstk_video_sink_type()));
	ck_assert(overlay->blocks == (overlay == pstk_video_overlay_type()));
	return sink->blocks;
}

START_TEST(type_for_outputs)
{
	struct pstk_video_output *outputs[3] = { create("a.gray", false), create("/dev/null", false) };
	int reader;

	ck_assert(pstk_video_sink_type()->blocks && pstk_video_overlay_type()->blocks);
	ck_assert(!keeps_a_thread(NULL));
	ck_assert(!keeps_a_thread(&(struct pstk_video_sink_arg){ NULL, 0 }));
	ck_assert(!keeps_a_thread(&(struct pstk_video_sink_arg){ outputs, 2 }));
	ck_assert(keeps_a_thread(
		&(struct pstk_video_sink_arg){ outputs, 3 })); /* one is NULL: the start says so */
	ck_assert_int_eq(mkfifo("pipe.gray", 0600), 0);
	reader = open("pipe.gray", O_RDONLY | O_NONBLOCK);
	outputs[2] = create("pipe.gray", false);
	ck_assert(keeps_a_thread(&(struct pstk_video_sink_arg){ outputs, 3 }));
	for (size_t i = 0; i < TEST_COUNT(outputs); i++)
		pstk_video_output_close(outputs[i]);
	close(reader);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("video_sink");
	TCase *sink = files_case(suite, "sink");

	tcase_add_test(sink, every_frame_to_every_output);
	tcase_add_test(sink, no_output);
	tcase_add_test(sink, overlay_is_of_the_same_frame);
	tcase_add_test(sink, failure_removes_the_files);
	tcase_add_test(sink, write_error_fails_the_network);
	tcase_add_test(sink, complete_error_fails_the_network);
	tcase_add_test(sink, abort_while_the_pipe_is_full);
	tcase_add_test(sink, stop_completes);
	tcase_add_test(sink, shared_outputs);
	tcase_add_test(sink, wrong_outputs);
	tcase_add_test(sink, type_for_outputs);
	return test_main(suite);
}
