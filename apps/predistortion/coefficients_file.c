/* SPDX-License-Identifier: MIT */
/*
 * Coefficients from a JSON file:
 *
 *	{"branches": [{"order": 3, "conjugate": false, "taps": [[RE, IM], ..]}, ..], "lo": [RE, IM],
 *	 "source": "where they are from, if you like"}
 */
#include "config.h"

#include "apps/predistortion/coefficients_file.h"
#include "apps/common/app.h"

#ifdef HAVE_JANSSON

#include <ctype.h>
#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	ORDER_MOST = 99,
	SHOWN = 40 /* bytes of a foreign text that a message quotes */
};

/* Where something wrong is. */
struct place {
	const char *path;
	unsigned branch; /* from 1; 0: outside of the branches */
};

/* "PATH: branch N: .." */
static int wrong(const struct place *place, const char *format, ...) __attribute__((format(printf, 2, 3)));
static int wrong(const struct place *place, const char *format, ...)
{
	char text[512], branch[32] = "";
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(text, sizeof(text), format, arguments);
	va_end(arguments);
	if (place->branch)
		snprintf(branch, sizeof(branch), "branch %u: ", place->branch);
	return app_fail(EXIT_USAGE, "%s: %s%s", place->path, branch, text);
}

/* A copy for a message: short, and on one line. */
static const char *shown(char copy[SHOWN + 4], const char *text)
{
	size_t length = strnlen(text, SHOWN + 1);

	snprintf(copy, SHOWN + 4, "%.*s%s", SHOWN, text, length > SHOWN ? ".." : "");
	for (char *c = copy; *c; c++) {
		if (iscntrl((unsigned char)*c))
			*c = ' ';
	}
	return copy;
}

/* What a value is, for a message. */
static const char *kind(char text[SHOWN + 4], const json_t *value)
{
	switch (json_typeof(value)) {
	case JSON_OBJECT:
		return "an object";
	case JSON_ARRAY:
		return "a list";
	case JSON_STRING:
		return "a text";
	case JSON_INTEGER:
		snprintf(text, SHOWN + 4, "%" JSON_INTEGER_FORMAT, json_integer_value(value));
		return text;
	case JSON_REAL:
		snprintf(text, SHOWN + 4, "%.9g", json_real_value(value));
		return text;
	case JSON_TRUE:
		return "true";
	case JSON_FALSE:
		return "false";
	case JSON_NULL:
		break;
	}
	return "null";
}

/* Are the words the same but for so many changed, added and removed characters, and case? */
static bool is_near(const char *a, const char *b, unsigned changes)
{
	while (*a && tolower((unsigned char)*a) == tolower((unsigned char)*b))
		a++, b++;
	if (!*a && !*b)
		return true;
	if (!changes--)
		return false;
	return (*a && is_near(a + 1, b, changes)) || (*b && is_near(a, b + 1, changes)) ||
	       (*a && *b && is_near(a + 1, b + 1, changes));
}

/* keys up to NULL: what an object may have. */
static int check_keys(const struct place *place, json_t *object, const char *const *keys)
{
	char copy[SHOWN + 4], all[128] = "";
	const char *key;
	json_t *value;

	json_object_foreach(object, key, value)
	{
		const char *near = NULL;
		bool known = false;

		all[0] = '\0';
		for (size_t i = 0; keys[i] && !known; i++) {
			size_t length = strlen(all);

			known = !strcmp(key, keys[i]);
			if (is_near(key, keys[i], strlen(keys[i]) > 4 ? 2 : 1))
				near = keys[i];
			snprintf(all + length, sizeof(all) - length, "%s\"%s\"", i ? ", " : "", keys[i]);
		}
		if (known)
			continue;
		if (near)
			return wrong(
				place, "there is no key \"%s\"; is \"%s\" meant?", shown(copy, key), near);
		return wrong(place, "there is no key \"%s\"; the keys are %s", shown(copy, key), all);
	}
	return 0;
}

