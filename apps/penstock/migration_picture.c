/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "apps/penstock/migration_picture.h"
#include "apps/penstock/dot.h"
#include "lib/base/text.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>

/* "iteration 4", "iterations 4 to 5". */
static void print_pause(const struct pstk_pause *p, FILE *out)
{
	if (p->start - p->stop == 1)
		fprintf(out, "iteration %" PRIu32, p->stop);
	else
		fprintf(out, "iterations %" PRIu32 " to %" PRIu32, p->stop, p->start - 1);
}

static void print_stopped(const char *what, const struct pstk_pause *p, FILE *out)
{
	fprintf(out, "%s", what);
	if (p->start == p->stop)
		fputs("is never stopped\n", out);
	else {
		fputs("is stopped in ", out);
		print_pause(p, out);
		fputc('\n', out);
	}
}

static void print_path(const char *name, const struct pstk_migration *m, bool starts, FILE *out)
{
	const struct pstk_path *p = starts ? &m->migrated : &m->original;

	fprintf(out, "%s  %7" PRIu32 "  %6" PRIu32 "  %s", name, p->buffers, p->before,
		starts ? "start" : "stop ");
	for (unsigned i = 0; i < p->buffers + 2; i++)
		fprintf(out, " %d", starts ? pstk_migration_start(m, i) : pstk_migration_stop(m, i));
	fputc('\n', out);
}

static void print_prediction(const struct migration *m, FILE *out)
{
	const struct pstk_migration_prediction *p = &m->prediction;
	char before[PS_TEXT_TIME], during[PS_TEXT_TIME], after[PS_TEXT_TIME], total[PS_TEXT_TIME];

	fprintf(out, "rate: %.4g windows/s before, at least %.4g while it lasts, %.4g after\n",
		p->rate_before, p->rate_during, p->rate_after);
	if (isnan(p->total))
		return;
	fprintf(out,
		"time: %s for %" PRIu64 " iterations before, %s for %" PRIu32 " of the move, %s for %" PRIu64
		" after: %s\n",
		ps_text_time(1e9 * p->before, before), m->at - 1, ps_text_time(1e9 * p->during, during),
		m->result.duration, ps_text_time(1e9 * p->after, after),
		m->iterations - m->at + 1 - m->result.duration, ps_text_time(1e9 * p->total, total));
}

void migration_picture_text(const struct migration *m, FILE *out)
{
	const struct pstk_migration *r = &m->result;
	bool silent = r->downstream.start != r->downstream.stop;

	if (m->move)
		app_say(out, "'%s' moves from %s to %s\n\n", m->actor, m->from, m->to);
	fputs("path      buffers  before  weights of its edges\n", out);
	print_path("original", r, false, out);
	print_path("migrated", r, true, out);
	fputc('\n', out);
	print_stopped("upstream ", &r->upstream, out);
	print_stopped("downstream ", &r->downstream, out);
	fprintf(out, "duration: %" PRIu32 " iteration%s; silent: ", r->duration, ps_plural(r->duration));
	if (silent)
		print_pause(&r->downstream, out);
	else
		fputs("none", out);
	fprintf(out, "; longest gap: %" PRIu32 " iteration%s\n", r->longest_gap, ps_plural(r->longest_gap));
	if (m->run.original > 0)
		print_prediction(m, out);
	if (m->untimed)
		app_say(out, "no time is known of '%s': counted as 0; times: says it\n", m->untimed);
}

/* A buffer is "o1" or "m1"; the ends and the actor have names of their own ("node" is a word of the language). */
static void dot_name(const struct pstk_path *p, bool starts, unsigned node, FILE *out)
{
	if (!node || node == p->buffers + 2)
		fputs(node ? "succ" : "pred", out);
	else if (node == p->before + 1)
		fputs(starts ? "moved" : "actor", out);
	else
		fprintf(out, "%c%u", starts ? 'm' : 'o', node - (node > p->before));
}

static void dot_path(const struct pstk_migration *m, bool starts, FILE *out)
{
	const struct pstk_path *p = starts ? &m->migrated : &m->original;
	const char *colour = starts ? "#2f7d32" : "#c0392b";

	for (unsigned i = 1; i <= p->buffers; i++)
		fprintf(out, "\t%c%u [label=\"buffer %u\", shape=box, height=0.3, fontsize=9];\n",
			starts ? 'm' : 'o', i, i);
	for (unsigned j = 0; j < p->buffers + 2; j++) {
		fputc('\t', out);
		dot_name(p, starts, j, out);
		fputs(" -> ", out);
		dot_name(p, starts, j + 1, out);
		fprintf(out, " [label=\"t %s %d\", color=\"%s\", fontcolor=\"%s\"%s];\n", starts ? ">=" : "<",
			starts ? pstk_migration_start(m, j) : pstk_migration_stop(m, j), colour, colour,
			starts ? ", style=dashed" : "");
	}
}

/* The name, and below it the place; each NULL: not known. */
static void dot_actor(const char *node, const char *name, const char *place, bool moved, FILE *out)
{
	fprintf(out, "\t%s [style=\"rounded%s\", label=\"", node, moved ? ",dashed" : "");
	dot_text(out, name);
	if (place) {
		fputs("\\n", out);
		dot_text(out, place);
	}
	fputs("\"];\n", out);
}

