/* SPDX-License-Identifier: MIT */
/*
 * A network from a graph file, and what it finds decides the next network: where a signal begins, and the sum of what
 * lies behind that.
 *
 * To build it:
 *
 *	cc next.c -o next $(pkg-config --cflags --libs penstock-graph)
 */
#include <penstock/graph.h>

#include <errno.h>

#ifndef FILES
#define FILES "."
#endif

enum { SAMPLES = 1000, BEGIN = 400, RATE = 8 };

/* The source: zeros, and then 1, 2, 3, .. */
static int signal_fire(struct pstk_firing *f)
{
	uint32_t first = (uint32_t)pstk_firing_index(f) * RATE;
	uint32_t *out = pstk_fifo_write_start(f, 0);

	for (uint32_t i = 0; i < RATE; i++)
		out[i] = first + i < BEGIN ? 0 : first + i - BEGIN + 1;
	pstk_fifo_write_end(f, 0);
	return first + RATE < SAMPLES ? PSTK_AGAIN : PSTK_DONE;
}

struct found {
	uint32_t begin, count; /* begin: of the first sample that is not 0 */
	uint64_t sum;
};

static int find_fire(struct pstk_firing *f)
{
	struct found *found = pstk_actor_arg(pstk_firing_actor(f));
	const uint32_t *in = pstk_fifo_read_start(f, 0);

	for (uint32_t i = 0; i < pstk_port_valid(f, 0); i++) {
		found->begin += !found->sum && !in[i];
		found->sum += in[i];
		found->count++;
	}
	pstk_fifo_read_end(f, 0);
	return PSTK_AGAIN;
}

/* What the file leaves out: where the samples are from, and where they go. */
static void add_ends(struct pstk_network *net, struct found *found)
{
	static const struct pstk_port out = { .name = "out", .kind = PSTK_OUTPUT, .token_type = "u32" },
				      in = { .name = "in", .kind = PSTK_INPUT, .token_type = "u32" };
	struct pstk_actor *part = pstk_network_actor(net, 0);
	struct pstk_actor *source = pstk_network_add(net, "signal",
		PSTK_ACTOR_TYPE(.name = "signal", .ports = &out, .port_count = 1, .fire = signal_fire), NULL);
	struct pstk_actor *sink = pstk_network_add(net, "find",
		PSTK_ACTOR_TYPE(.name = "find", .ports = &in, .port_count = 1, .fire = find_fire), found);

	pstk_connect(source, "out", part, "in", PSTK_FIFO(.rate = RATE));
	pstk_connect(part, "out", sink, "in", PSTK_FIFO(.rate = RATE));
}

static int run(const char *skip, struct found *found)
{
	const char *const sets[] = { skip, NULL };
	struct pstk_graph *graph =
		pstk_graph_load(FILES "/next.yaml", PSTK_GRAPH(.sets = sets, .unfinished = true));
	struct pstk_network *net = pstk_graph_network(graph);
	int err = -EINVAL;

	*found = (struct found){ .sum = 0 };
	for (unsigned i = 0; pstk_graph_problem(graph, i); i++)
		fprintf(stderr, "%s\n", pstk_graph_problem(graph, i));
	if (net) {
		add_ends(net, found);
		err = pstk_network_run(net);
		if (err)
			fprintf(stderr, "%s\n", pstk_network_error(net));
	}
	pstk_graph_destroy(graph);
	return err;
}

int main(void)
{
	struct found found;
	char skip[32];

	if (run("skip=0", &found))
		return 1;
	printf("the signal begins at %u of %u samples\n", found.begin, found.count);
	snprintf(skip, sizeof skip, "skip=%u", found.begin);
	if (run(skip, &found))
		return 1;
	printf("behind that are %u samples, whose sum is %llu\n", found.count, (unsigned long long)found.sum);
	return 0;
}
