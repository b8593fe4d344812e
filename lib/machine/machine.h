/* SPDX-License-Identifier: MIT */
/* Machine: hosts, devices and links as data. The public face: <penstock/plan.h>. */
#ifndef PENSTOCK_MACHINE_H
#define PENSTOCK_MACHINE_H

#include "penstock/plan.h"

enum { PS_MACHINE_ERROR = 512 };

struct ps_place {
	char *name;
	char *selector; /* NULL: none */
	char *address;  /* NULL: none */
	unsigned host;  /* index of a place */
	unsigned cores;
	uint64_t memory;     /* bytes; 0: not known */
	unsigned *links;     /* those that end here, in the order in which they were added */
	unsigned link_count; /* and how many */
};

struct ps_link {
	unsigned ends[2]; /* indices of places */
	enum pstk_link_kind kind;
	double rate, latency;
	bool half;
};

struct pstk_machine {
	struct ps_place *places;
	unsigned place_count;
	struct ps_link *links;
	unsigned link_count;
	void *names; /* tsearch(3) tree of struct ps_place_name */
	char error[PS_MACHINE_ERROR];
};

/* The other end of a link. */
static inline unsigned ps_link_other(const struct ps_link *l, unsigned place)
{
	return l->ends[0] == place ? l->ends[1] : l->ends[0];
}

/* Seconds that so many bytes take over a link that is not shared. */
static inline double ps_link_seconds(const struct ps_link *l, double bytes)
{
	return l->latency + bytes / l->rate;
}

/* "shared", "copy", "net" */
const char *ps_link_kind_name(enum pstk_link_kind);

#endif
