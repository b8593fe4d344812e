/* SPDX-License-Identifier: MIT */
#include "tests/random/device.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A row of the table. KEY_DELAY 0: zeros. An input's: HISTORY, and in its upper half whether that is the stream's first
 * tokens (a peek); END: positions from there on hold zeros. */
enum { KIND, RATE, DELAY, KEY_DELAY, KEY, SIZE, VALUES, LENGTH, HISTORY = VALUES, END = LENGTH };
enum { READS, WRITES, CONTROLS };

static const char common[] =
	"struct state { ulong firings, wrong, plain, moved[8], table[1]; };\n"
	"ulong mix_(ulong x) {\n"
	"	x += 0x9e3779b97f4a7c15UL;\n"
	"	x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9UL;\n"
	"	x = (x ^ (x >> 27)) * 0x94d049bb133111ebUL;\n"
	"	return x ^ (x >> 31);\n"
	"}\n"
	"/* token t: its bytes are written, or compared; 1: they differ */\n"
	"ulong token(__global const ulong *row, ulong t, __global const uchar *in, __global uchar *out) {\n"
	"	ulong early = out ? 0 : t < row[2], word = early ? mix_(row[3] + t) : mix_(row[4] + t - (out "
	"? 0 : row[2]));\n"
	"	ulong bad = 0;\n"
	"	for (ulong i = 0; i < row[5]; i += 8, word = mix_(word))\n"
	"		for (ulong k = i; k < i + 8 && k < row[5]; k++) {\n"
	"			uchar byte = early && !row[3] ? 0 : (uchar)(word >> (8 * (k - i)));\n"
	"			if (out) out[k] = byte; else bad |= in[k] != byte;\n"
	"		}\n"
	"	return bad;\n"
	"}\n"
	"ulong check(__global const uchar *w, uint rate, uint valid, __global const ulong *row) {\n"
	"	ulong lowest = row[5] & -row[5], align = lowest < 64 ? lowest : 64;\n"
	"	if (!align) return 0; /* the launch of start(): all is zeros */\n"
	"	return !valid || valid > rate || rate != row[1] || (ulong)w % align;\n"
	"}\n"
	"ulong reads(__global const uchar *w, uint rate, uint valid, __global const ulong *row, ulong moved) "
	"{\n"
	"	ulong bad = check(w, rate, valid, row), history = row[6] & 0xffffffff;\n"
	"	long first = (long)(moved * rate) - (row[6] >> 32 ? 0 : (long)history);\n"
	"	for (ulong i = 0; i < history + rate; i++) {\n"
	"		long t = first + (long)i;\n"
	"		if (i < history + valid && t >= 0 && (ulong)t < row[7])\n"
	"			bad += token(row, t, w + i * row[5], 0);\n"
	"		else for (ulong k = 0; k < row[5]; k++) bad += w[i * row[5] + k] != 0;\n"
	"	}\n"
	"	return bad;\n"
	"}\n"
	"ulong writes(__global uchar *w, uint rate, uint valid, __global const ulong *row, ulong moved,\n"
	"	__global const ulong *table) {\n"
	"	ulong bad = check(w, rate, valid, row);\n"
	"	if (row[0] == 2) {\n"
	"		*(__global uint *)w = (uint)table[row[6] + moved % row[7]];\n"
	"		return bad;\n"
	"	}\n"
	"	for (ulong i = 0; i < valid; i++) token(row, moved * rate + i, 0, w + i * row[5]);\n"
	"	for (ulong i = valid * row[5]; i < rate * row[5]; i++) w[i] = 0xba;\n"
	"	return bad;\n"
	"}\n"
	"#define ROW(n) (table + 8 * n)\n"
	"#define MOVED(n) (s->plain ? firing : s->moved[n]++)\n"
	"#define IN(n) if (!w##n) wrong += v##n != 0; else wrong += reads(w##n, r##n, v##n, ROW(n), "
	"MOVED(n))\n"
	"#define OUT(n) if (!w##n) wrong += v##n != 0; else wrong += writes(w##n, r##n, v##n, ROW(n), "
	"MOVED(n), "
	"table)\n"
	"#define ANY(n) if (ROW(n)[0]) { OUT(n); } else IN(n)\n"
	"/* what keeps nothing tells its readers */\n"
	"#define SPOIL(n) if (ROW(n)[0] && w##n) *w##n ^= 0xff\n";

