/* SPDX-License-Identifier: MIT */
/*
 * Complex baseband (I/Q) signals in and out, of libpenstock-iq.
 *
 *   - A sample is two floats. It travels through a network as two streams (see actors.h): ports re and im. One token is
 *     one float. Only transforms of blocks take it as one token of two floats.
 *   - Files hold the two floats side by side, little-endian (cf32_le), as GNU Radio's file sink writes them.
 *   - Inputs, outputs and spectra are the caller's. One thread at a time uses each of them. An actor borrows it until
 *     pstk_network_destroy(); the caller closes it after that.
 *   - SigMF needs jansson; the generated signal, spectra and transforms need kissfft. A build without them says so.
 *
 * Conventions (units, errors, contexts, ownership): <penstock/penstock.h>.
 */
#ifndef PENSTOCK_IQ_H
#define PENSTOCK_IQ_H

#include <penstock/penstock.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A text buffer of this size holds every error of this header. */
#define PSTK_IQ_ERROR_SIZE 256

/*
 * -- Input ------------------------------------------------------------------------------------------------------------
 *
 *	path              read as
 *	NULL              a generated signal: OFDM symbols with random data in a fifth of the band, root
 *	                  mean square 0.2, no sample's magnitude above 0.95; without end, the same for
 *	                  a seed each time
 *	NAME.sigmf-meta   a SigMF recording (also by its .sigmf-data): one channel of cf32_le or cu8; also samples in
 *	                  another file beside it (core:dataset) and with core:header_bytes of the first
 *	                  capture and core:trailing_bytes around them; both are regular files
 *	NAME.sigmf        refused, as it is an archive: unpack it (tar xf) and name its .sigmf-meta file
 *	NAME.cu8          cu8: two bytes side by side, unsigned, as rtl_sdr(1) writes them; 0 .. 255 is -1 .. 1
 *	-                 stdin, a file or a pipe: cf32_le
 *	else              cf32_le
 *
 * - Without a format the name says it. With one it is that of any file but a recording, whose metadata say it.
 * - A NaN or an infinity is a sample like any other; the input counts them.
 * - No sample at all is a stream too, unless the program refuses it (refuse_empty).
 * - The length of a regular file is what the file system says when the file is opened. What is added later is not read.
 *   Of files in /proc or /sys the file system says 0 or a page: read them through a pipe (cat FILE | PROGRAM, path
 *   "-").
 */
struct pstk_iq_input_spec {
	uint32_t struct_size; /* sizeof(struct pstk_iq_input_spec) of the program */
	const char *path;
	uint64_t samples; /* the stream ends after so many; 0: where the input ends */
	uint64_t seed;    /* of the generated signal */
	/* No sample at all is an error of pstk_iq_input_open(), which waits for a pipe's first byte then. */
	bool refuse_empty;
	const char *format; /* of a file: "cf32_le", "cu8"; NULL: see above */
};

/* A pointer to a spec that is filled as the arguments say: PSTK_IQ_INPUT(.path = "capture.cf32"). C only. */
#define PSTK_IQ_INPUT(...)                   \
	(&(const struct pstk_iq_input_spec){ \
		.struct_size = (uint32_t)sizeof(struct pstk_iq_input_spec), __VA_ARGS__ })

/* Returns an empty spec with struct_size set: for C++, and for specs that are built at run time. */
static inline struct pstk_iq_input_spec pstk_iq_input_spec_init(void)
{
	struct pstk_iq_input_spec spec = { (uint32_t)sizeof(struct pstk_iq_input_spec), NULL, 0, 0, false,
		NULL };

	return spec;
}

struct pstk_iq_info {
	double sample_rate; /* samples per second; 0: the input doesn't say */
	double frequency;   /* Hz, of the centre, in the first capture; 0: the input doesn't say */
	uint64_t samples;   /* in the stream; UINT64_MAX: not known yet (a pipe), or without end */
};

struct pstk_iq_input;

/*
 * Opens an input; may block, on a pipe. Context: any thread.
 *
 * input: gets the input; NULL after a failure.
 * error: gets one line with the path and the cause, at most size bytes; NULL: no text.
 * Errors:
 *   -EINVAL: bytes that are no whole samples, a format that is not known, SigMF metadata that are malformed or of
 *            another datatype, ..
 *   -ENODATA: empty, and refuse_empty
 *   -ENOTSUP: this build can't do it
 *   -EISDIR
 *   -ENOMEM
 *   else those of open()
 */
