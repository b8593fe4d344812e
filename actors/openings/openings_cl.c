/* SPDX-License-Identifier: MIT */
/* openings on a device: as many launches as units of work, which is more than struct pstk_kernel describes. */
#include "actors/openings/openings_cl.h"

#include <errno.h>

/* Groups of so many work-items, fewer where a device's kernels can't have them; so many words at least for a work-item
 * that counts. LOCAL also in openings.cl. */
enum { LOCAL = 64, WORDS_OF_ITEM = 8, GROUPS_MAX = 64, DIMS = 2 };

/* Arguments of the kernels that change. */
enum { UNIT_SRC, UNIT_DST, UNIT_COUNTS, UNIT_FLIP, UNIT_GATE, UNIT_CLEARS, UNIT_RESULTS, UNIT_SHAPE };
enum { ONES_SRC, ONES_PARTIAL, ONES_COUNTS, ONES_GATE, ONES_RESULTS, ONES_SIZE };
enum { TOTAL_PARTIAL, TOTAL_COUNTS, TOTAL_GROUPS, TOTAL_RESULTS, TOTAL_RESULT };

static const cl_uint no_gate = 0xffffffff;

static const char source[] =
#include "actors/openings/openings.clh"
	;

static int fail(struct pstk_actor *self, cl_int code, const char *call)
{
	bool memory = code == CL_OUT_OF_HOST_MEMORY || code == CL_MEM_OBJECT_ALLOCATION_FAILURE ||
	              code == CL_OUT_OF_RESOURCES;

	return pstk_actor_error(
		self, memory ? -ENOMEM : -EIO, "%s: %s (%d)", call, pstk_cl_error_name(code), (int)code);
}

static void release_buffer(cl_mem buffer)
{
	if (buffer)
		clReleaseMemObject(buffer);
}

static void release_kernel(cl_kernel kernel)
{
	if (kernel)
		clReleaseKernel(kernel);
}

void ps_openings_finish_cl(struct pstk_actor *self)
{
	struct ps_openings_cl *s = pstk_actor_state(self);

	for (unsigned i = 0; i < 2; i++) {
		release_buffer(s->eroded[i]);
		release_buffer(s->dilated[i]);
	}
	release_buffer(s->partial);
	release_kernel(s->unit);
	release_kernel(s->ones);
	release_kernel(s->total);
	if (s->program)
		clReleaseProgram(s->program);
	*s = (struct ps_openings_cl){ 0 };
}

static int build(struct pstk_actor *self)
{
	struct ps_openings_cl *s = pstk_actor_state(self);
	cl_device_id device = pstk_cl_device(self);
	const char *text = source;
	cl_int code;

	s->program = clCreateProgramWithSource(pstk_cl_context(self), 1, &text, NULL, &code);
	if (code)
		return fail(self, code, "clCreateProgramWithSource");
	code = clBuildProgram(s->program, 1, &device, NULL, NULL, NULL);
	return code ? fail(self, code, "clBuildProgram of openings.cl") : 0;
}

static int create_kernel(struct pstk_actor *self, const char *name, cl_kernel *kernel)
{
	struct ps_openings_cl *s = pstk_actor_state(self);
	size_t most = 0;
	cl_int code;

	*kernel = clCreateKernel(s->program, name, &code);
	if (code)
		return fail(self, code, "clCreateKernel");
	code = clGetKernelWorkGroupInfo(
		*kernel, pstk_cl_device(self), CL_KERNEL_WORK_GROUP_SIZE, sizeof most, &most, NULL);
	if (code)
		return fail(self, code, "clGetKernelWorkGroupInfo");
	if (most && most < s->local)
		s->local = most;
	return 0;
}

/* Words that a work-item makes, one behind the other: of a CPU, which makes several at once then, a whole row; else
 * one, so that work-items side by side read words side by side. */
static cl_uint strip_of(const struct pstk_actor *self)
{
	const struct ps_openings *o = pstk_actor_arg(self);
	cl_device_type type = 0;

	if (clGetDeviceInfo(pstk_cl_device(self), CL_DEVICE_TYPE, sizeof type, &type, NULL))
		return 1;
	return type & CL_DEVICE_TYPE_CPU ? (cl_uint)o->volume.words : 1;
}

static int create_kernels(struct pstk_actor *self)
{
	struct ps_openings_cl *s = pstk_actor_state(self);
	int err;

	s->local = LOCAL;
	s->strip = strip_of(self);
	err = create_kernel(self, "unit", &s->unit);
	if (!err)
		err = create_kernel(self, "ones", &s->ones);
	return err ? err : create_kernel(self, "total", &s->total);
}

