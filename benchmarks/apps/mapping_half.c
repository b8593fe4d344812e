/* SPDX-License-Identifier: MIT */
/*
 * Half: one core beside half of a PoCL device, which is the other core: no GPU, but other code. A stage mixes words,
 * each by itself, which PoCL does with vectors; or chains them, which it does in one work-item. Both forms of a stage
 * give the same words, which the sink compares.
 */
#include "benchmarks/apps/mapping_cores.h"
#include "benchmarks/apps/mapping_real.h"
#include "benchmarks/apps/mapping_report.h"
#include "benchmarks/common/rounds.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PIPELINES = 4, WORDS = 16384, INPUTS = 4, BYTES = WORDS * sizeof(uint32_t) };

/* Of a stage. */
struct weight {
	uint32_t rounds;
	bool chains;
};

static struct {
	struct weight weights[MAPPING_STAGES];
	unsigned stages;
	uint32_t inputs[INPUTS][WORDS], outputs[INPUTS][WORDS];
	atomic_bool over;
	uint64_t next, expected;
} half;

/* -- stages -- */

static uint32_t mix(uint32_t x, uint32_t rounds)
{
	for (uint32_t i = 0; i < rounds; i++) {
		x = x * 1664525u + 1013904223u;
		x ^= x >> 13;
	}
	return x;
}

static void apply(const struct weight *w, uint32_t *out, const uint32_t *in, size_t from, size_t to)
{
	uint32_t x = 0;

	for (size_t i = from; i < to; i++)
		out[i] = w->chains ? (x = mix(x + in[i], w->rounds)) : mix(in[i], w->rounds);
}

static const char source[] =
	"uint mix(uint x, uint rounds)\n"
	"{\n"
	"	for (uint i = 0; i < rounds; i++) {\n"
	"		x = x * 1664525u + 1013904223u;\n"
	"		x ^= x >> 13;\n"
	"	}\n"
	"	return x;\n"
	"}\n"
	"__kernel void mapping_mix(__global const uint *in, __global uint *out, ulong firing, uint rounds)\n"
	"{\n"
	"	size_t i = get_global_id(0);\n"
	"	out[i] = mix(in[i], rounds);\n"
	"}\n"
	"__kernel void mapping_chain(__global const uint *in, __global uint *out, ulong firing, uint "
	"rounds)\n"
	"{\n"
	"	uint x = 0;\n"
	"	for (size_t i = 0; i < 16384; i++)\n"
	"		out[i] = x = mix(x + in[i], rounds);\n"
	"}\n";
static const struct pstk_kernel mix_kernel = { .name = "mapping_mix", .source = source };
static const struct pstk_kernel chain_kernel = { .name = "mapping_chain", .source = source };

static const struct weight *weight_of(const struct pstk_actor *a)
{
	return pstk_actor_arg((struct pstk_actor *)a);
}

struct loop {
	const struct weight *weight;
	const uint32_t *in;
	uint32_t *out;
};

static void body(void *data, size_t from, size_t to)
{
	const struct loop *l = data;

	apply(l->weight, l->out, l->in, from, to);
}

static int stage_fire(struct pstk_firing *f)
{
	struct loop l = { weight_of(pstk_firing_actor(f)), pstk_fifo_read_start(f, 0),
		pstk_fifo_write_start(f, 1) };

	pstk_parallel_for(f, WORDS, l.weight->chains ? WORDS : 0, body, &l);
	pstk_fifo_read_end(f, 0);
	pstk_fifo_write_end(f, 1);
	return PSTK_AGAIN;
}

static int stage_init(struct pstk_actor *self)
{
	const struct weight *w = weight_of(self);
	const size_t items = w->chains ? 1 : WORDS;
	int err = pstk_actor_set_work_size(self, 1, &items, NULL);

	return err ? err : pstk_actor_set_arg(self, 0, sizeof w->rounds, &w->rounds);
}

/* -- the ends -- */

