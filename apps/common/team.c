/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "apps/common/team.h"
#include "apps/common/arguments.h"

#include <penstock/plan.h>
#include <stdlib.h>
#include <string.h>

enum { THREADS_MOST = 256 }; /* of pstk_network_set_threads() */

int team_parse_threads(struct team *team, const char *text)
{
	uint64_t threads;

	team->given = true;
	team->suits = !strcmp(text, "auto");
	if (team->suits)
		return 0;
	if (!arguments_number(text, '\0', 0, THREADS_MOST, &threads))
		return arguments_wrong("team", text, "a number from 0 to 256, or auto");
	team->threads = (uint32_t)threads;
	return 0;
}

int team_parse_depth(struct team *team, const char *text)
{
	uint64_t depth;

	team->automatic = !strcmp(text, "auto");
	team->depth = 0;
	if (team->automatic)
		return 0;
	if (!arguments_number(text, '\0', 1, UINT32_MAX, &depth))
		return arguments_wrong("depth", text, "a number from 1 to 4294967295, or auto");
	team->depth = (uint32_t)depth;
	return 0;
}

int team_parse_overlap(struct team *team, const char *text)
{
	team->planned = true;
	team->no_overlap = !strcmp(text, "off");
	return team->no_overlap || !strcmp(text, "on") ? 0 : arguments_wrong("overlap", text, "on or off");
}

void team_apply(const struct team *team, struct pstk_network *network)
{
	if (team->suits || (!team->given && !getenv("PENSTOCK_TEAM")))
		pstk_network_set_threads(network, pstk_network_auto_threads(network));
	else if (team->given)
		pstk_network_set_threads(network, team->threads);
	if (team->automatic)
		pstk_network_set_flags(network, PSTK_DEPTH_AUTO);
}

void team_plan(const struct team *team, struct pstk_network *network)
{
	if (team->planned)
		pstk_network_plan(network, PSTK_PLAN(.no_overlap = team->no_overlap));
}

uint32_t team_depth_of(const struct pstk_fifo *fifo)
{
	struct pstk_fifo_info info;

	return pstk_fifo_get_info(fifo, &info) ? 0 : info.depth;
}
