/* SPDX-License-Identifier: MIT */
/*
 * A stream of windows from rank 0 to rank 1 of a network, each token of which is checked, in order: mpirun -n 2
 * mpi_windows BYTES WINDOWS DEPTH. Tokens of 4 bytes: what each is follows from the window and its place.
 */
#include "tests/common/common.h"

#include <penstock/hosts.h>
#include <penstock/mpi.h>
#include <penstock/penstock.h>
#include <penstock/plan.h>

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { WINDOWS_A_GUARD = 10000 };

static uint32_t rate; /* tokens */
static uint64_t windows, written, seen;

/* The guard is for so many windows, not for all. */
static uint32_t begin(struct pstk_firing *f, uint64_t window)
{
	if (window % WINDOWS_A_GUARD == 0)
		test_guard(pstk_actor_name(pstk_firing_actor(f)), window);
	return (uint32_t)test_mix(window);
}

static int produce(struct pstk_firing *f)
{
	uint32_t token = begin(f, written), *out = pstk_fifo_write_start(f, 0);

	for (uint32_t i = 0; i < rate; i++)
		out[i] = token + i;
	pstk_fifo_write_end(f, 0);
	return ++written < windows ? PSTK_AGAIN : PSTK_DONE;
}

static int consume(struct pstk_firing *f)
{
	uint32_t token = begin(f, seen);
	const uint32_t *in = pstk_fifo_read_start(f, 0);

	if (pstk_port_valid(f, 0) != rate)
		return pstk_actor_error(pstk_firing_actor(f), -EPROTO, "window %llu has %u tokens",
			(unsigned long long)seen, pstk_port_valid(f, 0));
	for (uint32_t i = 0; i < rate; i++)
		if (in[i] != token + i)
			return pstk_actor_error(pstk_firing_actor(f), -EPROTO,
				"token %u of window %llu is %u, not %u", i, (unsigned long long)seen, in[i],
				token + i);
	pstk_fifo_read_end(f, 0);
	seen++;
	return PSTK_AGAIN;
}

static struct pstk_network *build(uint32_t depth)
{
	static const struct pstk_port in = { .name = "in", .kind = PSTK_INPUT },
				      out = { .name = "out", .kind = PSTK_OUTPUT };
	struct pstk_network *net = pstk_network_create("windows");
	struct pstk_actor *source = pstk_network_add(net, "source",
		PSTK_ACTOR_TYPE(.name = "source", .ports = &out, .port_count = 1, .fire = produce), NULL);
	struct pstk_actor *sink = pstk_network_add(net, "sink",
		PSTK_ACTOR_TYPE(.name = "sink", .ports = &in, .port_count = 1, .fire = consume), NULL);

	pstk_connect(source, "out", sink, "in",
		PSTK_FIFO(.rate = rate, .token_size = sizeof(uint32_t), .depth = depth));
	pstk_actor_place(source, "c0");
	pstk_actor_place(sink, "c1");
	return net;
}

static int run(struct pstk_network *net, struct pstk_transport *transport)
{
	struct pstk_machine *m = pstk_machine_create();
	struct pstk_plan *plan = NULL;
	int err = pstk_network_set_hosts(net, transport, NULL);

	pstk_machine_add_host(m, "c0", 2, 0);
	pstk_machine_add_host(m, "c1", 2, 0);
	pstk_machine_add_link(m, &(const struct pstk_link){ "c0", "c1", PSTK_LINK_NET, INFINITY, 0, false });
	if (!err) {
		plan = pstk_plan_create(net, m, NULL);
		err = pstk_plan_apply(net, plan);
	}
	if (!err)
		err = pstk_network_run(net);
	if (err)
		fprintf(stderr, "rank %u: %d: %s; %s\n", transport->rank, err, pstk_network_error(net),
			pstk_network_problem(net, 0) ? pstk_network_problem(net, 0) : "");
	pstk_plan_destroy(plan);
	pstk_machine_destroy(m);
	return err;
}

/* Each rank's own side, and on rank 0 what has crossed. */
static bool is_whole(const struct pstk_network *net, uint32_t rank)
{
	struct pstk_crossing crossing = { .windows = 0 };
	uint64_t mine = rank ? seen : written;
	int count = pstk_network_crossings(net, &crossing, 1);

	if (mine != windows)
		fprintf(stderr, "rank %u: %llu windows, not %llu\n", rank, (unsigned long long)mine,
			(unsigned long long)windows);
	if (rank)
		return mine == windows;
	printf("%u bytes: %llu windows of %d FIFO have crossed\n", (unsigned)(rate * sizeof(uint32_t)),
		(unsigned long long)crossing.windows, count);
	return mine == windows && count == 1 && crossing.windows >= windows &&
	       crossing.bytes == windows * rate * sizeof(uint32_t);
}

int main(int argc, char **argv)
{
	char text[512] = "";
	struct pstk_transport *transport = pstk_mpi_transport(text, sizeof text);
	uint32_t depth = argc == 4 ? (uint32_t)strtoul(argv[3], NULL, 10) : 0;
	struct pstk_network *net;

	rate = argc == 4 ? (uint32_t)(strtoul(argv[1], NULL, 10) / sizeof(uint32_t)) : 0;
	windows = argc == 4 ? strtoull(argv[2], NULL, 10) : 0;
	if (!transport || transport->ranks != 2 || !rate || !windows) {
		fprintf(stderr, "%s\nusage: mpirun -n 2 mpi_windows BYTES WINDOWS DEPTH\n", text);
		if (transport)
			pstk_mpi_transport_free(transport);
		return 2;
	}
	net = build(depth);
	if (run(net, transport) || !is_whole(net, transport->rank))
		transport->abort(transport->self, EXIT_FAILURE);
	pstk_network_destroy(net);
	test_guard("the end of MPI", 0);
	printf("rank %u: passed\n", transport->rank);
	fflush(stdout);
	pstk_mpi_transport_free(transport);
	return 0;
}
