/* SPDX-License-Identifier: MIT */
/* A network that was built, as JSON. */
#ifndef PENSTOCK_COMMAND_NETWORK_JSON_H
#define PENSTOCK_COMMAND_NETWORK_JSON_H

#include <penstock/penstock.h>

/* Can this build write JSON, as this option wants? -1; else what to exit with, said then. */
int network_json_refuse(const char *option);

/* verdict: NULL: without one. 0, -ENOMEM or -EIO. */
int network_json_print(const struct pstk_network *, const struct pstk_verdict *, FILE *);

#endif
