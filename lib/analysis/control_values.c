/* SPDX-License-Identifier: MIT */
/* What control() says for every declared value, as sets of values, and which actors one output controls. */
#include "lib/analysis/control_values.h"
#include "lib/analysis/verdict.h"
#include "lib/base/memory.h"
#include "lib/firing/control.h"
#include "lib/firing/firing.h"
#include "lib/firing/texts.h"
#include "lib/model/actor.h"
#include "lib/model/error.h"
#include "lib/model/type.h"

#include <errno.h>
#include <string.h>

static int refuse(struct ps_analysis *an, const struct pstk_firing *firing, uint32_t value, int err)
{
	struct pstk_actor *a = firing->actor;
	struct pstk_verdict *v = an->verdict;
	char reason[64];
	const char *why = firing->misuse[0] ? firing->misuse
	                  : a->text[0]      ? a->text
	                                    : ps_strerror(err, reason, sizeof reason);

	v->rule = PSTK_RULE_CONTROL;
	v->has_value = true;
	v->value = value;
	v->actor = a;
	ps_verdict_reason(v, "'%s' (%s): control() %s for value %u of 0 to %u: %s", a->name, a->type.name,
		firing->misuse[0] ? "does what it must not" : "returns an error", value,
		a->type.control_values - 1, why);
	if (firing->misuse[0])
		ps_verdict_remedy(v, "let the control of '%s' only turn its dynamic ports on", a->name);
	else if (value)
		ps_verdict_remedy(v,
			"let the control of '%s' accept value %u, or declare only %u control values", a->name,
			value, value);
	else
		ps_verdict_remedy(v, "let the control of '%s' accept value 0", a->name);
	return -EDEADLK;
}

/* Calls control() for each declared value. */
static int evaluate(struct ps_analysis *an, struct ps_dynamic *d)
{
	struct pstk_actor *a = d->actor, *former = ps_actor_enter(a);
	const struct pstk_actor_type *t = &a->type;
	struct pstk_firing firing = { .own = ps_decision_create(a, 0) };
	struct ps_firing_texts texts;
	size_t words = ps_mask_words(t->port_count);
	int err = ps_firing_make(&firing, a) || !firing.own ? -ENOMEM : 0;

	firing.on = firing.own;
	ps_texts_own(&firing, &texts);
	a->text[0] = 0;
	for (uint32_t value = 0; value < t->control_values && !err; value++) {
		uint64_t *bits = d->bits + value / 64;

		err = ps_control_decide(&firing, value);
		if (err)
			err = refuse(an, &firing, value, err);
		else
			memcpy(d->decided + d->decided_count++ * words, firing.own->mask,
				words * sizeof *d->decided);
		for (unsigned p = 0; p < t->port_count && !err; p++)
			if (ps_port_is_dynamic(t->ports[p].kind)) {
				*bits |= (uint64_t)ps_mask_has(firing.own->mask, p) << value % 64;
				bits += d->words;
			}
	}
	a->text[0] = 0;
	ps_memory_free(firing.windows);
	ps_memory_free(firing.own);
	ps_actor_leave(former);
	return err;
}

static unsigned count_dynamic_ports(const struct pstk_actor *a)
{
	unsigned count = 0;

	for (unsigned p = 0; p < a->type.port_count; p++)
		count += ps_port_is_dynamic(a->type.ports[p].kind);
	return count;
}

static int add_dynamic(struct ps_analysis *an, struct pstk_actor *a)
{
	unsigned ports = count_dynamic_ports(a);
	struct ps_dynamic *d = &an->dynamics[an->dynamic_count];

	an->dynamic_of[a->index] = an->dynamic_count++;
	*d = (struct ps_dynamic){ .actor = a, .words = (a->type.control_values + 63) / 64 };
	d->unknown = !a->type.control_values && ports;
	d->terms = ps_memory_zalloc(a->type.port_count, sizeof *d->terms);
	d->bits = ps_memory_zalloc(ports * d->words, sizeof *d->bits);
	d->decided = ps_memory_zalloc(
		a->type.control_values, ps_mask_words(a->type.port_count) * sizeof *d->decided);
	if (!d->terms || !d->bits || !d->decided)
		return -ENOMEM;
	an->unknown_count += d->unknown;
	return evaluate(an, d);
}

static int add_dynamics(struct ps_analysis *an)
{
	const struct pstk_network *net = an->net;
	unsigned count = 0;
	int err = 0;

	for (unsigned i = 0; i < net->actor_count; i++) {
		count += net->actors[i]->control_port != PS_NO_PORT;
		an->kahn_count += net->actors[i]->type.kahn;
	}
	if (!count)
		return 0;
	an->dynamics = ps_memory_zalloc(count, sizeof *an->dynamics);
	an->dynamic_of = ps_memory_zalloc(net->actor_count, sizeof *an->dynamic_of);
	if (!an->dynamics || !an->dynamic_of)
		return -ENOMEM;
	for (unsigned i = 0; i < net->actor_count && !err; i++)
		if (net->actors[i]->control_port != PS_NO_PORT)
			err = add_dynamic(an, net->actors[i]);
	return err;
}

