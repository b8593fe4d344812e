/* SPDX-License-Identifier: MIT */
#include "lib/firing/firing_rule.h"

/* Of a window of f at this port, with those beside it. */
static size_t bytes_of(const struct pstk_actor *a, unsigned port, const struct pstk_fifo *f)
{
	const struct ps_layout *l = &f->fifo.layout;
	bool writer = !ps_port_reads(a->type.ports[port].kind);
	size_t bytes = (writer ? l->write_rate : l->read_rate) * l->token_size;

	for (unsigned p = a->ports[port].along; p != PS_NO_PORT; p = a->ports[p].along)
		bytes += l->read_rate * a->ports[p].fifo->fifo.layout.token_size;
	return bytes;
}

unsigned ps_rule_list(const struct pstk_actor *a, struct ps_rule_term *terms)
{
	unsigned count = 0;

	for (unsigned p = 0; p < a->type.port_count; p++) {
		bool writer = !ps_port_reads(a->type.ports[p].kind);

		if (p == a->control_port || a->ports[p].fifo->lead != a->ports[p].fifo)
			continue;
		for (struct pstk_fifo *f = a->ports[p].fifo; f; f = writer ? f->next : NULL) {
			if (terms)
				terms[count] = (struct ps_rule_term){ .fifo = f,
					.other = (writer ? f->dst : f->src)->task,
					.bytes = bytes_of(a, p, f),
					.port = p,
					.writer = writer,
					.dynamic = ps_port_is_dynamic(a->type.ports[p].kind) };
			count++;
		}
	}
	return count;
}

size_t ps_rule_bytes(const struct ps_task *t)
{
	size_t bytes = 0;

	for (const struct ps_rule_term *g = t->terms; g < t->terms + t->term_count; g++)
		bytes += g->bytes;
	return bytes;
}

int64_t ps_rule_own_bytes(const struct ps_task *t)
{
	int64_t own = 0;

	for (const struct ps_rule_term *g = t->terms; g < t->terms + t->term_count; g++)
		if (!g->writer && ps_term_is_on(t, g))
			own += ps_fifo_is_mine(&g->fifo->fifo) ? (int64_t)g->bytes : -(int64_t)g->bytes;
	return own;
}

bool ps_rule_are_anothers(const struct ps_task *t)
{
	bool others = false;

	for (const struct ps_rule_term *g = t->terms; g < t->terms + t->term_count; g++) {
		unsigned char by = !g->writer && ps_term_is_on(t, g) ? ps_fifo_made_by(&g->fifo->fifo) : 0;

		if (by == ps_fifo_by)
			return false;
		others |= by != 0;
	}
	return others;
}

bool ps_rule_hold_mine(const struct ps_task *t)
{
	for (const struct ps_rule_term *g = t->terms; g < t->terms + t->term_count; g++)
		if (!g->writer && ps_fifo_holds_mine(&g->fifo->fifo))
			return true;
	return false;
}

bool ps_rule_have_unread(const struct ps_task *t)
{
	for (const struct ps_rule_term *g = t->terms; g < t->terms + t->term_count; g++)
		if (g->writer && ps_fifo_has_whole(&g->fifo->fifo))
			return true;
	return false;
}
