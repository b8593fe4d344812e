/* SPDX-License-Identifier: MIT */
/*
 * Moving: what a network and its actors know of their moves.
 *
 * A move is open from when it is asked for until it is answered, once: done, stayed or cancelled. Open ones stand in
 * the list of their actor, in the order in which they begin. The actor's taker carries the first one out at a boundary
 * (boundary.c). Any thread may ask, wait and look.
 *
 * A driver may call back after the network is gone. So what a callback touches is one block, as arrivals are
 * (lib/firing/arrival.h): it is freed only when no callback is to come. Else it stays.
 */
#ifndef PENSTOCK_MOVING_H
#define PENSTOCK_MOVING_H

#include "lib/firing/backend.h"
#include "lib/firing/mover.h"
#include "lib/model/place.h"

enum { PS_MOVES_KEPT = 64, PS_MOVES_MOST = 65536, PS_FLIGHTS = 32, PS_TAKINGS = 8 };

/* The firings around a move of which times are wanted. */
enum ps_move_firing { PS_LAST_OLD, PS_FIRST_NEW, PS_SECOND_NEW, PS_MOVE_FIRINGS };

/* One move. Guarded by the network's moving lock, but for what is atomic. */
struct ps_move {
	_Atomic uint64_t number; /* from 1; 0: it is no move */
	bool open;
	bool told;            /* the program's function was called, or there is none */
	struct ps_move *next; /* open: the actor's next one. Answered: the one that was answered next */
	unsigned to;          /* the place */
	uint64_t state_ns;    /* that its state took */
	/* Of actors that may move between hosts (far.h). */
	bool script;    /* asked for before the start */
	bool far;       /* another process carries it out: it is in no list */
	bool asked_far; /* by this rank, which calls it so: its number, and 1 */
	uint32_t asked_by;
	uint64_t asked_number;        /* of a script: which it is of its actor's for that firing, from 0 */
	bool waits;                   /* something is to be told: the ask, or .. */
	uint32_t tell_next, tell_end; /* .. to these ranks the answer */
	struct pstk_move is;          /* without what figures() adds */
	_Atomic uint64_t taken[PS_MOVE_FIRINGS], there[PS_MOVE_FIRINGS]; /* the clock; 0: not yet */
};

/* One firing: when it had its windows, and when its outputs are there. A slot that is used again and again. */
struct ps_flight {
	struct ps_awaited awaited; /* the first member */
	struct ps_moving *of;
	uint64_t number;        /* of the firing, and 1; the taker */
	uint64_t taken;         /* the clock; the taker */
	_Atomic uint64_t there; /* 0: not yet */
	_Atomic int left;       /* calls of there() that are to come, less those that have come; 0: none is */
	/* Moves that want its times; the taker sets them. */
	struct {
		_Atomic(struct ps_move *) move;
		_Atomic uint64_t number; /* which may be another one by now */
	} wanted[PS_MOVE_FIRINGS];
};

/* Of an actor that is movable. */
struct ps_moves {
	struct ps_moving *of;  /* constant after start */
	struct ps_task *task;  /* constant after start */
	struct ps_move *first; /* guarded by lock: the open ones */
	struct ps_move *begun; /* guarded by lock: of these, the one that its taker carries out; NULL: none */
	bool ended;            /* guarded by lock: no further one is taken up */
	bool waits;            /* the taker waits for its commands */
	void *state; /* the taker's, while it is on its way; constant after start. NULL: it has none */
	struct ps_move
		*followed; /* the taker's: the latest one that is done, while its times are not complete .. */
	unsigned follows;  /* .. the next firing of which they are */
	struct ps_flight flights[PS_FLIGHTS]; /* by firing number */
	uint64_t takings[PS_TAKINGS]; /* the clock at its latest firings, by firing number; the taker */
};

/* An ask of another process that was not taken up, because too many moves are open here. */
struct ps_refusal {
	uint32_t rank, actor;
	uint64_t number; /* as there */
};

