/* SPDX-License-Identifier: MIT */
/*
 * Complex baseband (I/Q) signals in and out, of libpenstock-iq. Units, errors and contexts as in penstock.h.
 * A sample is two floats; it travels through a network as two streams (see actors.h): ports re and im, a
 * token a float. Files hold the two floats side by side, little-endian (cf32_le), as GNU Radio's file sink
 * writes them. Inputs, outputs and spectra are the caller's: each is used by one thread at a time, an actor
 * borrows it until the network's destroy, and the caller closes it after that.
 *
 * SigMF needs jansson; the generated signal and spectra need kissfft: a build without says so.
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
 * Input.
 *
 *	path              read as
 *	NULL              a generated signal: OFDM symbols with random data in a fifth of the band, root
 *	                  mean square 0.2, no sample's magnitude above 0.95; without end, the same for
 *	                  a seed each time
 *	NAME.sigmf-meta   a SigMF recording (also by its .sigmf-data): one channel of cf32_le; also samples in
 *	                  another file beside it (core:dataset) and with core:header_bytes of the first
 *	                  capture and core:trailing_bytes around them; both are regular files
 *	NAME.sigmf        refused, as it is an archive: unpack it (tar xf) and name its .sigmf-meta file
 *	-                 stdin, a file or a pipe: cf32_le
 *	else              cf32_le
 *
 * A NaN or an infinity is a sample like any other; they are counted. No sample at all is a stream, too, unless
 * the program refuses it (refuse_empty). A regular file's length is what the file system says when it is opened:
 * what is added later is not read, and files of /proc or /sys, of which it says 0 or a page, come through a pipe
 * (cat FILE | PROGRAM, path "-").
 */
struct pstk_iq_input_spec {
	uint32_t struct_size; /* sizeof(struct pstk_iq_input_spec) of the program */
	const char *path;
	uint64_t samples; /* the stream ends after so many; 0: where the input ends */
	uint64_t seed;    /* of the generated signal */
	bool refuse_empty; /* no sample at all is an error of pstk_iq_input_open(), which waits for a pipe's first byte */
};

/* A pointer to a spec that is filled as the arguments say: PSTK_IQ_INPUT(.path = "capture.cf32"). C only. */
#define PSTK_IQ_INPUT(...)                   \
	(&(const struct pstk_iq_input_spec){ \
		.struct_size = (uint32_t)sizeof(struct pstk_iq_input_spec), __VA_ARGS__ })

static inline struct pstk_iq_input_spec pstk_iq_input_spec_init(void)
{
	struct pstk_iq_input_spec spec = { (uint32_t)sizeof(struct pstk_iq_input_spec), NULL, 0, 0, false };

	return spec;
}

struct pstk_iq_info {
	double sample_rate; /* samples per second; 0: the input doesn't say */
	double frequency;   /* Hz, of the centre, in the first capture; 0: the input doesn't say */
	uint64_t samples;   /* in the stream; UINT64_MAX: nobody knows yet (a pipe), or without end */
};

struct pstk_iq_input;

/* Any thread. Opens an input; may block, on a pipe. *input is NULL after a failure, and `error` (size
 * bytes; may be NULL) has one line with the path and the cause. Errors: -EINVAL (bytes that are no whole
 * samples, SigMF metadata that are malformed or of another datatype, ..), -ENODATA (empty, and refuse_empty),
 * -ENOTSUP (this build can't), -EISDIR, -ENOMEM, or open()'s. */
PSTK_PUBLIC int pstk_iq_input_open(
	struct pstk_iq_input **input, const struct pstk_iq_input_spec *, char *error, size_t size);

/* Any thread. */
PSTK_PUBLIC int pstk_iq_input_get_info(const struct pstk_iq_input *, struct pstk_iq_info *);

/* Any thread. The path of the file that samples are read from, also where it is another one than the path
 * that was given: of a SigMF recording the data file. NULL: none, as with stdin and the generated signal.
 * The input's, until it is closed. */
PSTK_PUBLIC const char *pstk_iq_input_file(const struct pstk_iq_input *);

