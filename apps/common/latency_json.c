/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "apps/common/latency_json.h"

#include <stdlib.h>

bool latency_json_is_there(const struct pstk_network *network)
{
	return pstk_network_latencies(network, NULL, 0) >= 0;
}

/* [[from_ns, to_ns, windows], ..] */
static json_t *histogram_json(const struct pstk_network *network, unsigned index)
{
	int count = pstk_network_latency_buckets(network, index, NULL, 0), failed = 0;
	struct pstk_latency_bucket *buckets = count > 0 ? calloc((size_t)count, sizeof(*buckets)) : NULL;
	json_t *histogram = json_array();

	if (count > 0 && !buckets)
		failed = 1;
	else if (count > 0)
		pstk_network_latency_buckets(network, index, buckets, (unsigned)count);
	for (int i = 0; i < count && !failed; i++)
		failed |= json_array_append_new(
			histogram, json_pack("[I, I, I]", (json_int_t)buckets[i].from_ns,
					   (json_int_t)buckets[i].to_ns, (json_int_t)buckets[i].windows));
	free(buckets);
	if (!failed)
		return histogram;
	json_decref(histogram);
	return NULL;
}

static json_t *path_json(const struct pstk_network *network, unsigned index, const struct pstk_latency *l)
{
	return json_pack("{s:s, s:s, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:o}", "source",
		pstk_actor_name(l->source), "sink", pstk_actor_name(l->sink), "followed",
		(json_int_t)l->followed, "arrived", (json_int_t)l->arrived, "p50_ns", (json_int_t)l->p50_ns,
		"p90_ns", (json_int_t)l->p90_ns, "p99_ns", (json_int_t)l->p99_ns, "max_ns",
		(json_int_t)l->max_ns, "mean_ns", (json_int_t)l->mean_ns, "actors_ns",
		(json_int_t)l->actors_ns, "histogram", histogram_json(network, index));
}

json_t *latency_json(const struct pstk_network *network)
{
	int count = pstk_network_latencies(network, NULL, 0), failed = 0;
	struct pstk_latency *found = calloc((size_t)count + 1, sizeof(*found));
	json_t *paths = json_array();

	if (!found)
		failed = 1;
	else
		pstk_network_latencies(network, found, (unsigned)count);
	for (int i = 0; i < count && !failed; i++)
		failed |= json_array_append_new(paths, path_json(network, (unsigned)i, &found[i]));
	free(found);
	if (!failed)
		return paths;
	json_decref(paths);
	return NULL;
}
