/* SPDX-License-Identifier: MIT */
/*
 * Launcher: mpirun and its kin, as a process that they have started sees them, before MPI has begun.
 */
#ifndef PENSTOCK_COMMAND_LAUNCHER_H
#define PENSTOCK_COMMAND_LAUNCHER_H

#include <stdbool.h>

struct launcher {
	bool found;     /* it has started this process, and maybe others */
	unsigned rank;  /* of this process */
	unsigned ranks; /* 0: it does not say how many */
};

/* By the variables that it sets for each process. One that has started one process alone is not found. */
struct launcher launcher_look(void);

/* Ends this process before MPI has begun, and with it those that wait for it in MPI's begin: else mpirun of MPICH would
 * let them wait for ever. Others end all processes where one ends with such a status. */
void launcher_give_up(int status) __attribute__((noreturn));

#endif
