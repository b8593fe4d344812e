/* SPDX-License-Identifier: MIT */
/* Bytes: what one process puts together and another one of the same program takes apart again. */
#ifndef PENSTOCK_BYTES_H
#define PENSTOCK_BYTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Grows as things are put in. It begins with zeros. */
struct ps_bytes {
	unsigned char *at;
	size_t size, room;
	bool failed; /* out of memory: what was put in since is not there */
};

void ps_bytes_put(struct ps_bytes *, const void *, size_t);

static inline void ps_bytes_put_number(struct ps_bytes *b, uint64_t n)
{
	ps_bytes_put(b, &n, sizeof n);
}

void ps_bytes_free(struct ps_bytes *);

/* What is left of it. A call that finds too little returns false, and takes nothing. */
struct ps_bytes_left {
	const unsigned char *at;
	size_t size;
};

bool ps_bytes_take(struct ps_bytes_left *, void *, size_t);

static inline bool ps_bytes_take_number(struct ps_bytes_left *b, uint64_t *n)
{
	return ps_bytes_take(b, n, sizeof *n);
}

#endif