static uint64_t check(const void *w, uint32_t rate, uint32_t valid, const uint64_t *row)
{
	uint64_t lowest = row[SIZE] & -row[SIZE], align = lowest < 64 ? lowest : 64;

	if (!align) /* the launch of start(): all is zeros */
		return 0;
	return !valid || valid > rate || rate != row[RATE] || (uintptr_t)w % align;
}

static uint64_t reads(
	const unsigned char *w, uint32_t rate, uint32_t valid, const uint64_t *row, uint64_t moved)
{
	uint64_t bad = check(w, rate, valid, row), history = row[HISTORY] & UINT32_MAX;
	int64_t first = (int64_t)(moved * rate) - (row[HISTORY] >> 32 ? 0 : (int64_t)history);
	unsigned char token[128];

	for (uint64_t i = 0; i < history + rate; i++) {
		uint64_t t = (uint64_t)(first + (int64_t)i); /* below 0: beyond the end */

		memset(token, 0, sizeof token);
		if (i >= history + valid || t >= row[END])
			;
		else if (t >= row[DELAY])
			net_fill(row[KEY], t - row[DELAY], token, row[SIZE]);
		else if (row[KEY_DELAY])
			net_fill(row[KEY_DELAY], t, token, row[SIZE]);
		bad += memcmp(w + i * row[SIZE], token, row[SIZE]) != 0;
	}
	return bad;
}

static uint64_t writes(unsigned char *w, uint32_t rate, uint32_t valid, const uint64_t *row, uint64_t moved,
	const uint64_t *table)
{
	uint64_t bad = check(w, rate, valid, row);

	if (row[KIND] == CONTROLS) {
		*(uint32_t *)w = (uint32_t)table[row[VALUES] + moved % row[LENGTH]];
		return bad;
	}
	for (uint64_t i = 0; i < valid; i++)
		net_fill(row[KEY], moved * rate + i, w + i * row[SIZE], row[SIZE]);
	memset(w + valid * row[SIZE], 0xba, (rate - valid) * row[SIZE]);
	return bad;
}

void device_run(struct device_state *s, uint64_t firing, const uint64_t *table, unsigned windows,
	void *const *at, const uint32_t *rate, const uint32_t *valid)
{
	uint64_t wrong = s->plain ? 0 : s->firings++ != firing;

	for (unsigned p = 0; p < windows; p++) {
		const uint64_t *row = table + DEVICE_ROW * p;

		if (!at[p])
			wrong += valid[p] != 0;
		else if (row[KIND] == READS)
			wrong += reads(at[p], rate[p], valid[p], row, s->plain ? firing : s->moved[p]++);
		else
			wrong += writes(
				at[p], rate[p], valid[p], row, s->plain ? firing : s->moved[p]++, table);
	}
	if (!s->plain)
		s->wrong += wrong;
	for (unsigned p = 0; p < windows && s->plain && wrong; p++) /* its readers tell */
		if (at[p] && table[DEVICE_ROW * p + KIND] != READS)
			*(unsigned char *)at[p] ^= 0xff;
}

void device_kernel_name(char *name, size_t size, unsigned windows, unsigned outputs)
{
	snprintf(name, size, windows > DEVICE_ORDERED ? "net_%u" : "net_", windows);
	for (unsigned w = 0; w < windows && windows <= DEVICE_ORDERED; w++)
		snprintf(name + 4 + w, size - 4 - w, outputs >> w & 1 ? "o" : "i");
}

struct text {
	char *bytes;
	size_t size;
};

static void append(struct text *t, const char *words, unsigned window)
{
	for (; *words; words++)
		t->bytes[t->size++] = *words == '#' ? (char)('0' + window) : *words;
	t->bytes[t->size] = 0;
}

static void append_kernel(struct text *t, unsigned windows, unsigned outputs)
{
	bool ordered = windows <= DEVICE_ORDERED;
	char name[16];

	device_kernel_name(name, sizeof name, windows, outputs);
	append(t, "__kernel void ", 0);
	append(t, name, 0);
	append(t, "(", 0);
	for (unsigned w = 0; w < windows; w++)
		append(t,
			ordered && !(outputs >> w & 1) ? "__global const uchar *w#, "
						       : "__global uchar *w#, ",
			w);
	append(t, "__global struct state *s, ulong firing", 0);
	append(t, ordered ? "" : ", __global const ulong *table", 0);
	for (unsigned w = 0; w < windows; w++)
		append(t, ", uint r#, uint v#", w);
	append(t, ")\n{\n	ulong wrong = s->plain ? 0 : s->firings++ != firing;\n", 0);
	append(t, ordered ? "	__global const ulong *table = s->table;\n" : "", 0);
	for (unsigned w = 0; w < windows; w++)
		append(t, !ordered ? "	ANY(#);\n" : outputs >> w & 1 ? "	OUT(#);\n" : "	IN(#);\n", w);
	append(t, "	if (!s->plain) { s->wrong += wrong; return; }\n	if (!wrong) return;\n", 0);
	for (unsigned w = 0; w < windows; w++)
		append(t, ordered && !(outputs >> w & 1) ? "" : "	SPOIL(#);\n", w);
	append(t, "}\n", 0);
}