static int source_fire(struct pstk_firing *f)
{
	memcpy(pstk_fifo_write_start(f, 0), half.inputs[half.next++ % INPUTS], BYTES);
	pstk_fifo_write_end(f, 0);
	return atomic_load(&half.over) ? PSTK_DONE : PSTK_AGAIN;
}

static int sink_fire(struct pstk_firing *f)
{
	int wrong = memcmp(pstk_fifo_read_start(f, 0), half.outputs[half.expected++ % INPUTS], BYTES);

	pstk_fifo_read_end(f, 0);
	return wrong ? pstk_actor_error(pstk_firing_actor(f), -EPROTO, "an item is wrong") : PSTK_AGAIN;
}

/* What must come out. */
static void expect(void)
{
	static uint32_t words[2][WORDS];
	uint32_t x = 1;

	for (unsigned n = 0; n < INPUTS; n++) {
		for (size_t i = 0; i < WORDS; i++)
			words[0][i] = half.inputs[n][i] = x = mix(x, 1);
		for (unsigned k = 0; k < half.stages; k++)
			apply(&half.weights[k], words[(k + 1) % 2], words[k % 2], 0, WORDS);
		memcpy(half.outputs[n], words[half.stages % 2], BYTES);
	}
}

/* -- one run -- */

static const struct pstk_port ports[] = { { .name = "in", .kind = PSTK_INPUT, .token_size = BYTES },
	{ .name = "out", .kind = PSTK_OUTPUT, .token_size = BYTES } };

static struct pstk_actor *add_end(struct pstk_network *net, const char *name, unsigned port)
{
	return pstk_network_add(net, name,
		PSTK_ACTOR_TYPE(.name = name, .ports = &ports[port], .port_count = 1,
			.fire = port ? source_fire : sink_fire),
		&half);
}

static void open_bed(struct mapping_bed *bed, const struct pstk_pipeline_spec *spec)
{
	struct pstk_actor *row[MAPPING_STAGES + 2];

	memset(bed, 0, sizeof *bed);
	half.next = half.expected = 0;
	atomic_store(&half.over, false);
	bed->net = pstk_network_create("half");
	row[0] = add_end(bed->net, "source", 1);
	for (unsigned k = 0; k < half.stages; k++) {
		char name[16];

		snprintf(name, sizeof name, "stage%u", k + 1);
		row[k + 1] = pstk_network_add(bed->net, name,
			PSTK_ACTOR_TYPE(.name = "words", .ports = ports, .port_count = 2, .stateless = true,
				.init = stage_init, .fire = stage_fire,
				.kernel = half.weights[k].chains ? &chain_kernel : &mix_kernel),
			&half.weights[k]);
	}
	row[half.stages + 1] = add_end(bed->net, "sink", 0);
	for (unsigned i = 0; i <= half.stages; i++)
		pstk_connect(row[i], "out", row[i + 1], "in", PSTK_FIFO(.token_size = BYTES, .rate = 1));
	bed->pipeline = pstk_pipeline_add(bed->net, "pipeline", row + 1, half.stages, spec);
	if (pstk_network_start(bed->net))
		rounds_fail("%s", pstk_network_error(bed->net));
}

static void close_bed(struct mapping_bed *bed)
{
	atomic_store(&half.over, true);
	if (pstk_network_wait(bed->net))
		rounds_fail("%s", pstk_network_error(bed->net));
	if (half.expected != half.next)
		rounds_fail("items are lost");
	pstk_network_destroy(bed->net);
}

static struct pstk_pipeline_spec spec_of(const char *configuration)
{
	return (struct pstk_pipeline_spec){ .struct_size = sizeof(struct pstk_pipeline_spec),
		.device = "pocl:cpu:0/1of2",
		.configuration = configuration,
		.cores = 1,
		.once = true };
}

static double run_fixed(const struct mapping_how *how, const struct mapping_pipeline *p,
	const struct pstk_configuration *with)
{
	char text[PSTK_CONFIGURATION_TEXT];
	struct pstk_pipeline_spec spec;
	struct mapping_bed bed;
	double rate;

	pstk_configuration_print(with, p->stages, text, sizeof text);
	spec = spec_of(text);
	open_bed(&bed, &spec);
	rate = mapping_bed_rate(&bed, how->settle, how->seconds);
	close_bed(&bed);
	return rate;
}

