/* SPDX-License-Identifier: MIT */
#include "lib/firing/kahn.h"
#include "lib/base/probe.h"
#include "lib/firing/firing_error.h"
#include "lib/firing/firing.h"
#include "lib/firing/latency.h"
#include "lib/firing/runner.h"
#include "lib/firing/tracing.h"
#include "lib/firing/windows.h"
#include "lib/model/type.h"

#include <errno.h>
#include <limits.h>
#include <string.h>

static bool is_input(const struct pstk_firing *firing, unsigned port)
{
	return ps_port_reads(firing->actor->type.ports[port].kind);
}

/* Waits until the input has a window. false: it never will. */
static bool wait_input(struct pstk_firing *firing, unsigned port)
{
	struct ps_fifo *f = &firing->actor->ports[port].fifo->fifo;

	for (;;) {
		enum ps_fifo_state state = ps_firing_peek(firing->actor->ports[port].fifo, false);

		if (state == PS_FIFO_ENDED || ps_firing_over(firing->task))
			return false;
		if (state == PS_FIFO_READY)
			return true;
		firing->waited_ns += firing->task->runner->wait(firing->task, port, &f->reader);
	}
}

/* Waits until every reader of the output has room. false: no reader wants more. */
static bool wait_output(struct pstk_firing *firing, unsigned port)
{
	struct pstk_fifo *f = firing->actor->ports[port].fifo;

	/* a partly filled window has closed the port */
	if (atomic_load(&f->fifo.closed))
		return false;
	while (f) {
		if (ps_firing_over(firing->task))
			return false;
		if (ps_firing_peek(f, true) == PS_FIFO_WAIT)
			firing->waited_ns += firing->task->runner->wait(firing->task, port, &f->fifo.writer);
		else
			f = f->next;
	}
	return !ps_firing_over(firing->task); /* the last reader may just have ended, and there is no room */
}

static bool wait_port(struct pstk_firing *firing, unsigned port)
{
	if (is_input(firing, port) ? wait_input(firing, port) : wait_output(firing, port))
		return true;
	firing->saw_end = true;
	return false;
}

bool ps_kahn_take(struct pstk_firing *firing, unsigned port)
{
	struct ps_window *w = &firing->windows[port];
	struct ps_port *p = &firing->actor->ports[port];

	if (!wait_port(firing, port))
		return false;
	*w = (struct ps_window){ .state = PS_WINDOW_TAKEN, .reads = w->reads };
	if (is_input(firing, port)) {
		w->data = (void *)ps_fifo_read_start(&p->fifo->fifo, &w->valid);
		if (firing->task->latency)
			ps_latency_took_port(firing, port);
	} else {
		ps_windows_take_output(w, p);
		w->valid = p->rate;
	}
	return true;
}

/* Windows of so many tokens are about to be moved: tells tracing, and what follows windows. */
static void note(struct pstk_firing *firing, unsigned port, uint32_t tokens)
{
	if (!is_input(firing, port))
		PS_PROBE3(publish, firing->actor->name, firing->actor->type.ports[port].name, tokens);
	if (firing->task->trace)
		ps_tracing_moves(firing, port, tokens);
	if (firing->task->latency && !is_input(firing, port) && tokens)
		ps_latency_write(firing, port, tokens);
}

void ps_kahn_end(struct pstk_firing *firing, unsigned port)
{
	uint32_t valid = firing->windows[port].valid;

	if (is_input(firing, port)) {
		note(firing, port, firing->actor->ports[port].rate);
		ps_windows_release_input(firing, port);
		if (firing->task->latency)
			ps_latency_freed(firing, port);
	} else if (!pstk_network_failed(firing->actor->network)) {
		note(firing, port, valid);
		ps_windows_publish_output(firing, port);
	}
	firing->windows[port].state = PS_WINDOW_NONE;
	ps_windows_help(firing->actor, port);
}

void ps_kahn_flush(struct pstk_firing *firing)
{
	for (unsigned p = 0; p < firing->actor->type.port_count; p++) {
		struct ps_window *w = &firing->windows[p];

		if (w->state != PS_WINDOW_COPYING || is_input(firing, p) || !w->position)
			continue;
		w->valid = w->position;
		ps_kahn_end(firing, p);
	}
}

/* Is this a port of a kahn actor between two windows, or in the middle of a copied one? */
static bool may_copy(
	struct pstk_firing *firing, unsigned port, enum pstk_port_kind kind, const void *buf, size_t n)
{
	if (firing && !firing->actor->type.kahn)
		ps_firing_misuse(firing, "pstk_fifo_%s() is for kahn actors: call pstk_fifo_%s_start()",
			kind == PSTK_INPUT ? "read" : "write", kind == PSTK_INPUT ? "read" : "write");
	if (!firing || (n && !buf) || n > INT_MAX || !firing->actor->type.kahn ||
		port >= firing->actor->type.port_count || firing->actor->type.ports[port].kind != kind)
		return false;
	return firing->windows[port].state == PS_WINDOW_NONE ||
	       firing->windows[port].state == PS_WINDOW_COPYING;
}

/* Where the next tokens of a port lie that is copied, up to *n; *n: so many. NULL: it has ended. */
static char *find_tokens(struct pstk_firing *firing, unsigned port, size_t *n)
{
	struct ps_window *w = &firing->windows[port];
	size_t left;

	if (w->state == PS_WINDOW_NONE && !ps_kahn_take(firing, port))
		return NULL;
	w->state = PS_WINDOW_COPYING;
	left = w->valid - w->position;
	*n = *n < left ? *n : left;
	return (char *)w->data + w->position * firing->actor->ports[port].fifo->fifo.layout.token_size;
}

