/* SPDX-License-Identifier: MIT */
#include "graph/settings.h"
#include "graph/actors.h"
#include "graph/document.h"
#include "graph/values.h"
#include "lib/base/number.h"

#include <string.h>
#include <unistd.h>

/* A place: a selector, cores, or {core: N}. */
static void map(struct pstk_graph *g, struct pstk_actor *a, const struct ps_node *place)
{
	static const char *const keys[] = { "core", NULL };
	const struct ps_node *core = ps_node_find(place, "core");
	uint32_t number;

	if (place->kind == PS_NODE_VALUE) {
		if (place->text)
			pstk_actor_map(a, strcmp(place->text, "cores") != 0 ? place->text : NULL);
	} else if (ps_value_map(g, place, "a place", keys) && core && ps_value_u32(g, core, 0, &number)) {
		pstk_actor_pin(a, number);
	}
	ps_actors_blame(g, place);
}

void ps_settings_map(struct pstk_graph *g)
{
	for (const struct ps_entry *e = g->mapping.first; e; e = e->next) {
		const struct ps_entry *actor = ps_document_find(&g->actors, e->node->key->text);

		if (!actor)
			ps_document_no_actor(g, e->node->key, e->node->key->text);
		else if (actor->actor)
			map(g, actor->actor, e->node);
	}
}

/* As many threads as cores where there are more actors than cores; else a thread for each actor. */
static uint32_t threads_for(const struct pstk_graph *g)
{
	long cores = sysconf(_SC_NPROCESSORS_ONLN);
	uint32_t threads = cores < 1 ? 1 : cores > 256 ? 256 : (uint32_t)cores;

	return g->actors.count > threads ? threads : 0;
}

static void set_team(struct pstk_graph *g, const struct ps_node *n)
{
	const char *text = ps_value_text(g, n);
	uint32_t threads;

	if (text && !strcmp(text, "auto"))
		pstk_network_set_threads(g->network, threads_for(g));
	else if (text && ps_value_u32(g, n, 0, &threads))
		pstk_network_set_threads(g->network, threads);
}

/* Seconds. */
static void set_watchdog(struct pstk_graph *g, const struct ps_node *n)
{
	const char *text = ps_value_text(g, n);
	struct ps_number seconds;

	if (text && ps_number_parse(PS_FLOAT, 8, text, &seconds) && seconds.f >= 0 && seconds.f <= 1e9)
		pstk_network_set_watchdog(g->network, (uint64_t)(seconds.f * 1e9), false);
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
		else if (ps_value_bytes(g, n, &budget))
			pstk_network_set_depth_budget(g->network, budget);
		ps_actors_blame(g, n);
	}
	if (g->network)
		pstk_network_set_flags(g->network, flags);
}
