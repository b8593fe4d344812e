/* SPDX-License-Identifier: MIT */
#include "benchmarks/apps/saliency_figures.h"
#include "benchmarks/apps/saliency_filters.h"

#include <stdlib.h>
#include <string.h>

/* The paper's table 2, us. Its normalizations have three lines, of which the last one is our sum. */
static const struct {
	const char *size;
	double us[STEPS];
} paper[] = { { "512x512", { 136, 358, 1446, 6645, 4127, 3269 + 3453, 3405 } },
	{ "720x576", { 225, 738, 2276, 14908, 12510, 5554 + 5839, 5681 } } };

static const double *paper_of(const char *size)
{
	for (size_t i = 0; i < sizeof paper / sizeof *paper; i++)
		if (!strcmp(paper[i].size, size))
			return paper[i].us;
	return NULL;
}

/* -- tables -- */

static void print_cell(bool there, double value)
{
	if (there)
		printf(" %10.3f", value);
	else
		printf(" %10s", "-");
}

static void print_line(const struct saliency_figures *f, const struct saliency_size *s, const char *name,
	double cores, double device, double paper_us)
{
	printf("  %-12s", name);
	print_cell(!*f->no_cores, cores * 1e3);
	print_cell(!*f->no_device, device * 1e3);
	print_cell(paper_of(s->name), paper_us * 1e-3);
	printf("\n");
}

static void print_steps(const struct saliency_figures *f, const struct saliency_size *s)
{
	double cores = 0, device = 0, us = 0;

	printf("%s, ms of a frame:\n  %-12s %10s %10s %10s\n", s->name, "step", "one core", f->driver,
		"paper");
	for (unsigned i = 0; i < STEPS; i++) {
		double paper_us = paper_of(s->name) ? paper_of(s->name)[i] : 0;

		print_line(f, s, step_names[i], s->cores[i], s->device[i], paper_us);
		cores += s->cores[i];
		device += s->device[i];
		us += paper_us;
	}
	print_line(f, s, "all", cores, device, us);
	if (!*f->no_cores)
		printf("  one thread %.2f, a team of 2 %.2f: %.2f times as fast\n", s->one * 1e3,
			s->team * 1e3, s->team_ratio);
	if (!*f->no_device)
		printf("  the library %.2f, by hand %.2f (lanes: %u): %.3f times as fast; maps %.1e apart\n",
			s->library * 1e3, s->by_hand * 1e3, s->lanes, s->hand_ratio, s->apart);
}

static const char *order_of(bool in_order)
{
	return in_order ? "in order" : "NOT IN ORDER";
}

static void print_two(const struct saliency_figures *f)
{
	static const char *const names[] = { "split", "dealt" };

	printf("two devices, %s:\n", f->sizes[f->count - 1].name);
	for (unsigned m = 0; m < SALIENCY_MANNERS; m++) {
		const struct saliency_ran *ran = &f->two.ran[m];

		printf("  %-12s %6.2f maps/s, evenness %.2f, loads %.2f, %.1f MB, %s", names[m],
			1 / ran->seconds, ran->evenness, f->two.loads[m], (double)ran->bytes * 1e-6,
			order_of(ran->in_order));
		if (m == SALIENCY_SPLIT)
			printf("; after %s", f->two.after);
		printf("\n");
	}
}

static const char *const timed_names[TIMED_WAYS] = { "split", "paper", "dealt" };

static void print_timed(const struct saliency_figures *f)
{
	printf("two devices that take the paper's times (720x576, 5 GB/s):\n");
	for (unsigned way = 0; way < TIMED_WAYS; way++) {
		const struct saliency_timed *t = &f->timed[way];

		printf("  %-12s %6.2f maps/s, planned %.2f, evenness %.2f, loads %.2f, %.1f MB, %s\n",
			timed_names[way], 1 / t->seconds, 1 / t->planned, t->evenness, t->loads,
			(double)t->bytes * 1e-6, order_of(t->in_order));
	}
}

static void print_missing(const char *what, const char *why)
{
	if (*why)
		printf("left out: %s: %s\n", what, why);
}

void saliency_figures_print_size(const struct saliency_figures *f, const struct saliency_size *s)
{
	if (s == f->sizes)
		printf("saliency on %s: medians of %u rounds of %llu frames\n", f->driver, f->rounds,
			(unsigned long long)f->frames);
	if (!*f->no_cores || !*f->no_device)
		print_steps(f, s);
	fflush(stdout);
}

void saliency_figures_print_two(const struct saliency_figures *f)
{
	if (!*f->no_two)
		print_two(f);
	if (!*f->no_timed)
		print_timed(f);
	print_missing("the cores", f->no_cores);
	print_missing("the device", f->no_device);
	print_missing("two devices", f->no_two);
	print_missing("the paper's times", f->no_timed);
}

/* -- JSON -- */

