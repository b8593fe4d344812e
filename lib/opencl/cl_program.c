/* SPDX-License-Identifier: MIT */
#include "lib/opencl/cl_program.h"
#include "lib/base/clock.h"
#include "lib/base/cores.h"
#include "lib/base/log.h"
#include "lib/base/memory.h"
#include "lib/opencl/cl_cache.h"
#include "lib/opencl/cl_serial.h"
#include "lib/opencl/cl_source.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

enum { BUILDERS_MAX = 64 };

static void program_free(struct ps_cl_program *p)
{
	if (p->id)
		clReleaseProgram(p->id);
	ps_memory_free(p->source);
	ps_memory_free(p->options);
	ps_memory_free(p->log);
	ps_memory_free(p);
}

struct ps_cl_program *ps_cl_programs_want(struct ps_cl_programs *all, const struct ps_cl_device *device,
	const char *source, const char *options)
{
	struct ps_cl_program **end = &all->first, *p;

	options = options ? options : "";
	for (; *end; end = &(*end)->next)
		if ((*end)->device == device && !strcmp((*end)->source, source) &&
			!strcmp((*end)->options, options))
			return *end;
	p = ps_memory_zalloc(1, sizeof *p);
	if (!p)
		return NULL;
	p->device = device;
	p->source = ps_memory_strdup(source);
	p->options = ps_memory_strdup(options);
	if (!p->source || !p->options) {
		program_free(p);
		return NULL;
	}
	*end = p; /* behind the others, so that the first failed one is the first wanted */
	return p;
}

/* What the compiler has said; NULL: nothing, or it can't be had. */
static char *build_log(const struct ps_cl_program *p)
{
	size_t size = 0;
	char *log;

	if (clGetProgramBuildInfo(p->id, p->device->id, CL_PROGRAM_BUILD_LOG, 0, NULL, &size) || !size)
		return NULL;
	log = ps_memory_zalloc(size + 1, 1);
	if (log && clGetProgramBuildInfo(p->id, p->device->id, CL_PROGRAM_BUILD_LOG, size, log, NULL))
		*log = '\0';
	if (log && !log[strspn(log, " \t\r\n")]) {
		ps_memory_free(log);
		log = NULL;
	}
	return log;
}

/* The first line that tells of an error, else the first one that says anything. */
static const char *telling_line(const char *log, int *length)
{
	const char *line = log ? strcasestr(log, "error") : NULL;

	if (!log) {
		*length = 0;
		return "";
	}
	if (line)
		while (line > log && line[-1] != '\n')
			line--;
	else
		line = log;
	line += strspn(line, " \t\r\n");
	*length = (int)strcspn(line, "\r\n");
	return line;
}

static void build_failed(struct ps_cl_program *p, cl_int code, char *log)
{
	int length;
	const char *line = telling_line(log, &length);
	bool options = code == CL_INVALID_BUILD_OPTIONS;

	p->log = log;
	ps_cl_refuse(&p->fault, ps_cl_errno(code), "clBuildProgram: %s (%d) on %s%s%s%s%s%.*s",
		ps_cl_error_name(code), (int)code, p->device->info.selector, options ? ", options '" : "",
		options ? p->options : "", options ? "'" : "", length ? ": " : "", length, line);
}

/* A driver may return success and say in the status that it isn't one. */
static void compile(struct ps_cl_program *p, const char *options)
{
	cl_build_status status = CL_BUILD_NONE;
	cl_int code, asked = CL_SUCCESS;
	char *log;

	ps_cl_serial_lock();
	code = clBuildProgram(p->id, 1, &p->device->id, options, NULL, NULL);
	log = build_log(p);
	if (!code)
		asked = clGetProgramBuildInfo(
			p->id, p->device->id, CL_PROGRAM_BUILD_STATUS, sizeof status, &status, NULL);
	ps_cl_serial_unlock();
	if (asked)
		ps_cl_fail(&p->fault, asked, "clGetProgramBuildInfo", p->device->info.selector);
	else if (code || status != CL_BUILD_SUCCESS) {
		build_failed(p, code ? code : CL_BUILD_PROGRAM_FAILURE, log);
		return;
	}
	if (log)
		ps_log(PS_TOPIC_OPENCL, PSTK_LOG_INFO, "the compiler of %s says: %s",
			p->device->info.selector, log);
	ps_memory_free(log);
}

static char *all_options(const struct ps_cl_program *p)
{
	static const char info[] = " -cl-kernel-arg-info";
	size_t size = strlen(p->options) + sizeof info;
	char *options = ps_memory_zalloc(size, 1);

	if (options)
		snprintf(options, size, "%s%s", p->options, p->device->kernel_arg_info ? info : "");
	return options;
}

/* Makes the program of its texts and compiles it. */
static void build_text(struct ps_cl_program *p, const struct ps_cl_source *source)
{
	const char *texts[] = { source->line, source->text };
	char *options = all_options(p);
	cl_int code;

	if (!options) {
		ps_cl_refuse(&p->fault, -ENOMEM, "out of memory for a program's options");
		return;
	}
	p->id = clCreateProgramWithSource(p->device->context, 2, texts, NULL, &code);
	if (p->id)
		compile(p, options);
	else
		ps_cl_fail(&p->fault, code, "clCreateProgramWithSource", p->device->info.selector);
	ps_memory_free(options);
}

