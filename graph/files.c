/* SPDX-License-Identifier: MIT */
/* The files of a graph: those that it is made of, and those of its actors. */
#include "graph/graph.h"
#include "actors/common/same_file.h"

#include <search.h>
#include <stdlib.h>
#include <string.h>

static const char *user(struct pstk_graph *g, const char *actor)
{
	return actor ? ps_arena_printf(&g->arena, "'%s'", actor) : "the graph";
}

static int by_key(const void *a, const void *b)
{
	const struct ps_one_file *m = a, *n = b;

	return strcmp(m->key, n->key);
}

/* The file of this name with its users so far; one of its own where it may have any. */
static struct ps_one_file *find(struct pstk_graph *g, const char *path, bool writes)
{
	struct ps_one_file *file = ps_arena_zalloc(&g->arena, sizeof *file), **found;

	file->key = ps_file_key(path, writes);
	if (!file->key)
		return file;
	found = tsearch(file, &g->files_by_key, by_key);
	if (!found || *found != file)
		free(file->key);
	if (!found)
		longjmp(g->arena.out_of_memory, 1);
	return *found;
}

static void refuse_beside(struct pstk_graph *g, const struct ps_node *at, const struct ps_used_file *file,
	const struct ps_used_file *others)
{
	for (const struct ps_used_file *f = others; f; f = f->next_user)
		if (file->actor != f->actor || file->writes != f->writes)
			ps_graph_wrong(g, at, "%s %s %s, which %s %s", user(g, file->actor),
				file->writes ? "writes" : "reads", file->path, user(g, f->actor),
				f->writes ? "writes" : "reads");
}

static void use(
	struct pstk_graph *g, const struct ps_node *at, const char *actor, const char *path, bool writes)
{
	struct ps_used_file *file = ps_arena_zalloc(&g->arena, sizeof *file), **users;
	struct ps_one_file *one = find(g, path, writes);

	users = writes ? &one->writers : &one->readers;
	*file = (struct ps_used_file){ .actor = actor, .path = path, .writes = writes, .next_user = *users };
	refuse_beside(g, at, file, one->writers);
	if (writes)
		refuse_beside(g, at, file, one->readers);
	*users = file;
	*(g->last_used_file ? &g->last_used_file->next : &g->used_files) = file;
	g->last_used_file = file;
}

/* The other file of a SigMF recording. NULL: the path names none. */
static const char *other_of_recording(struct pstk_graph *g, const char *path)
{
	static const char *const endings[] = { ".sigmf-meta", ".sigmf-data" };
	size_t length = strlen(path), ending = strlen(endings[0]);

	for (unsigned i = 0; i < 2; i++)
		if (length >= ending && !strcmp(path + length - ending, endings[i]))
			return ps_arena_printf(
				&g->arena, "%.*s%s", (int)(length - ending), path, endings[!i]);
	return NULL;
}

void ps_graph_use_file(
	struct pstk_graph *g, const struct ps_node *at, const char *actor, const char *path, bool writes)
{
	const char *other;

	if (!path)
		return;
	use(g, at, actor, ps_arena_text(&g->arena, path, strlen(path)), writes);
	other = other_of_recording(g, path);
	if (other)
		use(g, at, actor, other, writes);
}

static void free_key(void *file)
{
	free(((struct ps_one_file *)file)->key); /* the arena has the rest */
}

void ps_graph_files_free(struct pstk_graph *g)
{
	tdestroy(g->files_by_key, free_key);
}

static const struct ps_used_file *used(const struct pstk_graph *g, unsigned index)
{
	const struct ps_used_file *f = g ? g->used_files : NULL;

	while (f && index-- > 0)
		f = f->next;
	return f;
}

const char *pstk_graph_file(const struct pstk_graph *g, unsigned index, bool *writes)
{
	const struct ps_used_file *f = used(g, index);

	if (f)
		*writes = f->writes;
	return f ? f->path : NULL;
}

const char *pstk_graph_file_actor(const struct pstk_graph *g, unsigned index)
{
	const struct ps_used_file *f = used(g, index);

	return f ? f->actor : NULL;
}
