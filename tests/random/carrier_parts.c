/* SPDX-License-Identifier: MIT */
/* Networks, each cut at random into two to four that run side by side: parts of hosts. A courier of the tests carries
 * windows between them, or they are ranks that the library joins. */
#include "lib/plan/parts.h"
#include "tests/random/carrier.h"
#include "tests/random/carrier_parts.h"
#include "tests/random/moves_hosts.h"
#include "tests/random/run_actor.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

struct courier carrier_courier;
struct crew carrier_crew;
bool carrier_joined, carrier_joins_none, carrier_moves;
static struct net_built built[COURIER_PARTS];
static unsigned hosts[NET_ACTORS];
static uint64_t channels, windows, joined;

static void join(const struct net *net)
{
	carrier_crew = (struct crew){ .count = carrier_courier.count,
		.seed = net->seed,
		.delay = (uint32_t)(net->seed % 9),
		.chained = net->seed / 4 % 2 };
	for (unsigned i = 0; i < carrier_crew.count; i++)
		carrier_crew.ranks[i] = carrier_courier.parts[i];
	crew_join(&carrier_crew);
	joined++;
}

static void cut(struct run *run)
{
	const struct net *net = run->net;
	struct test_rng rng = { net->seed };

	carrier_courier =
		(struct courier){ .count = test_between(&rng, 2, COURIER_PARTS), .seed = net->seed };
	net_random_hosts(net, hosts, carrier_courier.count, &rng);
	built[0] = run->built;
	for (unsigned i = 0; i < carrier_courier.count; i++) {
		if (i)
			run_build(run, &built[i]);
		carrier_courier.parts[i] = built[i].network;
		for (unsigned a = 0; a < net->actor_count; a++)
			if (ps_parts_place(built[i].actors[a], hosts[a]))
				run_say(run, "%s cannot be placed", net->actors[a].name);
		if (i && net->seed % 2)
			pstk_network_set_latency(built[i].network, 1);
	}
	carrier_joined = carrier_moves || (!carrier_joins_none && net->seed / 2 % 2);
	if (carrier_joined)
		join(net);
	if (carrier_moves)
		moves_hosts_prepare(run, &carrier_crew);
	if (!carrier_joined)
		courier_name(&carrier_courier);
	for (unsigned a = 0; a < net->actor_count; a++)
		run->built.actors[a] = built[hosts[a]].actors[a];
	for (unsigned f = 0; f < net->fifo_count; f++)
		run->built.fifos[f] = built[hosts[net->fifos[f].dst]].fifos[f];
}

/* All ranks end alike, and say the same. */
static int run_joined(struct run *run)
{
	const char *said;
	int err;

	if (carrier_moves)
		moves_hosts_begin();
	err = crew_run(&carrier_crew);
	if (carrier_moves)
		moves_hosts_end();
	said = pstk_network_error(carrier_crew.ranks[0]);
	for (unsigned i = 0; i < carrier_crew.count; i++) {
		const char *says = pstk_network_error(carrier_crew.ranks[i]);

		if (carrier_crew.results[i] != err || (err && strcmp(says, said) != 0))
			run_say(run, "rank %u: %d: %s; rank 0: %d: %s", i, carrier_crew.results[i], says, err,
				said);
	}
	return err;
}

static int run_parts(struct run *run)
{
	int err;

	if (carrier_joined)
		return run_joined(run);
	err = courier_run(&carrier_courier);
	for (unsigned i = 0; i < carrier_courier.count; i++)
		if (carrier_courier.results[i] && carrier_courier.results[i] == err)
			run_say(run, "part %u: %s", i, pstk_network_error(carrier_courier.parts[i]));
	channels += carrier_courier.channels;
	windows += carrier_courier.windows;
	return err;
}

static void destroy(struct run *run)
{
	(void)run;
	if (carrier_joined)
		crew_free(&carrier_crew);
	for (unsigned i = 0; i < carrier_courier.count && !carrier_joined; i++)
		pstk_network_destroy(carrier_courier.parts[i]);
}

const struct run_exchange carrier_cut = { .exchange = cut, .destroy = destroy, .run = run_parts };

static bool open_parts(unsigned way, const char *const **devices, unsigned *count)
{
	(void)way;
	*devices = NULL;
	*count = 0;
	run_exchange = &carrier_cut;
	return true;
}

static const char *name(unsigned way)
{
	static char text[100];

	(void)way;
	if (carrier_moves)
		snprintf(text, sizeof text,
			"%" PRIu64 " networks joined, %" PRIu64 " moves, %" PRIu64 " cancelled", joined,
			moves_hosts_done, moves_hosts_cancelled);
	else
		snprintf(text, sizeof text,
			"%" PRIu64 " channels, %" PRIu64 " windows, %" PRIu64 " networks joined", channels,
			windows, joined);
	return text;
}

const struct carrier carrier_parts = { .ways = 1, .open = open_parts, .name = name };
