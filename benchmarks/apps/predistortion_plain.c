/* SPDX-License-Identifier: MIT */
#include "benchmarks/apps/predistortion_plain.h"

#include "benchmarks/apps/hammerstein.h"
#include "benchmarks/common/number.h"
#include "benchmarks/common/rounds.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { BRANCHES = HAMMERSTEIN_BRANCHES, PERIOD = HAMMERSTEIN_PERIOD };

/* Constant while anything runs. */
static unsigned active;
static uint32_t given_block; /* 0: the fastest */

uint64_t predistortion_run_serial(const void *arg, uint64_t items)
{
	const struct predistortion_way *way = arg;

	return hammerstein_run(active, way->block, 0, items / PERIOD);
}

/* Processor time of a run by one thread in such blocks, the least of some. */
static double try_block(uint32_t block)
{
	enum { TRIES = 4, PERIODS = 4 };
	double least = 0;

	for (unsigned i = 0; i < TRIES; i++) {
		clock_t begin = clock();

		hammerstein_run(active, block, 0, PERIODS);
		double took = (double)(clock() - begin);

		least = !i || took < least ? took : least;
	}
	return least;
}

static uint32_t find_block(void)
{
	uint32_t best = 0;
	double least = 0;

	for (uint32_t block = 1024; block <= 16384; block *= 2) {
		double took = try_block(block);

		if (!best || took < least) {
			best = block;
			least = took;
		}
	}
	return best;
}

struct half {
	uint32_t block;
	uint64_t first, end, sum;
};

static void *run_half(void *arg)
{
	struct half *h = arg;

	h->sum = hammerstein_run(active, h->block, h->first, h->end);
	return NULL;
}

uint64_t predistortion_run_ideal(const void *arg, uint64_t items)
{
	const struct predistortion_way *way = arg;
	uint64_t periods = items / PERIOD;
	struct half one = { way->block, 0, periods / 2, 0 }, two = { way->block, periods / 2, periods, 0 };
	pthread_t other;

	if (pthread_create(&other, NULL, run_half, &two))
		rounds_fail("no thread");
	run_half(&one);
	pthread_join(other, NULL);
	return one.sum + two.sum;
}

struct predistortion_way predistortion_plain_way(void)
{
	return (struct predistortion_way){ .block = given_block ? given_block : find_block() };
}

/* -- the tables -- */

static const unsigned all[] = { 2, 6, 10, HAMMERSTEIN_RANDOM };
static const unsigned *only;

static bool parse_active(const char *arg)
{
	static unsigned number;

	only = &number;
	number = HAMMERSTEIN_RANDOM;
	if (!strcmp(arg, "random"))
		return true;
	return number_unsigned(arg, 1, BRANCHES, &number);
}

bool predistortion_option(int c, const char *arg)
{
	if (c == 'a')
		return parse_active(arg);
	return c == 'b' && number_unsigned(arg, 64, PERIOD, &given_block) && PERIOD % given_block == 0;
}

unsigned predistortion_active(void)
{
	return active;
}

const char *predistortion_title(void)
{
	static char title[64];

	if (active == HAMMERSTEIN_RANDOM)
		snprintf(title, sizeof title, "predistortion, random branches active");
	else
		snprintf(title, sizeof title, "predistortion, %u branches active", active);
	return title;
}

void predistortion_each(void (*f)(void *data), void *data)
{
	const unsigned count = only ? 1 : sizeof all / sizeof *all;

	for (unsigned i = 0; i < count; i++) {
		active = only ? *only : all[i];
		f(data);
	}
}
