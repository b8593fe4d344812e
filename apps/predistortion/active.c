/* SPDX-License-Identifier: MIT */
/* Which branches are active in which period. */
#include "config.h"

#include "apps/predistortion/active.h"
#include "apps/common/app.h"
#include "apps/common/arguments.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char random_word[] = "random:";

enum {
	LINES_MOST = 1 << 24, /* so that what never ends is noticed */
	RANDOM_LEAST = 2      /* branches of a random set, whatever the coefficients: as the built-in ones */
};

static unsigned size_of_set(uint32_t set)
{
	return (unsigned)__builtin_popcount(set);
}

static bool is_number(const char *spec)
{
	return *spec && !spec[strspn(spec, "0123456789")];
}

static bool is_all(const char *spec)
{
	return !spec || !strcmp(spec, "all");
}

/* Also without a seed, which is then asked for. */
static bool is_random(const char *spec)
{
	size_t length = strlen(random_word);

	return !strncmp(spec, random_word, length) ||
	       (!strncmp(spec, random_word, length - 1) && !spec[length - 1]);
}

bool active_is_file(const char *spec)
{
	return !is_all(spec) && !is_number(spec) && !is_random(spec);
}

static uint32_t first(unsigned branches)
{
	return (UINT32_C(1) << branches) - 1;
}

/* Of a set that is out of bounds: EXIT_USAGE, after "PLACE: " or with a line "PLACE:LINE: ". */
static int refuse_size(const struct active *active, const char *place, size_t line, unsigned size)
{
	char where[32] = "", found[32];

	if (line)
		snprintf(where, sizeof(where), ":%zu", line);
	if (active->branches == 1)
		return app_fail(EXIT_USAGE, "%s%s: no branch is active; the only one must be", place, where);
	if (size == 0)
		snprintf(found, sizeof(found), "no branch is");
	else
		snprintf(found, sizeof(found), "%u branch%s", size, size == 1 ? " is" : "es are");
	return app_fail(EXIT_USAGE, "%s%s: %s active; %u to %u may be%s", place, where, found, active->least,
		active->most, active->least > 1 ? ", as in the paper that the built-in ones follow" : "");
}

static bool has_right_size(const struct active *active, uint32_t set)
{
	return size_of_set(set) >= active->least && size_of_set(set) <= active->most;
}

static int keep_one(struct active *active, uint32_t set)
{
	active->sets = malloc(sizeof(*active->sets));
	if (!active->sets)
		return app_out_of_memory();
	active->sets[0] = set;
	active->count = 1;
	return 0;
}

/* Only digits: a string of them, or a number. */
static int parse_number(struct active *active, const char *spec)
{
	char place[64], wanted[96];
	uint64_t number;
	uint32_t set = 0;

	if (strlen(spec) == active->branches && !spec[strspn(spec, "01")]) {
		for (unsigned b = 0; b < active->branches; b++)
			set |= (uint32_t)(spec[b] == '1') << b;
		snprintf(place, sizeof(place), "--active %s", spec);
		if (!has_right_size(active, set))
			return refuse_size(active, place, 0, size_of_set(set));
		return keep_one(active, set);
	}
	snprintf(place, sizeof(place), "--active %.32s", spec);
	if (arguments_number(spec, '\0', 0, active->most, &number)) {
		if (number < active->least)
			return refuse_size(active, place, 0, (unsigned)number);
		return keep_one(active, first((unsigned)number));
	}
	if (active->branches == 1)
		return arguments_wrong("active", spec, "1; there is only one branch");
	snprintf(wanted, sizeof(wanted), "a number from %u to %u or a string of %u digits 0 and 1",
		active->least, active->most, active->branches);
	return arguments_wrong("active", spec, wanted);
}

static int parse_random(struct active *active, const char *spec)
{
	const char *seed = spec + strlen(random_word);

	if (strncmp(spec, random_word, strlen(random_word)) != 0 ||
		!arguments_number(seed, '\0', 0, UINT64_MAX, &active->seed))
		return arguments_wrong("active", spec, "random:SEED with a number from 0, such as random:1");
	if (active->branches < RANDOM_LEAST)
		return app_fail(EXIT_USAGE,
			"--active %s: random sets have %d branches or more, but there is only one", spec,
			RANDOM_LEAST);
	active->least = RANDOM_LEAST;
	return 0;
}

/* A file with sets that is being read. */
struct reading {
	FILE *file;
	const char *name;
	size_t line; /* from 1 */
	size_t room; /* of the sets */
};

static int refuse_character(const struct reading *reading, int c)
{
	char shown[16];

	snprintf(shown, sizeof(shown), c > ' ' && c < 0x7f ? "'%c'" : "byte 0x%02x", (unsigned)c);
	return app_fail(EXIT_USAGE, "%s:%zu: %s is neither 0 nor 1", reading->name, reading->line, shown);
}

