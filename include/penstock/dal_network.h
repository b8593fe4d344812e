/* SPDX-License-Identifier: MIT */
/*
 * DAL applications as Penstock networks: process network and mapping, in XML, and the processes that a
 * program brings.
 *
 *	static const struct pstk_dal_process processes[] = {
 *		PSTK_DAL_PROCESS("producer", producer_init, producer_fire, producer_finish,
 *			sizeof(struct producer_state)),
 *		..
 *	};
 *	struct pstk_network *net = pstk_network_create("app");
 *	if (pstk_dal_build(net, "pn.xml", "mapping.xml", processes, 3) || pstk_network_run(net)) ..
 */
#ifndef PENSTOCK_DAL_NETWORK_H
#define PENSTOCK_DAL_NETWORK_H

#include <penstock/dal.h>
#include <penstock/penstock.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A port of a process that uses windows: what TOKEN_x_RATE and sizeof(TOKEN_x_t) are. Outputs: blocks of a
 * window, what BLOCK_x_COUNT is; 0 counts as 1. */
struct pstk_dal_port {
	const char *name;
	uint32_t rate;
	size_t token_size;
	uint32_t blocks;
};

/* A process, by the name (or basename) that it has in the process network. */
struct pstk_dal_process {
	const char *name;
	ProcessInit init;
	ProcessFire fire;
	ProcessFinish finish;
	size_t state_size;
	const struct pstk_dal_port
		*ports; /* all of its ports: it uses windows only. NULL: it reads and writes when it likes */
	unsigned port_count;
	bool stateless; /* its firings are independent of each other: with ports only */
	/* what runs instead of fire() where the mapping says gpu_N, once in a firing, on workgroups x
	 * workitems of the mapping: arguments as in struct pstk_kernel, ports in the order of the process
	 * network. With ports only; fire may be NULL then. NULL: cores only */
	const struct pstk_kernel *kernel;
};

#define PSTK_DAL_PROCESS(name, init, fire, finish, state_size)                       \
	{                                                                            \
		(name), (init), (fire), (finish), (state_size), NULL, 0, false, NULL \
	}

/*
 * BUILD. Adds the actors and FIFOs of a process network. mapping: NULL: none. Processes that read and write
 * when they like become kahn actors, and a channel between two of them is a plain ring of the capacity that
 * its `size` says (one token more than the initial ones at least); a process with ports becomes an ordinary
 * actor, a channel with one at either end has windows of its rate (both ends of it the same) and the depth
 * that its size allows beside the initial tokens, at least 1. Initial tokens are zeros. core_N of the mapping
 * pins; gpu_N maps to the N-th device of pstk_devices(), from 0. Actors have the processes' names. processes
 * are borrowed until destroy. Negative errno, and pstk_network_error() says file, line, what is wrong and how
 * to mend it: -ENOENT and others of open(2); -EINVAL: not well-formed, an unknown process, a port without a
 * connection, ..; -EEXIST: the network has an actor of this name; -ENODEV: no such device; -EOVERFLOW;
 * -ENOTSUP: scenarios; -ENOMEM. The network can only be destroyed then.
 */
PSTK_PUBLIC int pstk_dal_build(struct pstk_network *net, const char *process_network, const char *mapping,
	const struct pstk_dal_process *processes, unsigned count);

/* BUILD, after pstk_dal_build() (-ENOENT). Who hears of DAL_send_event(): called by the process's thread,
 * also by several at a time, and from start() if an init sends; 0: the application goes on; else it is
 * stopped, as it is where nobody asks to hear (heard NULL). */
PSTK_PUBLIC int pstk_dal_set_event(struct pstk_network *net,
	int (*heard)(void *data, const char *process, const char *message), void *data);

#ifdef __cplusplus
}
#endif

#endif
