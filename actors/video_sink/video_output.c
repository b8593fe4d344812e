/* SPDX-License-Identifier: MIT */
/* A video output: chooses the format by the ending, counts frames, keeps the first error. */
#include "config.h"

#include "actors/spec.h"
#include "actors/video_sink/output.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#define MAX_RATE 1000000u /* frames in a second */
#define MAX_PERIOD 1000u  /* seconds for a frame */

enum kind { RAW, Y4M, PNG, CONTAINER };

int ps_output_fail(struct pstk_video_output *output, int err, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	ps_message(output->error, sizeof(output->error), output->label, format, args);
	va_end(args);
	return err;
}

static enum kind kind_of(const char *path)
{
	const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path, *dot = strrchr(name, '.');

	/* ".maps" is a name without an ending */
	if (!dot || dot == name || !dot[1] || !strcmp(dot, ".gray"))
		return RAW;
	if (!strcmp(dot, ".y4m"))
		return Y4M;
	return strcmp(dot, ".png") ? CONTAINER : PNG;
}

static int check_spec(struct pstk_video_output *output, enum kind kind)
{
	struct pstk_video_output_spec *spec = &output->spec;

	if (!spec->rate_num && !spec->rate_den) {
		spec->rate_num = 25;
		spec->rate_den = 1;
	}
	if (!spec->width || !spec->height || spec->width > PS_VIDEO_MAX_SIDE ||
		spec->height > PS_VIDEO_MAX_SIDE)
		return ps_output_fail(output, -EINVAL, "wrong size %ux%u (1x1 to %ux%u)", spec->width,
			spec->height, PS_VIDEO_MAX_SIDE, PS_VIDEO_MAX_SIDE);
	if (!spec->rate_num || !spec->rate_den)
		return ps_output_fail(
			output, -EINVAL, "wrong frame rate %u/%u", spec->rate_num, spec->rate_den);
	if (spec->overlay && kind == RAW)
		return ps_output_fail(output, -EINVAL,
			"no overlay with raw maps: it needs .y4m, .png or a container such as .mp4");
	/* raw maps have no rate, and Y4M's is a text */
	if (kind == CONTAINER &&
		(spec->rate_num / spec->rate_den > MAX_RATE || spec->rate_den / spec->rate_num > MAX_PERIOD))
		return ps_output_fail(output, -EINVAL,
			"a container takes 1/%u to %u frames per second, not %u/%u", MAX_PERIOD, MAX_RATE,
			spec->rate_num, spec->rate_den);
	if (kind == CONTAINER)
		return ps_output_check_ffmpeg(output, spec->path);
	return 0;
}

static int open_output(struct pstk_video_output *output)
{
	const char *path = output->spec.path;
	enum kind kind = kind_of(path);
	int err;

	ps_label(output->label, strcmp(path, "-") ? path : "stdout");
	err = check_spec(output, kind);
	if (err)
		return err;
	err = ps_writer_open(&output->writer, path);
	if (err)
		return ps_output_fail(output, err, "%s", strerror(-err));
	if (kind == RAW)
		return ps_output_open_raw(output);
	if (kind == Y4M)
		return ps_output_open_y4m(output);
	if (kind == PNG)
		return ps_output_open_png(output);
	return ps_output_open_ffmpeg(output, path);
}

int pstk_video_output_open(struct pstk_video_output **result, const struct pstk_video_output_spec *given,
	char *error, size_t size)
{
	struct pstk_video_output_spec spec;
	struct pstk_video_output *output;
	int err = -EINVAL;

	if (result)
		*result = NULL;
	if (error && size)
		snprintf(error, size, "wrong arguments");
	if (result && given)
		err = ps_copy_spec(&spec, sizeof(spec), sizeof(spec), given, "pstk_video_output", error, size);
	if (!err && (!spec.path || !*spec.path))
		err = -EINVAL;
	if (err)
		return err;
	if (error && size)
		snprintf(error, size, "out of memory");
	output = calloc(1, sizeof(*output));
	if (!output)
		return -ENOMEM;
	output->spec = spec;
	ps_writer_init(&output->writer);
	err = open_output(output);
	output->spec.path = NULL;
	if (error && size)
		snprintf(error, size, "%s", output->error);
	if (err)
		pstk_video_output_close(output);
	else
		*result = output;
	return err;
}

int pstk_video_output_write(struct pstk_video_output *output, const void *map, const void *frame)
{
	if (!output || !map || output->completed || (output->spec.overlay && !frame))
		return -EINVAL;
	if (output->failed)
		return output->failed;
	if (atomic_load(&output->writer.stopped))
		output->failed = ps_output_fail(output, -ECANCELED, "stopped");
	else
		output->failed = output->format->write(output, map, frame);
	if (!output->failed)
		output->frames++;
	return output->failed;
}

static int complete(struct pstk_video_output *output)
{
	int err;

	if (!output->frames)
		return ps_output_fail(output, -ENODATA, "no frame was written");
	err = output->format->complete ? output->format->complete(output) : 0;
	if (err)
		return err;
	err = ps_writer_complete(&output->writer);
	return err ? ps_output_fail(output, err, "%s", err == -ECANCELED ? "stopped" : strerror(-err)) : 0;
}

int pstk_video_output_complete(struct pstk_video_output *output)
{
	if (!output || output->completed)
		return -EINVAL;
	if (!output->failed)
		output->failed = complete(output);
	output->completed = !output->failed;
	return output->failed;
}

void pstk_video_output_stop(struct pstk_video_output *output)
{
	if (output)
		ps_writer_stop(&output->writer);
}

const char *pstk_video_output_error(const struct pstk_video_output *output)
{
	return output ? output->error : "";
}

void pstk_video_output_close(struct pstk_video_output *output)
{
	if (!output)
		return;
	if (output->format && output->format->close)
		output->format->close(output);
	ps_writer_close(&output->writer);
	free(output);
}
