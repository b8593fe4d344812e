/* SPDX-License-Identifier: MIT */
#include "config.h"

#include <penstock/media.h>

#include "actors/common/message.h"
#include "actors/common/reader.h"
#include "apps/common/app.h"
#include "apps/common/inputs.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* One file. */
struct input {
	struct pstk_video_input *video; /* NULL: it is raw, or not open */
	struct ps_reader raw;
	struct size size;            /* of its images, once it was open */
	bool is_raw, is_open, stays; /* stays: it can't be opened again */
};

static const char *called(const char *path)
{
	return strcmp(path, "-") != 0 ? path : "stdin";
}

static int fail(struct inputs *in, int err, const char *format, ...) PSTK_PRINTF(3, 4);
static int fail(struct inputs *in, int err, const char *format, ...)
{
	char label[PS_LABEL_SIZE];
	va_list args;

	ps_label(label, called(in->paths[in->at]));
	va_start(args, format);
	ps_message(in->error, sizeof in->error, label, format, args);
	va_end(args);
	return err;
}

static bool is_raw(const char *path)
{
	return ps_ends_with(path, ".u8") || ps_ends_with(path, ".gray");
}

/* Names that are no files (URLs, numbered pictures) can be opened again, too. */
static bool can_wait(const char *path)
{
	struct stat status;

	return !strcmp(path, "-") || (!stat(path, &status) && !S_ISREG(status.st_mode));
}

/* Bytes of an image, 8-bit grey. 0: more than memory can have. */
static size_t bytes_of(const struct size *size)
{
	size_t bytes = size->width;

	if (__builtin_mul_overflow(bytes, size->height, &bytes) ||
		__builtin_mul_overflow(bytes, size->depth, &bytes))
		return 0;
	return bytes;
}

/* A raw file holds whole images. */
static int check_length(struct inputs *in, struct ps_reader *reader)
{
	int64_t bytes = reader->regular ? ps_reader_size(reader) : -1;
	size_t image = bytes_of(&in->size);

	if (bytes < 0)
		return 0;
	if (!bytes)
		return fail(in, -ENODATA, "is empty");
	if ((uint64_t)bytes % image == 0)
		return 0;
	return fail(in, -EINVAL,
		"has %" PRId64 " byte%s: no whole number of images of %" PRIu32 "x%" PRIu32 "x%" PRIu32
		", %zu bytes each: give its --size",
		bytes, ps_plural((uint64_t)bytes), in->size.width, in->size.height, in->size.depth, image);
}

static int open_raw(struct inputs *in, struct input *input)
{
	int err;

	if (!in->scaled)
		return fail(in, -EINVAL, "is raw: give its --size");
	input->size = in->size;
	ps_reader_init(&input->raw);
	err = ps_reader_open(&input->raw, in->paths[in->at]);
	if (err)
		fail(in, err, "%s", strerror(-err));
	else
		err = check_length(in, &input->raw);
	if (err)
		ps_reader_close(&input->raw);
	return err;
}

static uint32_t larger(uint32_t a, uint32_t b)
{
	return a > b ? a : b;
}

/* Each input has its own size. Once all were looked at, there is no room for larger ones. */
static int add_size(struct inputs *in, const struct size *now)
{
	bool fits = now->width <= in->size.width && now->height <= in->size.height;

	if (in->looked && !fits)
		return fail(in, -EINVAL,
			"has changed: it has %" PRIu32 "x%" PRIu32 " pixels now, more than before",
			now->width, now->height);
	in->size =
		(struct size){ larger(in->size.width, now->width), larger(in->size.height, now->height), 1 };
	return 0;
}

static int check_size(struct inputs *in, const struct size *now)
{
	if (in->each)
		return add_size(in, now);
	if (!in->size.width)
		in->size = *now;
	if (in->size.width == now->width && in->size.height == now->height)
		return 0;
	return fail(in, -EINVAL,
		"has %" PRIu32 "x%" PRIu32 " pixels, the images before it %" PRIu32 "x%" PRIu32
		": give a --size for all, or run them apart",
		now->width, now->height, in->size.width, in->size.height);
}

static int open_video(struct inputs *in, struct input *input)
{
	struct pstk_video_info info;
	struct pstk_video_input *video;
	int err;

	if (in->size.depth > 1)
		return fail(in, -EINVAL, "is no volume: of those only raw files (.u8) are read");
	err = pstk_video_input_open(&video,
		PSTK_VIDEO_INPUT(.path = in->paths[in->at], .width = in->scaled ? in->size.width : 0,
			.height = in->scaled ? in->size.height : 0),
		in->error, sizeof in->error);
	if (err)
		return err;
	pstk_video_input_get_info(video, &info);
	input->size = (struct size){ info.width, info.height, 1 };
	err = check_size(in, &input->size);
	if (err) {
		pstk_video_input_close(video);
		return err;
	}
	input->video = video;
	if (!in->rate_num) {
		in->rate_num = info.rate_num;
		in->rate_den = info.rate_den;
	}
	return 0;
}

/* Opens the one that is to be read. */
static int open_one(struct inputs *in)
{
	struct input *input = &in->list[in->at];
	int err;

	if (input->is_open)
		return 0;
	input->is_raw = is_raw(in->paths[in->at]);
	pthread_mutex_lock(&in->lock);
	err = input->is_raw ? open_raw(in, input) : open_video(in, input);
	input->is_open = !err;
	pthread_mutex_unlock(&in->lock);
	return err;
}

