/* SPDX-License-Identifier: MIT */
/*
 * Move: actors that change their place, the cores or an OpenCL device, of this host or another one, while data flow.
 *
 *	pstk_actor_map(blur, "pocl:cpu:0/1of2");
 *	pstk_actor_may_move(blur, "pocl:cpu:0/2of2");
 *	pstk_actor_may_move(blur, NULL);
 *	pstk_network_start(net);
 *	..
 *	move = pstk_actor_migrate(blur, NULL, 0);
 *	pstk_network_wait_move(net, move, 0);
 *
 * Places
 *   An actor is movable if it has several places. The first one is where it is mapped to at the start
 *   (pstk_actor_map()), the others are those of pstk_actor_may_move(). start() makes all that it needs at each of them:
 *   its kernel is built and has been launched once, its windows and its state have their memory. So a move allocates
 *   nothing. Each part of a device is a place of its own: a device that is used in parts is empty once the actors at
 *   each of its parts have moved.
 *
 * Moves
 *   A move is the change of place between two firings of the actor. Only the actor that moves stops for it, and no
 *   neighbour is told. The stream of every FIFO is what it would be without the move: nothing is lost, doubled,
 *   reordered or changed. Firing numbers go on.
 *   - An actor whose type is stateless begins at the new place while its older firings are in flight at the old one.
 *   - Another one waits for its own commands first. Then its state goes to the new place.
 *   - It moves also while no window comes.
 *   - If the state can't be brought to the new place, the actor stays where it is, and goes on there.
 *   Each move that was taken up is answered once: it is done, the actor has stayed, or the move was cancelled.
 *
 * What it costs
 *   A FIFO with an end that moves has its windows at one home, wherever its ends are:
 *   - if all places of both ends are the cores and one device (or parts of it) with fine-grained shared virtual memory,
 *     in that memory, which all of them use in place;
 *   - else in memory of the host. Each device place has windows of its own, to and from which the windows are copied.
 *   Such a FIFO shares memory with no other reader of its output. An actor that may move, and its neighbours on
 *   devices, are not launched by the threads that publish their windows: each has its own thread, or the team fires it.
 *   That never changes while the network runs, nor does the core to which it is pinned.
 *
 * Between hosts
 *   A place may be a host or a device of the machine that the network was planned for: "c1", "c1/cpu0". Call
 *   pstk_actor_may_move() for it after pstk_plan_apply(), in all processes alike.
 *   - The windows of the actor stay at its own host, where the plan has put it. At another host each firing gets its
 *     input windows from there, and sends back its output windows and its state: one firing at a time.
 *   - init() is called at each of its hosts, and so is finish(); that of its own host sees the last state.
 *   - Any process may ask for a move, and gets the answer. What is asked for before the start is asked for in all
 *     processes alike; all are told what has become of it. Of a move that another process than the actor's own knows
 *     the times after asked_ns, latencies, bound_ns and gap_ns are 0. If as many moves are open at the actor's own host
 *     as are kept there (pstk_network_set_moves()), the move is cancelled, with -EBUSY as err.
 *   - Its type is stateless, or has portable_state, and has no unblock(). The actor has a thread of its own.
 *   - A process that is lost, and a device of another host that fails, fail the network, also with a guard.
 *
 * Not covered
 *   - Kahn actors: they have no boundary between firings.
 *   - A place that has failed: a failed command at the present place fails the network, as without moves, unless the
 *     actor is guarded (pstk_actor_guard()).
 *
 * Source: "task migration" (the paper's strategy of emptying and filling at the same time), without its iterations.
 *
 * Conventions (units, errors, contexts, ownership): <penstock/penstock.h>.
 */
#ifndef PENSTOCK_CORE_MOVE_H
#define PENSTOCK_CORE_MOVE_H

#include <penstock/core/device.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Places of an actor, at most. */
enum { PSTK_PLACES_MAX = 8 };

/*
 * Gives an actor one more place, to which it may be moved. Context: BUILD.
 *
 * device: a selector as of pstk_actor_map(); NULL: the cores of its host; with a plan over several hosts also a place
 *         of the machine ("Between hosts"). What was given before in the same words is no further place. In other
 *         words it counts as one more, and so does where the actor is mapped to. start() keeps the first one, which
 *         pstk_actor_migrate() then knows by its own words and by pstk_device_info.selector.
 * Errors:
 *   -ENODEV, -ENOTUNIQ: as pstk_actor_map()
 *   -EINVAL: a malformed selector, a kahn actor, or a type without the form that the place needs: a kernel or fire_cl()
 *            for a device, fire() for the cores
 *   -EINVAL, of pstk_network_check() and start(): the cores and a device, for a type that is neither `stateless` nor
 *            `portable_state`; two devices, for a type with fire_cl() that has no open_place(), or is neither of both;
 *            another host, for a type that is neither, or has an unblock()
 *   -ENOSPC: it has PSTK_PLACES_MAX places already
 *   -ENOMEM
 */
PSTK_PUBLIC int pstk_actor_may_move(struct pstk_actor *, const char *device);

