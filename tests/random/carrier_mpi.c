/* SPDX-License-Identifier: MIT */
#include "tests/random/carrier_mpi.h"
#include "lib/plan/parts.h"
#include "lib/remote/exchange.h"
#include "tests/common/crew.h"
#include "tests/random/suite.h"

#include <penstock/hosts.h>
#include <penstock/mpi.h>

#include <inttypes.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ABOUT_RESULT = 99 }; /* of an exchange: no one of the library's */

unsigned carrier_mpi_ranks, carrier_mpi_rank;
struct carrier_mpi_event carrier_mpi_event;
static SRunner *runner;
static struct pstk_transport *transport; /* over MPI */
static struct pstk_transport counted;    /* the same, with a count of looks */
static _Atomic uint64_t looks;
static atomic_bool through;         /* the run is */
static uint64_t crossings, windows; /* rank 0's: those of all */

static int test(void *self, struct pstk_transport_done *done, uint32_t room)
{
	atomic_fetch_add_explicit(&looks, 1, memory_order_relaxed);
	return transport->test(self, done, room);
}

/*
 * A network.
 */

static void join(struct run *run)
{
	const struct net *net = run->net;
	struct test_rng rng = { net->seed };
	unsigned hosts[NET_ACTORS];

	net_random_hosts(net, hosts, carrier_mpi_ranks, &rng);
	for (unsigned a = 0; a < net->actor_count; a++) {
		if (ps_parts_place(run->built.actors[a], hosts[a]))
			run_say(run, "%s cannot be placed", net->actors[a].name);
		run->where[a] = hosts[a] == carrier_mpi_rank ? RUN_HERE
		                : carrier_mpi_rank           ? RUN_AWAY
		                                             : RUN_TOLD;
	}
	if (pstk_network_set_hosts(run->built.network, &counted, NULL))
		run_say(run, "%s", pstk_network_problem(run->built.network, 0));
	else
		crew_place_rank(run->built.network, carrier_mpi_ranks);
}

static void *await_event(void *arg)
{
	uint64_t from = atomic_load(&looks);

	while (!atomic_load(&through) && atomic_load(&looks) - from < carrier_mpi_event.looks)
		sched_yield();
	carrier_mpi_event.happened = !atomic_load(&through);
	if (carrier_mpi_event.happened)
		carrier_mpi_event.call(arg);
	return NULL;
}

/* All ranks end alike, and say the same. What was planted when the run was through nothing has heard. */
static void compare_ends(struct run *run, int err)
{
	char said[PS_TEXT_SIZE], text[PS_TEXT_SIZE];
	struct ps_exchanged all;

	snprintf(said, sizeof said, "%d: %s", err, err ? pstk_network_error(run->built.network) : "");
	if (ps_exchange_with(transport, &(struct ps_exchange_how){ .subject = ABOUT_RESULT }, said,
		    strlen(said), &all, text, sizeof text)) {
		run_say(run, "the ranks do not meet behind the run: %s", text);
		return;
	}
	for (uint32_t i = 0; i < all.ranks; i++)
		if (strcmp((const char *)all.bytes[i], said) != 0)
			run_say(run, "rank %u: %s; rank %u: %s", i, (const char *)all.bytes[i],
				carrier_mpi_rank, said);
	ps_exchanged_free(&all);
}

static void count_crossings(const struct pstk_network *network)
{
	struct pstk_crossing found[NET_FIFOS];
	int count = pstk_network_crossings(network, found, TEST_COUNT(found));

	for (int i = 0; i < count && !carrier_mpi_rank; i++)
		windows += found[i].windows;
	crossings += count > 0 && !carrier_mpi_rank ? (uint64_t)count : 0;
}

static int run_joined(struct run *run)
{
	struct pstk_network *network = run->built.network;
	pthread_t thread;
	int err;

	atomic_store(&through, false);
	carrier_mpi_event.happened = false;
	if (carrier_mpi_event.call)
		ck_assert_int_eq(pthread_create(&thread, NULL, await_event, network), 0);
	err = pstk_network_run(network);
	atomic_store(&through, true);
	if (carrier_mpi_event.call)
		pthread_join(thread, NULL);
	if (pstk_network_lost_rank(network) >= 0)
		run_say(run, "rank %d is lost: %s", pstk_network_lost_rank(network),
			pstk_network_error(network));
	compare_ends(run, err);
	count_crossings(network);
	return err;
}

static void destroy(struct run *run)
{
	pstk_network_destroy(run->built.network);
}

const struct run_exchange carrier_over_mpi = { .exchange = join, .destroy = destroy, .run = run_joined };

static bool open_ranks(unsigned way, const char *const **devices, unsigned *count)
{
	(void)way;
	*devices = NULL;
	*count = 0;
	run_exchange = &carrier_over_mpi;
	return true;
}

static const char *name(unsigned way)
{
	static char text[100];

	(void)way;
	snprintf(text, sizeof text, "rank %u of %u (%" PRIu64 " channels, %" PRIu64 " windows)",
		carrier_mpi_rank, carrier_mpi_ranks, crossings, windows);
	return text;
}

const struct carrier carrier_mpi = { .ways = 1, .open = open_ranks, .name = name };

/*
 * The process.
 */

bool carrier_mpi_begin(const char *program)
{
	static char replay[100];
	char text[512] = "";

	transport = pstk_mpi_transport(text, sizeof text);
	if (!transport) {
		fprintf(stderr, "%s: %s\n", program, text);
		return false;
	}
	carrier_mpi_ranks = transport->ranks;
	carrier_mpi_rank = transport->rank;
	if (carrier_mpi_ranks > CREW_RANKS) {
		fprintf(stderr, "%s: %u ranks: it takes %d at most\n", program, carrier_mpi_ranks,
			CREW_RANKS);
		transport->abort(transport->self, 2);
	}
	counted = *transport;
	counted.test = test;
	snprintf(replay, sizeof replay, "mpirun -n %u tests/mpi/%s # rank %u", carrier_mpi_ranks, program,
		carrier_mpi_rank);
	suite_program = replay;
	if (carrier_mpi_rank) /* all count the same rounds */
		unsetenv("PENSTOCK_TEST_COVERED");
	return true;
}

bool carrier_mpi_failed(void)
{
	return srunner_ntests_failed(runner) > 0;
}

int carrier_mpi_end(Suite *suite)
{
	int failed;

	runner = srunner_create(suite);
	srunner_set_fork_status(runner, CK_NOFORK);
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	fflush(stdout);
	if (failed) /* others wait for this rank */
		transport->abort(transport->self, EXIT_FAILURE);
	test_guard("the end of MPI", test_seed());
	printf("rank %u: passed\n", carrier_mpi_rank); /* the script looks for it */
	fflush(stdout);
	pstk_mpi_transport_free(transport);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
