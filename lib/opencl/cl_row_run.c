/* SPDX-License-Identifier: MIT */
/* Row run: stages of one item, enqueued by the carrier that has the device, and waited for. */
#include "lib/base/clock.h"
#include "lib/firing/firing_error.h"
#include "lib/model/actor.h"
#include "lib/model/error.h"
#include "lib/model/type.h"
#include "lib/opencl/cl_row.h"
#include "lib/opencl/cl_serial.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

struct run {
	struct ps_row *row;
	const struct ps_row_item *item;
	uint32_t mask;              /* of its stages */
	bool alone;                 /* each command is waited for before the next one */
	bool trains;                /* .. and windows are moved in both directions */
	struct ps_row_times *times; /* alone */
	struct ps_cl_fault fault;   /* of a call, or a command */
	bool own;                   /* the text is the stage's own */
	bool began;                 /* a stage of it was taken */
	bool partly;                /* each stage so far tells how much of a token is used .. */
	uint64_t came_in[8];        /* .. by these first bytes of the token that came in */
};

static struct pstk_actor *stage_of(const struct run *run, unsigned k)
{
	return run->row->pipeline->stages[k];
}

static struct ps_row_wire *wire_at(const struct run *run, unsigned k, unsigned port)
{
	return &run->row->wires[run->row->wire_of[k][port]];
}

static int fail_call(struct run *run, cl_int code, const char *function, const char *port)
{
	struct ps_cl_fault call = { 0 };

	ps_cl_fail(&call, code, function, run->row->device->info.selector);
	return ps_cl_refuse(&run->fault, call.err, "port '%s': %s", port, call.text);
}

static int take_fault(struct run *run, const struct ps_cl_fault *is)
{
	return ps_cl_refuse(&run->fault, is->err, "%s", is->text);
}

/*
 * Waiting.
 */

/* A transfer's event is the row's from here on; a firing's is its stage's. */
static void keep(
	struct run *run, enum ps_row_act act, unsigned port, cl_event event, const void *host, size_t bytes)
{
	struct ps_row *r = run->row;

	r->commands[r->command_count++] = (struct ps_row_command){
		.event = event, .act = act, .stage = r->stage, .port = port, .host = host, .bytes = bytes
	};
}

/* What fire_cl() has given to pstk_cl_depend(), and the windows' event: has one of them failed? Then the firing's own
 * command may never run. */
static bool any_failed(struct run *run, const struct ps_cl_actor *c)
{
	return ps_cl_event_check(1, &c->entered, c->device->info.selector, &run->fault) ||
	       ps_cl_event_check(c->extra_count, c->extra, c->device->info.selector, &run->fault);
}

/* Of the first command that is not through. */
static enum ps_cl_event_state look(struct run *run)
{
	struct ps_row *r = run->row;
	enum ps_cl_event_state state = PS_CL_EVENT_DONE;

	while (r->through < r->command_count) {
		const struct ps_row_command *m = &r->commands[r->through];

		/* first what the firing's command waits for: that failed by itself */
		state = m->act == PS_ROW_FIRES && any_failed(run, stage_of(run, m->stage)->cl)
		                ? PS_CL_EVENT_FAILED
		                : ps_cl_row_state(r, m, &run->fault);
		if (state == PS_CL_EVENT_FAILED)
			r->stage = m->stage;
		if (state != PS_CL_EVENT_DONE)
			break;
		r->through++;
	}
	return state;
}

/* Sleeps until all is through, or one has failed, or the network is over. The last command's event notifies; after a
 * failure it may never come, so the carrier looks again after a while. */
static int wait_for_all(struct run *run)
{
	struct ps_row *r = run->row;

	for (;;) {
		unsigned seen = ps_eventcount_count(r->eventcount);
		enum ps_cl_event_state state = look(run);

		if (state != PS_CL_EVENT_PENDING)
			return state == PS_CL_EVENT_DONE ? 0 : run->fault.err;
		if (ps_network_over(r->pipeline->network))
			return -ECANCELED;
		ps_cl_event_wait(r->commands[r->command_count - 1].event, r->eventcount, seen);
	}
}

static int flush(struct run *run)
{
	cl_int code = ps_cl_serial_flush(run->row->queue);

	return code ? ps_cl_fail(&run->fault, code, "clFlush", run->row->device->info.selector) : 0;
}

/* Alone: waits for what was enqueued since `begin`, and says how long it took. */
static int settle(struct run *run, uint64_t begin, uint64_t *ns)
{
	int err = flush(run);

	ps_cl_serial_unlock();
	if (!err)
		err = wait_for_all(run);
	*ns = ps_clock_ns() - begin;
	ps_cl_serial_lock();
	return err;
}

/*
 * Windows.
 */

