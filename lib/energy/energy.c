/* SPDX-License-Identifier: MIT */
#include "lib/energy/energy.h"
#include "lib/base/memory.h"
#include "lib/base/near_name.h"
#include "lib/energy/system.h"

enum { CHIP, BOARD, SOURCES };
enum { NAME = 32, KINDS = 5, CHOICES = 3, WORK_MS = 50 };

struct ps_energy {
	struct ps_energy_source sources[SOURCES]; /* the second one: a board beside a chip */
	unsigned count;
	struct pstk_joules begin; /* what had been counted when it was opened */
	char name[NAME];
};

/* The first ones are tried in this order where no text says which. */
static const struct ps_energy_kind *const kinds[KINDS] = { &ps_energy_powercap, &ps_energy_perf,
	&ps_energy_nvml, &ps_energy_sim, &ps_energy_callback };

static int refuse_kind(const char *name, struct ps_text *why)
{
	struct ps_near_name near;
	const char *meant;

	ps_near_name_begin(&near, name);
	ps_near_name_offer(&near, "none");
	for (unsigned k = 0; k < KINDS; k++)
		ps_near_name_offer(&near, kinds[k]->name);
	meant = ps_near_name_meant(&near);
	return ps_energy_refuse(why, -EINVAL, "there is no meter '%s': expected one of %s%s%s%s", name,
		near.names, meant ? "; did you mean '" : "", meant ? meant : "", meant ? "'?" : "");
}

static int open_source(struct ps_energy *e, const struct ps_energy_kind *kind, const char *text,
	const struct pstk_meter *own, struct ps_text *why)
{
	struct ps_energy_source *s = &e->sources[e->count];
	int err;

	*s = (struct ps_energy_source){ .kind = kind };
	ps_text_add(why, "%s: ", kind->name);
	err = kind->open(s, text, own, why);
	if (err)
		return err;
	snprintf(e->name + strlen(e->name), NAME - strlen(e->name), "%s%s", e->count ? "+" : "", kind->name);
	e->count++;
	return 0;
}

/* Opens "KIND[:TEXT]". The colon is cut out. */
static int open_selected(
	struct ps_energy *e, char *selector, const struct pstk_meter *own, struct ps_text *why)
{
	char *colon = strchr(selector, ':');

	if (colon)
		*colon = 0;
	if (!strcmp(selector, "none"))
		return ps_energy_refuse(why, -ENODEV, "none: no meter is wanted");
	for (unsigned k = 0; k < KINDS; k++)
		if (!strcmp(selector, kinds[k]->name))
			return open_source(e, kinds[k], colon ? colon + 1 : NULL, own, why);
	return refuse_kind(selector, why);
}

/* Where a selector ends with "+nvml" or "+nvml:INDEX", that "+"; else NULL. A folder may have one, too. */
static char *find_board(char *selector)
{
	char *plus = strrchr(selector, '+');

	if (!plus || strncmp(plus + 1, ps_energy_nvml.name, 4) != 0)
		return NULL;
	return plus[5] && plus[5] != ':' ? NULL : plus;
}

static int open_both(struct ps_energy *e, char *selector, const struct pstk_meter *own, struct ps_text *why)
{
	char *plus = find_board(selector);
	int err;

	if (plus)
		*plus = 0;
	err = open_selected(e, selector, own, why);
	if (err || !plus)
		return err;
	if (!e->sources[CHIP].kind->settle)
		return ps_energy_refuse(why, -EINVAL, "+nvml goes with powercap and perf");
	ps_text_add(why, "opened; ");
	return open_selected(e, plus + 1, own, why);
}

static int read_source(struct ps_energy_source *s, struct pstk_joules *total)
{
	return s->kind->read(s, NULL, total);
}

static bool has_moved(const struct pstk_joules *from, const struct pstk_joules *to)
{
	return to->cores > from->cores || to->device > from->device || to->rest > from->rest;
}

static int refuse_reading(const char *name, int err, struct ps_text *why)
{
	return ps_energy_refuse(why, -EACCES, "%s can't be read: %s", name, strerror(-err));
}

/* A counter counts if it moves while the thread works: virtual machines have such that don't. */
static int prove(struct ps_energy_source *s, struct ps_text *why)
{
	struct pstk_joules from, to;
	bool moved = false;
	int err = read_source(s, &from);

	for (unsigned round = 0; !err && !moved && round < s->kind->rounds; round++) {
		ps_energy_system.work();
		err = read_source(s, &to);
		moved = !err && has_moved(&from, &to);
	}
	if (err)
		return refuse_reading(s->kind->name, err, why);
	if (!moved || (s->kind->settle && !s->kind->settle(s)))
		return ps_energy_refuse(why, -ENODEV,
			"%s counts nothing: it stood still while a thread worked for %u ms", s->kind->name,
			s->kind->rounds * WORK_MS);
	return 0;
}

