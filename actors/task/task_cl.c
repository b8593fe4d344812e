/* SPDX-License-Identifier: MIT */
/* task on a device: how long its kernel's loop takes; and native kernels, which sleep. */
#include "config.h"

#include "actors/task/task.h"
#include "penstock/opencl.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>

static int fail(struct pstk_actor *self, cl_int code, const char *call)
{
	return pstk_actor_error(self, code == CL_OUT_OF_HOST_MEMORY ? -ENOMEM : -EIO, "%s: %s (%d)", call,
		pstk_cl_error_name(code), (int)code);
}

/* -- how long a loop takes -- */

enum { KNOWN_MAX = 16, TRIES = 3 };

static const cl_ulong loops_first = 1 << 16, loops_last = (cl_ulong)1 << 36, long_enough_ns = 10000000;

/* What was found out of devices. Guarded by lock, which is held while a device is asked: two actors at once would
 * measure one another. */
static struct {
	pthread_mutex_t lock;
	unsigned count;
	struct {
		cl_device_id device;
		double loops_per_ns;
	} of[KNOWN_MAX];
} known = { .lock = PTHREAD_MUTEX_INITIALIZER };

struct spin {
	cl_command_queue queue;
	cl_program program;
	cl_kernel kernel;
	cl_mem out;
};

static void close_spin(struct spin *s)
{
	if (s->out)
		clReleaseMemObject(s->out);
	if (s->kernel)
		clReleaseKernel(s->kernel);
	if (s->program)
		clReleaseProgram(s->program);
	if (s->queue)
		clReleaseCommandQueue(s->queue);
}

static int open_spin(struct pstk_actor *self, const char *source, struct spin *s)
{
	cl_context context = pstk_cl_context(self);
	cl_device_id device = pstk_cl_device(self);
	cl_int code;

	s->queue = clCreateCommandQueue(context, device, CL_QUEUE_PROFILING_ENABLE, &code);
	if (code)
		return fail(self, code, "clCreateCommandQueue");
	s->program = clCreateProgramWithSource(context, 1, &source, NULL, &code);
	if (code)
		return fail(self, code, "clCreateProgramWithSource");
	code = clBuildProgram(s->program, 1, &device, NULL, NULL, NULL);
	if (code)
		return fail(self, code, "clBuildProgram of task.cl");
	s->kernel = clCreateKernel(s->program, "task_spin", &code);
	if (code)
		return fail(self, code, "clCreateKernel of 'task_spin'");
	s->out = clCreateBuffer(context, CL_MEM_READ_WRITE, sizeof(cl_ulong), NULL, &code);
	if (code)
		return fail(self, code, "clCreateBuffer");
	code = clSetKernelArg(s->kernel, 0, sizeof s->out, &s->out);
	return code ? fail(self, code, "clSetKernelArg") : 0;
}

static cl_int stamp(cl_event event, cl_profiling_info what, cl_ulong *ns)
{
	return clGetEventProfilingInfo(event, what, sizeof *ns, ns, NULL);
}

/* How long so many take, by the device's clock. */
static int time_spin(struct pstk_actor *self, struct spin *s, cl_ulong loops, cl_ulong *ns)
{
	const size_t one = 1;
	cl_ulong start = 0, end = 0;
	cl_event event;
	cl_int code = clSetKernelArg(s->kernel, 1, sizeof loops, &loops);

	if (!code)
		code = clEnqueueNDRangeKernel(s->queue, s->kernel, 1, NULL, &one, &one, 0, NULL, &event);
	if (code)
		return fail(self, code, "clEnqueueNDRangeKernel of 'task_spin'");
	code = clWaitForEvents(1, &event);
	if (!code)
		code = stamp(event, CL_PROFILING_COMMAND_START, &start);
	if (!code)
		code = stamp(event, CL_PROFILING_COMMAND_END, &end);
	clReleaseEvent(event);
	*ns = end > start ? end - start : 1;
	return code ? fail(self, code, "'task_spin'") : 0;
}

/* The quickest of some tries, each long enough that its start does not matter. */
static int measure(struct pstk_actor *self, struct spin *s, double *loops_per_ns)
{
	cl_ulong loops = loops_first, ns = 0, least;
	int err = time_spin(self, s, loops, &ns);

	while (!err && ns < long_enough_ns && loops < loops_last) {
		loops *= 2;
		err = time_spin(self, s, loops, &ns);
	}
	least = ns;
	for (unsigned i = 0; !err && i < TRIES; i++) {
		err = time_spin(self, s, loops, &ns);
		if (ns < least)
			least = ns;
	}
	*loops_per_ns = (double)loops / (double)least;
	return err;
}

