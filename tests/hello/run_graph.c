/* SPDX-License-Identifier: MIT */
/* Runs the network of a graph file; for check_install.sh. */
#include <penstock/graph.h>

#include <errno.h>

int main(int argc, char **argv)
{
	struct pstk_graph *graph = pstk_graph_load(argc > 1 ? argv[1] : NULL, NULL);
	struct pstk_network *net = pstk_graph_network(graph);
	int err = net ? pstk_network_run(net) : -EINVAL;

	for (unsigned i = 0; pstk_graph_problem(graph, i); i++)
		fprintf(stderr, "%s\n", pstk_graph_problem(graph, i));
	if (err)
		fprintf(stderr, "%s\n", pstk_network_error(net));
	pstk_graph_destroy(graph);
	return err ? 1 : 0;
}
