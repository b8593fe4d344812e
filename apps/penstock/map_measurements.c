/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "apps/penstock/map_measurements.h"
#include "apps/common/app.h"
#include "apps/penstock/json_file.h"

#include <stdlib.h>
#include <string.h>

static const char *const keys[] = { "name", "s", "nC", "T_CG1", "T_CG", "T_G", "T_MG", "h2d", "d2h", "E_CG1",
	"E_CG", "E_G", "E_MG", "TDP", "device_ok", "device_must", "medium_grain", "R", NULL };

/* What is looked at behind the lists' form is pstk_measurements_check()'s. */
static int read_times(struct map_measurements *f, const struct json_object *o)
{
	const unsigned stages = f->m.stages, threads = f->m.cores + 1;
	const struct {
		const char *key, *words;
		unsigned count;
		const double **values;
	} lists[] = { { "T_CG1", "times in s, one for each stage,", stages, &f->m.t_cg1 },
		{ "T_CG", "times in s, one for each number of threads up to nC + 1,", threads, &f->m.t_cg },
		{ "T_G", "times in s, one for each stage,", stages, &f->m.t_g },
		{ "T_MG", "times in s, one for each stage,", stages, &f->m.t_mg },
		{ "h2d", "times in s, one for each stage and one behind the last,", stages + 1, &f->m.h2d },
		{ "d2h", "times in s, one for each stage and one behind the last,", stages + 1, &f->m.d2h } };
	int status = 0;

	for (unsigned i = 0; i < sizeof lists / sizeof *lists && !status; i++) {
		status = json_file_numbers(o, lists[i].key, lists[i].words, lists[i].count, &f->times[i]);
		*lists[i].values = f->times[i];
	}
	return status;
}

/* [C, G, U] */
static int read_triple(const struct json_object *o, const char *key, unsigned number, const json_t *json,
	struct pstk_joules *e)
{
	static const char wanted[] = "a list of three numbers, the joules of cores, device and rest,";
	double *const parts[] = { &e->cores, &e->device, &e->rest };
	char what[64];

	snprintf(what, sizeof what, "%s, value %u,", key, number);
	if (!json_is_array(json))
		return json_file_wrong_value(o, what, json, wanted);
	if (json_array_size(json) != 3)
		return json_file_wrong_count(o, what, json, wanted);
	for (unsigned i = 0; i < 3; i++) {
		const json_t *part = json_array_get(json, i);

		if (!json_is_number(part)) {
			snprintf(what, sizeof what, "%s, value %u, number %u,", key, number, i + 1);
			return json_file_wrong_value(o, what, part, "a number of joules");
		}
		*parts[i] = json_number_value(part);
	}
	return 0;
}

static int read_joules(
	const struct json_object *o, const char *key, unsigned count, struct pstk_joules **values)
{
	const json_t *list = json_object_get(o->json, key);
	char wanted[64];
	int status = 0;

	if (!list)
		return 0;
	snprintf(wanted, sizeof wanted, "a list of %u triples of joules", count);
	if (!json_is_array(list))
		return json_file_wrong_value(o, key, list, wanted);
	if (json_array_size(list) != count)
		return json_file_wrong_count(o, key, list, wanted);
	*values = calloc(count, sizeof **values);
	if (!*values)
		return app_out_of_memory();
	for (unsigned i = 0; i < count && !status; i++)
		status = read_triple(o, key, i + 1, json_array_get(list, i), &(*values)[i]);
	return status;
}

static int read_energies(struct map_measurements *f, const struct json_object *o)
{
	const unsigned stages = f->m.stages, threads = f->m.cores + 1;
	const struct {
		const char *key;
		unsigned count;
		const struct pstk_joules **values;
	} lists[] = { { "E_CG1", stages, &f->m.e_cg1 }, { "E_CG", threads, &f->m.e_cg },
		{ "E_G", stages, &f->m.e_g }, { "E_MG", stages, &f->m.e_mg } };
	int status = 0;

	for (unsigned i = 0; i < sizeof lists / sizeof *lists && !status; i++) {
		status = read_joules(o, lists[i].key, lists[i].count, &f->joules[i]);
		*lists[i].values = f->joules[i];
	}
	return status;
}

/* A text such as "101", stage 1 first. It stays as it is where the key is not there. */
static int read_mask(const struct json_object *o, const char *key, unsigned stages, uint32_t *mask)
{
	const json_t *json = json_object_get(o->json, key);
	const char *text = json_string_value(json);
	char wanted[64];

	if (!json)
		return 0;
	if (!text || strlen(text) != stages || strspn(text, "01") != stages) {
		snprintf(wanted, sizeof wanted, "a text of %u digits, a 0 or 1 for each stage,", stages);
		return json_file_wrong_value(o, key, json, wanted);
	}
	*mask = 0;
	for (unsigned k = 0; k < stages; k++)
		*mask |= (uint32_t)(text[k] == '1') << k;
	return 0;
}

/* What may lack. */
static int read_rest(struct map_measurements *f, const struct json_object *o)
{
	struct pstk_measurements *m = &f->m;
	const json_t *name = json_object_get(o->json, "name"),
		     *medium = json_object_get(o->json, "medium_grain");
	int status;

	if (name && !json_is_string(name))
		return json_file_wrong_value(o, "name", name, "a text");
	if (medium && !json_is_boolean(medium))
		return json_file_wrong_value(o, "medium_grain", medium, "true or false");
	m->medium_grain = !json_is_false(medium);
	m->device_ok = (UINT32_C(1) << m->stages) - 1;
	status = read_mask(o, "device_ok", m->stages, &m->device_ok);
	if (!status)
		status = read_mask(o, "device_must", m->stages, &m->device_must);
	if (!status && json_object_get(o->json, "R"))
		status = json_file_integer(o, "R", 1, UINT32_MAX, &m->in_flight);
	if (!status && json_object_get(o->json, "TDP"))
		status = json_file_number(
			o, "TDP", "a number of watts", PSTK_MEASURED_LEAST, PSTK_MEASURED_MOST, &m->tdp);
	return status;
}

static int read_object(struct map_measurements *f, const struct json_object *o)
{
	char text[256];
	int status = json_file_check_keys(o, keys);

	if (!status)
		status = json_file_integer(o, "s", 1, PSTK_MAPPER_STAGES, &f->m.stages);
	if (!status)
		status = json_file_integer(o, "nC", 1, PSTK_MAPPER_CORES, &f->m.cores);
	if (!status)
		status = read_rest(f, o);
	if (!status)
		status = read_times(f, o);
	if (!status)
		status = read_energies(f, o);
	if (!status && pstk_measurements_check(&f->m, text, sizeof text))
		status = json_file_wrong(o, "%s", text);
	return status;
}

int map_measurements_read(struct map_measurements *f, const char *path)
{
	json_t *root;
	int status;

	*f = (struct map_measurements){ .m = PSTK_MEASUREMENTS(0) };
	status = json_file_read(path, &root);
	if (!status)
		status = read_object(f, &(struct json_object){ json_file_name(path), 0, root });
	json_decref(root);
	return status;
}

void map_measurements_free(struct map_measurements *f)
{
	for (unsigned i = 0; i < sizeof f->times / sizeof *f->times; i++)
		free(f->times[i]);
	for (unsigned i = 0; i < sizeof f->joules / sizeof *f->joules; i++)
		free(f->joules[i]);
}
