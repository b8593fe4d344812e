/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "apps/granulometry/results.h"
#include "actors/common/message.h"
#include "apps/common/app.h"
#include "apps/common/files.h"
#include "apps/common/plot.h"
#include "apps/common/whole.h"
#include "apps/granulometry/curve.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { WIDTH = 800, HEIGHT = 500 }; /* of the picture */

/* By the name's ending. */
static enum results_form form_of(const char *path)
{
	const char *name = path && strrchr(path, '/') ? strrchr(path, '/') : path;

	if (!path)
		return RESULTS_LINES;
	if (ps_ends_with(path, ".json"))
		return RESULTS_JSON;
	if (ps_ends_with(path, ".svg") || ps_ends_with(path, ".png"))
		return RESULTS_PICTURE;
	return ps_ends_with(path, ".csv") || !strchr(name, '.') ? RESULTS_CSV : RESULTS_NONE;
}

int results_check(const char *path)
{
	enum results_form form = form_of(path);

	if (path && form == RESULTS_NONE)
		return app_fail(
			EXIT_USAGE, "--output %s: a name in .csv, .json, .svg or .png is wanted", path);
	return form == RESULTS_PICTURE ? plot_check_gnuplot("output") : 0;
}

int results_init(struct results *r, const char *path, uint32_t openings, uint32_t split)
{
	*r = (struct results){ .path = path && strcmp(path, "-") != 0 ? path : "/dev/stdout",
		.form = form_of(path),
		.openings = openings,
		.split = split };
	r->counts = calloc(openings + (size_t)1, sizeof *r->counts);
	r->sums = calloc(openings + (size_t)1, sizeof *r->sums);
	return r->counts && r->sums ? 0 : app_out_of_memory();
}

int results_open(struct results *r)
{
	int status;

	if (r->form == RESULTS_PICTURE)
		return plot_open(&r->plot, r->path, WIDTH, HEIGHT);
	if (r->form == RESULTS_NONE)
		return 0;
	status = whole_open(&r->file, r->path);
	if (!status && r->form == RESULTS_CSV)
		fputs("image,n,G,PS\n", whole_file(r->file));
	else if (!status && r->form == RESULTS_JSON)
		fprintf(whole_file(r->file), "{\"split\": %" PRIu32 ", \"images\": [", r->split);
	return status;
}

uint32_t results_length(const uint64_t *counts, uint32_t openings)
{
	uint32_t n = 0;

	while (n < openings && counts[n])
		n++;
	return n + 1;
}

uint32_t results_main(const uint64_t *counts, uint32_t length)
{
	uint32_t best = length > 1 ? 0 : UINT32_MAX;

	for (uint32_t n = 1; n + 1 < length; n++)
		if (counts[n] - counts[n + 1] > counts[best] - counts[best + 1])
			best = n;
	return best;
}

static void write_line(const struct results *r, FILE *file, uint32_t length)
{
	const uint64_t *g = r->counts, left = g[length - 1];

	fprintf(file, "image %" PRIu64 ": ", r->images);
	if (!g[0]) {
		fputs("no pixels\n", file);
		return;
	}
	fprintf(file, "%" PRIu64 " pixel%s, main size %" PRIu32 ", ", g[0], g[0] == 1 ? "" : "s",
		results_main(g, length));
	if (left)
		fprintf(file, "%" PRIu64, left);
	else
		fputs("none", file);
	fprintf(file, " left by opening %" PRIu32 "\n", length - 1);
}

/* The last size has no PS. */
static void write_csv(const struct results *r, FILE *file, uint32_t length)
{
	const uint64_t *g = r->counts;

	for (uint32_t n = 0; n < length; n++) {
		fprintf(file, "%" PRIu64 ",%" PRIu32 ",%" PRIu64 ",", r->images, n, g[n]);
		if (n + 1 < length)
			fprintf(file, "%" PRIu64, g[n] - g[n + 1]);
		fputc('\n', file);
	}
}

