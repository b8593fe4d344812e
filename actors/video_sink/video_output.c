/* SPDX-License-Identifier: MIT */
/* A video output: chooses the format by the ending, counts frames, keeps the first error. */
#include "config.h"

#include "actors/common/spec.h"
#include "actors/video_sink/output.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#define MAX_RATE 1000000u /* frames in a second */
#define MAX_PERIOD 1000u  /* seconds for a frame */
#define MAX_REPEATED 1e6  /* of one frame: half a day at 25 frames a second */
#define SLACK 0.6         /* of a frame: where times in between are taken for the nearest one's */

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

/* Where frames have a time in this format, and the input says which. */
static int join_times(struct pstk_video_output *output, enum kind kind)
{
	const struct pstk_video_input *input = output->spec.times;
	int err;

	if (!input || (kind != Y4M && kind != CONTAINER))
		return 0;
	output->loses_audio = ps_input_audio_streams(input) > 0;
	err = ps_input_times(input) ? ps_times_join(ps_input_times(input), &output->times) : 0;
	if (err == -EBUSY)
		return ps_output_fail(output, err,
			"frames of the input that says their times have been read: open the output before "
			"that");
	return err ? ps_output_fail(output, err, "out of memory") : 0;
}

static int open_output(struct pstk_video_output *output)
{
	const char *path = output->spec.path;
	enum kind kind = kind_of(path);
	int err;

	ps_label(output->label, strcmp(path, "-") ? path : "stdout");
	err = check_spec(output, kind);
	if (!err)
		err = join_times(output, kind);
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
		err = ps_copy_spec(&spec, sizeof(spec), offsetof(struct pstk_video_output_spec, times), given,
			"pstk_video_output", error, size);
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
	output->writer.dry = spec.dry;
	err = open_output(output);
	output->spec.path = NULL;
	output->spec.times = NULL;
	if (error && size)
		snprintf(error, size, "%s", output->error);
	if (err)
		pstk_video_output_close(output);
	else
		*result = output;
	return err;
}

int pstk_video_output_get_info(const struct pstk_video_output *output, struct pstk_video_output_info *info)
{
	if (!output || !info)
		return -EINVAL;
	*info = (struct pstk_video_output_info){ output->frames, output->repeated, output->left_out,
		output->loses_audio };
	return 0;
}

static int write_slot(struct pstk_video_output *output, const unsigned char *map, const unsigned char *frame)
{
	int err = output->format->write(output, map, frame);

	output->slots += !err;
	return err;
}

/* The last frame again until that many frames of the rate have been written, to the nearest one. */
static int repeat_until(struct pstk_video_output *output, double slots)
{
	double more = slots - (double)output->slots;
	int err = 0;

	if (more > MAX_REPEATED)
		return ps_output_fail(output, -EPROTO,
			"frame %" PRIu64
			" lasts %.0f s, %.0f frames of a constant rate: an ending such as .mp4 or .mkv "
			"keeps time stamps as they are",
			output->frames - 1, more * output->spec.rate_den / output->spec.rate_num, more);
	for (; more > SLACK && !err; more--) {
		err = output->format->repeat(output);
		output->slots += !err;
		output->repeated += !err;
	}
	return err;
}

/* A time in frames of the output's rate. */
static double slots_at(const struct pstk_video_output *output, int64_t time)
{
	const struct ps_times_spec *spec = ps_times_spec(output->times.times);

	return (double)time * spec->unit_num / spec->unit_den * output->spec.rate_num / output->spec.rate_den;
}

/* At a constant rate each frame comes when its time does, to a frame's: less than SLACK of one is no reason to repeat
 * one, as stamps are rounded. */
static int write_in_time(
	struct pstk_video_output *output, const unsigned char *map, const unsigned char *frame)
{
	struct ps_time time;
	double slots;
	int err = 0;

	ps_times_get(&output->times, output->frames, &time);
	slots = slots_at(output, time.start);
	ps_times_release(&output->times, output->frames);
	if (output->frames && slots < (double)output->slots - SLACK) {
		output->left_out++;
		return 0;
	}
	if (output->frames)
		err = repeat_until(output, slots);
	return err ? err : write_slot(output, map, frame);
}

static int write_frame(struct pstk_video_output *output, const unsigned char *map, const unsigned char *frame)
{
	struct ps_time time;

	if (atomic_load(&output->writer.stopped))
		return ps_output_fail(output, -ECANCELED, "stopped");
	if (!output->times.times)
		return write_slot(output, map, frame);
	if (!ps_times_get(&output->times, output->frames, &time))
		return ps_output_fail(output, -EINVAL,
			"frame %" PRIu64 " has no time: the input has not read so many frames",
			output->frames);
	return output->timed ? write_slot(output, map, frame) : write_in_time(output, map, frame);
}

int pstk_video_output_write(struct pstk_video_output *output, const void *map, const void *frame)
{
	if (!output || !map || output->completed || (output->spec.overlay && !frame))
		return -EINVAL;
	if (output->failed)
		return output->failed;
	output->failed = write_frame(output, map, frame);
	if (!output->failed)
		output->frames++;
	return output->failed;
}

/* The last frame lasts as long as the input's. */
static int end_in_time(struct pstk_video_output *output)
{
	struct ps_time time;

	if (!output->times.times || output->timed || !ps_times_get(&output->times, output->frames - 1, &time))
		return 0;
	return repeat_until(output, slots_at(output, time.start + time.duration));
}

static int complete(struct pstk_video_output *output)
{
	int err;

	if (!output->frames)
		return ps_output_fail(output, -ENODATA, "no frame was written");
	err = end_in_time(output);
	if (!err && output->format->complete)
		err = output->format->complete(output);
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
	ps_times_leave(&output->times);
	ps_writer_close(&output->writer);
	free(output);
}
