/* SPDX-License-Identifier: MIT */
#include "actors/common/branches.h"
#include "actors/common/strips.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char common[] =
#include "actors/common/branches.clh"
	;

enum {
	NAME_ROOM = 8,   /* "im2047" */
	PARAM_ROOM = 80, /* characters of PORTS for a branch */
	MACROS_ROOM = 64 /* beyond the branches' */
};

/* What a type needs memory for, until pstk_network_add() has copied it. */
struct built {
	struct pstk_port *ports;
	unsigned port_count;
	char (*names)[NAME_ROOM]; /* two a branch */
	char *source;
	size_t source_size;
};

int ps_branches_no_memory(struct pstk_network *net, const char *name)
{
	return pstk_network_refuse(net, -ENOMEM, "'%s': out of memory", name ? name : "");
}

int ps_branches_check(
	struct pstk_network *net, const char *name, const char *type, unsigned count, bool dynamic)
{
	unsigned most = dynamic ? PSTK_MAX_BRANCHES : PS_BRANCHES_MAX;

	name = name ? name : "";
	if (!count)
		return pstk_network_refuse(
			net, -EINVAL, "'%s': no branch for the %s: give it at least one", name, type);
	if (count > most && dynamic)
		return pstk_network_refuse(net, -EINVAL,
			"'%s': %u branches for the %s: with a control port it has at most %u", name, count,
			type, most);
	if (count > most)
		return pstk_network_refuse(net, -EINVAL, "'%s': %u branches for the %s: it has at most %u",
			name, count, type, most);
	return 0;
}

static void make_port(struct built *b, const char *name, bool input, bool dynamic)
{
	static const enum pstk_port_kind kinds[2][2] = { { PSTK_OUTPUT, PSTK_DYNAMIC_OUTPUT },
		{ PSTK_INPUT, PSTK_DYNAMIC_INPUT } };

	b->ports[b->port_count++] = (struct pstk_port){
		.name = name,
		.kind = kinds[input][dynamic],
		.token_size = sizeof(float),
		.token_type = "f32",
		.rate = 1,
	};
}

static void make_ports(struct built *b, const struct ps_branches *of)
{
	make_port(b, "re", !of->inputs, false);
	make_port(b, "im", !of->inputs, false);
	for (unsigned i = 0; i < of->count; i++) {
		char *re = b->names[2 * i], *im = b->names[2 * i + 1];

		snprintf(re, NAME_ROOM, "re%hu", (unsigned short)(i + 1));
		snprintf(im, NAME_ROOM, "im%hu", (unsigned short)(i + 1));
		make_port(b, re, of->inputs, of->dynamic);
		make_port(b, im, of->inputs, of->dynamic);
	}
	if (of->dynamic)
		b->ports[b->port_count++] = (struct pstk_port){ .name = "active", .kind = PSTK_CONTROL };
}

static void write_source(struct built *b, const struct ps_branches *of)
{
	struct ps_kernel_text text = { b->source, b->source_size };
	const char *constant = of->inputs ? "const " : "";

	ps_kernel_print(&text, "#define PORTS");
	for (unsigned i = 1; i <= of->count; i++)
		ps_kernel_print(
			&text, " __global %sfloat *re%u, __global %sfloat *im%u,", constant, i, constant, i);
	ps_kernel_print(&text, "\n#define TERMS");
	of->terms(&text, of->arg);
	ps_kernel_print(&text, "\n%s%s", common, of->kernel);
}

static bool build(struct built *b, const struct ps_branches *of)
{
	b->source_size = of->count * (size_t)(PARAM_ROOM + PS_BRANCHES_TERM) + MACROS_ROOM + sizeof common +
	                 strlen(of->kernel);
	b->ports = calloc(2 * (size_t)of->count + 3, sizeof *b->ports);
	b->names = calloc(2 * (size_t)of->count, sizeof *b->names);
	b->source = calloc(b->source_size, 1);
	if (!b->ports || !b->names || !b->source)
		return false;
	make_ports(b, of);
	write_source(b, of);
	return true;
}

/* Pure. */
static int control(struct pstk_firing *f, uint32_t value)
{
	const uint32_t *count = pstk_actor_arg(pstk_firing_actor(f));

	for (unsigned b = 0; b < *count; b++) {
		pstk_port_enable(f, PS_BRANCH_RE(b), value >> b & 1);
		pstk_port_enable(f, PS_BRANCH_IM(b), value >> b & 1);
	}
	return 0;
}

struct pstk_actor *ps_branches_add(struct pstk_network *net, const char *name, const struct ps_branches *of)
{
	struct built b = { 0 };
	struct pstk_actor *actor = NULL;

	if (build(&b, of)) {
		const struct pstk_kernel kernel = { .source = b.source, .name = of->type };

		actor = pstk_network_add(net, name,
			PSTK_ACTOR_TYPE(.name = of->type, .ports = b.ports, .port_count = b.port_count,
				.params = of->params, .param_count = of->param_count,
				.arg_size = of->arg_size, .control = of->dynamic ? control : NULL,
				.control_values = of->dynamic ? UINT32_C(1) << of->count : 0,
				.stateless = true, .init = of->init, .fire = of->fire, .kernel = &kernel),
			of->arg);
	} else {
		ps_branches_no_memory(net, name);
	}
	free(b.ports);
	free(b.names);
	free(b.source);
	return actor;
}

int ps_branches_init(struct pstk_actor *self)
{
	int err = ps_strips_set_work_size(self, PS_BRANCHES_RE);

	return err ? err : pstk_actor_set_arg(self, 0, sizeof(uint32_t), PSTK_ARG_VALID(PS_BRANCHES_RE));
}

static float *start(struct pstk_firing *f, unsigned port, bool input)
{
	return input ? (float *)pstk_fifo_read_start(f, port) : pstk_fifo_write_start(f, port);
}

/* Of the branches; the one signal is the contrary. */
static bool branches_are_inputs(const struct pstk_actor *self)
{
	enum pstk_port_kind kind = pstk_actor_get_type(self)->ports[PS_BRANCHES_RE].kind;

	return kind == PSTK_OUTPUT;
}

void ps_branches_start(struct pstk_firing *f, struct ps_branch *one, struct ps_branch *branches)
{
	struct pstk_actor *self = pstk_firing_actor(f);
	const uint32_t *count = pstk_actor_arg(self);
	bool inputs = branches_are_inputs(self);

	one->re = start(f, PS_BRANCHES_RE, !inputs);
	one->im = start(f, PS_BRANCHES_IM, !inputs);
	for (unsigned b = 0; b < *count; b++) {
		bool on = pstk_port_enabled(f, PS_BRANCH_RE(b));

		branches[b].re = on ? start(f, PS_BRANCH_RE(b), inputs) : NULL;
		branches[b].im = on ? start(f, PS_BRANCH_IM(b), inputs) : NULL;
	}
}

static void end(struct pstk_firing *f, unsigned port, bool input)
{
	if (input)
		pstk_fifo_read_end(f, port);
	else
		pstk_fifo_write_end(f, port);
}

void ps_branches_end(struct pstk_firing *f)
{
	struct pstk_actor *self = pstk_firing_actor(f);
	const uint32_t *count = pstk_actor_arg(self);
	bool inputs = branches_are_inputs(self);

	end(f, PS_BRANCHES_RE, !inputs);
	end(f, PS_BRANCHES_IM, !inputs);
	for (unsigned b = 0; b < *count; b++)
		if (pstk_port_enabled(f, PS_BRANCH_RE(b))) {
			end(f, PS_BRANCH_RE(b), inputs);
			end(f, PS_BRANCH_IM(b), inputs);
		}
}
