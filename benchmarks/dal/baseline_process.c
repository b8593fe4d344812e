/* SPDX-License-Identifier: MIT */
#include "benchmarks/dal/baseline_process.h"
#include "benchmarks/dal/baseline_device.h"

#include <errno.h>
#include <sched.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* Fires without a port until a process counts as idle for ever though tokens may come: as libpenstock-dal. */
enum { IDLE_FIRES = 16384 };

/* -- what ends it -- */

struct baseline_patience baseline_patience(const struct baseline_process *p)
{
	return (struct baseline_patience){ &p->changes, atomic_load(&p->changes) };
}

void baseline_process_nudge(struct baseline_process *p)
{
	atomic_fetch_add(&p->changes, 1);
	for (unsigned i = 0; i < p->port_count; i++)
		baseline_channel_nudge(p->ports[i].channel, !p->ports[i].input);
}

void baseline_process_over(struct baseline_process *p)
{
	atomic_store(&p->over, true);
	baseline_process_nudge(p);
}

void baseline_stop(struct baseline *b)
{
	atomic_store(&b->stopped, true);
	for (unsigned i = 0; i < b->process_count; i++)
		if (b->processes[i].source)
			baseline_process_over(&b->processes[i]);
}

PSTK_DAL_PRINTF(4, 0)
static int fail(struct baseline *b, int err, const char *who, const char *format, va_list args)
{
	pthread_mutex_lock(&b->lock);
	if (!b->err) {
		int used =
			snprintf(b->error, sizeof b->error, who ? "process '%.60s': " : "%s", who ? who : "");

		b->err = err;
		vsnprintf(b->error + used, sizeof b->error - (size_t)used, format, args);
	}
	pthread_mutex_unlock(&b->lock);
	atomic_store(&b->failed, true);
	for (unsigned i = 0; i < b->process_count; i++)
		baseline_process_over(&b->processes[i]);
	return err;
}

int baseline_fail(struct baseline *b, int err, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	fail(b, err, NULL, format, args);
	va_end(args);
	return err;
}

int baseline_wrong(struct baseline_process *p, const char *format, ...)
{
	va_list args;

	if (p->err)
		return p->err;
	p->err = -EINVAL;
	p->ended = true;
	va_start(args, format);
	fail(p->owner, p->err, p->name, format, args);
	va_end(args);
	return p->err;
}

/* -- waiting -- */

/* Wakes now the threads that are to be woken later: it may be long until p's thread comes back. */
static void pay(const struct baseline_process *p)
{
	if (p->owner->options.wait != BASELINE_DEFERRED)
		return;
	for (unsigned i = 0; i < p->port_count; i++)
		baseline_channel_pay(p->ports[i].channel, !p->ports[i].input);
}

void baseline_wait(struct baseline_process *p, struct baseline_channel *c, bool input, uint64_t tokens,
	struct baseline_patience patience)
{
	pay(p);
	if (input)
		baseline_wait_readable(c, tokens, patience);
	else
		baseline_wait_writable(c, tokens, patience);
}

/* -- windows -- */

void baseline_open_read(struct baseline_port *port)
{
	struct baseline_channel *c = port->channel;
	uint64_t there = baseline_readable(c), span;

	port->place = (char *)(uintptr_t)baseline_read_at(c, &span);
	port->valid = there < c->rate ? (uint32_t)there : c->rate;
	baseline_begin_read(c, c->rate);
}

void baseline_open_write(struct baseline_port *port)
{
	uint64_t span;

	port->place = baseline_write_at(port->channel, &span);
	port->valid = port->channel->rate;
	baseline_begin_write(port->channel, port->channel->rate);
}

void baseline_end_input(struct baseline_port *port)
{
	baseline_end_read(port->channel, port->channel->rate);
	port->over = true;
}

void baseline_end_output(struct baseline_process *p, struct baseline_port *port)
{
	struct baseline_channel *c = port->channel;

	port->over = true;
	if (atomic_load(&p->owner->failed))
		return;
	if (port->own)
		memcpy(port->place, port->own, (size_t)c->rate * c->token_size);
	baseline_mirror(c, port->place, c->rate);
	baseline_end_write(c, port->valid);
}

void baseline_default_valid(struct baseline_process *p)
{
	for (unsigned i = 0; i < p->port_count; i++) {
		struct baseline_port *out = &p->ports[i];

		for (unsigned k = 0; k < p->port_count && !out->input; k++) {
			const struct baseline_port *in = &p->ports[k];
			uint64_t rate = in->channel->rate, valid;

			if (!in->input || in->valid == rate)
				continue;
			valid = ((uint64_t)out->channel->rate * in->valid + rate - 1) / rate;
			out->valid = valid < out->valid ? (uint32_t)valid : out->valid;
		}
	}
}

/* Is there a window, or a last one that lacks tokens? */
static bool has_window(const struct baseline_port *port)
{
	const struct baseline_channel *c = port->channel;
	bool closed = atomic_load(&c->closed);

	if (!port->input)
		return atomic_load(&c->unwanted) || baseline_writable(c) >= c->rate;
	return baseline_readable(c) >= (closed ? 1 : c->rate);
}

