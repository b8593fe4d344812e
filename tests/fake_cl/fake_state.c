/* SPDX-License-Identifier: MIT */
/* The driver's state: settings, faults on demand, counts, violations; and the control that tests get. */
#include "tests/fake_cl/fake.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

struct fake fake = { .lock = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER };

static const char *const names[] = {
#define FAKE_NAME(name) #name,
	FAKE_FUNCTIONS(FAKE_NAME)
#undef FAKE_NAME
};

static _Thread_local const char *function_now; /* NULL: a worker */

const char *fake_where(void)
{
	return function_now ? function_now : "device";
}

/* -- settings -- */

static const struct fake_settings standard = { .align = 128,
	.units = 2,
	.devices = 1,
	.arginfo = 1,
	.version = 30,
	.argsize = 1,
	.max_alloc = 256u << 20,
	.full = 1,
	.rate = 5e9,
	.latency = 10e-6 };

static const struct setting {
	const char *name;
	size_t member;
	unsigned long low, high;
	const char *words[3]; /* instead of a number: 0, 1, 2 */
} settings[] = {
	{ "svm", offsetof(struct fake_settings, svm), 1, 0, { "none", "coarse", "fine" } },
	{ "unified", offsetof(struct fake_settings, unified), 0, 1, { 0 } },
	{ "align", offsetof(struct fake_settings, align), 1, 65536, { 0 } },
	{ "units", offsetof(struct fake_settings, units), 1, 64, { 0 } },
	{ "devices", offsetof(struct fake_settings, devices), 0, FAKE_DEVICES_MAX, { 0 } },
	{ "delay", offsetof(struct fake_settings, delay), 0, ~0ul, { 0 } },
	{ "arginfo", offsetof(struct fake_settings, arginfo), 0, 1, { 0 } },
	{ "version", offsetof(struct fake_settings, version), 12, 30, { 0 } },
	{ "pocl", offsetof(struct fake_settings, pocl), 0, 1, { 0 } },
	{ "cascade", offsetof(struct fake_settings, cascade), 0, 1, { 0 } },
	{ "lazy", offsetof(struct fake_settings, lazy), 0, 1, { 0 } },
	{ "nullmem", offsetof(struct fake_settings, nullmem), 0, 1, { 0 } },
	{ "argsize", offsetof(struct fake_settings, argsize), 0, 1, { 0 } },
	{ "quiet", offsetof(struct fake_settings, quiet), 0, 1, { 0 } },
	{ "guard", offsetof(struct fake_settings, guard), 0, 1, { 0 } },
	{ "type", offsetof(struct fake_settings, cpu), 1, 0, { "gpu", "cpu" } },
	{ "skew", offsetof(struct fake_settings, skew), 0, 1, { 0 } },
	{ "races", offsetof(struct fake_settings, races), 0, 1, { 0 } },
	{ "report", offsetof(struct fake_settings, report), 0, 1, { 0 } },
	{ "max_alloc", offsetof(struct fake_settings, max_alloc), 1, 1ul << 40, { 0 } },
	{ "nvidia", offsetof(struct fake_settings, nvidia), 0, 1, { 0 } },
	{ "native", offsetof(struct fake_settings, native), 0, 1, { 0 } },
	{ "timed", offsetof(struct fake_settings, timed), 0, 1, { 0 } },
	{ "duplex", offsetof(struct fake_settings, full), 1, 0, { "half", "full" } },
};

/* Numbers that need not be whole. */
static const struct real_setting {
	const char *name;
	size_t member;
	double low, high;
} real_settings[] = {
	{ "rate", offsetof(struct fake_settings, rate), 1, 1e18 },
	{ "latency", offsetof(struct fake_settings, latency), 0, 1000 },
	{ "kernel", offsetof(struct fake_settings, kernel), 0, 1000 },
};

static bool parse_value(const struct setting *s, const char *text, size_t length, unsigned long *value)
{
	char digits[24], *end;

	for (unsigned i = 0; i < 3; i++) {
		if (s->words[i] && strlen(s->words[i]) == length && !strncmp(s->words[i], text, length)) {
			*value = i;
			return true;
		}
	}
	if (!length || length >= sizeof(digits))
		return false;
	memcpy(digits, text, length);
	digits[length] = 0;
	*value = strtoul(digits, &end, 0);
	return !*end && *value >= s->low && *value <= s->high;
}

