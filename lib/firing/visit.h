/* SPDX-License-Identifier: MIT */
/*
 * Visit: one firing of an actor at another host, as two letters.
 *
 *	the actor's own host                            the other host
 *	takes the windows
 *	the question: number, input windows, state -->  fire(), on the letters' memory
 *	copies outputs and state, publishes        <--  the answer: what fire() returned, output windows, state
 *
 * Nothing is published and no input freed before the answer is there. So whatever holds of a firing here holds of this
 * one: its windows are taken and counted by the actor's own host alone.
 *
 * Both processes have built the same network, so they find the same places in the letters (struct ps_visit_shape).
 */
#ifndef PENSTOCK_VISIT_H
#define PENSTOCK_VISIT_H

#include "lib/firing/firing.h"

/* Where what lies in the two letters of an actor. Constant after start. */
struct ps_visit_shape {
	size_t *at;         /* by port: its window, of an input in the question, of an output in the answer */
	size_t state_at[2]; /* in the question, in the answer */
	size_t question_bytes, answer_bytes; /* at most */
};

/* start(), before the parts of hosts are taken: later FIFOs may have other layouts. at: NULL: out of memory.
 * -EOVERFLOW. */
int ps_visit_shape_init(struct ps_visit_shape *, const struct pstk_actor *);
void ps_visit_shape_fini(struct ps_visit_shape *);

/* The bytes of both letters at most, for reports; SIZE_MAX: too many. Any time while rates are known. */
size_t ps_visit_bytes(const struct pstk_actor *);

/* The actor's own host. Writes the question; with the state if the other host does not have that of this firing.
 * Returns its bytes. */
size_t ps_visit_ask(
	const struct pstk_firing *, const struct ps_visit_shape *, bool with_state, void *question);

/* The other host. Makes the firing what the question says, with windows in both letters. */
void ps_visit_begin(
	struct pstk_firing *, const struct ps_visit_shape *, unsigned char *question, unsigned char *answer);

/* .. Behind fire(), with what it returned: writes the answer. dropped: the firing was not fired, because this process'
 * network is over. Returns the answer's bytes. */
size_t ps_visit_answer(const struct pstk_firing *, const struct ps_visit_shape *, bool dropped, void *answer);

/* The actor's own host. Takes over what has come, as if fire() had run here. Returns what it has returned. */
int ps_visit_accept(
	struct pstk_firing *, const struct ps_visit_shape *, const unsigned char *answer, bool *dropped);

#endif
