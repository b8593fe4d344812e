/* SPDX-License-Identifier: MIT */
/* A chain of `actors` that pass numbers 0 .. items - 1 on, by oneTBB; the sum of what arrived. */
#ifndef PENSTOCK_BENCHMARKS_PEERS_HOP_TBB_H
#define PENSTOCK_BENCHMARKS_PEERS_HOP_TBB_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct hop_tbb {
	unsigned actors;  /* with the source and the sink */
	unsigned threads; /* that work, the calling one included */
	unsigned tokens;  /* in flight, of hop_tbb_pipeline() */
};

/* flow_graph: input_node, then serial function_nodes with queues. Without queues (rejecting) it is no faster, and
 * with several threads loses what a busy node rejects. */
uint64_t hop_tbb_flow(const struct hop_tbb *, uint64_t items);

/* flow_graph of continue_nodes: they carry no number, and the next one is sent when the graph has come to
 * rest, as nodes would run side by side. What the library of tasks costs, at the least. */
uint64_t hop_tbb_continue(const struct hop_tbb *, uint64_t items);

/* flow_graph with nodes of the policy `lightweight`, whose bodies run in the thread that hands the number
 * over: calls. */
uint64_t hop_tbb_lightweight(const struct hop_tbb *, uint64_t items);

/* parallel_pipeline of serial filters in order. */
uint64_t hop_tbb_pipeline(const struct hop_tbb *, uint64_t items);

#ifdef __cplusplus
}
#endif

#endif
