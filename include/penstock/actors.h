/* SPDX-License-Identifier: MIT */
/*
 * The reusable actors of libpenstock-actors.
 *
 *   - Each type is static: the pointer is valid for ever. Where an actor's ports depend on its parameters, a function
 *     builds its type and adds it.
 *   - Image actors take frames of 8-bit grey, row after row without padding. One frame is one token, and a step is one
 *     frame. pstk_network_add() copies their arg.
 *   - Actors are stateless, so their firings may run side by side. Not so pstk_fir_add(), a configuration, a push and a
 *     pull.
 *   - Where nothing else is said, a step moves one token at each port, and a firing has any number of steps: those of
 *     pstk_actor_set_steps(), or what the rate of a FIFO says. What comes out does not depend on it.
 *
 * Conventions (units, errors, contexts, ownership): <penstock/penstock.h>.
 */
#ifndef PENSTOCK_ACTORS_H
#define PENSTOCK_ACTORS_H

#include <penstock/penstock.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * -- Images -----------------------------------------------------------------------------------------------------------
 */

/* Pixels; both at least 1. The FIFOs' token size is width x height; init() checks that. */
struct pstk_frame_size {
	uint32_t width, height;
};

/*
 * Filters a frame with a 5x5 binomial (Gaussian) kernel. Context: ANY.
 *
 * Ports: in, out. arg: struct pstk_frame_size.
 * The weights are outer([1 4 6 4 1], [1 4 6 4 1]); a pixel is (sum + 128) >> 8. Rows 0, 1, h-2 and h-1 are copied.
 * Columns are clamped to the edge.
 */
PSTK_PUBLIC const struct pstk_actor_type *pstk_gauss5x5_type(void);

/*
 * Equalises the histogram of each frame by itself, as OpenCV's equalizeHist() does. Context: ANY.
 *
 * Ports: in, out. arg: struct pstk_frame_size.
 * A pixel becomes 255 (H(pixel) - m) / n, rounded to the nearest integer, halves up.
 *   H(v)   the number of the frame's pixels whose value is at most v
 *   m      H of the lowest value in the frame
 *   n      width x height - m
 * A frame of one value is copied.
 */
PSTK_PUBLIC const struct pstk_actor_type *pstk_equalize_type(void);

/*
 * Marks what has changed: |now - before| > threshold ? 255 : 0, byte by byte. Context: ANY.
 *
 * Ports: now, before, out; any token size. arg: struct pstk_threshold_arg.
 */
struct pstk_threshold_arg {
	uint32_t threshold; /* 0..255 */
};
PSTK_PUBLIC const struct pstk_actor_type *pstk_threshold_type(void);

/*
 * Takes the median of the plus: centre, north, south, east, west. Context: ANY.
 *
 * Ports: in, out. arg: struct pstk_frame_size.
 * The first and last row and column are copied.
 */
PSTK_PUBLIC const struct pstk_actor_type *pstk_median5_type(void);

/*
 * -- Images of 1 bit a pixel ------------------------------------------------------------------------------------------
 *
 * An image of width x height pixels, or a volume of width x height x depth, is one token of pstk_bits_size() bytes:
 * 64-bit words in the machine's byte order. A row has whole words; pixel x is bit x % 64 of word x / 64 of its row, and
 * the bits behind the last pixel are 0. Rows follow one another, then planes.
 */

/* Returns the bytes of such a token. Context: ANY. */
static inline size_t pstk_bits_size(uint32_t width, uint32_t height, uint32_t depth)
{
	return ((size_t)width / 64 + (width % 64 != 0)) * 8 * height * depth;
}

/*
 * Makes such an image of one of 8-bit grey: pixels above the threshold are 1. Context: ANY.
 *
 * bits: gets pstk_bits_size() bytes.
 * grey: width x height x depth bytes, row after row without padding.
 */
PSTK_PUBLIC void pstk_bits_pack(uint64_t *bits, const uint8_t *grey, uint32_t width, uint32_t height,
	uint32_t depth, uint32_t threshold);

/* Which pixels become 1. */
struct pstk_bits_spec {
	uint32_t struct_size;          /* sizeof(struct pstk_bits_spec) of the program */
	uint32_t width, height, depth; /* pixels; depth 0: 1, a plain image */
	uint32_t threshold;            /* 0..255: those above it */
};

