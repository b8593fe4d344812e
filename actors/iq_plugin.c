/* SPDX-License-Identifier: MIT */
/* The plug-in of libpenstock-iq: sources and sinks of complex signals, and what looks at them, for graph files. */
#include "config.h"

#include "actors/common/plugin_types.h"
#include "actors/common/ports.h"
#include "actors/common/writer.h"
#include "penstock/iq.h"

#include <errno.h>
#include <inttypes.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* An actor that borrows what was opened for it. NULL: that failed, or the network has the problem. */
static struct pstk_actor *add_opened(struct pstk_plugin_call *call, int err, const char *error,
	const struct pstk_actor_type *type, void *object)
{
	if (err) {
		pstk_network_refuse(call->network, err, "'%s': %s", call->name, error);
		return NULL;
	}
	call->object = object;
	return pstk_network_add(call->network, call->name, type, object);
}

/*
 * Source.
 */

struct source {
	const char *input, *format;
	uint64_t samples, seed;
	bool refuse_empty;
};

static const struct pstk_param source_params[] = {
	PARAM(source, input, "string", .default_value = "",
		.help = "a file, by its ending: NAME.sigmf-meta, NAME.cu8, else cf32_le; '-' for stdin; "
			"none: a "
			"generated OFDM signal"),
	PARAM(source, format, "string", .default_value = "",
		.help = "of a file: cf32_le, cu8; none: by its name"),
	PARAM(source, samples, "u64", .default_value = "0",
		.help = "the stream ends after so many; 0: where the input ends"),
	PARAM(source, seed, "u64", .default_value = "0", .help = "of the generated signal"),
	PARAM(source, refuse_empty, "bool", .default_value = "true", .help = "no sample at all is an error"),
};
BUILDER_TYPE(source_type, "iq_source", source, source_params)

static struct pstk_actor *add_source(struct pstk_plugin_call *call)
{
	const struct source *s = call->arg;
	struct pstk_iq_input_spec spec = pstk_iq_input_spec_init();
	struct pstk_iq_input *input = NULL;
	char error[PSTK_IQ_ERROR_SIZE];
	int err;

	spec.path = call->reads = ps_or_null(s->input);
	if (call->dry && spec.path && !ps_is_regular(spec.path))
		return pstk_network_add(call->network, call->name, pstk_iq_source_type(), NULL);
	spec.format = ps_or_null(s->format);
	spec.samples = s->samples;
	spec.seed = s->seed;
	spec.refuse_empty = s->refuse_empty;
	err = pstk_iq_input_open(&input, &spec, error, sizeof error);
	call->reads_too = err ? NULL : pstk_iq_input_file(input);
	return add_opened(call, err, error, pstk_iq_source_type_for(input), input);
}

static void close_source(void *object)
{
	pstk_iq_input_close(object);
}

/*
 * Sink.
 */

struct sink {
	const char *output, *description;
	double sample_rate, frequency;
};

static const struct pstk_param sink_params[] = {
	PARAM(sink, output, "string", .default_value = "",
		.help = "a file, by its ending: NAME.sigmf-meta, else cf32_le; '-' for stdout; none: samples "
			"are "
			"swallowed"),
	PARAM(sink, sample_rate, "f64", .default_value = "0",
		.help = "samples a second, for SigMF; 0: not known"),
	PARAM(sink, frequency, "f64", .default_value = "0",
		.help = "Hz, of the centre, for SigMF; 0: not known"),
	PARAM(sink, description, "string", .default_value = "", .help = "for SigMF"),
};
BUILDER_TYPE(sink_type, "iq_sink", sink, sink_params)

static struct pstk_actor *add_sink(struct pstk_plugin_call *call)
{
	const struct sink *s = call->arg;
	struct pstk_iq_output_spec spec = pstk_iq_output_spec_init();
	struct pstk_iq_output *output = NULL;
	char error[PSTK_IQ_ERROR_SIZE];
	int err;

	spec.path = call->writes = ps_or_null(s->output);
	spec.sample_rate = s->sample_rate;
	spec.frequency = s->frequency;
	spec.description = ps_or_null(s->description);
	spec.dry = call->dry;
	err = spec.path ? pstk_iq_output_open(&output, &spec, error, sizeof error) : 0;
	return add_opened(call, err, error, pstk_iq_sink_type_for(output), output);
}

static void close_sink(void *object)
{
	pstk_iq_output_close(object);
}

/*
 * Spectrum: a file with a line for each bin, when the network has ended well.
 */

struct spectrum {
	uint32_t size;
	double sample_rate;
	const char *output;
};

static const struct pstk_param spectrum_params[] = {
	PARAM(spectrum, size, "u32", .default_value = "1024", .range = "16..65536",
		.help = "samples of a segment, and bins: a power of two"),
	PARAM(spectrum, sample_rate, "f64", .default_value = "1", .range = "0..",
		.help = "samples a second: frequencies are in Hz then"),
	PARAM(spectrum, output, "string",
		.help = "a file, '-' for stdout: a line a bin, its frequency and its power"),
};
BUILDER_TYPE(spectrum_type, "spectrum", spectrum, spectrum_params)

