/* SPDX-License-Identifier: MIT */
#include "benchmarks/apps/migrate_figures.h"
#include "apps/common/plot.h"
#include "benchmarks/apps/migrate_lockstep.h"
#include "benchmarks/apps/migrate_gaps.h"
#include "benchmarks/common/rounds.h"

#include <penstock/plan.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS = 60, FIRST = 25, AROUND = 12, LINES = 4, RATES = 4, WIDTH = 900, HEIGHT = 640 };

static const char *const line_names[LINES] = { "library", "lock-step", "prepared", "stop" };

struct row {
	unsigned index;
	bool gave, switches;
	double iteration, since, bound; /* s; bound 0: it does not apply */
};

struct line {
	struct row rows[4 * ROWS];
	unsigned count;
};

struct figure {
	char name[64], title[128];
	struct line lines[LINES];
};

/* Of the iterations before the move. */
static double period_of(const struct line *l)
{
	double values[4 * ROWS];
	unsigned n = 0;

	for (unsigned i = 0; i < l->count && l->rows[i].index < FIRST; i++)
		values[n++] = l->rows[i].iteration;
	return migrate_quantile(values, n, 0.5);
}

/* The longest time between two frames, from the move on. */
static double gap_of(const struct line *l)
{
	double gap = 0;

	for (unsigned i = 0; i < l->count; i++)
		if (l->rows[i].gave && l->rows[i].index >= FIRST && l->rows[i].index < FIRST + AROUND)
			gap = fmax(gap, l->rows[i].since);
	return gap;
}

static unsigned silent_of(const struct line *l)
{
	unsigned silent = 0;

	for (unsigned i = 0; i < l->count; i++)
		silent += !l->rows[i].gave && l->rows[i].index >= FIRST && l->rows[i].index < FIRST + AROUND;
	return silent;
}

/* -- what is measured -- */

/* Frames 1 .. ROWS; where a frame comes late whole iterations without one go before it. */
static void fill_library(struct line *l, const double *moments, const struct pstk_move *move)
{
	double intervals[ROWS], sorted[FIRST - 1], tau;

	for (unsigned i = 0; i < ROWS; i++)
		intervals[i] = moments[i + 1] - moments[i];
	memcpy(sorted, intervals, sizeof sorted);
	tau = migrate_quantile(sorted, FIRST - 1, 0.5);
	l->count = 0;
	for (unsigned i = 0; i < ROWS; i++) {
		unsigned late = intervals[i] > 1.5 * tau ? (unsigned)(intervals[i] / tau + 0.5) - 1 : 0;
		const struct row row = { .index = i + 1,
			.gave = true,
			.switches = i + 1 == FIRST,
			.iteration = intervals[i] / (late + 1),
			.since = intervals[i],
			.bound = i + 1 >= FIRST && i < FIRST + 2 ? (double)move->bound_ns * 1e-9 : 0 };

		for (unsigned k = 0; k < late && l->count < 3 * ROWS; k++) {
			l->rows[l->count] = row;
			l->rows[l->count].gave = l->rows[l->count].switches = false;
			l->count++;
		}
		l->rows[l->count++] = row;
	}
}

/* transport: as of struct migrate_way. In the second process the figure stays empty. */
static void run_library(struct saliency_frames *f, const struct migrate_scenario *s,
	struct pstk_transport *transport, struct figure *figure)
{
	const struct migrate_way way = { .first = s->from,
		.movable = true,
		.frames = 3 + ROWS + 1,
		.moves = 1,
		.begin = 3 + FIRST,
		.apart = 1,
		.cycle = { s->to },
		.cycle_length = 1,
		.transport = transport };
	struct migrate_ran ran;

	migrate_run(f, &way, &ran);
	if (!transport || !transport->rank) {
		if (!ran.count)
			rounds_fail("%s: the move has no times", s->name);
		fill_library(&figure->lines[0], ran.moments + 3, ran.moves);
	}
	free(ran.moments);
	free(ran.moves);
}

static void run_lockstep(struct saliency_frames *f, const struct lockstep_path *from,
	const struct lockstep_path *to, struct figure *figure)
{
	struct lockstep_iteration iterations[ROWS];
	struct pstk_migration weights;
	const struct pstk_path a = { from->buffers, from->before }, b = { to->buffers, to->before };

	pstk_migration_find(&a, &b, &weights);
	for (unsigned way = 0; way < LOCKSTEP_WAYS; way++) {
		struct line *l = &figure->lines[1 + way];
		double period;

		migrate_lockstep_run(f,
			(struct lockstep_run){ .original = *from,
				.migrated = *to,
				.way = way,
				.iterations = ROWS,
				.first = FIRST },
			iterations);
		l->count = ROWS;
		for (unsigned i = 0; i < ROWS; i++)
			l->rows[i] = (struct row){ .index = i + 1,
				.gave = iterations[i].gave,
				.switches = i + 1 == FIRST,
				.iteration = iterations[i].seconds,
				.since = iterations[i].since };
		period = period_of(l);
		for (unsigned i = FIRST - 1; i < FIRST + weights.duration && i < ROWS; i++)
			l->rows[i].bound = weights.longest_gap * period;
	}
}

