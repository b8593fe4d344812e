/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "apps/common/plot.h"
#include "actors/common/message.h"
#include "apps/common/app.h"
#include "apps/common/tool.h"
#include "apps/common/whole.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* -d: without the user's settings */
static const struct tool gnuplot = { "gnuplot", "gnuplot-nox, which scripts/setup installs", "--version",
	"-d" };

struct plot {
	const char *path;
	struct whole *whole;
	FILE *script; /* gnuplot's stdin */
};

int plot_check_name(const char *option, const char *path)
{
	static const char *const others[] = { ".pdf", ".jpg", ".jpeg", ".eps", ".ps", ".gif", ".webp", ".tif",
		".tiff", ".bmp" };
	const char *ending = path ? strrchr(path, '.') : NULL;

	for (size_t i = 0; ending && i < sizeof(others) / sizeof(*others); i++) {
		if (!strcasecmp(ending, others[i]))
			return app_fail(EXIT_USAGE,
				"--%s %s: it is written as SVG or PNG; a name in .svg or .png is wanted",
				option, path);
	}
	return 0;
}

int plot_check_gnuplot(const char *option)
{
	return tool_check(&gnuplot, option);
}

int plot_open(struct plot **result, const char *path, unsigned width, unsigned height)
{
	struct plot *plot = calloc(1, sizeof(*plot));
	bool png = ps_ends_with(path, ".png");
	int status;

	*result = NULL;
	if (!plot)
		return app_out_of_memory();
	plot->path = path;
	plot->script = tmpfile();
	status = plot->script ? whole_open(&plot->whole, path)
	                      : app_fail(EXIT_FAILED, "%s: a temporary file for gnuplot: %s", path,
					strerror(errno));
	if (status) {
		plot_drop(plot);
		return status;
	}
	fprintf(plot->script,
		"set terminal %s size %u,%u enhanced font 'sans-serif,%d' background rgb 'white'\n"
		"set encoding utf8\nset minussign\n",
		png ? "pngcairo" : "svg", width, height, png ? 11 : 14);
	*result = plot;
	return 0;
}

FILE *plot_script(struct plot *plot)
{
	return plot->script;
}

int plot_complete(struct plot *plot)
{
	int status = tool_draw(&gnuplot, plot->script, whole_file(plot->whole), plot->path);

	if (!status) {
		status = whole_complete(plot->whole);
		plot->whole = NULL;
	}
	plot_drop(plot);
	return status;
}

void plot_drop(struct plot *plot)
{
	if (!plot)
		return;
	if (plot->script)
		fclose(plot->script);
	whole_drop(plot->whole);
	free(plot);
}