/* NULL: it has been said that it is missing. */
static json_t *find(const struct place *place, const json_t *object, const char *key, const char *wanted)
{
	json_t *value = json_object_get(object, key);

	if (!value)
		wrong(place, "\"%s\" is missing; %s is wanted", key, wanted);
	return value;
}

/* What lies half a step beyond the largest float is rounded to infinity. */
static bool is_float(const json_t *value)
{
	return json_is_number(value) && fabs(json_number_value(value)) < 0x1.ffffffp127;
}

/* [re, im]. key: what it is, for a message. */
static int read_complex(
	const struct place *place, const char *key, const json_t *value, struct pstk_cf32 *number)
{
	static const char wanted[] = "[re, im], two finite 32-bit floats, is wanted";
	static const char *const parts[] = { "re", "im" };
	char text[SHOWN + 4];

	if (!json_is_array(value))
		return wrong(place, "%s is %s; %s", key, kind(text, value), wanted);
	if (json_array_size(value) != 2)
		return wrong(place, "%s has %zu number%s; %s", key, json_array_size(value),
			json_array_size(value) == 1 ? "" : "s", wanted);
	for (size_t i = 0; i < 2; i++) {
		const json_t *part = json_array_get(value, i);

		if (!is_float(part))
			return wrong(place, "%s: %s is %s; %s", key, parts[i], kind(text, part), wanted);
	}
	number->re = (float)json_number_value(json_array_get(value, 0));
	number->im = (float)json_number_value(json_array_get(value, 1));
	return 0;
}

static int read_term(const struct place *place, const json_t *object, struct branch *branch)
{
	static const char order_wanted[] = "an odd integer from 1 to 99",
			  conjugate_wanted[] = "true or false";
	const json_t *order = find(place, object, "order", order_wanted), *conjugate;
	char text[SHOWN + 4];
	double value = json_number_value(order); /* 3.0 is an integer, too */

	if (!order)
		return EXIT_USAGE;
	if (!json_is_number(order) || value < 1 || value > ORDER_MOST || fmod(value, 2) != 1)
		return wrong(place, "\"order\" is %s; %s is wanted", kind(text, order), order_wanted);
	branch->term.order = (uint32_t)value;
	conjugate = find(place, object, "conjugate", conjugate_wanted);
	if (!conjugate)
		return EXIT_USAGE;
	if (!json_is_boolean(conjugate))
		return wrong(
			place, "\"conjugate\" is %s; %s is wanted", kind(text, conjugate), conjugate_wanted);
	branch->term.conjugate = json_is_true(conjugate);
	return 0;
}

static int read_taps(const struct place *place, const json_t *object, struct branch *branch)
{
	static const char wanted[] = "a list of pairs [re, im]";
	const json_t *taps = find(place, object, "taps", wanted);
	size_t count = json_array_size(taps);
	char text[SHOWN + 4];
	int status = 0;

	if (!taps)
		return EXIT_USAGE;
	if (!json_is_array(taps))
		return wrong(place, "\"taps\" is %s; %s is wanted", kind(text, taps), wanted);
	if (!count)
		return wrong(place, "\"taps\" is empty; at least one pair [re, im] is wanted");
	if (count > COEFFICIENTS_TAPS_MOST)
		return wrong(place, "\"taps\" has %zu pairs; at most %d are possible", count,
			COEFFICIENTS_TAPS_MOST);
	branch->taps = calloc(count, sizeof(*branch->taps));
	if (!branch->taps)
		return app_out_of_memory();
	for (size_t i = 0; i < count && !status; i++) {
		snprintf(text, sizeof(text), "\"taps\", pair %zu", i + 1);
		status = read_complex(place, text, json_array_get(taps, i), &branch->taps[i]);
	}
	branch->tap_count = (unsigned)count;
	return status;
}

