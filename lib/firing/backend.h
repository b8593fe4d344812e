/* SPDX-License-Identifier: MIT */
/*
 * Backend: where an actor's firings run, and where the windows of its FIFOs lie. One table for each place that is not
 * the cores of this process; lib/run/backends.c has the list of them. firing/ calls these and knows none. On the cores
 * (an actor's backend is NULL) a firing is a call of fire(), and a FIFO is memory that both ends see.
 *
 * A FIFO belongs to the backend of its writer, or else of its reader.
 */
#ifndef PENSTOCK_BACKEND_H
#define PENSTOCK_BACKEND_H

#include "lib/firing/task.h"
#include "lib/model/place.h"

/* The first member of what is to learn that something is there. */
struct ps_awaited {
	void (*there)(struct ps_awaited *);
};

struct ps_backend {
	const char *name;

	/* start(). A negative errno: the network has failed with the reason. open: before any FIFO has memory;
	 * allocate_fifo: of a FIFO that belongs to it (where memory is out without a reason); host_windows: of such a
	 * FIFO, written on the cores, that has memory: where its windows lie on the host, if `beside`, a FIFO of that
	 * output which the cores read, has its windows there, too; else NULL; prepare: after each actor's
	 * init(). */
	int (*open)(struct pstk_network *);
	int (*allocate_fifo)(struct pstk_fifo *);
	unsigned char *(*host_windows)(struct pstk_fifo *, const struct pstk_fifo *beside);
	int (*prepare)(struct pstk_network *);
	/* start() has failed, before or behind prepare: ends the threads that prepare has begun. */
	void (*abandon)(struct pstk_network *);

	/* wait(), when every actor has ended: waits for what is in flight. draining: is some thread in there? give_up,
	 * any thread: what is in flight may never end; let drain() not wait for ever. */
	void (*drain)(struct pstk_network *);
	bool (*draining)(const struct pstk_network *);
	void (*give_up)(struct pstk_network *);

	/* destroy(), or start() has failed: in this order, for each FIFO and actor whether it belongs to it or not. */
	void (*close_fifo)(struct pstk_fifo *);
	void (*close_actor)(struct pstk_actor *);
	void (*close)(struct pstk_network *);

	/*
	 * Of an actor that runs there. Of one that moves what any thread may call is for all places together, or for
	 * the one where it is or was last: a thread that has found it there need not find it there again.
	 */

	/* The thread that takes. May one more firing begin? WAIT: too many are in flight. A failure fails the network
	 * and says ENDED. */
	enum ps_firing_state (*room)(struct pstk_actor *);
	/* The actor's own thread: waits until room() may say something else, or after a nudge. */
	void (*wait_room)(struct pstk_actor *);
	/* The thread that takes: notifies this eventcount when room() may say something else. */
	void (*announce_room)(struct pstk_actor *, struct ps_eventcount *);
	/* Any thread. Makes the present or next wait_room() return. */
	void (*nudge)(struct pstk_actor *);

	/* All windows are taken, by number. Begins the firing; what fire_cl() returned, 0, or a negative errno with the
	 * actor's text. Then each window is handed on, published or released. */
	int (*fire)(struct pstk_firing *);
	void (*publish)(struct pstk_firing *, unsigned port);
	void (*release)(struct pstk_firing *, unsigned port);

	/* Any thread. Firings in flight; *runs: has one of them begun? */
	unsigned (*flights)(const struct pstk_actor *, bool *runs);
	/* Does a window reach one of its ports by commands that no publishing thread knows of? */
	bool (*relays)(const struct pstk_actor *);
	/* Any thread. Since when its own thread waits in wait_room(), the clock; 0: it does not. How long it has waited
	 * there in all. How long its firings took, as far as they are through, with PSTK_PROFILE. */
	uint64_t (*waits_since)(const struct pstk_actor *);
	uint64_t (*waited_ns)(const struct pstk_actor *);
	uint64_t (*ran_ns)(const struct pstk_actor *);
	/* For messages. What runs when it fires, "fire_cl()"; where; which device a place of it is, that is one. */
	const char *(*form)(const struct pstk_actor *);
	const struct pstk_device_info *(*info)(const struct pstk_actor *);
	const struct pstk_device_info *(*info_at)(const struct pstk_actor *, unsigned place);
	/* Does it take copies to bring windows there from the host? Do two actors that run there use one memory, as on
	 * parts of one device? */
	bool (*copies)(const struct pstk_actor *);
	bool (*together)(const struct pstk_actor *, const struct pstk_actor *);

