/* SPDX-License-Identifier: MIT */
/* Orders: what a client of a control socket asks of a running network. */
#ifndef PENSTOCK_COMMAND_ORDERS_H
#define PENSTOCK_COMMAND_ORDERS_H

#include <penstock/plan.h>

/*
 * Does what a line says, which it changes, and returns the answer: its first line is "ok" or "no WHY", the rest is for
 * people. Words are apart by tabs if it has any, so that a name may have blanks, else by blanks. Never waits for the
 * network. The caller frees it; NULL: out of memory.
 *
 * machine: whose names places may have; NULL: none.
 */
char *orders_answer(struct pstk_network *, const struct pstk_machine *machine, char *line, size_t *size);

#endif