static int ask_device(struct pstk_actor *self, const char *source, double *loops_per_ns)
{
	struct spin s = { 0 };
	int err = open_spin(self, source, &s);

	if (!err)
		err = measure(self, &s, loops_per_ns);
	close_spin(&s);
	return err;
}

int ps_task_loops(struct pstk_actor *self, const char *source, uint64_t ns, uint64_t *loops)
{
	cl_device_id device = pstk_cl_device(self);
	double per_ns = 0;
	int err = 0;

	*loops = 0;
	if (!ns)
		return 0;
	pthread_mutex_lock(&known.lock);
	for (unsigned i = 0; i < known.count; i++)
		if (known.of[i].device == device)
			per_ns = known.of[i].loops_per_ns;
	if (per_ns <= 0) {
		err = ask_device(self, source, &per_ns);
		if (!err && known.count < KNOWN_MAX) {
			known.of[known.count].device = device;
			known.of[known.count++].loops_per_ns = per_ns;
		}
	}
	pthread_mutex_unlock(&known.lock);
	if (!err)
		*loops = (uint64_t)((double)ns * per_ns + 0.5);
	return err;
}

/* -- native kernels -- */

/* -- a counted source's launches -- */

struct launcher {
	cl_program program;
	cl_kernel kernel;
	cl_mem state; /* struct ps_task_state, as the kernel sees it */
};

static void close_launcher(struct launcher *l)
{
	if (l->state)
		clReleaseMemObject(l->state);
	if (l->kernel)
		clReleaseKernel(l->kernel);
	if (l->program)
		clReleaseProgram(l->program);
	free(l);
}

void ps_task_finish_cl(struct pstk_actor *self)
{
	struct ps_task_state *s = pstk_actor_state(self);

	for (unsigned place = 0; place < PSTK_PLACES_MAX; place++) {
		if (s->launchers[place])
			close_launcher(s->launchers[place]);
		s->launchers[place] = NULL;
	}
}

/* Windows come in front of the state, the firing and the loops; a source has no inputs. */
static int open_launcher(struct pstk_actor *self, struct launcher *l, cl_uint windows)
{
	const struct pstk_kernel *form = pstk_actor_get_type(self)->kernel;
	struct ps_task_state *s = pstk_actor_state(self);
	cl_device_id device = pstk_cl_device(self);
	uint64_t loops;
	cl_int code;
	int err = ps_task_loops(self, form->source, s->ns, &loops);

	if (err)
		return err;
	l->program = clCreateProgramWithSource(
		pstk_cl_context(self), 1, &(const char *){ form->source }, NULL, &code);
	if (!code)
		code = clBuildProgram(l->program, 1, &device, NULL, NULL, NULL);
	if (!code)
		l->kernel = clCreateKernel(l->program, form->name, &code);
	if (!code)
		l->state = clCreateBuffer(
			pstk_cl_context(self), CL_MEM_COPY_HOST_PTR | CL_MEM_READ_WRITE, sizeof *s, s, &code);
	if (!code)
		code = clSetKernelArg(l->kernel, windows, sizeof l->state, &l->state);
	if (!code)
		code = clSetKernelArg(l->kernel, windows + 2, sizeof loops, &loops);
	return code ? fail(self, code, "a task's kernel") : 0;
}

static int launch(struct pstk_firing *f, const struct ps_task *t, struct launcher *l, uint64_t firing)
{
	const size_t one = 1;
	cl_int code = CL_SUCCESS;

	for (cl_uint p = 0; !code && p < t->outputs; p++) {
		struct pstk_cl_window w;

		if (pstk_cl_window(f, p, &w))
			return -EPROTO;
		code = clSetKernelArg(l->kernel, p, sizeof w.buffer, &w.buffer);
	}
	if (!code)
		code = clSetKernelArg(l->kernel, t->outputs + 1, sizeof firing, &firing);
	if (!code)
		code = clEnqueueNDRangeKernel(
			pstk_cl_queue(f), l->kernel, 1, NULL, &one, &one, 0, NULL, NULL);
	return code ? fail(pstk_firing_actor(f), code, "a task's launch") : 0;
}

/* -- native kernels -- */

