/* SPDX-License-Identifier: MIT */
/* Write: the network that it is now, as a graph file. */
#include "graph/document.h"
#include "graph/fifos.h"
#include "graph/write_actor.h"
#include "graph/write_fifo.h"
#include "graph/write_pipeline.h"
#include "graph/writer.h"
#include "lib/base/text.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static int say(const struct pstk_graph *g, int err, const char *text, const char *what)
{
	snprintf(g->write_error, PS_GRAPH_LINE, "%s%s", text, what);
	return err;
}

static bool is_of_file(const struct pstk_graph *g, const struct pstk_actor *a)
{
	const struct ps_entry *e = ps_document_find(&g->actors, pstk_actor_name(a));

	return e && e->actor == a;
}

/* The n-th of the actors that an actor of the network is: of a pipeline its stages. NULL: there are not so many. */
static struct pstk_actor *part_of(struct pstk_actor *a, unsigned n)
{
	struct pstk_pipeline *p = pstk_actor_pipeline(a);

	return p ? pstk_pipeline_stage(p, n) : n ? NULL : a;
}

/* Names the actors that no file has. */
static int check_actors(const struct pstk_graph *g)
{
	char names[PS_GRAPH_LINE / 2] = "";
	struct ps_text t = ps_text(names, sizeof names);
	const struct pstk_actor *a;

	for (unsigned i = 0; i < pstk_network_actor_count(g->network); i++)
		for (unsigned n = 0; (a = part_of(pstk_network_actor(g->network, i), n)); n++)
			if (!is_of_file(g, a))
				ps_text_add(&t, "%s'%s'", *names ? ", " : "", pstk_actor_name(a));
	return *names ? say(g, -ENOTSUP,
				"a graph file has actors of types and kernels that it names; the program has "
				"added ",
				names)
	              : 0;
}

/* What no key stands for. */
static int check_pipelines(const struct pstk_graph *g)
{
	const struct pstk_pipeline *p;

	for (unsigned n = 0; (p = pstk_network_pipeline(g->network, n)); n++)
		if (ps_write_pipeline_fault(p)) {
			snprintf(g->write_error, PS_GRAPH_LINE,
				"pipeline '%s' has %s, which a graph file can't name",
				pstk_actor_name(pstk_pipeline_actor(p)), ps_write_pipeline_fault(p));
			return -ENOTSUP;
		}
	return 0;
}

/* A network that was started has forgotten what its FIFOs were given. */
static int check_started(const struct pstk_graph *g)
{
	struct pstk_fifo_spec spec = pstk_fifo_spec_init();
	bool started = pstk_network_fifo_count(g->network) &&
	               pstk_fifo_get_spec(pstk_network_fifo(g->network, 0), &spec) == -EBUSY;

	return started ? say(g, -EBUSY, "the network was started: write it before", "") : 0;
}

/* In the order of the file, from which that of the library follows. */
static void write_actors(struct ps_writer *w, const struct pstk_graph *g)
{
	ps_writer_map(w, "actors", true);
	for (const struct ps_entry *e = g->actors.first; e; e = e->next)
		ps_write_actor(w, e->node, e->actor, e->holder ? e->holder : e->actor);
	ps_writer_close_map(w);
}

/* What the file says of a FIFO's `token`, which the library does not know; NULL: nothing. */
static const char *token_of(const struct ps_link *l)
{
	const struct ps_node *token = ps_fifo_key(l, "token");

	return token ? token->text : NULL;
}

static bool is_link_of(const struct ps_link *l, const struct pstk_fifo *fifo)
{
	struct pstk_fifo_info info;

	ps_fifo_ends(fifo, &info);
	return l->to.entry->actor == info.dst &&
	       !strcmp(l->to.port, pstk_actor_get_type(info.dst)->ports[info.dst_port].name);
}

/* The FIFO between two stages of one pipeline that a link has made; NULL: it is another one. */
static const struct pstk_fifo *inner_of(const struct ps_link *l)
{
	const struct pstk_pipeline *p = pstk_actor_pipeline(l->to.entry->actor);
	const struct pstk_fifo *fifo = NULL;

	if (p && pstk_actor_pipeline(l->from.entry->actor) == p)
		for (unsigned i = 0; (fifo = pstk_pipeline_fifo(p, i)) && !is_link_of(l, fifo); i++)
			;
	return fifo;
}

static bool has_link(const struct ps_link *links, const struct pstk_fifo *fifo)
{
	while (links && !is_link_of(links, fifo))
		links = links->next;
	return links;
}

