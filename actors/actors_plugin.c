/* SPDX-License-Identifier: MIT */
/* The plug-in of libpenstock-actors: its types by name, for graph files. */
#include "config.h"

#include "actors/common/plugin_types.h"
#include "penstock/actors.h"

#include <errno.h>
#include <locale.h>
#include <stdlib.h>
#include <string.h>

/*
 * Filters.
 */

struct fir {
	const char *taps, *file;
	double cutoff, attenuation;
	uint32_t count, interpolation, decimation;
};

static const struct pstk_param fir_params[] = {
	PARAM(fir, taps, "string", .default_value = "", .help = "numbers, apart by white space or commas"),
	PARAM(fir, file, "string", .default_value = "", .help = "a file with such numbers"),
	PARAM(fir, count, "u32", .default_value = "0", .help = "of taps to design"),
	PARAM(fir, cutoff, "f64", .default_value = "0", .range = "0..0.5",
		.help = "of the design: where its gain is a half, of the rate at which the filter runs"),
	PARAM(fir, attenuation, "f64", .default_value = "60", .range = "0..200", .help = "of the design, dB"),
	PARAM(fir, interpolation, "u32", .default_value = "1", .range = "1..65536",
		.help = "samples out for each one"),
	PARAM(fir, decimation, "u32", .default_value = "1", .range = "1..65536",
		.help = "samples in for each one"),
};
BUILDER_TYPE(fir_f32_type, "fir_f32", fir, fir_params)
BUILDER_TYPE(fir_cf32_type, "fir_cf32", fir, fir_params)

static struct pstk_fir_spec fir_spec(const struct fir *f)
{
	struct pstk_fir_spec spec = pstk_fir_spec_init();

	spec.text = *f->taps ? f->taps : NULL;
	spec.path = *f->file ? f->file : NULL;
	spec.count = f->count;
	spec.cutoff = f->cutoff;
	spec.attenuation = f->attenuation;
	spec.interpolation = f->interpolation;
	spec.decimation = f->decimation;
	return spec;
}

static struct pstk_actor *add_fir_f32(struct pstk_plugin_call *call)
{
	struct pstk_fir_spec spec = fir_spec(call->arg);

	call->reads = spec.path;
	return pstk_fir_f32_add(call->network, call->name, &spec);
}

static struct pstk_actor *add_fir_cf32(struct pstk_plugin_call *call)
{
	struct pstk_fir_spec spec = fir_spec(call->arg);

	call->reads = spec.path;
	return pstk_fir_cf32_add(call->network, call->name, &spec);
}

struct resample {
	uint32_t p, q, zeros;
};

static const struct pstk_param resample_params[] = {
	PARAM(resample, p, "u32", .range = "1..65536", .help = "samples out for q samples in"),
	PARAM(resample, q, "u32", .range = "1..65536", .help = "samples in for p samples out"),
	PARAM(resample, zeros, "u32", .default_value = "16", .range = "1..65536",
		.help = "of the sinc, on each side"),
};
BUILDER_TYPE(resample_f32_type, "resample_f32", resample, resample_params)
BUILDER_TYPE(resample_cf32_type, "resample_cf32", resample, resample_params)

static struct pstk_actor *add_resample_f32(struct pstk_plugin_call *call)
{
	const struct resample *r = call->arg;

	return pstk_resample_f32_add(call->network, call->name, r->p, r->q, r->zeros);
}

static struct pstk_actor *add_resample_cf32(struct pstk_plugin_call *call)
{
	const struct resample *r = call->arg;

	return pstk_resample_cf32_add(call->network, call->name, r->p, r->q, r->zeros);
}

/*
 * What takes a list of whole numbers.
 */

/* The numbers of a text, apart by blanks or commas; free() them. NULL: the network has the problem. */
static uint32_t *numbers(
	const struct pstk_plugin_call *call, const char *what, const char *text, size_t *count)
{
	uint32_t *list = malloc((strlen(text) / 2 + 1) * sizeof *list);
	const char *rest = text;

	for (*count = 0; list; ++*count) {
		unsigned long long number;
		char *end;

		rest += strspn(rest, " ,\t\n");
		if (!*rest)
			return list;
		errno = 0;
		number = strtoull(rest, &end, 0);
		if (end == rest || *rest == '-' || errno || number > UINT32_MAX) {
			pstk_network_refuse(call->network, -EINVAL,
				"'%s': %s are '%s': expected whole numbers, apart by blanks or commas",
				call->name, what, text);
			break;
		}
		list[*count] = (uint32_t)number;
		rest = end;
	}
	if (!list)
		pstk_network_refuse(
			call->network, -ENOMEM, "'%s': out of memory for its %s", call->name, what);
	free(list);
	return NULL;
}

