/* SPDX-License-Identifier: MIT */
/*
 * P-I-I-C (PACCO, section 5.1, figs. 11 to 15): producer, one or two incrementers on devices, consumer. The period over
 * the length of the kernel: of the library with and without overlap, of the paper's runtime by hand, and of models.
 */
#include "benchmarks/apps/piic_network.h"
#include "benchmarks/apps/piic_timed.h"
#include "benchmarks/common/number.h"
#include "benchmarks/limit/piic_opencl.h"

#include <getopt.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { POINTS = 32, ROUNDS = 31 };

/* What is measured of a point: seconds a token. */
enum figure { ON, OFF, BY_HAND, PHASES, SERIAL, FIGURES };

static const char *const figure_names[FIGURES] = { "on_s", "off_s", "by_hand_s", "phases_s", "serial_s" };

struct point {
	unsigned loops;
	double kernel_s, figures[FIGURES];
	struct piic_planned on, off;
};

static struct {
	const char *driver;
	const char *json; /* a file; NULL: none */
	struct piic piic;
	double loop_s; /* of the timed driver: what a round of the loop takes */
	unsigned loops[POINTS], count, rounds, megabytes, kilobytes;
	struct piic_devices devices;
	double hop_s;
	uint64_t taken[2]; /* bytes of FIFOs: on, off */
	struct point points[POINTS];
} bench = { .driver = "timed",
	.piic = { .incrementers = 2,
		.rate = 1e9,
		.latency = 10e-6,
		.bytes = 16000000,
		.tokens = 60,
		.first = 20 },
	.loop_s = 1e-4,
	.loops = { 0, 40, 80, 120, 160, 200, 240, 320, 400 },
	.count = 9,
	.rounds = 3 };

/* -- drivers -- */

/* Which devices, for the library and by hand. */
static bool open_devices(void)
{
	static const struct {
		const char *driver, *platform, *selector, *part;
		cl_device_type type;
		bool shared;
	} drivers[] = { { "timed", "Penstock fake", "pstk:gpu:%u", NULL, CL_DEVICE_TYPE_GPU, false },
		{ "pocl", "Portable Computing Language", "pocl:cpu:0", "pocl:cpu:0/%uof2", CL_DEVICE_TYPE_CPU,
			true },
		{ "gpu", "", ":gpu:%u", NULL, CL_DEVICE_TYPE_GPU, false } };

	for (unsigned i = 0; i < sizeof drivers / sizeof *drivers; i++) {
		if (strcmp(bench.driver, drivers[i].driver) != 0)
			continue;
		piic_timed_loop(bench.loop_s);
		if (i == 0 && !piic_timed_start(&bench.piic, 2))
			return false;
		bench.piic.shared = drivers[i].shared;
		for (unsigned d = 0; d < bench.piic.incrementers; d++) {
			bool part = drivers[i].part && bench.piic.incrementers > 1;
			char digits[12], *text = bench.piic.selectors[d];
			const char *form = part ? drivers[i].part : drivers[i].selector,
				   *at = strstr(form, "%u");

			snprintf(digits, sizeof digits, "%u", part ? d + 1 : d);
			snprintf(text, sizeof bench.piic.selectors[d], "%.*s%s%s", at ? (int)(at - form) : 64,
				form, at ? digits : "", at ? at + 2 : "");
		}
		return piic_open(
			&bench.devices, drivers[i].platform, drivers[i].type, bench.piic.incrementers);
	}
	return false;
}

/* -- measuring -- */

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static double measure(enum figure figure, const struct point *p)
{
	struct piic_by_hand by_hand = { .bytes = bench.piic.bytes,
		.loops = p->loops,
		.tokens = bench.piic.tokens,
		.first = bench.piic.first };
	struct piic piic = bench.piic;

	switch (figure) {
	case BY_HAND:
		return piic_by_hand(&bench.devices, &by_hand, PIIC_OVERLAP);
	case PHASES:
		return piic_by_hand(&bench.devices, &by_hand, PIIC_PHASES);
	case SERIAL:
		return piic_by_hand(&bench.devices, &by_hand, PIIC_SERIAL);
	default:
		piic.overlap = figure == ON;
		piic.loops = p->loops;
		piic.kernel_s = p->kernel_s;
		return piic_library(&piic, &bench.taken[figure]);
	}
}

static void plan(struct point *p)
{
	struct piic piic = bench.piic;

	piic.loops = p->loops;
	piic.kernel_s = p->kernel_s;
	piic.overlap = true;
	piic_plan(&piic, &p->on);
	piic.overlap = false;
	piic_plan(&piic, &p->off);
}

