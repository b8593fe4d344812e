/* SPDX-License-Identifier: MIT */
/* What <penstock/penstock.h> has of devices, in a library that was configured --without-opencl: there are none. */
#include "lib/model/adopted.h"
#include "lib/model/error.h"
#include "lib/model/pipeline.h"
#include "lib/model/place.h"
#include "lib/opencl/mapping_check.h"
#include "lib/opencl/row.h"
#include "penstock/plan.h"

#include <errno.h>
#include <stdio.h>

static const char absent[] = "this libpenstock was built without OpenCL (configure --without-opencl)";

int pstk_devices(struct pstk_device_info *infos, unsigned capacity)
{
	return !infos && capacity ? -EINVAL : 0;
}

int pstk_device_find(const char *selector, struct pstk_device_info *info, char *text, size_t size)
{
	bool given = selector && info;

	if (text && size && given)
		snprintf(text, size, "there is no device '%s': %s", selector, absent);
	else if (text && size)
		snprintf(text, size, "pstk_device_find(): %s is NULL", selector ? "info" : "the selector");
	return given ? -ENODEV : -EINVAL;
}

int pstk_device_measure(
	const char *selector, size_t bytes, struct pstk_transfers *transfers, char *text, size_t size)
{
	struct pstk_device_info info;

	(void)bytes;
	return pstk_device_find(selector, transfers ? &info : NULL, text, size);
}

int pstk_devices_print(FILE *out)
{
	if (!out)
		return -EINVAL;
	fprintf(out, "%s\n", absent);
	return ferror(out) ? -EIO : 0;
}

int pstk_actor_map(struct pstk_actor *a, const char *device)
{
	int err = a ? ps_network_building(a->network, __func__) : -EINVAL;

	if (!err && device && ps_pipeline_refuses(a, __func__))
		err = -EINVAL;
	if (err)
		return err;
	a->map_refused = device;
	a->planned_device = NULL;
	if (!device)
		return 0;
	err = ps_mapping_check_map(a, device);
	return err ? err : ps_mapping_refuse(a, -ENODEV, "it can't be mapped to '%s': %s", device, absent);
}

/* Its only places are the cores, of this host and of others. */
int pstk_actor_may_move(struct pstk_actor *a, const char *device)
{
	int err = a ? ps_network_building(a->network, __func__) : -EINVAL;

	struct ps_actor_place cores = ps_place_cores(), further;
	const char *wanted = NULL;

	if (!err && ps_pipeline_refuses(a, __func__))
		err = -EINVAL;
	if (!err)
		err = ps_place_take_named(a, &device, &further, &wanted);
	if (!err)
		err = ps_mapping_check_may_move(a, device);
	if (!err && !wanted && further.far && !ps_place_is_given(a, &further))
		err = ps_place_add(a, &cores, &further);
	if (err || !wanted)
		return err;
	return ps_mapping_refuse(a, -ENODEV, "it can't move to '%s': %s", device, absent);
}

/* There is nothing that it could be guarded against. */
int pstk_actor_guard(struct pstk_actor *a, bool on)
{
	int err = a ? ps_network_building(a->network, __func__) : -EINVAL;

	return !err && on && ps_pipeline_refuses(a, __func__) ? -EINVAL : err;
}

int pstk_actor_device(const struct pstk_actor *a, struct pstk_device_info *info)
{
	const struct ps_adopted_actor *adopted = a ? ps_adopted_actor(a) : NULL;

	if (!a || !info)
		return -EINVAL;
	if (!adopted || !adopted->on_device)
		return -ENODEV;
	*info = adopted->device;
	return 0;
}

int pstk_actor_get_place(const struct pstk_actor *a, unsigned index, struct pstk_device_info *info)
{
	return a && info && index ? -ENOENT : pstk_actor_device(a, info);
}

/* Types with both forms call these for either. */
int pstk_actor_set_work_size(struct pstk_actor *a, unsigned dims, const size_t *global, const size_t *local)
{
	return ps_mapping_check_work_size(a, dims, global, local);
}

int pstk_actor_set_arg(struct pstk_actor *a, unsigned index, size_t size, const void *value)
{
	struct ps_mapping_mark mark;

	return ps_mapping_check_arg(a, index, size, value, &mark);
}

/*
 * Of rows: no pipeline has one.
 */

int ps_row_map(struct pstk_actor *stage, const char *device)
{
	return ps_mapping_refuse(stage, -ENODEV, "it can't be mapped to '%s': %s", device, absent);
}

const struct pstk_device_info *ps_row_device(const struct pstk_pipeline *p)
{
	(void)p;
	return NULL;
}

int ps_row_window(struct ps_row *row, unsigned stage, unsigned port, void *memory)
{
	(void)row;
	(void)stage;
	(void)port;
	(void)memory;
	return 0;
}

int ps_row_run(struct ps_row *row, const struct ps_row_item *item, unsigned first, unsigned count,
	struct ps_row_times *times, char text[PS_TEXT_SIZE], unsigned *failed)
{
	(void)row;
	(void)item;
	(void)count;
	(void)times;
	snprintf(text, PS_TEXT_SIZE, "%s", absent);
	*failed = first;
	return -ENODEV;
}

bool ps_row_broken(const struct ps_row *row)
{
	(void)row;
	return false;
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
