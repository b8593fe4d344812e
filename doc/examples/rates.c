/* SPDX-License-Identifier: MIT */
/*
 * A counter writes four numbers in a firing, an averager reads three of them: two rates at the two ends of a FIFO.
 *
 * To build it:
 *
 *	cc rates.c -o rates $(pkg-config --cflags --libs penstock)
 */
#include <penstock/penstock.h>

static int count_fire(struct pstk_firing *f)
{
	int *out = pstk_fifo_write_start(f, 0);
	int first = 4 * (int)pstk_firing_index(f);

	for (int i = 0; i < 4; i++)
		out[i] = first + i;
	pstk_fifo_write_end(f, 0);
	return pstk_firing_index(f) < 4 ? PSTK_AGAIN : PSTK_DONE;
}

/* The mean of three numbers, of the last ones perhaps of fewer. */
static int mean_fire(struct pstk_firing *f)
{
	const int *in = pstk_fifo_read_start(f, 0);
	int *out = pstk_fifo_write_start(f, 1), sum = 0;
	int count = (int)pstk_port_valid(f, 0);

	for (int i = 0; i < count; i++)
		sum += in[i];
	*out = sum / count;
	pstk_fifo_read_end(f, 0);
	pstk_fifo_write_end(f, 1);
	return PSTK_AGAIN;
}

static int print_fire(struct pstk_firing *f)
{
	const int *in = pstk_fifo_read_start(f, 0);

	for (unsigned i = 0; i < pstk_port_valid(f, 0); i++)
		printf("%d%s", in[i], i + 1 < pstk_port_valid(f, 0) ? " " : "\n");
	pstk_fifo_read_end(f, 0);
	return PSTK_AGAIN;
}

int main(void)
{
	const struct pstk_port x = { .name = "x", .kind = PSTK_OUTPUT },
			       y = { .name = "y", .kind = PSTK_INPUT };
	const struct pstk_port both[] = { { .name = "x", .kind = PSTK_INPUT },
		{ .name = "y", .kind = PSTK_OUTPUT } };
	struct pstk_network *net = pstk_network_create("rates");
	struct pstk_actor *count = pstk_network_add(net, "count",
		PSTK_ACTOR_TYPE(.name = "count", .ports = &x, .port_count = 1, .fire = count_fire), NULL);
	struct pstk_actor *mean = pstk_network_add(net, "mean",
		PSTK_ACTOR_TYPE(.name = "mean", .ports = both, .port_count = 2, .fire = mean_fire), NULL);
	struct pstk_actor *print = pstk_network_add(net, "print",
		PSTK_ACTOR_TYPE(.name = "print", .ports = &y, .port_count = 1, .fire = print_fire), NULL);

	/* count fires 3 times for 4 firings of mean, and for 2 of print */
	pstk_connect(
		count, "x", mean, "x", PSTK_FIFO(.write_rate = 4, .read_rate = 3, .token_size = sizeof(int)));
	pstk_connect(
		mean, "y", print, "y", PSTK_FIFO(.write_rate = 1, .read_rate = 2, .token_size = sizeof(int)));
	int err = pstk_network_run(net);
	if (err)
		fprintf(stderr, "%s\n", pstk_network_error(net));
	pstk_network_destroy(net);
	return err != 0;
}
