/* SPDX-License-Identifier: MIT */
/* A member of a team: one of its threads. */
#ifndef PENSTOCK_TEAM_MEMBER_H
#define PENSTOCK_TEAM_MEMBER_H

#include "lib/team.h"

#include <sched.h>

struct ps_member {
	/* constant after start */
	struct ps_team *team;
	unsigned index;
	bool on_cores; /* some actor that is pinned belongs to it: it runs on their cores */
	cpu_set_t cores;
	pthread_t thread;
	void *alternate_stack; /* for the crash handler */

	/* this thread's only */
	unsigned steps;      /* firings and looks since each actor had its turn to be looked at first */
	unsigned first;      /* who had it last, by its place in the order */
	uint64_t fair_at;    /* .. and when, the clock */
	bool about_to_sleep; /* it has said so (team.idle, the bell) */
	char line[PS_CACHE_LINE];
};

/* Of this thread; NULL: it is no member of any team. */
extern _Thread_local struct ps_member *ps_member_current __attribute__((tls_model("initial-exec")));

/* Fires until all of the team's actors have ended. */
void ps_member_run(struct ps_member *);

#endif