static bool parse_real(struct fake_settings *into, const char *text, size_t name, size_t length)
{
	for (unsigned i = 0; i < sizeof(real_settings) / sizeof(*real_settings); i++) {
		const struct real_setting *s = &real_settings[i];
		char digits[32], *end;
		double value;

		if (strlen(s->name) != name || strncmp(s->name, text, name) ||
			length - name >= sizeof(digits))
			continue;
		memcpy(digits, text + name + 1, length - name - 1);
		digits[length - name - 1] = 0;
		value = strtod(digits, &end);
		if (!*digits || *end || !(value >= s->low && value <= s->high))
			return false;
		memcpy((char *)into + s->member, &value, sizeof(value));
		return true;
	}
	return false;
}

static bool parse_one(struct fake_settings *into, const char *text, size_t length)
{
	const char *equals = memchr(text, '=', length);

	for (unsigned i = 0; equals && i < sizeof(settings) / sizeof(*settings); i++) {
		const struct setting *s = &settings[i];
		size_t name = (size_t)(equals - text);

		if (strlen(s->name) != name || strncmp(s->name, text, name))
			continue;
		return parse_value(
			s, equals + 1, length - name - 1, (unsigned long *)((char *)into + s->member));
	}
	return equals && parse_real(into, text, (size_t)(equals - text), length);
}

static int find_function(const char *name)
{
	for (int i = 0; i < FAKE_FUNCTION_COUNT; i++) {
		if (!strcmp(names[i], name))
			return i;
	}
	return -EINVAL;
}

static int add_fault(struct fake_fault fault)
{
	for (unsigned i = 0; i < FAKE_FAULTS_MAX; i++) {
		if (!fake.faults[i].times) {
			fake.faults[i] = fault;
			return 0;
		}
	}
	return -ENOSPC;
}

/* "fail=clName:n:code" and "lose=n:code": for programs that no test is inside of. */
static bool parse_fault(const char *text, size_t length, bool apply)
{
	struct fake_fault fault = { .times = 1 };
	char copy[96], name[64];

	if (length >= sizeof(copy))
		return false;
	memcpy(copy, text, length);
	copy[length] = 0;
	if (sscanf(copy, "lose=%u:%d", &fault.left, &fault.code) == 2 && fault.left && fault.code < 0) {
		if (apply) {
			fake.lose_left = fault.left;
			fake.lose_status = fault.code;
		}
		return true;
	}
	if (sscanf(copy, "fail=%63[a-zA-Z]:%u:%d", name, &fault.left, &fault.code) != 3 || !fault.left ||
		fault.code >= 0)
		return false;
	fault.function = find_function(name);
	return fault.function >= 0 && (!apply || !add_fault(fault));
}

static int parse(struct fake_settings *into, const char *text)
{
	struct fake_settings parsed = *into;

	for (int apply = 0; apply < 2; apply++) {
		for (const char *at = text; at && *at;) {
			size_t length = strcspn(at, ",");

			if (length && !parse_one(&parsed, at, length) && !parse_fault(at, length, apply))
				return -EINVAL;
			at += length + (at[length] == ',');
		}
	}
	*into = parsed;
	return 0;
}

static void load_settings(void)
{
	const char *text = getenv("PENSTOCK_FAKE_CL");

	fake.settings = standard;
	if (parse(&fake.settings, text))
		fprintf(stderr, "fake_cl: PENSTOCK_FAKE_CL=%s has what is no setting; none is taken\n", text);
	fake.random = fake.settings.delay;
}

static pthread_once_t loaded = PTHREAD_ONCE_INIT;

void fake_load(void)
{
	pthread_once(&loaded, load_settings);
}

uint64_t fake_random(void)
{
	uint64_t x = fake.random += 0x9e3779b97f4a7c15u;

	x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
	x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
	return x ^ (x >> 31);
}

/* For programs that no test is inside of. */
__attribute__((destructor)) static void report(void)
{
	long live = 0;

	pthread_mutex_lock(&fake.lock);
	for (unsigned i = 0; i < FAKE_CL_KIND_COUNT; i++)
		live += fake.live[i];
	if (fake.settings.report)
		fprintf(stderr, "fake_cl: %u violations, %ld objects are left\n", fake.violation_count, live);
	pthread_mutex_unlock(&fake.lock);
}

/* -- entry points -- */

static cl_int take_fault(enum fake_function function)
{
	cl_int code = CL_SUCCESS;

	for (unsigned i = 0; i < FAKE_FAULTS_MAX; i++) {
		struct fake_fault *f = &fake.faults[i];

		if (!f->times || (f->function >= 0 && f->function != (int)function))
			continue;
		if (f->left > 1) {
			f->left--;
			continue;
		}
		f->times--;
		code = f->code;
	}
	return code;
}

