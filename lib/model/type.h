/* SPDX-License-Identifier: MIT */
/* Type: what an actor's type may be, and the network's own copy of it. */
#ifndef PENSTOCK_TYPE_H
#define PENSTOCK_TYPE_H

#include "lib/model/network.h"

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

/* A struct that programs fill and that may grow; its first member is its struct_size, the program's sizeof. */
struct ps_struct {
	const char *name, *makers; /* "pstk_fifo_spec"; what sets its struct_size */
	size_t least, known;       /* bytes: in penstock 0.1, the smallest one there ever was, and here */
};

extern const struct ps_struct ps_struct_type, ps_struct_fifo, ps_struct_verdict;

/* May the struct at data be read, as far as it is known? Not if it ends before its smallest size, or if something is
 * set behind what is known. Else text has why, and what to do. */
bool ps_struct_fits(const struct ps_struct *, const void *data, char text[PS_TEXT_SIZE]);

/* Bytes of an element type ("u8", "f32", ..), 0: not one that the library knows. */
size_t ps_token_type_size(const char *type);

/* "input", "dynamic output", .. */
const char *ps_port_kind_name(enum pstk_port_kind);

#endif
