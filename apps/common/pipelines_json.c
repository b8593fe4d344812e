/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "apps/common/pipelines_json.h"
#include "apps/common/measurements_json.h"

#include <math.h>

/* JSON has neither NAN nor an infinity. */
static json_t *number(double value)
{
	return isfinite(value) ? json_real(value) : json_null();
}

/* Of what was not measured there is 0. */
static json_t *known(double value)
{
	return value > 0 ? number(value) : json_null();
}

static json_t *configuration_json(const struct pstk_pipeline_report *r, const struct pstk_configuration *c)
{
	char text[PSTK_CONFIGURATION_TEXT];

	return pstk_configuration_print(c, r->stage_count, text, sizeof(text)) < 0 ? json_null()
	                                                                           : json_string(text);
}

/* By how much; null: no limit is missed. */
static json_t *miss_json(const struct pstk_pipeline_miss *miss)
{
	if (!(miss->rate > 0) && !(miss->watts > 0))
		return json_null();
	return json_pack("{s:f, s:f}", "rate", miss->rate, "watts", miss->watts);
}

static json_t *prediction_json(const struct pstk_prediction *p)
{
	return json_pack("{s:o, s:o, s:o}", "rate", number(p->rate), "energy", number(p->energy),
		"device_share", number(p->device_share));
}

static json_t *predicted_json(const struct pstk_pipeline_report *r)
{
	bool is = !isnan(r->predicted.rate);

	return json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:b}", "rate", number(r->predicted.rate), "energy",
		number(r->predicted.energy), "device_share", number(r->predicted.device_share), "watts",
		number(r->predicted_watts), "met", is ? json_boolean(r->met) : json_null(), "missed",
		miss_json(&r->predicted_miss), "nearest", r->nearest);
}

static json_t *measured_rate_json(const struct pstk_pipeline_report *r)
{
	return json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "rate", number(r->rate), "energy",
		number(r->energy), "reference", number(r->reference), "mean_rate", number(r->mean_rate),
		"mean_energy", number(r->mean_energy), "watts", number(r->watts), "missed",
		miss_json(&r->measured_miss));
}

static const char *training_text(enum pstk_training_why why)
{
	static const char *const texts[] = { [PSTK_TRAINED_FIRST] = "first",
		[PSTK_TRAINED_CHANGED] = "changed",
		[PSTK_TRAINED_ASKED] = "asked" };

	return texts[why];
}

/* A configuration that there was. */
static json_t *had_json(const struct pstk_pipeline_report *r, const struct pstk_configuration *c)
{
	return c->threads ? configuration_json(r, c) : json_null();
}

static json_t *training_json(const struct pstk_pipeline_report *r, const struct pstk_pipeline_training *t)
{
	return json_pack("{s:f, s:s, s:o, s:o, s:o, s:o, s:o, s:I, s:f, s:f, s:o, s:b, s:b}", "at", t->at,
		"why", training_text(t->why), "before", had_json(r, &t->before), "after",
		had_json(r, &t->after), "rate_reference", number(t->rate_reference), "rate_before",
		number(t->rate_before), "rate_after", number(t->rate_after), "items", (json_int_t)t->items,
		"seconds", t->seconds, "dt", t->dt, "interval", number(t->interval), "estimated",
		t->estimated, "whole", t->whole);
}

/* The latest ones, the oldest first. */
static json_t *trainings_json(const struct pstk_pipeline_report *r)
{
	json_t *list = json_array();
	int failed = 0;

	for (unsigned i = 0; i < r->latest_count; i++)
		failed |= json_array_append_new(list, training_json(r, &r->latest[i]));
	if (!failed)
		return list;
	json_decref(list);
	return NULL;
}

/* All of them. */
static json_t *trained_json(const struct pstk_pipeline_report *r)
{
	return json_pack("{s:I, s:I, s:f, s:f, s:b, s:b}", "count", (json_int_t)r->trainings, "items",
		(json_int_t)r->training_items, "seconds", r->training_seconds, "overhead", r->overhead,
		"pending", r->pending, "tries", r->tries);
}

static json_t *candidate_json(const struct pstk_pipeline_report *r, const struct pstk_pipeline_candidate *c)
{
	bool tried = c->measured.rate > 0;

	return json_pack("{s:o, s:o, s:o}", "configuration",
		configuration_json(r, &c->predicted.configuration), "predicted",
		prediction_json(&c->predicted), "measured",
		tried ? json_pack("{s:o, s:o}", "rate", number(c->measured.rate), "energy",
				number(c->measured.energy))
		      : json_null());
}

static json_t *candidates_json(const struct pstk_pipeline_report *r)
{
	json_t *list = json_array();
	int failed = 0;

	for (unsigned i = 0; i < r->candidate_count; i++)
		failed |= json_array_append_new(list, candidate_json(r, &r->candidates[i]));
	if (!failed)
		return list;
	json_decref(list);
	return NULL;
}

/* Seconds of its latest firings on one core, over all cores, on the device. */
static json_t *stage_json(const struct pstk_actor *stage, const struct pstk_pipeline_stage_times *t)
{
	struct pstk_actor_stats stats = { 0 };

	pstk_actor_get_stats(stage, &stats);
	return json_pack("{s:s, s:o, s:o, s:o, s:I}", "name", pstk_actor_name(stage), "core", known(t->core),
		"loop", known(t->loop), "device", known(t->device), "firings", (json_int_t)stats.firings);
}

