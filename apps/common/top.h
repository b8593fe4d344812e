/* SPDX-License-Identifier: MIT */
/* Top: a table of what a network's actors do and how full its FIFOs are, drawn again and again. */
#ifndef COMMON_TOP_H
#define COMMON_TOP_H

#include <penstock/penstock.h>

#include <stdio.h>

struct top;

/* The network is looked at from its start on (pstk_network_set_sampling()). host: which one this process is, of several
 * (pstk_network_host()): what others do is not known here before the end. NULL: there is one. Borrowed. Returns NULL:
 * no memory. */
struct top *top_create(struct pstk_network *, const char *host);
void top_free(struct top *);

/* What happened since the last call. On a terminal it takes the former table's place; rows and columns that do not fit
 * are left out. */
void top_print(struct top *, FILE *out);

#endif
