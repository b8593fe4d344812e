/* SPDX-License-Identifier: MIT */
/*
 * Mapping: how well adaptive pipelines find their place ("Mapping Streaming Applications on Commodity Multi-CPU and GPU
 * On-Chip Processors", Vilches, Navarro, Asenjo, Corbera, Gran, Garzaran, TPDS 2016). benchmarks/README.md says more.
 */
#include "apps/common/probe.h"
#include "benchmarks/apps/mapping_adapt.h"
#include "benchmarks/apps/mapping_change.h"
#include "benchmarks/apps/mapping_real.h"
#include "benchmarks/apps/mapping_report.h"
#include "benchmarks/common/number.h"
#include "benchmarks/common/rounds.h"

#include <getopt.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PIPELINES = 1000, UNBOUND = 256, AGAIN = 2 };

static const char meter[] = "sim:cores=2,core=5,device_idle=1,device=8,rest=3";

static const char help[] =
	"Usage: mapping OPTION...\n"
	"What to measure; one of these:\n"
	"  --stages FILE    simulated stages: each configuration, fixed, against the event simulation\n"
	"  --stages FILE --choose\n"
	"                   what is chosen of them, against the best of all configurations\n"
	"  --random N       N random pipelines: what is chosen, against the best of all configurations\n"
	"  --model-time     what predicting and choosing takes\n"
	"  --change         stages whose times change, against switching at once and against one "
	"configuration\n"
	"  --adapt FILE     section V-B: a stream that changes from FILE's first pipeline to its second one "
	"and\n"
	"                   back; what training costs, gives, and when it has paid for itself\n"
	"  --retrain        a training asked for without a pause, against the same configuration, fixed\n"
	"  --switch         the time from a switch to the first item under it\n"
	"  --real           real stages on the cores, against a team and oneTBB\n"
	"  --real-medium    a frame on two cores, against OpenMP\n"
	"  --half           real stages, one core beside half a PoCL device: what is chosen\n"
	"How:\n"
	"  --seed S         of --random and --half (1)\n"
	"  --rounds N       runs, of which medians are taken (--stages 3, --random 1, --real, .. 7)\n"
	"  --seconds S      of a run (1)\n"
	"  --first N        of FILE, so many pipelines at most\n"
	"  --device-factor X\n"
	"                   of FILE, kernels take X times as long (1)\n"
	"  --most N         of --choose and --random: not all configurations are measured, but the N that "
	"the\n"
	"                   event simulation has first, those without the device, and the device alone; 0: "
	"none,\n"
	"                   the first one of the simulation counts as the best\n"
	"  --in-flight R    items in flight; 0: the library's 2 (nC + 1) (--stages: 256, which is no bound)\n"
	"  --passes N       of --choose and --random: rounds in which configurations are measured one by one "
	"(as\n"
	"                   --rounds, in which the best one and what is chosen run in turn)\n"
	"  --objective O    of --choose and --random: throughput, energy or ratio (throughput)\n"
	"  --meter M        of energies (sim:cores=2,core=5,device_idle=1,device=8,rest=3)\n"
	"  --stretch X      a simulated core is so much slower for each other one that is busy, as a share "
	"(0)\n"
	"  --permits        a stage has a core to its end, others wait (else they share the cores)\n"
	"  --before-others  threads of simulated stages come before other processes; it needs CAP_SYS_NICE\n"
	"  --json FILE      what --stages, --random, --adapt and --half found\n"
	"  -h, --help       this\n";

enum what { NOTHING, STAGES, RANDOM, MODEL, ADAPT, CHANGE, RETRAIN, SWITCH, REAL, REAL_MEDIUM, HALF };

static struct {
	enum what what;
	const char *file, *json;
	unsigned count, first;
	uint64_t seed;
	struct mapping_how how;
	bool in_flight, rounds, choose;
	double factor; /* of the device's times; 0: as they are */
} bench = { .first = PIPELINES, .seed = 1, .how = { .settle = 0.2, .seconds = 1, .rounds = 1 } };

/* -- simulated stages -- */