/* no_room: why PoCL builds nothing; "": it may. */
static void build(struct ps_cl_program *p, const char *no_room, int no_room_err)
{
	uint64_t begun = ps_clock_ns();
	const char *path = ps_cl_source_path(p->source);
	struct ps_cl_source source;

	if (*no_room && ps_cl_cache_is_of(p->device->info.platform)) {
		ps_cl_refuse(&p->fault, no_room_err, "%s builds no kernels: %s", p->device->info.selector,
			no_room);
	} else if (!ps_cl_source_get(&source, p->source, &p->fault)) {
		build_text(p, &source);
		ps_cl_source_free(&source);
	}
	if (p->fault.err && p->id) {
		clReleaseProgram(p->id);
		p->id = NULL;
	}
	ps_log(PS_TOPIC_OPENCL, PSTK_LOG_INFO, "%s for %s: %s in %.1f ms", path ? path : "kernel source",
		p->device->info.selector, p->fault.err ? "failed" : "built",
		(double)(ps_clock_ns() - begun) / 1e6);
}

/* What the builders share. */
struct work {
	pthread_mutex_t lock;
	struct ps_cl_program *next; /* guarded by lock: the first one that no thread has taken */
	unsigned taken;             /* guarded by lock */
	unsigned failed;            /* guarded by lock: the number of the first failed one, with err */
	int err;                    /* guarded by lock; 0: none has failed */
	char no_room[PS_CL_TEXT];   /* constant: why PoCL builds nothing; "": it may */
	int no_room_err;            /* constant */
};

static bool waits(const struct ps_cl_program *p)
{
	return !p->id && !p->fault.err;
}

static struct ps_cl_program *first_waiting(struct ps_cl_program *p)
{
	while (p && !waits(p))
		p = p->next;
	return p;
}

/* Takes one program after the other. What comes behind the taken one is touched by no thread, so looking for the next
 * one reads only what is not being built. */
static void build_some(struct work *w)
{
	pthread_mutex_lock(&w->lock);
	while (w->next) {
		struct ps_cl_program *p = w->next;
		unsigned number = w->taken++;

		w->next = first_waiting(p->next);
		pthread_mutex_unlock(&w->lock);
		build(p, w->no_room, w->no_room_err);
		pthread_mutex_lock(&w->lock);
		if (p->fault.err && (!w->err || number < w->failed)) {
			w->err = p->fault.err;
			w->failed = number;
		}
	}
	pthread_mutex_unlock(&w->lock);
}

static void *builder(void *arg)
{
	pthread_setname_np(pthread_self(), "pstk-build");
	build_some(arg);
	return NULL;
}

/* At most so many builders can be of use. */
static unsigned builders_for(const struct work *w)
{
	unsigned programs = 0, cores = ps_cores();

	for (struct ps_cl_program *p = w->next; p; p = first_waiting(p->next))
		programs++;
	cores = cores < BUILDERS_MAX ? cores : BUILDERS_MAX;
	return programs < cores ? programs : cores;
}

/* A full disk is no reason that PoCL would tell: it says that a program can't be built, and with a little room LLVM
 * ends this program. */
static void look_for_room(struct work *w)
{
	struct ps_cl_program *p = w->next;
	struct ps_cl_cache cache;

	while (p && !ps_cl_cache_is_of(p->device->info.platform))
		p = first_waiting(p->next);
	if (!p)
		return;
	ps_cl_cache_look(&cache);
	if (ps_cl_cache_fault(&cache, w->no_room, sizeof w->no_room))
		w->no_room_err = cache.err;
	else if (cache.left < ps_cl_cache_low)
		ps_log(PS_TOPIC_OPENCL, PSTK_LOG_WARNING,
			"PoCL's cache %s has %llu kB of room left: where that does not do for a new kernel, "
			"LLVM ends "
			"the program; set POCL_CACHE_DIR to a directory with some megabytes of room",
			cache.path, (unsigned long long)(cache.left / 1024));
}

int ps_cl_programs_build(struct ps_cl_programs *all)
{
	struct work w = { .lock = PTHREAD_MUTEX_INITIALIZER, .next = first_waiting(all->first) };
	unsigned wanted = builders_for(&w), count = 0;
	pthread_t threads[BUILDERS_MAX];
	sigset_t every, former;

	look_for_room(&w);
	sigfillset(&every); /* signals are for the program's own threads */
	pthread_sigmask(SIG_SETMASK, &every, &former);
	/* this thread is a builder too: where no other can be had it does all */
	while (count + 1 < wanted && !pthread_create(&threads[count], NULL, builder, &w))
		count++;
	pthread_sigmask(SIG_SETMASK, &former, NULL);
	build_some(&w);
	while (count)
		pthread_join(threads[--count], NULL);
	pthread_mutex_destroy(&w.lock);
	return w.err;
}

void ps_cl_programs_free(struct ps_cl_programs *all)
{
	while (all->first) {
		struct ps_cl_program *p = all->first;

		all->first = p->next;
		program_free(p);
	}
}