struct round_robin {
	const char *widths;
};

static const struct pstk_param round_robin_params[] = {
	PARAM(round_robin, widths, "string", .help = "tokens of each stream in a row: a list"),
};
BUILDER_TYPE(interleave_type, "interleave", round_robin, round_robin_params)
BUILDER_TYPE(deinterleave_type, "deinterleave", round_robin, round_robin_params)

typedef struct pstk_actor *round_robin_add(struct pstk_network *, const char *, const uint32_t *, unsigned);

static struct pstk_actor *add_round_robin(struct pstk_plugin_call *call, round_robin_add *add)
{
	const struct round_robin *r = call->arg;
	size_t count;
	uint32_t *widths = numbers(call, "widths", r->widths, &count);
	struct pstk_actor *a = NULL;

	if (widths)
		a = add(call->network, call->name, widths, count > UINT32_MAX ? 0 : (unsigned)count);
	free(widths);
	return a;
}

static struct pstk_actor *add_interleave(struct pstk_plugin_call *call)
{
	return add_round_robin(call, pstk_interleave_add);
}

static struct pstk_actor *add_deinterleave(struct pstk_plugin_call *call)
{
	return add_round_robin(call, pstk_deinterleave_add);
}

struct configuration {
	uint32_t period;
	const char *values;
};

static const struct pstk_param configuration_params[] = {
	PARAM(configuration, period, "u32", .default_value = "1", .range = "1..",
		.help = "control tokens for which a value holds"),
	PARAM(configuration, values, "string", .help = "control values: a list; the last one holds"),
};
BUILDER_TYPE(configuration_type, "configuration", configuration, configuration_params)

static struct pstk_actor *add_configuration(struct pstk_plugin_call *call)
{
	const struct configuration *c = call->arg;
	size_t count;
	uint32_t *values = numbers(call, "values", c->values, &count);
	struct pstk_configuration *object;

	if (!values)
		return NULL;
	object = pstk_configuration_create(
		PSTK_CONFIGURATION(.period = c->period, .values = values, .count = count));
	free(values);
	if (!object) {
		pstk_network_refuse(call->network, -EINVAL, "'%s': no values, or no memory", call->name);
		return NULL;
	}
	call->object = object;
	return pstk_configuration_add(call->network, call->name, object);
}

static void close_configuration(void *object)
{
	pstk_configuration_destroy(object);
}

/*
 * Complex signals of two streams.
 */

struct polynomial {
	const char *branches;
	bool dynamic;
};

static const struct pstk_param polynomial_params[] = {
	PARAM(polynomial, branches, "string",
		.help = "a list of odd orders, with * behind one of the conjugate: 1 3 1* 3*"),
	PARAM(polynomial, dynamic, "bool", .default_value = "false", .help = "it has a control port, active"),
};
BUILDER_TYPE(polynomial_type, "polynomial", polynomial, polynomial_params)

static struct pstk_actor *add_polynomial(struct pstk_plugin_call *call)
{
	const struct polynomial *p = call->arg;
	struct pstk_polynomial_branch *branches = calloc(strlen(p->branches) / 2 + 1, sizeof *branches);
	const char *rest = p->branches;
	struct pstk_actor *a = NULL;
	unsigned count = 0;

	for (rest += strspn(rest, " ,"); branches && *rest; rest += strspn(rest, " ,")) {
		char *end;

		branches[count].order = (uint32_t)strtoul(rest, &end, 10);
		branches[count].conjugate = *end == '*';
		if (end == rest)
			break;
		rest = end + branches[count++].conjugate;
	}
	if (!branches || *rest)
		pstk_network_refuse(call->network, branches ? -EINVAL : -ENOMEM,
			"'%s': branches are '%s': expected odd orders, with * behind one of the conjugate: 1 "
			"3 1* 3*",
			call->name, p->branches);
	else
		a = pstk_polynomial_add(call->network, call->name, branches, count, p->dynamic);
	free(branches);
	return a;
}

struct adder {
	uint32_t count;
	float re, im;
	bool dynamic;
};

static const struct pstk_param adder_params[] = {
	PARAM(adder, count, "u32", .range = "1..", .help = "of signals"),
	PARAM(adder, re, "f32", .default_value = "0", .help = "of a constant that is added"),
	PARAM(adder, im, "f32", .default_value = "0", .help = "of a constant that is added"),
	PARAM(adder, dynamic, "bool", .default_value = "false", .help = "it has a control port, active"),
};
BUILDER_TYPE(adder_type, "adder", adder, adder_params)

