/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "actors/common/round_robin.h"
#include "actors/common/ports.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 4095, NAME_ROOM = 12 };

static int check(struct pstk_network *net, const char *name, const uint32_t *widths, unsigned count)
{
	uint64_t row = 0;

	if (!widths || !count)
		return pstk_network_refuse(net, -EINVAL, "'%s': no widths: give at least one", name);
	if (count > MOST)
		return pstk_network_refuse(
			net, -EINVAL, "'%s': %u widths: there are up to %d", name, count, MOST);
	for (unsigned i = 0; i < count; i++) {
		if (!widths[i])
			return pstk_network_refuse(net, -EINVAL,
				"'%s': width %u of %u is 0: it is at least 1", name, i + 1, count);
		row += widths[i];
	}
	if (row > UINT32_MAX)
		return pstk_network_refuse(net, -EINVAL,
			"'%s': its widths are %" PRIu64 " in all: at most %" PRIu32, name, row, UINT32_MAX);
	return 0;
}

static struct pstk_port make_port(const char *name, bool input, uint32_t rate)
{
	return (struct pstk_port){ .name = name, .kind = input ? PSTK_INPUT : PSTK_OUTPUT, .rate = rate };
}

static struct ps_round *make_arg(const uint32_t *widths, unsigned count, size_t size)
{
	struct ps_round *round = calloc(1, size);

	if (!round)
		return NULL;
	round->count = count;
	memcpy(round->widths, widths, count * sizeof *widths);
	for (unsigned i = 0; i < count; i++)
		round->row += widths[i];
	return round;
}

static void make_ports(struct pstk_port *ports, char (*names)[NAME_ROOM], const struct ps_round_type *type,
	const struct ps_round *round)
{
	ports[PS_ROUND_ALL] = make_port(type->all, !type->inputs, round->row);
	for (unsigned i = 0; i < round->count; i++) {
		snprintf(names[i], NAME_ROOM, "%s%hu", type->each, (unsigned short)(i + 1));
		ports[PS_ROUND_FIRST + i] = make_port(names[i], type->inputs, round->widths[i]);
	}
}

struct pstk_actor *ps_round_add(struct pstk_network *net, const char *name, const struct ps_round_type *type,
	const uint32_t *widths, unsigned count)
{
	size_t size = sizeof(struct ps_round) + (size_t)count * sizeof *widths;
	struct pstk_actor *actor = NULL;
	struct ps_round *round;
	struct pstk_port *ports;
	char(*names)[NAME_ROOM];

	name = name ? name : "";
	if (check(net, name, widths, count))
		return NULL;
	round = make_arg(widths, count, size);
	ports = calloc(count + 1, sizeof *ports);
	names = calloc(count, sizeof *names);
	if (round && ports && names) {
		make_ports(ports, names, type, round);
		actor = pstk_network_add(net, name,
			PSTK_ACTOR_TYPE(.name = type->name, .ports = ports, .port_count = count + 1,
				.arg_size = size, .stateless = true, .whole_steps = type->whole_steps,
				.init = ps_ports_check, .fire = type->fire),
			round);
	} else {
		pstk_network_refuse(net, -ENOMEM, "'%s': out of memory", name);
	}
	free(round);
	free(ports);
	free(names);
	return actor;
}

/* -- the copy -- */

__attribute__((always_inline)) static inline void copy_rows(unsigned char *restrict to, size_t to_row,
	const unsigned char *restrict from, size_t from_row, size_t bytes, uint32_t rows)
{
	for (uint32_t row = 0; row < rows; row++)
		memcpy(to + row * to_row, from + row * from_row, bytes);
}

/* Of one token the copy is a load and a store where the compiler knows its size, else a call. */
void ps_round_copy(void *to, size_t to_row, const void *from, size_t from_row, size_t bytes, uint32_t rows)
{
	switch (bytes) {
	case 1:
		copy_rows(to, to_row, from, from_row, 1, rows);
		break;
	case 2:
		copy_rows(to, to_row, from, from_row, 2, rows);
		break;
	case 4:
		copy_rows(to, to_row, from, from_row, 4, rows);
		break;
	case 8:
		copy_rows(to, to_row, from, from_row, 8, rows);
		break;
	case 16:
		copy_rows(to, to_row, from, from_row, 16, rows);
		break;
	default:
		copy_rows(to, to_row, from, from_row, bytes, rows);
	}
}