static void simulate_all(struct mapping_result *r)
{
	static struct pstk_configuration list[MAPPING_CONFIGURATIONS];
	unsigned count = mapping_list(&r->is, list);

	for (unsigned i = 0; i < count; i++) {
		r->simulated[i] = mapping_measure_simulated(&r->is, &list[i], &bench.how, 1);
		r->late[i] = mapping_measure_simulated(&r->is, &list[i], &bench.how, r->figures[i].late);
	}
}

static struct mapping_result *results_of(unsigned count)
{
	struct mapping_result *results = calloc(count, sizeof *results);

	if (!results)
		rounds_fail("out of memory");
	return results;
}

/* In turn with the best: so that one has no luck from being the best of many runs. Of all rounds that with the median
 * ratio stays. */
static void measure_choice(struct mapping_result *r, unsigned k, const struct pstk_configuration *with)
{
	static struct mapping_choice choices[MAPPING_ROUNDS];
	double ratios[MAPPING_ROUNDS], sorted[MAPPING_ROUNDS];

	for (unsigned n = 0; n < bench.how.rounds; n++) {
		struct mapping_choice *c = &choices[n];
		struct mapping_figure best;
		double own, other;

		mapping_measure_choice(&r->is, (enum mapping_chooser)k, &bench.how, c,
			k == MAPPING_CAPACITY ? &r->predictions : NULL);
		mapping_measure_fixed(&r->is, with, &bench.how, &best);
		own = mapping_score(&bench.how, c->measured.rate, c->measured.energy);
		other = mapping_score(&bench.how, best.rate, best.energy);
		sorted[n] = ratios[n] = own < 0 ? other / own : own / other; /* less is better */
	}
	r->of_best[k] = mapping_median(sorted, bench.how.rounds);
	for (unsigned n = 0; n < bench.how.rounds; n++)
		if (ratios[n] == r->of_best[k])
			r->choices[k] = choices[n];
}

/* Each way to choose. */
static void measure_choices(struct mapping_result *r)
{
	static struct pstk_configuration list[MAPPING_CONFIGURATIONS];
	double ideal = 0;

	mapping_list(&r->is, list);
	for (unsigned i = 0; i < mapping_count(&r->is); i++)
		ideal = fmax(ideal, r->simulated[i]);
	for (unsigned k = 0; k < MAPPING_CHOOSERS; k++) {
		struct mapping_choice *c = &r->choices[k];

		r->of_best[k] = r->of_best_ideal[k] = NAN;
		if (k == MAPPING_BASELINE && r->is.coarse) /* it has medium grain, which this one has not */
			continue;
		measure_choice(r, k, &list[r->best]);
		/* the baseline waits for the device, which no configuration by its name does */
		r->of_best_ideal[k] =
			k == MAPPING_BASELINE ? NAN : r->simulated[mapping_index(&r->is, &c->chosen)] / ideal;
	}
	r->chosen = true;
}

/* Of each pipeline all configurations, then what is chosen. */
static void choose_all(struct mapping_result *results, unsigned count)
{
	for (unsigned i = 0; i < count; i++) {
		struct mapping_result *r = &results[i];

		mapping_measure_all(&r->is, &bench.how, r->figures);
		simulate_all(r);
		r->best = mapping_best(&r->is, &bench.how, r->figures);
		measure_choices(r);
		mapping_report_choices(r, &bench.how);
		if (bench.json)
			mapping_report_json(bench.json, results, i + 1);
	}
	if (!bench.how.some)
		mapping_report_within(results, count);
	mapping_report_losses(results, count, &bench.how);
}

static void measure_random(void)
{
	struct mapping_result *results = results_of(bench.count);

	for (unsigned i = 0; i < bench.count; i++)
		mapping_draw(&results[i].is, bench.seed, i);
	choose_all(results, bench.count);
	free(results);
}

static unsigned read_stages(struct mapping_pipeline *pipelines, struct mapping_rates *expected, unsigned room)
{
	unsigned count = mapping_read(bench.file, pipelines, expected, room);

	for (unsigned i = 0; i < count && bench.factor > 0; i++)
		for (unsigned k = 0; k < pipelines[i].stages; k++)
			pipelines[i].device[k] *= bench.factor;
	if (bench.factor > 0 && expected) /* they are of other kernels */
		memset(expected, 0, count * sizeof *expected);
	return count;
}

