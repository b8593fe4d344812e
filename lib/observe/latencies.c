/* SPDX-License-Identifier: MIT */
#include "lib/observe/latencies.h"
#include "lib/base/text.h"
#include "lib/firing/latency.h"
#include "lib/model/adopted.h"
#include "lib/model/error.h"
#include "lib/observe/watch.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

/* Are said. */
enum { FIFOS_MOST = 8 };

int pstk_network_set_latency(struct pstk_network *net, uint64_t ns)
{
	int err = ps_network_building(net, __func__);

	if (!err)
		net->watch->latency_ns = ns;
	return err;
}

int ps_latencies_prepare(struct pstk_network *net)
{
	int err = net->watch->latency_ns ? ps_latency_create(net, net->watch->latency_ns) : 0;

	return err ? ps_network_fail(net, err, "network '%s': no memory to follow windows: %u sources",
			     net->name, net->latency ? net->latency->source_count : 0)
	           : 0;
}

/* NULL: it has not begun, or follows nothing. */
static const struct ps_latency *latency_of(const struct pstk_network *net)
{
	return net && atomic_load(&net->watch->sampling.began) ? net->latency : NULL;
}

static uint64_t least(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

static void get(const struct ps_path *path, struct pstk_latency *to)
{
	const struct ps_histogram *h = &path->total;
	uint64_t count = atomic_load_explicit(&h->count, memory_order_relaxed);

	*to = (struct pstk_latency){
		.source = path->source,
		.sink = path->sink,
		.followed = ps_latency_followed(path->source),
		.arrived = count,
		.p50_ns = ps_histogram_within(h, 0.5),
		.p90_ns = ps_histogram_within(h, 0.9),
		.p99_ns = ps_histogram_within(h, 0.99),
		.max_ns = atomic_load_explicit(&h->most, memory_order_relaxed),
	};
	if (!count)
		return;
	/* while it runs they are of later moments */
	to->mean_ns = least(atomic_load_explicit(&h->sum, memory_order_relaxed) / count, to->max_ns);
	to->actors_ns =
		least(atomic_load_explicit(&path->in_actors_ns, memory_order_relaxed) / count, to->mean_ns);
}

int pstk_network_latencies(const struct pstk_network *net, struct pstk_latency *latencies, unsigned size)
{
	const struct ps_latency *l = latency_of(net);
	const struct ps_adopted_path *adopted;
	unsigned count;

	if (!l || (size && !latencies))
		return -EINVAL;
	for (unsigned i = 0; i < l->path_count && i < size; i++)
		get(&l->paths[i], &latencies[i]);
	count = l->path_count;
	for (; (adopted = ps_adopted_path(net, count - l->path_count)) != NULL; count++)
		if (count < size)
			latencies[count] = adopted->latency;
	return (int)count;
}

int pstk_network_latency_buckets(
	const struct pstk_network *net, unsigned index, struct pstk_latency_bucket *buckets, unsigned size)
{
	const struct ps_latency *l = latency_of(net);
	const struct ps_adopted_path *adopted =
		l && index >= l->path_count ? ps_adopted_path(net, index - l->path_count) : NULL;
	unsigned count = 0;

	if (!l || (index >= l->path_count && !adopted) || (size && !buckets))
		return -EINVAL;
	if (adopted) {
		for (; count < adopted->bucket_count; count++)
			if (count < size)
				buckets[count] = adopted->buckets[count];
		return (int)count;
	}
	for (unsigned i = 0; i < PS_HISTOGRAM_BUCKETS; i++) {
		const struct ps_histogram *h = &l->paths[index].total;
		uint64_t windows = atomic_load_explicit(&h->buckets[i], memory_order_relaxed);

		if (!windows)
			continue;
		if (count < size)
			buckets[count] = (struct pstk_latency_bucket){ .from_ns = ps_histogram_from(i),
				.to_ns = i + 1 < PS_HISTOGRAM_BUCKETS ? ps_histogram_from(i + 1) - 1
				                                      : INT64_MAX,
				.windows = windows };
		count++;
	}
	return (int)count;
}

static void print_latency(const struct pstk_latency *l, FILE *out)
{
	const struct {
		const char *name;
		uint64_t ns;
	} times[] = { { "p50", l->p50_ns }, { ", p90", l->p90_ns }, { ", p99", l->p99_ns },
		{ ", max", l->max_ns } };
	char text[PS_TEXT_TIME];
	double in_actors = l->mean_ns ? 100 * (double)l->actors_ns / (double)l->mean_ns : 0;

	fprintf(out, "  %s -> %s: ", l->source->name, l->sink->name);
	for (unsigned i = 0; l->arrived && i < sizeof times / sizeof *times; i++)
		fprintf(out, "%s %s", times[i].name, ps_text_time((double)times[i].ns, text));
	if (l->arrived)
		fprintf(out, "; %.0f %% in actors, %.0f %% in FIFOs; ", in_actors, 100 - in_actors);
	fprintf(out, "%" PRIu64 " of %" PRIu64 " followed windows arrived\n", l->arrived, l->followed);
}

uint64_t pstk_fifo_latency_ns(const struct pstk_fifo *f, uint64_t *windows)
{
	const struct ps_adopted_fifo *adopted = f ? ps_adopted_fifo(f) : NULL;
	uint64_t count = 0, ns = 0;

	if (adopted) {
		count = adopted->lay;
		ns = adopted->lay_ns;
	} else if (f && latency_of(f->src->network)) {
		ns = ps_latency_lay_ns(f, &count);
	}
	if (windows)
		*windows = count;
	return ns;
}

/* The FIFO in which windows lie longest, but not as long as in `below`, or as long and it is a later one. NULL: there
 * is none. */
static const struct pstk_fifo *longest(const struct pstk_network *net, const struct pstk_fifo *below)
{
	const struct pstk_fifo *most = NULL;
	uint64_t limit = below ? pstk_fifo_latency_ns(below, NULL) : UINT64_MAX, ns, most_ns = 0;

	for (unsigned i = 0; i < net->fifo_count; i++) {
		ns = pstk_fifo_latency_ns(net->fifos[i], NULL);
		if (ns > most_ns && (ns < limit || (ns == limit && i > below->index))) {
			most = net->fifos[i];
			most_ns = ns;
		}
	}
	return most;
}

static void print_fifos(const struct pstk_network *net, FILE *out)
{
	const struct pstk_fifo *f = longest(net, NULL);
	char text[PS_TEXT_TIME];

	for (unsigned i = 0; f && i < FIFOS_MOST; i++, f = longest(net, f)) {
		fprintf(out, "  in %s.%s -> %s.%s: %s on average\n", f->src->name,
			f->src->type.ports[f->src_port].name, f->dst->name,
			f->dst->type.ports[f->dst_port].name,
			ps_text_time((double)pstk_fifo_latency_ns(f, NULL), text));
	}
}

int pstk_network_print_latencies(const struct pstk_network *net, FILE *out)
{
	const struct ps_latency *l = latency_of(net);
	const struct ps_adopted_path *adopted;
	unsigned count;

	if (!l || !out)
		return -EINVAL;
	count = (unsigned)pstk_network_latencies(net, NULL, 0);
	flockfile(out);
	fprintf(out, "network '%s': latency of %u path%s from a source to a sink%s\n", net->name, count,
		ps_plural(count), net->has_hosts ? "; those over several hosts are not followed" : "");
	for (unsigned i = 0; i < l->path_count; i++) {
		struct pstk_latency latency;

		get(&l->paths[i], &latency);
		print_latency(&latency, out);
	}
	for (unsigned i = 0; (adopted = ps_adopted_path(net, i)) != NULL; i++)
		print_latency(&adopted->latency, out);
	print_fifos(net, out);
	funlockfile(out);
	return fflush(out) || ferror(out) ? -EIO : 0;
}
