/* SPDX-License-Identifier: MIT */
/*
 * Merge: buffers of a place that are never in use at once get one memory, of the largest size and the largest depth.
 * Two buffers fit together where all of this is so:
 *   - not both take part in a transfer, which goes on at any time;
 *   - their live ranges, from the position of the writer to that of the last reader, do not touch; one that a transfer
 *     fills is live from before the first position, one that a transfer empties until after the last;
 *   - they have one latency: the writer's, or that of the readers where a transfer fills it;
 *   - FIFOs connect their actors: nothing keeps two networks in step, and one may stand still without the other;
 *   - none has a reader with slack or initial tokens, or several windows in an iteration, or a writer
 *     whose windows come as data want it (ps_flow_output.merges);
 *   - none is memory that a host and a device use both: a buffer of a host that takes part in a transfer, or one that a
 *     reader on the other side of a shared link reads where it lies. The device's driver locks such memory, and says
 *     only when a command is through that it may be written again.
 * A buffer joins the first group whose members all fit, if that takes less memory than apart.
 *
 * PACCO (section 4.2) merges by ranges alone, which corrupts data: doc/planning.md.
 */
#include "lib/mapping/outline.h"
#include "lib/base/memory.h"

#include <errno.h>

/* What one buffer is live for. Positions are those of the schedule. */
struct range {
	int64_t from, until;
	uint64_t latency;
	unsigned part;
	bool merges;
};

struct group {
	size_t bytes; /* the largest size .. */
	uint32_t depth;
	uint64_t delay_bytes;
	unsigned next; /* of the same place; PS_NONE: the last one */
	unsigned last; /* its member that came last; members are linked by `before` */
	bool transfers;
	struct range range; /* from the first to the last one's; latency and merges are those of all */
};

struct merging {
	struct ps_outline *o;
	struct range *ranges;
	struct group *groups;
	unsigned *before;               /* of each buffer: the member before it */
	unsigned *part;                 /* of each actor: one that FIFOs connect it with, itself in the end */
	unsigned *first, *latest_group; /* of each place: its groups; PS_NONE: none */
};

/* The actor that stands for all that FIFOs connect. */
static unsigned part_of(struct merging *m, unsigned actor)
{
	while (m->part[actor] != actor)
		actor = m->part[actor] = m->part[m->part[actor]];
	return actor;
}

static void find_parts(struct merging *m)
{
	const struct ps_flow *f = m->o->flow;

	for (unsigned i = 0; i < f->actor_count; i++)
		m->part[i] = i;
	for (unsigned i = 0; i < f->reader_count; i++)
		m->part[part_of(m, f->readers[i].actor)] =
			part_of(m, f->outputs[f->readers[i].output].writer);
}

static bool is_host(const struct ps_outline *o, unsigned place)
{
	return o->flow->machine->places[place].host == place;
}

static void read_by(struct merging *m, unsigned reader)
{
	const struct ps_outline *o = m->o;
	const struct ps_flow_reader *r = &o->flow->readers[reader];
	unsigned buffer = o->feeds[reader];
	struct range *range = &m->ranges[buffer];
	int64_t position = o->schedule[r->actor];

	if (position > range->until)
		range->until = position;
	if (o->slack[reader] || r->delay_bytes || r->windows != 1 || o->latency[r->actor] == PS_UNSETTLED)
		range->merges = false;
	if (is_host(o, r->place) != is_host(o, o->buffers[buffer].place))
		range->merges = false;
	if (o->buffers[buffer].from != PS_NONE)
		range->latency = o->latency[r->actor]; /* no slack: that of all of them */
}

static void set_ranges(struct merging *m)
{
	const struct ps_outline *o = m->o;

	find_parts(m);
	for (unsigned i = 0; i < o->buffer_count; i++) {
		const struct ps_buffer *b = &o->buffers[i];
		unsigned writer = o->flow->outputs[b->output].writer;

		m->ranges[i] = (struct range){ .from = b->from == PS_NONE ? (int64_t)o->schedule[writer] : -1,
			.latency = o->latency[writer],
			.part = part_of(m, writer),
			.merges = o->flow->outputs[b->output].merges && o->latency[writer] != PS_UNSETTLED &&
			          !(is_host(o, b->place) && ps_buffer_transfers(b)) };
		m->ranges[i].until = m->ranges[i].from;
	}
	for (unsigned i = 0; i < o->flow->reader_count; i++)
		read_by(m, i);
	for (unsigned i = 0; i < o->buffer_count; i++)
		if (o->buffers[i].emptied)
			m->ranges[i].until = INT64_MAX;
}

