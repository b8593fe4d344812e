/* SPDX-License-Identifier: MIT */
/*
 * Launch: firings of actors that are nothing but launches of a kernel. No code of the user's runs in them. So the
 * thread that publishes the last missing window does the launch: waking the actor's own thread would take ten times as
 * long. The actor's own thread ends the actor, waits for its commands, and launches where no other thread does.
 *
 * Only the actor's own thread waits for a claim. Another thread that finds it taken leaves a note (again), which the
 * holder reads after it has given the claim back.
 */
#ifndef PENSTOCK_LAUNCH_H
#define PENSTOCK_LAUNCH_H

#include "lib/firing/runner.h"

/* For an actor on a device without fire_cl(), without a core of its own and without a FIFO to another device, unless
 * PENSTOCK_LAUNCH=own. */
extern const struct ps_runner ps_launch_runner;

/* Any actor's thread, after it has published a window to this actor or has freed one that this actor wrote: fires it as
 * long as it can, if no other thread does. */
void ps_launch_help(struct ps_task *);

#endif
