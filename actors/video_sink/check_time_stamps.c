/* SPDX-License-Identifier: MIT */
/* Outputs keep the time stamps of the input: clips with irregular ones, compared by what FFmpeg's libraries read. */
#include "config.h"

#include "actors/common/check_media.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef HAVE_FFMPEG

#include "actors/common/check_clip.h"

enum { W = CLIP_WIDTH, H = CLIP_HEIGHT };

static struct pstk_video_output *create(const char *name, struct pstk_video_input *input)
{
	char error[PSTK_VIDEO_ERROR_SIZE];
	struct pstk_video_output *output;
	struct pstk_video_info info;

	pstk_video_input_get_info(input, &info);
	ck_assert_msg(!pstk_video_output_open(&output,
			      PSTK_VIDEO_OUTPUT(.path = name, .width = W, .height = H,
				      .rate_num = info.rate_num, .rate_den = info.rate_den, .times = input),
			      error, sizeof(error)),
		"%s", error);
	return output;
}

/* All frames, as maps; the output is complete then. */
static struct pstk_video_output_info copy_frames(
	struct pstk_video_input *input, struct pstk_video_output *output)
{
	struct pstk_video_output_info info;
	unsigned char frame[W * H];
	uint64_t frames = 0;

	while (pstk_video_input_read(input, frame) == 1) {
		ck_assert_msg(
			!pstk_video_output_write(output, frame, NULL), "%s", pstk_video_output_error(output));
		frames++;
	}
	ck_assert_str_eq(pstk_video_input_error(input), "");
	ck_assert_msg(!pstk_video_output_complete(output), "%s", pstk_video_output_error(output));
	ck_assert_int_eq(pstk_video_output_get_info(output, &info), 0);
	ck_assert_uint_eq(info.frames, frames);
	return info;
}

static struct pstk_video_output_info copy(const char *from, const char *to, uint64_t frames)
{
	struct pstk_video_input *input = media_open(PSTK_VIDEO_INPUT(.path = from, .frames = frames));
	struct pstk_video_output *output = create(to, input);
	struct pstk_video_output_info info = copy_frames(input, output);

	pstk_video_output_close(output);
	pstk_video_input_close(input);
	return info;
}

static const struct {
	const char *name;
	int unit;
} inputs[] = { { "in.mp4", 12800 }, { "in.mov", 600 }, { "in.mkv", 1000 }, { "in.mp4", 90000 },
	{ "in.ts", 90000 } };

/* MP4 and MOV have the input's own units, or ones that are fine enough; the others theirs. */
static const struct {
	const char *name;
	double tolerance;
} timed[] = { { "out.mp4", 1e-9 }, { "out.mov", 1e-9 }, { "out.mkv", 0.0005 }, { "out.webm", 0.0005 },
	{ "out.flv", 0.0005 }, { "out.ts", 1 / 180000.0 }, { "out.gif", 0.005 }, { "out.apng", 0.0005 } };

START_TEST(kept)
{
	struct clip clip = clip_irregular(inputs[_i].name, inputs[_i].unit);
	struct clip_times times;

	clip_write(&clip);
	times = clip_read(clip.name);
	ck_assert_uint_eq(times.count, 40);
	if (times.end > 0)
		ck_assert_double_eq_tol(times.end - times.starts[0], 3.68, 0.001);
	for (size_t i = 0; i < TEST_COUNT(timed); i++) {
		struct pstk_video_output_info info = copy(clip.name, timed[i].name, 0);

		ck_assert_uint_eq(info.repeated + info.left_out, 0);
		clip_expect(timed[i].name, &times, timed[i].tolerance + 1e-9);
	}
}
END_TEST

/* What was copied can be copied again, frames that are decoded before they are shown among them. */
START_TEST(copy_of_a_copy)
{
	struct clip clip = clip_irregular("in.mp4", 12800);
	struct clip_times times;

	clip_write(&clip);
	times = clip_read(clip.name);
	copy("in.mp4", "a.mkv", 0);
	copy("in.mp4", "a.mp4", 0);
	copy("a.mp4", "b.mp4", 0);
	copy("b.mp4", "c.mkv", 0);
	clip_expect("b.mp4", &times, 1e-9);
	clip_expect("c.mkv", &times, 0.0005);
	copy("a.mkv", "d.mov", 0);
	times = clip_read("a.mkv");
	clip_expect("d.mov", &times, 1e-9);
}
END_TEST

