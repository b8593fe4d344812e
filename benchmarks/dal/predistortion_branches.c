/* SPDX-License-Identifier: MIT */
/* Predistortion's polynomial and adder as DAL processes: only active branches move data. */
#include "benchmarks/dal/predistortion_processes.h"
#include "benchmarks/apps/hammerstein.h"

#include <stdlib.h>

#define PORT_ACTIVE "active"
#define PORT_RE "re"
#define PORT_IM "im"
#define PORT_RE_OUT "re_out"
#define PORT_IM_OUT "im_out"

enum { BRANCHES = HAMMERSTEIN_BRANCHES };

typedef CREATEPORTVAR(port_handle);

struct _local_states {
	struct hammerstein_signal one, branches[BRANCHES]; /* its own memory */
	port_handle re[BRANCHES], im[BRANCHES];
};

_Static_assert(sizeof(struct _local_states) <= PREDISTORTION_BRANCHES_STATE, "what the program reserves");

void predistortion_branches_init(DALProcess *p)
{
	struct _local_states *s = p->local;
	size_t stride = predistortion_stride();
	float *memory = predistortion_blocks(2 * (1 + BRANCHES));

	s->one = (struct hammerstein_signal){ memory, memory + stride };
	for (int i = 0; i < BRANCHES; i++) {
		memory += 2 * stride;
		s->branches[i] = (struct hammerstein_signal){ memory, memory + stride };
		CREATEPORT(s->re[i], PORT_RE, 1, i, BRANCHES);
		CREATEPORT(s->im[i], PORT_IM, 1, i, BRANCHES);
	}
}

void predistortion_branches_finish(DALProcess *p)
{
	free(p->local->one.re);
}

int predistortion_polynomial_fire(DALProcess *p)
{
	struct _local_states *s = p->local;
	uint32_t block = predistortion_outside.block, set = 0;
	int bytes = (int)(block * sizeof(float));

	if (DAL_read(PORT_ACTIVE, &set, sizeof set, p) < (int)sizeof set ||
		DAL_read(PORT_RE, s->one.re, bytes, p) < bytes ||
		DAL_read(PORT_IM, s->one.im, bytes, p) < bytes)
		return 0;
	hammerstein_polynomial(s->branches, set, s->one, block);
	for (unsigned i = 0; i < BRANCHES; i++)
		if (set >> i & 1) {
			DAL_write(s->re[i], s->branches[i].re, bytes, p);
			DAL_write(s->im[i], s->branches[i].im, bytes, p);
		}
	return 0;
}

int predistortion_adder_fire(DALProcess *p)
{
	struct _local_states *s = p->local;
	uint32_t block = predistortion_outside.block, set = 0;
	int bytes = (int)(block * sizeof(float));

	if (DAL_read(PORT_ACTIVE, &set, sizeof set, p) < (int)sizeof set)
		return 0;
	for (unsigned i = 0; i < BRANCHES; i++)
		if (set >> i & 1 && (DAL_read(s->re[i], s->branches[i].re, bytes, p) < bytes ||
					    DAL_read(s->im[i], s->branches[i].im, bytes, p) < bytes))
			return 0;
	hammerstein_add(s->one, s->branches, set, block);
	DAL_write(PORT_RE_OUT, s->one.re, bytes, p);
	DAL_write(PORT_IM_OUT, s->one.im, bytes, p);
	return 0;
}
