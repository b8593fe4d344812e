/* SPDX-License-Identifier: MIT */
#include "lib/base/environment_check.h"
#include "lib/base/log.h"
#include "lib/base/text.h"

#include <pthread.h>
#include <unistd.h>

#define PREFIX "PENSTOCK_"

/* Longer values are cut in messages; a name may be anything that is in the environment, too. */
enum { SHOWN = 100, LIST = 256 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static uint64_t
	warned[PS_VARIABLE_COUNT]; /* guarded by lock: hashes of the values that were warned of; 0: none */

/* FNV-1a; never 0. */
static uint64_t hash(const char *text)
{
	uint64_t h = UINT64_C(0xcbf29ce484222325);

	for (; *text; text++)
		h = (h ^ (unsigned char)*text) * UINT64_C(0x100000001b3);
	return h | 1;
}

static void warn_value(const struct ps_variable_row *row, const char *text)
{
	uint64_t *last = &warned[row - ps_environment_table], now = hash(text);
	bool again;

	pthread_mutex_lock(&lock);
	again = *last == now;
	*last = now;
	pthread_mutex_unlock(&lock);
	if (!again)
		ps_log(PS_TOPIC_NETWORK, PSTK_LOG_WARNING, "%s='%.*s' is ignored: expected %s", row->name,
			SHOWN, text, row->form);
}

/* The sources' own tests read such variables. */
static bool is_of_tests(const char *name)
{
	return !strncmp(name, PREFIX "TEST_", sizeof PREFIX "TEST_" - 1) ||
	       !strncmp(name, PREFIX "FAKE_", sizeof PREFIX "FAKE_" - 1);
}

static void warn_name(const char *name)
{
	const char *best = "";
	size_t most = 0, prefix = sizeof PREFIX - 1;
	char names[LIST];
	struct ps_text list = ps_text(names, sizeof names);

	for (unsigned v = 0; v < PS_VARIABLE_COUNT; v++) {
		const char *known = ps_environment_table[v].name;
		size_t like;

		if (strncmp(known, PREFIX, prefix) != 0)
			continue;
		if (!strcmp(known, name))
			return;
		ps_text_add(&list, "%s%s", list.length ? " " : "", known);
		like = ps_text_likeness(known + prefix, name + prefix);
		if (like > most) {
			most = like;
			best = known;
		}
	}
	if (2 * most < strlen(name) - prefix) /* it shares less than half of its letters: it was not meant */
		best = "";
	ps_log(PS_TOPIC_NETWORK, PSTK_LOG_WARNING,
		"%.*s has no effect: Penstock has no such variable%s%s%s; it reads %s", SHOWN, name,
		*best ? "; did you mean " : "", best, *best ? "?" : "", names);
}

/* Whatever else is in the environment of the process. */
static void check_names(void)
{
	for (char **variable = environ; variable && *variable; variable++) {
		char name[SHOWN + 1];
		size_t length = strcspn(*variable, "=");

		if (length > SHOWN)
			length = SHOWN;
		memcpy(name, *variable, length);
		name[length] = 0;
		if (!strncmp(name, PREFIX, sizeof PREFIX - 1) && !is_of_tests(name))
			warn_name(name);
	}
}

void ps_environment_take(struct ps_environment *e)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	pthread_once(&once, check_names);
	ps_environment_read(e, warn_value);
}