bool baseline_has_windows(const struct baseline_process *p)
{
	for (unsigned i = 0; i < p->port_count; i++)
		if (!has_window(&p->ports[i]))
			return false;
	return true;
}

/* Waits for one that isn't there. false: the process is over. */
bool baseline_take_windows(struct baseline_process *p)
{
	for (;;) {
		struct baseline_patience patience = baseline_patience(p);
		struct baseline_port *missing = NULL;

		if (atomic_load(&p->over))
			return false;
		for (unsigned i = 0; i < p->port_count; i++) {
			struct baseline_port *port = &p->ports[i];

			if (port->input && baseline_has_ended(port->channel))
				return false;
			if (!missing && !has_window(port))
				missing = port;
		}
		if (!missing)
			return true;
		baseline_wait(p, missing->channel, missing->input, missing->channel->rate, patience);
	}
}

/* -- firing -- */

/* Has each input's writer ended, and all been read? */
static bool has_read_all(const struct baseline_process *p)
{
	bool inputs = false;

	for (unsigned i = 0; i < p->port_count; i++) {
		if (!p->ports[i].input)
			continue;
		inputs = true;
		if (!baseline_has_ended(p->ports[i].channel))
			return false;
	}
	return inputs;
}

/* Does nothing new come into the network any more? */
static bool sources_have_ended(const struct baseline *b)
{
	bool sources = false;

	for (unsigned i = 0; i < b->channel_count; i++) {
		const struct baseline_channel *c = &b->channels[i];

		if (c->writer->output_count < c->writer->port_count)
			continue;
		sources = true;
		if (!atomic_load(&c->closed))
			return false;
	}
	return sources;
}

/* Of a process that has not looked at a port in this fire. */
static bool is_through(struct baseline_process *p)
{
	if (p->idle < IDLE_FIRES)
		p->idle++;
	pay(p);
	sched_yield();
	if (has_read_all(p))
		return true;
	return p->idle == IDLE_FIRES && (atomic_load(&p->owner->stopped) || sources_have_ended(p->owner));
}

static void begin_fire(struct baseline_process *p)
{
	p->touched = p->ended = false;
	p->next = 0;
	for (unsigned i = 0; i < p->port_count; i++) {
		p->ports[i].data = NULL;
		p->ports[i].ended = 0;
		p->ports[i].over = false;
	}
}

/* Reads and writes when it likes. When it is over it is fired once more, as libpenstock-dal does. */
static void fire_streams(struct baseline_process *p)
{
	bool over;

	do {
		over = atomic_load(&p->over);
		begin_fire(p);
		p->definition->fire(&p->dal);
		for (unsigned i = 0; i < p->port_count && !p->err; i++)
			if (p->ports[i].data && !p->ports[i].over)
				baseline_wrong(p, "fire() has left a window of port '%s' open: end it",
					p->ports[i].name);
		if (p->touched)
			p->idle = 0;
		else if (!p->err && is_through(p))
			return;
	} while (!p->err && !p->ended && !over);
}

static void fire_windows(struct baseline_process *p)
{
	while (!p->err && baseline_take_windows(p)) {
		begin_fire(p);
		for (unsigned i = 0; i < p->port_count; i++) {
			if (p->ports[i].input)
				baseline_open_read(&p->ports[i]);
			else
				baseline_open_write(&p->ports[i]);
		}
		baseline_default_valid(p);
		p->definition->fire(&p->dal);
		for (unsigned i = 0; i < p->port_count && !p->err; i++)
			if (!p->ports[i].over)
				baseline_wrong(p,
					"fire() has not %s a window of port '%s': each port's is begun and "
					"ended in each fire",
					p->ports[i].data ? "ended" : "begun", p->ports[i].name);
	}
}

/* Those at the other ends are told. */
static void close_ports(struct baseline_process *p)
{
	for (unsigned i = 0; i < p->port_count; i++) {
		struct baseline_channel *c = p->ports[i].channel;

		if (!p->ports[i].input) {
			atomic_store(&c->closed, true);
			baseline_process_nudge(c->reader);
			continue;
		}
		atomic_store(&c->unwanted, true);
		if (atomic_fetch_sub(&c->writer->wanted, 1) == 1)
			atomic_store(&c->writer->over, true); /* no reader wants what it writes */
		baseline_process_nudge(c->writer);
	}
}

static bool pass_gate(struct baseline *b)
{
	bool open;

	pthread_mutex_lock(&b->lock);
	while (!b->gate)
		pthread_cond_wait(&b->opened, &b->lock);
	open = b->gate > 0;
	pthread_mutex_unlock(&b->lock);
	return open;
}

void *baseline_process_main(void *process)
{
	struct baseline_process *p = process;
	char name[16];

	snprintf(name, sizeof name, "%.15s", p->name);
	pthread_setname_np(pthread_self(), name);
	if (!pass_gate(p->owner))
		return NULL;
	p->phase = BASELINE_FIRE;
	if (p->device)
		baseline_device_fire(p);
	else if (p->definition->ports)
		fire_windows(p);
	else
		fire_streams(p);
	close_ports(p);
	return NULL;
}
