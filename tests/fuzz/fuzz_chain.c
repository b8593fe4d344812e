/* SPDX-License-Identifier: MIT */
/* Chains, with the plug-in of libpenstock-actors and without devices. The input is the line. */
#include "penstock/graph.h"
#include "tests/fuzz/fuzz.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char *const plugins[] = { "actors/.libs/actors.so", NULL };
	char *text = strndup((const char *)data, size);
	struct pstk_graph *g;

	if (!text)
		return 0;
	setenv("OCL_ICD_VENDORS", "/nonexistent", 1);
	g = pstk_graph_chain(text, PSTK_GRAPH(.plugins = plugins, .dry = true));
	if (!pstk_graph_network(g) && !pstk_graph_problem(g, 0))
		abort();
	pstk_graph_destroy(g);
	free(text);
	return 0;
}
