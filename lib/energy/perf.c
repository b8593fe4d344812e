/* SPDX-License-Identifier: MIT */
/*
 * Perf: the chip's counters as events of Linux' event source "power". Such an event counts for all that runs, so it is
 * opened on one core of each package: cpumask lists them. The kernel reads the hardware's counter often enough and sums
 * up in 64 bits: it does not wrap.
 */
#include "lib/base/memory.h"
#include "lib/base/number.h"
#include "lib/energy/chip.h"
#include "lib/energy/system.h"

#include <limits.h>
#include <linux/perf_event.h>

enum { LINE = 256, CORES_MOST = 65536 };

static const struct event {
	const char *name;
	enum ps_chip_part part;
} events[] = {
	{ "energy-pkg", PS_CHIP_PACKAGE },
	{ "energy-cores", PS_CHIP_CORES },
	{ "energy-gpu", PS_CHIP_DEVICE },
};

/* What is read of the source, and where to. */
struct source {
	const char *folder;
	struct ps_chip *chip;
	struct ps_text *why;
	uint32_t type;
	char cores[LINE]; /* cpumask */
};

PSTK_PRINTF(4, 5)
static int line_of(const struct source *s, char *line, size_t size, const char *format, ...)
{
	char file[LINE], path[PATH_MAX];
	va_list ap;

	va_start(ap, format);
	vsnprintf(file, sizeof file, format, ap);
	va_end(ap);
	if ((size_t)snprintf(path, sizeof path, "%s/%s", s->folder, file) >= sizeof path)
		return -ENAMETOOLONG;
	return ps_energy_line(path, line, size);
}

static int refuse_event(const struct source *s, const char *event, int err)
{
	if (err == -ENOMEM)
		return ps_energy_refuse(s->why, err, "out of memory");
	if (err == -EACCES || err == -EPERM)
		return ps_energy_refuse(s->why, -EACCES,
			"%s: %s; it takes CAP_PERFMON (before Linux 5.8: CAP_SYS_ADMIN), or 0 or less in "
			"/proc/sys/kernel/perf_event_paranoid",
			event, strerror(-err));
	return ps_energy_refuse(s->why, -ENODEV, "%s can't be counted: %s", event, strerror(-err));
}

/* One event on one core. */
static int open_event(
	const struct source *s, const struct event *e, uint64_t config, double scale, unsigned core)
{
	struct perf_event_attr attr = { .type = s->type, .size = sizeof attr, .config = config };
	struct ps_counter c = { .part = e->part, .scale = scale };
	int err;

	c.fd = ps_energy_system.perf_event_open(&attr, -1, (int)core, -1, PERF_FLAG_FD_CLOEXEC);
	err = c.fd < 0 ? -errno : ps_chip_add(s->chip, c);
	return err ? refuse_event(s, e->name, err) : 0;
}

/* A number of a list such as "0,18-19"; what is behind it. NULL: there is none. */
static const char *take_core(const char *text, unsigned *core)
{
	size_t digits = strspn(text, "0123456789");
	char number[8] = { 0 };
	struct ps_number n;

	if (!digits || digits >= sizeof number)
		return NULL;
	memcpy(number, text, digits);
	if (!ps_number_parse(PS_UNSIGNED, 4, number, &n) || n.u >= CORES_MOST)
		return NULL;
	*core = (unsigned)n.u;
	return text + digits;
}

static int refuse_cores(const struct source *s)
{
	return ps_energy_refuse(s->why, -ENODEV, "%s/cpumask is no list of cores: '%s'", s->folder, s->cores);
}

/* An event, on each core of the list. */
static int open_everywhere(const struct source *s, const struct event *e, uint64_t config, double scale)
{
	const char *at = s->cores;

	for (;;) {
		unsigned first, last;
		int err = 0;

		at = take_core(at, &first);
		last = first;
		if (at && *at == '-')
			at = take_core(at + 1, &last);
		if (!at || (*at && *at != ','))
			return refuse_cores(s);
		for (unsigned core = first; !err && core <= last; core++)
			err = open_event(s, e, config, scale, core);
		if (err || !*at)
			return err;
		at++;
	}
}

/* An event that the chip may have. */
static int look(const struct source *s, const struct event *e)
{
	char config[LINE], scale[LINE], unit[LINE];
	struct ps_number number, joules;
	int err = line_of(s, config, sizeof config, "events/%s", e->name);

	if (err == -ENOENT)
		return 0;
	if (err)
		return refuse_event(s, e->name, err);
	if (strncmp(config, "event=", 6) != 0 || !ps_number_parse(PS_UNSIGNED, 8, config + 6, &number))
		return ps_energy_refuse(s->why, -ENODEV, "%s/events/%s is not event=NUMBER: '%s'", s->folder,
			e->name, config);
	err = line_of(s, unit, sizeof unit, "events/%s.unit", e->name);
	if (err || strcmp(unit, "Joules") != 0)
		return ps_energy_refuse(s->why, -ENODEV, "%s/events/%s.unit is not Joules: %s", s->folder,
			e->name, err ? strerror(-err) : unit);
	err = line_of(s, scale, sizeof scale, "events/%s.scale", e->name);
	if (err || !ps_number_parse(PS_FLOAT, 8, scale, &joules) || !(joules.f > 0 && joules.f <= 1))
		return ps_energy_refuse(s->why, -ENODEV,
			"%s/events/%s.scale is no number of joules between 0 and 1: %s", s->folder, e->name,
			err ? strerror(-err) : scale);
	return open_everywhere(s, e, number.u, joules.f);
}

static int look_at_all(struct source *s)
{
	struct ps_number type;
	char line[LINE];
	int err = line_of(s, line, sizeof line, "type");

	if (err)
		return ps_energy_refuse(s->why, -ENODEV, "%s/type: %s", s->folder, strerror(-err));
	if (!ps_number_parse(PS_UNSIGNED, 4, line, &type))
		return ps_energy_refuse(s->why, -ENODEV, "%s/type is no number: '%s'", s->folder, line);
	s->type = (uint32_t)type.u;
	err = line_of(s, s->cores, sizeof s->cores, "cpumask");
	if (err)
		return ps_energy_refuse(s->why, -ENODEV, "%s/cpumask: %s", s->folder, strerror(-err));
	for (unsigned i = 0; !err && i < sizeof events / sizeof *events; i++)
		err = look(s, &events[i]);
	if (!err && !s->chip->of[PS_CHIP_PACKAGE])
		err = ps_energy_refuse(s->why, -ENODEV, "%s has no event energy-pkg", s->folder);
	return err;
}

static int perf_open(
	struct ps_energy_source *s, const char *text, const struct pstk_meter *own, struct ps_text *why)
{
	struct source source = { .folder = text ? text : ps_energy_system.perf, .why = why };
	int err;

	(void)own;
	if (!*source.folder)
		return ps_energy_refuse(why, -EINVAL, "there is no folder behind the ':'");
	s->self = source.chip = ps_memory_zalloc(1, sizeof *source.chip);
	if (!s->self)
		return ps_energy_refuse(why, -ENOMEM, "out of memory");
	err = look_at_all(&source);
	if (err)
		ps_chip_close(s);
	return err;
}

const struct ps_energy_kind ps_energy_perf = {
	.name = "perf",
	.rounds = 1,
	.open = perf_open,
	.read = ps_chip_read,
	.settle = ps_chip_settle,
	.close = ps_chip_close,
};
