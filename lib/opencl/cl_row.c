/* SPDX-License-Identifier: MIT */
#include "lib/opencl/cl_row.h"
#include "lib/base/memory.h"
#include "lib/model/error.h"
#include "lib/model/type.h"
#include "lib/opencl/cl_serial.h"

#include <errno.h>
#include <string.h>

/* The stage's part, if ps_row_map() has made one. */
static struct ps_cl_actor *part_of(const struct pstk_actor *stage)
{
	struct ps_cl_actor *c = stage->cl;

	return c && c->of_row ? c : NULL;
}

const struct pstk_device_info *ps_row_device(const struct pstk_pipeline *p)
{
	for (unsigned k = 0; k < p->stage_count; k++)
		if (part_of(p->stages[k]))
			return &part_of(p->stages[k])->device->info;
	return NULL;
}

static int fail(const struct pstk_pipeline *p, const struct ps_cl_fault *fault)
{
	return ps_network_fail(p->network, fault->err, "pipeline '%s': %s", p->actor->name, fault->text);
}

/*
 * The queue.
 */

static int make_queue(struct ps_row *r, bool profiled, struct ps_cl_fault *fault)
{
	cl_int code;

	r->queue = clCreateCommandQueue(
		r->device->context, r->device->id, profiled ? CL_QUEUE_PROFILING_ENABLE : 0, &code);
	if (!code)
		return 0;
	r->queue = NULL;
	return ps_cl_fail(fault, code, "clCreateCommandQueue", r->device->info.selector);
}

struct ps_row *ps_cl_row_open(struct pstk_pipeline *p, bool shares, atomic_bool *commands_failed)
{
	const struct pstk_network *net = p->network;
	bool profiled = (net->flags & PSTK_PROFILE) || net->environment.profile || net->traces;
	struct ps_row *r = ps_memory_zalloc(1, sizeof *r);
	struct ps_cl_fault fault = { 0 };
	struct ps_cl_actor *c;

	if (!r || !(r->eventcount = ps_eventcount_get())) {
		ps_cl_refuse(&fault, -ENOMEM, "out of memory for its device");
		fail(p, &fault);
		ps_memory_free(r);
		return NULL;
	}
	r->pipeline = p;
	r->shares = shares;
	r->commands_failed = commands_failed;
	for (unsigned k = 0; k < p->stage_count && !r->device; k++)
		r->device = part_of(p->stages[k]) ? part_of(p->stages[k])->device : NULL;
	if (make_queue(r, profiled, &fault)) {
		fail(p, &fault);
		ps_cl_row_free(r, false);
		return NULL;
	}
	for (unsigned k = 0; k < p->stage_count; k++)
		if ((c = part_of(p->stages[k])))
			c->queue = r->queue;
	return r;
}

/*
 * The wires.
 */

static unsigned count_ports(const struct pstk_pipeline *p)
{
	unsigned count = 0;

	for (unsigned k = 0; k < p->stage_count; k++)
		count += p->stages[k]->type.port_count;
	return count;
}

/* Does an output have a reader beyond the border? */
static bool leads_out(const struct pstk_actor *stage, unsigned port)
{
	for (unsigned q = 0; q < stage->pipeline->actor->type.port_count; q++)
		if (stage->pipeline->border[q].actor == stage && stage->pipeline->border[q].port == port)
			return true;
	return false;
}

/* The stage that writes what an input reads; NULL: the border does. */
static const struct pstk_actor *writer_of(const struct pstk_actor *stage, unsigned port)
{
	const struct pstk_actor *from = stage->ports[port].fifo->from.actor;

	return from->pipeline == stage->pipeline ? from : NULL;
}

static void add_wire(struct ps_row *r, const struct pstk_actor *stage, unsigned port)
{
	bool reads = stage->ports[port].reads;

	r->wire_of[stage->index][port] = r->wire_count;
	r->wires[r->wire_count++] = (struct ps_row_wire){
		.writer = reads ? PS_ROW_BORDER : stage->index,
		.port = port,
		.leaves = !reads && leads_out(stage, port),
		.token_size = pstk_actor_port_token_size(stage, port),
		.bytes = ((size_t)pstk_actor_port_rate(stage, port) +
				 (reads ? pstk_actor_port_history(stage, port) : 0)) *
		         pstk_actor_port_token_size(stage, port),
	};
}

