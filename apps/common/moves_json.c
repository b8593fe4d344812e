/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "apps/common/moves_json.h"

/* One of another host has places here if it may move between hosts, though only its own host knows where it is. */
bool moves_json_is_there(const struct pstk_network *network)
{
	for (unsigned i = 0; i < pstk_network_actor_count(network); i++)
		if (pstk_actor_place_name(pstk_network_actor(network, i), 0))
			return true;
	return pstk_network_kept_move(network, 0) >= 0;
}

/* JSON's integers are those of int64_t. */
static json_int_t integer(uint64_t number)
{
	return number <= INT64_MAX ? (json_int_t)number : INT64_MAX;
}

static json_t *move_json(const struct pstk_move *m)
{
	static const char *const states[] = {
		[PSTK_MOVE_ASKED] = "asked",
		[PSTK_MOVE_DONE] = "done",
		[PSTK_MOVE_STAYED] = "stayed",
		[PSTK_MOVE_CANCELLED] = "cancelled",
	};

	return json_pack("{s:s, s:s, s:s, s:s, s:I, s:I, s:I, s:I, s:I, s:I, s:s}", "actor",
		pstk_actor_name(m->actor), "from", m->from, "to", m->to, "state", states[m->state], "wanted",
		integer(m->wanted), "firing", integer(m->firing), "gap_ns", (json_int_t)m->gap_ns, "bound_ns",
		(json_int_t)m->bound_ns, "in_flight", (json_int_t)m->in_flight, "state_bytes",
		(json_int_t)m->state_bytes, "text", m->text);
}

json_t *moves_json(const struct pstk_network *network)
{
	struct pstk_move m = PSTK_MOVE();
	json_t *moves = json_array();
	int failed = 0;

	for (int i = 0; (i = pstk_network_kept_move(network, (unsigned)i)) >= 0; i++)
		if (!pstk_network_move(network, (unsigned)i, &m))
			failed |= json_array_append_new(moves, move_json(&m));
	if (!failed)
		return moves;
	json_decref(moves);
	return NULL;
}