static json_t *stages_json(const struct pstk_pipeline *p, const struct pstk_pipeline_report *r)
{
	json_t *list = json_array();
	int failed = 0;

	for (unsigned k = 0; k < r->stage_count; k++)
		failed |= json_array_append_new(list, stage_json(pstk_pipeline_stage(p, k), &r->stages[k]));
	if (!failed)
		return list;
	json_decref(list);
	return NULL;
}

/* How its joules were come by. */
static json_t *meter_json(const struct pstk_pipeline_report *r)
{
	static const struct {
		unsigned flag;
		const char *name;
	} flags[] = { { PSTK_ENERGY_MEASURED, "measured" }, { PSTK_ENERGY_DERIVED, "derived" },
		{ PSTK_ENERGY_SPLIT, "split" }, { PSTK_ENERGY_SIMULATED, "simulated" },
		{ PSTK_ENERGY_PARTIAL, "partial" } };
	json_t *list = json_array();
	int failed = 0;

	for (unsigned i = 0; i < sizeof(flags) / sizeof(*flags); i++)
		if (r->meter_flags & flags[i].flag)
			failed |= json_array_append_new(list, json_string(flags[i].name));
	if (!failed)
		return json_pack("{s:s, s:o}", "name", r->meter, "joules", list);
	json_decref(list);
	return NULL;
}

/* As `penstock map --model` reads it. */
static json_t *measured_json(const struct pstk_pipeline_report *r)
{
	if (!r->has_measurements || pstk_measurements_check(&r->measurements, NULL, 0))
		return json_null();
	return measurements_json(&r->measurements, NULL);
}

static const char *why_text(enum pstk_pipeline_why why)
{
	static const char *const texts[] = {
		[PSTK_WHY_BEGINS] = "begins",
		[PSTK_WHY_FIXED] = "fixed",
		[PSTK_WHY_BASELINE] = "baseline",
		[PSTK_WHY_ONLY] = "only",
		[PSTK_WHY_TRAINING] = "training",
		[PSTK_WHY_PREDICTED] = "predicted",
		[PSTK_WHY_TRIED] = "tried",
	};

	return texts[why];
}

/* The latest ones, the oldest first. */
static json_t *changes_json(const struct pstk_pipeline_report *r)
{
	json_t *list = json_array();
	int failed = 0;

	for (unsigned i = 0; i < r->change_count; i++) {
		const struct pstk_pipeline_change *c = &r->latest_changes[i];

		failed |= json_array_append_new(
			list, json_pack("{s:f, s:o, s:s, s:b}", "at", c->at, "configuration",
				      configuration_json(r, &c->configuration), "why", why_text(c->why),
				      "tries", c->tries));
	}
	if (!failed)
		return list;
	json_decref(list);
	return NULL;
}

static json_t *pipeline_json(const struct pstk_pipeline *p)
{
	struct pstk_pipeline_report *r = pstk_pipeline_get_report(p);
	json_t *json;

	if (!r)
		return NULL;
	json = json_pack("{s:s, s:b, s:o, s:s, s:{s:o, s:o}, s:o, s:o, s:o, s:o, s:{s:I, s:I}, s:{s:I, s:I},"
			 " s:{s:I, s:I, s:I}, s:o, s:o, s:o, s:o, s:o}",
		"name", pstk_actor_name(pstk_pipeline_actor(p)), "has_run", r->has_run, "configuration",
		r->configuration.threads ? configuration_json(r, &r->configuration) : json_null(), "why",
		why_text(r->why), "limits", "min_rate", known(r->min_rate), "max_watts", known(r->max_watts),
		"predicted", predicted_json(r), "measured", measured_rate_json(r), "trainings",
		trainings_json(r), "trained", trained_json(r), "items", "device", (json_int_t)r->on_device,
		"cores", (json_int_t)r->on_cores, "bytes", "to_device", (json_int_t)r->bytes_to_device,
		"to_host", (json_int_t)r->bytes_to_host, "windows", "count", (json_int_t)r->windows,
		"starved", (json_int_t)r->starved, "blocked", (json_int_t)r->blocked, "candidates",
		candidates_json(r), "measurements", measured_json(r), "stages", stages_json(p, r), "meter",
		meter_json(r), "changes", changes_json(r));
	pstk_pipeline_free_report(r);
	return json;
}

static json_t *list_json(const struct pstk_network *network, json_t *(*make)(const struct pstk_pipeline *))
{
	const struct pstk_pipeline *p;
	json_t *list = json_array();
	int failed = 0;

	for (unsigned n = 0; (p = pstk_network_pipeline(network, n)); n++)
		failed |= json_array_append_new(list, make(p));
	if (!failed)
		return list;
	json_decref(list);
	return NULL;
}

json_t *pipelines_json(const struct pstk_network *network)
{
	return list_json(network, pipeline_json);
}

static json_t *built_json(const struct pstk_pipeline *p)
{
	struct pstk_pipeline_spec spec = { 0 };
	json_t *stages = json_array();
	const struct pstk_actor *stage;
	int failed = 0;

	pstk_pipeline_get_spec(p, &spec);
	for (unsigned k = 0; (stage = pstk_pipeline_stage(p, k)); k++)
		failed |=
			json_array_append_new(stages, json_pack("{s:s, s:s}", "name", pstk_actor_name(stage),
							      "type", pstk_actor_get_type(stage)->name));
	if (!failed)
		return json_pack("{s:s, s:s?, s:s?, s:o}", "name", pstk_actor_name(pstk_pipeline_actor(p)),
			"device", spec.device, "configuration", spec.configuration, "stages", stages);
	json_decref(stages);
	return NULL;
}

json_t *pipelines_json_built(const struct pstk_network *network)
{
	return list_json(network, built_json);
}
