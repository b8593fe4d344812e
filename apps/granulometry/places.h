/* SPDX-License-Identifier: MIT */
/* Places: the machine that a granulometry runs on, as a plan takes it: this host and one or two devices. */
#ifndef GRANULOMETRY_PLACES_H
#define GRANULOMETRY_PLACES_H

#include <penstock/plan.h>

enum { PLACES_PARTS = 2 };

struct places {
	struct pstk_machine *machine;
	const char *names[PLACES_PARTS]; /* where each part is */
};

/* devices: selectors; NULL: the cores. 0, or what to exit with; said then, and nothing is open. */
int places_open(struct places *, const char *const devices[PLACES_PARTS]);
void places_close(struct places *);

/* The cores that this process may use. */
unsigned places_cores(void);

/* Do both selectors name one device? NULL: the cores, which are none. */
bool places_are_one_device(const char *const devices[PLACES_PARTS]);

#endif
