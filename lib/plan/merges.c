/* SPDX-License-Identifier: MIT */
#include "lib/plan/merges.h"
#include "lib/base/log.h"
#include "lib/base/memory.h"
#include "lib/firing/backend.h"
#include "lib/plan/plan.h"

#include <errno.h>

/* Is that reader's buffer as the plan wants it? */
static bool is_as_planned(const struct pstk_fifo *f)
{
	const struct ps_layout *l = &f->fifo.layout;

	return f->merge.group && !ps_backend_of(f) && ps_layout_is_simple(l) && !l->delay &&
	       ps_layout_windows(l) == f->merge.slots;
}

/* May the memory of this FIFO be that of other outputs, too? Not if it is only one of several of its output. */
static bool can_merge(const struct pstk_fifo *f)
{
	unsigned count = 0;

	for (const struct pstk_fifo *o = f->src->ports[f->src_port].fifo; o; o = o->next)
		if (++count > PS_MEMBER_READERS || o->fifo.owner != &f->fifo || !is_as_planned(o) ||
			o->merge.group != f->merge.group)
			return false;
	return true;
}

static bool is_old(const struct pstk_network *net)
{
	return net->plan->planned_actors != net->actor_count || net->plan->planned_fifos != net->fifo_count;
}

static bool has_other_rates(const struct pstk_fifo *f)
{
	return f->planned_rates[0] != f->fifo.layout.write_rate ||
	       f->planned_rates[1] != f->fifo.layout.read_rate;
}

/* An actor or a FIFO that the plan did not know, or with other rates, may need a buffer of a group to be ahead of
 * another one: neither would go on. */
static void drop_old(struct pstk_network *net)
{
	bool dropped = false, old = is_old(net), crosses = false;

	/* of a FIFO that crosses this process's part has one rate: that of the end that is here */
	for (unsigned i = 0; i < net->fifo_count && !old; i++) {
		bool other = has_other_rates(net->fifos[i]);

		crosses = crosses || (other && net->fifos[i]->crossing != PS_CROSSES_NOT);
		old = other && net->fifos[i]->crossing == PS_CROSSES_NOT;
	}
	if (!old && !crosses)
		return;
	for (unsigned i = 0; i < net->fifo_count; i++) {
		struct pstk_fifo *f = net->fifos[i];

		dropped = dropped || f->merge.group || f->merge_before.group;
		f->merge = f->merge_before = (struct ps_merge){ 0 };
	}
	if (dropped && old)
		ps_log(PS_TOPIC_NETWORK, PSTK_LOG_WARNING,
			"%s: built on after its plan: no buffers share memory; plan a network once all is "
			"built",
			net->name);
}

int ps_merges_decide(struct pstk_network *net)
{
	struct ps_merging *all = &net->plan->merging;
	unsigned wanted = 0;

	drop_old(net);
	for (unsigned i = 0; i < net->fifo_count; i++)
		wanted += net->fifos[i]->merge.group != 0;
	if (!wanted)
		return 0;
	all->sites = ps_memory_zalloc(wanted, sizeof *all->sites);
	if (!all->sites)
		return -ENOMEM;
	for (unsigned i = 0; i < net->fifo_count; i++)
		if (can_merge(net->fifos[i]))
			all->sites[all->count++] = (struct ps_merging_site){
				.fifo = net->fifos[i], .merge = &net->fifos[i]->merge, .kind = PS_MEMBER_READ
			};
	if (ps_merging_make(all))
		return -ENOMEM;
	for (unsigned i = 0; i < all->count; i++)
		if (all->sites[i].member)
			ps_merged_join(all->sites[i].member, &net->fifos[all->sites[i].fifo->index]->fifo);
	return 0;
}

bool ps_merges_merged(const struct pstk_fifo *f)
{
	const struct pstk_network *net = f->src->network;

	if (f->crossing == PS_CROSSES_ELSEWHERE ||
		(!net->plan->sharing_decided && (is_old(net) || has_other_rates(f))))
		return false;
	if (ps_backend_of(f))
		return ps_backend_of(f)->fifo_merged(f);
	return net->plan->sharing_decided ? f->fifo.merged != NULL : f->merge.group > 0;
}

void ps_merges_free(struct pstk_network *net)
{
	ps_merging_free(&net->plan->merging);
}
