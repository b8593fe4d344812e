/* SPDX-License-Identifier: MIT */
/* Predistortion's filters as DAL processes: which branch it is says the iterator's index. */
#include "benchmarks/dal/predistortion_processes.h"
#include "benchmarks/apps/hammerstein.h"

#include <stdlib.h>

#define PORT_RE "re"
#define PORT_IM "im"
#define PORT_RE_OUT "re_out"
#define PORT_IM_OUT "im_out"

struct _local_states {
	struct hammerstein_signal in, out; /* its own memory */
	struct hammerstein_past past;
};

_Static_assert(sizeof(struct _local_states) <= PREDISTORTION_FIR_STATE, "what the program reserves");

void predistortion_fir_init(DALProcess *p)
{
	size_t stride = predistortion_stride();
	float *memory = predistortion_blocks(4);

	p->local->in = (struct hammerstein_signal){ memory, memory + stride };
	p->local->out = (struct hammerstein_signal){ memory + 2 * stride, memory + 3 * stride };
}

void predistortion_fir_finish(DALProcess *p)
{
	free(p->local->in.re);
}

int predistortion_fir_fire(DALProcess *p)
{
	struct _local_states *s = p->local;
	uint32_t block = predistortion_outside.block;
	int bytes = (int)(block * sizeof(float));

	if (DAL_read(PORT_RE, s->in.re, bytes, p) < bytes || DAL_read(PORT_IM, s->in.im, bytes, p) < bytes)
		return 0;
	hammerstein_filter((unsigned)GETINDEX(0), s->out, &s->past, s->in, block);
	DAL_write(PORT_RE_OUT, s->out.re, bytes, p);
	DAL_write(PORT_IM_OUT, s->out.im, bytes, p);
	return 0;
}
