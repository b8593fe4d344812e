/* SPDX-License-Identifier: MIT */
#include "lib/base/memory.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { LINE = 64 };

_Atomic long ps_memory_fail_at = -1;

/* Threads that build programs share the count. */
static bool fails(void)
{
	return ps_memory_fail_at >= 0 && ps_memory_fail_at-- == 0;
}

void *ps_memory_zalloc(size_t count, size_t size)
{
	if (fails())
		return NULL;
	return calloc(count ? count : 1, size ? size : 1);
}

void *ps_memory_resize(void *old, size_t count, size_t size)
{
	size_t bytes;

	if (fails() || __builtin_mul_overflow(count, size, &bytes))
		return NULL;
	return realloc(old, bytes ? bytes : 1);
}

void *ps_memory_dup(const void *data, size_t size)
{
	void *copy = fails() ? NULL : malloc(size ? size : 1);

	if (copy && size)
		memcpy(copy, data, size);
	return copy;
}

char *ps_memory_strdup(const char *s)
{
	return ps_memory_dup(s, strlen(s) + 1);
}

void *ps_memory_windows(size_t size, size_t alignment, size_t *allocated)
{
	void *memory;

	if (alignment < LINE)
		alignment = LINE;
	if (fails() || size > PTRDIFF_MAX - alignment)
		return NULL;
	size = (size + LINE - 1) / LINE * LINE;
	memory = NULL;
	if (posix_memalign(&memory, alignment, size))
		memory = NULL;
	if (memory)
		*allocated = size;
	return memory;
}

void *ps_memory_zalloc_lines(size_t size)
{
	size_t allocated;
	void *memory = ps_memory_windows(size, LINE, &allocated);

	return memory ? memset(memory, 0, size) : NULL;
}

void ps_memory_free(void *memory)
{
	free(memory);
}

void ps_memory_put_zeros(unsigned char *at, size_t bytes)
{
	for (size_t i = 0; i < bytes; i++)
		if (at[i])
			at[i] = 0;
}
