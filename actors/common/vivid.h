/* SPDX-License-Identifier: MIT */
/* Vivid: what the three actors of ViVid share. */
#ifndef PENSTOCK_ACTORS_VIVID_H
#define PENSTOCK_ACTORS_VIVID_H

#include "actors/common/sized.h"

/* An actor's arg. Its coefficients follow it, as the actor has laid them. */
struct ps_vivid {
	struct pstk_frame_size largest;
	uint32_t filters, rows;
	float coefficients[];
};

/* An actor to be added. */
struct ps_vivid_type {
	const char *name, *kernel; /* kernel: the source */
	const struct pstk_port *ports;
	uint32_t port_count;
	int (*init)(struct pstk_actor *);
	int (*fire)(struct pstk_firing *);
	size_t (*token_bytes)(const struct pstk_actor *, unsigned port, const void *came_in);
	/* its coefficients; NULL: it has none. what: for messages, "filters" */
	const char *what;
	size_t given, kept;                                     /* how many; as it lays them */
	void (*lay)(float *to, const struct pstk_vivid_spec *); /* kept ones; zeroed before */
};

/* BUILD. Is the spec one? 0, or a negative errno, and the network has the problem. */
int ps_vivid_check(struct pstk_network *, const char *name, const char *type, const struct pstk_vivid_spec *);

/* BUILD, with a spec that is right. NULL, and the network has the problem: coefficients that are none, no memory. */
struct pstk_actor *ps_vivid_add(struct pstk_network *, const char *name, const struct ps_vivid_type *,
	const struct pstk_vivid_spec *);

/* ACTOR, in init(). Checks the token size of a port: so many bytes for each pixel, or for each cell. */
int ps_vivid_check_pixels(struct pstk_actor *, unsigned port, size_t bytes);
int ps_vivid_check_cells(struct pstk_actor *, unsigned port, size_t bytes);

/* For token_bytes(): those of a token with so many floats for each cell of the frame that came in. */
size_t ps_vivid_cells(const void *came_in, size_t floats);

/* ACTOR, in init(). Sets the kernel's arguments from `index` on: uint width and height of the largest frame, filters,
 * rows, steps; and its work size: dimension 0 of groups of at most 256, dimension 1, and steps. */
int ps_vivid_set_kernel(struct pstk_actor *, unsigned index, size_t items, size_t lines);

#endif
