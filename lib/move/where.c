/* SPDX-License-Identifier: MIT */
/* Where: the places of an actor, and where it is now. */
#include "lib/base/text.h"
#include "lib/model/actor.h"
#include "lib/move/moving.h"

#include <stdio.h>
#include <string.h>

bool pstk_actor_guarded(const struct pstk_actor *a)
{
	return a && a->guarded;
}

const char *pstk_actor_place_name(const struct pstk_actor *a, unsigned index)
{
	return a && index < a->place_count ? a->places[index].name : NULL;
}

const char *pstk_actor_at(const struct pstk_actor *a)
{
	return a && !ps_actor_away(a) ? pstk_actor_place_name(a, atomic_load(&a->place)) : NULL;
}

int pstk_actor_say_move(const struct pstk_actor *a, char *text, size_t size)
{
	static const char separator[] = ", ";
	char line[PS_TEXT_SIZE] = "";
	struct ps_text t = ps_text(line, sizeof line);
	const char *is = line;

	if (a)
		ps_moving_say(a, &t);
	if (!strncmp(line, separator, strlen(separator)))
		is += strlen(separator);
	return snprintf(text, text ? size : 0, "%s", is);
}
