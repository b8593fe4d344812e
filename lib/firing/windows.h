/* SPDX-License-Identifier: MIT */
/* Windows of a firing: taken before fire(), published or freed behind it. Any actor's but a kahn actor's. */
#ifndef PENSTOCK_WINDOWS_H
#define PENSTOCK_WINDOWS_H

#include "lib/firing/task.h"

/* The taker. Takes the window of each port that is on: there is one at each. */
void ps_windows_take(struct pstk_firing *);

/* The publishing thread. Publishes, or frees, what fire() has ended, and tells the neighbours; the rest is given back
 * when the actor closes. */
void ps_windows_publish(struct pstk_firing *);

/* Starts the window of an output of a host actor. */
void ps_windows_take_output(struct ps_window *, struct ps_port *);

/* Publishes the window of an output to all its readers; frees that of an input. Host actors. */
void ps_windows_publish_output(struct pstk_firing *, unsigned port);
void ps_windows_release_input(struct pstk_firing *, unsigned port);

/* After windows of this port were published or freed: tells the neighbours' runners (ps_runner.help()). */
void ps_windows_help(struct pstk_actor *, unsigned port);

#endif
