/* SPDX-License-Identifier: MIT */
/*
 * DAL applications as Penstock networks: a process network and a mapping, in XML, and the processes of a program.
 *
 *	static const struct pstk_dal_process processes[] = {
 *		PSTK_DAL_PROCESS("producer", producer_init, producer_fire, producer_finish,
 *			sizeof(struct producer_state)),
 *		..
 *	};
 *	struct pstk_network *net = pstk_network_create("app");
 *	if (pstk_dal_build(net, "pn.xml", "mapping.xml", processes, 3) || pstk_network_run(net)) ..
 *
 * Conventions (units, errors, contexts, ownership): <penstock/penstock.h>.
 */
#ifndef PENSTOCK_DAL_NETWORK_H
#define PENSTOCK_DAL_NETWORK_H

#include <penstock/dal.h>
#include <penstock/penstock.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A port of a process that uses windows. */
struct pstk_dal_port {
	const char *name;
	uint32_t rate;     /* tokens in a window: TOKEN_x_RATE */
	size_t token_size; /* bytes: sizeof(TOKEN_x_t) */
	uint32_t blocks;   /* of an output: blocks in a window, BLOCK_x_COUNT; 0 counts as 1 */
};

/* A process, by the name (or basename) that it has in the process network. */
struct pstk_dal_process {
	const char *name;
	ProcessInit init;
	ProcessFire fire;
	ProcessFinish finish;
	size_t state_size;
	/* all of its ports: the process uses windows only. NULL: it reads and writes when it likes */
	const struct pstk_dal_port *ports;
	unsigned port_count;
	bool stateless; /* its firings are independent of each other; only with ports */
	/* Runs instead of fire() where the mapping says gpu_N: one launch for each firing, on workgroups x workitems of
	 * the mapping. Arguments as in struct pstk_kernel, ports in the order of the process network. Only with ports;
	 * fire may be NULL then. NULL: cores only */
	const struct pstk_kernel *kernel;
};

#define PSTK_DAL_PROCESS(name, init, fire, finish, state_size)                       \
	{                                                                            \
		(name), (init), (fire), (finish), (state_size), NULL, 0, false, NULL \
	}

/*
 * Adds the actors and FIFOs of a process network. Context: BUILD.
 *
 * process_network, mapping: paths of files; mapping NULL: none.
 * Actors have the processes' names.
 *   process                           becomes
 *   without ports                     a kahn actor, which reads and writes when it likes
 *   with ports                        an ordinary actor
 *   channel between two kahn actors   a plain ring; its capacity is the channel's `size`, and at least one token more
 *                                     than the initial ones
 *   any other channel                 windows of the rate that the end with ports states (both ends the same); the
 *   depth
 *                                     is what the `size` allows beside the initial tokens, at least 1
 *   initial tokens                    zeros
 *   core_N of the mapping             pins the actor to a core
 *   gpu_N of the mapping              maps the actor to the N-th device of pstk_devices(), from 0
 *
 * Ownership: processes are borrowed until pstk_network_destroy().
 * Errors: pstk_network_error() says file, line, what is wrong and how to fix it. The network can only be destroyed
 * then.
 *   -ENOENT and others of open(2)
 *   -EINVAL: not well-formed, an unknown process, a port without a connection, ..
 *   -EEXIST: the network has an actor of this name
 *   -ENODEV: no such device
 *   -EOVERFLOW
 *   -ENOTSUP: scenarios
 *   -ENOMEM
 */
PSTK_PUBLIC int pstk_dal_build(struct pstk_network *net, const char *process_network, const char *mapping,
	const struct pstk_dal_process *processes, unsigned count);

/*
 * Sets the function that gets the events of DAL_send_event(). Context: BUILD, after pstk_dal_build().
 *
 * heard: the thread of the process calls it, several threads at a time, and pstk_network_start() does if an init sends
 * an event. If it returns 0 the application goes on; else the application is stopped. NULL: any event stops it.
 * data: borrowed.
 * Errors:
 *   -ENOENT: pstk_dal_build() was not called before
 */
PSTK_PUBLIC int pstk_dal_set_event(struct pstk_network *net,
	int (*heard)(void *data, const char *process, const char *message), void *data);

#ifdef __cplusplus
}
#endif

#endif
