/* SPDX-License-Identifier: MIT */
#include "dal/process.h"

#include "dal/checkpoint.h"
#include "dal/handle.h"

#include <errno.h>
#include <sched.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* Fires without a port, one after the other, until a process counts as idle for ever though there may be
 * tokens that it could read: far more than a process needs that only counts something down. */
enum { IDLE_FIRES = 16384 };

static void begin(struct ps_dal_run *run, DALProcess *p, struct pstk_actor *self, struct pstk_firing *firing)
{
	const struct pstk_dal_process *process;

	run->self = self;
	run->type = pstk_actor_get_type(self);
	run->actor = pstk_actor_arg(self);
	run->firing = firing;
	run->finishing = run->touched = run->over = false;
	run->err = 0;
	run->next = 0;
	run->scratch = (struct ps_dal_scratch){ .calls = 0 };
	memset(run->windows, 0, run->type->port_count * sizeof run->windows[0]);
	process = run->actor->process;
	*p = (DALProcess){ .local = pstk_actor_state(self),
		.init = process->init,
		.fire = process->fire,
		.finish = process->finish,
		.wptr = run };
}

struct ps_dal_run *ps_dal_run_of(const DALProcess *p)
{
	return p ? p->wptr : NULL;
}

struct ps_dal_checkpoint **ps_dal_checkpoints_of(const DALProcess *p)
{
	struct ps_dal_run *run = ps_dal_run_of(p);

	return run && !run->type->stateless ? &run->actor->checkpoints : NULL;
}

struct ps_dal_actor *ps_dal_actor_of(const struct pstk_actor *actor)
{
	const struct pstk_actor_type *type = pstk_actor_get_type(actor);

	return type && type->init == ps_dal_init ? pstk_actor_arg(actor) : NULL;
}

int ps_dal_init(struct pstk_actor *self)
{
	struct ps_dal_run run;
	DALProcess p;

	begin(&run, &p, self, NULL);
	if (p.init)
		p.init(&p);
	ps_dal_scratch_free(&run.scratch);
	/* finish() isn't called then */
	if (run.err)
		ps_dal_forget(&run.actor->checkpoints);
	return run.err;
}

int ps_dal_finish(struct pstk_actor *self)
{
	struct ps_dal_run run;
	DALProcess p;

	begin(&run, &p, self, NULL);
	run.finishing = true;
	if (p.finish)
		p.finish(&p);
	ps_dal_scratch_free(&run.scratch);
	ps_dal_forget(&run.actor->checkpoints);
	return run.err;
}

/* Has each input's writer ended, and all been read? */
static bool has_read_all(const struct ps_dal_run *run)
{
	bool inputs = false;

	for (unsigned p = 0; p < run->type->port_count; p++) {
		struct pstk_fifo_info info;

		if (run->type->ports[p].kind != PSTK_INPUT)
			continue;
		inputs = true;
		if (pstk_fifo_get_info(run->actor->sockets[p].fifo, &info) || !info.closed || info.fill)
			return false;
	}
	return inputs;
}

static bool is_source(const struct pstk_actor *actor)
{
	const struct pstk_actor_type *type = pstk_actor_get_type(actor);

	for (unsigned p = 0; p < type->port_count; p++)
		if (type->ports[p].kind != PSTK_OUTPUT)
			return false;
	return true;
}

/* Does nothing new come into the network any more? */
static bool sources_have_ended(const struct pstk_network *net)
{
	bool sources = false;

	for (unsigned i = 0; i < pstk_network_fifo_count(net); i++) {
		struct pstk_fifo_info info;

		if (pstk_fifo_get_info(pstk_network_fifo(net, i), &info) || !is_source(info.src))
			continue;
		sources = true;
		if (!info.closed)
			return false;
	}
	return sources;
}

/* DAL's processes fire until the application stops, some without a look at their ports when they have had
 * enough. Then a process that writes to such a port waits for ever. So a process ends here that has nothing to
 * look at, and at the end of the application one that does not look. */
static bool is_through(struct ps_dal_run *run)
{
	if (run->actor->idle < IDLE_FIRES)
		run->actor->idle++;
	sched_yield();
	if (has_read_all(run))
		return true;
	return run->actor->idle == IDLE_FIRES &&
	       (atomic_load(&run->actor->stopped) || sources_have_ended(pstk_actor_network(run->self)));
}

int ps_dal_fire(struct pstk_firing *firing)
{
	struct ps_dal_run run;
	DALProcess p;

	begin(&run, &p, pstk_firing_actor(firing), firing);
	p.fire(&p);
	ps_dal_scratch_free(&run.scratch);
	if (run.err)
		return run.err;
	for (unsigned i = 0; i < run.type->port_count; i++) {
		if (run.windows[i].data && !run.windows[i].over)
			ps_dal_wrong(&run, "fire() has left a window of port '%s' open: end it",
				run.type->ports[i].name);
	}
	if (run.touched)
		run.actor->idle = 0;
	else if (!run.err && is_through(&run))
		return PSTK_DONE;
	return run.err;
}

int ps_dal_fire_windows(struct pstk_firing *firing)
{
	struct ps_dal_run run;
	DALProcess p;

	begin(&run, &p, pstk_firing_actor(firing), firing);
	p.fire(&p);
	ps_dal_scratch_free(&run.scratch);
	for (unsigned i = 0; i < run.type->port_count && !run.err; i++) {
		if (!run.windows[i].over)
			ps_dal_wrong(&run,
				"fire() has not %s a window of port '%s': each port's is begun and ended in "
				"each fire",
				run.windows[i].data ? "ended" : "begun", run.type->ports[i].name);
	}
	return run.err;
}

void ps_dal_wrong(struct ps_dal_run *run, const char *format, ...)
{
	char text[200];
	va_list args;

	if (run->err)
		return;
	va_start(args, format);
	vsnprintf(text, sizeof text, format, args);
	va_end(args);
	run->err = pstk_actor_error(run->self, -EINVAL, "%s", text);
	run->over = true;
}

int ps_dal_port_of(struct ps_dal_run *run, const char *call, const void *port, enum pstk_port_kind kind)
{
	unsigned count = run->type->port_count;
	char buffer[16];
	const char *name = ps_dal_port_name(port, buffer);

	if (run->err)
		return -1;
	if (!run->firing) {
		ps_dal_wrong(run, "%s(\"%s\") in init or finish: ports move only in fire", call, name);
		return -1;
	}
	run->touched = true;
	for (unsigned i = 0; i < count; i++) {
		unsigned p = (run->next + i) % count;

		if (strcmp(run->type->ports[p].name, name) != 0)
			continue;
		if (run->type->ports[p].kind != kind)
			break;
		run->next = p + 1;
		return (int)p;
	}
	ps_dal_wrong(run, "%s(\"%s\"): the process network gives it no such %s", call, name,
		kind == PSTK_INPUT ? "input" : "output");
	return -1;
}

int DAL_getIndex(int dimension, DALProcess *p)
{
	struct ps_dal_run *run = ps_dal_run_of(p);

	if (!run || dimension < 0 || (unsigned)dimension >= run->actor->index_count)
		return -1;
	return run->actor->indices[dimension];
}
