/* SPDX-License-Identifier: MIT */
#include "lib/firing/control.h"
#include "lib/firing/control_group.h"
#include "lib/firing/tracing.h"
#include "lib/model/error.h"
#include "lib/model/type.h"

#include <errno.h>
#include <string.h>

void ps_control_reset(struct pstk_firing *firing)
{
	const struct pstk_actor_type *t = &firing->actor->type;

	for (unsigned p = 0; p < t->port_count; p++)
		firing->windows[p] = (struct ps_window){ .on = t->ports[p].kind == PSTK_INPUT ||
			                                       t->ports[p].kind == PSTK_OUTPUT };
}

int ps_control_decide(struct pstk_firing *firing, uint32_t value)
{
	int rc;

	ps_control_reset(firing);
	firing->in_control = true;
	rc = firing->actor->type.control(firing, value);
	firing->in_control = false;
	return firing->misuse[0] ? -EPROTO : rc < 0 ? rc : 0;
}

uint64_t ps_control_decision(const struct pstk_firing *firing)
{
	const struct pstk_actor_type *t = &firing->actor->type;
	uint64_t hash = 0, bits = 0;
	unsigned ports = 0;

	for (unsigned p = 0; p < t->port_count; p++) {
		if (!ps_port_is_dynamic(t->ports[p].kind))
			continue;
		if (ports && !(ports % 64)) {
			hash = (hash ^ bits) * 0x9e3779b97f4a7c15u;
			hash ^= hash >> 29;
			bits = 0;
		}
		bits |= (uint64_t)firing->windows[p].on << ports++ % 64;
	}
	return hash ^ bits;
}

/* The first dynamic port in which two decisions differ; NULL: they are hashes. */
static const struct pstk_port *first_difference(const struct pstk_actor_type *t, uint64_t difference)
{
	const struct pstk_port *first = NULL;
	unsigned ports = 0;

	for (unsigned p = 0; p < t->port_count; p++) {
		if (!ps_port_is_dynamic(t->ports[p].kind))
			continue;
		if (!first && difference >> ports % 64 & 1)
			first = &t->ports[p];
		ports++;
	}
	return ports > 64 ? NULL : first;
}

/* Is that what control() said of this value before the start? false: no, and the network has failed. */
static bool is_as_before(const struct pstk_firing *firing, uint32_t value)
{
	const struct pstk_actor *a = firing->actor;
	const struct pstk_port *port;
	uint64_t now;
	bool on;

	if (value >= a->decision_count)
		return true;
	now = ps_control_decision(firing);
	if (now == a->decisions[value])
		return true;
	port = first_difference(&a->type, now ^ a->decisions[value]);
	if (!port) {
		ps_network_fail(a->network, -EPROTO,
			"control() of '%s' turned other ports on for value %u in firing %llu than before the "
			"start: it may depend on the value and arg only",
			a->name, value, (unsigned long long)firing->index);
		return false;
	}
	on = firing->windows[port - a->type.ports].on;
	ps_network_fail(a->network, -EPROTO,
		"control() of '%s' turned '%s' %s for value %u in firing %llu, before the start %s: it may "
		"depend on the value and arg only",
		a->name, port->name, on ? "on" : "off", value, (unsigned long long)firing->index,
		on ? "off" : "on");
	return false;
}

/* Has an input ended that the next firing needs, whatever the control token will say? */
static bool input_ended(const struct pstk_actor *a)
{
	for (unsigned p = 0; p < a->type.port_count; p++)
		if (a->type.ports[p].kind == PSTK_INPUT &&
			ps_firing_peek(a->ports[p].fifo, false) == PS_FIFO_ENDED)
			return true;
	return false;
}

/* false: the network has failed. */
static bool obey(struct pstk_firing *firing, uint32_t value)
{
	struct pstk_actor *a = firing->actor;
	const struct pstk_fifo *f = a->ports[a->control_port].fifo;
	char where[64], reason[64];
	int err;

	if (a->type.control_values && value >= a->type.control_values) {
		ps_network_fail(a->network, -ERANGE,
			"'%s' (%s), firing %llu: '%s'.%s sent %u: its control values are 0 to %u", a->name,
			a->type.name, (unsigned long long)firing->index, f->src->name,
			f->src->type.ports[f->src_port].name, value, a->type.control_values - 1);
		return false;
	}
	if (firing->task->slot_count == 1) /* else it belongs to the publishing thread */
		a->text[0] = 0;
	err = ps_control_decide(firing, value);
	if (!err)
		return is_as_before(firing, value);
	if (firing->misuse[0]) {
		ps_network_fail(a->network, err, "'%s' (%s), firing %llu: %s", a->name, a->type.name,
			(unsigned long long)firing->index, firing->misuse);
		return false;
	}
	snprintf(where, sizeof where, "control() in firing %llu", (unsigned long long)firing->index);
	if (firing->task->slot_count == 1)
		ps_actor_fail(a, err, where);
	else
		ps_network_fail(a->network, err, "'%s' (%s), %s failed: %s", a->name, a->type.name, where,
			ps_strerror(err, reason, sizeof reason));
	return false;
}

/* For reports that are made meanwhile. */
static void show(const struct pstk_firing *firing)
{
	struct pstk_actor *a = firing->actor;

	for (unsigned p = 0; p < a->type.port_count; p++)
		if (a->type.ports[p].kind == PSTK_DYNAMIC_INPUT ||
			a->type.ports[p].kind == PSTK_DYNAMIC_OUTPUT)
			atomic_store_explicit(
				&firing->task->on[p], firing->windows[p].on, memory_order_relaxed);
	atomic_store_explicit(&firing->task->decision, (uint64_t)firing->value + 1, memory_order_relaxed);
}

struct ps_fifo_end *ps_control_awaits(const struct pstk_actor *a)
{
	struct pstk_fifo *f = a->ports[a->control_port].fifo;

	return ps_firing_peek(f, false) == PS_FIFO_WAIT && !input_ended(a) ? &f->fifo.reader : NULL;
}

enum ps_firing_state ps_control_take(struct pstk_firing *firing, struct ps_fifo_end **end, unsigned *port)
{
	struct pstk_actor *a = firing->actor;
	struct pstk_fifo *f;
	uint32_t value, valid;

	if (a->control_port == PS_NO_PORT || firing->decided)
		return PS_FIRING_READY;
	f = a->ports[a->control_port].fifo;
	switch (ps_firing_peek(f, false)) {
	case PS_FIFO_WAIT:
		*end = &f->fifo.reader;
		*port = a->control_port;
		return input_ended(a) ? PS_FIRING_ENDED : PS_FIRING_WAIT;
	case PS_FIFO_READY:
		break;
	case PS_FIFO_ENDED:
	case PS_FIFO_FAILED:
		return PS_FIRING_ENDED;
	}
	/* the slot is free before the actor waits for windows: the writer of the values may be one further on */
	memcpy(&value, ps_fifo_read_start(&f->fifo, &valid), sizeof value);
	if (firing->task->trace)
		ps_tracing_control(firing, value);
	ps_firing_release_input(firing, a->control_port);
	ps_firing_help(a, a->control_port);
	if (!obey(firing, value))
		return PS_FIRING_ENDED;
	firing->value = value;
	if (!ps_control_group_publish(firing))
		return PS_FIRING_ENDED;
	firing->decided = true;
	show(firing);
	return PS_FIRING_READY;
}
