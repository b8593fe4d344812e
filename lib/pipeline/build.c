/* SPDX-License-Identifier: MIT */
/* Build: pipelines as programs make them; and what tells of them. */
#include "lib/base/cores.h"
#include "lib/base/memory.h"
#include "lib/base/near_name.h"
#include "lib/mapping/refusal.h"
#include "lib/model/error.h"
#include "lib/model/fold.h"
#include "lib/firing/firing.h"
#include "lib/model/type.h"
#include "lib/opencl/row.h"
#include "lib/pipeline/carriage.h"
#include "lib/plan/places.h"
#include "lib/plan/threads.h"
#include "penstock/plan.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stddef.h>
#include <string.h>

#define REFUSE(net, name, err, format, ...) \
	ps_network_problem(net, err, "pipeline '%s': " format, name, __VA_ARGS__)

enum { CANDIDATES_MAX = 1024, CORES_MAX = 255, IN_FLIGHT_LEAST = 2, FEW_STAGES = 4 };

/*
 * The spec.
 */

static const struct ps_struct spec_struct = { .name = "pstk_pipeline_spec",
	.makers = "PSTK_PIPELINE() does",
	.least = sizeof(struct pstk_pipeline_spec),
	.known = sizeof(struct pstk_pipeline_spec) };

/* A number that may not be negative, nor NAN, nor infinite. */
static int check_number(
	struct pstk_network *net, const char *name, const char *key, double value, double most)
{
	if (value >= 0 && value <= most && !isinf(value))
		return 0;
	if (isinf(most))
		return REFUSE(net, name, -EINVAL, "%s is %g: expected 0 or more", key, value);
	return REFUSE(net, name, -EINVAL, "%s is %g: expected 0 to %g", key, value, most);
}

static int check_numbers(struct pstk_network *net, const char *name, const struct pstk_pipeline_spec *s)
{
	int err = 0;

	err = ps_first_error(err, check_number(net, name, "min_rate", s->min_rate, INFINITY));
	err = ps_first_error(err, check_number(net, name, "max_watts", s->max_watts, INFINITY));
	err = ps_first_error(err, check_number(net, name, "max_overhead", s->max_overhead, 1));
	err = ps_first_error(err, check_number(net, name, "change", s->change, INFINITY));
	err = ps_first_error(err, check_number(net, name, "tdp", s->tdp, INFINITY));
	if (s->cores > CORES_MAX)
		err = ps_first_error(err, REFUSE(net, name, -EINVAL, "cores is %u: expected 1 to %d, or 0",
						  s->cores, CORES_MAX));
	if (s->in_flight && (s->in_flight < IN_FLIGHT_LEAST || s->in_flight > PS_CONCURRENCY_MAX))
		err = ps_first_error(
			err, REFUSE(net, name, -EINVAL, "in_flight is %u: expected %d to %d, or 0",
				     s->in_flight, IN_FLIGHT_LEAST, PS_CONCURRENCY_MAX));
	if (s->objective > PSTK_OBJECTIVE_SCORE)
		err = ps_first_error(
			err, REFUSE(net, name, -EINVAL, "there is no objective %u", s->objective));
	if (s->objective == PSTK_OBJECTIVE_SCORE && !s->score)
		err = ps_first_error(
			err, REFUSE(net, name, -EINVAL, "PSTK_OBJECTIVE_SCORE needs a score()%s", ""));
	if (s->rule > PSTK_RULE_PAPER)
		err = ps_first_error(err, REFUSE(net, name, -EINVAL, "there is no rule %u", s->rule));
	if (s->candidates > CANDIDATES_MAX)
		err = ps_first_error(
			err, REFUSE(net, name, -EINVAL, "candidates is %u: expected 1 to %d, or 0",
				     s->candidates, CANDIDATES_MAX));
	if (s->granularities > PSTK_GRAIN_MEDIUM)
		err = ps_first_error(
			err, REFUSE(net, name, -EINVAL, "there are no granularities %u", s->granularities));
	return err;
}

static uint32_t or_default(uint32_t given, uint32_t standard)
{
	return given ? given : standard;
}

static void fill_defaults(struct pstk_pipeline_spec *s, unsigned stages)
{
	s->cores = or_default(s->cores, ps_cores() < CORES_MAX ? ps_cores() : CORES_MAX);
	s->in_flight = or_default(s->in_flight, 2 * (s->cores + 1));
	if (s->in_flight > PS_CONCURRENCY_MAX)
		s->in_flight = PS_CONCURRENCY_MAX;
	s->max_overhead = s->max_overhead > 0 ? s->max_overhead : 0.05;
	s->change = s->change > 0 ? s->change : 0.2;
	s->candidates = or_default(s->candidates, stages > FEW_STAGES ? 8 : 4);
	s->repetitions = or_default(s->repetitions, 3);
}

