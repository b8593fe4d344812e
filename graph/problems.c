/* SPDX-License-Identifier: MIT */
#include "graph/graph.h"

#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static unsigned number_of(const struct pstk_graph *g, const struct ps_node *at)
{
	const struct ps_file *f = g->files;
	unsigned number = 0;

	for (; at && f && f->path != at->file; f = f->next)
		number++;
	return at ? number : UINT_MAX;
}

bool ps_graph_listens(const struct pstk_graph *g)
{
	return g->problem_count < PS_GRAPH_PROBLEMS;
}

/* What a FIFO says is read for each of its readers. */
static bool is_told(const struct pstk_graph *g, const char *line)
{
	unsigned i = 0;

	while (i < g->problem_count && strcmp(g->problems[i].text, line) != 0)
		i++;
	return i < g->problem_count;
}

void ps_graph_wrong(struct pstk_graph *g, const struct ps_node *at, const char *format, ...)
{
	struct ps_problem *p = &g->problems[g->problem_count];
	char line[PS_GRAPH_LINE];
	size_t length = 0;
	va_list ap;

	g->wrongs++;
	if (!ps_graph_listens(g))
		return;
	if (at)
		length =
			(size_t)snprintf(line, sizeof line / 2, "%s:%u:%u: ", at->file, at->line, at->column);
	if (length >= sizeof line / 2)
		length = sizeof line / 2 - 1;
	length += (size_t)snprintf(line + length, sizeof line - length, "error: ");
	va_start(ap, format);
	vsnprintf(line + length, sizeof line - length, format, ap);
	va_end(ap);
	if (is_told(g, line))
		return;
	*p = (struct ps_problem){
		.file = number_of(g, at), .line = at ? at->line : 0, .column = at ? at->column : 0
	};
	p->text = ps_arena_text(&g->arena, line, strlen(line));
	g->problem_count++;
	if (g->problem_count == PS_GRAPH_PROBLEMS - 1)
		ps_graph_wrong(g, NULL, "there may be more; these are the first %d", PS_GRAPH_PROBLEMS - 1);
}

static int compare(unsigned a, unsigned b)
{
	return a < b ? -1 : a > b;
}

static int by_place(const void *a, const void *b)
{
	const struct ps_problem *m = a, *n = b;
	int file = compare(m->file, n->file), line = compare(m->line, n->line),
	    column = compare(m->column, n->column);

	return file ? file : line ? line : column ? column : strcmp(m->text, n->text);
}

void ps_graph_sort_problems(struct pstk_graph *g)
{
	qsort(g->problems, g->problem_count, sizeof *g->problems, by_place);
}