/* A pointer to a spec that is filled as the arguments say. C only. */
#define PSTK_BITS(...)                   \
	(&(const struct pstk_bits_spec){ \
		.struct_size = (uint32_t)sizeof(struct pstk_bits_spec), __VA_ARGS__ })

static inline struct pstk_bits_spec pstk_bits_spec_init(void)
{
	struct pstk_bits_spec spec = { (uint32_t)sizeof(struct pstk_bits_spec), 0, 0, 0, 0 };

	return spec;
}

/*
 * Adds an actor that does what pstk_bits_pack() does. Context: BUILD.
 *
 * Ports: in, 8-bit grey; out, 1 bit a pixel.
 * Errors (NULL is returned, and the network has the problem):
 *   -EINVAL: no spec, or one without struct_size; no width or height, or too many bytes; a threshold above 255
 *   -ENOMEM
 */
PSTK_PUBLIC struct pstk_actor *pstk_bits_add(
	struct pstk_network *, const char *name, const struct pstk_bits_spec *);

/* Which neighbours of a pixel belong to the unit element, besides itself. */
enum pstk_element {
	PSTK_ELEMENT_SQUARE, /* the 8 around it; of a volume the 26 */
	PSTK_ELEMENT_CROSS   /* those that share a side with it: 4; of a volume 6 */
};

/* The most openings, for `last`. */
#define PSTK_MAX_OPENINGS 65535

struct pstk_openings_spec {
	uint32_t struct_size;          /* sizeof(struct pstk_openings_spec) of the program */
	uint32_t width, height, depth; /* pixels; depth 0: 1, a plain image */
	uint32_t first, last;          /* the sizes of the openings: first <= last, last from 1 on */
	uint32_t element;              /* enum pstk_element */
	bool image;                    /* the actor has the port out */
};

/* A pointer to a spec that is filled as the arguments say. C only. */
#define PSTK_OPENINGS(...)                   \
	(&(const struct pstk_openings_spec){ \
		.struct_size = (uint32_t)sizeof(struct pstk_openings_spec), __VA_ARGS__ })

static inline struct pstk_openings_spec pstk_openings_spec_init(void)
{
	struct pstk_openings_spec spec = { (uint32_t)sizeof(struct pstk_openings_spec), 0, 0, 0, 0, 0, 0,
		false };

	return spec;
}

/*
 * Adds an actor that counts what openings of growing size leave of an image: its granulometry. Context: BUILD.
 *
 * The opening of size n is n erosions, then n dilations, by the unit element. What is outside of the image counts as 1
 * for an erosion and as 0 for a dilation, so an image of ones stays.
 * Ports
 *   in      1 bit a pixel
 *   counts  u64, last - first + 1 of them a token: the pixels that the openings of size first .. last have left. Size 0
 *           is the image itself
 *   out     with `image`: the opening of size last
 * An opening of size n of an opening of a size up to n is the opening of size n. So two actors may share the work: the
 * first one with sizes 0 .. N and `image`, the second one behind it with N + 1 .. M.
 * Once nothing is left the rest of the counts is 0, and is not computed.
 * Errors (NULL is returned, and the network has the problem):
 *   -EINVAL: no spec, or one without struct_size; no width or height, or too many bytes; sizes that are not as said
 *            above, or no element
 *   -ENOMEM
 */
PSTK_PUBLIC struct pstk_actor *pstk_openings_add(
	struct pstk_network *, const char *name, const struct pstk_openings_spec *);

/*
 * -- Complex baseband signals -----------------------------------------------------------------------------------------
 *
 * A signal is two streams, the real and the imaginary part. Each has a port of its own, whose name begins with "re" or
 * "im". A token is one float, 4 bytes. A step is one sample. So the rate of a FIFO is the block of samples that a
 * firing takes, any from 1 on; it is the same at all ports of an actor.
 *
 * Sums are in single precision, with fused multiply-adds or without. So cores and devices may differ in the last bits,
 * and so may different rates. Each of them gives the same result every time.
 *
 * A set of branches is the bits of a control value: branch 1 is bit 0. Example: the value 5 is branches 1 and 3.
 */
