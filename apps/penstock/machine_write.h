/* SPDX-License-Identifier: MIT */
/* Machine write: the machine that was looked at, as a part of a file for --machine (machine_parts.h). */
#ifndef PENSTOCK_COMMAND_MACHINE_WRITE_H
#define PENSTOCK_COMMAND_MACHINE_WRITE_H

#include "apps/penstock/machine_host.h"

#include <penstock/plan.h>
#include <stdbool.h>
#include <stdio.h>

struct machine_device {
	struct pstk_device_info info;
	char name[128];                  /* "gpu0", of a part "cpu0-1of2" */
	bool copies;                     /* what goes between it and the host */
	struct pstk_transfers transfers; /* bytes 0: not measured */
};

struct machine_look {
	const char *name;    /* the host's */
	const char *address; /* the name of the machine that it is; NULL: is not said */
	struct machine_host host;
	struct machine_device *devices;
	unsigned device_count;
};

/* The host with its devices, and its links. What goes wrong in writing is in the stream. -ENOMEM; json without jansson:
 * -ENOSYS. */
int machine_write_host(const struct machine_look *, bool json, FILE *);
int machine_write_links(const struct machine_look *, bool json, FILE *);

#endif
