/* SPDX-License-Identifier: MIT */
#include "lib/analysis/vectors.h"
#include "lib/base/memory.h"

#include <errno.h>
#include <string.h>

int ps_vectors_init(struct ps_vectors *v, const struct ps_analysis *an)
{
	*v = (struct ps_vectors){ .an = an,
		.values = ps_memory_zalloc(an->group_count, sizeof *v->values),
		.choices = ps_memory_zalloc(an->group_count, sizeof *v->choices),
		.choice_of = ps_memory_zalloc(an->group_count, sizeof *v->choice_of),
		.next = ps_memory_zalloc(an->set_count, sizeof *v->next),
		.matters = ps_memory_zalloc(an->set_count, sizeof *v->matters) };
	if (!v->values || !v->choices || !v->choice_of || !v->next || !v->matters)
		return -ENOMEM;
	for (unsigned g = 0; g < an->group_count; g++)
		v->choice_of[g] = PS_NONE;
	return 0;
}

void ps_vectors_fini(struct ps_vectors *v)
{
	for (unsigned i = 0; i < v->count; i++)
		ps_memory_free(v->choices[i].values);
	ps_memory_free(v->values);
	ps_memory_free(v->choices);
	ps_memory_free(v->choice_of);
	ps_memory_free(v->next);
	ps_memory_free(v->matters);
}

void ps_vectors_add(struct ps_vectors *v, unsigned set)
{
	unsigned *choice = &v->choice_of[v->an->sets[set].group];

	if (v->matters[set])
		return;
	v->matters[set] = true;
	if (*choice == PS_NONE) {
		*choice = v->count++;
		v->choices[*choice] = (struct ps_choice){ .group = v->an->sets[set].group, .sets = PS_NONE };
	}
	v->next[set] = v->choices[*choice].sets;
	v->choices[*choice].sets = set;
}

/* kinds[] of the values, split by one more set. table: scratch, two entries a kind. Returns how many
 * kinds there are. */
static uint32_t split(
	const struct ps_set *set, uint32_t values, uint32_t *kinds, uint32_t count, uint32_t *table)
{
	uint32_t fresh = 0;

	memset(table, 0, 2 * (size_t)count * sizeof *table);
	for (uint32_t value = 0; value < values; value++) {
		uint32_t *kind = &table[2 * (size_t)kinds[value] + ps_set_has(set, value)];

		if (!*kind)
			*kind = ++fresh;
		kinds[value] = *kind - 1;
	}
	return fresh;
}

static int list_kinds(const struct ps_vectors *v, struct ps_choice *c)
{
	uint32_t values = v->an->groups[c->group].values, kinds = 1;
	uint32_t *kind = ps_memory_zalloc(3 * (size_t)values, sizeof *kind);

	c->values = ps_memory_zalloc(values, sizeof *c->values);
	if (!kind || !c->values) {
		ps_memory_free(kind);
		return -ENOMEM;
	}
	for (unsigned s = c->sets; s != PS_NONE; s = v->next[s])
		kinds = split(&v->an->sets[s], values, kind, kinds, kind + values);
	for (uint32_t value = 0; value < values; value++)
		if (kind[value] == c->count) /* kinds are numbered as they are met */
			c->values[c->count++] = value;
	ps_memory_free(kind);
	return 0;
}

static void choose(struct ps_vectors *v, struct ps_choice *c, uint32_t at)
{
	c->at = at;
	v->values[c->group] = c->values[at];
}

int ps_vectors_begin(struct ps_vectors *v)
{
	v->chosen = 0;
	for (unsigned i = 0; i < v->count; i++)
		if (list_kinds(v, &v->choices[i]))
			return -ENOMEM;
	return 0;
}

void ps_vectors_descend(struct ps_vectors *v)
{
	choose(v, &v->choices[v->chosen++], 0);
}

bool ps_vectors_advance(struct ps_vectors *v)
{
	for (; v->chosen; v->chosen--) {
		struct ps_choice *c = &v->choices[v->chosen - 1];

		if (c->at + 1 < c->count) {
			choose(v, c, c->at + 1);
			return true;
		}
	}
	return false;
}

bool ps_vectors_may_be_on(const struct ps_vectors *v, unsigned set)
{
	const struct ps_set *s = &v->an->sets[set];

	return v->choice_of[s->group] >= v->chosen || ps_set_has(s, v->values[s->group]);
}

void ps_vectors_clear(struct ps_vectors *v)
{
	for (unsigned i = 0; i < v->count; i++) {
		struct ps_choice *c = &v->choices[i];

		for (unsigned s = c->sets; s != PS_NONE; s = v->next[s])
			v->matters[s] = false;
		v->choice_of[c->group] = PS_NONE;
		ps_memory_free(c->values);
	}
	v->count = v->chosen = 0;
}
