/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "actors/task/task.h"
#include "actors/common/kernel_text.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { NUMBER_SIZE = sizeof(uint64_t), NAME_ROOM = 8, PORT_ROOM = 160, TEXT_ROOM = 256 };

static const char body[] =
#include "actors/task/task.clh"
	;

/* -- tokens -- */

static uint64_t expected_number(const struct ps_task_port *port, uint64_t token)
{
	return token < port->delay ? 0 : token - port->delay + 1;
}

bool ps_task_check(const struct ps_task_state *s, unsigned p, const void *window, uint64_t valid,
	uint64_t firing, struct ps_task_fault *fault)
{
	const struct ps_task_port *port = &s->ports[p];

	for (uint64_t i = 0; i < valid; i++) {
		uint64_t token = firing * port->rate + i, expected = expected_number(port, token), found;

		memcpy(&found, (const char *)window + (port->history + i) * port->size, sizeof found);
		if (found == expected)
			continue;
		*fault = (struct ps_task_fault){ p + 1, token, expected, found };
		return false;
	}
	return true;
}

void ps_task_number(const struct ps_task_port *port, void *window, uint64_t firing)
{
	for (uint64_t i = 0; i < port->rate; i++) {
		uint64_t value = firing * port->rate + i + 1;

		memcpy((char *)window + i * port->size, &value, sizeof value);
	}
}

int ps_task_wrong(struct pstk_actor *self)
{
	const struct ps_task_state *s = pstk_actor_state(self);

	return pstk_actor_error(self, -EPROTO,
		"port 'in%" PRIu64 "': token %" PRIu64 " carries %" PRIu64 ", expected %" PRIu64
		": tokens were lost, doubled or mixed, or their writer is no task",
		s->fault.port, s->fault.token, s->fault.found, s->fault.expected);
}

/* -- time -- */

static uint64_t now(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

void ps_task_sleep(uint64_t ns)
{
	uint64_t end = now(CLOCK_MONOTONIC) + ns;
	struct timespec t = { (time_t)(end / 1000000000u), (long)(end % 1000000000u) };

	while (ns && clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL) == EINTR)
		;
}

/* Of this thread, however many others have the core. */
static void burn(uint64_t ns)
{
	uint64_t end = ns ? now(CLOCK_THREAD_CPUTIME_ID) + ns : 0;

	while (ns && now(CLOCK_THREAD_CPUTIME_ID) < end)
		;
}

/* -- the actor -- */

static int fire(struct pstk_firing *f)
{
	struct pstk_actor *self = pstk_firing_actor(f);
	const struct ps_task *t = pstk_actor_arg(self);
	struct ps_task_state *s = pstk_actor_state(self);
	uint64_t firing = pstk_firing_index(f);

	for (unsigned p = 0; p < t->inputs; p++)
		if (!ps_task_check(
			    s, p, pstk_fifo_read_start(f, p), pstk_port_valid(f, p), firing, &s->fault))
			return ps_task_wrong(self);
	for (unsigned p = t->inputs; p < t->inputs + t->outputs; p++)
		ps_task_number(&s->ports[p], pstk_fifo_write_start(f, p), firing);
	if (t->mode == PSTK_TASK_SLEEP)
		ps_task_sleep(s->ns);
	else
		burn(s->ns);
	for (unsigned p = 0; p < t->inputs; p++)
		pstk_fifo_read_end(f, p);
	for (unsigned p = t->inputs; p < t->inputs + t->outputs; p++)
		pstk_fifo_write_end(f, p);
	return t->count && firing + 1 >= t->count ? PSTK_DONE : PSTK_AGAIN;
}

/* Initial tokens are known of the FIFO only. */
static uint64_t delay_of(const struct pstk_actor *self, unsigned port)
{
	const struct pstk_network *net = pstk_actor_network(self);

	for (unsigned i = 0; i < pstk_network_fifo_count(net); i++) {
		struct pstk_fifo_info info;

		if (!pstk_fifo_get_info(pstk_network_fifo(net, i), &info) && info.dst == self &&
			info.dst_port == port)
			return info.delay;
	}
	return 0;
}

