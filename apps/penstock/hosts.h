/* SPDX-License-Identifier: MIT */
/*
 * Hosts: the processes that a launcher has started for one run, each on a host of the machine.
 *
 * All of them load the same files. Where one can't go on the others end, too: at some points (hosts_agree()) each rank
 * waits for the others and learns whether all go on. Between two such points a rank that can't get to the next one ends
 * all processes.
 *
 * What a rank has to say before the run is mostly what all say. So the other ranks than 0 hold it until they agree, and
 * write it only where rank 0 has said something else, with their name in front.
 */
#ifndef PENSTOCK_COMMAND_HOSTS_H
#define PENSTOCK_COMMAND_HOSTS_H

#include "apps/penstock/held.h"
#include "apps/penstock/launcher.h"
#include "apps/penstock/mpi_library.h"

#include <penstock/penstock.h>

struct talk;

struct hosts {
	const char *subject; /* what this process does: all ranks do the same; set by the command */
	struct launcher launcher;
	struct mpi_library library;
	struct pstk_transport *transport; /* of the network; NULL: this process is alone */
	struct pstk_transport *beside;    /* of what the processes say to each other */
	struct talk *talk;
	struct held held;
	char *own;         /* the host that this process is, once it is known; owned */
	char machine[256]; /* the name of the machine that it runs on; "": was not needed yet */
	struct hosts_process {
		int number;        /* its pid */
		char machine[256]; /* .. on this machine */
	} * processes;             /* of each rank; NULL: not known yet; owned */
	int status;                /* not 0: they have agreed to end */
};

/* Looks whether a launcher has started several processes. Begins nothing, but holds what the others than rank 0 say.
 * subject: what this process does, such as "run"; ranks that do different things are refused. */
void hosts_look(struct hosts *, const char *subject);

/* Begins MPI where there are several processes. status: of the command line, -1: go on; it is given back, or what to
 * exit with, said then. */
int hosts_begin(struct hosts *, int status);

bool hosts_are_several(const struct hosts *);

/* Is this the rank whose output counts? Of a process that is alone, too. */
bool hosts_is_first(const struct hosts *);

/* Lets the network run over all hosts, when all ranks have loaded it. Each knows its own host then. 0, or what to exit
 * with, said by a rank. */
int hosts_join(struct hosts *, struct pstk_network *);

/* Waits for all ranks. status: of this one. 0, or the status of the first rank that can't go on: all end with it. */
int hosts_agree(struct hosts *, int status);

/* Holds what this rank says until the next time that they agree. Rank 0 says it at once. */
void hosts_hold(struct hosts *);

/* Says what is wrong, with the rank and its host. */
void hosts_fail(struct hosts *, const char *what);

/* Ends the process of a rank that is silent, where it is one of this machine's: mpirun would wait for a stopped one. */
void hosts_end_rank(struct hosts *, unsigned rank);

/* A call that all ranks make has failed here, with this negative errno: says so, and ends them. */
void hosts_lose(struct hosts *, int err) __attribute__((noreturn));

/* Ends all ranks, with this status. */
void hosts_abort(struct hosts *, int status) __attribute__((noreturn));

/* Ends MPI, in all ranks. The network was destroyed. Returns what to exit with. */
int hosts_end(struct hosts *, int status);

#endif
