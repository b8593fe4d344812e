/* SPDX-License-Identifier: MIT */
#include "benchmarks/dal/baseline_build.h"
#include "benchmarks/dal/baseline_cl.h"

#include <errno.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

enum { SPIN_NS = 2000 }; /* of a wake-up's 20,000 */

#define REFUSE(build, line, err, ...) baseline_refuse((build), (build)->d->file, (line), (err), __VA_ARGS__)

static unsigned core_count(const cpu_set_t *allowed)
{
	return (unsigned)CPU_COUNT(allowed);
}

/* The k-th that this program may use. */
static int core_number(const cpu_set_t *allowed, unsigned k)
{
	for (int core = 0;; core++)
		if (CPU_ISSET(core, allowed) && !k--)
			return core;
}

static int place(
	const struct baseline_build *build, struct baseline_process *p, const struct ps_dal_process *from)
{
	cpu_set_t allowed;

	p->core = -1;
	if (!build->b->options.pinned || sched_getaffinity(0, sizeof allowed, &allowed))
		return 0;
	if (from->place != PS_DAL_CORE)
		p->core = core_number(&allowed, from->order % core_count(&allowed));
	else if (from->number >= CPU_SETSIZE || !CPU_ISSET(from->number, &allowed))
		return baseline_refuse(build, build->d->mapping_file, from->mapping_line, -EINVAL,
			"'%s' is mapped to core_%u, which this program may not use", from->name,
			from->number);
	else
		p->core = (int)from->number;
	return 0;
}

static int make_state(struct baseline_process *p)
{
	size_t size = (p->definition->state_size + BASELINE_LINE - 1) / BASELINE_LINE * BASELINE_LINE;

	if (!size)
		return 0;
	p->state = aligned_alloc(BASELINE_LINE, size);
	if (!p->state)
		return -ENOMEM;
	memset(p->state, 0, size);
	return 0;
}

static int make_process(const struct baseline_build *build, const struct ps_dal_process *from)
{
	struct baseline_process *p = &build->b->processes[from->order];
	int err;

	p->owner = build->b;
	p->name = from->name;
	p->index_count = from->index_count;
	memcpy(p->indices, from->indices, sizeof p->indices);
	p->ports = calloc(from->port_count + 1, sizeof *p->ports);
	if (!p->ports || make_state(p))
		return REFUSE(build, from->line, -ENOMEM, "process '%s': out of memory", p->name);
	p->port_count = from->port_count;
	for (const struct ps_dal_port *port = from->ports; port; port = port->next) {
		const struct pstk_dal_port *said = baseline_windows_of(build, port);
		struct baseline_port *to = &p->ports[port->number];

		to->name = port->name;
		to->input = port->input;
		to->blocks = said && said->blocks ? said->blocks : 1;
		p->output_count += !port->input;
	}
	atomic_init(&p->wanted, p->output_count);
	p->dal = (DALProcess){ .local = p->state,
		.init = p->definition->init,
		.fire = p->definition->fire,
		.finish = p->definition->finish,
		.wptr = p };
	err = place(build, p, from);
	if (err || from->place != PS_DAL_DEVICE)
		return err;
	return baseline_cl_make_device(build, p, from);
}

/* -- channels -- */

/* The bytes of a channel's tokens: what it says itself, else the windows at its ends, else single bytes. */
static size_t token_size_of(const struct baseline_build *build, const struct ps_dal_channel *c)
{
	const struct pstk_dal_port *writer = baseline_windows_of(build, c->writer);
	const struct pstk_dal_port *reader = baseline_windows_of(build, c->reader);

	if (c->token_size)
		return c->token_size;
	return writer ? writer->token_size : reader ? reader->token_size : 1;
}

