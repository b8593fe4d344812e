/* SPDX-License-Identifier: MIT */
/* Row: no stage runs on a device yet. */
#include "lib/opencl/row.h"
#include "lib/model/error.h"

#include <errno.h>

int ps_row_map(struct pstk_actor *stage, const char *device)
{
	return ps_network_problem(stage->network, -ENOTSUP, "'%s' (%s): pipelines can't be on '%s' yet",
		stage->name, stage->type.name, device);
}

const struct pstk_device_info *ps_row_device(const struct pstk_pipeline *p)
{
	(void)p;
	return NULL;
}

int ps_row_run(struct ps_row *row, const struct ps_row_item *item, unsigned first, unsigned count,
	struct ps_row_times *times, char text[PS_TEXT_SIZE], unsigned *failed)
{
	(void)row;
	(void)item;
	(void)first;
	(void)count;
	(void)times;
	(void)text;
	(void)failed;
	return -ENOTSUP;
}

void ps_row_nudge(struct ps_row *row)
{
	(void)row;
}

void ps_row_bytes(const struct ps_row *row, uint64_t *up, uint64_t *down)
{
	(void)row;
	*up = *down = 0;
}

bool ps_row_keeps(const struct ps_row *row, const void *memory, size_t bytes)
{
	(void)row;
	(void)memory;
	(void)bytes;
	return false;
}
