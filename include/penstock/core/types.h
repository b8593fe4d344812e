/* SPDX-License-Identifier: MIT */
/* Types: what every header of the library needs. Conventions (units, errors, contexts, ownership):
 * <penstock/penstock.h>. */
#ifndef PENSTOCK_CORE_TYPES_H
#define PENSTOCK_CORE_TYPES_H

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#if defined(__GNUC__)
#define PSTK_PUBLIC __attribute__((visibility("default")))
#define PSTK_PRINTF(text, first) __attribute__((__format__(__printf__, text, first)))
#else
#define PSTK_PUBLIC
#define PSTK_PRINTF(text, first)
#endif

struct pstk_network; /* actors and the FIFOs between them */
struct pstk_actor;   /* one actor of a network */
struct pstk_fifo;    /* from one output to one input */
struct pstk_firing;  /* one firing of an actor, as its callbacks see it */

#endif