/* Those between stages that the program has connected. */
static int write_inner(struct ps_writer *w, const struct pstk_graph *g, const struct ps_link *links)
{
	const struct pstk_pipeline *p;
	const struct pstk_fifo *fifo;
	int err = 0;

	for (unsigned n = 0; (p = pstk_network_pipeline(g->network, n)); n++)
		for (unsigned i = 0; !err && (fifo = pstk_pipeline_fifo(p, i)); i++)
			if (!has_link(links, fifo))
				err = ps_write_fifo(w, fifo, NULL);
	return err;
}

/* Links are in the order of their FIFOs, those of pipelines among them; behind these are those that the program has
 * added. A chain says nothing. */
static int write_fifos(struct ps_writer *w, const struct pstk_graph *g)
{
	const struct ps_link *links = g->chain ? NULL : g->links, *l = links;
	const struct pstk_fifo *inner;
	int err = 0;

	ps_writer_list(w, "fifos", true);
	for (unsigned i = 0; i < pstk_network_fifo_count(g->network) && !err; i++) {
		const struct pstk_fifo *fifo = pstk_network_fifo(g->network, i);

		for (; l && !err && (inner = inner_of(l)); l = l->next)
			err = ps_write_fifo(w, inner, token_of(l));
		if (err)
			break;
		if (!l || !is_link_of(l, fifo)) {
			err = ps_write_fifo(w, fifo, NULL);
			continue;
		}
		err = ps_write_fifo(w, fifo, token_of(l));
		l = l->next;
	}
	for (; l && !err; l = l->next)
		if ((inner = inner_of(l)))
			err = ps_write_fifo(w, inner, token_of(l));
	if (!err)
		err = write_inner(w, g, links);
	ps_writer_close_list(w);
	return err;
}

/* The selector that the file had if it still means the actor's device; else the library's. */
static void write_place(struct ps_writer *w, const struct pstk_graph *g, const struct pstk_actor *a,
	const struct pstk_device_info *device)
{
	const struct ps_entry *e = ps_document_find(&g->mapping, pstk_actor_name(a));
	struct pstk_device_info named;
	bool same = e && e->node->kind == PS_NODE_VALUE && strcmp(e->node->text, "cores") != 0 &&
	            !pstk_device_find(e->node->text, &named, NULL, 0) &&
	            !strcmp(named.selector, device->selector);

	ps_writer_text(w, pstk_actor_name(a), same ? e->node->text : device->selector, false);
}

/* With a machine: the places; times and the machine are as the files have them. */
static void write_plan(struct ps_writer *w, const struct pstk_graph *g)
{
	bool open = false;

	for (unsigned i = 0; i < pstk_network_actor_count(g->network); i++) {
		struct pstk_actor *a = pstk_network_actor(g->network, i), *part;

		if (!pstk_actor_given_place(a))
			continue;
		if (!open)
			ps_writer_map(w, "mapping", true);
		open = true;
		for (unsigned n = 0; (part = part_of(a, n)); n++)
			ps_writer_text(w, pstk_actor_name(part), pstk_actor_given_place(a), false);
	}
	if (open)
		ps_writer_close_map(w);
	ps_writer_node(w, "machine", g->machine_node);
}

static void write_times(struct ps_writer *w, const struct pstk_graph *g)
{
	if (!g->times.first)
		return;
	ps_writer_map(w, "times", true);
	for (const struct ps_entry *e = g->times.first; e; e = e->next)
		ps_writer_node(w, e->node->key->text, e->node);
	ps_writer_close_map(w);
}

static void write_fixed(struct ps_writer *w, const struct pstk_graph *g)
{
	if (!*g->stay)
		return;
	ps_writer_list(w, "fixed", false);
	for (const char *const *name = g->stay; *name; name++)
		ps_writer_text(w, NULL, *name, false);
	ps_writer_close_list(w);
}

/* As the files have them; behind these, those that the program has asked for. */
static void write_moves(struct ps_writer *w, const struct pstk_graph *g)
{
	struct pstk_move move = PSTK_MOVE();

	if (!g->moves.count && !pstk_network_move_count(g->network))
		return;
	ps_writer_list(w, "moves", true);
	for (const struct ps_entry *e = g->moves.first; e; e = e->next)
		ps_writer_node(w, NULL, e->node);
	for (unsigned i = (unsigned)g->moves.count; !pstk_network_move(g->network, i, &move); i++) {
		ps_writer_map(w, NULL, false);
		ps_writer_text(w, "actor", pstk_actor_name(move.actor), false);
		ps_writer_number(w, "at", move.wanted);
		ps_writer_text(w, "to", move.to, false);
		ps_writer_close_map(w);
	}
	ps_writer_close_list(w);
}

