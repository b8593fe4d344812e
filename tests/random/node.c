/* SPDX-License-Identifier: MIT */
#include "tests/random/node.h"

#include <sched.h>
#include <stdio.h>
#include <string.h>

static struct node *node_of(struct pstk_firing *f)
{
	return pstk_actor_arg(pstk_firing_actor(f));
}

/* Waits in fire() until it is let on, or the network has failed. */
static void hold(struct pstk_firing *f, struct node *n)
{
	while (n->open && atomic_load(n->open) <= atomic_load(&n->firings) &&
		!pstk_network_failed(pstk_actor_network(pstk_firing_actor(f))))
		sched_yield();
}

static void fill(struct pstk_firing *f, const struct node *n, unsigned p)
{
	uint32_t *out = pstk_fifo_write_start(f, p);
	uint32_t rate = pstk_actor_port_rate(pstk_firing_actor(f), p);

	for (uint32_t i = 0; out && i < rate; i++)
		out[i] = n->gives ? n->gives[atomic_load(&n->firings) % n->give_count] : 0;
	if (out)
		pstk_fifo_write_end(f, p);
}

static int fire(struct pstk_firing *f)
{
	struct node *n = node_of(f);
	const struct pstk_actor_type *t = pstk_actor_get_type(pstk_firing_actor(f));

	if (n->fire) {
		hold(f, n);
		if (!strcmp(n->fire, "end"))
			return PSTK_DONE;
	}
	for (unsigned p = 0; p < t->port_count; p++) {
		if (t->ports[p].kind == PSTK_CONTROL || !pstk_port_enabled(f, p))
			continue;
		if (t->ports[p].kind == PSTK_INPUT || t->ports[p].kind == PSTK_DYNAMIC_INPUT) {
			pstk_fifo_read_start(f, p);
			pstk_fifo_read_end(f, p);
		} else {
			fill(f, n, p);
		}
	}
	return atomic_fetch_add(&n->firings, 1) + 1 == n->ends ? PSTK_DONE : PSTK_AGAIN;
}

/* One port after the other, as `kahn` says. */
static int fire_kahn(struct pstk_firing *f)
{
	struct node *n = node_of(f);
	const struct pstk_actor_type *t = pstk_actor_get_type(pstk_firing_actor(f));

	if (n->fire) {
		hold(f, n);
		if (!strcmp(n->fire, "end"))
			return PSTK_DONE;
	}
	for (const char *c = n->kahn; *c; c++)
		for (unsigned p = 0; p < t->port_count; p++) {
			uint32_t token = 0;

			if (t->ports[p].name[0] != *c)
				continue;
			if (t->ports[p].kind == PSTK_INPUT)
				pstk_fifo_read(f, p, &token, 1);
			else
				pstk_fifo_write(f, p, &token, 1);
		}
	return atomic_fetch_add(&n->firings, 1) + 1 == n->ends ? PSTK_DONE : PSTK_AGAIN;
}

static int control(struct pstk_firing *f, uint32_t value)
{
	struct node *n = node_of(f);

	for (unsigned p = 0; p < pstk_actor_get_type(pstk_firing_actor(f))->port_count; p++)
		if (n->on[value % 8] >> p & 1)
			pstk_port_enable(f, p, true);
	return 0;
}

static int finish(struct pstk_actor *self)
{
	struct node *n = pstk_actor_arg(self);

	n->finished++;
	return 0;
}

static unsigned parse(const char *text, struct pstk_port *ports, char names[][32], bool *dynamic)
{
	static const char marks[] = "<>?!@";
	static const enum pstk_port_kind kinds[] = { PSTK_INPUT, PSTK_OUTPUT, PSTK_DYNAMIC_INPUT,
		PSTK_DYNAMIC_OUTPUT, PSTK_CONTROL };
	unsigned count = 0;
	int used;

	for (; sscanf(text, " %31s%n", names[count], &used) == 1; text += used, count++) {
		memset(&ports[count], 0, sizeof *ports);
		ports[count].kind = kinds[strchr(marks, names[count][0]) - marks];
		ports[count].name = names[count] + 1;
		*dynamic |= ports[count].kind == PSTK_CONTROL;
	}
	return count;
}

void node_add(struct pstk_network *net, struct node *n)
{
	struct pstk_port ports[NODE_PORTS];
	char names[NODE_PORTS + 1][32];
	bool dynamic = false;
	unsigned count = parse(n->ports, ports, names, &dynamic);

	n->actor = pstk_network_add(net, n->name,
		PSTK_ACTOR_TYPE(.name = "node", .ports = ports, .port_count = count,
			.control_values = n->values, .kahn = n->kahn, .init = n->init,
			.control = dynamic ? control : NULL, .fire = n->kahn ? fire_kahn : fire,
			.kernel = n->kernel, .finish = finish, .blocks = n->open && !n->on_team),
		n);
	if (n->on_device)
		pstk_actor_map(n->actor, n->on_device);
}

struct pstk_fifo *node_connect(struct node *src, const char *out, struct node *dst, const char *in,
	uint32_t rate, uint32_t delay, uint32_t depth)
{
	return pstk_connect(src->actor, out, dst->actor, in,
		PSTK_FIFO(.rate = rate, .delay = delay, .depth = depth ? depth : 2, .token_size = 4));
}
