/* SPDX-License-Identifier: MIT */
#include "benchmarks/apps/saliency_network.h"
#include "benchmarks/apps/saliency_deal.h"
#include "benchmarks/common/rounds.h"

#include <semaphore.h>
#include <stdlib.h>
#include <string.h>

enum { DEPTH = 2 }; /* of FIFOs of 24 maps, as the application has them on a device and for two threads */

struct run {
	const struct saliency_way *way;
	const struct saliency_frames *frames;
	struct saliency_watch watch;
	struct steps steps[2]; /* dealt: those of each place */
	double *spent[STEPS];  /* s, when each map came: of frames that go in turn */
	double begin;
	sem_t warm; /* the frames that are not timed are through */
};

/* -- ends; their last port is that of the loop, if frames go in turn -- */

static struct run *run_of(struct pstk_firing *f)
{
	return *(struct run *const *)pstk_actor_arg(pstk_firing_actor(f));
}

/* Ends one firing later, because the sink ends when nothing reads its last `go`. */
static int produce(struct pstk_firing *f)
{
	struct run *r = run_of(f);
	uint64_t k = pstk_firing_index(f);

	if (k == r->way->count)
		return PSTK_DONE;
	if (k == r->way->first) {
		while (sem_wait(&r->warm))
			;
		r->begin = saliency_now();
	}
	memcpy(pstk_fifo_write_start(f, 0), r->frames->frames + k % SALIENCY_RING * r->frames->pixels,
		r->frames->pixels);
	pstk_fifo_write_end(f, 0);
	if (r->way->in_turn) {
		pstk_fifo_read_start(f, 1);
		pstk_fifo_read_end(f, 1);
	}
	return PSTK_AGAIN;
}

static void note_spent(struct run *r, uint64_t k)
{
	for (unsigned i = 0; i < STEPS; i++) {
		struct pstk_actor_stats stats = { 0 };

		pstk_actor_get_stats(r->steps[0].actors[i], &stats);
		r->spent[i][k] = (double)stats.fire_ns * 1e-9;
	}
}

static int consume(struct pstk_firing *f)
{
	struct run *r = run_of(f);
	uint64_t k = pstk_firing_index(f);

	saliency_watch_take(&r->watch, k, pstk_fifo_read_start(f, 0));
	pstk_fifo_read_end(f, 0);
	if (k + 1 == r->way->first)
		sem_post(&r->warm);
	if (r->way->in_turn) {
		note_spent(r, k);
		memset(pstk_fifo_write_start(f, 1), 0, 1);
		pstk_fifo_write_end(f, 1);
	}
	return PSTK_AGAIN;
}

static struct pstk_actor *add_source(struct pstk_network *net, struct run *r)
{
	static const struct pstk_port ports[] = {
		{ .name = "out", .kind = PSTK_OUTPUT, .token_type = "u8", .rate = 1 },
		{ .name = "go", .token_size = 1, .rate = 1 },
	};

	return pstk_network_add(net, "source",
		PSTK_ACTOR_TYPE(.name = "source", .ports = ports, .port_count = 1U + r->way->in_turn,
			.arg_size = sizeof r, .blocks = true, .fire = produce),
		&r);
}

static struct pstk_actor *add_sink(struct pstk_network *net, struct run *r)
{
	static const struct pstk_port ports[] = {
		{ .name = "in", .token_type = "f32", .rate = 1 },
		{ .name = "go", .kind = PSTK_OUTPUT, .token_size = 1, .rate = 1 },
	};

	return pstk_network_add(net, "sink",
		PSTK_ACTOR_TYPE(.name = "sink", .ports = ports, .port_count = 1U + r->way->in_turn,
			.arg_size = sizeof r, .fire = consume),
		&r);
}

/* -- the network -- */

static void connect(
	struct pstk_actor *from, const char *out, struct pstk_actor *to, const char *in, size_t bytes)
{
	pstk_connect(from, out, to, in, PSTK_FIFO(.rate = 1, .token_size = bytes));
}

