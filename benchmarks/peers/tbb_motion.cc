// SPDX-License-Identifier: MIT
//
// Motion detection by oneTBB, on two threads.
//
// pipeline    parallel_pipeline: source, threshold and sink serial in order, gauss and median side by side.
//             Threshold reads the frame before its first, so it must come in order; nothing else has to wait.
// flow_graph  the same as a graph: a limiter keeps so many tokens in flight, sequencers put in order what two
//             nodes that run side by side give, which serial nodes alone don't.
//
// Tokens are numbers of places in buffers that are made once. A token may be several frames.
//
// Usage: tbb_motion [-H] [-S WxH] [-n ROUNDS] [-s SECONDS] [-k TEXT] [-c] [-v] [-q]

#include "benchmarks/motion_frames.h"
#include "benchmarks/peers/motion_ring.h"
#include "benchmarks/peers/peer.h"

#include <oneapi/tbb/flow_graph.h>
#include <oneapi/tbb/parallel_pipeline.h>
#include <oneapi/tbb/task_arena.h>

namespace flow = oneapi::tbb::flow;

namespace
{

struct way {
	uint32_t tokens, batch;
};

// A run's buffers.
class ring : public motion_ring
{
      public:
	explicit ring(const way &w)
	{
		motion_ring_open(this, w.tokens, w.batch);
	}
	~ring()
	{
		motion_ring_close(this);
	}
	ring(const ring &) = delete;
	ring &operator=(const ring &) = delete;
};

uint64_t pipeline(const way &w, uint64_t tokens)
{
	using number = uint64_t;
	const ring r(w);
	uint64_t next = 0, hash = 0;
	const auto in_order = tbb::filter_mode::serial_in_order, beside = tbb::filter_mode::parallel;

	tbb::parallel_pipeline(
		w.tokens, tbb::make_filter<void, number>(in_order, [&](tbb::flow_control &control) -> number {
			if (next == tokens) {
				control.stop();
				return 0;
			}
			motion_ring_source(&r, next);
			return next++;
		}) & tbb::make_filter<number, number>(beside, [&](number token) {
			motion_ring_gauss(&r, token);
			return token;
		}) & tbb::make_filter<number, number>(in_order, [&](number token) {
			motion_ring_threshold(&r, token);
			return token;
		}) & tbb::make_filter<number, number>(beside, [&](number token) {
			motion_ring_median(&r, token);
			return token;
		}) & tbb::make_filter<number, void>(in_order, [&](number token) {
			hash += motion_ring_sink(&r, token);
		}));
	return hash;
}

uint64_t flow_graph(const way &w, uint64_t tokens)
{
	using number = uint64_t;
	using node = flow::function_node<number, number>;
	using lightweight_node = flow::function_node<number, number, flow::lightweight>;
	const ring r(w);
	uint64_t next = 0, hash = 0;
	const auto itself = [](number token) { return static_cast<size_t>(token); };
	flow::graph graph;
	// it is one number ahead of the limiter, so it doesn't touch frames
	flow::input_node<number> numbers(graph, [&](tbb::flow_control &control) -> number {
		if (next == tokens)
			control.stop();
		return next++;
	});
	flow::limiter_node<number> limiter(graph, w.tokens);
	node source(graph, flow::serial, [&](number token) {
		motion_ring_source(&r, token);
		return token;
	});
	node gauss(graph, flow::unlimited, [&](number token) {
		motion_ring_gauss(&r, token);
		return token;
	});
	flow::sequencer_node<number> gauss_order(graph, itself), median_order(graph, itself);
	node threshold(graph, flow::unlimited, [&](number token) {
		motion_ring_threshold(&r, token);
		return token;
	});
	lightweight_node median(graph, flow::unlimited, [&](number token) {
		motion_ring_median(&r, token);
		return token;
	});
	flow::function_node<number> sink(graph, flow::serial, [&](number token) {
		hash += motion_ring_sink(&r, token);
		return flow::continue_msg();
	});

	flow::make_edge(numbers, limiter);
	flow::make_edge(limiter, source);
	flow::make_edge(source, gauss);
	flow::make_edge(gauss, gauss_order);
	flow::make_edge(gauss_order, threshold);
	flow::make_edge(threshold, median);
	flow::make_edge(median, median_order);
	flow::make_edge(median_order, sink);
	flow::make_edge(sink, limiter.decrementer());
	numbers.activate();
	graph.wait_for_all();
	return hash;
}

template <uint64_t (*f)(const way &, uint64_t)> uint64_t run(const void *arg, uint64_t frames)
{
	const way *w = static_cast<const way *>(arg);
	tbb::task_arena arena(PEER_THREADS);

	return arena.execute([=] { return f(*w, frames / w->batch); });
}

void add()
{
	static const way ways[] = { { 2, 1 }, { 3, 1 }, { 4, 1 }, { 8, 1 }, { 2, 2 }, { 4, 2 }, { 2, 4 },
		{ 4, 4 } };

	for (const way &w : ways)
		peer_add(run<pipeline>, &w, "pipeline, tokens %u, r %u", w.tokens, w.batch);
	for (const way &w : ways)
		peer_add(run<flow_graph>, &w, "flow_graph, tokens %u, r %u", w.tokens, w.batch);
}

} // namespace

int main(int argc, char **argv)
{
	return peer_motion(argc, argv, add);
}
