/* SPDX-License-Identifier: MIT */
/* Row window: windows of the host that the device uses in place, where both share memory. */
#include "lib/base/log.h"
#include "lib/base/memory.h"
#include "lib/model/error.h"
#include "lib/opencl/cl_row.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/*
 * Which there are.
 */

static int add(struct ps_row *r, unsigned char *host, size_t bytes)
{
	struct ps_row_window *windows;

	if (!bytes || (uintptr_t)host % r->device->base_align)
		return 0; /* copied */
	windows = ps_memory_resize(r->windows, r->window_count + 1, sizeof *windows);
	if (!windows)
		return -ENOMEM;
	r->windows = windows;
	r->windows[r->window_count++] = (struct ps_row_window){ .host = host, .bytes = bytes };
	return 0;
}

int ps_row_window(struct ps_row *r, unsigned stage, unsigned port, void *memory)
{
	const struct pstk_actor *a = r ? r->pipeline->stages[stage] : NULL;

	if (!r || !r->shares || (a->ports[port].reads && pstk_actor_port_history(a, port)))
		return 0;
	return add(r, memory, (size_t)pstk_actor_port_rate(a, port) * pstk_actor_port_token_size(a, port));
}

/* Has the FIFO windows in plain memory that no other FIFO uses? A reader of the same memory could not look at it while
 * the device has it. */
static bool is_own(const struct pstk_fifo *f)
{
	const struct ps_layout *l = &f->fifo.layout;

	return !f->cl && f->fifo.memory && f->fifo.alone && !f->fifo.merged && ps_layout_is_simple(l) &&
	       !ps_layout_rest(l) && !l->history;
}

static int add_fifo(struct ps_row *r, const struct pstk_fifo *f)
{
	const struct ps_layout *l = &f->fifo.layout;
	size_t bytes = (size_t)l->write_rate * l->token_size;
	int err = 0;

	for (uint64_t i = 0; i < ps_layout_windows(l) && is_own(f) && !err; i++)
		err = add(r, f->fifo.memory + i * f->fifo.writer.step, bytes);
	return err;
}

static int add_border(struct ps_row *r)
{
	const struct pstk_actor *a = r->pipeline->actor;
	int err = 0;

	for (unsigned q = 0; q < a->type.port_count; q++)
		for (const struct pstk_fifo *f = a->ports[q].fifo; f && !err;
			f = a->ports[q].reads ? NULL : f->next)
			err = add_fifo(r, f);
	return err;
}

static int by_address(const void *a, const void *b)
{
	const struct ps_row_window *x = a, *y = b;

	return (x->host > y->host) - (x->host < y->host);
}

/*
 * Their buffers.
 */

/* The buffer, mapped for the host. false: the driver does not make one of this memory. */
static bool make(struct ps_row *r, struct ps_row_window *w, struct ps_cl_fault *fault)
{
	const char *on = r->device->info.selector;
	cl_int code;
	void *mapped;

	w->buffer = clCreateBuffer(
		r->device->context, CL_MEM_READ_WRITE | CL_MEM_USE_HOST_PTR, w->bytes, w->host, &code);
	if (code) {
		w->buffer = NULL;
		ps_cl_fail(fault, code, "clCreateBuffer", on);
		return false;
	}
	mapped = clEnqueueMapBuffer(r->host_queue, w->buffer, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, 0,
		w->bytes, 0, NULL, NULL, &code);
	if (!code && mapped == w->host)
		return true;
	if (code)
		ps_cl_fail(fault, code, "clEnqueueMapBuffer", on);
	else
		ps_cl_refuse(fault, -EIO,
			"clEnqueueMapBuffer: a buffer of the host's memory is elsewhere on %s", on);
	clReleaseMemObject(w->buffer);
	w->buffer = NULL;
	return false;
}

static bool make_all(struct ps_row *r, struct ps_cl_fault *fault)
{
	cl_int code;
	unsigned kept = 0;

	r->host_queue = clCreateCommandQueue(r->device->context, r->device->id, 0, &code);
	if (code) {
		r->host_queue = NULL;
		r->window_count = 0;
		ps_cl_fail(fault, code, "clCreateCommandQueue", r->device->info.selector);
		return false;
	}
	for (unsigned i = 0; i < r->window_count; i++)
		if (make(r, &r->windows[i], fault))
			r->windows[kept++] = r->windows[i];
	r->window_count = kept;
	return !fault->err;
}

int ps_cl_row_take_windows(struct ps_row *r)
{
	struct ps_cl_fault fault = { 0 };
	unsigned kept = 0;
	int err = r->shares ? add_border(r) : 0;

	if (err || !r->window_count)
		return err;
	qsort(r->windows, r->window_count, sizeof *r->windows, by_address);
	for (unsigned i = 0; i < r->window_count; i++)
		if (!kept || r->windows[kept - 1].host + r->windows[kept - 1].bytes <= r->windows[i].host)
			r->windows[kept++] = r->windows[i];
	r->window_count = kept;
	if (!make_all(r, &fault))
		ps_log(PS_TOPIC_OPENCL, PSTK_LOG_WARNING,
			"%s: pipeline '%s': windows are copied that could be used in place: %s",
			r->pipeline->network->name, r->pipeline->actor->name, fault.text);
	return 0;
}

struct ps_row_window *ps_cl_row_find_window(const struct ps_row *r, const void *host)
{
	const struct ps_row_window key = { .host = (unsigned char *)host };

	return r->window_count ? bsearch(&key, r->windows, r->window_count, sizeof key, by_address) : NULL;
}

/*
 * The end.
 */

/* Of a run that was broken off: which windows the host has mapped again. What an unmap that failed has left no call
 * tells. */
static void look_again(struct ps_row *r)
{
	for (unsigned i = 0; i < r->command_count; i++) {
		const struct ps_row_command *m = &r->commands[i];
		struct ps_row_window *w = m->act == PS_ROW_MAPS ? ps_cl_row_find_window(r, m->host) : NULL;

		if (w)
			w->away = ps_cl_event_code(m->event) < 0;
	}
}

void ps_cl_row_give_windows(struct ps_row *r)
{
	cl_event last = NULL;

	if (!r || !r->window_count)
		return;
	look_again(r);
	for (unsigned i = 0; i < r->window_count; i++) {
		struct ps_row_window *w = &r->windows[i];
		cl_event event = NULL;

		if (!w->away && !clEnqueueUnmapMemObject(r->host_queue, w->buffer, w->host, 0, NULL, &event))
			ps_cl_event_put(&last, event);
	}
	/* if waiting itself is what fails, the queue is waited for */
	if (last && clWaitForEvents(1, &last))
		clFinish(r->host_queue);
	ps_cl_event_put(&last, NULL);
	for (unsigned i = 0; i < r->window_count; i++)
		clReleaseMemObject(r->windows[i].buffer);
	r->window_count = 0;
}
