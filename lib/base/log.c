/* SPDX-License-Identifier: MIT */
#include "lib/base/log.h"
#include "lib/base/environment.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

static const char *const topic_names[PS_TOPIC_COUNT] = { "network", "fifo", "thread", "opencl" };
static const char *const level_names[] = { "error", "warning", "info", "debug" };

static pthread_once_t once = PTHREAD_ONCE_INIT;
static int levels[PS_TOPIC_COUNT]; /* constant after once */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pstk_log_fn callback; /* guarded by lock */
static void *callback_data;  /* guarded by lock */

static int find(const char *const *names, int count, const char *text, size_t length)
{
	for (int i = 0; i < count; i++)
		if (strlen(names[i]) == length && !strncasecmp(names[i], text, length))
			return i;
	return -1;
}

/* One `topic:level`. */
static bool parse_item(const char *item, size_t length, int *out)
{
	const char *colon = memchr(item, ':', length);
	size_t topic_length = colon ? (size_t)(colon - item) : 0;
	int topic, level;

	if (!colon)
		return false;
	level = find(level_names, 4, colon + 1, length - topic_length - 1);
	topic = find(topic_names, PS_TOPIC_COUNT, item, topic_length);
	if (level < 0 || (topic < 0 && !(topic_length == 1 && *item == '*')))
		return false;
	for (int i = 0; i < PS_TOPIC_COUNT; i++)
		if (topic < 0 || topic == i)
			out[i] = level;
	return true;
}

bool ps_log_parse(const char *text, int *out)
{
	bool good = true;

	for (int i = 0; i < PS_TOPIC_COUNT; i++)
		out[i] = PSTK_LOG_WARNING;
	while (text && *text) {
		size_t length = strcspn(text, ",");

		if (length && !parse_item(text, length, out))
			good = false;
		text += length + (text[length] == ',');
	}
	return good;
}

static void read_environment(void)
{
	const char *text = ps_environment_text(PS_VARIABLE_DEBUG);

	if (!ps_log_parse(text, levels))
		fprintf(stderr,
			"penstock: PENSTOCK_DEBUG=%s: expected topic:level[,topic:level..], topic one of * "
			"network "
			"fifo thread opencl, level one of error warning info debug\n",
			text);
}

bool ps_log_on(enum ps_topic topic, enum pstk_log_level level)
{
	pthread_once(&once, read_environment);
	return (int)level <= levels[topic];
}

void ps_log(enum ps_topic topic, enum pstk_log_level level, const char *format, ...)
{
	char message[1024];
	va_list ap;

	if (!ps_log_on(topic, level))
		return;
	va_start(ap, format);
	vsnprintf(message, sizeof message, format, ap);
	va_end(ap);
	pthread_mutex_lock(&lock);
	if (callback)
		callback(callback_data, level, topic_names[topic], message);
	else
		fprintf(stderr, "penstock: %s: %s: %s\n", level_names[level], topic_names[topic], message);
	pthread_mutex_unlock(&lock);
}

void pstk_set_log(pstk_log_fn fn, void *data)
{
	pthread_mutex_lock(&lock);
	callback = fn;
	callback_data = data;
	pthread_mutex_unlock(&lock);
}

const char *pstk_version(void)
{
	return PSTK_VERSION;
}