/* The first frame is at 0, whenever that was. With fewer frames the last one lasts as long as it did. */
START_TEST(from_the_first_frame)
{
	struct clip clip = clip_irregular("in.mkv", 1000);
	struct clip_times times = { .count = 10 };

	for (unsigned n = 0; n < clip.count; n++)
		clip.stamps[n] += 5000;
	clip.end += 5000;
	clip_write(&clip);
	copy(clip.name, "out.mkv", 0);
	times = clip_read("out.mkv");
	ck_assert_double_eq(times.starts[0], 0);
	ck_assert_double_eq_tol(times.end, 3.68, 0.001);
	clip.name = "in.mp4";
	clip_write(&clip);
	times = clip_read(clip.name);
	times.count = 10;
	times.end = times.starts[10];
	copy(clip.name, "out.mp4", 10);
	clip_expect("out.mp4", &times, 1e-9);
}
END_TEST

/* A Y4M frame by frame: which of the clip's, by its grey, is in each slot. */
static unsigned read_slots(const char *name, unsigned *greys, unsigned room)
{
	size_t size, at;
	unsigned char *bytes = files_read(name, &size), *line = memchr(bytes, '\n', size);
	unsigned count = 0;

	for (at = (size_t)(line - bytes) + 1; at < size; at += 6 + (size_t)W * H) {
		ck_assert_mem_eq(bytes + at, "FRAME\n", 6);
		ck_assert_uint_lt(count, room);
		greys[count++] = bytes[at + 6 + (size_t)W * H / 2];
	}
	ck_assert_uint_eq(at, size);
	free(bytes);
	return count;
}

/* At a constant rate each slot shows the frame whose time it is, to a slot's. */
static void expect_slots(const struct clip *clip, const unsigned *greys, unsigned count, double rate)
{
	unsigned n = 0;

	for (unsigned slot = 0; slot < count; slot++) {
		double time = slot / rate, start, end;

		while (n < clip->count && abs((int)greys[slot] - clip_grey(n)) > 6)
			n++;
		ck_assert_msg(n < clip->count, "slot %u has no frame, grey %u", slot, greys[slot]);
		start = (double)(clip->stamps[n] - clip->stamps[0]) / clip->unit;
		end = (double)((n + 1 < clip->count ? clip->stamps[n + 1] : clip->end) - clip->stamps[0]) /
		      clip->unit;
		ck_assert_msg(time > start - 0.7 / rate && time < end + 0.7 / rate,
			"slot %u, %.3f s, shows frame %u, %.3f to %.3f s", slot, time, n, start, end);
	}
	ck_assert_double_eq_tol(count / rate, (double)(clip->end - clip->stamps[0]) / clip->unit, 0.7 / rate);
}

static double rate_of(const char *name)
{
	struct pstk_video_input *input = media_open(PSTK_VIDEO_INPUT(.path = name));
	struct pstk_video_info info;

	pstk_video_input_get_info(input, &info);
	pstk_video_input_close(input);
	return (double)info.rate_num / info.rate_den;
}

/* Of Matroska's thousandths FFmpeg would make 1000 frames a second. */
START_TEST(constant_rates)
{
	struct clip clip = _i ? clip_irregular("in.mkv", 1000) : clip_irregular("in.mp4", 12800);
	unsigned greys[1000], count;
	struct pstk_video_output_info info;
	struct clip_times times;
	double rate;

	clip_write(&clip);
	rate = rate_of(clip.name);
	ck_assert_double_le(rate, 60);
	info = copy(clip.name, "out.y4m", 0);
	count = read_slots("out.y4m", greys, TEST_COUNT(greys));
	ck_assert_uint_eq(count, info.frames + info.repeated - info.left_out);
	expect_slots(&clip, greys, count, rate);
	/* the same through an encoder */
	info = copy(clip.name, "out.avi", 0);
	times = clip_read("out.avi");
	ck_assert_uint_eq(times.count, count);
	ck_assert_uint_eq(times.count, info.frames + info.repeated - info.left_out);
	copy("out.avi", "again.y4m", 0);
	ck_assert_uint_eq(read_slots("again.y4m", greys, TEST_COUNT(greys)), count);
	expect_slots(&clip, greys, count, rate);
	/* what has no time has every frame */
	info = copy(clip.name, "out.gray", 0);
	ck_assert_uint_eq(info.repeated + info.left_out, 0);
	ck_assert_int_eq(files_size("out.gray"), 40 * W * H);
}
END_TEST

