/* SPDX-License-Identifier: MIT */
#include "tests/random/dynamic_device.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A row of the table. */
enum { KIND, RATE, DELAY, KEY_DELAY, KEY, VALUES, LENGTH };
enum { READS, WRITES, CONTROLS };

static const char common[] =
	"struct state { ulong firings, wrong, moved[8]; };\n"
	"ulong mix_(ulong x) {\n"
	"	x += 0x9e3779b97f4a7c15UL;\n"
	"	x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9UL;\n"
	"	x = (x ^ (x >> 27)) * 0x94d049bb133111ebUL;\n"
	"	return x ^ (x >> 31);\n"
	"}\n"
	"ulong token(__global const ulong *row, ulong t) {\n"
	"	return t < row[2] ? mix_(row[3] + t) : mix_(row[4] + t - row[2]);\n"
	"}\n"
	"ulong port(__global ulong *w, uint valid, __global const ulong *table, uint p, ulong moved) {\n"
	"	__global const ulong *row = table + 7 * p;\n"
	"	ulong bad = !valid || valid > row[1], first = moved * row[1];\n"
	"	if (row[0] == 2) {\n"
	"		*(__global uint *)w = (uint)table[row[5] + moved % row[6]];\n"
	"		return bad;\n"
	"	}\n"
	"	for (uint i = 0; i < row[1]; i++)\n"
	"		if (row[0] == 1) w[i] = i < valid ? mix_(row[4] + first + i) : 0xbad;\n"
	"		else bad += w[i] != (i < valid ? token(row, first + i) : 0);\n"
	"	return bad;\n"
	"}\n"
	"#define PORT(n) if (!w##n) wrong += v##n != 0; else wrong += port(w##n, v##n, table, n, "
	"s->moved[n]++)\n";

void dyn_device_run(struct dyn_device_state *s, uint64_t firing, const uint64_t *table, unsigned windows,
	void *const *at, const uint32_t *valid)
{
	s->wrong += s->firings++ != firing;
	for (unsigned p = 0; p < windows; p++) {
		const uint64_t *row = table + DYN_DEVICE_ROW * p;
		uint64_t first = s->moved[p] * row[RATE], *w = at[p];

		s->wrong += w ? !valid[p] || valid[p] > row[RATE] : valid[p] != 0;
		if (!w)
			continue;
		if (row[KIND] == CONTROLS)
			*(uint32_t *)at[p] = (uint32_t)table[row[VALUES] + s->moved[p] % row[LENGTH]];
		for (uint64_t i = 0; row[KIND] == WRITES && i < row[RATE]; i++)
			w[i] = i < valid[p] ? test_mix(row[KEY] + first + i) : 0xbad;
		for (uint64_t i = 0; row[KIND] == READS && i < row[RATE]; i++)
			s->wrong += w[i] != (i >= valid[p] ? 0
						    : first + i < row[DELAY]
							    ? test_mix(row[KEY_DELAY] + first + i)
							    : test_mix(row[KEY] + first + i - row[DELAY]));
		s->moved[p]++;
	}
}

/* dyn_1, dyn_2, .. */
static const char *source(void)
{
	static char text[sizeof common + DYN_DEVICE_PORTS * (160 + DYN_DEVICE_PORTS * 64)];
	size_t used;

	if (text[0])
		return text;
	used = (size_t)snprintf(text, sizeof text, "%s", common);
	for (unsigned n = 1; n <= DYN_DEVICE_PORTS; n++) {
		used += (size_t)snprintf(text + used, sizeof text - used, "__kernel void dyn_%u(", n);
		for (unsigned p = 0; p < n; p++)
			used += (size_t)snprintf(text + used, sizeof text - used, "__global ulong *w%u, ", p);
		used += (size_t)snprintf(text + used, sizeof text - used,
			"__global struct state *s, ulong firing, __global const ulong *table");
		for (unsigned p = 0; p < n; p++)
			used += (size_t)snprintf(text + used, sizeof text - used, ", uint v%u", p);
		used += (size_t)snprintf(
			text + used, sizeof text - used, ")\n{\n\tulong wrong = s->firings++ != firing;\n");
		for (unsigned p = 0; p < n; p++)
			used += (size_t)snprintf(text + used, sizeof text - used, "\tPORT(%u);\n", p);
		used += (size_t)snprintf(text + used, sizeof text - used, "\ts->wrong += wrong;\n}\n");
	}
	ck_assert_uint_lt(used, sizeof text);
	return text;
}

