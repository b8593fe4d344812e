/* SPDX-License-Identifier: MIT */
/*
 * An actor with a state moves between all hosts while each token of its stream is checked: mpirun -n 3 mpi_moves
 * WINDOWS. Some moves are scripts, others are asked for by the last rank, which waits for each answer.
 */
#include "tests/common/common.h"

#include <penstock/hosts.h>
#include <penstock/mpi.h>
#include <penstock/penstock.h>
#include <penstock/plan.h>

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

enum { RATE = 16, SCRIPTS = 20 };

static uint64_t windows, written, seen;
static _Atomic uint64_t fired;
static struct pstk_actor *mover;
static uint32_t ranks;

static int produce(struct pstk_firing *f)
{
	uint64_t *out = pstk_fifo_write_start(f, 0);

	for (uint64_t i = 0; i < RATE; i++)
		out[i] = test_mix(written * RATE + i);
	pstk_fifo_write_end(f, 0);
	return ++written < windows ? PSTK_AGAIN : PSTK_DONE;
}

/* Adds what its state has summed up, of all firings at all hosts. */
static int add(struct pstk_firing *f)
{
	uint64_t *sum = pstk_actor_state(pstk_firing_actor(f)), *out = pstk_fifo_write_start(f, 1);
	const uint64_t *in = pstk_fifo_read_start(f, 0);

	for (unsigned i = 0; i < RATE; i++)
		out[i] = *sum += in[i];
	atomic_fetch_add(&fired, 1);
	pstk_fifo_read_end(f, 0);
	pstk_fifo_write_end(f, 1);
	return PSTK_AGAIN;
}

static int consume(struct pstk_firing *f)
{
	static uint64_t sum;
	const uint64_t *in = pstk_fifo_read_start(f, 0);

	for (uint64_t i = 0; i < RATE; i++)
		if (in[i] != (sum += test_mix(seen * RATE + i)))
			return pstk_actor_error(pstk_firing_actor(f), -EPROTO, "window %llu is wrong",
				(unsigned long long)seen);
	pstk_fifo_read_end(f, 0);
	seen++;
	return PSTK_AGAIN;
}

static struct pstk_network *build(void)
{
	static const struct pstk_port in = { .name = "in", .kind = PSTK_INPUT, .token_type = "u64" },
				      out = { .name = "out", .kind = PSTK_OUTPUT, .token_type = "u64" };
	const struct pstk_port both[] = { in, out };
	struct pstk_network *net = pstk_network_create("moves");
	struct pstk_actor *source = pstk_network_add(net, "source",
		PSTK_ACTOR_TYPE(.name = "source", .ports = &out, .port_count = 1, .fire = produce), NULL);
	struct pstk_actor *sink = pstk_network_add(net, "sink",
		PSTK_ACTOR_TYPE(.name = "sink", .ports = &in, .port_count = 1, .fire = consume), NULL);

	mover = pstk_network_add(net, "mover",
		PSTK_ACTOR_TYPE(.name = "adder", .ports = both, .port_count = 2,
			.state_size = sizeof(uint64_t), .portable_state = true, .fire = add),
		NULL);
	pstk_connect(source, "out", mover, "in", PSTK_FIFO(.rate = RATE));
	pstk_connect(mover, "out", sink, "in", PSTK_FIFO(.rate = RATE));
	pstk_actor_place(source, "c0");
	pstk_actor_place(mover, "c0");
	pstk_actor_place(sink, "c1");
	return net;
}

static const char *name(uint32_t rank)
{
	static char names[8][16];

	snprintf(names[rank % 8], sizeof names[0], "c%u", rank % 8);
	return names[rank % 8];
}

