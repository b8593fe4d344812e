/* SPDX-License-Identifier: MIT */
#include "actors/common/ports.h"

#include "actors/common/message.h"

#include <errno.h>

static int compare(struct pstk_actor *self, unsigned first, unsigned p)
{
	const struct pstk_port *ports = pstk_actor_get_type(self)->ports;
	size_t size = pstk_actor_port_token_size(self, first),
	       other_size = pstk_actor_port_token_size(self, p);

	if (other_size != size)
		return pstk_actor_error(self, -EINVAL,
			"port '%s' has tokens of %zu byte%s, '%s' of %zu: give both one token size",
			ports[first].name, size, ps_plural(size), ports[p].name, other_size);
	return 0;
}

int ps_ports_check(struct pstk_actor *self)
{
	const struct pstk_actor_type *type = pstk_actor_get_type(self);
	unsigned first = type->port_count;
	int err = 0;

	for (unsigned p = 0; p < type->port_count && !err; p++) {
		if (type->ports[p].kind == PSTK_CONTROL)
			continue;
		if (first == type->port_count)
			first = p;
		err = compare(self, first, p);
	}
	return err;
}
