/* SPDX-License-Identifier: MIT */
/* openings on a device: as many launches as units of work, which is more than struct pstk_kernel describes. */
#include "actors/openings/openings_cl.h"

#include <errno.h>

enum { UNIT, ONES, TOTAL }; /* kernels */
/* Buffers, each firing's; the queue is in order. Erosions and dilations go to and fro between two each. */
enum { ERODED, DILATED = ERODED + 2, PARTIAL = DILATED + 2 };
/* Sizes: work-items in a group; groups that count an image; words of a row that a work-item makes. */
enum { LOCAL, GROUPS, STRIP };

/* Groups of so many work-items, fewer where a device's kernels can't have them; so many words at least for a work-item
 * that counts. LOCAL_MOST is LOCAL in openings.cl. */
enum { LOCAL_MOST = 64, WORDS_OF_ITEM = 8, GROUPS_MOST = 64 };

/* Arguments of the kernels that change. */
enum { UNIT_SRC, UNIT_DST, UNIT_COUNTS, UNIT_FLIP, UNIT_GATE, UNIT_CLEARS, UNIT_RESULTS, UNIT_SHAPE };
enum { ONES_SRC, ONES_PARTIAL, ONES_COUNTS, ONES_GATE, ONES_RESULTS, ONES_SIZE };
enum { TOTAL_PARTIAL, TOTAL_COUNTS, TOTAL_GROUPS, TOTAL_RESULTS, TOTAL_RESULT };

static const cl_uint no_gate = 0xffffffff;

static const char source[] =
#include "actors/openings/openings.clh"
	;

/* Words that a work-item makes, one behind the other: of a CPU, which makes several at once then, a whole row; else
 * one, so that work-items side by side read words side by side. */
static size_t strip_of(const struct pstk_actor *self)
{
	const struct ps_openings *o = pstk_actor_arg(self);
	cl_device_type type = 0;

	if (clGetDeviceInfo(pstk_cl_device(self), CL_DEVICE_TYPE, sizeof type, &type, NULL))
		return 1;
	return type & CL_DEVICE_TYPE_CPU ? o->volume.words : 1;
}

static int make(struct pstk_actor *self, struct ps_launch *l)
{
	static const char *const kernels[] = { "unit", "ones", "total", NULL };
	const struct ps_openings *o = pstk_actor_arg(self);
	size_t images = pstk_actor_port_rate(self, PS_OPENINGS_IN), share, groups;
	int err = ps_launch_build(self, l, source, "openings.cl", kernels);

	if (!err)
		err = ps_launch_group(self, l, LOCAL_MOST, &l->sizes[LOCAL]);
	if (err)
		return err;
	share = l->sizes[LOCAL] * WORDS_OF_ITEM;
	groups = (o->volume.size + share - 1) / share;
	l->sizes[GROUPS] = groups < GROUPS_MOST ? groups : GROUPS_MOST;
	l->sizes[STRIP] = strip_of(self);
	for (unsigned i = ERODED; i < PARTIAL && !err; i++)
		err = ps_launch_buffer(self, l, i, images * o->volume.size * sizeof(cl_ulong), NULL);
	return err ? err
	           : ps_launch_buffer(self, l, PARTIAL, images * l->sizes[GROUPS] * sizeof(cl_ulong), NULL);
}

/* An argument; after a failure none is set any more. */
static void set(struct pstk_actor *self, int *err, const struct ps_launch *l, unsigned kernel, unsigned index,
	size_t size, const void *value)
{
	if (!*err)
		*err = ps_launch_arg(self, l, kernel, index, size, value);
}

/* Those that are the same in every firing. */
static int set_args(struct pstk_actor *self, const struct ps_launch *l)
{
	const struct ps_openings *o = pstk_actor_arg(self);
	const cl_ulong numbers[] = { o->volume.size, o->volume.last };
	const cl_uint shape[] = { (cl_uint)o->volume.words, o->volume.height, o->volume.depth, o->cross,
		(cl_uint)l->sizes[STRIP] };
	const cl_uint results = (cl_uint)ps_openings_results(o), groups = (cl_uint)l->sizes[GROUPS];
	unsigned index = UNIT_SHAPE;
	int err = 0;

	for (unsigned i = 0; i < sizeof numbers / sizeof *numbers; i++)
		set(self, &err, l, UNIT, index++, sizeof *numbers, &numbers[i]);
	for (unsigned i = 0; i < sizeof shape / sizeof *shape; i++)
		set(self, &err, l, UNIT, index++, sizeof *shape, &shape[i]);
	set(self, &err, l, UNIT, UNIT_RESULTS, sizeof results, &results);
	set(self, &err, l, ONES, ONES_PARTIAL, sizeof(cl_mem), &l->buffers[PARTIAL]);
	set(self, &err, l, ONES, ONES_RESULTS, sizeof results, &results);
	set(self, &err, l, ONES, ONES_SIZE, sizeof *numbers, numbers);
	set(self, &err, l, TOTAL, TOTAL_PARTIAL, sizeof(cl_mem), &l->buffers[PARTIAL]);
	set(self, &err, l, TOTAL, TOTAL_GROUPS, sizeof groups, &groups);
	set(self, &err, l, TOTAL, TOTAL_RESULTS, sizeof results, &results);
	return err;
}