PSTK_PUBLIC int pstk_iq_input_open(
	struct pstk_iq_input **input, const struct pstk_iq_input_spec *, char *error, size_t size);

/* Tells rate, frequency and length of an input. Context: any thread. */
PSTK_PUBLIC int pstk_iq_input_get_info(const struct pstk_iq_input *, struct pstk_iq_info *);

/*
 * Returns the path of the file that samples are read from. Context: any thread.
 *
 * It may differ from the path that was given: of a SigMF recording it is the data file. NULL: there is no file, as with
 * stdin and the generated signal.
 * Ownership: the input's, until it is closed.
 */
PSTK_PUBLIC const char *pstk_iq_input_file(const struct pstk_iq_input *);

/*
 * Reads up to n samples, and waits for them. Context: one thread at a time.
 *
 * n: at most INT_MAX.
 * Returns the samples read; fewer than n: the end, or stopped.
 * Errors, which stick, and with which the samples of this call are lost:
 *   -EPROTO: a pipe ends within a sample, or a file has become shorter than it was
 *   else those of read()
 */
PSTK_PUBLIC int pstk_iq_input_read(struct pstk_iq_input *, float *re, float *im, size_t n);

/* Returns how many of the samples read so far have a part that is NaN or infinite. Context: the reading thread, or
 * after it has ended. */
PSTK_PUBLIC uint64_t pstk_iq_input_not_finite(const struct pstk_iq_input *);

/* Returns the largest magnitude of the finite samples read so far, to a float's precision; 0: there are none. Context:
 * the reading thread, or after it has ended. */
PSTK_PUBLIC double pstk_iq_input_peak(const struct pstk_iq_input *);

/* Ends the stream for good, also while a read waits for a pipe. Context: any thread, at any time until close. */
PSTK_PUBLIC void pstk_iq_input_stop(struct pstk_iq_input *);

/* Returns one line with the path and the cause of the failed read; "" when there is none. Context: the reading
 * thread. */
PSTK_PUBLIC const char *pstk_iq_input_error(const struct pstk_iq_input *);

/* Closes an input and frees it. Context: after pstk_network_destroy() of its network. */
PSTK_PUBLIC void pstk_iq_input_close(struct pstk_iq_input *);

/*
 * The type of a source of samples. Context: ANY.
 *
 * Ports: outputs re, im. arg: struct pstk_iq_input *, borrowed.
 * The actor ends with its input, whatever the rate. Under a team it keeps a thread of its own, because reading may
 * wait. A network that ends before its input does (by a stop, an error or the end of its readers) stops the input.
 * pstk_network_start() fails
 *   -EBUSY: for a second source with the same input, in this network or another, until the network of the first one has
 *           ended
 *   -EPIPE: a network, or the program, has stopped the input before its last sample was read; open it again
 */
PSTK_PUBLIC const struct pstk_actor_type *pstk_iq_source_type(void);

/*
 * The type of a source for this input. Context: ANY.
 *
 * Where reading never waits (the generated signal, a regular file) it is a type of the same name that leaves its
 * firings to the team, so that a window costs no wake-up. Else, and for NULL, it is pstk_iq_source_type().
 */
PSTK_PUBLIC const struct pstk_actor_type *pstk_iq_source_type_for(const struct pstk_iq_input *);

/*
 * -- Output -----------------------------------------------------------------------------------------------------------
 *
 *	path                                written as
 *	NAME.sigmf-meta, NAME.sigmf-data    both files of a SigMF recording
 *	-                                   cf32_le, to stdout
 *	else                                cf32_le
 *
 * Regular files
 *   A regular file is written under a new name of its own, PATH.NUMBERS.part. (Of a very long name NUMBERS follow its
 *   beginning.) pstk_iq_output_complete() renames it to PATH, or to where PATH leads if it is a link, also if nothing
 *   is there yet. Without that call the file is removed. What was there before is replaced, not written to. The
 *   permission bits of its owner, its group and others are copied when the output is opened, but nothing else. A file
 *   that may not be written is replaced if its folder may be written.
 *
 * SigMF
 *   The data get their name first. Either both files get their names, or what was there before stays.
 *
 * Other files
 *   Devices, FIFOs, stdout and the names of open descriptors (/dev/stdout, /dev/fd/N) are written directly, not as
 *   SigMF. A program that writes to pipes ignores SIGPIPE: then a closed pipe is -EPIPE.
 */
