/* SPDX-License-Identifier: MIT */
#ifndef PENSTOCK_CORES_H
#define PENSTOCK_CORES_H

#include <sched.h>

/* The cores that the calling thread may use; 1 where the system does not say. */
static inline unsigned ps_cores(void)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	return sched_getaffinity(0, sizeof set, &set) ? 1 : (unsigned)CPU_COUNT(&set);
}

#endif
