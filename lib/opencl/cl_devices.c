/* SPDX-License-Identifier: MIT */
/* The public view of the devices. */
#include "lib/opencl/cl_device.h"
#include "lib/base/memory.h"
#include "lib/opencl/cl_device_list.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <string.h>

/* The first `capacity` of them. 0 or -ENOMEM. */
static int get_infos(const struct ps_cl_list *list, struct pstk_device_info *infos, unsigned capacity)
{
	int err = 0;

	for (unsigned i = 0; i < list->count && i < capacity && !err; i++) {
		struct ps_cl_fault untold = { 0 }; /* a device that does not tell all is still there */

		err = ps_cl_list_info(list, i, &infos[i], &untold);
	}
	return err;
}

int pstk_devices(struct pstk_device_info *infos, unsigned capacity)
{
	struct ps_cl_fault fault = { 0 };
	struct ps_cl_list list;
	int err, count;

	if (!infos && capacity)
		return -EINVAL;
	err = ps_cl_list_make(&list, &fault);
	if (err)
		return err == -ENODEV ? 0 : err;
	err = get_infos(&list, infos, capacity);
	count = list.count <= INT_MAX ? (int)list.count : INT_MAX;
	ps_cl_list_free(&list);
	return err ? err : count;
}

int pstk_device_find(const char *selector, struct pstk_device_info *info, char *text, size_t size)
{
	struct ps_cl_fault fault = { 0 };
	struct ps_cl_device device;

	if (!selector || !info)
		ps_cl_refuse(&fault, -EINVAL, "pstk_device_find(): %s is NULL",
			selector ? "info" : "the selector");
	else if (!ps_cl_device_find(selector, &device, &fault))
		*info = device.info;
	if (text && size)
		snprintf(text, size, "%s", fault.text);
	return fault.err;
}

/* Column widths of the table. */
struct widths {
	int selector, name, platform, driver;
};

static void widen(int *width, const char *text)
{
	if ((int)strlen(text) > *width)
		*width = (int)strlen(text);
}

static void print_row(FILE *out, const struct widths *w, const struct pstk_device_info *d)
{
	const char *svm = d->svm_fine ? "fine" : d->svm_coarse ? "coarse" : "none";

	fprintf(out, "%-*s  %-*s  %-*s  %-*s  %5u  %6" PRIu64 " MiB  %-7s  %s\n", w->selector, d->selector,
		w->name, d->name, w->platform, d->platform, w->driver, d->driver, d->compute_units,
		d->memory_bytes >> 20, d->unified ? "yes" : "no", svm);
}

static void print_table(FILE *out, const struct pstk_device_info *infos, unsigned count)
{
	struct widths w = { 8, 6, 8, 6 }; /* of the headings */

	for (unsigned i = 0; i < count; i++) {
		widen(&w.selector, infos[i].selector);
		widen(&w.name, infos[i].name);
		widen(&w.platform, infos[i].platform);
		widen(&w.driver, infos[i].driver);
	}
	fprintf(out, "%-*s  %-*s  %-*s  %-*s  %5s  %10s  %-7s  %s\n", w.selector, "selector", w.name,
		"device", w.platform, "platform", w.driver, "driver", "units", "memory", "unified", "SVM");
	for (unsigned i = 0; i < count; i++)
		print_row(out, &w, &infos[i]);
}

int pstk_devices_print(FILE *out)
{
	struct ps_cl_fault fault = { 0 };
	struct pstk_device_info *infos;
	struct ps_cl_list list;
	int err;

	if (!out)
		return -EINVAL;
	err = ps_cl_list_make(&list, &fault);
	if (err == -ENODEV) {
		fprintf(out, "%s\n", fault.text);
		return ferror(out) ? -EIO : 0;
	}
	if (err)
		return err;
	infos = ps_memory_zalloc(list.count, sizeof *infos);
	err = infos ? get_infos(&list, infos, list.count) : -ENOMEM;
	if (!err) {
		print_table(out, infos, list.count);
		err = ferror(out) ? -EIO : 0;
	}
	ps_memory_free(infos);
	ps_cl_list_free(&list);
	return err;
}
