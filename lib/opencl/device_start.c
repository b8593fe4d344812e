/* SPDX-License-Identifier: MIT */
/* Device: what start() does for the actors on devices. */
#include "lib/base/clock.h"
#include "lib/base/log.h"
#include "lib/base/memory.h"
#include "lib/model/actor.h"
#include "lib/model/error.h"
#include "lib/model/type.h"
#include "lib/opencl/cl_home.h"
#include "lib/opencl/cl_row.h"
#include "lib/opencl/cl_serial.h"
#include "lib/opencl/device.h"
#include "lib/opencl/guard.h"
#include "lib/opencl/placement.h"

#include <errno.h>
#include <string.h>

static int fail_actor(struct pstk_actor *a, const struct ps_cl_fault *fault)
{
	if (ps_is_stage(a))
		return ps_network_fail(a->network, fault->err, "'%s' (%s) of pipeline '%s': %s", a->name,
			a->type.name, a->pipeline->actor->name, fault->text);
	return ps_network_fail(a->network, fault->err, "'%s' (%s): %s", a->name, a->type.name, fault->text);
}

/* What it has at the i-th device place, if a kernel runs there; NULL: there are no more. */
static struct ps_cl_actor *kernel_part(const struct pstk_actor *a, unsigned i)
{
	return a->type.fire_cl ? NULL : ps_device_part(a, i);
}

static unsigned fifo_count(const struct pstk_actor *a)
{
	unsigned count = 0;

	for (unsigned p = 0; p < a->type.port_count; p++)
		for (const struct pstk_fifo *f = a->ports[p].fifo; f;
			f = ps_port_reads(a->type.ports[p].kind) ? NULL : f->next)
			count++;
	return count;
}

/* Of an actor: events that a firing may have to wait for, of other buffers' readers. */
static unsigned merged_waits(const struct pstk_actor *a)
{
	unsigned sum = 0;

	for (unsigned p = 0; p < a->type.port_count; p++)
		if (!ps_port_reads(a->type.ports[p].kind) && a->ports[p].fifo &&
			ps_placement_waits_for_merged(a->ports[p].fifo, false))
			sum += PS_MEMBER_READERS;
	return sum;
}

static int open_part(struct pstk_actor *a, struct ps_cl_actor *c)
{
	struct pstk_network *net = a->network;
	bool profile = (net->flags & PSTK_PROFILE) || net->environment.profile;

	/* a stage waits for no event: its row is in order */
	if (ps_cl_actor_open(c, a->type.port_count, a->control_port,
		    ps_is_stage(a) ? 1 : 2 * fifo_count(a) + merged_waits(a), profile, net->traces))
		return fail_actor(a, &c->fault);
	for (unsigned p = 0; p < a->type.port_count; p++)
		c->rates[p] = pstk_actor_port_rate(a, p);
	c->steps = a->steps;
	return 0;
}

static int open_actors(struct pstk_network *net)
{
	struct pstk_actor *a;
	struct ps_cl_actor *c;
	int err = 0;

	for (unsigned i = 0; (a = ps_device_actor(net, i)); i++)
		for (unsigned k = 0; !err && (c = ps_device_part(a, k)); k++)
			err = open_part(a, c);
	return err;
}

static bool has_row(const struct pstk_pipeline *p)
{
	return p->backend == &ps_opencl_backend && !ps_actor_away(p->actor);
}

static int open_rows(struct pstk_network *net)
{
	for (struct pstk_pipeline *p = net->pipelines; p; p = p->next) {
		if (!has_row(p))
			continue;
		p->row = ps_cl_row_open(
			p, ps_placement_shares(net, ps_row_device(p)), &net->cl->commands_failed);
		if (!p->row)
			return ps_network_err(net);
		p->row->next = net->cl->rows;
		net->cl->rows = p->row;
	}
	return 0;
}

/* The log of a build that failed, line by line: the network's error has one. */
static void log_build(const struct pstk_actor *a, const struct ps_cl_program *program)
{
	for (const char *line = program->log; line && *line;) {
		size_t length = strcspn(line, "\n");

		ps_log(PS_TOPIC_OPENCL, PSTK_LOG_ERROR, "%s: %.*s", a->name, (int)length, line);
		line += length + (line[length] == '\n');
	}
}

static struct ps_cl_program *program_of(struct pstk_actor *a, const struct ps_cl_actor *c)
{
	struct ps_cl_program *program = ps_cl_programs_want(
		&a->network->cl->programs, c->device, a->type.kernel->source, a->type.kernel->options);

