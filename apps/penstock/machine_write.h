/* SPDX-License-Identifier: MIT */
/* Machine write: the machine that was looked at, as a file for --machine. */
#ifndef PENSTOCK_COMMAND_MACHINE_WRITE_H
#define PENSTOCK_COMMAND_MACHINE_WRITE_H

#include "apps/penstock/machine_host.h"

#include <penstock/plan.h>
#include <stdio.h>

struct machine_device {
	struct pstk_device_info info;
	char name[128];                  /* "gpu0", of a part "cpu0-1of2" */
	bool copies;                     /* what goes between it and the host */
	struct pstk_transfers transfers; /* bytes 0: not measured */
};

struct machine_look {
	const char *name; /* the host's */
	struct machine_host host;
	struct machine_device *devices;
	unsigned device_count;
};

/* What goes wrong in writing is in the stream. */
void machine_write_yaml(const struct machine_look *, FILE *);

/* 0, -ENOMEM; -ENOSYS: without jansson. */
int machine_write_json(const struct machine_look *, FILE *);

#endif
