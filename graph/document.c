/* SPDX-License-Identifier: MIT */
#include "graph/document.h"
#include "graph/chain.h"
#include "graph/parameters.h"
#include "graph/values.h"
#include "lib/base/near_name.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static const char *const sections[] = { "network", "include", "parameters", "actors", "fifos", "mapping",
	"run", "machine", "times", "fixed", "moves", "pipelines", NULL };

static void read_file(struct pstk_graph *, const char *path, const struct ps_node *named, bool overlay);

static void read_includes(struct pstk_graph *g, const struct ps_node *list, bool overlay)
{
	const struct ps_node *n = list && list->kind == PS_NODE_LIST ? list->first : list;

	if (list && list->kind == PS_NODE_MAP)
		ps_graph_wrong(g, list, "'include' is a map: expected a list of files");
	else
		for (; n; n = n->next) {
			const char *path = ps_value_path(g, n);

			if (path)
				read_file(g, path, n, overlay);
			if (n == list)
				break;
		}
}

static void read_chain(struct pstk_graph *g)
{
	g->files = ps_arena_zalloc(&g->arena, sizeof *g->files);
	g->files->path = ps_chain_name;
	g->files->root = ps_chain_read(g, g->chain);
}

static void read_file(struct pstk_graph *g, const char *path, const struct ps_node *named, bool overlay)
{
	struct ps_file *file = ps_arena_zalloc(&g->arena, sizeof *file), **end = &g->files;
	unsigned count = 0;
	struct stat st;
	bool is_there = !stat(path, &st);

	for (; *end; end = &(*end)->next, count++)
		if (is_there && S_ISREG(st.st_mode) && (*end)->device == st.st_dev &&
			(*end)->inode == st.st_ino) {
			ps_graph_wrong(g, named, "%s is included a second time", path);
			return;
		}
	if (count == PS_DOCUMENT_FILES) {
		ps_graph_wrong(g, named, "more than %d files", PS_DOCUMENT_FILES);
		return;
	}
	file->path = path;
	file->overlay = overlay;
	if (is_there) {
		file->device = st.st_dev;
		file->inode = st.st_ino;
	}
	*end = file;
	ps_graph_use_file(g, named, NULL, path, false);
	file->root = ps_node_read(g, path, named);
	g->lacks_file = g->lacks_file || !is_there;
	if (!file->root)
		return;
	ps_value_map(g, file->root, "a graph file", sections);
	read_includes(g, ps_node_find(file->root, "include"), overlay);
}

static void add_entry(struct pstk_graph *g, struct ps_section *s, const struct ps_node *n)
{
	struct ps_entry *entry = ps_arena_zalloc(&g->arena, sizeof *entry);

	entry->node = n;
	*s->end = entry;
	s->end = &entry->next;
	s->count++;
}

static void add_section(
	struct pstk_graph *g, struct ps_section *s, const struct ps_node *n, enum ps_node_kind kind)
{
	if (n && n->kind != kind)
		ps_graph_wrong(g, n, "'%s' is %s: expected %s", n->key->text, ps_node_kind(n),
			kind == PS_NODE_MAP ? "a map, {name: ..}" : "a list, [..]");
	else
		for (n = n ? n->first : NULL; n; n = n->next)
			add_entry(g, s, n);
}

/* Those of one name in the order of reading. */
static int by_name(const void *a, const void *b)
{
	const struct ps_entry *const *m = a, *const *n = b;

	int order = strcmp((*m)->node->key->text, (*n)->node->key->text);

	return order ? order : (*m)->number < (*n)->number ? -1 : 1;
}

/* The file that a node is in. */
static const struct ps_file *file_of(const struct pstk_graph *g, const struct ps_node *n)
{
	const struct ps_file *f = g->files;

	while (f->path != n->file)
		f = f->next;
	return f;
}

/* Two entries of one name, of which one stays: that of an overlay, if the section may be replaced; else that is a
 * problem. In one file none stands twice (node.c). */
static struct ps_entry *choose(
	struct pstk_graph *g, struct ps_entry *a, struct ps_entry *b, const char *what, bool replaced)
{
	const struct ps_node *key = b->node->key, *former = a->node->key;
	bool replaces = replaced && file_of(g, key)->overlay;

	if (!replaces)
		ps_graph_wrong(g, key, "%s '%s' is in %s, too, in line %u", what, key->text, former->file,
			former->line);
	(replaces ? a : b)->node = NULL;
	return replaces ? b : a;
}

/* Without the entries that do not count. */
static void put_together(struct ps_section *s)
{
	size_t count = 0;

	for (size_t i = 0; i < s->count; i++)
		if (s->sorted[i]->node)
			s->sorted[count++] = s->sorted[i];
	s->count = count;
	for (struct ps_entry **e = &s->first; *e;)
		if ((*e)->node)
			e = &(*e)->next;
		else
			*e = (*e)->next;
}

