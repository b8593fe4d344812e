// SPDX-License-Identifier: MIT
//
// CD to DAT by GNU Radio: its rational resamplers with the same taps, behind them a block with a history that
// transforms by GNU Radio's own class for transforms. A resampler's first output is that of a full filter, not of
// zeros and the first sample; cd_check() knows. Its sums depend on where in memory a window is, in the last bits: so
// of a run only the number of spectra is compared. Its scheduler runs a thread for each block, as it always does; a
// call of work() takes what is there, or at most so many samples.
//
// Usage: gnuradio_multirate [-n ROUNDS] [-s SECONDS] [-k TEXT] [-c] [-v] [-q]

#include "benchmarks/apps/cd_to_dat.h"
#include "benchmarks/apps/multirate.h"

#include <gnuradio/fft/fft.h>
#include <gnuradio/filter/rational_resampler.h>
#include <gnuradio/io_signature.h>
#include <gnuradio/logger.h>
#include <gnuradio/sync_block.h>
#include <gnuradio/sync_decimator.h>
#include <gnuradio/top_block.h>

#include <cstdio>
#include <cstring>
#include <vector>

namespace
{

const size_t sample = sizeof(gr_complex);

gr::io_signature::sptr one(size_t bytes)
{
	return gr::io_signature::make(1, 1, static_cast<int>(bytes));
}

gr::io_signature::sptr nothing()
{
	return gr::io_signature::make(0, 0, 0);
}

uint64_t spectra_of(uint64_t samples)
{
	return samples / stages_tokens(cd_stages()) * cd_stages()->stage[CD_FILTERS].units;
}

class source : public gr::sync_block
{
	uint64_t next = 0, end;

      public:
	// an iteration more: a resampler keeps the last samples of a stream back
	explicit source(uint64_t samples)
	    : gr::sync_block("source", nothing(), one(sample)), end(samples + stages_tokens(cd_stages()))
	{
	}

	int work(int count, gr_vector_const_void_star &, gr_vector_void_star &out) override
	{
		const uint64_t left = end - next, room = static_cast<uint64_t>(count),
			       n = left < room ? left : room;

		stages_source(cd_stages(), out[0], next, n);
		next += n;
		return n ? static_cast<int>(n) : WORK_DONE;
	}
};

class spectra : public gr::sync_decimator
{
	gr::fft::fft_complex_fwd fft{ CD_FFT };

      public:
	spectra() : gr::sync_decimator("spectra", one(sample), one(CD_FFT * sample), CD_HOP)
	{
		set_history(CD_FFT - CD_HOP + 1);
	}

	int work(int count, gr_vector_const_void_star &in, gr_vector_void_star &out) override
	{
		for (size_t i = 0; i < static_cast<size_t>(count); i++) {
			memcpy(fft.get_inbuf(), static_cast<const gr_complex *>(in[0]) + i * CD_HOP,
				CD_FFT * sample);
			fft.execute();
			memcpy(static_cast<gr_complex *>(out[0]) + i * CD_FFT, fft.get_outbuf(),
				CD_FFT * sample);
		}
		return count;
	}
};

class sink : public gr::sync_block
{
	uint64_t next = 0, end, hash = 0;
	std::vector<gr_complex> *keep;

      public:
	sink(uint64_t spectra, std::vector<gr_complex> *k)
	    : gr::sync_block("sink", one(CD_FFT * sample), nothing()), end(spectra), keep(k)
	{
	}

	int work(int count, gr_vector_const_void_star &in, gr_vector_void_star &) override
	{
		const gr_complex *bins = static_cast<const gr_complex *>(in[0]);
		const uint64_t left = end - next, got = static_cast<uint64_t>(count),
			       n = got < left ? got : left;

		if (keep)
			keep->insert(keep->end(), bins, bins + n * CD_FFT);
		else
			hash += stages_sink(cd_stages(), bins, next, n);
		next += n;
		return count;
	}

	uint64_t count() const
	{
		return next;
	}
};

// most: samples that a call gives; 0: as many as fit. Keeps the spectra unless that is NULL. Returns their number.
uint64_t run_blocks(int most, uint64_t samples, std::vector<gr_complex> *keep)
{
	gr::top_block_sptr top = gr::make_top_block("cd_to_dat");
	gr::basic_block_sptr before = gnuradio::make_block_sptr<source>(samples);
	auto last = gnuradio::make_block_sptr<sink>(spectra_of(samples), keep);

	for (const cd_filter *f = cd_filters(); f < cd_filters() + CD_FILTERS; f++) {
		auto filter = gr::filter::rational_resampler_ccf::make(f->interpolation, f->decimation,
			std::vector<float>(f->taps, f->taps + f->interpolation * f->phase_taps));

		if (most)
			filter->set_max_noutput_items(most);
		top->connect(before, 0, filter, 0);
		before = filter;
	}
	auto transform = gnuradio::make_block_sptr<spectra>();
	top->connect(before, 0, transform, 0);
	top->connect(transform, 0, last, 0);
	top->run();
	return last->count();
}

uint64_t run(const void *arg, uint64_t items)
{
	return run_blocks(*static_cast<const int *>(arg), items, nullptr);
}

void check()
{
	std::vector<gr_complex> kept;

	run_blocks(0, CD_LEAST, &kept);
	cd_check("GNU Radio", reinterpret_cast<const float *>(kept.data()), kept.size() / CD_FFT, true);
}

void add(multirate_table which, rounds_table *t)
{
	static const int most[] = { 0, 1024 };

	if (which == MULTIRATE_FM)
		return;
	if (which == MULTIRATE_CD && cd_stages()->count)
		check();
	for (const int &m : most) {
		char name[ROUNDS_NAME] = "blocks";

		if (m)
			snprintf(name, sizeof name, "blocks, at most %d", m);
		multirate_add(t, ROUNDS_PEER, run, &m, name)->group = 2;
	}
}

} // namespace

int main(int argc, char **argv)
{
	gr::logging::singleton().set_default_level(spdlog::level::err);
	return multirate_main(argc, argv, add);
}
