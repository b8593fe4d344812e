/* SPDX-License-Identifier: MIT */
/*
 * Agreement: what all ranks say of a start, or of an end, and what follows for all of them. Each gives a word: its
 * error, 0 if there is none, the error's text, and something else. From the same words all conclude the same.
 */
#ifndef PENSTOCK_AGREEMENT_H
#define PENSTOCK_AGREEMENT_H

#include "lib/remote/exchange.h"

/* Exchanges words; rest: what is given besides. 0, or a negative errno: this rank is out of step with the others, and
 * why (up to so many bytes) says how. */
int ps_agreement_make(struct pstk_transport *, const struct ps_exchange_how *, int err, const char *text,
	const char *rest, struct ps_exchanged *words, char *why, size_t why_size);

/* A word. Borrowed. */
int ps_agreement_err(const struct ps_exchanged *words, uint32_t rank);
const char *ps_agreement_text(const struct ps_exchanged *words, uint32_t rank);
const char *ps_agreement_rest(const struct ps_exchanged *words, uint32_t rank);

/* The rank whose error is that of all: the lowest one that has one; an abort counts only if there is nothing else. So
 * many as there are ranks: no rank has an error. */
uint32_t ps_agreement_blamed(const struct ps_exchanged *words);

/* What all say then: its text, with its host's name in front (NULL: its number) unless all have the same, or it has
 * that. */
void ps_agreement_say(
	const struct ps_exchanged *words, uint32_t rank, const char *host, char *to, size_t size);

#endif
