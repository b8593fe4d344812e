/* SPDX-License-Identifier: MIT */
/* Host text: what tables call a host: its name, or, of a network without processes, "host 1". */
#ifndef PENSTOCK_HOST_TEXT_H
#define PENSTOCK_HOST_TEXT_H

#include "lib/plan/ranks.h"

#include <stdio.h>

enum { PS_HOST_TEXT = 24 };

/* Borrowed from the network, or in the buffer. */
static inline const char *ps_host_text(
	const struct pstk_network *net, unsigned host, char text[static PS_HOST_TEXT])
{
	const char *name = ps_ranks_count(net) ? ps_ranks_host(net, ps_ranks_of_host(net, host)) : NULL;

	snprintf(text, PS_HOST_TEXT, "host %u", host);
	return name ? name : text;
}

#endif
