/* SPDX-License-Identifier: MIT */
/* penstock map */
#include "config.h"

#include "apps/common/arguments.h"
#include "apps/penstock/commands.h"
#include "apps/penstock/map_overheads.h"
#include "apps/penstock/map_predictions.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

static const char help[] =
	"Usage: penstock map --model FILE [OPTION]...\n"
	"   or: penstock map --overhead FILE [--json]\n"
	"Predicts from measurements how fast a pipeline is, and what energy an item takes, in each of its\n"
	"configurations: which stages a device does, by how many threads; and says which one is best.\n"
	"\n"
	"  --model FILE       measurements of a training, as JSON; '-': stdin\n"
	"  --rule RULE        how rates are predicted: paper, bounded or capacity (the default)\n"
	"  --objective GOAL   what is best: throughput (the default), energy, or ratio (of both); the "
	"latter\n"
	"                     two need measured energies\n"
	"  --min-rate X       .. among those with X items/s or more; without --objective then the least "
	"energy\n"
	"  --max-watts W      .. among those that take at most W watts\n"
	"  --overhead FILE    says instead what trainings cost, how often they may come, and when a switch "
	"has\n"
	"                     paid for one; a list of trainings, as JSON; '-': stdin\n"
	"  --json             the same as JSON\n"
	"  --help\n"
	"\n"
	"Exit status: 0 done;\n" APP_STATUS ".\n";

enum { OPT_MODEL = 256, OPT_RULE, OPT_OBJECTIVE, OPT_RATE, OPT_WATTS, OPT_OVERHEAD, OPT_JSON, OPT_HELP };

static const struct option table[] = { { "model", required_argument, NULL, OPT_MODEL },
	{ "rule", required_argument, NULL, OPT_RULE },
	{ "objective", required_argument, NULL, OPT_OBJECTIVE },
	{ "min-rate", required_argument, NULL, OPT_RATE },
	{ "max-watts", required_argument, NULL, OPT_WATTS },
	{ "overhead", required_argument, NULL, OPT_OVERHEAD }, { "json", no_argument, NULL, OPT_JSON },
	{ "help", no_argument, NULL, OPT_HELP }, { NULL, 0, NULL, 0 } };

static const struct map_rule rules[] = { { "capacity", PSTK_RULE_CAPACITY }, { "bounded", PSTK_RULE_BOUNDED },
	{ "paper", PSTK_RULE_PAPER } };
static const struct map_objective objectives[] = { { "throughput", "the highest rate",
							   PSTK_OBJECTIVE_THROUGHPUT },
	{ "energy", "the least energy of an item", PSTK_OBJECTIVE_ENERGY },
	{ "ratio", "the highest rate / energy", PSTK_OBJECTIVE_RATIO } };

struct options {
	struct map_question question;
	const char *overhead;
	const char *of_model; /* an option that only --model has; NULL: none was given */
};

static int take_rule(struct options *o, const char *value)
{
	for (unsigned i = 0; i < sizeof rules / sizeof *rules; i++)
		if (!strcmp(value, rules[i].name)) {
			o->question.rule = &rules[i];
			return -1;
		}
	return arguments_wrong("rule", value, "paper, bounded or capacity");
}

static int take_objective(struct options *o, const char *value)
{
	for (unsigned i = 0; i < sizeof objectives / sizeof *objectives; i++)
		if (!strcmp(value, objectives[i].name)) {
			o->question.objective = &objectives[i];
			return -1;
		}
	return arguments_wrong("objective", value, "throughput, energy or ratio");
}

static int take_limit(const char *option, const char *value, const char *wanted, double *limit)
{
	char *after = NULL;
	const double number = isdigit((unsigned char)*value) || *value == '.' ? strtod(value, &after) : 0;

	if (!after || *after || !(number >= PSTK_MEASURED_LEAST && number <= PSTK_MEASURED_MOST))
		return arguments_wrong(option, value, wanted);
	*limit = number;
	return -1;
}

static int take(void *data, int option, const char *value)
{
	struct options *o = data;

	switch (option) {
	case OPT_HELP:
		return arguments_print(help);
	case OPT_MODEL:
		o->question.path = value;
		return -1;
	case OPT_OVERHEAD:
		o->overhead = value;
		return -1;
	case OPT_JSON:
		o->question.json = true;
		return -1;
	case OPT_RULE:
		o->of_model = "rule";
		return take_rule(o, value);
	case OPT_OBJECTIVE:
		o->of_model = "objective";
		return take_objective(o, value);
	case OPT_RATE:
		o->of_model = "min-rate";
		return take_limit(
			"min-rate", value, "a number of items/s from 1e-12 to 1e12", &o->question.min_rate);
	default:
		o->of_model = "max-watts";
		return take_limit(
			"max-watts", value, "a number of watts from 1e-12 to 1e12", &o->question.max_watts);
	}
}

static int settle(void *data)
{
	struct options *o = data;
	struct map_question *q = &o->question;

	if (!q->path && !o->overhead)
		return app_fail(EXIT_USAGE, "a file is needed: --model FILE, with measurements, or "
					    "--overhead FILE, with trainings");
	if (q->path && o->overhead)
		return app_fail(EXIT_USAGE, "--model and --overhead: expected one of both");
	if (o->overhead && o->of_model)
		return app_fail(EXIT_USAGE, "--%s is of --model", o->of_model);
	if (!q->rule)
		q->rule = &rules[0];
	if (!q->objective) {
		q->objective = &objectives[0];
		q->instead = q->min_rate > 0 ? &objectives[1] : NULL;
	}
	return -1;
}

int command_map(int argc, char **argv)
{
	struct options o = { 0 };
	const int status = arguments_parse(&(struct arguments){ .table = table,
						   .take = take,
						   .settle = settle,
						   .data = &o,
						   .called = "penstock map" },
		argc, argv);

	if (status != -1)
		return status;
	return o.overhead ? map_overheads_print(o.overhead, o.question.json)
	                  : map_predictions_print(&o.question);
}
