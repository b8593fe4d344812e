// SPDX-License-Identifier: MIT
#include "benchmarks/peers/hop_tbb.h"

#include <memory>
#include <oneapi/tbb/flow_graph.h>
#include <oneapi/tbb/parallel_pipeline.h>
#include <oneapi/tbb/task_arena.h>
#include <tuple>
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

uint64_t run_loop(const struct hop_tbb &hop, uint64_t items)
{
	using node = flow::function_node<uint32_t, uint32_t>;
	using first_node = flow::multifunction_node<uint32_t, std::tuple<uint32_t>>;
	flow::graph graph;
	std::vector<std::unique_ptr<node>> nodes;
	uint64_t sum = 0, left = items;
	first_node first(
		graph, flow::serial, [&sum, &left](uint32_t number, first_node::output_ports_type &out) {
			sum += number;
			if (--left)
				std::get<0>(out).try_put(number + 1);
		});

	for (unsigned i = 1; i < hop.actors; i++)
		nodes.push_back(std::make_unique<node>(
			graph, flow::serial, [](uint32_t number) noexcept { return number + 1; }));
	flow::make_edge(flow::output_port<0>(first), *nodes[0]);
	for (unsigned i = 1; i < nodes.size(); i++)
		flow::make_edge(*nodes[i - 1], *nodes[i]);
	flow::make_edge(*nodes.back(), first);
	first.try_put(0);
	graph.wait_for_all();
	return sum;
}

uint64_t run_star(const struct hop_tbb &hop, uint64_t items)
{
	// a cache line each
	struct alignas(64) leaf {
		uint64_t sum = 0;
	};
	using node = flow::function_node<uint32_t>;
	flow::graph graph;
	std::vector<leaf> leaves(hop.actors - 1);
	std::vector<std::unique_ptr<node>> nodes;
	uint64_t sum = 0, next = 0;
	flow::input_node<uint32_t> source(graph, [&next, items](tbb::flow_control &control) -> uint32_t {
		if (next == items)
			control.stop();
		return static_cast<uint32_t>(next++);
	});

	for (leaf &each : leaves) {
		nodes.push_back(
			std::make_unique<node>(graph, flow::serial, [&each](uint32_t number) noexcept {
				each.sum += number;
				return flow::continue_msg();
			}));
		flow::make_edge(source, *nodes.back());
	}
	source.activate();
	graph.wait_for_all();
	for (const leaf &each : leaves)
		sum += each.sum;
	return sum;
}

void run_pair_pipeline(const struct hop_tbb &hop, const struct hop_tbb_pair &pair, uint64_t items)
{
	const auto serial = tbb::filter_mode::serial_in_order;
	uint64_t next = 0;

	tbb::parallel_pipeline(
		hop.tokens, tbb::filter<void, uint64_t>(serial,
				    [&next, &pair, items](tbb::flow_control &control) -> uint64_t {
					    if (next == items) {
						    control.stop();
						    return 0;
					    }
					    pair.make(pair.arg, next);
					    return next++;
				    }) &
				    tbb::filter<uint64_t, void>(
					    serial, [&pair](uint64_t index) { pair.take(pair.arg, index); }));
}

void run_pair_flow(const struct hop_tbb &hop, const struct hop_tbb_pair &pair, uint64_t items)
{
	flow::graph graph;
	uint64_t next = 0;
	// it is one number ahead of the limiter, so it touches no token
	flow::input_node<uint64_t> numbers(graph, [&next, items](tbb::flow_control &control) -> uint64_t {
		if (next == items)
			control.stop();
		return next++;
	});
	flow::limiter_node<uint64_t> limiter(graph, hop.tokens);
	flow::function_node<uint64_t, uint64_t> maker(graph, flow::serial, [&pair](uint64_t index) {
		pair.make(pair.arg, index);
		return index;
	});
	flow::function_node<uint64_t> taker(graph, flow::serial, [&pair](uint64_t index) {
		pair.take(pair.arg, index);
		return flow::continue_msg();
	});

	// what serial nodes hand on may overtake
	const auto itself = [](uint64_t index) { return static_cast<size_t>(index); };
	flow::sequencer_node<uint64_t> make_order(graph, itself), take_order(graph, itself);

	flow::make_edge(numbers, limiter);
	flow::make_edge(limiter, make_order);
	flow::make_edge(make_order, maker);
	flow::make_edge(maker, take_order);
	flow::make_edge(take_order, taker);
	flow::make_edge(taker, limiter.decrementer());
	numbers.activate();
	graph.wait_for_all();
}

void run_work(const struct hop_tbb &hop, const struct hop_tbb_work &work, uint64_t items)
{
	struct token {
		uint64_t number, index;
	};
	const auto serial = tbb::filter_mode::serial_in_order;
	uint64_t next = 0;
	tbb::filter<void, token> chain(serial, [&next, &work, items](tbb::flow_control &control) -> token {
		if (next == items) {
			control.stop();
			return {};
		}
		const uint64_t index = next++;

		return { work.work(work.arg, index), index };
	});

	for (unsigned i = 1; i + 1 < hop.actors; i++)
		chain &= tbb::filter<token, token>(serial, [&work](token t) noexcept -> token {
			return { work.work(work.arg, t.number), t.index };
		});
	tbb::parallel_pipeline(hop.tokens, chain & tbb::filter<token, void>(serial, [&work](token t) {
		work.take(work.sum, work.work(work.arg, t.number), t.index);
	}));
}

} // namespace

extern "C" uint64_t hop_tbb_loop(const struct hop_tbb *hop, uint64_t items)
{
	return in_arena(hop->threads, [=] { return run_loop(*hop, items); });
}

extern "C" uint64_t hop_tbb_star(const struct hop_tbb *hop, uint64_t items)
{
	return in_arena(hop->threads, [=] { return run_star(*hop, items); });
}

extern "C" void hop_tbb_pair_pipeline(
	const struct hop_tbb *hop, const struct hop_tbb_pair *pair, uint64_t items)
{
	in_arena(hop->threads, [=] {
		run_pair_pipeline(*hop, *pair, items);
		return items;
	});
}

extern "C" void hop_tbb_pair_flow(const struct hop_tbb *hop, const struct hop_tbb_pair *pair, uint64_t items)
{
	in_arena(hop->threads, [=] {
		run_pair_flow(*hop, *pair, items);
		return items;
	});
}

extern "C" void hop_tbb_work(const struct hop_tbb *hop, const struct hop_tbb_work *work, uint64_t items)
{
	in_arena(hop->threads, [=] {
		run_work(*hop, *work, items);
		return items;
	});
}

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