/* Each configuration, fixed. */
static void measure_fixed(struct mapping_result *results, unsigned count)
{
	if (!bench.in_flight)
		bench.how.in_flight = UNBOUND;
	bench.how.some = false; /* it is all of them that it is about */
	for (unsigned i = 0; i < count; i++) {
		struct mapping_result *r = &results[i];

		mapping_measure_all(&r->is, &bench.how, r->figures);
		simulate_all(r);
		r->best = mapping_best(&r->is, &bench.how, r->figures);
		mapping_report_fixed(r);
	}
	mapping_report_within(results, count);
	if (bench.json)
		mapping_report_json(bench.json, results, count);
}

static void measure_adaptation(void)
{
	static struct mapping_pipeline pipelines[2];

	if (read_stages(pipelines, NULL, 2) < 2)
		rounds_fail("%s: it has one pipeline; --adapt goes from one to another", bench.file);
	mapping_adapt(pipelines, &bench.how, bench.json);
}

static void measure_stages(void)
{
	static struct mapping_pipeline pipelines[PIPELINES];
	static struct mapping_rates expected[PIPELINES];
	unsigned count = read_stages(pipelines, expected, bench.first);
	struct mapping_result *results = results_of(count);

	for (unsigned i = 0; i < count; i++) {
		results[i].is = pipelines[i];
		results[i].expected = expected[i];
	}
	if (bench.choose)
		choose_all(results, count);
	else
		measure_fixed(results, count);
	free(results);
}

/* -- options -- */

enum {
	FIRST = 256,
	O_SEED,
	O_ROUNDS,
	O_SECONDS,
	O_FIRST,
	O_IN_FLIGHT,
	O_OBJECTIVE,
	O_METER,
	O_STRETCH,
	O_PERMITS,
	O_BEFORE,
	O_JSON,
	O_CHOOSE,
	O_MOST,
	O_PASSES,
	O_FACTOR,
	WHAT = 512
};

static const struct option options[] = { { "stages", required_argument, NULL, WHAT + STAGES },
	{ "random", required_argument, NULL, WHAT + RANDOM },
	{ "model-time", no_argument, NULL, WHAT + MODEL }, { "change", no_argument, NULL, WHAT + CHANGE },
	{ "retrain", no_argument, NULL, WHAT + RETRAIN }, { "switch", no_argument, NULL, WHAT + SWITCH },
	{ "real", no_argument, NULL, WHAT + REAL }, { "real-medium", no_argument, NULL, WHAT + REAL_MEDIUM },
	{ "half", no_argument, NULL, WHAT + HALF }, { "adapt", required_argument, NULL, WHAT + ADAPT },
	{ "seed", required_argument, NULL, O_SEED }, { "rounds", required_argument, NULL, O_ROUNDS },
	{ "seconds", required_argument, NULL, O_SECONDS }, { "first", required_argument, NULL, O_FIRST },
	{ "in-flight", required_argument, NULL, O_IN_FLIGHT },
	{ "objective", required_argument, NULL, O_OBJECTIVE }, { "meter", required_argument, NULL, O_METER },
	{ "stretch", required_argument, NULL, O_STRETCH }, { "permits", no_argument, NULL, O_PERMITS },
	{ "before-others", no_argument, NULL, O_BEFORE }, { "json", required_argument, NULL, O_JSON },
	{ "choose", no_argument, NULL, O_CHOOSE }, { "most", required_argument, NULL, O_MOST },
	{ "passes", required_argument, NULL, O_PASSES },
	{ "device-factor", required_argument, NULL, O_FACTOR }, { "help", no_argument, NULL, 'h' },
	{ NULL, 0, NULL, 0 } };

static bool set_objective(const char *text)
{
	if (!strcmp(text, "throughput"))
		bench.how.objective = PSTK_OBJECTIVE_THROUGHPUT;
	else if (!strcmp(text, "energy"))
		bench.how.objective = PSTK_OBJECTIVE_ENERGY;
	else if (!strcmp(text, "ratio"))
		bench.how.objective = PSTK_OBJECTIVE_RATIO;
	else
		return false;
	return true;
}

