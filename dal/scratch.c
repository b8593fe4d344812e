/* SPDX-License-Identifier: MIT */
#include "dal/scratch.h"

#include <stdalign.h>
#include <stdlib.h>
#include <string.h>

/* A fire with more blocks than that is not likely; one that goes on until there is no window would never end. */
enum { MOST_CALLS = 65536 };

struct ps_dal_memory {
	struct ps_dal_memory *next;
	size_t size;
	bool input;
	alignas(max_align_t) char data[];
};

static struct ps_dal_memory *add(struct ps_dal_scratch *s, bool input, size_t size)
{
	struct ps_dal_memory *m = size < SIZE_MAX - sizeof *m ? malloc(sizeof *m + size) : NULL;

	if (!m)
		return NULL;
	m->next = s->memory;
	m->size = size;
	m->input = input;
	s->memory = m;
	return m;
}

void *ps_dal_scratch(struct ps_dal_scratch *s, bool input, size_t token_size, uint64_t tokens)
{
	struct ps_dal_memory *m = s->memory;
	size_t size;

	if (s->calls == MOST_CALLS || __builtin_mul_overflow(token_size, tokens, &size))
		return NULL;
	s->calls++;
	while (m && (m->input != input || m->size < size))
		m = m->next;
	if (!m)
		m = add(s, input, size);
	if (m && input)
		memset(m->data, 0, size);
	return m ? m->data : NULL;
}

void ps_dal_scratch_free(struct ps_dal_scratch *s)
{
	for (struct ps_dal_memory *m = s->memory, *next; m; m = next) {
		next = m->next;
		free(m);
	}
	*s = (struct ps_dal_scratch){ .calls = 0 };
}
