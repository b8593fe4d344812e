/* SPDX-License-Identifier: MIT */
/* What lib/remote keeps. Before the remote thread runs all of it is its starter's. Then a member without a comment on
 * that is the remote thread's, or constant. Only for the files of this folder. */
#ifndef PENSTOCK_REMOTE_STATE_H
#define PENSTOCK_REMOTE_STATE_H

#include "lib/base/eventcount.h"
#include "lib/remote/remote.h"

#include <pthread.h>
#include <stdatomic.h>

#define PS_REMOTE_UNKNOWN UINT64_MAX

/* Control messages that may be on their way to a rank. It acknowledges each PS_CONTROL_BATCH of them. */
enum { PS_CONTROL_SLOTS = 8, PS_CONTROL_BATCH = 4, PS_CONTROL_ACKS = PS_CONTROL_SLOTS / PS_CONTROL_BATCH };

/* What is said of a channel in a control message. Running totals: a later one says all that earlier ones have said. */
enum ps_control_what {
	PS_CONTROL_CREDITS,  /* receiver: receives posted so far */
	PS_CONTROL_UNWANTED, /* receiver: all readers have ended */
	PS_CONTROL_LAST,     /* sender, whose receiver said so: messages in all */
	PS_CONTROL_READY,    /* of letters, not of a channel: the receive of the first one is posted */
	PS_CONTROL_WHATS
};

enum { PS_CONTROL_ENTRIES = 32 };
/* What a message says besides. ABORT and USER fill it to its end; ABORT goes first. */
enum {
	PS_CONTROL_USER = 1,
	PS_CONTROL_BYE = 2,
	PS_CONTROL_STOP = 4,
	PS_CONTROL_ABORT = 8, /* kind: the rank that began it; the text follows the error */
	PS_CONTROL_DONE = 16  /* this rank's channels are through, and ps_remote_done() was called */
};

struct ps_control_message {
	uint32_t entries;
	uint32_t flags;
	uint32_t kind, size; /* of the user's message, or the abort's */
	struct {
		uint32_t what, number;
		uint64_t total;
	} entry[PS_CONTROL_ENTRIES];
	unsigned char user[PS_REMOTE_MESSAGE]; /* sent only with USER or ABORT */
};
_Static_assert(sizeof(struct ps_control_message) <= 1024, "a transport keeps no longer ones (transport.h)");

/* Where a message will arrive: in a window of the first FIFO that had a reader when its receive was posted. */
struct ps_arrival {
	unsigned char *window;
	uint32_t fifo;
};

/* One direction of one stream. Messages are numbered from 0; message n has slot n modulo windows. */
struct ps_channel {
	uint32_t number, rank, index; /* index: its place in what the transport was given */
	uint32_t windows;
	bool sends;
	struct ps_fifo **fifos; /* of a receiver: those that own memory; of a sender: one */
	uint32_t count;
	size_t token_size;
	uint32_t rate;
	uint64_t bytes; /* of a window */

	uint64_t posted, through; /* messages; through: without those that were cancelled */
	uint64_t last;            /* messages in all */
	bool done;                /* nothing is posted, and the end is closed */
	/* of a sender */
	uint64_t credits;
	uint64_t starving; /* a window is there and has no credit, since then: the clock; 0: no */
	_Atomic uint64_t starved_ns, bytes_sent; /* any thread reads them, and sent */
	_Atomic uint64_t sent;                   /* messages with tokens that are through */
	bool without_tokens;                     /* the last message has none, and belongs to no window */
	bool tells_last;                         /* once */
	/* of a receiver */
	struct ps_arrival *arrivals; /* by slot */
	uint64_t told;               /* credits */
	uint64_t cancelled;
	bool unwanted, told_unwanted, cancels;
	bool broken; /* its memory takes no more */
};

/* Question and answer with another rank (letters.h). */
struct ps_letters {
	uint32_t number, rank,
		index; /* index: of its first channel, for what goes; the next one is for what comes */
	bool asks;     /* this rank asks, the other one answers */
	void *out, *in, *user; /* the caller's */
	size_t out_most, in_most;
	size_t size;        /* of what is to go; set before wants */
	atomic_bool wants;  /* one is to go; set by any thread */
	atomic_bool awaits; /* of the rank that asks: an answer is to come; set by any thread, before wants */
	bool ready;         /* of the rank that asks: the other rank is */
	bool told_ready;    /* of the rank that answers */
	bool posted, goes;  /* a receive is posted; what was sent is not through */
	bool came, cancels; /* came: one that the caller has not heard of, of so many bytes */
	uint64_t bytes;
};

/* A message that waits. */
struct ps_waiting {
	uint32_t kind, size;
	unsigned char bytes[PS_REMOTE_MESSAGE];
};

/* The transport's channels for control messages between a rank and this one, and for their acknowledgements. */
enum ps_peer_channel { PS_PEER_SAYS, PS_PEER_HEARS, PS_PEER_HEARS_ACKS, PS_PEER_SAYS_ACKS, PS_PEER_CHANNELS };

struct ps_peer {
	uint32_t rank, index; /* index: of the first of its channels */
	atomic_bool failed;   /* set by the remote thread */
	struct ps_control_message out[PS_CONTROL_SLOTS], in[PS_CONTROL_SLOTS];
	uint64_t posted[PS_PEER_CHANNELS], through[PS_PEER_CHANNELS], cancelled[PS_PEER_CHANNELS];
	uint32_t next; /* the first channel that the next message may speak of */
	bool told_abort, told_stop, told_done;
	bool heard_done;
	bool says_bye;  /* this rank has posted its last message */
	bool heard_bye; /* the other rank's last message has come */
	bool cancels;
	bool began;      /* something has come from there, or will soon */
	uint64_t silent; /* nanoseconds since something came from there; 0 before */
	uint64_t quiet;  /* nanoseconds since something was said to it */

	/* guarded by the remote's lock */
	struct ps_waiting waiting[PS_REMOTE_WAITING];
	uint32_t first, count;
	bool deaf; /* this rank has said its last word */
};

struct ps_remote {
	struct pstk_transport *transport;
	struct ps_remote_calls calls;
	struct ps_channel *channels;
	uint32_t count;
	struct ps_letters **letters; /* each the caller's from ps_remote_add_letters() on */
	uint32_t letter_count;
	struct ps_peer *peers; /* by rank; this rank's own is not used */
	uint32_t peer_count;   /* ranks */
	struct ps_eventcount *eventcount;
	uint64_t looked; /* when silence was measured */
	bool busy;       /* more than signs of life has gone or come since the last look; the remote thread */
	bool broken;     /* the transport */
	bool opened, runs;
	bool settled; /* all ranks are done; through() was called */
	/* set by any thread */
	atomic_bool goes, done, ends, stops;
	atomic_bool aborts; /* set after what follows */
	/* guarded by lock, the first one stays */
	struct {
		uint32_t origin;
		int err;
		char text[PS_REMOTE_TEXT];
	} abort;
	pthread_t thread;
	pthread_mutex_t lock; /* the messages that wait, and the abort */
	char text[512];       /* the starter's, then the remote thread's */
};

/* Keeps an abort, if it is the first one. Any thread. */
bool ps_remote_keep_abort(struct ps_remote *, uint32_t origin, int err, const char *text);

/* Runs over the ranks but this one. */
#define PS_REMOTE_EACH_PEER(r, p)                                                   \
	for (struct ps_peer *p = (r)->peers; p < (r)->peers + (r)->peer_count; p++) \
		if (p->rank != (r)->transport->rank)

#endif