/* Before the device has the windows of the run's first stage. */
static void look_at_token(struct run *run, const struct pstk_firing *f)
{
	const struct pstk_actor *a = f->actor;
	unsigned i = 0;
	size_t bytes;

	while (i < a->type.port_count && !a->ports[i].reads)
		i++;
	run->partly = a->type.token_bytes && i < a->type.port_count;
	if (!run->partly)
		return;
	bytes = wire_at(run, run->row->stage, i)->token_size;
	memcpy(run->came_in, f->windows[i].data, bytes < sizeof run->came_in ? bytes : sizeof run->came_in);
}

/* Of a window's first bytes: those that are used. */
static size_t used_bytes(const struct run *run, const struct ps_row_wire *w, unsigned port, size_t bytes)
{
	const struct pstk_actor *a = stage_of(run, run->row->stage);
	size_t used;

	if (!run->partly || w->bytes != w->token_size || bytes != w->bytes)
		return bytes;
	used = a->type.token_bytes(a, port, run->came_in);
	return used && used < bytes ? used : bytes;
}

/* From the host's window, or to there: of its first bytes those that are used. */
static int transfer(struct run *run, struct ps_row_wire *w, bool up, unsigned port, void *host, size_t bytes)
{
	const char *call = up ? "clEnqueueWriteBuffer" : "clEnqueueReadBuffer";
	struct ps_row *r = run->row;
	uint64_t begin = run->alone ? ps_clock_ns() : 0;
	cl_event event = NULL;
	cl_int code;

	bytes = used_bytes(run, w, port, bytes);
	code = up ? clEnqueueWriteBuffer(r->queue, w->buffer, CL_FALSE, 0, bytes, host, 0, NULL, &event)
	          : clEnqueueReadBuffer(r->queue, w->buffer, CL_FALSE, 0, bytes, host, 0, NULL, &event);
	if (code)
		return fail_call(run, code, call, stage_of(run, r->stage)->type.ports[port].name);
	keep(run, up ? PS_ROW_UPLOADS : PS_ROW_DOWNLOADS, port, event, host, bytes);
	atomic_fetch_add_explicit(up ? &r->up : &r->down, bytes, memory_order_relaxed);
	return run->alone ? settle(run, begin, up ? &w->up_ns : &w->down_ns) : 0;
}

/* Unmaps a window of the host, or maps it again. */
static int lend(struct run *run, struct ps_row_wire *w, bool to_device, unsigned port)
{
	const char *call = to_device ? "clEnqueueUnmapMemObject" : "clEnqueueMapBuffer";
	struct ps_row *r = run->row;
	uint64_t begin = run->alone ? ps_clock_ns() : 0;
	cl_event event = NULL;
	cl_int code;

	if (to_device)
		code = clEnqueueUnmapMemObject(r->queue, w->now, w->at->host, 0, NULL, &event);
	else
		clEnqueueMapBuffer(r->queue, w->now, CL_FALSE, CL_MAP_READ | CL_MAP_WRITE, 0, w->bytes, 0,
			NULL, &event, &code);
	if (code)
		return fail_call(run, code, call, stage_of(run, r->stage)->type.ports[port].name);
	w->at->away = true;
	keep(run, to_device ? PS_ROW_UNMAPS : PS_ROW_MAPS, port, event, w->at->host, w->bytes);
	return run->alone ? settle(run, begin, to_device ? &w->up_ns : &w->down_ns) : 0;
}

/* Where the device has the window in this run: the host's own, if that may be. */
static int place(struct run *run, struct ps_row_wire *w, unsigned port, const void *host)
{
	w->at = ps_cl_row_find_window(run->row, host);
	w->now = w->at ? w->at->buffer : w->buffer;
	return w->at ? lend(run, w, true, port) : 0;
}

/* What the run has unmapped is the host's again. */
static int take_back(struct run *run)
{
	struct ps_row *r = run->row;
	int err = 0;

	for (unsigned k = 0; k < r->pipeline->stage_count && !err; k++)
		for (unsigned i = 0; i < stage_of(run, k)->type.port_count && !err; i++) {
			struct ps_row_wire *w = wire_at(run, k, i);

			if (!(run->mask >> k & 1) || !w->at)
				continue;
			r->stage = k;
			err = lend(run, w, false, i);
			w->at = NULL;
		}
	return err;
}

/* The windows that the stage reads, and no stage of the run has written. What the border has written belongs to others,
 * too: a training downloads it elsewhere. */
static int bring(struct run *run, const struct pstk_firing *f)
{
	struct ps_row *r = run->row;
	int err = 0;

	for (unsigned i = 0; i < f->actor->type.port_count && !err; i++) {
		struct ps_row_wire *w = wire_at(run, r->stage, i);

		if (!f->actor->ports[i].reads || w->there)
			continue;
		err = place(run, w, i, f->windows[i].data);
		if (!err && !w->at)
			err = transfer(run, w, true, i, f->windows[i].data, w->bytes);
		if (!err && !w->at && run->trains)
			err = transfer(run, w, false, i, r->scratch, w->bytes);
		w->there = true;
	}
	return err;
}

