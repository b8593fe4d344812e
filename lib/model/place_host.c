/* SPDX-License-Identifier: MIT */
/* Place, host: places of an actor that are named as the machine has them, which may be of other hosts. */
#include "lib/base/memory.h"
#include "lib/model/error.h"
#include "lib/model/place.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

int ps_place_name(
	struct pstk_network *net, const char *name, unsigned host, bool is_device, const char *selector)
{
	struct ps_named_place *all =
		ps_memory_resize(net->named_places, net->named_place_count + 1, sizeof *all);
	struct ps_named_place *p = all ? &all[net->named_place_count] : NULL;

	if (!p)
		return -ENOMEM;
	net->named_places = all;
	*p = (struct ps_named_place){ .name = ps_memory_strdup(name),
		.host = host,
		.is_device = is_device,
		.selector = selector ? ps_memory_strdup(selector) : NULL };
	net->named_place_count++;
	return p->name && (p->selector || !selector) ? 0 : -ENOMEM;
}

void ps_place_name_none(struct pstk_network *net)
{
	for (unsigned i = 0; i < net->named_place_count; i++) {
		ps_memory_free(net->named_places[i].name);
		ps_memory_free(net->named_places[i].selector);
	}
	ps_memory_free(net->named_places);
	net->named_places = NULL;
	net->named_place_count = 0;
}

/* NULL: no place of the machine is called so. */
static const struct ps_named_place *find(const struct pstk_network *net, const char *name)
{
	for (unsigned i = 0; name && i < net->named_place_count; i++)
		if (!strcmp(net->named_places[i].name, name))
			return &net->named_places[i];
	return NULL;
}

int ps_place_take_named(
	struct pstk_actor *a, const char **device, struct ps_actor_place *place, const char **wanted)
{
	const struct ps_named_place *n = find(a->network, *device);
	bool is_none;

	*place = ps_place_cores();
	*wanted = n || ps_actor_away(a) ? NULL : *device;
	if (!n && *device && ps_actor_away(a)) /* devices of other hosts are not looked for */
		snprintf(place->name, sizeof place->name, "%s", *device);
	if (!n)
		return 0;
	is_none = n->is_device && !n->selector;
	if (strlen(n->name) >= PS_PLACE_NAME || is_none)
		return ps_network_problem(a->network, is_none ? -ENODEV : -ENAMETOOLONG,
			"'%s' (%s): it can't move to '%.60s': %s", a->name, a->type.name, n->name,
			is_none ? "that place has no device, give it a selector in the machine"
				: "names of places have 63 bytes at most");
	place->named = true;
	if (!n->is_device)
		*device = NULL;
	place->far = n->host != a->host;
	place->host = n->host;
	place->selector = n->is_device ? n->selector : NULL;
	if (n->is_device && n->host == a->network->host)
		*wanted = n->selector;
	if (place->far || n->is_device)
		snprintf(place->name, sizeof place->name, "%s", place->far ? n->name : n->selector);
	return 0;
}

void ps_place_plan(struct pstk_actor *a, const char *name)
{
	const struct ps_named_place *n = find(a->network, name);

	struct ps_actor_place first = ps_place_cores();

	a->planned_device = n ? n->selector : NULL;
	ps_place_map(a, &first);
}

bool ps_place_is_named(const struct pstk_actor *a)
{
	for (unsigned i = 1; i < a->place_count; i++)
		if (a->places[i].named)
			return true;
	return false;
}

const char *ps_place_at_home(const struct pstk_actor *a, const char *device)
{
	const struct ps_named_place *n = find(a->network, device);

	return !n || n->host != a->host ? device : n->is_device ? n->selector : NULL;
}

void ps_place_add_host(struct pstk_actor *a)
{
	a->visits = a->guarded = true;
}

bool ps_place_is_elsewhere(const struct pstk_actor *a, const struct ps_actor_place *p)
{
	return p->far && p->host != a->network->host;
}

void ps_place_settle_hosts(struct pstk_actor *a)
{
	for (unsigned i = 0; i < a->place_count; i++) {
		struct ps_actor_place *p = &a->places[i];

		p->far = p->far && p->host != a->host; /* a later plan may have put the actor there */
		a->visited |= p->far && ps_actor_away(a) && p->host == a->network->host;
	}
}

void ps_place_check_hosts(struct pstk_actor *a)
{
	const char *why = NULL;

	if (!a->visits)
		return;
	if (!a->type.stateless && !a->type.portable_state)
		why = "keeps a state that the other one may not read alike: set portable_state, if it does";
	else if (a->type.unblock)
		why = "has an unblock(), which only the thread that waits for it could call there";
	if (why)
		ps_network_problem(a->network, -EINVAL, "'%s' (%s): it may move to another host, but %s",
			a->name, a->type.name, why);
}
