/* SPDX-License-Identifier: MIT */
/* Chains, with the plug-in of libpenstock-actors and without devices. The input is the line. */
#include "penstock/graph.h"
#include "tests/fuzz/fuzz.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char *const plugins[] = { "./actors/.libs/actors.so", NULL };
	static void *kept; /* libFuzzer counts what runs, and must not lose the counters */
	char *text = strndup((const char *)data, size);
	struct pstk_graph *g;

	if (!kept)
		kept = dlopen(plugins[0], RTLD_NOW);
	if (!text || !kept)
		abort();
	setenv("OCL_ICD_VENDORS", "/nonexistent", 1);
	g = pstk_graph_chain(text, PSTK_GRAPH(.plugins = plugins, .dry = true));
	if (!pstk_graph_network(g) && !pstk_graph_problem(g, 0))
		abort();
	pstk_graph_destroy(g);
	free(text);
	return 0;
}
