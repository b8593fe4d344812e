/* SPDX-License-Identifier: MIT */
/* A program with a loop of its own feeds a network and takes the results. */
#include <penstock/actors.h>

static int square_fire(struct pstk_firing *f)
{
	const int *in = pstk_fifo_read_start(f, 0);

	*(int *)pstk_fifo_write_start(f, 1) = *in * *in;
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

	pstk_connect(source, "out", square, "in", PSTK_FIFO(.rate = 1, .token_size = sizeof(int)));
	pstk_connect(square, "out", sink, "in", PSTK_FIFO(.rate = 1, .token_size = sizeof(int)));
	return net;
}

int main(void)
{
	struct pstk_push *push = pstk_push_create();
	struct pstk_pull *pull = pstk_pull_create();
	struct pstk_network *net = build(push, pull);
	int result, err = pstk_network_start(net);

	for (int i = 1; !err && i <= 5; i++) {
		if (pstk_push_write(push, &i, 1, PSTK_FOREVER) != 1 ||
			pstk_pull_read(pull, &result, 1, PSTK_FOREVER) != 1)
			break;
		printf("%d squared is %d\n", i, result);
	}
	pstk_push_end(push);
	pstk_pull_end(pull);
	if (!err)
		err = pstk_network_wait(net);
	if (err)
		fprintf(stderr, "%s\n", pstk_network_error(net));
	pstk_network_destroy(net);
	pstk_push_destroy(push);
	pstk_pull_destroy(pull);
	return err != 0;
}
