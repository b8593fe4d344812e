/* SPDX-License-Identifier: MIT */
/* Type: what an actor's type may be, and the network's own copy of it. */
#ifndef PENSTOCK_TYPE_H
#define PENSTOCK_TYPE_H

#include "lib/network.h"

enum {
	PS_NAME_MAX = 127,   /* bytes of a name: messages stay whole */
	PS_STRUCT_MAX = 4096 /* no struct of this library will grow so large */
};

/* Is a port of this kind the reader's end of a FIFO? */
static inline bool ps_port_reads(enum pstk_port_kind kind)
{
	return kind != PSTK_OUTPUT && kind != PSTK_DYNAMIC_OUTPUT;
}

static inline bool ps_port_is_dynamic(enum pstk_port_kind kind)
{
	return kind == PSTK_DYNAMIC_INPUT || kind == PSTK_DYNAMIC_OUTPUT;
}

/* Records every problem of the type that actor a shall have; the first one's error. */
int ps_type_check(struct pstk_actor *, const struct pstk_actor_type *);

/* a->type = a deep copy; false: out of memory, what was copied is freed by ps_type_free(). */
bool ps_type_copy(struct pstk_actor *, const struct pstk_actor_type *);
void ps_type_free(struct pstk_actor_type *);

/* What is wrong with a name, NULL: nothing. Fits behind "the name of .. ". */
const char *ps_name_fault(const char *name);

/* May a struct of `given` bytes be read as one of `known` bytes? Not if its tail beyond what is known is set. */
bool ps_struct_fits(const void *data, size_t given, size_t known);

/* Bytes of an element type ("u8", "f32", ..), 0: not one that the library knows. */
size_t ps_token_type_size(const char *type);

/* "input", "dynamic output", .. */
const char *ps_port_kind_name(enum pstk_port_kind);

#endif
