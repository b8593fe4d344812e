/* SPDX-License-Identifier: MIT */
/*
 * P-I-I-C over two hosts (PACCO, section 5.1, figs. 11 to 15), as two ranks of MPI: P on c0, I1 on its device, I2 on
 * that of c1, C on c1. The period over the length of the kernel: of the library with and without overlap, of the
 * paper's runtime by hand, and of models.
 *
 * The devices are those of the tests' driver, which take time by the clock. So does the network between ranks of one
 * machine, unless it is a real one (-w): the paper's rates of 5 and 2.6 GB/s, both slowed down alike, so that cores
 * and memory, which here do the work of links as well, are not what limits.
 */
#include "benchmarks/apps/piic_network.h"
#include "benchmarks/apps/piic_timed.h"
#include "apps/common/probe.h"
#include "benchmarks/common/number.h"
#include "benchmarks/common/slow_link.h"
#include "benchmarks/common/slow_transport.h"
#include "benchmarks/limit/piic_mpi.h"
#include "benchmarks/limit/piic_opencl.h"

#include <penstock/mpi.h>

#include <getopt.h>
#include <math.h>
#include <mpi.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
	POINTS = 32,
	ROUNDS = 31,
	RANKS = 2,
	AT_NET = 120 /* nb_loop where the kernel takes as long as a hop */
};

/* What is measured of a point: seconds a token. */
enum figure { ON, OFF, BY_HAND, PHASES, FIGURES };

static const char *const figure_names[FIGURES] = { "on_s", "off_s", "by_hand_s", "phases_s" };

struct point {
	unsigned loops;
	double kernel_s, figures[FIGURES], against; /* against: by hand / on, the median of rounds */
	struct piic_planned on, off;
};

static struct {
	const char *driver, *json; /* json: a file; NULL: none */
	struct piic piic;
	double loop_s; /* of the timed driver: what a round of the loop takes; 0: as AT_NET says */
	bool real;     /* the network is */
	unsigned loops[POINTS], count, rounds;
	struct piic_devices devices;
	struct slow_link *link;
	struct pstk_transport *mpi, *transport;
	double hop_s, net_s;
	uint64_t taken[FIGURES][RANKS]; /* bytes of FIFOs */
	struct point points[POINTS];
} bench = { .driver = "timed",
	.piic = { .incrementers = 2,
		.rate = 1e9,
		.latency = 10e-6,
		.net_rate = 0.52e9,
		.net_latency = 10e-6,
		.two_hosts = true,
		.bytes = 16000000,
		.tokens = 60,
		.first = 20 },
	.loops = { 0, 40, 80, 120, 160, 200, 240, 320, 400 },
	.count = 9,
	.rounds = 3 };

PSTK_PRINTF(1, 2) __attribute__((noreturn)) static void fail(const char *format, ...)
{
	va_list ap;

	va_start(ap, format);
	fprintf(stderr, "piic_hosts: ");
	vfprintf(stderr, format, ap);
	fprintf(stderr, "\n");
	va_end(ap);
	bench.mpi->abort(bench.mpi->self, 1);
	exit(1);
}

static bool is_first(void)
{
	return !bench.mpi->rank;
}

/* One host has measured it. */
static void share(double *value, int rank)
{
	MPI_Bcast(value, 1, MPI_DOUBLE, rank, MPI_COMM_WORLD);
}

/* -- what there is -- */

static bool is_timed(void)
{
	return !strcmp(bench.driver, "timed");
}

