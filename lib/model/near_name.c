/* SPDX-License-Identifier: MIT */
#include "lib/model/near_name.h"
#include "lib/model/error.h"

#include <errno.h>

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

int ps_near_name_refuse(const struct ps_near_name *n, struct pstk_actor *a, const char *kind)
{
	/* a name that shares less than half of its letters was not meant */
	bool meant = n->likeness && 2 * n->likeness >= strlen(n->wanted);

	if (!n->best)
		return ps_network_problem(a->network, -ENOENT, "'%s' (%s) has no %s '%s': it has none at all",
			a->name, a->type.name, kind, n->wanted);
	if (!meant)
		return ps_network_problem(a->network, -ENOENT, "'%s' (%s) has no %s '%s': it has %s", a->name,
			a->type.name, kind, n->wanted, n->names);
	return ps_network_problem(a->network, -ENOENT,
		"'%s' (%s) has no %s '%s'; did you mean '%s'? It has %s", a->name, a->type.name, kind,
		n->wanted, n->best, n->names);
}
