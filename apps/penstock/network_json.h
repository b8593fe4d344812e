/* SPDX-License-Identifier: MIT */
/* A network that was built, as JSON. */
#ifndef PENSTOCK_COMMAND_NETWORK_JSON_H
#define PENSTOCK_COMMAND_NETWORK_JSON_H

#include <penstock/penstock.h>

/* Why this build can't write JSON; NULL: it can. */
const char *network_json_missing(void);

/* verdict: NULL: without one. 0, -ENOMEM or -EIO. */
int network_json_print(const struct pstk_network *, const struct pstk_verdict *, FILE *);

#endif
