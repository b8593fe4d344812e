/* SPDX-License-Identifier: MIT */
/* Answers to a driver: lines of JSON. */
#include "benchmarks/common/rounds_protocol.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { WARM_SHARE = 8 };

static const char *const role_names[ROUNDS_ROLES] = { NULL, "library", "serial", "ideal", "peer", "limit",
	"baseline" };

/* That the driver has got its answer, or its error; main()'s thread only. */
static bool answered;
static const char *wanted;

/* Of the run that is under way. */
static uint64_t channel_bytes, channel_bytes_taken;

void rounds_channels(uint64_t bytes, uint64_t taken)
{
	channel_bytes = bytes;
	channel_bytes_taken = taken;
}

static void complain_unanswered(void)
{
	if (answered)
		return;
	fflush(stdout);
	fprintf(stderr, "%s: no table has a variant '%s'; --list says which there are\n",
		program_invocation_short_name, wanted);
	_exit(2);
}

void rounds_protocol_begin(const struct rounds_options *o)
{
	if (o->mode != ROUNDS_ONE)
		return;
	answered = false;
	wanted = o->variant;
	atexit(complain_unanswered);
}

void rounds_protocol_fails(void)
{
	answered = true;
}

static void print_string(const char *text)
{
	putchar('"');
	for (; *text; text++) {
		if (*text == '"' || *text == '\\')
			putchar('\\');
		if ((unsigned char)*text < ' ')
			printf("\\u%04x", (unsigned)*text);
		else
			putchar(*text);
	}
	putchar('"');
}

static void print_text(const char *key, const char *text)
{
	printf(", \"%s\": ", key);
	if (text)
		print_string(text);
	else
		fputs("null", stdout);
}

static void print_flag(const char *key, bool flag)
{
	printf(", \"%s\": %s", key, flag ? "true" : "false");
}

static const char *role_of(const struct rounds_variant *v)
{
	if (v->role == ROUNDS_UNSAID)
		for (unsigned role = ROUNDS_SERIAL; role <= ROUNDS_IDEAL; role++)
			if (v->versus && !strcmp(v->versus, role_names[role]))
				return role_names[role];
	return role_names[v->role == ROUNDS_UNSAID ? ROUNDS_LIBRARY : v->role];
}

/* -- parameters: parts of a name that are a word and a number -- */

/* "depth 4" or "4 live tokens", of so many characters; false: it is neither. */
static bool split_parameter(const char *part, size_t length, char word[ROUNDS_NAME], double *value)
{
	char text[ROUNDS_NAME], *end, *space;

	snprintf(text, sizeof text, "%.*s", (int)length, part);
	if (isdigit((unsigned char)*text)) {
		*value = strtod(text, &end);
		if (*end++ != ' ')
			return false;
		snprintf(word, ROUNDS_NAME, "%s", end);
		return true;
	}
	space = strrchr(text, ' ');
	if (!space || !isdigit((unsigned char)space[1]))
		return false;
	*value = strtod(space + 1, &end);
	*space = '\0';
	snprintf(word, ROUNDS_NAME, "%s", text);
	return !*end;
}

static void print_parameters(const char *name)
{
	const char *between = "";

	fputs(", \"parameters\": {", stdout);
	while (*name) {
		size_t length = strcspn(name, ",");
		char word[ROUNDS_NAME];
		double value;

		if (split_parameter(name, length, word, &value)) {
			fputs(between, stdout);
			print_string(word);
			printf(": %.17g", value);
			between = ", ";
		}
		name += length;
		name += strspn(name, ", ");
	}
	putchar('}');
}

/* -- the answers -- */

