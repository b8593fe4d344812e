/* SPDX-License-Identifier: MIT */
#include "benchmarks/apps/mapping_pipeline.h"
#include "benchmarks/common/rounds.h"

#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* -- configurations -- */

static uint32_t device_ok(const struct mapping_pipeline *p)
{
	return ((1u << p->stages) - 1) & ~p->no_kernel;
}

/* Of one mask. */
static unsigned grains(const struct mapping_pipeline *p)
{
	return p->cores + (p->coarse ? 1 : 2);
}

unsigned mapping_count(const struct mapping_pipeline *p)
{
	unsigned masks = 1;

	for (unsigned k = 0; k < p->stages; k++)
		masks <<= device_ok(p) >> k & 1;
	return masks * grains(p);
}

/* Masks as binary numbers in which stage 1 is the lowest bit; of each the threads, then medium grain. */
unsigned mapping_list(
	const struct mapping_pipeline *p, struct pstk_configuration list[MAPPING_CONFIGURATIONS])
{
	unsigned count = 0;

	for (uint32_t mask = 0; mask < 1u << p->stages; mask++) {
		if (mask & p->no_kernel)
			continue;
		for (unsigned n = 1; n <= p->cores + 1; n++)
			list[count++] = (struct pstk_configuration){ .mask = mask, .threads = n };
		if (!p->coarse)
			list[count++] = (struct pstk_configuration){
				.mask = mask, .threads = p->cores + 1, .medium_grain = true
			};
	}
	return count;
}

unsigned mapping_index(const struct mapping_pipeline *p, const struct pstk_configuration *c)
{
	unsigned before = 0, bits = 0; /* masks before its own */

	for (unsigned k = 0; k < p->stages; k++)
		if (device_ok(p) >> k & 1)
			before |= (c->mask >> k & 1) << bits++;
	return before * grains(p) + (c->medium_grain ? p->cores + 1 : c->threads - 1);
}

struct pstk_measurements mapping_measurements(
	const struct mapping_pipeline *p, struct mapping_ideal *ideal, unsigned in_flight)
{
	double item = 0;

	for (unsigned k = 0; k < p->stages; k++)
		item += p->core[k];
	for (unsigned n = 1; n <= p->cores + 1; n++)
		ideal->t_cg[n - 1] = item / (n < p->cores ? n : p->cores);
	return PSTK_MEASUREMENTS(.stages = p->stages, .cores = p->cores, .in_flight = in_flight,
		.device_ok = device_ok(p), .medium_grain = !p->coarse, .t_cg1 = p->core, .t_cg = ideal->t_cg,
		.t_g = p->device, .t_mg = p->coarse ? NULL : p->medium);
}

/* -- files -- */

/* needed: of which stages, as a mask. */
static void read_times(
	const char *path, const json_t *from, const char *key, unsigned count, uint32_t needed, double *times)
{
	const json_t *list = json_object_get(from, key);

	if (json_array_size(list) != count)
		rounds_fail("%s: '%s' has %zu entries, but there are %u stages", path, key,
			json_array_size(list), count);
	for (unsigned k = 0; k < count; k++) {
		times[k] = json_number_value(json_array_get(list, k)) * 1e-3;
		if (needed >> k & 1 && !(times[k] > 0 && times[k] < 10))
			rounds_fail("%s: '%s' has a time that is not above 0 and below 10000 ms", path, key);
	}
}

static void read_rates(
	const char *path, const json_t *from, const struct mapping_pipeline *p, struct mapping_rates *rates)
{
	const char *key, *said;
	json_t *value;
	char error[256];
	json_t *all = json_object_get(from, "simulated");

	memset(rates, 0, sizeof *rates);
	json_object_foreach(all, key, value)
	{
		struct pstk_configuration c;

		said = key;
		if (pstk_configuration_parse(said, p->stages, p->cores, &c, error, sizeof error))
			rounds_fail("%s: '%s': %s", path, said, error);
		rates->rate[mapping_index(p, &c)] = json_number_value(value);
	}
}

