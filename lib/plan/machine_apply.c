/* SPDX-License-Identifier: MIT */
#include "lib/plan/machine_plan.h"
#include "lib/model/error.h"
#include "lib/model/place.h"
#include "lib/plan/parts.h"
#include "lib/plan/plan.h"
#include "lib/plan/ranks.h"
#include "lib/plan/ways.h"
#include "penstock/penstock.h"

#include <errno.h>
#include <inttypes.h>

/* Does this process run the actor? */
static bool is_here(const struct pstk_network *net, const struct pstk_plan *p, unsigned actor)
{
	return !net->has_hosts || p->hosts[actor] == net->host;
}

/* Devices of other hosts are not looked for. */
static int place(struct pstk_network *net, const struct pstk_plan *p, unsigned actor)
{
	struct pstk_actor *a = net->actors[actor];
	bool here = is_here(net, p, actor);
	int err = ps_parts_place(a, p->hosts[actor]);

	if (!err)
		err = pstk_actor_map(a, here ? p->selectors[actor] : NULL);
	if (!err && !here)
		ps_place_plan(a, p->actors[actor].place);
	return err;
}

/* Places by the machine's names are looked up as they are given. */
static int check_movable(struct pstk_network *net)
{
	for (unsigned i = 0; i < net->actor_count; i++)
		if (ps_place_is_named(net->actors[i]))
			return ps_network_problem(net, -EINVAL,
				"'%s' (%s): pstk_plan_apply() after pstk_actor_may_move() to a place of the "
				"machine: apply the plan first",
				net->actors[i]->name, net->actors[i]->type.name);
	return 0;
}

static int check(struct pstk_network *net, const struct pstk_plan *p)
{
	for (unsigned i = 1; i < p->actor_count && !net->has_hosts; i++)
		if (p->hosts[i] != p->hosts[0])
			return ps_network_problem(net, -ENOTSUP,
				"'%s' is at '%s', but '%s' at '%s': several hosts need a process each, and "
				"pstk_network_set_hosts() in each",
				p->actors[0].name, p->actors[0].place, p->actors[i].name, p->actors[i].place);
	for (unsigned i = 0; i < p->actor_count; i++)
		if (p->on_device[i] && !p->selectors[i] && is_here(net, p, i))
			return ps_network_problem(net, -ENODEV,
				"'%s': place '%s' has no device: it can be planned, but nothing runs there; "
				"give it a selector in the machine",
				p->actors[i].name, p->actors[i].place);
	for (unsigned i = 0; i < p->memory_count; i++)
		if (p->there[i] && p->memory[i].merged_bytes > p->there[i])
			return ps_network_problem(net, -ENOMEM,
				"place '%s' has %" PRIu64 " bytes of memory, the plan needs %" PRIu64,
				p->memory[i].place, p->there[i], p->memory[i].merged_bytes);
	return 0;
}

/* What a plan before has said. */
static void take_back(struct pstk_fifo *f)
{
	f->depth_is_planned = false;
	f->depth_before = 0;
	f->merge = f->merge_before = (struct ps_merge){ 0 };
	f->planned = 0;
}

/* A buffer that shares memory is as deep as that is. */
static void set_depth(struct pstk_fifo *f, const struct pstk_plan *p)
{
	const struct ps_merge none = { 0 }, *merge = p->merges ? &p->merges[f->index] : &none,
			      *before = p->merges ? &p->merges_before[f->index] : &none;
	const struct ps_layout *l = &f->fifo.layout;
	struct ps_layout with = *l;

	if (!f->depth_is_default || f->ring || l->write_rate != l->read_rate || l->history || l->tail)
		return;
	with.depth = merge->group ? merge->slots : p->depths[f->index];
	with.room = 0;
	if (ps_layout_init(&with)) /* the plan knows that there are not too many bytes */
		return;
	f->fifo.layout = f->fifo.shape = with;
	f->depth_is_planned = true;
	f->depth_before = before->group ? before->slots : p->before[f->index];
	f->merge = *merge;
	f->merge_before = *before;
}

static int set_ways(struct pstk_network *net, const struct pstk_plan *p)
{
	int err = 0;

	for (unsigned i = 0; !err && i < net->fifo_count; i++)
		err = ps_way_set(net->fifos[i], p->ways[i]);
	return err ? ps_network_problem(net, err, "out of memory for the ways between hosts") : 0;
}

/* Actors may move to them (pstk_actor_may_move()). */
static int name_devices(struct pstk_network *net, const struct pstk_plan *p)
{
	int err = 0;

	for (unsigned i = 0; i < p->device_count && net->named_places && !err; i++)
		err = ps_place_name(
			net, p->devices[i].name, p->devices[i].host, true, p->devices[i].selector);
	return err ? ps_network_problem(net, err, "out of memory for the hosts") : 0;
}

int pstk_plan_apply(struct pstk_network *net, const struct pstk_plan *p)
{
	int err = ps_network_building(net, __func__);

	if (err)
		return err;
	if (!p || p->result || p->network != net || p->actor_count != net->actor_count ||
		p->fifo_count != net->fifo_count)
		return -EINVAL;
	err = check_movable(net);
	if (!err)
		err = ps_ranks_place(net, p->machine, p->host_count);
	if (!err)
		err = name_devices(net, p);
	if (!err)
		err = check(net, p);
	for (unsigned i = 0; !err && i < p->actor_count; i++)
		err = place(net, p, i);
	if (!err)
		err = set_ways(net, p);
	if (err)
		return err;
	net->plan->planned_actors = net->actor_count;
	net->plan->planned_fifos = net->fifo_count;
	net->plan->depth = 0; /* what a plan before has set, and this one does not, gets the default again */
	for (unsigned i = 0; i < net->fifo_count; i++) {
		take_back(net->fifos[i]);
		set_depth(net->fifos[i], p);
		net->fifos[i]->planned = p->arrives[i];
		net->fifos[i]->planned_rates[0] = net->fifos[i]->fifo.layout.write_rate;
		net->fifos[i]->planned_rates[1] = net->fifos[i]->fifo.layout.read_rate;
	}
	return 0;
}
