/* SPDX-License-Identifier: MIT */
/*
 * A program with a loop of its own feeds a network and takes the results, both in one thread.
 *
 * To build it:
 *
 *	cc pushpull.c -o pushpull $(pkg-config --cflags --libs penstock-actors)
 */
#include <penstock/actors.h>

enum { VALUES = 42, RATE = 4 };

static int square_fire(struct pstk_firing *f)
{
	const int *in = pstk_fifo_read_start(f, 0);
	int *out = pstk_fifo_write_start(f, 1);

	for (uint32_t i = 0; i < pstk_port_valid(f, 0); i++)
		out[i] = in[i] * in[i];
	pstk_fifo_read_end(f, 0);
	pstk_fifo_write_end(f, 1);
	return PSTK_AGAIN;
}

static struct pstk_network *build(struct pstk_push *push, struct pstk_pull *pull)
{
	const struct pstk_port ports[] = {
		{ .name = "in", .kind = PSTK_INPUT },
		{ .name = "out", .kind = PSTK_OUTPUT },
	};
	struct pstk_network *net = pstk_network_create("squares");
	struct pstk_actor *source = pstk_push_add(net, "source", push);
	struct pstk_actor *sink = pstk_pull_add(net, "sink", pull);
	struct pstk_actor *square = pstk_network_add(net, "square",
		PSTK_ACTOR_TYPE(.name = "square", .ports = ports, .port_count = 2, .fire = square_fire),
		NULL);

	pstk_connect(source, "out", square, "in", PSTK_FIFO(.rate = RATE, .token_size = sizeof(int)));
	pstk_connect(square, "out", sink, "in", PSTK_FIFO(.rate = RATE, .token_size = sizeof(int)));
	return net;
}

/* Prints results, waiting ns for each. Returns 0 when none came in time, -EPIPE at the end. */
static int print_results(struct pstk_pull *pull, uint64_t ns)
{
	int result, got;

	while ((got = pstk_pull_read(pull, &result, 1, ns)) == 1)
		printf("%d\n", result);
	return got;
}

/* A push that found no room within a millisecond returns 0: then there are results to take, now or soon. */
static void push_and_pull(struct pstk_push *push, struct pstk_pull *pull)
{
	for (int i = 1, pushed; i <= VALUES; i += pushed) {
		pushed = pstk_push_write(push, &i, 1, 1000000);
		if (pushed < 0 || (pushed == 0 && print_results(pull, 0) < 0))
			break;
	}
	pstk_push_end(push); /* the last window goes out, full or not */
	print_results(pull, PSTK_FOREVER);
}

int main(void)
{
	struct pstk_push *push = pstk_push_create();
	struct pstk_pull *pull = pstk_pull_create();
	struct pstk_network *net = build(push, pull);
	int err = pstk_network_start(net);

	if (!err) {
		push_and_pull(push, pull);
		err = pstk_network_wait(net);
	}
	if (err)
		fprintf(stderr, "%s\n", pstk_network_error(net));
	pstk_network_destroy(net);
	pstk_push_destroy(push);
	pstk_pull_destroy(pull);
	return err != 0;
}
