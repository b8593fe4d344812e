/* SPDX-License-Identifier: MIT */
/*
 * The reusable actors of libpenstock-actors. Units, errors and contexts as in penstock.h. Each type is
 * static: the pointer is valid for ever; where an actor's ports depend on its parameters, a function builds
 * its type and adds it. Image actors take frames of 8-bit grey, one frame a token, row after row without
 * padding; any rate: they loop over the window's tokens. Their arg is copied by pstk_network_add(). They are stateless, as
 * polynomials and adders are: their firings may run side by side. A fir filter and a configuration are not.
 */
#ifndef PENSTOCK_ACTORS_H
#define PENSTOCK_ACTORS_H

#include <penstock/penstock.h>

#ifdef __cplusplus
extern "C" {
#endif

/* pixels; both at least 1; the FIFOs' token size is width x height, which init() checks */
struct pstk_frame_size {
	uint32_t width, height;
};

/* ANY. Ports in, out. 5x5 binomial (Gaussian) filter: weights outer([1 4 6 4 1], [1 4 6 4 1]), (sum + 128) >>
 * 8; rows 0, 1, h-2 and h-1 are copied, columns are clamped to the edge. arg: struct pstk_frame_size. */
PSTK_PUBLIC const struct pstk_actor_type *pstk_gauss5x5_type(void);

/* ANY. Ports in, out. Histogram equalisation as OpenCV's equalizeHist(), each frame for itself: 255
 * (H(pixel) - m) / n rounded to the nearest integer, halves up; H(v): the frame's pixels of value v or
 * below, m: H of its lowest value, n = width x height - m; a frame of one value is copied. arg: struct
 * pstk_frame_size. */
PSTK_PUBLIC const struct pstk_actor_type *pstk_equalize_type(void);

/* ANY. Ports now, before, out. |now - before| > threshold ? 255 : 0, byte by byte, any token size. */
struct pstk_threshold_arg {
	uint32_t threshold; /* 0..255 */
};
PSTK_PUBLIC const struct pstk_actor_type *pstk_threshold_type(void);

/* ANY. Ports in, out. Median of the plus (centre, north, south, east, west); the first and last row and
 * column are copied. arg: struct pstk_frame_size. */
PSTK_PUBLIC const struct pstk_actor_type *pstk_median5_type(void);

/*
 * Complex baseband signals. A signal is two streams, the real and the imaginary part, each a port of its own:
 * their names begin with "re" and "im". A token is one float, 4 bytes; the rate is the block of samples that
 * a firing takes, any rate from 1 on, the same at all ports of an actor. Sums are in single precision; with
 * fused multiply-adds or without, so cores and devices may differ in the last bits, and so may other rates;
 * each gives the same every time.
 *
 * A set of branches is the bits of a control value: branch 1 is bit 0.
 */
struct pstk_cf32 {
	float re, im;
};

/* How many branches an actor with a control port may have: 2^16 control values is what actors can declare. */
#define PSTK_MAX_BRANCHES 16

/* A term of a complex polynomial: x |x|^(order - 1), or with conj(x) in place of the first x. */
struct pstk_polynomial_branch {
	uint32_t order; /* odd, 1 .. 99 */
	bool conjugate;
};

/*
 * BUILD. Adds an actor that computes `count` terms of a complex polynomial, the basis functions of a parallel
 * Hammerstein model (L. Anttila, P. Handel, M. Valkama, "Joint Mitigation of Power Amplifier and I/Q
 * Modulator Impairments in Broadband Direct-Conversion Transmitters", IEEE Trans. Microwave Theory and
 * Techniques 58 (4), 2010, section III). Ports: inputs re, im; for each branch b from 1 on the outputs
 * "re<b>", "im<b>" ("re1", "im1", "re2", ..). branches is copied.
 *
 * dynamic: the actor has a control port, "active": only the branches in its value's set are computed, ports
 * of others are off; count is at most PSTK_MAX_BRANCHES, control_values 2^count. Else all are always on, and
 * there may be as many as an actor has ports for (2047), on a device as many as it takes arguments for.
 *
 * The network's problem, and NULL: -EINVAL (no branch, too many, an order that is even or above 99), -ENOMEM.
 */
PSTK_PUBLIC struct pstk_actor *pstk_polynomial_add(struct pstk_network *, const char *name,
	const struct pstk_polynomial_branch *branches, unsigned count, bool dynamic);

/* BUILD. Adds a finite impulse response filter, y[n] = sum over k of taps[k] x[n-k], with x = 0 before the
 * first sample. Ports: inputs re, im; outputs re_out, im_out. taps: count of them, 1 .. 65536, copied.
 * What it remembers, count - 1 samples, is kept while it does not fire. The network's problem, and NULL:
 * -EINVAL (no tap, too many, one that is not finite), -ENOMEM. */
PSTK_PUBLIC struct pstk_actor *pstk_fir_add(
	struct pstk_network *, const char *name, const struct pstk_cf32 *taps, unsigned count);

/*
 * BUILD. Adds an actor that sums `count` signals, in the order of their numbers, then a constant. Ports:
 * inputs "re1", "im1", "re2", ..; outputs re, im. The constant's parts are the parameters "re" and "im"
 * (pstk_actor_set_param()).
 *
 * dynamic: the actor has a control port, "active": only the inputs in its value's set are read, the others
 * are off; count is at most PSTK_MAX_BRANCHES, control_values 2^count. With the empty set it gives a
 * window of the constant without waiting for any signal, so it does so also when all signals have ended: the
 * sum is longer than they are, and never ends if all further sets are empty. Where it is to end with its
 * signals no set is empty. Else all are always on; count as in pstk_polynomial_add(). The
 * network's problem, and NULL: -EINVAL (no signal, too many, a constant that is not finite), -ENOMEM.
 */
PSTK_PUBLIC struct pstk_actor *pstk_adder_add(
	struct pstk_network *, const char *name, unsigned count, struct pstk_cf32 constant, bool dynamic);

/*
 * configuration: a source of control values: a list, a function of the program's, or set while the network
 * runs. Each value is given for a period of so many control tokens, that is firings of the actors under
 * control. Port out, rate 1, 4 bytes; connected to the control ports of all actors of a group. It never ends
 * by itself: it ends with its readers.
 */
struct pstk_configuration;

struct pstk_configuration_spec {
	uint32_t struct_size;   /* sizeof(struct pstk_configuration_spec) of the program */
	uint32_t period;        /* control tokens; at least 1 */
	const uint32_t *values; /* one a period, the last one holds; copied */
	size_t count;           /* of values; at least 1 unless there is choose */
	/* ACTOR. Instead of values: that of the index-th period, 0, 1, ..; it is asked once for each.
	 * NULL: values */
	uint32_t (*choose)(void *data, uint64_t index);
	void *data; /* of choose; borrowed until the network's destroy */
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

/* ANY. NULL: out of memory, or a spec that is not as said above. */
PSTK_PUBLIC struct pstk_configuration *pstk_configuration_create(const struct pstk_configuration_spec *);

/* BUILD. Adds the actor. A configuration belongs to one actor: -EBUSY. It is borrowed until the network's
 * destroy. */
PSTK_PUBLIC struct pstk_actor *pstk_configuration_add(
	struct pstk_network *, const char *name, struct pstk_configuration *);

/* ANY, also before the start. From the next period on that begins, this value holds, until it is set
 * again; values and choose are not asked any more. Which period that is depends on how far the network is.
 * 0 or -EINVAL (NULL). The readers' control_values are not known here: one that they do not have ends the
 * network with -ERANGE when they take it. */
PSTK_PUBLIC int pstk_configuration_set(struct pstk_configuration *, uint32_t value);

/* After the network's destroy. */
PSTK_PUBLIC void pstk_configuration_destroy(struct pstk_configuration *);

/*
 * push: a program with a loop of its own feeds a network. Port out, any token size and rate.
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

/* ANY. NULL: out of memory. */
PSTK_PUBLIC struct pstk_push *pstk_push_create(void);

/* BUILD. Adds the actor. A push belongs to one actor: -EBUSY. push is borrowed until the network's destroy.
 */
PSTK_PUBLIC struct pstk_actor *pstk_push_add(struct pstk_network *, const char *name, struct pstk_push *);

/* Any thread that is not an actor's of this network. Copies n tokens into the network; waits for room for at
 * most ns (0: try; PSTK_FOREVER). Returns the tokens taken: fewer than n after the time-out, or if the
 * network ends meanwhile; -EPIPE: nothing will be taken any more (stopped, failed, all readers gone, or after
 * pstk_push_end()); -EINVAL. Several threads may push; the tokens of one call stay together if all are taken
 * at once. */
PSTK_PUBLIC int pstk_push_write(struct pstk_push *, const void *tokens, size_t n, uint64_t ns);

/* As pstk_push_write(). The end of the stream: a partly filled window is published, the actor ends. */
PSTK_PUBLIC int pstk_push_end(struct pstk_push *);

/* After the network's destroy. */
PSTK_PUBLIC void pstk_push_destroy(struct pstk_push *);

/*
 * pull: a program with a loop of its own takes results. Port in, any token size and rate.
 */
struct pstk_pull;

/* ANY. NULL: out of memory. */
PSTK_PUBLIC struct pstk_pull *pstk_pull_create(void);

/* BUILD. Adds the actor. A pull belongs to one actor: -EBUSY. pull is borrowed until the network's destroy.
 */
PSTK_PUBLIC struct pstk_actor *pstk_pull_add(struct pstk_network *, const char *name, struct pstk_pull *);

/* Any thread that is not an actor's of this network. Copies up to n tokens out; waits for them for at most ns
 * (0: try; PSTK_FOREVER). Returns the tokens copied: fewer than n after the time-out or at the end; -EPIPE:
 * the stream has ended and nothing is left; -EINVAL. */
PSTK_PUBLIC int pstk_pull_read(struct pstk_pull *, void *tokens, size_t n, uint64_t ns);

/* As pstk_pull_read(). Wants no more: the actor ends, its FIFO discards. */
PSTK_PUBLIC int pstk_pull_end(struct pstk_pull *);

/* After the network's destroy. */
PSTK_PUBLIC void pstk_pull_destroy(struct pstk_pull *);

#ifdef __cplusplus
}
#endif

#endif
