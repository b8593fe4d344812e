/* SPDX-License-Identifier: MIT */
/*
 * Energy: a meter of the joules that cores, device and rest of a chip take. Which one a text says; the texts are in
 * <penstock/energy.h>.
 *
 * One thread at a time uses a meter. Reading allocates nothing and opens nothing. Read it once a minute at least: a
 * counter of the chip may wrap once between two reads (chip.h).
 */
#ifndef PENSTOCK_ENERGY_METER_H
#define PENSTOCK_ENERGY_METER_H

#include "lib/energy/kind.h"

struct ps_energy;

enum { PS_ENERGY_WHY = 1024 };

/*
 * Opens the meter that the text selects. NULL or "": the program's own one, which may be NULL; else the first of
 * powercap, perf, nvml that counts. It keeps the calling thread busy for 50 ms, or, where a counter is slow, for half
 * a second: counters must move meanwhile.
 *
 * Returns 0, or, with *meter NULL and the reason in why[size]:
 *   -ENODEV  there is no such meter here, or it stands still; or the text is "none"
 *   -EACCES  it is there, but can't be read
 *   -EINVAL  the text, or the program's struct pstk_meter, is wrong
 *   -ENOMEM
 * size is 8 at least; PS_ENERGY_WHY holds all that is said.
 */
int ps_energy_open(
	const char *selector, const struct pstk_meter *own, struct ps_energy **meter, char *why, size_t size);

/* The joules since the meter was opened; of "sim", those of the busy times. Only "sim" needs these. Negative errno:
 * then *total is as it was, and a later read may succeed. -ENODEV: e is NULL. */
int ps_energy_read(struct ps_energy *e, const struct ps_busy *busy, struct pstk_joules *total);

/* PSTK_ENERGY_.. of what it reads; 0: e is NULL. */
unsigned ps_energy_flags(const struct ps_energy *e);

/* "powercap", "perf+nvml", ..; "none": e is NULL. */
const char *ps_energy_name(const struct ps_energy *e);

/* The flags in words: "measured, derived". */
enum { PS_ENERGY_FLAGS_TEXT = 64 };
const char *ps_energy_flags_text(unsigned flags, char text[PS_ENERGY_FLAGS_TEXT]);

/* NULL is allowed. */
void ps_energy_close(struct ps_energy *e);

#endif
