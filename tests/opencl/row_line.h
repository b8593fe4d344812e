/* SPDX-License-Identifier: MIT */
/*
 * A pipeline of two stages with a device whose items the library carries, between a source and a sink: what is copied
 * for windows of any size, and what its report says. A stage adds 1 to each byte. Each token that leaves is checked.
 */
#ifndef PENSTOCK_TESTS_ROW_LINE_H
#define PENSTOCK_TESTS_ROW_LINE_H

#include "tests/fake_cl/fake_cl.h"

#include <penstock/penstock.h>

enum { ROW_LINE_STAGES = 2 };

struct row_line {
	/* set before row_line_run() */
	const char *device, *configuration;
	uint32_t rate, token_size;
	uint32_t delay;   /* tokens of zeros, in the FIFO to the pipeline and in that from it */
	bool kahn;        /* source and sink move tokens as they like */
	bool two_sinks;   /* they read one memory */
	unsigned threads; /* of a team; 0: none */

	/* what came of it */
	uint64_t to_device, to_host; /* bytes copied */
	uint64_t on_device;          /* items */
	double device_s[ROW_LINE_STAGES];

	struct pstk_network *net;
	uint64_t next, came[2]; /* tokens of the source, of the sinks */
};

/* Where the tests run on the fake driver: it has the kernel from now on. */
void row_line_kernel(const struct fake_cl *);

/* Builds it, runs it, destroys it. */
void row_line_run(struct row_line *);

/* Windows of sizes that are no multiples of any alignment, where host and device share memory: nothing is copied,
 * whatever is on the device. The report has times of the stages there. */
void row_line_sizes(const char *device);

/* .. and delay tokens, ends that move tokens as they like, a team. */
void row_line_kinds(const char *device);

/* What is copied all the same: a part of a window in delay tokens; readers that share memory. */
void row_line_copies(const char *device);

#endif
