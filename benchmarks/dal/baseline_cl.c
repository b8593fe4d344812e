/* SPDX-License-Identifier: MIT */
#include "benchmarks/dal/baseline_cl.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* OpenCL's codes that tell the user something; the others by number. */
static int errno_of(cl_int code)
{
	return code == CL_OUT_OF_HOST_MEMORY || code == CL_OUT_OF_RESOURCES ||
	                       code == CL_MEM_OBJECT_ALLOCATION_FAILURE
	               ? -ENOMEM
	               : -EIO;
}

static int refuse(const struct baseline_build *build, unsigned line, const char *what, cl_int code)
{
	int err = errno_of(code);

	return baseline_refuse(build, build->d->file, line, err, "%s: OpenCL error %d%s", what, (int)code,
		err == -ENOMEM ? " (out of memory)" : "");
}

/* -- devices -- */

/* In the order of pstk_devices(): platforms as they come, custom devices last. */
static cl_uint list_platform(cl_platform_id platform, cl_device_id *ids, cl_uint room)
{
	cl_uint count = 0, custom = 0;

	if (!room || clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, room, ids, &count))
		count = 0;
	count = count < room ? count : room;
	if (count == room ||
		clGetDeviceIDs(platform, CL_DEVICE_TYPE_CUSTOM, room - count, ids + count, &custom))
		custom = 0;
	return count + (custom < room - count ? custom : room - count);
}

static cl_uint list_devices(cl_device_id ids[BASELINE_DEVICES])
{
	cl_platform_id platforms[BASELINE_DEVICES];
	cl_uint platform_count = 0, count = 0;

	if (clGetPlatformIDs(BASELINE_DEVICES, platforms, &platform_count))
		return 0;
	for (cl_uint i = 0; i < platform_count && i < BASELINE_DEVICES; i++)
		count += list_platform(platforms[i], ids + count, BASELINE_DEVICES - count);
	return count;
}

static int open_device(const struct baseline_build *build, struct baseline_cl *cl, unsigned line)
{
	cl_device_svm_capabilities svm = 0;
	cl_device_id ids[BASELINE_DEVICES];
	cl_uint count = list_devices(ids);
	cl_int code;

	if (count <= cl->number)
		return baseline_refuse(build, build->d->mapping_file, line, -ENODEV,
			"gpu_%u: the system has %u OpenCL devices; install a driver (Debian: "
			"pocl-opencl-icd), or map to core_N",
			cl->number, count);
	cl->id = ids[cl->number];
	/* no driver before 2.0 knows this one */
	if (clGetDeviceInfo(cl->id, CL_DEVICE_SVM_CAPABILITIES, sizeof svm, &svm, NULL))
		svm = 0;
	cl->svm = svm != 0;
	cl->fine = svm & CL_DEVICE_SVM_FINE_GRAIN_BUFFER;
	cl->context = clCreateContext(NULL, 1, &cl->id, NULL, NULL, &code);
	return code ? refuse(build, line, "clCreateContext", code) : 0;
}

static int find_device(
	const struct baseline_build *build, unsigned number, unsigned line, struct baseline_cl **found)
{
	struct baseline_cl *cl = build->b->devices;
	int err;

	while (cl && cl->number != number)
		cl = cl->next;
	*found = cl;
	if (cl)
		return 0;
	cl = calloc(1, sizeof *cl);
	if (!cl)
		return baseline_refuse(build, build->d->file, line, -ENOMEM, "out of memory");
	cl->number = number;
	err = open_device(build, cl, line);
	if (err) {
		free(cl);
		return err;
	}
	cl->next = build->b->devices;
	build->b->devices = cl;
	*found = cl;
	return 0;
}

/* -- kernels -- */

