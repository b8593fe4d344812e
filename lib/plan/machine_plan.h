/* SPDX-License-Identifier: MIT */
/* Machine plan: the public face of an outline (<penstock/plan.h>). The plan has copies of all that it says. */
#ifndef PENSTOCK_MACHINE_PLAN_H
#define PENSTOCK_MACHINE_PLAN_H

#include "lib/model/network.h"
#include "penstock/plan.h"

enum { PS_PLAN_ERROR = 512 };

struct ps_planned_host;
struct ps_way;

/* A FIFO, by the numbers of its actors. */
struct ps_planned_edge {
	unsigned from, to;
	uint64_t cost; /* cycles that its way takes */
};

/* A device of the machine. */
struct ps_planned_device {
	unsigned host;               /* its number in the machine */
	const char *name, *selector; /* selector: NULL: none */
};

struct pstk_plan {
	int result;
	char error[PS_PLAN_ERROR];
	const struct pstk_fifo *blamed; /* that the error is about; NULL: no one */
	struct pstk_plan_summary summary;
	struct pstk_planned_actor *actors;
	struct pstk_planned_buffer *buffers;
	struct pstk_planned_memory *memory;
	struct pstk_planned_load *loads;
	unsigned actor_count, buffer_count, memory_count, load_count;
	unsigned fifo_count;                /* of the network */
	const char **readers;               /* of all buffers .. */
	unsigned *first;                    /* .. of buffer i: [first[i], first[i + 1]) */
	const struct pstk_network *network; /* only compared */
	const char **selectors;             /* of each actor's place; NULL: a host, or it has none */
	bool *on_device;                    /* of each actor */
	unsigned *hosts;                    /* of each actor's place: the number of its host */
	struct ps_planned_host *machine;    /* its hosts, in their order (ranks.h) .. */
	unsigned host_count;                /* .. and how many */
	struct ps_planned_device *devices;  /* of these hosts, in their order */
	unsigned device_count;
	struct ps_way **ways;                    /* of each FIFO (ways.h); NULL: directly */
	uint32_t *depths;                        /* of each FIFO: of the buffer that its reader reads .. */
	uint32_t *before;                        /* .. and of those on its way there; 0: there are none */
	uint64_t *arrives;                       /* of each FIFO: its first window's cycle, and 1; 0: none */
	struct ps_planned_edge *edges;           /* of each FIFO */
	struct ps_merge *merges, *merges_before; /* of each FIFO: what these share memory with */
	uint64_t *there;                         /* of each memory: what the place has; 0: not known */
	char **texts;                            /* what the strings lie in */
	unsigned text_count, text_room;
};

#endif
