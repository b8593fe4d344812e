/* SPDX-License-Identifier: MIT */
/*
 * The kernels of actors/task: task_I_O for I inputs and O outputs, and task_spin. A loop takes a nanosecond (timed=1),
 * so a task's launch takes the time that it was given. They are made when a program first has them.
 */
#include "tests/fake_cl/fake.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PORTS_MAX = 16, NAME_ROOM = 24, ARG_ROOM = 12 };

struct task {
	struct fake_cl_kernel kernel;
	struct fake_cl_arg args[FAKE_CL_ARGS_MAX];
	char name[NAME_ROOM], arg_names[FAKE_CL_ARGS_MAX][ARG_ROOM];
};

/* What actors/task/task.h lays down. */
struct state {
	uint64_t fault[4];
	struct {
		uint64_t size, rate, delay, history;
	} ports[2 * PORTS_MAX];
};

static unsigned arg_called(const struct fake_cl_kernel *kernel, const char *name)
{
	unsigned i = 0;

	while (i < kernel->arg_count && strcmp(kernel->args[i].name, name))
		i++;
	return i;
}

static uint64_t time_of_loops(const struct fake_cl_launch *l)
{
	return *(const uint64_t *)l->arg[arg_called(l->kernel, "loops")];
}

static void check(struct state *s, unsigned port, const char *window, uint32_t valid, uint64_t firing)
{
	uint64_t first = firing * s->ports[port].rate, found;

	for (uint64_t token = first; window && token < first + valid && !s->fault[0]; token++) {
		uint64_t delay = s->ports[port].delay, wanted = token < delay ? 0 : token + 1 - delay;

		memcpy(&found, window + s->ports[port].size * (s->ports[port].history + token - first), 8);
		if (found != wanted)
			memcpy(s->fault, (uint64_t[4]){ port + 1, token, wanted, found }, sizeof(s->fault));
	}
}

static void run(const struct fake_cl_launch *l)
{
	unsigned at = arg_called(l->kernel, "state"), inputs = l->kernel->arg_count - at - 3;
	uint64_t firing = *(const uint64_t *)l->arg[at + 1];
	struct state *s = l->arg[at];

	for (unsigned p = 0; p < inputs; p++)
		check(s, p, l->arg[p], *(const uint32_t *)l->arg[at + 3 + p], firing);
	for (unsigned p = inputs; p < at; p++) {
		char *window = l->arg[p];

		for (uint64_t i = 0; window && i < s->ports[p].rate; i++)
			memcpy(window + i * s->ports[p].size,
				&(uint64_t){ firing * s->ports[p].rate + i + 1 }, 8);
	}
}

static void run_spin(const struct fake_cl_launch *l)
{
	*(uint64_t *)l->arg[0] = 1;
}

static const struct fake_cl_arg spin_args[] = { FAKE_CL_OUT("out", "ulong"),
	FAKE_CL_VALUE("loops", "ulong", 8) };
static const struct fake_cl_kernel spin = {
	.name = "task_spin", .args = spin_args, .arg_count = 2, .run = run_spin, .time = time_of_loops
};

static void add_arg(struct task *t, struct fake_cl_arg arg, const char *name, unsigned number)
{
	unsigned i = t->kernel.arg_count++;

	if (number)
		snprintf(t->arg_names[i], ARG_ROOM, "%s%u", name, number % 100);
	else
		snprintf(t->arg_names[i], ARG_ROOM, "%s", name);
	arg.name = t->arg_names[i];
	t->args[i] = arg;
}

static struct task *make(unsigned inputs, unsigned outputs)
{
	struct task *t = calloc(1, sizeof(*t));

	if (!t)
		return NULL;
	snprintf(t->name, sizeof(t->name), "task_%u_%u", inputs, outputs);
	for (unsigned p = 1; p <= inputs; p++)
		add_arg(t, (struct fake_cl_arg)FAKE_CL_IN(NULL, "uchar"), "in", p);
	for (unsigned p = 1; p <= outputs; p++)
		add_arg(t, (struct fake_cl_arg)FAKE_CL_OUT(NULL, "uchar"), "out", p);
	add_arg(t, (struct fake_cl_arg)FAKE_CL_OUT(NULL, "ulong"), "state", 0);
	add_arg(t, (struct fake_cl_arg)FAKE_CL_VALUE(NULL, "ulong", 8), "firing", 0);
	add_arg(t, (struct fake_cl_arg)FAKE_CL_VALUE(NULL, "ulong", 8), "loops", 0);
	for (unsigned p = 1; p <= inputs; p++)
		add_arg(t, (struct fake_cl_arg)FAKE_CL_VALUE(NULL, "uint", 4), "valid", p);
	t->kernel.name = t->name;
	t->kernel.args = t->args;
	t->kernel.run = run;
	t->kernel.time = time_of_loops;
	return t;
}

const struct fake_cl_kernel *fake_task_kernel(const char *name, size_t length)
{
	static struct task *made[PORTS_MAX + 1][PORTS_MAX + 1]; /* guarded by lock */
	char copy[NAME_ROOM], rest;
	unsigned inputs, outputs;

	if (length >= sizeof(copy))
		return NULL;
	memcpy(copy, name, length);
	copy[length] = 0;
	if (!strcmp(copy, "task_spin"))
		return &spin;
	if (sscanf(copy, "task_%2u_%2u%c", &inputs, &outputs, &rest) != 2 || inputs > PORTS_MAX ||
		outputs > PORTS_MAX)
		return NULL;
	if (!made[inputs][outputs])
		made[inputs][outputs] = make(inputs, outputs);
	return made[inputs][outputs] ? &made[inputs][outputs]->kernel : NULL;
}
