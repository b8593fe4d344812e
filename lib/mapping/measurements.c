/* SPDX-License-Identifier: MIT */
/* Measurements: are they such that everything that follows from them is a number? */
#include "penstock/mapper.h"

#include "lib/mapping/refusal.h"

#include <inttypes.h>

/* An array, which values of it are needed, and where its refusal goes. */
struct look {
	const char *name;
	unsigned count;
	uint32_t needed; /* bit k: entry k is; UINT32_MAX: all are */
	double least;
	char *text;
	size_t size;
};

/* False for NAN, too. */
static bool is_within(double value, double least)
{
	return value >= least && value <= PSTK_MEASURED_MOST;
}

static bool is_needed(const struct look *l, unsigned k)
{
	return l->needed == UINT32_MAX || (k < 32 && l->needed >> k & 1);
}

static int check_times(const struct look *l, const double *times)
{
	if (!l->needed)
		return 0;
	if (!times)
		return ps_refuse(l->text, l->size, "%s is missing, expected %u time%s in s", l->name,
			l->count, l->count == 1 ? "" : "s");
	for (unsigned k = 0; k < l->count; k++)
		if (is_needed(l, k) && !is_within(times[k], l->least))
			return ps_refuse(l->text, l->size,
				"%s: value %u of %u is %g, expected a time in s from %g to %g", l->name,
				k + 1, l->count, times[k], l->least, PSTK_MEASURED_MOST);
	return 0;
}

static int check_joules(const struct look *l, const struct pstk_joules *joules)
{
	static const char *const parts[] = { "cores", "device", "rest" };

	if (!l->needed)
		return 0;
	if (!joules)
		return ps_refuse(l->text, l->size,
			"%s is missing: other energies are there, expected all or none", l->name);
	for (unsigned k = 0; k < l->count; k++) {
		const double values[] = { joules[k].cores, joules[k].device, joules[k].rest };

		for (unsigned i = 0; i < 3 && is_needed(l, k); i++)
			if (!is_within(values[i], 0))
				return ps_refuse(l->text, l->size,
					"%s: value %u of %u, %s, is %g, expected joules from 0 to %g",
					l->name, k + 1, l->count, parts[i], values[i], PSTK_MEASURED_MOST);
	}
	return 0;
}

static int check_numbers(const struct pstk_measurements *m, char *text, size_t size)
{
	if (!m->stages || m->stages > PSTK_MAPPER_STAGES)
		return ps_refuse(text, size, "s is %" PRIu32 ", expected 1 to %u stages", m->stages,
			PSTK_MAPPER_STAGES);
	if (!m->cores || m->cores > PSTK_MAPPER_CORES)
		return ps_refuse(
			text, size, "nC is %" PRIu32 ", expected 1 to %u cores", m->cores, PSTK_MAPPER_CORES);
	if (m->device_ok >> m->stages)
		return ps_refuse(text, size, "device_ok has a stage behind stage %" PRIu32 ", the last one",
			m->stages);
	if (m->device_must & ~m->device_ok)
		return ps_refuse(
			text, size, "device_must has a stage that device_ok has not: expected a part of it");
	if (!is_within(m->tdp, 0))
		return ps_refuse(text, size, "TDP is %g, expected watts from 0, not known, to %g", m->tdp,
			PSTK_MEASURED_MOST);
	return 0;
}

static int check_all_times(const struct pstk_measurements *m, char *text, size_t size)
{
	const uint32_t all = UINT32_MAX, medium = m->medium_grain ? all : 0, device = m->device_ok ? all : 0;
	const double least = PSTK_MEASURED_LEAST;
	const struct {
		const char *name;
		unsigned count;
		uint32_t needed;
		double least;
		const double *values;
	} times[] = { { "T_CG1", m->stages, all, least, m->t_cg1 },
		{ "T_CG", m->cores + 1, all, least, m->t_cg },
		{ "T_G", m->stages, m->device_ok, least, m->t_g },
		{ "T_MG", m->stages, medium, least, m->t_mg },
		{ "h2d", m->stages + 1, m->h2d ? device : 0, 0, m->h2d },
		{ "d2h", m->stages + 1, m->d2h ? device : 0, 0, m->d2h } };
	int err = 0;

	for (unsigned i = 0; i < sizeof times / sizeof *times && !err; i++)
		err = check_times(&(struct look){ times[i].name, times[i].count, times[i].needed,
					  times[i].least, text, size },
			times[i].values);
	return err;
}

static int check_all_joules(const struct pstk_measurements *m, char *text, size_t size)
{
	const uint32_t all = UINT32_MAX, medium = m->medium_grain ? all : 0;
	const struct {
		const char *name;
		unsigned count;
		uint32_t needed;
		const struct pstk_joules *values;
	} energies[] = { { "E_CG1", m->stages, all, m->e_cg1 }, { "E_CG", m->cores + 1, all, m->e_cg },
		{ "E_G", m->stages, m->device_ok, m->e_g }, { "E_MG", m->stages, medium, m->e_mg } };
	int err = 0;

	for (unsigned i = 0; i < sizeof energies / sizeof *energies && !err; i++)
		err = check_joules(&(struct look){ energies[i].name, energies[i].count, energies[i].needed, 0,
					   text, size },
			energies[i].values);
	return err;
}

int pstk_measurements_check(const struct pstk_measurements *m, char *text, size_t size)
{
	int err;

	if (!m || m->struct_size != sizeof *m)
		return ps_refuse(text, size, "there are no measurements, or they are of another library");
	err = check_numbers(m, text, size);
	if (!err)
		err = check_all_times(m, text, size);
	if (!err && (m->e_cg1 || m->e_cg || m->e_g || m->e_mg))
		err = check_all_joules(m, text, size);
	return err;
}
