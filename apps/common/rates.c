/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "apps/common/rates.h"
#include "apps/common/app.h"
#include "apps/common/whole.h"

#include <penstock/pipeline.h>

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct rates {
	struct whole *file;
	uint64_t count, ns; /* at the last line */
};

int rates_open(struct rates **rates, const char *path, const char *unit)
{
	struct rates *r = path ? calloc(1, sizeof *r) : NULL;
	int status;

	*rates = NULL;
	if (!path)
		return 0;
	if (!r)
		return app_out_of_memory();
	status = whole_open(&r->file, strcmp(path, "-") != 0 ? path : "/dev/stdout");
	if (status) {
		free(r);
		return status;
	}
	fprintf(whole_file(r->file), "# seconds %s %s/s configuration\n", unit, unit);
	*rates = r;
	return 0;
}

/* "-": the network has no pipeline, or there is no memory. */
static void print_configuration(const struct pstk_network *network, FILE *out)
{
	char text[PSTK_CONFIGURATION_TEXT] = "-";
	struct pstk_pipeline_report *r = pstk_pipeline_get_report(pstk_network_pipeline(network, 0));

	if (r)
		pstk_configuration_print(&r->configuration, r->stage_count, text, sizeof text);
	pstk_pipeline_free_report(r);
	fputs(text, out);
}

void rates_add(struct rates *r, const struct pstk_network *network, uint64_t count, uint64_t ns)
{
	FILE *out = r ? whole_file(r->file) : NULL;

	if (!r || ns <= r->ns)
		return;
	fprintf(out, "%.3f %" PRIu64 " %.1f ", (double)ns / 1e9, count,
		(double)(count - r->count) * 1e9 / (double)(ns - r->ns));
	print_configuration(network, out);
	fputc('\n', out);
	fflush(out); /* what goes wrong is said at the end */
	r->count = count;
	r->ns = ns;
}

int rates_complete(struct rates *r)
{
	int status = r ? whole_complete(r->file) : 0;

	free(r);
	return status;
}

void rates_drop(struct rates *r)
{
	if (r)
		whole_drop(r->file);
	free(r);
}