static struct pstk_actor *add_adder(struct pstk_plugin_call *call)
{
	const struct adder *a = call->arg;

	return pstk_adder_add(
		call->network, call->name, a->count, (struct pstk_cf32){ a->re, a->im }, a->dynamic);
}

struct fir_pair {
	const char *taps;
};

static const struct pstk_param fir_pair_params[] = {
	PARAM(fir_pair, taps, "string", .help = "complex numbers, a list: real part, imaginary part, .."),
};
BUILDER_TYPE(fir_pair_type, "fir", fir_pair, fir_pair_params)

/* Numbers with a point, whatever the locale, up to what is none: *rest. -ENOMEM, or how many. */
static long read_floats(const char **rest, float *list)
{
	locale_t locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
	long count = 0;
	char *end;

	if (!locale)
		return -ENOMEM;
	for (*rest += strspn(*rest, " ,\t\n"); **rest; *rest = end + strspn(end, " ,\t\n")) {
		list[count] = strtof_l(*rest, &end, locale);
		if (end == *rest)
			break;
		count++;
	}
	freelocale(locale);
	return count;
}

static struct pstk_actor *add_fir_pair(struct pstk_plugin_call *call)
{
	const struct fir_pair *f = call->arg;
	float *taps = calloc(strlen(f->taps) / 2 + 1, sizeof *taps);
	const char *rest = f->taps;
	long count = taps ? read_floats(&rest, taps) : -ENOMEM;
	struct pstk_actor *a = NULL;

	if (count < 0)
		pstk_network_refuse(call->network, -ENOMEM, "'%s': out of memory for its taps", call->name);
	else if (*rest || count % 2)
		pstk_network_refuse(call->network, -EINVAL,
			"'%s': taps: expected complex numbers, a real and an imaginary part each, but %s",
			call->name, *rest ? "there is another text" : "the last one has one part");
	else
		a = pstk_fir_add(call->network, call->name, (const struct pstk_cf32 *)(void *)taps,
			(unsigned)(count / 2));
	free(taps);
	return a;
}

/*
 * Images of 1 bit a pixel.
 */

struct bits {
	uint32_t width, height, depth, threshold;
};

static const struct pstk_param bits_params[] = {
	PARAM(bits, width, "u32", .range = "1..", .help = "pixels of a row"),
	PARAM(bits, height, "u32", .range = "1..", .help = "rows of an image, or of a plane"),
	PARAM(bits, depth, "u32", .default_value = "1", .range = "1..", .help = "planes of a volume"),
	PARAM(bits, threshold, "u32", .default_value = "0", .range = "0..255",
		.help = "pixels above it become 1"),
};
BUILDER_TYPE(bits_type, "bits", bits, bits_params)

static struct pstk_actor *add_bits(struct pstk_plugin_call *call)
{
	const struct bits *b = call->arg;

	call->format = (struct pstk_plugin_format){ NULL }; /* what comes out is no frame */
	return pstk_bits_add(call->network, call->name,
		PSTK_BITS(.width = b->width, .height = b->height, .depth = b->depth,
			.threshold = b->threshold));
}

struct openings {
	uint32_t width, height, depth, first, last;
	const char *element;
	bool image;
};

static const struct pstk_param openings_params[] = {
	PARAM(openings, width, "u32", .range = "1..", .help = "pixels of a row"),
	PARAM(openings, height, "u32", .range = "1..", .help = "rows of an image, or of a plane"),
	PARAM(openings, depth, "u32", .default_value = "1", .range = "1..", .help = "planes of a volume"),
	PARAM(openings, first, "u32", .default_value = "0", .range = "0..65535",
		.help = "the smallest opening; 0: the image itself"),
	PARAM(openings, last, "u32", .default_value = "20", .range = "1..65535",
		.help = "the largest opening"),
	PARAM(openings, element, "string", .default_value = "square", .range = "square|cross",
		.help = "what reaches a pixel: the 8 (26) around it, or the 4 (6) beside it"),
	PARAM(openings, image, "bool", .default_value = "false",
		.help = "it has a port, out, for the last opening"),
};
BUILDER_TYPE(openings_type, "openings", openings, openings_params)

static struct pstk_actor *add_openings(struct pstk_plugin_call *call)
{
	const struct openings *o = call->arg;

