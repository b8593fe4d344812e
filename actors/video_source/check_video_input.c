/* SPDX-License-Identifier: MIT */
/* Inputs that need no FFmpeg: raw and Y4M, from files and pipes, and what is wrong with them. */
#include "actors/common/check_media.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define SPEC(...) PSTK_VIDEO_INPUT(__VA_ARGS__)

static void expect_frames(
	const struct pstk_video_input_spec *spec, const unsigned char *expected, size_t size, size_t frames)
{
	struct pstk_video_input *input = media_open(spec);
	unsigned char *got = malloc((frames + 1) * size);
	size_t count;

	ck_assert_int_eq(media_drain(input, got, frames + 1, &count), 0);
	ck_assert_uint_eq(count, frames);
	ck_assert_mem_eq(got, expected, frames * size);
	ck_assert_str_eq(pstk_video_input_error(input), "");
	pstk_video_input_close(input);
	free(got);
}

static void expect_failure(const struct pstk_video_input_spec *spec, size_t frames, int err, const char *text)
{
	struct pstk_video_input *input = media_open(spec);
	size_t count;

	ck_assert_int_eq(media_drain(input, NULL, 0, &count), err);
	ck_assert_uint_eq(count, frames);
	ck_assert_str_eq(pstk_video_input_error(input), text);
	pstk_video_input_close(input);
}

START_TEST(raw_frames)
{
	unsigned char *bytes = files_random((size_t)321 * 243 * 7, 1);

	files_write("a.gray", bytes, (size_t)321 * 243 * 7);
	expect_frames(SPEC(.path = "a.gray", .width = 321, .height = 243), bytes, (size_t)321 * 243, 7);
	expect_frames(SPEC(.path = "a.gray", .width = 321, .height = 243, .frames = 3), bytes,
		(size_t)321 * 243, 3);
	expect_frames(SPEC(.path = "a.gray", .width = 321, .height = 243, .frames = 9), bytes,
		(size_t)321 * 243, 7);
	expect_frames(SPEC(.path = "a.gray", .width = 1, .height = 1, .frames = 70000), bytes, 1, 70000);
	free(bytes);
}
END_TEST

START_TEST(raw_truncated)
{
	unsigned char *bytes = files_random(12 * 76800 + 100, 2);

	files_write("cut.gray", bytes, 12 * 76800 + 100);
	expect_failure(SPEC(.path = "cut.gray", .width = 320, .height = 240), 12, -ENODATA,
		"cut.gray: truncated: frame 12 has 100 of 76800 bytes (--frames 12 takes those before it)");
	expect_frames(SPEC(.path = "cut.gray", .width = 320, .height = 240, .frames = 12), bytes, 76800, 12);
	free(bytes);
}
END_TEST

START_TEST(raw_refused)
{
	files_text("empty.gray", "");
	files_text("a.gray", "0123456789");
	ck_assert_int_eq(mkdir("folder.gray", 0777), 0);
	media_refuses(SPEC(.path = "empty.gray", .width = 2, .height = 2), -ENODATA, "empty.gray: is empty");
	media_refuses(SPEC(.path = "a.gray"), -EINVAL, "a.gray: raw frames need a size");
	media_refuses(
		SPEC(.path = "folder.gray", .width = 2, .height = 2), -EISDIR, "folder.gray: Is a directory");
	media_refuses(SPEC(.path = "none.gray", .width = 2, .height = 2), -ENOENT,
		"none.gray: No such file or directory");
	media_refuses(
		SPEC(.path = "a.gray", .width = 2), -EINVAL, "a.gray: wrong size 2x0 (1x1 to 32768x32768)");
	media_refuses(
		SPEC(.path = "a.gray", .height = 2), -EINVAL, "a.gray: wrong size 0x2 (1x1 to 32768x32768)");
	media_refuses(SPEC(.path = "a.gray", .width = 32769, .height = 1), -EINVAL,
		"a.gray: wrong size 32769x1 (1x1 to 32768x32768)");
	media_refuses(SPEC(.path = "a.gray", .width = 1, .height = UINT32_MAX), -EINVAL,
		"a.gray: wrong size 1x4294967295 (1x1 to 32768x32768)");
}
END_TEST

START_TEST(no_permission)
{
	if (geteuid() == 0)
		return; /* root may read everything */
	files_text("secret.gray", "0123");
	ck_assert_int_eq(chmod("secret.gray", 0), 0);
	media_refuses(SPEC(.path = "secret.gray", .width = 2, .height = 2), -EACCES,
		"secret.gray: Permission denied");
}
END_TEST