/* OpenCL C text, or "file:PATH". Freed by the caller; NULL: errno. */
static char *source_of(const struct pstk_kernel *kernel)
{
	size_t used = 0, n, size = 1 << 16;
	char *text, *more;
	FILE *f;

	if (!kernel->source || strncmp(kernel->source, "file:", 5) != 0)
		return strdup(kernel->source ? kernel->source : "");
	f = fopen(kernel->source + 5, "r");
	text = f ? malloc(size) : NULL;
	while (text && (n = fread(text + used, 1, size - used - 1, f))) {
		used += n;
		more = used + 1 < size ? text : realloc(text, size *= 2);
		if (!more)
			free(text);
		text = more;
	}
	if (text)
		text[used] = '\0';
	if (f)
		fclose(f);
	return text;
}

/* The line of the compiler's that tells of an error, else the first. */
static void telling_line(const struct baseline_device *d, char *line, size_t size)
{
	size_t length = 0;
	char *log, *at;

	line[0] = '\0';
	if (clGetProgramBuildInfo(d->program, d->cl->id, CL_PROGRAM_BUILD_LOG, 0, NULL, &length) || !length)
		return;
	log = calloc(length + 1, 1);
	if (log && !clGetProgramBuildInfo(d->program, d->cl->id, CL_PROGRAM_BUILD_LOG, length, log, NULL)) {
		at = strcasestr(log, "error");
		at = at ? at : log;
		while (at > log && at[-1] != '\n')
			at--;
		at[strcspn(at, "\r\n")] = '\0';
		snprintf(line, size, "%s", at);
	}
	free(log);
}

static bool same_text(const char *a, const char *b)
{
	return strcmp(a ? a : "", b ? b : "") == 0;
}

/* The program of an earlier process with the same source and options; NULL: there is none. */
static cl_program built_before(const struct baseline *b, const struct baseline_process *p)
{
	const struct pstk_kernel *kernel = p->definition->kernel;

	for (unsigned i = 0; i < b->process_count; i++) {
		const struct baseline_process *other = &b->processes[i];
		const struct baseline_device *d = other == p ? NULL : other->device;

		if (d && d->cl == p->device->cl && d->kernel &&
			same_text(other->definition->kernel->source, kernel->source) &&
			same_text(other->definition->kernel->options, kernel->options))
			return d->program;
	}
	return NULL;
}

static int build_program(const struct baseline_build *build, struct baseline_process *p, unsigned line)
{
	const struct pstk_kernel *kernel = p->definition->kernel;
	struct baseline_device *d = p->device;
	char *source = source_of(kernel), why[256];
	cl_int code;

	if (!source)
		return baseline_refuse(build, build->d->file, line, errno ? -errno : -ENOMEM,
			"kernel of '%s': %s: %s", p->name, kernel->source, strerror(errno));
	d->program = clCreateProgramWithSource(d->cl->context, 1, (const char *[]){ source }, NULL, &code);
	free(source);
	if (code)
		return refuse(build, line, "clCreateProgramWithSource", code);
	code = clBuildProgram(d->program, 1, &d->cl->id, kernel->options, NULL, NULL);
	if (code) {
		telling_line(d, why, sizeof why);
		return baseline_refuse(build, build->d->file, line, -EINVAL,
			"kernel of '%s' cannot be compiled (%d): %s", p->name, (int)code, why);
	}
	return 0;
}

static int compile(const struct baseline_build *build, struct baseline_process *p, unsigned line)
{
	const struct pstk_kernel *kernel = p->definition->kernel;
	struct baseline_device *d = p->device;
	cl_int code;
	int err = 0;

	d->program = built_before(build->b, p);
	if (!d->program || clRetainProgram(d->program)) {
		d->program = NULL;
		err = build_program(build, p, line);
	}
	if (err)
		return err;
	d->kernel = clCreateKernel(d->program, kernel->name ? kernel->name : "", &code);
	if (code)
		return baseline_refuse(build, build->d->file, line, -EINVAL,
			"process '%s': there is no kernel '%s' in its source (%d)", p->name,
			kernel->name ? kernel->name : "(NULL)", (int)code);
	return 0;
}

