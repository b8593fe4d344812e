/* SPDX-License-Identifier: MIT */
/* Dynamic predistortion as a network: source, configuration, polynomial, filters, adder, sink. */
#include "config.h"

#include "apps/predistortion/network.h"
#include "apps/common/app.h"
#include "apps/common/devices.h"
#include "apps/common/plot.h"
#include "apps/predistortion/spectra.h"
#include "apps/predistortion/transmitter.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* The actors that can run on a device, in the order of --device: polynomial, filters, adder. */
enum { POLY = 0 };

/* Where the slot-th of them runs; NULL: on the cores. */
static const char *device_of(const struct options *options, const struct coefficients *set, unsigned slot)
{
	unsigned adder = set->count + 1;

	switch (options->device_count) {
	case 0:
		return NULL;
	case 1:
		return options->devices[0];
	case 3:
		return options->devices[slot == POLY ? 0 : slot == adder ? 2 : 1];
	default:
		return options->devices[slot];
	}
}

/* How many selectors there may be is known when the branches are. */
static int check_device_count(const struct options *options, const struct coefficients *set)
{
	unsigned count = options->device_count;

	if (count <= 1 || count == 3 || count == set->count + 2)
		return 0;
	if (set->count == 1)
		return app_fail(EXIT_USAGE, "--device: %u selectors, but there must be %s", count,
			"one for all or three, for the polynomial, the filter and the adder");
	return app_fail(EXIT_USAGE,
		"--device: %u selectors, but there must be %s, or %u, one for each of them", count,
		"one for all, three for the polynomial, the filters and the adder", set->count + 2);
}

static int load(struct predistortion *p, const struct options *options)
{
	int status = coefficients_load(&p->coefficients, options->coefficients);

	if (!status)
		status = active_parse(&p->active, options->active, &p->coefficients);
	if (!status)
		status = check_device_count(options, &p->coefficients);
	return status;
}

static int open_input(struct predistortion *p, const struct options *options)
{
	char error[PSTK_IQ_ERROR_SIZE];
	int err = pstk_iq_input_open(&p->input,
		PSTK_IQ_INPUT(.path = options->input, .samples = options->synthetic, .refuse_empty = true),
		error, sizeof(error));

	if (err)
		return app_fail(err == -ENOMEM ? EXIT_FAILED : EXIT_USAGE, "%s", error);
	pstk_iq_input_get_info(p->input, &p->info);
	/* metadata can name any file: now it is known, and none has been written */
	return options_check_names(options, pstk_iq_input_file(p->input));
}

/* The transmitter is known only of the built-in coefficients, which are made for it. */
static int create_spectra(struct predistortion *p)
{
	struct pstk_spectrum **spectra[] = { &p->before, &p->after, &p->sent_before, &p->sent_after };
	size_t count = p->coefficients.built_in ? 4 : 2;
	int err = 0;

	for (size_t i = 0; i < count && !err; i++)
		err = pstk_spectrum_create(spectra[i], SPECTRA_BINS);
	if (err == -ENOTSUP)
		return app_fail(EXIT_USAGE, "--plot: this build has no kissfft");
	return err ? app_fail(EXIT_FAILED, "--plot: %s", strerror(-err)) : 0;
}

static uint32_t choose(void *active, uint64_t period)
{
	return active_set(active, period);
}

static struct pstk_actor *add_configuration(struct predistortion *p, const struct options *options)
{
	struct pstk_configuration_spec spec = pstk_configuration_spec_init();

	/* a control token is for a firing, so for a window of samples */
	spec.period = p->period / (options->block * options->rate);
	spec.values = p->active.sets;
	spec.count = p->active.count;
	if (!p->active.sets) {
		spec.choose = choose;
		spec.data = &p->active;
	}
	p->configuration = pstk_configuration_create(&spec);
	if (!p->configuration) {
		pstk_network_refuse(p->network, -ENOMEM, "conf: out of memory");
		return NULL;
	}
	return pstk_configuration_add(p->network, "conf", p->configuration);
}

static struct pstk_fifo_spec data_spec(const struct options *options)
{
	struct pstk_fifo_spec spec = pstk_fifo_spec_init();

	spec.rate = options->block * options->rate;
	spec.depth = options->team.depth;
	spec.token_size = sizeof(float);
	return spec;
}