static void measure_point(struct point *p)
{
	struct piic_by_hand by_hand = { .bytes = bench.piic.bytes, .loops = p->loops, .tokens = 2 };
	double all[FIGURES][ROUNDS];

	p->kernel_s = piic_kernel_seconds(&bench.devices, &by_hand);
	if (bench.hop_s <= 0)
		bench.hop_s = piic_hop_seconds(&bench.devices, &by_hand);
	if (strcmp(bench.driver, "timed") != 0) { /* the plan's link is as fast as a hop was */
		bench.piic.rate = (double)bench.piic.bytes / bench.hop_s;
		bench.piic.latency = 0;
	}
	plan(p);
	for (unsigned r = 0; r < bench.rounds; r++)
		for (unsigned k = 0; k < FIGURES; k++) {
			enum figure figure = (enum figure)((k + r) % FIGURES);

			all[figure][r] = measure(figure, p);
		}
	for (unsigned k = 0; k < FIGURES; k++) {
		qsort(all[k], bench.rounds, sizeof(double), compare);
		p->figures[k] = all[k][bench.rounds / 2];
	}
}

/* -- models: the longest of what overlaps; the paper's sum without; all of it one after the other -- */

static double hop(void)
{
	return bench.piic.half ? 2 * bench.hop_s : bench.hop_s;
}

static double model_on(const struct point *p)
{
	return fmax(p->kernel_s, hop());
}

static double model_phases(const struct point *p)
{
	return p->kernel_s + hop();
}

static double model_serial(const struct point *p)
{
	return p->kernel_s + 2 * bench.hop_s;
}

/* -- what is told -- */

static void print_head(void)
{
	printf("P-%.*sC on %s: tokens of %zu bytes, a hop %.3f ms; ms a token, medians of %u rounds of %llu "
	       "tokens\n",
		2 * (int)bench.piic.incrementers, "I-I-", bench.driver, bench.piic.bytes, bench.hop_s * 1e3,
		bench.rounds, (unsigned long long)bench.piic.tokens);
	printf("%7s %8s | %8s %8s %8s %8s | %8s %8s %8s %8s | %8s %8s %6s\n", "nb_loop", "kernel", "on",
		"by hand", "model", "planned", "off", "planned", "phases", "model", "serial", "model", "S");
}

static void print_point(const struct point *p)
{
	const double *f = p->figures;

	printf("%7u %8.3f | %8.3f %8.3f %8.3f %8.3f | %8.3f %8.3f %8.3f %8.3f | %8.3f %8.3f %6.2f\n",
		p->loops, p->kernel_s * 1e3, f[ON] * 1e3, f[BY_HAND] * 1e3, model_on(p) * 1e3,
		p->on.simulated * 1e3, f[OFF] * 1e3, p->off.simulated * 1e3, f[PHASES] * 1e3,
		model_phases(p) * 1e3, f[SERIAL] * 1e3, model_serial(p) * 1e3, f[PHASES] / f[ON]);
	fflush(stdout);
}

static void print_plan(const char *name, const struct piic_planned *p, uint64_t taken)
{
	printf("%s: first tokens planned in the cycles", name);
	for (unsigned i = 0; i < bench.piic.incrementers + 2; i++)
		printf(" %s %llu", p->names[i], (unsigned long long)p->latency[i]);
	printf("; %.1f MB planned, %.1f MB of FIFOs taken\n", (double)p->bytes * 1e-6, (double)taken * 1e-6);
}

static void write_plan(FILE *file, const char *name, const struct piic_planned *p, uint64_t taken)
{
	fprintf(file, "\"%s\": {\"latency\": {", name);
	for (unsigned i = 0; i < bench.piic.incrementers + 2; i++)
		fprintf(file, "%s\"%s\": %llu", i ? ", " : "", p->names[i],
			(unsigned long long)p->latency[i]);
	fprintf(file, "}, \"bytes\": %llu, \"taken\": %llu}", (unsigned long long)p->bytes,
		(unsigned long long)taken);
}

static void write_point(FILE *file, const struct point *p)
{
	fprintf(file, "\t\t{\"nb_loop\": %u, \"kernel_s\": %.9g, \"hop_s\": %.9g", p->loops, p->kernel_s,
		bench.hop_s);
	for (unsigned k = 0; k < FIGURES; k++)
		fprintf(file, ", \"%s\": %.9g", figure_names[k], p->figures[k]);
	fprintf(file,
		", \"model_on_s\": %.9g, \"model_phases_s\": %.9g, \"model_serial_s\": %.9g, "
		"\"planned_on_s\": %.9g, \"planned_off_s\": %.9g}",
		model_on(p), model_phases(p), model_serial(p), p->on.simulated, p->off.simulated);
}

static void write_json(FILE *file)
{
	fprintf(file,
		"{\n\t\"figure\": %u, \"driver\": \"%s\", \"incrementers\": %u, \"bytes\": %zu, \"tokens\": "
		"%llu, "
		"\"rounds\": %u,\n",
		bench.piic.incrementers > 1 ? 15 : 4, bench.driver, bench.piic.incrementers, bench.piic.bytes,
		(unsigned long long)bench.piic.tokens, bench.rounds);
	if (!strcmp(bench.driver, "timed"))
		fprintf(file, "\t\"rate\": %.9g, \"latency\": %.9g, \"duplex\": \"%s\",\n", bench.piic.rate,
			bench.piic.latency, bench.piic.half ? "half" : "full");
	fprintf(file, "\t\"plan\": {");
	write_plan(file, "on", &bench.points[0].on, bench.taken[ON]);
	fprintf(file, ", ");
	write_plan(file, "off", &bench.points[0].off, bench.taken[OFF]);
	fprintf(file, "},\n\t\"points\": [\n");
	for (unsigned i = 0; i < bench.count; i++) {
		write_point(file, &bench.points[i]);
		fprintf(file, i + 1 < bench.count ? ",\n" : "\n");
	}
	fprintf(file, "\t]\n}\n");
}

