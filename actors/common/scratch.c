/* SPDX-License-Identifier: MIT */
#include "actors/common/scratch.h"
#include "actors/common/places.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>

enum { LINE = 64 };

void ps_scratch_free(struct ps_scratch *s)
{
	free(s->memory);
	free(s->taken);
	s->memory = NULL;
	s->taken = NULL;
}

int ps_scratch_init(struct ps_scratch *s, struct pstk_actor *self, size_t bytes, const char *what)
{
	if (!ps_places_cores(self))
		return 0;
	s->count = pstk_actor_concurrency(self, NULL, 0);
	s->bytes = (bytes + LINE - 1) / LINE * LINE;
	s->memory = calloc(s->count * s->bytes + LINE, 1);
	s->taken = calloc(s->count, sizeof *s->taken);
	if (s->memory && s->taken)
		return 0;
	ps_scratch_free(s);
	return pstk_actor_error(self, -ENOMEM, "out of memory for %u x %s", s->count, what);
}

static unsigned char *begin(const struct ps_scratch *s)
{
	return s->memory + (LINE - (uintptr_t)s->memory % LINE) % LINE;
}

/* There is one: no more firings run side by side. */
void *ps_scratch_take(struct ps_scratch *s)
{
	unsigned i = 0;

	while (atomic_exchange(&s->taken[i], true))
		i = (i + 1) % s->count;
	return begin(s) + i * s->bytes;
}

void ps_scratch_give(struct ps_scratch *s, const void *memory)
{
	atomic_store(&s->taken[(size_t)((const unsigned char *)memory - begin(s)) / s->bytes], false);
}