/* Of a long path the end is shown, and the cause fits behind it. */
START_TEST(long_path)
{
	char path[400], error[PSTK_VIDEO_ERROR_SIZE];
	struct pstk_video_input *input;

	memset(path, 'a', sizeof(path));
	for (size_t i = 10; i < sizeof(path) - 10; i += 100)
		path[i] = '/';
	memcpy(path + sizeof(path) - 9, "end.gray", 9);
	ck_assert_int_eq(pstk_video_input_open(
				 &input, SPEC(.path = path, .width = 2, .height = 2), error, sizeof(error)),
		-ENOENT);
	ck_assert_int_eq(strncmp(error, "...a", 4), 0);
	ck_assert_ptr_nonnull(strstr(error, "end.gray: No such file or directory"));
}
END_TEST

/* One Y4M file: its header, `frames` frames of random luma and chroma. Returns the luma. */
static unsigned char *write_y4m(const char *name, const char *header, const char *frame_line, size_t luma,
	size_t chroma, size_t frames)
{
	unsigned char *bytes = files_random((luma + chroma) * frames, 3), *all = malloc(luma * frames);
	FILE *file = fopen(name, "w");

	ck_assert_ptr_nonnull(file);
	ck_assert_ptr_nonnull(all);
	fprintf(file, "%s\n", header);
	for (size_t i = 0; i < frames; i++) {
		fprintf(file, "%s\n", frame_line);
		fwrite(bytes + i * (luma + chroma), 1, luma + chroma, file);
		memcpy(all + i * luma, bytes + i * (luma + chroma), luma);
	}
	ck_assert_int_eq(fclose(file), 0);
	free(bytes);
	return all;
}

/* The rule in words: 16..235 becomes 0..255, in fifteen bits with these factors. */
static unsigned char stretched(int y)
{
	int wide = y * 128;
	int value;

	if (wide > 30189)
		wide = 30189;
	value = ((wide * 19077 - 39057361) >> 14) + 64;
	value >>= 7;
	return (unsigned char)(value < 0 ? 0 : value > 255 ? 255 : value);
}

static void stretch(unsigned char *bytes, size_t n)
{
	for (size_t i = 0; i < n; i++)
		bytes[i] = stretched(bytes[i]);
}

static const struct {
	const char *colour;
	size_t chroma; /* of 7x5 */
	bool full;
} y4m_kinds[] = {
	{ "", 2 * 4 * 3, false },
	{ " C420", 2 * 4 * 3, false },
	{ " C420jpeg", 2 * 4 * 3, false },
	{ " C420mpeg2", 2 * 4 * 3, false },
	{ " C420paldv", 2 * 4 * 3, false },
	{ " C411", 2 * 2 * 5, false },
	{ " C422", 2 * 4 * 5, false },
	{ " C444", 2 * 7 * 5, false },
	{ " C444alpha", 3 * 7 * 5, false },
	{ " Cmono", 0, true },
	{ " Cmono XCOLORRANGE=LIMITED", 0, true },
	{ " C420jpeg XCOLORRANGE=FULL", 2 * 4 * 3, true },
	{ " C444 XCOLORRANGE=LIMITED", 2 * 7 * 5, false },
	{ " Ip A1:1 C422 Xanything", 2 * 4 * 5, false },
};

START_TEST(y4m_colours)
{
	char header[128];
	unsigned char *luma;

	snprintf(header, sizeof(header), "YUV4MPEG2 W7 H5 F30000:1001%s", y4m_kinds[_i].colour);
	luma = write_y4m("a.y4m", header, _i % 2 ? "FRAME" : "FRAME Ip", 35, y4m_kinds[_i].chroma, 40);
	if (!y4m_kinds[_i].full)
		stretch(luma, (size_t)35 * 40);
	expect_frames(SPEC(.path = "a.y4m"), luma, 35, 40);
	expect_frames(SPEC(.path = "a.y4m", .width = 7, .height = 5, .frames = 3), luma, 35, 3);
	free(luma);
}
END_TEST

