/* SPDX-License-Identifier: MIT */
#include "graph/check_load.h"

#include <stdio.h>
#include <string.h>

const char *const load_plugins[] = { "actors/.libs/actors.so", "actors/.libs/iq.so", "actors/.libs/media.so",
	"actors/.libs/saliency.so", NULL };

static struct pstk_graph *good(struct pstk_graph *g)
{
	ck_assert_msg(pstk_graph_network(g) != NULL, "%s", pstk_graph_problem(g, 0));
	ck_assert_ptr_null(pstk_graph_problem(g, 0));
	return g;
}

struct pstk_graph *load_file(const char *text, const char *const *sets)
{
	return good(pstk_graph_load(test_file("g.yaml", text),
		PSTK_GRAPH(.sets = sets, .plugins = load_plugins, .unfinished = true)));
}

struct pstk_graph *load_chain(const char *text, const char *const *sets)
{
	return good(pstk_graph_chain(text, PSTK_GRAPH(.sets = sets, .plugins = load_plugins)));
}

void load_run(struct pstk_graph *g)
{
	struct pstk_network *net = pstk_graph_network(g);

	ck_assert_msg(pstk_network_run(net) == 0, "%s", pstk_network_error(net));
	pstk_graph_destroy(g);
}

struct pstk_actor *load_actor(const struct pstk_graph *g, const char *name)
{
	struct pstk_network *net = pstk_graph_network(g);

	for (unsigned i = 0; i < pstk_network_actor_count(net); i++)
		if (!strcmp(pstk_actor_name(pstk_network_actor(net, i)), name))
			return pstk_network_actor(net, i);
	ck_abort_msg("no actor %s", name);
}

struct pstk_fifo_info load_fifo(const struct pstk_graph *g, unsigned index)
{
	struct pstk_fifo_info info;

	ck_assert_int_eq(pstk_fifo_get_info(pstk_network_fifo(pstk_graph_network(g), index), &info), 0);
	return info;
}

static void strip(const char *problem, char *text, size_t size)
{
	const char *path = test_file("g.none", "");
	size_t folder = (size_t)(strrchr(path, '/') + 1 - path);

	for (*text = 0; *problem && size > 1; size--)
		if (!strncmp(problem, path, folder))
			problem += folder, size++;
		else
			*text++ = *problem++;
	*text = 0;
}

void load_expect(struct pstk_graph *g, const char *const *problems, size_t most)
{
	char text[2048];
	unsigned i;

	ck_assert_ptr_null(pstk_graph_network(g));
	for (i = 0; i < most && problems[i]; i++) {
		ck_assert_msg(pstk_graph_problem(g, i) != NULL, "not said: %s", problems[i]);
		strip(pstk_graph_problem(g, i), text, sizeof text);
		ck_assert_str_eq(text, problems[i]);
	}
	if (i < most)
		ck_assert_msg(!pstk_graph_problem(g, i), "also said: %s", pstk_graph_problem(g, i));
	pstk_graph_destroy(g);
}
