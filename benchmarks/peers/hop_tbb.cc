// SPDX-License-Identifier: MIT
#include "benchmarks/peers/hop_tbb.h"

#include <memory>
#include <oneapi/tbb/flow_graph.h>
#include <oneapi/tbb/parallel_pipeline.h>
#include <oneapi/tbb/task_arena.h>
#include <vector>

namespace flow = oneapi::tbb::flow;

namespace
{

// Runs f where `threads` work.
template <class Body> uint64_t in_arena(unsigned threads, const Body &f)
{
	tbb::task_arena arena(static_cast<int>(threads));

	return arena.execute(f);
}

template <class Policy> uint64_t run_flow(const struct hop_tbb &hop, uint64_t items)
{
	using node = flow::function_node<uint32_t, uint32_t, Policy>;
	flow::graph graph;
	std::vector<std::unique_ptr<node>> nodes;
	uint64_t sum = 0, next = 0;
	flow::input_node<uint32_t> source(graph, [&next, items](tbb::flow_control &control) -> uint32_t {
		if (next == items)
			control.stop();
		return static_cast<uint32_t>(next++);
	});

	for (unsigned i = 1; i + 1 < hop.actors; i++)
		nodes.push_back(std::make_unique<node>(
			graph, flow::serial, [](uint32_t number) noexcept { return number; }));
	nodes.push_back(std::make_unique<node>(graph, flow::serial, [&sum](uint32_t number) noexcept {
		sum += number;
		return number;
	}));
	flow::make_edge(source, *nodes[0]);
	for (unsigned i = 1; i < nodes.size(); i++)
		flow::make_edge(*nodes[i - 1], *nodes[i]);
	source.activate();
	graph.wait_for_all();
	return sum;
}

uint64_t run_continue(const struct hop_tbb &hop, uint64_t items)
{
	using node = flow::continue_node<flow::continue_msg>;
	flow::graph graph;
	std::vector<std::unique_ptr<node>> nodes;
	uint64_t sum = 0, next = 0;

	for (unsigned i = 0; i + 1 < hop.actors; i++)
		nodes.push_back(std::make_unique<node>(
			graph, [](const flow::continue_msg &message) { return message; }));
	nodes.push_back(std::make_unique<node>(graph, [&sum, &next](const flow::continue_msg &message) {
		sum += static_cast<uint32_t>(next);
		return message;
	}));
	for (unsigned i = 1; i < nodes.size(); i++)
		flow::make_edge(*nodes[i - 1], *nodes[i]);
	for (; next < items; next++) {
		nodes[0]->try_put(flow::continue_msg());
		graph.wait_for_all();
	}
	return sum;
}

uint64_t run_pipeline(const struct hop_tbb &hop, uint64_t items)
{
	uint64_t sum = 0, next = 0;
	const auto serial = tbb::filter_mode::serial_in_order;
	tbb::filter<void, uint32_t> chain(serial, [&next, items](tbb::flow_control &control) -> uint32_t {
		if (next == items)
			control.stop();
		return static_cast<uint32_t>(next++);
	});

	for (unsigned i = 1; i + 1 < hop.actors; i++)
		chain &= tbb::filter<uint32_t, uint32_t>(
			serial, [](uint32_t number) noexcept { return number; });
	tbb::parallel_pipeline(hop.tokens,
		chain & tbb::filter<uint32_t, void>(serial, [&sum](uint32_t number) { sum += number; }));
	return sum;
}

} // namespace

extern "C" uint64_t hop_tbb_flow(const struct hop_tbb *hop, uint64_t items)
{
	return in_arena(hop->threads, [=] { return run_flow<flow::queueing>(*hop, items); });
}

extern "C" uint64_t hop_tbb_continue(const struct hop_tbb *hop, uint64_t items)
{
	return in_arena(hop->threads, [=] { return run_continue(*hop, items); });
}

extern "C" uint64_t hop_tbb_lightweight(const struct hop_tbb *hop, uint64_t items)
{
	return in_arena(hop->threads, [=] { return run_flow<flow::queueing_lightweight>(*hop, items); });
}

extern "C" uint64_t hop_tbb_pipeline(const struct hop_tbb *hop, uint64_t items)
{
	return in_arena(hop->threads, [=] { return run_pipeline(*hop, items); });
}