static int check_native_kernels(struct pstk_actor *self)
{
	cl_device_id device = pstk_cl_device(self);
	cl_device_exec_capabilities can = 0;
	struct pstk_device_info info;
	cl_int code = clGetDeviceInfo(device, CL_DEVICE_EXECUTION_CAPABILITIES, sizeof can, &can, NULL);

	if (code)
		return fail(self, code, "clGetDeviceInfo");
	if (can & CL_EXEC_NATIVE_KERNEL)
		return 0;
	return pstk_actor_error(self, -ENOTSUP,
		"device %s runs no native kernels, so a task can't sleep there: choose mode: kernel, or map "
		"it "
		"to the cores",
		pstk_actor_device(self, &info) ? "?" : info.selector);
}

int ps_task_open_place(struct pstk_actor *self, unsigned place)
{
	const struct ps_task *t = pstk_actor_arg(self);
	struct ps_task_state *s = pstk_actor_state(self);

	if (t->mode == PSTK_TASK_SLEEP)
		return check_native_kernels(self);
	s->launchers[place] = calloc(1, sizeof(struct launcher));
	if (!s->launchers[place])
		return pstk_actor_error(self, -ENOMEM, "out of memory");
	return open_launcher(self, s->launchers[place], t->outputs);
}

/* What a native kernel gets. One for each port, since PoCL 3.1 mixes up the addresses where one has several buffers. */
struct native {
	void *window; /* the driver writes where it is */
	struct ps_task_state *state;
	unsigned port;
	uint64_t valid, firing;
};

/* Both in threads of the driver's, one after the other. A fault is complete before the next firing looks at it: the
 * port comes last. */
static void CL_CALLBACK check_native(void *arg)
{
	const struct native *n = arg;
	struct ps_task_fault *to = &n->state->fault, found;

	if (ps_task_check(n->state, n->port, n->window, n->valid, n->firing, &found) ||
		__atomic_load_n(&to->port, __ATOMIC_RELAXED))
		return;
	to->token = found.token;
	to->expected = found.expected;
	to->found = found.found;
	__atomic_store_n(&to->port, found.port, __ATOMIC_RELEASE);
}

static void CL_CALLBACK number_native(void *arg)
{
	const struct native *n = arg;

	ps_task_number(&n->state->ports[n->port], n->window, n->firing);
}

static void CL_CALLBACK sleep_native(void *arg)
{
	const struct native *n = arg;

	ps_task_sleep(n->state->ns);
}

static cl_int enqueue_ports(struct pstk_firing *f, const struct ps_task *t, struct native *n)
{
	cl_int code = CL_SUCCESS;

	for (n->port = 0; !code && n->port < t->inputs + t->outputs; n->port++) {
		const void *place = &n->window;
		struct pstk_cl_window w;

		if (pstk_cl_window(f, n->port, &w))
			return CL_INVALID_VALUE; /* the library says why */
		n->valid = w.valid;
		code = clEnqueueNativeKernel(pstk_cl_queue(f),
			n->port < t->inputs ? check_native : number_native, n, sizeof *n, 1, &w.buffer,
			&place, 0, NULL, NULL);
	}
	return code;
}

static int fire_native(
	struct pstk_firing *f, const struct ps_task *t, struct ps_task_state *s, uint64_t firing)
{
	struct native n = { .state = s, .firing = firing };
	cl_int code;

	if (__atomic_load_n(&s->fault.port, __ATOMIC_ACQUIRE))
		return ps_task_wrong(pstk_firing_actor(f));
	code = enqueue_ports(f, t, &n);
	if (!code)
		code = clEnqueueNativeKernel(
			pstk_cl_queue(f), sleep_native, &n, sizeof n, 0, NULL, NULL, 0, NULL, NULL);
	return code ? fail(pstk_firing_actor(f), code, "clEnqueueNativeKernel") : 0;
}

int ps_task_fire_cl(struct pstk_firing *f)
{
	struct pstk_actor *self = pstk_firing_actor(f);
	const struct ps_task *t = pstk_actor_arg(self);
	struct ps_task_state *s = pstk_actor_state(self);
	uint64_t firing = pstk_firing_index(f);
	struct launcher *l = s->launchers[pstk_cl_place(f)];
	int err = l ? launch(f, t, l, firing) : fire_native(f, t, s, firing);

	if (err)
		return err;
	return t->count && firing + 1 >= t->count ? PSTK_DONE : PSTK_AGAIN;
}
