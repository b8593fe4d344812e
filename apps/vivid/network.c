/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "apps/vivid/network.h"
#include "apps/common/numbers.h"
#include "apps/vivid/coefficients.h"

#include <penstock/vision.h>

enum { FILTERS, HISTOGRAM, CLASSIFY, STAGES };

static int get_coefficients(struct vivid *v)
{
	const struct options *o = &v->options;
	struct numbers filters = { "filters", o->filters, "filters", o->filter_count, COEFFICIENTS_TAPS },
		       classifier = { "classifier", o->classifier, "rows", o->rows, o->filter_count };
	int status = o->filters ? numbers_read(&filters, &v->filters)
	                        : coefficients_make_filters(o->filter_count, &v->filters);

	if (status)
		return status;
	return o->classifier ? numbers_read(&classifier, &v->classifier)
	                     : coefficients_make_classifier(o->rows, o->filter_count, &v->classifier);
}

static void add_stages(const struct vivid *v, const struct staged *s, struct pstk_actor *stages[STAGES])
{
	struct pstk_vivid_spec spec = pstk_vivid_spec_init();

	spec.width = s->inputs.size.width;
	spec.height = s->inputs.size.height;
	spec.filters = v->options.filter_count;
	stages[HISTOGRAM] = pstk_vivid_histogram_add(s->network, "histogram", &spec);
	spec.coefficients = v->filters;
	stages[FILTERS] = pstk_vivid_filters_add(s->network, "filters", &spec);
	spec.rows = v->options.rows;
	spec.coefficients = v->classifier;
	stages[CLASSIFY] = pstk_vivid_classify_add(s->network, "classify", &spec);
}

/* Bytes of what a frame has: of each pixel so many, of each cell. */
static size_t pixels(const struct staged *s, size_t bytes)
{
	return pstk_sized_bytes(bytes * s->inputs.size.width * s->inputs.size.height);
}

static size_t cells(const struct staged *s, size_t numbers)
{
	return pstk_sized_bytes(
		sizeof(float) * numbers * pstk_vivid_cells(s->inputs.size.width, s->inputs.size.height));
}

/* dumps: the sink gets what is between stages, too. */
static void connect_stages(const struct vivid *v, struct staged *s, struct pstk_actor *const stages[STAGES],
	struct pstk_actor *sink)
{
	struct pstk_fifo_spec frame = pstk_fifo_spec_init(), value = frame, index = frame, hist = frame,
			      dist = frame;

	frame.token_size = s->token_size;
	value.token_size = pixels(s, sizeof(float));
	index.token_size = pixels(s, 1);
	hist.token_size = cells(s, v->options.filter_count);
	dist.token_size = cells(s, v->options.rows);
	pstk_connect(s->source, "out", stages[FILTERS], "in", &frame);
	pstk_connect(stages[FILTERS], "value", stages[HISTOGRAM], "value", &value);
	pstk_connect(stages[FILTERS], "index", stages[HISTOGRAM], "index", &index);
	pstk_connect(stages[HISTOGRAM], "hist", stages[CLASSIFY], "hist", &hist);
	s->last = pstk_connect(stages[CLASSIFY], "dist", sink, "dist", &dist);
	if (!v->results.dumps)
		return;
	pstk_connect(stages[FILTERS], "value", sink, "value", &value);
	pstk_connect(stages[FILTERS], "index", sink, "index", &index);
	pstk_connect(stages[HISTOGRAM], "hist", sink, "hist", &hist);
}

int vivid_build(struct vivid *v, struct staged *s)
{
	struct pstk_actor *stages[STAGES], *sink;
	int status = staged_check_sizes(s, PSTK_VIVID_CELL, PSTK_VIVID_CELL, "no cell of 8x8 pixels");

	if (!status)
		status = get_coefficients(v);
	if (!status)
		status = results_init(&v->results, &v->options, s);
	if (status)
		return status;
	add_stages(v, s, stages);
	sink = results_add(&v->results, s->network);
	connect_stages(v, s, stages, sink);
	status = staged_map(s, stages, STAGES);
	if (!status && v->results.is_video)
		status = staged_connect_around(s, sink, "frame");
	return status;
}
