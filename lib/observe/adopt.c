/* SPDX-License-Identifier: MIT */
#include "lib/observe/adopt.h"
#include "lib/base/cores.h"
#include "lib/base/memory.h"
#include "lib/fifo/bundle.h"
#include "lib/firing/backend.h"
#include "lib/model/adopted.h"
#include "lib/observe/timeline.h"
#include "lib/plan/sharing.h"
#include "lib/plan/threads.h"
#include "lib/remote/figures.h"
#include "penstock/plan.h"

#include <errno.h>
#include <string.h>

/* Comes first. */
struct head {
	uint32_t actors, fifos; /* of the network */
	uint32_t actor_size, fifo_size, cores;
	uint32_t owned_actors, owned_fifos, paths, crossings; /* that follow */
	uint64_t shared_bytes, allocated;
};

/* Then each actor: this, and two numbers a port. */
struct packed_actor {
	uint32_t index, ports;
	bool on_team, on_device;
	struct pstk_actor_stats stats;
	uint64_t cpu_ns;
	struct pstk_actor_load load;
	struct pstk_device_info device;
};

/* Then each FIFO. info: without its pointers. */
struct packed_fifo {
	uint32_t index;
	struct pstk_fifo_info info;
	struct pstk_fifo_load load;
	uint64_t lay_ns, lay, came, first, ended[2];
	char memory[sizeof((struct ps_adopted_fifo *)NULL)->memory];
};

/* Then each path from a source to a sink of this process: this, and its buckets. latency: without its pointers. */
struct packed_path {
	uint32_t source, sink, buckets;
	struct pstk_latency latency;
};

/* Then what has crossed from there: this. */
struct packed_crossing {
	uint32_t fifo, from, to;
	uint64_t windows, bytes, wait_ns;
};

/*
 * Packing.
 */

static bool owns_fifo(const struct pstk_fifo *f)
{
	return !ps_actor_away(f->dst);
}

static void pack_actor(const struct pstk_actor *a, struct ps_bytes *to)
{
	struct packed_actor p;

	memset(&p, 0, sizeof p); /* also what is between its members */
	p.index = a->index;
	p.ports = a->type.port_count;
	p.on_team = ps_threads_on_team(a);
	p.on_device = a->backend;
	p.cpu_ns = pstk_actor_cpu_ns(a);
	pstk_actor_get_stats(a, &p.stats);
	pstk_actor_get_load(a, &p.load);
	if (p.on_device)
		p.device = *ps_backend_anywhere(a)->info(a);
	ps_bytes_put(to, &p, sizeof p);
	for (unsigned i = 0; i < p.ports; i++) {
		ps_bytes_put_number(to, pstk_actor_port_wait_ns(a, i));
		ps_bytes_put_number(to, pstk_actor_port_waits(a, i));
	}
}

static void pack_fifo(const struct pstk_fifo *f, struct ps_bytes *to)
{
	struct pstk_arrival arrival;
	struct packed_fifo p;

	memset(&p, 0, sizeof p);
	p.index = f->index;
	pstk_fifo_get_info(f, &p.info);
	snprintf(p.memory, sizeof p.memory, "%s", p.info.memory);
	p.info.src = p.info.dst = NULL;
	p.info.memory = NULL;
	pstk_fifo_get_load(f, &p.load);
	p.lay_ns = pstk_fifo_latency_ns(f, &p.lay);
	pstk_fifo_get_arrival(f, &arrival);
	p.came = arrival.came;
	p.first = f->fifo.layout.first;
	p.ended[0] = ps_bundle_windows_written(&f->fifo, ps_counters(f));
	p.ended[1] = ps_bundle_windows_read(&f->fifo, ps_counters(f));
	ps_bytes_put(to, &p, sizeof p);
}

/* -ENOMEM */
static int pack_path(
	const struct pstk_network *net, unsigned path, const struct pstk_latency *l, struct ps_bytes *to)
{
	int count = pstk_network_latency_buckets(net, path, NULL, 0);
	struct pstk_latency_bucket *buckets;
	struct packed_path p;

	if (count < 0)
		count = 0;
	buckets = ps_memory_zalloc((size_t)count, sizeof *buckets);
	if (!buckets)
		return -ENOMEM;
	pstk_network_latency_buckets(net, path, buckets, (unsigned)count);
	memset(&p, 0, sizeof p);
	p.source = l->source->index;
	p.sink = l->sink->index;
	p.buckets = (uint32_t)count;
	p.latency = *l;
	p.latency.source = p.latency.sink = NULL;
	ps_bytes_put(to, &p, sizeof p);
	ps_bytes_put(to, buckets, (size_t)count * sizeof *buckets);
	ps_memory_free(buckets);
	return 0;
}

