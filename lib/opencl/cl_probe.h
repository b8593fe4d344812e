/* SPDX-License-Identifier: MIT */
/*
 * Drivers that end the program. PoCL ends it with abort() where it can't find out what machine this is, as in a
 * chroot without /sys. That can't be caught here, nor foreseen for all drivers and versions. So where there is a
 * reason to doubt, and only there, a child process looks first. It is forked, perhaps in a program with threads,
 * where a child should only exec: a lock that another thread held then stays locked in the child. glibc sees to its
 * own, memory's and the loader's; for any other the parent waits a limited time, and then goes on as if it had not
 * asked. To describe the machine in the program's environment instead, as scripts do (HWLOC_SYNTHETIC), is not a
 * library's: another thread may be reading it.
 */
#ifndef PENSTOCK_CL_PROBE_H
#define PENSTOCK_CL_PROBE_H

#include <stdbool.h>
#include <stddef.h>

/* Any thread. Is there a reason why a driver may end the program, and what fixes it? In text, for a message. */
bool ps_cl_probe_doubt(char *text, size_t size);

/* Any thread. Calls look() in a child. false: it ended by a signal. */
bool ps_cl_probe(void (*look)(void));

/* How long the child may take. Only tests change it. */
extern int ps_cl_probe_ms;

#endif
