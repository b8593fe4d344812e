/* SPDX-License-Identifier: MIT */
#include "lib/observe/timeline_commands.h"
#include "lib/firing/backend.h"
#include "lib/firing/tracing.h"
#include "lib/model/adopted.h"
#include "lib/model/place.h"

#include <inttypes.h>
#include <string.h>

/*
 * Each device is a process of the file, and each queue a track: an actor's, a FIFO's to the device, and its from there.
 */

/* NULL: that place is the cores. */
static const struct pstk_device_info *device_of(const struct pstk_actor *a, unsigned place)
{
	const struct ps_backend *b = a->places ? a->places[place].backend : a->backend;

	return b ? b->info_at(a, place) : ps_adopted_device(a);
}

/* Does an end of it ever lie on a device? Control values are read by the host. */
static bool is_written_there(const struct pstk_fifo *f)
{
	return ps_backend_anywhere(f->src) || ps_adopted_device(f->src);
}

static bool is_read_there(const struct pstk_fifo *f)
{
	return ps_backend_of_reader(f) || (f->dst_port != f->dst->control_port && ps_adopted_device(f->dst));
}

/* The actor on whose device the command was. */
static const struct pstk_actor *actor_of(const struct pstk_network *net, const struct ps_trace_record *r)
{
	const struct pstk_fifo *f;

	if (r->kind == PS_TRACE_KERNEL)
		return net->actors[r->actor];
	f = net->fifos[r->value / 2];
	if (r->value % 2)
		return is_read_there(f) ? f->dst : f->src;
	return is_written_there(f) ? f->src : f->dst;
}

/* Where a command was. */
struct site {
	unsigned host;
	const char *selector, *name; /* NULL: it is no device; name: "": not known here */
};

/* Of a device of another host only the machine's word for it is known here. */
static struct site site_of(const struct pstk_actor *a, unsigned place)
{
	const struct ps_actor_place *p = a->places ? &a->places[place] : NULL;
	const struct pstk_device_info *info = device_of(a, place);

	if (p && p->far && p->selector)
		return (struct site){ p->host, p->selector, "" };
	return (struct site){ a->host, info ? info->selector : NULL, info ? info->name : "" };
}

static bool is_at(const struct pstk_actor *a, unsigned place, const struct site *site)
{
	const struct site is = site_of(a, place);

	return is.selector && is.host == site->host && !strcmp(is.selector, site->selector);
}

/* Threads of the host are process 1. A device is the first place of the first actor there. */
static unsigned process_of(const struct pstk_network *net, const struct ps_trace_record *r)
{
	const struct site site = site_of(actor_of(net, r), ps_trace_place(r));

	for (unsigned place = 0; place < PSTK_PLACES_MAX && site.selector; place++)
		for (unsigned i = 0; i < net->actor_count; i++)
			if ((!place || place < net->actors[i]->place_count) &&
				is_at(net->actors[i], place, &site))
				return place * net->actor_count + i + 2;
	return 1;
}

static unsigned track_of(const struct pstk_network *net, const struct ps_trace_record *r)
{
	return 1 + (r->kind == PS_TRACE_KERNEL ? r->actor : net->actor_count + (unsigned)r->value);
}

/* Its process, once that is known. */
static unsigned *queue_of(const struct ps_timeline_file *f, const struct ps_trace_record *r)
{
	return &f->timeline->queues[(track_of(f->net, r) - 1) * PSTK_PLACES_MAX + ps_trace_place(r)];
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

/* "pocl:cpu:0 (AMD EPYC)" */
static void write_device(struct ps_timeline_file *f, const struct site *site, unsigned process)
{
	char name[PS_TIMELINE_NAME], selector[PS_TIMELINE_NAME], host[PS_TIMELINE_HOST];
	bool named = *site->name;

	ps_timeline_event(f,
		"\"ph\":\"M\",\"pid\":%u,\"name\":\"process_name\",\"args\":{\"name\":\"%s%s%s%s%s\"}",
		process, ps_timeline_host(f, site->host, host), ps_timeline_name(site->selector, selector),
		named ? " (" : "", ps_timeline_name(site->name, name), named ? ")" : "");
}

static void write_queue(struct ps_timeline_file *f, const struct ps_trace_record *r)
{
	const struct site site = site_of(actor_of(f->net, r), ps_trace_place(r));
	unsigned process = *queue_of(f, r), track = track_of(f->net, r);
	char text[2 * PS_TIMELINE_NAME + 16];

	say_queue(f->net, r, text);
	if (site.selector)
		write_device(f, &site, process);
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
		snprintf(args, sizeof args, "\"firing\":%" PRIu64 ",\"within_ns\":%" PRIu64,
			ps_trace_command(r), r->value);
	else
		snprintf(args, sizeof args, "\"bytes\":%" PRIu64, ps_trace_command(r));
	say_queue(f->net, r, text);
	ps_timeline_event(f,
		"\"ph\":\"X\",\"pid\":%u,\"tid\":%u,\"ts\":" PS_TIMELINE_TIME ",\"dur\":" PS_TIMELINE_TIME
		",\"cat\":\"%s\",\"name\":\"%s\",\"args\":{%s}",
		*queue_of(f, r), track_of(f->net, r), PS_TIMELINE_TIME_ARGS(r->begin - f->timeline->zero),
		PS_TIMELINE_TIME_ARGS(ps_trace_ended(r) - r->begin),
		r->kind == PS_TRACE_KERNEL ? "kernel" : "transfer", text, args);
}
