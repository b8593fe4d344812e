/* SPDX-License-Identifier: MIT */
/* Streams: DAL_read() and DAL_write(). */
#include "benchmarks/dal/baseline_calls.h"

#include <string.h>

/* The whole tokens that len bytes are; -1: they aren't. */
static int64_t tokens_of(struct baseline_process *p, const char *call, const struct baseline_port *port,
	const void *buf, int len)
{
	size_t size = port->channel->token_size;

	if (p->definition->ports)
		baseline_wrong(p,
			"%s(\"%s\"): its program says that it uses windows only (struct pstk_dal_port)", call,
			port->name);
	else if (port->data && !port->over)
		baseline_wrong(
			p, "%s(\"%s\") while a window of it is open: end that first", call, port->name);
	else if (len < 0 || (size_t)len % size)
		baseline_wrong(p, "%s(\"%s\") of %d bytes: the channel's tokens have %zu, take whole tokens",
			call, port->name, len, size);
	else if (len && !buf)
		baseline_wrong(p, "%s(\"%s\") with NULL for its bytes", call, port->name);
	return p->err ? -1 : (int64_t)((size_t)len / size);
}

static uint64_t least(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/* Up to n tokens that are there; 0: the stream has ended. Waits for as many as it will take, which is less
 * often than for one at a time. */
static uint64_t read_some(struct baseline_process *p, struct baseline_channel *c, char *to, uint64_t n)
{
	uint64_t there, span, wanted = least(n, baseline_reachable(c));
	const char *from;

	for (;;) {
		struct baseline_patience patience = baseline_patience(p);
		bool closed = atomic_load(&c->closed);

		there = baseline_readable(c);
		if (there >= wanted || (there && closed))
			break;
		if (closed || atomic_load(&p->over))
			return 0;
		baseline_wait(p, c, true, wanted, patience);
	}
	from = baseline_read_at(c, &span);
	n = least(n, least(there, span));
	memcpy(to, from, n * c->token_size);
	baseline_begin_read(c, n);
	baseline_end_read(c, n);
	return n;
}

/* Room for one token is enough: the reader may wait for just that one. */
static uint64_t write_some(
	struct baseline_process *p, struct baseline_channel *c, const char *from, uint64_t n)
{
	uint64_t room, span;
	char *to;

	for (;;) {
		struct baseline_patience patience = baseline_patience(p);

		if (atomic_load(&p->over))
			return 0;
		if (atomic_load(&c->unwanted))
			return n;
		room = baseline_writable(c);
		if (room)
			break;
		baseline_wait(p, c, false, 1, patience);
	}
	to = baseline_write_at(c, &span);
	n = least(n, least(room, span));
	memcpy(to, from, n * c->token_size);
	baseline_mirror(c, to, n);
	baseline_begin_write(c, n);
	baseline_end_write(c, n);
	return n;
}

int DAL_read(const void *port_name, void *buf, int len, DALProcess *dal)
{
	struct baseline_process *p = baseline_process_of(dal);
	struct baseline_port *port = p ? baseline_port_of(p, "DAL_read", port_name, true) : NULL;
	int64_t tokens = port ? tokens_of(p, "DAL_read", port, buf, len) : -1, done = 0;
	int got = 0;

	while (done < tokens && !p->ended) {
		uint64_t n = read_some(p, port->channel,
			(char *)buf + (size_t)done * port->channel->token_size, (uint64_t)(tokens - done));

		p->ended = !n;
		done += (int64_t)n;
	}
	if (done)
		got = (int)((size_t)done * port->channel->token_size);
	/* processes that were written for DAL don't look at what it returns: let them go on with zeros */
	if (buf && len > got)
		memset((char *)buf + got, 0, (size_t)(len - got));
	return got;
}

int DAL_write(const void *port_name, const void *buf, int len, DALProcess *dal)
{
	struct baseline_process *p = baseline_process_of(dal);
	struct baseline_port *port = p ? baseline_port_of(p, "DAL_write", port_name, false) : NULL;
	int64_t tokens = port ? tokens_of(p, "DAL_write", port, buf, len) : -1, done = 0;

	while (done < tokens && !p->ended) {
		uint64_t n = write_some(p, port->channel,
			(const char *)buf + (size_t)done * port->channel->token_size,
			(uint64_t)(tokens - done));

		p->ended = !n;
		done += (int64_t)n;
	}
	return done ? (int)((size_t)done * port->channel->token_size) : 0;
}
