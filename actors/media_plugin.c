/* SPDX-License-Identifier: MIT */
/* The plug-in of libpenstock-media: video sources and sinks by name, for graph files. */
#include "config.h"

#include "actors/common/plugin_types.h"
#include "penstock/media.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char gray8[] = "gray8";

/* Two numbers apart by a letter, "320x240", "30000/1001"; one alone: the second is 1, where that may be. An empty text
 * gives zeros. */
static bool read_pair(const char *text, char letter, bool alone, uint32_t *first, uint32_t *second)
{
	char between = 0;
	int end = 0,
	    count = sscanf(text, "%9" SCNu32 "%n%c%9" SCNu32 "%n", first, &end, &between, second, &end);

	if (strpbrk(text, "+- "))
		return false;
	if (!*text || (count == 1 && alone && !text[end])) {
		*first = *text ? *first : 0;
		*second = *text ? 1 : 0;
		return true;
	}
	return count == 3 && between == letter && !text[end] && text[0] >= '0' && text[0] <= '9';
}

/*
 * Source.
 */

struct source {
	const char *input, *size;
	uint64_t frames;
};

static const struct pstk_param source_params[] = {
	PARAM(source, input, "string", .default_value = "",
		.help = "a file, '-' for stdin, or what else FFmpeg reads; none: a generated street scene"),
	PARAM(source, size, "string", .default_value = "",
		.help = "WIDTHxHEIGHT: of the scene, of frames in NAME.gray; others are scaled to it"),
	PARAM(source, frames, "u64", .default_value = "0",
		.help = "the stream ends after so many; 0: where the input ends"),
};
BUILDER_TYPE(source_type, "video_source", source, source_params)

static int open_input(struct pstk_plugin_call *call, struct pstk_video_input **input)
{
	const struct source *s = call->arg;
	struct pstk_video_input_spec spec = pstk_video_input_spec_init();
	char error[PSTK_VIDEO_ERROR_SIZE];
	int err;

	spec.path = ps_or_null(s->input);
	spec.frames = s->frames;
	read_pair(s->size, 'x', false, spec.path ? &spec.width : &spec.scene_width,
		spec.path ? &spec.height : &spec.scene_height);
	err = pstk_video_input_open(input, &spec, error, sizeof error);
	if (err)
		pstk_network_refuse(call->network, err, "'%s': %s", call->name, error);
	return err;
}

/* Without the file: its size must be said. */
static struct pstk_actor *add_unopened(struct pstk_plugin_call *call)
{
	const struct source *s = call->arg;

	call->format.pixels = gray8;
	read_pair(s->size, 'x', false, &call->format.width, &call->format.height);
	if (call->format.width)
		return pstk_network_add(call->network, call->name, pstk_video_source_type(), NULL);
	pstk_network_refuse(call->network, -ENODATA,
		"'%s': the size of its frames is not known, as there is no file '%s': give "
		"size=WIDTHxHEIGHT",
		call->name, s->input);
	return NULL;
}

static bool check_source(const struct pstk_plugin_call *call)
{
	const struct source *s = call->arg;
	uint32_t width = 0, height = 0;

	if (!read_pair(s->size, 'x', false, &width, &height) || (*s->size && !(width && height)))
		pstk_network_refuse(call->network, -EINVAL,
			"'%s': size is '%s': expected WIDTHxHEIGHT, as 320x240", call->name, s->size);
	else if (!*s->input && !width)
		pstk_network_refuse(call->network, -EINVAL,
			"'%s': give it an input, or the size of the generated scene, size=WIDTHxHEIGHT",
			call->name);
	else
		return true;
	return false;
}

static struct pstk_actor *add_source(struct pstk_plugin_call *call)
{
	struct pstk_video_input *input = NULL;
	struct pstk_video_info info;

	call->reads = ps_or_null(((const struct source *)call->arg)->input);
	if (!check_source(call))
		return NULL;
	if (call->dry && call->reads && !ps_is_regular(call->reads))
		return add_unopened(call);
	if (open_input(call, &input))
		return NULL;
	call->object = input;
	pstk_video_input_get_info(input, &info);
	call->format = (struct pstk_plugin_format){ gray8, info.width, info.height, info.rate_num,
		info.rate_den, input };
	return pstk_network_add(call->network, call->name, pstk_video_source_type_for(input), input);
}

