/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "apps/tracking/network.h"

#include <inttypes.h>

enum { PREPROCESS, FEATURES, TRACK, STAGES };

/* Has each input pixels that are far enough from the edges, and as many as features are wanted? */
static int check_inputs(const struct pstk_tracking_spec *spec, const struct staged *s)
{
	for (unsigned i = 0; i < s->options.input_count; i++) {
		const struct size *size = inputs_size(&s->inputs, i);
		uint32_t edges = 2 * pstk_tracking_window(spec, size->width);
		uint64_t inside = size->width > edges && size->height > edges
		                          ? (uint64_t)(size->width - edges) * (size->height - edges)
		                          : 0;

		if (!inside)
			return app_fail(EXIT_USAGE,
				"%s: frames of %" PRIu32 "x%" PRIu32
				" pixels have none that is a window of %" PRIu32
				" away from the edges: give a smaller --window",
				s->options.inputs[i], size->width, size->height, edges / 2);
		if (spec->features > inside)
			return app_fail(EXIT_USAGE,
				"%s: %" PRIu32 " features, but frames of %" PRIu32 "x%" PRIu32
				" have %" PRIu64 " pixels that are a window of %" PRIu32
				" away from the edges",
				s->options.inputs[i], spec->features, size->width, size->height, inside,
				edges / 2);
	}
	return 0;
}

static struct pstk_fifo_spec fifo(size_t bytes)
{
	struct pstk_fifo_spec spec = pstk_fifo_spec_init();

	spec.token_size = bytes;
	return spec;
}

struct parts {
	struct pstk_actor *stages[STAGES], *sink;
	struct pstk_fifo_spec frame, levels, found;
};

static struct parts add_parts(
	struct tracking *t, const struct staged *s, const struct pstk_tracking_spec *spec)
{
	struct pstk_frame_size largest = { spec->width, spec->height };

	return (struct parts){
		.stages = { [PREPROCESS] = pstk_network_add(
				    s->network, "preprocess", pstk_preprocess_type(), &largest),
			[FEATURES] = pstk_features_add(s->network, "features", spec),
			[TRACK] = pstk_track_add(s->network, "track", spec) },
		.sink = tracks_add(&t->tracks, s->network),
		.frame = fifo(s->token_size),
		.levels =
			fifo(pstk_sized_bytes(sizeof(float) * pstk_levels_count(spec->width, spec->height))),
		.found = fifo(pstk_tracking_found_bytes(spec)),
	};
}

static void connect_stages(struct parts *p, struct staged *s, struct pstk_actor *first)
{
	pstk_connect(s->source, "out", first, "in", &p->frame);
	pstk_connect(p->stages[PREPROCESS], "out", p->stages[FEATURES], "in", &p->levels);
	pstk_connect(p->stages[PREPROCESS], "out", p->stages[TRACK], "levels", &p->levels);
	pstk_connect(p->stages[FEATURES], "out", p->stages[TRACK], "features", &p->found);
	s->last = pstk_connect(p->stages[TRACK], "out", p->sink, "tracks", &p->found);
}

/* A pair is an item: two frames. */
static int build_pairs(struct parts *p, struct staged *s)
{
	struct pstk_actor *pair = pstk_network_add(s->network, "pair", pstk_pair_type(), NULL);

	p->levels.rate = 2;
	connect_stages(p, s, pair);
	p->frame.rate = 2;
	pstk_connect(pair, "out", p->stages[PREPROCESS], "in", &p->frame);
	return staged_map(s, p->stages, STAGES);
}

static int build_first(struct parts *p, struct staged *s)
{
	connect_stages(p, s, p->stages[PREPROCESS]);
	p->found.delay = 1;
	pstk_connect(p->stages[TRACK], "positions_out", p->stages[TRACK], "positions", &p->found);
	return staged_map(s, p->stages, 1);
}

/* Around all of it, with as many windows as the way through holds: all FIFOs, and what is inside of the pipeline. */
static int connect_frames(const struct parts *p, const struct staged *s)
{
	struct pstk_fifo_spec around = fifo(s->token_size);
	const struct pstk_fifo *each;
	struct pstk_fifo_info info;
	uint32_t most = 0;

	for (unsigned i = 0; (each = pstk_network_fifo(s->network, i)); i++)
		if (!pstk_fifo_get_info(each, &info)) {
			around.depth += info.depth + 1;
			most = info.depth > most ? info.depth : most;
		}
	around.depth += most + s->options.mapping.spec.in_flight;
	return pstk_connect(s->source, "out", p->sink, "frame", &around) ? 0 : EXIT_FAILED;
}

int tracking_build(struct tracking *t, struct staged *s)
{
	struct pstk_tracking_spec spec = t->options.spec;
	struct parts parts;
	int status = check_inputs(&spec, s);

	if (!status)
		status = tracks_init(&t->tracks, s);
	if (status)
		return status;
	s->unit = "pairs";
	s->fewer = 1;
	spec.width = s->inputs.size.width;
	spec.height = s->inputs.size.height;
	parts = add_parts(t, s, &spec);
	status = spec.first ? build_first(&parts, s) : build_pairs(&parts, s);
	return !status && t->tracks.is_video ? connect_frames(&parts, s) : status;
}
