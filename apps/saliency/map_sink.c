/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "apps/saliency/map_sink.h"
#include "apps/common/app.h"

#include <errno.h>
#include <string.h>

enum { CHUNK = 4096 }; /* floats */

bool map_sink_is_for(const char *path)
{
	return path && ps_ends_with(path, ".f32");
}

int map_sink_open(struct map_sink *sink, const char *path)
{
	int err;

	ps_label(sink->label, path);
	ps_writer_init(&sink->writer);
	sink->opened = true;
	err = ps_writer_open(&sink->writer, path);
	return err ? app_fail(EXIT_FAILED, "%s: %s", sink->label, strerror(-err)) : 0;
}

void map_sink_close(struct map_sink *sink)
{
	if (sink->opened)
		ps_writer_close(&sink->writer);
}

static int write_floats(struct ps_writer *writer, const float *values, size_t n)
{
	unsigned char bytes[CHUNK * sizeof(float)];
	int err = 0;

	for (size_t i = 0, part; i < n && !err; i += part) {
		part = n - i < CHUNK ? n - i : CHUNK;
		for (size_t k = 0; k < part; k++) {
			uint32_t bits;

			memcpy(&bits, &values[i + k], sizeof bits);
			for (unsigned byte = 0; byte < sizeof bits; byte++)
				bytes[k * sizeof bits + byte] = (unsigned char)(bits >> 8 * byte);
		}
		err = ps_writer_write(writer, bytes, part * sizeof(float));
	}
	return err;
}

static int fail(struct pstk_actor *self, int err)
{
	const struct map_sink *sink = pstk_actor_arg(self);

	return pstk_actor_error(
		self, err, "%s: %s", sink->label, err == -ECANCELED ? "stopped" : strerror(-err));
}

static int sink_fire(struct pstk_firing *f)
{
	struct pstk_actor *self = pstk_firing_actor(f);
	struct map_sink *sink = pstk_actor_arg(self);
	const float *maps = pstk_fifo_read_start(f, 0);
	size_t floats = pstk_port_valid(f, 0) * pstk_actor_port_token_size(self, 0) / sizeof *maps;
	int err = sink->opened ? write_floats(&sink->writer, maps, floats) : 0;

	if (err)
		return fail(self, err);
	pstk_fifo_read_end(f, 0);
	return PSTK_AGAIN;
}

static int sink_finish(struct pstk_actor *self)
{
	struct map_sink *sink = pstk_actor_arg(self);
	int err = 0;

	if (sink->opened && !pstk_network_failed(pstk_actor_network(self)))
		err = ps_writer_complete(&sink->writer);
	return err ? fail(self, err) : 0;
}

/* A stop lets the maps under way be written; only when they are dropped may writing be cut short. */
static void sink_unblock(struct pstk_actor *self)
{
	struct map_sink *sink = pstk_actor_arg(self);

	if (sink->opened && pstk_network_failed(pstk_actor_network(self)))
		ps_writer_stop(&sink->writer);
}

#define SINK(may_wait)                                                                             \
	{                                                                                          \
		.struct_size = sizeof(struct pstk_actor_type), .name = "map_sink", .ports = ports, \
		.port_count = 1, .blocks = (may_wait), .fire = sink_fire, .finish = sink_finish,   \
		.unblock = sink_unblock,                                                           \
	}

static const struct pstk_port ports[] = {
	{ .name = "in", .kind = PSTK_INPUT, .token_type = "f32", .rate = 1 },
};

const struct pstk_actor_type *map_sink_type(bool waits)
{
	static const struct pstk_actor_type blocks = SINK(true), prompt = SINK(false);

	return waits ? &blocks : &prompt;
}
