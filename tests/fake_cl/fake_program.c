/* SPDX-License-Identifier: MIT */
/*
 * Programs. Nothing is compiled: a program has the kernels in C that its source names as `kernel void NAME(`. A line
 * `#error TEXT` makes the build fail, whatever is around it.
 */
#include "tests/fake_cl/fake.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void fake_program_destroy(cl_program program)
{
	free(program->source);
	free(program->options);
	free(program->log);
	fake_drop(program->context);
}

/* -- reading the source -- */

static bool is_word(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

static const char *skip_space(const char *at)
{
	while (isspace((unsigned char)*at))
		at++;
	return at;
}

/* Behind this word, or NULL. */
static const char *skip_word(const char *at, const char *word)
{
	size_t length = strlen(word);

	return strncmp(at, word, length) || is_word(at[length]) ? NULL : skip_space(at + length);
}

static const char *skip_attributes(const char *at)
{
	const char *behind;

	while ((behind = skip_word(at, "__attribute__"))) {
		int depth = 0;

		do {
			depth += (*behind == '(') - (*behind == ')');
		} while (*behind && *behind++ && depth);
		at = skip_space(behind);
	}
	return at;
}

/* The name of the next kernel from *at on, and its length; NULL: no more. *at: behind its parenthesis. */
static const char *next_kernel(const char **at, const char *source, size_t *length)
{
	for (const char *p = *at; *p; p++) {
		const char *name;

		if (p > source && is_word(p[-1]))
			continue;
		name = skip_word(p, "kernel");
		name = name ? name : skip_word(p, "__kernel");
		name = name ? skip_word(skip_attributes(name), "void") : NULL;
		if (!name)
			continue;
		name = skip_attributes(name);
		for (*length = 0; is_word(name[*length]); ++*length)
			;
		p = skip_space(name + *length);
		if (*p == '(') {
			*at = p + 1;
			return name;
		}
	}
	return NULL;
}

/* Calls found() for each kernel until it returns true. */
struct finder {
	bool (*found)(struct finder *, const char *name, size_t length, const struct fake_cl_kernel *);
	cl_program program;
	const char *wanted; /* NULL: any */
	char names[4096];   /* a;b */
	size_t used;
	unsigned count;
	const struct fake_cl_kernel *body;
	cl_kernel *made;
	unsigned room;
};

static void find(struct finder *f)
{
	const char *at = f->program->source, *name;
	size_t length;

	while ((name = next_kernel(&at, f->program->source, &length))) {
		const struct fake_cl_kernel *body = fake_find_kernel(name, length);

		if (body && f->found(f, name, length, body))
			return;
	}
}

static bool add_name(struct finder *f, const char *name, size_t length, const struct fake_cl_kernel *body)
{
	(void)body;
	if (f->used + length + 2 > sizeof(f->names))
		return true;
	if (f->count++)
		f->names[f->used++] = ';';
	memcpy(f->names + f->used, name, length);
	f->used += length;
	return false;
}

/* -- building -- */

static cl_program new_program(cl_context context, cl_uint count, const char **strings, const size_t *lengths)
{
	cl_program program = calloc(1, sizeof(*program));
	size_t used = 0;

	if (!program)
		return NULL;
	for (cl_uint i = 0; i < count; i++) {
		size_t length = lengths && lengths[i] ? lengths[i] : strlen(strings[i]);
		char *grown = realloc(program->source, used + length + 1);

		if (!grown) {
			free(program->source);
			free(program);
			return NULL;
		}
		memcpy(grown + used, strings[i], length);
		used += length;
		grown[used] = 0;
		program->source = grown;
	}
	fake_init(program, FAKE_CL_PROGRAM, true);
	fake_hold(context);
	program->context = context;
	program->status = CL_BUILD_NONE;
	return program;
}

cl_program fake_clCreateProgramWithSource(
	cl_context context, cl_uint count, const char **strings, const size_t *lengths, cl_int *errcode_ret)
{
	cl_int err = fake_enter(FAKE_clCreateProgramWithSource);
	cl_program program = NULL;

	if (!err && !fake_valid(context, FAKE_CL_CONTEXT))
		err = CL_INVALID_CONTEXT;
	if (!err && (!count || !strings))
		err = CL_INVALID_VALUE;
	for (cl_uint i = 0; !err && i < count; i++)
		err = strings[i] ? CL_SUCCESS : CL_INVALID_VALUE;
	if (!err && !(program = new_program(context, count, strings, lengths)))
		err = CL_OUT_OF_HOST_MEMORY;
	return fake_leave_with(program, err, errcode_ret);
}

/* The compiler's log of the first #error, NULL if there is none. */
static char *find_error(const char *source)
{
	unsigned line = 1;
	char *log = NULL;

	for (const char *at = source; at; line++) {
		const char *text = skip_space(at), *end = strchr(at, '\n');
		const char *behind = *text == '#' ? skip_word(skip_space(text + 1), "error") : NULL;

		if (behind && (!end || text < end)) {
			size_t length = strcspn(behind, "\n"), size = length + 64;

			log = malloc(size);
			if (log)
				snprintf(log, size, "program.cl:%u: error: %.*s\n1 error generated.\n", line,
					(int)length, behind);
			return log;
		}
		at = end ? end + 1 : NULL;
	}
	return log;
}

static bool good_options(const char *options)
{
	options = skip_space(options);
	return !*options || *options == '-';
}

static cl_int build(cl_program program, cl_uint count, const cl_device_id *devices, const char *options)
{
	if (!fake_valid(program, FAKE_CL_PROGRAM))
		return CL_INVALID_PROGRAM;
	if (!count != !devices)
		return CL_INVALID_VALUE;
	for (cl_uint i = 0; i < count; i++) {
		if (!fake_context_has(program->context, devices[i]))
			return CL_INVALID_DEVICE;
	}
	if (program->kernels)
		return CL_INVALID_OPERATION;
	if (options && !good_options(options))
		return CL_INVALID_BUILD_OPTIONS;
	free(program->options);
	free(program->log);
	program->options = strdup(options ? options : "");
	program->log = find_error(program->source);
	program->status = program->log ? CL_BUILD_ERROR : CL_BUILD_SUCCESS;
	return program->log ? CL_BUILD_PROGRAM_FAILURE : CL_SUCCESS;
}

cl_int fake_clBuildProgram(cl_program program, cl_uint count, const cl_device_id *devices,
	const char *options, void(CL_CALLBACK *notify)(cl_program, void *), void *data)
{
	cl_int err = fake_enter(FAKE_clBuildProgram);

	if (!err)
		err = !notify && data ? CL_INVALID_VALUE : build(program, count, devices, options);
	fake_leave(err);
	if (notify && (!err || err == CL_BUILD_PROGRAM_FAILURE))
		notify(program, data);
	return err;
}

cl_int fake_clUnloadPlatformCompiler(cl_platform_id platform)
{
	cl_int err = fake_enter(FAKE_clUnloadPlatformCompiler);

	return fake_leave(err ? err : platform == &fake_platform ? CL_SUCCESS : CL_INVALID_PLATFORM);
}

cl_int fake_clRetainProgram(cl_program program)
{
	cl_int err = fake_enter(FAKE_clRetainProgram);

	return fake_leave(err ? err : fake_retain(program, FAKE_CL_PROGRAM, CL_INVALID_PROGRAM));
}

cl_int fake_clReleaseProgram(cl_program program)
{
	cl_int err = fake_enter(FAKE_clReleaseProgram);

	return fake_leave(err ? err : fake_release(program, FAKE_CL_PROGRAM, CL_INVALID_PROGRAM));
}

/* -- queries -- */

static cl_int kernel_info(
	cl_program program, cl_program_info what, size_t size, void *value, size_t *size_ret)
{
	struct finder f = { .found = add_name, .program = program };

	if (program->status != CL_BUILD_SUCCESS)
		return CL_INVALID_PROGRAM_EXECUTABLE;
	find(&f);
	if (what == CL_PROGRAM_NUM_KERNELS)
		return FAKE_INFO(size_t, f.count);
	return fake_info(f.names, f.used + 1, size, value, size_ret);
}

cl_int fake_clGetProgramInfo(
	cl_program program, cl_program_info what, size_t size, void *value, size_t *size_ret)
{
	cl_int err = fake_enter(FAKE_clGetProgramInfo);

	if (!err && !fake_valid(program, FAKE_CL_PROGRAM))
		err = CL_INVALID_PROGRAM;
	if (err)
		return fake_leave(err);
	switch (what) {
	case CL_PROGRAM_REFERENCE_COUNT:
		return fake_leave(FAKE_INFO(cl_uint, program->o.refs));
	case CL_PROGRAM_CONTEXT:
		return fake_leave(FAKE_INFO(cl_context, program->context));
	case CL_PROGRAM_NUM_DEVICES:
		return fake_leave(FAKE_INFO(cl_uint, program->context->device_count));
	case CL_PROGRAM_DEVICES:
		return fake_leave(fake_info(program->context->devices,
			program->context->device_count * sizeof(cl_device_id), size, value, size_ret));
	case CL_PROGRAM_SOURCE:
		return fake_leave(
			fake_info(program->source, strlen(program->source) + 1, size, value, size_ret));
	case CL_PROGRAM_NUM_KERNELS:
	case CL_PROGRAM_KERNEL_NAMES:
		return fake_leave(kernel_info(program, what, size, value, size_ret));
	default:
		return fake_leave(CL_INVALID_VALUE);
	}
}

cl_int fake_clGetProgramBuildInfo(cl_program program, cl_device_id device, cl_program_build_info what,
	size_t size, void *value, size_t *size_ret)
{
	cl_int err = fake_enter(FAKE_clGetProgramBuildInfo);
	const char *text = "";

	if (!err && !fake_valid(program, FAKE_CL_PROGRAM))
		err = CL_INVALID_PROGRAM;
	if (!err && !fake_context_has(program->context, device))
		err = CL_INVALID_DEVICE;
	if (err)
		return fake_leave(err);
	switch (what) {
	case CL_PROGRAM_BUILD_STATUS:
		return fake_leave(FAKE_INFO(cl_build_status, program->status));
	case CL_PROGRAM_BINARY_TYPE:
		return fake_leave(FAKE_INFO(cl_program_binary_type,
			program->status == CL_BUILD_SUCCESS ? CL_PROGRAM_BINARY_TYPE_EXECUTABLE
							    : CL_PROGRAM_BINARY_TYPE_NONE));
	case CL_PROGRAM_BUILD_OPTIONS:
		text = program->options ? program->options : text;
		return fake_leave(fake_info(text, strlen(text) + 1, size, value, size_ret));
	case CL_PROGRAM_BUILD_LOG:
		text = program->log ? program->log : text;
		return fake_leave(fake_info(text, strlen(text) + 1, size, value, size_ret));
	default:
		return fake_leave(CL_INVALID_VALUE);
	}
}

/* -- kernels of a program -- */

static bool is_wanted(struct finder *f, const char *name, size_t length, const struct fake_cl_kernel *body)
{
	f->body = body;
	return strlen(f->wanted) == length && !strncmp(f->wanted, name, length) && ++f->count;
}

static cl_int create_kernel(cl_program program, const char *name, cl_kernel *made)
{
	struct finder f = { .found = is_wanted, .program = program, .wanted = name };
	cl_kernel kernel;

	if (program->status != CL_BUILD_SUCCESS)
		return CL_INVALID_PROGRAM_EXECUTABLE;
	find(&f);
	if (!f.count) {
		fprintf(stderr, "fake_cl: the program has no kernel %s, or there is none in C\n", name);
		return CL_INVALID_KERNEL_NAME;
	}
	kernel = calloc(1, sizeof(*kernel));
	if (!kernel || !(kernel->name = strdup(name))) {
		free(kernel);
		return CL_OUT_OF_HOST_MEMORY;
	}
	fake_init(kernel, FAKE_CL_KERNEL, true);
	fake_hold(program);
	kernel->program = program;
	kernel->body = *f.body;
	kernel->arg_count = f.body->arg_count;
	program->kernels++;
	*made = kernel;
	return CL_SUCCESS;
}

cl_kernel fake_clCreateKernel(cl_program program, const char *name, cl_int *errcode_ret)
{
	cl_int err = fake_enter(FAKE_clCreateKernel);
	cl_kernel kernel = NULL;

	if (!err && !fake_valid(program, FAKE_CL_PROGRAM))
		err = CL_INVALID_PROGRAM;
	if (!err)
		err = name ? create_kernel(program, name, &kernel) : CL_INVALID_VALUE;
	return fake_leave_with(kernel, err, errcode_ret);
}

static bool add_kernel(struct finder *f, const char *name, size_t length, const struct fake_cl_kernel *body)
{
	char text[256];

	(void)body;
	if (f->count < f->room && length < sizeof(text)) {
		memcpy(text, name, length);
		text[length] = 0;
		if (create_kernel(f->program, text, &f->made[f->count]))
			return true;
	}
	f->count++;
	return false;
}

cl_int fake_clCreateKernelsInProgram(cl_program program, cl_uint room, cl_kernel *kernels, cl_uint *count)
{
	cl_int err = fake_enter(FAKE_clCreateKernelsInProgram);
	struct finder f = {
		.found = add_kernel, .program = program, .made = kernels, .room = kernels ? room : 0
	};

	if (!err && !fake_valid(program, FAKE_CL_PROGRAM))
		err = CL_INVALID_PROGRAM;
	if (!err && program->status != CL_BUILD_SUCCESS)
		err = CL_INVALID_PROGRAM_EXECUTABLE;
	if (err)
		return fake_leave(err);
	find(&f);
	if (count)
		*count = f.count;
	return fake_leave(kernels && room < f.count ? CL_INVALID_VALUE : CL_SUCCESS);
}
