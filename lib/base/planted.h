/* SPDX-License-Identifier: MIT */
/*
 * Planted faults: errors that the tests must be able to see. Only copies of layout.c and fifo.c
 * (tests/fifo/check_planted.c), of detector.c (check_planted_detector.c), and of team.c and reorder.c
 * (check_planted_team.c) are built with one of them (-DPS_PLANTED=..); the library never is.
 */
#ifndef PENSTOCK_PLANTED_H
#define PENSTOCK_PLANTED_H

#define PS_PLANTED_IS_ADMISSION 1 /* one write too many is admitted */
#define PS_PLANTED_IS_NO_COPY 2   /* the wrap copy is left out */
#define PS_PLANTED_IS_BLOCKS 3    /* one block too few */
#define PS_PLANTED_IS_NO_LOCK 4   /* published and signalled without the lock */
#define PS_PLANTED_IS_LATE_WORD 5 /* an actor looks for a deadlock before it says that it waits */
#define PS_PLANTED_IS_NO_JUDGE 6  /* a chain that returns to itself is taken for a deadlock, nobody is held */
#define PS_PLANTED_IS_NO_DEBTS 7  /* who was left asleep is not woken before its waker waits */
#define PS_PLANTED_IS_NO_TIMEOUT 8      /* a patient waiter does not wake by itself */
#define PS_PLANTED_IS_TAKEN_DOWN 9      /* who wakes a waiter says for it that it waits no more */
#define PS_PLANTED_IS_NO_LAST_LOOK 10   /* a member of a team sleeps without a look after its word */
#define PS_PLANTED_IS_NO_SECOND_LOOK 11 /* who publishes does not look again when he has stopped */

#ifndef PS_PLANTED
#define PS_PLANTED 0
#endif

#define PS_PLANTED_ADMISSION (PS_PLANTED == PS_PLANTED_IS_ADMISSION ? 1 : 0)
#define PS_PLANTED_NO_COPY (PS_PLANTED == PS_PLANTED_IS_NO_COPY)
#define PS_PLANTED_BLOCKS (PS_PLANTED == PS_PLANTED_IS_BLOCKS ? 1 : 0)
#define PS_PLANTED_NO_LOCK (PS_PLANTED == PS_PLANTED_IS_NO_LOCK)
#define PS_PLANTED_LATE_WORD (PS_PLANTED == PS_PLANTED_IS_LATE_WORD)
#define PS_PLANTED_NO_JUDGE (PS_PLANTED == PS_PLANTED_IS_NO_JUDGE)
#define PS_PLANTED_NO_DEBTS (PS_PLANTED == PS_PLANTED_IS_NO_DEBTS)
#define PS_PLANTED_NO_TIMEOUT (PS_PLANTED == PS_PLANTED_IS_NO_TIMEOUT)
#define PS_PLANTED_TAKEN_DOWN (PS_PLANTED == PS_PLANTED_IS_TAKEN_DOWN)
#define PS_PLANTED_NO_LAST_LOOK (PS_PLANTED == PS_PLANTED_IS_NO_LAST_LOOK)
#define PS_PLANTED_NO_SECOND_LOOK (PS_PLANTED == PS_PLANTED_IS_NO_SECOND_LOOK)

#endif
