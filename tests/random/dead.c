/* SPDX-License-Identifier: MIT */
#include "tests/random/dead.h"

#include <errno.h>
#include <string.h>

static const struct net_switches kinds[] = {
	{ .form = NET_STATIC, .starved = true },
	{ .form = NET_STATIC, .starved = true, .rates = true },
	{ .form = NET_STATIC, .starved = true, .rates = true, .steps = true },
	{ .form = NET_SMALL, .undeclared = true, .ticks = 12, .least_team = 2, .most_team = 3 },
	{ .form = NET_DYNAMIC, .undeclared = true, .ticks = 12, .least_team = 2, .most_team = 3 },
	{ .form = NET_PAIR },
	{ .form = NET_STATIC, .proven = true },
	{ .form = NET_DYNAMIC, .proven = true, .ticks = 12 },
};

enum { DEEPER = 64 };

bool dead_make(struct net *net, uint64_t seed)
{
	return net_make_random(net, &kinds[seed % TEST_COUNT(kinds)], seed, NULL, 0) &&
	       !oracle_never_ends(net);
}

/* The deeper oracle says what is in each window. */
struct dead_foretold dead_foretell(struct run *run, const struct net *net)
{
	struct dead_foretold foretold;

	memset(run, 0, sizeof *run);
	run->net = net;
	foretold.must_end = oracle_foretell(&run->oracle, net, &net->values);
	foretold.may_end = run->ends = oracle_foretell_deeper(&run->oracle, net, &net->values, DEEPER);
	if (run->ends)
		oracle_find_bounds(&run->oracle);
	return foretold;
}

void dead_check(
	const struct run *run, struct dead_foretold foretold, const char *replay, int err, const char *error)
{
	ck_assert_msg(err == 0 || err == -EDEADLK, "%s: %d: %s", replay, err, error);
	ck_assert_msg(err == 0 || !foretold.must_end, "%s: a false alarm: %s", replay, error);
	ck_assert_msg(err == -EDEADLK || foretold.may_end, "%s: it deadlocks", replay);
	ck_assert_msg(!run->message[0], "%s: %s", replay, run->message);
	ck_assert_msg(!err || (strstr(error, "deadlock: ") && strstr(error, " waits for ")), "%s: %s", replay,
		error);
}
