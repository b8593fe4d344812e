/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "apps/srad/network.h"

#include <inttypes.h>
#include <penstock/vision.h>
#include <sched.h>

/* extract, four for each iteration, compress */
enum { STAGES_MOST = 2 + 4 * OPTIONS_ROW_MOST };

/* The stages so far; last: whose output is the map. */
struct row {
	const struct options *options;
	const struct staged *s;
	struct pstk_actor *stages[STAGES_MOST], *last;
	unsigned count;
};

/* number: of an iteration; 0: there is one of it. */
static struct pstk_actor *add(
	struct row *r, const char *name, uint32_t number, const struct pstk_actor_type *type)
{
	struct pstk_srad_loop_arg arg = { { r->s->inputs.size.width, r->s->inputs.size.height },
		r->options->lambda, r->options->iterations };
	char numbered[32];

	snprintf(numbered, sizeof numbered, number ? "%s_%" PRIu32 : "%s", name, number);
	return r->stages[r->count++] = pstk_network_add(r->s->network, numbered, type, &arg);
}

static void join(const struct row *r, struct pstk_actor *from, struct pstk_actor *to, const char *port)
{
	pstk_connect(from, "out", to, port,
		PSTK_FIFO(.token_size = pstk_sized_bytes(
				  sizeof(float) * r->s->inputs.size.width * r->s->inputs.size.height)));
}

static void add_iteration(struct row *r, uint32_t number)
{
	struct pstk_actor *map = r->last, *prepare = add(r, "prepare", number, pstk_srad_prepare_type()),
			  *reduce = add(r, "reduce", number, pstk_srad_reduce_type()),
			  *srad1 = add(r, "srad1", number, pstk_srad1_type()),
			  *srad2 = add(r, "srad2", number, pstk_srad2_type());

	join(r, map, prepare, "in");
	join(r, map, reduce, "in");
	join(r, prepare, reduce, "squares");
	join(r, map, srad1, "in");
	pstk_connect(reduce, "out", srad1, "stats", PSTK_FIFO(.token_size = PSTK_SRAD_STATS_BYTES));
	join(r, map, srad2, "in");
	join(r, srad1, srad2, "c");
	r->last = srad2;
}

static void add_loop(struct row *r)
{
	struct pstk_actor *loop = add(r, "loop", 0, pstk_srad_loop_type());

	join(r, r->last, loop, "in");
	r->last = loop;
}

/* Three iterations are 14 stages. With a device and many cores they have more configurations than a pipeline chooses
 * from, 2^20: a mask of 14 times as many threads as there are cores, and one more, and medium grain. */
static bool is_fused(const struct options *o, const struct staged *s)
{
	const struct mapping *m = &s->options.mapping;
	uint32_t cores = m->spec.cores;
	cpu_set_t set;

	if (options_fused(o) || o->loop != LOOP_BY_COUNT)
		return options_fused(o);
	if (!cores && !sched_getaffinity(0, sizeof set, &set))
		cores = (uint32_t)CPU_COUNT(&set);
	return o->iterations == OPTIONS_ROW_MOST && m->spec.device && !m->spec.configuration && !m->apart &&
	       cores > (1 << (20 - 14)) - 2;
}

int srad_build(struct srad *d, struct staged *s)
{
	const uint32_t iterations = d->options.iterations;
	struct row r = { .options = &d->options, .s = s };
	struct pstk_actor *compress, *sink;
	int status = pictures_init(&d->pictures, s);

	if (status)
		return status;
	r.last = add(&r, "extract", 0, pstk_srad_extract_type());
	if (is_fused(&d->options, s))
		add_loop(&r);
	else
		for (uint32_t i = 1; i <= iterations; i++)
			add_iteration(&r, iterations > 1 ? i : 0);
	compress = add(&r, "compress", 0, pstk_srad_compress_type());
	join(&r, r.last, compress, "in");
	sink = pictures_add(&d->pictures, s->network);
	pstk_connect(s->source, "out", r.stages[0], "in", PSTK_FIFO(.token_size = s->token_size));
	s->last = pstk_connect(compress, "out", sink, "in", PSTK_FIFO(.token_size = s->token_size));
	return staged_map(s, r.stages, r.count);
}