/*
 * The configuration.
 */

/* What of a configuration can't be here: the text gets why. */
static int check_aim(const struct pstk_pipeline *p, const struct ps_aim *aim, char *error, size_t size)
{
	uint32_t lacks = aim->fixed.mask & ~p->device_ok;

	if (aim->kind == PS_AIM_FIXED && aim->fixed.mask && !p->spec.device)
		return snprintf(error, size,
			       "it needs a device, and the pipeline has none: give it a `device`"),
		       -EINVAL;
	for (unsigned k = 0; aim->kind == PS_AIM_FIXED && k < p->stage_count; k++)
		if (lacks >> k & 1)
			return snprintf(error, size,
				       "it needs stage %u, '%s' (%s), on the device, but its type has "
				       "neither a "
				       "kernel nor a fire_cl()",
				       k + 1, p->stages[k]->name, p->stages[k]->type.name),
			       -EINVAL;
	return 0;
}

/* CPU-CG, MG, ..: whatever is behind it. */
static bool has_grain(const char *text)
{
	static const char *const kinds[] = { "", "CPU-", "CP-", "DP-" };

	for (unsigned i = 0; i < sizeof kinds / sizeof *kinds; i++) {
		size_t length = strlen(kinds[i]);

		if (!strncmp(text, kinds[i], length) &&
			(!strncmp(text + length, "CG:", 3) || !strncmp(text + length, "MG:", 3)))
			return true;
	}
	return false;
}

/* A text that has no word of a configuration: what it may have meant. */
static int refuse_word(const struct pstk_pipeline *p, const char *text, char *error, size_t size)
{
	struct pstk_configuration meant;
	struct ps_near_name near;
	char upper[PSTK_CONFIGURATION_TEXT];
	const char *word;
	size_t n = 0;

	for (; text[n] && n < sizeof upper - 1; n++)
		upper[n] = (char)toupper((unsigned char)text[n]);
	upper[n] = 0;
	ps_near_name_begin(&near, text);
	ps_near_name_offer(&near, "adaptive");
	ps_near_name_offer(&near, "baseline");
	word = ps_near_name_meant(&near);
	if (!pstk_configuration_parse(upper, p->stage_count, p->spec.cores, &meant, NULL, 0))
		word = upper;
	return ps_refuse(error, size,
		"expected adaptive, baseline or KIND-GRAIN:MASK:N, as CPU-CG:%0*d:2%s%s%s",
		(int)p->stage_count, 0, word ? "; did you mean '" : "", word ? word : "", word ? "'?" : "");
}

static int parse_aim(
	const struct pstk_pipeline *p, const char *text, struct ps_aim *aim, char *error, size_t size)
{
	char why[PS_TEXT_SIZE];
	size_t quoted;
	int err;

	*aim = (struct ps_aim){ .kind = PS_AIM_ADAPTIVE };
	if (!text || !strcmp(text, "adaptive"))
		return 0;
	if (!strcmp(text, "baseline")) {
		aim->kind = PS_AIM_BASELINE;
		return 0;
	}
	aim->kind = PS_AIM_FIXED;
	if (!has_grain(text))
		return refuse_word(p, text, error, size);
	err = pstk_configuration_parse(text, p->stage_count, p->spec.cores, &aim->fixed, why, sizeof why);
	if (!err)
		return check_aim(p, aim, error, size);
	/* it says the text in front, which the caller does, too */
	quoted = strlen(text) + strlen("'': ");
	snprintf(error, size, "%s", strlen(why) > quoted ? why + quoted : why);
	return err;
}

/* With the lock: what is told is what runs. */
static void note_configuration(struct pstk_pipeline *p, const struct ps_aim *aim)
{
	p->told.configuration = aim->kind == PS_AIM_ADAPTIVE ? NULL : p->configured;
	if (aim->kind == PS_AIM_FIXED)
		pstk_configuration_print(&aim->fixed, p->stage_count, p->configured, sizeof p->configured);
	else if (aim->kind == PS_AIM_BASELINE)
		snprintf(p->configured, sizeof p->configured, "baseline");
}

static int ask(struct ps_carriage *c, const struct ps_aim *aim, char *error, size_t size)
{
	bool asked;

	if (aim->kind != PS_AIM_FIXED && !c->conductor.room)
		return snprintf(error, size, "there are more than %d configurations to choose from",
			       PS_CONFIGURATIONS_MOST),
		       -EINVAL;
	pthread_mutex_lock(&c->lock);
	c->aim = *aim;
	note_configuration(c->pipeline, aim);
	asked = ps_conductor_aim(&c->conductor, aim) && ps_setting_hasten(c);
	pthread_mutex_unlock(&c->lock);
	if (asked)
		ps_task_nudge(c->task);
	return 0;
}

