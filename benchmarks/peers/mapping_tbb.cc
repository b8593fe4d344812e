// SPDX-License-Identifier: MIT
#include "benchmarks/peers/mapping_tbb.h"
#include "benchmarks/apps/motion_frames.h"

#include <oneapi/tbb/parallel_pipeline.h>
#include <oneapi/tbb/task_arena.h>

#include <vector>

namespace
{

// A token: the frame between the stages, of a ring of as many as are live.
struct token {
	uint64_t index;
	uint8_t *raw, *smooth, *clean;
};

uint64_t pipeline(uint64_t frames, unsigned tokens)
{
	const size_t bytes = motion_frame_bytes();
	std::vector<uint8_t> memory(3 * bytes * tokens);
	uint64_t next = 0, hash = 0;
	const auto in_order = tbb::filter_mode::serial_in_order, beside = tbb::filter_mode::parallel;
	const auto source = [&](tbb::flow_control &control) -> token {
		uint8_t *at = memory.data() + next % tokens * 3 * bytes;

		if (next == frames) {
			control.stop();
			return {};
		}
		motion_source(at, next);
		return { next++, at, at + bytes, at + 2 * bytes };
	};
	const auto gauss = [](token t) {
		motion_gauss(t.smooth, t.raw);
		return t;
	};
	const auto median = [](token t) {
		motion_median(t.clean, t.smooth);
		return t;
	};
	const auto sink = [&](token t) { hash += motion_sink(t.clean, t.index); };

	tbb::parallel_pipeline(tokens, tbb::make_filter<void, token>(in_order, source) &
					       tbb::make_filter<token, token>(beside, gauss) &
					       tbb::make_filter<token, token>(beside, median) &
					       tbb::make_filter<token, void>(in_order, sink));
	return hash;
}

} // namespace

uint64_t mapping_tbb_run(uint64_t frames, unsigned tokens, unsigned threads)
{
	tbb::task_arena arena(static_cast<int>(threads));

	return arena.execute([=] { return pipeline(frames, tokens); });
}