/* A device here; the plan has those of both hosts. */
static void open_device(void)
{
	bool timed = is_timed(),
	     fine = piic_open(&bench.devices, timed ? "Penstock fake" : "", CL_DEVICE_TYPE_GPU, 1);
	int mine = fine, all = 0;

	MPI_Allreduce(&mine, &all, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
	for (unsigned d = 0; d < bench.piic.incrementers; d++)
		snprintf(bench.piic.selectors[d], sizeof bench.piic.selectors[d],
			timed ? "pstk:gpu:0" : ":gpu:0");
	if (all)
		return;
	if (is_first())
		printf("piic_hosts: not here: driver '%s' has not a device on each host\n", bench.driver);
	if (fine)
		piic_close(&bench.devices);
	pstk_mpi_transport_free(bench.mpi);
	exit(0);
}

static void open_network(void)
{
	bench.transport = bench.mpi;
	if (bench.real) {
		bench.net_s = piic_mpi_seconds(NULL, bench.piic.bytes);
		bench.piic.net_rate = (double)bench.piic.bytes / bench.net_s;
		bench.piic.net_latency = 0;
		return;
	}
	bench.link = slow_link_new(bench.piic.net_rate, bench.piic.net_latency);
	if (!bench.link)
		fail("the ranks are not on one machine: -w measures the network between them");
	bench.transport = slow_transport_new(bench.link, bench.mpi);
	if (!bench.transport)
		fail("out of memory");
	bench.net_s = bench.piic.net_latency + (double)bench.piic.bytes / bench.piic.net_rate;
	if (piic_mpi_seconds(NULL, bench.piic.bytes) > bench.net_s / 2 && is_first())
		printf("mind: MPI itself takes more than half of the time that the link is to take\n");
}

static void measure_parts(void)
{
	struct piic_by_hand by_hand = { .bytes = bench.piic.bytes, .tokens = 2 };

	bench.hop_s = piic_hop_seconds(&bench.devices, &by_hand);
	share(&bench.hop_s, 0);
	if (!is_timed()) { /* the plan's link is as fast as a hop was */
		bench.piic.rate = (double)bench.piic.bytes / bench.hop_s;
		bench.piic.latency = 0;
	}
	if (bench.loop_s <= 0)
		bench.loop_s = bench.net_s / AT_NET;
	piic_timed_loop(bench.loop_s);
}

/* -- measuring -- */

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static double median(const double *values)
{
	double sorted[ROUNDS];

	memcpy(sorted, values, bench.rounds * sizeof *values);
	qsort(sorted, bench.rounds, sizeof *sorted, compare);
	return sorted[bench.rounds / 2];
}

static double measure(enum figure figure, const struct point *p)
{
	struct piic_by_hand by_hand = { bench.piic.bytes, p->loops, bench.piic.tokens, bench.piic.first,
		piic_mpi(bench.link) };
	struct piic piic = bench.piic;
	uint64_t taken = 0;
	double seconds;

	slow_link_meet();
	if (figure == BY_HAND || figure == PHASES) {
		seconds =
			piic_by_hand(&bench.devices, &by_hand, figure == PHASES ? PIIC_PHASES : PIIC_OVERLAP);
	} else {
		piic.transport = bench.transport;
		piic.overlap = figure == ON;
		piic.loops = p->loops;
		piic.kernel_s = p->kernel_s;
		seconds = piic_library(&piic, &taken);
		MPI_Allgather(&taken, 1, MPI_UINT64_T, bench.taken[figure], 1, MPI_UINT64_T, MPI_COMM_WORLD);
		bench.taken[figure][0] -= bench.taken[figure][1]; /* rank 0 has the figures of all */
	}
	share(&seconds, 1); /* the consumer's */
	return seconds;
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
	double all[FIGURES][ROUNDS], ratios[ROUNDS];

	p->kernel_s = piic_kernel_seconds(&bench.devices, &by_hand);
	share(&p->kernel_s, 0);
	plan(p);
	for (unsigned r = 0; r < bench.rounds; r++) {
		for (unsigned k = 0; k < FIGURES; k++) {
			enum figure figure = (enum figure)((k + r) % FIGURES);

			all[figure][r] = measure(figure, p);
		}
		ratios[r] = all[BY_HAND][r] / all[ON][r];
	}
	for (unsigned k = 0; k < FIGURES; k++)
		p->figures[k] = median(all[k]);
	p->against = median(ratios);
}

/* -- models: the longest of kernel and hops; the paper's sum without overlap -- */

static double model_on(const struct point *p)
{
	return fmax(p->kernel_s, fmax(bench.hop_s, bench.net_s));
}

static double model_phases(const struct point *p)
{
	return p->kernel_s + bench.hop_s + bench.net_s;
}

/* -- what is told -- */

static void print_head(void)
{
	printf("P-I-I-C on two hosts, %s driver, %s: tokens of %zu bytes; a copy %.3f ms, the network %.3f "
	       "ms; ms a "
	       "token, medians of %u rounds of %llu tokens\n",
		bench.driver, bench.real ? "a real network" : "a modelled link", bench.piic.bytes,
		bench.hop_s * 1e3, bench.net_s * 1e3, bench.rounds, (unsigned long long)bench.piic.tokens);
	printf("%7s %8s | %8s %8s %8s %8s %6s | %8s %8s | %8s %8s | %5s %5s\n", "nb_loop", "kernel", "on",
		"model", "planned", "by hand", "/ on", "off", "planned", "phases", "model", "S", "model");
}

static void print_point(const struct point *p)
{
	const double *f = p->figures;

	printf("%7u %8.3f | %8.3f %8.3f %8.3f %8.3f %6.3f | %8.3f %8.3f | %8.3f %8.3f | %5.2f %5.2f\n",
		p->loops, p->kernel_s * 1e3, f[ON] * 1e3, model_on(p) * 1e3, p->on.simulated * 1e3,
		f[BY_HAND] * 1e3, p->against, f[OFF] * 1e3, p->off.simulated * 1e3, f[PHASES] * 1e3,
		model_phases(p) * 1e3, f[PHASES] / f[ON], model_phases(p) / model_on(p));
	fflush(stdout);
}

static void print_plan(const char *name, const struct piic_planned *p, const uint64_t taken[RANKS])
{
	printf("%-4s MB a place:", name);
	for (unsigned i = 0; i < p->places; i++)
		printf(" %s %.1f", p->place[i], (double)p->place_bytes[i] * 1e-6);
	printf("; FIFOs took %.1f and %.1f on the hosts; first tokens in the cycles", (double)taken[0] * 1e-6,
		(double)taken[1] * 1e-6);
	for (unsigned i = 0; i < PIIC_ACTORS; i++)
		printf(" %s %llu", p->names[i], (unsigned long long)p->latency[i]);
	printf("\n");
}

/* What the numbers are of. */
static void print_summary(void)
{
	double worst = 0, least = 0;

	for (unsigned i = 0; i < bench.count; i++) {
		const struct point *p = &bench.points[i];
		double off = fabs(p->figures[ON] / model_on(p) - 1);

		worst = fmax(worst, off);
		least = i && least < p->against ? least : p->against;
	}
	printf("on against its model: %.1f %% away at most; by hand / on: %.3f at least\n", worst * 100,
		least);
}

static void write_plan(
	FILE *file, const char *name, const struct piic_planned *p, const uint64_t taken[RANKS])
{
	fprintf(file, "\"%s\": {\"latency\": {", name);
	for (unsigned i = 0; i < PIIC_ACTORS; i++)
		fprintf(file, "%s\"%s\": %llu", i ? ", " : "", p->names[i],
			(unsigned long long)p->latency[i]);
	fprintf(file, "}, \"memory\": {");
	for (unsigned i = 0; i < p->places; i++)
		fprintf(file, "%s\"%s\": %llu", i ? ", " : "", p->place[i],
			(unsigned long long)p->place_bytes[i]);
	fprintf(file, "}, \"taken\": [%llu, %llu]}", (unsigned long long)taken[0],
		(unsigned long long)taken[1]);
}

static void write_point(FILE *file, const struct point *p)
{
	fprintf(file, "\t\t{\"nb_loop\": %u, \"kernel_s\": %.9g, \"hop_s\": %.9g, \"net_s\": %.9g", p->loops,
		p->kernel_s, bench.hop_s, bench.net_s);
	for (unsigned k = 0; k < FIGURES; k++)
		fprintf(file, ", \"%s\": %.9g", figure_names[k], p->figures[k]);
	fprintf(file,
		", \"by_hand_over_on\": %.9g, \"model_on_s\": %.9g, \"model_phases_s\": %.9g, "
		"\"planned_on_s\": %.9g, \"planned_off_s\": %.9g}",
		p->against, model_on(p), model_phases(p), p->on.simulated, p->off.simulated);
}

static void write_json(FILE *file)
{
	fprintf(file,
		"{\n\t\"figure\": 15, \"hosts\": 2, \"driver\": \"%s\", \"network\": \"%s\", \"bytes\": %zu, "
		"\"tokens\": %llu, \"rounds\": %u,\n\t\"plan\": {",
		bench.driver, bench.real ? "real" : "modelled", bench.piic.bytes,
		(unsigned long long)bench.piic.tokens, bench.rounds);
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
	if (!file)
		fail("cannot write '%s'", bench.json);
	write_json(file);
	if (fclose(file))
		fail("cannot write '%s'", bench.json);
}

/* -- options -- */

static const char help[] =
	"Usage: mpirun -n 2 piic_hosts [OPTION]...\n"
	"  -d DRIVER   timed: a driver whose transfers and kernels take time by the clock; gpu: the\n"
	"              first GPU of each host (timed)\n"
	"  -w          the network is a real one, as it is measured; else a model, of ranks on one machine\n"
	"  -b BYTES    of a token, a multiple of 4 (16000000)\n"
	"  -l LOOPS    nb_loop of the points, with commas (0,40,80,120,160,200,240,320,400)\n"
	"  -a SECONDS  timed: what a round of the loop takes (so that 120 take as long as the network)\n"
	"  -r RATE     timed: bytes/s of a copy to or from a device (1e9)\n"
	"  -t SECONDS  timed: latency of such a copy (1e-5)\n"
	"  -R RATE     of the modelled network (0.52e9: as in the paper 2.6 to 5)\n"
	"  -T SECONDS  latency of the modelled network (1e-5)\n"
	"  -n ROUNDS   in which everything is run in turn (3)\n"
	"  -f TOKENS   of a run, of which the first third is not timed (60)\n"
	"  -q          brief: one round, 18 tokens of 400000 bytes at a tenth of the rates, nb_loop 0, 120, "
	"400\n"
	"  -j FILE     the figures as JSON\n"
	"  -h          this\n"
	"\n"
	"Columns, ms a token: on, off: the library as planned, with overlap and without. By hand: the "
	"paper's\n"
	"runtime with overlap, and its time over the library's; phases: without. Planned: the period that "
	"the\n"
	"plan simulates. S: phases / on.\n";

static void refuse(const char *what)
{
	fprintf(stderr, "piic_hosts: %s\n%s", what, help);
	exit(2);
}

static void be_brief(void)
{
	static const unsigned loops[] = { 0, AT_NET, 400 };

	memcpy(bench.loops, loops, sizeof loops);
	bench.count = 3;
	bench.rounds = 1;
	bench.piic.bytes = 400000;
	bench.piic.rate /= 10;
	bench.piic.net_rate /= 10;
	bench.piic.tokens = 18;
	bench.piic.first = 6;
}

static bool set_number(int c, const char *text)
{
	uint64_t whole;

	switch (c) {
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
	case 'R':
		return number_real(text, 1, 1e18, &bench.piic.net_rate);
	case 'T':
		return number_real(text, 0, 10, &bench.piic.net_latency);
	default:
		return number_unsigned(text, 1, ROUNDS, &bench.rounds);
	}
}

static void parse(int argc, char **argv)
{
	for (int c; (c = getopt(argc, argv, "d:wb:l:a:r:t:R:T:n:f:qj:h")) != -1;) {
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
		else if (c == 'w')
			bench.real = true;
		else if (c == 'q')
			be_brief();
		else if (!set_number(c, optarg))
			refuse("not a number of this option");
	}
	if (optind < argc)
		refuse("there are only options");
	if (!is_timed() && strcmp(bench.driver, "gpu") != 0)
		refuse("-d is timed or gpu");
}

static void run(void)
{
	open_device();
	open_network();
	measure_parts();
	if (is_first())
		probe_print("before");
	for (unsigned i = 0; i < bench.count; i++) {
		bench.points[i].loops = bench.loops[i];
		slow_link_meet();
		measure_point(&bench.points[i]);
		if (is_first() && i == 0)
			print_head();
		if (is_first())
			print_point(&bench.points[i]);
	}
	if (is_first()) {
		probe_print("after");
		print_summary();
		print_plan("on", &bench.points[0].on, bench.taken[ON]);
		print_plan("off", &bench.points[0].off, bench.taken[OFF]);
		save();
	}
	piic_close(&bench.devices);
	slow_link_meet();
	if (bench.real) { /* over TCP MPI_Finalize() of MPICH 4.0 mostly hangs when one rank is later than the other */
		fflush(stdout);
		_exit(0);
	}
	if (bench.link)
		slow_transport_free(bench.transport);
	slow_link_free(bench.link);
}

int main(int argc, char **argv)
{
	char text[512] = "";
	int status = 0;

	parse(argc, argv);
	/* before MPI begins, which looks for OpenCL devices, too */
	if (is_timed() && !piic_timed_start(&bench.piic, 1)) {
		fprintf(stderr, "piic_hosts: the tests' driver does not start\n");
		return 1;
	}
	bench.mpi = pstk_mpi_transport(text, sizeof text);
	if (!bench.mpi) {
		fprintf(stderr, "piic_hosts: %s\n", text);
		return 1;
	}
	if (bench.mpi->ranks == RANKS) {
		run();
	} else {
		fprintf(stderr, "piic_hosts: %u processes, it takes two: mpirun -n 2 piic_hosts\n",
			bench.mpi->ranks);
		status = 2;
	}
	pstk_mpi_transport_free(bench.mpi);
	return status;
}
