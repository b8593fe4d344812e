/* SPDX-License-Identifier: MIT */
/*
 * A pipeline with a device, of which a test carries the items itself: so it says which stages run there, where each
 * window is, and how full. The network runs meanwhile, with a source that never fires.
 *
 * A stage computes byte by byte: of its inputs, its state, how many tokens are valid, and the number of the firing. The
 * same is computed by plain C, by stages outside of the run and for what must come out.
 */
#ifndef PENSTOCK_TESTS_ROW_NET_H
#define PENSTOCK_TESTS_ROW_NET_H

#include "lib/opencl/row.h"
#include "tests/fake_cl/fake_cl.h"

#include <penstock/penstock.h>
#include <stdatomic.h>

enum { ROW_STAGES = 6, ROW_INPUTS = 3, ROW_OUTPUTS = 2, ROW_WIRES = ROW_STAGES * (ROW_INPUTS + ROW_OUTPUTS) };

/* What an item's windows of one port are. */
struct row_wire {
	/* set before row_net_build() */
	unsigned writer; /* ROW_STAGES: the border */
	bool leaves;     /* the border reads it */
	uint32_t rate, token_size;
	bool in_place; /* the row may use the host's window, where the driver's memory is the host's */

	/* row_net_carry()'s */
	size_t bytes;
	uint32_t valid;
	unsigned char *host;     /* what the row sees */
	unsigned char *expected; /* what must be there */
};

enum row_form { ROW_KERNEL, ROW_HOST_CODE, ROW_HOST_CODE_DONE };

struct row_net;

struct row_stage {
	/* set before row_net_build() */
	enum row_form form; /* _DONE: fire_cl() returns PSTK_DONE */
	unsigned inputs, outputs;
	unsigned in[ROW_INPUTS], out[ROW_OUTPUTS]; /* wires */
	uint32_t key;                              /* its state */
	int fails;                                 /* what fire_cl() returns; 0: no error */

	struct row_net *of;
	struct pstk_actor *actor;
	struct pstk_port ports[ROW_INPUTS + ROW_OUTPUTS];
	char names[ROW_INPUTS + ROW_OUTPUTS][16];
};

struct row_net {
	struct row_stage stages[ROW_STAGES];
	unsigned stage_count;
	struct row_wire wires[ROW_WIRES];
	unsigned wire_count;

	struct pstk_network *net;
	struct pstk_pipeline *pipeline;
	struct pstk_port border[2][ROW_WIRES]; /* of the source, of the sink */
	char names[ROW_WIRES][16];
	atomic_bool go; /* the source ends */
	bool broken;    /* a run has failed: its commands may still read the windows */

	/* of the item that is carried */
	uint64_t item;
	uint32_t fired; /* stages, as a mask */
};

/* Before the process's first OpenCL call: the fake, these settings, PENSTOCK_MEMORY (NULL: not set). */
const struct fake_cl *row_net_driver(const char *settings, const char *memory);

/* Forgets faults, counts and violations; the kernels are there. */
void row_net_reset(const struct fake_cl *);

/* A chain of so many stages, of one rate, all windows in place; token_size 0: 4. */
void row_net_chain(struct row_net *, unsigned stages, uint32_t rate, uint32_t token_size);

/* Any pipeline. */
void row_net_draw(struct row_net *, uint64_t seed);

/* Builds it, with this device for all stages. A problem is the network's. */
void row_net_build(struct row_net *, const char *device);

/* Carries an item: stages of `mask` on the device, in runs, the others by plain C. valid: of 1024 parts of each input
 * that leads in, 1024: full. Checks each window that leaves, and what is behind its valid tokens. times: NULL, or a
 * training. Returns 0, or what ps_row_run() has, with its text and stage. */
int row_net_carry(struct row_net *, uint32_t mask, uint32_t valid, struct ps_row_times *,
	char text[PS_TEXT_SIZE], unsigned *failed);

/* The bytes that the runs of a mask copy to the device, and from there, for a full item. shares: none of windows that
 * may be in place. */
void row_net_bytes(const struct row_net *, uint32_t mask, bool shares, uint64_t *up, uint64_t *down);

/* Lets the source end, waits. Returns what wait() does. */
int row_net_end(struct row_net *);

/* Destroys the network, and frees what the test has. */
void row_net_free(struct row_net *);

#endif