/* Do the ends of a channel, and what it says itself, agree? */
static int check_channel(const struct baseline_build *build, const struct ps_dal_channel *c)
{
	const struct pstk_dal_port *ends[] = { baseline_windows_of(build, c->writer),
		baseline_windows_of(build, c->reader) };

	for (unsigned i = 0; i < 2; i++) {
		const struct ps_dal_port *port = i ? c->reader : c->writer;

		if (ends[i] && ends[i]->token_size != token_size_of(build, c))
			return REFUSE(build, c->line, -EINVAL,
				"channel '%s' has tokens of %zu bytes, port '%s' of '%s' of %zu", c->name,
				token_size_of(build, c), port->name, port->process->name,
				ends[i]->token_size);
	}
	if (ends[0] && ends[1] && ends[0]->rate != ends[1]->rate)
		return REFUSE(build, c->line, -EINVAL,
			"channel '%s': '%s' writes windows of %u tokens, '%s' reads %u: both ends move the "
			"same",
			c->name, c->writer->process->name, ends[0]->rate, c->reader->process->name,
			ends[1]->rate);
	return 0;
}

/* Windows that fit beside the initial tokens, at least one. Streams: of one token. */
static uint64_t depth_of(
	const struct baseline_build *build, const struct ps_dal_channel *c, uint32_t rate, size_t token_size)
{
	uint64_t size = c->token_size ? c->size : c->size / token_size, depth;

	size *= build->b->options.capacity;
	depth = size > c->initial ? (size - c->initial) / rate : 0;
	return depth ? depth : 1;
}

/* Windows of a process's own. */
static int make_own(const struct baseline *b, struct baseline_port *port, const struct baseline_process *p)
{
	size_t bytes = (size_t)port->channel->rate * port->channel->token_size;

	if (!b->options.copying || p->device)
		return 0;
	port->own = aligned_alloc(BASELINE_LINE, (bytes + BASELINE_LINE - 1) / BASELINE_LINE * BASELINE_LINE);
	return port->own ? 0 : -ENOMEM;
}

/* A port's end of a channel that is there. */
static int make_end(const struct baseline_build *build, const struct ps_dal_channel *from,
	const struct ps_dal_port *end, struct baseline_channel *c, enum baseline_way way)
{
	struct baseline_process *p = &build->b->processes[end->process->order];
	struct baseline_port *port = &p->ports[end->number];

	port->channel = c;
	if (p->device)
		return baseline_cl_make_socket(build, p, port, way, from->line);
	if (make_own(build->b, port, p))
		return REFUSE(build, from->line, -ENOMEM, "channel '%s': out of memory", c->name);
	return 0;
}

static int make_channel(const struct baseline_build *build, const struct ps_dal_channel *from)
{
	struct baseline *b = build->b;
	struct baseline_channel *c = &b->channels[b->channels_made];
	const struct pstk_dal_port *windows = baseline_windows_of(build, from->writer);
	size_t size = token_size_of(build, from);
	enum baseline_way way = BASELINE_STAGED;
	uint32_t rate;
	int err = check_channel(build, from);

	if (err)
		return err;
	windows = windows ? windows : baseline_windows_of(build, from->reader);
	rate = windows ? windows->rate : 1;
	c->name = from->name;
	c->writer = &b->processes[from->writer->process->order];
	c->reader = &b->processes[from->reader->process->order];
	if (c->writer->device || c->reader->device)
		way = baseline_cl_way_of(b, c->writer, c->reader, from->initial % rate == 0);
	err = baseline_channel_init(
		c, rate, from->initial, depth_of(build, from, rate, size), size, way != BASELINE_STAGED);
	if (err)
		return REFUSE(build, from->line, err, "channel '%s': %s", c->name,
			err == -ENOMEM ? "out of memory" : "more bytes than memory can have");
	b->channels_made++;
	b->memory += baseline_channel_slots(c) * size;
	if (way != BASELINE_STAGED)
		err = baseline_cl_make_memory(build, c, way, from->line);
	if (!err)
		err = make_end(build, from, from->writer, c, way);
	return err ? err : make_end(build, from, from->reader, c, way);
}