struct pstk_cf32 {
	float re, im;
};

/* The most branches of an actor with a control port: actors can declare 2^16 control values. */
#define PSTK_MAX_BRANCHES 16

/* A term of a complex polynomial: x |x|^(order - 1), or with conj(x) in place of the first x. */
struct pstk_polynomial_branch {
	uint32_t order; /* odd, 1 .. 99 */
	bool conjugate;
};

/*
 * Adds an actor that computes `count` terms of a complex polynomial. Context: BUILD.
 *
 * They are the basis functions of a parallel Hammerstein model (L. Anttila, P. Handel, M. Valkama, "Joint Mitigation of
 * Power Amplifier and I/Q Modulator Impairments in Broadband Direct-Conversion Transmitters", IEEE Trans. Microwave
 * Theory and Techniques 58 (4), 2010, section III).
 *
 * Ports: inputs re, im; for each branch b from 1 on the outputs "re<b>", "im<b>" ("re1", "im1", "re2", ..).
 * branches: copied.
 * dynamic:
 *   true    the actor has a control port, "active". It computes only the branches in the value's set; the ports of the
 *           others are off. count is at most PSTK_MAX_BRANCHES, control_values is 2^count.
 *   false   all branches are always on. count is at most 2047, as many as an actor has ports for; on a device as many
 *           as the device takes arguments for.
 * Errors (NULL is returned, and the network has the problem):
 *   -EINVAL: no branch, too many branches, or an order that is even or above 99
 *   -ENOMEM
 */
PSTK_PUBLIC struct pstk_actor *pstk_polynomial_add(struct pstk_network *, const char *name,
	const struct pstk_polynomial_branch *branches, unsigned count, bool dynamic);

/*
 * Adds a finite impulse response filter: y[n] = sum over k of taps[k] x[n-k]. Context: BUILD.
 *
 * Before the first sample x is 0. The filter remembers count - 1 samples, also while it does not fire.
 * Ports: inputs re, im; outputs re_out, im_out.
 * taps: count of them, 1 .. 65536; copied.
 * Errors (NULL is returned, and the network has the problem):
 *   -EINVAL: no tap, too many taps, or a tap that is not finite
 *   -ENOMEM
 */
PSTK_PUBLIC struct pstk_actor *pstk_fir_add(
	struct pstk_network *, const char *name, const struct pstk_cf32 *taps, unsigned count);

/*
 * Adds an actor that sums `count` signals, in the order of their numbers, then a constant. Context: BUILD.
 *
 * Ports: inputs "re1", "im1", "re2", ..; outputs re, im.
 * constant: its parts are the parameters "re" and "im" (pstk_actor_set_param()).
 * dynamic:
 *   true    the actor has a control port, "active". It reads only the inputs in the value's set; the others are off.
 *           count is at most PSTK_MAX_BRANCHES, control_values is 2^count.
 *   false   all inputs are always on; count as in pstk_polynomial_add().
 * The empty set: the actor writes a window of the constant and waits for no signal. So it does that also when all
 * signals have ended: the sum is longer than they are then, and never ends if all further sets are empty. Where the sum
 * is to end with its signals, let no set be empty.
 * Errors (NULL is returned, and the network has the problem):
 *   -EINVAL: no signal, too many signals, or a constant that is not finite
 *   -ENOMEM
 */
PSTK_PUBLIC struct pstk_actor *pstk_adder_add(
	struct pstk_network *, const char *name, unsigned count, struct pstk_cf32 constant, bool dynamic);

/*
 * -- Filters with real taps, between two rates ------------------------------------------------------------------------
 *
 * Samples are f32 or cf32 (struct pstk_cf32, two floats side by side); a token is one sample. Ports: in, out.
 *
 * Sums are in single precision, in a fixed order: the result does not depend on steps, threads or the length of the
 * processor's vectors. A sample that is not finite goes into the outputs that it is part of, and no others. Before the
 * stream there are zeros. `.tail` of the input's FIFO, as many tokens as pstk_actor_port_history() says, lets a filter
 * ring out.
 */

