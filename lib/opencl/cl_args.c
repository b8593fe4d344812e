/* SPDX-License-Identifier: MIT */
/* Does a kernel take what it will be given? And giving it what stays the same in all firings. */
#include "lib/opencl/cl_kernel.h"
#include "lib/base/log.h"
#include "lib/base/text.h"
#include "lib/model/type.h"
#include "lib/opencl/cl_arg_type.h"

#include <errno.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

/* One argument under examination. */
struct look {
	const struct ps_cl_kernel *kernel;
	const struct pstk_actor_type *type;
	const struct ps_cl_param *param;
	unsigned index; /* the kernel's */
	struct ps_cl_fault *fault;
};

enum { IS_SIZE = 160 };

/* "__global ", of a private one "". */
static const char *space_name(cl_kernel_arg_address_qualifier space)
{
	switch (space) {
	case CL_KERNEL_ARG_ADDRESS_GLOBAL:
		return "__global ";
	case CL_KERNEL_ARG_ADDRESS_CONSTANT:
		return "__constant ";
	case CL_KERNEL_ARG_ADDRESS_LOCAL:
		return "__local ";
	}
	return "";
}

/* "is __global const float*", in words that the kernel's author has written. */
static const char *param_is(const struct ps_cl_param *p, char *text)
{
	const char *space = space_name(p->space);

	if (p->is_opaque)
		space = "";
	/* the compiler says that what is __constant is const */
	snprintf(text, IS_SIZE, "%s%s%s", space,
		p->is_const && p->space != CL_KERNEL_ARG_ADDRESS_CONSTANT ? "const " : "", p->type);
	return text;
}

PSTK_PRINTF(2, 3)
static int refuse(const struct look *l, const char *format, ...)
{
	char why[PS_CL_TEXT];
	va_list ap;

	va_start(ap, format);
	vsnprintf(why, sizeof why, format, ap);
	va_end(ap);
	return ps_cl_refuse(l->fault, -EINVAL, "kernel '%s', argument %u '%s': %s", l->kernel->name, l->index,
		l->param->name, why);
}

/* Is it a pointer to global memory? */
static int check_global(const struct look *l, const char *gets)
{
	char is[IS_SIZE];

	if (l->param->is_opaque || l->param->space != CL_KERNEL_ARG_ADDRESS_GLOBAL)
		return refuse(
			l, "is %s; it gets %s and must be a __global pointer", param_is(l->param, is), gets);
	return 0;
}

/* f32, cf64, .. */
static bool is_floating(const char *token_type)
{
	return token_type[0] == 'f' || token_type[0] == 'c';
}

/* Vectors are legal for ports of their elements, and so is much else; but a kernel that reads doubles as floats is
 * worth a word. */
static void compare_token(const struct look *l, const struct pstk_port *port)
{
	size_t element = ps_token_type_size(port->token_type);
	struct ps_cl_arg_type type;

	if (!element || !ps_cl_arg_type_parse(l->param->type, &type))
		return;
	if (port->token_type[0] == 'c') /* a pair */
		element /= 2;
	if (type.scalar != element || type.floating != is_floating(port->token_type))
		ps_log(PS_TOPIC_OPENCL, PSTK_LOG_WARNING,
			"kernel '%s', argument %u '%s' is %s, elements of %zu bytes; those of port '%s' are "
			"%s, "
			"of %zu",
			l->kernel->name, l->index, l->param->name, l->param->type, type.scalar, port->name,
			port->token_type, element);
}

static int check_port(const struct look *l, const struct pstk_port *port)
{
	char gets[160];
	bool out = !ps_port_reads(port->kind);
	int err;

	snprintf(gets, sizeof gets, "the window of %s port '%s'", ps_port_kind_name(port->kind), port->name);
	err = check_global(l, gets);
	if (err)
		return err;
	if (out && l->param->is_const)
		return refuse(l, "is const; it gets %s, which the kernel must write", gets);
	compare_token(l, port);
	return 0;
}

/* A whole number of so many bytes, by value. What a typedef hides is left to the user. */
static int check_number(const struct look *l, size_t size, const char *type, const char *gets)
{
	const struct ps_cl_param *p = l->param;
	struct ps_cl_arg_type known;
	char is[IS_SIZE];

	if (p->is_opaque || p->space != CL_KERNEL_ARG_ADDRESS_PRIVATE ||
		(ps_cl_arg_type_parse(p->type, &known) &&
			(known.floating || known.lanes != 1 || known.scalar != size)))
		return refuse(l, "is %s; it gets %s and must be a %s", param_is(p, is), gets, type);
	return 0;
}

