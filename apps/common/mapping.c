/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "apps/common/mapping.h"
#include "apps/common/app.h"
#include "apps/common/arguments.h"
#include "apps/common/devices.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_CORES = 255, MOST_IN_FLIGHT = 256, MOST_CANDIDATES = 1024 }; /* the library's */

void mapping_init(struct mapping *m)
{
	*m = (struct mapping){ .spec = *PSTK_PIPELINE(.device = NULL) };
}

static int take_pipeline(struct mapping *m, const char *value)
{
	bool apart = !strcmp(value, "none") || !strncmp(value, "none:", 5);

	m->apart = apart ? value : NULL;
	m->spec.configuration = apart || !strcmp(value, "adaptive") ? NULL : value;
	return 0;
}

/* A number in low .. high. */
static int take_number(const char *option, const char *text, double low, double high, double *value)
{
	char *end;

	errno = 0;
	*value = strtod(text, &end);
	if (end != text && !*end && !errno && *value >= low && *value <= high)
		return 0;
	return arguments_wrong(
		option, text, high <= 1 ? "a number from 0 to 1" : "a number above 0, such as 2.5");
}

/* One of the words: which. */
static int take_word(
	const char *option, const char *text, const char *const words[3], const char *wanted, unsigned *which)
{
	for (*which = 0; *which < 3; ++*which)
		if (!strcmp(text, words[*which]))
			return 0;
	return arguments_wrong(option, text, wanted);
}

static int take_objective(struct mapping *m, const char *value)
{
	static const char *const words[3] = { "throughput", "energy", "ratio" };
	static const enum pstk_objective objectives[3] = { PSTK_OBJECTIVE_THROUGHPUT, PSTK_OBJECTIVE_ENERGY,
		PSTK_OBJECTIVE_RATIO };
	unsigned which;
	int status = take_word("objective", value, words, "throughput, energy or ratio", &which);

	if (!status)
		m->spec.objective = objectives[which];
	return status;
}

static int take_rule(struct mapping *m, const char *value)
{
	static const char *const words[3] = { "capacity", "bounded", "paper" };
	static const enum pstk_mapper_rule rules[3] = { PSTK_RULE_CAPACITY, PSTK_RULE_BOUNDED,
		PSTK_RULE_PAPER };
	unsigned which;
	int status = take_word("rule", value, words, "capacity, bounded or paper", &which);

	if (!status)
		m->spec.rule = rules[which];
	return status;
}

static int take_overhead(struct mapping *m, const char *value)
{
	int status = take_number("max-overhead", value, 0, 1, &m->spec.max_overhead);

	/* a spec of 0 is the library's default */
	m->spec.once = !status && m->spec.max_overhead < PSTK_MEASURED_LEAST;
	if (m->spec.once)
		m->spec.max_overhead = 0;
	return status;
}

int mapping_take(struct mapping *m, int option, const char *value)
{
	struct pstk_pipeline_spec *spec = &m->spec;

	switch (option) {
	case OPT_PIPELINE:
		return take_pipeline(m, value);
	case OPT_MAPPING_DEVICE:
		spec->device = value;
		return 0;
	case OPT_CORES:
		return arguments_uint32("cores", value, 1, MOST_CORES, &spec->cores);
	case OPT_IN_FLIGHT:
		return arguments_uint32("in-flight", value, 2, MOST_IN_FLIGHT, &spec->in_flight);
	case OPT_OBJECTIVE:
		return take_objective(m, value);
	case OPT_MIN_RATE:
		return take_number(
			"min-rate", value, PSTK_MEASURED_LEAST, PSTK_MEASURED_MOST, &spec->min_rate);
	case OPT_MAX_WATTS:
		return take_number(
			"max-watts", value, PSTK_MEASURED_LEAST, PSTK_MEASURED_MOST, &spec->max_watts);
	case OPT_MAX_OVERHEAD:
		return take_overhead(m, value);
	case OPT_RULE:
		return take_rule(m, value);
	case OPT_CANDIDATES:
		return arguments_uint32("candidates", value, 1, MOST_CANDIDATES, &spec->candidates);
	case OPT_METER:
		spec->meter = value;
		return 0;
	case OPT_REPORT:
		m->report = true;
		return 0;
	case OPT_SAVE_MEASUREMENTS:
		return measured_take(&m->measured, value);
	default:
		return -1;
	}
}

/* Without --device. */
static int find_only(struct mapping *m)
{
	struct pstk_device_info info;
	int count = pstk_devices(&info, 1);

	if (count < 1) /* also where a driver fails: it is not needed */
		return 0;
	if (count == 1) {
		snprintf(m->selector, sizeof m->selector, "%s", info.selector);
		m->spec.device = m->selector;
		return 0;
	}
	app_fail(EXIT_DEVICE, "there are %d devices: say which one, --device SELECTOR, or --device cores",
		count);
	pstk_devices_print(stderr);
	return EXIT_DEVICE;
}

int mapping_find(struct mapping *m)
{
	if (!m->spec.device)
		return find_only(m);
	if (strcmp(m->spec.device, "cores") != 0)
		return devices_find(&m->spec.device, 1);
	m->spec.device = NULL;
	return 0;
}

/* Each stage by itself: those of the mask on the device. */
static int map_apart(
	const struct mapping *m, struct pstk_network *net, struct pstk_actor *const *stages, unsigned count)
{
	const char *mask = m->apart[4] ? m->apart + 5 : NULL;

	if (m->report)
		return app_fail(
			EXIT_USAGE, "--report is a pipeline's, and --pipeline %s makes none", m->apart);
	if (mask && (strlen(mask) != count || strspn(mask, "01") != count))
		return app_fail(EXIT_USAGE,
			"--pipeline %s: expected none, or none: and a 0 or 1 for each of %u "
			"stages",
			m->apart, count);
	if (mask && strchr(mask, '1') && !m->spec.device)
		return app_fail(EXIT_USAGE, "--pipeline %s needs a device: give --device", m->apart);
	for (unsigned k = 0; mask && k < count; k++)
		if (mask[k] == '1' && pstk_actor_map(stages[k], m->spec.device))
			return EXIT_USAGE;
	return m->spec.cores && pstk_network_set_threads(net, m->spec.cores) ? EXIT_USAGE : 0;
}

int mapping_add(const struct mapping *m, struct pstk_network *net, const char *name,
	struct pstk_actor *const *stages, unsigned count)
{
	if (pstk_network_error(net)[0]) /* it would only say that its stages are missing */
		return EXIT_FAILED;
	if (m->apart)
		return map_apart(m, net, stages, count);
	if (pstk_pipeline_add(net, name, stages, count, &m->spec))
		return 0;
	/* what is wrong is what the command line has said, but for memory */
	return strstr(pstk_network_error(net), "out of memory") ? EXIT_FAILED : EXIT_USAGE;
}