static int pack_paths(const struct pstk_network *net, unsigned count, struct ps_bytes *to)
{
	struct pstk_latency *latencies = ps_memory_zalloc(count, sizeof *latencies);
	int err = latencies ? 0 : -ENOMEM;

	if (latencies && count)
		pstk_network_latencies(net, latencies, count);
	for (unsigned i = 0; i < count && !err; i++)
		err = pack_path(net, i, &latencies[i], to);
	ps_memory_free(latencies);
	return err;
}

/* Those of this process: they were noted first. */
static const struct ps_adopted_crossings *own_crossings(const struct pstk_network *net)
{
	const struct ps_adopted *d = atomic_load(&net->adopted);

	return d ? atomic_load(&d->crossings) : NULL;
}

static void pack_crossings(const struct ps_adopted_crossings *of, struct ps_bytes *to)
{
	for (unsigned i = 0; of && i < of->count; i++) {
		const struct pstk_crossing *c = &of->crossing[i];
		struct packed_crossing p;

		memset(&p, 0, sizeof p);
		p.fifo = c->fifo->index;
		p.from = c->from;
		p.to = c->to;
		p.windows = c->windows;
		p.bytes = c->bytes;
		p.wait_ns = c->wait_ns;
		ps_bytes_put(to, &p, sizeof p);
	}
}

int ps_adopt_pack(const struct pstk_network *net, struct ps_bytes *to)
{
	int paths = pstk_network_latencies(net, NULL, 0), err;
	struct head h = { .actors = net->actor_count,
		.fifos = net->fifo_count,
		.actor_size = sizeof(struct packed_actor),
		.fifo_size = sizeof(struct packed_fifo),
		.cores = ps_cores(),
		.owned_actors = net->task_count,
		.paths = paths > 0 ? (uint32_t)paths : 0,
		.crossings = own_crossings(net) ? own_crossings(net)->count : 0,
		.shared_bytes = pstk_network_shared_bytes(net),
		.allocated = pstk_network_allocated_bytes(net) };

	for (unsigned i = 0; i < net->fifo_count; i++)
		h.owned_fifos += owns_fifo(net->fifos[i]);
	ps_bytes_put(to, &h, sizeof h);
	for (unsigned i = 0; i < net->actor_count; i++)
		if (!ps_actor_away(net->actors[i]))
			pack_actor(net->actors[i], to);
	for (unsigned i = 0; i < net->fifo_count; i++)
		if (owns_fifo(net->fifos[i]))
			pack_fifo(net->fifos[i], to);
	err = pack_paths(net, h.paths, to);
	pack_crossings(own_crossings(net), to);
	ps_timeline_pack(net, to);
	return to->failed ? -ENOMEM : err;
}

/*
 * Taking.
 */

static void free_paths(struct ps_adopted_paths *of)
{
	for (unsigned i = 0; i < of->count; i++)
		ps_memory_free(of->path[i].buckets);
	ps_memory_free(of);
}

static void free_adopted(struct ps_adopted *d)
{
	if (!d)
		return;
	for (struct ps_adopted_paths *of = atomic_load(&d->paths), *next; of; of = next) {
		next = atomic_load(&of->next);
		free_paths(of);
	}
	for (struct ps_adopted_crossings *of = atomic_load(&d->crossings), *next; of; of = next) {
		next = atomic_load(&of->next);
		ps_memory_free(of);
	}
	ps_memory_free(d->port_figures);
	ps_memory_free(d->fifos);
	ps_memory_free(d->actors);
	ps_memory_free(d);
}

void ps_adopt_free(struct pstk_network *net)
{
	free_adopted(atomic_load(&net->adopted));
	atomic_store(&net->adopted, NULL);
}

