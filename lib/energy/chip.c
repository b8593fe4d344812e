/* SPDX-License-Identifier: MIT */
#include "lib/energy/chip.h"
#include "lib/base/memory.h"
#include "lib/base/number.h"

#include <unistd.h>

/* Reads at the beginning of the file, which the kernel writes anew for that. */
static int read_text(int fd, uint64_t *value)
{
	char line[64];
	struct ps_number number;
	ssize_t length = pread(fd, line, sizeof line - 1, 0);

	if (length < 0)
		return -errno;
	line[length] = 0;
	line[strcspn(line, "\n")] = 0;
	if (!ps_number_parse(PS_UNSIGNED, sizeof number.u, line, &number))
		return -EBADMSG;
	*value = number.u;
	return 0;
}

static int read_event(int fd, uint64_t *value)
{
	ssize_t length = read(fd, value, sizeof *value);

	if (length < 0)
		return -errno;
	return length == sizeof *value ? 0 : -EBADMSG;
}

static int read_value(const struct ps_counter *c, uint64_t *value)
{
	int err = c->is_text ? read_text(c->fd, value) : read_event(c->fd, value);

	if (!err && c->range && *value > c->range)
		err = -EBADMSG;
	return err;
}

static int advance(struct ps_counter *c)
{
	uint64_t value;
	int err = read_value(c, &value);

	if (err)
		return err;
	if (value < c->last && !c->range)
		return -EBADMSG;
	c->counts += value < c->last ? c->range - c->last + value : value - c->last;
	c->last = value;
	return 0;
}

int ps_chip_add(struct ps_chip *chip, struct ps_counter counter)
{
	struct ps_counter *counters;
	int err = read_value(&counter, &counter.last);

	counters = err ? NULL : ps_memory_resize(chip->counters, chip->count + 1, sizeof *counters);
	if (!counters) {
		close(counter.fd);
		return err ? err : -ENOMEM;
	}
	counter.counts = 0;
	chip->counters = counters;
	chip->counters[chip->count++] = counter;
	chip->of[counter.part]++;
	return 0;
}

/* Of each package: else the cores of one would be in the rest. */
static bool counts_cores(const struct ps_chip *chip)
{
	return chip->of[PS_CHIP_CORES] >= chip->of[PS_CHIP_PACKAGE] && !chip->cores_stand_still;
}

static void sum(const struct ps_chip *chip, double joules[PS_CHIP_PARTS])
{
	for (unsigned i = 0; i < PS_CHIP_PARTS; i++)
		joules[i] = 0;
	for (unsigned i = 0; i < chip->count; i++)
		joules[chip->counters[i].part] += chip->counters[i].scale * (double)chip->counters[i].counts;
}

static double larger(double a, double b)
{
	return a > b ? a : b;
}

int ps_chip_read(struct ps_energy_source *s, const struct ps_busy *busy, struct pstk_joules *total)
{
	struct ps_chip *chip = s->self;
	double joules[PS_CHIP_PARTS], others;

	(void)busy;
	for (unsigned i = 0; i < chip->count; i++) {
		int err = advance(&chip->counters[i]);

		if (err)
			return err;
	}
	sum(chip, joules);
	others = joules[PS_CHIP_PACKAGE] - joules[PS_CHIP_DEVICE];
	chip->most.device = joules[PS_CHIP_DEVICE];
	if (counts_cores(chip)) {
		chip->most.cores = joules[PS_CHIP_CORES];
		chip->most.rest = larger(chip->most.rest, others - joules[PS_CHIP_CORES]);
	} else {
		chip->most.cores = larger(chip->most.cores, others);
	}
	*total = chip->most;
	return 0;
}

bool ps_chip_settle(struct ps_energy_source *s)
{
	struct ps_chip *chip = s->self;
	double joules[PS_CHIP_PARTS];

	sum(chip, joules);
	chip->cores_stand_still = !(joules[PS_CHIP_CORES] > 0);
	s->flags = PSTK_ENERGY_MEASURED | (counts_cores(chip) ? 0 : PSTK_ENERGY_DERIVED);
	chip->most = (struct pstk_joules){ 0 };
	return joules[PS_CHIP_PACKAGE] > 0;
}

void ps_chip_close(struct ps_energy_source *s)
{
	struct ps_chip *chip = s->self;

	for (unsigned i = 0; i < chip->count; i++)
		close(chip->counters[i].fd);
	ps_memory_free(chip->counters);
	ps_memory_free(chip);
}
