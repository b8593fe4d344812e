/* SPDX-License-Identifier: MIT */
/* Machine parts: what hosts have written of themselves, and the links between them, as one file for --machine. */
#ifndef PENSTOCK_COMMAND_MACHINE_PARTS_H
#define PENSTOCK_COMMAND_MACHINE_PARTS_H

#include "apps/penstock/net_measure.h"

#include <stdbool.h>
#include <stdio.h>

/* Of one host, or several. */
struct machine_parts {
	char **hosts, **links; /* of each, as machine_write_host() and machine_write_links() write them */
	unsigned count;
	const struct net_measure
		*nets;      /* of each two hosts; latency 0: was not measured. NULL: there are none */
	const char *prefix; /* of the hosts' names, with their numbers behind */
};

/* What goes wrong in writing is in the stream. -ENOMEM; json without jansson: -ENOSYS. */
int machine_parts_write(const struct machine_parts *, bool json, FILE *);

#endif