/* -- files -- */

static void write_csv(const struct figure *figure, const char *folder)
{
	char path[512];
	FILE *file;

	snprintf(path, sizeof path, "%s/%s.csv", folder, figure->name);
	file = fopen(path, "w");
	if (!file)
		rounds_fail("%s: it can't be opened", path);
	fprintf(file, "line,index,gave,iteration_ms,since_ms,rate,switch,bound_ms\n");
	for (unsigned l = 0; l < LINES; l++)
		for (unsigned i = 0; i < figure->lines[l].count; i++) {
			const struct row *r = &figure->lines[l].rows[i];

			fprintf(file, "%s,%u,%d,%.3f,", line_names[l], r->index, r->gave, r->iteration * 1e3);
			if (r->gave)
				fprintf(file, "%.3f,%.3f,", r->since * 1e3, 1 / r->since);
			else
				fprintf(file, ",0,");
			fprintf(file, "%d,", r->switches);
			if (r->bound > 0)
				fprintf(file, "%.3f", r->bound * 1e3);
			fputc('\n', file);
		}
	if (fclose(file))
		rounds_fail("%s: it can't be written", path);
}

/* What the plots of a line have as data: frames, and iterations that gave none. */
static void write_data(FILE *script, const struct line *l, unsigned number)
{
	fprintf(script, "$d%u << EOD\n", number);
	for (unsigned i = 0; i < l->count; i++)
		if (l->rows[i].gave)
			fprintf(script, "%u %.3f %.3f\n", l->rows[i].index, l->rows[i].since * 1e3,
				1 / l->rows[i].since);
	fprintf(script, "EOD\n$s%u << EOD\nNaN NaN\n", number);
	for (unsigned i = 0; i < l->count; i++)
		if (!l->rows[i].gave)
			fprintf(script, "%u %.3f\n", l->rows[i].index, l->rows[i].iteration * 1e3);
	fprintf(script, "EOD\n$b%u << EOD\nNaN NaN\n", number);
	for (unsigned i = 0; i < l->count; i++)
		if (l->rows[i].bound > 0 && l->rows[i].gave)
			fprintf(script, "%u %.3f\n", l->rows[i].index, l->rows[i].bound * 1e3);
	fprintf(script, "EOD\n");
}

static void write_script(FILE *script, const struct figure *figure)
{
	static const char *const colours[LINES] = { "#3f7fcc", "#d9832f", "#3f9f6f", "#bf5f75" };

	for (unsigned l = 0; l < LINES; l++)
		write_data(script, &figure->lines[l], l);
	fprintf(script,
		"set multiplot layout 2,1 title \"%s\"\n"
		"set grid linecolor rgb '#d8d8d8'\nset border linecolor rgb '#80858f'\nset tics nomirror\n"
		"set xrange [10:%d]\nset yrange [0:*]\nset key outside right top Left reverse width 1\n"
		"set lmargin 9\nset rmargin 20\n"
		"set arrow 1 from %d, graph 0 to %d, graph 1 nohead dashtype 2 linecolor rgb '#808080'\n"
		"set ylabel 'ms since the frame before'\n",
		figure->title, ROWS, FIRST, FIRST);
	fprintf(script, "plot ");
	for (unsigned l = 0; l < LINES; l++)
		if (figure->lines[l].count)
			fprintf(script,
				"$d%u using 1:2 with linespoints linewidth 1.5 pointtype 3 pointsize 0.6 "
				"linecolor rgb "
				"'%s' title '%s', $s%u using 1:2 with points pointtype 6 pointsize 0.9 "
				"linecolor "
				"rgb '%s' notitle, $b%u using 1:2 with lines linewidth 2 dashtype 3 "
				"linecolor rgb "
				"'%s' notitle, ",
				l, colours[l], line_names[l], l, colours[l], l, colours[l]);
	fprintf(script,
		"NaN with points pointtype 6 linecolor rgb '#606060' title 'no frame', "
		"NaN with lines linewidth 2 dashtype 3 linecolor rgb '#606060' title 'bound', "
		"NaN with lines dashtype 2 linecolor rgb '#808080' title 'switch'\n"
		"set yrange [0:%.0f]\nset ylabel 'frames/s'\nset xlabel 'frame; of lock-step: "
		"iteration'\nplot ",
		RATES / period_of(&figure->lines[figure->lines[0].count ==
						 0])); /* frames that come at once have no rate to draw */
	for (unsigned l = 0; l < LINES; l++)
		if (figure->lines[l].count)
			fprintf(script,
				"%s$d%u using 1:3 with linespoints linewidth 1.5 pointtype 3 pointsize 0.6 "
				"linecolor rgb '%s' title '%s'",
				l && figure->lines[0].count + l > 1 ? ", " : "", l, colours[l],
				line_names[l]);
	fprintf(script, "\nunset multiplot\n");
}

