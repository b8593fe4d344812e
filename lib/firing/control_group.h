/* SPDX-License-Identifier: MIT */
/*
 * Agreement: in a control group with undeclared control values the analyser can't know whether both ends of a FIFO are
 * on at the same times, so the run does: each such port of a member publishes whether it is on, index of the control
 * token by index, and is compared with the others that should have its clock. Those are the ends of one FIFO, and,
 * because a static actor and its ports share one clock, what enters and leaves a region of static actors. A difference
 * is an error at once.
 *
 * A ring holds as many indices as its owner can be behind another member: the group's tokens are written to all members
 * at once, so nobody is further ahead of a member than that one's control FIFO holds, and the token it has taken.
 */
#ifndef PENSTOCK_CONTROL_GROUP_H
#define PENSTOCK_CONTROL_GROUP_H

#include "lib/model/network.h"

/* start(). Finds the ports and takes the rings. -ENOMEM. */
int ps_control_group_prepare(struct pstk_network *);

/* destroy(). */
void ps_control_group_free(struct pstk_network *);

/* Whoever has just obeyed a control token of a dynamic actor. false: it differs from another member, and the network
 * has failed. */
bool ps_control_group_publish(struct pstk_firing *);

#endif
