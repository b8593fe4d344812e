/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "apps/srad/pictures.h"
#include "apps/common/files.h"
#include "apps/common/pattern.h"

#include <errno.h>
#include <inttypes.h>
#include <penstock/vision.h>
#include <stdlib.h>
#include <string.h>

enum { HEAD_ROOM = 64 };

static bool has_ending(const char *path)
{
	const char *slash = strrchr(path, '/');

	return strchr(slash ? slash + 1 : path, '.');
}

static int check_sizes(const struct pictures *p, const struct staged *s)
{
	for (unsigned i = 0; i < s->options.input_count; i++) {
		const struct size *size = inputs_size(&s->inputs, i);

		if (size->width != p->largest.width || size->height != p->largest.height)
			return app_fail(EXIT_USAGE,
				"--output %s: a video has frames of one size, and these inputs have several: "
				"give a --size, or a name in .pgm",
				p->path);
	}
	return 0;
}

static int init_numbered(struct pictures *p, const struct staged *s)
{
	int status = 0;

	p->kind = PICTURES_NUMBERED;
	if (!pattern_name(p->name, p->path, 0))
		return app_fail(EXIT_USAGE,
			"--output %s: expected one number in its name, such as out%%03d.pgm", p->path);
	for (unsigned i = 0; i < s->options.input_count && !status; i++)
		status = originals_add(&p->inputs, s->options.inputs[i]);
	return status;
}

int pictures_init(struct pictures *p, const struct staged *s)
{
	*p = (struct pictures){ .path = s->options.output,
		.largest = { s->inputs.size.width, s->inputs.size.height } };
	inputs_get_rate(&s->inputs, &p->rate_num, &p->rate_den);
	ps_writer_init(&p->writer);
	if (!p->path)
		return 0;
	ps_label(p->label, p->path);
	p->kind = !strcmp(p->path, "-") || !has_ending(p->path) || ps_ends_with(p->path, ".pgm")
	                  ? PICTURES_STREAM
	                  : PICTURES_VIDEO;
	if (p->kind == PICTURES_VIDEO)
		return check_sizes(p, s);
	if (!strchr(p->path, '%'))
		return 0;
	return init_numbered(p, s);
}

static int open_video(struct pictures *p)
{
	char error[PSTK_VIDEO_ERROR_SIZE];
	int err = pstk_video_output_open(&p->video,
		PSTK_VIDEO_OUTPUT(.path = p->path, .width = p->largest.width, .height = p->largest.height,
			.rate_num = p->rate_num, .rate_den = p->rate_den),
		error, sizeof error);

	p->open = !err;
	if (!err)
		return 0;
	return app_fail(err == -EINVAL || err == -ENOTSUP ? EXIT_USAGE : EXIT_FAILED, "%s", error);
}

static int open_stream(struct pictures *p)
{
	int err = ps_writer_open(&p->writer, p->path);

	p->open = !err;
	return err ? app_fail(EXIT_FAILED, "%s: %s", p->label, strerror(-err)) : 0;
}

int pictures_open(struct pictures *p, bool fifos)
{
	if (!p->path || p->open || p->kind == PICTURES_NUMBERED || (fifos && !files_is_fifo(p->path)))
		return 0;
	return p->kind == PICTURES_VIDEO ? open_video(p) : open_stream(p);
}

int pictures_complete(struct pictures *p)
{
	int err = 0;

	if (p->video && pstk_video_output_complete(p->video))
		return app_fail(EXIT_FAILED, "%s", pstk_video_output_error(p->video));
	if (p->open && p->kind == PICTURES_STREAM)
		err = ps_writer_complete(&p->writer);
	return err ? app_fail(EXIT_FAILED, "%s: %s", p->label, strerror(-err)) : 0;
}

void pictures_close(struct pictures *p)
{
	pstk_video_output_close(p->video);
	if (p->open && p->kind != PICTURES_VIDEO)
		ps_writer_close(&p->writer);
	originals_free(&p->inputs);
	*p = (struct pictures){ .path = NULL };
}

/*
 * The sink.
 */

static int write_picture(struct ps_writer *writer, const void *token)
{
	const struct pstk_frame_size size = pstk_sized_get(token);
	char head[HEAD_ROOM];
	int length =
		snprintf(head, sizeof head, "P5\n%" PRIu32 " %" PRIu32 "\n255\n", size.width, size.height);
	int err = ps_writer_write(writer, head, (size_t)length);

	return err ? err
	           : ps_writer_write(
			     writer, (const char *)token + PSTK_SIZED_HEAD, (size_t)size.width * size.height);
}

static int write_file(struct pictures *p, const void *token)
{
	int err;

	if (!pattern_name(p->name, p->path, p->count))
		return -ENAMETOOLONG;
	ps_label(p->label, p->name);
	if (originals_have(&p->inputs, p->name))
		return -EEXIST;
	err = ps_writer_open(&p->writer, p->name);
	if (err)
		return err;
	p->open = true;
	err = write_picture(&p->writer, token);
	if (!err)
		err = ps_writer_complete(&p->writer);
	ps_writer_close(&p->writer);
	p->open = false;
	return err;
}

static int take(struct pictures *p, struct pstk_actor *self, const void *token)
{
	int err;

	if (!p->path)
		return 0;
	if (p->video) {
		err = pstk_video_output_write(p->video, (const uint8_t *)token + PSTK_SIZED_HEAD, NULL);
		return err ? pstk_actor_error(self, err, "%s", pstk_video_output_error(p->video)) : 0;
	}
	err = p->kind == PICTURES_NUMBERED ? write_file(p, token) : write_picture(&p->writer, token);
	if (!err)
		return 0;
	return pstk_actor_error(self, err, "%s: %s", p->label,
		err == -ECANCELED ? "stopped"
		: err == -EEXIST  ? "is an input: give --output another name"
				  : strerror(-err));
}

static int fire(struct pstk_firing *f)
{
	struct pstk_actor *self = pstk_firing_actor(f);
	struct pictures *p = pstk_actor_arg(self);
	int err = take(p, self, pstk_fifo_read_start(f, 0));

	if (err)
		return err;
	p->count++;
	pstk_fifo_read_end(f, 0);
	return PSTK_AGAIN;
}

/* A stop lets the pictures under way be written; only when they are dropped may writing be cut short. */
static void unblock(struct pstk_actor *self)
{
	struct pictures *p = pstk_actor_arg(self);

	if (!pstk_network_failed(pstk_actor_network(self)))
		return;
	if (p->video)
		pstk_video_output_stop(p->video);
	else if (p->open)
		ps_writer_stop(&p->writer);
}

struct pstk_actor *pictures_add(struct pictures *p, struct pstk_network *net)
{
	static const struct pstk_port in = {
		.name = "in", .kind = PSTK_INPUT, .token_type = "u8", .rate = 1
	};

	return pstk_network_add(net, "sink",
		PSTK_ACTOR_TYPE(.name = "pictures", .ports = &in, .port_count = 1,
			.blocks = p->path && files_may_wait(p->path), .fire = fire, .unblock = unblock),
		p);
}
