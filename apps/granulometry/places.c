/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "apps/granulometry/places.h"
#include "apps/common/app.h"
#include "apps/common/devices.h"

#include <math.h>
#include <sched.h>
#include <string.h>
#include <unistd.h>

static const char host[] = "host";
static const char *const devices_names[PLACES_PARTS] = { "d0", "d1" };
static const char *const places_names[PLACES_PARTS] = { "host/d0", "host/d1" };

unsigned places_cores(void)
{
	cpu_set_t set;
	long online = sysconf(_SC_NPROCESSORS_ONLN);

	if (!sched_getaffinity(0, sizeof set, &set) && CPU_COUNT(&set) > 0)
		return (unsigned)CPU_COUNT(&set);
	return online > 0 ? (unsigned)online : 1;
}

static int find(const char *selector, struct pstk_device_info *info)
{
	char text[512];
	int err = pstk_device_find(selector, info, text, sizeof text);

	if (!err)
		return 0;
	app_fail(EXIT_DEVICE, "--device: %s", text);
	return devices_status(err);
}

bool places_are_one_device(const char *const devices[PLACES_PARTS])
{
	struct pstk_device_info a, b;

	return devices[0] && devices[1] && !pstk_device_find(devices[0], &a, NULL, 0) &&
	       !pstk_device_find(devices[1], &b, NULL, 0) && !strcmp(a.selector, b.selector);
}

/* Are they parts of one device? Then they use one memory. */
static bool are_parts(const char *a, const char *b)
{
	size_t root = strcspn(a, "/");

	return a[root] && root == strcspn(b, "/") && !strncmp(a, b, root);
}

static int link_places(struct pstk_machine *m, const char *a, const char *b, bool shared)
{
	const struct pstk_link link = { .a = a,
		.b = b,
		.kind = shared ? PSTK_LINK_SHARED : PSTK_LINK_COPY,
		.rate = shared ? 0 : INFINITY }; /* rates are not measured */

	return pstk_machine_add_link(m, &link);
}

static int add_device(struct pstk_machine *m, unsigned part, const struct pstk_device_info *info)
{
	int err = pstk_machine_add_device(m, host, devices_names[part], info->selector, info->memory_bytes);

	return err < 0 ? err : link_places(m, host, places_names[part], info->unified);
}

static int add_devices(struct places *p, const char *const devices[PLACES_PARTS])
{
	struct pstk_device_info infos[PLACES_PARTS] = { { .compute_units = 0 } };
	int err = 0, status;

	for (unsigned i = 0; i < PLACES_PARTS && err >= 0; i++) {
		p->names[i] = host;
		if (!devices[i])
			continue;
		status = find(devices[i], &infos[i]);
		if (status)
			return status;
		if (i && !strcmp(infos[0].selector, infos[1].selector)) {
			p->names[1] = p->names[0];
			continue;
		}
		p->names[i] = places_names[i];
		err = add_device(p->machine, i, &infos[i]);
	}
	if (err >= 0 && are_parts(infos[0].selector, infos[1].selector) && p->names[0] != p->names[1])
		err = link_places(p->machine, places_names[0], places_names[1], true);
	return err < 0 ? app_fail(EXIT_FAILED, "the machine: %s", pstk_machine_error(p->machine)) : 0;
}

int places_open(struct places *p, const char *const devices[PLACES_PARTS])
{
	int status;

	*p = (struct places){ .machine = pstk_machine_create() };
	if (!p->machine)
		return app_out_of_memory();
	if (pstk_machine_add_host(p->machine, host, places_cores(), 0) < 0)
		status = app_fail(EXIT_FAILED, "the machine: %s", pstk_machine_error(p->machine));
	else
		status = add_devices(p, devices);
	if (status)
		places_close(p);
	return status;
}

void places_close(struct places *p)
{
	pstk_machine_destroy(p->machine);
	*p = (struct places){ .machine = NULL };
}