static void write_svg(const struct figure *figure, const char *folder)
{
	static bool missing;
	struct plot *plot;
	char path[512];

	missing = missing || plot_check_gnuplot("figures");
	if (missing)
		return;
	snprintf(path, sizeof path, "%s/%s.svg", folder, figure->name);
	if (plot_open(&plot, path, WIDTH, HEIGHT))
		exit(1);
	write_script(plot_script(plot), figure);
	if (plot_complete(plot))
		exit(1);
}

static void finish(const struct figure *figure, const char *folder)
{
	write_csv(figure, folder);
	write_svg(figure, folder);
	printf("  %-22s", figure->name);
	for (unsigned l = 0; l < LINES; l++) {
		const struct line *line = &figure->lines[l];

		if (line->count)
			printf("  %s %.1f (%.1f), silent %u", line_names[l], gap_of(line) * 1e3,
				period_of(line) * 1e3, silent_of(line));
	}
	printf("\n");
	fflush(stdout);
}

void migrate_figures_write(struct saliency_frames *f, const char *folder, bool staged)
{
	for (unsigned i = 0; i < MIGRATE_SCENARIOS; i++) {
		const struct migrate_scenario *s = &migrate_scenarios[i];
		const struct lockstep_path from = migrate_lockstep_path(s->from),
					   to = migrate_lockstep_path(s->to);
		struct figure figure = { .name = "" };

		snprintf(figure.name, sizeof figure.name, "%u-%s%s", i + 1, s->name, staged ? "-staged" : "");
		snprintf(figure.title, sizeof figure.title,
			"normalize moves at frame %d to a path that is %s%s (lock-step: %u, %u buffers)",
			FIRST, s->name, staged ? ", staged homes" : "", from.buffers, to.buffers);
		run_library(f, s, NULL, &figure);
		run_lockstep(f, &from, &to, &figure);
		finish(&figure, folder);
	}
}

void migrate_figures_write_hosts(
	struct saliency_frames *f, const char *folder, bool staged, struct pstk_transport *transport)
{
	static const struct migrate_scenario scenarios[] = { { "to the other host", MIGRATE_HALF_1,
								     MIGRATE_HALF_2 },
		{ "back", MIGRATE_HALF_2, MIGRATE_HALF_1 } };

	for (unsigned i = 0; i < sizeof scenarios / sizeof *scenarios; i++) {
		struct figure figure = { .name = "" };

		snprintf(figure.name, sizeof figure.name, "hosts-%s%s", i ? "back" : "there",
			staged ? "-staged" : "");
		snprintf(figure.title, sizeof figure.title, "normalize moves at frame %d %s%s", FIRST,
			scenarios[i].name, staged ? ", staged homes" : "");
		run_library(f, &scenarios[i], transport, &figure);
		if (!transport->rank)
			finish(&figure, folder);
	}
}

void migrate_figures_write_paper(struct saliency_frames *f, const char *folder)
{
	static const struct lockstep_path pairs[][2] = { { { 7, 4, 0 }, { 7, 4, 1 } },
		{ { 7, 4, 0 }, { 5, 3, 1 } }, { { 2, 1, LOCKSTEP_CORES }, { 5, 3, 0 } } };

	for (unsigned i = 0; i < sizeof pairs / sizeof *pairs; i++) {
		struct figure figure = { .name = "" };

		snprintf(figure.name, sizeof figure.name, "paper-%u-%u", pairs[i][0].buffers,
			pairs[i][1].buffers);
		snprintf(figure.title, sizeof figure.title,
			"lock-step, the paper's path lengths: from %u to %u buffers at iteration %d",
			pairs[i][0].buffers, pairs[i][1].buffers, FIRST);
		run_lockstep(f, &pairs[i][0], &pairs[i][1], &figure);
		finish(&figure, folder);
	}
}