/* The joules of all sources. A GPU of the chip is in the rest where a board is the device. */
static int add_up(struct ps_energy *e, const struct ps_busy *busy, struct pstk_joules *total)
{
	struct ps_energy_source *chip = &e->sources[CHIP], *board = &e->sources[BOARD];
	struct pstk_joules device;
	int err = chip->kind->read(chip, busy, total);

	if (err || e->count == 1)
		return err;
	err = board->kind->read(board, busy, &device);
	total->rest += total->device;
	total->device = device.device;
	return err;
}

static int begin(struct ps_energy *e, struct ps_text *why)
{
	int err = 0;

	if (!e->sources[CHIP].kind->rounds)
		return 0;
	*why = ps_text(why->buffer, why->size);
	for (unsigned i = 0; !err && i < e->count; i++)
		err = prove(&e->sources[i], why);
	if (err)
		return err;
	err = add_up(e, NULL, &e->begin);
	return err ? refuse_reading(e->name, err, why) : 0;
}

void ps_energy_close(struct ps_energy *e)
{
	if (!e)
		return;
	for (unsigned i = 0; i < e->count; i++)
		e->sources[i].kind->close(&e->sources[i]);
	ps_memory_free(e);
}

/* Opens what a text selects, which is changed. */
static int open_text(char *text, const struct pstk_meter *own, struct ps_energy **meter, struct ps_text *why)
{
	struct ps_energy *e = ps_memory_zalloc(1, sizeof *e);
	int err;

	if (!e)
		return ps_energy_refuse(why, -ENOMEM, "out of memory");
	err = open_both(e, text, own, why);
	if (!err)
		err = begin(e, why);
	if (err)
		ps_energy_close(e);
	else
		*meter = e;
	return err;
}

/* The first one that counts. A counter that can't be read is worth more of a user's time than one that is not there. */
static int open_first(struct ps_energy **meter, struct ps_text *why)
{
	bool is_locked = false;

	ps_text_add(why, "no meter: ");
	for (unsigned k = 0; k < CHOICES; k++) {
		char name[NAME], said[PS_ENERGY_WHY];
		struct ps_text text = ps_text(said, sizeof said);
		int err;

		snprintf(name, sizeof name, "%s", kinds[k]->name);
		err = open_text(name, NULL, meter, &text);
		ps_text_add(why, "%s%s", k ? "; " : "", said);
		if (!err || err == -ENOMEM)
			return err;
		is_locked |= err == -EACCES;
	}
	return is_locked ? -EACCES : -ENODEV;
}

int ps_energy_open(
	const char *selector, const struct pstk_meter *own, struct ps_energy **meter, char *why, size_t size)
{
	struct ps_text text = ps_text(why, size);
	char *copy;
	int err;

	*meter = NULL;
	if (own && (!selector || !*selector))
		selector = ps_energy_callback.name;
	if (!selector || !*selector) {
		err = open_first(meter, &text);
	} else {
		copy = ps_memory_strdup(selector);
		err = copy ? open_text(copy, own, meter, &text)
		           : ps_energy_refuse(&text, -ENOMEM, "out of memory");
		ps_memory_free(copy);
	}
	if (!err)
		*why = 0;
	return err;
}

int ps_energy_read(struct ps_energy *e, const struct ps_busy *busy, struct pstk_joules *total)
{
	struct pstk_joules now;
	int err = e ? add_up(e, busy, &now) : -ENODEV;

	if (err)
		return err;
	total->cores = now.cores - e->begin.cores;
	total->device = now.device - e->begin.device;
	total->rest = now.rest - e->begin.rest;
	return 0;
}

unsigned ps_energy_flags(const struct ps_energy *e)
{
	unsigned flags = 0;

	for (unsigned i = 0; e && i < e->count; i++)
		flags |= e->sources[i].flags;
	return e && e->count == SOURCES ? flags & ~(unsigned)PSTK_ENERGY_PARTIAL : flags;
}

const char *ps_energy_name(const struct ps_energy *e)
{
	return e ? e->name : "none";
}

const char *ps_energy_flags_text(unsigned flags, char text[PS_ENERGY_FLAGS_TEXT])
{
	static const char *const names[] = { "measured", "derived", "split", "simulated", "partial" };
	struct ps_text t = ps_text(text, PS_ENERGY_FLAGS_TEXT);

	for (unsigned i = 0; i < sizeof names / sizeof *names; i++)
		if (flags >> i & 1)
			ps_text_add(&t, "%s%s", t.length ? ", " : "", names[i]);
	return text;
}