static int refuse_length(const struct reading *reading, unsigned length, unsigned branches)
{
	char found[32] = "an empty line";

	if (length)
		snprintf(found, sizeof(found), "%s%u digit%s", length > branches ? "more than " : "",
			length > branches ? branches : length,
			(length > branches ? branches : length) == 1 ? "" : "s");
	return app_fail(EXIT_USAGE, "%s:%zu: %s; %u digit%s 0 and 1 %s wanted, one for each branch",
		reading->name, reading->line, found, branches, branches == 1 ? "" : "s",
		branches == 1 ? "is" : "are");
}

/* The next line, without its end. 0; -1: there is none; else what to exit with. */
static int read_line(const struct reading *reading, unsigned branches, uint32_t *set)
{
	unsigned length = 0;
	int c = getc(reading->file);

	*set = 0;
	if (c == EOF)
		return -1;
	for (; c == '0' || c == '1'; c = getc(reading->file)) {
		if (length == branches)
			return refuse_length(reading, length + 1, branches);
		*set |= (uint32_t)(c - '0') << length++;
	}
	if (c == '\r') {
		c = getc(reading->file);
		if (c != '\n' && c != EOF)
			return refuse_character(reading, '\r');
	}
	if (c != '\n' && c != EOF)
		return refuse_character(reading, c);
	/* what is lacking may be due to a read that failed, which is said instead */
	if (length != branches && !ferror(reading->file))
		return refuse_length(reading, length, branches);
	return 0;
}

static int append(struct active *active, struct reading *reading, uint32_t set)
{
	if (!has_right_size(active, set))
		return refuse_size(active, reading->name, reading->line, size_of_set(set));
	if (active->count == LINES_MOST)
		return app_fail(
			EXIT_USAGE, "%s:%zu: more than %d lines", reading->name, reading->line, LINES_MOST);
	if (active->count == reading->room) {
		size_t room = reading->room ? 2 * reading->room : 64;
		uint32_t *sets = malloc(room * sizeof(*sets));

		if (!sets)
			return app_out_of_memory();
		if (active->sets)
			memcpy(sets, active->sets, active->count * sizeof(*sets));
		free(active->sets);
		active->sets = sets;
		reading->room = room;
	}
	active->sets[active->count++] = set;
	return 0;
}

static int read_sets(struct active *active, struct reading *reading)
{
	uint32_t set;
	int status;

	do {
		reading->line++;
		status = read_line(reading, active->branches, &set);
		if (ferror(reading->file))
			return app_fail(EXIT_USAGE, "%s: %s", reading->name, strerror(errno));
		if (!status)
			status = append(active, reading, set);
	} while (!status);
	if (status == -1 && !active->count)
		return app_fail(EXIT_USAGE,
			"%s: is empty; a line has %u digit%s 0 and 1, one for each branch", reading->name,
			active->branches, active->branches == 1 ? "" : "s");
	return status == -1 ? 0 : status;
}

static int parse_file(struct active *active, const char *spec)
{
	struct reading reading = { .name = strcmp(spec, "-") ? spec : "stdin" };
	int status;

	reading.file = strcmp(spec, "-") ? fopen(spec, "re") : stdin;
	if (!reading.file)
		return app_fail(errno == ENOMEM ? EXIT_FAILED : EXIT_USAGE, "--active: %s: %s", spec,
			strerror(errno));
	status = read_sets(active, &reading);
	if (reading.file != stdin)
		fclose(reading.file);
	return status;
}

int active_parse(struct active *active, const char *spec, const struct coefficients *coefficients)
{
	*active = (struct active){
		.branches = coefficients->count, .least = coefficients->least, .most = coefficients->most
	};
	if (is_all(spec))
		return keep_one(active, first(active->branches));
	if (is_number(spec))
		return parse_number(active, spec);
	return active_is_file(spec) ? parse_file(active, spec) : parse_random(active, spec);
}

void active_free(struct active *active)
{
	free(active->sets);
	active->sets = NULL;
}

/* The finaliser of SplitMix64 (G. Steele, D. Lea, C. Flood, "Fast Splittable Pseudorandom Number Generators",
 * OOPSLA 2014): all bits depend on all. */
static uint64_t mix(uint64_t x)
{
	x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
	return x ^ (x >> 31);
}

/* Draws until the set has branches enough: each such set is as likely as any other. */
static uint32_t random_set(const struct active *active, uint64_t period)
{
	const uint64_t step = UINT64_C(0x9e3779b97f4a7c15);
	uint64_t state = mix(mix(active->seed + step) + (period + 1) * step);
	uint32_t set;

	do {
		state += step;
		set = (uint32_t)mix(state) & first(active->branches);
	} while (!has_right_size(active, set));
	return set;
}

uint32_t active_set(const struct active *active, uint64_t period)
{
	if (!active->sets)
		return random_set(active, period);
	return active->sets[period < active->count ? period : active->count - 1];
}
