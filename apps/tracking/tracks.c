/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "apps/tracking/tracks.h"
#include "actors/common/message.h"
#include "apps/common/files.h"
#include "apps/common/whole.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { TRACKS, FRAME, PORTS };

static bool is_text(const char *path)
{
	const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;

	return !strchr(name, '.') || ps_ends_with(name, ".txt") || ps_ends_with(name, ".csv");
}

static int check_video(const struct tracks *t, const struct staged *s)
{
	for (unsigned i = 0; i < s->options.input_count; i++) {
		const struct size *size = inputs_size(&s->inputs, i);

		if (size->width != t->largest.width || size->height != t->largest.height)
			return app_fail(EXIT_USAGE,
				"--output %s: a video has frames of one size, and these inputs have several: "
				"give a --size, or a name in .txt",
				t->path);
	}
	return 0;
}

int tracks_init(struct tracks *t, const struct staged *s)
{
	const char *path = s->options.output;
	int status;

	*t = (struct tracks){ .path = path && !strcmp(path, "-") ? "/dev/stdout" : path,
		.largest = { s->inputs.size.width, s->inputs.size.height } };
	inputs_get_rate(&s->inputs, &t->rate_num, &t->rate_den);
	t->is_video = path && !is_text(t->path);
	if (!t->is_video)
		return 0;
	status = check_video(t, s);
	t->map = status ? NULL : malloc((size_t)t->largest.width * t->largest.height);
	return status || t->map ? status : app_out_of_memory();
}

static int open_video(struct tracks *t)
{
	char error[PSTK_VIDEO_ERROR_SIZE];
	int err = pstk_video_output_open(&t->video,
		PSTK_VIDEO_OUTPUT(.path = t->path, .width = t->largest.width, .height = t->largest.height,
			.rate_num = t->rate_num, .rate_den = t->rate_den, .overlay = true),
		error, sizeof error);

	if (!err)
		return 0;
	return app_fail(err == -EINVAL || err == -ENOTSUP ? EXIT_USAGE : EXIT_FAILED, "%s", error);
}

int tracks_open(struct tracks *t, bool fifos)
{
	if (!t->path || t->lines || t->video || (fifos && !files_is_fifo(t->path)))
		return 0;
	return t->is_video ? open_video(t) : whole_open(&t->lines, t->path);
}

int tracks_complete(struct tracks *t, const struct staged *s)
{
	struct whole *lines = t->lines;

	if (!t->pairs && !pstk_network_signal(s->network))
		return app_fail(EXIT_USAGE, "the input has fewer than two frames: features are followed from "
					    "a frame to the next one");
	/* the suite's settings find nothing in some wide frames: it looks as if the program did nothing */
	if (t->pairs && !t->found)
		app_fail(EXIT_DONE,
			"warning: no feature was found again: a smaller --window or more --features help");
	t->lines = NULL;
	if (t->video && pstk_video_output_complete(t->video))
		return app_fail(EXIT_FAILED, "%s", pstk_video_output_error(t->video));
	return lines ? whole_complete(lines) : 0;
}

void tracks_close(struct tracks *t)
{
	whole_drop(t->lines);
	pstk_video_output_close(t->video);
	free(t->map);
	*t = (struct tracks){ .path = NULL };
}

/*
 * Lines.
 */

static int write_lines(struct tracks *t, const struct pstk_found *found)
{
	const struct pstk_track *track = pstk_found_tracks(found);
	FILE *lines = whole_file(t->lines);

	for (uint32_t i = 0; i < found->count; i++, track++)
		fprintf(lines, "%" PRIu64 " %.6g %.6g %.3f %.3f\n", t->pairs + 2, (double)track->x,
			(double)track->y, (double)track->to_x, (double)track->to_y);
	return ferror(lines) ? -(errno ? errno : EIO) : 0;
}

/*
 * Arrows.
 */

static void paint(struct tracks *t, double x, double y)
{
	if (x >= 0 && y >= 0 && x < t->largest.width && y < t->largest.height)
		t->map[(size_t)y * t->largest.width + (size_t)x] = 255;
}

