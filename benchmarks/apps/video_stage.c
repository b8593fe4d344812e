/* SPDX-License-Identifier: MIT */
#include "benchmarks/apps/video_stage.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

/* Items in front of those that count: threads start, kernels are built. */
enum { WARM = 4 };

/* Where a source marks what it has written: in the head, behind what tokens have there. */
enum { MARK_AT = 56 };
static uint64_t mark = 0x5eed0fdeadbe0000; /* of the run: the memory may have been an earlier one's */

struct end {
	const struct video_port *port;
	uint64_t items, next; /* of the run; that came */
	uint64_t hash;
	struct rounds_cost *cost; /* NULL: another end tells it */
	double seconds, cpu;      /* when those that count began */
};

static double seconds_of(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* What is in the memory already stays: no stage writes to its input. */
static int give(struct pstk_firing *f)
{
	struct end *e = pstk_actor_arg(pstk_firing_actor(f));
	const struct video_port *p = e->port;
	char *to = pstk_fifo_write_start(f, 0);

	if (memcmp(to + MARK_AT, &mark, sizeof mark) != 0) {
		memcpy(to, p->tokens, p->rate * p->bytes);
		memcpy(to + MARK_AT, &mark, sizeof mark);
	}
	pstk_fifo_write_end(f, 0);
	return ++e->next == e->items ? PSTK_DONE : PSTK_AGAIN;
}

static int look(struct pstk_firing *f)
{
	struct end *e = pstk_actor_arg(pstk_firing_actor(f));
	const char *in = pstk_fifo_read_start(f, 0);

	e->next++;
	if (e->cost && e->next == WARM) {
		e->seconds = seconds_of(CLOCK_MONOTONIC);
		e->cpu = seconds_of(CLOCK_PROCESS_CPUTIME_ID);
	}
	if (e->next == e->items) {
		if (e->cost) {
			e->cost->seconds = seconds_of(CLOCK_MONOTONIC) - e->seconds;
			e->cost->cpu = seconds_of(CLOCK_PROCESS_CPUTIME_ID) - e->cpu;
		}
		e->hash = rounds_hash(in + PSTK_SIZED_HEAD, e->port->data / 64 * 64);
	}
	pstk_fifo_read_end(f, 0);
	return PSTK_AGAIN;
}

static struct pstk_actor *add_end(struct pstk_network *net, const char *name, struct end *e)
{
	static const struct pstk_port out = { .name = "out", .kind = PSTK_OUTPUT },
				      in = { .name = "in", .kind = PSTK_INPUT };
	const bool source = e->port->tokens != NULL;

	return pstk_network_add(net, name,
		PSTK_ACTOR_TYPE(.name = source ? "give" : "look", .ports = source ? &out : &in,
			.port_count = 1, .fire = source ? give : look),
		e);
}

static void join(struct pstk_network *net, struct pstk_actor *stage, struct end *e, unsigned number)
{
	const struct video_port *p = e->port;
	const struct pstk_fifo_spec *fifo = PSTK_FIFO(.rate = p->rate ? p->rate : 1, .token_size = p->bytes);
	char name[16];

	snprintf(name, sizeof name, "end%u", number);
	if (p->tokens)
		pstk_connect(add_end(net, name, e), "out", stage, p->name, fifo);
	else
		pstk_connect(stage, p->name, add_end(net, name, e), "in", fifo);
}

uint64_t video_stage_run(const void *arg, uint64_t items)
{
	const struct video_way *way = arg;
	struct pstk_network *net = pstk_network_create("stage");
	struct pstk_actor *stage = way->stage->add(net, way->stage->data);
	struct end ends[2 * VIDEO_STAGE_PORTS];
	unsigned count = 0;
	uint64_t hash = 0;

	mark++;
	for (unsigned i = 0; i < 2 * VIDEO_STAGE_PORTS; i++) {
		const struct video_port *p =
			i < VIDEO_STAGE_PORTS ? &way->stage->in[i] : &way->stage->out[i - VIDEO_STAGE_PORTS];

		if (!p->name)
			continue;
		ends[count] = (struct end){ .port = p, .items = items + WARM };
		ends[count].cost = i == VIDEO_STAGE_PORTS ? way->cost : NULL;
		join(net, stage, &ends[count], i);
		count++;
	}
	if (way->configuration)
		pstk_pipeline_add(net, "pipeline", &stage, 1,
			PSTK_PIPELINE(.configuration = way->configuration, .device = way->device,
				.cores = way->cores));
	else
		pstk_network_set_threads(net, 1);
	rounds_run_network(net);
	for (unsigned i = 0; i < count; i++)
		hash += ends[i].port->tokens ? 0 : rounds_hash_at(ends[i].hash, i);
	return hash;
}
