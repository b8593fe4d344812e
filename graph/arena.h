/* SPDX-License-Identifier: MIT */
/*
 * Arena: memory that is freed as a whole, with the graph.
 *
 * Where there is none, the arena jumps to the place that its owner has set, so that no caller has an error to hand on.
 * So between two calls nothing is held that only the code in between would free.
 */
#ifndef PENSTOCK_GRAPH_ARENA_H
#define PENSTOCK_GRAPH_ARENA_H

#include <setjmp.h>
#include <stddef.h>

struct ps_arena {
	struct ps_arena_block *blocks;
	jmp_buf out_of_memory;
};

/* Zeroed. */
void *ps_arena_zalloc(struct ps_arena *, size_t bytes);
char *ps_arena_printf(struct ps_arena *, const char *format, ...) __attribute__((format(printf, 2, 3)));
char *ps_arena_text(struct ps_arena *, const char *text, size_t length);

void ps_arena_free(struct ps_arena *);

/* Only tests set it: the n-th allocation of a block from now on (0: the next) fails; negative: none. */
extern long ps_arena_fail_at;

#endif
