/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "apps/penstock/map_overheads.h"
#include "apps/common/app.h"

#ifdef HAVE_JANSSON

#include "apps/penstock/json_file.h"
#include "apps/penstock/picture.h"

#include <penstock/mapper.h>

#include <math.h>
#include <stdlib.h>

static const char *const keys[] = { "nC", "t_CG", "t_CGn", "t_MG", "t_G", "rate", "max_overhead", "gain",
	NULL };

/* What follows of one training. */
struct overhead {
	int items; /* N_s */
	double dt, interval, break_even;
};

struct overheads {
	struct overhead *list;
	unsigned count;
	bool json;
};

static int read_time(const struct json_object *o, const char *key, double *time)
{
	return json_file_number(o, key, "a time in s", PSTK_MEASURED_LEAST, PSTK_MEASURED_MOST, time);
}

/* *cgn: a new array. */
static int read_training(const struct json_object *o, struct pstk_training *t, double **cgn)
{
	int status = json_file_integer(o, "nC", 1, PSTK_MAPPER_CORES, &t->cores);

	if (!status)
		status = read_time(o, "t_CG", &t->t_cg);
	if (!status)
		status = json_file_numbers(
			o, "t_CGn", "times in s, one for each number of threads from 2 on,", t->cores, cgn);
	if (!status && !*cgn)
		status = json_file_wrong_value(o, "t_CGn", NULL, "a list of times in s");
	for (unsigned n = 0; n < t->cores && !status; n++)
		if (!((*cgn)[n] >= PSTK_MEASURED_LEAST && (*cgn)[n] <= PSTK_MEASURED_MOST))
			status = json_file_wrong(o,
				"t_CGn: value %u of %u is %g; a time in s from %g to %g is wanted", n + 1,
				t->cores, (*cgn)[n], PSTK_MEASURED_LEAST, PSTK_MEASURED_MOST);
	if (!status)
		status = read_time(o, "t_MG", &t->t_mg);
	if (!status)
		status = read_time(o, "t_G", &t->t_g);
	if (!status)
		status = json_file_number(
			o, "rate", "a number of items/s", PSTK_MEASURED_LEAST, PSTK_MEASURED_MOST, &t->rate);
	t->t_cgn = *cgn;
	return status;
}

static int find_overhead(const struct json_object *o, struct overhead *result)
{
	struct pstk_training t = { .struct_size = sizeof t };
	double *cgn = NULL, share, gain;
	int status = json_file_check_keys(o, keys);

	if (!status)
		status = read_training(o, &t, &cgn);
	if (!status)
		status = json_file_number(
			o, "max_overhead", "a share of the time", PSTK_MEASURED_LEAST, 1, &share);
	if (!status)
		status = json_file_number(o, "gain", "how many times as fast it is,", nextafter(1, 2),
			PSTK_MEASURED_MOST, &gain);
	if (!status) {
		/* what was read is right */
		result->items = pstk_training_items(t.cores);
		pstk_training_overhead(&t, &result->dt);
		pstk_training_interval(result->dt, share, &result->interval);
		pstk_training_break_even(result->dt, gain, &result->break_even);
	}
	free(cgn);
	return status;
}

static int draw_json(const struct overheads *o, FILE *out)
{
	json_t *list = json_array();
	int failed = 0;

	for (unsigned i = 0; i < o->count; i++)
		failed |= json_array_append_new(list,
			json_pack("{s:i, s:f, s:f, s:f}", "N_s", o->list[i].items, "dt", o->list[i].dt,
				"min_interval", o->list[i].interval, "break_even", o->list[i].break_even));
	failed |= !list || json_dumpf(list, out, JSON_INDENT(1));
	json_decref(list);
	fputc('\n', out);
	return failed && !ferror(out) ? app_out_of_memory() : 0;
}

static int draw(const void *data, FILE *out, const char *path)
{
	const struct overheads *o = data;

	(void)path;
	if (o->json)
		return draw_json(o, out);
	fputs("  items  overhead (s)  least interval (s)  break-even (s)\n", out);
	for (unsigned i = 0; i < o->count; i++)
		fprintf(out, "%7d  %12.4g  %18.4g  %14.4g\n", o->list[i].items, o->list[i].dt,
			o->list[i].interval, o->list[i].break_even);
	return 0;
}

static int read_list(const char *path, json_t *root, struct overheads *o)
{
	struct json_object object = { json_file_name(path), 0, root };
	int status = 0;

	if (!json_is_array(root))
		return json_file_wrong_value(
			&object, "the file", root, "a list of trainings, [{ \"nC\": .. }, ..],");
	o->count = (unsigned)json_array_size(root);
	o->list = calloc(o->count + 1u, sizeof *o->list);
	if (!o->list)
		return app_out_of_memory();
	for (unsigned i = 0; i < o->count && !status; i++) {
		object.number = i + 1;
		object.json = json_array_get(root, i);
		status = find_overhead(&object, &o->list[i]);
	}
	return status;
}

int map_overheads_print(const char *path, bool json)
{
	struct overheads o = { .json = json };
	json_t *root;
	int status = json_file_read(path, &root);

	if (!status)
		status = read_list(path, root, &o);
	if (!status)
		status = picture_write(draw, &o, NULL);
	json_decref(root);
	free(o.list);
	return status;
}

#else

int map_overheads_print(const char *path, bool json)
{
	(void)json;
	return app_fail(EXIT_USAGE, "--overhead %s: this build has no jansson", path);
}

#endif