static bool set_how(int c, const char *text)
{
	switch (c) {
	case O_SEED:
		return number_whole(text, 0, UINT64_MAX, &bench.seed);
	case O_ROUNDS:
		bench.rounds = true;
		return number_unsigned(text, 1, MAPPING_ROUNDS, &bench.how.rounds);
	case O_SECONDS:
		return number_real(text, 0.001, 1000, &bench.how.seconds);
	case O_FIRST:
		return number_unsigned(text, 1, PIPELINES, &bench.first);
	case O_IN_FLIGHT:
		bench.in_flight = true;
		return number_unsigned(text, 0, UNBOUND, &bench.how.in_flight);
	case O_OBJECTIVE:
		return set_objective(text);
	case O_METER:
		bench.how.meter = text;
		return true;
	case O_STRETCH:
		return number_real(text, 0, 100, &bench.how.bed.stretch);
	case O_CHOOSE:
		bench.choose = true;
		return true;
	case O_MOST:
		bench.how.some = true;
		return number_unsigned(text, 0, MAPPING_CONFIGURATIONS, &bench.how.most);
	case O_PASSES:
		return number_unsigned(text, 1, MAPPING_ROUNDS, &bench.how.passes);
	case O_FACTOR:
		return number_real(text, 0.001, 1000, &bench.factor);
	case O_BEFORE:
		bench.how.bed.first = true;
		return true;
	case O_PERMITS:
		bench.how.bed.permits = true;
		return true;
	default:
		bench.json = text;
		return true;
	}
}

static bool set_what(enum what what, const char *text)
{
	if (bench.what != NOTHING)
		return false;
	bench.what = what;
	bench.file = text;
	return what != RANDOM || number_unsigned(text, 1, PIPELINES, &bench.count);
}

static void parse(int argc, char **argv)
{
	for (int c; (c = getopt_long(argc, argv, "h", options, NULL)) != -1;) {
		if (c == 'h') {
			fputs(help, stdout);
			exit(0);
		}
		if (c == '?')
			exit(2);
		if (c >= WHAT ? !set_what((enum what)(c - WHAT), optarg) : !set_how(c, optarg)) {
			fprintf(stderr,
				"mapping: '%s' is no value of this option, or one thing too much to "
				"measure\n%s",
				optarg ? optarg : "", help);
			exit(2);
		}
	}
	if (bench.what == NOTHING || optind < argc) {
		fprintf(stderr, "mapping: say one thing to measure\n%s", help);
		exit(2);
	}
	if (bench.how.objective != PSTK_OBJECTIVE_THROUGHPUT && !bench.how.meter)
		bench.how.meter = meter;
	bench.how.again = bench.what == ADAPT || (bench.what == STAGES && bench.choose) ? AGAIN : 0;
	if (!bench.rounds)
		bench.how.rounds = bench.what == RANDOM                          ? 1
		                   : bench.what == STAGES || bench.what == ADAPT ? 3
		                                                                 : 7;
}

/* -- which -- */

static bool needs_driver(void)
{
	return bench.what == STAGES || bench.what == RANDOM || bench.what == CHANGE || bench.what == ADAPT ||
	       bench.what == RETRAIN || bench.what == SWITCH;
}

static void measure(void)
{
	switch (bench.what) {
	case STAGES:
		measure_stages();
		break;
	case RANDOM:
		measure_random();
		break;
	case MODEL:
		mapping_change_model();
		break;
	case ADAPT:
		measure_adaptation();
		break;
	case CHANGE:
		mapping_change(&bench.how);
		break;
	case RETRAIN:
		mapping_change_retrain(&bench.how);
		break;
	case SWITCH:
		mapping_change_switch(&bench.how, bench.seed);
		break;
	case REAL:
		mapping_real_coarse(&bench.how);
		break;
	case REAL_MEDIUM:
		mapping_real_medium(&bench.how);
		break;
	default:
		mapping_real_half(&bench.how, bench.seed, bench.json);
	}
}

int main(int argc, char **argv)
{
	parse(argc, argv);
	if (needs_driver() && !mapping_bed_driver())
		rounds_fail("the tests' OpenCL driver is not there");
	probe_print("before");
	measure();
	probe_print("after");
	return 0;
}
