/* SPDX-License-Identifier: MIT */
/* Backends: the list of where actors run besides the cores (backend.h). Each call goes to all of them. */
#ifndef PENSTOCK_BACKENDS_H
#define PENSTOCK_BACKENDS_H

#include "lib/firing/backend.h"

/* start(). A negative errno: the network has failed. */
int ps_backends_open(struct pstk_network *);
int ps_backends_prepare(struct pstk_network *);

/* start() has failed, before or behind prepare. */
void ps_backends_abandon(struct pstk_network *);

/* wait() */
void ps_backends_drain(struct pstk_network *);

/* destroy() */
void ps_backends_close_fifo(struct pstk_fifo *);
void ps_backends_close_actor(struct pstk_actor *);
void ps_backends_close(struct pstk_network *);

#endif