/* What the actor borrows. */
struct bins {
	struct pstk_spectrum *spectrum;
	struct spectrum is;
	struct ps_writer writer;
};

static int spectrum_fire(struct pstk_firing *f)
{
	struct bins *b = pstk_actor_arg(pstk_firing_actor(f));
	const float *re = pstk_fifo_read_start(f, 0), *im = pstk_fifo_read_start(f, 1);
	uint32_t valid =
		pstk_port_valid(f, 0) < pstk_port_valid(f, 1) ? pstk_port_valid(f, 0) : pstk_port_valid(f, 1);

	pstk_spectrum_add(b->spectrum, re, im, valid);
	pstk_fifo_read_end(f, 0);
	pstk_fifo_read_end(f, 1);
	return PSTK_AGAIN;
}

static int write_bins(struct bins *b, const double *power)
{
	locale_t c = newlocale(LC_ALL_MASK, "C", (locale_t)0), former;
	int err = c ? 0 : -ENOMEM;

	if (err)
		return err;
	former = uselocale(c);
	for (uint32_t i = 0; i < b->is.size && !err; i++) {
		double frequency = b->is.sample_rate * ((double)i / b->is.size - 0.5);
		char line[64];
		int length = snprintf(line, sizeof line, "%.9g %.9g\n", frequency, power[i]);

		err = ps_writer_write(&b->writer, line, (size_t)length);
	}
	uselocale(former);
	freelocale(c);
	return err ? err : ps_writer_complete(&b->writer);
}

static int spectrum_finish(struct pstk_actor *self)
{
	struct bins *b = pstk_actor_arg(self);
	double *power;
	int err;

	if (pstk_network_failed(pstk_actor_network(self)))
		return 0;
	power = calloc(b->is.size, sizeof *power);
	if (!power)
		return pstk_actor_error(self, -ENOMEM, "out of memory for its bins");
	pstk_spectrum_get(b->spectrum, power);
	err = write_bins(b, power);
	free(power);
	return err ? pstk_actor_error(self, err, "%s: %s", b->is.output, strerror(-err)) : 0;
}

static void spectrum_unblock(struct pstk_actor *self)
{
	struct bins *b = pstk_actor_arg(self);

	if (pstk_network_failed(pstk_actor_network(self)))
		ps_writer_stop(&b->writer);
}

static const struct pstk_port spectrum_ports[] = { PS_PORT_F32("re", PSTK_INPUT),
	PS_PORT_F32("im", PSTK_INPUT) };

static const struct pstk_actor_type bins_type = {
	.struct_size = sizeof bins_type,
	.name = "spectrum",
	.ports = spectrum_ports,
	.port_count = 2,
	.fire = spectrum_fire,
	.finish = spectrum_finish,
	.unblock = spectrum_unblock,
};

static void close_spectrum(void *object)
{
	struct bins *b = object;

	ps_writer_close(&b->writer);
	pstk_spectrum_destroy(b->spectrum);
	free(b);
}

static int open_spectrum(struct pstk_plugin_call *call, struct bins *b)
{
	int err = pstk_spectrum_create(&b->spectrum, b->is.size);

	if (err == -EINVAL)
		pstk_network_refuse(call->network, err, "'%s': size is %" PRIu32 ": expected a power of two",
			call->name, b->is.size);
	else if (err)
		pstk_network_refuse(call->network, err, "'%s': %s", call->name,
			err == -ENOTSUP ? "this build has no kissfft" : "out of memory");
	if (err)
		return err;
	b->writer.dry = call->dry;
	err = ps_writer_open(&b->writer, b->is.output);
	if (err)
		pstk_network_refuse(
			call->network, err, "'%s': %s: %s", call->name, b->is.output, strerror(-err));
	return err;
}

static struct pstk_actor *add_spectrum(struct pstk_plugin_call *call)
{
	struct bins *b = calloc(1, sizeof *b);

	call->object = b;
	if (!b) {
		pstk_network_refuse(call->network, -ENOMEM, "'%s': out of memory", call->name);
		return NULL;
	}
	b->is = *(const struct spectrum *)call->arg;
	ps_writer_init(&b->writer);
	call->writes = ((const struct spectrum *)call->arg)->output;
	return open_spectrum(call, b) ? NULL : pstk_network_add(call->network, call->name, &bins_type, b);
}

static const struct pstk_plugin_type types[] = {
	{ .help = "transforms blocks of samples that may overlap", .type = pstk_fft_type },
	{ .help = "writes complex samples to a file",
		.type = sink_type,
		.add = add_sink,
		.close = close_sink },
	{ .help = "reads complex samples, or generates some",
		.type = source_type,
		.add = add_source,
		.close = close_source,
		.example = "input=FILE" },
	{ .help = "writes the power spectral density of a signal to a file",
		.type = spectrum_type,
		.add = add_spectrum,
		.close = close_spectrum,
		.example = "output=-" },
};

PSTK_PLUGIN(.name = "iq", .types = types, .type_count = sizeof types / sizeof *types);