/*
 * A filter. Its taps are one of: taps, text, path, or a design by cutoff.
 *
 * It computes this, without multiplying by the zeros: put interpolation - 1 zeros behind each sample, filter, keep each
 * decimation-th value from the first on. So with L the interpolation and M the decimation
 *
 *	out[n] = sum over j of taps[p + j L] in[i - j],   i = n M / L, rounded down,   p = n M modulo L
 *
 * A step takes M and gives L samples, both without their common factor.
 *
 * text: numbers apart by white space or commas; '#' begins a comment up to the line's end. Decimal points are points.
 *
 * A design is a low-pass filter of linear phase, a sinc under a Kaiser window (A. V. Oppenheim, R. W. Schafer,
 * Discrete-Time Signal Processing, third edition, section 7.5.3). Its delay is (count - 1) / 2 samples. Its gain at
 * 0 Hz is the interpolation, so that the signal keeps its size. Delay and cutoff are meant at the rate at which the
 * filter runs: that of the input times the interpolation.
 */
struct pstk_fir_spec {
	uint32_t struct_size; /* sizeof(struct pstk_fir_spec) of the program */
	uint32_t count;       /* of taps, or of those to design: 1 .. 4194304; of text and path it follows */
	const float *taps;    /* copied */
	const char *text;     /* the numbers */
	const char *path;     /* of a file with such a text, read at once */
	double cutoff; /* where the design's gain is a half: above 0, up to 0.5 of the rate as said above */
	double attenuation;                 /* of the design, dB: above 0, up to 200; 0: 60 */
	uint32_t interpolation, decimation; /* 1 .. 65536; 0: 1 */
};

/* A pointer to a spec that is filled as the arguments say: PSTK_FIR(.cutoff = 0.1, .count = 63). C only. */
#define PSTK_FIR(...) \
	(&(const struct pstk_fir_spec){ .struct_size = (uint32_t)sizeof(struct pstk_fir_spec), __VA_ARGS__ })

/* Returns an empty spec with struct_size set: for C++, and for specs that are built at run time. */
static inline struct pstk_fir_spec pstk_fir_spec_init(void)
{
	struct pstk_fir_spec spec = { (uint32_t)sizeof(struct pstk_fir_spec), 0, NULL, NULL, NULL, 0, 0, 0,
		0 };

	return spec;
}

/*
 * Adds such a filter, of f32 or of cf32. Context: BUILD.
 *
 * pstk_fir_add() has complex taps and a signal of two streams; it keeps a state.
 * Errors (NULL is returned, and the network has the problem):
 *   -EINVAL: no spec, or one without struct_size; none or several kinds of taps; no tap, too many taps, or a tap that
 *            is not finite; a text that is not of numbers; a number out of its range
 *   -ENOMEM
 *   else those of fopen() and read()
 */
PSTK_PUBLIC struct pstk_actor *pstk_fir_f32_add(
	struct pstk_network *, const char *name, const struct pstk_fir_spec *);
PSTK_PUBLIC struct pstk_actor *pstk_fir_cf32_add(
	struct pstk_network *, const char *name, const struct pstk_fir_spec *);

/*
 * Adds an actor that makes p samples of q: it changes the rate of a signal by p / q. Context: BUILD.
 *
 * It is a filter as above, of interpolation p and decimation q, both without their common factor. Its taps are a design
 * with an attenuation of 80 dB. The cutoff is half the lower of both rates. There are 2 x zeros x max(p, q) + 1 of
 * them, so the delay is zeros x max(1, q / p) samples of the input. With 16 zeros, what lies up to 0.42 of the lower
 * rate passes, and what lies from 0.58 of it on is attenuated. With more of them the two come nearer to a half.
 *
 * p, q: 1 .. 65536.
 * zeros: of the sinc, on each side; 0: 16.
 * Errors (NULL is returned, and the network has the problem):
 *   -EINVAL: p or q out of its range, or more than 4194304 taps
 *   -ENOMEM
 */
PSTK_PUBLIC struct pstk_actor *pstk_resample_f32_add(
	struct pstk_network *, const char *name, uint32_t p, uint32_t q, uint32_t zeros);
PSTK_PUBLIC struct pstk_actor *pstk_resample_cf32_add(
	struct pstk_network *, const char *name, uint32_t p, uint32_t q, uint32_t zeros);

