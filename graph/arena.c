/* SPDX-License-Identifier: MIT */
#include "graph/arena.h"

#include <stdalign.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCK = 16 * 1024 };

long ps_arena_fail_at = -1;

struct ps_arena_block {
	struct ps_arena_block *next;
	size_t used, size;
	alignas(max_align_t) char bytes[];
};

static struct ps_arena_block *add_block(struct ps_arena *arena, size_t bytes)
{
	size_t size = bytes > BLOCK ? bytes : BLOCK;
	bool fails = ps_arena_fail_at >= 0 && ps_arena_fail_at-- == 0;
	struct ps_arena_block *block = fails ? NULL : calloc(1, sizeof *block + size);

	if (!block)
		longjmp(arena->out_of_memory, 1);
	block->size = size;
	block->next = arena->blocks;
	arena->blocks = block;
	return block;
}

void *ps_arena_zalloc(struct ps_arena *arena, size_t bytes)
{
	struct ps_arena_block *block = arena->blocks;
	void *memory;

	bytes = (bytes + alignof(max_align_t) - 1) / alignof(max_align_t) * alignof(max_align_t);
	if (!block || block->size - block->used < bytes)
		block = add_block(arena, bytes);
	memory = block->bytes + block->used;
	block->used += bytes;
	return memory;
}

char *ps_arena_text(struct ps_arena *arena, const char *text, size_t length)
{
	char *copy = ps_arena_zalloc(arena, length + 1);

	memcpy(copy, text, length);
	return copy;
}

char *ps_arena_printf(struct ps_arena *arena, const char *format, ...)
{
	va_list ap, again;
	char *text;
	int length;

	va_start(ap, format);
	va_copy(again, ap);
	length = vsnprintf(NULL, 0, format, ap);
	va_end(ap);
	text = ps_arena_zalloc(arena, (size_t)length + 1);
	vsnprintf(text, (size_t)length + 1, format, again);
	va_end(again);
	return text;
}

void ps_arena_free(struct ps_arena *arena)
{
	while (arena->blocks) {
		struct ps_arena_block *next = arena->blocks->next;

		free(arena->blocks);
		arena->blocks = next;
	}
}