/*
 * The polynomial takes its control tokens earlier than the adder: K windows fit between it and a filter, K
 * (on devices perhaps another number) more between that and the adder, and with these full it has taken the
 * token of the firing that it waits to make: 2K + 1 tokens that the adder has yet to take. One more is the
 * next one's, so that the configuration has written it when it is wanted. With less the configuration would
 * wait for the adder, and the polynomial for the configuration, while the filters could work. When sets
 * change the polynomial could run further ahead, by what the FIFOs of branches hold that were off before;
 * but each token more is a set that was chosen another firing earlier, and the filters have work enough.
 */
static uint32_t control_depth(uint32_t into_filters, uint32_t out_of_filters)
{
	uint64_t depth = (uint64_t)into_filters + out_of_filters + 2;

	return depth > UINT32_MAX ? UINT32_MAX : (uint32_t)depth;
}

/* A signal is a FIFO for its real parts and one for the imaginary ones. Port names are "re" and "im" with
 * something behind. The result: the former. */
static struct pstk_fifo *connect_pair(struct pstk_actor *src, const char *out, struct pstk_actor *dst,
	const char *in, const struct options *options)
{
	struct pstk_fifo_spec spec = data_spec(options);
	char out_port[32], in_port[32];
	struct pstk_fifo *re;

	snprintf(out_port, sizeof(out_port), "re%s", out);
	snprintf(in_port, sizeof(in_port), "re%s", in);
	re = pstk_connect(src, out_port, dst, in_port, &spec);
	snprintf(out_port, sizeof(out_port), "im%s", out);
	snprintf(in_port, sizeof(in_port), "im%s", in);
	pstk_connect(src, out_port, dst, in_port, &spec);
	return re;
}

/* What fails here is among the network's problems, too. */
static void map(struct predistortion *p, const struct options *options, struct pstk_actor *actor,
	unsigned slot, int *status)
{
	const char *selector = device_of(options, &p->coefficients, slot);
	int err = actor && selector ? pstk_actor_map(actor, selector) : 0;

	if (err && !*status)
		*status = devices_status(err);
	if (selector)
		p->uses_device = true;
}

/* The library may choose depths, which are known when all other FIFOs are there. */
static void connect_control(struct predistortion *p)
{
	struct pstk_fifo_spec spec = pstk_fifo_spec_init();
	uint32_t into = 0, out_of = 0;

	for (unsigned i = 0; i < pstk_network_fifo_count(p->network); i++) {
		struct pstk_fifo_info info = { 0 };

		pstk_fifo_get_info(pstk_network_fifo(p->network, i), &info);
		if (info.src == p->poly && info.depth > into)
			into = info.depth;
		if (info.dst == p->adder && info.depth > out_of)
			out_of = info.depth;
	}
	spec.rate = 1;
	spec.depth = control_depth(into, out_of);
	spec.token_size = sizeof(uint32_t);
	pstk_connect(p->conf, "out", p->poly, "active", &spec);
	pstk_connect(p->conf, "out", p->adder, "active", &spec);
}

static struct pstk_actor *add_polynomial(struct predistortion *p)
{
	struct pstk_polynomial_branch terms[PSTK_MAX_BRANCHES];

	for (unsigned b = 0; b < p->coefficients.count; b++)
		terms[b] = p->coefficients.branches[b].term;
	return pstk_polynomial_add(p->network, "poly", terms, p->coefficients.count, true);
}

/* All but the sink, whose output is opened when this stands: 0, or what to exit with because of a device. */
static int add_actors(struct predistortion *p, const struct options *options)
{
	const struct coefficients *set = &p->coefficients;
	struct pstk_actor *poly, *firs[PSTK_MAX_BRANCHES];
	char name[32];
	int status = 0;

	p->source = pstk_network_add(p->network, "source", pstk_iq_source_type_for(p->input), p->input);
	p->conf = add_configuration(p, options);
	poly = p->poly = add_polynomial(p);
	map(p, options, poly, POLY, &status);
	for (unsigned b = 0; b < set->count; b++) {
		snprintf(name, sizeof(name), "fir%u", b + 1);
		firs[b] = pstk_fir_add(p->network, name, set->branches[b].taps, set->branches[b].tap_count);
		map(p, options, firs[b], b + 1, &status);
	}
	p->adder = pstk_adder_add(p->network, "adder", set->count, set->lo, true);
	map(p, options, p->adder, set->count + 1, &status);
	p->first = connect_pair(p->source, "", poly, "", options);
	for (unsigned b = 0; b < set->count; b++) {
		snprintf(name, sizeof(name), "%u", b + 1);
		connect_pair(poly, name, firs[b], "", options);
		connect_pair(firs[b], "_out", p->adder, name, options);
	}
	return status;
}

