/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "apps/common/moves.h"
#include "apps/common/arguments.h"
#include "apps/common/devices.h"

#include <string.h>

struct move {
	const char *actor, *place;
	size_t length; /* of the actor's name */
	uint64_t firing;
};

/* No name of an actor has a =, but one may have an @. */
static bool parse(const char *text, struct move *m)
{
	const char *equals = strchr(text, '='), *at = equals;

	while (at && at > text && *at != '@')
		at--;
	m->actor = text;
	m->length = at ? (size_t)(at - text) : 0;
	m->place = equals ? equals + 1 : "";
	return m->length && *m->place && arguments_number(at + 1, '=', 1, UINT64_MAX, &m->firing) == equals;
}

int moves_take(struct moves *moves, const char *text)
{
	struct move m;

	if (!parse(text, &m))
		return arguments_wrong(
			"move", text, "ACTOR@FIRING=SELECTOR or ACTOR@FIRING=cores, FIRING from 1");
	if (moves->count == MOVES_MOST)
		return app_fail(EXIT_USAGE, "--move is given more than %d times", MOVES_MOST);
	moves->list[moves->count++] = text;
	return 0;
}

static struct pstk_actor *find(const struct pstk_network *network, const struct move *m)
{
	for (unsigned i = 0; i < pstk_network_actor_count(network); i++) {
		struct pstk_actor *actor = pstk_network_actor(network, i);
		const char *name = pstk_actor_name(actor);

		if (strlen(name) == m->length && !memcmp(name, m->actor, m->length))
			return actor;
	}
	return NULL;
}

typedef int move_call(struct pstk_actor *, const char *device, uint64_t firing);

static int allow(struct pstk_actor *actor, const char *device, uint64_t firing)
{
	(void)firing;
	return pstk_actor_may_move(actor, device);
}

static int call_one(struct pstk_actor *actor, const struct move *m, move_call *call)
{
	int err = call(actor, strcmp(m->place, "cores") != 0 ? m->place : NULL, m->firing);

	return err < 0 ? devices_status(err) : 0;
}

static int call_each(const struct moves *moves, struct pstk_network *network, move_call *call,
	bool (*skips)(const void *data, const struct pstk_actor *), const void *data)
{
	int status = 0, latest;

	for (unsigned i = 0; i < moves->count; i++) {
		struct pstk_actor *actor;
		struct move m;

		parse(moves->list[i], &m);
		actor = find(network, &m);
		if (!actor)
			latest = app_fail(EXIT_USAGE, "--move: the network has no actor '%.*s'",
				(int)m.length, m.actor);
		else
			latest = skips && skips(data, actor) ? 0 : call_one(actor, &m, call);
		status = status ? status : latest;
	}
	return status;
}

int moves_allow(const struct moves *moves, struct pstk_network *network)
{
	return call_each(moves, network, allow, NULL, NULL);
}

int moves_ask(const struct moves *moves, struct pstk_network *network,
	bool (*skips)(const void *data, const struct pstk_actor *), const void *data)
{
	return call_each(moves, network, pstk_actor_migrate, skips, data);
}

int moves_apply(const struct moves *moves, struct pstk_network *network)
{
	int status = moves_allow(moves, network);

	return status ? status : moves_ask(moves, network, NULL, NULL);
}
