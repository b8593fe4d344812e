/* SPDX-License-Identifier: MIT */
/* Memory limit: what a container leaves of a host's memory: the limits of the process's control groups. */
#ifndef PENSTOCK_COMMAND_MEMORY_LIMIT_H
#define PENSTOCK_COMMAND_MEMORY_LIMIT_H

#include <stdint.h>

/* Bytes: the least of the group's and of those above it, of cgroups 2 or 1. UINT64_MAX: there is none. root: in front
 * of /proc and /sys; "". */
uint64_t memory_limit(const char *root);

#endif
