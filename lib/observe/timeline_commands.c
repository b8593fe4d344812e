/* SPDX-License-Identifier: MIT */
#include "lib/observe/timeline_commands.h"
#include "lib/firing/backend.h"
#include "lib/firing/tracing.h"
#include "lib/model/adopted.h"

#include <inttypes.h>
#include <string.h>

/*
 * Each device is a process of the file, and each queue a track: an actor's, a FIFO's to the device, and its from there.
 */

/* NULL: it is on the cores. */
static const struct pstk_device_info *device_of(const struct pstk_actor *a)
{
	return a->backend ? a->backend->info(a) : ps_adopted_device(a);
}

static const struct pstk_actor *on_device(const struct pstk_actor *first, const struct pstk_actor *other)
{
	return device_of(first) ? first : other;
}

/* The actor on whose device the command was. */
static const struct pstk_actor *actor_of(const struct pstk_network *net, const struct ps_trace_record *r)
{
	const struct pstk_fifo *f;

	if (r->kind == PS_TRACE_KERNEL)
		return net->actors[r->actor];
	f = net->fifos[r->value / 2];
	return r->value % 2 ? on_device(f->dst, f->src) : on_device(f->src, f->dst);
}

/* Threads of the host are process 1. */
static unsigned process_of(const struct pstk_network *net, const struct ps_trace_record *r)
{
	const struct pstk_actor *a = actor_of(net, r);
	unsigned i = 0;

	while (!device_of(net->actors[i]) || net->actors[i]->host != a->host ||
		strcmp(device_of(net->actors[i])->selector, device_of(a)->selector) != 0)
		i++;
	return i + 2;
}

static unsigned track_of(const struct pstk_network *net, const struct ps_trace_record *r)
{
	return 1 + (r->kind == PS_TRACE_KERNEL ? r->actor : net->actor_count + (unsigned)r->value);
}

/* Its process, once that is known. */
static unsigned *queue_of(const struct ps_timeline_file *f, const struct ps_trace_record *r)
{
	return &f->timeline->queues[track_of(f->net, r) - 1];
}

/* "source.out -> gauss.in: to the device" */
static void say_queue(
	const struct pstk_network *net, const struct ps_trace_record *r, char text[2 * PS_TIMELINE_NAME + 16])
{
	char name[PS_TIMELINE_NAME], other[PS_TIMELINE_NAME];
	const struct pstk_fifo *f;

	if (r->kind == PS_TRACE_KERNEL) {
		snprintf(text, 2 * PS_TIMELINE_NAME + 16, "%s",
			ps_timeline_name(net->actors[r->actor]->name, name));
		return;
	}
	f = net->fifos[r->value / 2];
	snprintf(text, 2 * PS_TIMELINE_NAME + 16, "%s -> %s: %s", ps_timeline_name(f->src->name, name),
		ps_timeline_name(f->dst->name, other), r->value % 2 ? "to the device" : "from the device");
}

static void write_queue(struct ps_timeline_file *f, const struct ps_trace_record *r)
{
	const struct pstk_device_info *info = device_of(actor_of(f->net, r));
	char text[2 * PS_TIMELINE_NAME + 16], name[PS_TIMELINE_NAME], selector[PS_TIMELINE_NAME];
	unsigned process = *queue_of(f, r), track = track_of(f->net, r);
	char host[PS_TIMELINE_HOST];

	say_queue(f->net, r, text);
	ps_timeline_event(f,
		"\"ph\":\"M\",\"pid\":%u,\"name\":\"process_name\",\"args\":{\"name\":\"%s%s (%s)\"}",
		process, ps_timeline_host(f, actor_of(f->net, r)->host, host),
		ps_timeline_name(info->selector, selector), ps_timeline_name(info->name, name));
	ps_timeline_event(f,
		"\"ph\":\"M\",\"pid\":%u,\"tid\":%u,\"name\":\"thread_name\",\"args\":{\"name\":\"%s\"}",
		process, track, text);
	ps_timeline_event(f,
		"\"ph\":\"M\",\"pid\":%u,\"tid\":%u,\"name\":\"thread_sort_index\",\"args\":{\"sort_index\":%"
		"u}",
		process, track, track);
}

void ps_timeline_queues(struct ps_timeline_file *f)
{
	const struct ps_trace *t = f->timeline->trace;

	for (uint32_t n = 0; n < t->order_count && !f->err; n++) {
		const struct ps_trace_record *r = ps_trace_at(t, n);
		unsigned *process;

		if (r->kind != PS_TRACE_KERNEL && r->kind != PS_TRACE_TRANSFER)
			continue;
		process = queue_of(f, r);
		if (*process)
			continue;
		*process = process_of(f->net, r);
		write_queue(f, r);
	}
}

void ps_timeline_command(struct ps_timeline_file *f, const struct ps_trace_record *r)
{
	char text[2 * PS_TIMELINE_NAME + 16], args[80];

	if (r->kind == PS_TRACE_KERNEL)
		snprintf(args, sizeof args, "\"firing\":%" PRIu64 ",\"within_ns\":%" PRIu64, r->number,
			r->value);
	else
		snprintf(args, sizeof args, "\"bytes\":%" PRIu64, r->number);
	say_queue(f->net, r, text);
	ps_timeline_event(f,
		"\"ph\":\"X\",\"pid\":%u,\"tid\":%u,\"ts\":" PS_TIMELINE_TIME ",\"dur\":" PS_TIMELINE_TIME
		",\"cat\":\"%s\",\"name\":\"%s\",\"args\":{%s}",
		*queue_of(f, r), track_of(f->net, r), PS_TIMELINE_TIME_ARGS(r->begin - f->timeline->zero),
		PS_TIMELINE_TIME_ARGS(ps_trace_ended(r) - r->begin),
		r->kind == PS_TRACE_KERNEL ? "kernel" : "transfer", text, args);
}
