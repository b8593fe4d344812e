/* SPDX-License-Identifier: MIT */
/* Firing error: what was wrong in a firing, and what its actor says of it. */
#ifndef PENSTOCK_FIRING_ERROR_H
#define PENSTOCK_FIRING_ERROR_H

#include "lib/firing/task.h"

/* The firing of this thread that is one of several side by side; NULL: none. For pstk_actor_error(). */
extern _Thread_local struct pstk_firing *ps_firing_current __attribute__((tls_model("initial-exec")));

/* Keeps and logs the first wrong call of a firing; the network fails with it when fire() returns. */
void ps_firing_misuse(struct pstk_firing *, const char *format, ...) PSTK_PRINTF(2, 3);

/* The same, of a firing at another host, where it was logged; "": there was none. */
void ps_firing_set_misuse(struct pstk_firing *, const char *text);

/* The actor's thread, async-signal-safe. What it keeps of the present firing of this thread; "": nothing is wrong. */
const char *ps_firing_misused(const struct pstk_actor *);

/* Once fire() has returned. 0, or what is wrong: what it has returned, or -EPROTO, with the firing's misuse. */
int ps_firing_check(struct pstk_firing *);

/* The same. The network has failed then. */
bool ps_firing_failed(struct pstk_firing *);

#endif
