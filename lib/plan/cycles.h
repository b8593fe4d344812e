/* SPDX-License-Identifier: MIT */
/* Cycles: how many windows of delay tokens there are around the cycles that an actor lies on. */
#ifndef PENSTOCK_CYCLES_H
#define PENSTOCK_CYCLES_H

#include "lib/model/graph.h"

enum { PS_CYCLES_MOST = 256 }; /* so many firings are never side by side */

/* The search's memory. One thread. Actors and FIFOs are known by their index, UINT_MAX is none. */
struct ps_cycles {
	const struct pstk_network *net;
	struct ps_graph graph; /* the strongly connected parts by FIFOs that are always on */
	uint64_t steps;        /* that the searches may still make together */
	unsigned most;         /* as many windows, or more, limit nothing */

	/* one a actor each */
	unsigned *numbers;      /* all of them */
	unsigned *chain;        /* the actor that is asked in its place, because it lies on the same cycles */
	unsigned *answer, *why; /* windows, and the FIFO with the most of them; NOT_ASKED */
	unsigned *windows;      /* the search's: from where it began; UINT_MAX: not reached .. */
	unsigned *came;         /* .. over this FIFO .. */
	unsigned *next, *prev;  /* .. in the list of those that are as far .. */
	unsigned *reached, reached_count;
	unsigned first[PS_CYCLES_MOST]; /* .. which begins here */
};

/* most: so many windows, at most PS_CYCLES_MOST, limit nothing, nor do more. -ENOMEM; the end is to be
 * called in any case. */
int ps_cycles_init(struct ps_cycles *, const struct pstk_network *, unsigned most);
void ps_cycles_fini(struct ps_cycles *);

/* The least sum of floor(delay / rate) around a cycle of FIFOs that are always on through this actor, and
 * the FIFO on it with the most windows; UINT_MAX, NULL: there is none, or none with less than `most`. In a
 * network that would take long, of the last actors that are asked also what is more than the least. */
unsigned ps_cycles_through(struct ps_cycles *, const struct pstk_actor *, const struct pstk_fifo **most);

#endif