	if (!program)
		ps_network_fail(a->network, -ENOMEM, "'%s' (%s): out of memory for its kernel", a->name,
			a->type.name);
	return program;
}

static int create_kernel(struct pstk_actor *a, struct ps_cl_actor *c)
{
	struct ps_cl_program *program = program_of(a, c);
	int err;

	if (!program)
		return -ENOMEM;
	if (program->fault.err) {
		log_build(a, program);
		return fail_actor(a, &program->fault);
	}
	ps_cl_serial_lock();
	err = ps_cl_kernel_create(&c->kernel, program, a->type.kernel->name, &c->fault);
	ps_cl_serial_unlock();
	if (err)
		return fail_actor(a, &c->fault);
	c->has_kernel = true;
	return 0;
}

/* All programs are built side by side; then each actor gets its kernel. */
static int build_kernels(struct pstk_network *net)
{
	uint64_t begin = ps_clock_ns();
	struct pstk_actor *a;
	struct ps_cl_actor *c;
	int err = 0;

	for (unsigned i = 0; (a = ps_device_actor(net, i)); i++)
		for (unsigned k = 0; (c = kernel_part(a, k)); k++)
			if (!program_of(a, c))
				return -ENOMEM;
	ps_cl_programs_build(&net->cl->programs); /* what failed is told with the actor that needs it */
	for (unsigned i = 0; (a = ps_device_actor(net, i)) && !err; i++)
		for (unsigned k = 0; !err && (c = kernel_part(a, k)); k++)
			err = create_kernel(a, c);
	ps_log(PS_TOPIC_OPENCL, PSTK_LOG_INFO, "%s: kernels built in %.3f s", net->name,
		(double)(ps_clock_ns() - begin) / 1e9);
	return err;
}

static void drop(struct ps_actor_place *place)
{
	ps_cl_actor_destroy(place->cl);
}

/* BUILD calls may have left arguments with an actor that is on the cores at first: its first device gets them. */
static void keep_arguments(struct pstk_actor *a)
{
	struct ps_actor_place *first = a->places;

	while (!first->backend)
		first++;
	if (a->cl && a->cl != first->cl) {
		a->cl->device = first->cl->device;
		ps_memory_free(a->cl->selector);
		a->cl->selector = first->cl->selector;
		first->cl->selector = NULL;
		ps_cl_actor_destroy(first->cl);
		first->cl = a->cl;
	}
	a->cl = first->cl;
}

/* Which places it has from here on. */
static void settle_places(struct pstk_actor *a)
{
	unsigned devices = 0;

	ps_place_settle(a, drop);
	if (ps_place_backend(a))
		keep_arguments(a);
	a->guarded = a->guarded && (ps_place_backend(a) || a->visits);
	a->fails_over = a->fails_over && a->guarded;
	if (a->guarded)
		a->backend = NULL;
	for (unsigned i = 0; i < a->place_count; i++)
		if (a->places[i].cl)
			a->places[i].cl->number = devices++;
}

static bool any_on_device(const struct pstk_network *net)
{
	for (unsigned i = 0; i < net->actor_count; i++)
		if (ps_backend_anywhere(net->actors[i]) ||
			(net->actors[i]->guarded && ps_place_backend(net->actors[i])))
			return true;
	for (const struct pstk_pipeline *p = net->pipelines; p; p = p->next)
		if (has_row(p))
			return true;
	return false;
}

/* The memory of the group in which this buffer is, once. */
static int take_group(struct ps_merging_site *s, struct ps_cl_fault *fault)
{
	const struct pstk_actor *at = s->kind == PS_MEMBER_COMES ? s->fifo->dst : s->fifo->src;

	return !s->member || s->member->of->memory
	               ? 0
	               : ps_cl_merged_allocate(s->member->of, ps_device_of(at), fault);
}

/* The memory that a plan wants several buffers to share. */
static int merge_buffers(struct pstk_network *net)
{
	struct ps_merging *all = &net->cl->merging;
	struct ps_merging_site two[2];
	struct ps_cl_fault fault = { 0 };
	unsigned count = 0;
	int err = 0;

	for (unsigned i = 0; i < net->fifo_count; i++)
		count += ps_placement_merges(net->fifos[i], two);
	all->sites = count ? ps_memory_zalloc(count, sizeof *all->sites) : NULL;
	for (unsigned i = 0; all->sites && i < net->fifo_count; i++)
		all->count += ps_placement_merges(net->fifos[i], all->sites + all->count);
	if (count && (!all->sites || ps_merging_make(all)))
		err = ps_cl_refuse(&fault, -ENOMEM, "out of memory");
	ps_cl_serial_lock();
	for (unsigned i = 0; !err && i < all->count; i++)
		err = take_group(&all->sites[i], &fault);
	ps_cl_serial_unlock();
	return err ? ps_network_fail(net, err, "network '%s': merged buffers: %s", net->name, fault.text) : 0;
}

