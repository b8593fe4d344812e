/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "actors/common/vivid.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS_MOST = 1 << 20 };

int ps_vivid_check(
	struct pstk_network *net, const char *name, const char *type, const struct pstk_vivid_spec *spec)
{
	name = name ? name : "";
	if (!spec || spec->struct_size != sizeof *spec)
		return pstk_network_refuse(net, -EINVAL,
			"'%s': a %s needs a spec with its struct_size: PSTK_VIVID() is one", name, type);
	if (ps_sized_check_sides(net, name, spec->width, spec->height))
		return -EINVAL;
	if (!spec->filters || spec->filters > PSTK_VIVID_FILTERS)
		return pstk_network_refuse(net, -EINVAL, "'%s': %" PRIu32 " filters: there are 1 to %d", name,
			spec->filters, PSTK_VIVID_FILTERS);
	if (spec->rows > ROWS_MOST)
		return pstk_network_refuse(net, -EINVAL, "'%s': a classifier of %" PRIu32 " rows: %d at most",
			name, spec->rows, ROWS_MOST);
	return 0;
}

struct pstk_actor *ps_vivid_add(struct pstk_network *net, const char *name, const struct ps_vivid_type *type,
	const struct pstk_vivid_spec *spec)
{
	const size_t size = sizeof(struct ps_vivid) + type->kept * sizeof(float);
	const struct pstk_kernel kernel = { .source = type->kernel, .name = type->name };
	struct pstk_actor *actor;
	struct ps_vivid *v;

	if (type->given &&
		ps_sized_check_numbers(net, name ? name : "", type->what, spec->coefficients, type->given))
		return NULL;
	v = calloc(1, size);
	if (!v) {
		pstk_network_refuse(net, -ENOMEM, "'%s': out of memory", name ? name : "");
		return NULL;
	}
	*v = (struct ps_vivid){ { spec->width, spec->height }, spec->filters, spec->rows };
	if (type->given)
		type->lay(v->coefficients, spec);
	actor = pstk_network_add(net, name,
		PSTK_ACTOR_TYPE(.name = type->name, .ports = type->ports, .port_count = type->port_count,
			.arg_size = size, .stateless = true, .init = type->init, .fire = type->fire,
			.kernel = &kernel, .token_bytes = type->token_bytes),
		v);
	free(v);
	return actor;
}

static int check(struct pstk_actor *self, unsigned port, size_t bytes)
{
	const struct ps_vivid *v = pstk_actor_arg(self);
	char what[64];

	snprintf(what, sizeof what, "a frame of %" PRIu32 " x %" PRIu32 " pixels", v->largest.width,
		v->largest.height);
	return ps_sized_check(self, port, bytes, what);
}

int ps_vivid_check_pixels(struct pstk_actor *self, unsigned port, size_t bytes)
{
	const struct ps_vivid *v = pstk_actor_arg(self);

	return check(self, port, bytes * v->largest.width * v->largest.height);
}

int ps_vivid_check_cells(struct pstk_actor *self, unsigned port, size_t bytes)
{
	const struct ps_vivid *v = pstk_actor_arg(self);

	return check(self, port, bytes * pstk_vivid_cells(v->largest.width, v->largest.height));
}

size_t ps_vivid_cells(const void *came_in, size_t floats)
{
	struct pstk_frame_size size = pstk_sized_get(came_in);

	return PSTK_SIZED_HEAD + pstk_vivid_cells(size.width, size.height) * floats * sizeof(float);
}

int ps_vivid_set_kernel(struct pstk_actor *self, unsigned index, size_t items, size_t lines)
{
	const struct ps_vivid *v = pstk_actor_arg(self);
	const uint32_t numbers[] = { v->largest.width, v->largest.height, v->filters, v->rows };

	return ps_sized_set_kernel(self, index, numbers, sizeof numbers / sizeof *numbers, items, lines);
}
