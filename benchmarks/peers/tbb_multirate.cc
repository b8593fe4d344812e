// SPDX-License-Identifier: MIT
//
// Networks of several rates by oneTBB, on two threads: parallel_pipeline over blocks of whole iterations.
//
// parallel    source and sink serial in order, the stages side by side. A stage reads the end of the block before, so
//             blocks are put in order in front of it; nothing else has to wait.
// serial      stages serial in order: a thread that has run one takes the block on to the next one.
//
// A block is a number of a place in rings that are made once (stages.h).
//
// Usage: tbb_multirate [-n ROUNDS] [-s SECONDS] [-k TEXT] [-c] [-v] [-q]

#include "benchmarks/apps/cd_to_dat.h"
#include "benchmarks/apps/fm_radio.h"
#include "benchmarks/apps/multirate.h"

#include <oneapi/tbb/parallel_pipeline.h>
#include <oneapi/tbb/task_arena.h>

#include <cstdio>

namespace
{

const uint32_t threads = 2;

struct way {
	const stages *(*line)();
	bool beside;
	uint32_t tokens, iterations;
};

// A run's rings.
class ring : public stages_ring
{
      public:
	explicit ring(const way &w)
	{
		stages_ring_open(this, w.line(), w.tokens, w.iterations);
	}
	~ring()
	{
		stages_ring_close(this);
	}
	ring(const ring &) = delete;
	ring &operator=(const ring &) = delete;
};

using number = uint64_t;
using filter = tbb::filter<number, number>;
const auto in_order = tbb::filter_mode::serial_in_order, beside = tbb::filter_mode::parallel;

filter stage(const ring &r, const way &w, unsigned i)
{
	const auto run = [&r, i](number block) {
		stages_ring_run(&r, i, block);
		return block;
	};
	const auto order = [](number block) { return block; };

	if (!w.beside)
		return tbb::make_filter<number, number>(in_order, run);
	if (!i) // the source is in order
		return tbb::make_filter<number, number>(beside, run);
	return tbb::make_filter<number, number>(in_order, order) &
	       tbb::make_filter<number, number>(beside, run);
}

uint64_t pipeline(const way &w, uint64_t blocks)
{
	const ring r(w);
	uint64_t next = 0, hash = 0;
	const auto source = [&](tbb::flow_control &control) -> number {
		if (next == blocks) {
			control.stop();
			return 0;
		}
		stages_ring_source(&r, next);
		return next++;
	};
	const auto sink = [&](number block) { hash += stages_ring_sink(&r, block); };
	filter line = stage(r, w, 0);

	for (unsigned i = 1; i < r.stages->count; i++)
		line = line & stage(r, w, i);
	tbb::parallel_pipeline(w.tokens, tbb::make_filter<void, number>(in_order, source) & line &
						 tbb::make_filter<number, void>(in_order, sink));
	return hash;
}

uint64_t run(const void *arg, uint64_t items)
{
	const way *w = static_cast<const way *>(arg);
	tbb::task_arena arena(threads);

	return arena.execute([=] { return pipeline(*w, items / stages_tokens(w->line()) / w->iterations); });
}

void add(multirate_table which, rounds_table *table)
{
	static const way ways[] = {
		{ cd_stages, true, 4, 1 },
		{ cd_stages, true, 4, 4 },
		{ cd_stages, true, 8, 4 },
		{ cd_stages, false, 4, 1 },
		{ cd_stages, false, 4, 4 },
		{ fm_stages, true, 4, 1 },
		{ fm_stages, true, 4, 4 },
		{ fm_stages, true, 4, 16 },
		{ fm_stages, false, 4, 4 },
		{ fm_stages, false, 4, 16 },
	};

	for (const way &w : ways) {
		char name[ROUNDS_NAME];

		if (w.line != (which == MULTIRATE_FM ? fm_stages : cd_stages))
			continue;
		snprintf(name, sizeof name, "pipeline, %s, tokens %u, iterations %u",
			w.beside ? "parallel" : "serial", w.tokens, w.iterations);
		multirate_add(table, ROUNDS_PEER, run, &w, name);
	}
}

} // namespace

int main(int argc, char **argv)
{
	return multirate_main(argc, argv, add);
}
