/* SPDX-License-Identifier: MIT */
/*
 * Penstock and OpenCL: host code inside a firing of an actor on a device, for several kernels or a library's call.
 *
 * An actor whose type has fire_cl and that is mapped to a device (pstk_actor_map()) runs fire_cl() instead of fire().
 * It enqueues commands and returns; it does not wait for them. Its windows are buffers of the device, and other actors
 * on the device that use them wait, on the device, for what was enqueued:
 *
 *	static int fire_cl(struct pstk_firing *f)
 *	{
 *		struct my_state *s = pstk_actor_state(pstk_firing_actor(f));
 *		struct pstk_cl_window in, out;
 *
 *		if (pstk_cl_window(f, 0, &in) || pstk_cl_window(f, 1, &out))
 *			return -EPROTO;
 *		clSetKernelArg(s->first, 0, sizeof in.buffer, &in.buffer);
 *		..
 *		if (clEnqueueNDRangeKernel(pstk_cl_queue(f), s->first, ..))
 *			return pstk_actor_error(pstk_firing_actor(f), -EIO, "first: ..");
 *		return PSTK_AGAIN;
 *	}
 *
 * What a command of yours does wrong after it was enqueued the library sees only in its event: give the last one's to
 * pstk_cl_depend() where that can happen.
 *
 * Kernels and other objects are made in init() with pstk_cl_context() and pstk_cl_device(), and released in finish(),
 * when every command has ended. The state that pstk_actor_state() gives is the host's: it does not travel.
 *
 * Programs that include this are built with `pkg-config penstock-opencl`, which adds OpenCL's headers and its loader.
 *
 * Units, errors and contexts (BUILD, ACTOR, ANY) are those of <penstock/penstock.h>.
 */
#ifndef PENSTOCK_OPENCL_H
#define PENSTOCK_OPENCL_H

#include <penstock/penstock.h>

#ifndef CL_TARGET_OPENCL_VERSION
#define CL_TARGET_OPENCL_VERSION 120
#endif
#include <CL/cl.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A port's window in this firing. */
struct pstk_cl_window {
	cl_mem buffer; /* the window is at its beginning; the buffer may not be touched beyond it. Not retained */
	size_t bytes;   /* rate x token size */
	uint32_t rate;  /* tokens */
	uint32_t valid; /* tokens that are data, as pstk_port_valid(); zeros behind an input's */
	cl_event
		ready; /* for commands on other queues than the actor's own: what they must wait for; NULL: nothing.
	                   Not retained */
};

/* ACTOR, from init() on. The device that the actor is mapped to, and its context. NULL: it runs on the cores. */
PSTK_PUBLIC cl_device_id pstk_cl_device(const struct pstk_actor *);
PSTK_PUBLIC cl_context pstk_cl_context(const struct pstk_actor *);

/* ACTOR, in fire_cl(). The actor's own queue, in order: what is enqueued there waits for the firing's windows, and
 * they are handed on, or freed, when it has been done. Not retained. The library flushes it. */
PSTK_PUBLIC cl_command_queue pstk_cl_queue(struct pstk_firing *);

/* ACTOR, in fire_cl(). The window of a port that is on in this firing (pstk_port_enabled()). Every such port's must be
 * asked for before PSTK_AGAIN is returned; with PSTK_DONE only those that were are published or consumed. -EINVAL: NULL,
 * no such port, not in fire_cl(); -EPROTO: again, or of a port that is off. */
PSTK_PUBLIC int pstk_cl_window(struct pstk_firing *, unsigned port, struct pstk_cl_window *);

/* ACTOR, in fire_cl(). Another queue's event that belongs to this firing: its windows are not handed on before it.
 * Flush that queue. At most 8 a firing: -ENOSPC. An event that fails fails the network. The library takes a reference
 * of its own. */
PSTK_PUBLIC int pstk_cl_depend(struct pstk_firing *, cl_event);

/* ACTOR, in fire_cl(). A last window of an output of which only the first `valid` tokens will be data,
 * 1 <= valid <= rate; with valid < rate this firing is the actor's last. After pstk_cl_window(). -EINVAL. */
PSTK_PUBLIC int pstk_cl_set_valid(struct pstk_firing *, unsigned port, uint32_t valid);

/* ANY. The name of an OpenCL error, "CL_OUT_OF_RESOURCES". */
PSTK_PUBLIC const char *pstk_cl_error_name(cl_int code);

#ifdef __cplusplus
}
#endif

#endif