/* The last frame lasts, too. */
START_TEST(long_end)
{
	static const char *const ins[] = { "in.mp4", "in.mkv" };

	for (unsigned i = 0; i < 2; i++) {
		struct clip clip = { .name = ins[i], .count = 10, .unit = 1000, .end = 360 + 1000 };
		unsigned greys[100];

		for (unsigned n = 0; n < clip.count; n++)
			clip.stamps[n] = 40 * n;
		clip_write(&clip);
		ck_assert_uint_eq(copy(clip.name, "out.y4m", 0).repeated, 24);
		ck_assert_uint_eq(read_slots("out.y4m", greys, 100), 34);
		expect_slots(&clip, greys, 34, 25);
		ck_assert_uint_eq(copy(clip.name, "out.avi", 0).repeated, 24);
		copy(clip.name, "out.gif", 0);
		ck_assert_double_eq_tol(clip_read("out.gif").end, 1.36, 0.005);
		copy(clip.name, "out.webm", 0);
		ck_assert_double_eq_tol(clip_read("out.webm").end, 1.36, 0.001);
	}
}
END_TEST

/* More frames than the rate has room for, after ones that say the rate: the time is kept, and it is said. */
START_TEST(left_out)
{
	struct clip clip = { .name = "in.mkv", .count = 100, .unit = 1000 };
	struct pstk_video_input *input;
	struct pstk_video_output *output;
	struct pstk_video_output_info info;
	unsigned greys[1000], count;
	char error[PSTK_VIDEO_ERROR_SIZE];

	for (unsigned n = 0; n < clip.count; n++)
		clip.stamps[n] = n < 50 ? 40 * n : 2000 + 10 * (n - 50);
	clip.end = 2500;
	clip_write(&clip);
	input = media_open(PSTK_VIDEO_INPUT(.path = clip.name));
	ck_assert_int_eq(
		pstk_video_output_open(&output,
			PSTK_VIDEO_OUTPUT(.path = "out.y4m", .width = W, .height = H, .times = input), error,
			sizeof(error)),
		0);
	info = copy_frames(input, output);
	pstk_video_output_close(output);
	pstk_video_input_close(input);
	ck_assert_uint_eq(info.repeated, 0);
	ck_assert_uint_ge(info.left_out, 36);
	count = read_slots("out.y4m", greys, TEST_COUNT(greys));
	ck_assert_uint_eq(count, 100 - info.left_out);
	expect_slots(&clip, greys, count, 25);
}
END_TEST

/* Constant rates stay what they are: no frame more or less, and no rounding of the input's gets into the output. */
START_TEST(constant_stays)
{
	static const int rates[][2] = { { 25, 1 }, { 30000, 1001 }, { 24000, 1001 }, { 60, 1 }, { 10, 1 } };
	const int *rate = rates[_i];
	struct clip clip = { .name = "in.mkv", .count = 100, .unit = 1000 };
	struct clip_times times = { .count = 100 };
	struct pstk_video_output_info info;

	for (unsigned n = 0; n <= clip.count; n++) {
		int64_t ms = (int64_t)(1000.0 * n * rate[1] / rate[0] + 0.5);

		if (n < clip.count) {
			clip.stamps[n] = ms;
			times.starts[n] = (double)n * rate[1] / rate[0];
		}
		clip.end = ms;
	}
	times.end = 100.0 * rate[1] / rate[0];
	clip_write(&clip);
	ck_assert_double_eq_tol(rate_of(clip.name), (double)rate[0] / rate[1], 1e-9);
	info = copy(clip.name, "out.mp4", 0);
	ck_assert_uint_eq(info.repeated + info.left_out, 0);
	clip_expect("out.mp4", &times, 1e-9);
	ck_assert_double_eq_tol(clip_read("out.mp4").end, times.end, 1e-9);
	info = copy(clip.name, "out.y4m", 0);
	ck_assert_uint_eq(info.repeated + info.left_out, 0);
	ck_assert_int_eq((files_size("out.y4m") - 1) / (6 + W * H), 100);
	info = copy(clip.name, "out.avi", 0);
	ck_assert_uint_eq(info.repeated + info.left_out, 0);
	clip_expect("out.avi", &times, 1e-9);
}
END_TEST