/* One thread at a time. Reads up to n samples (n at most INT_MAX), waiting for them: how many; fewer than
 * n: the end, or stopped. Errors, which stick, and with which the samples of this call are lost: -EPROTO (a
 * pipe ends within a sample, a file has become shorter than it was), or read()'s. */
PSTK_PUBLIC int pstk_iq_input_read(struct pstk_iq_input *, float *re, float *im, size_t n);

/* The reading thread, or after it has ended. Samples read so far of which a part is NaN or infinite. */
PSTK_PUBLIC uint64_t pstk_iq_input_not_finite(const struct pstk_iq_input *);

/* The reading thread, or after it has ended. The largest magnitude of the finite samples read so far, to a
 * float's precision; 0: none. */
PSTK_PUBLIC double pstk_iq_input_peak(const struct pstk_iq_input *);

/* Any thread, at any time until close: ends the stream for good, also while a read waits for a pipe. */
PSTK_PUBLIC void pstk_iq_input_stop(struct pstk_iq_input *);

/* The reading thread. One line with the path and the cause of the failed read; "" when there is none. */
PSTK_PUBLIC const char *pstk_iq_input_error(const struct pstk_iq_input *);

PSTK_PUBLIC void pstk_iq_input_close(struct pstk_iq_input *);

/* ANY. Outputs re, im. arg: struct pstk_iq_input *, borrowed. Ends with the input, whatever the rate. The
 * start of a second one with the same input, in this network or another, fails (-EBUSY) until the first
 * one's network has ended. A network that ends before its input does, by a stop, an error or its readers'
 * end, stops the input: then, or when the program has stopped it before its last sample was read, the start fails (-EPIPE); open it
 * again.
 * Under a team it keeps a thread of its own, as reading may wait. */
PSTK_PUBLIC const struct pstk_actor_type *pstk_iq_source_type(void);

/* ANY. The type for this input: one of the same name that leaves its firings to the team, where reading waits
 * for nobody (the generated signal, a regular file), so that a window costs no wake-up; else, and of NULL,
 * pstk_iq_source_type(). */
PSTK_PUBLIC const struct pstk_actor_type *pstk_iq_source_type_for(const struct pstk_iq_input *);

/*
 * Output. NAME.sigmf-meta (or .sigmf-data) writes both files of a SigMF recording, `-` is stdout, all else is
 * cf32_le.
 *
 * A regular file is written under a new name of its own, PATH.NUMBERS.part, which pstk_iq_output_complete()
 * renames to PATH, or to where PATH leads if it is a link, also if nothing is there yet; without that it is
 * removed. (Of a very long name NUMBERS follow its beginning.) What was there before is replaced, not
 * written to: its owner's and group's permission bits, and others', are copied when the output is opened,
 * but nothing else, and a file that may not be written is replaced where its folder may be. Of SigMF the
 * data get their name first; either both files get theirs or what was there before stays. Devices, FIFOs,
 * stdout and the names of open descriptors (/dev/stdout, /dev/fd/N) are written directly, not as SigMF. A
 * program that writes to pipes ignores SIGPIPE: then a closed pipe is -EPIPE.
 */
struct pstk_iq_output_spec {
	uint32_t struct_size; /* sizeof(struct pstk_iq_output_spec) of the program */
	const char *path;
	double sample_rate;      /* samples per second, for SigMF: 1 .. 1e12; 0: unknown */
	double frequency;        /* Hz, of the centre, for SigMF: -1e12 .. 1e12; 0: unknown */
	const char *description; /* UTF-8, for SigMF; NULL: none */
};

/* A pointer to a spec that is filled as the arguments say. C only. */
#define PSTK_IQ_OUTPUT(...)                   \
	(&(const struct pstk_iq_output_spec){ \
		.struct_size = (uint32_t)sizeof(struct pstk_iq_output_spec), __VA_ARGS__ })

static inline struct pstk_iq_output_spec pstk_iq_output_spec_init(void)
{
	struct pstk_iq_output_spec spec = { (uint32_t)sizeof(struct pstk_iq_output_spec), NULL, 0, 0, NULL };

	return spec;
}

struct pstk_iq_output;