int ps_device_open(struct pstk_network *net)
{
	struct ps_cl_fault fault = { 0 };
	int err;

	for (unsigned i = 0; i < net->actor_count; i++)
		settle_places(net->actors[i]);
	if (!any_on_device(net))
		return 0;
	ps_cl_serial_read();
	ps_cl_serial_lock();
	err = ps_cl_devices_open(&net->cl->devices, &fault)
	              ? ps_network_fail(net, fault.err, "network '%s': %s", net->name, fault.text)
	              : open_rows(net);
	if (!err)
		err = open_actors(net);
	ps_cl_serial_unlock();
	if (!err)
		err = build_kernels(net);
	return err ? err : merge_buffers(net);
}

/* May the writer go on when this FIFO's reader has ended? */
static bool outlives_reader(const struct pstk_actor *a)
{
	unsigned count = 0;

	for (unsigned p = 0; p < a->type.port_count; p++)
		for (const struct pstk_fifo *f = !ps_port_reads(a->type.ports[p].kind) ? a->ports[p].fifo
		                                                                       : NULL;
			f; f = f->next)
			count++;
	return count > 1;
}

/* Lets its buffers be what the plan says. The whole memory of a group counts once. */
static void merge(struct pstk_fifo *f)
{
	unsigned count;
	struct ps_merging_site *sites = ps_merging_find(&f->src->network->cl->merging, f, &count);

	for (unsigned i = 0; i < count; i++) {
		struct ps_member *m = sites[i].member;

		if (m && !m->index && !m->count)
			f->fifo.allocated += m->of->slots * m->of->bytes;
		if (m)
			ps_cl_merged_join(m, f->cl);
	}
}

/* Where its ends may be. */
static int list_places(struct pstk_fifo *f, struct ps_cl_fifo *c)
{
	c->moving = ps_cl_home_create(&f->fifo, ps_placement_places(f, false), ps_placement_places(f, true));
	if (!c->moving)
		return -ENOMEM;
	for (unsigned writer = 0; writer < 2; writer++)
		for (unsigned i = 0; i < c->moving->sides[writer].count; i++) {
			const struct ps_cl_device *d = ps_placement_at(f, writer, i);

			c->moving->sides[writer].stages[i].device = d;
			c->device = c->device ? c->device : d;
		}
	c->writer = c->reader = NULL;
	return 0;
}

/* The device's part of a FIFO, not yet created. */
static int attach(struct pstk_fifo *f, enum ps_cl_kind kind, const struct pstk_fifo *owner,
	const struct pstk_fifo *lead, const struct pstk_fifo *home)
{
	struct ps_cl_fifo *c = ps_memory_zalloc(1, sizeof *c);

	if (!c)
		return -ENOMEM;
	*c = (struct ps_cl_fifo){ .fifo = &f->fifo,
		.of = f,
		.kind = kind,
		.writer = ps_device_of(f->src),
		.reader = ps_placement_reader(f),
		.owner = owner == f ? c : owner->cl,
		.lead = lead == f ? c : lead->cl,
		.home = home == f ? c : home->cl,
		.ring = ps_depth_before(f),
		.traced = f->src->network->traces };
	if (ps_placement_is_home(f) && list_places(f, c)) {
		ps_memory_free(c);
		return -ENOMEM;
	}
	f->cl = c;
	merge(f);
	ps_fifo_end_put(&f->fifo.writer, &ps_cl_fifo_ops, c);
	ps_fifo_end_put(&f->fifo.reader, &ps_cl_fifo_ops, c);
	if (owner != f)
		c->shared = owner->cl->shared = true;
	return 0;
}

/* Before f, which uses its memory. */
static int allocate_first(const struct pstk_fifo *other, const struct pstk_fifo *f)
{
	return other == f || other->cl ? 0 : ps_device_allocate_fifo((struct pstk_fifo *)other);
}