/* NULL: the pipeline can be told something. */
static const char *fault_of(const struct pstk_pipeline *p)
{
	if (!p)
		return "there is no pipeline (NULL)";
	/* without a carriage its building was refused, and the network has said why */
	return p->run ? NULL : "the pipeline was refused";
}

/* "": nothing is wrong. */
static void say(char *error, size_t size, const char *text)
{
	if (error && size)
		snprintf(error, size, "%s", text);
}

int pstk_pipeline_set_configuration(
	struct pstk_pipeline *p, const char *configuration, char *error, size_t size)
{
	const char *fault = fault_of(p);
	char text[PS_TEXT_SIZE] = "", said[PS_TEXT_SIZE] = "";
	struct ps_aim aim;
	int err;

	if (fault) {
		say(error, size, fault);
		return -EINVAL;
	}
	err = parse_aim(p, configuration, &aim, text, sizeof text);
	if (!err)
		err = ask(p->run, &aim, text, sizeof text);
	if (err)
		ps_refuse(said, sizeof said, "configuration '%s': %s",
			configuration ? configuration : "adaptive", text);
	say(error, size, said);
	return err;
}

static bool needs_meter(enum pstk_objective objective, double max_watts)
{
	return objective == PSTK_OBJECTIVE_ENERGY || objective == PSTK_OBJECTIVE_RATIO || max_watts > 0;
}

static bool is_limit(double limit)
{
	return limit >= 0 && !isinf(limit);
}

static int check_goal(const struct pstk_pipeline *p, const struct pstk_goal *goal, char *error, size_t size)
{
	if (!goal)
		return ps_refuse(error, size, "the goal is NULL: PSTK_GOAL() is one");
	if (goal->struct_size != sizeof *goal)
		return ps_refuse(error, size,
			"the goal's struct_size is %u, expected %zu: PSTK_GOAL() sets it", goal->struct_size,
			sizeof *goal);
	if (goal->objective > PSTK_OBJECTIVE_SCORE)
		return ps_refuse(error, size, "there is no objective %u", goal->objective);
	if (!is_limit(goal->min_rate))
		return ps_refuse(error, size, "min_rate is %g: expected 0 or more", goal->min_rate);
	if (!is_limit(goal->max_watts))
		return ps_refuse(error, size, "max_watts is %g: expected 0 or more", goal->max_watts);
	if (goal->objective == PSTK_OBJECTIVE_SCORE && !goal->score)
		return ps_refuse(error, size, "PSTK_OBJECTIVE_SCORE needs a score()");
	if (!needs_meter(goal->objective, goal->max_watts) || p->run->meter)
		return 0;
	ps_refuse(error, size, "it needs a meter of energy, and the pipeline has none: give it a `meter`");
	return -ENODATA;
}

int pstk_pipeline_set_goal(struct pstk_pipeline *p, const struct pstk_goal *goal, char *error, size_t size)
{
	const char *fault = fault_of(p);
	char text[PS_TEXT_SIZE] = "";
	bool asked;
	int err = fault ? -EINVAL : check_goal(p, goal, text, sizeof text);

	say(error, size, fault ? fault : text);
	if (err)
		return err;
	pthread_mutex_lock(&p->run->lock);
	p->told.objective = goal->objective;
	p->told.min_rate = goal->min_rate;
	p->told.max_watts = goal->max_watts;
	p->told.score = goal->score;
	p->told.data = goal->data;
	asked = ps_conductor_set_goal(&p->run->conductor, goal) && ps_setting_hasten(p->run);
	pthread_mutex_unlock(&p->run->lock);
	if (asked)
		ps_task_nudge(p->run->task);
	return 0;
}

int pstk_pipeline_retrain(struct pstk_pipeline *p, char *error, size_t size)
{
	const char *fault = fault_of(p);
	bool adapts, asked = false;

	if (fault) {
		say(error, size, fault);
		return -EINVAL;
	}
	pthread_mutex_lock(&p->run->lock);
	adapts = (p->run->task ? p->run->conductor.aim.kind : p->run->aim.kind) == PS_AIM_ADAPTIVE;
	if (adapts)
		asked = ps_conductor_retrain(&p->run->conductor, ps_setting_clock()) &&
		        ps_setting_hasten(p->run);
	pthread_mutex_unlock(&p->run->lock);
	if (asked)
		ps_task_nudge(p->run->task);
	say(error, size,
		adapts ? ""
		       : "its configuration is given, so it measures nothing: "
			 "pstk_pipeline_set_configuration() with NULL makes it adaptive");
	return adapts ? 0 : -EINVAL;
}