static void paint_line(struct tracks *t, double x, double y, double to_x, double to_y)
{
	double length = fmax(fabs(to_x - x), fabs(to_y - y));
	unsigned steps = (unsigned)ceil(length) + 1;

	for (unsigned i = 0; i <= steps; i++)
		paint(t, x + (to_x - x) * i / steps, y + (to_y - y) * i / steps);
}

/* From where it was to where it is, with a head that points there; of what stays a cross. */
static void paint_arrow(struct tracks *t, const struct pstk_track *track)
{
	const double x = (double)track->x, y = (double)track->y, to_x = (double)track->to_x,
		     to_y = (double)track->to_y, head = 4, open = 0.5;
	double angle = atan2(to_y - y, to_x - x);

	if (hypot(to_x - x, to_y - y) < 1) {
		paint_line(t, to_x - 2, to_y, to_x + 2, to_y);
		paint_line(t, to_x, to_y - 2, to_x, to_y + 2);
		return;
	}
	paint_line(t, x, y, to_x, to_y);
	paint_line(t, to_x, to_y, to_x - head * cos(angle + open), to_y - head * sin(angle + open));
	paint_line(t, to_x, to_y, to_x - head * cos(angle - open), to_y - head * sin(angle - open));
}

static int write_frame(struct tracks *t, const unsigned char *frame)
{
	return pstk_video_output_write(t->video, t->map, frame + PSTK_SIZED_HEAD);
}

/* The frame of the pair's tracks is the second one; the very first one has none. */
static int write_frames(
	struct tracks *t, const struct pstk_found *found, const unsigned char *frames, size_t bytes)
{
	int err = 0;

	memset(t->map, 0, (size_t)t->largest.width * t->largest.height);
	if (!t->pairs)
		err = write_frame(t, frames);
	for (uint32_t i = 0; i < found->count; i++)
		paint_arrow(t, &pstk_found_tracks(found)[i]);
	return err ? err : write_frame(t, frames + bytes);
}

/*
 * The sink.
 */

static int take(struct tracks *t, struct pstk_actor *self, const struct pstk_found *found,
	const unsigned char *frames)
{
	int err = 0;

	errno = 0;
	if (t->lines)
		err = write_lines(t, found);
	if (err)
		return pstk_actor_error(self, err, "%s: %s", t->path, strerror(-err));
	if (frames)
		err = write_frames(t, found, frames, pstk_actor_port_token_size(self, FRAME));
	return err ? pstk_actor_error(self, err, "%s", pstk_video_output_error(t->video)) : 0;
}

static int fire(struct pstk_firing *f)
{
	struct pstk_actor *self = pstk_firing_actor(f);
	struct tracks *t = pstk_actor_arg(self);
	const struct pstk_found *found = pstk_fifo_read_start(f, TRACKS);
	const unsigned char *frames = t->is_video ? pstk_fifo_read_start(f, FRAME) : NULL;
	int err = take(t, self, found, frames);

	if (err)
		return err;
	t->pairs++;
	t->found += found->count;
	pstk_fifo_read_end(f, TRACKS);
	if (frames)
		pstk_fifo_read_end(f, FRAME);
	return PSTK_AGAIN;
}

static void unblock(struct pstk_actor *self)
{
	struct tracks *t = pstk_actor_arg(self);

	if (t->video)
		pstk_video_output_stop(t->video);
}

struct pstk_actor *tracks_add(struct tracks *t, struct pstk_network *net)
{
	static const struct pstk_port ports[PORTS] = {
		[TRACKS] = { .name = "tracks", .kind = PSTK_INPUT, .token_type = "f32", .rate = 1 },
		[FRAME] = { .name = "frame", .kind = PSTK_INPUT, .token_type = "u8", .rate = 1, .peek = 2 },
	};

	return pstk_network_add(net, "sink",
		PSTK_ACTOR_TYPE(.name = "tracking_sink", .ports = ports, .port_count = t->is_video ? 2 : 1,
			.blocks = t->path && files_may_wait(t->path), .fire = fire, .unblock = unblock),
		t);
}
