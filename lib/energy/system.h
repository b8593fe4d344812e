/* SPDX-License-Identifier: MIT */
/* System: what meters need of the machine. Tests put their own functions and folders there, and so depend on no time,
 * no privilege and no chip. */
#ifndef PENSTOCK_ENERGY_SYSTEM_H
#define PENSTOCK_ENERGY_SYSTEM_H

#include <stdint.h>
#include <sys/types.h>

struct perf_event_attr;

struct ps_energy_system {
	uint64_t (*clock_ns)(void);
	void (*work)(void); /* keeps the calling thread busy for 50 ms of its time on a core */
	int (*open)(const char *path, int flags, ...);
	int (*perf_event_open)(struct perf_event_attr *, pid_t, int cpu, int group, unsigned long flags);
	void *(*library_open)(const char *name, int flags);
	void *(*library_symbol)(void *library, const char *name);
	int (*library_close)(void *library);
	const char *powercap, *perf, *nvml; /* folders; a library's name */
};

/* Only tests change it, while no meter is opened. */
extern struct ps_energy_system ps_energy_system;

/* The first line of a file, without its end. Returns 0 or a negative errno: -EMSGSIZE if it does not fit. */
int ps_energy_line(const char *path, char *line, size_t size);

#endif
