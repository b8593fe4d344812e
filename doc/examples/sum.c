/* SPDX-License-Identifier: MIT */
/*
 * A running sum, y[n] = x[n] + y[n-1]: a loop with one initial token, and one output with two readers.
 *
 * To build it:
 *
 *	cc sum.c -o sum $(pkg-config --cflags --libs penstock)
 */
#include <penstock/penstock.h>

static int ones_fire(struct pstk_firing *f)
{
	*(int *)pstk_fifo_write_start(f, 0) = 1;
	pstk_fifo_write_end(f, 0);
	return pstk_firing_index(f) < 4 ? PSTK_AGAIN : PSTK_DONE;
}

static int add_fire(struct pstk_firing *f)
{
	const int *x = pstk_fifo_read_start(f, 0), *before = pstk_fifo_read_start(f, 1);
	int *y = pstk_fifo_write_start(f, 2);

	*y = *x + *before;
	pstk_fifo_read_end(f, 0);
	pstk_fifo_read_end(f, 1);
	pstk_fifo_write_end(f, 2);
	return PSTK_AGAIN;
}

static int print_fire(struct pstk_firing *f)
{
	printf("%d\n", *(const int *)pstk_fifo_read_start(f, 0));
	pstk_fifo_read_end(f, 0);
	return PSTK_AGAIN;
}

int main(void)
{
	const struct pstk_port x = { .name = "x", .kind = PSTK_OUTPUT },
			       y = { .name = "y", .kind = PSTK_INPUT };
	const struct pstk_port add_ports[] = {
		{ .name = "x", .kind = PSTK_INPUT },
		{ .name = "before", .kind = PSTK_INPUT },
		{ .name = "y", .kind = PSTK_OUTPUT },
	};
	const int start = 100;
	struct pstk_network *net = pstk_network_create("sum");
	struct pstk_actor *ones = pstk_network_add(net, "ones",
		PSTK_ACTOR_TYPE(.name = "ones", .ports = &x, .port_count = 1, .fire = ones_fire), NULL);
	struct pstk_actor *add = pstk_network_add(net, "add",
		PSTK_ACTOR_TYPE(.name = "add", .ports = add_ports, .port_count = 3, .fire = add_fire), NULL);
	struct pstk_actor *print = pstk_network_add(net, "print",
		PSTK_ACTOR_TYPE(.name = "print", .ports = &y, .port_count = 1, .fire = print_fire), NULL);

	/* the output y is connected twice: each reader sees every token */
	pstk_connect(ones, "x", add, "x", PSTK_FIFO(.rate = 1, .token_size = sizeof(int)));
	pstk_connect(add, "y", print, "y", PSTK_FIFO(.rate = 1, .token_size = sizeof(int)));
	pstk_connect(add, "y", add, "before",
		PSTK_FIFO(.rate = 1, .token_size = sizeof(int), .delay = 1, .initial = &start));
	int err = pstk_network_run(net);
	if (err)
		fprintf(stderr, "%s\n", pstk_network_error(net));
	pstk_network_destroy(net);
	return err != 0;
}
