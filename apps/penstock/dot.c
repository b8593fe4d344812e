/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "apps/penstock/dot.h"
#include "apps/penstock/markup.h"

#include <penstock/pipeline.h>
#include <penstock/plan.h>

#include <inttypes.h>
#include <string.h>

/* Of control groups: the FIFOs of one controlling output and the actors that it controls. */
static const char *const colours[] = { "#b03060", "#2060b0", "#208040", "#a06000", "#703090", "#007080" };
enum { COLOURS = sizeof colours / sizeof *colours };

void dot_text(FILE *out, const char *text)
{
	for (; *text; text++) {
		if (*text == '"' || *text == '\\')
			fputc('\\', out);
		fputc(*text, out);
	}
}

static bool is_control(const struct pstk_fifo_info *f)
{
	return pstk_actor_get_type(f->dst)->ports[f->dst_port].kind == PSTK_CONTROL;
}

static bool is_dynamic(enum pstk_port_kind kind)
{
	return kind == PSTK_DYNAMIC_INPUT || kind == PSTK_DYNAMIC_OUTPUT;
}

/* The colour of what this output controls: each such output has one, in the order of the FIFOs. */
static const char *colour_of_output(
	const struct pstk_network *net, const struct pstk_actor *src, unsigned port)
{
	unsigned number = 0;
	struct pstk_fifo_info f, former = { 0 };

	for (unsigned i = 0; i < pstk_network_fifo_count(net); i++) {
		if (pstk_fifo_get_info(pstk_network_fifo(net, i), &f) || !is_control(&f))
			continue;
		if (former.src && (f.src != former.src || f.src_port != former.src_port))
			number++;
		if (f.src == src && f.src_port == port)
			break;
		former = f;
	}
	return colours[number % COLOURS];
}

/* Of the control group that an actor is in; NULL: in none. */
static const char *colour_of(const struct pstk_network *net, const struct pstk_actor *a)
{
	const struct pstk_actor_type *type = pstk_actor_get_type(a);
	struct pstk_fifo_info f;
	unsigned port = 0;

	while (port < type->port_count && type->ports[port].kind != PSTK_CONTROL)
		port++;
	if (port == type->port_count)
		return NULL;
	for (unsigned i = 0; i < pstk_network_fifo_count(net); i++)
		if (!pstk_fifo_get_info(pstk_network_fifo(net, i), &f) && f.dst == a && is_control(&f))
			return colour_of_output(net, f.src, f.src_port);
	return NULL;
}

/* Its colour is how busy it was; without a run, whether a device fires it. */
static void print_fill(FILE *out, const struct paint *paint, const struct pstk_actor *a)
{
	struct pstk_device_info device;
	char colour[MARKUP_COLOUR];

	if (paint)
		fprintf(out, ", style=\"rounded,filled\", fillcolor=\"%s\"%s",
			markup_heat(paint_busy(paint, a), colour),
			paint_is_limit(paint, a) ? ", penwidth=3" : "");
	else if (!pstk_actor_device(a, &device))
		fputs(", style=\"rounded,filled\", fillcolor=\"#d5e8d4\"", out);
}

/* Of a pipeline: its stages, each with its type; then what it was told of where they run. */
static void print_stages(FILE *out, const struct pstk_pipeline *p)
{
	struct pstk_pipeline_spec spec = { 0 };
	const struct pstk_actor *stage;

	for (unsigned k = 0; (stage = pstk_pipeline_stage(p, k)); k++) {
		fprintf(out, "\\n%u: ", k + 1);
		dot_text(out, pstk_actor_name(stage));
		if (strcmp(pstk_actor_name(stage), pstk_actor_get_type(stage)->name) != 0) {
			fputs(" (", out);
			dot_text(out, pstk_actor_get_type(stage)->name);
			fputc(')', out);
		}
	}
	pstk_pipeline_get_spec(p, &spec);
	if (spec.device) {
		fputs("\\ncores, ", out);
		dot_text(out, spec.device);
	}
	if (spec.configuration) {
		fputs("\\n", out);
		dot_text(out, spec.configuration);
	}
}