static int plan(struct pstk_network *net, struct pstk_transport *transport)
{
	struct pstk_machine *m = pstk_machine_create();
	struct pstk_plan *plan = NULL;
	int err = pstk_network_set_hosts(net, transport, NULL);

	for (uint32_t i = 0; i < ranks; i++)
		pstk_machine_add_host(m, name(i), 1, 0);
	for (uint32_t i = 1; i < ranks; i++)
		for (uint32_t k = 0; k < i; k++)
			pstk_machine_add_link(
				m, &(struct pstk_link){
					   .a = name(k), .b = name(i), .kind = PSTK_LINK_NET, .rate = 1e9 });
	if (!err)
		plan = pstk_plan_create(net, m, NULL);
	if (!err)
		err = plan ? pstk_plan_apply(net, plan) : -ENOMEM;
	pstk_plan_destroy(plan);
	pstk_machine_destroy(m);
	for (uint32_t i = 0; i < ranks && !err; i++)
		err = pstk_actor_may_move(mover, name(i));
	for (uint64_t i = 0; i < SCRIPTS && !err; i++)
		err = pstk_actor_migrate(mover,
			      name((uint32_t)i + 1 < ranks ? (uint32_t)i + 1 : (uint32_t)i % ranks),
			      10 * i + 3) == (int)i
		              ? 0
		              : -EINVAL;
	return err;
}

/* While it runs. Its end cancels what is open. */
static void *ask(void *data)
{
	struct pstk_network *net = data;
	unsigned *done = calloc(1, sizeof *done);
	struct pstk_move move = PSTK_MOVE();

	for (uint32_t i = 0;; i++) {
		int number = pstk_actor_migrate(mover, name(i % ranks), 0);

		if (number < 0 || pstk_network_wait_move(net, (unsigned)number, 0) ||
			pstk_network_move(net, (unsigned)number, &move))
			return done;
		*done += move.state == PSTK_MOVE_DONE;
	}
}

static int run(struct pstk_network *net, uint32_t rank)
{
	pthread_t asker;
	void *done = NULL;
	int err = pstk_network_start(net);

	if (err)
		return err;
	if (rank == ranks - 1)
		err = pthread_create(&asker, NULL, ask, net);
	if (err)
		abort();
	err = pstk_network_wait(net);
	if (rank == ranks - 1) {
		pthread_join(asker, &done);
		printf("rank %u of %u: %u moves were asked for, and made\n", rank, ranks, *(unsigned *)done);
		if (!*(unsigned *)done)
			err = err ? err : -EPROTO;
		free(done);
	}
	return err;
}

/* Scripts were obeyed, as each rank knows. */
static int check_scripts(struct pstk_network *net)
{
	struct pstk_move move = PSTK_MOVE();

	for (unsigned i = 0; i < SCRIPTS; i++)
		if (pstk_network_move(net, i, &move) == 0 &&
			(move.state != PSTK_MOVE_DONE || move.firing != 10 * i + 3)) {
			printf("script %u: state %d, firing %llu: %s\n", i, (int)move.state,
				(unsigned long long)move.firing, move.text);
			return -EPROTO;
		}
	return 0;
}

int main(int argc, char **argv)
{
	char text[256];
	struct pstk_transport *transport = pstk_mpi_transport(text, sizeof text);
	struct pstk_network *net;
	int err;

	if (argc != 2 || !transport) {
		fprintf(stderr, "mpi_moves WINDOWS: %s\n", transport ? "usage" : text);
		return 2;
	}
	windows = strtoull(argv[1], NULL, 10);
	ranks = transport->ranks;
	test_guard("mpi_moves", windows);
	net = build();
	err = plan(net, transport);
	err = err ? err : run(net, transport->rank);
	err = err ? err : check_scripts(net);
	if (err || (transport->rank == 1 && seen != windows) || !atomic_load(&fired)) {
		printf("rank %u: %d: %s; %llu windows, %llu firings here\n", transport->rank, err,
			pstk_network_error(net), (unsigned long long)seen,
			(unsigned long long)atomic_load(&fired));
		err = -1;
	} else {
		printf("rank %u: %llu firings here\n", transport->rank,
			(unsigned long long)atomic_load(&fired));
	}
	pstk_network_destroy(net);
	pstk_mpi_transport_free(transport);
	return err != 0;
}