/* What was sent in one go counts its packets on, by streams; else a packet would be missing. */
static void count_packets(unsigned char *bytes, size_t size)
{
	unsigned counts[0x2000] = { 0 };

	for (unsigned char *packet = bytes; packet + 188 <= bytes + size; packet += 188) {
		unsigned *count = &counts[(packet[1] & 0x1f) << 8 | packet[2]];

		ck_assert_int_eq(packet[0], 0x47);
		if (packet[3] & 0x10) /* it has a payload */
			packet[3] = (unsigned char)((packet[3] & 0xf0) | ((*count)++ & 0x0f));
	}
}

/* A transport stream in two parts that each begin at the same time: the second one goes on where the first one ends. */
START_TEST(times_begin_anew)
{
	struct clip clip = clip_irregular("a.ts", 90000);
	struct clip_times part, both;
	unsigned char *bytes;
	size_t size;

	clip_write(&clip);
	part = clip_read("a.ts");
	bytes = files_read("a.ts", &size);
	bytes = realloc(bytes, 2 * size);
	memcpy(bytes + size, bytes, size);
	count_packets(bytes, 2 * size);
	files_write("both.ts", bytes, 2 * size);
	free(bytes);
	copy("both.ts", "both.mkv", 0);
	both = clip_read("both.mkv");
	ck_assert_uint_ge(
		both.count, 2 * part.count - 2); /* a decoder may lose one or two where the parts meet */
	for (unsigned n = 1; n < both.count; n++) {
		unsigned back = both.count - n;

		ck_assert_double_gt(both.starts[n], both.starts[n - 1]);
		ck_assert_double_lt(both.starts[n] - both.starts[n - 1], 0.25);
		if (n < part.count)
			ck_assert_double_eq_tol(both.starts[n], part.starts[n] - part.starts[0], 0.001);
		if (n < part.count - 4)
			ck_assert_double_eq_tol(both.starts[back] - both.starts[back - 1],
				part.starts[part.count - n] - part.starts[part.count - n - 1], 0.0015);
	}
}
END_TEST

/* Closer than a GIF's hundredths of a second: each frame is there. */
START_TEST(closer_than_units)
{
	struct clip clip = { .name = "in.mkv", .count = 30, .unit = 1000, .end = 120 };
	struct clip_times times;

	for (unsigned n = 0; n < clip.count; n++)
		clip.stamps[n] = 4 * n;
	clip_write(&clip);
	copy(clip.name, "out.gif", 0);
	times = clip_read("out.gif");
	ck_assert_uint_eq(times.count, 30);
}
END_TEST

/* Slow motion, some 210 irregular frames a second: at a constant rate it is not many times as long, and AVI takes
 * it. */
START_TEST(fast_and_irregular)
{
	static const int64_t gaps[] = { 4, 5, 4, 6 };
	struct clip clip = { .name = "in.mp4", .count = 120, .unit = 12000 };
	struct pstk_video_input *input;
	struct pstk_video_info info;

	for (unsigned n = 0; n < clip.count; n++) {
		clip.stamps[n] = clip.end;
		clip.end += gaps[n % TEST_COUNT(gaps)] * 12;
	}
	clip_write(&clip);
	input = media_open(PSTK_VIDEO_INPUT(.path = clip.name));
	ck_assert_int_eq(pstk_video_input_get_info(input, &info), 0);
	pstk_video_input_close(input);
	ck_assert_uint_eq(info.rate_num, 240 * info.rate_den);
	ck_assert_uint_le(copy(clip.name, "out.y4m", 0).left_out, 5);
	ck_assert_int_le((files_size("out.y4m") - 1) / (6 + W * H), 145);
	copy(clip.name, "out.avi", 0);
	ck_assert_uint_ge(clip_read("out.avi").count, 115);
}
END_TEST

