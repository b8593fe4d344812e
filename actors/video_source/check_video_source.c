/* SPDX-License-Identifier: MIT */
/* The source in a network: every frame arrives once at every rate, errors become the network's, a stop wakes
 * it. */
#include "actors/common/check_media.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct collector {
	unsigned char *bytes;
	size_t room;
	size_t size; /* bytes so far */
	_Atomic uint64_t frames;
};

static int collect(struct pstk_firing *firing)
{
	struct pstk_actor *self = pstk_firing_actor(firing);
	struct collector *c = pstk_actor_arg(self);
	uint32_t valid = pstk_port_valid(firing, 0);
	size_t n = valid * pstk_actor_port_token_size(self, 0);

	if (c->size + n > c->room)
		return pstk_actor_error(self, -ENOSPC, "too many frames");
	memcpy(c->bytes + c->size, pstk_fifo_read_start(firing, 0), n);
	pstk_fifo_read_end(firing, 0);
	c->size += n;
	atomic_fetch_add(&c->frames, valid);
	return PSTK_AGAIN;
}

static struct pstk_network *build(
	struct pstk_video_input *input, struct collector *collector, uint32_t rate, size_t token)
{
	static const struct pstk_port in = { .name = "in", .kind = PSTK_INPUT, .token_type = "u8" };
	struct pstk_network *net = pstk_network_create("test");
	struct pstk_actor *source = pstk_network_add(net, "source", pstk_video_source_type_for(input), input);
	struct pstk_actor *sink = pstk_network_add(net, "sink",
		PSTK_ACTOR_TYPE(.name = "collector", .ports = &in, .port_count = 1, .fire = collect),
		collector);

	pstk_connect(source, "out", sink, "in", PSTK_FIFO(.rate = rate, .token_size = token));
	return net;
}

START_TEST(every_frame_at_every_rate)
{
	unsigned char *bytes = files_random((size_t)12 * 35, 1), got[13 * 35];

	files_write("a.gray", bytes, (size_t)12 * 35);
	for (uint32_t rate = 1; rate <= 14; rate++) {
		for (uint64_t frames = 1; frames <= 13; frames++) {
			struct collector collector = { .bytes = got, .room = sizeof(got) };
			struct pstk_video_input *input = media_open(PSTK_VIDEO_INPUT(.path = "a.gray",
				.width = 7, .height = 5, .frames = frames));
			struct pstk_network *net = build(input, &collector, rate, 35);
			uint64_t expected = frames < 12 ? frames : 12;
			struct pstk_actor_stats stats;

			ck_assert_msg(!pstk_network_run(net), "%s", pstk_network_error(net));
			ck_assert_uint_eq(collector.frames, expected);
			ck_assert_mem_eq(got, bytes, expected * 35);
			/* the window of the last frame that was asked for is the last one */
			pstk_actor_get_stats(pstk_network_actor(net, 0), &stats);
			if (frames <= 12)
				ck_assert_uint_eq(stats.firings, (frames + rate - 1) / rate);
			pstk_network_destroy(net);
			pstk_video_input_close(input);
		}
	}
	free(bytes);
}
END_TEST

START_TEST(truncated_file_fails_the_network)
{
	unsigned char *bytes = files_random(100, 2), got[100];
	struct collector collector = { .bytes = got, .room = sizeof(got) };
	struct pstk_video_input *input;
	struct pstk_network *net;

	files_write("cut.gray", bytes, 100);
	input = media_open(PSTK_VIDEO_INPUT(.path = "cut.gray", .width = 7, .height = 5));
	net = build(input, &collector, 1, 35);
	ck_assert_int_eq(pstk_network_run(net), -ENODATA);
	TEST_SAYS(pstk_network_error(net), "source", "cut.gray: truncated: frame 2 has 30 of 35 bytes");
	pstk_network_destroy(net);
	pstk_video_input_close(input);
	free(bytes);
}
END_TEST

/* A second source of one input, in another network that runs at the same time; free when that has ended. */
START_TEST(shared_input)
{
	unsigned char got[2][100], frame[35] = { 0 };
	struct collector first = { .bytes = got[0], .room = 100 }, second = { .bytes = got[1], .room = 100 };
	struct pstk_video_input *input;
	struct pstk_network *net, *other;
	int fd;

	ck_assert_int_eq(mkfifo("pipe.gray", 0600), 0);
	fd = open("pipe.gray", O_RDWR);
	ck_assert_int_eq(write(fd, frame, 35), 35);
	input = media_open(PSTK_VIDEO_INPUT(.path = "pipe.gray", .width = 7, .height = 5));
	net = build(input, &first, 1, 35);
	ck_assert_int_eq(pstk_network_start(net), 0);
	other = build(input, &second, 1, 35);
	ck_assert_int_eq(pstk_network_run(other), -EBUSY);
	TEST_SAYS(pstk_network_error(other), "'source'", "another actor has its input: open one for each");
	pstk_network_destroy(other);
	close(fd);
	ck_assert_msg(!pstk_network_wait(net), "%s", pstk_network_error(net));
	ck_assert_uint_eq(first.frames, 1);
	pstk_network_destroy(net);
	other = build(input, &second, 1, 35);
	ck_assert_msg(!pstk_network_run(other), "%s", pstk_network_error(other));
	ck_assert_uint_eq(second.frames, 0);
	pstk_network_destroy(other);
	pstk_video_input_close(input);
}
END_TEST

