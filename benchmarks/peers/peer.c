/* SPDX-License-Identifier: MIT */
#include "benchmarks/peers/peer.h"

#include "benchmarks/peers/peer_table.h"

#include <stdarg.h>
#include <stdio.h>

static struct rounds_table table; /* the one that is being filled or run */

static peer_group group_of;

void peer_begin(const struct rounds_table *empty, peer_group group)
{
	table = *empty;
	group_of = group;
}

struct rounds_table *peer_table(void)
{
	return &table;
}

void peer_add(peer_run run, const void *arg, const char *name, ...)
{
	struct rounds_variant *v;
	char text[sizeof v->name];
	va_list args;

	va_start(args, name);
	vsnprintf(text, sizeof text, name, args);
	va_end(args);
	v = rounds_add(&table, run, arg, "%s", text);
	v->group = group_of ? group_of(arg) : 0;
	v->role = ROUNDS_PEER;
}

void *peer_alloc(size_t bytes)
{
	return rounds_alloc(bytes);
}

void peer_fail(const char *format, ...)
{
	char text[256];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof text, format, args);
	va_end(args);
	rounds_fail("%s", text);
}
