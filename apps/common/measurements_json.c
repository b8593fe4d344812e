/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "apps/common/measurements_json.h"

#include <math.h>

/* Values that are not needed may be anything; JSON has no NAN. */
static json_t *number(double value)
{
	return json_real(isfinite(value) ? value : 0);
}

static int add_times(json_t *json, const char *key, const double *times, unsigned count)
{
	json_t *list = json_array();
	int failed = 0;

	for (unsigned i = 0; i < count; i++)
		failed |= json_array_append_new(list, number(times[i]));
	return failed | json_object_set_new(json, key, list);
}

static int add_joules(json_t *json, const char *key, const struct pstk_joules *joules, unsigned count)
{
	json_t *list = json_array();
	int failed = 0;

	for (unsigned i = 0; i < count; i++)
		failed |= json_array_append_new(
			list, json_pack("[o, o, o]", number(joules[i].cores), number(joules[i].device),
				      number(joules[i].rest)));
	return failed | json_object_set_new(json, key, list);
}

static int add_mask(json_t *json, const char *key, uint32_t mask, unsigned stages)
{
	char text[PSTK_MAPPER_STAGES + 1] = "";

	for (unsigned k = 0; k < stages; k++)
		text[k] = mask >> k & 1 ? '1' : '0';
	return json_object_set_new(json, key, json_string(text));
}

static int add_arrays(json_t *json, const struct pstk_measurements *m)
{
	const bool has_device = m->device_ok, has_meter = m->e_cg;
	int failed = add_times(json, "T_CG1", m->t_cg1, m->stages);

	failed |= add_times(json, "T_CG", m->t_cg, m->cores + 1);
	if (has_device)
		failed |= add_times(json, "T_G", m->t_g, m->stages);
	if (m->medium_grain)
		failed |= add_times(json, "T_MG", m->t_mg, m->stages);
	if (has_device && m->h2d)
		failed |= add_times(json, "h2d", m->h2d, m->stages + 1);
	if (has_device && m->d2h)
		failed |= add_times(json, "d2h", m->d2h, m->stages + 1);
	if (!has_meter)
		return failed;
	failed |= add_joules(json, "E_CG1", m->e_cg1, m->stages);
	failed |= add_joules(json, "E_CG", m->e_cg, m->cores + 1);
	if (has_device)
		failed |= add_joules(json, "E_G", m->e_g, m->stages);
	if (m->medium_grain)
		failed |= add_joules(json, "E_MG", m->e_mg, m->stages);
	return failed;
}

json_t *measurements_json(const struct pstk_measurements *m, const char *name)
{
	json_t *json = pstk_measurements_check(m, NULL, 0) ? NULL : json_object();
	int failed = 0;

	if (!json)
		return NULL;
	if (name)
		failed |= json_object_set_new(json, "name", json_string(name));
	failed |= json_object_set_new(json, "s", json_integer(m->stages));
	failed |= json_object_set_new(json, "nC", json_integer(m->cores));
	failed |= add_arrays(json, m);
	if (m->tdp > 0)
		failed |= json_object_set_new(json, "TDP", json_real(m->tdp));
	if (m->device_ok != (UINT32_C(1) << m->stages) - 1)
		failed |= add_mask(json, "device_ok", m->device_ok, m->stages);
	if (m->device_must)
		failed |= add_mask(json, "device_must", m->device_must, m->stages);
	if (!m->medium_grain)
		failed |= json_object_set_new(json, "medium_grain", json_false());
	if (m->in_flight)
		failed |= json_object_set_new(json, "R", json_integer(m->in_flight));
	if (!failed)
		return json;
	json_decref(json);
	return NULL;
}

int measurements_json_write(const struct pstk_measurements *m, const char *name, FILE *out)
{
	json_t *json;
	int failed;

	if (pstk_measurements_check(m, NULL, 0))
		return -EINVAL;
	json = measurements_json(m, name);
	if (!json)
		return -ENOMEM;
	failed = json_dumpf(json, out, JSON_INDENT(1) | JSON_REAL_PRECISION(17));
	json_decref(json);
	fputc('\n', out);
	return ferror(out) ? -EIO : failed ? -ENOMEM : 0;
}