static void dot_pause(const struct pstk_pause *p, FILE *out)
{
	if (p->start == p->stop) {
		fputs(";\n", out);
		return;
	}
	fputs(" [label=\"stopped in\\n", out);
	print_pause(p, out);
	fputs("\"];\n", out);
}

void migration_picture_dot(const struct migration *m, FILE *out)
{
	const struct pstk_migration *r = &m->result;

	fputs("digraph migration {\n\trankdir=LR;\n\tfontname=\"sans-serif\";\n", out);
	fprintf(out,
		"\tlabel=\"t: iterations, 0 is the move's first one\\n"
		"red: the original path, an edge works while t < its stop weight\\n"
		"green, dashed: the migrated path, an edge works from t >= its start weight on\\n%" PRIu32
		" iterations, longest gap %" PRIu32 "\";\n",
		r->duration, r->longest_gap);
	fputs("\tnode [shape=box, fontname=\"sans-serif\"];\n"
	      "\tedge [fontname=\"sans-serif\", fontsize=10];\n"
	      "\tupstream [shape=plaintext];\n\tdownstream [shape=plaintext];\n",
		out);
	dot_actor("pred", m->pred ? m->pred : "before", NULL, false, out);
	dot_actor("succ", m->succ ? m->succ : "behind", NULL, false, out);
	dot_actor("actor", m->actor ? m->actor : "actor", m->from, false, out);
	dot_actor("moved", m->actor ? m->actor : "actor", m->move ? m->to : "moved", true, out);
	fputs("\tupstream -> pred", out);
	dot_pause(&r->upstream, out);
	dot_path(r, false, out);
	dot_path(r, true, out);
	fputs("\tsucc -> downstream", out);
	dot_pause(&r->downstream, out);
	fputs("}\n", out);
}

#ifdef HAVE_JANSSON

#include <jansson.h>

static json_t *path_json(const struct pstk_migration *m, bool starts)
{
	const struct pstk_path *p = starts ? &m->migrated : &m->original;
	json_t *weights = json_array();

	for (unsigned i = 0; i < p->buffers + 2; i++)
		json_array_append_new(weights,
			json_integer(starts ? pstk_migration_start(m, i) : pstk_migration_stop(m, i)));
	return json_pack("{s:I, s:I, s:o}", "buffers", (json_int_t)p->buffers, "before",
		(json_int_t)p->before, starts ? "start" : "stop", weights);
}

static json_t *pause_json(const struct pstk_pause *p)
{
	return p->start == p->stop
	               ? json_null()
	               : json_pack("{s:I, s:I}", "stop", (json_int_t)p->stop, "start", (json_int_t)p->start);
}

static json_t *silent_json(const struct pstk_migration *m)
{
	json_t *silent = json_array();

	for (uint32_t t = m->downstream.stop; t < m->downstream.start; t++)
		json_array_append_new(silent, json_integer(t));
	return silent;
}

/* In seconds, and windows/s. */
static void add_prediction(json_t *json, const struct migration *m)
{
	const struct pstk_migration_prediction *p = &m->prediction;

	json_object_set_new(json, "seconds",
		json_pack("{s:f, s:f}", "original", m->run.original, "migrated", m->run.migrated));
	json_object_set_new(json, "rate",
		json_pack("{s:f, s:f, s:f}", "before", p->rate_before, "during", p->rate_during, "after",
			p->rate_after));
	if (isnan(p->total))
		return;
	json_object_set_new(json, "iterations", json_integer((json_int_t)m->iterations));
	json_object_set_new(json, "at", json_integer((json_int_t)m->at));
	json_object_set_new(json, "time",
		json_pack("{s:f, s:f, s:f, s:f}", "before", p->before, "during", p->during, "after", p->after,
			"total", p->total));
}

int migration_picture_json(const struct migration *m, FILE *out)
{
	const struct pstk_migration *r = &m->result;
	bool shorter = r->migrated.buffers < r->original.buffers;
	json_t *json = json_pack("{s:s, s:s, s:o, s:o, s:I, s:s, s:o, s:o, s:I, s:o, s:I}", "name",
		m->move ? m->move : m->paths, "source", m->move ? "plan" : "rule", "original",
		path_json(r, false), "migrated", path_json(r, true), "difference", (json_int_t)r->difference,
		"case",
		!r->difference ? "equal"
		: shorter      ? "shorter"
			       : "longer",
		"upstream", pause_json(&r->upstream), "downstream", pause_json(&r->downstream), "duration",
		(json_int_t)r->duration, "silent", silent_json(r), "longest_gap", (json_int_t)r->longest_gap);
	int failed;

	if (!json)
		return -ENOMEM;
	if (m->move)
		json_object_set_new(json, "move",
			json_pack("{s:s, s:s, s:s}", "actor", m->actor, "from", m->from, "to", m->to));
	if (m->run.original > 0)
		add_prediction(json, m);
	failed = json_dumpf(json, out, JSON_INDENT(1));
	json_decref(json);
	fputc('\n', out);
	return ferror(out) ? -EIO : failed ? -ENOMEM : 0;
}

#else

int migration_picture_json(const struct migration *m, FILE *out)
{
	(void)m, (void)out;
	return -ENOSYS;
}

#endif