START_TEST(y4m_info)
{
	static const struct {
		const char *header;
		uint32_t num, den;
	} cases[] = {
		{ "YUV4MPEG2 W2 H3 F30000:1001 Cmono", 30000, 1001 },
		{ "YUV4MPEG2 W2 H3 F0:0 Cmono", 25, 1 },
		{ "YUV4MPEG2 W2 H3 Cmono", 25, 1 },
	};

	for (size_t i = 0; i < TEST_COUNT(cases); i++) {
		struct pstk_video_input *input;
		struct pstk_video_info info;

		free(write_y4m("a.y4m", cases[i].header, "FRAME", 6, 0, 1));
		input = media_open(SPEC(.path = "a.y4m"));
		ck_assert_int_eq(pstk_video_input_get_info(input, &info), 0);
		ck_assert_uint_eq(info.width, 2);
		ck_assert_uint_eq(info.height, 3);
		ck_assert_uint_eq(info.rate_num, cases[i].num);
		ck_assert_uint_eq(info.rate_den, cases[i].den);
		pstk_video_input_close(input);
	}
}
END_TEST

static const struct {
	const char *header;
	int err;
	const char *text;
} y4m_wrong[] = {
	{ "W4 H4 C420p10", -ENOTSUP,
		"a.y4m: Y4M colour space C420p10: only 8-bit 420, 411, 422, 444 and mono are read" },
	{ "W4 H4 Cmono16", -ENOTSUP,
		"a.y4m: Y4M colour space Cmono16: only 8-bit 420, 411, 422, 444 and mono are read" },
	{ "W4 H4 C", -ENOTSUP, "a.y4m: Y4M colour space C: only 8-bit 420, 411, 422, 444 and mono are read" },
	{ "W0 H4", -EINVAL, "a.y4m: wrong width '0' in the Y4M header (1 to 32768)" },
	{ "W4 H32769", -EINVAL, "a.y4m: wrong height '32769' in the Y4M header (1 to 32768)" },
	{ "W4x H4", -EINVAL, "a.y4m: wrong width '4x' in the Y4M header (1 to 32768)" },
	{ "W-4 H4", -EINVAL, "a.y4m: wrong width '-4' in the Y4M header (1 to 32768)" },
	{ "W99999999999999999999 H4", -EINVAL,
		"a.y4m: wrong width '99999999999999999999' in the Y4M header (1 to 32768)" },
	{ "H4", -EINVAL, "a.y4m: the Y4M header has no width" },
	{ "W4", -EINVAL, "a.y4m: the Y4M header has no height" },
	{ "W4 H4 F25", -EINVAL, "a.y4m: wrong frame rate '25' in the Y4M header" },
	{ "W4 H4 F25:", -EINVAL, "a.y4m: wrong frame rate '25:' in the Y4M header" },
	{ "W4 H4 F:1", -EINVAL, "a.y4m: wrong frame rate ':1' in the Y4M header" },
};

START_TEST(y4m_wrong_header)
{
	char line[128];

	snprintf(line, sizeof(line), "YUV4MPEG2 %s\n", y4m_wrong[_i].header);
	files_text("a.y4m", line);
	media_refuses(SPEC(.path = "a.y4m"), y4m_wrong[_i].err, y4m_wrong[_i].text);
}
END_TEST

START_TEST(y4m_header_without_end)
{
	char *line = malloc(6000);

	files_text("a.y4m", "YUV4MPEG2 W4 H4");
	media_refuses(SPEC(.path = "a.y4m"), -EPROTO, "a.y4m: the Y4M header has no end");
	memset(line, 'X', 6000);
	memcpy(line, "YUV4MPEG2 ", 10);
	line[5999] = '\n';
	files_write("a.y4m", line, 6000);
	media_refuses(SPEC(.path = "a.y4m"), -EPROTO, "a.y4m: the Y4M header has no end");
	files_text("a.y4m", "");
	media_refuses(SPEC(.path = "a.y4m"), -ENODATA, "a.y4m: is empty");
	free(line);
}
END_TEST

/* Ten frames of 4x4 in 420, the file cut or changed behind them. */
static void append(const char *name, const char *text)
{
	FILE *file = fopen(name, "a");

	ck_assert_ptr_nonnull(file);
	fputs(text, file);
	ck_assert_int_eq(fclose(file), 0);
}