START_TEST(wrong_token_size)
{
	unsigned char got[100];
	struct collector collector = { .bytes = got, .room = sizeof(got) };
	struct pstk_video_input *input = media_open(PSTK_VIDEO_INPUT(.scene_width = 7, .scene_height = 5));
	struct pstk_network *net = build(input, &collector, 1, 36);

	ck_assert_int_eq(pstk_network_run(net), -EINVAL);
	TEST_SAYS(pstk_network_error(net), "source", "frames of 7x5 into tokens of 36 bytes");
	pstk_network_destroy(net);
	pstk_video_input_close(input);
}
END_TEST

START_TEST(no_input)
{
	unsigned char got[100];
	struct collector collector = { .bytes = got, .room = sizeof(got) };
	struct pstk_network *net = build(NULL, &collector, 1, 36);

	ck_assert_int_eq(pstk_network_run(net), -EINVAL);
	TEST_SAYS(pstk_network_error(net), "source", "its arg is no video input");
	pstk_network_destroy(net);
}
END_TEST

/* The pipe gives three frames and then nothing: a stop, or an abort, ends the wait. */
START_TEST(stop_while_the_pipe_is_silent)
{
	unsigned char got[100];
	struct collector collector = { .bytes = got, .room = sizeof(got) };
	struct pstk_video_input *input;
	struct pstk_network *net;
	int fd;

	ck_assert_int_eq(mkfifo("pipe.gray", 0600), 0);
	fd = open("pipe.gray", O_RDWR);
	ck_assert_int_eq(write(fd, "aaaabbbbccccdd", 14), 14);
	input = media_open(PSTK_VIDEO_INPUT(.path = "pipe.gray", .width = 2, .height = 2));
	net = build(input, &collector, 1, 4);
	ck_assert_int_eq(pstk_network_start(net), 0);
	test_await(&collector.frames, 3);
	if (_i)
		pstk_network_abort(net);
	else
		pstk_network_stop(net);
	ck_assert_int_eq(pstk_network_wait(net), _i ? -ECANCELED : 0);
	ck_assert_uint_eq(collector.frames, 3);
	ck_assert_mem_eq(got, "aaaabbbbcccc", 12);
	pstk_network_destroy(net);
	pstk_video_input_close(input);
	close(fd);
}
END_TEST

/* Does an actor of this type keep a thread of its own? What is opened is closed. */
static bool keeps_a_thread(const struct pstk_video_input_spec *spec)
{
	struct pstk_video_input *input = media_open(spec);
	const struct pstk_actor_type *type = pstk_video_source_type_for(input);

	ck_assert_str_eq(type->name, pstk_video_source_type()->name);
	ck_assert_ptr_eq(type->ports, pstk_video_source_type()->ports);
	if (type->blocks)
		ck_assert_ptr_eq(type, pstk_video_source_type());
	pstk_video_input_close(input);
	return type->blocks;
}

START_TEST(type_for_input)
{
	int fd;

	ck_assert(pstk_video_source_type()->blocks);
	ck_assert_ptr_eq(pstk_video_source_type_for(NULL), pstk_video_source_type());
	ck_assert(!keeps_a_thread(PSTK_VIDEO_INPUT(.scene_width = 8, .scene_height = 8)));
	files_write("a.gray", "abcd", 4);
	ck_assert(!keeps_a_thread(PSTK_VIDEO_INPUT(.path = "a.gray", .width = 2, .height = 2)));
	ck_assert_int_eq(mkfifo("pipe.gray", 0600), 0);
	fd = open("pipe.gray", O_RDWR);
	ck_assert_int_eq(write(fd, "abcd", 4), 4); /* the input waits for its first bytes */
	ck_assert(keeps_a_thread(PSTK_VIDEO_INPUT(.path = "pipe.gray", .width = 2, .height = 2)));
	close(fd);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("video_source");
	TCase *source = files_case(suite, "source");

	tcase_add_test(source, every_frame_at_every_rate);
	tcase_add_test(source, truncated_file_fails_the_network);
	tcase_add_test(source, shared_input);
	tcase_add_test(source, wrong_token_size);
	tcase_add_test(source, no_input);
	tcase_add_test(source, type_for_input);
	tcase_add_loop_test(source, stop_while_the_pipe_is_silent, 0, 2);
	return test_main(suite);
}