struct pstk_iq_output_spec {
	uint32_t struct_size; /* sizeof(struct pstk_iq_output_spec) of the program */
	const char *path;
	double sample_rate;      /* samples per second, for SigMF: 1 .. 1e12; 0: unknown */
	double frequency;        /* Hz, of the centre, for SigMF: -1e12 .. 1e12; 0: unknown */
	const char *description; /* UTF-8, for SigMF; NULL: none */
	/* It is only looked at whether the output can be opened: no file is made, and what is written goes nowhere. */
	bool dry;
};

/* A pointer to a spec that is filled as the arguments say. C only. */
#define PSTK_IQ_OUTPUT(...)                   \
	(&(const struct pstk_iq_output_spec){ \
		.struct_size = (uint32_t)sizeof(struct pstk_iq_output_spec), __VA_ARGS__ })

/* Returns an empty spec with struct_size set: for C++, and for specs that are built at run time. */
static inline struct pstk_iq_output_spec pstk_iq_output_spec_init(void)
{
	struct pstk_iq_output_spec spec = { (uint32_t)sizeof(struct pstk_iq_output_spec), NULL, 0, 0, NULL,
		false };

	return spec;
}

struct pstk_iq_output;

/*
 * Opens an output; may block, on a FIFO. Context: any thread.
 *
 * output: gets the output; NULL after a failure.
 * error: as in pstk_iq_input_open().
 * Errors:
 *   -EINVAL: a rate, frequency or description that SigMF can't have, ..
 *   -ENOTSUP: this build can't write SigMF
 *   -EISDIR
 *   -ENOMEM
 *   else those of open() and write()
 */
PSTK_PUBLIC int pstk_iq_output_open(
	struct pstk_iq_output **output, const struct pstk_iq_output_spec *, char *error, size_t size);

/*
 * Writes n samples. Context: one thread at a time.
 *
 * Errors, which stick:
 *   -ECANCELED: the output was stopped
 *   else those of write()
 */
PSTK_PUBLIC int pstk_iq_output_write(struct pstk_iq_output *, const float *re, const float *im, size_t n);

/*
 * Gives the files their names after the last sample. Context: one thread at a time.
 *
 * An output is completed once, and serves one network.
 * Errors: those of pstk_iq_output_write(), and
 *   -EISDIR: a folder has taken a name since the output was opened
 */
PSTK_PUBLIC int pstk_iq_output_complete(struct pstk_iq_output *);

/* Returns how many of the samples written so far have a part that is NaN or infinite. Context: the writing thread, or
 * after it has ended. */
PSTK_PUBLIC uint64_t pstk_iq_output_not_finite(const struct pstk_iq_output *);

/* Makes writing and completing fail, also while a write waits for a pipe. Context: any thread, at any time until
 * close. */
PSTK_PUBLIC void pstk_iq_output_stop(struct pstk_iq_output *);

/* Returns one line with the path and the cause of the failure; "" when there is none. Context: the writing thread. */
PSTK_PUBLIC const char *pstk_iq_output_error(const struct pstk_iq_output *);

/* Closes an output and frees it; a file that was not completed is removed. Context: after pstk_network_destroy() of its
 * network. */
PSTK_PUBLIC void pstk_iq_output_close(struct pstk_iq_output *);

/*
 * The type of a sink of samples. Context: ANY.
 *
 * Ports: inputs re, im. arg: struct pstk_iq_output *, borrowed; NULL: samples are swallowed.
 * At the end of the network the actor completes its output, unless the network failed or was aborted. Under a team it
 * keeps a thread of its own, because writing may wait.
 * pstk_network_start() fails
 *   -EBUSY: for a second sink with the same output, in this network or another, until the network of the first one has
 *           ended
 *   -EINVAL: with an output that is complete
 */
PSTK_PUBLIC const struct pstk_actor_type *pstk_iq_sink_type(void);