/* Writers come first: a stage reads those before it. */
static void connect_stage(struct ps_row *r, const struct pstk_actor *stage)
{
	for (unsigned i = 0; i < stage->type.port_count; i++) {
		const struct pstk_actor *writer = stage->ports[i].reads ? writer_of(stage, i) : NULL;

		if (writer)
			r->wire_of[stage->index][i] =
				r->wire_of[writer->index][stage->ports[i].fifo->from.port];
		else
			add_wire(r, stage, i);
		if (stage->ports[i].reads)
			r->wires[r->wire_of[stage->index][i]].readers |= 1u << stage->index;
	}
}

static int make_wires(struct ps_row *r, struct ps_cl_fault *fault)
{
	const struct pstk_pipeline *p = r->pipeline;
	unsigned ports = count_ports(p);
	/* of each window: at most an upload or unmap, a download or map, and zeros; and the launches */
	unsigned commands = 3 * ports + p->stage_count;

	r->wires = ps_memory_zalloc(ports, sizeof *r->wires);
	r->commands = ps_memory_zalloc(commands, sizeof *r->commands);
	for (unsigned k = 0; k < p->stage_count; k++) {
		r->wire_of[k] = ps_memory_zalloc(p->stages[k]->type.port_count, sizeof *r->wire_of[k]);
		if (!r->wires || !r->commands || !r->wire_of[k])
			return ps_cl_refuse(fault, -ENOMEM, "out of memory for its device");
		connect_stage(r, p->stages[k]);
	}
	return 0;
}

/*
 * The buffers.
 */

/* Names the stage that has the window. */
static int make_buffer(struct ps_row *r, struct ps_row_wire *w, const struct pstk_actor *stage)
{
	struct ps_cl_fault fault = { 0 };
	cl_int code;

	w->buffer = clCreateBuffer(r->device->context, CL_MEM_READ_WRITE, w->bytes, NULL, &code);
	if (!code)
		return 0;
	w->buffer = NULL;
	ps_cl_fail(&fault, code, "clCreateBuffer", r->device->info.selector);
	return ps_network_fail(stage->network, fault.err,
		"'%s' (%s) of pipeline '%s': port '%s', %.3f MB: %s", stage->name, stage->type.name,
		r->pipeline->actor->name, stage->type.ports[w->port].name, (double)w->bytes / 1e6,
		fault.text);
}

static int make_buffers(struct ps_row *r)
{
	size_t longest = 0, allocated;
	int err = 0;

	for (unsigned k = 0; k < r->pipeline->stage_count; k++) {
		const struct pstk_actor *stage = r->pipeline->stages[k];

		for (unsigned i = 0; i < stage->type.port_count && !err; i++) {
			struct ps_row_wire *w = &r->wires[r->wire_of[k][i]];

			longest = w->bytes > longest ? w->bytes : longest;
			if (!w->buffer)
				err = make_buffer(r, w, stage);
		}
	}
	if (err)
		return err;
	r->scratch = ps_memory_windows(longest, 0, &allocated);
	return r->scratch ? 0 : -ENOMEM;
}

/* What a stage's part gets as its windows, in each firing. */
static void give_windows(struct ps_row *r, const struct pstk_actor *stage)
{
	struct ps_cl_actor *c = part_of(stage);

	for (unsigned i = 0; c && i < stage->type.port_count; i++) {
		const struct ps_row_wire *w = &r->wires[r->wire_of[stage->index][i]];

		c->windows[i] = (struct ps_cl_window){ .buffer = w->buffer, .bytes = w->bytes };
	}
}

int ps_cl_row_prepare(struct ps_row *r)
{
	const struct pstk_pipeline *p = r->pipeline;
	struct ps_cl_fault fault = { 0 };
	int err;

	if (make_wires(r, &fault))
		return fail(p, &fault);
	ps_cl_serial_lock();
	err = make_buffers(r);
	if (!err)
		err = ps_cl_row_take_windows(r);
	ps_cl_serial_unlock();
	for (unsigned k = 0; k < p->stage_count && !err; k++)
		give_windows(r, p->stages[k]);
	if (err && !ps_network_err(p->network)) {
		ps_cl_refuse(&fault, err, "out of memory for its device");
		fail(p, &fault);
	}
	return err;
}

/*
 * Its commands.
 */