/*
 * -- Tokens in another order ------------------------------------------------------------------------------------------
 *
 * These copy tokens of any size and type; all ports of an actor have one token size, or pstk_network_start() fails with
 * -EINVAL. A delay, n zeros in front of a stream, needs no actor: it is `.delay` of a FIFO (struct pstk_fifo_spec).
 */

/*
 * Adds an actor that makes one stream of several: widths[0] tokens of the first one, widths[1] of the second one, ..,
 * and so on again. Context: BUILD.
 *
 * Ports: inputs "in1", "in2", ..; output out.
 * widths: count of them, 1 .. 4095; each at least 1, their sum below 2^32; copied.
 * A step is such a row: widths[i] tokens of each input. The actor ends with its first input that ends. Tokens that make
 * no whole row are dropped, and the log says how many (PENSTOCK_DEBUG=fifo:info).
 * Errors (NULL is returned, and the network has the problem):
 *   -EINVAL: no width, too many widths, a width of 0, or widths that are too large
 *   -ENOMEM
 */
PSTK_PUBLIC struct pstk_actor *pstk_interleave_add(
	struct pstk_network *, const char *name, const uint32_t *widths, unsigned count);

/*
 * Adds the contrary: the first widths[0] tokens go to the first output, the next widths[1] to the second one, ..
 * Context: BUILD.
 *
 * Ports: input in; outputs "out1", "out2", ..
 * Each token comes out once, also those of a last row that is not full: then some outputs get fewer tokens than others.
 * On a device zeros fill that row, and each output gets its width.
 * widths, errors: as in pstk_interleave_add().
 */
PSTK_PUBLIC struct pstk_actor *pstk_deinterleave_add(
	struct pstk_network *, const char *name, const uint32_t *widths, unsigned count);

/*
 * Drops the first `count` tokens of a stream. Context: ANY.
 *
 * Ports: in, out. arg: struct pstk_skip_arg; it must be given, or its parameter be set.
 * The input's FIFO has room for `count` tokens more. A shorter stream gives none. `.tail` of that FIFO counts as
 * tokens.
 */
struct pstk_skip_arg {
	uint32_t count; /* 0 .. 4294967294 */
};
PSTK_PUBLIC const struct pstk_actor_type *pstk_skip_type(void);

/*
 * Writes each token `times` times. Context: ANY.
 *
 * Ports: in; out, which moves `times` tokens a step. arg: struct pstk_repeat_arg; it must be given, or its parameter be
 * set.
 */
struct pstk_repeat_arg {
	uint32_t times; /* at least 1 */
};
PSTK_PUBLIC const struct pstk_actor_type *pstk_repeat_type(void);

/*
 * -- Configuration: a source of control values ------------------------------------------------------------------------
 *
 * The values come from a list or from a function of the program, or the program sets them while the network runs. Each
 * value holds for a period of so many control tokens, that is, firings of the actors under control.
 *
 * Port: out, rate 1, 4 bytes; connect it to the control ports of all actors of a group.
 * The actor never ends by itself: it ends with its readers.
 * Example: period 3 and values 1, 2 give the control tokens 1 1 1 2 2 2 2 ..: the last value holds.
 */
struct pstk_configuration;

struct pstk_configuration_spec {
	uint32_t struct_size;   /* sizeof(struct pstk_configuration_spec) of the program */
	uint32_t period;        /* control tokens; at least 1 */
	const uint32_t *values; /* one for each period; the last one holds; copied */
	size_t count;           /* of values; at least 1 unless choose is set */
	/* Instead of values: returns the value of the index-th period, 0, 1, ..; called once for each period.
	 * Context: ACTOR. NULL: values */
	uint32_t (*choose)(void *data, uint64_t index);
	void *data; /* of choose; borrowed until pstk_network_destroy() */
};

/* A pointer to a spec that is filled as the arguments say. C only. */
#define PSTK_CONFIGURATION(...)                   \
	(&(const struct pstk_configuration_spec){ \
		.struct_size = (uint32_t)sizeof(struct pstk_configuration_spec), __VA_ARGS__ })