bool dyn_device_can(const struct dyn_net *net, unsigned a)
{
	unsigned windows = 0;

	for (unsigned p = 0; p < net->actors[a].port_count; p++)
		windows += net->actors[a].ports[p].kind != DYN_CONTROL;
	return windows && windows <= DYN_DEVICE_PORTS;
}

/* The keys are those of dyn_token() and dyn_written_token(). */
static void fill_row(struct dyn_device_actor *d, const struct dyn_sequences *s, unsigned window)
{
	const struct dyn_net *net = d->net;
	unsigned p = d->port[window], f = 0;
	const struct dyn_port *port = &d->arg.actor->ports[p];
	bool reads = dyn_reads(port->kind);
	uint64_t *row = d->table + DYN_DEVICE_ROW * window;
	const struct dyn_fifo *fifo;

	while (reads ? net->fifos[f].dst != d->number || net->fifos[f].dst_port != p
		     : net->fifos[f].src != d->number || net->fifos[f].src_port != p)
		f++;
	fifo = &net->fifos[f];
	row[KIND] = reads ? READS : port->group >= 0 ? CONTROLS : WRITES;
	row[RATE] = fifo->rate;
	row[DELAY] = fifo->delay;
	row[KEY_DELAY] = test_mix(~net->seed + f);
	row[KEY] = test_mix(test_mix(net->seed + fifo->src) + fifo->src_port);
	if (row[KIND] != CONTROLS)
		return;
	row[VALUES] = d->table_size;
	row[LENGTH] = s->length[net->groups[port->group].twin];
	for (uint64_t i = 0; i < row[LENGTH]; i++)
		d->table[d->table_size++] = dyn_value(net, s, (unsigned)port->group, i);
}

static int device_init(struct pstk_actor *self)
{
	const struct dyn_device_actor *d = pstk_actor_arg(self);
	const size_t one = 1;
	int err = pstk_actor_set_work_size(self, 1, &one, &one);

	err = err ? err : pstk_actor_set_arg(self, 0, d->table_size * sizeof *d->table, d->table);
	for (unsigned w = 0; w < d->windows && !err; w++)
		err = pstk_actor_set_arg(self, 1 + w, 4, PSTK_ARG_VALID(d->port[w]));
	return err;
}

static int device_finish(struct pstk_actor *self)
{
	struct dyn_device_actor *d = pstk_actor_arg(self);

	d->left = *(struct dyn_device_state *)pstk_actor_state(self);
	return 0;
}

void dyn_device_describe(struct dyn_device_actor *d, const struct dyn_net *net, const struct dyn_sequences *s,
	unsigned actor, struct pstk_actor_type *type)
{
	static _Thread_local char name[16];
	static _Thread_local struct pstk_kernel kernel;

	*d = (struct dyn_device_actor){ .arg = { &net->actors[actor] }, .net = net, .number = actor };
	for (unsigned p = 0; p < net->actors[actor].port_count; p++)
		if (net->actors[actor].ports[p].kind != DYN_CONTROL)
			d->port[d->windows++] = p;
	d->table_size = DYN_DEVICE_ROW * d->windows;
	for (unsigned w = 0; w < d->windows; w++)
		fill_row(d, s, w);
	snprintf(name, sizeof name, "dyn_%u", d->windows);
	kernel = (struct pstk_kernel){ .source = source(), .name = name };
	type->kernel = &kernel; /* copied by pstk_network_add() */
	type->state_size = sizeof d->left;
	type->init = device_init;
	type->finish = device_finish;
}
