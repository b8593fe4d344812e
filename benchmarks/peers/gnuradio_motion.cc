// SPDX-License-Identifier: MIT
//
// Motion detection by GNU Radio: items are frames (vectors of bytes), and its scheduler runs a thread for
// each block, as it always does. A call of work() takes as many frames as are there. Threshold is a block
// with a history of two items: the frame before is in its window. The rings between blocks hold so many
// frames; their memory is mapped twice, so that a window never ends at their end.
//
// Usage: gnuradio_motion [-H] [-S WxH] [-n ROUNDS] [-s SECONDS] [-k TEXT] [-c] [-v] [-q]

#include "benchmarks/apps/motion_frames.h"
#include "benchmarks/peers/peer.h"

#include <gnuradio/io_signature.h>
#include <gnuradio/logger.h>
#include <gnuradio/sync_block.h>
#include <gnuradio/top_block.h>

namespace
{

struct way {
	uint32_t frames; // a ring holds
	uint32_t most;   // at a call; 0: as many as are there
};

gr::io_signature::sptr one_frame()
{
	return gr::io_signature::make(1, 1, motion_frame_bytes());
}

gr::io_signature::sptr nothing()
{
	return gr::io_signature::make(0, 0, 0);
}

const uint8_t *frames_of(const gr_vector_const_void_star &items)
{
	return static_cast<const uint8_t *>(items[0]);
}

uint8_t *frames_of(const gr_vector_void_star &items)
{
	return static_cast<uint8_t *>(items[0]);
}

class source : public gr::sync_block
{
	uint64_t next = 0, end;

      public:
	explicit source(uint64_t frames) : gr::sync_block("source", nothing(), one_frame()), end(frames)
	{
	}

	int work(int count, gr_vector_const_void_star &, gr_vector_void_star &out) override
	{
		int made = 0;

		for (; made < count && next < end; made++)
			motion_source(
				frames_of(out) + static_cast<size_t>(made) * motion_frame_bytes(), next++);
		return made ? made : WORK_DONE;
	}
};

class filter : public gr::sync_block
{
	void (*apply)(uint8_t *frame, const uint8_t *in);

      public:
	filter(const char *name, void (*f)(uint8_t *, const uint8_t *))
	    : gr::sync_block(name, one_frame(), one_frame()), apply(f)
	{
	}

	int work(int count, gr_vector_const_void_star &in, gr_vector_void_star &out) override
	{
		const size_t bytes = motion_frame_bytes();

		for (size_t i = 0; i < static_cast<size_t>(count); i++)
			apply(frames_of(out) + i * bytes, frames_of(in) + i * bytes);
		return count;
	}
};

class threshold : public gr::sync_block
{
      public:
	threshold() : gr::sync_block("threshold", one_frame(), one_frame())
	{
		set_history(2); // the first item is the frame before; of zeros at the beginning
	}

	int work(int count, gr_vector_const_void_star &in, gr_vector_void_star &out) override
	{
		const size_t bytes = motion_frame_bytes();

		for (size_t i = 0; i < static_cast<size_t>(count); i++) {
			const uint8_t *before = frames_of(in) + i * bytes;

			motion_threshold(frames_of(out) + i * bytes, before + bytes, before);
		}
		return count;
	}
};

class sink : public gr::sync_block
{
	uint64_t next = 0;

      public:
	uint64_t hash = 0;

	sink() : gr::sync_block("sink", one_frame(), nothing())
	{
	}

	int work(int count, gr_vector_const_void_star &in, gr_vector_void_star &) override
	{
		for (size_t i = 0; i < static_cast<size_t>(count); i++)
			hash += motion_sink(frames_of(in) + i * motion_frame_bytes(), next++);
		return count;
	}
};

uint64_t run(const void *arg, uint64_t frames)
{
	const way *w = static_cast<const way *>(arg);
	gr::top_block_sptr top = gr::make_top_block("motion");
	auto last = gnuradio::make_block_sptr<sink>();
	const gr::block_sptr blocks[] = { gnuradio::make_block_sptr<source>(frames),
		gnuradio::make_block_sptr<filter>("gauss", motion_gauss),
		gnuradio::make_block_sptr<threshold>(),
		gnuradio::make_block_sptr<filter>("median", motion_median), last };

	for (unsigned i = 0; i < 5; i++) {
		if (w->most)
			blocks[i]->set_max_noutput_items(static_cast<int>(w->most));
		if (i < 4) {
			blocks[i]->set_min_output_buffer(w->frames);
			top->connect(blocks[i], 0, blocks[i + 1], 0);
		}
	}
	top->run();
	return last->hash;
}

void add()
{
	static const way ways[] = { { 4, 0 }, { 8, 0 }, { 16, 0 }, { 16, 4 }, { 32, 0 }, { 32, 8 },
		{ 64, 0 } };

	for (const way &w : ways)
		if (w.most)
			peer_add(run, &w, "blocks, rings of %u, at most %u", w.frames, w.most);
		else
			peer_add(run, &w, "blocks, rings of %u", w.frames);
}

} // namespace

int main(int argc, char **argv)
{
	// it tells of each ring's size, and warns of those that it makes larger than asked, because they have to
	// be whole pages and whole frames
	gr::logging::singleton().set_default_level(spdlog::level::err);
	return peer_motion(argc, argv, add);
}
