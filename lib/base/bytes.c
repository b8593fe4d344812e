/* SPDX-License-Identifier: MIT */
#include "lib/base/bytes.h"
#include "lib/base/memory.h"

#include <string.h>

/* The room at least doubles. */
static bool grow(struct ps_bytes *b, size_t size)
{
	size_t room = b->room < 512 ? 512 : b->room;
	unsigned char *at;

	while (room - b->size < size && room <= SIZE_MAX / 2)
		room *= 2;
	at = room - b->size < size ? NULL : ps_memory_resize(b->at, 1, room);
	if (!at)
		return false;
	b->at = at;
	b->room = room;
	return true;
}

void ps_bytes_put(struct ps_bytes *b, const void *from, size_t size)
{
	b->failed = b->failed || (b->room - b->size < size && !grow(b, size));
	if (b->failed || !size)
		return;
	memcpy(b->at + b->size, from, size);
	b->size += size;
}

void ps_bytes_free(struct ps_bytes *b)
{
	ps_memory_free(b->at);
	*b = (struct ps_bytes){ 0 };
}

bool ps_bytes_take(struct ps_bytes_left *b, void *to, size_t size)
{
	if (b->size < size)
		return false;
	if (size)
		memcpy(to, b->at, size);
	b->at += size;
	b->size -= size;
	return true;
}
