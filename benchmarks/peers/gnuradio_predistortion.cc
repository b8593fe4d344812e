// SPDX-License-Identifier: MIT
//
// Predistortion by GNU Radio: items are floats, real and imaginary parts are streams of their own, as the
// kernels take them, and blocks work on multiples of so many items. Its scheduler runs a thread for each
// block, as it always does. The polynomial and the adder are general blocks: the one produces only for
// active branches, the other asks and consumes only of these; which they are both know from how far they
// have got. The rings between blocks hold at least so many multiples.
//
// Usage: gnuradio_predistortion [-a ACTIVE] [-b BLOCK] [-n ROUNDS] [-s SECONDS] [-k TEXT] [-c] [-v] [-q]

#include "benchmarks/apps/hammerstein.h"
#include "benchmarks/apps/predistortion_plain.h"
#include "benchmarks/peers/peer.h"

#include <gnuradio/io_signature.h>
#include <gnuradio/logger.h>
#include <gnuradio/sync_block.h>
#include <gnuradio/top_block.h>
#include <vector>

namespace
{

constexpr int branches = HAMMERSTEIN_BRANCHES;

gr::io_signature::sptr floats(int streams)
{
	return gr::io_signature::make(streams, streams, streams ? sizeof(float) : 0);
}

// The pair of streams with this number, from some item on. The kernels don't write to what they read.
template <class Items> hammerstein_signal signal_of(const Items &items, int pair, size_t at)
{
	const auto part = [&](int stream) {
		const void *begin = items[static_cast<size_t>(2 * pair + stream)];

		return const_cast<float *>(static_cast<const float *>(begin)) + at;
	};

	return { part(0), part(1) };
}

// Which branches are active in a stream's next block.
class position
{
	uint64_t at = 0;
	const uint32_t block;

      public:
	explicit position(uint32_t samples) : block(samples)
	{
	}
	uint32_t set() const
	{
		return hammerstein_set(predistortion_active(), at / HAMMERSTEIN_PERIOD);
	}
	uint64_t samples() const
	{
		return at;
	}
	uint64_t index() const
	{
		return at / block;
	}
	void go_on()
	{
		at += block;
	}
};

class source : public gr::sync_block
{
	const uint32_t block;
	const uint64_t end;
	position next;

      public:
	source(uint32_t samples, uint64_t all)
	    : gr::sync_block("source", floats(0), floats(2)), block(samples), end(all), next(samples)
	{
		set_output_multiple(static_cast<int>(block));
	}

	int work(int count, gr_vector_const_void_star &, gr_vector_void_star &out) override
	{
		size_t made = 0;

		for (; made < static_cast<size_t>(count) && next.samples() < end; made += block) {
			const hammerstein_signal s = signal_of(out, 0, made);

			hammerstein_source(s.re, s.im, next.samples(), block);
			next.go_on();
		}
		return made ? static_cast<int>(made) : WORK_DONE;
	}
};

class polynomial : public gr::block
{
	const uint32_t block;
	position next;

      public:
	explicit polynomial(uint32_t samples)
	    : gr::block("polynomial", floats(2), floats(2 * branches)), block(samples), next(samples)
	{
		set_output_multiple(static_cast<int>(block));
	}

	void forecast(int count, gr_vector_int &required) override
	{
		for (int &n : required)
			n = count;
	}

	// One multiple at a time: the next one may be for other branches.
	int general_work(
		int, gr_vector_int &, gr_vector_const_void_star &in, gr_vector_void_star &out) override
	{
		const int n = static_cast<int>(block);
		const uint32_t set = next.set();
		hammerstein_signal powers[branches];

		for (int b = 0; b < branches; b++)
			powers[b] = signal_of(out, b, 0);
		hammerstein_polynomial(powers, set, signal_of(in, 0, 0), block);
		for (int b = 0; b < branches; b++)
			if (set >> b & 1) {
				produce(2 * b, n);
				produce(2 * b + 1, n);
			}
		consume_each(n);
		next.go_on();
		return WORK_CALLED_PRODUCE;
	}
};

class fir : public gr::sync_block
{
	const uint32_t block;
	const unsigned branch;
	hammerstein_past past = {};

      public:
	fir(uint32_t samples, unsigned number)
	    : gr::sync_block("fir", floats(2), floats(2)), block(samples), branch(number)
	{
		set_output_multiple(static_cast<int>(block));
	}

