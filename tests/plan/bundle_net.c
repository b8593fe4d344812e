/* SPDX-License-Identifier: MIT */
#include "tests/plan/bundle_net.h"
#include "tests/common/common.h"

#include <stdio.h>
#include <string.h>

uint64_t bundle_net_total(const struct bundle_net *n, unsigned i)
{
	const struct bundle_fifo *f = &n->fifos[i];

	return (n->firings - 1) * f->rate + (f->last == BUNDLE_OPEN ? 0 : f->last);
}

static struct bundle_net *net_of(struct pstk_firing *f)
{
	return pstk_actor_arg(pstk_firing_actor(f));
}

/* The port of FIFO i: behind the control port. */
static unsigned port_of(const struct bundle_net *n, unsigned i)
{
	return i + (n->values > 0);
}

static uint64_t token(unsigned fifo, uint64_t number)
{
	return (uint64_t)(fifo + 1) << 24 | (number + 1);
}

static void put(void *window, uint32_t at, size_t size, uint64_t value)
{
	if (size == 4)
		((uint32_t *)window)[at] = (uint32_t)value;
	else
		((uint64_t *)window)[at] = value;
}

static uint64_t get(const void *window, uint32_t at, size_t size)
{
	return size == 4 ? ((const uint32_t *)window)[at] : ((const uint64_t *)window)[at];
}

static int fire_conf(struct pstk_firing *f)
{
	const struct bundle_net *n = net_of(f);
	uint64_t i = pstk_firing_index(f);

	*(uint32_t *)pstk_fifo_write_start(f, 0) = (uint32_t)(i % n->values);
	pstk_fifo_write_end(f, 0);
	return i + 1 < n->firings ? PSTK_AGAIN : PSTK_DONE;
}

static int control(struct pstk_firing *f, uint32_t value)
{
	const struct bundle_net *n = net_of(f);

	for (unsigned i = 0; i < n->count; i++)
		if (n->fifos[i].on)
			pstk_port_enable(f, port_of(n, i), n->fifos[i].on >> value & 1);
	return 0;
}

/* Is the port on or off as the firing's control value says? */
static bool is_on(struct bundle_net *n, const struct pstk_firing *f, unsigned i)
{
	bool on = pstk_port_enabled(f, port_of(n, i));

	if (n->fifos[i].on && on != (n->fifos[i].on >> pstk_firing_index(f) % n->values & 1))
		atomic_fetch_add(&n->wrong, 1);
	return on;
}

static void write_one(struct bundle_net *n, struct pstk_firing *f, unsigned i, bool last)
{
	const struct bundle_fifo *fifo = &n->fifos[i];
	uint32_t valid = last ? fifo->last : fifo->rate;
	unsigned char *window;

	if (!is_on(n, f, i))
		return;
	window = pstk_fifo_write_start(f, port_of(n, i));
	if (!window) { /* which is an error of the firing */
		atomic_fetch_add(&n->wrong, 1);
		return;
	}
	for (uint32_t t = 0; t < fifo->rate; t++) /* behind the valid ones too: these are to be zeros */
		put(window, t, fifo->token_size, token(i, n->written[i] + t));
	if (valid == BUNDLE_OPEN)
		return;
	n->written[i] += valid;
	pstk_fifo_write_end_partial(f, port_of(n, i), valid);
}

static int fire_write(struct pstk_firing *f)
{
	struct bundle_net *n = net_of(f);
	bool last = !n->values && pstk_firing_index(f) + 1 == n->firings;

	for (unsigned i = 0; i < n->count; i++)
		write_one(n, f, i, last);
	if (n->fired)
		n->fired(n, true, pstk_firing_index(f));
	return last ? PSTK_DONE : PSTK_AGAIN;
}

