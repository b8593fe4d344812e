/* SPDX-License-Identifier: MIT */
/*
 * README.md shows this program from here on; its form is kept short.
 *
 * To build it:
 *
 *	cc hello.c -o hello $(pkg-config --cflags --libs penstock)
 */
/* clang-format off */
#include <penstock/penstock.h>
#include <stdio.h>

static int count_fire(struct pstk_firing *f)
{
	int *next = pstk_actor_state(pstk_firing_actor(f)), *out = pstk_fifo_write_start(f, 0);

	*out = ++*next;
	pstk_fifo_write_end(f, 0);
	return *next < 10 ? PSTK_AGAIN : PSTK_DONE;
}

static int print_fire(struct pstk_firing *f)
{
	printf("%d\n", *(const int *)pstk_fifo_read_start(f, 0));
	pstk_fifo_read_end(f, 0);
	return PSTK_AGAIN;
}

int main(void)
{
	const struct pstk_port out = { .name = "out", .kind = PSTK_OUTPUT }, in = { .name = "in", .kind = PSTK_INPUT };
	struct pstk_network *net = pstk_network_create("hello");
	struct pstk_actor *count = pstk_network_add(net, "count", PSTK_ACTOR_TYPE(.name = "counter", .ports = &out,
		.port_count = 1, .state_size = sizeof(int), .fire = count_fire), NULL);
	struct pstk_actor *print = pstk_network_add(net, "print", PSTK_ACTOR_TYPE(.name = "printer", .ports = &in,
		.port_count = 1, .fire = print_fire), NULL);

	pstk_connect(count, "out", print, "in", PSTK_FIFO(.token_size = sizeof(int), .rate = 1));
	int err = pstk_network_run(net); /* the first error of the building or of the run */
	if (err)
		fprintf(stderr, "hello: %s\n", pstk_network_error(net));
	pstk_network_destroy(net);
	return err != 0;
}
