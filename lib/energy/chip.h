/* SPDX-License-Identifier: MIT */
/*
 * Chip: the counters of a package, its cores and its GPU, and what follows from them: U = P - C - G.
 *
 * Descriptors are opened once, by powercap or perf, and read again and again. A counter may wrap once between two
 * reads. Those of powercap hold 65 to 262 kJ: a chip of 200 W fills them in five minutes at least. So a meter that runs
 * is to be read once a minute. They move at moments of their own: without more, U could fall from one read to the next.
 */
#ifndef PENSTOCK_ENERGY_CHIP_H
#define PENSTOCK_ENERGY_CHIP_H

#include "lib/energy/kind.h"

enum ps_chip_part { PS_CHIP_PACKAGE, PS_CHIP_CORES, PS_CHIP_DEVICE, PS_CHIP_PARTS };

struct ps_counter {
	enum ps_chip_part part;
	int fd;
	bool is_text;    /* a number in a line of a file; else an event's 8 bytes */
	double scale;    /* joules of a count */
	uint64_t range;  /* behind this count comes 0; 0: it never wraps */
	uint64_t last;   /* as it was read last */
	uint64_t counts; /* since it was added */
};

struct ps_chip {
	struct ps_counter *counters;
	unsigned count;
	unsigned of[PS_CHIP_PARTS]; /* counters of each part */
	bool cores_stand_still;     /* their counters are there, but do not count */
	struct pstk_joules most;    /* of all reads: totals never fall */
};

/* Adds a counter, of which part, fd, is_text, scale and range are set, and reads it. The descriptor is the chip's from
 * now on, and closed where this fails. Negative errno. */
int ps_chip_add(struct ps_chip *, struct ps_counter);

/* Functions of struct ps_energy_kind, for sources whose self is a struct ps_chip. */
int ps_chip_read(struct ps_energy_source *, const struct ps_busy *, struct pstk_joules *total);
bool ps_chip_settle(struct ps_energy_source *);
void ps_chip_close(struct ps_energy_source *);

#endif