int ps_device_allocate_fifo(struct pstk_fifo *f)
{
	struct ps_cl_fault fault = { 0 };
	const struct pstk_fifo *owner, *lead, *home;
	struct ps_cl_way_shape way;
	enum ps_cl_kind kind;
	int err;

	if (!ps_placement(f, &kind) || f->cl) /* another one has needed it before */
		return 0;
	owner = ps_placement_owner(f);
	lead = ps_placement_lead(f, &way);
	home = ps_placement_home(f);
	err = allocate_first(home, f);
	if (!err)
		err = allocate_first(lead, f);
	if (!err)
		err = allocate_first(owner, f);
	if (!err)
		err = attach(f, kind, owner, lead, home);
	if (!err && way.members > 1)
		f->cl->shared = true;
	if (!err && home != f && home != owner) /* a way's: others read what it takes away */
		home->cl->shared = true;
	ps_cl_serial_lock();
	if (!err && ps_cl_fifo_create(f->cl, f->initial, outlives_reader(f->src), &way, &fault))
		err = ps_network_fail(f->src->network, fault.err, "'%s'.%s -> '%s'.%s: %s", f->src->name,
			f->src->type.ports[f->src_port].name, f->dst->name,
			f->dst->type.ports[f->dst_port].name, fault.text);
	ps_cl_serial_unlock();
	if (!err)
		ps_cl_merged_add(f->cl);
	if (!err && f->cl->kind == PS_CL_RELAYED && !f->cl->way->mover)
		err = ps_cl_mover_add(&f->src->network->cl->mover, f->cl);
	return err;
}

unsigned char *ps_device_host_windows(struct pstk_fifo *f, const struct pstk_fifo *beside)
{
	return ps_placement_beside(beside, f) ? f->cl->lead->host : NULL;
}

/* Does the kernel take what it will be given? */
static int check_kernel(struct pstk_actor *a, struct ps_cl_actor *c)
{
	const struct ps_cl_kernel *kernel = &c->kernel;
	struct ps_cl_signature signature = { &a->type, a->state_size > 0, c->args, c->arg_count };

	if (!c->dims)
		return ps_cl_refuse(&c->fault, -EINVAL,
			"kernel '%s' has no work size: call pstk_actor_set_work_size(), in init() for "
			"instance",
			a->type.kernel->name);
	if (ps_cl_kernel_check(kernel, &signature, &c->fault))
		return c->fault.err;
	return ps_cl_kernel_check_work_size(
		kernel, c->dims, c->global, c->has_local_size ? c->local : NULL, &c->fault);
}

static int prepare_part(struct pstk_actor *a, struct ps_cl_actor *c)
{
	int err = ps_cl_actor_configure(c, a->cl);

	if (!err)
		err = check_kernel(a, c);
	if (!err)
		err = ps_cl_actor_prepare(c, a->state, a->state_size);
	for (unsigned p = 0; !err && p < a->type.port_count; p++)
		c->windows[p].bytes = ((size_t)pstk_actor_port_rate(a, p) + pstk_actor_port_history(a, p)) *
		                      pstk_actor_port_token_size(a, p);
	if (!err && a->guarded)
		err = ps_guard_prepare(a, c);
	return err ? err : ps_cl_actor_warm_up(c);
}

static int prepare_serially(struct pstk_actor *a, struct ps_cl_actor *c)
{
	int err;

	ps_cl_serial_lock();
	err = prepare_part(a, c);
	ps_cl_serial_unlock();
	return err ? fail_actor(a, &c->fault) : 0;
}

/* Lets its type make what belongs to this place: as if the actor were there. */
static int open_place(struct pstk_actor *a, struct ps_cl_actor *c)
{
	const struct ps_backend *backend = a->backend;
	struct ps_cl_actor *first = a->cl;
	struct pstk_actor *former = ps_actor_enter(a);
	int err;

	a->cl = c;
	a->backend = &ps_opencl_backend;
	a->text[0] = 0;
	err = a->type.open_place(a, c->number);
	a->backend = backend;
	a->cl = first;
	ps_actor_leave(former);
	return err < 0 ? ps_actor_fail(a, err, "open_place()") : 0;
}

static int prepare_actor(struct pstk_actor *a)
{
	struct ps_cl_actor *c;
	int err = 0;

	for (unsigned i = 0; !err && (c = kernel_part(a, i)); i++)
		err = prepare_serially(a, c);
	for (unsigned i = 0; !err && a->type.fire_cl && a->guarded && (c = ps_device_part(a, i)); i++)
		err = ps_guard_prepare(a, c) ? fail_actor(a, &c->fault) : 0;
	for (unsigned i = 0; !err && a->type.fire_cl && a->type.open_place && (c = ps_device_part(a, i)); i++)
		err = open_place(a, c);
	return err;
}