/* -- the whole -- */

/* Marks the processes that p's tokens reach, p itself only on a cycle; marks: a byte for each process, zeroed. */
static void mark_behind(const struct baseline *b, const struct baseline_process *p, unsigned char *marks)
{
	for (unsigned i = 0; i < p->port_count; i++) {
		const struct baseline_process *next = p->ports[i].channel->reader;

		if (p->ports[i].input || marks[next - b->processes])
			continue;
		marks[next - b->processes] = 1;
		mark_behind(b, next, marks);
	}
}

/* Do tokens of a process reach p that p's tokens do not reach? seen: as marks; behind: mark_behind()'s. */
static bool is_fed(const struct baseline *b, const struct baseline_process *p, unsigned char *seen,
	const unsigned char *behind)
{
	for (unsigned i = 0; i < p->port_count; i++) {
		const struct baseline_process *from = p->ports[i].channel->writer;

		if (!p->ports[i].input || seen[from - b->processes])
			continue;
		seen[from - b->processes] = 1;
		if (!behind[from - b->processes] || is_fed(b, from, seen, behind))
			return true;
	}
	return false;
}

/* A source has no inputs, or is on a cycle that nothing else feeds: libpenstock's rule. */
static int mark_sources(const struct baseline *b)
{
	unsigned char *marks = calloc(2, b->process_count);

	if (!marks)
		return -ENOMEM;
	for (unsigned i = 0; i < b->process_count; i++) {
		struct baseline_process *p = &b->processes[i];

		memset(marks, 0, 2 * (size_t)b->process_count);
		mark_behind(b, p, marks);
		p->source = !is_fed(b, p, marks + b->process_count, marks);
	}
	free(marks);
	return 0;
}

static void set_waiting(struct baseline *b)
{
	bool spins = b->options.wait == BASELINE_SPIN;
	struct baseline_waiting waiting = { .locked = b->options.wait == BASELINE_CONDITION };
	cpu_set_t allowed;

	/* with fewer cores a waiter would take the core from the threads that it waits for */
	if (spins && sched_getaffinity(0, sizeof allowed, &allowed) == 0 &&
		b->process_count <= core_count(&allowed))
		waiting.spin_ns = SPIN_NS;
	for (unsigned i = 0; i < b->channel_count; i++) {
		struct baseline_channel *c = &b->channels[i];

		c->waiting = waiting;
		/* a device process's thread waits for the device without a look at which threads sleep */
		c->waiting.deferred =
			b->options.wait == BASELINE_DEFERRED && !c->writer->device && !c->reader->device;
	}
}

int baseline_build(const struct baseline_build *build)
{
	const struct ps_dal_description *d = build->d;
	struct baseline *b = build->b;
	size_t bytes = (d->channel_count + 1u) * sizeof *b->channels;
	int err;

	b->processes = calloc(d->process_count + 1u, sizeof *b->processes);
	b->channels = aligned_alloc(BASELINE_LINE, bytes);
	if (!b->processes || !b->channels)
		return REFUSE(build, 1, -ENOMEM, "out of memory");
	memset(b->channels, 0, bytes);
	b->process_count = d->process_count;
	b->channel_count = d->channel_count;
	err = baseline_check(build);
	for (const struct ps_dal_process *p = d->processes; p && !err; p = p->next)
		err = make_process(build, p);
	for (const struct ps_dal_channel *c = d->channels; c && !err; c = c->next)
		err = make_channel(build, c);
	for (const struct ps_dal_process *p = d->processes; p && !err; p = p->next)
		if (p->place == PS_DAL_DEVICE)
			err = baseline_cl_warm_up(build, &b->processes[p->order], p->line);
	if (err)
		return err;
	set_waiting(b);
	return mark_sources(b) ? REFUSE(build, 1, -ENOMEM, "out of memory") : 0;
}
