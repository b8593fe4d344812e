// SPDX-License-Identifier: MIT
//
// Predistortion by oneTBB, on two threads.
//
// pipeline    parallel_pipeline: source and sink serial in order, the polynomial side by side; then, in
//             order, what the filters remember of the block before is set aside, so that filters and adder
//             can run side by side for several blocks.
// flow_graph  an actor a node: the polynomial gives a token to the nodes of active branches only. These take
//             one after the other, in order, because the polynomial puts them while it runs; the last of a
//             token's branches hands it to the adder. Sets differ, so that a token may overtake another: a
//             sequencer before the sink.
//
// Tokens are numbers of places in buffers that are made once.
//
// Usage: tbb_predistortion [-a ACTIVE] [-b BLOCK] [-n ROUNDS] [-s SECONDS] [-k TEXT] [-c] [-v] [-q]

#include "benchmarks/peers/peer.h"
#include "benchmarks/apps/predistortion_plain.h"
#include "benchmarks/peers/predistortion_ring.h"

#include <atomic>
#include <memory>
#include <oneapi/tbb/flow_graph.h>
#include <oneapi/tbb/parallel_pipeline.h>
#include <oneapi/tbb/task_arena.h>
#include <utility>
#include <vector>

namespace flow = oneapi::tbb::flow;

namespace
{

using number = uint64_t;
constexpr unsigned branches = HAMMERSTEIN_BRANCHES;

// A run's buffers.
class ring : public predistortion_ring
{
      public:
	explicit ring(const predistortion_way &w)
	{
		predistortion_ring_open(this, w.depth, w.block);
	}
	~ring()
	{
		predistortion_ring_close(this);
	}
	ring(const ring &) = delete;
	ring &operator=(const ring &) = delete;
};

// What a filter or node does with a token: the actor's part, then it hands the number on.
auto step(const ring &r, void (*actor)(const predistortion_ring *, uint64_t))
{
	return [&r, actor](number token) {
		actor(&r, token);
		return token;
	};
}

uint64_t pipeline(const predistortion_way &w, uint64_t tokens)
{
	ring r(w);
	uint64_t next = 0, hash = 0;
	const auto in_order = tbb::filter_mode::serial_in_order, beside = tbb::filter_mode::parallel;
	const auto source = [&](tbb::flow_control &control) -> number {
		if (next == tokens) {
			control.stop();
			return 0;
		}
		predistortion_ring_source(&r, next);
		return next++;
	};
	const auto past = [&r](number token) {
		predistortion_ring_past(&r, token);
		return token;
	};
	const auto filters = [&r](number token) {
		predistortion_ring_filters(&r, token);
		predistortion_ring_add(&r, token);
		return token;
	};
	const auto sink = [&](number token) { hash += predistortion_ring_sink(&r, token); };

	tbb::parallel_pipeline(w.depth,
		tbb::make_filter<void, number>(in_order, source) &
			tbb::make_filter<number, number>(beside, step(r, predistortion_ring_polynomial)) &
			tbb::make_filter<number, number>(in_order, past) &
			tbb::make_filter<number, number>(beside, filters) &
			tbb::make_filter<number, void>(in_order, sink));
	return hash;
}

// -- the graph --

template <size_t> using number_of = number;
template <class> struct outputs;
template <size_t... b> struct outputs<std::index_sequence<b...>> {
	using type = std::tuple<number_of<b>...>;
};
using each_branch = std::make_index_sequence<branches>;
using polynomial_node = flow::multifunction_node<number, outputs<each_branch>::type>;
using fir_node = flow::multifunction_node<number, std::tuple<number>>;

template <size_t... b>
void put_to_active(
	polynomial_node::output_ports_type &ports, uint32_t set, number token, std::index_sequence<b...>)
{
	((void)((set >> b & 1) && std::get<b>(ports).try_put(token)), ...);
}

class predistortion_graph
{
	using node = flow::function_node<number, number>;

	struct itself {
		size_t operator()(number token) const
		{
			return static_cast<size_t>(token);
		}
	};