static void write_pipelines(struct ps_writer *w, const struct pstk_graph *g)
{
	const struct pstk_pipeline *p;

	if (!pstk_network_pipeline(g->network, 0))
		return;
	ps_writer_list(w, "pipelines", true);
	for (unsigned n = 0; (p = pstk_network_pipeline(g->network, n)); n++)
		ps_write_pipeline(w, p, ps_pipeline_of_file(g, p));
	ps_writer_close_list(w);
}

static void write_mapping(struct ps_writer *w, const struct pstk_graph *g)
{
	bool open = false;

	for (unsigned i = 0; i < pstk_network_actor_count(g->network); i++) {
		const struct pstk_actor *a = pstk_network_actor(g->network, i);
		struct pstk_device_info device;

		if (pstk_actor_pipeline(a) || pstk_actor_device(a, &device))
			continue;
		if (!open)
			ps_writer_map(w, "mapping", true);
		open = true;
		write_place(w, g, a, &device);
	}
	if (open)
		ps_writer_close_map(w);
}

/* What a file has given, or what is not as in a network that was given nothing. */
static void write_team(struct ps_writer *w, const struct pstk_graph *g)
{
	const struct ps_entry *e = ps_document_find(&g->run, "team");
	unsigned threads = pstk_network_threads(g->network), suits = pstk_network_auto_threads(g->network),
		 unsaid = getenv("PENSTOCK_TEAM") ? pstk_network_threads(g->args) : suits;

	if (e && !strcmp(e->node->text, "auto") && threads == suits)
		ps_writer_text(w, "team", "auto", false);
	else if (e || threads != unsaid)
		ps_writer_number(w, "team", threads);
}

static void write_watchdog(struct ps_writer *w, const struct pstk_graph *g)
{
	enum { SECOND = 1000000000 };
	uint64_t ns = pstk_network_watchdog(g->network);
	char text[40];

	if (!ps_document_find(&g->run, "watchdog") && ns == pstk_network_watchdog(g->args))
		return;
	snprintf(text, sizeof text, "%" PRIu64 ".%09" PRIu64, ns / SECOND, ns % SECOND);
	for (char *end = text + strlen(text) - 1; *end == '0' || *end == '.'; end--) {
		bool whole = *end == '.';

		*end = 0;
		if (whole)
			break;
	}
	ps_writer_text(w, "watchdog", text, false);
}

static void write_run(struct ps_writer *w, const struct pstk_graph *g)
{
	static const struct {
		const char *key;
		unsigned flag;
	} flags[] = { { "unchecked", PSTK_UNCHECKED }, { "depth_auto", PSTK_DEPTH_AUTO },
		{ "steps_auto", PSTK_STEPS_AUTO }, { "profile", PSTK_PROFILE } };

	ps_writer_map(w, "run", true);
	write_team(w, g);
	write_watchdog(w, g);
	if (pstk_network_depth_budget(g->network))
		ps_writer_number(w, "depth_budget", pstk_network_depth_budget(g->network));
	for (unsigned i = 0; i < sizeof flags / sizeof *flags; i++)
		if (pstk_network_flags(g->network) & flags[i].flag)
			ps_writer_text(w, flags[i].key, "true", false);
	ps_writer_close_map(w);
}

static int finish(const struct pstk_graph *g, struct ps_writer *w, int err)
{
	int written = ps_writer_end(w);

	if (err)
		return say(g, err, "a FIFO can't be written: ", strerror(-err));
	if (written == -EILSEQ)
		return say(g, written, "not a text in UTF-8: ", w->text);
	return written ? say(g, written, "the file can't be written: ", strerror(-written)) : 0;
}

int pstk_graph_write(const struct pstk_graph *g, FILE *file)
{
	struct ps_writer w;
	int err;

	if (!g || !file || !g->write_error)
		return -EINVAL;
	*g->write_error = 0;
	if (g->problem_count)
		return say(g, -EINVAL, "the graph has problems, the first: ", g->problems[0].text);
	err = check_started(g);
	err = err ? err : check_actors(g);
	err = err ? err : check_pipelines(g);
	if (err)
		return err;
	ps_writer_begin(&w, file);
	if (g->name)
		ps_writer_node(&w, "network", g->name);
	write_actors(&w, g);
	err = write_fifos(&w, g);
	if (g->machine)
		write_plan(&w, g);
	else
		write_mapping(&w, g);
	write_times(&w, g);
	write_fixed(&w, g);
	write_moves(&w, g);
	write_pipelines(&w, g);
	write_run(&w, g);
	return finish(g, &w, err);
}

const char *pstk_graph_write_error(const struct pstk_graph *g)
{
	return g && g->write_error ? g->write_error : "";
}
