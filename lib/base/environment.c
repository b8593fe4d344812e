/* SPDX-License-Identifier: MIT */
#include "lib/base/environment.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#define SECOND UINT64_C(1000000000)

static const struct ps_environment standard = { .share = true, .watchdog_ns = 30 * SECOND };

/* Which of the words, separated by spaces, the text is: 1, 2, ..; 0: none of them. */
static unsigned find_word(const char *words, const char *text)
{
	for (unsigned number = 1; *words; number++) {
		size_t length = strcspn(words, " ");

		if (strlen(text) == length && !strncmp(words, text, length))
			return number;
		words += length;
		words += strspn(words, " ");
	}
	return 0;
}

/* "0" or "1". */
static bool take_switch(const char *text, bool *on)
{
	unsigned word = find_word("0 1", text);

	if (word)
		*on = word == 2;
	return word;
}

static bool take_launch(const char *text, struct ps_environment *e)
{
	e->launch_own = find_word("own", text);
	return e->launch_own;
}

static bool take_memory(const char *text, struct ps_environment *e)
{
	e->memory = find_word("svm map copy", text);
	return e->memory;
}

/* What it means depends on the pipeline, which says it. */
static bool take_pipeline(const char *text, struct ps_environment *e)
{
	size_t size = strlen(text) + 1;

	if (size > sizeof e->pipeline)
		return false;
	memcpy(e->pipeline, text, size);
	return true;
}

static bool take_profile(const char *text, struct ps_environment *e)
{
	return take_switch(text, &e->profile);
}

static bool take_share(const char *text, struct ps_environment *e)
{
	return take_switch(text, &e->share);
}

static bool take_serial(const char *text, struct ps_environment *e)
{
	return take_switch(text, &e->serial);
}

static bool take_wait(const char *text, struct ps_environment *e)
{
	unsigned word = find_word("block spin adaptive poll", text);

	if (word)
		e->wait = word - 1;
	return word;
}

/* A number at the beginning of a text; what is behind it. NULL: there is none, or it is above most. */
static const char *take_number(const char *text, uint64_t most, uint64_t *number)
{
	unsigned long long value;
	char *rest;

	if (*text < '0' || *text > '9')
		return NULL;
	errno = 0;
	value = strtoull(text, &rest, 10);
	if (errno || value > most)
		return NULL;
	*number = value;
	return rest;
}

static bool take_team(const char *text, struct ps_environment *e)
{
	uint64_t threads;
	const char *rest = take_number(text, PS_ENVIRONMENT_THREADS_MAX, &threads);

	if (!rest || *rest)
		return false;
	e->threads = (unsigned)threads;
	return true;
}

static bool take_watchdog(const char *text, struct ps_environment *e)
{
	uint64_t seconds;
	const char *rest = take_number(text, UINT64_MAX / SECOND, &seconds);

	if (!rest || (*rest && strcmp(rest, ",abort") != 0))
		return false;
	e->watchdog_ns = seconds * SECOND;
	e->watchdog_aborts = *rest;
	return true;
}

/* tests/project/check_tree.sh reads the names, which penstock(7) lists: one row begins a line. */
const struct ps_variable_row ps_environment_table[PS_VARIABLE_COUNT] = {
	[PS_VARIABLE_LAUNCH] = { "PENSTOCK_LAUNCH", "own", "",
		"own: each device actor's own thread launches its kernel", take_launch },
	[PS_VARIABLE_MEMORY] = { "PENSTOCK_MEMORY", "one of svm map copy", "",
		"how host and device share a FIFO's memory", take_memory },
	[PS_VARIABLE_PIPELINE] = { "PENSTOCK_PIPELINE", "a configuration, as CP-CG:101:4, or baseline", "",
		"the configuration of all pipelines, whatever they were given", take_pipeline },
	[PS_VARIABLE_PROFILE] = { "PENSTOCK_PROFILE", "0 or 1", "0",
		"1: measures what kernels take on their devices", take_profile },
	[PS_VARIABLE_SHARE] = { "PENSTOCK_SHARE", "0 or 1", "1",
		"0: each reader of an output on the cores has a buffer of its own", take_share },
	[PS_VARIABLE_TEAM] = { "PENSTOCK_TEAM", "1 to 256 threads, or 0 for a thread per actor", "0",
		"a team of so many threads runs the actors", take_team },
	[PS_VARIABLE_TRACE] = { "PENSTOCK_TRACE", NULL, "",
		"a file that gets a timeline of what the threads do", NULL },
	[PS_VARIABLE_WATCHDOG] = { "PENSTOCK_WATCHDOG", "seconds, or seconds,abort; 0: none", "30",
		"when nothing has moved for so long a warning says where actors are", take_watchdog },
	[PS_VARIABLE_DEBUG] = { "PENSTOCK_DEBUG", NULL, "*:warning", "what the log says", NULL },
	[PS_VARIABLE_SERIAL] = { "PENSTOCK_SERIAL", "0 or 1", "0", "1: one thread at a time calls OpenCL",
		take_serial },
	[PS_VARIABLE_WAIT] = { "PENSTOCK_WAIT", "one of block spin adaptive poll", "block",
		"how a thread waits for a device", take_wait },
	[PS_VARIABLE_PLUGINS] = { "PENSTOCK_PLUGINS", NULL, "",
		"files and folders with plug-ins, which colons separate", NULL },
	[PS_VARIABLE_MPI] = { "PENSTOCK_MPI", NULL, "",
		"the file of libpenstock-mpi, for runs of the command over several hosts", NULL },
	[PS_VARIABLE_HOME] = { "HOME", NULL, "", "below it is PoCL's cache", NULL },
	[PS_VARIABLE_HWLOC_FSROOT] = { "HWLOC_FSROOT", NULL, "/", "where hwloc finds /sys", NULL },
	[PS_VARIABLE_HWLOC_SYNTHETIC] = { "HWLOC_SYNTHETIC", NULL, "",
		"describes the machine to hwloc in place of /sys", NULL },
	[PS_VARIABLE_HWLOC_XMLFILE] = { "HWLOC_XMLFILE", NULL, "",
		"a file that describes the machine to hwloc in place of /sys", NULL },
	[PS_VARIABLE_OCL_ICD_VENDORS] = { "OCL_ICD_VENDORS", NULL, "/etc/OpenCL/vendors",
		"where OpenCL's loader looks for drivers", NULL },
	[PS_VARIABLE_POCL_CACHE_DIR] = { "POCL_CACHE_DIR", NULL, "", "PoCL's cache", NULL },
	[PS_VARIABLE_POCL_DEVICES] = { "POCL_DEVICES", NULL, "", "the devices that PoCL shows", NULL },
	[PS_VARIABLE_XDG_CACHE_HOME] = { "XDG_CACHE_HOME", NULL, "", "below it is PoCL's cache", NULL },
};

const char *ps_environment_text(enum ps_variable variable)
{
	return getenv(ps_environment_table[variable].name);
}

void ps_environment_read(
	struct ps_environment *e, void (*wrong)(const struct ps_variable_row *, const char *text))
{
	*e = standard;
	for (unsigned v = 0; v < PS_VARIABLE_COUNT; v++) {
		const struct ps_variable_row *row = &ps_environment_table[v];
		const char *text = row->take ? ps_environment_text(v) : NULL;

		if (text && *text && !row->take(text, e) && wrong)
			wrong(row, text);
	}
}

static struct ps_environment process;

static void read_process(void)
{
	ps_environment_read(&process, NULL);
}

const struct ps_environment *ps_environment_process(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	pthread_once(&once, read_process);
	return &process;
}