static const struct {
	const char *tail;
	int err;
	const char *text;
} y4m_tails[] = {
#define BEFORE " (--frames 10 takes those before it)"
	{ "FRAME\n0123456789", -ENODATA, "a.y4m: truncated: frame 10 has 10 of 24 bytes" BEFORE },
	{ "FRAME\n0123456789abcdefgh", -ENODATA, "a.y4m: truncated: frame 10 has 18 of 24 bytes" BEFORE },
	{ "FRAME\n", -ENODATA, "a.y4m: truncated: frame 10 has 0 of 24 bytes" BEFORE },
	{ "F", -ENODATA, "a.y4m: truncated: frame 10 has a part of its FRAME line" BEFORE },
	{ "FRAME", -ENODATA, "a.y4m: truncated: frame 10 has a part of its FRAME line" BEFORE },
	{ "FRAME Ip", -ENODATA, "a.y4m: truncated: frame 10 has a part of its FRAME line" BEFORE },
	{ "FRAN", -EPROTO, "a.y4m: damaged: no FRAME line before frame 10" },
	{ "FRAMEI", -EPROTO, "a.y4m: damaged: no FRAME line before frame 10" },
	{ "FRAMES\n0123456789abcdefghijklmn", -EPROTO, "a.y4m: damaged: no FRAME line before frame 10" },
	{ "garbage", -EPROTO, "a.y4m: damaged: no FRAME line before frame 10" },
	{ "YUV4MPEG2 W8 H8\nFRAME\n", -EPROTO,
		"a.y4m: the frame size changes: a second Y4M header after 10 frames" },
};

START_TEST(y4m_damaged)
{
	free(write_y4m("a.y4m", "YUV4MPEG2 W4 H4 F25:1", "FRAME", 16, 8, 10));
	append("a.y4m", y4m_tails[_i].tail);
	expect_failure(SPEC(.path = "a.y4m"), 10, y4m_tails[_i].err, y4m_tails[_i].text);
}
END_TEST

/* Nothing of the first frame is there: no advice to take no frames. A line without an end is as long as the reader
 * takes. */
START_TEST(y4m_no_frame_is_there)
{
	char tail[600];

	files_text("a.y4m", "YUV4MPEG2 W4 H4 F25:1\nFRAME\n012");
	expect_failure(SPEC(.path = "a.y4m"), 0, -ENODATA, "a.y4m: truncated: frame 0 has 3 of 24 bytes");
	snprintf(tail, sizeof(tail), "FRAME %0*d\n", (int)sizeof(tail) - 20, 1);
	free(write_y4m("a.y4m", "YUV4MPEG2 W4 H4 F25:1", "FRAME", 16, 8, 1));
	append("a.y4m", tail);
	expect_failure(SPEC(.path = "a.y4m"), 1, -EPROTO, "a.y4m: damaged: no FRAME line before frame 1");
}
END_TEST

START_TEST(y4m_without_frames)
{
	files_text("a.y4m", "YUV4MPEG2 W4 H4 F25:1\n");
	expect_failure(SPEC(.path = "a.y4m"), 0, -ENODATA, "a.y4m: has no frames");
}
END_TEST

struct feeder {
	int fd;
	const unsigned char *bytes;
	size_t size, step;
};

/* Writes in steps that fit nothing. */
static void *feed(void *arg)
{
	struct feeder *f = arg;

	for (size_t at = 0; at < f->size; at += f->step)
		ck_assert_int_gt(
			write(f->fd, f->bytes + at, f->size - at < f->step ? f->size - at : f->step), 0);
	close(f->fd);
	return NULL;
}

START_TEST(y4m_on_stdin)
{
	int pipes[2], saved = dup(STDIN_FILENO);
	unsigned char *luma = write_y4m("a.y4m", "YUV4MPEG2 W60 H40 F25:1", "FRAME", 2400, 1200, 9), *bytes;
	struct feeder feeder = { .step = 777 };
	pthread_t thread;

	stretch(luma, (size_t)2400 * 9);
	bytes = files_read("a.y4m", &feeder.size);
	ck_assert_int_eq(pipe(pipes), 0);
	ck_assert_int_ge(dup2(pipes[0], STDIN_FILENO), 0);
	close(pipes[0]);
	feeder.fd = pipes[1];
	feeder.bytes = bytes;
	ck_assert_int_eq(pthread_create(&thread, NULL, feed, &feeder), 0);
	expect_frames(SPEC(.path = "-"), luma, 2400, 9);
	pthread_join(thread, NULL);
	dup2(saved, STDIN_FILENO);
	close(saved);
	free(bytes);
	free(luma);
}
END_TEST

static void *stop(void *input)
{
	pstk_video_input_stop(input);
	return NULL;
}

