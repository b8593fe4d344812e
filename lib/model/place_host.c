/* SPDX-License-Identifier: MIT */
/* Place, host: places of an actor that are other hosts of the machine. */
#include "lib/model/error.h"
#include "lib/model/place.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

/* The host whose name is the first `length` bytes; NULL: there is none. */
static const struct ps_named_host *find(const struct pstk_network *net, const char *name, size_t length)
{
	for (unsigned i = 0; i < net->named_host_count; i++) {
		const struct ps_named_host *h = &net->named_hosts[i];

		if (strlen(h->name) == length && !strncmp(h->name, name, length))
			return h;
	}
	return NULL;
}

int ps_place_find_host(struct pstk_actor *a, const char *device, struct ps_actor_place *place)
{
	size_t length = device ? strcspn(device, "/") : 0;
	const struct ps_named_host *h = device ? find(a->network, device, length) : NULL;

	if (!h)
		return 0;
	if (device[length])
		return ps_network_problem(a->network, -ENOTSUP,
			"'%s' (%s): it can't move to '%.60s': between hosts an actor moves to the cores "
		        "only, "
			"say '%s'%s",
			a->name, a->type.name, device, h->name,
			h->place == a->host ? ", and to a device of its own host by a selector" : "");
	*place = ps_place_cores();
	if (h->place == a->host)
		return 1;
	place->far = true;
	place->host = h->place;
	place->given = h->name;
	snprintf(place->name, sizeof place->name, "%s", h->name);
	return 1;
}

bool ps_place_is_home(const struct pstk_actor *a, const char *device)
{
	const struct ps_named_host *h = device ? find(a->network, device, strlen(device)) : NULL;

	return h && h->place == a->host;
}

void ps_place_add_host(struct pstk_actor *a)
{
	a->visits = a->guarded = true;
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
