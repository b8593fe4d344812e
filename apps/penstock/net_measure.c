/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "apps/penstock/net_measure.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static const unsigned at_once[NET_COUNTS] = { 1, 2, 6 };

/* Of each measurement the best one counts. Messages grow until one takes so long. */
enum { TIMES = 3, PINGS = 200, FIRST_BYTES = 1 << 16, GROWS = 4 };
#define LONG_ENOUGH 0.05

/* Two ranks, of which `a` has the clock. The others only keep step, round by round. */
struct pair {
	struct talk *talk;
	unsigned rank, ranks, a, b;
	uint64_t bytes;
	uint8_t *sent, *got; /* a message; TALK_BULK of them */
	uint64_t most;       /* bytes of a message in these */
	uint8_t small[4][8];
	double *told; /* of each rank */
};

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* All ranks learn what a has measured. Receives that were posted before it are there after it. */
static int share(const struct pair *p, double mine, double *value)
{
	int err = talk_round(p->talk, &mine, sizeof mine, p->told);

	if (!err && value)
		*value = p->told[p->a];
	return err;
}

static int receive(struct pair *p, unsigned from, unsigned count)
{
	int err = 0;

	for (unsigned i = 0; i < count && !err; i++)
		err = talk_receive(p->talk, from, i, p->got + i * p->most, p->bytes);
	return err;
}

static int send(struct pair *p, unsigned to, unsigned count)
{
	int err = 0;

	for (unsigned i = 0; i < count && !err; i++)
		err = talk_send(p->talk, to, i, p->sent, p->bytes);
	return err;
}

/* a sends, and b says when it has all. */
static int there(struct pair *p, unsigned count, double *seconds)
{
	double begin = 0;
	int err = p->rank == p->a   ? talk_receive(p->talk, p->b, 0, p->small[0], 8)
	          : p->rank == p->b ? receive(p, p->a, count)
	                            : 0;

	err = err ? err : share(p, 0, NULL);
	if (!err && p->rank == p->a) {
		begin = now();
		err = send(p, p->b, count);
	}
	err = err ? err : talk_await(p->talk, 0);
	if (!err && p->rank == p->b) {
		err = talk_send(p->talk, p->a, 0, p->small[1], 8);
		err = err ? err : talk_await(p->talk, 0);
	}
	return err ? err : share(p, now() - begin, seconds);
}

/* a says go, b sends. */
static int back(struct pair *p, unsigned count, double *seconds)
{
	double begin = 0;
	int err = p->rank == p->a   ? receive(p, p->b, count)
	          : p->rank == p->b ? talk_receive(p->talk, p->a, 0, p->small[0], 8)
	                            : 0;

	err = err ? err : share(p, 0, NULL);
	if (!err && p->rank == p->a) {
		begin = now();
		err = talk_send(p->talk, p->b, 0, p->small[1], 8);
	}
	err = err ? err : talk_await(p->talk, 0);
	if (!err && p->rank == p->b) {
		err = send(p, p->a, count);
		err = err ? err : talk_await(p->talk, 0);
	}
	return err ? err : share(p, now() - begin, seconds);
}

/* a says go and sends, b sends, too. */
static int both(struct pair *p, double *seconds)
{
	double begin = 0;
	int err = p->rank == p->a || p->rank == p->b
	                  ? talk_receive(p->talk, p->rank == p->a ? p->b : p->a, 0,
				    p->rank == p->a ? p->got : p->small[0], p->rank == p->a ? p->bytes : 8)
	                  : 0;

	if (!err && p->rank == p->b)
		err = talk_receive(p->talk, p->a, 1, p->got, p->bytes);
	err = err ? err : share(p, 0, NULL);
	if (!err && p->rank == p->a) {
		begin = now();
		err = talk_send(p->talk, p->b, 0, p->small[1], 8);
		err = err ? err : talk_send(p->talk, p->b, 1, p->sent, p->bytes);
	}
	if (!err && p->rank == p->b) {
		err = talk_await(p->talk, 1);
		err = err ? err : send(p, p->a, 1);
	}
	err = err ? err : talk_await(p->talk, 0);
	return err ? err : share(p, now() - begin, seconds);
}