cl_int fake_enter(enum fake_function function)
{
	fake_load();
	pthread_mutex_lock(&fake.lock);
	function_now = names[function];
	fake.calls[function]++;
	return take_fault(function);
}

cl_int fake_leave(cl_int err)
{
	pthread_mutex_unlock(&fake.lock);
	return err;
}

void *fake_leave_with(void *result, cl_int err, cl_int *errcode_ret)
{
	pthread_mutex_unlock(&fake.lock);
	if (errcode_ret)
		*errcode_ret = err;
	return err ? NULL : result;
}

void fake_violation(const char *format, ...)
{
	char text[256];
	int length = snprintf(text, sizeof(text), "%s: ", fake_where());
	va_list args;

	va_start(args, format);
	vsnprintf(text + length, sizeof(text) - (size_t)length, format, args);
	va_end(args);
	if (!fake.settings.quiet)
		fprintf(stderr, "fake_cl: violation: %s\n", text);
	if (fake.violation_count < FAKE_VIOLATIONS_MAX)
		fake.violations[fake.violation_count] = strdup(text);
	fake.violation_count++;
}

cl_int fake_take_command_fault(cl_command_type type)
{
	cl_int status = CL_SUCCESS;

	if (fake.lose_left && !--fake.lose_left)
		fake.lost = true;
	if (fake.lost)
		return fake.lose_status;
	for (unsigned i = 0; i < FAKE_FAULTS_MAX; i++) {
		struct fake_command_fault *f = &fake.command_faults[i];

		if (f->left && (!f->type || f->type == type) && !--f->left)
			status = f->status;
	}
	return status;
}

void fake_count_command(cl_command_type type)
{
	for (unsigned i = 0; i < FAKE_TYPES_MAX; i++) {
		if (!fake.commands[i].type)
			fake.commands[i].type = type;
		if (fake.commands[i].type == type) {
			fake.commands[i].count++;
			return;
		}
	}
}

const struct fake_cl_kernel *fake_find_kernel(const char *name, size_t length)
{
	for (unsigned i = fake.kernel_count; i-- > 0;) {
		if (strlen(fake.kernels[i].name) == length && !strncmp(fake.kernels[i].name, name, length))
			return &fake.kernels[i];
	}
	for (unsigned i = 0; i < fake_kernels_count; i++) {
		if (strlen(fake_kernels[i].name) == length && !strncmp(fake_kernels[i].name, name, length))
			return &fake_kernels[i];
	}
	return fake_task_kernel(name, length);
}

/* -- control -- */

static int configure(const char *text)
{
	int err;

	pthread_mutex_lock(&fake.lock);
	err = parse(&fake.settings, text);
	fake.random = fake.settings.delay;
	pthread_mutex_unlock(&fake.lock);
	return err;
}

static void reset(void)
{
	pthread_mutex_lock(&fake.lock);
	memset(fake.faults, 0, sizeof(fake.faults));
	memset(fake.command_faults, 0, sizeof(fake.command_faults));
	memset(fake.calls, 0, sizeof(fake.calls));
	memset(fake.commands, 0, sizeof(fake.commands));
	fake.lose_left = fake.fail_allocation = 0;
	fake.lost = fake.held = false;
	fake.to_device = fake.to_host = 0;
	load_settings();
	for (unsigned i = 0; i < FAKE_VIOLATIONS_MAX; i++) {
		free(fake.violations[i]);
		fake.violations[i] = NULL;
	}
	fake.violation_count = fake.kernel_count = 0;
	for (unsigned i = 0; i < FAKE_GRAVES; i++) {
		free(fake.graves[i]);
		fake.graves[i] = NULL;
	}
	fake_queues_wake(NULL);
	pthread_mutex_unlock(&fake.lock);
}

static int add_kernel(const struct fake_cl_kernel *kernel)
{
	int err = -ENOSPC;

	if (!kernel || !kernel->name || (!kernel->run && !kernel->item) ||
		kernel->arg_count > FAKE_CL_ARGS_MAX)
		return -EINVAL;
	pthread_mutex_lock(&fake.lock);
	if (fake.kernel_count < FAKE_KERNELS_MAX) {
		fake.kernels[fake.kernel_count++] = *kernel;
		err = 0;
	}
	pthread_mutex_unlock(&fake.lock);
	return err;
}

