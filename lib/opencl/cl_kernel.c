/* SPDX-License-Identifier: MIT */
#include "lib/opencl/cl_kernel.h"
#include "lib/base/memory.h"
#include "lib/opencl/cl_arg_type.h"

#include <errno.h>
#include <string.h>

static const char *selector_of(const struct ps_cl_kernel *k)
{
	return k->device->info.selector;
}

/* "gauss, thres": the kernels that are there. NULL: the driver does not tell, or out of memory. */
static char *kernel_names(cl_program program)
{
	size_t size = 0, length;
	char *names, *list;

	if (clGetProgramInfo(program, CL_PROGRAM_KERNEL_NAMES, 0, NULL, &size) || !size)
		return NULL;
	names = ps_memory_zalloc(size + 1, 1);
	list = ps_memory_zalloc(size + 1, 2);
	if (!names || !list || clGetProgramInfo(program, CL_PROGRAM_KERNEL_NAMES, size, names, NULL)) {
		ps_memory_free(list);
		list = NULL;
	}
	length = 0;
	for (const char *c = names; list && *c; c++) {
		list[length++] = *c == ';' ? ',' : *c;
		if (*c == ';')
			list[length++] = ' ';
	}
	ps_memory_free(names);
	return list;
}

static int no_kernel(const struct ps_cl_program *p, const char *name, struct ps_cl_fault *fault)
{
	char *names = kernel_names(p->id);
	int err;

	if (names && *names)
		err = ps_cl_refuse(
			fault, -EINVAL, "there is no kernel '%s' in its source, but: %s", name, names);
	else
		err = ps_cl_refuse(fault, -EINVAL, "there is no kernel '%s' in its source%s", name,
			names ? ", nor any other" : "");
	ps_memory_free(names);
	return err;
}

/* A text about an argument, cut if need be. */
static cl_int param_text(cl_kernel id, unsigned index, cl_kernel_arg_info what, char *text, size_t size)
{
	char all[1024];
	size_t length = 0;
	cl_int code = clGetKernelArgInfo(id, index, what, 0, NULL, &length);

	*text = '\0';
	if (code || !length)
		return code;
	if (length > sizeof all) { /* a driver cuts nothing: it would be an error */
		memcpy(text, "...", 4);
		return CL_SUCCESS;
	}
	code = clGetKernelArgInfo(id, index, what, sizeof all, all, NULL);
	all[sizeof all - 1] = '\0';
	if (code)
		return code;
	if (strlen(all) < size)
		memcpy(text, all, strlen(all) + 1);
	else {
		memcpy(text, all, size - 4);
		memcpy(text + size - 4, "...", 4);
	}
	return CL_SUCCESS;
}

static bool opaque(
	const struct ps_cl_param *p, cl_kernel_arg_access_qualifier access, cl_kernel_arg_type_qualifier q)
{
	static const char *const types[] = { "sampler_t", "event_t", "queue_t", "clk_event_t", "reserve_id_t",
		"ndrange_t" };

	for (size_t i = 0; i < sizeof types / sizeof *types; i++)
		if (!strcmp(p->type, types[i]))
			return true;
	return access != CL_KERNEL_ARG_ACCESS_NONE || (q & CL_KERNEL_ARG_TYPE_PIPE);
}

static cl_int ask_param(struct ps_cl_param *p, cl_kernel id, unsigned index)
{
	cl_kernel_arg_access_qualifier access = CL_KERNEL_ARG_ACCESS_NONE;
	cl_kernel_arg_type_qualifier type = CL_KERNEL_ARG_TYPE_NONE;
	cl_int code = clGetKernelArgInfo(
		id, index, CL_KERNEL_ARG_ADDRESS_QUALIFIER, sizeof p->space, &p->space, NULL);

	if (!code)
		code = clGetKernelArgInfo(
			id, index, CL_KERNEL_ARG_ACCESS_QUALIFIER, sizeof access, &access, NULL);
	if (!code)
		code = clGetKernelArgInfo(id, index, CL_KERNEL_ARG_TYPE_QUALIFIER, sizeof type, &type, NULL);
	if (!code)
		code = param_text(id, index, CL_KERNEL_ARG_TYPE_NAME, p->type, sizeof p->type);
	if (!code)
		code = param_text(id, index, CL_KERNEL_ARG_NAME, p->name, sizeof p->name);
	p->is_const = type & CL_KERNEL_ARG_TYPE_CONST;
	p->is_opaque = opaque(p, access, type);
	p->size = p->space == CL_KERNEL_ARG_ADDRESS_PRIVATE ? ps_cl_arg_type_size(p->type) : 0;
	return code;
}

