/* SPDX-License-Identifier: MIT */
/* Kind: what a kind of meter does. energy.c has the table of them. */
#ifndef PENSTOCK_ENERGY_KIND_H
#define PENSTOCK_ENERGY_KIND_H

#include "lib/base/text.h"

#include "penstock/energy.h"

/* What the caller has counted itself, in seconds since a beginning of its choice. None of them falls. */
struct ps_busy {
	double elapsed;
	double cores;  /* the sum over all cores */
	double device; /* the sum over all devices */
};

struct ps_energy_kind;

/* An open meter of one kind. */
struct ps_energy_source {
	const struct ps_energy_kind *kind;
	void *self;     /* the kind's own */
	unsigned flags; /* PSTK_ENERGY_..; open() and settle() set them */
};

struct ps_energy_kind {
	const char *name;
	/* Rounds of 50 ms of work within which a counter must have moved. 0: it has no counters. */
	unsigned rounds;
	/* Opens it. text: what is behind "name:", or NULL; own: the program's meter, or NULL. Returns 0, -ENODEV,
	 * -EACCES, -EINVAL or -ENOMEM, and then *why says it. What it has made is then gone again. */
	int (*open)(struct ps_energy_source *, const char *text, const struct pstk_meter *own,
		struct ps_text *why);
	/* The joules since any beginning. Allocates nothing. Negative errno. busy is NULL where it is not known. */
	int (*read)(struct ps_energy_source *, const struct ps_busy *, struct pstk_joules *total);
	/* After the work: leaves out a part whose counters stood still. false: without it this is no meter. NULL: it
	 * has no parts. */
	bool (*settle)(struct ps_energy_source *);
	void (*close)(struct ps_energy_source *);
};

extern const struct ps_energy_kind ps_energy_powercap, ps_energy_perf, ps_energy_nvml, ps_energy_sim,
	ps_energy_callback;

/* Says why and returns err. Control characters are shown as \x1b: texts of users and of files are in it. */
int ps_energy_refuse(struct ps_text *why, int err, const char *format, ...) PSTK_PRINTF(3, 4);

#endif