/* Any thread. Opens an output; may block, on a FIFO. *output is NULL after a failure, and `error` as in
 * pstk_iq_input_open(). Errors: -EINVAL (a rate, frequency or description that SigMF can't have, ..),
 * -ENOTSUP (this build can't write SigMF), -EISDIR, -ENOMEM, or open()'s and write()'s. */
PSTK_PUBLIC int pstk_iq_output_open(
	struct pstk_iq_output **output, const struct pstk_iq_output_spec *, char *error, size_t size);

/* One thread at a time. Writes n samples. Errors stick: write()'s, -ECANCELED (stopped). */
PSTK_PUBLIC int pstk_iq_output_write(struct pstk_iq_output *, const float *re, const float *im, size_t n);

/* As pstk_iq_output_write(). The last sample was written: gives the files their names. An output is completed
 * once, and serves one network. Also -EISDIR: a folder has taken a name since the output was opened. */
PSTK_PUBLIC int pstk_iq_output_complete(struct pstk_iq_output *);

/* The writing thread, or after it has ended. Samples written so far of which a part is NaN or infinite. */
PSTK_PUBLIC uint64_t pstk_iq_output_not_finite(const struct pstk_iq_output *);

/* Any thread, at any time until close: writing fails, also while it waits for a pipe, and so does
 * completing. */
PSTK_PUBLIC void pstk_iq_output_stop(struct pstk_iq_output *);

/* The writing thread. One line with the path and the cause of the failure; "" when there is none. */
PSTK_PUBLIC const char *pstk_iq_output_error(const struct pstk_iq_output *);

/* Frees it; a file that was not completed is removed. */
PSTK_PUBLIC void pstk_iq_output_close(struct pstk_iq_output *);

/* ANY. Inputs re, im. arg: struct pstk_iq_output *, borrowed, or NULL: samples are swallowed. At the end
 * of the network it completes its output, unless the network failed or was aborted. The start of a second
 * one with the same output, in this network or another, fails (-EBUSY) until the first one's network has
 * ended; with an output that is complete it fails, too (-EINVAL). Under a team it keeps a thread of its own,
 * as writing may wait. */
PSTK_PUBLIC const struct pstk_actor_type *pstk_iq_sink_type(void);

/* ANY. The type for this output: one of the same name that leaves its firings to the team, unless the output
 * is a pipe, a socket or a terminal, which would make it wait (also of NULL); else pstk_iq_sink_type(). */
PSTK_PUBLIC const struct pstk_actor_type *pstk_iq_sink_type_for(const struct pstk_iq_output *);

/*
 * Spectrum: the power spectral density of a signal, by Welch's method (P. Welch, "The Use of Fast Fourier
 * Transform for the Estimation of Power Spectra", IEEE Trans. Audio and Electroacoustics 15 (2), 1967):
 * segments of `size` samples that overlap by a half, Hann window, mean of the periodograms.
 */
struct pstk_spectrum;

/* Any thread. size: samples in a segment, bins in the result; a power of two, 16 .. 65536. 0, -EINVAL,
 * -ENOMEM, -ENOTSUP: this build has no kissfft. */
PSTK_PUBLIC int pstk_spectrum_create(struct pstk_spectrum **, size_t size);

/* One thread at a time. Segments with a sample that is not finite, or so large that sums overflow (1e33 is
 * not), are left out. */
PSTK_PUBLIC int pstk_spectrum_add(struct pstk_spectrum *, const float *re, const float *im, size_t n);

/* The adding thread, or after it has ended. Power in each of the size bins, linear, mean of all segments:
 * the sum over the bins is the signal's mean square. The first bin is the lowest frequency, -1/2 of the
 * sample rate; bin size/2 is 0 Hz. Returns the number of segments; 0: too few samples, and power is all 0. */
PSTK_PUBLIC int64_t pstk_spectrum_get(const struct pstk_spectrum *, double *power);

PSTK_PUBLIC void pstk_spectrum_destroy(struct pstk_spectrum *);

/* ANY. Inputs re, im: a sink beside others, by a broadcast. arg: struct pstk_spectrum *, borrowed;
 * two actors of running networks can't have the same (-EBUSY). */
PSTK_PUBLIC const struct pstk_actor_type *pstk_spectrum_type(void);

#ifdef __cplusplus
}
#endif

#endif