static void write_steps(const struct saliency_figures *f, FILE *file, const struct saliency_size *s)
{
	fprintf(file, "{\"size\": \"%s\", \"steps\": [", s->name);
	for (unsigned i = 0; i < STEPS; i++) {
		fprintf(file, "%s\n\t\t{\"name\": \"%s\"", i ? "," : "", step_names[i]);
		if (!*f->no_cores)
			fprintf(file, ", \"cores_s\": %.9g", s->cores[i]);
		if (!*f->no_device)
			fprintf(file, ", \"device_s\": %.9g", s->device[i]);
		if (paper_of(s->name))
			fprintf(file, ", \"paper_s\": %.9g", paper_of(s->name)[i] * 1e-6);
		fprintf(file, "}");
	}
	fprintf(file, "]}");
}

static void write_team(const struct saliency_figures *f, FILE *file, const struct saliency_size *s)
{
	(void)f;
	fprintf(file, "{\"size\": \"%s\", \"one_s\": %.9g, \"team_s\": %.9g, \"ratio\": %.9g}", s->name,
		s->one, s->team, s->team_ratio);
}

static void write_hand(const struct saliency_figures *f, FILE *file, const struct saliency_size *s)
{
	(void)f;
	fprintf(file,
		"{\"size\": \"%s\", \"library_s\": %.9g, \"by_hand_s\": %.9g, \"ratio\": %.9g, \"lanes\": "
		"%u, "
		"\"apart\": %.3g}",
		s->name, s->library, s->by_hand, s->hand_ratio, s->lanes, s->apart);
}

static void write_sizes(const struct saliency_figures *f, FILE *file, const char *key,
	void (*write)(const struct saliency_figures *, FILE *, const struct saliency_size *))
{
	fprintf(file, ",\n\t\"%s\": [", key);
	for (unsigned i = 0; i < f->count; i++) {
		fprintf(file, "%s\n\t\t", i ? "," : "");
		write(f, file, &f->sizes[i]);
	}
	fprintf(file, "]");
}

static void write_manner(FILE *file, const char *name, double seconds, double evenness, double loads,
	uint64_t bytes, bool in_order)
{
	fprintf(file,
		"\"%s\": {\"rate\": %.9g, \"evenness\": %.9g, \"loads\": %.9g, \"in_order\": %s, \"bytes\": "
		"%llu",
		name, 1 / seconds, evenness, loads, in_order ? "true" : "false", (unsigned long long)bytes);
}

static void write_timed(const struct saliency_figures *f, FILE *file)
{
	fprintf(file, "\"timed\": {\"size\": \"720x576\"");
	for (unsigned way = 0; way < TIMED_WAYS; way++) {
		const struct saliency_timed *t = &f->timed[way];

		fprintf(file, ",\n\t\t\t");
		write_manner(
			file, timed_names[way], t->seconds, t->evenness, t->loads, t->bytes, t->in_order);
		fprintf(file, ", \"planned\": %.9g}", 1 / t->planned);
	}
	fprintf(file, "}");
}

static void write_two(const struct saliency_figures *f, FILE *file)
{
	const struct saliency_ran *split = &f->two.ran[SALIENCY_SPLIT], *dealt = &f->two.ran[SALIENCY_DEALT];

	fprintf(file, ",\n\t\"two_devices\": {");
	if (!*f->no_two) {
		fprintf(file, "\"size\": \"%s\",\n\t\t", f->sizes[f->count - 1].name);
		write_manner(file, "split", split->seconds, split->evenness, f->two.loads[SALIENCY_SPLIT],
			split->bytes, split->in_order);
		fprintf(file, ", \"after\": \"%s\"},\n\t\t", f->two.after);
		write_manner(file, "dealt", dealt->seconds, dealt->evenness, f->two.loads[SALIENCY_DEALT],
			dealt->bytes, dealt->in_order);
		fprintf(file, "}%s", *f->no_timed ? "" : ",\n\t\t");
	}
	if (!*f->no_timed)
		write_timed(f, file);
	fprintf(file, "}");
}

void saliency_figures_write(const struct saliency_figures *f, FILE *file)
{
	fprintf(file, "{\n\t\"driver\": \"%s\", \"rounds\": %u, \"frames\": %llu", f->driver, f->rounds,
		(unsigned long long)f->frames);
	if (!*f->no_cores || !*f->no_device)
		write_sizes(f, file, "table2", write_steps);
	if (!*f->no_cores)
		write_sizes(f, file, "team", write_team);
	if (!*f->no_device)
		write_sizes(f, file, "by_hand", write_hand);
	if (!*f->no_two || !*f->no_timed)
		write_two(f, file);
	if (f->filters)
		fprintf(file,
			",\n\t\"filters\": {\"width\": %d, \"height\": %d, \"rows\": %d, \"columns\": %d, "
			"\"pgm\": "
			"\"%s\"}",
			FILTERS_WIDTH, FILTERS_HEIGHT, PSTK_SALIENCY_BANDS, PSTK_SALIENCY_ORIENTATIONS,
			f->filters);
	if (f->trace)
		fprintf(file, ",\n\t\"trace\": \"%s\"", f->trace);
	fprintf(file, "\n}\n");
}