static void run_choice(const struct mapping_how *how, enum mapping_chooser chooser, struct mapping_choice *c)
{
	struct pstk_pipeline_spec spec = spec_of(chooser == MAPPING_BASELINE ? "baseline" : NULL);
	struct pstk_pipeline_report *r;
	struct mapping_bed bed;

	if (chooser == MAPPING_PAPER) {
		spec.rule = PSTK_RULE_PAPER;
		spec.candidates = 1;
	}
	open_bed(&bed, &spec);
	r = mapping_bed_chosen(&bed);
	c->chosen = r->configuration;
	c->predicted = r->predicted;
	c->training = r->training_seconds;
	pstk_pipeline_free_report(r);
	c->measured = (struct mapping_figure){ .rate = mapping_bed_rate(&bed, how->settle, how->seconds),
		.energy = NAN };
	close_bed(&bed);
}

/* -- all of it -- */

static void draw(struct mapping_pipeline *p, uint64_t seed, unsigned number)
{
	uint64_t state = seed * 1000003 + number;

	memset(p, 0, sizeof *p);
	snprintf(p->name, sizeof p->name, "half %llu/%u", (unsigned long long)seed, number);
	p->cores = 1;
	p->stages = half.stages = 2 + (unsigned)(2 * mapping_random(&state));
	printf("%s: rounds of each word:", p->name);
	for (unsigned k = 0; k < p->stages; k++) {
		half.weights[k] = (struct weight){ .rounds = (uint32_t)(20 * pow(10, mapping_random(&state))),
			.chains = mapping_random(&state) < 0.5 };
		if (half.weights[k].chains)
			half.weights[k].rounds /= 2; /* a chain has no vectors, on either side */
		printf(" %u%s", half.weights[k].rounds, half.weights[k].chains ? " (chained)" : "");
	}
	printf("\n");
	expect();
}

static void measure_all(struct mapping_result *r, const struct mapping_how *how)
{
	static struct pstk_configuration list[MAPPING_CONFIGURATIONS];
	unsigned count = mapping_list(&r->is, list);
	double rates[MAPPING_CONFIGURATIONS][MAPPING_ROUNDS];

	for (unsigned n = 0; n < how->rounds; n++)
		for (unsigned i = 0; i < count; i++)
			rates[i][n] = run_fixed(how, &r->is, &list[i]);
	for (unsigned i = 0; i < count; i++) {
		r->figures[i] = (struct mapping_figure){ .rate = mapping_median(rates[i], how->rounds),
			.energy = NAN };
		r->simulated[i] = NAN;
	}
	r->best = mapping_best(&r->is, how, r->figures);
}

static void measure_choices(struct mapping_result *r, const struct mapping_how *how)
{
	static struct pstk_configuration list[MAPPING_CONFIGURATIONS];

	mapping_list(&r->is, list);
	for (unsigned k = 0; k < MAPPING_CHOOSERS; k++) {
		double ratios[MAPPING_ROUNDS];

		for (unsigned n = 0; n < how->rounds; n++) {
			double best = run_fixed(how, &r->is, &list[r->best]);

			run_choice(how, (enum mapping_chooser)k, &r->choices[k]);
			ratios[n] = r->choices[k].measured.rate / best;
		}
		r->of_best[k] = mapping_median(ratios, how->rounds);
		r->of_best_ideal[k] = NAN;
	}
	r->chosen = true;
}

void mapping_real_half(const struct mapping_how *how, uint64_t seed, const char *json)
{
	static struct mapping_result results[PIPELINES];

	for (unsigned i = 0; i < PIPELINES; i++) {
		draw(&results[i].is, seed, i);
		measure_all(&results[i], how);
		measure_choices(&results[i], how);
		mapping_report_choices(&results[i], how);
	}
	mapping_report_losses(results, PIPELINES, how);
	if (json)
		mapping_report_json(json, results, PIPELINES);
}