static int fail_calls(const char *function, unsigned nth, unsigned times, cl_int code)
{
	int index = function ? find_function(function) : -1, err;

	if ((function && index < 0) || !nth || !times || code >= 0)
		return -EINVAL;
	pthread_mutex_lock(&fake.lock);
	err = add_fault((struct fake_fault){ index, nth, times, code });
	pthread_mutex_unlock(&fake.lock);
	return err;
}

static int fail_command(cl_command_type type, unsigned nth, cl_int status)
{
	int err = -ENOSPC;

	if (!nth || status >= 0)
		return -EINVAL;
	pthread_mutex_lock(&fake.lock);
	for (unsigned i = 0; err && i < FAKE_FAULTS_MAX; i++) {
		if (fake.command_faults[i].left)
			continue;
		fake.command_faults[i] = (struct fake_command_fault){ type, nth, status };
		err = 0;
	}
	pthread_mutex_unlock(&fake.lock);
	return err;
}

static void lose_device(unsigned nth, cl_int status, bool refuse)
{
	pthread_mutex_lock(&fake.lock);
	fake.lose_left = nth;
	fake.lose_status = status;
	fake.lose_refuses = refuse;
	pthread_mutex_unlock(&fake.lock);
}

static void fail_allocation(unsigned nth)
{
	pthread_mutex_lock(&fake.lock);
	fake.fail_allocation = nth;
	pthread_mutex_unlock(&fake.lock);
}

static void hold(bool on)
{
	pthread_mutex_lock(&fake.lock);
	fake.held = on;
	fake.steps = 0;
	fake_queues_wake(NULL);
	pthread_mutex_unlock(&fake.lock);
}

static void step(unsigned commands)
{
	pthread_mutex_lock(&fake.lock);
	fake.steps += commands;
	fake_queues_wake(NULL);
	pthread_mutex_unlock(&fake.lock);
}

static bool settled(void)
{
	for (cl_command_queue q = fake.queues; q; q = q->next) {
		if (q->closing || (q->first && !q->first->event->never))
			return false;
	}
	return true;
}

static void settle(void)
{
	pthread_mutex_lock(&fake.lock);
	while (!settled())
		pthread_cond_wait(&fake.changed, &fake.lock);
	pthread_mutex_unlock(&fake.lock);
}

static uint64_t count_calls(const char *function)
{
	int index = function ? find_function(function) : -1;
	uint64_t count = 0;

	pthread_mutex_lock(&fake.lock);
	for (int i = 0; i < FAKE_FUNCTION_COUNT; i++)
		count += !function || i == index ? fake.calls[i] : 0;
	pthread_mutex_unlock(&fake.lock);
	return count;
}

static uint64_t count_commands(cl_command_type type)
{
	uint64_t count = 0;

	pthread_mutex_lock(&fake.lock);
	for (unsigned i = 0; i < FAKE_TYPES_MAX; i++)
		count += !type || fake.commands[i].type == type ? fake.commands[i].count : 0;
	pthread_mutex_unlock(&fake.lock);
	return count;
}

static uint64_t locked(const uint64_t *value)
{
	uint64_t copy;

	pthread_mutex_lock(&fake.lock);
	copy = *value;
	pthread_mutex_unlock(&fake.lock);
	return copy;
}

static uint64_t bytes_to_device(void)
{
	return locked(&fake.to_device);
}

static uint64_t bytes_to_host(void)
{
	return locked(&fake.to_host);
}

static unsigned violation_count(void)
{
	unsigned count;

	pthread_mutex_lock(&fake.lock);
	count = fake.violation_count;
	pthread_mutex_unlock(&fake.lock);
	return count;
}

static const char *violation(unsigned index)
{
	const char *text = NULL;

	pthread_mutex_lock(&fake.lock);
	if (index < fake.violation_count && index < FAKE_VIOLATIONS_MAX)
		text = fake.violations[index];
	pthread_mutex_unlock(&fake.lock);
	return text;
}

static long live(enum fake_cl_kind kind)
{
	long count;

	pthread_mutex_lock(&fake.lock);
	count = fake.live[kind];
	pthread_mutex_unlock(&fake.lock);
	return count;
}

static long threads(void)
{
	long count;

	pthread_mutex_lock(&fake.lock);
	count = fake.threads;
	pthread_mutex_unlock(&fake.lock);
	return count;
}

const struct fake_cl *fake_control(void)
{
	static const struct fake_cl control = { FAKE_CL_VERSION, configure, reset, add_kernel, fail_calls,
		fail_command, lose_device, fail_allocation, hold, step, settle, count_calls, count_commands,
		bytes_to_device, bytes_to_host, violation_count, violation, live, threads };

	fake_load();
	return &control;
}