/* Of a network. */
struct ps_moving {
	pthread_mutex_t lock;   /* no other lock but the log's and the remote's is taken with it held */
	pthread_cond_t changed; /* with lock, CLOCK_MONOTONIC: a move was answered */
	unsigned kept;          /* constant after start */
	struct ps_move *all;    /* 2 * kept of them: as many open ones, as many that were answered */
	unsigned open;          /* guarded by lock, as all below; with those that are not told yet */
	unsigned answered;
	struct ps_move *oldest, *newest; /* of those that were answered, by `next` */
	bool over;                       /* the network has ended, or never began */
	_Atomic unsigned count;          /* so many were asked for; changed under lock */
	void (*on_move)(
		struct pstk_network *, unsigned, const struct pstk_move *, void *); /* constant after start */
	void *data;
	struct ps_moves *actors; /* by task; NULL before the start. Constant after start */
	unsigned actor_count;
	struct ps_remote *remote;   /* NULL: no actor moves between hosts. Constant after start, as .. */
	uint32_t rank, ranks;       /* .. these */
	struct ps_refusal *refused; /* that are to be told; guarded by lock, as .. */
	unsigned refused_count;
	atomic_uint waiting;    /* moves and refusals of which something is to be told; changed under lock */
	atomic_uint awaited;    /* callbacks that are to come */
	struct ps_moving *next; /* of those that stay */
};

/* BUILD: what the network knows of its moves, made when it is first needed. NULL: out of memory, which is a problem of
 * the network now. */
struct ps_moving *ps_moving_of(struct pstk_network *);

/* start(), when tasks and FIFOs have their memory: what each movable actor needs. A negative errno: the network has
 * failed. */
int ps_moving_prepare(struct pstk_network *);

/* Any thread. ", at cores, move 3 to pocl:cpu:0 waits for firing 100"; of an actor that is not movable nothing. */
struct ps_text;
void ps_moving_say(const struct pstk_actor *, struct ps_text *);

/* The watcher: tells the program's function of those that were answered. */
void ps_moving_tell(struct pstk_network *);

/* The watcher, after a failure or an abort: cancels those that have not begun. */
void ps_moving_cancel(struct pstk_network *);

/* The end of wait(), start() has failed, or there was none before destroy(): none is open from here on. The calling
 * thread tells the program's function. */
void ps_moving_end(struct pstk_network *);

/* destroy(). */
void ps_moving_free(struct pstk_network *);

/*
 * For the files of this folder.
 */

extern const struct ps_mover ps_moving_mover;

/* Call with the lock held, or in BUILD. One more move of this actor, open. NULL: there are too many. */
struct ps_move *ps_move_make(struct ps_moving *, struct pstk_actor *, int place, uint64_t firing);

/* Call with the lock held. Puts it into the list of its actor. */
void ps_move_begin(struct ps_moves *, struct ps_move *, unsigned place);

/* Call with the lock held. Answers one that is in no list; why: NULL: its text is as it is. */
void ps_move_close(struct ps_moving *, struct ps_move *, enum pstk_move_state, const char *why);

/* Why an actor moves no more, as the network's error says it. */
const char *ps_move_reason(const struct pstk_network *);

/* Call with the lock held. The remote thread has something to tell of it, or no more (far.h). */
void ps_move_want(struct ps_moving *, struct ps_move *);
void ps_move_want_no_more(struct ps_moving *, struct ps_move *);

/* Call with the lock held; unlock, then ps_move_answered(). Takes the first open move out of the list, and answers. */
void ps_move_answer(struct ps_moving *, struct ps_moves *, enum pstk_move_state);
void ps_move_answered(struct ps_moving *, struct pstk_network *);

/* Call with the lock held. When its first open move wants to begin. */
void ps_move_set_due(struct ps_moves *);

void ps_flight_prepare(struct ps_flight *, struct ps_moving *);

/* The taker: firing `taken` is the first one at the new place. */
void ps_flight_follow(struct ps_moves *, struct ps_move *, uint64_t taken);

/* The taker has taken, the publisher published this firing: as mover.h says. */
void ps_flight_took(struct pstk_firing *);
void ps_flight_published(struct pstk_firing *);

/* The taker. From firing to firing, the mean of the latest ones; 0: not known. */
uint64_t ps_flight_period(const struct ps_moves *);

#endif