/*
 * Adding one.
 */

static const char *place_of(const struct pstk_actor *a)
{
	const char *place = pstk_actor_given_place(a);

	return place ? place : "";
}

static int check_places(
	struct pstk_network *net, const char *name, struct pstk_actor *const *stages, unsigned count)
{
	for (unsigned k = 1; k < count; k++)
		if (strcmp(place_of(stages[0]), place_of(stages[k])) != 0)
			return REFUSE(net, name, -EINVAL,
				"'%s' is at place '%s', but '%s' at '%s': a pipeline has one",
				stages[0]->name, place_of(stages[0]), stages[k]->name, place_of(stages[k]));
	return 0;
}

/* A device that is not there is the pipeline's fault, not that of its first stage. */
static int find_device(const struct pstk_pipeline *p)
{
	struct pstk_device_info info;
	char why[PS_TEXT_SIZE];
	int err = pstk_device_find(p->spec.device, &info, why, sizeof why);

	if (err != -ENODEV && err != -ENOTUNIQ)
		return 0; /* ps_row_map() says what else is wrong */
	return REFUSE(p->network, p->actor->name, err, "%s", why);
}

/* Which stages can be on the device. */
static int map_stages(struct pstk_pipeline *p)
{
	int err = 0;

	if (p->spec.device)
		err = find_device(p);
	for (unsigned k = 0; p->spec.device && k < p->stage_count && !err; k++)
		if (p->stages[k]->type.kernel || p->stages[k]->type.fire_cl) {
			err = ps_row_map(p->stages[k], p->spec.device);
			p->device_ok |= err ? 0 : 1u << k;
		}
	if (p->spec.device && !p->device_ok && !err)
		err = REFUSE(p->network, p->actor->name, -EINVAL,
			"no stage has a kernel or a fire_cl() for device '%s': leave it out", p->spec.device);
	return err;
}

/* What it costs to have one is paid only where a goal or the program wants it. */
static int open_meter(const struct pstk_pipeline *p, struct ps_energy **meter)
{
	const struct pstk_pipeline_spec *s = &p->spec;
	bool needed = needs_meter(s->objective, s->max_watts);
	char why[PS_ENERGY_WHY];
	int err;

	*meter = NULL;
	if (!needed && !s->meter && !s->own_meter)
		return 0;
	err = ps_energy_open(s->meter, s->own_meter, meter, why, sizeof why);
	if (err == -ENODEV && !needed && s->meter && !strcmp(s->meter, "none"))
		return 0;
	if (!err)
		return 0;
	if (needed && err != -EINVAL)
		return REFUSE(p->network, p->actor->name, err == -ENODEV ? -ENODATA : err,
			"its goal needs a meter of energy: %s", why);
	return REFUSE(p->network, p->actor->name, err, "its meter: %s", why);
}

/* Its stages are folded. */
static int complete(struct pstk_pipeline *p, const unsigned *former, const char *place)
{
	const char *name = p->actor->name, *text = p->network->environment.pipeline[0]
	                                                   ? p->network->environment.pipeline
	                                                   : p->spec.configuration;
	char error[PS_TEXT_SIZE] = "";
	struct ps_aim aim;
	struct ps_energy *meter = NULL;
	int err = ps_places_renumber(p->network, former);

	if (!err && *place)
		err = pstk_actor_place(p->actor, place);
	if (err)
		return REFUSE(p->network, name, err, "out of memory%s", "");
	err = map_stages(p);
	if (err)
		return err;
	err = parse_aim(p, text, &aim, error, sizeof error);
	if (err)
		return REFUSE(p->network, name, err, "%sconfiguration '%s': %s",
			p->network->environment.pipeline[0] ? "PENSTOCK_PIPELINE's " : "", text, error);
	/* behind this nothing but memory is missing: a pipeline that was refused has no carriage */
	if (aim.kind != PS_AIM_FIXED && !ps_conductor_may_adapt(&p->spec, p->stage_count, p->device_ok))
		return REFUSE(p->network, name, -EINVAL,
			"%u stages and %u cores have more than %d configurations to choose from: give it a "
			"`configuration`, or fewer cores",
			p->stage_count, p->spec.cores, PS_CONFIGURATIONS_MOST);
	err = open_meter(p, &meter);
	if (err)
		return err;
	p->run = ps_carriage_create(p, &aim, meter);
	if (!p->run) {
		ps_energy_close(meter);
		return REFUSE(p->network, name, -ENOMEM, "out of memory%s", "");
	}
	p->actor->concurrency = p->spec.in_flight;
	for (unsigned k = 0; k < p->stage_count; k++)
		p->actor->type.blocks |= p->stages[k]->type.blocks;
	return 0;
}

