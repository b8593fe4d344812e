/* SPDX-License-Identifier: MIT */
#include "actors/common/handover.h"

#include <errno.h>
#include <stdlib.h>

struct pstk_pull {
	struct ps_handover handover;
};

/* One window. */
static int fire(struct pstk_firing *f)
{
	enum { IN };
	struct pstk_actor *self = pstk_firing_actor(f);
	struct pstk_pull *pull = pstk_actor_arg(self);
	const void *window = ps_handover_closed(&pull->handover) ? NULL : pstk_fifo_read_start(f, IN);
	uint32_t valid;

	if (!window) {
		ps_handover_close(&pull->handover);
		return PSTK_DONE;
	}
	valid = pstk_port_valid(f, IN);
	/* The callers only read it, the handover being PS_OUT_OF_WINDOW. */
	if (ps_handover_lend(&pull->handover, (void *)window, pstk_actor_port_token_size(self, IN), valid) <
		valid)
		return PSTK_DONE;
	pstk_fifo_read_end(f, IN);
	return PSTK_AGAIN;
}

/* A stop lets the network drain: what is on the way can still be pulled. */
static void unblock(struct pstk_actor *self)
{
	struct pstk_pull *pull = pstk_actor_arg(self);

	if (pstk_network_failed(pstk_actor_network(self)))
		ps_handover_close(&pull->handover);
}

static int finish(struct pstk_actor *self)
{
	struct pstk_pull *pull = pstk_actor_arg(self);

	ps_handover_close(&pull->handover);
	return 0;
}

struct pstk_pull *pstk_pull_create(void)
{
	struct pstk_pull *pull = calloc(1, sizeof *pull);

	if (pull)
		ps_handover_init(&pull->handover, PS_OUT_OF_WINDOW);
	return pull;
}

struct pstk_actor *pstk_pull_add(struct pstk_network *net, const char *name, struct pstk_pull *pull)
{
	const struct pstk_port port = { .name = "in", .kind = PSTK_INPUT };

	if (!pull) {
		pstk_network_refuse(net, -EINVAL, "'%s': its pull is NULL", name ? name : "");
		return NULL;
	}
	return ps_handover_add(&pull->handover, net, name,
		PSTK_ACTOR_TYPE(.name = "pull", .ports = &port, .port_count = 1, .kahn = true, .fire = fire,
			.finish = finish, .unblock = unblock),
		pull);
}

int pstk_pull_read(struct pstk_pull *pull, void *tokens, size_t n, uint64_t ns)
{
	if (!pull || !tokens)
		return -EINVAL;
	return ps_handover_move(&pull->handover, tokens, n, ns);
}

int pstk_pull_end(struct pstk_pull *pull)
{
	if (!pull)
		return -EINVAL;
	ps_handover_close(&pull->handover);
	return 0;
}

void pstk_pull_destroy(struct pstk_pull *pull)
{
	if (!pull)
		return;
	ps_handover_destroy(&pull->handover);
	free(pull);
}