/* The first time. -ENOMEM. */
static int prepare(struct pstk_network *net)
{
	struct ps_adopted *d;
	uint64_t *figures;
	size_t ports = 0;

	if (atomic_load(&net->adopted))
		return 0;
	for (unsigned i = 0; i < net->actor_count; i++)
		ports += net->actors[i]->type.port_count;
	d = ps_memory_zalloc(1, sizeof *d);
	if (!d)
		return -ENOMEM;
	d->actors = ps_memory_zalloc(net->actor_count, sizeof *d->actors);
	d->fifos = ps_memory_zalloc(net->fifo_count, sizeof *d->fifos);
	d->port_figures = figures = ps_memory_zalloc(2 * ports, sizeof *figures);
	if (!d->actors || !d->fifos || !figures) {
		free_adopted(d);
		return -ENOMEM;
	}
	for (unsigned i = 0; i < net->actor_count; i++) {
		d->actors[i].wait_ns = figures;
		d->actors[i].looks_waits = figures + net->actors[i]->type.port_count;
		figures += 2 * (size_t)net->actors[i]->type.port_count;
	}
	atomic_store(&net->adopted, d);
	return 0;
}

static int take_actor(struct pstk_network *net, unsigned host, struct ps_bytes_left *from)
{
	struct ps_adopted_actor *a;
	struct packed_actor p;

	if (!ps_bytes_take(from, &p, sizeof p) || p.index >= net->actor_count ||
		p.ports != net->actors[p.index]->type.port_count || net->actors[p.index]->host != host)
		return -EPROTO;
	a = &atomic_load(&net->adopted)->actors[p.index];
	for (unsigned i = 0; i < p.ports; i++)
		if (!ps_bytes_take_number(from, &a->wait_ns[i]) ||
			!ps_bytes_take_number(from, &a->looks_waits[i]))
			return -EPROTO;
	a->on_team = p.on_team;
	a->on_device = p.on_device;
	a->stats = p.stats;
	a->cpu_ns = p.cpu_ns;
	a->load = p.load;
	a->device = p.device;
	atomic_store(&a->there, true);
	return 0;
}

static int take_fifo(struct pstk_network *net, unsigned host, struct ps_bytes_left *from)
{
	const struct pstk_fifo *fifo;
	struct ps_adopted_fifo *f;
	struct packed_fifo p;

	if (!ps_bytes_take(from, &p, sizeof p) || p.index >= net->fifo_count ||
		net->fifos[p.index]->dst->host != host || p.memory[sizeof p.memory - 1])
		return -EPROTO;
	fifo = net->fifos[p.index];
	f = &atomic_load(&net->adopted)->fifos[p.index];
	memcpy(f->memory, p.memory, sizeof f->memory);
	f->info = p.info;
	f->info.src = fifo->src;
	f->info.dst = fifo->dst;
	f->info.memory = f->memory;
	f->load = p.load;
	f->lay_ns = p.lay_ns;
	f->lay = p.lay;
	f->came = p.came;
	f->first = p.first;
	memcpy(f->ended, p.ended, sizeof f->ended);
	atomic_store(&f->there, true);
	return 0;
}

static int take_path(struct pstk_network *net, struct ps_adopted_path *path, struct ps_bytes_left *from)
{
	struct packed_path p;
	size_t size;

	if (!ps_bytes_take(from, &p, sizeof p) || p.source >= net->actor_count ||
		p.sink >= net->actor_count || p.buckets > from->size / sizeof *path->buckets)
		return -EPROTO;
	size = p.buckets * sizeof *path->buckets;
	path->buckets = ps_memory_zalloc(1, size);
	if (!path->buckets)
		return -ENOMEM;
	ps_bytes_take(from, path->buckets, size);
	path->bucket_count = p.buckets;
	path->latency = p.latency;
	path->latency.source = net->actors[p.source];
	path->latency.sink = net->actors[p.sink];
	return 0;
}

static int take_paths(struct pstk_network *net, unsigned count, struct ps_bytes_left *from)
{
	struct ps_adopted_paths *_Atomic *end = &atomic_load(&net->adopted)->paths;
	struct ps_adopted_paths *of;
	int err = 0;

	if (!count)
		return 0;
	if (count > from->size / sizeof(struct packed_path))
		return -EPROTO;
	of = ps_memory_zalloc(1, sizeof *of + count * sizeof *of->path);
	if (!of)
		return -ENOMEM;
	of->count = count;
	for (unsigned i = 0; i < count && !err; i++)
		err = take_path(net, &of->path[i], from);
	if (err) {
		free_paths(of);
		return err;
	}
	while (atomic_load(end))
		end = &atomic_load(end)->next;
	atomic_store(end, of);
	return 0;
}

