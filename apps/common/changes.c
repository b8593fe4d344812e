/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "apps/common/changes.h"
#include "apps/common/app.h"

#include <penstock/pipeline.h>

#include <stdlib.h>

struct changes {
	const struct pstk_network *network;
	unsigned count;
	uint64_t seen[]; /* of each pipeline: so many changes were said */
};

struct changes *changes_create(const struct pstk_network *network)
{
	struct changes *c;
	unsigned count = 0;

	while (pstk_network_pipeline(network, count))
		count++;
	c = count ? calloc(1, sizeof *c + count * sizeof *c->seen) : NULL;
	if (c) {
		c->network = network;
		c->count = count;
	}
	return c;
}

/* What is new of one, a line each; NULL: there is no memory. */
static char *get_lines(const struct pstk_pipeline *p, uint64_t *seen)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	if (!out)
		return NULL;
	pstk_pipeline_print_changes(p, seen, out);
	if (!fclose(out))
		return text;
	free(text);
	return NULL;
}

void changes_print(struct changes *c, FILE *out)
{
	for (unsigned n = 0; c && n < c->count; n++) {
		char *lines = get_lines(pstk_network_pipeline(c->network, n), &c->seen[n]);

		if (lines && lines[0]) {
			fputs("\r\033[K", out);
			app_say(out, "%s", lines);
		}
		free(lines);
	}
}

void changes_free(struct changes *c)
{
	free(c);
}