/* A pipe that has half a frame: whenever the stop comes, before or while the read waits, the stream ends. */
START_TEST(stop_wakes_a_read)
{
	unsigned char frame[16] = { 0 };
	int fd;

	ck_assert_int_eq(mkfifo("pipe.gray", 0600), 0);
	fd = open("pipe.gray", O_RDWR);
	ck_assert_int_ge(fd, 0);
	for (int i = 0; i < 20; i++) {
		struct pstk_video_input *input;
		pthread_t thread;

		ck_assert_int_eq(write(fd, "0123456789abcdef0123", 20), 20);
		input = media_open(SPEC(.path = "pipe.gray", .width = 4, .height = 4));
		ck_assert_int_eq(pstk_video_input_read(input, frame), 1);
		ck_assert_mem_eq(frame, "0123456789abcdef", 16);
		ck_assert_int_eq(pthread_create(&thread, NULL, stop, input), 0);
		ck_assert_int_eq(pstk_video_input_read(input, frame), 0);
		pthread_join(thread, NULL);
		ck_assert_str_eq(pstk_video_input_error(input), "");
		ck_assert_int_eq(pstk_video_input_read(input, frame), 0);
		pstk_video_input_close(input);
	}
	close(fd);
}
END_TEST

/* A socket's other end that is reset, read as a file of /dev/fd, gives read()'s error. */
START_TEST(read_error)
{
	struct pstk_video_input *input;
	unsigned char frame[16];
	char path[32];
	int fd;

	files_text("a.gray", "0123456789abcdef0123456789abcdef");
	input = media_open(SPEC(.path = "a.gray", .width = 4, .height = 4));
	ck_assert_int_eq(pstk_video_input_read(input, frame), 1);
	pstk_video_input_close(input);
	/* memory that no process may read: read() fails with -EIO */
	fd = open("/proc/self/mem", O_RDONLY);
	if (fd < 0)
		return;
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	ck_assert_int_eq(symlink(path, "bad.gray"), 0);
	media_refuses(
		SPEC(.path = "bad.gray", .width = 4, .height = 4), -EIO, "bad.gray: Input/output error");
	ck_assert_int_eq(symlink(path, "bad.y4m"), 0);
	media_refuses(SPEC(.path = "bad.y4m"), -EIO, "bad.y4m: Input/output error");
	close(fd);
}
END_TEST

/* Each system call in turn fails while a file, or a pipe, is opened and read. */
START_TEST(system_errors)
{
	static const char *const paths[] = { "a.gray", "a.y4m", "pipe.gray", "-" };
	const struct pstk_video_input_spec spec = { sizeof(spec), paths[_i], 4, 4, 0, 0, 2 };
	int fd, saved = dup(STDIN_FILENO);
	unsigned failures = 0;

	files_text("a.gray", "0123456789abcdef0123456789abcdef");
	free(write_y4m("a.y4m", "YUV4MPEG2 W4 H4 F25:1 Cmono", "FRAME", 16, 0, 2));
	ck_assert_int_eq(mkfifo("pipe.gray", 0600), 0);
	fd = open("pipe.gray", O_RDWR);
	for (bool more = true; more;) {
		char error[PSTK_VIDEO_ERROR_SIZE] = "";
		unsigned char frame[16];
		struct pstk_video_input *input;
		int in = open("a.y4m", O_RDONLY), err;

		dup2(in, STDIN_FILENO);
		close(in);
		ck_assert_int_eq(write(fd, "0123456789abcdef0123456789abcdef", 32), 32);
		files_fail_system(failures + 1);
		err = pstk_video_input_open(&input, &spec, error, sizeof(error));
		while (!err && (err = pstk_video_input_read(input, frame)) == 1)
			err = 0;
		more = files_system_failed();
		ck_assert_int_eq(err, more ? -EIO : 0);
		if (more && !input)
			TEST_SAYS(error, "Input/output error");
		else if (more)
			TEST_SAYS(pstk_video_input_error(input), "Input/output error");
		pstk_video_input_close(input);
		/* what is still in the pipe */
		fcntl(fd, F_SETFL, O_NONBLOCK);
		while (read(fd, frame, sizeof(frame)) > 0)
			;
		fcntl(fd, F_SETFL, 0);
		failures += more;
		/* the closes that follow change nothing */
		more = more && failures < 20;
	}
	ck_assert_uint_ge(failures, 3);
	dup2(saved, STDIN_FILENO);
	close(saved);
	close(fd);
}
END_TEST

#define SIZE_IS(size)                                                                      \
	"pstk_video_input_open: struct_size of its struct pstk_video_input_spec is " size  \
	", expected 40, or more with zeros behind that: set .struct_size = sizeof(struct " \
	"pstk_video_input_spec), "                                                         \
	"as pstk_video_input_spec_init() does"

