/* SPDX-License-Identifier: MIT */
/* Closing: an end of a FIFO, when its owner has ended. The actor at the other end is told. */
#ifndef PENSTOCK_CLOSING_H
#define PENSTOCK_CLOSING_H

#include "lib/firing/task.h"

/* The reader's owner. The writer ends, too, if no other reader wants what it writes. */
void ps_closing_reader(struct pstk_fifo *);

/* The writer's owner. */
void ps_closing_writer(struct pstk_fifo *);

#endif