int ps_openings_open_place(struct pstk_actor *self, unsigned place)
{
	struct ps_launches *on_devices = pstk_actor_state(self);
	struct ps_launch *l = &on_devices->at[place];
	int err = make(self, l);

	return err ? err : set_args(self, l);
}

/*
 * A firing.
 */

struct launches {
	struct pstk_firing *firing;
	struct pstk_actor *self;
	const struct ps_openings *o;
	const struct ps_launch *l;
	size_t images;
	cl_uint gate;
};

/* Groups as wide as a row has strips, if that is a power of 2, and as high as they may be then. */
static int launch_unit(const struct launches *s)
{
	const struct ps_volume *v = &s->o->volume;
	const size_t most = s->l->sizes[LOCAL], strip = s->l->sizes[STRIP];
	const size_t rows = v->size / v->words, strips = (v->words + strip - 1) / strip;
	size_t wide = 1, high;

	while (wide < strips && wide * 2 <= most)
		wide *= 2;
	high = most / wide;

	const size_t all[] = { (strips + wide - 1) / wide * wide, (rows + high - 1) / high * high,
		s->images };
	const size_t group[] = { wide, high, 1 };

	return ps_launch_run(s->firing, s->l, UNIT, all, group);
}

static int unit(const struct launches *s, cl_mem src, cl_mem dst, bool erode, bool clears)
{
	const cl_ulong flip = erode ? ~(cl_ulong)0 : 0;
	const cl_uint zeros = clears;
	int err = 0;

	set(s->self, &err, s->l, UNIT, UNIT_SRC, sizeof src, &src);
	set(s->self, &err, s->l, UNIT, UNIT_DST, sizeof dst, &dst);
	set(s->self, &err, s->l, UNIT, UNIT_FLIP, sizeof flip, &flip);
	set(s->self, &err, s->l, UNIT, UNIT_GATE, sizeof s->gate, &s->gate);
	set(s->self, &err, s->l, UNIT, UNIT_CLEARS, sizeof zeros, &zeros);
	return err ? err : launch_unit(s);
}

static int count(const struct launches *s, cl_mem image, cl_uint result)
{
	const size_t group = s->l->sizes[LOCAL], local[] = { group, 1, 1 }, one[] = { 1, 1, 1 };
	const size_t all[] = { s->l->sizes[GROUPS] * group, s->images, 1 }, images[] = { 1, s->images, 1 };
	int err = 0;

	set(s->self, &err, s->l, ONES, ONES_SRC, sizeof image, &image);
	set(s->self, &err, s->l, ONES, ONES_GATE, sizeof s->gate, &s->gate);
	set(s->self, &err, s->l, TOTAL, TOTAL_RESULT, sizeof result, &result);
	if (!err)
		err = ps_launch_run(s->firing, s->l, ONES, all, local);
	return err ? err : ps_launch_run(s->firing, s->l, TOTAL, images, one);
}

/* Dilates n times and counts. out: where the result goes; NULL: anywhere. */
static int dilate(const struct launches *s, cl_mem from, uint32_t n, cl_mem out)
{
	int err = 0;

	for (uint32_t i = 1; i <= n && !err; i++) {
		bool to_out = i == n && out;
		cl_mem dst = to_out ? out : s->l->buffers[DILATED + (i & 1)];

		err = unit(s, from, dst, false, to_out);
		from = dst;
	}
	return err ? err : count(s, from, n - s->o->first);
}

static int enqueue(struct launches *s, cl_mem in, cl_mem out)
{
	const uint32_t first = s->o->first, last = s->o->last;
	int err = first ? 0 : count(s, in, 0);

	for (uint32_t n = 1; n <= last && !err; n++) {
		cl_mem eroded = s->l->buffers[ERODED + (n & 1)];

		if (n > first)
			s->gate = n - first - 1;
		err = unit(s, in, eroded, true, false);
		in = eroded;
		if (!err && n >= first)
			err = dilate(s, eroded, n, n == last ? out : NULL);
	}
	return err;
}

int ps_openings_fire_cl(struct pstk_firing *f)
{
	struct pstk_actor *self = pstk_firing_actor(f);
	const struct ps_launch *l = ps_launch_here(pstk_actor_state(self), f);
	struct launches s = { f, self, pstk_actor_arg(self), l, 0, no_gate };
	struct pstk_cl_window in, counts, out = { .buffer = NULL };
	int err = 0;

	if (pstk_cl_window(f, PS_OPENINGS_IN, &in) || pstk_cl_window(f, PS_OPENINGS_COUNTS, &counts) ||
		(s.o->image && pstk_cl_window(f, PS_OPENINGS_OUT, &out)))
		return -EPROTO;
	set(self, &err, l, UNIT, UNIT_COUNTS, sizeof counts.buffer, &counts.buffer);
	set(self, &err, l, ONES, ONES_COUNTS, sizeof counts.buffer, &counts.buffer);
	set(self, &err, l, TOTAL, TOTAL_COUNTS, sizeof counts.buffer, &counts.buffer);
	if (err)
		return err;
	s.images = in.valid;
	return enqueue(&s, in.buffer, out.buffer);
}
