/* SPDX-License-Identifier: MIT */
/*
 * Mutants: copies of the library's files with a fault or a hook in them. README.md says how they are made.
 */
#ifndef PENSTOCK_TEST_MUTANTS_H
#define PENSTOCK_TEST_MUTANTS_H

#include <stdbool.h>
#include <stdint.h>

struct ps_fifo_end;
struct pstk_actor;

/* Which fault this program has: the mutated file says so, and where none does it is NO_FAULT. */
enum mutant {
	NO_FAULT,
	ADMISSION,       /* one write too many is admitted */
	ROOM,            /* the room is one token too large */
	HISTORY,         /* the room counts the history */
	BLOCKS,          /* one read window too few in the ring */
	NO_COPY,         /* what was written behind the ring is not copied to its front */
	NO_DOUBLE,       /* what was written at the front is not copied behind the ring */
	MARGIN,          /* .. or one token too few of that */
	END_TOKENS,      /* a reader's end gets one of the last tokens too few */
	END_SLOT,        /* a window behind all tokens begins too early in a reader's end */
	NO_LOCK,         /* a window is published and signalled without the lock */
	NO_DEBTS,        /* a publisher does not wake the reader that it left asleep before it waits itself */
	NO_TIMEOUT,      /* a patient waiter does not wake by itself */
	TAKEN_DOWN,      /* the thread that wakes a waiter says for it that it waits no more */
	LATE_WORD,       /* an actor looks for a deadlock before it says that it waits */
	NO_JUDGE,        /* a chain that returns to itself is taken for a deadlock at once */
	NO_LAST_LOOK,    /* a team member sleeps without a look after its word */
	NO_SECOND_LOOK,  /* a publishing thread does not look again when it has stopped */
	NO_STATE,        /* a state is not brought to the new place of its actor */
	IN_FLIGHT,       /* a boundary is taken while commands of an actor with a state are in flight */
	NO_ANSWER,       /* the end of an actor does not answer its open moves */
	ANSWERED_TWICE,  /* the end answers what was answered, too */
	LATE_BOUNDARY,   /* a boundary is looked at only when the next windows are there */
	ZEROS,           /* a reader puts zeros where a read of its own is under way */
	NEXT_FIRING,     /* behind a place that has failed the next firing is fired, not the same */
	SAME_PLACE,      /* .. the same firing at the same place */
	OLD_STATE,       /* an actor that comes back to a place goes on with its last state there */
	EARLY,           /* a guarded actor publishes before its outputs are back */
	VISIT_NO_STATE,  /* the state is not sent to another host */
	VISIT_OLD_STATE, /* .. not to one where the actor was before */
	VISIT_NUMBER,    /* .. but not the number of the firing */
};
extern enum mutant mutant;

/* Hooks, in which tests force a delay. Each belongs to the tests of one program. */
void mutant_before_wait(struct ps_fifo_end *); /* fifo_wait.c: between a waiter's test and its wait */
void mutant_before_look(struct pstk_actor *);  /* detector.c: between an actor's word and its look */
void mutant_after_verdict(bool undecided);     /* detector.c: between a verdict and what follows from it */
void mutant_before_blocked(void);              /* detector.c: between the two parts of a look */
void mutant_before_word(void); /* team.c: between a search and the word that a member sleeps */
void mutant_before_stop(void); /* reorder.c: between what is published and the word that it stops */

/* No faults: the constants of thread_wait.c as variables, which change while no network runs. 0: never. */
extern uint64_t mutant_spin_ns, mutant_patient_below_ns;

#endif
