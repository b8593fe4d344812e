/* SPDX-License-Identifier: MIT */
#include "lib/firing/decision.h"
#include "lib/base/memory.h"
#include "lib/firing/task.h"
#include "lib/model/type.h"

#include <errno.h>
#include <string.h>

void ps_mask_reset(uint64_t *mask, const struct pstk_actor *a)
{
	const struct pstk_actor_type *t = &a->type;

	memset(mask, 0, ps_mask_words(t->port_count) * sizeof *mask);
	for (unsigned p = 0; p < t->port_count; p++)
		ps_mask_put(mask, p, t->ports[p].kind == PSTK_INPUT || t->ports[p].kind == PSTK_OUTPUT);
}

struct ps_decision *ps_decision_create(const struct pstk_actor *a, unsigned term_count)
{
	unsigned ports = a->type.port_count;
	size_t mask = ps_mask_words(ports) * sizeof(uint64_t), terms = term_count * sizeof(void *);
	struct ps_decision *d = ps_memory_zalloc(1, sizeof *d + mask + terms + 2 * ports * sizeof *d->ports);

	if (!d)
		return NULL;
	d->mask = (void *)(d + 1);
	d->terms = (void *)((unsigned char *)d->mask + mask);
	d->ports = (void *)((unsigned char *)d->terms + terms);
	d->leads = d->ports + ports;
	ps_mask_reset(d->mask, a);
	ps_decision_list(d, a, NULL, 0);
	return d;
}

/* The ports that are on and lead; a port that is not connected yet leads. */
static void list_leads(struct ps_decision *d, const struct pstk_actor *a, bool reads)
{
	for (unsigned i = 0; i < d->port_count; i++) {
		unsigned p = d->ports[i];
		const struct pstk_fifo *f = a->ports[p].fifo;

		if (ps_port_reads(a->type.ports[p].kind) == reads && (!f || f->lead == f))
			d->leads[d->lead_count++] = p;
	}
}

void ps_decision_list(
	struct ps_decision *d, const struct pstk_actor *a, const struct ps_rule_term *terms, unsigned count)
{
	d->port_count = d->lead_count = d->term_count = 0;
	for (unsigned p = 0; p < a->type.port_count; p++)
		if (ps_mask_has(d->mask, p))
			d->ports[d->port_count++] = p;
	list_leads(d, a, false);
	d->out_count = d->lead_count;
	list_leads(d, a, true);
	for (unsigned i = 0; i < count; i++)
		if (ps_mask_has(d->mask, terms[i].port))
			d->terms[d->term_count++] = &terms[i];
}

/* The one with this mask, or a new one. NULL: out of memory. table: open addressing, an index + 1. */
static struct ps_decision *intern(struct ps_task *t, const uint64_t *mask, unsigned *table, size_t size)
{
	size_t words = ps_mask_words(t->actor->type.port_count), at = 0;
	struct ps_decision *d;

	for (size_t w = 0; w < words; w++) {
		at = (at ^ mask[w]) * 0x9e3779b97f4a7c15u;
		at ^= at >> 29;
	}
	for (at %= size; table[at]; at = (at + 1) % size) {
		d = t->decisions[table[at] - 1];
		if (!memcmp(d->mask, mask, words * sizeof *mask))
			return d;
	}
	d = ps_decision_create(t->actor, t->term_count);
	if (!d)
		return NULL;
	memcpy(d->mask, mask, words * sizeof *mask);
	ps_decision_list(d, t->actor, t->terms, t->term_count);
	t->decisions[t->decision_count++] = d;
	table[at] = t->decision_count;
	return d;
}

static int make_dynamic(struct ps_task *t)
{
	const struct pstk_actor *a = t->actor;
	size_t words = ps_mask_words(a->type.port_count), size = 2 * (size_t)a->decided_count + 1;
	unsigned *table = ps_memory_zalloc(size, sizeof *table);
	int err = table ? 0 : -ENOMEM;

	t->decided = ps_memory_zalloc(a->decided_count, sizeof *t->decided);
	t->decisions = ps_memory_zalloc(a->decided_count, sizeof *t->decisions);
	if (!t->decided || !t->decisions)
		err = -ENOMEM;
	for (uint32_t value = 0; value < a->decided_count && !err; value++) {
		t->decided[value] = intern(t, a->decided + value * words, table, size);
		err = t->decided[value] ? 0 : -ENOMEM;
	}
	ps_memory_free(table);
	return err;
}

int ps_decisions_make(struct ps_task *t)
{
	if (t->actor->control_port != PS_NO_PORT)
		return make_dynamic(t);
	t->decisions = ps_memory_zalloc(1, sizeof *t->decisions);
	if (!t->decisions)
		return -ENOMEM;
	t->decisions[0] = ps_decision_create(t->actor, t->term_count);
	if (!t->decisions[0])
		return -ENOMEM;
	t->decision_count = 1;
	ps_decision_list(t->decisions[0], t->actor, t->terms, t->term_count);
	return 0;
}

void ps_decisions_free(struct ps_task *t)
{
	for (unsigned i = 0; i < t->decision_count; i++)
		ps_memory_free(t->decisions[i]);
	ps_memory_free(t->decisions);
	ps_memory_free(t->decided);
}

void ps_decision_leave(struct pstk_firing *firing)
{
	const struct ps_decision *d = firing->on;

	for (unsigned i = 0; i < d->port_count; i++) {
		firing->windows[d->ports[i]].state = PS_WINDOW_NONE;
		firing->windows[d->ports[i]].valid = 0;
	}
}

void ps_decision_use(struct pstk_firing *firing, const struct ps_decision *d)
{
	if (d != firing->on)
		ps_decision_leave(firing);
	firing->on = d;
}
