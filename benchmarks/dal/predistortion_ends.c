/* SPDX-License-Identifier: MIT */
/* Predistortion's source and sink as DAL processes. */
#include "benchmarks/dal/predistortion_processes.h"
#include "benchmarks/apps/hammerstein.h"
#include "benchmarks/common/rounds.h"

#include <stdlib.h>

#define PORT_POLYNOMIAL "polynomial"
#define PORT_ADDER "adder"
#define PORT_RE "re"
#define PORT_IM "im"

struct _local_states {
	uint64_t next; /* block */
	float *re, *im;
};

_Static_assert(sizeof(struct _local_states) <= PREDISTORTION_END_STATE, "what the program reserves");

struct predistortion_outside predistortion_outside;

enum { LINE = 16 /* floats */ };

size_t predistortion_stride(void)
{
	return predistortion_outside.block + LINE;
}

float *predistortion_blocks(size_t count)
{
	return rounds_alloc(count * predistortion_stride() * sizeof(float));
}

void predistortion_end_init(DALProcess *p)
{
	p->local->re = predistortion_blocks(2);
	p->local->im = p->local->re + predistortion_stride();
}

void predistortion_end_finish(DALProcess *p)
{
	free(p->local->re);
}

int predistortion_source_fire(DALProcess *p)
{
	struct _local_states *s = p->local;
	uint32_t block = predistortion_outside.block, set;
	int bytes = (int)(block * sizeof(float));

	if (s->next == predistortion_outside.blocks) {
		DAL_send_event("done", p);
		return 0;
	}
	set = hammerstein_set(predistortion_outside.active, s->next * block / HAMMERSTEIN_PERIOD);
	DAL_write(PORT_POLYNOMIAL, &set, sizeof set, p);
	DAL_write(PORT_ADDER, &set, sizeof set, p);
	hammerstein_source(s->re, s->im, s->next * block, block);
	DAL_write(PORT_RE, s->re, bytes, p);
	DAL_write(PORT_IM, s->im, bytes, p);
	s->next++;
	return 0;
}

int predistortion_sink_fire(DALProcess *p)
{
	struct _local_states *s = p->local;
	int bytes = (int)(predistortion_outside.block * sizeof(float));

	if (DAL_read(PORT_RE, s->re, bytes, p) < bytes || DAL_read(PORT_IM, s->im, bytes, p) < bytes)
		return 0;
	predistortion_outside.sum += hammerstein_sink(s->re, s->im, s->next++, predistortion_outside.block);
	return 0;
}
