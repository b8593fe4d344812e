/* SPDX-License-Identifier: MIT */
#include "lib/model/graph.h"
#include "tests/common/common.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 12 };

static int fire(struct pstk_firing *f)
{
	(void)f;
	return PSTK_DONE;
}

/* n actors with an output and an input for each FIFO that is wanted. */
static struct pstk_network *make_network(unsigned n, bool arrow[MOST][MOST])
{
	struct pstk_network *net = pstk_network_create("graph");
	struct pstk_port ports[2 * MOST];
	char names[2 * MOST][16];
	struct pstk_actor *actors[MOST];

	for (unsigned i = 0; i < MOST; i++) {
		snprintf(names[i], sizeof names[i], "o%u", i);
		snprintf(names[MOST + i], sizeof names[i], "i%u", i);
		ports[i] = (struct pstk_port){ .name = names[i], .kind = PSTK_OUTPUT };
		ports[MOST + i] = (struct pstk_port){ .name = names[MOST + i], .kind = PSTK_INPUT };
	}
	for (unsigned i = 0; i < n; i++) {
		char name[16];

		snprintf(name, sizeof name, "a%u", i);
		actors[i] = pstk_network_add(net, name,
			PSTK_ACTOR_TYPE(.name = "node", .ports = ports, .port_count = 2 * MOST, .fire = fire),
			NULL);
	}
	for (unsigned i = 0; i < n; i++)
		for (unsigned j = 0; j < n; j++)
			if (arrow[i][j])
				pstk_connect(actors[i], names[j], actors[j], names[MOST + i],
					PSTK_FIFO(.rate = 1, .token_size = 1));
	return net;
}

/* Against reachability by Warshall's closure. */
START_TEST(parts_and_sources)
{
	struct test_rng rng = { test_seed() };

	for (unsigned round = 0; round < 500; round++) {
		bool arrow[MOST][MOST] = { { false } }, reach[MOST][MOST];
		unsigned n = test_between(&rng, 1, MOST), percent = test_between(&rng, 0, 40),
			 component[MOST], count;
		struct pstk_network *net;

		for (unsigned i = 0; i < n; i++)
			for (unsigned j = 0; j < n; j++)
				arrow[i][j] = test_chance(&rng, percent);
		memcpy(reach, arrow, sizeof reach);
		for (unsigned k = 0; k < n; k++)
			for (unsigned i = 0; i < n; i++)
				for (unsigned j = 0; j < n; j++)
					reach[i][j] = reach[i][j] || (reach[i][k] && reach[k][j]);
		net = make_network(n, arrow);
		ck_assert_int_eq(ps_graph_components(net, component, &count), 0);
		ck_assert_int_eq(ps_graph_mark_sources(net), 0);
		for (unsigned i = 0; i < n; i++) {
			bool fed = false;

			ck_assert_uint_lt(component[i], count);
			for (unsigned j = 0; j < n; j++) {
				bool same = i == j || (reach[i][j] && reach[j][i]);

				ck_assert_int_eq(component[i] == component[j], same);
				fed = fed ||
				      (reach[j][i] && !same); /* fed from outside, at whichever member */
			}
			ck_assert_int_eq(net->actors[i]->is_source, !fed);
		}
		pstk_network_destroy(net);
	}
}
END_TEST

/* A chain that recursion would not survive. */
START_TEST(a_long_chain)
{
	enum { LENGTH = 30000 };
	static const struct pstk_port ports[] = { { .name = "in", .kind = PSTK_INPUT },
		{ .name = "out", .kind = PSTK_OUTPUT } };
	struct pstk_network *net = pstk_network_create("chain");
	struct pstk_actor *last = NULL, *first = NULL;
	unsigned *component = calloc(LENGTH, sizeof *component), count;

	for (unsigned i = 0; i < LENGTH; i++) {
		char name[16];
		struct pstk_actor *a;

		snprintf(name, sizeof name, "a%u", i);
		a = pstk_network_add(net, name,
			PSTK_ACTOR_TYPE(.name = "link", .ports = ports, .port_count = 2, .fire = fire), NULL);
		if (last)
			pstk_connect(last, "out", a, "in", PSTK_FIFO(.rate = 1, .token_size = 1));
		else
			first = a;
		last = a;
	}
	ck_assert_int_eq(ps_graph_components(net, component, &count), 0);
	ck_assert_uint_eq(count, LENGTH);
	pstk_connect(last, "out", first, "in", PSTK_FIFO(.rate = 1, .token_size = 1)); /* now a ring */
	ck_assert_int_eq(ps_graph_components(net, component, &count), 0);
	ck_assert_uint_eq(count, 1);
	free(component);
	pstk_network_destroy(net);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("graph");
	TCase *c = test_case(suite, "graph");

	tcase_add_test(c, parts_and_sources);
	tcase_add_test(c, a_long_chain);
	return test_main(suite);
}