	return pstk_openings_add(call->network, call->name,
		PSTK_OPENINGS(.width = o->width, .height = o->height, .depth = o->depth, .first = o->first,
			.last = o->last, .image = o->image,
			.element = *o->element == 's' ? PSTK_ELEMENT_SQUARE : PSTK_ELEMENT_CROSS));
}

/*
 * Stand-ins.
 */

struct task {
	uint32_t inputs, outputs;
	const char *mode;
	double time;
	uint64_t count;
};

static const struct pstk_param task_params[] = {
	PARAM(task, inputs, "u32", .default_value = "0", .range = "0..16", .help = "ports in1, in2, .."),
	PARAM(task, outputs, "u32", .default_value = "0", .range = "0..16", .help = "ports out1, out2, .."),
	PARAM(task, time, "f64", .default_value = "0", .range = "0..1e9", .help = "s of a firing"),
	PARAM(task, mode, "string", .default_value = "busy", .range = "busy|sleep|kernel",
		.help = "how the time goes by; kernel: as busy"),
	PARAM(task, count, "u64", .default_value = "0", .help = "firings of a source; 0: it does not end"),
};
BUILDER_TYPE(task_type, "task", task, task_params)

static struct pstk_actor *add_task(struct pstk_plugin_call *call)
{
	const struct task *t = call->arg;
	enum pstk_task_mode mode = *t->mode == 's'   ? PSTK_TASK_SLEEP
	                           : *t->mode == 'k' ? PSTK_TASK_KERNEL
	                                             : PSTK_TASK_BUSY;

	return pstk_task_add(call->network, call->name,
		PSTK_TASK(.inputs = t->inputs, .outputs = t->outputs, .mode = mode, .time = t->time,
			.count = t->count));
}

static const struct pstk_plugin_type types[] = {
	{ .help = "adds complex signals and a constant",
		.type = adder_type,
		.add = add_adder,
		.example = "count=2" },
	{ .help = "makes 1 bit a pixel of frames: those above a threshold",
		.type = bits_type,
		.add = add_bits,
		.format = "gray8",
		.example = "width=64 height=48" },
	{ .help = "control values from a list",
		.type = configuration_type,
		.add = add_configuration,
		.close = close_configuration,
		.example = "values=1" },
	{ .help = "deals one stream out to several, round robin",
		.type = deinterleave_type,
		.add = add_deinterleave,
		.format = "any",
		.example = "widths=1,1" },
	{ .help = "equalises the histogram of each frame", .type = pstk_equalize_type, .format = "gray8" },
	{ .help = "filters a complex signal of two streams",
		.type = fir_pair_type,
		.add = add_fir_pair,
		.example = "taps=1,0" },
	{ .help = "filters complex samples by real taps; changes the rate",
		.type = fir_cf32_type,
		.add = add_fir_cf32,
		.example = "taps=1" },
	{ .help = "filters samples; changes the rate",
		.type = fir_f32_type,
		.add = add_fir_f32,
		.example = "taps=1" },
	{ .help = "filters frames by a 5x5 Gaussian kernel", .type = pstk_gauss5x5_type, .format = "gray8" },
	{ .help = "makes one stream of several, round robin",
		.type = interleave_type,
		.add = add_interleave,
		.format = "any",
		.example = "widths=1,1" },
	{ .help = "takes the median of five pixels", .type = pstk_median5_type, .format = "gray8" },
	{ .help = "counts what openings of growing size leave of an image of 1 bit a pixel",
		.type = openings_type,
		.add = add_openings,
		.example = "width=64 height=48" },
	{ .help = "terms of a complex polynomial",
		.type = polynomial_type,
		.add = add_polynomial,
		.example = "branches=1,3*" },
	{ .help = "writes each token several times", .type = pstk_repeat_type, .format = "any" },
	{ .help = "changes the rate of complex samples by p / q",
		.type = resample_cf32_type,
		.add = add_resample_cf32,
		.example = "p=3 q=2" },
	{ .help = "changes the rate of samples by p / q",
		.type = resample_f32_type,
		.add = add_resample_f32,
		.example = "p=3 q=2" },
	{ .help = "drops the first tokens of a stream", .type = pstk_skip_type, .format = "any" },
	{ .help = "takes time, numbers tokens and checks their numbers",
		.type = task_type,
		.add = add_task,
		.example = "inputs=1 outputs=1" },
	{ .help = "marks what has changed between two frames",
		.type = pstk_threshold_type,
		.format = "gray8",
		.before = "before" },
};

PSTK_PLUGIN(.name = "actors", .types = types, .type_count = sizeof types / sizeof *types);