static int read_branch(const struct place *place, json_t *object, struct branch *branch)
{
	static const char *const keys[] = { "order", "conjugate", "taps", NULL };
	char text[SHOWN + 4];
	int status;

	if (!json_is_object(object))
		return wrong(place, "is %s; an object with \"order\", \"conjugate\" and \"taps\" is wanted",
			kind(text, object));
	status = check_keys(place, object, keys);
	if (!status)
		status = read_term(place, object, branch);
	if (!status)
		status = read_taps(place, object, branch);
	return status;
}

static int read_branches(struct coefficients *coefficients, struct place *place, const json_t *root)
{
	static const char wanted[] = "a list of 1 to 16 branches";
	const json_t *branches = find(place, root, "branches", wanted);
	size_t count = json_array_size(branches);
	char text[SHOWN + 4];
	int status = 0;

	if (!branches)
		return EXIT_USAGE;
	if (!json_is_array(branches))
		return wrong(place, "\"branches\" is %s; %s is wanted", kind(text, branches), wanted);
	if (!count)
		return wrong(place, "there is no branch; %s is wanted", wanted);
	if (count > PSTK_MAX_BRANCHES)
		return wrong(place, "%zu branches; at most %d are possible", count, PSTK_MAX_BRANCHES);
	for (unsigned b = 0; b < count && !status; b++) {
		place->branch = b + 1;
		status = read_branch(place, json_array_get(branches, b), &coefficients->branches[b]);
	}
	place->branch = 0;
	coefficients->count = (unsigned)count;
	return status;
}

static int read_root(struct coefficients *coefficients, const char *path, json_t *root)
{
	static const char *const keys[] = { "branches", "lo", "source", NULL };
	struct place place = { path, 0 };
	const json_t *lo, *source = json_object_get(root, "source");
	char text[SHOWN + 4];
	int status;

	if (!json_is_object(root))
		return wrong(
			&place, "is %s; an object with \"branches\" and \"lo\" is wanted", kind(text, root));
	status = check_keys(&place, root, keys);
	if (!status)
		status = read_branches(coefficients, &place, root);
	if (status)
		return status;
	lo = find(&place, root, "lo", "[re, im], the constant that is added,");
	status = lo ? read_complex(&place, "\"lo\"", lo, &coefficients->lo) : EXIT_USAGE;
	if (!status && source && !json_is_string(source))
		status = wrong(&place, "\"source\" is %s; a text is wanted", kind(text, source));
	return status;
}

/* Why there is no JSON. */
static int refuse(const char *path, FILE *file, int err, const json_error_t *error)
{
	char text[sizeof(error->text)];

	if (ferror(file))
		return app_fail(EXIT_USAGE, "%s: %s", path, strerror(err));
	if (json_error_code(error) == json_error_out_of_memory || !*error->text)
		return app_out_of_memory();
	snprintf(text, sizeof(text), "%s", error->text);
	for (char *c = text; *c; c++) {
		if (iscntrl((unsigned char)*c))
			*c = ' ';
	}
	return app_fail(EXIT_USAGE, "%s:%d:%d: %s", path, error->line, error->column, text);
}

int coefficients_read(struct coefficients *coefficients, const char *path)
{
	bool standard = !strcmp(path, "-");
	const char *name = standard ? "stdin" : path;
	FILE *file = standard ? stdin : fopen(path, "re");
	json_error_t error = { 0 };
	json_t *root;
	int status;

	if (!file)
		return app_fail(errno == ENOMEM ? EXIT_FAILED : EXIT_USAGE, "%s: %s", path, strerror(errno));
	errno = 0;
	root = json_loadf(file, JSON_REJECT_DUPLICATES, &error);
	status = root ? read_root(coefficients, name, root) : refuse(name, file, errno, &error);
	json_decref(root);
	if (!standard)
		fclose(file);
	return status;
}

#else

int coefficients_read(struct coefficients *coefficients, const char *path)
{
	(void)coefficients;
	return app_fail(EXIT_USAGE,
		"--coefficients %s: this build has no jansson; the built-in ones need none", path);
}

#endif
