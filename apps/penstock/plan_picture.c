/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "apps/penstock/plan_picture.h"
#include "apps/penstock/dot.h"
#include "apps/penstock/yaml.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

/* Of groups of several buffers. */
static const char *const colours[] = { "#f4c7c3", "#c9daf8", "#d9ead3", "#fff2cc", "#d9d2e9", "#d0e0e3" };
enum { COLOURS = sizeof colours / sizeof *colours };

static bool is_merged(const struct pstk_plan *p, unsigned buffer)
{
	struct pstk_planned_buffer b, other;

	if (pstk_plan_get_buffer(p, buffer, &b))
		return false;
	for (unsigned i = 0; !pstk_plan_get_buffer(p, i, &other); i++)
		if (i != buffer && other.group == b.group)
			return true;
	return false;
}

static void dot_buffer(
	const struct pstk_plan *p, unsigned index, const struct pstk_planned_buffer *b, FILE *out)
{
	fprintf(out, "\t\tb%u [label=\"buffer %u\\n%" PRIu32 " x %zu B\", shape=box, height=0.3, fontsize=9",
		index, index, b->depth, b->window_bytes);
	if (is_merged(p, index))
		fprintf(out, ", style=filled, fillcolor=\"%s\", tooltip=\"group %" PRIu32 "\"",
			colours[b->group % COLOURS], b->group);
	fputs("];\n", out);
}

/* The actors and the buffers of one place. */
static void dot_place(const struct pstk_plan *p, const char *place, unsigned number, FILE *out)
{
	struct pstk_planned_actor a;
	struct pstk_planned_buffer b;

	fprintf(out, "\tsubgraph cluster%u {\n\t\tlabel=\"", number);
	dot_text(out, place);
	fputs("\";\n", out);
	for (unsigned i = 0; !pstk_plan_get_actor(p, i, &a); i++) {
		if (strcmp(a.place, place) != 0)
			continue;
		fputs("\t\t\"", out);
		dot_text(out, a.name);
		fputs("\" [style=\"rounded,filled\", fillcolor=white, label=\"", out);
		dot_text(out, a.name);
		if (a.latency != UINT64_MAX)
			fprintf(out, "\\ncycle %" PRIu64, a.latency);
		fputs("\"];\n", out);
	}
	for (unsigned i = 0; !pstk_plan_get_buffer(p, i, &b); i++)
		if (!strcmp(b.place, place))
			dot_buffer(p, i, &b, out);
	fputs("\t}\n", out);
}

/* The name of an actor among what a buffer says of its writer, "actor.port". */
static void dot_writer(const struct pstk_plan *p, const char *writer, FILE *out)
{
	struct pstk_planned_actor a;

	for (unsigned i = 0; !pstk_plan_get_actor(p, i, &a); i++) {
		size_t length = strlen(a.name);

		if (!strncmp(a.name, writer, length) && (!writer[length] || writer[length] == '.')) {
			dot_text(out, a.name);
			return;
		}
	}
}

static void dot_ways(
	const struct pstk_plan *p, unsigned index, const struct pstk_planned_buffer *b, FILE *out)
{
	const char *reader;

	if (b->writer) {
		fputs("\t\"", out);
		dot_writer(p, b->writer, out);
		fprintf(out, "\" -> b%u;\n", index);
	} else {
		fprintf(out, "\tb%" PRIu32 " -> b%u [style=bold, color=\"#2060b0\"];\n", b->from, index);
	}
	for (unsigned k = 0; (reader = pstk_plan_buffer_reader(p, index, k)); k++) {
		fprintf(out, "\tb%u -> \"", index);
		dot_text(out, reader);
		fputs("\";\n", out);
	}
}

void plan_picture_dot(const struct pstk_plan *p, FILE *out)
{
	struct pstk_plan_summary s;
	struct pstk_planned_memory m;
	struct pstk_planned_buffer b;
	struct pstk_planned_load l;
	unsigned number = 0;

	if (pstk_plan_get_summary(p, &s))
		return;
	fprintf(out,
		"digraph plan {\n\trankdir=LR;\n\tfontname=\"sans-serif\";\n\tlabel=\"overlap %s, at least "
		"%.6g ms an "
		"iteration\";\n\tnode [shape=box, fontname=\"sans-serif\"];\n",
		s.overlap ? "on" : "off", 1e3 * s.period);
	/* a place with an actor has a load, one with a buffer memory */
	for (unsigned i = 0; !pstk_plan_get_load(p, i, &l); i++)
		if (!strchr(l.name, ' '))
			dot_place(p, l.name, number++, out);
	for (unsigned i = 0; !pstk_plan_get_memory(p, i, &m); i++) {
		bool drawn = false;

		for (unsigned k = 0; !drawn && !pstk_plan_get_load(p, k, &l); k++)
			drawn = !strcmp(l.name, m.place);
		if (!drawn)
			dot_place(p, m.place, number++, out);
	}
	for (unsigned i = 0; !pstk_plan_get_buffer(p, i, &b); i++)
		dot_ways(p, i, &b, out);
	fputs("}\n", out);
}

