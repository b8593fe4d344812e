/* SPDX-License-Identifier: MIT */
#include "graph/settings.h"
#include "graph/actors.h"
#include "graph/document.h"
#include "graph/machine.h"
#include "graph/values.h"
#include "lib/base/environment.h"
#include "lib/base/number.h"
#include "lib/base/text.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* What a word that selects no device may have meant; NULL: nothing. */
static const char *meant(const char *selector)
{
	static const char *const words[] = { "cores", "cpu", "gpu", "accelerator" };
	const char *nearest = NULL;
	size_t most = 0;

	for (unsigned i = 0; i < sizeof words / sizeof *words; i++) {
		size_t like = ps_text_likeness(words[i], selector);

		if (!strcmp(words[i], selector))
			return NULL;
		if (like > most && 2 * like > strlen(words[i]) && 2 * like > strlen(selector)) {
			most = like;
			nearest = words[i];
		}
	}
	return nearest;
}

static void note_device_error(struct pstk_graph *g, int err, unsigned problems)
{
	g->device_error = g->device_error ? g->device_error : err;
	g->device_problems += problems;
}

void ps_settings_no_device(
	struct pstk_graph *g, const struct ps_node *at, int err, const char *text, const char *selector)
{
	const char *word = err == -ENODEV ? meant(selector) : NULL;
	unsigned count = g->problem_count;

	ps_graph_wrong(
		g, at, "%s%s%s%s", text, word ? "; did you mean '" : "", word ? word : "", word ? "'?" : "");
	note_device_error(g, err, g->problem_count - count);
}

void ps_settings_give_place(struct pstk_graph *g, struct pstk_actor *a, ps_settings_call *call,
	const char *selector, const struct ps_node *at)
{
	unsigned count = g->problem_count;
	int err = !a ? 0 : call(a, strcmp(selector, "cores") != 0 ? selector : NULL);

	ps_actors_blame_hint(g, at, err == -ENODEV ? meant(selector) : NULL);
	if (err == -ENODEV || err == -ENOTUNIQ)
		note_device_error(g, err, g->problem_count - count);
}

/* A place: a selector, cores, or {core: N}. a: NULL: it could not be added. */
static void map(struct pstk_graph *g, struct pstk_actor *a, const struct ps_node *place)
{
	static const char *const keys[] = { "core", NULL };
	const struct ps_node *core = ps_node_find(place, "core");
	uint32_t number;

	if (place->kind == PS_NODE_VALUE) {
		if (place->text && g->machine)
			ps_machine_place(g, a, place->key->text, place->text, place);
		else if (place->text)
			ps_settings_give_place(g, a, pstk_actor_map, place->text, place);
	} else if (place->kind == PS_NODE_LIST) {
		ps_graph_wrong(g, place, "'%s' is a list: a place is a selector, cores, or {core: N}",
			place->key->text);
	} else if (ps_value_map(g, place, "a place", keys)) {
		if (!core)
			ps_graph_wrong(g, place,
				"a place that is an empty map: expected a selector, cores, or {core: N}");
		else if (ps_value_u32(g, core, 0, &number) && a)
			pstk_actor_pin(a, number);
	}
	ps_actors_blame(g, place);
}

const char *ps_settings_place(const char *const *places, const char *actor)
{
	size_t length = strlen(actor);
	const char *place = NULL;

	for (; places && *places; places++)
		if (!strncmp(*places, actor, length) && (*places)[length] == '=')
			place = *places + length + 1;
	return place;
}

/* What the program says: "actor=selector". */
static void place(struct pstk_graph *g, const char *text)
{
	const char *equals = strchr(text, '=');
	size_t length = equals ? (size_t)(equals - text) : 0;
	const char *name = ps_arena_text(&g->arena, text, length);
	const struct ps_entry *actor = ps_document_find(&g->actors, name);

	if (!length || !equals[1])
		ps_graph_wrong(g, NULL, "'%s': expected actor=selector, or actor=cores", text);
	else if (!actor)
		ps_document_no_actor(g, NULL, name);
	else if (g->machine)
		ps_machine_place(g, actor->actor, name, equals + 1, NULL);
	else if (actor->actor)
		ps_settings_give_place(g, actor->actor, pstk_actor_map, equals + 1, NULL);
}

void ps_settings_map(struct pstk_graph *g, const char *const *places)
{
	for (const struct ps_entry *e = g->mapping.first; e; e = e->next) {
		const struct ps_entry *actor = ps_document_find(&g->actors, e->node->key->text);

		if (!actor)
			ps_document_no_actor(g, e->node->key, e->node->key->text);
		else if (!ps_settings_place(places, e->node->key->text))
			map(g, actor->actor, e->node);
	}
	while (places && *places)
		place(g, *places++);
}

static void set_team(struct pstk_graph *g, const struct ps_node *n)
{
	const char *text = ps_value_text(g, n);
	struct ps_number threads;

	if (text && !strcmp(text, "auto"))
		pstk_network_set_threads(g->network, pstk_network_auto_threads(g->network));
	else if (text && ps_number_parse(PS_UNSIGNED, 4, text, &threads) &&
		 threads.u <= PS_ENVIRONMENT_THREADS_MAX)
		pstk_network_set_threads(g->network, (unsigned)threads.u);
	else if (text)
		ps_graph_wrong(g, n, "'team' is '%s': expected threads, 0 to %d, or auto", text,
			PS_ENVIRONMENT_THREADS_MAX);
}

/* Seconds. */
static void set_watchdog(struct pstk_graph *g, const struct ps_node *n)
{
	const char *text = ps_value_text(g, n);
	struct ps_number seconds;

	if (text && ps_number_parse(PS_FLOAT, 8, text, &seconds) && seconds.f >= 0 && seconds.f <= 1e9)
		pstk_network_set_watchdog(g->network, (uint64_t)(seconds.f * 1e9 + 0.5), false);
	else if (text)
		ps_graph_wrong(g, n, "'watchdog' is '%s': expected seconds, 0 to 1000000000", text);
}

static void set_flag(struct pstk_graph *g, const struct ps_node *n, unsigned flag, unsigned *flags)
{
	bool on = false;

	if (n && ps_value_bool(g, n, &on) && on)
		*flags |= flag;
}

void ps_settings_run(struct pstk_graph *g)
{
	static const char *const keys[] = { "team", "watchdog", "depth_budget", "unchecked", "depth_auto",
		"steps_auto", "profile", NULL };
	static const unsigned flags_of[] = { 0, 0, 0, PSTK_UNCHECKED, PSTK_DEPTH_AUTO, PSTK_STEPS_AUTO,
		PSTK_PROFILE };
	unsigned flags = 0;
	size_t budget;

	for (const struct ps_entry *e = g->run.first; e; e = e->next) {
		const struct ps_node *n = e->node;
		unsigned key = 0;

		while (keys[key] && strcmp(keys[key], n->key->text) != 0)
			key++;
		if (!keys[key])
			ps_value_unknown(g, n->key, "'run' has no key", n->key->text, keys);
		else if (key == 0)
			set_team(g, n);
		else if (key == 1)
			set_watchdog(g, n);
		else if (key > 2)
			set_flag(g, n, flags_of[key], &flags);
		else if (ps_value_bytes(g, n, 0, &budget))
			pstk_network_set_depth_budget(g->network, budget);
		ps_actors_blame(g, n);
	}
	if (!ps_document_find(&g->run, "team") && !getenv("PENSTOCK_TEAM"))
		pstk_network_set_threads(g->network, pstk_network_auto_threads(g->network));
	pstk_network_set_flags(g->network, flags);
}
