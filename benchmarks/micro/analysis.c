/* SPDX-License-Identifier: MIT */
/*
 * Milliseconds that the analyser takes: a network of the predistortion's shape (a configuration actor whose
 * control goes to a fork and an adder by a broadcast, ten branches, each of whose four FIFOs is on for half
 * of the values), with twice the values and twice the branches to see that it is linear in both, and static
 * chains and rings. Usage: analysis [ROUNDS]
 */
#include "benchmarks/common/number.h"
#include "apps/common/probe.h"
#include "penstock/penstock.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { MOST_BRANCHES = 40, MOST_ROUNDS = 10001 };

static int fire(struct pstk_firing *f)
{
	(void)f;
	return PSTK_DONE;
}

/* Port 0 is control, then for each branch re, im; a branch is on for half of the values, each for
 * another half. */
static int control(struct pstk_firing *f, uint32_t value)
{
	const unsigned *branches = pstk_actor_arg(pstk_firing_actor(f));

	for (unsigned b = 0; b < *branches; b++) {
		bool on = (value * 2654435761u >> (b % 31)) & 1;

		pstk_port_enable(f, 1 + 2 * b, on);
		pstk_port_enable(f, 2 + 2 * b, on);
	}
	return 0;
}

static struct pstk_actor *add(struct pstk_network *net, const char *name, const struct pstk_port *ports,
	unsigned count, uint32_t values, unsigned *branches)
{
	return pstk_network_add(net, name,
		PSTK_ACTOR_TYPE(.name = name, .ports = ports, .port_count = count, .control_values = values,
			.control = branches ? control : NULL, .fire = fire),
		branches);
}

static void connect(struct pstk_actor *a, const char *out, struct pstk_actor *b, const char *in)
{
	pstk_connect(a, out, b, in, PSTK_FIFO(.rate = 1, .token_size = 4));
}

static struct pstk_network *predistortion(unsigned *branches, uint32_t values)
{
	static const struct pstk_port conf[] = { { .name = "ctl", .kind = PSTK_OUTPUT } },
				      iq_out[] = { { .name = "re", .kind = PSTK_OUTPUT },
					      { .name = "im", .kind = PSTK_OUTPUT } },
				      iq_in[] = { { .name = "re", .kind = PSTK_INPUT },
					      { .name = "im", .kind = PSTK_INPUT } },
				      fir[] = { { .name = "re", .kind = PSTK_INPUT },
					      { .name = "im", .kind = PSTK_INPUT },
					      { .name = "out_re", .kind = PSTK_OUTPUT },
					      { .name = "out_im", .kind = PSTK_OUTPUT } };
	struct pstk_port fork[3 + 2 * MOST_BRANCHES] = { { .name = "ctl", .kind = PSTK_CONTROL } },
				      adder[3 + 2 * MOST_BRANCHES] = { { .name = "ctl",
					      .kind = PSTK_CONTROL } };
	char names[2 * MOST_BRANCHES][16];
	unsigned n = 1 + 2 * *branches;
	struct pstk_network *net = pstk_network_create("predistortion");

	for (unsigned p = 0; p < 2 * *branches; p++) {
		snprintf(names[p], sizeof names[p], "%s%u", p % 2 ? "im" : "re", p / 2);
		fork[1 + p] = (struct pstk_port){ .name = names[p], .kind = PSTK_DYNAMIC_OUTPUT };
		adder[1 + p] = (struct pstk_port){ .name = names[p], .kind = PSTK_DYNAMIC_INPUT };
	}
	for (unsigned p = 0; p < 2; p++) {
		fork[n + p] = iq_in[p];
		adder[n + p] = iq_out[p];
	}
	struct pstk_actor *c = add(net, "conf", conf, 1, 0, NULL),
			  *s = add(net, "source", iq_out, 2, 0, NULL),
			  *poly = add(net, "poly", fork, n + 2, values, branches),
			  *sum = add(net, "sum", adder, n + 2, values, branches),
			  *k = add(net, "sink", iq_in, 2, 0, NULL);
	connect(c, "ctl", poly, "ctl");
	connect(c, "ctl", sum, "ctl");
	connect(s, "re", poly, "re");
	connect(s, "im", poly, "im");
	connect(sum, "re", k, "re");
	connect(sum, "im", k, "im");
	for (unsigned b = 0; b < *branches; b++) {
		char name[16];

		snprintf(name, sizeof name, "f%u", b);
		struct pstk_actor *f = add(net, name, fir, 4, 0, NULL);
		connect(poly, names[2 * b], f, "re");
		connect(poly, names[2 * b + 1], f, "im");
		connect(f, "out_re", sum, names[2 * b]);
		connect(f, "out_im", sum, names[2 * b + 1]);
	}
	return net;
}

static struct pstk_network *chain(unsigned length, bool ring)
{
	static const struct pstk_port ports[] = { { .name = "in", .kind = PSTK_INPUT },
		{ .name = "out", .kind = PSTK_OUTPUT } };
	struct pstk_network *net = pstk_network_create("chain");
	struct pstk_actor *first = NULL, *last = NULL;

	for (unsigned i = 0; i < length; i++) {
		char name[16];

		snprintf(name, sizeof name, "a%u", i);
		struct pstk_actor *a = add(
			net, name, ports + (!ring && !i), 2 - (!ring && (!i || i + 1 == length)), 0, NULL);
		if (last)
			connect(last, "out", a, "in");
		else
			first = a;
		last = a;
	}
	if (ring)
		pstk_connect(last, "out", first, "in", PSTK_FIFO(.rate = 1, .delay = 1, .token_size = 4));
	return net;
}