/*
 * Guards an actor: a device that fails costs it that place, not the network its run. Context: BUILD.
 *
 * On a device it then fires one firing at a time, and each is wholly done or not at all: its inputs are uploaded, its
 * kernel or fire_cl() runs, its outputs and its state are brought back. Only then the outputs are published and the
 * inputs freed. If a call of OpenCL or a command of it fails, the same firing is fired at the actor's next living
 * place, in the order in which they were given, the cores included, with the state of the firing before. The place that
 * has failed is not used again. It is in the report as a move (err, text), and a warning in the log;
 * pstk_network_wait() returns 0. Nothing is lost or doubled.
 *
 * It costs overlap within this actor, and a copy of each window on either side. It has a thread of its own. The
 * actor's OpenCL objects of a place that has failed stay until the program ends: a command may still use them.
 * Not covered:
 *   - commands that never end: there is no time limit that could be right by itself;
 *   - other actors on the same device, unless they are guarded, too;
 *   - what fire_cl() returns below 0: that is an error of the actor's own;
 *   - the last place: if it fails, the network does.
 * Errors:
 *   -EINVAL: NULL, or a kahn actor
 *   -ENOMEM
 */
PSTK_PUBLIC int pstk_actor_guard(struct pstk_actor *, bool on);

/* Is it guarded? Context: ANY. In a library without OpenCL none is. */
PSTK_PUBLIC bool pstk_actor_guarded(const struct pstk_actor *);

/*
 * Tells a place of an actor: where it is mapped to (0), and those of pstk_actor_may_move() in their order. In init() it
 * says whether fire() or the device form is needed at all. Context: ANY.
 *
 * info: gets the device.
 * Errors:
 *   -EINVAL: NULL
 *   -ENODEV: the cores
 *   -ENOENT: it has no such place
 */
PSTK_PUBLIC int pstk_actor_get_place(
	const struct pstk_actor *, unsigned index, struct pstk_device_info *info);

/*
 * Asks an actor to move to a place at its first boundary from firing `firing` on. Context: ANY; BUILD with firing > 0.
 *
 * device: as it was given to pstk_actor_map() or pstk_actor_may_move(), or pstk_device_info.selector; NULL: the cores
 *         of its own host, which that host's name says, too. Where the actor is already is a place, too.
 * firing: as pstk_firing_index() counts; 0: the next boundary.
 * Several moves of one actor begin in the order of their firings; of equal ones in the order in which they were asked.
 * Returns at once: the number of the move in this network, 0, 1, ..
 * Errors (before the start: start() fails, too; later the network goes on, a line is logged, and
 * pstk_network_move_refusal() has it):
 *   -EINVAL: NULL, or before the start with firing 0
 *   -ENOENT: the actor has no such place; or it runs on another host, and may go nowhere but there: that host's
 *            process asks
 *   -EBUSY: as many moves are open as are kept (pstk_network_set_moves()); or another thread is in start(); or it is a
 *           pipeline, or a stage of one, which finds its places by itself (<penstock/pipeline.h>)
 *   -ECANCELED: the actor or the network has ended, or start() has failed
 *   -ENOMEM: BUILD only
 */
PSTK_PUBLIC int pstk_actor_migrate(struct pstk_actor *, const char *device, uint64_t firing);

/* Returns the index-th place of an actor: "cores", or the selector of a device; of another host the machine's name. As
 * pstk_actor_get_place() counts; NULL: it has not so many, or can't move and has none. Before the start a place may be
 * among them twice. Context: BUILD; ANY once it has started. It belongs to the actor. */
PSTK_PUBLIC const char *pstk_actor_place_name(const struct pstk_actor *, unsigned index);

/* Returns at which of its places an actor is now, as pstk_actor_place_name() does; NULL: it can't move, or is of
 * another host. It may be at another one when this has returned. Context: as pstk_actor_place_name(). */
PSTK_PUBLIC const char *pstk_actor_at(const struct pstk_actor *);

/* Says where a movable actor is, and what its first open move waits for: "at cores, move 3 to pocl:cpu:0/2of2 waits for
 * firing 100"; "": it can't move, or has not started. Context: as pstk_actor_place_name(). Returns the length of the
 * whole text, as snprintf() does. */
PSTK_PUBLIC int pstk_actor_say_move(const struct pstk_actor *, char *text, size_t size);

enum pstk_move_state {
	PSTK_MOVE_ASKED,    /* open: it has not begun, or waits for the actor's commands */
	PSTK_MOVE_DONE,     /* the actor is at the new place */
	PSTK_MOVE_STAYED,   /* its state could not be moved: it is where it was; err and text say why */
	PSTK_MOVE_CANCELLED /* the actor had ended before, or the network has failed or was aborted */
};

