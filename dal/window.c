/* SPDX-License-Identifier: MIT */
/* Windows: DAL_read_begin() and its sisters, on the FIFO's own memory. */
#include "dal/process.h"

/* Is this the channel's window, and not one of another size? */
static bool fits(struct ps_dal_run *run, const char *call, unsigned port, size_t token_size, unsigned rate)
{
	uint32_t has = pstk_actor_port_rate(run->self, port);
	size_t size = run->actor->sockets[port].token_size;
	const char *name = run->type->ports[port].name;

	if (run->windows[port].over && !run->type->kahn)
		ps_dal_wrong(run, "%s(\"%s\"): its window was ended in this fire", call, name);
	else if (rate != has || token_size != size)
		ps_dal_wrong(run, "%s(\"%s\") of %u tokens of %zu bytes: its windows have %u of %zu%s", call,
			name, rate, token_size, has, size,
			run->type->kahn ? " (struct pstk_dal_port tells rates)" : "");
	return !run->err;
}

/* What a call gives for which there is no window: after a wrong one something to come to the end of fire with, and NULL
 * where the stream has ended. */
static void *no_window(struct ps_dal_run *run, bool input, size_t token_size, uint64_t tokens)
{
	return run && run->err ? ps_dal_scratch(&run->scratch, input, token_size, tokens) : NULL;
}

static struct ps_dal_window *begin(struct ps_dal_run *run, unsigned port, void *data)
{
	struct ps_dal_window *w = &run->windows[port];

	/* only a kahn actor gets NULL: its stream has ended */
	run->over = run->over || !data;
	*w = (struct ps_dal_window){ .data = data, .rate = pstk_actor_port_rate(run->self, port) };
	return w;
}

void *DAL_read_window(const void *port, size_t token_size, unsigned rate, DALProcess *p)
{
	struct ps_dal_run *run = ps_dal_run_of(p);
	int number = run ? ps_dal_port_of(run, "DAL_read_begin", port, PSTK_INPUT) : -1;
	struct ps_dal_window *w;

	if (number < 0 || run->over || !fits(run, "DAL_read_begin", (unsigned)number, token_size, rate))
		return no_window(run, true, token_size, rate);
	w = &run->windows[number];
	if (w->data && !w->over) {
		ps_dal_wrong(run, "DAL_read_begin(\"%s\") twice: end the window first",
			run->type->ports[number].name);
		return no_window(run, true, token_size, rate);
	}
	return begin(
		run, (unsigned)number, (void *)(uintptr_t)pstk_fifo_read_start(run->firing, (unsigned)number))
	        ->data;
}

/* The open window of a call that ends it; NULL: there is none. */
static struct ps_dal_window *open_window(
	struct ps_dal_run *run, const char *call, int port, const char *begin_call)
{
	struct ps_dal_window *w = port < 0 ? NULL : &run->windows[port];

	if (!w || (w->data && !w->over))
		return w;
	/* a process that was given NULL may end it all the same */
	if (!run->over)
		ps_dal_wrong(run, "%s(\"%s\") without %s()", call, run->type->ports[port].name, begin_call);
	return NULL;
}

void DAL_read_window_end(const void *port, DALProcess *p)
{
	struct ps_dal_run *run = ps_dal_run_of(p);
	int number = run ? ps_dal_port_of(run, "DAL_read_end", port, PSTK_INPUT) : -1;
	struct ps_dal_window *w = open_window(run, "DAL_read_end", number, "DAL_read_begin");

	if (!w)
		return;
	pstk_fifo_read_end(run->firing, (unsigned)number);
	w->over = true;
}

void *DAL_write_window(const void *port, size_t token_size, unsigned rate, unsigned block_size,
	unsigned block, DALProcess *p)
{
	struct ps_dal_run *run = ps_dal_run_of(p);
	int number = run ? ps_dal_port_of(run, "DAL_write_begin", port, PSTK_OUTPUT) : -1;
	struct ps_dal_window *w;
	uint32_t blocks;

	if (number < 0 || run->over || !fits(run, "DAL_write_begin", (unsigned)number, token_size, rate))
		return no_window(run, false, token_size, block_size > rate ? block_size : rate);
	w = &run->windows[number];
	blocks = run->actor->sockets[number].blocks;
	if ((uint64_t)block_size * blocks != rate || block >= blocks) {
		ps_dal_wrong(run,
			"DAL_write_begin(\"%s\"), block %u of %u tokens: its windows have %u blocks of %u",
			run->type->ports[number].name, block, block_size, blocks, rate / blocks);
		return no_window(run, false, token_size, block_size > rate ? block_size : rate);
	}
	if (!w->data || w->over)
		w = begin(run, (unsigned)number, pstk_fifo_write_start(run->firing, (unsigned)number));
	return w->data ? w->data + (size_t)block * block_size * token_size : NULL;
}

void DAL_write_window_end(const void *port, DALProcess *p)
{
	struct ps_dal_run *run = ps_dal_run_of(p);
	int number = run ? ps_dal_port_of(run, "DAL_write_end", port, PSTK_OUTPUT) : -1;
	struct ps_dal_window *w = open_window(run, "DAL_write_end", number, "DAL_write_begin");

	if (!w || ++w->ended < run->actor->sockets[number].blocks)
		return;
	pstk_fifo_write_end(run->firing, (unsigned)number);
	w->over = true;
}