static void write_json(const struct results *r, FILE *file, uint32_t length)
{
	const uint64_t *g = r->counts;
	const uint32_t best = results_main(g, length);

	fputs(r->images ? ",\n {\"G\": [" : "\n {\"G\": [", file);
	for (uint32_t n = 0; n < length; n++)
		fprintf(file, "%s%" PRIu64, n ? ", " : "", g[n]);
	fputs("], \"PS\": [", file);
	for (uint32_t n = 0; n + 1 < length; n++)
		fprintf(file, "%s%" PRIu64, n ? ", " : "", g[n] - g[n + 1]);
	if (best == UINT32_MAX)
		fputs("], \"main\": null}", file);
	else
		fprintf(file, "], \"main\": %" PRIu32 "}", best);
}

int results_add(struct results *r, const uint64_t *small, const uint64_t *large)
{
	FILE *file = r->file ? whole_file(r->file) : NULL;
	uint32_t length;

	memcpy(r->counts, small, (r->split + (size_t)1) * sizeof *small);
	if (large)
		memcpy(r->counts + r->split + 1, large, (r->openings - r->split) * sizeof *large);
	for (uint32_t n = 0; n <= r->openings; n++)
		r->sums[n] += r->counts[n];
	length = results_length(r->counts, r->openings);
	if (file && r->form == RESULTS_LINES)
		write_line(r, file, length);
	else if (file && r->form == RESULTS_CSV)
		write_csv(r, file, length);
	else if (file)
		write_json(r, file, length);
	r->images++;
	return file && ferror(file) ? -EIO : 0;
}

int results_complete(struct results *r)
{
	struct plot *plot = r->plot;
	struct whole *file = r->file;

	r->plot = NULL;
	r->file = NULL;
	if (plot) {
		curve_write(plot_script(plot), r->sums, results_length(r->sums, r->openings), r->images);
		return plot_complete(plot);
	}
	if (!file)
		return 0;
	if (r->form == RESULTS_JSON)
		fputs("\n]}\n", whole_file(file));
	return whole_complete(file);
}

void results_close(struct results *r)
{
	plot_drop(r->plot);
	whole_drop(r->file);
	free(r->counts);
	free(r->sums);
	*r = (struct results){ .path = NULL };
}

/*
 * The sink.
 */

enum { SMALL, LARGE };

static int sink_fire(struct pstk_firing *f)
{
	struct pstk_actor *self = pstk_firing_actor(f);
	struct results *r = pstk_actor_arg(self);
	bool both = r->split < r->openings;
	const uint64_t *small = pstk_fifo_read_start(f, SMALL),
		       *large = both ? pstk_fifo_read_start(f, LARGE) : NULL;
	int err = results_add(r, small, large);

	if (err)
		return pstk_actor_error(self, err, "%s: %s", r->path, strerror(errno));
	pstk_fifo_read_end(f, SMALL);
	if (both)
		pstk_fifo_read_end(f, LARGE);
	return PSTK_AGAIN;
}

#define SINK(may_wait, count)                                                                        \
	{                                                                                            \
		.struct_size = sizeof(struct pstk_actor_type), .name = "granulometry_sink",          \
		.ports = sink_ports, .port_count = (count), .blocks = (may_wait), .fire = sink_fire, \
	}

static const struct pstk_port sink_ports[] = {
	[SMALL] = { .name = "small", .kind = PSTK_INPUT, .token_type = "u64", .rate = 1 },
	[LARGE] = { .name = "large", .kind = PSTK_INPUT, .token_type = "u64", .rate = 1 },
};

const struct pstk_actor_type *results_type(const struct results *r)
{
	static const struct pstk_actor_type types[2][2] = { { SINK(false, 1), SINK(false, 2) },
		{ SINK(true, 1), SINK(true, 2) } };
	bool waits = files_may_wait(r->path);

	return &types[waits][r->split < r->openings];
}
