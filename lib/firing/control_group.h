/* SPDX-License-Identifier: MIT */
/*
 * Control group: members of one whose control values are not declared are compared while they run. The analyser can't
 * know whether both ends of a FIFO are on at the same times there. So each such port of a member publishes whether it
 * is on, control token by control token, and is compared with the ports that should have its clock. Those are
 *   - the ends of one FIFO;
 *   - what enters and what leaves a region of static actors, because a static actor and its ports share one clock.
 * A difference is an error at once.
 *
 * A ring holds as many indices as its owner can be behind another member. The group's tokens are written to all members
 * at once. So no member is further ahead of another than that one's control FIFO holds, and the token it has taken.
 */
#ifndef PENSTOCK_CONTROL_GROUP_H
#define PENSTOCK_CONTROL_GROUP_H

#include "lib/firing/task.h"

/* start(). Finds the ports and takes the rings. -ENOMEM. */
int ps_control_group_prepare(struct pstk_network *);

/* destroy(). */
void ps_control_group_free(struct pstk_network *);

/* The thread that has just obeyed a control token of a dynamic actor. false: it differs from another member, and the
 * network has failed. */
bool ps_control_group_publish(struct pstk_firing *);

#endif