enum ps_cl_event_state ps_cl_row_state(
	const struct ps_row *r, const struct ps_row_command *m, struct ps_cl_fault *fault)
{
	static const char *const acts[] = { "an upload", "a download", "an unmap", "a map", "a fill",
		"a firing's command" };
	const struct pstk_actor *stage = r->pipeline->stages[m->stage];
	struct ps_cl_fault own = { 0 };
	enum ps_cl_event_state state =
		ps_cl_event_state(m->event, acts[m->act], r->device->info.selector, &own);

	if (state == PS_CL_EVENT_FAILED && m->act == PS_ROW_FIRES)
		ps_cl_refuse(fault, own.err, "%s", own.text);
	else if (state == PS_CL_EVENT_FAILED)
		ps_cl_refuse(fault, own.err, "port '%s': %s", stage->type.ports[m->port].name, own.text);
	return state;
}

unsigned ps_cl_row_pending(struct ps_row *r, cl_event *one, unsigned *stage, struct ps_cl_fault *fault)
{
	unsigned count = 0;

	for (unsigned i = r->through; i < r->command_count; i++)
		switch (r->commands[i].act == PS_ROW_FIRES ? PS_CL_EVENT_DONE
							   : ps_cl_row_state(r, &r->commands[i], fault)) {
		case PS_CL_EVENT_DONE:
			break;
		case PS_CL_EVENT_PENDING:
			*one = r->commands[i].event;
			count++;
			break;
		case PS_CL_EVENT_FAILED:
			*stage = r->commands[i].stage;
			break;
		}
	return count;
}

static bool is_pending(const struct ps_row *r, const struct ps_row_command *m)
{
	struct ps_cl_fault fault = { 0 };

	return ps_cl_event_state(m->event, "", r->device->info.selector, &fault) == PS_CL_EVENT_PENDING;
}

bool ps_row_keeps(const struct ps_row *r, const void *memory, size_t bytes)
{
	uintptr_t from = (uintptr_t)memory;

	for (unsigned i = 0; r && i < r->window_count; i++) {
		uintptr_t host = (uintptr_t)r->windows[i].host;

		if (r->windows[i].away && host < from + bytes && from < host + r->windows[i].bytes)
			return true;
	}
	for (unsigned i = r ? r->through : 0; r && i < r->command_count; i++) {
		const struct ps_row_command *m = &r->commands[i];
		uintptr_t host = (uintptr_t)m->host;

		if (m->host && host < from + bytes && from < host + m->bytes && is_pending(r, m))
			return true;
	}
	return false;
}

/*
 * What any thread may call.
 */

void ps_row_nudge(struct ps_row *r)
{
	if (r)
		ps_eventcount_notify(r->eventcount);
}

void ps_row_bytes(const struct ps_row *r, uint64_t *up, uint64_t *down)
{
	*up = r ? atomic_load_explicit(&r->up, memory_order_relaxed) : 0;
	*down = r ? atomic_load_explicit(&r->down, memory_order_relaxed) : 0;
}

/*
 * The end.
 */

/* What commands that never end may still touch: buffers, and by the commands' addresses windows on the host. Never
 * freed, and kept where a leak checker sees it. */
static _Atomic(struct ps_row *) lost_rows;

static void keep(struct ps_row *r)
{
	struct ps_row *first = atomic_load(&lost_rows);

	do
		r->next = first;
	while (!atomic_compare_exchange_weak(&lost_rows, &first, r));
}

static void release_events(struct ps_row *r)
{
	for (unsigned i = 0; i < r->command_count; i++)
		if (r->commands[i].act != PS_ROW_FIRES)
			ps_cl_event_put(&r->commands[i].event, NULL);
}

void ps_cl_row_forget(struct ps_row *r)
{
	release_events(r);
	r->command_count = r->through = 0;
}

void ps_cl_row_free(struct ps_row *r, bool lost)
{
	if (!r)
		return;
	release_events(r);
	if (r->queue)
		clReleaseCommandQueue(r->queue);
	if (r->host_queue)
		clReleaseCommandQueue(r->host_queue);
	ps_eventcount_put(r->eventcount);
	if (lost && r->command_count) {
		keep(r);
		return;
	}
	for (unsigned i = 0; i < r->wire_count; i++)
		if (r->wires[i].buffer)
			clReleaseMemObject(r->wires[i].buffer);
	for (unsigned k = 0; k < PS_STAGES_MAX; k++)
		ps_memory_free(r->wire_of[k]);
	ps_memory_free(r->windows);
	ps_memory_free(r->scratch);
	ps_memory_free(r->commands);
	ps_memory_free(r->wires);
	ps_memory_free(r);
}