/* Does any but the run's own stages read it? */
static bool is_wanted(const struct run *run, const struct ps_row_wire *w)
{
	return w->leaves || (w->readers & ~run->mask) || run->trains;
}

/* Where the stage's windows are. */
static int give(struct run *run, const struct pstk_firing *f)
{
	struct ps_cl_actor *c = f->actor->cl;
	int err = 0;

	for (unsigned i = 0; i < f->actor->type.port_count && !err; i++) {
		struct ps_row_wire *w = wire_at(run, run->row->stage, i);

		if (!f->actor->ports[i].reads) {
			w->now = w->buffer;
			err = is_wanted(run, w) ? place(run, w, i, f->windows[i].data) : 0;
		}
		c->windows[i].buffer = w->now;
	}
	return err;
}

/* Zeros behind the valid tokens, for the stages that read the window. */
static int clear_rest(struct run *run, const struct ps_row_wire *w, unsigned port, size_t valid)
{
	static const unsigned char zero = 0;
	struct ps_row *r = run->row;
	cl_event event = NULL;
	cl_int code;

	code = clEnqueueFillBuffer(r->queue, w->now, &zero, 1, valid, w->bytes - valid, 0, NULL, &event);
	if (code)
		return fail_call(
			run, code, "clEnqueueFillBuffer", stage_of(run, r->stage)->type.ports[port].name);
	keep(run, PS_ROW_CLEARS, port, event, NULL, 0);
	return 0;
}

/* A window that the stage has written: to the host, if any but the run's own stages read it. */
static int hand_on_output(struct run *run, const struct pstk_firing *f, unsigned port)
{
	struct ps_row_wire *w = wire_at(run, run->row->stage, port);
	const struct ps_window *window = &f->windows[port];
	size_t valid = window->valid * w->token_size;
	int err = 0;

	if (window->state != PS_WINDOW_ENDED || !valid)
		return 0;
	w->there = true;
	if (valid < w->bytes && !w->at)
		memset((unsigned char *)window->data + valid, 0, w->bytes - valid);
	if (valid < w->bytes && (w->at || (w->readers & run->mask)))
		err = clear_rest(run, w, port, valid);
	if (!err && !w->at && is_wanted(run, w))
		err = transfer(run, w, false, port, window->data, valid);
	if (!err && !w->at && run->trains)
		err = transfer(run, w, true, port, window->data, w->bytes);
	return err;
}

static int hand_on(struct run *run, const struct pstk_firing *f)
{
	int err = 0;

	for (unsigned i = 0; i < f->actor->type.port_count && !err; i++)
		if (!f->actor->ports[i].reads)
			err = hand_on_output(run, f, i);
	return err;
}

/*
 * A stage.
 */

static int launch(struct run *run, struct pstk_firing *f, cl_event *event)
{
	struct ps_cl_actor *c = f->actor->cl;

	f->rc = PSTK_AGAIN;
	for (unsigned i = 0; i < f->actor->type.port_count; i++) {
		c->valids[i] = f->windows[i].valid;
		f->windows[i].state = PS_WINDOW_ENDED;
	}
	f->open = 0;
	c->steps = f->steps;
	return ps_cl_actor_launch(c, f->ran, event) ? take_fault(run, &c->fault) : 0;
}

/* What fire_cl() has done wrong, or says itself. */
static int refuse_firing(struct run *run, const struct pstk_firing *f, int err)
{
	char reason[64];

	run->own = true;
	return ps_cl_refuse(&run->fault, err, "fire_cl(): %.255s",
		f->misuse[0] ? f->misuse
		: f->text[0] ? f->text
			     : ps_strerror(err, reason, sizeof reason));
}

/* fire_cl(), whatever it enqueues; an event behind all of it also when it fails, so that drain() can wait for that. */
static int run_host_code(struct run *run, struct pstk_firing *f, cl_event *event)
{
	struct pstk_actor *a = f->actor, *former;
	struct pstk_firing *outer = ps_firing_current;
	struct ps_cl_actor *c = a->cl;
	int err, left;

	if (ps_cl_actor_enter(c))
		return take_fault(run, &c->fault);
	former = ps_actor_enter(a);
	ps_firing_current = f;
	f->text[0] = 0;
	f->in_fire_cl = true;
	f->rc = a->type.fire_cl(f);
	err = ps_firing_check(f);
	f->in_fire_cl = false;
	ps_firing_current = outer;
	ps_actor_leave(former);
	left = ps_cl_actor_leave(c, f->ran, event);
	if (err)
		return refuse_firing(run, f, err);
	return left ? take_fault(run, &c->fault) : 0;
}

