/* SPDX-License-Identifier: MIT */
/* FFmpeg's calls fail: each way ends in an error that says which file and what, and nothing is left behind. */
#include "config.h"

#include "actors/common/check_media.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#ifdef HAVE_PNG
#include <png.h>
#endif

#ifdef HAVE_FFMPEG

#include <libavcodec/avcodec.h>
#include <libavformat/avformat.h>
#include <libswscale/swscale.h>

enum { W = 32, H = 24 };

/* The function of which every call fails now, and with what; NULL: none. */
static const char *victim;
static int with;

static bool fails(const char *name)
{
	return victim && !strcmp(victim, name);
}

/* public: sanitizers come as shared libraries, which see these too */
#define WRAP_POINTER(type, name, parameters, arguments)               \
	type __real_##name parameters;                                \
	PSTK_PUBLIC type __wrap_##name parameters;                    \
	type __wrap_##name parameters                                 \
	{                                                             \
		return fails(#name) ? NULL : __real_##name arguments; \
	}
#define WRAP_INT(name, parameters, arguments)                         \
	int __real_##name parameters;                                 \
	PSTK_PUBLIC int __wrap_##name parameters;                     \
	int __wrap_##name parameters                                  \
	{                                                             \
		return fails(#name) ? with : __real_##name arguments; \
	}

WRAP_POINTER(AVFormatContext *, avformat_alloc_context, (void), ())
WRAP_POINTER(AVIOContext *, avio_alloc_context,
	(unsigned char *b, int n, int w, void *o, int (*r)(void *, uint8_t *, int),
		int (*p)(void *, uint8_t *, int), int64_t (*s)(void *, int64_t, int)),
	(b, n, w, o, r, p, s))
WRAP_POINTER(AVCodecContext *, avcodec_alloc_context3, (const AVCodec *c), (c))
WRAP_POINTER(AVStream *, avformat_new_stream, (AVFormatContext * f, const AVCodec *c), (f, c))
WRAP_POINTER(AVPacket *, av_packet_alloc, (void), ())
WRAP_POINTER(AVFrame *, av_frame_alloc, (void), ())
WRAP_POINTER(const AVCodec *, avcodec_find_encoder, (enum AVCodecID id), (id))
WRAP_POINTER(struct SwsContext *, sws_getContext,
	(int w, int h, enum AVPixelFormat f, int tw, int th, enum AVPixelFormat tf, int flags, SwsFilter *a,
		SwsFilter *b, const double *p),
	(w, h, f, tw, th, tf, flags, a, b, p))
WRAP_INT(av_find_best_stream,
	(AVFormatContext * f, enum AVMediaType t, int wanted, int related, const AVCodec **c, int flags),
	(f, t, wanted, related, c, flags))
WRAP_INT(avcodec_parameters_to_context, (AVCodecContext * c, const AVCodecParameters *p), (c, p))
WRAP_INT(av_read_frame, (AVFormatContext * f, AVPacket *p), (f, p))
WRAP_INT(avcodec_send_packet, (AVCodecContext * c, const AVPacket *p), (c, p))
WRAP_INT(avcodec_receive_packet, (AVCodecContext * c, AVPacket *p), (c, p))
WRAP_INT(av_frame_get_buffer, (AVFrame * f, int align), (f, align))
WRAP_INT(av_frame_make_writable, (AVFrame * f), (f))
WRAP_INT(av_interleaved_write_frame, (AVFormatContext * f, AVPacket *p), (f, p))
WRAP_INT(sws_scale,
	(struct SwsContext * c, const uint8_t *const s[], const int st[], int y, int h, uint8_t *const d[],
		const int dt[]),
	(c, s, st, y, h, d, dt))

/* Fails, or gives a frame that the decoder has found damaged. */
int __real_avcodec_receive_frame(AVCodecContext *c, AVFrame *f);
PSTK_PUBLIC int __wrap_avcodec_receive_frame(AVCodecContext *c, AVFrame *f);
int __wrap_avcodec_receive_frame(AVCodecContext *c, AVFrame *f)
{
	int got = fails("avcodec_receive_frame") ? with : __real_avcodec_receive_frame(c, f);

	if (!got && fails("damaged"))
		f->decode_error_flags = FF_DECODE_ERROR_INVALID_BITSTREAM;
	return got;
}

static struct pstk_video_output *open_avi(char *error)
{
	struct pstk_video_output *output = NULL;

	pstk_video_output_open(&output, PSTK_VIDEO_OUTPUT(.path = "a.avi", .width = W, .height = H), error,
		PSTK_VIDEO_ERROR_SIZE);
	return output;
}

static void make_avi(void)
{
	static const unsigned char map[W * H];
	char error[PSTK_VIDEO_ERROR_SIZE];
	struct pstk_video_output *output = open_avi(error);

	ck_assert_msg(output != NULL, "%s", error);
	for (unsigned i = 0; i < 3; i++)
		ck_assert_int_eq(pstk_video_output_write(output, map, NULL), 0);
	ck_assert_int_eq(pstk_video_output_complete(output), 0);
	pstk_video_output_close(output);
}

static const struct fault {
	const char *victim;
	int with, err;
	const char *text;
} reading[] = {
	{ "avformat_alloc_context", 0, -ENOMEM, "out of memory" },
	{ "av_find_best_stream", AVERROR_DECODER_NOT_FOUND, -ENOTSUP, "no decoder" },
	{ "avcodec_alloc_context3", 0, -ENOMEM, "out of memory" },
	{ "av_packet_alloc", 0, -ENOMEM, "out of memory" },
	{ "av_frame_alloc", 0, -ENOMEM, "out of memory" },
	{ "avcodec_parameters_to_context", AVERROR(ENOMEM), -ENOMEM, "wrong parameters" },
	{ "av_read_frame", AVERROR(EIO), -EPROTO, "cannot be read: Input/output error" },
	{ "avcodec_send_packet", AVERROR(ENOMEM), -ENOMEM, "cannot be decoded" },
	{ "avcodec_receive_frame", AVERROR(ENOMEM), -ENOMEM, "cannot be decoded" },
	{ "avcodec_receive_frame", AVERROR_EOF, -ENODATA, "has no frames" },
	{ "damaged", 0, -EPROTO, "frame 0 is damaged" },
};

static void refused(const char *path, const struct fault *fault)
{
	char error[PSTK_VIDEO_ERROR_SIZE];
	struct pstk_video_input *input = NULL;
	int err;

	victim = fault->victim;
	with = fault->with;
	err = pstk_video_input_open(&input, PSTK_VIDEO_INPUT(.path = path), error, sizeof(error));
	victim = NULL;
	ck_assert_msg(err == fault->err, "%s: %d: %s", fault->victim, err, error);
	ck_assert_ptr_null(input);
	TEST_SAYS(error, strcmp(path, "-") ? path : "stdin", fault->text);
}

START_TEST(reading_fails)
{
	make_avi();
	refused("a.avi", &reading[_i]);
}
END_TEST

START_TEST(reading_stdin_fails)
{
	make_avi();
	ck_assert_int_eq(dup2(open("a.avi", O_RDONLY), STDIN_FILENO), STDIN_FILENO);
	refused("-", &(const struct fault){ "avio_alloc_context", 0, -ENOMEM, "out of memory" });
}
END_TEST

START_TEST(scaling_fails)
{
	static const unsigned char frame[W * H];
	char error[PSTK_VIDEO_ERROR_SIZE];
	struct pstk_video_input *input = NULL;
	unsigned char got[W * H];

	files_write("a.y4m", "YUV4MPEG2 W32 H24 F25:1 Cmono\nFRAME\n", 36);
	ck_assert_int_eq(truncate("a.y4m", 36 + (off_t)sizeof(frame)), 0);
	victim = "sws_getContext";
	ck_assert_int_eq(
		pstk_video_input_open(&input, PSTK_VIDEO_INPUT(.path = "a.y4m", .width = 16, .height = 12),
			error, sizeof(error)),
		-ENOMEM);
	victim = NULL;
	TEST_SAYS(error, "a.y4m", "cannot scale 32x24 to 16x12");
	input = media_open(PSTK_VIDEO_INPUT(.path = "a.y4m", .width = 16, .height = 12));
	victim = "sws_scale";
	with = 0;
	ck_assert_int_eq(pstk_video_input_read(input, got), -EIO);
	victim = NULL;
	TEST_SAYS(pstk_video_input_error(input), "a.y4m", "cannot scale");
	pstk_video_input_close(input);
}
END_TEST

static const struct fault opening[] = {
	{ "avcodec_find_encoder", 0, -ENOTSUP, "no encoder" },
	{ "avcodec_alloc_context3", 0, -ENOMEM, "out of memory" },
	{ "avformat_new_stream", 0, -ENOMEM, "out of memory" },
	{ "av_packet_alloc", 0, -ENOMEM, "out of memory" },
	{ "av_frame_alloc", 0, -ENOMEM, "out of memory" },
	{ "av_frame_get_buffer", AVERROR(ENOMEM), -ENOMEM, "out of memory" },
	{ "sws_getContext", 0, -ENOMEM, "out of memory" },
};

START_TEST(opening_fails)
{
	char error[PSTK_VIDEO_ERROR_SIZE];

	victim = opening[_i].victim;
	with = opening[_i].with;
	ck_assert_ptr_null(open_avi(error));
	victim = NULL;
	TEST_SAYS(error, "a.avi", opening[_i].text);
	ck_assert_uint_eq(files_count(), 0);
}
END_TEST

static const struct fault writing[] = {
	{ "av_frame_make_writable", AVERROR(ENOMEM), -ENOMEM, "out of memory" },
	{ "avcodec_receive_packet", AVERROR_INVALIDDATA, -EPROTO, "cannot be encoded" },
	{ "av_interleaved_write_frame", AVERROR(EIO), -EPROTO, "cannot be encoded: Input/output error" },
};

/* The last packet is held until it is known how long its frame lasts: what fails then fails the end. */
START_TEST(held_packet_fails)
{
	static const unsigned char map[W * H];
	char error[PSTK_VIDEO_ERROR_SIZE];
	struct pstk_video_output *output = NULL;
	struct pstk_video_input *input;
	unsigned char frame[W * H];

	make_avi();
	input = media_open(PSTK_VIDEO_INPUT(.path = "a.avi", .frames = 1));
	ck_assert_int_eq(pstk_video_output_open(&output,
				 PSTK_VIDEO_OUTPUT(.path = "b.webm", .width = W, .height = H, .times = input),
				 error, sizeof(error)),
		0);
	ck_assert_int_eq(pstk_video_input_read(input, frame), 1);
	victim = "av_interleaved_write_frame";
	with = AVERROR(EIO);
	ck_assert_int_eq(pstk_video_output_write(output, map, NULL), 0);
	ck_assert_int_eq(pstk_video_output_complete(output), -EPROTO);
	victim = NULL;
	TEST_SAYS(pstk_video_output_error(output), "b.webm: cannot be ended: Input/output error");
	pstk_video_output_close(output);
	pstk_video_input_close(input);
	ck_assert_uint_eq(files_count(), 1);
}
END_TEST

START_TEST(writing_fails)
{
	static const unsigned char map[W * H];
	char error[PSTK_VIDEO_ERROR_SIZE];
	struct pstk_video_output *output = open_avi(error);
	int err;

	ck_assert_msg(output != NULL, "%s", error);
	victim = writing[_i].victim;
	with = writing[_i].with;
	err = pstk_video_output_write(output, map, NULL);
	ck_assert_msg(err == writing[_i].err, "%d", err);
	victim = NULL;
	TEST_SAYS(pstk_video_output_error(output), "a.avi", writing[_i].text);
	ck_assert_int_eq(pstk_video_output_complete(output), err);
	pstk_video_output_close(output);
	ck_assert_uint_eq(files_count(), 0);
}
END_TEST

/* An error without a name: kept until nothing fails any more, because Check's own calls would fail too. Without memory
 * for the input or output itself there is no name. */
static char nameless[PSTK_VIDEO_ERROR_SIZE + 32];

static void note_name(int err, const char *error, const char *name)
{
	if (err && !strstr(error, name) && strcmp(error, "out of memory"))
		snprintf(nameless, sizeof(nameless), "%d: '%s'", err, error);
}

/* Reads all of an input; 0 or its error. What fails says so with the input's name. */
static int read_through(const struct pstk_video_input_spec *spec, const char *label)
{
	char error[PSTK_VIDEO_ERROR_SIZE] = "";
	struct pstk_video_input *input = NULL;
	unsigned char frame[W * H];
	int got = pstk_video_input_open(&input, spec, error, sizeof(error));

	while (!got && (got = pstk_video_input_read(input, frame)) == 1)
		got = 0;
	if (got < 0 && input)
		snprintf(error, sizeof(error), "%s", pstk_video_input_error(input));
	pstk_video_input_close(input);
	note_name(got, error, label);
	return got;
}

static int write_through(const char *path)
{
	static const unsigned char map[W * H];
	char error[PSTK_VIDEO_ERROR_SIZE] = "";
	struct pstk_video_output *output = NULL;
	int err = pstk_video_output_open(
		&output, PSTK_VIDEO_OUTPUT(.path = path, .width = W, .height = H), error, sizeof(error));

	for (unsigned i = 0; i < 3 && !err; i++)
		err = pstk_video_output_write(output, map, NULL);
	if (!err)
		err = pstk_video_output_complete(output);
	if (err && output)
		snprintf(error, sizeof(error), "%s", pstk_video_output_error(output));
	pstk_video_output_close(output);
	note_name(err, error, path);
	return err;
}

/* Each frame with its time, into a container that has it. */
static int copy_through(const char *from, const char *to)
{
	char error[PSTK_VIDEO_ERROR_SIZE] = "";
	struct pstk_video_input *input = NULL;
	struct pstk_video_output *output = NULL;
	unsigned char frame[W * H];
	int err = pstk_video_input_open(&input, PSTK_VIDEO_INPUT(.path = from), error, sizeof(error)),
	    got = 1;

	note_name(err, error, from);
	if (!err) {
		err = pstk_video_output_open(&output,
			PSTK_VIDEO_OUTPUT(.path = to, .width = W, .height = H, .times = input), error,
			sizeof(error));
		note_name(err, error, to);
	}
	while (!err && (got = pstk_video_input_read(input, frame)) == 1)
		err = pstk_video_output_write(output, frame, NULL);
	if (got < 0)
		note_name(got, pstk_video_input_error(input), from);
	if (!err && !got)
		err = pstk_video_output_complete(output);
	if (err && output)
		note_name(err, pstk_video_output_error(output), to);
	pstk_video_output_close(output);
	pstk_video_input_close(input);
	return err ? err : got;
}

static int clip;

static int through(int scenario)
{
	switch (scenario) {
	case 0:
		return read_through(PSTK_VIDEO_INPUT(.path = "a.avi", .width = 16, .height = 12), "a.avi");
	case 1:
		lseek(clip, 0, SEEK_SET);
		return read_through(PSTK_VIDEO_INPUT(.path = "-"), "stdin");
	case 2:
		return read_through(PSTK_VIDEO_INPUT(.path = "a.y4m", .width = 16, .height = 12), "a.y4m");
	case 3:
		return write_through("fifo.gray");
	case 4:
		return write_through("b.avi");
	case 5:
		return copy_through("a.avi", "d.mkv");
	default:
		close(STDIN_FILENO); /* so that what is opened must be lifted */
		return write_through("c.gray");
	}
}

enum { SCENARIOS = 7 };

/* Each allocation and each system call fails once: an error with the name, or a result that doesn't need it. */
/* Larger than what the reader takes at once, so that it reads on within a frame. */
static void write_large_y4m(void)
{
	FILE *file = fopen("a.y4m", "w");

	ck_assert_ptr_nonnull(file);
	fputs("YUV4MPEG2 W32 H24 F25:1 Cmono\n", file);
	for (unsigned i = 0; i < 200; i++) {
		fputs("FRAME\n", file);
		for (unsigned p = 0; p < W * H; p++)
			fputc((int)(p + i) & 255, file);
	}
	ck_assert_int_eq(fclose(file), 0);
}

START_TEST(each_call_fails)
{
	unsigned errors = 0;
	int fifo;

	make_avi();
	write_large_y4m();
	ck_assert_int_eq(mkfifo("fifo.gray", 0600), 0);
	fifo = open("fifo.gray", O_RDWR | O_NONBLOCK);
	clip = open("a.avi", O_RDONLY);
	ck_assert_int_eq(dup2(clip, STDIN_FILENO), STDIN_FILENO);
	ck_assert_int_eq(through(_i), 0);
	for (unsigned kind = 0; kind < 2; kind++) {
		bool failed = true;

		for (unsigned n = 1; failed; n++) {
			char drain[8 * W * H];
			int err;

			(kind ? files_fail_system : test_fail_allocation)(n);
			err = through(_i);
			failed = kind ? files_system_failed() : test_allocation_failed();
			ck_assert_msg(!*nameless, "%u: %s", n, nameless);
			ck_assert_msg(failed || !err, "%d without a fault", err);
			errors += err != 0;
			while (read(fifo, drain, sizeof(drain)) > 0)
				;
		}
	}
	ck_assert_uint_gt(errors, 3);
	close(fifo);
}
END_TEST

/* An error of libpng's own. */
#ifdef HAVE_PNG
void __real_png_write_row(png_structrp context, png_const_bytep row);
PSTK_PUBLIC void __wrap_png_write_row(png_structrp context, png_const_bytep row);
void __wrap_png_write_row(png_structrp context, png_const_bytep row)
{
	if (fails("png_write_row"))
		png_error(context, "planted");
	__real_png_write_row(context, row);
}

START_TEST(png_fails)
{
	victim = "png_write_row";
	ck_assert_int_eq(write_through("a.png"), -EIO);
	victim = NULL;
	ck_assert_str_eq(nameless, "");
	ck_assert_uint_eq(files_count(), 0);
}
END_TEST
#endif

/* Names that stand for a descriptor are it, and not a file to be replaced. */
START_TEST(named_descriptors)
{
	int fd = open("d", O_RDWR | O_CREAT, 0600), err = dup(STDERR_FILENO);
	char name[32];

	snprintf(name, sizeof(name), "/dev/fd/%d", fd);
	ck_assert_int_eq(write_through(name), 0);
	ck_assert_int_eq(lseek(fd, 0, SEEK_END), 3 * W * H);
	ck_assert_int_eq(dup2(fd, STDERR_FILENO), STDERR_FILENO);
	ck_assert_int_eq(write_through("/dev/stderr"), 0);
	ck_assert_int_eq(dup2(err, STDERR_FILENO), STDERR_FILENO);
	ck_assert_int_eq(lseek(fd, 0, SEEK_END), 6 * W * H);
	ck_assert_uint_eq(files_count(), 1);
	close(fd);
	close(err);
}
END_TEST

#endif

START_TEST(nothing_without_ffmpeg)
{
	ck_assert_uint_eq(files_count(), 0);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("ffmpeg faults");
	TCase *c = files_case(suite, "faults");

	tcase_add_test(c, nothing_without_ffmpeg);
#ifdef HAVE_FFMPEG
	tcase_add_loop_test(c, reading_fails, 0, (int)TEST_COUNT(reading));
	tcase_add_test(c, reading_stdin_fails);
	tcase_add_test(c, scaling_fails);
	tcase_add_loop_test(c, opening_fails, 0, (int)TEST_COUNT(opening));
	tcase_add_loop_test(c, writing_fails, 0, (int)TEST_COUNT(writing));
	tcase_add_test(c, held_packet_fails);
	tcase_add_loop_test(c, each_call_fails, 0, SCENARIOS);
#ifdef HAVE_PNG
	tcase_add_test(c, png_fails);
#endif
	tcase_add_test(c, named_descriptors);
#endif
	return test_main(suite);
}
