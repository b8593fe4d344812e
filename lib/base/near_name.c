/* SPDX-License-Identifier: MIT */
#include "lib/base/near_name.h"

void ps_near_name_begin(struct ps_near_name *n, const char *wanted)
{
	n->wanted = wanted;
	n->best = NULL;
	n->likeness = 0;
	n->full = false;
	n->list = ps_text(n->names, sizeof n->names);
}

void ps_near_name_offer(struct ps_near_name *n, const char *name)
{
	static const char between[] = ", ", etc[] = ", ..";
	size_t like = ps_text_likeness(name, n->wanted);
	bool first = !n->best;

	if (first || like > n->likeness) {
		n->best = name;
		n->likeness = like;
	}
	if (n->full)
		return;
	n->full = n->list.length + strlen(name) + sizeof between + sizeof etc > n->list.size;
	ps_text_add(&n->list, "%s%s", first ? "" : between, n->full ? ".." : name);
}

const char *ps_near_name_meant(const struct ps_near_name *n)
{
	/* a name that shares less than half of its letters was not meant */
	return n->likeness && 2 * n->likeness >= strlen(n->wanted) ? n->best : NULL;
}

const char *ps_near_name_hint(const struct ps_near_name *n, char hint[PS_NEAR_NAME_HINT])
{
	const char *meant = ps_near_name_meant(n);

	if (!n->best)
		snprintf(hint, PS_NEAR_NAME_HINT, ": it has none at all");
	else if (meant)
		snprintf(hint, PS_NEAR_NAME_HINT, "; did you mean '%.*s'? It has %s", PS_NEAR_NAME_LIST - 40,
			meant, n->names);
	else
		snprintf(hint, PS_NEAR_NAME_HINT, ": it has %s", n->names);
	return hint;
}