/* Sorts a section by names. */
static void sort(struct pstk_graph *g, struct ps_section *s, const char *what, bool replaced)
{
	struct ps_entry *former;
	size_t count = 0;

	s->sorted = ps_arena_zalloc(&g->arena, s->count * sizeof *s->sorted);
	for (struct ps_entry *e = s->first; e; e = e->next) {
		e->number = count;
		s->sorted[count++] = e;
	}
	qsort(s->sorted, count, sizeof *s->sorted, by_name);
	former = count ? s->sorted[0] : NULL;
	for (size_t i = 1; i < count; i++)
		if (!strcmp(s->sorted[i]->node->key->text, former->node->key->text))
			former = choose(g, former, s->sorted[i], what, replaced);
		else
			former = s->sorted[i];
	put_together(s);
}

struct ps_entry *ps_document_find(const struct ps_section *s, const char *name)
{
	size_t low = 0, high = s->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		int order = strcmp(s->sorted[middle]->node->key->text, name);

		if (!order)
			return s->sorted[middle];
		if (order < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return NULL;
}

void ps_document_no_actor(struct pstk_graph *g, const struct ps_node *at, const char *name)
{
	struct ps_near_name near;
	char hint[PS_NEAR_NAME_HINT];

	ps_near_name_begin(&near, name);
	for (const struct ps_entry *e = ps_graph_listens(g) ? g->actors.first : NULL; e; e = e->next)
		ps_near_name_offer(&near, e->node->key->text);
	ps_graph_wrong(g, at, "the graph has no actor '%s'%s", name, ps_near_name_hint(&near, hint));
}

/* One machine as a whole: an overlay's takes the place of another one. */
static void add_machine(struct pstk_graph *g, const struct ps_node *n)
{
	if (n && g->machine_node && !file_of(g, n)->overlay)
		ps_graph_wrong(g, n, "the graph has a machine already, in %s, line %u", g->machine_node->file,
			g->machine_node->line);
	else if (n)
		g->machine_node = n;
}

static void add_file(struct pstk_graph *g, struct ps_node *root)
{
	const struct ps_node *name = ps_node_find(root, "network");

	for (struct ps_node *n = root->kind == PS_NODE_MAP ? root->first : NULL; n; n = n->next)
		if (strcmp(n->key->text, "parameters") != 0 && strcmp(n->key->text, "include") != 0)
			ps_parameters_expand(g, n);
	if (name && g->name)
		ps_graph_wrong(g, name, "the network has a name already, in %s, line %u", g->name->file,
			g->name->line);
	else if (name && ps_value_text(g, name) && ps_value_name(g, name, name->text, "a network", ""))
		g->name = name;
	add_section(g, &g->actors, ps_node_find(root, "actors"), PS_NODE_MAP);
	add_section(g, &g->fifos, ps_node_find(root, "fifos"), PS_NODE_LIST);
	add_section(g, &g->mapping, ps_node_find(root, "mapping"), PS_NODE_MAP);
	add_section(g, &g->run, ps_node_find(root, "run"), PS_NODE_MAP);
	add_section(g, &g->times, ps_node_find(root, "times"), PS_NODE_MAP);
	add_machine(g, ps_node_find(root, "machine"));
	add_section(g, &g->fixed, ps_node_find(root, "fixed"), PS_NODE_LIST);
	add_section(g, &g->moves, ps_node_find(root, "moves"), PS_NODE_LIST);
	add_section(g, &g->pipelines, ps_node_find(root, "pipelines"), PS_NODE_LIST);
}

void ps_document_read(struct pstk_graph *g, const struct pstk_graph_spec *spec)
{
	struct ps_section *all[] = { &g->actors, &g->fifos, &g->mapping, &g->run, &g->times, &g->fixed,
		&g->moves, &g->pipelines };

	for (unsigned i = 0; i < sizeof all / sizeof *all; i++)
		all[i]->end = &all[i]->first;
	if (g->chain)
		read_chain(g);
	if (g->path)
		read_file(g, g->path, NULL, false);
	for (unsigned i = 0; spec->overlays && spec->overlays[i]; i++)
		read_file(g, ps_arena_text(&g->arena, spec->overlays[i], strlen(spec->overlays[i])), NULL,
			true);
	for (const struct ps_file *f = g->files; f; f = f->next)
		if (ps_node_find(f->root, "parameters"))
			ps_parameters_read(g, ps_node_find(f->root, "parameters"), f->overlay);
	for (unsigned i = 0; spec->sets && spec->sets[i]; i++)
		ps_parameters_set(g, spec->sets[i]);
	if (g->chain && g->files->root)
		ps_chain_limit(g, g->files->root);
	for (struct ps_file *f = g->files; f; f = f->next)
		if (f->root)
			add_file(g, f->root);
	sort(g, &g->actors, "the actor", false);
	sort(g, &g->mapping, "the place of", true);
	sort(g, &g->run, "the setting", true);
	sort(g, &g->times, "the time of", true);
}
