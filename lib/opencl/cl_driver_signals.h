/* SPDX-License-Identifier: MIT */
/*
 * The program's signal handlers, kept over calls of OpenCL drivers. Drivers install handlers of their own when devices
 * are first looked for and contexts are made (PoCL: FPE, SEGV, BUS, ABRT, INT, TERM, USR1, USR2), after which a program
 * no longer ends of an interrupt and a division by zero goes on in silence. LLVM in them also gives the calling thread
 * another stack for handlers.
 */
#ifndef PENSTOCK_CL_DRIVER_SIGNALS_H
#define PENSTOCK_CL_DRIVER_SIGNALS_H

#include <signal.h>

enum { PS_CL_DRIVER_SIGNALS = 32 };

struct ps_cl_driver_signals {
	struct sigaction before[PS_CL_DRIVER_SIGNALS]; /* by number; 0 is none */
	stack_t stack;                                 /* the calling thread's, for handlers */
};

/* On one thread. Between the two a lock is held, so that no thread takes another one's driver's handlers for the
 * program's. (It also makes one thread at a time wake the drivers: to a second one PoCL 3.1 would have no devices yet.)
 * Only OpenCL may be called there, nothing that takes a lock of the library (but for the log of a driver's
 * message). */
void ps_cl_driver_signals_keep(struct ps_cl_driver_signals *);
void ps_cl_driver_signals_put_back(const struct ps_cl_driver_signals *);

#endif
