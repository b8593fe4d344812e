/* SPDX-License-Identifier: MIT */
/*
 * Row: the stages of a pipeline on its device. A run, neighbouring stages of one item, is one row of commands in one
 * queue, which is in order:
 *
 *	          uploads     launches and what lies between them    downloads
 *	cores --> a, b ---->  stage 1 --- c --> stage 2 --- d -----> d --> cores
 *	                                  `-- a side output -------> c
 *
 * What a stage outside of the run, or the border, has written is uploaded from the window's memory on the host. What
 * one of them reads is downloaded there. What only the run's own stages read and write stays on the device. The
 * carrier's thread enqueues all of that, then it sleeps until all is through. One carrier at a time has the device: its
 * row has one buffer for each window of an item.
 *
 * Where host and device share memory (PENSTOCK_MEMORY), the device uses a window of the host in place, if it begins at
 * the device's alignment: it is unmapped in front of the stages, and mapped behind them. Else it is copied.
 *
 * No command waits for the event of another one: PoCL 3.1 leaves what waits for a failed command queued for ever. The
 * carrier looks at the state of each command.
 *
 * Without CL types: lib/pipeline includes it. absent.c has the same functions in a library without OpenCL.
 */
#ifndef PENSTOCK_ROW_H
#define PENSTOCK_ROW_H

#include "lib/firing/task.h"
#include "lib/model/pipeline.h"

struct ps_row;

/* Of windows between stages: so much is enough for every device, and no page is of two windows. */
enum { PS_ROW_ALIGNMENT = 4096 };

/* BUILD. Makes the stage's part at the device that a selector names: the stage is not mapped, but a run can fire it.
 * Its type has a kernel or fire_cl(). Errors: as pstk_actor_map(); the network has the problem. */
int ps_row_map(struct pstk_actor *stage, const char *device);

/* Any time behind that. The device; its selector is the name that two pipelines at one device share. NULL: none of the
 * stages has one. */
const struct pstk_device_info *ps_row_device(const struct pstk_pipeline *);

/* One item on its way. */
struct ps_row_item {
	/* The stage's firing. Its windows are taken, and their data are on the host. NULL: the stage is not fired in
	 * this item, and nothing of its outputs is valid. Called in the order of the stages, behind the enqueueing of
	 * those before. */
	struct pstk_firing *(*take)(void *data, unsigned stage);
	void *data;
};

/* Of a training, in nanoseconds. */
struct ps_row_times {
	bool stages_only; /* set before: windows are moved as in any run, and their times are not told */
	uint64_t stage[PS_STAGES_MAX]; /* of its launch */
	/* What lies in front of stage k, k from 0 to the number of stages, is moved to the device, or from there: all
	 * windows that are written before stage k, and read by it or later, or by the border. A window that no run has
	 * touched yet counts nothing. */
	uint64_t to_device[PS_STAGES_MAX + 1], to_host[PS_STAGES_MAX + 1];
};

/* start(), when the backend is open and not yet prepared. A window of this port may lie here. Those at the border that
 * are plain memory of their own the row knows by itself. NULL is allowed. -ENOMEM. */
int ps_row_window(struct ps_row *, unsigned stage, unsigned port, void *memory);

/*
 * The carrier that has the device. Fires `count` stages from `first` on, of which each has a form for the device, and
 * returns when all commands are through. Each firing is then as behind fire(): its windows are ended, and rc is
 * PSTK_AGAIN or what fire_cl() has returned. Behind the valid tokens of an output there are zeros.
 *
 * times: NULL, or each command is enqueued and waited for alone. For a training each window that the run touches is
 * moved in both directions, too.
 *
 * Returns 0, or with nothing of the item's windows right:
 *   -ECANCELED: the network is over
 *   another negative errno: text says why, *failed is the stage. So does each later call
 * Commands may still be in flight then: drain() waits for them.
 */
int ps_row_run(struct ps_row *, const struct ps_row_item *, unsigned first, unsigned count,
	struct ps_row_times *times, char text[PS_TEXT_SIZE], unsigned *failed);

/* The carrier that has the device. Has an item failed in a run? Then no run comes to an end any more, and stages can
 * only be fired on the cores. An item that was broken off because the network is over has not failed. */
bool ps_row_broken(const struct ps_row *);

/* Any thread. Makes the carrier that sleeps in ps_row_run() look whether the network is over. NULL is allowed. */
void ps_row_nudge(struct ps_row *);

/* Any thread. Bytes that were copied to the device so far, and from there; not those of windows that are used in place.
 * NULL is allowed. */
void ps_row_bytes(const struct ps_row *, uint64_t *up, uint64_t *down);

/* destroy(), before the backend is closed. May a command that never ends still touch this memory of the host?
 * Then it must not be freed. */
bool ps_row_keeps(const struct ps_row *, const void *memory, size_t bytes);

#endif