static int fire(struct run *run, struct pstk_firing *f)
{
	struct ps_cl_actor *c = f->actor->cl;
	uint64_t begin = run->alone ? ps_clock_ns() : 0;
	cl_event event = NULL;
	int err;

	ps_cl_actor_begin(c);
	err = f->actor->type.fire_cl ? run_host_code(run, f, &event) : launch(run, f, &event);
	if (event)
		keep(run, PS_ROW_FIRES, 0, event, NULL, 0);
	return err || !run->alone ? err : settle(run, begin, &run->times->stage[run->row->stage]);
}

static int enqueue_stage(struct run *run, unsigned k)
{
	struct pstk_firing *f = run->item->take(run->item->data, k);
	int err;

	run->row->stage = k;
	if (!f)
		return 0;
	if (!run->began)
		look_at_token(run, f);
	run->began = true;
	run->partly = run->partly && f->actor->type.token_bytes;
	err = bring(run, f);
	if (!err)
		err = give(run, f);
	if (!err)
		err = fire(run, f);
	return err ? err : hand_on(run, f);
}

/*
 * The run.
 */

static bool is_in_front(const struct ps_row_wire *w, unsigned k)
{
	bool written = w->writer == PS_ROW_BORDER || w->writer < k;

	return written && (w->leaves || w->readers >> k);
}

static void sum_fronts(const struct ps_row *r, struct ps_row_times *times)
{
	for (unsigned k = 0; k <= r->pipeline->stage_count; k++) {
		times->to_device[k] = times->to_host[k] = 0;
		for (unsigned i = 0; i < r->wire_count; i++) {
			const struct ps_row_wire *w = &r->wires[i];

			times->to_device[k] += is_in_front(w, k) ? w->up_ns : 0;
			times->to_host[k] += is_in_front(w, k) ? w->down_ns : 0;
		}
	}
}

static int enqueue_all(struct run *run, unsigned first, unsigned count)
{
	int err = 0, flushed;

	ps_cl_serial_lock();
	for (unsigned k = first; k < first + count && !err; k++)
		err = enqueue_stage(run, k);
	if (!err)
		err = take_back(run);
	flushed = flush(
		run); /* after a failure too: a driver may begin nothing before, and drain() waits for it */
	ps_cl_serial_unlock();
	return err ? err : flushed;
}

/* A call has failed. What was enqueued before it may have failed meanwhile: the queue is in order, so that is the
 * cause. */
static int find_cause(struct run *run, int err)
{
	const struct ps_cl_fault fault = run->fault;
	const unsigned stage = run->row->stage;

	run->fault = (struct ps_cl_fault){ 0 };
	if (look(run) == PS_CL_EVENT_FAILED) {
		run->own = false;
		return run->fault.err;
	}
	run->fault = fault;
	run->row->stage = stage;
	return err;
}

/* All is through. */
static void complete(struct run *run)
{
	struct ps_row *r = run->row;

	for (unsigned i = 0; i < r->command_count; i++)
		if (r->commands[i].act == PS_ROW_FIRES)
			ps_cl_actor_time(stage_of(run, r->commands[i].stage)->cl);
	ps_cl_row_forget(r);
	for (unsigned i = 0; i < r->window_count; i++)
		r->windows[i].away = false;
	if (run->trains)
		sum_fronts(r, run->times);
}

/* So it stays: what is in flight of this run may be in the buffers' way. */
static void break_down(struct run *run, int err)
{
	struct ps_row *r = run->row;

	r->err = err;
	r->failed = r->stage;
	snprintf(r->text, sizeof r->text, "%s", err == -ECANCELED ? "the network is over" : run->fault.text);
	if (err != -ECANCELED && !run->own)
		atomic_store(r->commands_failed, true);
}

bool ps_row_broken(const struct ps_row *r)
{
	return r->err && r->err != -ECANCELED;
}

int ps_row_run(struct ps_row *r, const struct ps_row_item *item, unsigned first, unsigned count,
	struct ps_row_times *times, char text[PS_TEXT_SIZE], unsigned *failed)
{
	struct run run = { .row = r,
		.item = item,
		.alone = times,
		.trains = times && !times->stages_only,
		.times = times,
		.mask = ((1u << count) - 1) << first };
	int err;

	for (unsigned i = 0; i < r->wire_count; i++) {
		r->wires[i].there = false;
		r->wires[i].at = NULL;
	}
	if (!r->err) {
		err = enqueue_all(&run, first, count);
		err = err ? find_cause(&run, err) : wait_for_all(&run);
		if (!err) {
			complete(&run);
			return 0;
		}
		break_down(&run, err);
	}
	memcpy(text, r->text, sizeof r->text);
	*failed = r->failed;
	return r->err;
}
