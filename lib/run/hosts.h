/* SPDX-License-Identifier: MIT */
/*
 * Hosts: a network over several processes. It joins the parts of the network (lib/plan/parts.h) with lib/remote. The
 * public face: <penstock/hosts.h>.
 *
 *	set_hosts   the ranks tell each other which host each is, by an exchange (lib/remote/exchange.h)
 *	start       each takes its part. By another exchange they agree that all could, and that all have built the
 *	            same network. The remote thread begins; init() of the actors; windows may move
 *	run         the remote thread owns the ends that are away. A failure, an abort and a stop go to all ranks: the
 *	            watcher tells them. What comes from others is told to this rank's network
 *	end         the network is over when the parts of all ranks are (lib/schedule/schedule.h counts the remote
 *	            thread). Behind finish() the ranks agree on the first error
 *
 * Without hosts these functions do nothing.
 */
#ifndef PENSTOCK_RUN_HOSTS_H
#define PENSTOCK_RUN_HOSTS_H

#include "lib/model/network.h"

/* start(), once all is analysed: notes what the network is. Then, when it has its memory: makes the channels. A
 * negative errno: the network has failed. */
int ps_hosts_note(struct pstk_network *);
int ps_hosts_prepare(struct pstk_network *);

/* start(). err: what has failed on this rank. Waits for all ranks. The same error for all, the network has failed then;
 * 0: all ranks have the same network, and can start. */
int ps_hosts_agree(struct pstk_network *, int err);

/* start(), behind that. Begins the remote thread. A negative errno: the network has failed, and so has this rank. */
int ps_hosts_begin(struct pstk_network *);

/* start(). Something has failed since, here or on another rank: the error, else 0. */
int ps_hosts_error(struct pstk_network *);

/* start(). What ps_schedule_expect() counts besides; and, all threads run: windows may move. */
unsigned ps_hosts_expected(const struct pstk_network *);
void ps_hosts_go(struct pstk_network *);

/* The watcher, before it wakes actors: tells all ranks. */
void ps_hosts_abort(struct pstk_network *);
void ps_hosts_stop(struct pstk_network *);

/* wait(), or a start() that has failed, behind finish(). err: of this rank. Ends the remote thread. Returns what all
 * ranks return. */
int ps_hosts_end(struct pstk_network *, int err);

/* destroy(), before the FIFOs are freed. */
void ps_hosts_free(struct pstk_network *);

#endif
