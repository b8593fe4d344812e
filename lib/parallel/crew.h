/* SPDX-License-Identifier: MIT */
/*
 * Crew: threads of others that help with one loop at a time.
 *
 *	ps_crew_run(crew, owner, 1000, 100, body, data)    the caller offers 0 .. 999 in parts of 100, and takes parts
 *	ps_crew_serve(crew, wanted, arg)                   a helper sleeps until there is a loop, takes parts of it, ..
 *
 * No thread is made here. A part is one call of body(data, from, to), for from .. to - 1.
 *
 * The door. All that the threads must agree on is one word: is the crew claimed by a caller, how many helpers may be
 * inside, how many are.
 *
 *	caller                                      helper
 *	claims the door: no caller, none inside
 *	writes the loop
 *	opens the door: width - 1 may come in
 *	wakes helpers, if any sleep                 comes in, if fewer are inside than may be
 *	takes parts until there are none            takes parts until there are none, or it is wanted elsewhere
 *	closes the door                             closes the door, if there are none
 *	waits until no helper is inside             goes out; the last one wakes the caller, if it sleeps
 *	gives the door back
 *
 * A helper touches the loop only while it is inside, and the caller returns only when none is. So a helper that comes
 * late finds a closed door, or the next loop: no number of a loop is needed to tell them apart.
 *
 * A caller at the end and a helper that comes out look at the door for as long as a wake-up takes before they sleep,
 * where each thread of a loop can have a core.
 *
 * A caller that cannot claim the door runs its loop alone: another thread's loop has the crew, or the caller is in a
 * body itself. tests/models/loop.pml is this protocol.
 */
#ifndef PENSTOCK_CREW_H
#define PENSTOCK_CREW_H

#include <stdbool.h>
#include <stddef.h>

struct ps_crew;

/* What a helper calls before its first part of a loop and after its last one. owner: ps_crew_run()'s. NULL: nothing. */
struct ps_crew_hooks {
	void (*enter)(void *owner);
	void (*leave)(void *owner);
};

/* width: the most threads that work on one loop, its caller among them; at least 1. BUILD or start(). hooks is copied;
 * NULL: none. Returns NULL: out of memory. */
struct ps_crew *ps_crew_create(unsigned width, const struct ps_crew_hooks *hooks);

/* When no thread serves or calls. NULL is allowed. */
void ps_crew_destroy(struct ps_crew *);

/* From the next loop on. Any thread. */
void ps_crew_set_width(struct ps_crew *, unsigned width);

/*
 * Calls body for all of 0 .. count - 1, each once, and returns when all calls have returned. Any thread, also in a
 * body. Nothing is allocated. No helper touches data or calls body after that, so data may lie on the caller's stack.
 *
 * grain: so many a part, the last one may be less. 0: about four parts a thread, or one part if the loop is not
 * shared.
 */
void ps_crew_run(struct ps_crew *, void *owner, size_t count, size_t grain,
	void (*body)(void *data, size_t from, size_t to), void *data);

/*
 * The calling thread helps until wanted(arg) says that it is wanted elsewhere. It asks that before it sleeps and after
 * each part. wanted() may be called at any time, and must not block.
 */
void ps_crew_serve(struct ps_crew *, bool (*wanted)(void *arg), void *arg);

/* All helpers ask wanted() again. Call it after a change of what wanted() says. Any thread. */
void ps_crew_wake(struct ps_crew *);

#endif