static void read_one(struct bundle_net *n, struct pstk_firing *f, unsigned i, bool last)
{
	const struct bundle_fifo *fifo = &n->fifos[i];
	uint64_t first = n->read_windows[i] * fifo->rate,
		 total = n->values ? UINT64_MAX / 2 : bundle_net_total(n, i);
	uint64_t left = fifo->delay + total > first ? fifo->delay + total - first : 0;
	const void *window;

	if (!is_on(n, f, i))
		return;
	window = pstk_fifo_read_start(f, port_of(n, i));
	if (!window) {
		atomic_fetch_add(&n->wrong, 1);
		return;
	}
	if (pstk_port_valid(f, port_of(n, i)) < fifo->rate)
		atomic_store(&n->reads_last, 1);
	if (pstk_port_valid(f, port_of(n, i)) != (left < fifo->rate ? left : fifo->rate))
		atomic_fetch_add(&n->wrong, 1);
	for (uint32_t t = 0; t < fifo->rate; t++) {
		uint64_t at = first + t;
		uint64_t expected = at < fifo->delay || t >= left ? 0 : token(i, at - fifo->delay);

		if (get(window, t, fifo->token_size) != expected)
			atomic_fetch_add(&n->wrong, 1);
	}
	n->read_windows[i]++;
	if (!last || !fifo->left)
		pstk_fifo_read_end(f, port_of(n, i));
}

static int fire_read(struct pstk_firing *f)
{
	struct bundle_net *n = net_of(f);
	bool last = n->reads && pstk_firing_index(f) + 1 == n->reads;

	for (unsigned i = 0; i < n->count; i++)
		read_one(n, f, i, last);
	if (n->fired)
		n->fired(n, false, pstk_firing_index(f));
	return last ? PSTK_DONE : PSTK_AGAIN;
}

static struct pstk_actor *add(struct bundle_net *n, const char *name, bool writes)
{
	struct pstk_port ports[BUNDLE_MOST + 1];
	char names[BUNDLE_MOST][16];

	ports[0] = (struct pstk_port){ .name = "control", .kind = PSTK_CONTROL };
	for (unsigned i = 0; i < n->count; i++) {
		bool dynamic = n->fifos[i].on;

		snprintf(names[i], sizeof names[i], "%c%u", writes ? 'o' : 'i', i);
		ports[port_of(n, i)] = (struct pstk_port){ .name = names[i],
			.kind = writes ? (dynamic ? PSTK_DYNAMIC_OUTPUT : PSTK_OUTPUT)
			               : (dynamic ? PSTK_DYNAMIC_INPUT : PSTK_INPUT),
			.token_size = n->fifos[i].token_size };
	}
	return pstk_network_add(n->net, name,
		PSTK_ACTOR_TYPE(.name = name, .ports = ports, .port_count = port_of(n, n->count),
			.control_values = n->undeclared ? 0 : n->values,
			.control = n->values ? control : NULL, .fire = writes ? fire_write : fire_read),
		n);
}

static void add_conf(struct bundle_net *n)
{
	static const struct pstk_port port = { .name = "out", .kind = PSTK_OUTPUT };
	struct pstk_actor *conf = pstk_network_add(n->net, "conf",
		PSTK_ACTOR_TYPE(.name = "conf", .ports = &port, .port_count = 1, .fire = fire_conf), n);

	pstk_connect(conf, "out", n->write, "control", PSTK_FIFO(.rate = 1));
	pstk_connect(conf, "out", n->read, "control", PSTK_FIFO(.rate = 1));
}

void bundle_net_build(struct bundle_net *n)
{
	n->net = pstk_network_create("beside");
	ck_assert_int_eq(pstk_network_set_threads(n->net, n->threads), 0);
	n->write = add(n, "write", true);
	n->read = add(n, "read", false);
	for (unsigned i = 0; i < n->count; i++) {
		const struct bundle_fifo *f = &n->fifos[i];
		char out[16], in[16];

		snprintf(out, sizeof out, "o%u", i);
		snprintf(in, sizeof in, "i%u", i);
		n->made[i] = pstk_connect(n->write, out, n->read, in,
			PSTK_FIFO(.rate = f->rate, .delay = f->delay, .depth = f->depth));
	}
	if (n->values)
		add_conf(n);
	memset(n->written, 0, sizeof n->written);
	memset(n->read_windows, 0, sizeof n->read_windows);
	atomic_store(&n->reads_last, 0);
	atomic_store(&n->wrong, 0);
}

int bundle_net_run(struct bundle_net *n)
{
	bundle_net_build(n);
	return pstk_network_run(n->net);
}

void bundle_net_destroy(struct bundle_net *n)
{
	pstk_network_destroy(n->net);
	n->net = NULL;
}