/* One source for all actors of so many windows: a network builds few programs, and small ones. */
static const char *source(unsigned windows)
{
	static char sources[NET_WINDOWS + 1][sizeof common + (1 << DEVICE_ORDERED) * 700];
	struct text t = { sources[windows], 0 };

	if (t.bytes[0])
		return t.bytes;
	for (const char *c = common; *c; c++) /* with its # */
		t.bytes[t.size++] = *c;
	for (unsigned outputs = 0; outputs < (windows <= DEVICE_ORDERED ? 1u << windows : 1); outputs++)
		append_kernel(&t, windows, outputs);
	ck_assert_uint_lt(t.size, sizeof sources[windows]);
	return t.bytes;
}

/* The keys are those of net_token(). */
static void fill_row(struct device_actor *d, const struct net *net, const struct oracle *o, unsigned actor,
	unsigned window)
{
	unsigned p = d->port[window];
	const struct net_port *port = &net->actors[actor].ports[p];
	unsigned f = net_at(net, actor, p);
	const struct net_fifo *fifo = &net->fifos[f];
	const struct net_sequences *s = o->sequences;
	uint64_t *row = d->table + DEVICE_ROW * window;

	row[KIND] = net_reads(port->kind) ? READS : port->group >= 0 ? CONTROLS : WRITES;
	row[RATE] = port->rate;
	row[DELAY] = fifo->delay;
	row[KEY_DELAY] = fifo->initial;
	row[KEY] = net_written_key(net, fifo->src, fifo->src_port);
	row[SIZE] = fifo->token_size;
	if (row[KIND] == READS) {
		row[HISTORY] = fifo->history | (uint64_t)fifo->peek << 32;
		row[END] = fifo->delay + o->fifos[f].tokens;
	}
	if (row[KIND] != CONTROLS)
		return;
	row[VALUES] = d->table_size;
	row[LENGTH] = s->length[net->groups[port->group].twin];
	for (uint64_t i = 0; i < row[LENGTH]; i++)
		d->table[d->table_size++] = net_value(net, s, (unsigned)port->group, i);
}

void device_prepare(struct device_actor *d, const struct net *net, const struct oracle *o, unsigned a)
{
	unsigned outputs = 0;

	memset(d, 0, sizeof *d);
	for (unsigned p = 0; p < net->actors[a].port_count; p++) {
		if (net->actors[a].ports[p].kind == NET_CONTROL)
			continue;
		outputs |= (unsigned)!net_reads(net->actors[a].ports[p].kind) << d->windows;
		d->port[d->windows++] = p;
	}
	d->table_size = DEVICE_ROW * d->windows;
	for (unsigned w = 0; w < d->windows; w++)
		fill_row(d, net, o, a, w);
	device_kernel_name(d->name, sizeof d->name, d->windows, outputs);
	d->state_size = offsetof(struct device_state, table) + d->table_size * sizeof *d->table;
	d->kernel = (struct pstk_kernel){ .source = source(d->windows), .name = d->name };
}

int device_init(struct pstk_actor *self, const struct device_actor *d, bool plain)
{
	struct device_state *state = pstk_actor_state(self);
	const size_t one = 1;
	unsigned next = 0;
	int err = pstk_actor_set_work_size(self, 1, &one, &one);

	state->plain = plain;
	memcpy(state->table, d->table, d->table_size * sizeof *d->table);
	if (!err && d->windows > DEVICE_ORDERED)
		err = pstk_actor_set_arg(self, next++, d->table_size * sizeof *d->table, d->table);
	for (unsigned w = 0; w < d->windows && !err; w++) {
		err = pstk_actor_set_arg(self, next++, 4, PSTK_ARG_RATE(d->port[w]));
		err = err ? err : pstk_actor_set_arg(self, next++, 4, PSTK_ARG_VALID(d->port[w]));
	}
	return err;
}
