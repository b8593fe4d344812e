/* SPDX-License-Identifier: MIT */
/* Graph files, without plug-ins or devices: what loads is judged and written, and what is written loads. */
#include "penstock/graph.h"
#include "tests/fuzz/fuzz.h"

#include <stdlib.h>
#include <string.h>

/* A kernel's file has to be there. */
static struct pstk_graph *load(const void *text, size_t size, bool unfinished)
{
	fuzz_file("k.cl", "", 0);
	return pstk_graph_load(
		fuzz_file("g.yaml", text, size), PSTK_GRAPH(.dry = true, .unfinished = unfinished));
}

static char *write_back(const struct pstk_graph *g, size_t *size)
{
	char *text = NULL;
	FILE *file = open_memstream(&text, size);
	int err = pstk_graph_write(g, file);

	fclose(file);
	if (!err)
		return text;
	free(text);
	return NULL;
}

/* What was written is read again, and written the same. */
static void expect_again(const char *text, size_t size)
{
	struct pstk_graph *g = load(text, size, true);
	size_t again_size = 0;
	char *again = write_back(g, &again_size);

	if (!again || again_size != size || memcmp(again, text, size) != 0)
		abort();
	free(again);
	pstk_graph_destroy(g);
}

static void ignore(void *data, enum pstk_log_level level, const char *topic, const char *message)
{
	(void)data, (void)level, (void)topic, (void)message;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct pstk_graph *g;
	char *text;

	setenv("OCL_ICD_VENDORS", "/nonexistent", 1);
	setenv("PENSTOCK_PLUGINS", "", 1);
	pstk_set_log(ignore, NULL);
	pstk_graph_destroy(load(data, size, false));
	g = load(data, size, true);
	if (pstk_graph_network(g))
		pstk_network_check(pstk_graph_network(g), NULL, NULL);
	else if (!pstk_graph_problem(g, 0))
		abort();
	text = write_back(g, &size);
	pstk_graph_destroy(g);
	if (text)
		expect_again(text, size);
	free(text);
	return 0;
}
