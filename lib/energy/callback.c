/* SPDX-License-Identifier: MIT */
/* Callback: a meter of the program's own. */
#include "lib/base/memory.h"
#include "lib/energy/kind.h"

#include <math.h>

struct callback {
	struct pstk_meter meter;
	struct pstk_joules last;
	bool is_read; /* last is something */
};

static int callback_open(
	struct ps_energy_source *s, const char *text, const struct pstk_meter *own, struct ps_text *why)
{
	struct callback *c;

	if (text)
		return ps_energy_refuse(why, -EINVAL, "nothing is expected behind its name, not ':%s'", text);
	if (!own)
		return ps_energy_refuse(why, -EINVAL, "the program has given no struct pstk_meter");
	if (own->struct_size < sizeof *own)
		return ps_energy_refuse(why, -EINVAL,
			"struct_size of its struct pstk_meter is %u, expected %zu: set .struct_size = "
			"sizeof(struct pstk_meter)",
			own->struct_size, sizeof *own);
	if (!own->read)
		return ps_energy_refuse(why, -EINVAL, "its struct pstk_meter has no read()");
	c = ps_memory_zalloc(1, sizeof *c);
	if (!c)
		return ps_energy_refuse(why, -ENOMEM, "out of memory");
	c->meter = *own;
	*s = (struct ps_energy_source){ s->kind, c, PSTK_ENERGY_MEASURED };
	return 0;
}

static bool goes_on(double now, double last)
{
	return isfinite(now) && now >= last;
}

static int callback_read(struct ps_energy_source *s, const struct ps_busy *busy, struct pstk_joules *total)
{
	struct callback *c = s->self;
	struct pstk_joules now = { 0 };
	int err = c->meter.read(c->meter.data, &now);

	(void)busy;
	if (err)
		return err < 0 ? err : -EPROTO;
	if (!c->is_read)
		c->last = (struct pstk_joules){ -HUGE_VAL, -HUGE_VAL, -HUGE_VAL };
	if (!goes_on(now.cores, c->last.cores) || !goes_on(now.device, c->last.device) ||
		!goes_on(now.rest, c->last.rest))
		return -ERANGE;
	c->last = *total = now;
	c->is_read = true;
	return 0;
}

static void callback_close(struct ps_energy_source *s)
{
	ps_memory_free(s->self);
}

const struct ps_energy_kind ps_energy_callback = {
	.name = "callback",
	.rounds = 10, /* sensors of boards may move every 100 ms */
	.open = callback_open,
	.read = callback_read,
	.close = callback_close,
};
