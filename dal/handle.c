/* SPDX-License-Identifier: MIT */
#include "dal/handle.h"

#include "penstock/dal.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

const char *ps_dal_port_name(const void *port, char buffer[16])
{
	/* no name is in the first page of memory */
	if ((uintptr_t)port >= 4096)
		return port;
	snprintf(buffer, 16, "%u", (unsigned)(uintptr_t)port);
	return buffer;
}

int DAL_create_port(char *port, const char *base, int ndim, ...)
{
	char buffer[16];
	const char *name = ps_dal_port_name(base, buffer);
	size_t used;
	va_list args;
	int result = 0;

	if (!port)
		return -1;
	used = (size_t)snprintf(port, DAL_PORT_NAME, "%s", name);
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