static void save(void)
{
	FILE *file = bench.json ? fopen(bench.json, "w") : NULL;

	if (!bench.json)
		return;
	if (!file) {
		perror(bench.json);
		exit(1);
	}
	write_json(file);
	if (fclose(file)) {
		perror(bench.json);
		exit(1);
	}
}

/* -- options -- */

static const char help[] =
	"Usage: piic [OPTION]...\n"
	"  -d DRIVER   timed: a driver whose transfers and kernels take time by the clock;\n"
	"              pocl, its device in as many parts; gpu (timed)\n"
	"  -i N        incrementers, each on a device of its own: 2, or 1 (fig. 4) (2)\n"
	"  -b BYTES    of a token, a multiple of 4 (16000000)\n"
	"  -l LOOPS    nb_loop of the points, with commas (0,40,80,120,160,200,240,320,400)\n"
	"  -a SECONDS  timed: what a round of the loop takes (1e-4)\n"
	"  -r RATE     timed: bytes/s of a transfer (1e9)\n"
	"  -t SECONDS  timed: latency of a transfer (1e-5)\n"
	"  -x DUPLEX   timed: full or half (full)\n"
	"  -n ROUNDS   in which everything is run in turn (3)\n"
	"  -f TOKENS   of a run, of which the first third is not timed (60)\n"
	"  -j FILE     the figures as JSON\n"
	"  -h          this\n"
	"\n"
	"on, off: the library as planned, with overlap and without. By hand: the paper's runtime with "
	"overlap;\n"
	"phases: without; serial: transfer, kernel, transfer of each device one after the other. Planned: "
	"the\n"
	"period that the plan simulates. S: phases / on.\n";

static void refuse(const char *what)
{
	fprintf(stderr, "piic: %s\n%s", what, help);
	exit(2);
}

static bool set_number(int c, const char *text)
{
	uint64_t whole;

	switch (c) {
	case 'i':
		return number_unsigned(text, 1, PIIC_INCREMENTERS, &bench.piic.incrementers);
	case 'b':
		if (!number_whole(text, 4, 1u << 30, &whole) || whole % 4)
			return false;
		bench.piic.bytes = whole;
		return true;
	case 'f':
		if (!number_whole(text, 6, 1u << 23, &whole))
			return false;
		bench.piic.tokens = whole;
		bench.piic.first = whole / 3;
		return true;
	case 'l':
		return number_list(text, 0, 1000000, bench.loops, POINTS, &bench.count);
	case 'a':
		return number_real(text, 0, 10, &bench.loop_s);
	case 'r':
		return number_real(text, 1, 1e18, &bench.piic.rate);
	case 't':
		return number_real(text, 0, 10, &bench.piic.latency);
	default:
		return number_unsigned(text, 1, ROUNDS, &bench.rounds);
	}
}

static void parse(int argc, char **argv)
{
	for (int c; (c = getopt(argc, argv, "d:i:b:l:a:r:t:x:n:f:j:h")) != -1;) {
		if (c == 'h') {
			fputs(help, stdout);
			exit(0);
		}
		if (c == '?')
			exit(2);
		if (c == 'd')
			bench.driver = optarg;
		else if (c == 'j')
			bench.json = optarg;
		else if (c == 'x' && strcmp(optarg, "half") != 0 && strcmp(optarg, "full") != 0)
			refuse("-x is full or half");
		else if (c == 'x')
			bench.piic.half = *optarg == 'h';
		else if (!set_number(c, optarg))
			refuse("not a number of this option");
	}
	if (optind < argc)
		refuse("there are only options");
	if (strcmp(bench.driver, "timed") != 0 && strcmp(bench.driver, "pocl") != 0 &&
		strcmp(bench.driver, "gpu") != 0)
		refuse("-d is timed, pocl or gpu");
}

int main(int argc, char **argv)
{
	parse(argc, argv);
	if (!open_devices()) {
		printf("piic: not here: driver '%s' has not %u devices\n", bench.driver,
			bench.piic.incrementers);
		return 0;
	}
	for (unsigned i = 0; i < bench.count; i++) {
		bench.points[i].loops = bench.loops[i];
		measure_point(&bench.points[i]);
		if (i == 0)
			print_head();
		print_point(&bench.points[i]);
	}
	print_plan("on", &bench.points[0].on, bench.taken[ON]);
	print_plan("off", &bench.points[0].off, bench.taken[OFF]);
	save();
	piic_close(&bench.devices);
	return 0;
}