static int look_at_ports(struct pstk_actor *self, const struct ps_task *t, struct ps_task_state *s)
{
	for (unsigned p = 0; p < t->inputs + t->outputs; p++) {
		bool input = p < t->inputs;
		struct ps_task_port *port = &s->ports[p];

		port->size = pstk_actor_port_token_size(self, p);
		port->rate = pstk_actor_port_rate(self, p);
		port->history = pstk_actor_port_history(self, p);
		port->delay = input ? delay_of(self, p) : 0;
		if (port->size < NUMBER_SIZE)
			return pstk_actor_error(self, -EINVAL,
				"port '%s%u': tokens of %" PRIu64
				" bytes can't carry a number: give its FIFO a token size of at least %d",
				input ? "in" : "out", input ? p + 1 : p - t->inputs + 1, port->size,
				NUMBER_SIZE);
	}
	return 0;
}

static int set_args(struct pstk_actor *self, const struct ps_task *t, uint64_t loops)
{
	const size_t one = 1;
	int err = pstk_actor_set_work_size(self, 1, &one, &one);

	if (!err)
		err = pstk_actor_set_arg(self, 0, sizeof loops, &loops);
	for (unsigned p = 0; !err && p < t->inputs; p++)
		err = pstk_actor_set_arg(self, p + 1, sizeof(uint32_t), PSTK_ARG_VALID(p));
	return err;
}

static int init(struct pstk_actor *self)
{
	const struct ps_task *t = pstk_actor_arg(self);
	struct ps_task_state *s = pstk_actor_state(self);
	struct pstk_device_info device;
	uint64_t loops = 0;
	int err = look_at_ports(self, t, s);

	if (err)
		return err;
	s->ns = (uint64_t)(t->time * 1e9 + 0.5);
	if (pstk_actor_device(self, &device) || pstk_actor_get_type(self)->fire_cl)
		return 0;
#ifdef HAVE_OPENCL
	err = ps_task_loops(self, pstk_actor_get_type(self)->kernel->source, s->ns, &loops);
#endif
	return err ? err : set_args(self, t, loops);
}

/* What a kernel has found; fire() has said what it found itself. */
static int finish(struct pstk_actor *self)
{
	const struct ps_task_state *s = pstk_actor_state(self);

#ifdef HAVE_OPENCL
	ps_task_finish_cl(self);
#endif
	return s->fault.port ? ps_task_wrong(self) : 0;
}

/* -- the type, which depends on the ports -- */

/* What it needs memory for, until pstk_network_add() has copied it. */
struct built {
	struct pstk_port ports[PS_TASK_PORTS];
	char names[PS_TASK_PORTS][NAME_ROOM];
	char kernel_name[2 * NAME_ROOM];
	char source[PS_TASK_PORTS * PORT_ROOM + TEXT_ROOM + sizeof body];
};

static void write_source(struct built *b, const struct ps_task *t)
{
	struct ps_kernel_text text = { b->source, sizeof b->source };

	snprintf(b->kernel_name, sizeof b->kernel_name, "task_%u_%u", t->inputs % 100, t->outputs % 100);
	ps_kernel_print(&text, "%s\n__kernel void %s(", body, b->kernel_name);
	for (unsigned p = 1; p <= t->inputs; p++)
		ps_kernel_print(&text, "__global const uchar *in%u, ", p);
	for (unsigned p = 1; p <= t->outputs; p++)
		ps_kernel_print(&text, "__global uchar *out%u, ", p);
	ps_kernel_print(&text, "__global ulong *state, ulong firing, ulong loops");
	for (unsigned p = 1; p <= t->inputs; p++)
		ps_kernel_print(&text, ", uint valid%u", p);
	ps_kernel_print(&text, ")\n{\n");
	for (unsigned p = 1; p <= t->inputs; p++)
		ps_kernel_print(&text, "\tcheck(in%u, %u, valid%u, firing, state);\n", p, p - 1, p);
	for (unsigned p = 1; p <= t->outputs; p++)
		ps_kernel_print(&text, "\tnumber(out%u, %u, firing, state);\n", p, t->inputs + p - 1);
	ps_kernel_print(&text, "\tif (!spin(loops))\n\t\tstate[FAULT_PORT] = ~0UL;\n}\n");
}

