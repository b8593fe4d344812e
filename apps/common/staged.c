/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "apps/common/staged.h"
#include "actors/common/message.h"
#include "apps/common/arguments.h"
#include "apps/common/devices.h"
#include "apps/common/files.h"
#include "apps/common/originals.h"
#include "apps/common/signals.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { SIDE_MOST = 32768 }; /* of what <penstock/vision.h> takes */

/* What is being done. */
struct doing {
	const struct staged_program *program;
	void *own;
	struct staged run;
	struct report *report;
	struct rates *rates;
};

/*
 * The command line.
 */

static int take_shared(struct staged_options *o, int option, const char *value)
{
	switch (option) {
	case OPT_INPUT:
		o->inputs[o->input_count++] = value;
		return 0;
	case OPT_SIZE:
		o->size.depth = 1;
		return arguments_size("size", value, &o->size.width, &o->size.height);
	case OPT_FRAMES:
		return arguments_count("frames", value, &o->frames);
	case OPT_REPEAT:
		return arguments_count("repeat", value, &o->repeat);
	case OPT_OUTPUT:
		o->output = value;
		return 0;
	case OPT_STATS:
		o->stats = value;
		return 0;
	case OPT_RATES:
		o->rates = value;
		return 0;
	case OPT_TRACE:
		o->trace = value;
		return 0;
	case OPT_CHECK:
		o->check = true;
		return 0;
	default:
		return mapping_take(&o->mapping, option, value);
	}
}

static int print_version(void)
{
	char line[128];

	snprintf(line, sizeof line, "%s (penstock) " PSTK_VERSION "\n", app_name);
	return arguments_print(line);
}

static int take(void *data, int option, const char *value)
{
	struct doing *d = data;
	int status;

	switch (option) {
	case OPT_DEVICES:
		return devices_list();
	case OPT_HELP:
		return arguments_print(d->program->help);
	case OPT_VERSION:
		return print_version();
	}
	if (option >= OPT_OWN)
		return d->program->take(d->own, option, value);
	status = take_shared(&d->run.options, option, value);
	return status ? status : -1;
}

/* Files behind the first one of --input. */
static int take_operand(void *data, const char *value)
{
	struct staged_options *o = &((struct doing *)data)->run.options;

	if (!o->input_count)
		return app_fail(EXIT_USAGE, "unexpected argument '%s': is --input meant?", value);
	o->inputs[o->input_count++] = value;
	return -1;
}

enum { OUTPUTS = 5 };

static void get_outputs(const struct staged_options *o, struct files_named outputs[OUTPUTS])
{
	const struct files_named all[OUTPUTS] = { { "output", o->output, STDOUT_FILENO, false },
		{ "stats", o->stats, STDOUT_FILENO, false }, { "rates", o->rates, STDOUT_FILENO, false },
		{ "save-measurements", o->mapping.measured.path, STDOUT_FILENO, false },
		{ "trace", o->trace, STDOUT_FILENO, false } };

	memcpy(outputs, all, sizeof all);
}

int staged_check_names(const struct staged_options *o, const struct files_named *own, unsigned count)
{
	struct files_named names[STAGED_NAMES_MOST + OUTPUTS];

	memcpy(names, own, count * sizeof *own);
	get_outputs(o, names + count);
	return files_check_names(names, count + OUTPUTS);
}

/* Pictures of a numbered name have names of their own. */
static int check_pictures(const struct staged_options *o)
{
	struct originals inputs = { .list = NULL };
	struct files_named outputs[OUTPUTS];
	int status = 0;

	get_outputs(o, outputs);
	for (unsigned i = 0; i < o->input_count && !status; i++)
		status = originals_add(&inputs, o->inputs[i]);
	for (unsigned i = 0; i < OUTPUTS && !status; i++)
		if (outputs[i].name && originals_have(&inputs, outputs[i].name))
			status = app_fail(EXIT_USAGE, "--%s %s is an input: give another name",
				outputs[i].option, outputs[i].name);
	originals_free(&inputs);
	return status;
}