static int check_value(const struct look *l, unsigned number, const struct ps_cl_arg *arg)
{
	const struct ps_cl_param *p = l->param;
	char is[IS_SIZE];

	if (p->is_opaque)
		return refuse(l, "is %s, which given argument %u can't be", p->type, number);
	if (!arg->size)
		return refuse(l, "given argument %u has 0 bytes", number);
	if (p->space == CL_KERNEL_ARG_ADDRESS_PRIVATE) {
		if (p->size && p->size != arg->size)
			return refuse(l, "takes %zu bytes (%s), given argument %u has %zu", p->size, p->type,
				number, arg->size);
		return 0;
	}
	if (p->space == CL_KERNEL_ARG_ADDRESS_LOCAL)
		return refuse(l,
			"is %s; given argument %u is a value: give local memory, a size without a value",
			param_is(p, is), number);
	if (p->space == CL_KERNEL_ARG_ADDRESS_GLOBAL && !p->is_const)
		return refuse(l, "is %s; it gets the constant data of given argument %u and must be const",
			param_is(p, is), number);
	return 0;
}

static int check_local(const struct look *l, unsigned number, const struct ps_cl_arg *arg)
{
	char is[IS_SIZE];

	if (l->param->is_opaque || l->param->space != CL_KERNEL_ARG_ADDRESS_LOCAL)
		return refuse(l, "is %s; given argument %u is local memory, which needs a __local pointer",
			param_is(l->param, is), number);
	if (!arg->size)
		return refuse(l, "given argument %u is local memory of 0 bytes", number);
	return 0;
}

static int check_arg(const struct look *l, unsigned number, const struct ps_cl_arg *arg)
{
	char gets[200];

	switch (arg->kind) {
	case PS_CL_ARG_UNSET:
		return refuse(l, "given argument %u is missing", number);
	case PS_CL_ARG_VALUE:
		return check_value(l, number, arg);
	case PS_CL_ARG_LOCAL:
		return check_local(l, number, arg);
	case PS_CL_ARG_RATE:
	case PS_CL_ARG_VALID:
		break;
	case PS_CL_ARG_STEPS:
		snprintf(gets, sizeof gets, "the steps of a firing, given argument %u,", number);
		return check_number(l, sizeof(uint32_t), "uint", gets);
	}
	snprintf(gets, sizeof gets, "the %s of port '%s', given argument %u,",
		arg->kind == PS_CL_ARG_RATE ? "rate" : "valid tokens", l->type->ports[arg->port].name,
		number);
	return check_number(l, sizeof(uint32_t), "uint", gets);
}

/* To windows: one a port but the control port. */
static unsigned pointers(const struct pstk_actor_type *t)
{
	unsigned count = 0;

	for (unsigned p = 0; p < t->port_count; p++)
		count += t->ports[p].kind != PSTK_CONTROL;
	return count;
}

static int check_count(
	const struct ps_cl_kernel *k, const struct ps_cl_signature *s, struct ps_cl_fault *fault)
{
	unsigned ports = pointers(s->type), count = ports + s->has_state + 1u + s->arg_count;

	if (k->param_count == count)
		return 0;
	for (unsigned i = 0; i < s->arg_count; i++)
		if (s->args[i].kind == PS_CL_ARG_UNSET)
			return ps_cl_refuse(fault, -EINVAL,
				"kernel '%s' has %u arguments, it gets %u, and given argument %u is missing",
				k->name, k->param_count, count, i);
	return ps_cl_refuse(fault, -EINVAL,
		"kernel '%s' has %u arguments, it gets %u: a pointer for each of %u ports, %sthe firing's "
		"number (ulong), "
		"%u given argument%s",
		k->name, k->param_count, count, ports, s->has_state ? "the state (a pointer), " : "",
		s->arg_count, ps_plural(s->arg_count));
}

/* The launch would fail, but only then, and without numbers. */
static int check_local_total(
	const struct ps_cl_kernel *k, const struct ps_cl_signature *s, struct ps_cl_fault *fault)
{
	size_t total = 0;

	for (unsigned i = 0; i < s->arg_count; i++)
		if (s->args[i].kind == PS_CL_ARG_LOCAL &&
			__builtin_add_overflow(total, s->args[i].size, &total))
			total = SIZE_MAX;
	if (total <= k->device->max_local)
		return 0;
	return ps_cl_refuse(fault, -EINVAL, "kernel '%s': %zu bytes of local memory as arguments, %s has %zu",
		k->name, total, k->device->info.selector, k->device->max_local);
}

