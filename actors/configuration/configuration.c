/* SPDX-License-Identifier: MIT */
/* A source of control values. */
#include "config.h"

#include "actors/common/spec.h"
#include "penstock/actors.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>

/* Marks what pstk_configuration_set() has stored. */
#define IS_SET (UINT64_C(1) << 32)

struct pstk_configuration {
	struct pstk_configuration_spec spec; /* constant after create; its values are owned */
	_Atomic uint64_t set;                /* IS_SET and a value; 0: not yet */
	atomic_flag owned;                   /* an actor has it */
	uint64_t next;                       /* actor's thread only: the period that begins next */
	uint32_t left;                       /* actor's thread only: tokens left in this period */
	uint32_t value;                      /* actor's thread only: this period's */
};

static uint32_t value_of(const struct pstk_configuration *c, uint64_t period)
{
	const struct pstk_configuration_spec *spec = &c->spec;
	uint64_t set = atomic_load(&c->set);

	if (set)
		return (uint32_t)set;
	if (spec->choose)
		return spec->choose(spec->data, period);
	return spec->values[period < spec->count ? period : spec->count - 1];
}

static uint32_t next_token(struct pstk_configuration *c)
{
	if (!c->left) {
		c->value = value_of(c, c->next++);
		c->left = c->spec.period;
	}
	c->left--;
	return c->value;
}

static int fire(struct pstk_firing *f)
{
	enum { OUT };
	struct pstk_actor *self = pstk_firing_actor(f);
	struct pstk_configuration *c = pstk_actor_arg(self);
	uint32_t *out = pstk_fifo_write_start(f, OUT);

	for (uint32_t i = 0; i < pstk_actor_port_rate(self, OUT); i++)
		out[i] = next_token(c);
	pstk_fifo_write_end(f, OUT);
	return PSTK_AGAIN;
}

struct pstk_configuration *pstk_configuration_create(const struct pstk_configuration_spec *given)
{
	struct pstk_configuration_spec spec;
	struct pstk_configuration *c;
	uint32_t *values = NULL;

	if (!given || ps_copy_spec(&spec, sizeof spec, sizeof spec, given, "pstk_configuration", NULL, 0) ||
		!spec.period)
		return NULL;
	if (!spec.choose && (!spec.values || !spec.count))
		return NULL;
	c = calloc(1, sizeof *c);
	if (c && !spec.choose)
		values = calloc(spec.count, sizeof *values);
	if (!c || (!spec.choose && !values)) {
		free(c);
		return NULL;
	}
	if (values)
		memcpy(values, spec.values, spec.count * sizeof *values);
	spec.values = values;
	c->spec = spec;
	atomic_flag_clear(&c->owned);
	return c;
}

struct pstk_actor *pstk_configuration_add(
	struct pstk_network *net, const char *name, struct pstk_configuration *c)
{
	static const struct pstk_port port = {
		.name = "out", .kind = PSTK_OUTPUT, .token_size = sizeof(uint32_t), .token_type = "u32"
	};
	struct pstk_actor *actor;

	name = name ? name : "";
	if (!c) {
		pstk_network_refuse(net, -EINVAL, "'%s': its configuration is NULL", name);
		return NULL;
	}
	if (atomic_flag_test_and_set(&c->owned)) {
		pstk_network_refuse(net, -EBUSY,
			"'%s': its configuration belongs to another actor: create one for each actor", name);
		return NULL;
	}
	actor = pstk_network_add(net, name,
		PSTK_ACTOR_TYPE(.name = "configuration", .ports = &port, .port_count = 1, .fire = fire), c);
	if (!actor)
		atomic_flag_clear(&c->owned);
	return actor;
}

int pstk_configuration_set(struct pstk_configuration *c, uint32_t value)
{
	if (!c)
		return -EINVAL;
	atomic_store(&c->set, IS_SET | value);
	return 0;
}

void pstk_configuration_destroy(struct pstk_configuration *c)
{
	if (!c)
		return;
	free((void *)c->spec.values);
	free(c);
}
