/* SPDX-License-Identifier: MIT */
/*
 * Penstock and OpenCL: host code inside a firing of an actor on a device, for several kernels or a library's call.
 *
 * An actor whose type has fire_cl and that is mapped to a device (pstk_actor_map()) runs fire_cl() instead of fire().
 * fire_cl() enqueues commands and returns; it does not wait for them. Its windows are buffers of the device. Other
 * actors on the device that use them wait, on the device, for what was enqueued:
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
 * Failures
 *   A command may fail after it was enqueued. The library sees that only in the command's event: where it can happen,
 *   give the event of the last command to pstk_cl_depend().
 *
 * Objects
 *   Make kernels and other objects in init(), with pstk_cl_context() and pstk_cl_device(); or in open_place() (struct
 *   pstk_actor_type), once for each device place of an actor that may move. Release them in finish(): every command has
 *   ended then. The state that pstk_actor_state() returns is the host's: it does not travel.
 *
 * Building
 *   Programs that include this header are built with `pkg-config penstock-opencl`, which adds OpenCL's headers and its
 *   loader.
 *
 * Conventions (units, errors, contexts, ownership): <penstock/penstock.h>.
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
	cl_mem buffer; /* begins with the window; commands must not touch it beyond the window. Not retained */
	size_t bytes;  /* rate x token size */
	uint32_t rate;  /* tokens */
	uint32_t valid; /* tokens that are data, as pstk_port_valid(); behind an input's there are zeros */
	/* what commands on other queues than the actor's own must wait for; NULL: nothing. Not retained */
	cl_event ready;
};

/* The device where the actor is, and its context; NULL: it is on the cores. Context: ACTOR, from init() on. In
 * open_place() (struct pstk_actor_type) those of the place that is being opened. Ownership: the library's; not retained
 * for the caller. */
PSTK_PUBLIC cl_device_id pstk_cl_device(const struct pstk_actor *);
PSTK_PUBLIC cl_context pstk_cl_context(const struct pstk_actor *);

/* Returns the number of the device place where this firing runs, as open_place() has got it; 0 elsewhere. Context:
 * ACTOR in fire_cl(). */
PSTK_PUBLIC unsigned pstk_cl_place(struct pstk_firing *);

/*
 * Returns the actor's own queue at its place, which is in order. Context: ACTOR in fire_cl().
 *
 * What is enqueued there waits for the firing's windows. The windows are handed on, or freed, when it has been done.
 * The library flushes the queue. Ownership: not retained for the caller.
 */
PSTK_PUBLIC cl_command_queue pstk_cl_queue(struct pstk_firing *);

/*
 * Tells the window of a port that is on in this firing (pstk_port_enabled()). Context: ACTOR in fire_cl().
 *
 * fire_cl() must ask for the window of every such port before it returns PSTK_AGAIN. With PSTK_DONE only the windows
 * that it has asked for are published or consumed.
 * Errors:
 *   -EINVAL: NULL, no such port, or not in fire_cl()
 *   -EPROTO: a second call for the port, or the port is off
 */
PSTK_PUBLIC int pstk_cl_window(struct pstk_firing *, unsigned port, struct pstk_cl_window *);

/*
 * Makes the firing wait for an event of another queue: its windows are not handed on before that. Context: ACTOR in
 * fire_cl().
 *
 * Flush that queue. An event that fails fails the network.
 * Ownership: the library takes a reference of its own.
 * Errors:
 *   -EINVAL: NULL, or not in fire_cl()
 *   -ENOSPC: the firing has 8 events already
 */
PSTK_PUBLIC int pstk_cl_depend(struct pstk_firing *, cl_event);

/*
 * Says that only the first `valid` tokens of an output's last window will be data, 1 <= valid <= rate. Context: ACTOR
 * in fire_cl(), after pstk_cl_window().
 *
 * With valid < rate this firing is the actor's last one.
 * Errors:
 *   -EINVAL: what is not as said here
 */
PSTK_PUBLIC int pstk_cl_set_valid(struct pstk_firing *, unsigned port, uint32_t valid);

/* Returns the name of an OpenCL error, such as "CL_OUT_OF_RESOURCES". Context: ANY. */
PSTK_PUBLIC const char *pstk_cl_error_name(cl_int code);

#ifdef __cplusplus
}
#endif

#endif