static struct ps_adopted_crossings *make_crossings(unsigned count)
{
	struct ps_adopted_crossings *of = ps_memory_zalloc(1, sizeof *of + count * sizeof *of->crossing);

	if (of)
		of->count = count;
	return of;
}

static void add_crossings(struct pstk_network *net, struct ps_adopted_crossings *of)
{
	struct ps_adopted_crossings *_Atomic *end = &atomic_load(&net->adopted)->crossings;

	while (atomic_load(end))
		end = &atomic_load(end)->next;
	atomic_store(end, of);
}

static int take_crossings(struct pstk_network *net, unsigned count, struct ps_bytes_left *from)
{
	struct ps_adopted_crossings *of;
	struct packed_crossing p;

	if (count > from->size / sizeof p)
		return -EPROTO;
	of = make_crossings(count);
	if (!of)
		return -ENOMEM;
	for (unsigned i = 0; i < count; i++) {
		ps_bytes_take(from, &p, sizeof p);
		if (p.fifo >= net->fifo_count) {
			ps_memory_free(of);
			return -EPROTO;
		}
		of->crossing[i] = (struct pstk_crossing){ net->fifos[p.fifo], p.from, p.to, p.windows,
			p.bytes, p.wait_ns };
	}
	add_crossings(net, of);
	return 0;
}

int ps_adopt_sent(struct pstk_network *net, uint32_t rank, const struct ps_remote *remote)
{
	struct ps_adopted_crossings *of;
	struct ps_sent sent;
	uint32_t count = 0;
	int err = prepare(net);

	while (ps_remote_sent(remote, count, &sent))
		count++;
	of = err ? NULL : make_crossings(count);
	if (!of)
		return -ENOMEM;
	for (uint32_t i = 0; i < count && ps_remote_sent(remote, i, &sent); i++)
		of->crossing[i] = (struct pstk_crossing){ net->fifos[sent.number], rank, sent.rank,
			sent.windows, sent.bytes, sent.starved_ns };
	add_crossings(net, of);
	return 0;
}

int pstk_network_crossings(const struct pstk_network *net, struct pstk_crossing *crossings, unsigned size)
{
	const struct ps_adopted *d = net ? atomic_load(&net->adopted) : NULL;
	const struct ps_adopted_crossings *of = d ? atomic_load(&d->crossings) : NULL;
	unsigned count = 0;

	if (!net || (size && !crossings))
		return -EINVAL;
	for (; of; of = atomic_load(&of->next))
		for (unsigned i = 0; i < of->count; i++, count++)
			if (count < size)
				crossings[count] = of->crossing[i];
	return (int)count;
}

int ps_adopt_take(struct pstk_network *net, unsigned host, int64_t ahead, const void *bytes, size_t size)
{
	struct ps_bytes_left from = { bytes, size };
	struct ps_adopted *d;
	struct head h;
	int err;

	if (!ps_bytes_take(&from, &h, sizeof h) || h.actors != net->actor_count ||
		h.fifos != net->fifo_count || h.actor_size != sizeof(struct packed_actor) ||
		h.fifo_size != sizeof(struct packed_fifo) || host == net->host)
		return -EPROTO;
	err = prepare(net);
	for (uint32_t i = 0; i < h.owned_actors && !err; i++)
		err = take_actor(net, host, &from);
	for (uint32_t i = 0; i < h.owned_fifos && !err; i++)
		err = take_fifo(net, host, &from);
	if (!err)
		err = take_paths(net, h.paths, &from);
	if (!err)
		err = take_crossings(net, h.crossings, &from);
	if (!err)
		err = ps_timeline_take(net, host, ahead, &from);
	if (err)
		return err;
	d = atomic_load(&net->adopted);
	atomic_fetch_add(&d->cores, h.cores);
	atomic_fetch_add(&d->shared_bytes, h.shared_bytes);
	atomic_fetch_add(&d->allocated, h.allocated);
	return from.size ? -EPROTO : 0;
}