static inline struct pstk_configuration_spec pstk_configuration_spec_init(void)
{
	struct pstk_configuration_spec spec = { (uint32_t)sizeof(struct pstk_configuration_spec), 0, NULL, 0,
		NULL, NULL };

	return spec;
}

/* Creates a configuration. NULL: no memory, or a spec that is not as said above. Context: ANY. */
PSTK_PUBLIC struct pstk_configuration *pstk_configuration_create(const struct pstk_configuration_spec *);

/*
 * Adds the actor. Context: BUILD.
 *
 * Ownership: the configuration is borrowed until pstk_network_destroy().
 * Errors (NULL is returned, and the network has the problem):
 *   -EBUSY: the configuration belongs to another actor
 *   else those of pstk_network_add()
 */
PSTK_PUBLIC struct pstk_actor *pstk_configuration_add(
	struct pstk_network *, const char *name, struct pstk_configuration *);

/*
 * Sets the value that holds from the next period on that begins, until the next call. Context: ANY, also before the
 * start.
 *
 * values and choose are not used any more. Which period is the next one depends on how far the network is.
 * The readers' control_values are not known here. A value that they do not have ends the network with -ERANGE when they
 * take it.
 * Errors:
 *   -EINVAL: NULL
 */
PSTK_PUBLIC int pstk_configuration_set(struct pstk_configuration *, uint32_t value);

/* Frees a configuration. Context: after pstk_network_destroy() of its network. */
PSTK_PUBLIC void pstk_configuration_destroy(struct pstk_configuration *);

/*
 * -- Tasks: stand-ins that take time ----------------------------------------------------------------------------------
 *
 * A task takes its time in each firing and does nothing else, so that networks can be tried before there is code for
 * their actors: on cores, devices, with depths and mappings. It also notices tokens that get lost or mixed.
 *
 * Ports: in1, in2, .., out1, out2, ..; any rates; token sizes of at least 8 bytes.
 *   - The first 8 bytes of each token are a number, a uint64_t as the machine has it: 1, 2, 3, .. of an output. What
 *     follows in a token is not defined.
 *   - Each token that is read is checked: behind the FIFO's initial tokens, which are zeros, come 1, 2, 3, ..
 *     Another number ends the network with -EPROTO: the error names the port, the token, and both numbers. A device
 *     tells it at the end of the run, or, mode sleep, in a later firing.
 * A task with inputs ends with them; one without after `count` firings.
 */
enum { PSTK_TASK_PORTS_MAX = 16 };

/* How the time goes by. Whatever the mode, a task can be on the cores or on a device. */
enum pstk_task_mode {
	PSTK_TASK_BUSY, /* the thread computes: so much time of a core. On a device a kernel loops */
	PSTK_TASK_SLEEP, /* the core is free meanwhile. On a device a native kernel sleeps, if there are such */
	PSTK_TASK_KERNEL /* as busy */
};

struct pstk_task_spec {
	uint32_t struct_size;     /* sizeof(struct pstk_task_spec) of the program */
	unsigned inputs, outputs; /* 0 to PSTK_TASK_PORTS_MAX of each, but one port at least */
	enum pstk_task_mode mode;
	double time;    /* s of a firing, 0 to 1e9 */
	uint64_t count; /* firings of a task without inputs; 0: it does not end by itself */
};

/* A pointer to a spec that is filled as the arguments say. C only. */
#define PSTK_TASK(...)                   \
	(&(const struct pstk_task_spec){ \
		.struct_size = (uint32_t)sizeof(struct pstk_task_spec), __VA_ARGS__ })

static inline struct pstk_task_spec pstk_task_spec_init(void)
{
	struct pstk_task_spec spec = { (uint32_t)sizeof(struct pstk_task_spec), 0, 0, PSTK_TASK_BUSY, 0, 0 };

	return spec;
}

/*
 * Adds a task. Context: BUILD. Its parameter `time` may be set later, too.
 *
 * How long a loop of the kernel takes is found out at the start, once a device: some tens of milliseconds.
 * Errors (NULL is returned, and the network has the problem):
 *   -EINVAL: what is not as said above
 *   else those of pstk_network_add()
 * pstk_network_start() returns
 *   -EINVAL: a token is too small for a number
 *   -ENOTSUP: mode sleep, on a device that runs no native kernels
 */
