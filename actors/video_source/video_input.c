/* SPDX-License-Identifier: MIT */
/* A video input: chooses the format, scales, counts frames, keeps the first error. */
#include "config.h"

#include "actors/common/spec.h"
#include "actors/video_source/input.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int ps_input_fail(struct pstk_video_input *input, int err, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	ps_message(input->error, sizeof(input->error), input->label, format, args);
	va_end(args);
	return err;
}

int ps_input_truncated(
	struct pstk_video_input *input, uint64_t frames, const char *which, const char *format, ...)
{
	char cause[96], fix[64] = "";
	va_list args;

	va_start(args, format);
	vsnprintf(cause, sizeof(cause), format, args);
	va_end(args);
	if (frames)
		snprintf(fix, sizeof(fix), " (--frames %" PRIu64 " takes %s)", frames, which);
	return ps_input_fail(input, -ENODATA, "truncated%s%s", cause, fix);
}

static bool is_url(const char *path)
{
	return strstr(path, "://") || strchr(path, '%');
}

/* What is in a file is told by its first bytes, so that pipes and files without an ending work. */
static int open_by_content(struct pstk_video_input *input, const struct pstk_video_input_spec *spec)
{
	bool any = false;
	int y4m = ps_reader_starts_with(&input->reader, "YUV4MPEG2 ", 10, &any);

	if (y4m < 0)
		return ps_input_fail(input, y4m, "%s", strerror(-y4m));
	if (!any)
		return ps_input_fail(input, -ENODATA, "is empty");
	if (y4m)
		return ps_input_open_y4m(input);
	return ps_input_open_ffmpeg(input, spec);
}

static int open_path(struct pstk_video_input *input, const struct pstk_video_input_spec *spec)
{
	int err = ps_reader_open(&input->reader, spec->path);

	/* "http://..", "picture%03d.png": names of FFmpeg's that are no files */
	if (err == -ENOENT && is_url(spec->path))
		return ps_input_open_ffmpeg(input, spec);
	if (err)
		return ps_input_fail(input, err, "%s", strerror(-err));
	if (ps_ends_with(spec->path, ".gray"))
		return ps_input_open_raw(input, spec);
	return open_by_content(input, spec);
}

static int check_sizes(struct pstk_video_input *input, const struct pstk_video_input_spec *spec)
{
	uint32_t w = spec->width, h = spec->height;

	if ((w || h) && (!w || !h || w > PS_VIDEO_MAX_SIDE || h > PS_VIDEO_MAX_SIDE))
		return ps_input_fail(input, -EINVAL, "wrong size %ux%u (1x1 to %ux%u)", w, h,
			PS_VIDEO_MAX_SIDE, PS_VIDEO_MAX_SIDE);
	return 0;
}

static int add_scaler(struct pstk_video_input *input, const struct pstk_video_input_spec *spec)
{
	int err;

	if (!spec->width || (spec->width == input->width && spec->height == input->height))
		return 0;
	/* the bytes beyond the end: libswscale reads whole vectors */
	input->unscaled = calloc(1, (size_t)input->width * input->height + 64);
	if (!input->unscaled)
		return ps_input_fail(input, -ENOMEM, "out of memory");
	err = ps_scaler_create(
		&input->scaler, input->width, input->height, input->limited, spec->width, spec->height);
	if (err == -ENOTSUP)
		return ps_input_fail(input, err, "cannot scale %ux%u to %ux%u: this build has no FFmpeg",
			input->width, input->height, spec->width, spec->height);
	if (err)
		return ps_input_fail(input, err, "cannot scale %ux%u to %ux%u: %s", input->width,
			input->height, spec->width, spec->height, strerror(-err));
	return 0;
}

static int open_input(struct pstk_video_input *input, const struct pstk_video_input_spec *spec)
{
	int err;

	ps_label(input->label, !spec->path               ? "synthetic scene"
			       : strcmp(spec->path, "-") ? spec->path
							 : "stdin");
	ps_reader_init(&input->reader);
	input->limit = spec->frames;
	input->made = !spec->path;
	input->info.rate_num = 25;
	input->info.rate_den = 1;
	err = check_sizes(input, spec);
	if (!err)
		err = spec->path ? open_path(input, spec) : ps_input_open_scene(input, spec);
	if (!err)
		err = add_scaler(input, spec);
	input->info.width = spec->width ? spec->width : input->width;
	input->info.height = spec->height ? spec->height : input->height;
	return err;
}

int pstk_video_input_open(
	struct pstk_video_input **result, const struct pstk_video_input_spec *given, char *error, size_t size)
{
	struct pstk_video_input_spec spec;
	struct pstk_video_input *input;
	int err = -EINVAL;

	if (result)
		*result = NULL;
	if (error && size)
		snprintf(error, size, "wrong arguments");
	if (result && given)
		err = ps_copy_spec(&spec, sizeof(spec), sizeof(spec), given, "pstk_video_input", error, size);
	if (err)
		return err;
	if (error && size)
		snprintf(error, size, "out of memory");
	input = calloc(1, sizeof(*input));
	if (!input)
		return -ENOMEM;
	err = open_input(input, &spec);
	if (error && size)
		snprintf(error, size, "%s", input->error);
	if (err)
		pstk_video_input_close(input);
	else
		*result = input;
	return err;
}

int pstk_video_input_get_info(const struct pstk_video_input *input, struct pstk_video_info *info)
{
	if (!input || !info)
		return -EINVAL;
	*info = input->info;
	return 0;
}

static int read_frame(struct pstk_video_input *input, unsigned char *frame)
{
	int got = input->format->read(input, input->scaler ? input->unscaled : frame);

	if (got == 1 && input->scaler) {
		int err = ps_scaler_run(input->scaler, input->unscaled, frame);

		if (err)
			return ps_input_fail(input, err, "cannot scale: %s", strerror(-err));
	}
	return got;
}

struct ps_times *ps_input_times(const struct pstk_video_input *input)
{
	return input->times;
}

unsigned ps_input_audio_streams(const struct pstk_video_input *input)
{
	return input->audio_streams;
}

bool ps_input_waits(const struct pstk_video_input *input)
{
	return !input->made && !input->reader.regular;
}

bool ps_input_has_more(const struct pstk_video_input *input)
{
	return !input->limit || input->frames < input->limit;
}

int pstk_video_input_read(struct pstk_video_input *input, void *frame)
{
	int got;

	if (!input || !frame)
		return -EINVAL;
	if (input->failed)
		return input->failed;
	if (!ps_input_has_more(input) || atomic_load(&input->reader.stopped))
		return 0;
	got = read_frame(input, frame);
	if (got <= 0 && atomic_load(&input->reader.stopped)) {
		input->error[0] = '\0';
		return 0;
	}
	if (got == 0 && !input->frames)
		got = ps_input_fail(input, -ENODATA, "has no frames");
	if (got < 0)
		input->failed = got;
	else
		input->frames += (uint64_t)got;
	return got;
}

void pstk_video_input_stop(struct pstk_video_input *input)
{
	if (input)
		ps_reader_stop(&input->reader);
}

const char *pstk_video_input_error(const struct pstk_video_input *input)
{
	return input ? input->error : "";
}

void pstk_video_input_close(struct pstk_video_input *input)
{
	if (!input)
		return;
	if (input->format && input->format->close)
		input->format->close(input);
	ps_times_drop(input->times);
	ps_scaler_destroy(input->scaler);
	free(input->unscaled);
	ps_reader_close(&input->reader);
	free(input);
}
