/* SPDX-License-Identifier: MIT */
/*
 * Two actors at two hosts: each process builds the whole network, and runs the actors of its own host.
 *
 * To build it, and to run it as two processes:
 *
 *	cc hosts.c -o hosts $(pkg-config --cflags --libs penstock penstock-mpi)
 *	mpirun -n 2 ./hosts
 */
#include <penstock/hosts.h>
#include <penstock/mpi.h>
#include <penstock/penstock.h>
#include <penstock/plan.h>

#include <inttypes.h>
#include <stdio.h>

enum { NUMBERS = 10 };

static int count_fire(struct pstk_firing *f)
{
	uint32_t *next = pstk_actor_state(pstk_firing_actor(f)), *out = pstk_fifo_write_start(f, 0);

	*out = ++*next;
	pstk_fifo_write_end(f, 0);
	return *next < NUMBERS ? PSTK_AGAIN : PSTK_DONE;
}

static int print_fire(struct pstk_firing *f)
{
	const uint32_t *in = pstk_fifo_read_start(f, 0);

	printf("%" PRIu32 "\n", *in);
	pstk_fifo_read_end(f, 0);
	return PSTK_AGAIN;
}

static const struct pstk_port out = { .name = "out", .kind = PSTK_OUTPUT, .token_type = "u32" };
static const struct pstk_port in = { .name = "in", .kind = PSTK_INPUT, .token_type = "u32" };

/* The network, on a machine of two hosts. What is wrong is kept until its start says it. */
static void build(struct pstk_network *net, struct pstk_machine *machine)
{
	struct pstk_actor *count = pstk_network_add(net, "count",
		PSTK_ACTOR_TYPE(.name = "counter", .ports = &out, .port_count = 1,
			.state_size = sizeof(uint32_t), .fire = count_fire),
		NULL);
	struct pstk_actor *print = pstk_network_add(net, "print",
		PSTK_ACTOR_TYPE(.name = "printer", .ports = &in, .port_count = 1, .fire = print_fire), NULL);

	pstk_connect(count, "out", print, "in", PSTK_FIFO(.rate = 1));
	pstk_machine_add_host(machine, "c0", 1, 0);
	pstk_machine_add_host(machine, "c1", 1, 0);
	pstk_machine_add_link(
		machine, &(struct pstk_link){ .a = "c0", .b = "c1", .kind = PSTK_LINK_NET, .rate = 1e9 });
	pstk_actor_place(count, "c0");
	pstk_actor_place(print, "c1");
}

/* Its places and buffers. false: said. */
static bool plan(struct pstk_network *net, struct pstk_machine *machine)
{
	struct pstk_plan *plan = pstk_plan_create(net, machine, NULL);
	bool good = !pstk_plan_result(plan);

	if (good)
		pstk_plan_apply(net, plan);
	else
		fprintf(stderr, "hosts: %s\n", plan ? pstk_plan_error(plan) : "out of memory");
	pstk_plan_destroy(plan);
	return good;
}

int main(void)
{
	struct pstk_network *net = pstk_network_create("two hosts");
	struct pstk_machine *machine = pstk_machine_create();
	char text[256];
	struct pstk_transport *transport = pstk_mpi_transport(text, sizeof text);
	int err = -1;

	if (!transport) {
		fprintf(stderr, "hosts: %s\n", text);
		return 1;
	}
	build(net, machine);
	pstk_network_set_hosts(net, transport, NULL);
	if (plan(net, machine))
		err = pstk_network_run(net);
	if (err && pstk_network_error(net)[0])
		fprintf(stderr, "hosts: rank %" PRIu32 ": %s\n", transport->rank, pstk_network_error(net));
	pstk_machine_destroy(machine);
	pstk_network_destroy(net);
	pstk_mpi_transport_free(transport);
	return err != 0;
}