/* A text such as "101", stage 1 first. */
static void read_kernels(const char *path, const json_t *from, struct mapping_pipeline *p)
{
	const json_t *json = json_object_get(from, "device_ok");
	const char *text = json_string_value(json);

	if (!json)
		return;
	if (!text || strlen(text) != p->stages || strspn(text, "01") != p->stages)
		rounds_fail(
			"%s: 'device_ok' is no text of %u digits, a 0 or 1 for each stage", path, p->stages);
	for (unsigned k = 0; k < p->stages; k++)
		p->no_kernel |= (uint32_t)(text[k] == '0') << k;
}

/* What need not be there. */
static void read_rest(const char *path, const json_t *from, struct mapping_pipeline *p)
{
	const json_t *medium = json_object_get(from, "medium_grain");

	if (medium && !json_is_boolean(medium))
		rounds_fail("%s: 'medium_grain' is neither true nor false", path);
	p->coarse = json_is_false(medium);
	read_kernels(path, from, p);
}

static void read_one(
	const char *path, const json_t *from, struct mapping_pipeline *p, struct mapping_rates *expected)
{
	const char *name = json_string_value(json_object_get(from, "name"));
	json_int_t stages = json_integer_value(json_object_get(from, "s")),
		   cores = json_integer_value(json_object_get(from, "nC"));

	if (stages < 1 || stages > MAPPING_STAGES || cores < 1 || cores > MAPPING_CORES)
		rounds_fail(
			"%s: 's' is from 1 to %d, 'nC' from 1 to %d", path, MAPPING_STAGES, MAPPING_CORES);
	memset(p, 0, sizeof *p);
	snprintf(p->name, sizeof p->name, "%s", name ? name : "unnamed");
	p->stages = (unsigned)stages;
	p->cores = (unsigned)cores;
	read_rest(path, from, p);
	read_times(path, from, "core_ms", p->stages, UINT32_MAX, p->core);
	read_times(path, from, "device_ms", p->stages, device_ok(p), p->device);
	if (!p->coarse)
		read_times(path, from, "medium_ms", p->stages, UINT32_MAX, p->medium);
	if (expected)
		read_rates(path, from, p, expected);
}

unsigned mapping_read(
	const char *path, struct mapping_pipeline *list, struct mapping_rates *expected, unsigned room)
{
	json_error_t error;
	json_t *root = json_load_file(path, 0, &error);
	unsigned count = 0;

	if (!root)
		rounds_fail("%s: line %d: %s", path, error.line, error.text);
	if (!json_is_array(root) || !json_array_size(root))
		rounds_fail("%s: it is no list of pipelines", path);
	for (; count < room && count < json_array_size(root); count++)
		read_one(path, json_array_get(root, count), &list[count], expected ? &expected[count] : NULL);
	json_decref(root);
	return count;
}

/* -- drawing -- */

/* splitmix64 */
double mapping_random(uint64_t *state)
{
	uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);

	z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
	return (double)((z ^ z >> 31) >> 11) * 0x1p-53;
}

/* As likely in each octave. */
static double draw_between(uint64_t *state, double least, double most)
{
	return least * pow(most / least, mapping_random(state));
}

void mapping_draw(struct mapping_pipeline *p, uint64_t seed, unsigned number)
{
	static const unsigned cores[] = { 1, 2, 4 };
	uint64_t state = seed * 1000003 + number;
	double sum = 0, item;

	memset(p, 0, sizeof *p);
	snprintf(p->name, sizeof p->name, "random %llu/%u", (unsigned long long)seed, number);
	p->stages = 1 + (unsigned)(4 * mapping_random(&state));
	p->cores = cores[(unsigned)(3 * mapping_random(&state))];
	item = 8e-3 + 12e-3 * mapping_random(&state);
	for (unsigned k = 0; k < p->stages; k++)
		sum += p->core[k] = draw_between(&state, 1, 10);
	for (unsigned k = 0; k < p->stages; k++) {
		p->core[k] *= item / sum;
		p->device[k] = p->core[k] / draw_between(&state, 0.25, 6);
		p->medium[k] = p->core[k] / (p->cores * (0.5 + 0.5 * mapping_random(&state)));
	}
}