	int work(int count, gr_vector_const_void_star &in, gr_vector_void_star &out) override
	{
		for (size_t at = 0; at < static_cast<size_t>(count); at += block)
			hammerstein_filter(branch, signal_of(out, 0, at), &past, signal_of(in, 0, at), block);
		return count;
	}
};

class adder : public gr::block
{
	const uint32_t block;
	position next;

      public:
	explicit adder(uint32_t samples)
	    : gr::block("adder", floats(2 * branches), floats(2)), block(samples), next(samples)
	{
		set_output_multiple(static_cast<int>(block));
	}

	void forecast(int, gr_vector_int &required) override
	{
		const uint32_t set = next.set();

		for (int i = 0; i < 2 * branches; i++)
			required[static_cast<size_t>(i)] = set >> (i / 2) & 1 ? static_cast<int>(block) : 0;
	}

	int general_work(
		int, gr_vector_int &, gr_vector_const_void_star &in, gr_vector_void_star &out) override
	{
		const int n = static_cast<int>(block);
		const uint32_t set = next.set();
		hammerstein_signal filtered[branches];

		for (int b = 0; b < branches; b++)
			filtered[b] = signal_of(in, b, 0);
		hammerstein_add(signal_of(out, 0, 0), filtered, set, block);
		for (int b = 0; b < branches; b++)
			if (set >> b & 1) {
				consume(2 * b, n);
				consume(2 * b + 1, n);
			}
		next.go_on();
		return n;
	}
};

class sink : public gr::sync_block
{
	const uint32_t block;
	position next;

      public:
	uint64_t hash = 0;

	explicit sink(uint32_t samples)
	    : gr::sync_block("sink", floats(2), floats(0)), block(samples), next(samples)
	{
		set_output_multiple(static_cast<int>(block));
	}

	int work(int count, gr_vector_const_void_star &in, gr_vector_void_star &) override
	{
		for (size_t at = 0; at < static_cast<size_t>(count); at += block) {
			const hammerstein_signal s = signal_of(in, 0, at);

			hash += hammerstein_sink(s.re, s.im, next.index(), block);
			next.go_on();
		}
		return count;
	}
};

// A pair of streams, and the rings they need.
void connect_pair(const predistortion_way &w, gr::top_block &top, const gr::block_sptr &from, int out,
	const gr::block_sptr &to, int in)
{
	const long items = static_cast<long>(w.depth) * w.block;

	from->set_min_output_buffer(items);
	top.connect(from, 2 * out, to, 2 * in);
	top.connect(from, 2 * out + 1, to, 2 * in + 1);
}

uint64_t run(const void *arg, uint64_t samples)
{
	const predistortion_way &w = *static_cast<const predistortion_way *>(arg);
	gr::top_block_sptr top = gr::make_top_block("predistortion");
	const auto first = gnuradio::make_block_sptr<source>(w.block, samples);
	const auto powers = gnuradio::make_block_sptr<polynomial>(w.block);
	const auto sum = gnuradio::make_block_sptr<adder>(w.block);
	const auto last = gnuradio::make_block_sptr<sink>(w.block);

	connect_pair(w, *top, first, 0, powers, 0);
	for (int b = 0; b < branches; b++) {
		const auto filter = gnuradio::make_block_sptr<fir>(w.block, static_cast<unsigned>(b));

		connect_pair(w, *top, powers, b, filter, 0);
		connect_pair(w, *top, filter, 0, sum, b);
	}
	connect_pair(w, *top, sum, 0, last, 0);
	top->run();
	return last->hash;
}

void add()
{
	static const predistortion_way ways[] = { { 0, 4096, 4 }, { 0, 8192, 2 }, { 0, 8192, 4 },
		{ 0, 16384, 2 }, { 0, 16384, 4 }, { 0, 32768, 2 }, { 0, 32768, 4 }, { 0, 65536, 2 } };

	for (const predistortion_way &w : ways)
		peer_add(run, &w, "blocks, multiple %u, rings of %u", w.block, w.depth);
}

} // namespace

int main(int argc, char **argv)
{
	// it tells of each ring's size, and warns of those that it makes larger than asked
	gr::logging::singleton().set_default_level(spdlog::level::err);
	return peer_predistortion(argc, argv, add);
}
