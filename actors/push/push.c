/* SPDX-License-Identifier: MIT */
#include "actors/common/handover.h"

#include <errno.h>
#include <stdlib.h>

struct pstk_push {
	struct ps_handover handover;
};

/* One window: what was pushed before the end or a stop is published. */
static int fire(struct pstk_firing *f)
{
	enum { OUT };
	struct pstk_actor *self = pstk_firing_actor(f);
	struct pstk_push *push = pstk_actor_arg(self);
	uint32_t rate = pstk_actor_port_rate(self, OUT), moved;
	void *window = ps_handover_closed(&push->handover) ? NULL : pstk_fifo_write_start(f, OUT);

	if (!window) {
		ps_handover_close(&push->handover);
		return PSTK_DONE;
	}
	moved = ps_handover_lend(&push->handover, window, pstk_actor_port_token_size(self, OUT), rate);
	if (moved == rate) {
		pstk_fifo_write_end(f, OUT);
		return PSTK_AGAIN;
	}
	if (moved)
		pstk_fifo_write_end_partial(f, OUT, moved);
	return PSTK_DONE;
}

static void unblock(struct pstk_actor *self)
{
	struct pstk_push *push = pstk_actor_arg(self);

	ps_handover_close(&push->handover);
}

static int finish(struct pstk_actor *self)
{
	unblock(self);
	return 0;
}

struct pstk_push *pstk_push_create(void)
{
	struct pstk_push *push = calloc(1, sizeof *push);

	if (push)
		ps_handover_init(&push->handover, PS_INTO_WINDOW);
	return push;
}

struct pstk_actor *pstk_push_add(struct pstk_network *net, const char *name, struct pstk_push *push)
{
	const struct pstk_port port = { .name = "out", .kind = PSTK_OUTPUT };

	if (!push) {
		pstk_network_refuse(net, -EINVAL, "'%s': its push is NULL", name ? name : "");
		return NULL;
	}
	return ps_handover_add(&push->handover, net, name,
		PSTK_ACTOR_TYPE(.name = "push", .ports = &port, .port_count = 1, .kahn = true, .fire = fire,
			.finish = finish, .unblock = unblock),
		push);
}

int pstk_push_write(struct pstk_push *push, const void *tokens, size_t n, uint64_t ns)
{
	if (!push || !tokens)
		return -EINVAL;
	return ps_handover_move(
		&push->handover, (void *)tokens, n, ns); /* only reads them, being PS_INTO_WINDOW */
}

int pstk_push_end(struct pstk_push *push)
{
	if (!push)
		return -EINVAL;
	ps_handover_close(&push->handover);
	return 0;
}

void pstk_push_destroy(struct pstk_push *push)
{
	if (!push)
		return;
	ps_handover_destroy(&push->handover);
	free(push);
}
