/* SPDX-License-Identifier: MIT */
#include "actors/common/check_chain.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int give(struct pstk_firing *f)
{
	struct chain_end *s = pstk_actor_arg(pstk_firing_actor(f));

	memcpy(pstk_fifo_write_start(f, 0), s->tokens + s->next++ * s->token_size, s->token_size);
	pstk_fifo_write_end(f, 0);
	return s->next < s->count ? PSTK_AGAIN : PSTK_DONE;
}

static int keep(struct pstk_firing *f)
{
	struct chain_end *s = pstk_actor_arg(pstk_firing_actor(f));

	ck_assert_uint_lt(s->next, s->count);
	memcpy(s->tokens + s->next++ * s->token_size, pstk_fifo_read_start(f, 0), s->token_size);
	pstk_fifo_read_end(f, 0);
	return PSTK_AGAIN;
}

static void join(struct chain *c, unsigned out)
{
	static const struct pstk_port in = { .name = "in", .kind = PSTK_INPUT };
	struct chain_end *s = &c->outs[out];
	const char name[] = { 'o', 'u', 't', (char)('0' + out), '\0' };

	s->count = c->in.count;
	s->tokens = calloc(s->count, s->token_size);
	ck_assert_ptr_nonnull(s->tokens);
	pstk_connect(c->stages[s->stage], s->port,
		pstk_network_add(c->net, name,
			PSTK_ACTOR_TYPE(.name = "keep", .ports = &in, .port_count = 1, .fire = keep), s),
		"in", PSTK_FIFO(.token_size = s->token_size));
}

void chain_run(struct chain *c, chain_build build, const void *data, const struct pstk_pipeline_spec *spec)
{
	static const struct pstk_port out = { .name = "out", .kind = PSTK_OUTPUT };
	struct pstk_actor *source;

	*c = (struct chain){ .net = pstk_network_create("chain") };
	source = pstk_network_add(c->net, "source",
		PSTK_ACTOR_TYPE(.name = "give", .ports = &out, .port_count = 1, .fire = give), &c->in);
	build(c, data);
	pstk_connect(source, "out", c->stages[0], c->in.port, PSTK_FIFO(.token_size = c->in.token_size));
	for (unsigned i = 0; i < c->out_count; i++)
		join(c, i);
	ck_assert_msg(pstk_pipeline_add(c->net, "pipeline", c->stages, c->stage_count, spec), "%s",
		pstk_network_error(c->net));
	ck_assert_msg(!pstk_network_run(c->net), "%s: %s", spec->configuration ? spec->configuration : "-",
		pstk_network_error(c->net));
	for (unsigned i = 0; i < c->out_count; i++)
		ck_assert_uint_eq(c->outs[i].next, c->in.count);
	pstk_network_destroy(c->net);
	c->net = NULL;
}

void chain_free(struct chain *c)
{
	for (unsigned i = 0; i < c->out_count; i++)
		free(c->outs[i].tokens);
}

const void *chain_token(const struct chain *c, int out, size_t i)
{
	const struct chain_end *s = out < 0 ? &c->in : &c->outs[out];

	return s->tokens + i * s->token_size;
}

/* The number-th mask with these stages. */
static unsigned nth_mask(unsigned number, unsigned most)
{
	unsigned mask = 0;

	for (; number; number--)
		do {
			mask++;
		} while (mask & ~most && mask <= most);
	return mask;
}

bool chain_configuration(
	char text[32], unsigned number, unsigned cores, unsigned stages, unsigned mask, bool medium)
{
	unsigned grains = cores + 1 + medium, grain = number % grains,
		 which = nth_mask(number / grains, mask);
	char masks[CHAIN_MASK + 1] = "";

	ck_assert_uint_le(stages, CHAIN_MASK);
	for (unsigned k = 0; k < stages; k++)
		masks[k] = which >> k & 1 ? '1' : '0';
	if (grain <= cores)
		snprintf(text, 32, "CG:%s:%u", masks, grain + 1);
	else
		snprintf(text, 32, "MG:%s", masks);
	return which <= mask;
}
