/* SPDX-License-Identifier: MIT */
/*
 * Eventcount: a counter on which threads sleep until another thread notifies them.
 *
 * It wakes threads that wait for something outside of a FIFO: an event of a device, or work for a team.
 *
 *	waiter                                  notifier
 *	seen = ps_eventcount_expect()
 *	looks: nothing to do                    changes something
 *	                                        ps_eventcount_awaited() > 0: ps_eventcount_notify()
 *	ps_eventcount_wait(seen)
 *	ps_eventcount_leave()
 *
 * If the notifier comes between the look and the wait, the count is no longer `seen`, and the wait returns at once.
 *
 * Memory. A driver may call back late, after the network is gone, or never. So the memory of an eventcount is never
 * given back to the system: ps_eventcount_get() lends one, ps_eventcount_put() takes it back. A notification that comes
 * too late wakes a thread of another network, which looks and waits again.
 */
#ifndef PENSTOCK_EVENTCOUNT_H
#define PENSTOCK_EVENTCOUNT_H

#include <stdint.h>

struct ps_eventcount;

/* The longest wait for a device: a driver may forget to call back (PoCL 3.1 does when an event fails). */
#define PS_EVENTCOUNT_LOOK_AGAIN_NS 100000000u

/* Lends an eventcount, and takes it back. BUILD or start(). NULL: out of memory. */
struct ps_eventcount *ps_eventcount_get(void);
void ps_eventcount_put(struct ps_eventcount *);

#define PS_EVENTCOUNT_FOR_EVER UINT64_MAX

/* How often it was notified. A waiter reads it before it looks whether there is something to wait for. */
unsigned ps_eventcount_count(struct ps_eventcount *);

/* Wakes all threads that wait, one of them, or at most so many. Any thread, no lock held. */
void ps_eventcount_notify(struct ps_eventcount *);
void ps_eventcount_notify_one(struct ps_eventcount *);
void ps_eventcount_notify_few(struct ps_eventcount *, unsigned threads);

/* Returns when it was notified since the count was `seen`, or after ns nanoseconds. */
void ps_eventcount_wait(struct ps_eventcount *, unsigned seen, uint64_t ns);

/*
 * For a waiter that looks at many things before it waits, with notifiers that notify only if a thread waits: see the
 * drawing above. The notifier changes something first and calls ps_eventcount_awaited() after that. Then one of two
 * things holds: the notifier sees that the waiter expects, or the waiter's look sees the change.
 *
 * ps_eventcount_expect() returns what ps_eventcount_wait() gets as `seen`.
 */
unsigned ps_eventcount_expect(struct ps_eventcount *);
void ps_eventcount_leave(struct ps_eventcount *);

/* Above 0 while any thread expects or sleeps. hint: a look that may be old. awaited: ordered behind everything that
 * this thread has changed before. */
unsigned ps_eventcount_hint(struct ps_eventcount *);
unsigned ps_eventcount_awaited(struct ps_eventcount *);

#endif