/* What an actor gives, and what the transmitter would send of it. */
static void add_spectra(struct predistortion *p, const struct options *options, struct pstk_actor *from,
	const char *name, struct pstk_spectrum *spectrum, struct pstk_spectrum *sent)
{
	struct pstk_actor *transmitter;
	char sent_name[32];

	connect_pair(
		from, "", pstk_network_add(p->network, name, pstk_spectrum_type(), spectrum), "", options);
	if (!sent)
		return;
	snprintf(sent_name, sizeof(sent_name), "send_%s", name);
	transmitter = pstk_network_add(p->network, sent_name, transmitter_type(), NULL);
	connect_pair(from, "", transmitter, "", options);
	snprintf(sent_name, sizeof(sent_name), "sent_%s", name);
	connect_pair(transmitter, "_out", pstk_network_add(p->network, sent_name, pstk_spectrum_type(), sent),
		"", options);
}

static void add_ends(struct predistortion *p, const struct options *options)
{
	struct pstk_actor *sink =
		pstk_network_add(p->network, "sink", pstk_iq_sink_type_for(p->output), p->output);

	p->last = connect_pair(p->adder, "", sink, "", options);
	if (options->plot) {
		add_spectra(p, options, p->source, "before", p->before, p->sent_before);
		add_spectra(p, options, p->adder, "after", p->after, p->sent_after);
	}
	team_apply(&options->team, p->network);
	connect_control(p);
}

static int build(struct predistortion *p, const struct options *options)
{
	int status;

	p->network = pstk_network_create("predistortion");
	if (!p->network)
		return app_out_of_memory();
	status = add_actors(p, options);
	if (!status)
		team_plan(&options->team, p->network);
	if (!status)
		status = moves_apply(&options->moves, p->network);
	if (app_say_problems(p->network) && !status)
		status = EXIT_FAILED;
	return status;
}

int predistortion_open(struct predistortion *p, const struct options *options)
{
	int status;

	*p = (struct predistortion){ .period = options->period };
	status = load(p, options);
	/* before the input is opened, which may wait for a writer */
	if (!status)
		status = devices_find(options->devices, options->device_count);
	if (!status && options->plot)
		status = create_spectra(p);
	if (!status && options->plot && !options->print_network)
		status = plot_check_gnuplot("plot");
	if (!status && !options->print_network)
		status = open_input(p, options);
	if (!status)
		status = build(p, options);
	return status;
}

static int open_output(struct predistortion *p, const struct options *options)
{
	char error[PSTK_IQ_ERROR_SIZE];
	int err = pstk_iq_output_open(&p->output,
		PSTK_IQ_OUTPUT(.path = options->output, .sample_rate = p->info.sample_rate,
			.frequency = p->info.frequency,
			.description = "predistorted by penstock " PSTK_VERSION),
		error, sizeof(error));

	return !err ? 0 : app_fail(err == -EINVAL || err == -ENOTSUP ? EXIT_USAGE : EXIT_FAILED, "%s", error);
}

int predistortion_open_output(struct predistortion *p, const struct options *options)
{
	if (options->output && !options->print_network) {
		int status = open_output(p, options);

		if (status)
			return status;
	}
	add_ends(p, options);
	return app_say_problems(p->network) ? EXIT_FAILED : 0;
}

void predistortion_close(struct predistortion *p)
{
	pstk_network_destroy(p->network);
	pstk_configuration_destroy(p->configuration);
	pstk_spectrum_destroy(p->before);
	pstk_spectrum_destroy(p->after);
	pstk_spectrum_destroy(p->sent_before);
	pstk_spectrum_destroy(p->sent_after);
	pstk_iq_output_close(p->output);
	pstk_iq_input_close(p->input);
	active_free(&p->active);
	coefficients_free(&p->coefficients);
}
