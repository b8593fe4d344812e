/* SPDX-License-Identifier: MIT */
#include "lib/observe/load.h"
#include "lib/base/clock.h"
#include "lib/base/cores.h"
#include "lib/base/memory.h"
#include "lib/firing/backend.h"
#include "lib/firing/task.h"
#include "lib/model/adopted.h"
#include "lib/model/pipeline.h"
#include "lib/observe/sampling.h"
#include "lib/observe/stages.h"
#include "lib/observe/watch.h"
#include "lib/plan/threads.h"

#include <errno.h>

static uint64_t get(const _Atomic uint64_t *count)
{
	return atomic_load_explicit(count, memory_order_relaxed);
}

/* NULL: the watcher does not look, or not yet. */
static const struct ps_sampling *sampling_of(const struct pstk_network *net)
{
	const struct ps_sampling *s = &net->watch->sampling;

	return s->actors && atomic_load(&s->began) ? s : NULL;
}

/* The watcher looks at pipelines, not at their stages and at what lies between those. */
static const struct ps_sampling *looks_at(const struct pstk_actor *a)
{
	return ps_is_stage(a) ? NULL : sampling_of(a->network);
}

uint64_t pstk_actor_port_waits(const struct pstk_actor *a, unsigned port)
{
	const struct ps_sampling *s = a ? looks_at(a) : NULL;
	const struct ps_adopted_actor *adopted = a ? ps_adopted_actor(a) : NULL;

	if (adopted)
		return port < a->type.port_count ? adopted->looks_waits[port] : 0;
	return s && port < a->type.port_count ? get(&s->actors[a->index].waits[port]) : 0;
}

int pstk_actor_get_load(const struct pstk_actor *a, struct pstk_actor_load *load)
{
	const struct ps_sampling *s = a && load ? looks_at(a) : NULL;
	const struct ps_actor_samples *seen = s ? &s->actors[a->index] : NULL;
	const struct ps_adopted_actor *adopted = s ? ps_adopted_actor(a) : NULL;
	struct pstk_actor_stats stats;
	uint64_t ended;

	if (!s)
		return -EINVAL;
	if (adopted) {
		*load = adopted->load;
		return 0;
	}
	pstk_actor_get_stats(a, &stats);
	ended = atomic_load(&s->ended);
	*load = (struct pstk_actor_load){
		.ns = (ended ? ended : ps_clock_ns()) - atomic_load(&s->began) + 1,
		.looks = get(&s->looks),
		.for_device = get(&seen->for_device),
		.for_thread = get(&seen->may_fire),
		.for_core = get(&seen->for_core),
		.device_runs = get(&seen->runs),
		.fire_ns = stats.fire_ns,
		.cpu_ns = pstk_actor_cpu_ns(a),
		.firings = stats.firings,
		.side_by_side =
			ps_is_pipeline(a) ? ps_stages_threads(a->pipeline) : ps_concurrency_of(a, NULL),
	};
	for (unsigned p = 0; p < a->type.port_count; p++)
		load->waits += pstk_actor_port_waits(a, p);
	return 0;
}

int pstk_fifo_get_load(const struct pstk_fifo *f, struct pstk_fifo_load *load)
{
	const struct ps_sampling *s = f && load ? looks_at(f->src) : NULL;
	const struct ps_adopted_fifo *adopted = s ? ps_adopted_fifo(f) : NULL;

	if (!s)
		return -EINVAL;
	if (adopted) {
		*load = adopted->load;
		return 0;
	}
	*load = (struct pstk_fifo_load){
		.looks = get(&s->looks),
		.full = get(&s->fifos[f->index].full),
		.empty = get(&s->fifos[f->index].empty),
		.fill = get(&s->fifos[f->index].fill),
		.capacity = ps_fifo_capacity(&f->fifo),
	};
	return 0;
}

static double share(uint64_t count, uint64_t whole)
{
	return whole ? (double)count / (double)whole : 0;
}

static void measure_actor(struct ps_load *load, const struct pstk_actor *a)
{
	const struct ps_adopted_actor *adopted = ps_adopted_actor(a);
	struct ps_actor_load *l = &load->actors[a->index];
	struct pstk_actor_load seen;

	pstk_actor_get_load(a, &seen);
	l->actor = a;
	if (adopted && adopted->on_device)
		l->selector = adopted->device.selector;
	else if (a->backend)
		l->selector = ps_backend_anywhere(a)->info(a)->selector;
	l->firings = seen.firings;
	ps_concurrency_of(a, &l->limit);
	if (ps_is_pipeline(a))
		l->limit.firings = seen.side_by_side;
	l->threads = share(seen.fire_ns, seen.ns);
	l->cores = share(seen.cpu_ns, seen.ns);
	l->busy = l->selector ? share(seen.device_runs, seen.looks)
	                      : l->threads / (seen.side_by_side ? seen.side_by_side : 1);
	l->for_device = share(seen.for_device, seen.looks);
	l->may_fire = share(seen.for_thread, seen.looks);
	l->for_core = share(seen.for_core, seen.looks);
	l->load = l->for_core < 1 ? l->busy / (1 - l->for_core) : 0;
	l->load = l->load < 1 ? l->load : 1;
	for (unsigned p = 0; p < a->type.port_count; p++) {
		double wait = share(pstk_actor_port_waits(a, p), seen.looks);

		if (wait > l->wait) {
			l->wait = wait;
			l->port = p;
		}
	}
	load->threads += l->threads;
	load->cores += l->cores;
	load->looks = seen.looks;
	load->seconds = (double)seen.ns / 1e9;
}

static void measure_fifo(struct ps_load *load, const struct pstk_fifo *f)
{
	struct pstk_actor_load writer, reader; /* which may have been looked at elsewhere, and not as often */
	struct pstk_fifo_load seen;

	pstk_actor_get_load(f->src, &writer);
	pstk_actor_get_load(f->dst, &reader);
	pstk_fifo_get_load(f, &seen);
	load->fifos[f->index] = (struct ps_fifo_load){
		.writer_waits = share(pstk_actor_port_waits(f->src, f->src_port), writer.looks),
		.reader_waits = share(pstk_actor_port_waits(f->dst, f->dst_port), reader.looks),
		.full = share(seen.full, seen.looks),
		.empty = share(seen.empty, seen.looks),
		.fill = share(seen.fill, seen.looks * seen.capacity),
	};
}

int ps_load_measure(struct ps_load *load, const struct pstk_network *net)
{
	const struct ps_adopted *adopted = atomic_load(&net->adopted);

	*load = (struct ps_load){ .net = net,
		.cores_there = ps_cores() + (adopted ? atomic_load(&adopted->cores) : 0) };
	if (!sampling_of(net))
		return -EINVAL;
	load->actors = ps_memory_zalloc(net->actor_count, sizeof *load->actors);
	load->fifos = ps_memory_zalloc(net->fifo_count, sizeof *load->fifos);
	if (!load->actors || !load->fifos) {
		ps_load_free(load);
		return -ENOMEM;
	}
	for (unsigned i = 0; i < net->actor_count; i++)
		measure_actor(load, net->actors[i]);
	for (unsigned i = 0; i < net->fifo_count; i++)
		measure_fifo(load, net->fifos[i]);
	return 0;
}

void ps_load_free(struct ps_load *load)
{
	ps_memory_free(load->actors);
	ps_memory_free(load->fifos);
}
