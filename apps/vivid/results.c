/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "apps/vivid/results.h"
#include "actors/common/message.h"
#include "apps/common/files.h"
#include "apps/common/numbers.h"
#include "apps/common/whole.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { CELL = PSTK_VIVID_CELL, NAME_ROOM = 64 };

static bool is_text(const char *path)
{
	const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;

	return !strchr(name, '.') || ps_ends_with(name, ".txt") || ps_ends_with(name, ".csv");
}

static void add_port(struct results *r, const char *name, const char *type)
{
	r->ports[r->port_count++] =
		(struct pstk_port){ .name = name, .kind = PSTK_INPUT, .token_type = type, .rate = 1 };
}

static int check_video(const struct results *r, const struct staged *s)
{
	for (unsigned i = 0; i < s->options.input_count; i++) {
		const struct size *size = inputs_size(&s->inputs, i);

		if (size->width != r->largest.width || size->height != r->largest.height)
			return app_fail(EXIT_USAGE,
				"--output %s: a video has frames of one size, and these inputs have several: "
				"give a --size, or a name in .txt",
				r->path);
	}
	return 0;
}

/* The folder may be there. */
static int make_folder(const char *path)
{
	struct stat status;

	if (!mkdir(path, 0777) || (errno == EEXIST && !stat(path, &status) && S_ISDIR(status.st_mode)))
		return 0;
	return app_fail(
		EXIT_USAGE, "--dump: %s: %s", path, errno == EEXIST ? "Not a directory" : strerror(errno));
}

int results_init(struct results *r, const struct options *options, const struct staged *s)
{
	const char *path = s->options.output;
	int status;

	*r = (struct results){ .options = options,
		.path = path && !strcmp(path, "-") ? "/dev/stdout" : path,
		.dumps = options->dump,
		.largest = { s->inputs.size.width, s->inputs.size.height } };
	r->is_video = path && !is_text(r->path);
	inputs_get_rate(&s->inputs, &r->rate_num, &r->rate_den);
	add_port(r, "dist", "f32");
	if (r->dumps) {
		add_port(r, "value", "f32");
		add_port(r, "index", "u8");
		add_port(r, "hist", "f32");
	}
	if (!r->is_video)
		return 0;
	add_port(r, "frame", "u8");
	status = check_video(r, s);
	r->map = status ? NULL : malloc((size_t)r->largest.width * r->largest.height);
	return status || r->map ? status : app_out_of_memory();
}

static int open_video(struct results *r)
{
	char error[PSTK_VIDEO_ERROR_SIZE];
	int err = pstk_video_output_open(&r->video,
		PSTK_VIDEO_OUTPUT(.path = r->path, .width = r->largest.width, .height = r->largest.height,
			.rate_num = r->rate_num, .rate_den = r->rate_den, .overlay = true),
		error, sizeof error);

	if (!err)
		return 0;
	return app_fail(err == -EINVAL || err == -ENOTSUP ? EXIT_USAGE : EXIT_FAILED, "%s", error);
}

static int open_dump(struct results *r)
{
	int status;

	if (!r->dumps || r->name)
		return 0;
	r->name = malloc(strlen(r->options->dump) + NAME_ROOM);
	status = r->name ? make_folder(r->options->dump) : app_out_of_memory();
	if (!status)
		status = originals_add(&r->read, r->options->filters);
	return status ? status : originals_add(&r->read, r->options->classifier);
}

int results_open(struct results *r, bool fifos)
{
	int status = fifos ? 0 : open_dump(r);

	if (status || !r->path || r->lines || r->video || (fifos && !files_is_fifo(r->path)))
		return status;
	return r->is_video ? open_video(r) : whole_open(&r->lines, r->path);
}

int results_complete(struct results *r)
{
	struct whole *lines = r->lines;

	r->lines = NULL;
	if (r->video && pstk_video_output_complete(r->video))
		return app_fail(EXIT_FAILED, "%s", pstk_video_output_error(r->video));
	return lines ? whole_complete(lines) : 0;
}

void results_close(struct results *r)
{
	whole_drop(r->lines);
	pstk_video_output_close(r->video);
	originals_free(&r->read);
	free(r->map);
	free(r->name);
	*r = (struct results){ .path = NULL };
}

/*
 * Dumps.
 */

/* What a token has behind its size. */
static int dump(struct results *r, const void *token, const char *ending, size_t bytes)
{
	const void *from = (const char *)token + PSTK_SIZED_HEAD;
	bool floats = ps_ends_with(ending, ".f32"), good;
	FILE *file;

	snprintf(r->name, strlen(r->options->dump) + NAME_ROOM, "%s/%05" PRIu64 ".%s", r->options->dump,
		r->frames, ending);
	if (originals_have(&r->read, r->name))
		return -EEXIST;
	file = fopen(r->name, "wbe");
	if (!file)
		return -errno;
	good = floats ? !numbers_write(file, from, bytes / sizeof(float))
	              : fwrite(from, 1, bytes, file) == bytes;
	good = !fclose(file) && good;
	return good ? 0 : errno ? -errno : -EIO;
}