static void close_one(struct inputs *in)
{
	struct input *input = &in->list[in->at];

	pthread_mutex_lock(&in->lock);
	if (input->is_open && input->is_raw)
		ps_reader_close(&input->raw);
	else if (input->is_open)
		pstk_video_input_close(input->video);
	*input = (struct input){ .stays = input->stays, .size = input->size };
	pthread_mutex_unlock(&in->lock);
}

/* What is wrong with a file, or with what was said of it, is the user's; memory is not. */
static int say(const struct inputs *in, int err)
{
	return app_fail(err == -ENOMEM ? EXIT_FAILED : EXIT_USAGE, "%s", in->error);
}

static int look_at_all(struct inputs *in)
{
	for (in->at = 0; in->at < in->count; in->at++) {
		struct input *input = &in->list[in->at];
		int err;

		input->stays = can_wait(in->paths[in->at]);
		in->waits |= input->stays;
		if (input->stays && in->passes > 1)
			return app_fail(EXIT_USAGE,
				"--repeat: %s can be read only once: write it to a file first",
				called(in->paths[in->at]));
		err = open_one(in);
		if (err)
			return say(in, err);
		if (!input->stays)
			close_one(in);
	}
	in->at = 0;
	in->empty = in->looked = true;
	return 0;
}

int inputs_open(struct inputs *in, const char *const *paths, unsigned count, const struct size *size,
	bool each, uint64_t passes)
{
	*in = (struct inputs){ .paths = paths,
		.count = count,
		.each = each && !size->width,
		.size = *size,
		.scaled = size->width,
		.passes = passes };
	if (in->scaled && !bytes_of(size))
		return app_fail(EXIT_USAGE,
			"--size: an image of %" PRIu32 "x%" PRIu32 "x%" PRIu32
			" has more bytes than memory can have",
			size->width, size->height, size->depth);
	in->list = calloc(count, sizeof *in->list);
	if (!in->list)
		return app_out_of_memory();
	in->has_lock = !pthread_mutex_init(&in->lock, NULL);
	return in->has_lock ? look_at_all(in) : app_out_of_memory();
}

const struct size *inputs_size(const struct inputs *in, unsigned index)
{
	return &in->list[index].size;
}

void inputs_get_rate(const struct inputs *in, uint32_t *num, uint32_t *den)
{
	*num = in->rate_num ? in->rate_num : 25;
	*den = in->rate_num ? in->rate_den : 1;
}

static int read_raw(struct inputs *in, struct input *input, uint8_t *grey)
{
	size_t bytes = bytes_of(&in->size);
	ssize_t got = ps_reader_full(&input->raw, grey, bytes);

	if (got < 0 && atomic_load(&input->raw.stopped))
		return 0;
	if (got < 0)
		return fail(in, (int)got, "%s", strerror((int)-got));
	if (!got && in->empty)
		return fail(in, -ENODATA, "is empty");
	if (got && (size_t)got < bytes)
		return fail(in, -ENODATA, "is cut off: its last image has %zd of %zu bytes", got, bytes);
	return got != 0;
}

static int read_video(struct inputs *in, struct input *input, uint8_t *grey)
{
	int got = pstk_video_input_read(input->video, grey);

	if (got < 0)
		snprintf(in->error, sizeof in->error, "%s", pstk_video_input_error(input->video));
	return got;
}

static bool is_stopped(struct inputs *in)
{
	bool stopped;

	pthread_mutex_lock(&in->lock);
	stopped = in->stopped;
	pthread_mutex_unlock(&in->lock);
	return stopped;
}

/* To the next file, or to the first one once more. false: there is none. */
static bool go_on(struct inputs *in)
{
	close_one(in);
	in->empty = true;
	if (++in->at < in->count)
		return true;
	in->at = 0;
	return --in->passes;
}

int inputs_read(struct inputs *in, uint8_t *grey)
{
	while (in->passes) {
		struct input *input = &in->list[in->at];
		int got = 0;

		if (!input->is_open)
			got = open_one(in);
		if (is_stopped(in))
			return 0;
		in->now = input->size;
		if (!got)
			got = input->is_raw ? read_raw(in, input, grey) : read_video(in, input, grey);
		if (got) {
			in->number = in->empty ? 0 : in->number + 1;
			in->empty = false;
			return got;
		}
		if (is_stopped(in) || !go_on(in))
			return 0;
	}
	return 0;
}

void inputs_stop(struct inputs *in)
{
	pthread_mutex_lock(&in->lock);
	in->stopped = true;
	for (unsigned i = 0; i < in->count; i++) {
		struct input *input = &in->list[i];

		if (input->is_open && input->is_raw)
			ps_reader_stop(&input->raw);
		else if (input->is_open)
			pstk_video_input_stop(input->video);
	}
	pthread_mutex_unlock(&in->lock);
}

void inputs_close(struct inputs *in)
{
	for (in->at = 0; in->has_lock && in->at < in->count; in->at++)
		close_one(in);
	if (in->has_lock)
		pthread_mutex_destroy(&in->lock);
	free(in->list);
	*in = (struct inputs){ .count = 0 };
}
