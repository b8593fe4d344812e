/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "apps/common/changes.h"
#include "apps/common/app.h"

#include <penstock/pipeline.h>

#include <stdlib.h>
#include <string.h>

enum { LINE = 256 };

struct changes {
	const struct pstk_network *network;
	unsigned count;
	char last[][LINE]; /* of each pipeline, what was said */
};

struct changes *changes_create(const struct pstk_network *network)
{
	struct changes *c;
	unsigned count = 0;

	while (pstk_network_pipeline(network, count))
		count++;
	c = count ? calloc(1, sizeof *c + count * sizeof *c->last) : NULL;
	if (c) {
		c->network = network;
		c->count = count;
	}
	return c;
}

/* The first line of its report; "": there is no memory. */
static void get_line(const struct pstk_pipeline *p, char line[LINE])
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	line[0] = '\0';
	if (!out)
		return;
	pstk_pipeline_print(p, out);
	if (!fclose(out) && text)
		snprintf(line, LINE, "%.*s", (int)strcspn(text, "\n"), text);
	free(text);
}

void changes_print(struct changes *c, FILE *out)
{
	char line[LINE];

	for (unsigned n = 0; c && n < c->count; n++) {
		get_line(pstk_network_pipeline(c->network, n), line);
		if (!line[0] || !strcmp(line, c->last[n]))
			continue;
		memcpy(c->last[n], line, LINE);
		fputs("\r\033[K", out);
		app_say(out, "%s\n", line);
	}
}

void changes_free(struct changes *c)
{
	free(c);
}