static int create_buffer(struct pstk_actor *self, size_t words, cl_mem *buffer)
{
	cl_int code;

	*buffer = clCreateBuffer(
		pstk_cl_context(self), CL_MEM_READ_WRITE, words * sizeof(cl_ulong), NULL, &code);
	return code ? fail(self, code, "clCreateBuffer") : 0;
}

static int create_buffers(struct pstk_actor *self)
{
	const struct ps_openings *o = pstk_actor_arg(self);
	struct ps_openings_cl *s = pstk_actor_state(self);
	size_t images = pstk_actor_port_rate(self, PS_OPENINGS_IN), share = s->local * WORDS_OF_ITEM;
	size_t groups = (o->volume.size + share - 1) / share;
	int err = 0;

	s->groups = groups < GROUPS_MAX ? groups : GROUPS_MAX;
	for (unsigned i = 0; i < 2 && !err; i++) {
		err = create_buffer(self, images * o->volume.size, &s->eroded[i]);
		if (!err)
			err = create_buffer(self, images * o->volume.size, &s->dilated[i]);
	}
	return err ? err : create_buffer(self, images * s->groups, &s->partial);
}

/* An argument; after a failure none is set any more. */
static void set(cl_int *code, cl_kernel kernel, cl_uint index, size_t size, const void *value)
{
	if (!*code)
		*code = clSetKernelArg(kernel, index, size, value);
}

/* Those that are the same in every firing. */
static int set_args(struct pstk_actor *self)
{
	const struct ps_openings *o = pstk_actor_arg(self);
	const struct ps_openings_cl *s = pstk_actor_state(self);
	const cl_ulong numbers[] = { o->volume.size, o->volume.last };
	const cl_uint shape[] = { (cl_uint)o->volume.words, o->volume.height, o->volume.depth, o->cross };
	const cl_uint results = (cl_uint)ps_openings_results(o), groups = (cl_uint)s->groups;
	cl_uint index = UNIT_SHAPE;
	cl_int code = CL_SUCCESS;

	for (unsigned i = 0; i < sizeof numbers / sizeof *numbers; i++)
		set(&code, s->unit, index++, sizeof *numbers, &numbers[i]);
	for (unsigned i = 0; i < sizeof shape / sizeof *shape; i++)
		set(&code, s->unit, index++, sizeof *shape, &shape[i]);
	set(&code, s->unit, index, sizeof s->strip, &s->strip);
	set(&code, s->unit, UNIT_RESULTS, sizeof results, &results);
	set(&code, s->ones, ONES_PARTIAL, sizeof s->partial, &s->partial);
	set(&code, s->ones, ONES_RESULTS, sizeof results, &results);
	set(&code, s->ones, ONES_SIZE, sizeof *numbers, numbers);
	set(&code, s->total, TOTAL_PARTIAL, sizeof s->partial, &s->partial);
	set(&code, s->total, TOTAL_GROUPS, sizeof groups, &groups);
	set(&code, s->total, TOTAL_RESULTS, sizeof results, &results);
	return code ? fail(self, code, "clSetKernelArg") : 0;
}

int ps_openings_init_cl(struct pstk_actor *self)
{
	int err = build(self);

	if (!err)
		err = create_kernels(self);
	if (!err)
		err = create_buffers(self);
	if (!err)
		err = set_args(self);
	if (err)
		ps_openings_finish_cl(self);
	return err;
}

/*
 * A firing.
 */

struct launches {
	struct pstk_actor *self;
	const struct ps_openings *o;
	const struct ps_openings_cl *s;
	cl_command_queue queue;
	size_t images;
	cl_uint gate;
};

static int launch(const struct launches *l, cl_kernel kernel, size_t items, size_t local, const char *what)
{
	const size_t all[DIMS] = { (items + local - 1) / local * local, l->images },
		     group[DIMS] = { local, 1 };
	cl_int code = clEnqueueNDRangeKernel(l->queue, kernel, DIMS, NULL, all, group, 0, NULL, NULL);

	return code ? fail(l->self, code, what) : 0;
}

