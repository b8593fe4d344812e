// SPDX-License-Identifier: MIT
//
// Motion detection by oneTBB, on two threads.
//
// pipeline    parallel_pipeline: source and sink serial in order, the others side by side. Threshold reads
//             the frame before its first, so gauss's are put in order before it; nothing else has to wait.
// flow_graph  the same as a graph: a limiter keeps so many tokens in flight, sequencers put in order what
//             nodes give that run side by side, which serial nodes alone don't.
//
// Tokens are numbers of places in buffers that are made once. A token may be several frames.
//
// Usage: tbb_motion [-H] [-S WxH] [-n ROUNDS] [-s SECONDS] [-k TEXT] [-c] [-v] [-q]

#include "benchmarks/apps/motion_frames.h"
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

using number = uint64_t;

// What a filter or node does with a token: the actor's part, then it hands the number on.
auto step(const ring &r, void (*actor)(const motion_ring *, uint64_t))
{
	return [&r, actor](number token) {
		actor(&r, token);
		return token;
	};
}

uint64_t pipeline(const way &w, uint64_t tokens)
{
	const ring r(w);
	uint64_t next = 0, hash = 0;
	const auto in_order = tbb::filter_mode::serial_in_order, beside = tbb::filter_mode::parallel;
	const auto source = [&](tbb::flow_control &control) -> number {
		if (next == tokens) {
			control.stop();
			return 0;
		}
		motion_ring_source(&r, next);
		return next++;
	};
	const auto order = [](number token) { return token; };
	const auto detect = [&r](number token) {
		motion_ring_threshold(&r, token);
		motion_ring_median(&r, token);
		return token;
	};
	const auto sink = [&](number token) { hash += motion_ring_sink(&r, token); };

	tbb::parallel_pipeline(
		w.tokens, tbb::make_filter<void, number>(in_order, source) &
				  tbb::make_filter<number, number>(beside, step(r, motion_ring_gauss)) &
				  tbb::make_filter<number, number>(in_order, order) &
				  tbb::make_filter<number, number>(beside, detect) &
				  tbb::make_filter<number, void>(in_order, sink));
	return hash;
}

class detection_graph
{
	using node = flow::function_node<number, number>;
	using lightweight_node = flow::function_node<number, number, flow::lightweight>;

	struct itself {
		size_t operator()(number token) const
		{
			return static_cast<size_t>(token);
		}
	};

	const ring r;
	const uint64_t tokens;
	uint64_t next = 0, hash = 0;
	flow::graph graph;
	// it is one number ahead of the limiter, so it doesn't touch frames
	flow::input_node<number> numbers{ graph, [this](tbb::flow_control &control) -> number {
						 if (next == tokens)
							 control.stop();
						 return next++;
					 } };
	flow::limiter_node<number> limiter;
	node source{ graph, flow::serial, step(r, motion_ring_source) };
	node gauss{ graph, flow::unlimited, step(r, motion_ring_gauss) };
	flow::sequencer_node<number> gauss_order{ graph, itself{} }, median_order{ graph, itself{} };
	node threshold{ graph, flow::unlimited, step(r, motion_ring_threshold) };
	lightweight_node median{ graph, flow::unlimited, step(r, motion_ring_median) };
	flow::function_node<number> sink{ graph, flow::serial, [this](number token) {
						 hash += motion_ring_sink(&r, token);
						 return flow::continue_msg();
					 } };

      public:
	detection_graph(const way &w, uint64_t all) : r(w), tokens(all), limiter(graph, w.tokens)
	{
		flow::make_edge(numbers, limiter);
		flow::make_edge(limiter, source);
		flow::make_edge(source, gauss);
		flow::make_edge(gauss, gauss_order);
		flow::make_edge(gauss_order, threshold);
		flow::make_edge(threshold, median);
		flow::make_edge(median, median_order);
		flow::make_edge(median_order, sink);
		flow::make_edge(sink, limiter.decrementer());
	}

	uint64_t run()
	{
		numbers.activate();
		graph.wait_for_all();
		return hash;
	}
};

uint64_t flow_graph(const way &w, uint64_t tokens)
{
	return detection_graph(w, tokens).run();
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
