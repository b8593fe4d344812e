/* SPDX-License-Identifier: MIT */
/* A chain of `actors` that pass numbers 0 .. items - 1 on, by oneTBB; the sum of what arrived. */
#ifndef PENSTOCK_BENCHMARKS_PEERS_HOP_TBB_H
#define PENSTOCK_BENCHMARKS_PEERS_HOP_TBB_H

#include <stdint.h>

/* A file that includes this has included config.h. Sanitizers object to oneTBB's own code: casts in its headers,
 * and what they haven't seen compiled looks like races. */
#ifdef HAVE_TBB
#define HOP_TBB 1
#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
#undef HOP_TBB
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer) || __has_feature(address_sanitizer)
#undef HOP_TBB
#endif
#endif
#endif

#ifdef __cplusplus
extern "C" {
#endif

struct hop_tbb {
	unsigned actors;  /* with the source and the sink */
	unsigned threads; /* that work, the calling one included */
	unsigned tokens;  /* in flight, of hop_tbb_pipeline() */
};

/* flow_graph: input_node, then serial function_nodes with queues. Without queues (rejecting) it is no
 * faster, and with several threads loses what a busy node rejects. */
uint64_t hop_tbb_flow(const struct hop_tbb *, uint64_t items);

/* flow_graph of continue_nodes: they carry no number, and the next one is sent when the graph has come to
 * rest, as nodes would run side by side. What the library of tasks costs, at the least. */
uint64_t hop_tbb_continue(const struct hop_tbb *, uint64_t items);

/* flow_graph with nodes of the policy `lightweight`, whose bodies run in the thread that hands the number
 * over: calls. */
uint64_t hop_tbb_lightweight(const struct hop_tbb *, uint64_t items);

/* parallel_pipeline of serial filters in order. */
uint64_t hop_tbb_pipeline(const struct hop_tbb *, uint64_t items);

/* flow_graph: a ring of nodes around which one number goes, one more in each; the sum of what comes back
 * to the first. */
uint64_t hop_tbb_loop(const struct hop_tbb *, uint64_t items);

/* flow_graph: an input_node with an edge to each of the others, which are serial; the sum of what all got. */
uint64_t hop_tbb_star(const struct hop_tbb *, uint64_t items);

/* Two actors that hand tokens over: made and taken in order, at most hop->tokens of them in flight. */
struct hop_tbb_pair {
	void (*make)(void *arg, uint64_t index), (*take)(void *arg, uint64_t index);
	void *arg;
};
void hop_tbb_pair_pipeline(const struct hop_tbb *, const struct hop_tbb_pair *, uint64_t items);
void hop_tbb_pair_flow(const struct hop_tbb *, const struct hop_tbb_pair *, uint64_t items);

/* A chain whose actors, the source included, do this to the number; in order, at most hop->tokens in
 * flight; what comes out is given to take() in order. */
struct hop_tbb_work {
	uint64_t (*work)(const void *arg, uint64_t number);
	void (*take)(void *sum, uint64_t number, uint64_t index);
	const void *arg;
	void *sum;
};
void hop_tbb_work(const struct hop_tbb *, const struct hop_tbb_work *, uint64_t items);

#ifdef __cplusplus
}
#endif

#endif