/* Refuses two members of a group: a token that one of them takes would end the network at the other. */
static int refuse_counts(struct ps_analysis *an, const struct pstk_actor *a, const struct pstk_actor *b)
{
	const struct pstk_actor *less = a->type.control_values < b->type.control_values ? a : b,
				*more = less == a ? b : a;
	struct pstk_verdict *v = an->verdict;

	v->rule = PSTK_RULE_CONTROL;
	v->has_value = true;
	v->value = less->type.control_values;
	v->actor = less;
	v->fifo = less->ports[less->control_port].fifo;
	ps_verdict_reason(v,
		"'%s' (%s) declares %u control values, '%s' (%s) only %u, and both get the tokens of "
		"'%s'.%s: a %u "
		"would end the network",
		more->name, more->type.name, more->type.control_values, less->name, less->type.name, v->value,
		v->fifo->src->name, v->fifo->src->type.ports[v->fifo->src_port].name, v->value);
	ps_verdict_remedy(v,
		"declare as many control values for '%s' as for '%s'; for a value that does not concern it, "
		"control() may leave every port off",
		less->name, more->name);
	return -EDEADLK;
}

/* Checks that the members of a group declare equally many values, or none. */
static int check_counts(struct ps_analysis *an)
{
	for (unsigned g = 0; g < an->group_count; g++) {
		const struct pstk_actor *first = NULL;

		for (unsigned i = an->groups[g].members; i != PS_NONE; i = an->dynamics[i].next) {
			const struct pstk_actor *a = an->dynamics[i].actor;

			if (first && a->type.control_values &&
				a->type.control_values != first->type.control_values)
				return refuse_counts(an, a, first);
			if (!first && a->type.control_values)
				first = a;
		}
	}
	return 0;
}

/* Groups by the output that feeds them; the values that their members declare. */
static int make_groups(struct ps_analysis *an)
{
	unsigned *group_of =
		ps_memory_zalloc(an->net->fifo_count, sizeof *group_of); /* by an output's first FIFO */

	an->groups = ps_memory_zalloc(an->dynamic_count, sizeof *an->groups);
	if (!group_of || !an->groups) {
		ps_memory_free(group_of);
		return -ENOMEM;
	}
	for (unsigned i = 0; i < an->net->fifo_count; i++)
		group_of[i] = PS_NONE;
	for (unsigned i = 0; i < an->dynamic_count; i++) {
		struct ps_dynamic *d = &an->dynamics[i];
		const struct pstk_fifo *control = d->actor->ports[d->actor->control_port].fifo,
				       *output = control->src->ports[control->src_port].fifo;
		uint32_t values = d->actor->type.control_values;
		struct ps_group *g;

		if (group_of[output->index] == PS_NONE) {
			group_of[output->index] = an->group_count;
			an->groups[an->group_count++] =
				(struct ps_group){ .output = output, .members = PS_NONE };
		}
		d->group = group_of[output->index];
		g = &an->groups[d->group];
		d->next = g->members;
		g->members = i;
		g->values = values > g->values ? values : g->values;
	}
	ps_memory_free(group_of);
	return 0;
}

static uint32_t count_values(const uint64_t *bits, size_t words)
{
	uint32_t count = 0;

	for (size_t w = 0; w < words; w++)
		count += (uint32_t)__builtin_popcountll(bits[w]);
	return count;
}

static uint64_t hash(unsigned group, const uint64_t *bits, size_t words)
{
	uint64_t h = group + 1;

	for (size_t w = 0; w < words; w++) {
		h = (h ^ bits[w]) * 0x9e3779b97f4a7c15u;
		h ^= h >> 29;
	}
	return h;
}

/* The index of a set that is in the table, or that is put there: ports that are on for the same values
 * share it. */
static unsigned intern(
	struct ps_analysis *an, unsigned *table, size_t size, unsigned group, const uint64_t *bits)
{
	size_t words = (an->groups[group].values + 63) / 64, at = hash(group, bits, words) % size;

	for (; table[at]; at = (at + 1) % size) {
		const struct ps_set *s = &an->sets[table[at] - 1];

		if (s->group == group && !memcmp(s->bits, bits, words * sizeof *bits))
			return table[at] - 1;
	}
	an->sets[an->set_count] =
		(struct ps_set){ .group = group, .bits = bits, .empty = !count_values(bits, words) };
	table[at] = ++an->set_count;
	return table[at] - 1;
}

static void set_terms(struct ps_analysis *an, struct ps_dynamic *d, unsigned *table, size_t size)
{
	const struct pstk_actor_type *t = &d->actor->type;
	uint32_t values = an->groups[d->group].values;
	const uint64_t *bits = d->bits;

	for (unsigned p = 0; p < t->port_count; p++) {
		d->terms[p] = PS_TERM_ACTOR;
		if (!ps_port_is_dynamic(t->ports[p].kind))
			continue;
		if (d->unknown) {
			d->terms[p] = PS_TERM_UNKNOWN;
			continue;
		}
		if (count_values(bits, d->words) < values)
			d->terms[p] = intern(an, table, size, d->group, bits);
		bits += d->words;
	}
}

static int make_sets(struct ps_analysis *an)
{
	size_t ports = 0, size;
	unsigned *table; /* open addressing: a set's index + 1 */

	for (unsigned i = 0; i < an->dynamic_count; i++)
		ports += count_dynamic_ports(an->dynamics[i].actor);
	size = 2 * ports + 1;
	table = ps_memory_zalloc(size, sizeof *table);
	an->sets = ps_memory_zalloc(ports, sizeof *an->sets);
	for (unsigned i = 0; table && an->sets && i < an->dynamic_count; i++)
		set_terms(an, &an->dynamics[i], table, size);
	ps_memory_free(table);
	return table && an->sets ? 0 : -ENOMEM;
}

int ps_analysis_control(struct ps_analysis *an)
{
	int err = add_dynamics(an);

	if (err || !an->dynamic_count)
		return err;
	err = make_groups(an);
	if (!err)
		err = check_counts(an);
	return err ? err : make_sets(an);
}
