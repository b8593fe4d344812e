/* SPDX-License-Identifier: MIT */
/*
 * Schedule: an actor comes after all whose windows it needs in the same iteration. visit(n) first visits those, in the
 * order of the FIFOs, then numbers n (PACCO, section 4.1). An explicit stack takes the place of the recursion.
 */
#include "lib/mapping/outline.h"
#include "lib/base/memory.h"

#include <errno.h>

enum { UNSEEN, OPEN, DONE };

/* The stack lies in `scheduled` behind those that have a position: both together are at most all actors. */
struct search {
	struct ps_outline *o;
	unsigned char *state; /* of each actor */
	unsigned *next;       /* of each open actor: the input to look at */
	unsigned done, depth;
};

static void open_actor(struct search *s, unsigned actor)
{
	s->state[actor] = OPEN;
	s->next[actor] = s->o->flow->input_start[actor];
	s->o->scheduled[s->o->flow->actor_count - ++s->depth] = actor;
}

/* The next actor that this one needs and that has no position; PS_NONE: it needs none. */
static unsigned needs(struct search *s, unsigned actor)
{
	const struct ps_flow *f = s->o->flow;

	while (s->next[actor] < f->input_start[actor + 1]) {
		const struct ps_flow_reader *r = &f->readers[f->inputs[s->next[actor]++]];
		unsigned writer = f->outputs[r->output].writer;

		if (!r->delay && s->state[writer] != DONE)
			return writer;
	}
	return PS_NONE;
}

/* The cycle: from the actor that is open to the top of the stack, which needs it. */
static int refuse(struct search *s, unsigned actor)
{
	unsigned top = s->o->flow->actor_count - s->depth;

	s->o->cycle_first = top;
	s->o->cycle_count = 1;
	while (s->o->scheduled[top + s->o->cycle_count - 1] != actor)
		s->o->cycle_count++;
	return -ELOOP;
}

static int visit(struct search *s, unsigned actor)
{
	open_actor(s, actor);
	while (s->depth) {
		unsigned here = s->o->scheduled[s->o->flow->actor_count - s->depth], writer = needs(s, here);

		if (writer == PS_NONE) {
			s->depth--;
			s->state[here] = DONE;
			s->o->schedule[here] = s->done;
			s->o->scheduled[s->done++] = here;
		} else if (s->state[writer] == OPEN) {
			return refuse(s, writer);
		} else {
			open_actor(s, writer);
		}
	}
	return 0;
}

int ps_outline_schedule(struct ps_outline *o)
{
	unsigned count = o->flow->actor_count;
	struct search s = {
		.o = o, .state = ps_memory_zalloc(count, 1), .next = ps_memory_zalloc(count, sizeof *s.next)
	};
	int err = s.state && s.next ? 0 : -ENOMEM;

	for (unsigned i = 0; !err && i < count; i++)
		if (s.state[i] == UNSEEN)
			err = visit(&s, i);
	ps_memory_free(s.state);
	ps_memory_free(s.next);
	return err;
}
