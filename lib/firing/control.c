/* SPDX-License-Identifier: MIT */
#include "lib/firing/control.h"
#include "lib/firing/control_group.h"
#include "lib/firing/tracing.h"
#include "lib/firing/windows.h"
#include "lib/model/error.h"
#include "lib/model/type.h"

#include <errno.h>
#include <string.h>

int ps_control_decide(struct pstk_firing *firing, uint32_t value)
{
	int rc;

	ps_mask_reset(firing->own->mask, firing->actor);
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
	if (value < a->decided_count) {
		ps_decision_use(firing, firing->task->decided[value]);
		return true;
	}
	ps_decision_leave(firing);
	err = ps_control_decide(firing, value);
	ps_decision_list(firing->own, a, firing->task->terms, firing->task->term_count);
	firing->on = firing->own;
	if (!err)
		return true;
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
	struct ps_task *t = firing->task;

	for (size_t w = 0; w < ps_mask_words(firing->actor->type.port_count); w++)
		atomic_store_explicit(&t->on[w], firing->on->mask[w], memory_order_relaxed);
	atomic_store_explicit(&t->decision, (uint64_t)firing->value + 1, memory_order_relaxed);
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
	ps_windows_release_input(firing, a->control_port);
	ps_windows_help(a, a->control_port);
	if (!obey(firing, value))
		return PS_FIRING_ENDED;
	firing->value = value;
	if (!ps_control_group_publish(firing))
		return PS_FIRING_ENDED;
	firing->decided = true;
	show(firing);
	return PS_FIRING_READY;
}