static bool fits(const struct merging *m, const struct group *g, unsigned buffer)
{
	const struct ps_buffer *b = &m->o->buffers[buffer];
	const struct range *mine = &m->ranges[buffer];

	if ((g->transfers && ps_buffer_transfers(b)) || !g->range.merges ||
		g->range.latency != mine->latency || g->range.part != mine->part)
		return false;
	if (mine->from > g->range.until ||
		mine->until < g->range.from) /* mostly, and without a look at each */
		return true;
	for (unsigned i = g->last; i != PS_NONE; i = m->before[i]) {
		const struct range *other = &m->ranges[i];

		if (mine->from <= other->until && other->from <= mine->until)
			return false;
	}
	return true;
}

static uint64_t group_bytes(const struct group *g)
{
	return (uint64_t)g->bytes * g->depth + g->delay_bytes;
}

/* The group with one more member. */
static struct group joined(const struct merging *m, const struct group *g, unsigned buffer)
{
	const struct ps_buffer *b = &m->o->buffers[buffer];
	const struct range *range = &m->ranges[buffer];
	struct group with = *g;

	with.bytes = b->bytes > g->bytes ? b->bytes : g->bytes;
	with.depth = b->depth > g->depth ? b->depth : g->depth;
	with.last = buffer;
	with.transfers |= ps_buffer_transfers(b);
	with.range.from = range->from < g->range.from ? range->from : g->range.from;
	with.range.until = range->until > g->range.until ? range->until : g->range.until;
	return with;
}

static void found(struct merging *m, unsigned buffer)
{
	struct ps_outline *o = m->o;
	struct ps_buffer *b = &o->buffers[buffer];
	unsigned *link = m->latest_group[b->place] == PS_NONE ? &m->first[b->place]
	                                                      : &m->groups[m->latest_group[b->place]].next;

	*link = m->latest_group[b->place] = b->group = o->group_count++;
	m->groups[b->group] = (struct group){ .bytes = b->bytes,
		.depth = b->depth,
		.delay_bytes = b->delay_bytes,
		.next = PS_NONE,
		.last = buffer,
		.transfers = ps_buffer_transfers(b),
		.range = m->ranges[buffer] };
	m->before[buffer] = PS_NONE;
}

static void place(struct merging *m, unsigned buffer)
{
	struct ps_buffer *b = &m->o->buffers[buffer];
	unsigned i = m->ranges[buffer].merges ? m->first[b->place] : PS_NONE;

	for (; i != PS_NONE; i = m->groups[i].next) {
		struct group *g = &m->groups[i], with = joined(m, g, buffer);

		if (group_bytes(&with) < group_bytes(g) + ps_buffer_bytes(b) && fits(m, g, buffer)) {
			m->before[buffer] = g->last;
			*g = with;
			b->group = i;
			return;
		}
	}
	found(m, buffer);
}

/* -EOVERFLOW: more bytes than there can be. */
static int add_up(struct merging *m)
{
	struct ps_outline *o = m->o;

	for (unsigned i = 0; i < o->buffer_count; i++) {
		const struct ps_buffer *b = &o->buffers[i];
		uint64_t *sum = &o->memory[b->place].bytes, bytes;

		if (__builtin_mul_overflow((uint64_t)b->bytes, b->depth, &bytes) ||
			__builtin_add_overflow(bytes, b->delay_bytes, &bytes) ||
			__builtin_add_overflow(*sum, bytes, sum) || *sum > INT64_MAX)
			return -EOVERFLOW;
	}
	return 0;
}

static int merge(struct merging *m)
{
	struct ps_outline *o = m->o;
	int err = add_up(m);

	if (err)
		return err;
	for (unsigned i = 0; i < o->flow->machine->place_count; i++)
		m->first[i] = m->latest_group[i] = PS_NONE;
	set_ranges(m);
	for (unsigned i = 0; i < o->buffer_count; i++)
		place(m, i);
	for (unsigned i = 0; i < o->group_count; i++)
		o->memory[o->buffers[m->groups[i].last].place].merged += group_bytes(&m->groups[i]);
	return 0;
}

int ps_outline_merge(struct ps_outline *o)
{
	unsigned count = o->buffer_count, places = o->flow->machine->place_count;
	struct merging m = { .o = o,
		.ranges = ps_memory_zalloc(count, sizeof *m.ranges),
		.groups = ps_memory_zalloc(count, sizeof *m.groups),
		.before = ps_memory_zalloc(count, sizeof *m.before),
		.part = ps_memory_zalloc(o->flow->actor_count, sizeof *m.part),
		.first = ps_memory_zalloc(places, sizeof *m.first),
		.latest_group = ps_memory_zalloc(places, sizeof *m.latest_group) };
	bool all = m.ranges && m.groups && m.before && m.part && m.first && m.latest_group;
	int err = all ? merge(&m) : -ENOMEM;

	ps_memory_free(m.ranges);
	ps_memory_free(m.groups);
	ps_memory_free(m.before);
	ps_memory_free(m.part);
	ps_memory_free(m.first);
	ps_memory_free(m.latest_group);
	return err;
}