	ring r;
	const uint64_t tokens;
	uint64_t next = 0, hash = 0;
	std::vector<std::atomic<unsigned>> left; // branches of a token that are not filtered yet
	flow::graph graph;
	// it is one number ahead of the limiter, so it doesn't touch samples
	flow::input_node<number> numbers{ graph, [this](tbb::flow_control &control) -> number {
						 if (next == tokens)
							 control.stop();
						 return next++;
					 } };
	flow::limiter_node<number> limiter;
	node source{ graph, flow::serial, step(r, predistortion_ring_source) };
	// a serial node may begin with the next token before it has handed this one on
	flow::sequencer_node<number> source_order{ graph, itself{} }, order{ graph, itself{} };
	polynomial_node polynomial{ graph, flow::serial,
		[this](number token, polynomial_node::output_ports_type &ports) { multiply(token, ports); } };
	std::vector<std::unique_ptr<fir_node>> firs;
	node adder{ graph, flow::unlimited, step(r, predistortion_ring_add) };
	flow::function_node<number> sink{ graph, flow::serial, [this](number token) {
						 hash += predistortion_ring_sink(&r, token);
						 return flow::continue_msg();
					 } };

	void multiply(number token, polynomial_node::output_ports_type &ports)
	{
		const uint32_t set = predistortion_ring_slot(&r, token)->set;

		predistortion_ring_polynomial(&r, token);
		left[token % r.tokens] = static_cast<unsigned>(__builtin_popcount(set));
		put_to_active(ports, set, token, each_branch());
	}

	void filter(unsigned branch, number token, fir_node::output_ports_type &ports)
	{
		predistortion_ring_filter(&r, token, branch);
		if (--left[token % r.tokens] == 0)
			std::get<0>(ports).try_put(token);
	}

	template <size_t... b> void connect_branches(std::index_sequence<b...>)
	{
		(flow::make_edge(flow::output_port<b>(polynomial), *firs[b]), ...);
		(flow::make_edge(flow::output_port<0>(*firs[b]), adder), ...);
	}

      public:
	predistortion_graph(const predistortion_way &w, uint64_t all)
	    : r(w), tokens(all), left(w.depth), limiter(graph, w.depth)
	{
		for (unsigned b = 0; b < branches; b++)
			firs.push_back(std::make_unique<fir_node>(graph, flow::serial,
				[this, b](number token, fir_node::output_ports_type &ports) {
					filter(b, token, ports);
				}));
		flow::make_edge(numbers, limiter);
		flow::make_edge(limiter, source);
		flow::make_edge(source, source_order);
		flow::make_edge(source_order, polynomial);
		connect_branches(each_branch());
		flow::make_edge(adder, order);
		flow::make_edge(order, sink);
		flow::make_edge(sink, limiter.decrementer());
	}

	uint64_t run()
	{
		numbers.activate();
		graph.wait_for_all();
		return hash;
	}
};

uint64_t flow_graph(const predistortion_way &w, uint64_t tokens)
{
	return predistortion_graph(w, tokens).run();
}

template <uint64_t (*f)(const predistortion_way &, uint64_t)> uint64_t run(const void *arg, uint64_t samples)
{
	const predistortion_way *w = static_cast<const predistortion_way *>(arg);
	tbb::task_arena arena(PEER_THREADS);

	return arena.execute([=] { return f(*w, samples / w->block); });
}

void add()
{
	static const predistortion_way ways[] = { { 2, 4096, 2 }, { 2, 4096, 4 }, { 2, 8192, 2 },
		{ 2, 8192, 4 }, { 2, 16384, 2 }, { 2, 16384, 4 }, { 2, 16384, 8 }, { 2, 32768, 2 },
		{ 2, 32768, 4 } };

	for (const predistortion_way &w : ways)
		peer_add(run<pipeline>, &w, "pipeline, block %u, tokens %u", w.block, w.depth);
	for (const predistortion_way &w : ways)
		peer_add(run<flow_graph>, &w, "flow_graph, block %u, tokens %u", w.block, w.depth);
}

} // namespace

int main(int argc, char **argv)
{
	return peer_predistortion(argc, argv, add);
}
