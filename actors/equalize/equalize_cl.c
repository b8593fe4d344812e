/* SPDX-License-Identifier: MIT */
/* equalize on a device: three kernels a firing, which is more than struct pstk_kernel describes. */
#include "actors/equalize/equalize_cl.h"
#include "actors/common/frame.h"

#include <errno.h>

enum { HISTOGRAM, TABLE, LOOKUP }; /* kernels */
enum { COUNTS, TABLES };           /* buffers, each firing's; the queue is in order */
enum { LOCAL, GROUPS };            /* sizes: work-items in a group; groups for a frame */

/* Groups of so many work-items, fewer where a device's kernels can't have them; so many pixels at least for a
 * work-item, or a group's table costs more than its counting. */
enum { VALUES = 256, LOCAL_MOST = 64, PIXELS_OF_ITEM = 64, GROUPS_MOST = 64 };

static const char source[] =
#include "actors/equalize/equalize.clh"
	;

static uint64_t pixels_of(const struct pstk_actor *self)
{
	const struct pstk_frame_size *size = pstk_actor_arg(self);

	return (uint64_t)size->width * size->height;
}

static int make(struct pstk_actor *self, struct ps_launch *l)
{
	static const char *const kernels[] = { "histogram", "table", "lookup", NULL };
	size_t frames = pstk_actor_port_rate(self, 0);
	uint64_t share, groups;
	int err = ps_launch_build(self, l, source, "equalize.cl", kernels);

	if (!err)
		err = ps_launch_group(self, l, LOCAL_MOST, &l->sizes[LOCAL]);
	if (err)
		return err;
	share = (uint64_t)l->sizes[LOCAL] * PIXELS_OF_ITEM;
	groups = (pixels_of(self) + share - 1) / share;
	l->sizes[GROUPS] = groups < GROUPS_MOST ? (size_t)groups : GROUPS_MOST;
	err = ps_launch_buffer(self, l, COUNTS, frames * l->sizes[GROUPS] * VALUES * sizeof(cl_uint), NULL);
	return err ? err : ps_launch_buffer(self, l, TABLES, frames * VALUES, NULL);
}

/* Those that are the same in every firing. */
static int set_args(struct pstk_actor *self, const struct ps_launch *l)
{
	const cl_ulong pixels = pixels_of(self);
	const cl_uint groups = (cl_uint)l->sizes[GROUPS];
	int err = ps_launch_arg(self, l, HISTOGRAM, 1, sizeof(cl_mem), &l->buffers[COUNTS]);

	if (!err)
		err = ps_launch_arg(self, l, HISTOGRAM, 2, sizeof pixels, &pixels);
	if (!err)
		err = ps_launch_arg(self, l, TABLE, 0, sizeof(cl_mem), &l->buffers[COUNTS]);
	if (!err)
		err = ps_launch_arg(self, l, TABLE, 1, sizeof(cl_mem), &l->buffers[TABLES]);
	if (!err)
		err = ps_launch_arg(self, l, TABLE, 2, sizeof pixels, &pixels);
	if (!err)
		err = ps_launch_arg(self, l, TABLE, 3, sizeof groups, &groups);
	if (!err)
		err = ps_launch_arg(self, l, LOOKUP, 2, sizeof(cl_mem), &l->buffers[TABLES]);
	return err ? err : ps_launch_arg(self, l, LOOKUP, 3, sizeof pixels, &pixels);
}

int ps_equalize_open_place(struct pstk_actor *self, unsigned place)
{
	struct ps_launches *on_devices = pstk_actor_state(self);
	struct ps_launch *l = &on_devices->at[place];
	int err = make(self, l);

	return err ? err : set_args(self, l);
}

int ps_equalize_fire_cl(struct pstk_firing *f)
{
	struct pstk_actor *self = pstk_firing_actor(f);
	const struct ps_launch *l = ps_launch_here(pstk_actor_state(self), f);
	const size_t group = l->sizes[LOCAL], local[] = { group, 1, 1 };
	struct pstk_cl_window in, out;
	int err;

	if (pstk_cl_window(f, 0, &in) || pstk_cl_window(f, 1, &out))
		return -EPROTO;
	err = ps_launch_arg(self, l, HISTOGRAM, 0, sizeof in.buffer, &in.buffer);
	if (!err)
		err = ps_launch_arg(self, l, LOOKUP, 0, sizeof in.buffer, &in.buffer);
	if (!err)
		err = ps_launch_arg(self, l, LOOKUP, 1, sizeof out.buffer, &out.buffer);
	if (err)
		return err;

	const size_t all[] = { l->sizes[GROUPS] * group, in.valid, 1 }, one[] = { group, in.valid, 1 };

	err = ps_launch_run(f, l, HISTOGRAM, all, local);
	if (!err)
		err = ps_launch_run(f, l, TABLE, one, local);
	return err ? err : ps_launch_run(f, l, LOOKUP, all, local);
}