/*
 * The type of a sink for this output. Context: ANY.
 *
 * If the output is no pipe, socket or terminal, which would make the actor wait, it is a type of the same name that
 * leaves its firings to the team; so also for NULL. Else it is pstk_iq_sink_type().
 */
PSTK_PUBLIC const struct pstk_actor_type *pstk_iq_sink_type_for(const struct pstk_iq_output *);

/*
 * -- Spectrum: the power spectral density of a signal -----------------------------------------------------------------
 *
 * By Welch's method (P. Welch, "The Use of Fast Fourier Transform for the Estimation of Power Spectra", IEEE Trans.
 * Audio and Electroacoustics 15 (2), 1967): segments of `size` samples that overlap by a half, Hann window, mean of the
 * periodograms.
 */
struct pstk_spectrum;

/*
 * Creates an empty spectrum. Context: any thread.
 *
 * size: samples in a segment, and bins in the result; a power of two, 16 .. 65536.
 * Errors:
 *   -EINVAL: NULL, or another size
 *   -ENOMEM
 *   -ENOTSUP: this build has no kissfft
 */
PSTK_PUBLIC int pstk_spectrum_create(struct pstk_spectrum **, size_t size);

/*
 * Adds n samples. Context: one thread at a time.
 *
 * A segment is left out if one of its samples is not finite, or so large that sums overflow (1e33 is not).
 */
PSTK_PUBLIC int pstk_spectrum_add(struct pstk_spectrum *, const float *re, const float *im, size_t n);

/*
 * Tells the power in each of the `size` bins. Context: the adding thread, or after it has ended.
 *
 * power: gets `size` numbers: linear, the mean of all segments. Their sum is the signal's mean square. Bin 0 is the
 * lowest frequency, -1/2 of the sample rate; bin size/2 is 0 Hz.
 * Returns the number of segments; 0: too few samples, and power is all 0.
 */
PSTK_PUBLIC int64_t pstk_spectrum_get(const struct pstk_spectrum *, double *power);

/* Frees a spectrum. Context: after pstk_network_destroy() of its network. */
PSTK_PUBLIC void pstk_spectrum_destroy(struct pstk_spectrum *);

/*
 * The type of a sink that adds its samples to a spectrum: beside other sinks, by a broadcast. Context: ANY.
 *
 * Ports: inputs re, im. arg: struct pstk_spectrum *, borrowed.
 * pstk_network_start() fails with -EBUSY if an actor of a running network has the same spectrum.
 */
PSTK_PUBLIC const struct pstk_actor_type *pstk_spectrum_type(void);

/*
 * -- Transforms of blocks ---------------------------------------------------------------------------------------------
 */

/* Of pstk_fft_type(): the parameters of the same names. */
struct pstk_fft_arg {
	uint32_t size;      /* samples of a block, and its bins: a power of two, 2 .. 2^20; "1024" */
	uint32_t hop;       /* samples from block to block, 1 .. size; "0": size */
	const char *window; /* what each block is multiplied by: "rect" (1), "hann"; NULL: "rect" */
	bool inverse;       /* exp(+..) in place of exp(-..); "false" */
};

/*
 * The discrete Fourier transform of blocks that may overlap. Context: ANY.
 *
 *	bin[k] = sum over n of window[n] x[n] exp(-2 pi i k n / size),   0 <= n, k < size
 *
 * Ports: in, out; a token is a struct pstk_cf32. arg: struct pstk_fft_arg, copied.
 * A step takes `hop` samples and gives the `size` bins of a block: these samples, and the size - hop before them.
 * Before the stream there are zeros. So block b ends with sample (b + 1) hop - 1. A last block that is not full is
 * filled with zeros. Bin 0 is 0 Hz, and nothing is scaled: the inverse of a transform is `size` times what went in.
 * Hann: 1/2 - cos(2 pi n / size) / 2, so that windows with a hop of size / 2 add up to 1.
 * Single precision: errors are about 1e-7 of a block's largest bin. Stateless.
 * pstk_network_start() fails
 *   -EINVAL: a size that is no power of two, or a hop above the size
 *   -ERANGE: a size that is 0 or above 2^20, another window
 *   -ENOTSUP: this build has no kissfft, and the actor is on the cores
 *   -ENOMEM
 */
PSTK_PUBLIC const struct pstk_actor_type *pstk_fft_type(void);

#ifdef __cplusplus
}
#endif

#endif