	/*
	 * Of an actor that moves (lib/move). The taker, at a boundary; start() before any.
	 */

	/* Are all of its commands where it is through? WAIT: wait_room() and announce_room() wait for that from now on.
	 * ENDED: one has failed, and so has the network. */
	enum ps_firing_state (*idle)(struct pstk_actor *);
	/* Brings its state from a place to the host, or there from the host; returns when that is done. 0, or a
	 * negative errno with the reason. */
	int (*fetch_state)(const struct ps_actor_place *, void *state, char text[PS_TEXT_SIZE]);
	int (*put_state)(const struct ps_actor_place *, const void *state, char text[PS_TEXT_SIZE]);
	/* From now on its ends of FIFOs are at this place, which may be the cores, and firings run there. */
	void (*arrive)(struct pstk_actor *, unsigned place);
	/* A firing of a guarded actor, as fire(). */
	int (*fire_guarded)(struct pstk_firing *);
	/* Firings in flight at a place. */
	unsigned (*in_flight)(const struct ps_actor_place *);
	/* How many copies a window passes on its way through the actor at this place. */
	unsigned (*copies_at)(const struct pstk_actor *, unsigned place);
	/* The publisher, of a firing that was enqueued: calls there() so often as it returns, by any thread, each time
	 * when some of its outputs are there. Of commands that fail perhaps never. */
	unsigned (*await)(const struct pstk_firing *, struct ps_awaited *);
	/* Which bytes a FIFO's ends take at their places besides its windows; a guarded actor at each of its devices.
	 * Any time. */
	size_t (*staging)(const struct pstk_fifo *);
	size_t (*guarding)(const struct pstk_actor *);

	/*
	 * Of a FIFO that belongs to it.
	 */

	/* One of its ends has said FAILED: fails the network with the reason. */
	void (*fifo_failed)(struct pstk_fifo *, bool writer);
	/* For reports. Is its memory another FIFO's? "device", "staged", .. */
	bool (*fifo_shared)(const struct pstk_fifo *);
	const char *(*fifo_memory)(const struct pstk_fifo *);
	/* After start(): does a buffer of it share memory with those of other outputs? */
	bool (*fifo_merged)(const struct pstk_fifo *);
	/* Do its windows go from one place to another? How many places, each with windows of its own, do they cross
	 * before the reader's? */
	bool (*fifo_moves)(const struct pstk_fifo *);
	unsigned (*fifo_hops)(const struct pstk_fifo *);
};

/* That of any of its places but the cores; NULL: it is on the cores, and stays there, or is guarded. */
static inline const struct ps_backend *ps_backend_anywhere(const struct pstk_actor *a)
{
	return a->guarded ? NULL : a->places ? ps_place_backend(a) : a->backend;
}

/* Where the FIFO is read, or may be; NULL: on the cores, as all control values are. */
static inline const struct ps_backend *ps_backend_of_reader(const struct pstk_fifo *f)
{
	return f->dst->type.ports[f->dst_port].kind == PSTK_CONTROL ? NULL : ps_backend_anywhere(f->dst);
}

/* NULL: memory that both ends see. */
static inline const struct ps_backend *ps_backend_of(const struct pstk_fifo *f)
{
	const struct ps_backend *b = ps_backend_anywhere(f->src);

	return b ? b : ps_backend_of_reader(f);
}

/* Any thread. draining() and give_up() of all backends that actors of this network run on. */
bool ps_backends_draining(const struct pstk_network *);
void ps_backends_give_up(struct pstk_network *);

#endif
