/* SPDX-License-Identifier: MIT */
/* Windows: DAL_read_begin() and its sisters, with copies or without. */
#include "benchmarks/dal/baseline_calls.h"

#include <string.h>

/* Is this the channel's window, and not one of another size? */
static bool fits(struct baseline_process *p, const char *call, const struct baseline_port *port,
	size_t token_size, unsigned rate)
{
	const struct baseline_channel *c = port->channel;
	bool says = p->definition->ports != NULL;

	if (port->over && says)
		baseline_wrong(p, "%s(\"%s\"): its window was ended in this fire", call, port->name);
	else if (rate != c->rate || token_size != c->token_size)
		baseline_wrong(p, "%s(\"%s\") of %u tokens of %zu bytes: its windows have %u of %zu%s", call,
			port->name, rate, token_size, c->rate, c->token_size,
			says ? "" : " (struct pstk_dal_port tells rates)");
	else if ((port->input ? c->got : c->put) % c->rate)
		baseline_wrong(p, "%s(\"%s\") amid a window of which tokens were moved one by one", call,
			port->name);
	return !p->err;
}

/* Of a process that has not said its ports: waits for this one's. false: the stream has ended. */
static bool take(struct baseline_process *p, struct baseline_port *port)
{
	struct baseline_channel *c = port->channel;

	for (;;) {
		struct baseline_patience patience = baseline_patience(p);
		bool closed = atomic_load(&c->closed);

		if (atomic_load(&p->over) && !port->input)
			return false;
		if (port->input ? baseline_readable(c) >= (closed ? 1 : c->rate)
				: atomic_load(&c->unwanted) || baseline_writable(c) >= c->rate)
			break;
		if (closed || atomic_load(&p->over))
			return false;
		baseline_wait(p, c, port->input, c->rate, patience);
	}
	if (port->input)
		baseline_open_read(port);
	else
		baseline_open_write(port);
	return true;
}

/* The process sees its window. false: there will be none. */
static bool begin(struct baseline_process *p, struct baseline_port *port)
{
	const struct baseline_channel *c = port->channel;
	size_t valid;

	if (!p->definition->ports && !take(p, port)) {
		p->ended = true;
		return false;
	}
	port->data = port->own ? port->own : port->place;
	port->ended = 0;
	port->over = false;
	if (!port->input)
		return true;
	valid = (size_t)port->valid * c->token_size;
	if (port->own)
		memcpy(port->own, port->place, valid);
	memset(port->data + valid, 0, (c->rate - port->valid) * c->token_size);
	return true;
}

/* After a wrong call something to come to the end of fire with; NULL where the stream has ended. */
static void *no_window(struct baseline_process *p, bool input, size_t token_size, uint64_t tokens)
{
	return p && p->err ? ps_dal_scratch(&p->scratch, input, token_size, tokens) : NULL;
}

void *DAL_read_window(const void *name, size_t token_size, unsigned rate, DALProcess *dal)
{
	struct baseline_process *p = baseline_process_of(dal);
	struct baseline_port *port = p ? baseline_port_of(p, "DAL_read_begin", name, true) : NULL;

	if (!port || p->ended || !fits(p, "DAL_read_begin", port, token_size, rate))
		return no_window(p, true, token_size, rate);
	if (port->data && !port->over) {
		baseline_wrong(p, "DAL_read_begin(\"%s\") twice: end the window first", port->name);
		return no_window(p, true, token_size, rate);
	}
	return begin(p, port) ? port->data : NULL;
}

/* Is there an open window to be ended? */
static bool is_open(struct baseline_process *p, const char *call, const struct baseline_port *port,
	const char *begin_call)
{
	if (!port)
		return false;
	if (port->data && !port->over)
		return true;
	/* a process that was given NULL may end it all the same */
	if (!p->ended)
		baseline_wrong(p, "%s(\"%s\") without %s()", call, port->name, begin_call);
	return false;
}

void DAL_read_window_end(const void *name, DALProcess *dal)
{
	struct baseline_process *p = baseline_process_of(dal);
	struct baseline_port *port = p ? baseline_port_of(p, "DAL_read_end", name, true) : NULL;

	if (is_open(p, "DAL_read_end", port, "DAL_read_begin"))
		baseline_end_input(port);
}

void *DAL_write_window(const void *name, size_t token_size, unsigned rate, unsigned block_size,
	unsigned block, DALProcess *dal)
{
	struct baseline_process *p = baseline_process_of(dal);
	struct baseline_port *port = p ? baseline_port_of(p, "DAL_write_begin", name, false) : NULL;

	if (!port || p->ended || !fits(p, "DAL_write_begin", port, token_size, rate))
		return no_window(p, false, token_size, block_size > rate ? block_size : rate);
	if ((uint64_t)block_size * port->blocks != rate || block >= port->blocks) {
		baseline_wrong(p,
			"DAL_write_begin(\"%s\"), block %u of %u tokens: its windows have %u blocks of %u",
			port->name, block, block_size, port->blocks, rate / port->blocks);
		return no_window(p, false, token_size, block_size > rate ? block_size : rate);
	}
	if ((!port->data || port->over) && !begin(p, port))
		return NULL;
	return port->data + (size_t)block * block_size * token_size;
}

void DAL_write_window_end(const void *name, DALProcess *dal)
{
	struct baseline_process *p = baseline_process_of(dal);
	struct baseline_port *port = p ? baseline_port_of(p, "DAL_write_end", name, false) : NULL;

	if (is_open(p, "DAL_write_end", port, "DAL_write_begin") && ++port->ended == port->blocks)
		baseline_end_output(p, port);
}
