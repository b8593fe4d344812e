/* SPDX-License-Identifier: MIT */
/* Checkpoint: what a process keeps of its state, by name. DAL's three calls for any runtime. */
#ifndef PENSTOCK_DAL_CHECKPOINT_H
#define PENSTOCK_DAL_CHECKPOINT_H

#include "penstock/dal.h"

struct ps_dal_checkpoint;

/* The runtime's: where the first one of a process is; NULL: it is not in a call of ours, or its firings run side by
 * side and keep nothing. Two threads never use one list at once. */
struct ps_dal_checkpoint **ps_dal_checkpoints_of(const DALProcess *);

/* Forgets all. */
void ps_dal_forget(struct ps_dal_checkpoint **);

#endif
