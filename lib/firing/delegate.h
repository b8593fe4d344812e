/* SPDX-License-Identifier: MIT */
/*
 * Delegate: threads of its own that a task has beside a runner that polls. The runner takes all firings. Some of them
 * the task's own threads fire and publish, because those firings sleep, or need more threads than the runner has.
 */
#ifndef PENSTOCK_DELEGATE_H
#define PENSTOCK_DELEGATE_H

#include "lib/firing/task.h"

struct ps_delegate {
	/* A thread of the task's own, until the task has ended. */
	void (*run)(struct ps_task *);
	/* The taker, which has just taken the firing. true: a thread of the task's own fires it. */
	bool (*fires)(struct pstk_firing *);
	/* Any thread, no lock held. Makes these threads look again. */
	void (*nudge)(struct ps_task *);
};

#endif
