/* SPDX-License-Identifier: MIT */
#include "lib/plan/sharing.h"
#include "lib/fifo/merged.h"
#include "lib/firing/backend.h"
#include "lib/plan/plan.h"

#include <string.h>

/* The FIFOs of one output that lie in plain memory of the host: the first one of each kind, or NULL. */
struct output {
	const struct pstk_fifo *first;
	const struct pstk_fifo *delayed; /* with initial tokens .. */
	const struct pstk_fifo *zeros;   /* .. which are zeros */
	const struct pstk_fifo *history; /* without any, and its reader sees zeros before the stream */
};

static bool on_host(const struct pstk_fifo *f)
{
	return !ps_backend_of(f);
}

static bool is_zero(const unsigned char *bytes, size_t count)
{
	while (count && !*bytes) {
		bytes++;
		count--;
	}
	return !count;
}

static bool same_tokens(const struct pstk_fifo *a, const struct pstk_fifo *b)
{
	const struct ps_layout *l = &a->fifo.layout;
	size_t bytes = l->delay * l->token_size;

	if (l->delay != b->fifo.layout.delay)
		return false;
	if (a->initial && b->initial)
		return !memcmp(a->initial, b->initial, bytes);
	if (!a->initial && !b->initial)
		return true;
	return is_zero(a->initial ? a->initial : b->initial, bytes);
}

/* Its reader has no initial tokens, and sees zeros before the stream. */
static bool begins_with_history(const struct pstk_fifo *f)
{
	const struct ps_layout *l = &f->fifo.layout;

	return !l->delay && l->history && !l->peek;
}

static bool begins_with_zeros(const struct pstk_fifo *f)
{
	const struct ps_layout *l = &f->fifo.layout;

	return l->delay && (!f->initial || is_zero(f->initial, l->delay * l->token_size));
}

static void keep_first(const struct pstk_fifo **first, const struct pstk_fifo *f, bool is_one)
{
	if (!*first && is_one)
		*first = f;
}

static struct output look_at(const struct pstk_fifo *f)
{
	struct output out = { 0 };

	for (const struct pstk_fifo *o = f->src->ports[f->src_port].fifo; o; o = o->next) {
		if (!on_host(o))
			continue;
		keep_first(&out.first, o, true);
		keep_first(&out.delayed, o, o->fifo.layout.delay);
		keep_first(&out.zeros, o, begins_with_zeros(o));
		keep_first(&out.history, o, begins_with_history(o));
	}
	return out;
}

/*
 * Whose memory f's reader will use. Before the start. Rates, histories, depths and tails may differ.
 *   - A reader with delay tokens uses the memory of the first reader with the same tokens.
 *   - A reader without delay tokens uses the writer's windows. They lie in the memory of the first reader with delay
 *     tokens; if there is none, in that of the first reader.
 *   - But in front of these windows it would see the delay tokens. One that is to see zeros there, as its history,
 *     uses the memory of the first reader whose delay tokens are zeros; if there is none but others, that of the first
 *     reader like itself.
 */
static const struct pstk_fifo *choose(const struct output *out, const struct pstk_fifo *f)
{
	if (begins_with_history(f) && out->delayed)
		return out->zeros ? out->zeros : out->history;
	if (!f->fifo.layout.delay)
		return out->delayed ? out->delayed : out->first;
	for (const struct pstk_fifo *o = out->delayed; o != f; o = o->next)
		if (on_host(o) && same_tokens(f, o))
			return o;
	return f;
}

/* f: the first FIFO of its output. */
static void share_output(struct pstk_fifo *f)
{
	struct output out = look_at(f);

	for (; f; f = f->next) {
		struct pstk_fifo *owner = on_host(f) ? (struct pstk_fifo *)choose(&out, f) : f;

		/* On an error both together are more than memory can have. They stay apart, and start() refuses
		 * them. */
		if (owner != f && ps_fifo_share(&f->fifo, &owner->fifo))
			continue;
	}
}

void ps_sharing_decide(struct pstk_network *net)
{
	for (unsigned i = 0; i < net->fifo_count && net->environment.share; i++)
		if (net->fifos[i]->src->ports[net->fifos[i]->src_port].fifo == net->fifos[i])
			share_output(net->fifos[i]);
	net->plan->sharing_decided = true;
}

bool ps_sharing_shared(const struct pstk_fifo *f)
{
	struct output out;

	if (f->crossing == PS_CROSSES_ELSEWHERE)
		return false;
	if (!on_host(f))
		return ps_backend_of(f)->fifo_shared(f);
	if (f->src->network->plan->sharing_decided)
		return f->fifo.owner != &f->fifo || f->fifo.borrowed;
	if (!f->src->network->environment.share)
		return false;
	out = look_at(f);
	return choose(&out, f) != f;
}

/* The bytes that f takes with all readers that will share its memory. Before the start. */
static size_t bytes_together(const struct output *out, const struct pstk_fifo *f)
{
	const struct pstk_fifo *first = f->src->ports[f->src_port].fifo;
	struct ps_layout shape = f->fifo.layout;

	for (const struct pstk_fifo *o = first; o; o = o->next)
		if (o != f && on_host(o) && choose(out, o) == f && ps_layout_widen(&shape, &o->fifo.layout))
			return SIZE_MAX;
	for (const struct pstk_fifo *o = first; o; o = o->next)
		if (on_host(o) && choose(out, o) == f && ps_layout_extend(&shape, &o->fifo.layout))
			return SIZE_MAX;
	return shape.bytes;
}

/* The bytes that an owner takes; merged memory counts once. */
static size_t own_bytes(const struct ps_fifo *f)
{
	const struct ps_merged *of = f->merged ? f->merged->of : NULL;

	return f->borrowed        ? 0
	       : !of              ? f->shape.bytes
	       : f->merged->index ? 0
	                          : (of->slots - 1) * of->step + of->bytes;
}

/* The bytes of all FIFOs of an output, of which f is the first. */
static size_t output_bytes(const struct pstk_fifo *f)
{
	const struct pstk_network *net = f->src->network;
	struct output out = look_at(f);
	bool apart = !net->plan->sharing_decided && !net->environment.share;
	size_t sum = 0, bytes;

	for (; f; f = f->next) {
		if (!on_host(f))
			bytes = ps_backend_of(f)->fifo_shared(f) ? 0 : f->fifo.layout.bytes;
		else if (net->plan->sharing_decided)
			bytes = f->fifo.owner == &f->fifo ? own_bytes(&f->fifo) : 0;
		else if (apart)
			bytes = f->fifo.layout.bytes;
		else
			bytes = choose(&out, f) == f ? bytes_together(&out, f) : 0;
		if (__builtin_add_overflow(sum, bytes, &sum))
			return SIZE_MAX;
	}
	return sum;
}

size_t ps_sharing_bytes(const struct pstk_network *net)
{
	size_t sum = 0;

	for (unsigned i = 0; i < net->fifo_count; i++) {
		const struct pstk_fifo *f = net->fifos[i];

		if (f->src->ports[f->src_port].fifo == f &&
			__builtin_add_overflow(sum, output_bytes(f), &sum))
			return SIZE_MAX;
	}
	return sum;
}