/* Without the driver's help there is still what has been forgotten. */
static int check_unset(
	const struct ps_cl_kernel *k, const struct ps_cl_signature *s, struct ps_cl_fault *fault)
{
	for (unsigned i = 0; i < s->arg_count; i++)
		if (s->args[i].kind == PS_CL_ARG_UNSET)
			return ps_cl_refuse(fault, -EINVAL,
				"kernel '%s', argument %u: given argument %u is missing", k->name,
				k->param_count - s->arg_count + i, i);
	return 0;
}

int ps_cl_kernel_check(
	const struct ps_cl_kernel *k, const struct ps_cl_signature *s, struct ps_cl_fault *fault)
{
	struct look l = { .kernel = k, .type = s->type, .param = k->params, .fault = fault };
	int err = check_count(k, s, fault);

	if (!err)
		err = check_local_total(k, s, fault);
	if (err || !k->params)
		return err ? err : check_unset(k, s, fault);
	for (unsigned p = 0; p < s->type->port_count && !err; p++) {
		if (s->type->ports[p].kind == PSTK_CONTROL)
			continue;
		err = check_port(&l, &s->type->ports[p]);
		l.index++;
		l.param++;
	}
	if (!err && s->has_state) {
		err = check_global(&l, "the state");
		l.index++;
		l.param++;
	}
	if (!err)
		err = check_number(&l, sizeof(uint64_t), "ulong", "the firing's number");
	for (unsigned i = 0; i < s->arg_count && !err; i++) {
		l.index++;
		l.param++;
		err = check_arg(&l, i, &s->args[i]);
	}
	return err;
}

static cl_int set_buffer(
	const struct ps_cl_kernel *k, unsigned index, struct ps_cl_arg *arg, const char **function)
{
	cl_int code = CL_SUCCESS;

	*function = "clCreateBuffer";
	if (!arg->buffer)
		arg->buffer = clCreateBuffer(k->device->context, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR,
			arg->size, arg->value, &code);
	if (!arg->buffer)
		return code;
	*function = "clSetKernelArg";
	return clSetKernelArg(k->id, index, sizeof(cl_mem), &arg->buffer);
}

/* param: NULL: unknown. Then what is refused by value is a pointer. */
static cl_int set_value(const struct ps_cl_kernel *k, unsigned index, const struct ps_cl_param *param,
	struct ps_cl_arg *arg, const char **function)
{
	cl_int code;

	if (param && param->space != CL_KERNEL_ARG_ADDRESS_PRIVATE)
		return set_buffer(k, index, arg, function);
	*function = "clSetKernelArg";
	code = clSetKernelArg(k->id, index, arg->size, arg->value);
	if (!param && (code == CL_INVALID_ARG_SIZE || code == CL_INVALID_ARG_VALUE ||
			      code == CL_INVALID_MEM_OBJECT))
		code = set_buffer(k, index, arg, function);
	return code;
}

int ps_cl_kernel_bind(struct ps_cl_kernel *k, struct ps_cl_arg *args, unsigned arg_count, unsigned first,
	struct ps_cl_fault *fault)
{
	const struct ps_cl_param *params = k->params ? k->params + k->param_count - arg_count : NULL;

	for (unsigned i = 0; i < arg_count; i++) {
		const char *function = "clSetKernelArg";
		cl_int code = CL_SUCCESS;

		if (args[i].kind == PS_CL_ARG_VALUE)
			code = set_value(k, first + i, params ? &params[i] : NULL, &args[i], &function);
		else if (args[i].kind == PS_CL_ARG_LOCAL)
			code = clSetKernelArg(k->id, first + i, args[i].size, NULL);
		if (code)
			return ps_cl_refuse(fault, ps_cl_errno(code),
				"%s: %s (%d) on %s: kernel '%s', argument %u, %zu bytes of "
				"given argument %u",
				function, ps_cl_error_name(code), (int)code, k->device->info.selector,
				k->name, first + i, args[i].size, i);
	}
	return 0;
}

void ps_cl_args_release(struct ps_cl_arg *args, unsigned arg_count)
{
	for (unsigned i = 0; i < arg_count; i++) {
		if (args[i].buffer)
			clReleaseMemObject(args[i].buffer);
		args[i].buffer = NULL;
	}
}