/* Groups as wide as a row has strips, if that is a power of 2, and as high as they may be then. */
static int launch_unit(const struct launches *l)
{
	const struct ps_volume *v = &l->o->volume;
	const size_t rows = v->size / v->words, strips = (v->words + l->s->strip - 1) / l->s->strip;
	size_t wide = 1, high;
	cl_int code;

	while (wide < strips && wide * 2 <= l->s->local)
		wide *= 2;
	high = l->s->local / wide;

	const size_t all[] = { (strips + wide - 1) / wide * wide, (rows + high - 1) / high * high,
		l->images };
	const size_t group[] = { wide, high, 1 };

	code = clEnqueueNDRangeKernel(
		l->queue, l->s->unit, sizeof all / sizeof *all, NULL, all, group, 0, NULL, NULL);
	return code ? fail(l->self, code, "clEnqueueNDRangeKernel of 'unit'") : 0;
}

static int unit(const struct launches *l, cl_mem src, cl_mem dst, bool erode, bool clears)
{
	const cl_ulong flip = erode ? ~(cl_ulong)0 : 0;
	const cl_uint zeros = clears;
	cl_int code = CL_SUCCESS;

	set(&code, l->s->unit, UNIT_SRC, sizeof src, &src);
	set(&code, l->s->unit, UNIT_DST, sizeof dst, &dst);
	set(&code, l->s->unit, UNIT_FLIP, sizeof flip, &flip);
	set(&code, l->s->unit, UNIT_GATE, sizeof l->gate, &l->gate);
	set(&code, l->s->unit, UNIT_CLEARS, sizeof zeros, &zeros);
	if (code)
		return fail(l->self, code, "clSetKernelArg of 'unit'");
	return launch_unit(l);
}

static int count(const struct launches *l, cl_mem image, cl_uint result)
{
	cl_int code = CL_SUCCESS;
	int err;

	set(&code, l->s->ones, ONES_SRC, sizeof image, &image);
	set(&code, l->s->ones, ONES_GATE, sizeof l->gate, &l->gate);
	set(&code, l->s->total, TOTAL_RESULT, sizeof result, &result);
	if (code)
		return fail(l->self, code, "clSetKernelArg of 'ones'");
	err = launch(
		l, l->s->ones, l->s->groups * l->s->local, l->s->local, "clEnqueueNDRangeKernel of 'ones'");
	return err ? err : launch(l, l->s->total, 1, 1, "clEnqueueNDRangeKernel of 'total'");
}

/* Dilates n times and counts. out: where the result goes; NULL: anywhere. */
static int dilate(const struct launches *l, cl_mem from, uint32_t n, cl_mem out)
{
	int err = 0;

	for (uint32_t i = 1; i <= n && !err; i++) {
		bool to_out = i == n && out;
		cl_mem dst = to_out ? out : l->s->dilated[i & 1];

		err = unit(l, from, dst, false, to_out);
		from = dst;
	}
	return err ? err : count(l, from, n - l->o->first);
}

static int enqueue(struct launches *l, cl_mem in, cl_mem out)
{
	const uint32_t first = l->o->first, last = l->o->last;
	int err = first ? 0 : count(l, in, 0);

	for (uint32_t n = 1; n <= last && !err; n++) {
		cl_mem eroded = l->s->eroded[n & 1];

		if (n > first)
			l->gate = n - first - 1;
		err = unit(l, in, eroded, true, false);
		in = eroded;
		if (!err && n >= first)
			err = dilate(l, eroded, n, n == last ? out : NULL);
	}
	return err;
}

int ps_openings_fire_cl(struct pstk_firing *f)
{
	struct pstk_actor *self = pstk_firing_actor(f);
	const struct ps_openings_cl *s = pstk_actor_state(self);
	struct launches l = { self, pstk_actor_arg(self), s, pstk_cl_queue(f), 0, no_gate };
	struct pstk_cl_window in, counts, out = { .buffer = NULL };
	cl_int code = CL_SUCCESS;

	if (pstk_cl_window(f, PS_OPENINGS_IN, &in) || pstk_cl_window(f, PS_OPENINGS_COUNTS, &counts) ||
		(l.o->image && pstk_cl_window(f, PS_OPENINGS_OUT, &out)))
		return -EPROTO;
	set(&code, s->unit, UNIT_COUNTS, sizeof counts.buffer, &counts.buffer);
	set(&code, s->ones, ONES_COUNTS, sizeof counts.buffer, &counts.buffer);
	set(&code, s->total, TOTAL_COUNTS, sizeof counts.buffer, &counts.buffer);
	if (code)
		return fail(self, code, "clSetKernelArg of a window");
	l.images = in.valid;
	return enqueue(&l, in.buffer, out.buffer);
}