static void print_variant(const struct rounds_table *t, const struct rounds_variant *v)
{
	fputs("{\"table\": ", stdout);
	print_string(t->title);
	print_text("unit", t->unit);
	printf(", \"scale\": %.17g, \"least\": %" PRIu64, t->scale, t->least);
	print_flag("times", t->times);
	print_flag("expect", t->expect);
	print_text("family", t->family);
	print_text("sweep", t->sweep);
	printf(", \"at\": %.17g", t->at);
	print_text("name", v->name);
	print_text("role", role_of(v));
	printf(", \"group\": %u, \"divide\": %u", v->group, v->divide ? v->divide : 1);
	print_flag("one_thread", v->one_thread);
	print_text("absent", v->absent);
	print_parameters(v->name);
	fputs(", \"again\": [", stdout);
	for (unsigned i = 0; i < t->again_count; i++) {
		fputs(i ? ", " : "", stdout);
		print_string(t->again[i]);
	}
	puts("]}");
}

/* The most memory that this process had in bytes; 0: not known. getrusage() would tell that of the process
 * that has started this one, if it is more. */
static uint64_t peak_bytes(void)
{
	FILE *file = fopen("/proc/self/status", "re");
	uint64_t kilobytes = 0;
	char line[128];

	while (file && fgets(line, sizeof line, file))
		if (sscanf(line, "VmHWM: %" SCNu64, &kilobytes) == 1)
			break;
	if (file)
		fclose(file);
	return kilobytes * 1024;
}

static void print_sample(const struct rounds_options *o, const struct rounds_table *t,
	const struct rounds_variant *v, const struct rounds_sample *s)
{
	uint64_t peak = peak_bytes();

	fputs("{\"table\": ", stdout);
	print_string(t->title);
	print_text("name", v->name);
	printf(", \"round\": %u, \"items\": %" PRIu64 ", \"seconds\": %.9f, \"cpu\": %.6f", o->round,
		s->items, s->seconds, s->cpu);
	printf(", \"voluntary\": %ld, \"involuntary\": %ld, \"peak_bytes\": %" PRIu64, s->voluntary,
		s->involuntary, peak);
	if (channel_bytes)
		printf(", \"channel_bytes\": %" PRIu64 ", \"channel_bytes_taken\": %" PRIu64, channel_bytes,
			channel_bytes_taken);
	print_text("state", probe_state_names[s->state]);
	printf(", \"probe_ns\": [%.1f, %.1f], \"others\": %.4f", s->probe_ns[0], s->probe_ns[1], s->others);
	print_flag("busy", s->busy);
	printf(", \"hash\": \"%016" PRIx64 "\"", s->hash);
	if (o->expect && t->expect)
		printf(", \"expected\": \"%016" PRIx64 "\"", t->expect(v->arg, s->items));
	puts("}");
	fflush(stdout);
}

/* What a process does once (loading, threads, memory that is touched first) is not to be measured, so
 * something runs before. */
static void run_variant(
	const struct rounds_options *o, const struct rounds_table *t, const struct rounds_variant *v)
{
	struct rounds_sample sample = { 0 };
	uint64_t items = o->items, warm;

	if (v->absent)
		rounds_fail("'%s' cannot run here: %s", v->name, v->absent);
	if (items % t->least)
		rounds_fail("%s: --items must be a multiple of %" PRIu64, t->title, t->least);
	if (!items)
		items = rounds_calibrate(o, t, v) / t->least * t->least;
	if (!items)
		items = t->least;
	warm = items / WARM_SHARE / t->least * t->least;
	v->run(v->arg, warm ? warm : t->least);
	rounds_measure(o, v, items, &sample);
	answered = true;
	print_sample(o, t, v, &sample);
}

void rounds_protocol_table(const struct rounds_options *o, const struct rounds_table *t)
{
	if (o->mode == ROUNDS_ONE && (answered || (o->table && strcmp(o->table, t->title))))
		return;
	for (unsigned i = 0; i < t->count; i++) {
		const struct rounds_variant *v = &t->variants[i];

		if (o->mode == ROUNDS_LIST) {
			if (rounds_wanted(o, t, i))
				print_variant(t, v);
		} else if (!strcmp(v->name, o->variant)) {
			run_variant(o, t, v);
			return;
		}
	}
}
