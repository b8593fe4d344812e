/* SPDX-License-Identifier: MIT */
/* Schedule: what a network's runners share, and the gate at which threads wait for the start's word. */
#ifndef PENSTOCK_SCHEDULE_H
#define PENSTOCK_SCHEDULE_H

#include "lib/model/network.h"

struct ps_detector;
struct ps_runner;
struct ps_team;

struct ps_schedule {
	/* constant after start */
	const struct ps_runner *poller; /* the runner that polls (runner.h); NULL: none */
	struct ps_team *team;           /* the team runner's; NULL: none */
	struct ps_detector *detector;   /* its own state (detector_state.h) */
	bool spins; /* own threads look again for a while before they sleep: thread_wait.h */

	/* Called without a lock when all have left but one, which is no thread of the runners; NULL: nothing is. */
	void (*alone)(struct pstk_network *);

	/* guarded by the network's lock; its condition says that they have changed */
	/* threads that fire and have not ended yet, away ends that are open (away.h), and the thread that owns them */
	unsigned running;
	enum { PS_GATE_SHUT, PS_GATE_OPEN, PS_GATE_CANCELLED } gate;
};

/* start(), before any runner is asked. -ENOMEM. */
int ps_schedule_create(struct pstk_network *);

/* destroy(), when its runners and the detector have nothing left. */
void ps_schedule_free(struct pstk_network *);

/* start(). So many threads will fire, or ends are away. Call before the first thread is created. */
void ps_schedule_expect(struct pstk_network *, unsigned threads);

/* start(), with the network's lock held: its threads go on, or end. */
void ps_schedule_open_gate(struct pstk_network *, bool go_on);

/* A thread that fires: waits for the start's word, false when the start has failed; at its end says so. An away end's
 * owner says so, too. */
bool ps_schedule_pass_gate(struct pstk_network *);
void ps_schedule_leave(struct pstk_network *);

/* With the network's lock held. Threads that fire and have not ended yet, and away ends that are open. */
unsigned ps_schedule_running(const struct pstk_network *);

/* Any thread. Does the runner that polls sleep, with nothing left to judge? */
bool ps_schedule_rests(const struct pstk_network *);

#endif
