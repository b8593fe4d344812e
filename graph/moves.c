/* SPDX-License-Identifier: MIT */
#include "graph/moves.h"
#include "graph/actors.h"
#include "graph/document.h"
#include "graph/machine.h"
#include "graph/settings.h"
#include "graph/values.h"

#include <string.h>

enum { KEPT = 64 }; /* moves that a network keeps unless it is told otherwise */

/* Of a run over several hosts. The plan names their places, so it has to be applied first; and all processes are told
 * what an actor may do, wherever it is. */
static bool waits_for_plan(const struct pstk_graph *g)
{
	return g->host && g->machine;
}

/* A place as the library's calls have it, a selector or cores; of several hosts by the machine's name. NULL: there is
 * none, a problem. */
static const char *read_place(struct pstk_graph *g, const struct ps_entry *actor, const struct ps_node *n)
{
	const char *text = ps_value_text(g, n);

	return text && g->machine ? ps_machine_selector(g, actor->actor, actor->node->key->text, text, n)
	                          : text;
}

/* Does it run here? A network that is only looked at needs no device of its machine. */
static bool is_here(const struct pstk_graph *g, const struct ps_entry *actor)
{
	return actor->actor && !(g->machine && g->dry) && !ps_machine_is_away(g, actor->node->key->text);
}

/* firing 0: the actor may move there. */
static void keep(struct pstk_graph *g, const struct ps_entry *actor, const char *place, uint64_t firing,
	const struct ps_node *at)
{
	struct ps_wish *wish;

	if (!actor->actor || g->dry)
		return;
	wish = ps_arena_zalloc(&g->arena, sizeof *wish);
	*wish = (struct ps_wish){ .actor = actor->actor, .place = place, .firing = firing, .at = at };
	*(g->last_wish ? &g->last_wish->next : &g->wishes) = wish;
	g->last_wish = wish;
}

static void ask(struct pstk_graph *g, struct pstk_actor *actor, const char *place, uint64_t firing,
	const struct ps_node *at)
{
	pstk_actor_migrate(actor, strcmp(place, "cores") != 0 ? place : NULL, firing);
	ps_actors_blame(g, at);
}

/* `may_move` of an actor: a place, or a list of them. */
static void read_places(struct pstk_graph *g, const struct ps_entry *actor)
{
	const struct ps_node *all = ps_node_find(actor->node, "may_move"),
			     *n = all && all->kind == PS_NODE_LIST ? all->first : all;

	for (; n; n = n == all ? NULL : n->next) {
		const char *place = read_place(g, actor, n);

		if (place && waits_for_plan(g))
			keep(g, actor, place, 0, n);
		else if (place && is_here(g, actor))
			ps_settings_give_place(g, actor->actor, pstk_actor_may_move, place, n);
	}
}

/* `guard` of an actor. */
static void read_guard(struct pstk_graph *g, const struct ps_entry *actor)
{
	const struct ps_node *guard = ps_node_find(actor->node, "guard");
	bool on;

	if (!guard || !ps_value_bool(g, guard, &on) || !is_here(g, actor))
		return;
	pstk_actor_guard(actor->actor, on);
	ps_actors_blame(g, guard);
}

/* What a move must say. NULL: it doesn't, a problem. */
static const struct ps_node *key(struct pstk_graph *g, const struct ps_node *move, const char *name)
{
	const struct ps_node *n = ps_node_find(move, name);

	if (!n)
		ps_graph_wrong(
			g, move, "the move has no '%s': expected {actor: NAME, at: FIRING, to: PLACE}", name);
	return n;
}

static void read_move(struct pstk_graph *g, const struct ps_node *move)
{
	static const char *const keys[] = { "actor", "at", "to", NULL };
	const struct ps_node *name, *at, *to;
	const struct ps_entry *actor;
	const char *place;
	uint64_t firing;

	if (!ps_value_map(g, move, "a move", keys))
		return;
	name = key(g, move, "actor");
	at = key(g, move, "at");
	to = key(g, move, "to");
	if (!name || !at || !to || !ps_value_text(g, name) || !ps_value_u64(g, at, 1, UINT64_MAX, &firing))
		return;
	actor = ps_document_find(&g->actors, name->text);
	if (!actor) {
		ps_document_no_actor(g, name, name->text);
		return;
	}
	place = read_place(g, actor, to);
	if (place && waits_for_plan(g))
		keep(g, actor, place, firing, to);
	else if (place && is_here(g, actor))
		ask(g, actor->actor, place, firing, to);
}

void ps_moves_read(struct pstk_graph *g)
{
	for (const struct ps_entry *e = g->actors.first; e; e = e->next) {
		read_places(g, e);
		read_guard(g, e);
	}
	if (g->moves.count) { /* the program may ask for as many besides as without a file */
		pstk_network_set_moves(g->network, (unsigned)g->moves.count + KEPT);
		ps_actors_blame(g, g->moves.first->node);
	}
	for (const struct ps_entry *e = g->moves.first; e; e = e->next)
		read_move(g, e->node);
}

void ps_moves_apply(
	struct pstk_graph *g, bool (*skips)(const void *data, const struct pstk_actor *), const void *data)
{
	for (const struct ps_wish *w = g->wishes; w; w = w->next)
		if (!w->firing)
			ps_settings_give_place(g, w->actor, pstk_actor_may_move, w->place, w->at);
	for (const struct ps_wish *w = g->wishes; w; w = w->next)
		if (w->firing && !(skips && skips(data, w->actor)))
			ask(g, w->actor, w->place, w->firing, w->at);
	g->wishes = g->last_wish = NULL;
}
