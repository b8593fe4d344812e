/* SPDX-License-Identifier: MIT */
#include "lib/firing/control_group.h"
#include "lib/base/memory.h"
#include "lib/model/error.h"
#include "lib/model/type.h"

#include <errno.h>
#include <stdlib.h>

/* A port of a member. */
struct ps_group_port {
	struct pstk_actor *actor;
	unsigned port, class;
	const struct pstk_fifo *control;
	unsigned first, count;      /* its class and group: from .. so many; count 0: not compared */
	uint64_t size;              /* of the ring */
	atomic_bool *on;            /* by index modulo size; the actor publishes */
	_Atomic uint64_t taken;     /* indices that it has published */
	struct ps_group_port *next; /* of the same actor */
};

/* Of a network: sorted, those that are compared with each other side by side. */
struct ps_control_groups {
	struct ps_group_port *ports;
	unsigned count;
};

/*
 * Before the start: whose clock is one.
 */

static unsigned find(unsigned *parent, unsigned f)
{
	while (parent[f] != f)
		f = parent[f] = parent[parent[f]];
	return f;
}

static void join(unsigned *parent, unsigned a, unsigned b)
{
	parent[find(parent, a)] = find(parent, b);
}

static bool is_control(const struct pstk_fifo *f)
{
	return f->dst_port == f->dst->control_port;
}

/* One clock for the FIFOs of an output, and for all of a static actor. A kahn actor has none. */
static void join_actor(const struct pstk_actor *a, unsigned *parent)
{
	bool is_static = a->control_port == PS_NO_PORT && !a->type.kahn;
	const struct pstk_fifo *last = NULL;

	for (unsigned p = 0; p < a->type.port_count; p++) {
		bool input = ps_port_reads(a->type.ports[p].kind);

		if (!is_static)
			last = NULL;
		for (const struct pstk_fifo *f = a->ports[p].fifo; f; f = input ? NULL : f->next) {
			if (is_control(f))
				continue;
			if (last)
				join(parent, last->index, f->index);
			last = f;
		}
	}
}

static int compare(const void *a, const void *b)
{
	const struct ps_group_port *x = a, *y = b;

	if (x->class != y->class)
		return x->class < y->class ? -1 : 1;
	if (x->control->src != y->control->src)
		return x->control->src->index < y->control->src->index ? -1 : 1;
	return (x->control->src_port > y->control->src_port) - (x->control->src_port < y->control->src_port);
}

static unsigned collect(struct pstk_network *net, unsigned *parent, struct ps_group_port *into)
{
	unsigned count = 0;

	for (unsigned i = 0; i < net->task_count; i++) {
		struct pstk_actor *a = net->tasks[i]->actor;

		for (unsigned p = 0; a->control_port != PS_NO_PORT && p < a->type.port_count; p++) {
			if (p == a->control_port || !a->ports[p].fifo || is_control(a->ports[p].fifo))
				continue;
			if (into)
				into[count] = (struct ps_group_port){ .actor = a,
					.port = p,
					.class = find(parent, a->ports[p].fifo->index),
					.control = a->ports[a->control_port].fifo };
			count++;
		}
	}
	return count;
}

/* Does some member of this group not declare its values? */
static bool is_undeclared(const struct pstk_fifo *control)
{
	const struct pstk_fifo *f = control->src->ports[control->src_port].fifo;

	for (; f; f = f->next)
		if (is_control(f) && !f->dst->type.control_values)
			return true;
	return false;
}

/* Those from `first` on are of one class and group. */
static int prepare_group(struct ps_group_port *all, unsigned first, unsigned count)
{
	bool any_dynamic = false;
	uint64_t size = 0;

	for (unsigned i = first; i < first + count; i++) {
		uint64_t depth = all[i].control->fifo.layout.capacity;

		any_dynamic |= ps_port_is_dynamic(all[i].actor->type.ports[all[i].port].kind);
		size = depth > size ? depth : size;
	}
	size += 2; /* one that is taken, one that is being published */
	if (count < 2 || !any_dynamic || !is_undeclared(all[first].control))
		return 0;
	for (unsigned i = first; i < first + count; i++) {
		struct ps_group_port *e = &all[i];

		e->on = ps_memory_zalloc(size, sizeof *e->on);
		if (!e->on)
			return -ENOMEM;
		e->size = size;
		e->first = first;
		e->count = count;
		e->next = e->actor->group_ports;
		e->actor->group_ports = e;
	}
	return 0;
}

