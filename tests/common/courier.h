/* SPDX-License-Identifier: MIT */
/*
 * Courier: carries windows between networks that are parts of one, built alike in one process, as threads do between
 * processes. The thread that calls it owns all away ends. Network i is host i.
 */
#ifndef PENSTOCK_TESTS_COURIER_H
#define PENSTOCK_TESTS_COURIER_H

#include "lib/model/network.h"

enum { COURIER_PARTS = 4 };

struct courier {
	struct pstk_network *parts[COURIER_PARTS];
	unsigned count;
	uint64_t seed; /* it draws how many windows it holds at once, and which channel is next */
	int results[COURIER_PARTS];  /* of each part, what wait() has returned */
	unsigned channels;           /* how many there were */
	uint64_t windows;            /* that it carried */
	void (*carried)(void *data); /* after each; NULL: nothing */
	void *data;
	bool judges;       /* it looks for deadlocks over parts, as ranks do, and fails the first part */
	uint64_t activity; /* of all, when all stood still and it had nothing to carry; 0: not lately */
	unsigned idle;     /* rounds without anything to carry */
	bool dead;         /* it has found one */
};

/* Tells each part which host it is; before it starts. */
void courier_name(struct courier *);

/* Starts all parts, carries until all ends are closed, and waits. A part that fails, or is aborted, has all aborted.
 * Returns the first result that is no -ECANCELED, or else -ECANCELED, of a start that fails what that returns. */
int courier_run(struct courier *);

#endif