static void close_source(void *object)
{
	pstk_video_input_close(object);
}

/*
 * Sink.
 */

struct sink {
	const char *output, *frame_rate;
	uint32_t width, height;
	bool overlay, times;
};

static const struct pstk_param sink_params[] = {
	PARAM(sink, output, "string", .default_value = "",
		.help = "a file, by its ending: NAME.gray, NAME.y4m, NAME.png, or what FFmpeg writes; '-' "
			"for "
			"stdout; none: frames are swallowed"),
	PARAM(sink, width, "u32", .default_value = "0", .help = "pixels; 0: as the frames that come in"),
	PARAM(sink, height, "u32", .default_value = "0", .help = "pixels; 0: as the frames that come in"),
	PARAM(sink, frame_rate, "string", .default_value = "",
		.help = "frames a second, 25 or 30000/1001; none: as the source has it, or else 25"),
	PARAM(sink, times, "bool", .default_value = "true",
		.help = "the file keeps the time stamps of the source, where it is known and frame_rate is "
			"not given"),
	PARAM(sink, overlay, "bool", .default_value = "false",
		.help = "it has a second port, frame, and paints motion red into that; not into raw frames"),
};
BUILDER_TYPE(sink_type, "video_sink", sink, sink_params)

/* What the actor borrows. */
struct output {
	struct pstk_video_output *output;
	struct pstk_video_sink_arg arg;
};

static bool read_spec(struct pstk_plugin_call *call, struct pstk_video_output_spec *spec)
{
	const struct sink *s = call->arg;

	spec->path = ps_or_null(s->output);
	spec->width = s->width;
	spec->height = s->height;
	spec->overlay = s->overlay;
	spec->rate_num = call->format.rate_num;
	spec->rate_den = call->format.rate_den;
	spec->times = s->times && !*s->frame_rate ? call->format.times : NULL;
	spec->dry = call->dry;
	if (*s->frame_rate && (!read_pair(s->frame_rate, '/', true, &spec->rate_num, &spec->rate_den) ||
				      !spec->rate_num || !spec->rate_den)) {
		pstk_network_refuse(call->network, -EINVAL,
			"'%s': frame_rate is '%s': expected frames a second, as 25 or 30000/1001", call->name,
			s->frame_rate);
		return false;
	}
	if (spec->path && !(spec->width && spec->height)) {
		pstk_network_refuse(call->network, -EINVAL,
			"'%s': no FIFO brings the size of its frames: give width and height", call->name);
		return false;
	}
	return true;
}

static bool open_output(
	struct pstk_plugin_call *call, struct output *o, const struct pstk_video_output_spec *spec)
{
	char error[PSTK_VIDEO_ERROR_SIZE];
	int err = pstk_video_output_open(&o->output, spec, error, sizeof error);

	if (err)
		pstk_network_refuse(call->network, err, "'%s': %s", call->name, error);
	o->arg = (struct pstk_video_sink_arg){ &o->output, 1 };
	return !err;
}

static struct pstk_actor *add_sink(struct pstk_plugin_call *call)
{
	struct pstk_video_output_spec spec = pstk_video_output_spec_init();
	struct pstk_video_sink_arg *arg = NULL;
	struct output *o;

	if (!read_spec(call, &spec))
		return NULL;
	call->writes = spec.path;
	if (spec.path) {
		call->object = o = calloc(1, sizeof *o);
		if (!o) {
			pstk_network_refuse(call->network, -ENOMEM, "'%s': out of memory", call->name);
			return NULL;
		}
		if (!open_output(call, o, &spec))
			return NULL;
		arg = call->dry ? NULL : &o->arg;
	}
	return pstk_network_add(call->network, call->name,
		spec.overlay ? pstk_video_overlay_type_for(arg) : pstk_video_sink_type_for(arg), arg);
}

static void close_sink(void *object)
{
	struct output *o = object;

	pstk_video_output_close(o->output);
	free(o);
}

static const struct pstk_plugin_type types[] = {
	{ .help = "writes frames to a file",
		.type = sink_type,
		.add = add_sink,
		.close = close_sink,
		.format = gray8 },
	{ .help = "reads frames of a video, or generates some",
		.type = source_type,
		.add = add_source,
		.close = close_source,
		.format = gray8,
		.example = "size=320x240" },
};

PSTK_PLUGIN(.name = "media", .types = types, .type_count = sizeof types / sizeof *types);
