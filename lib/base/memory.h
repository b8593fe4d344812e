/* SPDX-License-Identifier: MIT */
/*
 * Memory of the host. All that the library allocates comes from here, before the start. (FIFO memory of other
 * places gets its own functions beside ps_memory_windows().)
 */
#ifndef PENSTOCK_MEMORY_H
#define PENSTOCK_MEMORY_H

#include <stddef.h>

/* Zeroed; NULL: out of memory. size 0 counts as 1. */
void *ps_memory_zalloc(size_t count, size_t size);

/* As realloc() of an array; the old one stays valid on failure. */
void *ps_memory_resize(void *old, size_t count, size_t size);

/* A copy of a string. */
char *ps_memory_strdup(const char *s);
void *ps_memory_dup(const void *data, size_t size);

/* For FIFO windows and actors' states: starts on a 64-byte line, or at a multiple of alignment (a power of two) if that is
 * more; not zeroed. *allocated: bytes taken. */
void *ps_memory_windows(size_t size, size_t alignment, size_t *allocated);

void ps_memory_free(void *);

/* Tests only: the n-th allocation from now on (0: the next) fails, once; negative: none. */
extern _Atomic long ps_memory_fail_at;

#endif
