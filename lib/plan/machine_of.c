/* SPDX-License-Identifier: MIT */
/* The machine that a network's mapping is about, where no other was given. */
#include "lib/base/cores.h"
#include "lib/firing/backend.h"
#include "lib/model/error.h"
#include "penstock/plan.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>

enum { NAME = 24 };

static const char host[] = "host";

/* The first actor on each device stands for it. */
static const struct pstk_actor *first_there(const struct pstk_actor *a)
{
	const struct pstk_network *net = a->network;
	unsigned i = 0;

	while (net->actors[i]->backend != a->backend ||
		a->backend->info(net->actors[i]) != a->backend->info(a))
		i++;
	return net->actors[i];
}

/* "host/d3": the device's number is that of its first actor. */
static const char *place_of(const struct pstk_actor *a, char name[NAME])
{
	if (!a->backend)
		return host;
	snprintf(name, NAME, "%s/d%u", host, first_there(a)->index);
	return name;
}

static int link_places(struct pstk_machine *m, const char *a, const char *b, bool copies)
{
	int link = pstk_machine_add_link(m, &(struct pstk_link){ .a = a,
						    .b = b,
						    .kind = copies ? PSTK_LINK_COPY : PSTK_LINK_SHARED,
						    .rate = copies ? INFINITY : 0 });

	return link < 0 ? link : 0;
}

/* The device of its first actor: linked to the host, and to the devices before it that are parts of the same one. */
static int add_device(struct pstk_machine *m, const struct pstk_actor *a)
{
	const struct pstk_network *net = a->network;
	const struct pstk_device_info *info = a->backend->info(a);
	char name[NAME], other[NAME];
	int err = pstk_machine_add_device(
		m, host, place_of(a, name) + sizeof host, info->selector, info->memory_bytes);

	if (err >= 0)
		err = link_places(m, host, name, a->backend->copies(a));
	for (unsigned i = 0; i < a->index && !err; i++) {
		const struct pstk_actor *b = net->actors[i];

		if (b->backend == a->backend && first_there(b) == b && a->backend->together(a, b))
			err = link_places(m, place_of(b, other), name, false);
	}
	return err;
}

struct pstk_machine *pstk_network_machine(struct pstk_network *net)
{
	int err = ps_network_building(net, __func__);
	struct pstk_machine *m = err ? NULL : pstk_machine_create();
	char name[NAME];

	if (!m)
		return NULL;
	err = pstk_machine_add_host(m, host, ps_cores(), 0);
	for (unsigned i = 0; i < net->actor_count && err >= 0; i++) {
		struct pstk_actor *a = net->actors[i];

		err = a->backend && first_there(a) == a ? add_device(m, a) : 0;
		if (!err)
			err = pstk_actor_place(a, place_of(a, name));
	}
	if (err >= 0)
		return m;
	pstk_machine_destroy(m);
	return NULL;
}

int pstk_network_plan(struct pstk_network *net, const struct pstk_plan_options *options)
{
	int err = ps_network_building(net, __func__);
	struct pstk_machine *m = err ? NULL : pstk_network_machine(net);
	struct pstk_plan *plan = m ? pstk_plan_create(net, m, options) : NULL;

	if (err)
		return err;
	err = plan ? pstk_plan_result(plan) : -ENOMEM;
	if (err)
		ps_network_problem(net, err, "network '%s': %s", net->name,
			plan ? pstk_plan_error(plan) : "out of memory");
	else
		err = pstk_plan_apply(net, plan);
	pstk_plan_destroy(plan);
	pstk_machine_destroy(m);
	return err;
}
