/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "apps/penstock/paint.h"
#include "apps/common/app.h"
#include "apps/penstock/network_json.h"

#ifdef HAVE_JANSSON

#include "apps/common/load_json.h"

#include <errno.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

struct paint {
	json_t *report;
	const char *path;
};

struct paint *paint_of(struct json_t *report)
{
	struct paint *paint = calloc(1, sizeof *paint);

	if (paint)
		paint->report = json_incref(report);
	return paint;
}

void paint_close(struct paint *paint)
{
	if (!paint)
		return;
	json_decref(paint->report);
	free(paint);
}

static int take(struct paint **paint, json_t *report, const char *path)
{
	if (!json_is_array(json_object_get(report, "actors")) ||
		!json_is_array(json_object_get(report, "fifos")) ||
		!json_is_array(json_object_get(report, "causes")))
		return app_fail(EXIT_USAGE,
			"--after: %s is no report: 'penstock run --report FILE.json' writes one", path);
	*paint = paint_of(report);
	if (!*paint)
		return app_out_of_memory();
	(*paint)->path = path;
	return 0;
}

int paint_open(struct paint **paint, const char *path)
{
	FILE *file = fopen(path, "re");
	json_error_t error;
	json_t *report;
	int status;

	*paint = NULL;
	if (!file)
		return app_fail(EXIT_FAILED, "%s: %s", path, strerror(errno));
	report = json_loadf(file, JSON_REJECT_DUPLICATES, &error);
	if (!report && ferror(file))
		status = app_fail(EXIT_FAILED, "%s: %s", path, strerror(errno));
	else if (!report)
		status = app_fail(
			EXIT_USAGE, "%s:%d:%d: error: %s", path, error.line, error.column, error.text);
	else
		status = take(paint, report, path);
	json_decref(report);
	fclose(file);
	return status;
}

static bool is_text(const json_t *object, const char *key, const char *wanted)
{
	const char *text = json_string_value(json_object_get(object, key));

	return text && !strcmp(text, wanted);
}

static const json_t *actor_of(const struct paint *paint, const struct pstk_actor *actor)
{
	size_t i;
	json_t *found;

	json_array_foreach(json_object_get(paint->report, "actors"), i,
		found) if (is_text(found, "name", pstk_actor_name(actor))) return found;
	return NULL;
}

static const char *port_of(const struct pstk_actor *actor, unsigned port)
{
	return pstk_actor_get_type(actor)->ports[port].name;
}

static const json_t *fifo_of(const struct paint *paint, const struct pstk_fifo_info *f)
{
	size_t i;
	json_t *found;

	json_array_foreach(json_object_get(paint->report, "fifos"), i,
		found) if (is_text(found, "from", pstk_actor_name(f->src)) &&
			   is_text(found, "output", port_of(f->src, f->src_port)) &&
			   is_text(found, "to", pstk_actor_name(f->dst)) &&
			   is_text(found, "input", port_of(f->dst, f->dst_port))) return found;
	return NULL;
}

static double share_of(const json_t *part, const char *key)
{
	const json_t *share = json_object_get(json_object_get(part, "load"), key);

	return json_is_number(share) ? json_number_value(share) : -1;
}

double paint_busy(const struct paint *paint, const struct pstk_actor *actor)
{
	return share_of(actor_of(paint, actor), "busy");
}

double paint_filled(const struct paint *paint, const struct pstk_fifo *fifo)
{
	struct pstk_fifo_info f;

	return pstk_fifo_get_info(fifo, &f) ? -1 : share_of(fifo_of(paint, &f), "filled");
}

static const json_t *first_cause(const struct paint *paint)
{
	return json_array_get(json_object_get(paint->report, "causes"), 0);
}

/* Of these kinds: the actor that a cause names besides only waits, or is one of all. */
static bool is_of_fifo(const json_t *cause)
{
	return is_text(cause, "kind", "transfer") || is_text(cause, "kind", "depth");
}

bool paint_is_limit(const struct paint *paint, const struct pstk_actor *actor)
{
	const json_t *first = first_cause(paint);

	return !is_of_fifo(first) && !is_text(first, "kind", "switching") &&
	       is_text(first, "actor", pstk_actor_name(actor));
}

bool paint_holds_up(const struct paint *paint, const struct pstk_fifo *fifo)
{
	const json_t *first = first_cause(paint);
	json_t *name = is_of_fifo(first) ? load_json_name(fifo) : NULL;
	bool same = name && is_text(first, "fifo", json_string_value(name));

	json_decref(name);
	return same;
}

int paint_check(const struct paint *paint, const struct pstk_network *network)
{
	for (unsigned i = 0; i < pstk_network_actor_count(network); i++)
		if (paint_busy(paint, pstk_network_actor(network, i)) < 0)
			return app_fail(EXIT_USAGE,
				"--after: %s is a report of another network: it has no actor '%s'",
				paint->path, pstk_actor_name(pstk_network_actor(network, i)));
	for (unsigned i = 0; i < pstk_network_fifo_count(network); i++) {
		struct pstk_fifo_info f;

		pstk_fifo_get_info(pstk_network_fifo(network, i), &f);
		if (share_of(fifo_of(paint, &f), "filled") < 0)
			return app_fail(EXIT_USAGE,
				"--after: %s is a report of another network: it has no FIFO %s.%s -> %s.%s",
				paint->path, pstk_actor_name(f.src), port_of(f.src, f.src_port),
				pstk_actor_name(f.dst), port_of(f.dst, f.dst_port));
	}
	return 0;
}

#else

#include <stddef.h>

int paint_open(struct paint **paint, const char *path)
{
	(void)path;
	*paint = NULL;
	return network_json_refuse("after");
}

void paint_close(struct paint *paint)
{
	(void)paint;
}

int paint_check(const struct paint *paint, const struct pstk_network *network)
{
	(void)paint, (void)network;
	return 0;
}

double paint_busy(const struct paint *paint, const struct pstk_actor *actor)
{
	(void)paint, (void)actor;
	return -1;
}

double paint_filled(const struct paint *paint, const struct pstk_fifo *fifo)
{
	(void)paint, (void)fifo;
	return -1;
}

bool paint_is_limit(const struct paint *paint, const struct pstk_actor *actor)
{
	(void)paint, (void)actor;
	return false;
}

bool paint_holds_up(const struct paint *paint, const struct pstk_fifo *fifo)
{
	(void)paint, (void)fifo;
	return false;
}

#endif
