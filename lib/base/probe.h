/* SPDX-License-Identifier: MIT */
/*
 * Probe: places at which perf, bpftrace or SystemTap can look into a program that runs (USDT). Each is an instruction
 * that does nothing, and a note in the library that says where its arguments are. Without <sys/sdt.h> there are none.
 */
#ifndef PENSTOCK_PROBE_H
#define PENSTOCK_PROBE_H

#include "config.h"

#ifdef HAVE_SYS_SDT_H
#include <sys/sdt.h>
#define PS_PROBE2(name, a, b) DTRACE_PROBE2(penstock, name, a, b)
#define PS_PROBE3(name, a, b, c) DTRACE_PROBE3(penstock, name, a, b, c)
#else
#define PS_PROBE2(name, a, b) ((void)(a), (void)(b))
#define PS_PROBE3(name, a, b, c) ((void)(a), (void)(b), (void)(c))
#endif

#endif