START_TEST(wrong_arguments)
{
	struct {
		struct pstk_video_input_spec spec;
		char tail[8];
	} newer;
	char error[PSTK_VIDEO_ERROR_SIZE];
	struct pstk_video_input *input;
	struct pstk_video_info info;
	unsigned char byte;

	memset(&newer, 0, sizeof(newer));
	newer.spec = pstk_video_input_spec_init();
	newer.spec.scene_width = newer.spec.scene_height = 5;
	newer.spec.struct_size = sizeof(newer);
	pstk_video_input_close(media_open(&newer.spec));
	newer.tail[3] = 1;
	media_refuses(&newer.spec, -EINVAL, SIZE_IS("48"));
	newer.spec.struct_size = 3;
	media_refuses(&newer.spec, -EINVAL, SIZE_IS("3"));
	ck_assert_int_eq(pstk_video_input_open(NULL, &newer.spec, error, sizeof(error)), -EINVAL);
	ck_assert_int_eq(pstk_video_input_open(&input, NULL, NULL, 0), -EINVAL);
	ck_assert_int_eq(pstk_video_input_open(&input, SPEC(.path = "none"), NULL, 0), -ENOENT);
	ck_assert_int_eq(pstk_video_input_read(NULL, &byte), -EINVAL);
	ck_assert_int_eq(pstk_video_input_get_info(NULL, &info), -EINVAL);
	ck_assert_str_eq(pstk_video_input_error(NULL), "");
	pstk_video_input_stop(NULL);
	pstk_video_input_close(NULL);
	input = media_open(SPEC(.scene_width = 5, .scene_height = 5));
	ck_assert_int_eq(pstk_video_input_read(input, NULL), -EINVAL);
	ck_assert_int_eq(pstk_video_input_get_info(input, NULL), -EINVAL);
	pstk_video_input_close(input);
}
END_TEST

START_TEST(out_of_memory)
{
	static const struct pstk_video_input_spec specs[] = {
		{ sizeof(struct pstk_video_input_spec), "a.y4m", 0, 0, 0, 0, 0 },
		{ sizeof(struct pstk_video_input_spec), "a.gray", 3, 3, 0, 0, 0 },
		{ sizeof(struct pstk_video_input_spec), NULL, 0, 0, 5, 5, 0 },
	};
	unsigned failures = 0;

	free(write_y4m("a.y4m", "YUV4MPEG2 W4 H4 F25:1", "FRAME", 16, 8, 2));
	files_text("a.gray", "012345678");
	for (unsigned n = 1;; n++) {
		struct pstk_video_input *input;
		char error[PSTK_VIDEO_ERROR_SIZE];
		int err;

		test_fail_allocation(n);
		err = pstk_video_input_open(&input, &specs[_i], error, sizeof(error));
		if (!test_allocation_failed()) {
			ck_assert_int_eq(err, 0);
			pstk_video_input_close(input);
			break;
		}
		ck_assert_int_eq(err, -ENOMEM);
		ck_assert_ptr_null(input);
		ck_assert_ptr_nonnull(strstr(error, _i == 2 || n == 1 ? "ut of memory" : "emory"));
		failures++;
	}
	ck_assert_uint_ge(failures, 2);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("video_input");
	TCase *raw = files_case(suite, "raw"), *y4m = files_case(suite, "y4m"),
	      *all = files_case(suite, "all");

	tcase_add_test(raw, raw_frames);
	tcase_add_test(raw, raw_truncated);
	tcase_add_test(raw, raw_refused);
	tcase_add_test(raw, no_permission);
	tcase_add_test(raw, long_path);
	tcase_add_loop_test(y4m, y4m_colours, 0, TEST_COUNT(y4m_kinds));
	tcase_add_test(y4m, y4m_info);
	tcase_add_loop_test(y4m, y4m_wrong_header, 0, TEST_COUNT(y4m_wrong));
	tcase_add_test(y4m, y4m_header_without_end);
	tcase_add_test(y4m, y4m_no_frame_is_there);
	tcase_add_loop_test(y4m, y4m_damaged, 0, TEST_COUNT(y4m_tails));
	tcase_add_test(y4m, y4m_without_frames);
	tcase_add_test(y4m, y4m_on_stdin);
	tcase_add_test(all, stop_wakes_a_read);
	tcase_add_test(all, read_error);
	tcase_add_loop_test(all, system_errors, 0, 4);
	tcase_add_test(all, wrong_arguments);
	tcase_add_loop_test(all, out_of_memory, 0, 3);
	return test_main(suite);
}