/* Devices without their clock have no tracks, which is no reason to have no run. */
static void open_clocks(struct pstk_network *net)
{
	struct ps_cl_fault fault = { 0 };

	for (struct ps_cl_device *d = net->cl->devices.first; d; d = d->next) {
		d->clock = ps_cl_clock_open(d, &fault);
		if (!d->clock)
			ps_log(PS_TOPIC_OPENCL, PSTK_LOG_WARNING,
				"%s: the trace has nothing of what '%s' does: %s", net->name,
				d->info.selector, fault.text);
	}
}

/* NULL: the device has no clock, or no memory. */
static struct ps_cl_trace *create_trace(
	const struct pstk_network *net, const struct ps_cl_device *d, const struct ps_trace_record *like)
{
	return d && d->clock ? ps_cl_trace_create(net->trace, d->clock, like) : NULL;
}

static void trace_fifo(const struct pstk_network *net, const struct pstk_fifo *f)
{
	for (unsigned to = 0; to < 2; to++) {
		const struct ps_cl_device *writer = f->cl->writer,
					  *reader = f->cl->reader; /* NULL: see below */

		f->cl->traces[to] =
			create_trace(net, to ? (reader ? reader : writer) : (writer ? writer : reader),
				&(struct ps_trace_record){
					.kind = PS_TRACE_TRANSFER, .value = 2 * (uint64_t)f->index + to });
	}
	for (unsigned writer = 0; f->cl->moving && writer < 2; writer++)
		for (unsigned i = 0; i < f->cl->moving->sides[writer].count; i++) {
			struct ps_cl_stage *stage = &f->cl->moving->sides[writer].stages[i];

			stage->trace = create_trace(net, stage->device,
				&(struct ps_trace_record){ .kind = PS_TRACE_TRANSFER,
					.number = (uint64_t)i << PS_TRACE_PLACE_SHIFT,
					.value = 2 * (uint64_t)f->index + !writer });
		}
}

/* The number of the place that has this part. */
static unsigned place_of(const struct pstk_actor *a, const struct ps_cl_actor *c)
{
	unsigned i = 0;

	while (a->places && a->places[i].cl != c)
		i++;
	return i;
}

/* From here on what is enqueued is in the trace. */
static void trace_commands(struct pstk_network *net)
{
	struct ps_cl_actor *c;

	open_clocks(net);
	for (unsigned i = 0; i < net->actor_count; i++) {
		struct pstk_actor *a = net->actors[i];

		for (unsigned k = 0; (c = ps_device_part(a, k)); k++)
			c->trace = create_trace(net, c->device,
				&(struct ps_trace_record){ .kind = PS_TRACE_KERNEL,
					.number = (uint64_t)place_of(a, c) << PS_TRACE_PLACE_SHIFT,
					.actor = i % PS_TRACE_ACTORS_MOST });
	}
	for (unsigned i = 0; i < net->fifo_count; i++)
		if (net->fifos[i]->cl)
			trace_fifo(net, net->fifos[i]);
}

static void note_arrivals(const struct pstk_network *net)
{
	for (unsigned i = 0; i < net->fifo_count; i++)
		if (net->fifos[i]->cl)
			net->fifos[i]->cl->arrival = net->fifos[i]->arrival;
}

static int begin_mover(struct pstk_network *net)
{
	int err = net->cl ? ps_cl_mover_begin(&net->cl->mover) : 0;

	return !err ? 0
	            : ps_network_fail(
			      net, err, "network '%s': no thread to move windows between devices", net->name);
}

int ps_device_prepare(struct pstk_network *net)
{
	uint64_t begin = ps_clock_ns();
	struct pstk_actor *a;
	int err = 0;

	for (unsigned i = 0; (a = ps_device_actor(net, i)) && !err; i++)
		err = prepare_actor(a);
	for (const struct pstk_pipeline *p = net->pipelines; p && !err; p = p->next)
		err = p->row ? ps_cl_row_prepare(p->row) : 0;
	if (err)
		return err;
	if (any_on_device(net))
		ps_log(PS_TOPIC_OPENCL, PSTK_LOG_INFO, "%s: kernels launched once in %.3f s", net->name,
			(double)(ps_clock_ns() - begin) / 1e9);
	if (net->trace && net->cl) {
		ps_cl_serial_lock();
		trace_commands(net);
		ps_cl_serial_unlock();
	}
	note_arrivals(net);
	return begin_mover(net);
}

void ps_device_abandon(struct pstk_network *net)
{
	if (!net->cl)
		return;
	ps_cl_mover_end(&net->cl->mover);
	ps_cl_serial_lock();
	for (struct ps_row *r = net->cl->rows; r; r = r->next)
		ps_cl_row_give_windows(r);
	ps_cl_serial_unlock();
}
