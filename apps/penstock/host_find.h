/* SPDX-License-Identifier: MIT */
/* Host find: which host of the machine a process is, and whether hosts and processes fit together. */
#ifndef PENSTOCK_COMMAND_HOST_FIND_H
#define PENSTOCK_COMMAND_HOST_FIND_H

#include "apps/penstock/hosts.h"
#include "apps/penstock/loading.h"

/* Sets hosts->own of several processes; one that is alone is refused where the network needs several. l: is loaded, of
 * several processes dry. 0, or what to exit with, said then. */
int host_find(struct hosts *, const struct loading *l);

/* Are actors at several hosts? */
bool host_find_is_over(struct pstk_machine *, const struct pstk_network *);

/* Is an actor at another host than this process? Of a command that knows one process only all are, where there are
 * several. */
bool host_find_is_away(const struct loading *, const struct pstk_actor *);

/* The command line that starts a command once for each of so many hosts, for messages: of the command that runs, but
 * for --host. text: gets it. */
void host_find_line(const struct loading *, unsigned hosts, char *text, size_t size);

#endif