static void connect_rates(struct pstk_actor *a, const char *out, struct pstk_actor *b, const char *in,
	uint32_t write, uint32_t read)
{
	pstk_connect(a, out, b, in, PSTK_FIFO(.write_rate = write, .read_rate = read, .token_size = 4));
}

/* Each actor reads what an earlier one writes; rates from 1 to 3. */
static struct pstk_network *tree(unsigned actors)
{
	static const struct pstk_port ports[] = { { .name = "in", .kind = PSTK_INPUT },
		{ .name = "out", .kind = PSTK_OUTPUT } };
	struct pstk_network *net = pstk_network_create("tree");
	struct pstk_actor **all = calloc(actors, sizeof(*all));
	bool *writes = calloc(actors, 1);
	unsigned *from = calloc(actors, sizeof *from);
	uint32_t x = 1;

	if (!all || !writes || !from)
		exit(1);
	for (unsigned i = 1; i < actors; i++) {
		x = x * 1664525u + 1013904223u;
		from[i] = (x >> 8) % (i < 40 ? i : 40) + (i < 40 ? 0 : i - 40);
		writes[from[i]] = true;
	}
	for (unsigned i = 0; i < actors; i++) {
		char name[16];

		snprintf(name, sizeof name, "a%u", i);
		all[i] = add(net, name, ports + !i, (i > 0) + writes[i], 0, NULL);
		/* a broadcast has one write rate; over a few hundred levels others would not fit into 63 bits */
		if (i)
			connect_rates(all[from[i]], "out", all[i], "in", 1 + from[i] % 3,
				i % 16 ? 1 + from[i] % 3 : 1 + i % 3);
	}
	free(all);
	free(writes);
	free(from);
	return net;
}

/* Two FIFOs side by side, whose rates have no common divisor: in an iteration their actors take turns about so
 * often. */
static struct pstk_network *uneven(uint32_t write, uint32_t read)
{
	static const struct pstk_port out[] = { { .name = "x", .kind = PSTK_OUTPUT },
		{ .name = "y", .kind = PSTK_OUTPUT } },
				      in[] = { { .name = "x", .kind = PSTK_INPUT },
					      { .name = "y", .kind = PSTK_INPUT } };
	struct pstk_network *net = pstk_network_create("uneven");
	struct pstk_actor *a = add(net, "a", out, 2, 0, NULL), *b = add(net, "b", in, 2, 0, NULL);

	connect_rates(a, "x", b, "x", write, read);
	connect_rates(a, "y", b, "y", write, read);
	return net;
}

static double now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e3 + (double)t.tv_nsec * 1e-6;
}

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* The median of some checks; the network is gone afterwards. */
static double measure(struct pstk_network *net, const char *name, size_t rounds, double reference)
{
	static double ms[MOST_ROUNDS];
	struct pstk_verdict *v = PSTK_VERDICT();

	for (size_t i = 0; i < rounds; i++) {
		double begin = now_ms();
		int result = pstk_network_check(net, NULL, v);

		ms[i] = now_ms() - begin;
		if (result) {
			fprintf(stderr, "%s: %s\n", name, v->reason);
			exit(1);
		}
	}
	qsort(ms, rounds, sizeof *ms, compare);
	printf("%-36s %7u %9u %10.3f", name, pstk_network_actor_count(net), pstk_network_fifo_count(net),
		ms[rounds / 2]);
	if (reference > 0)
		printf(" %8.2f", ms[rounds / 2] / reference);
	putchar('\n');
	pstk_network_destroy(net);
	return ms[rounds / 2];
}

int main(int argc, char **argv)
{
	unsigned rounds = 101;
	unsigned ten = 10, twenty = 20, forty = 40;
	double one, chained, ringed;

	if (argc == 2 && (!strcmp(argv[1], "-h") || !strcmp(argv[1], "--help"))) {
		printf("usage: %s [ROUNDS], up to %d (101)\n\n"
		       "What pstk_network_check() takes. Columns: ms, milliseconds, the median; x, times as "
		       "long as the\n"
		       "network above that it is twice or four times as large as: about 2 or 4 where time is "
		       "linear.\n",
			argv[0], MOST_ROUNDS);
		return 0;
	}
	if (argc > 2 || (argc > 1 && !number_unsigned(argv[1], 1, MOST_ROUNDS, &rounds))) {
		fprintf(stderr, "usage: %s [ROUNDS], up to %d\n", argv[0], MOST_ROUNDS);
		return 2;
	}
	probe_print("before");
	printf("median of %u\n%-36s %7s %9s %10s %8s\n", rounds, "network", "actors", "FIFOs", "ms", "x");
	one = measure(predistortion(&ten, 1024), "predistortion, 1024 values", rounds, 0);
	measure(predistortion(&ten, 2048), "  twice the values", rounds, one);
	measure(predistortion(&ten, 4096), "  four times the values", rounds, one);
	measure(predistortion(&twenty, 1024), "  twice the branches", rounds, one);
	measure(predistortion(&forty, 1024), "  four times the branches", rounds, one);
	chained = measure(chain(10000, false), "static chain", rounds, 0);
	measure(chain(20000, false), "  twice as long", rounds, chained);
	ringed = measure(chain(10000, true), "static ring", rounds, 0);
	measure(chain(20000, true), "  twice as long", rounds, ringed);
	chained = measure(tree(1000), "tree of several rates", rounds, 0);
	measure(tree(2000), "  twice the actors", rounds, chained);
	one = measure(uneven(500009, 499979), "a part of 999,988 firings", rounds, 0);
	measure(uneven(1000003, 999983), "  twice the firings", rounds, one);
	probe_print("after");
	return 0;
}