static int dump_all(struct results *r, const void *const *token)
{
	const struct pstk_frame_size size = pstk_sized_get(token[RESULTS_DIST]);
	const size_t pixels = (size_t)size.width * size.height,
		     cells = pstk_vivid_cells(size.width, size.height);
	int err = dump(r, token[RESULTS_VALUE], "value.f32", pixels * sizeof(float));

	if (!err)
		err = dump(r, token[RESULTS_INDEX], "index.u8", pixels);
	if (!err)
		err = dump(
			r, token[RESULTS_HIST], "hist.f32", cells * r->options->filter_count * sizeof(float));
	return err ? err : dump(r, token[RESULTS_DIST], "dist.f32", cells * r->options->rows * sizeof(float));
}

/*
 * The nearest cells.
 */

static size_t nearest(const float *dist, size_t cells)
{
	size_t best = 0;

	for (size_t i = 1; i < cells; i++)
		if (dist[i] < dist[best])
			best = i;
	return best;
}

/* The frame of a cell. */
static void paint(struct results *r, size_t x, size_t y)
{
	const size_t w = r->largest.width;
	uint8_t *at = r->map + y * w + x;

	memset(at, 255, CELL);
	memset(at + (CELL - 1) * w, 255, CELL);
	for (size_t i = 0; i < CELL; i++, at += w)
		at[0] = at[CELL - 1] = 255;
}

/* Of all rows: lines, or a map. */
static int find_all(struct results *r, const void *token)
{
	const struct pstk_frame_size size = pstk_sized_get(token);
	const size_t cells = pstk_vivid_cells(size.width, size.height), across = size.width / CELL;
	const float *dist = (const float *)token + PSTK_SIZED_HEAD / sizeof(float);
	FILE *lines = r->lines ? whole_file(r->lines) : NULL;

	if (r->map)
		memset(r->map, 0, (size_t)size.width * size.height);
	for (uint32_t row = 0; row < r->options->rows; row++, dist += cells) {
		size_t i = nearest(dist, cells), x = i % across * CELL, y = i / across * CELL;

		if (!(dist[i] < r->options->distance))
			continue;
		if (r->map)
			paint(r, x, y);
		if (lines)
			fprintf(lines, "%" PRIu64 " %" PRIu32 " %zu %zu %.9g\n", r->frames, row, x, y,
				(double)dist[i]);
	}
	return lines && ferror(lines) ? -EIO : 0;
}

/*
 * The sink.
 */

static int write_video(struct results *r, struct pstk_actor *self, const void *frame)
{
	int err = pstk_video_output_write(r->video, r->map, (const char *)frame + PSTK_SIZED_HEAD);

	return err ? pstk_actor_error(self, err, "%s", pstk_video_output_error(r->video)) : 0;
}

static int take(struct results *r, struct pstk_actor *self, const void *const *token)
{
	int err = 0;

	errno = 0;
	if (r->dumps)
		err = dump_all(r, token);
	if (err)
		return pstk_actor_error(self, err, "%s: %s", r->name,
			err == -EEXIST ? "is read: give --dump another folder" : strerror(-err));
	if (r->path)
		err = find_all(r, token[RESULTS_DIST]);
	if (err)
		return pstk_actor_error(self, err, "%s: %s", r->path, strerror(errno ? errno : EIO));
	return r->video ? write_video(r, self, token[r->port_count - 1]) : 0;
}

static int fire(struct pstk_firing *f)
{
	struct pstk_actor *self = pstk_firing_actor(f);
	struct results *r = pstk_actor_arg(self);
	const void *token[RESULTS_PORTS] = { NULL };
	int err;

	for (unsigned p = 0; p < r->port_count; p++)
		token[p] = pstk_fifo_read_start(f, p);
	err = take(r, self, token);
	if (err)
		return err;
	r->frames++;
	for (unsigned p = 0; p < r->port_count; p++)
		pstk_fifo_read_end(f, p);
	return PSTK_AGAIN;
}

static void unblock(struct pstk_actor *self)
{
	struct results *r = pstk_actor_arg(self);

	if (r->video)
		pstk_video_output_stop(r->video);
}

struct pstk_actor *results_add(struct results *r, struct pstk_network *net)
{
	return pstk_network_add(net, "sink",
		PSTK_ACTOR_TYPE(.name = "vivid_sink", .ports = r->ports, .port_count = r->port_count,
			.blocks = r->path && files_may_wait(r->path), .fire = fire, .unblock = unblock),
		r);
}