/* One way, the best of many there and back. */
static int ping(struct pair *p, double *seconds)
{
	double best = 1e9;
	unsigned other = p->rank == p->a ? p->b : p->a;
	int err = p->rank == p->b ? talk_receive(p->talk, p->a, 0, p->small[0], 8) : 0;

	err = err ? err : share(p, 0, NULL);
	for (unsigned i = 0; i < PINGS && !err && (p->rank == p->a || p->rank == p->b); i++) {
		bool first = p->rank == p->a, last = i + 1 == PINGS;
		double begin = now();

		if (!first)
			err = talk_await(p->talk, 0);
		if (!err && (first || !last))
			err = talk_receive(p->talk, other, (i + !first) % 2, p->small[(i + !first) % 2], 8);
		err = err ? err : talk_send(p->talk, other, i % 2, p->small[2 + i % 2], 8);
		if (!err && first)
			err = talk_await(p->talk, 0);
		if (now() - begin < best)
			best = now() - begin;
	}
	err = err ? err : talk_await(p->talk, 0);
	return err ? err : share(p, best / 2, seconds);
}

/* As many bytes as take long enough. */
static int choose_bytes(struct pair *p, bool exact)
{
	double seconds = 0;
	int err = 0;

	p->bytes = exact || p->most < FIRST_BYTES ? p->most : FIRST_BYTES;
	/* the first one also makes the connection */
	while (!(err = there(p, 1, &seconds)) && !(err = there(p, 1, &seconds)) && p->bytes < p->most &&
		seconds < LONG_ENOUGH)
		p->bytes = p->bytes * GROWS < p->most ? p->bytes * GROWS : p->most;
	return err;
}

static int best_rate(
	struct pair *p, int (*run)(struct pair *, unsigned, double *), unsigned count, double *rate)
{
	double seconds = 0;
	int err = 0;

	*rate = 0;
	for (unsigned i = 0; i < TIMES && !err; i++) {
		err = run(p, count, &seconds);
		if (!err && seconds > 0 && (double)(count * p->bytes) / seconds > *rate)
			*rate = (double)(count * p->bytes) / seconds;
	}
	return err;
}

static int measure_both(struct pair *p, struct net_measure *net)
{
	double slower = net->there[0] < net->back[0] ? net->there[0] : net->back[0], best = 1e9, seconds = 0;
	int err = 0;

	for (unsigned i = 0; i < TIMES && !err; i++) {
		err = both(p, &seconds);
		best = seconds < best ? seconds : best;
	}
	net->both = best * slower / (double)p->bytes;
	return err;
}

static int measure(struct pair *p, bool exact, struct net_measure *net)
{
	int err = choose_bytes(p, exact);

	*net = (struct net_measure){ .a = p->a, .b = p->b };
	for (unsigned k = 0; k < NET_COUNTS && !err; k++) {
		err = best_rate(p, there, at_once[k], &net->there[k]);
		err = err ? err : best_rate(p, back, at_once[k], &net->back[k]);
	}
	err = err ? err : measure_both(p, net);
	return err ? err : ping(p, &net->latency);
}

unsigned net_measure_pairs(unsigned ranks)
{
	return ranks * (ranks - 1) / 2;
}

static int measure_all(struct pair *p, bool exact, struct net_measure *nets)
{
	int err = 0;

	for (p->a = 0; p->a < p->ranks && !err; p->a++)
		for (p->b = p->a + 1; p->b < p->ranks && !err; p->b++)
			err = measure(p, exact, nets++);
	return err;
}

int net_measure_run(struct pstk_transport *transport, uint64_t bytes, bool exact, struct net_measure *nets)
{
	struct pair p = { .rank = transport->rank, .ranks = transport->ranks, .most = bytes };
	int err;

	p.talk = talk_open(transport, bytes, &err);
	if (!p.talk)
		return err;
	p.sent = malloc(bytes);
	p.got = malloc(TALK_BULK * bytes);
	p.told = calloc(p.ranks, sizeof *p.told);
	err = p.sent && p.got && p.told ? 0 : -ENOMEM;
	if (!err) {
		/* so that no page is missing while the clock runs */
		memset(p.sent, 1, bytes);
		memset(p.got, 1, TALK_BULK * bytes);
		err = measure_all(&p, exact, nets);
	}
	talk_close(p.talk);
	free(p.sent);
	free(p.got);
	free(p.told);
	return err;
}