/* What is known of a move. Times are of CLOCK_MONOTONIC; 0: not yet, or never. */
struct pstk_move {
	uint32_t struct_size; /* sizeof(struct pstk_move); set by the caller */
	enum pstk_move_state state;
	int err;        /* STAYED: a negative errno */
	char text[256]; /* STAYED, CANCELLED: why, a line */
	struct pstk_actor *actor;
	char from[64], to[64]; /* "cores", or a selector; from: where it was when the move began */
	uint64_t wanted;       /* the firing that was asked for */
	uint64_t firing;       /* DONE: the first one at the new place */
	uint64_t asked_ns;
	uint64_t began_ns;    /* the actor's first boundary */
	uint64_t switched_ns; /* it is at the new place */
	uint64_t first_ns;    /* the outputs of its first firing there are there */
	unsigned in_flight;   /* firings in flight at the old place at the switch */
	size_t state_bytes;
	/* Copies that a window passes on its way through the actor, at the old and at the new place: each side of a
	 * device with windows of its own is one, the way to another host and the way back are one each, the cores and
	 * shared virtual memory are none. */
	unsigned buffers_before, buffers_after;
	/* From taking its windows until its outputs are there, of the last firing at the old place and the first one at
	 * the new place. */
	uint64_t latency_before_ns, latency_after_ns;
	uint64_t period_ns; /* from firing to firing, the mean of those before the move */
	/* The longest time between two outputs to expect. Stateless: period + max(0, latency_after - latency_before);
	 * else latency_after + period + the time that the state took. */
	uint64_t bound_ns;
	/* The longest time between two of its outputs' being there, from the last one of the old place to the second
	 * one of the new place. 0 also where a driver said too late when the former were there, and where the stream
	 * ended before the latter. */
	uint64_t gap_ns;
};

/* A move's description with its size set. C only. */
#define PSTK_MOVE() ((struct pstk_move){ .struct_size = (uint32_t)sizeof(struct pstk_move) })

/*
 * Waits until a move has been answered. Context: ANY, but not in a callback of an actor of the network.
 *
 * ns: how long at most; 0: no limit.
 * Errors:
 *   -EINVAL: NULL
 *   -ENOENT: no such move, or it is no longer kept
 *   -ETIMEDOUT
 *   -EDEADLK: in an actor's callback
 */
PSTK_PUBLIC int pstk_network_wait_move(struct pstk_network *, unsigned number, uint64_t ns);

/* Returns how many moves were asked for so far. Context: ANY. */
PSTK_PUBLIC unsigned pstk_network_move_count(const struct pstk_network *);

/*
 * Tells what is known of a move. Context: ANY.
 *
 * Errors:
 *   -EINVAL: NULL, or struct_size is not set, or less than its own 4 bytes
 *   -ENOENT: no such move, or it is no longer kept
 */
PSTK_PUBLIC int pstk_network_move(const struct pstk_network *, unsigned number, struct pstk_move *);

/* Returns the number of the first move from number `from` on that is still kept; -ENOENT: there is none. So all of them
 * are gone through: from = 0, then from the last one and 1. Context: ANY. */
PSTK_PUBLIC int pstk_network_kept_move(const struct pstk_network *, unsigned from);

/*
 * Prints a line for each move that is kept: "move 3: blur from cores to pocl:cpu:0: done, at firing 9, gap 0.513 ms,
 * expected 0.980 ms". pstk_network_print_stats() has them, too. Context: ANY.
 *
 * out: borrowed
 * Errors:
 *   -EINVAL: NULL
 *   -EIO: not all could be written
 */
PSTK_PUBLIC int pstk_network_print_moves(const struct pstk_network *, FILE *out);

/*
 * Sets how many ended moves are kept, and how many may be open at once: 64 unless this is called. Context: BUILD.
 *
 * Errors:
 *   -EINVAL: 0, or more than 65536; or a move was asked for already
 */
PSTK_PUBLIC int pstk_network_set_moves(struct pstk_network *, unsigned n);

/*
 * Sets a function that is called once for each move that was answered. Context: BUILD.
 *
 * fn: may call what is ANY, but must not wait for the network, nor destroy it; NULL: no function. A thread of the
 *     library calls it. Of what is still open three calls do it themselves, in the thread that called them: start()
 *     when it fails, pstk_network_wait() at the end, and pstk_network_destroy() of a network that was not started. No
 *     lock of the library is held. The program must hold none around these calls that fn takes.
 * data: borrowed, until pstk_network_wait() has returned, or such a pstk_network_destroy() has.
 */
PSTK_PUBLIC int pstk_network_on_move(struct pstk_network *,
	void (*fn)(struct pstk_network *, unsigned number, const struct pstk_move *, void *data), void *data);

/* Copies why pstk_actor_migrate() has refused this thread's latest move while the network runs; "": it has refused
 * none. Context: ANY. Returns the length of the whole text, as snprintf() does. */
PSTK_PUBLIC int pstk_network_move_refusal(const struct pstk_network *, char *text, size_t size);

/* Returns the bytes that movable actors add: their windows at each device place, and their states; for places of other
 * hosts two messages each. Exact before the start. They are part of pstk_network_shared_bytes(). Context: ANY. */
PSTK_PUBLIC size_t pstk_network_move_bytes(const struct pstk_network *);

#ifdef __cplusplus
}
#endif

#endif
