/* SPDX-License-Identifier: MIT */
/*
 * Mutants: copies of the library's files with a fault or a hook in them. README.md says how they are made.
 */
#ifndef PENSTOCK_TEST_MUTANTS_H
#define PENSTOCK_TEST_MUTANTS_H

#include <stdbool.h>
#include <stdint.h>

struct ps_fifo_end;
struct ps_crew;
struct pstk_actor;
struct pstk_pipeline;
struct ps_carriage;

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
	LOOP_NO_WAIT,    /* the caller of a loop returns while a helper is inside */
	LOOP_TWICE,      /* two threads may take the same part */
	LOOP_NO_LOOK,    /* a helper sleeps without a look at the door after its word */
	LOOP_NO_ASK,     /* .. without asking whether it is wanted elsewhere */
	LOOP_EARLY_RING, /* a helper wakes the caller before it goes out */
	LOOP_NO_OVER_LOOK, /* the caller sleeps without a look after its word */
	LOOP_TWO_CALLERS,  /* two callers may have the crew */
	LOOP_NO_PASS_ON,   /* a helper that goes elsewhere wakes no other one */
	LOOP_OPEN_EARLY,   /* the door is opened before the loop is written */
	LOOP_NOT_CLOSED,   /* a helper that finds no part leaves the door open */
	LOOP_STALE,        /* a helper reads the loop before it comes in */
	LOOP_RING_FIRST,   /* the caller looks for sleepers before it opens the door */
	SWITCH_IN_FLIGHT,  /* a setting of a pipeline changes while items are in flight */
	SWITCH_LATE_DUE,   /* what is asked for while it changes is forgotten */
	SWITCH_NO_WAKE,    /* a change wakes no carrier that sleeps */
	SWITCH_ONE_BY_ONE, /* after a change items go on one at a time */
	SWITCH_NO_NUDGE,   /* the thread that asks for a configuration does not nudge */
	SWITCH_TAKES_ON,   /* a carrier that is no taker any more takes on */
	ITEM_DONE,         /* a stage that has ended does not end its pipeline */
	ITEM_UNTOLD,       /* an item that is through is not counted */
	TOKEN_NO_WAIT,     /* a place that another item has is taken by one that should wait */
	TOKEN_TRY,         /* .. by one that only tries */
	HAND_NO_TAKERS, /* a carrier that is no taker any more begins an item that was handed to another one */
	HAND_NO_WAKE,   /* an item is handed to carriers of which none is woken */
	HAND_NO_NUDGE,  /* a carrier that is through with an item does not nudge */
	HAND_AS_BEFORE,      /* members fire whatever the setting is */
	HAND_TOO_MANY,       /* more members fire items than the setting says */
	HAND_LENT_TWICE,     /* two members have the windows of one carrier */
	BUNDLE_NOT_TOGETHER, /* FIFOs that are not on for the same control values are bundled */
	BUNDLE_OTHER_VALUE,  /* a control value has the lists of another one */
	BUNDLE_SHORT_MASK,   /* the last port of a word of the mask is lost */
	BUNDLE_EARLY_COUNT,  /* a bundle's count is published before its tokens */
	QUICK_EARLY_WINDOW,  /* a firing in one go takes a window that is not there yet */
};
extern enum mutant mutant;

/* Hooks, in which tests force a delay. Each belongs to the tests of one program. */
void mutant_before_wait(struct ps_fifo_end *); /* fifo_wait.c: between a waiter's test and its wait */
void mutant_before_look(struct pstk_actor *);  /* detector.c: between an actor's word and its look */
void mutant_after_verdict(bool undecided);     /* detector.c: between a verdict and what follows from it */
void mutant_before_blocked(void);              /* detector.c: between the two parts of a look */
void mutant_before_word(void); /* team.c: between a search and the word that a member sleeps */
void mutant_before_stop(void); /* reorder.c: between what is published and the word that it stops */

void mutant_before_handed(
	struct ps_carriage *, unsigned carrier); /* carriage.c: it may take, and looks for an item */
void mutant_before_tokens(void);                 /* windows.c: the count is there, the tokens are not */
void mutant_at_change(struct pstk_pipeline *);   /* setting.c: a change is made, and the lock given back */

/* crew.c: places, and what wakes a caller that sleeps for ever */
enum mutant_crew {
	CREW_CLAIM,      /* the caller has found the crew free */
	CREW_OPEN,       /* it is about to open the door */
	CREW_OPENED,     /* it has, and has woken helpers */
	CREW_TAKE,       /* a thread takes a part */
	CREW_WAIT,       /* the caller has found a helper inside */
	CREW_SLEEP_OVER, /* .. again after its word, and is about to sleep */
	CREW_COME,       /* a helper has found the door open */
	CREW_OUT,        /* it is about to go out */
	CREW_EXPECT,     /* a helper has found the door closed */
	CREW_SLEEP,      /* .. again after its word, and is about to sleep */
	MUTANT_CREW_PLACES
};
void mutant_in_crew(enum mutant_crew);
void mutant_free_caller(struct ps_crew *);

/* No faults: the constants of thread_wait.c as variables, which change while no network runs. 0: never. */
extern uint64_t mutant_spin_ns, mutant_patient_below_ns;

#endif
