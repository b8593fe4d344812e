/* SPDX-License-Identifier: MIT */
#include "lib/base/histogram.h"

enum { SUB = 1 << PS_HISTOGRAM_BITS };

static uint64_t get(const _Atomic uint64_t *count)
{
	return atomic_load_explicit(count, memory_order_relaxed);
}

static void set(_Atomic uint64_t *count, uint64_t value)
{
	atomic_store_explicit(count, value, memory_order_relaxed);
}

static unsigned bucket_of(uint64_t value)
{
	unsigned shift;

	if (value < SUB)
		return (unsigned)value;
	shift = 63 - (unsigned)__builtin_clzll(value) - PS_HISTOGRAM_BITS;
	if (shift >= PS_HISTOGRAM_OCTAVES)
		return PS_HISTOGRAM_BUCKETS - 1;
	return shift * SUB + (unsigned)(value >> shift);
}

void ps_histogram_add(struct ps_histogram *h, uint64_t value)
{
	_Atomic uint64_t *bucket = &h->buckets[bucket_of(value)];

	set(bucket, get(bucket) + 1);
	set(&h->sum, get(&h->sum) + value);
	if (value > get(&h->most))
		set(&h->most, value);
	set(&h->count, get(&h->count) + 1);
}

uint64_t ps_histogram_from(unsigned bucket)
{
	unsigned shift = bucket / SUB ? bucket / SUB - 1 : 0;

	return (uint64_t)(bucket - shift * SUB) << shift;
}

uint64_t ps_histogram_within(const struct ps_histogram *h, double share)
{
	uint64_t most = get(&h->most), below = 0, wanted;
	double exact = share * (double)get(&h->count);

	wanted = (uint64_t)exact;
	wanted += (double)wanted < exact;
	for (unsigned i = 0; i < PS_HISTOGRAM_BUCKETS - 1; i++) {
		uint64_t last = ps_histogram_from(i + 1) - 1;

		below += get(&h->buckets[i]);
		if (below && below >= wanted)
			return last < most ? last : most;
	}
	return most;
}