/* Where the driver tells nothing that is no error: then params stays NULL. */
static int ask_params(struct ps_cl_kernel *k, struct ps_cl_fault *fault)
{
	cl_int code = CL_SUCCESS;

	if (!k->device->kernel_arg_info)
		return 0;
	k->params = ps_memory_zalloc(k->param_count, sizeof *k->params);
	if (!k->params)
		return ps_cl_refuse(fault, -ENOMEM, "kernel '%s': out of memory", k->name);
	for (unsigned i = 0; i < k->param_count && !code; i++)
		code = ask_param(&k->params[i], k->id, i);
	if (!code)
		return 0;
	ps_memory_free(k->params);
	k->params = NULL;
	if (code == CL_KERNEL_ARG_INFO_NOT_AVAILABLE)
		return 0;
	return ps_cl_fail(fault, code, "clGetKernelArgInfo", selector_of(k));
}

static int ask_kernel(struct ps_cl_kernel *k, struct ps_cl_fault *fault)
{
	cl_uint count = 0;
	cl_int code = clGetKernelInfo(k->id, CL_KERNEL_NUM_ARGS, sizeof count, &count, NULL);

	if (code)
		return ps_cl_fail(fault, code, "clGetKernelInfo", selector_of(k));
	k->param_count = count;
	code = clGetKernelWorkGroupInfo(k->id, k->device->id, CL_KERNEL_COMPILE_WORK_GROUP_SIZE,
		sizeof k->required_group, k->required_group, NULL);
	if (code)
		return ps_cl_fail(fault, code, "clGetKernelWorkGroupInfo", selector_of(k));
	return ask_params(k, fault);
}

int ps_cl_kernel_create(struct ps_cl_kernel *k, const struct ps_cl_program *program, const char *name,
	struct ps_cl_fault *fault)
{
	cl_int code;
	int err;

	*k = (struct ps_cl_kernel){ .device = program->device, .name = name };
	if (!program->id)
		return ps_cl_refuse(fault, program->fault.err ? program->fault.err : -EINVAL, "%s",
			program->fault.err ? program->fault.text : "its program has not been built");
	k->id = clCreateKernel(program->id, name, &code);
	if (!k->id && code == CL_INVALID_KERNEL_NAME)
		return no_kernel(program, name, fault);
	if (!k->id)
		return ps_cl_fail(fault, code, "clCreateKernel", selector_of(k));
	err = ask_kernel(k, fault);
	if (err)
		ps_cl_kernel_destroy(k);
	return err;
}

int ps_cl_kernel_renew(struct ps_cl_kernel *k, struct ps_cl_fault *fault)
{
	cl_program program;
	cl_kernel id;
	cl_int code = clGetKernelInfo(k->id, CL_KERNEL_PROGRAM, sizeof program, &program, NULL);

	if (code)
		return ps_cl_fail(fault, code, "clGetKernelInfo", selector_of(k));
	id = clCreateKernel(program, k->name, &code);
	if (!id)
		return ps_cl_fail(fault, code, "clCreateKernel", selector_of(k));
	clReleaseKernel(k->id);
	k->id = id;
	return 0;
}

void ps_cl_kernel_destroy(struct ps_cl_kernel *k)
{
	if (k->id)
		clReleaseKernel(k->id);
	ps_memory_free(k->params);
	*k = (struct ps_cl_kernel){ 0 };
}