/* Strings are copies now. */
static void note_spec(struct pstk_pipeline *p, const struct pstk_pipeline_spec *given)
{
	p->told = *given;
	p->told.device = p->spec.device;
	p->told.configuration = p->spec.configuration;
	p->told.meter = p->spec.meter;
}

/* given: without defaults. */
static struct pstk_pipeline *add(struct pstk_network *net, const char *name, struct pstk_actor *const *stages,
	unsigned count, const struct pstk_pipeline_spec *spec, const struct pstk_pipeline_spec *given)
{
	static const struct pstk_actor_type type = { .struct_size = sizeof type,
		.name = "pipeline",
		.fire = ps_item_fire,
		.init = ps_carriage_init,
		.finish = ps_carriage_finish,
		.stateless = true };
	unsigned *former = ps_memory_zalloc(net->actor_count + 1, sizeof *former);
	char *place = ps_memory_strdup(place_of(stages[0]));
	struct pstk_pipeline *p = NULL;

	if (former && place)
		p = ps_fold(net, name, stages, count, &type, spec, former);
	else
		REFUSE(net, name, -ENOMEM, "out of memory%s", "");
	if (p)
		note_spec(p, given);
	if (p && complete(p, former, place))
		p = NULL; /* the network has it, and a problem */
	ps_memory_free(place);
	ps_memory_free(former);
	return p;
}

struct pstk_pipeline *pstk_pipeline_add(struct pstk_network *net, const char *name,
	struct pstk_actor *const *stages, unsigned count, const struct pstk_pipeline_spec *given)
{
	struct pstk_pipeline_spec spec;
	const char *fault = ps_name_fault(name);
	char text[PS_TEXT_SIZE];

	if (ps_network_building(net, __func__))
		return NULL;
	if (fault || !given) {
		ps_network_problem(net, -EINVAL, "pstk_pipeline_add: its %s%s",
			fault ? "name "
			      : "spec is NULL: "
				"PSTK_PIPELINE() is one that says nothing",
			fault ? fault : "");
		return NULL;
	}
	if (!ps_struct_fits(&spec_struct, given, text)) {
		REFUSE(net, name, -EINVAL, "%s", text);
		return NULL;
	}
	spec = *given;
	if (spec.device && !strcmp(spec.device, "cores"))
		spec.device = NULL;
	if (ps_first_error(ps_fold_check_stages(net, name, stages, count), check_numbers(net, name, &spec)) ||
		check_places(net, name, stages, count))
		return NULL;
	fill_defaults(&spec, count);
	return add(net, name, stages, count, &spec, given);
}

/*
 * What tells of them.
 */

struct pstk_actor *pstk_pipeline_actor(const struct pstk_pipeline *p)
{
	return p ? p->actor : NULL;
}

struct pstk_pipeline *pstk_actor_pipeline(const struct pstk_actor *a)
{
	return a ? a->pipeline : NULL;
}

struct pstk_actor *pstk_pipeline_stage(const struct pstk_pipeline *p, unsigned index)
{
	return p && index < p->stage_count ? p->stages[index] : NULL;
}

struct pstk_fifo *pstk_pipeline_fifo(const struct pstk_pipeline *p, unsigned index)
{
	return p && index < p->inner_count ? p->inner[index] : NULL;
}

int pstk_pipeline_port(
	const struct pstk_pipeline *p, unsigned port, struct pstk_actor **stage, unsigned *stage_port)
{
	if (!p || port >= p->actor->type.port_count)
		return -EINVAL;
	if (stage)
		*stage = p->border[port].actor;
	if (stage_port)
		*stage_port = p->border[port].port;
	return 0;
}

int pstk_pipeline_get_spec(const struct pstk_pipeline *p, struct pstk_pipeline_spec *spec)
{
	if (!p || !spec)
		return -EINVAL;
	if (!p->run) { /* it was refused, and nothing changes it */
		*spec = p->told;
		return 0;
	}
	pthread_mutex_lock(&p->run->lock);
	*spec = p->told;
	pthread_mutex_unlock(&p->run->lock);
	return 0;
}

struct pstk_pipeline *pstk_network_pipeline(const struct pstk_network *net, unsigned n)
{
	struct pstk_pipeline *p = net ? net->pipelines : NULL;

	while (p && n--)
		p = p->next;
	return p;
}