static int check_kernel(const struct baseline_build *build, const struct baseline_process *p, unsigned line)
{
	const struct baseline_device *d = p->device;
	cl_uint gets = p->port_count + (d->state_size != 0) + 1, takes = 0;
	size_t most = 0;

	clGetKernelInfo(d->kernel, CL_KERNEL_NUM_ARGS, sizeof takes, &takes, NULL);
	if (takes != gets)
		return baseline_refuse(build, build->d->file, line, -EINVAL,
			"kernel of '%s' has %u arguments, it gets %u: a pointer for each of %u ports, %sthe "
			"firing's number (ulong)",
			p->name, takes, gets, p->port_count, d->state_size ? "the state (a pointer), " : "");
	clGetKernelWorkGroupInfo(d->kernel, d->cl->id, CL_KERNEL_WORK_GROUP_SIZE, sizeof most, &most, NULL);
	if (d->local > most)
		return baseline_refuse(build, build->d->mapping_file, line, -EINVAL,
			"'%s' on gpu_%u: %zu work-items a work-group, at most %zu", p->name, d->cl->number,
			d->local, most);
	return 0;
}

static int make_queues(const struct baseline_build *build, struct baseline_device *d, unsigned line)
{
	cl_int code;

	d->queue = clCreateCommandQueue(d->cl->context, d->cl->id, 0, &code);
	if (!code)
		d->in = clCreateCommandQueue(d->cl->context, d->cl->id, 0, &code);
	if (!code)
		d->out = clCreateCommandQueue(d->cl->context, d->cl->id, 0, &code);
	return code ? refuse(build, line, "clCreateCommandQueue", code) : 0;
}

static int make_lists(const struct baseline_build *build, struct baseline_process *p)
{
	struct baseline_device *d = p->device;
	size_t ports = p->port_count + 1;
	bool made;

	d->sockets = calloc(ports, sizeof *d->sockets);
	d->waits = calloc(2 * ports, sizeof(cl_event));
	made = d->sockets && d->waits;
	d->flight_count = build->b->options.wait_per_firing ? 1 : BASELINE_FLIGHTS;
	for (unsigned i = 0; i < d->flight_count; i++) {
		d->flights[i].transfers = calloc(ports, sizeof(cl_event));
		d->flights[i].windows = calloc(ports, sizeof *d->flights[i].windows);
		made = made && d->flights[i].transfers && d->flights[i].windows;
	}
	return made ? 0 : -ENOMEM;
}

int baseline_cl_make_device(
	const struct baseline_build *build, struct baseline_process *p, const struct ps_dal_process *from)
{
	struct baseline_device *d = p->device = calloc(1, sizeof *d);
	int err;

	if (!d || make_lists(build, p))
		return baseline_refuse(
			build, build->d->file, from->line, -ENOMEM, "process '%s': out of memory", p->name);
	d->state_size = p->definition->state_size;
	d->local = from->workitems;
	d->global = (size_t)from->workgroups * from->workitems;
	err = find_device(build, from->number, from->mapping_line, &d->cl);
	if (!err)
		err = make_queues(build, d, from->line);
	if (!err)
		err = compile(build, p, from->line);
	return err ? err : check_kernel(build, p, from->line);
}

void baseline_cl_free_device(struct baseline_process *p)
{
	struct baseline_device *d = p->device;

	if (!d)
		return;
	for (unsigned i = 0; i < BASELINE_FLIGHTS; i++) {
		for (unsigned k = 0; d->sockets && k < p->port_count; k++)
			if (d->sockets[k].windows[i])
				clReleaseMemObject(d->sockets[k].windows[i]);
		free(d->flights[i].transfers);
		free(d->flights[i].windows);
	}
	if (d->state)
		clReleaseMemObject(d->state);
	if (d->kernel)
		clReleaseKernel(d->kernel);
	if (d->program)
		clReleaseProgram(d->program);
	if (d->queue)
		clReleaseCommandQueue(d->queue);
	if (d->in)
		clReleaseCommandQueue(d->in);
	if (d->out)
		clReleaseCommandQueue(d->out);
	free(d->waits);
	free(d->sockets);
	free(d);
}

void baseline_cl_free_all(struct baseline *b)
{
	while (b->devices) {
		struct baseline_cl *cl = b->devices;

		b->devices = cl->next;
		clReleaseContext(cl->context);
		free(cl);
	}
}