void plan_picture_yaml(const struct pstk_plan *p, FILE *out)
{
	struct pstk_planned_actor a;

	fputs("mapping:\n", out);
	for (unsigned i = 0; !pstk_plan_get_actor(p, i, &a); i++) {
		fputs("  ", out);
		yaml_text(a.name, out);
		fputs(": ", out);
		yaml_text(a.place, out);
		fputc('\n', out);
	}
}

#ifdef HAVE_JANSSON

#include <jansson.h>

static json_t *cycle_json(uint64_t cycle)
{
	return cycle == UINT64_MAX ? json_null() : json_integer((json_int_t)cycle);
}

static json_t *seconds_json(double seconds)
{
	return isnan(seconds) ? json_null() : json_real(seconds);
}

static json_t *buffer_json(const struct pstk_plan *p, unsigned index, const struct pstk_planned_buffer *b)
{
	json_t *readers = json_array(), *to = json_array(), *json;
	struct pstk_planned_buffer other;
	const char *reader;

	for (unsigned k = 0; (reader = pstk_plan_buffer_reader(p, index, k)); k++)
		json_array_append_new(readers, json_string(reader));
	for (unsigned i = index + 1; !pstk_plan_get_buffer(p, i, &other); i++)
		if (other.from == index)
			json_array_append_new(to, json_integer(i));
	json = json_pack("{s:i, s:s, s:s?, s:o, s:o, s:o, s:I, s:I, s:I}", "id", (int)index, "place",
		b->place, "writer", b->writer, "from",
		b->from == PSTK_PLAN_NONE ? json_null() : json_integer(b->from), "readers", readers, "to", to,
		"depth", (json_int_t)b->depth, "bytes", (json_int_t)b->window_bytes, "group",
		(json_int_t)b->group);
	if (json && b->delay_bytes)
		json_object_set_new(json, "delay_bytes", json_integer((json_int_t)b->delay_bytes));
	return json;
}

static json_t *buffers_json(const struct pstk_plan *p)
{
	json_t *buffers = json_array();
	struct pstk_planned_buffer b;

	for (unsigned i = 0; !pstk_plan_get_buffer(p, i, &b); i++)
		json_array_append_new(buffers, buffer_json(p, i, &b));
	return buffers;
}

static json_t *memory_json(const struct pstk_plan *p)
{
	json_t *memory = json_object();
	struct pstk_planned_memory m;

	for (unsigned i = 0; !pstk_plan_get_memory(p, i, &m); i++)
		json_object_set_new(memory, m.place,
			json_pack("{s:I, s:I}", "bytes", (json_int_t)m.bytes, "merged_bytes",
				(json_int_t)m.merged_bytes));
	return memory;
}

static json_t *loads_json(const struct pstk_plan *p)
{
	json_t *loads = json_object();
	struct pstk_planned_load l;

	for (unsigned i = 0; !pstk_plan_get_load(p, i, &l); i++)
		json_object_set_new(loads, l.name, json_real(l.seconds));
	return loads;
}

static json_t *measured_json(const struct measure *m)
{
	json_t *measured = json_array();

	for (size_t i = 0; i < m->count; i++)
		json_array_append_new(
			measured, json_pack("{s:s, s:s, s:f, s:I}", "actor", m->times[i].actor, "place",
					  m->times[i].place, "seconds", 1e-9 * (double)m->times[i].ns,
					  "firings", (json_int_t)m->times[i].firings));
	return measured;
}

int plan_picture_json(const struct pstk_plan *p, const struct measure *m, FILE *out)
{
	json_t *schedule = json_object(), *latency = json_object(), *slack = json_object(),
	       *seconds = json_object(), *mapping = json_object(), *json;
	struct pstk_plan_summary s;
	struct pstk_planned_actor a;
	int failed;

	for (unsigned i = 0; !pstk_plan_get_actor(p, i, &a); i++) {
		json_object_set_new(schedule, a.name, json_integer(a.schedule));
		json_object_set_new(latency, a.name, cycle_json(a.latency));
		json_object_set_new(slack, a.name, json_integer((json_int_t)a.slack));
		json_object_set_new(seconds, a.name, seconds_json(a.seconds));
		json_object_set_new(mapping, a.name, json_string(a.place));
	}
	if (pstk_plan_get_summary(p, &s))
		return -EINVAL;
	json = json_pack("{s:b, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:f, s:o, s:o, s:s, s:s?, s:o}", "overlap",
		s.overlap, "schedule", schedule, "latency", latency, "slack", slack, "seconds", seconds,
		"buffers", buffers_json(p), "memory", memory_json(p), "loads", loads_json(p), "period",
		s.period, "simulated", seconds_json(s.simulated), "simulated_other", seconds_json(s.other),
		"bottleneck", s.limit, "slow_cycle", s.slow, "mapping", mapping);
	if (json && m->count)
		json_object_set_new(json, "measured", measured_json(m));
	failed = json ? json_dumpf(json, out, JSON_INDENT(1)) : 0;
	if (!json)
		return -ENOMEM;
	json_decref(json);
	fputc('\n', out);
	return ferror(out) ? -EIO : failed ? -ENOMEM : 0;
}

#else

int plan_picture_json(const struct pstk_plan *p, const struct measure *m, FILE *out)
{
	(void)p, (void)m, (void)out;
	return -ENOSYS;
}

#endif
