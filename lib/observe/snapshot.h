/* SPDX-License-Identifier: MIT */
/* Snapshot: what each actor of a running network is doing, for people. */
#ifndef PENSTOCK_SNAPSHOT_H
#define PENSTOCK_SNAPSHOT_H

#include "lib/model/network.h"

enum ps_doing {
	PS_NOT_BEGUN,
	PS_WAITS_FOR_TOKENS,
	PS_WAITS_FOR_ROOM,
	PS_WAITS_FOR_MERGED,   /* for memory of its output that another buffer still uses */
	PS_WAITS_FOR_DEVICE,   /* at a port whose window a device has not finished with */
	PS_WAITS_FOR_COMMANDS, /* of its own */
	PS_MAY_FIRE,           /* a team will */
	PS_IN_FIRE,            /* or between two steps of a firing */
	PS_HAS_ENDED,
	PS_IS_AWAY /* another host runs it */
};

/* Of one moment, more or less: the actor goes on meanwhile. */
struct ps_state {
	enum ps_doing doing;
	unsigned port;            /* it waits at .. */
	struct pstk_actor *other; /* .. which leads to this one */
	uint64_t since;           /* the clock; 0: not known */
	unsigned flights;         /* firings in flight on its device */
	bool runs;                /* the device is at one of them */
};

/* Any thread from the threads' start to destroy(). */
struct ps_state ps_state_of(struct pstk_actor *);

/* Is it inside something that is not the network's: its fire(), a device? */
bool ps_state_is_busy(const struct ps_state *);

/* "waits for tokens at in <- count for 12.3 ms, 7 firings". */
void ps_state_say(const struct pstk_actor *, const struct ps_state *, uint64_t now, char *text, size_t size);

/* "12.3 ms", "2.5 s". */
enum { PS_TIME_SIZE = 24 };
const char *ps_time_say(uint64_t ns, char buffer[PS_TIME_SIZE]);

/* The watcher. Writes those to stderr that a signal, or another process of the network, has asked for since the last
 * call. */
void ps_snapshot_write(struct pstk_network *);

/* start(), before there is a watcher: what was asked for too early is none. */
void ps_snapshot_begin(struct pstk_network *);

/* destroy(). */
void ps_snapshot_forget(struct pstk_network *);

#endif