static void write_ports(struct built *b, const struct ps_task *t)
{
	for (unsigned p = 0; p < t->inputs + t->outputs; p++) {
		bool input = p < t->inputs;

		snprintf(b->names[p], NAME_ROOM, "%s%hhu", input ? "in" : "out",
			(unsigned char)((input ? p : p - t->inputs) + 1));
		b->ports[p] =
			(struct pstk_port){ .name = b->names[p], .kind = input ? PSTK_INPUT : PSTK_OUTPUT };
	}
}

static struct pstk_actor *add(struct pstk_network *net, const char *name, struct ps_task *t, struct built *b)
{
	static const struct pstk_param params[] = {
		{ .name = "time",
			.type = "f64",
			.range = "0..1e9",
			.help = "s of a firing",
			.offset = offsetof(struct ps_task, time) },
	};

	write_ports(b, t);
	write_source(b, t);

	const struct pstk_kernel kernel = { .source = b->source, .name = b->kernel_name };
	struct pstk_actor_type type = { .struct_size = sizeof type,
		.name = "task",
		.ports = b->ports,
		.port_count = t->inputs + t->outputs,
		.params = params,
		.param_count = sizeof params / sizeof *params,
		.arg_size = sizeof *t,
		.state_size = sizeof(struct ps_task_state),
		.blocks = t->mode == PSTK_TASK_SLEEP,
		.init = init,
		.fire = fire,
		.kernel = &kernel,
		.finish = finish };

	/* without fire_cl() the state would be portable, but a kernel's loops are those of one device */
#ifdef HAVE_OPENCL
	if (t->mode == PSTK_TASK_SLEEP || t->count) {
		type.fire_cl = ps_task_fire_cl;
		type.open_place = ps_task_open_place;
		type.portable_state = true;
	}
#endif
	return pstk_network_add(net, name, &type, t);
}

static int check_spec(struct pstk_network *net, const char *name, const struct pstk_task_spec *s)
{
	name = name ? name : "";
	if (!s || s->struct_size < sizeof *s)
		return pstk_network_refuse(net, -EINVAL,
			"'%s': a task's spec without struct_size: make it by PSTK_TASK()", name);
	if (s->inputs > PSTK_TASK_PORTS_MAX || s->outputs > PSTK_TASK_PORTS_MAX || !(s->inputs + s->outputs))
		return pstk_network_refuse(net, -EINVAL,
			"'%s': %u inputs and %u outputs for a task: give it 1 to %d of one or both", name,
			s->inputs, s->outputs, PSTK_TASK_PORTS_MAX);
	if (!(s->time >= 0) || !(s->time <= 1e9))
		return pstk_network_refuse(
			net, -EINVAL, "'%s': a task's time of %g s: give it 0 or more", name, s->time);
	if (s->count && s->inputs)
		return pstk_network_refuse(net, -EINVAL,
			"'%s': a count of firings is for a task without inputs: one with inputs ends with "
			"them",
			name);
	if (s->mode < PSTK_TASK_BUSY || s->mode > PSTK_TASK_KERNEL)
		return pstk_network_refuse(
			net, -EINVAL, "'%s': no such mode of a task: %d", name, (int)s->mode);
	return 0;
}

struct pstk_actor *pstk_task_add(
	struct pstk_network *net, const char *name, const struct pstk_task_spec *spec)
{
	struct pstk_actor *actor = NULL;
	struct ps_task task;
	struct built *b;

	if (check_spec(net, name, spec))
		return NULL;
	task = (struct ps_task){ spec->inputs, spec->outputs, spec->mode, spec->time, spec->count };
	b = calloc(1, sizeof *b);
	if (b)
		actor = add(net, name, &task, b);
	else
		pstk_network_refuse(net, -ENOMEM, "'%s': out of memory", name ? name : "");
	free(b);
	return actor;
}