/* n of them are copied: ends the window when it is through. */
static void pass_tokens(struct pstk_firing *firing, unsigned port, size_t n)
{
	struct ps_window *w = &firing->windows[port];

	w->position += (uint32_t)n;
	if (w->position == w->valid)
		ps_kahn_end(firing, port);
}

static size_t read_window(struct pstk_firing *firing, unsigned port, char *to, size_t n)
{
	const char *from = find_tokens(firing, port, &n);

	if (!from)
		return 0;
	memcpy(to, from, n * firing->actor->ports[port].fifo->fifo.layout.token_size);
	pass_tokens(firing, port, n);
	return n;
}

static size_t write_window(struct pstk_firing *firing, unsigned port, const char *from, size_t n)
{
	char *to = find_tokens(firing, port, &n);

	if (!to)
		return 0;
	memcpy(to, from, n * firing->actor->ports[port].fifo->fifo.layout.token_size);
	pass_tokens(firing, port, n);
	return n;
}

/* Windows of one token that lie side by side are moved at once. 0: the stream has ended. */
static size_t read_span(struct pstk_firing *firing, unsigned port, void *buf, size_t n)
{
	struct ps_fifo *f = &firing->actor->ports[port].fifo->fifo;
	const void *first;
	uint64_t span;

	if (!wait_port(firing, port))
		return 0;
	span = ps_fifo_read_span(f, n, &first);
	memcpy(buf, first, span * f->layout.token_size);
	note(firing, port, (uint32_t)span);
	ps_fifo_read_end_span(f, span);
	if (firing->task->latency) {
		ps_latency_took_port(firing, port);
		ps_latency_freed(firing, port);
	}
	ps_windows_help(firing->actor, port);
	return span;
}

/* So many of the next `most` tokens fit side by side into each memory of the output that is still read. 0: none is. */
static uint64_t find_span(const struct pstk_fifo *f, uint64_t most)
{
	uint64_t span = 0;
	void *first;

	for (; f; f = f->next) {
		uint64_t here = f->fifo.owner == &f->fifo ? ps_fifo_write_span(&f->fifo, most, &first) : 0;

		if (here)
			most = span = here;
	}
	return span;
}

/* A memory whose last reader has ended meanwhile gets none. */
static void write_everywhere(struct pstk_fifo *f, const void *buf, uint64_t span)
{
	size_t bytes = span * f->fifo.layout.token_size;
	bool is_copy = false;
	void *first;

	for (; f; f = f->next) {
		if (f->fifo.owner != &f->fifo || !ps_fifo_write_span(&f->fifo, span, &first))
			continue;
		memcpy(first, buf, bytes);
		if (is_copy)
			ps_fifo_count_copy(&f->fifo, bytes);
		is_copy = true;
		ps_fifo_write_end_span(&f->fifo, span);
	}
}

static size_t write_span(struct pstk_firing *firing, unsigned port, const void *buf, size_t n)
{
	struct pstk_fifo *f = firing->actor->ports[port].fifo;
	uint64_t span;

	if (!wait_port(firing, port))
		return 0;
	span = find_span(f, n);
	if (!span) /* the last reader has just ended: the actor is told by the next wait */
		return n;
	note(firing, port, (uint32_t)span);
	write_everywhere(f, buf, span);
	ps_windows_help(firing->actor, port);
	return span;
}

/* Spans only in plain memory and where there is no wrap copy: rate 1 never has one. */
static bool has_spans(const struct ps_fifo *f)
{
	return ps_fifo_has_spans(f) && !f->writer.ops && !f->reader.ops;
}

static bool all_have_spans(const struct pstk_fifo *f)
{
	while (f && has_spans(&f->fifo))
		f = f->next;
	return !f;
}

int pstk_fifo_read(struct pstk_firing *firing, unsigned port, void *buf, size_t n)
{
	size_t done = 0, size;
	bool spans;

	if (!may_copy(firing, port, PSTK_INPUT, buf, n))
		return -EINVAL;
	size = firing->actor->ports[port].fifo->fifo.layout.token_size;
	spans = has_spans(&firing->actor->ports[port].fifo->fifo);
	while (done < n) {
		char *to = (char *)buf + done * size;
		size_t got = spans ? read_span(firing, port, to, n - done)
		                   : read_window(firing, port, to, n - done);

		if (!got)
			break;
		done += got;
	}
	return (int)done;
}

int pstk_fifo_write(struct pstk_firing *firing, unsigned port, const void *buf, size_t n)
{
	size_t done = 0, size;
	bool spans;

	if (!may_copy(firing, port, PSTK_OUTPUT, buf, n))
		return -EINVAL;
	size = firing->actor->ports[port].fifo->fifo.layout.token_size;
	spans = all_have_spans(firing->actor->ports[port].fifo);
	while (done < n) {
		const char *from = (const char *)buf + done * size;
		size_t put;

		firing->unwritten = n - done;
		put = spans ? write_span(firing, port, from, n - done)
		            : write_window(firing, port, from, n - done);
		if (!put)
			break;
		done += put;
	}
	firing->unwritten = 0;
	return (int)done;
}