static void print_actor(
	FILE *out, const struct pstk_network *net, const struct paint *paint, const struct pstk_actor *a)
{
	struct pstk_device_info device;
	const char *colour = colour_of(net, a);

	fputs("\t\"", out);
	dot_text(out, pstk_actor_name(a));
	fputs("\" [label=\"", out);
	dot_text(out, pstk_actor_name(a));
	if (strcmp(pstk_actor_name(a), pstk_actor_get_type(a)->name) != 0) {
		fputs("\\n", out);
		dot_text(out, pstk_actor_get_type(a)->name);
	}
	if (pstk_actor_pipeline(a))
		print_stages(out, pstk_actor_pipeline(a));
	if (pstk_actor_given_place(a)) {
		fputs("\\n", out);
		dot_text(out, pstk_actor_given_place(a));
	}
	if (!pstk_actor_device(a, &device)) {
		fputs("\\n", out);
		dot_text(out, device.selector);
	} else if (pstk_actor_core(a) >= 0) {
		fprintf(out, "\\ncore %d", pstk_actor_core(a));
	}
	if (pstk_actor_repetitions(a) > 1)
		fprintf(out, "\\nx %" PRIu64, pstk_actor_repetitions(a));
	if (paint)
		fprintf(out, "\\nbusy %.0f %%", 100 * paint_busy(paint, a));
	fputs("\"", out);
	print_fill(out, paint, a);
	if (colour)
		fprintf(out, ", color=\"%s\"", colour);
	fputs("];\n", out);
}

/* "4 of 76800 B", "16 to 5 of 4 B"; then what is not usual. */
static void print_rates(FILE *out, const struct pstk_fifo_info *f)
{
	if (f->write_rate != f->rate)
		fprintf(out, "%" PRIu32 " to %" PRIu32, f->write_rate, f->rate);
	else
		fprintf(out, "%" PRIu32, f->rate);
	fprintf(out, " of %zu B\\ndepth %" PRIu32, f->token_size, f->depth);
	if (f->merged)
		fputs(", merged", out);
	if (f->delay)
		fprintf(out, "\\n%" PRIu32 " initial", f->delay);
	if (f->tail)
		fprintf(out, "\\ntail %" PRIu32, f->tail);
}

static void print_fifo(
	FILE *out, const struct pstk_network *net, const struct paint *paint, const struct pstk_fifo *fifo)
{
	const struct pstk_port *from, *to;
	struct pstk_fifo_info f;

	if (pstk_fifo_get_info(fifo, &f))
		return;
	from = &pstk_actor_get_type(f.src)->ports[f.src_port];
	to = &pstk_actor_get_type(f.dst)->ports[f.dst_port];
	fputs("\t\"", out);
	dot_text(out, pstk_actor_name(f.src));
	fputs("\" -> \"", out);
	dot_text(out, pstk_actor_name(f.dst));
	fputs("\" [taillabel=\"", out);
	dot_text(out, from->name);
	fputs("\", headlabel=\"", out);
	dot_text(out, to->name);
	fputs("\", label=\"", out);
	print_rates(out, &f);
	if (paint)
		fprintf(out, "\\nfilled %.0f %%\", penwidth=%.1f", 100 * paint_filled(paint, fifo),
			1 + 4 * paint_filled(paint, fifo));
	else
		fputs("\"", out);
	if (paint && paint_holds_up(paint, fifo))
		fputs(", color=\"#ef5350\"", out);
	else if (is_control(&f))
		fprintf(out, ", style=dashed, color=\"%s\"", colour_of_output(net, f.src, f.src_port));
	else if (is_dynamic(from->kind) || is_dynamic(to->kind))
		fprintf(out, ", color=\"%s\"",
			is_dynamic(from->kind) ? colour_of(net, f.src) : colour_of(net, f.dst));
	fputs("];\n", out);
}

void dot_print(const struct pstk_network *net, const struct paint *paint, FILE *out)
{
	unsigned threads = pstk_network_threads(net);

	fputs("digraph \"", out);
	dot_text(out, pstk_network_name(net));
	fputs("\" {\n\trankdir=LR;\n\tfontname=\"sans-serif\";\n\tlabel=\"", out);
	dot_text(out, pstk_network_name(net));
	if (threads)
		fprintf(out, ", a team of %u thread%s", threads, threads == 1 ? "" : "s");
	fprintf(out,
		", %.3f MB of FIFO memory\";\n\tnode [shape=box, style=rounded, fontname=\"sans-serif\"];\n"
		"\tedge [fontname=\"sans-serif\", fontsize=9];\n",
		(double)pstk_network_shared_bytes(net) / 1e6);
	for (unsigned i = 0; i < pstk_network_actor_count(net); i++)
		print_actor(out, net, paint, pstk_network_actor(net, i));
	for (unsigned i = 0; i < pstk_network_fifo_count(net); i++)
		print_fifo(out, net, paint, pstk_network_fifo(net, i));
	fputs("}\n", out);
}