PSTK_PUBLIC struct pstk_actor *pstk_task_add(
	struct pstk_network *, const char *name, const struct pstk_task_spec *);

/*
 * -- Push: a program with a loop of its own feeds a network -----------------------------------------------------------
 *
 * Port: out, any token size and rate.
 *
 *	struct pstk_push *push = pstk_push_create();
 *	struct pstk_actor *a = pstk_push_add(net, "camera", push);
 *	.. pstk_connect(), pstk_network_start() ..
 *	while (grab(frame))
 *		if (pstk_push_write(push, frame, 1, PSTK_FOREVER) != 1)
 *			break;
 *	pstk_push_end(push);
 *	pstk_network_wait(net);
 *	pstk_network_destroy(net);
 *	pstk_push_destroy(push);
 */
#define PSTK_FOREVER UINT64_MAX

struct pstk_push;

/* Creates a push. NULL: no memory. Context: ANY. */
PSTK_PUBLIC struct pstk_push *pstk_push_create(void);

/*
 * Adds the actor. Context: BUILD.
 *
 * Ownership: push is borrowed until pstk_network_destroy().
 * Errors (NULL is returned, and the network has the problem):
 *   -EBUSY: the push belongs to another actor
 *   else those of pstk_network_add()
 */
PSTK_PUBLIC struct pstk_actor *pstk_push_add(struct pstk_network *, const char *name, struct pstk_push *);

/*
 * Copies n tokens into the network. Context: any thread that is not an actor's of this network.
 *
 * ns: waits for room for at most this time; 0: does not wait; PSTK_FOREVER: waits until there is room.
 * Several threads may push. The tokens of one call stay together if all of them are taken at once.
 * Returns the tokens taken: fewer than n after the time-out, or if the network ends meanwhile.
 * Errors:
 *   -EPIPE: nothing will be taken any more: the network was stopped or has failed, all readers have ended, or
 *           pstk_push_end() was called
 *   -EINVAL: what is not as said here
 */
PSTK_PUBLIC int pstk_push_write(struct pstk_push *, const void *tokens, size_t n, uint64_t ns);

/* Ends the stream: a partly filled window is published, and the actor ends. Context: as pstk_push_write(). */
PSTK_PUBLIC int pstk_push_end(struct pstk_push *);

/* Frees a push. Context: after pstk_network_destroy() of its network. */
PSTK_PUBLIC void pstk_push_destroy(struct pstk_push *);

/*
 * -- Pull: a program with a loop of its own takes results -------------------------------------------------------------
 *
 * Port: in, any token size and rate.
 */
struct pstk_pull;

/* Creates a pull. NULL: no memory. Context: ANY. */
PSTK_PUBLIC struct pstk_pull *pstk_pull_create(void);

/*
 * Adds the actor. Context: BUILD.
 *
 * Ownership: pull is borrowed until pstk_network_destroy().
 * Errors (NULL is returned, and the network has the problem):
 *   -EBUSY: the pull belongs to another actor
 *   else those of pstk_network_add()
 */
PSTK_PUBLIC struct pstk_actor *pstk_pull_add(struct pstk_network *, const char *name, struct pstk_pull *);

/*
 * Copies up to n tokens out. Context: any thread that is not an actor's of this network.
 *
 * ns: waits for them for at most this time; 0: does not wait; PSTK_FOREVER: waits until they have come.
 * Returns the tokens copied: fewer than n after the time-out or at the end.
 * Errors:
 *   -EPIPE: the stream has ended and nothing is left
 *   -EINVAL: what is not as said here
 */
PSTK_PUBLIC int pstk_pull_read(struct pstk_pull *, void *tokens, size_t n, uint64_t ns);

/* Ends the reading: the actor ends, and its FIFO discards what is written. Context: as pstk_pull_read(). */
PSTK_PUBLIC int pstk_pull_end(struct pstk_pull *);

/* Frees a pull. Context: after pstk_network_destroy() of its network. */
PSTK_PUBLIC void pstk_pull_destroy(struct pstk_pull *);

#ifdef __cplusplus
}
#endif

#endif
