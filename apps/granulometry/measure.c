/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "apps/granulometry/measure.h"
#include "apps/granulometry/cost.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* Openings of these sizes, so many times: that is longer than what surrounds a firing. The first ones warm up. */
enum { OPENINGS_MOST = 8, FIRINGS = 20, WARM_UP = 4, ROUNDS = 3 };

/* A run at one place. */
struct trial {
	size_t bytes;   /* of an image */
	uint64_t *ones; /* an image */
	unsigned given, come;
	uint64_t moments[FIRINGS]; /* when an image had come, ns */
};

static uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * UINT64_C(1000000000) + (uint64_t)now.tv_nsec;
}

static int give(struct pstk_firing *f)
{
	struct trial *t = pstk_actor_arg(pstk_firing_actor(f));

	memcpy(pstk_fifo_write_start(f, 0), t->ones, t->bytes);
	pstk_fifo_write_end(f, 0);
	return ++t->given < FIRINGS ? PSTK_AGAIN : PSTK_DONE;
}

static int take(struct pstk_firing *f)
{
	struct trial *t = pstk_actor_arg(pstk_firing_actor(f));

	pstk_fifo_read_start(f, 0);
	pstk_fifo_read_end(f, 0);
	t->moments[t->come++] = now_ns();
	return PSTK_AGAIN;
}

static int compare(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

double measure_gap(uint64_t *moments, unsigned count)
{
	for (unsigned i = 0; i + 1 < count; i++)
		moments[i] = moments[i + 1] - moments[i];
	qsort(moments, count - 1, sizeof *moments, compare);
	return (double)moments[(count - 1) / 2];
}

/* ns of a unit. 0, or what to exit with; said then. */
static int run(struct trial *t, const struct granulometry_spec *of, const char *device, double *ns)
{
	static const struct pstk_port out = { .name = "out",
		.kind = PSTK_OUTPUT,
		.token_type = "u64",
		.rate = 1 },
				      in = { .name = "small", .token_type = "u64", .rate = 1 };
	const uint32_t openings = of->openings < OPENINGS_MOST ? of->openings : OPENINGS_MOST;
	struct granulometry_spec spec = { .size = of->size,
		.element = of->element,
		.openings = openings,
		.split = openings,
		.devices = { device },
		.team = { .given = true },
		.source = PSTK_ACTOR_TYPE(.name = "ones", .ports = &out, .port_count = 1, .fire = give),
		.source_arg = t,
		.sink = PSTK_ACTOR_TYPE(.name = "clock", .ports = &in, .port_count = 1, .fire = take),
		.sink_arg = t };
	struct granulometry g;
	int status = granulometry_build(&g, &spec);

	if (!status && pstk_network_run(g.network))
		status = app_fail(EXIT_FAILED, "--split auto: %s", pstk_network_error(g.network));
	granulometry_destroy(&g);
	*ns = 0;
	if (!status)
		*ns = measure_gap(t->moments + WARM_UP, FIRINGS - WARM_UP) / (double)cost_first(openings);
	return status;
}

static int measure(const struct granulometry_spec *spec, const char *device, double *ns)
{
	const struct size *s = &spec->size;
	size_t pixels = (size_t)s->width * s->height * s->depth;
	struct trial t = { .bytes = pstk_bits_size(s->width, s->height, s->depth) };
	uint8_t *grey = malloc(pixels);
	int status;

	t.ones = malloc(t.bytes);
	if (grey && t.ones) {
		memset(grey, 1, pixels);
		pstk_bits_pack(t.ones, grey, s->width, s->height, s->depth, 0);
		status = run(&t, spec, device, ns);
	} else {
		status = app_out_of_memory();
	}
	free(grey);
	free(t.ones);
	return status;
}

/* The places by turns, and of each the least time: what else the machine does makes it longer only. */
int measure_units(struct granulometry_spec *spec)
{
	const char *const *d = spec->devices;
	bool one = (!d[0] && !d[1]) || (d[0] && d[1] && granulometry_is_together(d));
	double least[GRANULOMETRY_PARTS] = { INFINITY, INFINITY };

	for (unsigned i = 0; i < ROUNDS * GRANULOMETRY_PARTS; i++) {
		unsigned part = one ? 0 : i % GRANULOMETRY_PARTS;
		double ns = 0;
		int status = measure(spec, d[part], &ns);

		if (status)
			return status;
		least[part] = ns < least[part] ? ns : least[part];
	}
	spec->unit_ns[0] = least[0];
	spec->unit_ns[1] = one ? least[0] : least[1];
	return 0;
}