/* An input may be given twice, but an output is no other file. */
static int check_inputs(const struct staged_options *o)
{
	int status = 0;

	for (unsigned i = 0; i < o->input_count && !status; i++)
		status = staged_check_names(
			o, &(const struct files_named){ "input", o->inputs[i], STDIN_FILENO, false }, 1);
	return status ? status : check_pictures(o);
}

static int settle(void *data)
{
	struct doing *d = data;
	const struct staged_options *o = &d->run.options;
	int status = 0;

	if (d->program->find_inputs)
		status = d->program->find_inputs(d->own, &d->run.options);
	if (!status)
		status = o->input_count ? check_inputs(o) : app_fail(EXIT_USAGE, "--input FILE is needed");
	if (!status && o->stats && report_missing())
		status = app_fail(EXIT_USAGE, "--stats: %s", report_missing());
	if (!status)
		status = d->program->settle(d->own, o);
	return status ? status : -1;
}

/* -1: run */
static int parse(struct doing *d, int argc, char **argv)
{
	struct staged_options *o = &d->run.options;
	struct arguments arguments = {
		.table = d->program->table, .take = take, .settle = settle, .data = d, .operand = take_operand
	};

	o->repeat = 1;
	mapping_init(&o->mapping);
	o->inputs = calloc((size_t)argc, sizeof *o->inputs);
	return o->inputs ? arguments_parse(&arguments, argc, argv) : app_out_of_memory();
}

/*
 * The network.
 */

static int open_inputs(struct staged *s)
{
	const struct staged_options *o = &s->options;
	int status = inputs_open(&s->inputs, o->inputs, o->input_count, &o->size, true, o->repeat);

	if (status)
		return status;
	s->frames.inputs = &s->inputs;
	s->frames.left = o->frames ? o->frames : UINT64_MAX;
	s->token_size = pstk_sized_bytes((size_t)s->inputs.size.width * s->inputs.size.height);
	return 0;
}

/* Frames that no stage takes. */
static int check_sides(const struct staged *s)
{
	for (unsigned i = 0; i < s->options.input_count; i++) {
		const struct size *size = inputs_size(&s->inputs, i);

		if (size->width > SIDE_MOST || size->height > SIDE_MOST)
			return app_fail(EXIT_USAGE,
				"%s: frames of %" PRIu32 "x%" PRIu32 " pixels: a side has %d at most",
				s->options.inputs[i], size->width, size->height, SIDE_MOST);
	}
	return 0;
}

static int build(struct doing *d)
{
	struct staged *s = &d->run;
	int status;

	s->network = pstk_network_create(app_name);
	if (!s->network)
		return app_out_of_memory();
	s->source = pstk_network_add(s->network, "source", frame_source_type(&s->frames), &s->frames);
	status = d->program->build(d->own, s);
	if (app_say_problems(s->network) && !status)
		status = EXIT_FAILED;
	return status;
}

static int open_network(struct doing *d)
{
	int status = mapping_find(&d->run.options.mapping);

	if (!status)
		status = open_inputs(&d->run);
	if (!status)
		status = check_sides(&d->run);
	return status ? status : build(d);
}

int staged_map(const struct staged *s, struct pstk_actor *const *stages, unsigned count)
{
	return mapping_add(&s->options.mapping, s->network, app_name, stages, count);
}

int staged_connect_around(const struct staged *s, struct pstk_actor *sink, const char *port)
{
	struct pstk_pipeline *p = pstk_network_pipeline(s->network, 0);
	struct pstk_pipeline_spec spec = { 0 };
	struct pstk_fifo_spec around = pstk_fifo_spec_init();
	const struct pstk_fifo *fifo;
	struct pstk_fifo_info info;

	/* in front of it, inside, behind it; of stages one by one each may hold as many as a team has threads */
	for (unsigned i = 0; (fifo = pstk_network_fifo(s->network, i)); i++)
		if (!pstk_fifo_get_info(fifo, &info) && (!p || info.src == s->source || info.dst == sink))
			around.depth += info.depth;
	if (p)
		pstk_pipeline_get_spec(p, &spec);
	around.depth += spec.in_flight ? spec.in_flight : around.depth;
	around.token_size = s->token_size;
	return pstk_connect(s->source, "out", sink, port, &around) ? 0 : EXIT_FAILED;
}

