/* SPDX-License-Identifier: MIT */
/* Sim: declared watts times busy times. The only meter that works on a virtual machine. */
#include "lib/base/memory.h"
#include "lib/base/near_name.h"
#include "lib/base/number.h"
#include "lib/energy/kind.h"

#include <math.h>

#define FORM "cores=W,core=W,device_idle=W,device=W,rest=W"

enum { CORES, CORE, DEVICE_IDLE, DEVICE, REST, KEYS };

static const char *const keys[KEYS] = { "cores", "core", "device_idle", "device", "rest" };

struct sim {
	double watts[KEYS];
	bool said[KEYS];
};

static int refuse_key(const char *key, struct ps_text *why)
{
	struct ps_near_name near;
	const char *meant;

	ps_near_name_begin(&near, key);
	for (unsigned k = 0; k < KEYS; k++)
		ps_near_name_offer(&near, keys[k]);
	meant = ps_near_name_meant(&near);
	return ps_energy_refuse(why, -EINVAL, "there is no '%s'%s%s%s: expected " FORM, key,
		meant ? "; did you mean '" : "", meant ? meant : "", meant ? "'?" : "");
}

/* "KEY=W" */
static int take(struct sim *sim, const char *item, struct ps_text *why)
{
	const char *equals = strchr(item, '=');
	int length = (int)(equals ? (size_t)(equals - item) : strlen(item));
	struct ps_number watts;
	unsigned k = 0;

	while (k < KEYS && (strncmp(item, keys[k], (size_t)length) != 0 || keys[k][length]))
		k++;
	if (k == KEYS) {
		char key[64];

		snprintf(key, sizeof key, "%.*s", length, item);
		return refuse_key(key, why);
	}
	if (sim->said[k])
		return ps_energy_refuse(why, -EINVAL, "'%s' is there twice", keys[k]);
	if (!equals || !ps_number_parse(PS_FLOAT, sizeof watts.f, equals + 1, &watts) || !isfinite(watts.f) ||
		watts.f < 0)
		return ps_energy_refuse(why, -EINVAL, "'%s' is '%s': expected watts, a number from 0 on",
			keys[k], equals ? equals + 1 : "");
	sim->said[k] = true;
	sim->watts[k] = watts.f;
	return 0;
}

static int take_all(struct sim *sim, const char *text, struct ps_text *why)
{
	while (*text) {
		size_t length = strcspn(text, ",");
		char item[128];
		int err;

		if (length >= sizeof item)
			return ps_energy_refuse(why, -EINVAL, "'%.20s..' is too long: expected " FORM, text);
		memcpy(item, text, length);
		item[length] = 0;
		err = take(sim, item, why);
		if (err)
			return err;
		text += length;
		text += *text == ',';
	}
	for (unsigned k = 0; k < KEYS; k++)
		if (!sim->said[k])
			return ps_energy_refuse(why, -EINVAL, "'%s' is missing: expected " FORM, keys[k]);
	return 0;
}

static int sim_open(
	struct ps_energy_source *s, const char *text, const struct pstk_meter *own, struct ps_text *why)
{
	struct sim *sim = ps_memory_zalloc(1, sizeof *sim);
	int err;

	(void)own;
	if (!sim)
		return ps_energy_refuse(why, -ENOMEM, "out of memory");
	err = take_all(sim, text ? text : "", why);
	if (err)
		ps_memory_free(sim);
	else
		*s = (struct ps_energy_source){ s->kind, sim, PSTK_ENERGY_SIMULATED };
	return err;
}

static bool is_time(double seconds)
{
	return isfinite(seconds) && seconds >= 0;
}

/* Devices may be busy for longer than the time that has gone by, if there are several: then none was idle. */
static int sim_read(struct ps_energy_source *s, const struct ps_busy *busy, struct pstk_joules *total)
{
	const double *watts = ((const struct sim *)s->self)->watts;
	double idle;

	if (!busy || !is_time(busy->elapsed) || !is_time(busy->cores) || !is_time(busy->device))
		return -EINVAL;
	idle = busy->elapsed > busy->device ? busy->elapsed - busy->device : 0;
	total->cores = watts[CORES] * busy->elapsed + watts[CORE] * busy->cores;
	total->device = watts[DEVICE_IDLE] * idle + watts[DEVICE] * busy->device;
	total->rest = watts[REST] * busy->elapsed;
	return 0;
}

static void sim_close(struct ps_energy_source *s)
{
	ps_memory_free(s->self);
}

const struct ps_energy_kind ps_energy_sim = {
	.name = "sim",
	.open = sim_open,
	.read = sim_read,
	.close = sim_close,
};
