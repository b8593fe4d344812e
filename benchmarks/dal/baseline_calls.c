/* SPDX-License-Identifier: MIT */
/* Calls: what every process uses: its ports, indices, events, printing. */
#include "benchmarks/dal/baseline_calls.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

struct baseline_process *baseline_process_of(const DALProcess *p)
{
	return p ? p->wptr : NULL;
}

/* A port's name: itself, or a number's digits, in buffer. */
static const char *name_of(const void *port, char buffer[16])
{
	/* no name is in the first page of memory */
	if ((uintptr_t)port >= 4096)
		return port;
	snprintf(buffer, 16, "%u", (unsigned)(uintptr_t)port);
	return buffer;
}

struct baseline_port *baseline_port_of(
	struct baseline_process *p, const char *call, const void *port, bool input)
{
	char buffer[16];
	const char *name = name_of(port, buffer);

	if (p->err)
		return NULL;
	if (p->phase != BASELINE_FIRE) {
		baseline_wrong(p, "%s(\"%s\") in init or finish: ports move only in fire", call, name);
		return NULL;
	}
	p->touched = true;
	for (unsigned i = 0; i < p->port_count; i++) {
		unsigned k = (p->next + i) % p->port_count;

		if (strcmp(p->ports[k].name, name) != 0)
			continue;
		if (p->ports[k].input != input)
			break;
		p->next = k + 1;
		return &p->ports[k];
	}
	baseline_wrong(p, "%s(\"%s\"): the process network gives it no such %s", call, name,
		input ? "input" : "output");
	return NULL;
}

int DAL_send_event(const void *message, DALProcess *dal)
{
	struct baseline_process *p = baseline_process_of(dal);

	if (!p || !message || p->phase == BASELINE_FINISH)
		return -1;
	baseline_stop(p->owner);
	return 0;
}

int DAL_getIndex(int dimension, DALProcess *dal)
{
	struct baseline_process *p = baseline_process_of(dal);

	if (!p || dimension < 0 || (unsigned)dimension >= p->index_count)
		return -1;
	return p->indices[dimension];
}

int DAL_create_port(char *port, const char *base, int ndim, ...)
{
	char buffer[16];
	size_t used;
	va_list args;
	int result = 0;

	if (!port)
		return -1;
	used = (size_t)snprintf(port, DAL_PORT_NAME, "%s", name_of(base, buffer));
	va_start(args, ndim);
	for (int i = 0; i < ndim; i++) {
		int index = va_arg(args, int), range = va_arg(args, int);
		bool within = index >= 0 && index < range;

		/* a port of this name there isn't: the next call with it says so */
		if (!within)
			result = -1;
		if (used < DAL_PORT_NAME)
			used += (size_t)snprintf(port + used, DAL_PORT_NAME - used,
				within ? "_%d" : "_%d of %d", index, range);
	}
	va_end(args);
	return used < DAL_PORT_NAME ? result : -1;
}

int DAL_printf(const char *format, ...)
{
	va_list args;
	int count;

	if (!format)
		return -1;
	va_start(args, format);
	count = vprintf(format, args);
	va_end(args);
	return count;
}
