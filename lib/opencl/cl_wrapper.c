/* SPDX-License-Identifier: MIT */
/*
 * Wrapper: a kernel that adds offsets to the ports' pointers and calls the user's. Where windows of a buffer begin
 * anywhere and a device's buffers only at large alignments.
 */
#include "lib/opencl/cl_kernel.h"
#include "lib/base/memory.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static const char prefix[] = "pstk_with_offsets_";

/* Can the compiler read what it has told? Not a pointer to an array or a function, nor what has been cut. */
static bool readable(const char *type)
{
	size_t length = strlen(type);

	for (size_t i = 0; i < length; i++)
		if (!strchr("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_ ", type[i]) &&
			!(type[i] == '*' && i == length - 1))
			return false;
	return length > 0;
}

bool ps_cl_kernel_can_wrap(const struct ps_cl_kernel *k)
{
	if (!k->params || k->has_local)
		return false;
	for (unsigned i = 0; i < k->param_count; i++)
		if (k->params[i].is_opaque || !readable(k->params[i].type))
			return false;
	return true;
}

/* A text that grows. Without memory (capacity 0) it only counts. */
struct text {
	char *at;
	size_t length, capacity;
};

PSTK_PRINTF(2, 3)
static void say(struct text *t, const char *format, ...)
{
	va_list ap;
	int length;

	va_start(ap, format);
	length = vsnprintf(t->capacity ? t->at + t->length : NULL, t->capacity ? t->capacity - t->length : 0,
		format, ap);
	va_end(ap);
	t->length += (size_t)length;
}

static bool ends_in_star(const char *type)
{
	return type[strlen(type) - 1] == '*';
}

/* The type as it was declared. A typedef of a pointer has space and qualifiers in itself. */
static void say_type(struct text *t, const struct ps_cl_param *p)
{
	bool pointer = ends_in_star(p->type);

	say(t, "%s%s%s%s", pointer ? ps_cl_space_name(p->space) : "",
		pointer && p->is_const && p->space != CL_KERNEL_ARG_ADDRESS_CONSTANT ? "const " : "",
		pointer && p->is_volatile ? "volatile " : "", p->type);
}

static void say_params(struct text *t, const struct ps_cl_kernel *k, unsigned ports)
{
	for (unsigned i = 0; i < k->param_count; i++) {
		const struct ps_cl_param *p = &k->params[i];

		say(t, "%s", i ? ", " : "");
		if (i < ports)
			say(t, "__global %suchar *%spstk_p%u, ulong pstk_o%u", p->is_const ? "const " : "",
				p->is_restrict ? "restrict " : "", i, i);
		else {
			say_type(t, p);
			say(t, " %spstk_a%u", p->is_restrict ? "restrict " : "", i);
		}
	}
}

/* A port that is off has no window, whatever its offset. */
static void say_call(struct text *t, const struct ps_cl_kernel *k, unsigned ports)
{
	say(t, "\t%s(", k->name);
	for (unsigned i = 0; i < k->param_count; i++) {
		say(t, "%s", i ? ", " : "");
		if (i < ports) {
			say(t, "pstk_p%u ? (", i);
			say_type(t, &k->params[i]);
			say(t, ")(pstk_p%u + pstk_o%u) : (", i, i);
			say_type(t, &k->params[i]);
			say(t, ")0");
		} else
			say(t, "pstk_a%u", i);
	}
	say(t, ");\n");
}

/* The names are such that no macro of the user's source has them. It may end anywhere: in a line, behind a backslash. */
static void say_wrapper(struct text *t, const struct ps_cl_kernel *k, unsigned ports)
{
	const size_t *r = k->required_group;

	say(t, "\n\n#line 1 \"penstock-wrapper\"\n__kernel ");
	if (r[0])
		say(t, "__attribute__((reqd_work_group_size(%zu, %zu, %zu))) ", r[0], r[1], r[2]);
	say(t, "void %s%s(", prefix, k->name);
	say_params(t, k, ports);
	say(t, ")\n{\n");
	say_call(t, k, ports);
	say(t, "}\n");
}

char *ps_cl_wrapper_text(const struct ps_cl_kernel *k, unsigned ports)
{
	struct text t = { 0 };

	say_wrapper(&t, k, ports);
	t.capacity = t.length + 1;
	t.length = 0;
	t.at = ps_memory_zalloc(t.capacity, 1);
	if (t.at)
		say_wrapper(&t, k, ports);
	return t.at;
}

static int wrapper_kernel(
	struct ps_cl_kernel *w, const struct ps_cl_program *program, struct ps_cl_fault *fault)
{
	size_t size = sizeof prefix + strlen(w->name);
	char *name = ps_memory_zalloc(size, 1);
	cl_int code;

	if (!name)
		return ps_cl_refuse(fault, -ENOMEM, "kernel '%s': out of memory", w->name);
	snprintf(name, size, "%s%s", prefix, w->name);
	w->id = clCreateKernel(program->id, name, &code);
	ps_memory_free(name);
	return w->id ? 0 : ps_cl_fail(fault, code, "clCreateKernel (with offsets)", w->device->info.selector);
}

int ps_cl_wrapper_create(struct ps_cl_kernel *w, const struct ps_cl_program *program,
	const struct ps_cl_kernel *original, struct ps_cl_fault *fault)
{
	int err;

	*w = *original;
	w->id = NULL;
	w->wrapped = true;
	w->params = NULL;
	if (!program->id)
		return ps_cl_refuse(fault, program->fault.err ? program->fault.err : -EINVAL, "%s",
			program->fault.err ? program->fault.text : "its program has not been built");
	if (original->params) {
		w->params = ps_memory_dup(original->params, original->param_count * sizeof *original->params);
		if (!w->params)
			return ps_cl_refuse(fault, -ENOMEM, "kernel '%s': out of memory", w->name);
	}
	err = wrapper_kernel(w, program, fault);
	if (err)
		ps_cl_kernel_destroy(w);
	return err;
}
