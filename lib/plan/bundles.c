/* SPDX-License-Identifier: MIT */
#include "lib/plan/bundles.h"
#include "lib/base/memory.h"
#include "lib/firing/decision.h"
#include "lib/model/type.h"
#include "lib/plan/plan.h"

#include <errno.h>

bool ps_bundles_wanted = true;

/* It fires here, on cores, and never elsewhere, and all its windows in one firing. */
static bool is_plain(const struct pstk_actor *a)
{
	return !a->backend && !a->places && !a->guarded && !a->visited && !ps_actor_away(a) && !a->type.kahn;
}

/* Why both ports are not on in the same firings, as far as is known before the start. NULL: they are. */
static const char *not_together(const struct pstk_actor *a, unsigned p, unsigned q)
{
	static const char *const others = "its ports are on for other control values";
	size_t words = ps_mask_words(a->type.port_count);
	bool dynamic = ps_port_is_dynamic(a->type.ports[p].kind);

	if (dynamic != ps_port_is_dynamic(a->type.ports[q].kind))
		return others;
	if (!dynamic)
		return NULL;
	if (!a->type.control_values || a->decided_count < a->type.control_values)
		return "what turns its ports on is not known before the start";
	for (uint32_t value = 0; value < a->decided_count; value++) {
		const uint64_t *mask = a->decided + value * words;

		if (ps_mask_has(mask, p) != ps_mask_has(mask, q))
			return others;
	}
	return NULL;
}

/* What keeps a FIFO from any bundle. NULL: nothing does. */
static const char *unfit(const struct pstk_fifo *f)
{
	const struct ps_fifo *m = &f->fifo;

	if (f->dst_port == f->dst->control_port)
		return "it carries control tokens";
	if (f->src->type.kahn || f->dst->type.kahn)
		return "an end is a Kahn actor's";
	if (f->crossing != PS_CROSSES_NOT || f->way || ps_actor_away(f->src) || ps_actor_away(f->dst))
		return "an end is on another host";
	if (f->src->backend || f->dst->backend)
		return "an end is on a device";
	if (!is_plain(f->src) || !is_plain(f->dst))
		return "an end may move";
	if (m->owner->sharer || f->next || f->src->ports[f->src_port].fifo != f)
		return "its output has several readers";
	if (m->merged)
		return "its memory is merged";
	if (!ps_layout_is_simple(&m->layout))
		return m->layout.write_rate != m->layout.read_rate ? "its ends have different rates"
		                                                   : "its windows overlap";
	return !m->alone || m->alignment || m->writer.ops || m->reader.ops ? "its memory is not plain" : NULL;
}

/* What keeps both apart, which are between the same two actors, and fit for bundles. NULL: nothing does. */
static const char *differ(const struct pstk_fifo *f, const struct pstk_fifo *g)
{
	const struct ps_layout *a = &f->fifo.layout, *b = &g->fifo.layout;
	const char *reason;

	if (a->read_rate != b->read_rate)
		return "its rate is not that of the FIFO beside it";
	if (a->delay != b->delay)
		return "its delay is not that of the FIFO beside it";
	if (a->depth != b->depth || a->room != b->room)
		return "its depth is not that of the FIFO beside it";
	reason = not_together(f->src, f->src_port, g->src_port);
	return reason ? reason : not_together(f->dst, f->dst_port, g->dst_port);
}

/* In which order ports follow the lead doesn't matter. */
static void follow(struct pstk_actor *a, unsigned lead, unsigned port)
{
	a->ports[port].along = a->ports[lead].along;
	a->ports[lead].along = port;
}

static void tie(struct pstk_fifo *lead, struct pstk_fifo *f)
{
	f->lead = lead;
	follow(f->src, lead->src_port, f->src_port);
	follow(f->dst, lead->dst_port, f->dst_port);
}

/* leads: by the reader's number, the leads of this actor's bundles so far, the latest first; others by others' numbers.
 * next: by a lead's number, the one before it. */
static void tie_outputs(struct pstk_actor *a, struct pstk_fifo **leads, struct pstk_fifo **next)
{
	for (unsigned p = 0; p < a->type.port_count; p++) {
		struct pstk_fifo *f = ps_port_reads(a->type.ports[p].kind) ? NULL : a->ports[p].fifo, *lead;

		if (!f || unfit(f))
			continue;
		lead = leads[f->dst->index];
		while (lead && (lead->src != a || differ(lead, f)))
			lead = lead->src == a ? next[lead->index] : NULL;
		if (lead) {
			tie(lead, f);
			continue;
		}
		lead = leads[f->dst->index];
		next[f->index] = lead && lead->src == a ? lead : NULL;
		leads[f->dst->index] = f;
	}
}

int ps_bundles_tie(struct pstk_network *net)
{
	struct pstk_fifo **leads, **next;
	bool enough;

	net->plan->bundled = ps_bundles_wanted;
	if (!ps_bundles_wanted)
		return 0;
	leads = ps_memory_zalloc(net->actor_count, sizeof *leads);
	next = ps_memory_zalloc(net->fifo_count, sizeof *next);
	enough = leads && next;
	for (unsigned i = 0; enough && i < net->actor_count; i++)
		tie_outputs(net->actors[i], leads, next);
	ps_memory_free(leads);
	ps_memory_free(next);
	return enough ? 0 : -ENOMEM;
}

unsigned ps_bundles_count(const struct pstk_fifo *f)
{
	const struct pstk_actor *a = f->src;
	unsigned count = 0;

	for (unsigned p = f->lead->src_port; p != PS_NO_PORT; p = a->ports[p].along)
		count++;
	return count;
}

const char *ps_bundles_refused(const struct pstk_fifo *f)
{
	const struct pstk_actor *a = f->src;
	const char *reason;

	if (!a->network->plan->bundled || ps_bundles_count(f) > 1)
		return NULL;
	for (unsigned p = 0; p < a->type.port_count; p++) {
		const struct pstk_fifo *g = ps_port_reads(a->type.ports[p].kind) ? NULL : a->ports[p].fifo;

		while (g && (g == f || g->dst != f->dst))
			g = g->next;
		if (!g)
			continue;
		reason = unfit(f);
		if (!reason && !unfit(g))
			reason = differ(g, f);
		if (reason)
			return reason;
	}
	return NULL;
}
