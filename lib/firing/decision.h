/* SPDX-License-Identifier: MIT */
/*
 * Decision: which ports are on in a firing, as a mask of ports, and as lists of these ports and of their terms in the
 * firing rule. A firing looks at the lists alone, so a port that is off costs it nothing. (Members of a team that look
 * whether an actor may fire pass over all its terms.)
 *
 * A static actor has one. A dynamic actor has one for each set of ports that its declared control values turn on: the
 * analyser has called control() for these values before the start, and it is not called again. Another value's is made
 * anew in its firing.
 */
#ifndef PENSTOCK_DECISION_H
#define PENSTOCK_DECISION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct pstk_actor;
struct pstk_firing;
struct ps_rule_term;
struct ps_task;

struct ps_decision {
	unsigned port_count, lead_count, out_count, term_count;
	uint64_t *mask;  /* by port; a control port is never on */
	unsigned *ports; /* that are on, in their order */
	/* .. without those that follow another port in a bundle: out_count outputs, then the inputs */
	unsigned *leads;
	const struct ps_rule_term **terms; /* of these ports */
};

enum { PS_MASK_BITS = 64 };

static inline size_t ps_mask_words(unsigned ports)
{
	return (ports + PS_MASK_BITS - 1) / PS_MASK_BITS;
}

static inline bool ps_mask_has(const uint64_t *mask, unsigned port)
{
	return mask[port / PS_MASK_BITS] >> port % PS_MASK_BITS & 1;
}

static inline void ps_mask_put(uint64_t *mask, unsigned port, bool on)
{
	uint64_t bit = (uint64_t)1 << port % PS_MASK_BITS;

	mask[port / PS_MASK_BITS] = on ? mask[port / PS_MASK_BITS] | bit : mask[port / PS_MASK_BITS] & ~bit;
}

/* Static ports on, dynamic ones off. */
void ps_mask_reset(uint64_t *mask, const struct pstk_actor *);

/* One of the actor's, with its static ports on. term_count: of the task's rule; 0: its terms are not wanted. NULL: out
 * of memory. ps_memory_free() frees it. */
struct ps_decision *ps_decision_create(const struct pstk_actor *, unsigned term_count);

/* Its mask has changed. terms: of the actor's rule; NULL: created without. */
void ps_decision_list(
	struct ps_decision *, const struct pstk_actor *, const struct ps_rule_term *terms, unsigned count);

/* start(), when the task has its terms: what its declared values decide; of a static actor what all its firings do.
 * -ENOMEM. */
int ps_decisions_make(struct ps_task *);
void ps_decisions_free(struct ps_task *);

/* The taker. What was on before is no more: its windows are none; the firing goes by this one. */
void ps_decision_leave(struct pstk_firing *);
void ps_decision_use(struct pstk_firing *, const struct ps_decision *);

#endif