static int prepare(struct pstk_network *net, unsigned *parent)
{
	int err = 0;

	for (unsigned i = 0; i < net->fifo_count; i++)
		parent[i] = i;
	for (unsigned i = 0; i < net->task_count; i++)
		join_actor(net->tasks[i]->actor, parent);
	net->groups->count = collect(net, parent, NULL);
	if (!net->groups->count)
		return 0;
	net->groups->ports = ps_memory_zalloc(net->groups->count, sizeof *net->groups->ports);
	if (!net->groups->ports)
		return -ENOMEM;
	collect(net, parent, net->groups->ports);
	qsort(net->groups->ports, net->groups->count, sizeof *net->groups->ports, compare);
	for (unsigned i = 0, next; i < net->groups->count && !err; i = next) {
		for (next = i; next < net->groups->count &&
			       !compare(&net->groups->ports[i], &net->groups->ports[next]);
			next++)
			;
		err = prepare_group(net->groups->ports, i, next - i);
	}
	return err;
}

/* Is there a group that the analyser could not look at before the start? */
static bool any_undeclared(const struct pstk_network *net)
{
	for (unsigned i = 0; i < net->task_count; i++) {
		const struct pstk_actor *a = net->tasks[i]->actor;

		if (a->control_port != PS_NO_PORT && !a->type.control_values)
			return true;
	}
	return false;
}

int ps_control_group_prepare(struct pstk_network *net)
{
	unsigned *parent;
	int err;

	if (net->flags & PSTK_UNCHECKED || !any_undeclared(net))
		return 0;
	net->groups = ps_memory_zalloc(1, sizeof *net->groups);
	parent = ps_memory_zalloc(net->fifo_count, sizeof *parent);
	if (!parent || !net->groups) {
		ps_memory_free(parent);
		return -ENOMEM;
	}
	err = prepare(net, parent);
	ps_memory_free(parent);
	return err;
}

void ps_control_group_free(struct pstk_network *net)
{
	if (!net->groups)
		return;
	for (unsigned i = 0; net->groups->ports && i < net->groups->count; i++)
		ps_memory_free(net->groups->ports[i].on);
	ps_memory_free(net->groups->ports);
	ps_memory_free(net->groups);
}

/*
 * While it runs.
 */

static bool fail(const struct ps_group_port *a, const struct ps_group_port *b, bool a_on,
	const struct pstk_firing *firing)
{
	const struct ps_group_port *on = a_on ? a : b, *off = a_on ? b : a;

	ps_network_fail(a->actor->network, -EPROTO,
		"control value %u of '%s', firing %llu: it turns '%s'.%s on and '%s'.%s off, but tokens go "
		"from one to "
		"the other: let the control of both turn them on for the same values",
		firing->value, a->control->src->name, (unsigned long long)firing->index, on->actor->name,
		on->actor->type.ports[on->port].name, off->actor->name,
		off->actor->type.ports[off->port].name);
	return false;
}

/* Says what index k is at this end, then looks at the others: of two, at least one sees the other. */
static bool publish(struct pstk_network *net, struct ps_group_port *e, const struct pstk_firing *firing)
{
	uint64_t k = firing->index;
	bool on = ps_firing_has(firing, e->port);

	atomic_store_explicit(&e->on[k % e->size], on, memory_order_relaxed);
	atomic_store(&e->taken, k + 1);
	for (unsigned i = e->first; i < e->first + e->count; i++) {
		struct ps_group_port *other = &net->groups->ports[i];

		if (other != e && atomic_load(&other->taken) > k &&
			atomic_load_explicit(&other->on[k % other->size], memory_order_relaxed) != on)
			return fail(e, other, on, firing);
	}
	return true;
}

bool ps_control_group_publish(struct pstk_firing *firing)
{
	for (struct ps_group_port *e = firing->actor->group_ports; e; e = e->next)
		if (!publish(firing->actor->network, e, firing))
			return false;
	return true;
}
