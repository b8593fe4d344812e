/* SPDX-License-Identifier: MIT */
#include "lib/model/place.h"
#include "lib/base/memory.h"
#include "lib/model/error.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

struct ps_actor_place ps_place_cores(void)
{
	return (struct ps_actor_place){ .name = "cores" };
}

static bool is_same(const struct ps_actor_place *a, const struct ps_actor_place *b)
{
	return !strcmp(a->name, b->name);
}

/* Is place i one besides the first? */
static bool is_further(const struct pstk_actor *a, unsigned i)
{
	return i && !is_same(&a->places[i], &a->places[0]);
}

/* Where it is away no device was looked for, but it has the name of the one that it is on. */
static void set_first(struct pstk_actor *a, const struct ps_actor_place *first)
{
	a->places[0] = *first;
	if (a->planned_device && ps_actor_away(a))
		snprintf(a->places[0].name, sizeof a->places[0].name, "%s", a->planned_device);
}

int ps_place_begin(struct pstk_actor *a, const struct ps_actor_place *first)
{
	if (a->places)
		return 0;
	a->places = ps_memory_zalloc(PSTK_PLACES_MAX, sizeof *a->places);
	if (!a->places)
		return ps_network_problem(
			a->network, -ENOMEM, "'%s' (%s): out of memory", a->name, a->type.name);
	set_first(a, first);
	a->place_count = 1;
	return 0;
}

int ps_place_add(
	struct pstk_actor *a, const struct ps_actor_place *first, const struct ps_actor_place *further)
{
	int err;

	if (a->place_count == PSTK_PLACES_MAX)
		return ps_network_problem(a->network, -ENOSPC,
			"'%s' (%s): pstk_actor_may_move() to '%s': it has %d places already, the most that "
			"an "
			"actor may have",
			a->name, a->type.name, further->name, PSTK_PLACES_MAX);
	err = ps_place_begin(a, first);
	if (err)
		return err;
	a->places[a->place_count++] = *further;
	if (further->far)
		ps_place_add_host(a);
	return 0;
}

bool ps_place_is_given(const struct pstk_actor *a, const struct ps_actor_place *further)
{
	for (unsigned i = 1; i < a->place_count; i++) {
		const char *given = a->places[i].given;

		if (is_same(&a->places[i], further) &&
			(given && further->given ? !strcmp(given, further->given) : given == further->given))
			return true;
	}
	return false;
}

void ps_place_map(struct pstk_actor *a, const struct ps_actor_place *first)
{
	if (a->places)
		set_first(a, first);
}

const struct ps_backend *ps_place_backend(const struct pstk_actor *a)
{
	const struct ps_backend *b = NULL;

	if (!ps_actor_fires_here(a))
		return NULL;
	for (unsigned i = 0; i < a->place_count && !b; i++)
		b = a->places[i].backend;
	return b;
}

static unsigned count_devices(const struct pstk_actor *a)
{
	unsigned count = 0;

	for (unsigned i = 0; i < a->place_count; i++)
		count += (!i || is_further(a, i)) && a->places[i].backend;
	return count;
}

bool ps_place_moves(const struct pstk_actor *a)
{
	for (unsigned i = 1; i < a->place_count && !ps_actor_away(a); i++)
		if (is_further(a, i))
			return true;
	return false;
}

bool ps_place_mixes(const struct pstk_actor *a)
{
	bool cores = false;

	for (unsigned i = 0; i < a->place_count; i++)
		cores |= !a->places[i].backend;
	return cores && count_devices(a);
}

void ps_place_check(struct pstk_actor *a)
{
	bool keeps = !a->type.stateless && !a->type.portable_state;

	ps_place_check_hosts(a);
	if (ps_place_mixes(a) && keeps)
		ps_network_problem(a->network, -EINVAL,
			"'%s' (%s): it may move between the cores and a device, but keeps a state that "
			"fire() and "
			"its kernel may not read alike: set portable_state, if they do",
			a->name, a->type.name);
	else if (a->type.fire_cl && count_devices(a) > 1 && !a->type.open_place)
		ps_network_problem(a->network, -EINVAL,
			"'%s' (%s): it may move to a second device, but fire_cl()'s objects belong to one: "
			"give "
			"its type an open_place()",
			a->name, a->type.name);
	else if (a->type.fire_cl && count_devices(a) > 1 && keeps)
		ps_network_problem(a->network, -EINVAL,
			"'%s' (%s): it may move to a second device, but fire_cl() may keep there what does "
			"not "
			"travel: set portable_state, if all is in its state",
			a->name, a->type.name);
}

void ps_place_settle(struct pstk_actor *a, void (*drop)(struct ps_actor_place *))
{
	unsigned kept = 0;

	for (unsigned i = 0; i < a->place_count; i++) {
		bool away = ps_actor_away(a), twice = i && away && !a->visits;

		for (unsigned k = 0; k < kept; k++)
			twice |= is_same(&a->places[i], &a->places[k]);
		if (!twice && away && a->places[i].cl && !(a->places[i].far && a->visited)) {
			a->cl = a->cl == a->places[i].cl ? NULL : a->cl;
			drop(&a->places[i]);
			a->places[i].cl = NULL;
			a->places[i].backend = NULL;
			a->places[i].given = NULL;
		}
		if (!twice)
			a->places[kept++] = a->places[i];
		else if (a->places[i].cl)
			drop(&a->places[i]);
	}
	a->place_count = kept;
	if (ps_actor_away(a) && !a->visits)
		ps_place_forget(a);
}

int ps_place_find(const struct pstk_actor *a, const char *device)
{
	const char *at_home = ps_place_at_home(a, device), *name = at_home ? at_home : "cores";

	for (unsigned i = 0; i < a->place_count; i++) {
		const struct ps_actor_place *p = &a->places[i];

		if (!strcmp(p->name, name) || (p->given && !strcmp(p->given, name)))
			return (int)i;
	}
	return -1;
}

void ps_place_forget(struct pstk_actor *a)
{
	ps_memory_free(a->places);
	a->places = NULL;
	a->place_count = 0;
}
