/* SPDX-License-Identifier: MIT */
/* Link check: do places share memory, or are windows copied between them, as the machine says? */
#ifndef PENSTOCK_COMMAND_LINK_CHECK_H
#define PENSTOCK_COMMAND_LINK_CHECK_H

#include "apps/penstock/loading.h"

/* Says a line for each two places between which a network that was planned does something else than the machine has.
 * Without a machine nothing. 0, or EXIT_FAILED: out of memory, said. */
int link_check(const struct loading *);

#endif
