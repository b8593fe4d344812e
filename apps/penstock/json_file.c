/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "apps/penstock/json_file.h"
#include "apps/common/app.h"
#include "lib/base/near_name.h"

#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

enum {
	SHOWN = 40 /* bytes of a foreign text that a message quotes */
};

const char *json_file_name(const char *path)
{
	return strcmp(path, "-") ? path : "stdin";
}

int json_file_wrong(const struct json_object *o, const char *format, ...)
{
	char text[1024], entry[32] = "";
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(text, sizeof text, format, arguments);
	va_end(arguments);
	if (o->number)
		snprintf(entry, sizeof entry, ", entry %u", o->number);
	return app_fail(EXIT_USAGE, "%s%s: %s", o->file, entry, text);
}

/* What a value is, for a message: short, and on one line. */
static const char *shown(const json_t *value, char text[SHOWN + 8])
{
	static const char *const kinds[] = { [JSON_OBJECT] = "an object",
		[JSON_ARRAY] = "a list",
		[JSON_TRUE] = "true",
		[JSON_FALSE] = "false",
		[JSON_NULL] = "null" };

	if (!json_is_number(value) && !json_is_string(value))
		return kinds[json_typeof(value)];
	if (json_is_integer(value))
		snprintf(text, SHOWN, "%" JSON_INTEGER_FORMAT, json_integer_value(value));
	else if (json_is_real(value))
		snprintf(text, SHOWN, "%.9g", json_real_value(value));
	else
		snprintf(text, SHOWN + 8, "the text '%.*s'%s", SHOWN - 12, json_string_value(value),
			json_string_length(value) > SHOWN - 12 ? ".." : "");
	for (char *c = text; *c; c++)
		if (iscntrl((unsigned char)*c))
			*c = ' ';
	return text;
}

int json_file_wrong_value(
	const struct json_object *o, const char *key, const json_t *value, const char *wanted)
{
	char text[SHOWN + 8];

	if (!value)
		return json_file_wrong(o, "%s is missing; %s is wanted", key, wanted);
	return json_file_wrong(o, "%s is %s; %s is wanted", key, shown(value, text), wanted);
}

int json_file_wrong_count(
	const struct json_object *o, const char *key, const json_t *list, const char *wanted)
{
	const size_t count = json_array_size(list);

	return json_file_wrong(
		o, "%s has %zu %s; %s is wanted", key, count, count == 1 ? "entry" : "entries", wanted);
}

/* Why there is no JSON. */
static int refuse(const char *name, FILE *file, int err, const json_error_t *error)
{
	if (ferror(file))
		return app_fail(EXIT_USAGE, "%s: %s", name, strerror(err));
	if (json_error_code(error) == json_error_out_of_memory || !*error->text)
		return app_out_of_memory();
	return app_fail(
		EXIT_USAGE, "%s:%d:%d: this is no JSON: %s", name, error->line, error->column, error->text);
}

int json_file_read(const char *path, json_t **root)
{
	const bool is_standard = !strcmp(path, "-");
	FILE *file = is_standard ? stdin : fopen(path, "re");
	json_error_t error = { 0 };
	int status = 0;

	*root = NULL;
	if (!file)
		return app_fail(errno == ENOMEM ? EXIT_FAILED : EXIT_USAGE, "%s: %s", path, strerror(errno));
	errno = 0;
	*root = json_loadf(file, JSON_REJECT_DUPLICATES, &error);
	if (!*root)
		status = refuse(json_file_name(path), file, errno, &error);
	if (!is_standard)
		fclose(file);
	return status;
}

int json_file_check_keys(const struct json_object *o, const char *const *keys)
{
	char hint[PS_NEAR_NAME_HINT];
	struct ps_near_name near;
	const char *key;
	json_t *value;

	if (!json_is_object(o->json))
		return json_file_wrong_value(
			o, o->number ? "it" : "the file", o->json, "an object, { \"KEY\": VALUE, .. },");
	json_object_foreach(o->json, key, value)
	{
		bool is_known = false;

		ps_near_name_begin(&near, key);
		for (size_t i = 0; keys[i] && !is_known; i++) {
			is_known = !strcmp(key, keys[i]);
			ps_near_name_offer(&near, keys[i]);
		}
		if (!is_known)
			return json_file_wrong(o, "it can't have a key '%.*s'%s", SHOWN, key,
				ps_near_name_hint(&near, hint));
	}
	return 0;
}

int json_file_integer(
	const struct json_object *o, const char *key, unsigned low, unsigned high, unsigned *value)
{
	const json_t *json = json_object_get(o->json, key);
	const double number = json_number_value(json);
	char wanted[64];

	if (json_is_number(json) && number >= low && number <= high && (unsigned)number == number) {
		*value = (unsigned)number;
		return 0;
	}
	snprintf(wanted, sizeof wanted, "a whole number from %u to %u", low, high);
	return json_file_wrong_value(o, key, json, wanted);
}

int json_file_number(const struct json_object *o, const char *key, const char *words, double low, double high,
	double *value)
{
	const json_t *json = json_object_get(o->json, key);
	char wanted[128];

	*value = json_number_value(json);
	if (json_is_number(json) && *value >= low && *value <= high)
		return 0;
	snprintf(wanted, sizeof wanted, "%s from %g to %g", words, low, high);
	return json_file_wrong_value(o, key, json, wanted);
}

int json_file_numbers(
	const struct json_object *o, const char *key, const char *words, unsigned count, double **values)
{
	const json_t *list = json_object_get(o->json, key);
	char what[128];

	if (!list)
		return 0;
	snprintf(what, sizeof what, "a list of %u %s", count, words);
	if (!json_is_array(list))
		return json_file_wrong_value(o, key, list, what);
	if (json_array_size(list) != count)
		return json_file_wrong_count(o, key, list, what);
	*values = calloc(count, sizeof **values);
	if (!*values)
		return app_out_of_memory();
	for (unsigned i = 0; i < count; i++) {
		const json_t *entry = json_array_get(list, i);

		if (!json_is_number(entry)) {
			snprintf(what, sizeof what, "%s, value %u of %u,", key, i + 1, count);
			return json_file_wrong_value(o, what, entry, "a number");
		}
		(*values)[i] = json_number_value(entry);
	}
	return 0;
}
