/* SPDX-License-Identifier: MIT */
/*
 * A Kahn actor: which input it reads next depends on what it has read.
 *
 * To build it:
 *
 *	cc merge.c -o merge $(pkg-config --cflags --libs penstock)
 */
#include <penstock/penstock.h>

/* Merges two sorted streams into one. */
static int merge_fire(struct pstk_firing *f)
{
	int a, b;
	bool has_a = pstk_fifo_read(f, 0, &a, 1) == 1, has_b = pstk_fifo_read(f, 1, &b, 1) == 1;

	while (has_a || has_b) {
		bool from_a = has_a && (!has_b || a <= b);

		if (pstk_fifo_write(f, 2, from_a ? &a : &b, 1) != 1)
			break; /* no actor reads any more */
		if (from_a)
			has_a = pstk_fifo_read(f, 0, &a, 1) == 1;
		else
			has_b = pstk_fifo_read(f, 1, &b, 1) == 1;
	}
	return PSTK_DONE;
}

/* The multiples of the argument below 20. */
static int multiples_fire(struct pstk_firing *f)
{
	const int *step = pstk_actor_arg(pstk_firing_actor(f));
	int value = *step * (int)(pstk_firing_index(f) + 1);

	*(int *)pstk_fifo_write_start(f, 0) = value;
	pstk_fifo_write_end(f, 0);
	return value + *step < 20 ? PSTK_AGAIN : PSTK_DONE;
}

static int print_fire(struct pstk_firing *f)
{
	printf("%d\n", *(const int *)pstk_fifo_read_start(f, 0));
	pstk_fifo_read_end(f, 0);
	return PSTK_AGAIN;
}

int main(void)
{
	const struct pstk_port ports[] = {
		{ .name = "a", .kind = PSTK_INPUT },
		{ .name = "b", .kind = PSTK_INPUT },
		{ .name = "out", .kind = PSTK_OUTPUT },
	};
	const struct pstk_actor_type *multiples = PSTK_ACTOR_TYPE(.name = "multiples", .ports = &ports[2],
		.port_count = 1, .fire = multiples_fire);
	int three = 3, five = 5;
	struct pstk_network *net = pstk_network_create("merge");
	struct pstk_actor *threes = pstk_network_add(net, "threes", multiples, &three);
	struct pstk_actor *fives = pstk_network_add(net, "fives", multiples, &five);
	struct pstk_actor *merge = pstk_network_add(net, "merge",
		PSTK_ACTOR_TYPE(.name = "merge", .ports = ports, .port_count = 3, .kahn = true,
			.fire = merge_fire),
		NULL);
	struct pstk_actor *print = pstk_network_add(net, "print",
		PSTK_ACTOR_TYPE(.name = "print", .ports = ports, .port_count = 1, .fire = print_fire), NULL);

	pstk_connect(threes, "out", merge, "a", PSTK_FIFO(.rate = 1, .token_size = sizeof(int)));
	pstk_connect(fives, "out", merge, "b", PSTK_FIFO(.rate = 1, .token_size = sizeof(int)));
	pstk_connect(merge, "out", print, "a", PSTK_FIFO(.rate = 1, .token_size = sizeof(int)));
	int err = pstk_network_run(net);
	if (err)
		fprintf(stderr, "%s\n", pstk_network_error(net));
	pstk_network_destroy(net);
	return err != 0;
}
