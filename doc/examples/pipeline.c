/* SPDX-License-Identifier: MIT */
/*
 * A pipeline of two stages that finds its place by itself. pipeline [SELECTOR [CONFIGURATION]]
 *
 * To build it:
 *
 *	cc pipeline.c -o pipeline $(pkg-config --cflags --libs penstock)
 */
#include <penstock/penstock.h>
#include <penstock/pipeline.h>

enum { TOKENS = 4096, ITEMS = 400 };

static const struct pstk_port ports[] = { { .name = "in", .token_type = "u32" },
	{ .name = "out", .kind = PSTK_OUTPUT, .token_type = "u32" } };

static int ramp_fire(struct pstk_firing *f)
{
	uint32_t *window = pstk_fifo_write_start(f, 0);

	for (uint32_t i = 0; i < TOKENS; i++)
		window[i] = i + (uint32_t)pstk_firing_index(f);
	pstk_fifo_write_end(f, 0);
	return pstk_firing_index(f) + 1 < ITEMS ? PSTK_AGAIN : PSTK_DONE;
}

struct windows {
	const uint32_t *in;
	uint32_t *out;
};

/* A part of a window: several threads are in here where a stage is spread over all cores. */
static void square_part(void *data, size_t from, size_t to)
{
	struct windows *w = data;

	for (size_t i = from; i < to; i++)
		w->out[i] = w->in[i] * w->in[i] + 1;
}

static int square_fire(struct pstk_firing *f)
{
	struct windows w = { pstk_fifo_read_start(f, 0), pstk_fifo_write_start(f, 1) };

	pstk_parallel_for(f, TOKENS, 0, square_part, &w);
	pstk_fifo_read_end(f, 0);
	pstk_fifo_write_end(f, 1);
	return PSTK_AGAIN;
}

/* What the device does instead of square_fire(). */
static const struct pstk_kernel kernel = { .name = "square",
	.source = "__kernel void square(__global const uint *in, __global uint *out, ulong firing)"
		  "{ size_t i = get_global_id(0); out[i] = in[i] * in[i] + 1; }" };

static int print_fire(struct pstk_firing *f)
{
	const uint32_t *window = pstk_fifo_read_start(f, 0);

	if (pstk_firing_index(f) % 100 == 0)
		printf("item %u: %u\n", (unsigned)pstk_firing_index(f), (unsigned)window[TOKENS - 1]);
	pstk_fifo_read_end(f, 0);
	return PSTK_AGAIN;
}

int main(int argc, char **argv)
{
	struct pstk_network *net = pstk_network_create("squares");
	const struct pstk_actor_type *ramp = PSTK_ACTOR_TYPE(.name = "ramp", .ports = ports + 1,
					     .port_count = 1, .fire = ramp_fire),
				     *square = PSTK_ACTOR_TYPE(.name = "square", .ports = ports,
					     .port_count = 2, .stateless = true, .fire = square_fire,
					     .kernel = &kernel),
				     *print = PSTK_ACTOR_TYPE(.name = "print", .ports = ports,
					     .port_count = 1, .fire = print_fire);
	struct pstk_actor *source = pstk_network_add(net, "source", ramp, NULL),
			  *stages[] = { pstk_network_add(net, "once", square, NULL),
				  pstk_network_add(net, "twice", square, NULL) },
			  *sink = pstk_network_add(net, "sink", print, NULL);
	struct pstk_pipeline *pipeline;
	int err;

	for (unsigned k = 0; k < 2; k++)
		pstk_actor_set_work_size(stages[k], 1, &(size_t){ TOKENS }, NULL);
	pstk_connect(source, "out", stages[0], "in", PSTK_FIFO(.rate = TOKENS));
	pstk_connect(stages[0], "out", stages[1], "in", PSTK_FIFO(.rate = TOKENS));
	pstk_connect(stages[1], "out", sink, "in", PSTK_FIFO(.rate = TOKENS));

	/* behind all connections of its stages */
	pipeline = pstk_pipeline_add(net, "squares", stages, 2,
		PSTK_PIPELINE(.device = argc > 1 ? argv[1] : NULL,
			.configuration = argc > 2 ? argv[2] : NULL));

	err = pstk_network_run(net);
	if (err)
		fprintf(stderr, "pipeline: %s\n", pstk_network_error(net));
	pstk_pipeline_print(pipeline, stderr);
	pstk_network_destroy(net);
	return err ? 1 : 0;
}