/* Half a year between two frames is no time for a constant rate; where each frame has its own it is. */
START_TEST(long_pause)
{
	struct clip clip = { .name = "in.mkv",
		.count = 3,
		.unit = 1000,
		.stamps = { 0, 40, 15768000000 },
		.end = 15768000040 };
	struct pstk_video_input *input;
	struct pstk_video_output *output;
	unsigned char frame[W * H];
	struct clip_times times;
	int err = 0;

	clip_write(&clip);
	input = media_open(PSTK_VIDEO_INPUT(.path = clip.name));
	output = create("out.y4m", input);
	while (!err && pstk_video_input_read(input, frame) == 1)
		err = pstk_video_output_write(output, frame, NULL);
	ck_assert_int_eq(err, -EPROTO);
	TEST_SAYS(pstk_video_output_error(output), "out.y4m: frame 1 lasts 15768000 s, ",
		" frames of a constant rate: an ending such as .mp4 or .mkv keeps time stamps as they are");
	ck_assert_int_eq(pstk_video_output_complete(output), -EPROTO);
	pstk_video_output_close(output);
	pstk_video_input_close(input);
	copy(clip.name, "out.mkv", 0);
	times = clip_read("out.mkv");
	ck_assert_uint_eq(times.count, 3);
	ck_assert_double_eq_tol(times.starts[2], 15768000, 0.001);
}
END_TEST

/* Outputs of one input at different speeds, closed in any order. */
START_TEST(several_outputs)
{
	static const char *const names[] = { "a.mp4", "b.mkv", "c.y4m", "d.gif" };
	struct clip clip = clip_irregular("in.mp4", 12800);
	struct pstk_video_output *outputs[4];
	struct pstk_video_input *input;
	unsigned char frames[40][W * H];
	struct clip_times times;

	clip_write(&clip);
	times = clip_read(clip.name);
	input = media_open(PSTK_VIDEO_INPUT(.path = clip.name));
	for (unsigned i = 0; i < 4; i++)
		outputs[i] = create(names[i], input);
	for (unsigned n = 0; n < 40; n++)
		ck_assert_int_eq(pstk_video_input_read(input, frames[n]), 1);
	ck_assert_int_eq(pstk_video_input_read(input, frames[0]), 0);
	pstk_video_input_close(input);
	for (unsigned i = 0; i < 4; i++) {
		for (unsigned n = 0; n < 40; n++)
			ck_assert_int_eq(pstk_video_output_write(outputs[i], frames[n], NULL), 0);
		ck_assert_int_eq(pstk_video_output_complete(outputs[i]), 0);
		pstk_video_output_close(outputs[i]);
	}
	clip_expect("a.mp4", &times, 1e-9);
	clip_expect("b.mkv", &times, 0.0005);
	clip_expect("d.gif", &times, 0.005 + 1e-9);
}
END_TEST

START_TEST(wrong_order)
{
	static const char *const names[] = { "a.mp4", "a.y4m" };
	struct clip clip = clip_irregular("in.mp4", 12800);
	unsigned char frame[W * H];

	clip_write(&clip);
	for (unsigned i = 0; i < 2; i++) {
		struct pstk_video_input *input = media_open(PSTK_VIDEO_INPUT(.path = clip.name));
		struct pstk_video_output *output = create(names[i], input), *late;
		char error[PSTK_VIDEO_ERROR_SIZE], text[160];

		ck_assert_int_eq(pstk_video_input_read(input, frame), 1);
		ck_assert_int_eq(pstk_video_output_open(&late,
					 PSTK_VIDEO_OUTPUT(.path = "late.mp4", .width = W, .height = H,
						 .times = input),
					 error, sizeof(error)),
			-EBUSY);
		ck_assert_str_eq(error, "late.mp4: frames of the input that says their times have been read: "
					"open the output before "
					"that");
		ck_assert_int_eq(pstk_video_output_write(output, frame, NULL), 0);
		ck_assert_int_eq(pstk_video_output_write(output, frame, NULL), -EINVAL);
		snprintf(text, sizeof(text), "%s: frame 1 has no time: the input has not read so many frames",
			names[i]);
		ck_assert_str_eq(pstk_video_output_error(output), text);
		pstk_video_output_close(output);
		pstk_video_input_close(input);
	}
	ck_assert_uint_eq(files_count(), 1);
}
END_TEST

