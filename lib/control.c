/* SPDX-License-Identifier: MIT */
#include "lib/control.h"
#include "lib/agreement.h"
#include "lib/error.h"
#include "lib/type.h"

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
	char where[64];
	int err;

	if (a->type.control_values && value >= a->type.control_values) {
		ps_network_fail(a->network, -ERANGE,
			"'%s' (%s), firing %llu: '%s'.%s sent %u, its control_values is %u (0 to %u)",
			a->name, a->type.name, (unsigned long long)firing->index, f->src->name,
			f->src->type.ports[f->src_port].name, value, a->type.control_values,
			a->type.control_values - 1);
		return false;
	}
	a->text[0] = 0;
	err = ps_control_decide(firing, value);
	if (!err)
		return true;
	if (firing->misuse[0]) {
		ps_network_fail(a->network, err, "'%s' (%s), firing %llu: %s", a->name, a->type.name,
			(unsigned long long)firing->index, firing->misuse);
		return false;
	}
	snprintf(where, sizeof where, "control() in firing %llu", (unsigned long long)firing->index);
	ps_actor_fail(a, err, where);
	return false;
}

/* For people who look at the actor meanwhile. */
static void show(const struct pstk_firing *firing)
{
	struct pstk_actor *a = firing->actor;

	for (unsigned p = 0; p < a->type.port_count; p++)
		if (a->type.ports[p].kind == PSTK_DYNAMIC_INPUT ||
			a->type.ports[p].kind == PSTK_DYNAMIC_OUTPUT)
			atomic_store_explicit(&a->ports[p].on, firing->windows[p].on, memory_order_relaxed);
	atomic_store_explicit(&a->decision, (uint64_t)firing->value + 1, memory_order_relaxed);
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
	/* the slot is free before the actor waits for windows: who decides may be one value further on */
	memcpy(&value, ps_fifo_read_start(&f->fifo, &valid), sizeof value);
	ps_firing_release(firing, a->control_port);
	ps_firing_help(a, a->control_port);
	if (!obey(firing, value))
		return PS_FIRING_ENDED;
	firing->value = value;
	if (!ps_agreement_publish(firing))
		return PS_FIRING_ENDED;
	firing->decided = true;
	show(firing);
	return PS_FIRING_READY;
}
