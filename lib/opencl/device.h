/* SPDX-License-Identifier: MIT */
/*
 * Device: the firing of an actor on a device, which is an enqueue. device_start.c and device_end.c have what comes
 * before and after.
 */
#ifndef PENSTOCK_DEVICE_H
#define PENSTOCK_DEVICE_H

#include "lib/firing/backend.h"
#include "lib/opencl/cl_actor.h"
#include "lib/opencl/cl_mover.h"
#include "lib/opencl/cl_program.h"
#include "lib/model/merging.h"

/* Devices by OpenCL. */
extern const struct ps_backend ps_opencl_backend;

/* What a network with actors on devices has of its own. */
struct ps_cl_network {
	struct ps_cl_devices devices;
	struct ps_cl_programs programs;
	struct ps_cl_mover mover;
	struct ps_merging merging;   /* constant after start */
	struct ps_row *rows;         /* of pipelines; constant after start */
	atomic_bool commands_failed; /* a call of OpenCL or a command has */
	atomic_bool draining;        /* wait() waits for commands that no other thread waits for */
	bool commands_lost;          /* wait() only: commands may never end */
};

/* The device where the actor is; NULL: it is on the cores. Of one that moves for its taker, and before the start. */
static inline const struct ps_cl_device *ps_device_of(const struct pstk_actor *a)
{
	return a->backend == &ps_opencl_backend && !a->guarded ? a->cl->device : NULL;
}

/* The device where it is, or was last; for any thread. */
static inline const struct pstk_device_info *ps_device_info(const struct pstk_actor *a)
{
	return &a->cl->device->info;
}

/* From start() on. What it has at the i-th device place, or a stage in its row; NULL: there are no more. */
struct ps_cl_actor *ps_device_part(const struct pstk_actor *, unsigned i);

/* From start() on. The n-th of the actors that may have such parts: the network's, then the stages of its rows; NULL:
 * there are no more. */
struct pstk_actor *ps_device_actor(const struct pstk_network *, unsigned n);

/* start(), before the FIFOs' memory is taken: contexts, queues, kernels. A negative errno: the network has failed. */
int ps_device_open(struct pstk_network *);

/* start(). The memory of a FIFO with a device's end. A negative errno: the network has failed. */
int ps_device_allocate_fifo(struct pstk_fifo *);

/* As backend.h says of host_windows(). */
unsigned char *ps_device_host_windows(struct pstk_fifo *, const struct pstk_fifo *beside);

/* start(), after init(): checks what the kernels are given, brings states to the devices, launches each kernel once. */
int ps_device_prepare(struct pstk_network *);

/* start() has failed. Ends the mover, if it was begun. */
void ps_device_abandon(struct pstk_network *);

/* Owner thread, or the one that has a launched actor's claim. May one more firing be enqueued? A failure fails the
 * network and says ENDED. */
enum ps_firing_state ps_device_room(struct pstk_actor *);
void ps_device_wait_room(struct pstk_actor *);

/* As before, all windows taken. Enqueues the firing; what fire_cl() returned, 0, or a negative errno with the actor's
 * text. */
int ps_device_fire(struct pstk_firing *);

/* Publishes the window of an output that was enqueued, and frees that of an input. */
void ps_device_publish(struct pstk_firing *, unsigned port);
void ps_device_release(struct pstk_firing *, unsigned port);

/* A FIFO's end has said FAILED: the network fails with the reason. */
void ps_device_fifo_failed(struct pstk_fifo *, bool writer);

/* A command of it has failed: the network fails with the reason, a transfer's if that one has failed before. */
void ps_device_tell_actor(struct pstk_actor *, const struct ps_cl_fault *);
void ps_device_tell_fifo(struct pstk_fifo *, const struct ps_cl_fault *);

/* Rings what an actor on a device waits for. */
void ps_device_nudge(struct pstk_actor *);

/* After a command has failed, those that wait for it may never end (PoCL 3.1 leaves them queued), and no call can tell
 * them from slow ones. When so long none has ended, they are given up. After an abort a command that never ends must
 * not hold the program for ever either. Only tests change these. */
extern uint64_t ps_device_grace_ns, ps_device_abort_ns;

/* wait(), after every thread has ended: waits for what is in flight, and brings the states back. */
void ps_device_drain(struct pstk_network *);

/* destroy(), or start() has failed. */
void ps_device_close_fifo(struct pstk_fifo *);
void ps_device_close_actor(struct pstk_actor *);
void ps_device_close(struct pstk_network *);

#endif