/* Only what is a video is without the sound. */
START_TEST(audio)
{
	static const char *const names[] = { "a.mp4", "a.y4m", "a.gray", "/dev/null" };
	struct clip clip = clip_irregular("in.mkv", 1000);

	for (unsigned sound = 0; sound < 2; sound++) {
		clip.audio = sound;
		clip_write(&clip);
		for (unsigned i = 0; i < 4; i++)
			ck_assert_int_eq(copy(clip.name, names[i], 3).loses_audio, sound && i < 2);
	}
}
END_TEST

/* Windows of frames through FIFOs, by threads and by a team. */
START_TEST(in_a_network)
{
	struct clip clip = clip_irregular("in.mp4", 12800);
	struct pstk_video_input *input;
	struct pstk_video_output *outputs[2];
	struct pstk_video_sink_arg arg = { outputs, 2 };
	struct pstk_network *net = pstk_network_create("times");
	struct pstk_actor *source, *sink;
	struct clip_times times;

	clip_write(&clip);
	times = clip_read(clip.name);
	input = media_open(PSTK_VIDEO_INPUT(.path = clip.name));
	outputs[0] = create("a.mp4", input);
	outputs[1] = create("b.mkv", input);
	ck_assert_int_eq(pstk_network_set_threads(net, _i ? 2 : 0), 0);
	source = pstk_network_add(net, "source", pstk_video_source_type_for(input), input);
	sink = pstk_network_add(net, "sink", pstk_video_sink_type_for(&arg), &arg);
	pstk_connect(source, "out", sink, "map", PSTK_FIFO(.rate = 7, .depth = 3, .token_size = W * H));
	ck_assert_msg(!pstk_network_run(net), "%s", pstk_network_error(net));
	pstk_network_destroy(net);
	pstk_video_output_close(outputs[0]);
	pstk_video_input_close(input);
	pstk_video_output_close(outputs[1]);
	clip_expect("a.mp4", &times, 1e-9);
	clip_expect("b.mkv", &times, 0.0005);
}
END_TEST

#endif

/* Inputs without stamps have a constant rate. */
START_TEST(without_stamps)
{
	struct pstk_video_input *scene =
		media_open(PSTK_VIDEO_INPUT(.scene_width = 64, .scene_height = 48, .frames = 5));
	struct pstk_video_output_info info;
	struct pstk_video_output *output;
	unsigned char frame[64 * 48];
	char error[PSTK_VIDEO_ERROR_SIZE];

	ck_assert_int_eq(
		pstk_video_output_open(&output,
			PSTK_VIDEO_OUTPUT(.path = "a.y4m", .width = 64, .height = 48, .times = scene), error,
			sizeof(error)),
		0);
	while (pstk_video_input_read(scene, frame) == 1)
		ck_assert_int_eq(pstk_video_output_write(output, frame, NULL), 0);
	ck_assert_int_eq(pstk_video_output_complete(output), 0);
	ck_assert_int_eq(pstk_video_output_get_info(output, &info), 0);
	ck_assert(info.frames == 5 && !info.repeated && !info.left_out && !info.loses_audio);
	ck_assert_int_eq(pstk_video_output_get_info(NULL, &info), -EINVAL);
	ck_assert_int_eq(pstk_video_output_get_info(output, NULL), -EINVAL);
	pstk_video_output_close(output);
	pstk_video_input_close(scene);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("time_stamps");
	TCase *c = files_case(suite, "time stamps");

	tcase_add_test(c, without_stamps);
#ifdef HAVE_FFMPEG
	tcase_add_loop_test(c, kept, 0, (int)TEST_COUNT(inputs));
	tcase_add_test(c, copy_of_a_copy);
	tcase_add_test(c, from_the_first_frame);
	tcase_add_loop_test(c, constant_rates, 0, 2);
	tcase_add_test(c, long_end);
	tcase_add_test(c, left_out);
	tcase_add_loop_test(c, constant_stays, 0, 5);
	tcase_add_test(c, times_begin_anew);
	tcase_add_test(c, closer_than_units);
	tcase_add_test(c, fast_and_irregular);
	tcase_add_test(c, long_pause);
	tcase_add_test(c, several_outputs);
	tcase_add_test(c, wrong_order);
	tcase_add_test(c, audio);
	tcase_add_loop_test(c, in_a_network, 0, 2);
#endif
	return test_main(suite);
}
