/* SPDX-License-Identifier: MIT */
#include "graph/graph.h"
#include "graph/actors.h"
#include "graph/document.h"
#include "graph/fifos.h"
#include "graph/machine.h"
#include "graph/moves.h"
#include "graph/parameters.h"
#include "graph/pipelines.h"
#include "graph/plugins.h"
#include "graph/settings.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static const char no_memory[] = "error: out of memory";

static void create_networks(struct pstk_graph *g)
{
	g->network = pstk_network_create(g->name ? g->name->text : g->chain ? "chain" : NULL);
	g->args = pstk_network_create("parameters");
	if (!g->network || !g->args)
		longjmp(g->arena.out_of_memory, 1);
}

/* A file may say nothing, but the graph as a whole. */
static void check_any(struct pstk_graph *g)
{
	const struct ps_node begin = { .file = g->path, .line = 1, .column = 1 };

	if (g->path && !g->unfinished && !g->actors.count && !g->wrongs)
		ps_graph_wrong(g, &begin,
			"the graph has no actors: expected actors: {NAME: {type: TYPE}, ..} and fifos: "
			"[{from: NAME.PORT, to: NAME.PORT}, ..]");
}

static const char *copy(struct pstk_graph *g, const char *text)
{
	return text ? ps_arena_text(&g->arena, text, strlen(text)) : NULL;
}

static void load(struct pstk_graph *g, const struct pstk_graph_spec *spec)
{
	g->host = copy(g, spec->host);
	g->places = spec->places;
	ps_document_read(g, spec);
	if (g->lacks_file) { /* what else would be wrong is so for want of it */
		ps_graph_sort_problems(g);
		return;
	}
	check_any(g);
	ps_plugins_load(g, spec->plugins);
	create_networks(g);
	ps_fifos_read(g);
	ps_actors_add(g);
	ps_settings_run(g); /* FIFOs are as deep as the team needs it */
	ps_fifos_connect(g);
	if (!g->unfinished)
		ps_fifos_check_ports(g);
	ps_machine_read(g);
	ps_settings_map(g, spec->places);
	ps_moves_read(g);
	ps_machine_time(g);
	ps_machine_fix(g);
	ps_pipelines_read(g);
	ps_graph_sort_problems(g);
	g->places = NULL;
}

/* All else that was wrong is forgotten. */
static void run_out_of_memory(struct pstk_graph *g)
{
	g->device_problems = 1;
	g->device_error = -ENOMEM;
	g->problems[0].text = no_memory;
	g->problem_count = 1;
}

/* path, chain: one of both. */
static struct pstk_graph *create(const char *path, const char *chain, const struct pstk_graph_spec *spec)
{
	const struct pstk_graph_spec none = pstk_graph_spec_init();
	struct pstk_graph *g = calloc(1, sizeof *g);

	if (!g)
		return NULL;
	if (!setjmp(g->arena.out_of_memory)) {
		g->write_error = ps_arena_zalloc(&g->arena, PS_GRAPH_LINE);
		g->path = copy(g, path);
		g->chain = copy(g, chain);
		g->dry = spec && spec->dry;
		g->unfinished = spec && spec->unfinished;
		if (spec && spec->struct_size != sizeof *spec)
			ps_graph_wrong(g, NULL, "a spec without struct_size");
		else
			load(g, spec ? spec : &none);
		return g;
	}
	ps_node_close(g);
	run_out_of_memory(g);
	return g;
}

struct pstk_graph *pstk_graph_load(const char *path, const struct pstk_graph_spec *spec)
{
	return create(path, NULL, spec);
}

struct pstk_graph *pstk_graph_chain(const char *text, const struct pstk_graph_spec *spec)
{
	return create(NULL, text ? text : "", spec);
}

int pstk_graph_apply_moves(
	struct pstk_graph *g, bool (*skips)(const void *data, const struct pstk_actor *), const void *data)
{
	if (!g || g->problem_count)
		return -EINVAL;
	if (setjmp(g->arena.out_of_memory)) {
		run_out_of_memory(g);
		return -ENOMEM;
	}
	/* the program's own: no line of a file is to blame */
	while (pstk_network_problem(g->network, g->blamed))
		g->blamed++;
	ps_moves_apply(g, skips, data);
	ps_graph_sort_problems(g);
	return pstk_graph_error(g);
}

const char *pstk_graph_problem(const struct pstk_graph *g, unsigned index)
{
	if (!g)
		return index ? NULL : no_memory;
	return index < g->problem_count ? g->problems[index].text : NULL;
}

int pstk_graph_error(const struct pstk_graph *g)
{
	if (!g)
		return -ENOMEM;
	if (!g->problem_count)
		return 0;
	return g->device_problems == g->problem_count ? g->device_error : -EINVAL;
}

struct pstk_network *pstk_graph_network(const struct pstk_graph *g)
{
	return g && !g->problem_count ? g->network : NULL;
}

struct pstk_machine *pstk_graph_machine(const struct pstk_graph *g)
{
	return g && !g->problem_count ? g->machine : NULL;
}

const char *const *pstk_graph_fixed(const struct pstk_graph *g)
{
	return g && !g->problem_count ? g->stay : NULL;
}

void pstk_graph_destroy(struct pstk_graph *g)
{
	if (!g)
		return;
	pstk_network_destroy(g->network);
	for (const struct ps_object *o = g->objects; o; o = o->next)
		o->close(o->object);
	pstk_network_destroy(g->args);
	pstk_machine_destroy(g->machine);
	ps_plugins_unload(g);
	ps_parameters_free(g);
	ps_graph_files_free(g);
	ps_arena_free(&g->arena);
	free(g);
}