/* The seven steps at these places, between two ports. */
static void add_steps(struct pstk_network *net, const struct run *r, struct steps *steps,
	const struct places *places, struct pstk_actor *from, const char *out, struct pstk_actor *to,
	const char *in)
{
	const struct saliency_frames *f = r->frames;
	const struct pstk_window_arg arg = { { f->width, f->height }, NULL };

	steps_add(steps, net, &arg, steps == r->steps ? "" : "2", places_use_device(places));
	steps_connect(steps, &arg, DEPTH);
	connect(from, out, steps->actors[STEP_WINDOW], "in", f->pixels);
	connect(steps->actors[STEP_SUM], "out", to, in, f->pixels * sizeof(float));
	steps_map(steps, places);
}

static void add_dealt(
	struct pstk_network *net, struct run *r, struct pstk_actor *source, struct pstk_actor *sink)
{
	static const char *const outs[] = { "out1", "out2" }, *const ins[] = { "in1", "in2" };
	struct pstk_actor *deal = saliency_deal_add(net), *collect = saliency_collect_add(net);

	connect(source, "out", deal, "in", r->frames->pixels);
	for (unsigned p = 0; p < 2; p++) {
		const struct places places = { { r->way->places.selectors[p], NULL }, STEP_SUM };

		add_steps(net, r, &r->steps[p], &places, deal, outs[p], collect, ins[p]);
	}
	connect(collect, "out", sink, "in", r->frames->pixels * sizeof(float));
}

static struct pstk_network *build(struct run *r)
{
	struct pstk_network *net = pstk_network_create("saliency");
	struct pstk_actor *source = add_source(net, r), *sink = add_sink(net, r);

	pstk_network_set_threads(net, r->way->team);
	if (r->way->trace)
		pstk_network_set_trace(net, r->way->trace, PSTK_TRACE_BYTES, PSTK_TRACE_LAST);
	if (r->way->dealt)
		add_dealt(net, r, source, sink);
	else
		add_steps(net, r, &r->steps[0], &r->way->places, source, "out", sink, "in");
	if (r->way->in_turn)
		pstk_connect(sink, "go", source, "go", PSTK_FIFO(.rate = 1, .token_size = 1, .delay = 1));
	return net;
}

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* The median of what a frame has taken, from frame `first` on. */
static double median_of(double *spent, uint64_t first, uint64_t count)
{
	for (uint64_t k = count - 1; k > first; k--)
		spent[k] -= spent[k - 1];
	qsort(spent + first + 1, count - 1 - first, sizeof *spent, compare);
	return spent[first + 1 + (count - 1 - first) / 2];
}

void saliency_run(struct saliency_frames *f, const struct saliency_way *way, struct saliency_ran *ran)
{
	struct run r = { .way = way, .frames = f };
	struct pstk_network *net;

	saliency_watch_open(&r.watch, f, way->count);
	for (unsigned i = 0; i < STEPS; i++)
		r.spent[i] = rounds_alloc(way->count * sizeof(double));
	sem_init(&r.warm, 0, 0);
	net = build(&r);
	rounds_run_borrowed(net);
	if (!r.watch.equal || r.watch.taken != way->count)
		rounds_fail("a map of the library is wrong or missing");
	*ran = (struct saliency_ran){ .seconds = (r.watch.moments[way->count - 1] - r.begin) /
		                                 (double)(way->count - way->first),
		.evenness = saliency_evenness(r.watch.moments + way->first, way->count - way->first),
		.bytes = pstk_network_allocated_bytes(net),
		.in_order = r.watch.in_order,
		.apart = r.watch.apart };
	for (unsigned i = 0; i < STEPS; i++) {
		ran->steps[i] = median_of(r.spent[i], way->first, way->count);
		free(r.spent[i]);
	}
	pstk_network_destroy(net);
	sem_destroy(&r.warm);
	saliency_watch_close(&r.watch);
}
