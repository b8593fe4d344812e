/* SPDX-License-Identifier: MIT */
/*
 * Stages: which stages an actor has that is run as a pipeline. To the network it is one actor: the oracle judges that
 * one. Its ports are dealt out to stages, and stages read earlier ones. All of it follows from the network's seed.
 */
#ifndef PENSTOCK_TESTS_STAGES_H
#define PENSTOCK_TESTS_STAGES_H

#include "tests/random/net.h"

enum { STAGES_MOST = 6, STAGES_INNER = NET_PORTS };

struct stage_port {
	unsigned border;      /* the actor's port that it is; STAGES_INNER: it is between stages alone */
	unsigned stage, port; /* an input between stages: whose output it reads */
	uint64_t key;         /* of the tokens of an output, or of an input between stages */
};

struct stage {
	struct net_actor actor; /* its ports; its steps are those of the whole */
	struct stage_port ports[NET_PORTS];
	bool leads_out; /* some way from it leads to an output of the whole */
};

struct stages {
	const struct net *net;
	unsigned number; /* of the actor */
	unsigned count;
	struct stage list[STAGES_MOST];
	struct {
		unsigned stage, port;
	} border[NET_PORTS]; /* by port of the actor */
};

void stages_plan(struct stages *, const struct net *, unsigned a);

/* Is this input written by a stage? */
static inline bool stages_reads_inner(const struct stage *s, unsigned p)
{
	return net_reads(s->actor.ports[p].kind) && s->ports[p].border == STAGES_INNER;
}

/* What happens in an item. */
struct stages_item {
	bool fired[STAGES_MOST];                /* else an input has no token */
	bool done[STAGES_MOST];                 /* returns PSTK_DONE */
	uint32_t told[STAGES_MOST][NET_PORTS];  /* valid tokens, as the stage sees it */
	uint32_t moved[STAGES_MOST][NET_PORTS]; /* of outputs: tokens that it writes */
	bool left[STAGES_MOST][NET_PORTS];      /* the window is left open */
};

/* valid: of the actor's inputs, by port. */
void stages_foretell(const struct stages *, uint64_t item, const uint32_t *valid, struct stages_item *);

#endif
