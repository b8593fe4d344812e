/* SPDX-License-Identifier: MIT */
/* Streams: DAL_read() and DAL_write(). */
#include "dal/process.h"

#include <string.h>

/* The whole tokens that len bytes are; -1: they aren't. */
static int tokens_of(struct ps_dal_run *run, const char *call, unsigned port, const void *buf, int len)
{
	size_t size = run->actor->sockets[port].token_size;
	const char *name = run->type->ports[port].name;

	if (!run->type->kahn)
		ps_dal_wrong(run,
			"%s(\"%s\"): its program says that it uses windows only (struct pstk_dal_port)", call,
			name);
	else if (run->windows[port].data && !run->windows[port].over)
		ps_dal_wrong(run, "%s(\"%s\") while a window of it is open: end that first", call, name);
	else if (len < 0 || (size_t)len % size)
		ps_dal_wrong(run, "%s(\"%s\") of %d bytes: the channel's tokens have %zu, take whole tokens",
			call, name, len, size);
	else if (len && !buf)
		ps_dal_wrong(run, "%s(\"%s\") with NULL for its bytes", call, name);
	return run->err ? -1 : (int)((size_t)len / size);
}

int DAL_read(const void *port, void *buf, int len, DALProcess *p)
{
	struct ps_dal_run *run = ps_dal_run_of(p);
	int number = run ? ps_dal_port_of(run, "DAL_read", port, PSTK_INPUT) : -1, tokens, got = 0;

	tokens = number < 0 ? -1 : tokens_of(run, "DAL_read", (unsigned)number, buf, len);
	if (tokens > 0 && !run->over) {
		got = pstk_fifo_read(run->firing, (unsigned)number, buf, (size_t)tokens);
		run->over = got < tokens;
		got *= (int)run->actor->sockets[number].token_size;
	}
	/* processes that were written for DAL don't look at what it returns: let them go on with zeros */
	if (buf && len > got)
		memset((char *)buf + got, 0, (size_t)(len - got));
	return got;
}

int DAL_write(const void *port, const void *buf, int len, DALProcess *p)
{
	struct ps_dal_run *run = ps_dal_run_of(p);
	int number = run ? ps_dal_port_of(run, "DAL_write", port, PSTK_OUTPUT) : -1, tokens, put;

	tokens = number < 0 ? -1 : tokens_of(run, "DAL_write", (unsigned)number, buf, len);
	if (tokens <= 0 || run->over)
		return 0;
	put = pstk_fifo_write(run->firing, (unsigned)number, buf, (size_t)tokens);
	run->over = put < tokens;
	return put * (int)run->actor->sockets[number].token_size;
}
