/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "apps/penstock/map_predictions.h"
#include "apps/common/app.h"

#ifdef HAVE_JANSSON

#include "apps/penstock/map_measurements.h"
#include "apps/penstock/picture.h"

#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* What is written. */
struct answer {
	const struct map_question *question;
	const struct map_objective *objective;
	const struct pstk_measurements *m;
	struct pstk_prediction *list;
	unsigned count;
	struct pstk_candidate best;
};

static const char *notation(const struct answer *a, const struct pstk_prediction *p, char *text)
{
	pstk_configuration_print(&p->configuration, a->m->stages, text, PSTK_CONFIGURATION_TEXT);
	return text;
}

static json_t *prediction_json(const struct answer *a, const struct pstk_prediction *p)
{
	char text[PSTK_CONFIGURATION_TEXT];
	json_t *json = json_pack("{s:s, s:f}", "configuration", notation(a, p, text), "rate", p->rate);
	int failed = 0;

	if (!isnan(p->energy))
		failed |= json_object_set_new(json, "energy", json_real(p->energy));
	failed |= json_object_set_new(json, "device_share", json_real(p->device_share));
	if (!failed)
		return json;
	json_decref(json);
	return NULL;
}

static int draw_json(const struct answer *a, FILE *out)
{
	json_t *list = json_array(), *best = prediction_json(a, &a->best.prediction), *json;
	int failed = json_object_set_new(best, "met", json_boolean(a->best.met));

	for (unsigned i = 0; i < a->count; i++)
		failed |= json_array_append_new(list, prediction_json(a, &a->list[i]));
	json = json_pack(
		"{s:s, s:o, s:o}", "rule", a->question->rule->name, "configurations", list, "best", best);
	failed |= !json || json_dumpf(json, out, JSON_INDENT(1));
	json_decref(json);
	fputc('\n', out);
	return failed && !ferror(out) ? app_out_of_memory() : 0;
}

/* Of the first column: room for a thread number of two digits, and for its heading. */
static int width_of(const struct answer *a)
{
	const int width = (int)a->m->stages + 10, heading = (int)strlen("configuration");

	return width > heading ? width : heading;
}

static void draw_row(const struct answer *a, const struct pstk_prediction *p, FILE *out)
{
	char text[PSTK_CONFIGURATION_TEXT];

	fprintf(out, "%-*s  %14.5g", width_of(a), notation(a, p, text), p->rate);
	if (a->m->e_cg)
		fprintf(out, "  %10.4g  %9.4g", p->energy, p->rate * p->energy);
	fprintf(out, "  %5.1f %%\n", 100 * p->device_share);
}

static void draw_best(const struct answer *a, FILE *out)
{
	const struct map_question *q = a->question;
	const struct pstk_prediction *p = &a->best.prediction;
	char text[PSTK_CONFIGURATION_TEXT];

	fprintf(out, "\nbest by the rule '%s' for %s%s%s: %s, %.5g items/s", q->rule->name,
		a->objective->words, q->min_rate > 0 || q->max_watts > 0 ? " within the limits" : "",
		a->best.met ? "" : ", which none meets; the nearest", notation(a, p, text), p->rate);
	if (a->m->e_cg)
		fprintf(out, ", %.4g J an item, %.4g W", p->energy, p->rate * p->energy);
	fputc('\n', out);
}

static int draw(const void *data, FILE *out, const char *path)
{
	const struct answer *a = data;

	(void)path;
	if (a->question->json)
		return draw_json(a, out);
	fprintf(out, "%-*s  rate (items/s)", width_of(a), "configuration");
	fputs(a->m->e_cg ? "  energy (J)  power (W)   device\n" : "   device\n", out);
	for (unsigned i = 0; i < a->count; i++)
		draw_row(a, &a->list[i], out);
	draw_best(a, out);
	return 0;
}

static int refuse_no_meter(const struct answer *a)
{
	const struct map_question *q = a->question;

	if (q->max_watts > 0)
		return app_fail(EXIT_USAGE,
			"%s: --max-watts needs the energies E_CG1, E_CG, E_G and E_MG, and the file has none",
			q->path);
	return app_fail(EXIT_USAGE,
		"%s: --objective %s needs the energies E_CG1, E_CG, E_G and E_MG, and the file has none",
		q->path, a->objective->name);
}

static int answer(struct answer *a)
{
	const struct map_question *q = a->question;
	const struct pstk_goal goal = { .struct_size = sizeof goal,
		.objective = a->objective->objective,
		.min_rate = q->min_rate,
		.max_watts = q->max_watts };

	/* the measurements were looked at when they were read */
	a->count = (unsigned)pstk_mapper_count(a->m);
	a->list = calloc(a->count, sizeof *a->list);
	if (!a->list)
		return app_out_of_memory();
	pstk_mapper_predict_all(a->m, q->rule->rule, a->list, a->count);
	if (pstk_mapper_choose(a->list, a->count, &goal, &a->best, 1) == -ENODATA)
		return refuse_no_meter(a);
	return picture_write(draw, a, NULL);
}

int map_predictions_print(const struct map_question *q)
{
	struct map_measurements f;
	int status = map_measurements_read(&f, q->path);

	if (!status) {
		struct answer a = { .question = q, .m = &f.m, .objective = q->objective };

		if (q->instead && f.m.e_cg)
			a.objective = q->instead;
		status = answer(&a);
		free(a.list);
	}
	map_measurements_free(&f);
	return status;
}

#else

int map_predictions_print(const struct map_question *q)
{
	return app_fail(EXIT_USAGE, "--model %s: this build has no jansson", q->path);
}

#endif
