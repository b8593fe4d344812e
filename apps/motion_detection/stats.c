/* SPDX-License-Identifier: MIT */
/* The figures of a run, as JSON. */
#include "config.h"

#include "actors/file.h"
#include "apps/motion_detection/stats.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct stats {
	const char *path;
	struct ps_part part; /* empty: a device, written directly */
	FILE *file;
};

static int fail(const struct stats *stats, int err)
{
	fprintf(stderr, "motion_detection: %s: %s\n", stats->path, strerror(err));
	return EXIT_FAILED;
}

static int open_file(struct stats *stats)
{
	int fd = ps_file_open_direct(stats->path), err;

	if (fd == 0)
		fd = ps_part_open(&stats->part, stats->path);
	if (fd < 0)
		return fail(stats, -fd);
	stats->file = fdopen(fd, "w");
	if (stats->file)
		return 0;
	err = errno;
	close(fd);
	return fail(stats, err);
}

int stats_open(struct stats **result, const char *path)
{
	struct stats *stats;
	int status;

	*result = NULL;
	if (!path)
		return 0;
	stats = calloc(1, sizeof(*stats));
	if (!stats) {
		fputs("motion_detection: out of memory\n", stderr);
		return EXIT_FAILED;
	}
	stats->path = path;
	status = open_file(stats);
	if (status)
		stats_drop(stats);
	else
		*result = stats;
	return status;
}

void stats_drop(struct stats *stats)
{
	if (!stats)
		return;
	if (stats->file)
		fclose(stats->file);
	ps_part_drop(&stats->part);
	free(stats);
}

#ifdef HAVE_JANSSON

#include <jansson.h>

/* Flushes the file and gives it its name. */
static int complete(struct stats *stats)
{
	int failed = ferror(stats->file) | fflush(stats->file), err = errno;

	if (failed)
		return fail(stats, err ? err : EIO);
	err = ps_part_complete(&stats->part);
	return err ? fail(stats, -err) : 0;
}

/* null: it runs on the cores. */
static json_t *device_json(const struct pstk_actor *actor)
{
	struct pstk_device_info info;

	if (pstk_actor_device(actor, &info))
		return json_null();
	return json_pack("{s:s, s:s, s:s, s:s}", "selector", info.selector, "name", info.name, "platform",
		info.platform, "driver", info.driver);
}

/* Of an actor on a device: where it is fired from. */
static json_t *actor_json(const struct pstk_actor *actor)
{
	struct pstk_actor_stats stats = { 0 };
	char where[32];

	pstk_actor_get_stats(actor, &stats);
	if (pstk_actor_core(actor) < 0)
		snprintf(where, sizeof(where), "any core");
	else
		snprintf(where, sizeof(where), "core %d", pstk_actor_core(actor));
	return json_pack("{s:s, s:s, s:s, s:o, s:I, s:I, s:I, s:I}", "name", pstk_actor_name(actor), "type",
		pstk_actor_get_type(actor)->name, "where", where, "device", device_json(actor), "firings",
		(json_int_t)stats.firings, "fire_ns", (json_int_t)stats.fire_ns, "wait_ns",
		(json_int_t)stats.wait_ns, "device_ns", (json_int_t)stats.device_ns);
}

static json_t *fifo_json(const struct pstk_fifo *fifo, uint64_t *copied)
{
	struct pstk_fifo_info info = { 0 };

	pstk_fifo_get_info(fifo, &info);
	*copied += info.bytes_copied;
	return json_pack("{s:s, s:s, s:s, s:s, s:I, s:I, s:I, s:I, s:I, s:s, s:b, s:I}", "from",
		pstk_actor_name(info.src), "output", pstk_actor_get_type(info.src)->ports[info.src_port].name,
		"to", pstk_actor_name(info.dst), "input",
		pstk_actor_get_type(info.dst)->ports[info.dst_port].name, "rate", (json_int_t)info.rate,
		"delay", (json_int_t)info.delay, "depth", (json_int_t)info.depth, "token_size",
		(json_int_t)info.token_size, "bytes", (json_int_t)info.bytes, "memory", info.memory, "shared",
		info.shared, "bytes_copied", (json_int_t)info.bytes_copied);
}

static json_t *make_json(
	const struct motion *motion, const struct options *options, const struct motion_times *times)
{
	const struct pstk_network *network = motion->network;
	json_t *actors = json_array(), *fifos = json_array();
	uint64_t copied = 0, frames = motion_frames(motion);
	double seconds = (double)times->run_ns / 1e9;

	for (unsigned i = 0; i < pstk_network_actor_count(network); i++)
		json_array_append_new(actors, actor_json(pstk_network_actor(network, i)));
	for (unsigned i = 0; i < pstk_network_fifo_count(network); i++)
		json_array_append_new(fifos, fifo_json(pstk_network_fifo(network, i), &copied));
	return json_pack(
		"{s:s, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:f, s:f, s:f, s:I, s:I, s:I, s:I, s:o, s:o}",
		"version", pstk_version(), "width", (json_int_t)motion->info.width, "height",
		(json_int_t)motion->info.height, "rate", (json_int_t)options->rate, "depth",
		(json_int_t)options->depth, "device_depth", (json_int_t)options->device_depth, "threshold",
		(json_int_t)options->threshold, "frames", (json_int_t)frames, "start_seconds",
		(double)times->start_ns / 1e9, "seconds", seconds, "frames_per_second",
		times->run_ns ? (double)frames / seconds : 0.0, "fifo_bytes",
		(json_int_t)pstk_network_fifo_bytes(network), "shared_bytes",
		(json_int_t)pstk_network_shared_bytes(network), "allocated_bytes",
		(json_int_t)pstk_network_allocated_bytes(network), "bytes_copied", (json_int_t)copied,
		"actors", actors, "fifos", fifos);
}

int stats_write(struct stats *stats, const struct motion *motion, const struct options *options,
	const struct motion_times *times)
{
	json_t *json;
	int status;

	if (!stats)
		return 0;
	json = make_json(motion, options, times);
	if (!json) {
		fputs("motion_detection: out of memory\n", stderr);
		status = EXIT_FAILED;
	} else {
		/* what went wrong in writing is in the stream */
		json_dumpf(json, stats->file, JSON_INDENT(2) | JSON_REAL_PRECISION(12));
		fputc('\n', stats->file);
		status = complete(stats);
	}
	json_decref(json);
	stats_drop(stats);
	return status;
}

#else

/* options_parse() refuses --stats in such a build. */
int stats_write(struct stats *stats, const struct motion *motion, const struct options *options,
	const struct motion_times *times)
{
	(void)motion, (void)options, (void)times;
	stats_drop(stats);
	return 0;
}

#endif
