/* SPDX-License-Identifier: MIT */
/* equalize on a device: three kernels a firing, which is more than struct pstk_kernel describes. */
#include "actors/equalize/equalize_cl.h"
#include "actors/common/frame.h"

#include <errno.h>

/* Groups of so many work-items, fewer where a device's kernels can't have them; so many pixels at least for a
 * work-item, or a group's table costs more than its counting. */
enum { VALUES = 256, LOCAL = 64, PIXELS_OF_ITEM = 64, GROUPS_MAX = 64, DIMS = 2 };

static const char source[] =
#include "actors/equalize/equalize.clh"
	;

static int fail(struct pstk_actor *self, cl_int code, const char *call)
{
	bool memory = code == CL_OUT_OF_HOST_MEMORY || code == CL_MEM_OBJECT_ALLOCATION_FAILURE ||
	              code == CL_OUT_OF_RESOURCES;

	return pstk_actor_error(
		self, memory ? -ENOMEM : -EIO, "%s: %s (%d)", call, pstk_cl_error_name(code), (int)code);
}

static uint64_t pixels_of(const struct pstk_actor *self)
{
	const struct pstk_frame_size *size = pstk_actor_arg(self);

	return (uint64_t)size->width * size->height;
}

int ps_equalize_finish_cl(struct pstk_actor *self)
{
	struct ps_equalize_cl *s = pstk_actor_state(self);

	if (s->counts)
		clReleaseMemObject(s->counts);
	if (s->tables)
		clReleaseMemObject(s->tables);
	if (s->histogram)
		clReleaseKernel(s->histogram);
	if (s->table)
		clReleaseKernel(s->table);
	if (s->lookup)
		clReleaseKernel(s->lookup);
	if (s->program)
		clReleaseProgram(s->program);
	*s = (struct ps_equalize_cl){ 0 };
	return 0;
}

static int build(struct pstk_actor *self)
{
	struct ps_equalize_cl *s = pstk_actor_state(self);
	cl_device_id device = pstk_cl_device(self);
	const char *text = source;
	cl_int code;

	s->program = clCreateProgramWithSource(pstk_cl_context(self), 1, &text, NULL, &code);
	if (code)
		return fail(self, code, "clCreateProgramWithSource");
	code = clBuildProgram(s->program, 1, &device, NULL, NULL, NULL);
	return code ? fail(self, code, "clBuildProgram of equalize.cl") : 0;
}

static int create_kernel(struct pstk_actor *self, const char *name, cl_kernel *kernel)
{
	struct ps_equalize_cl *s = pstk_actor_state(self);
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

static int create_kernels(struct pstk_actor *self)
{
	struct ps_equalize_cl *s = pstk_actor_state(self);
	int err;

	s->local = LOCAL;
	err = create_kernel(self, "histogram", &s->histogram);
	if (!err)
		err = create_kernel(self, "table", &s->table);
	return err ? err : create_kernel(self, "lookup", &s->lookup);
}

static int create_buffer(struct pstk_actor *self, size_t bytes, cl_mem *buffer)
{
	cl_int code;

	*buffer = clCreateBuffer(pstk_cl_context(self), CL_MEM_READ_WRITE, bytes, NULL, &code);
	return code ? fail(self, code, "clCreateBuffer") : 0;
}

static int create_buffers(struct pstk_actor *self)
{
	struct ps_equalize_cl *s = pstk_actor_state(self);
	uint64_t share = (uint64_t)s->local * PIXELS_OF_ITEM, groups = (pixels_of(self) + share - 1) / share;
	size_t frames = pstk_actor_port_rate(self, 0);
	int err;

	s->groups = groups < GROUPS_MAX ? (size_t)groups : GROUPS_MAX;
	err = create_buffer(self, frames * s->groups * VALUES * sizeof(cl_uint), &s->counts);
	return err ? err : create_buffer(self, frames * VALUES, &s->tables);
}

/* Those that are the same in every firing. */
static int set_args(struct pstk_actor *self)
{
	struct ps_equalize_cl *s = pstk_actor_state(self);
	cl_ulong pixels = pixels_of(self);
	cl_uint groups = (cl_uint)s->groups;
	cl_int code = clSetKernelArg(s->histogram, 1, sizeof s->counts, &s->counts);

	if (!code)
		code = clSetKernelArg(s->histogram, 2, sizeof pixels, &pixels);
	if (!code)
		code = clSetKernelArg(s->table, 0, sizeof s->counts, &s->counts);
	if (!code)
		code = clSetKernelArg(s->table, 1, sizeof s->tables, &s->tables);
	if (!code)
		code = clSetKernelArg(s->table, 2, sizeof pixels, &pixels);
	if (!code)
		code = clSetKernelArg(s->table, 3, sizeof groups, &groups);
	if (!code)
		code = clSetKernelArg(s->lookup, 2, sizeof s->tables, &s->tables);
	if (!code)
		code = clSetKernelArg(s->lookup, 3, sizeof pixels, &pixels);
	return code ? fail(self, code, "clSetKernelArg") : 0;
}

int ps_equalize_init_cl(struct pstk_actor *self)
{
	int err;

	if (!pstk_cl_device(self))
		return 0;
	err = build(self);
	if (!err)
		err = create_kernels(self);
	if (!err)
		err = create_buffers(self);
	if (!err)
		err = set_args(self);
	if (err)
		ps_equalize_finish_cl(self);
	return err;
}

static int launch(struct pstk_firing *f, cl_kernel kernel, const size_t *global, const char *what)
{
	struct pstk_actor *self = pstk_firing_actor(f);
	const struct ps_equalize_cl *s = pstk_actor_state(self);
	const size_t local[DIMS] = { s->local, 1 };
	cl_int code =
		clEnqueueNDRangeKernel(pstk_cl_queue(f), kernel, DIMS, NULL, global, local, 0, NULL, NULL);

	return code ? fail(self, code, what) : 0;
}

int ps_equalize_fire_cl(struct pstk_firing *f)
{
	struct pstk_actor *self = pstk_firing_actor(f);
	struct ps_equalize_cl *s = pstk_actor_state(self);
	struct pstk_cl_window in, out;
	cl_int code;
	int err;

	if (pstk_cl_window(f, 0, &in) || pstk_cl_window(f, 1, &out))
		return -EPROTO;
	code = clSetKernelArg(s->histogram, 0, sizeof in.buffer, &in.buffer);
	if (!code)
		code = clSetKernelArg(s->lookup, 0, sizeof in.buffer, &in.buffer);
	if (!code)
		code = clSetKernelArg(s->lookup, 1, sizeof out.buffer, &out.buffer);
	if (code)
		return fail(self, code, "clSetKernelArg of a window");

	const size_t all[DIMS] = { s->groups * s->local, in.valid }, one[DIMS] = { s->local, in.valid };

	err = launch(f, s->histogram, all, "clEnqueueNDRangeKernel of 'histogram'");
	if (!err)
		err = launch(f, s->table, one, "clEnqueueNDRangeKernel of 'table'");
	return err ? err : launch(f, s->lookup, all, "clEnqueueNDRangeKernel of 'lookup'");
}