int staged_check_sizes(const struct staged *s, uint32_t width, uint32_t height, const char *without)
{
	for (unsigned i = 0; i < s->options.input_count; i++) {
		const struct size *size = inputs_size(&s->inputs, i);

		if (size->width < width || size->height < height)
			return app_fail(EXIT_USAGE, "%s: frames of %" PRIu32 "x%" PRIu32 " pixels have %s",
				s->options.inputs[i], size->width, size->height, without);
	}
	return 0;
}

/*
 * The run.
 */

/* What may wait, the inputs and FIFOs, first, the files last. */
static int open_all(struct doing *d)
{
	struct staged_options *o = &d->run.options;
	int status = open_network(d);

	if (!status && d->program->open)
		status = d->program->open(d->own, &d->run, true);
	if (!status && o->stats && files_is_fifo(o->stats))
		status = report_open(&d->report, o->stats);
	if (!status && o->rates && files_is_fifo(o->rates))
		status = rates_open(&d->rates, o->rates, d->run.unit);
	signals_block();
	if (!status && d->program->open)
		status = d->program->open(d->own, &d->run, false);
	if (!status && !d->report)
		status = report_open(&d->report, o->stats);
	if (!status)
		status = measured_open(&o->mapping.measured, d->run.network);
	if (!status && !d->rates)
		status = rates_open(&d->rates, o->rates, d->run.unit);
	return status;
}

static void fill(struct doing *d)
{
	report_text(d->report, "version", pstk_version());
	report_integer(d->report, "width", d->run.inputs.size.width);
	report_integer(d->report, "height", d->run.inputs.size.height);
	report_integer(d->report, "repeat", d->run.options.repeat);
	if (d->program->report)
		d->program->report(d->own, d->report);
	report_integer(d->report, "team", pstk_network_threads(d->run.network));
}

/* Of a run that was aborted there is no file: it would be of a part. */
static int write_results(struct doing *d, const struct running *running)
{
	struct measured *measured = &d->run.options.mapping.measured;
	int status = 0, other, third, fourth;

	if (running->err)
		return 0;
	if (d->program->complete)
		status = d->program->complete(d->own, &d->run);
	fill(d);
	other = status ? 0 : report_write(d->report, running);
	if (!status)
		d->report = NULL;
	third = status ? 0 : measured_write(measured, d->run.network);
	fourth = status || other || third ? 0 : rates_complete(d->rates);
	if (!status && !other && !third)
		d->rates = NULL;
	return status ? status : other ? other : third ? third : fourth;
}

static int run(struct doing *d)
{
	const struct staged_options *o = &d->run.options;
	struct running running = { .network = d->run.network,
		.last = d->run.last,
		.unit = d->run.unit,
		.expected = o->frames > d->run.fewer ? o->frames - d->run.fewer : 0,
		.uses_device = o->mapping.spec.device,
		.trace = { .path = o->trace },
		.pipelines = o->mapping.report,
		.rates = d->rates };
	int status = running_run(&running);

	return status ? status : running_status(&running, write_results(d, &running));
}

int staged_main(const struct staged_program *program, void *own, int argc, char **argv)
{
	struct doing d = { .program = program, .own = own, .run.unit = "frames" };
	int status;

	files_fill_standard();
	signals_handle();
	status = parse(&d, argc, argv);
	if (status == -1 && d.run.options.check) {
		status = open_network(&d);
		status = status ? status : running_check(d.run.network);
	} else if (status == -1) {
		status = open_all(&d);
		status = status ? status : run(&d);
	}
	report_drop(d.report);
	rates_drop(d.rates);
	measured_drop(&d.run.options.mapping.measured);
	pstk_network_destroy(d.run.network);
	program->close(own);
	inputs_close(&d.run.inputs);
	free(d.run.options.inputs);
	return status;
}
