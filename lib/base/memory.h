/* SPDX-License-Identifier: MIT */
/*
 * Memory of the host. The library allocates all of it here, before the start. FIFO memory on devices has functions of
 * its own (lib/opencl/cl_memory.h).
 */
#ifndef PENSTOCK_MEMORY_H
#define PENSTOCK_MEMORY_H

#include <stddef.h>

/* Allocates zeroed memory. NULL: out of memory. A size of 0 counts as 1. */
void *ps_memory_zalloc(size_t count, size_t size);

/* The same for a struct with members that are aligned to cache lines. */
void *ps_memory_zalloc_lines(size_t size);

/* Resizes an array as realloc() does. On failure the old one stays valid. */
void *ps_memory_resize(void *old, size_t count, size_t size);

/* Copies a string, and memory. NULL: out of memory. */
char *ps_memory_strdup(const char *s);
void *ps_memory_dup(const void *data, size_t size);

/* Allocates memory for FIFO windows and actors' states. It begins at a multiple of 64 bytes, or of alignment (a power
 * of two) if that is more, and is not zeroed. *allocated: the bytes taken. */
void *ps_memory_windows(size_t size, size_t alignment, size_t *allocated);

void ps_memory_free(void *);

/* Writes only bytes that are not 0 yet: other threads, and transfers, may be reading the zeros meanwhile. */
void ps_memory_put_zeros(unsigned char *, size_t bytes);

/* Only tests set it: the n-th allocation from now on (0: the next) fails, once; negative: none fails. */
extern _Atomic long ps_memory_fail_at;

#endif
