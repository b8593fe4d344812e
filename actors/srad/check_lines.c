/* SPDX-License-Identifier: MIT */
#include "actors/srad/check_lines.h"

#include <stdio.h>

struct row {
	struct pstk_network *net;
	const struct lines *lines;
	struct pstk_actor **stages, *last; /* last: gives J */
	unsigned count;
};

static struct pstk_actor *add(struct row *r, const char *name, const struct pstk_actor_type *type)
{
	struct pstk_srad_loop_arg arg = { r->lines->size, r->lines->lambda, r->lines->iterations };
	char numbered[32];

	snprintf(numbered, sizeof numbered, r->count < 5 ? "%s" : "%s_%u", name, r->count);
	r->stages[r->count] = pstk_network_add(r->net, numbered, type, &arg);
	return r->stages[r->count++];
}

static void join(struct row *r, struct pstk_actor *from, struct pstk_actor *to, const char *port, bool stats)
{
	size_t map = pstk_sized_bytes(sizeof(float) * r->lines->size.width * r->lines->size.height);

	pstk_connect(from, "out", to, port,
		PSTK_FIFO(.rate = 1, .token_size = stats ? PSTK_SRAD_STATS_BYTES : map));
}

static void add_iteration(struct row *r)
{
	struct pstk_actor *prepare = add(r, "prepare", pstk_srad_prepare_type()),
			  *reduce = add(r, "reduce", pstk_srad_reduce_type()),
			  *srad1 = add(r, "srad1", pstk_srad1_type()),
			  *srad2 = add(r, "srad2", pstk_srad2_type());

	join(r, r->last, prepare, "in", false);
	join(r, r->last, reduce, "in", false);
	join(r, prepare, reduce, "squares", false);
	join(r, r->last, srad1, "in", false);
	join(r, reduce, srad1, "stats", true);
	join(r, r->last, srad2, "in", false);
	join(r, srad1, srad2, "c", false);
	r->last = srad2;
}

unsigned lines_build(struct pstk_network *net, const void *data, struct pstk_actor **stages)
{
	struct row r = { net, data, stages, NULL, 0 };
	struct pstk_actor *compress;

	r.last = add(&r, "extract", pstk_srad_extract_type());
	for (uint32_t i = 0; !r.lines->loop && i < r.lines->iterations; i++)
		add_iteration(&r);
	if (r.lines->loop) {
		struct pstk_actor *loop = add(&r, "loop", pstk_srad_loop_type());

		join(&r, r.last, loop, "in", false);
		r.last = loop;
	}
	compress = add(&r, "compress", pstk_srad_compress_type());
	join(&r, r.last, compress, "in", false);
	return r.count;
}
