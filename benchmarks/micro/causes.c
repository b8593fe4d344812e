/* SPDX-License-Identifier: MIT */
/* Does pstk_network_explain() name the bottleneck, and is its gain there when its advice is followed? Networks with a
 * planted one, of each kind so many; as they are and advised, in turn. */
#include "benchmarks/common/number.h"
#include "tests/observe/planted.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

enum { WINDOWS = 400, BRIEF_WINDOWS = 100000, LARGE_WINDOWS = 60, MOST = 1000 };

static const struct {
	const char *name;
	enum pstk_cause_kind cause;
} kinds[PLANTED_KINDS] = {
	[PLANTED_SOURCE] = { "source rate", PSTK_CAUSE_SOURCE },
	[PLANTED_ACTOR] = { "slow actor", PSTK_CAUSE_ACTOR },
	[PLANTED_SERIAL] = { "serial actor", PSTK_CAUSE_SERIAL },
	[PLANTED_IMBALANCE] = { "imbalance", PSTK_CAUSE_IMBALANCE },
	[PLANTED_SWITCHING] = { "wake-ups", PSTK_CAUSE_SWITCHING },
	[PLANTED_DEPTH] = { "shallow FIFO", PSTK_CAUSE_DEPTH },
	[PLANTED_TRANSFER] = { "transfer", PSTK_CAUSE_TRANSFER },
};

static double seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Returns windows a second. */
static double run(enum planted_kind kind, unsigned seed, bool advised, struct pstk_cause *cause, bool *right)
{
	uint64_t windows = kind == PLANTED_SWITCHING  ? BRIEF_WINDOWS
	                   : kind == PLANTED_TRANSFER ? LARGE_WINDOWS
	                                              : WINDOWS;
	struct planted p;
	double begin, took;

	/* so many tokens, four a window or one */
	planted_build(&p, kind, seed, kind == PLANTED_SWITCHING && advised ? windows / 4 : windows, advised);
	if (pstk_network_set_threads(p.net, 0) || pstk_network_set_sampling(p.net, 300000)) {
		fprintf(stderr, "causes: %s\n", pstk_network_error(p.net));
		exit(1);
	}
	begin = seconds();
	if (pstk_network_run(p.net)) {
		fprintf(stderr, "causes: %s\n", pstk_network_error(p.net));
		exit(1);
	}
	took = seconds() - begin;
	pstk_network_causes(p.net, cause, 1);
	*right = cause->kind == kinds[kind].cause && (!p.culprit || cause->actor == p.culprit) &&
	         (!p.fifo || cause->fifo == p.fifo);
	if (!advised && !*right)
		printf("%s, seed %u: %s\n", kinds[kind].name, seed, cause->evidence);
	pstk_network_destroy(p.net);
	return (double)windows / took;
}

static int compare(const void *a, const void *b)
{
	return (*(const double *)a > *(const double *)b) - (*(const double *)a < *(const double *)b);
}

static double median(double *values, unsigned count)
{
	qsort(values, count, sizeof *values, compare);
	return count % 2 ? values[count / 2] : (values[count / 2 - 1] + values[count / 2]) / 2;
}

static bool measure(enum planted_kind kind, unsigned count)
{
	static double predicted[MOST], seen[MOST], shares[MOST];
	unsigned rights = 0;

	for (unsigned i = 0; i < count; i++) {
		struct pstk_cause cause, after;
		bool right, ignored;
		double before = run(kind, i + 1, false, &cause, &right);

		rights += right;
		predicted[i] = cause.gain;
		seen[i] = run(kind, i + 1, true, &after, &ignored) / before;
		shares[i] = cause.gain > 1 ? (seen[i] - 1) / (cause.gain - 1) : 1;
	}
	printf("  %-12s  %3u of %-3u  ", kinds[kind].name, rights, count);
	if (kind == PLANTED_SOURCE)
		printf("%9s  %9s  %5s\n", "-", "-", "-");
	else
		printf("%9.2f  %9.2f  %5.2f\n", median(predicted, count), median(seen, count),
			median(shares, count));
	return rights == count;
}

int main(int argc, char **argv)
{
	unsigned count = 20;
	bool right = true;
	int c;

	while ((c = getopt(argc, argv, "n:h")) != -1) {
		if (c == 'n' && number_unsigned(optarg, 1, MOST, &count))
			continue;
		fprintf(c == 'h' ? stdout : stderr,
			"usage: causes [-n NETWORKS]\n"
			"  -n N  networks of each kind, 1 to 1000 (20)\n\n"
			"Networks with a planted bottleneck: is it the first cause that "
			"pstk_network_causes() names,\n"
			"and how much of the predicted gain comes when the advice is followed? Medians.\n");
		return c == 'h' ? 0 : 2;
	}
	printf("  %-12s  %-10s  %9s  %9s  %5s\n", "bottleneck", "named first", "predicted", "seen", "share");
	for (unsigned kind = 0; kind < PLANTED_KINDS; kind++)
		if (!planted_is_here((enum planted_kind)kind))
			printf("  %-12s  no OpenCL device\n", kinds[kind].name);
		else
			right &= measure((enum planted_kind)kind, count);
	return right ? 0 : 1;
}
