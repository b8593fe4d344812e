/* SPDX-License-Identifier: MIT */
#include "lib/opencl/device.h"
#include "lib/base/clock.h"
#include "lib/firing/firing.h"
#include "lib/model/actor.h"
#include "lib/model/error.h"
#include "lib/model/pipeline.h"
#include "lib/model/place.h"
#include "lib/model/type.h"
#include "lib/opencl/cl_home.h"
#include "lib/opencl/cl_serial.h"
#include "lib/opencl/guard.h"
#include "lib/opencl/placement.h"

#include <errno.h>
#include <stdio.h>

/* What waits for a transfer fails after it, with a code that only says so. A text that names a FIFO already is of a
 * call that has failed. */
static bool find_cause(const struct pstk_network *net, struct ps_cl_fault *fault)
{
	struct ps_cl_fault cause = { 0 };

	ps_cl_serial_lock();
	for (unsigned i = 0; i < net->fifo_count && !fault->named && !cause.err; i++) {
		struct ps_cl_fifo *c = net->fifos[i]->cl;

		if (c && c->way)
			ps_cl_way_find_failed(c, &cause);
	}
	ps_cl_serial_unlock();
	if (cause.err)
		*fault = cause;
	return cause.err;
}

void ps_device_tell_actor(struct pstk_actor *a, const struct ps_cl_fault *is)
{
	struct ps_cl_fault fault = *is;
	const char *waits = find_cause(a->network, &fault) ? "waits for " : "";

	ps_network_fail(a->network, fault.err, "'%s' (%s): %s%s", a->name, a->type.name, waits, fault.text);
}

/* The reason becomes what the actor says of itself. */
static int say(struct pstk_actor *a, const struct ps_cl_fault *is)
{
	struct ps_cl_fault fault = *is;
	const char *waits = find_cause(a->network, &fault) ? "waits for " : "";

	atomic_store(&a->network->cl->commands_failed, true);
	return pstk_actor_error(a, fault.err, "%s%s", waits, fault.text);
}

struct ps_cl_actor *ps_device_part(const struct pstk_actor *a, unsigned i)
{
	if (ps_is_stage(a))
		return !i && a->cl && a->cl->of_row ? a->cl : NULL;
	if (!a->places)
		return !i && a->backend == &ps_opencl_backend ? a->cl : NULL;
	for (unsigned k = 0; k < a->place_count; k++)
		if (a->places[k].cl && !i--)
			return a->places[k].cl;
	return NULL;
}

struct pstk_actor *ps_device_actor(const struct pstk_network *net, unsigned n)
{
	if (n < net->actor_count)
		return net->actors[n];
	n -= net->actor_count;
	for (const struct pstk_pipeline *p = net->pipelines; p; p = p->next) {
		if (!p->row)
			continue;
		if (n < p->stage_count)
			return p->stages[n];
		n -= p->stage_count;
	}
	return NULL;
}

/* May it be fired, as the state of its commands says? One that has failed fails the network. */
static enum ps_firing_state as_firing_state(struct pstk_actor *a, enum ps_cl_event_state state)
{
	switch (state) {
	case PS_CL_EVENT_DONE:
		return PS_FIRING_READY;
	case PS_CL_EVENT_PENDING:
		return PS_FIRING_WAIT;
	case PS_CL_EVENT_FAILED:
		break;
	}
	atomic_store(&a->network->cl->commands_failed, true);
	ps_device_tell_actor(a, &a->cl->fault);
	return PS_FIRING_ENDED;
}

enum ps_firing_state ps_device_room(struct pstk_actor *a)
{
	return as_firing_state(a, ps_cl_actor_room(a->cl));
}

void ps_device_wait_room(struct pstk_actor *a)
{
	unsigned seen = ps_eventcount_count(a->cl->eventcount);
	uint64_t begin = ps_clock_ns();
	uint64_t firings = atomic_load_explicit(&a->task->firings, memory_order_relaxed);
	cl_event event = ps_cl_actor_busy(a->cl);

	if (!a->cl->room_began || a->cl->room_firings != firings) {
		a->cl->room_began = begin;
		a->cl->room_firings = firings;
	}
	atomic_store_explicit(&a->cl->waits_since, a->cl->room_began, memory_order_relaxed);
	/* a nudge before `seen` was read: its reason is visible now */
	if (event && !ps_firing_over(a->task))
		ps_cl_event_wait(event, a->cl->eventcount, seen);
	ps_cl_event_put(&event, NULL);
	atomic_store_explicit(&a->cl->waits_since, 0, memory_order_relaxed);
	atomic_fetch_add_explicit(&a->cl->waited_ns, ps_clock_ns() - begin, memory_order_relaxed);
}

void ps_device_nudge(struct pstk_actor *a)
{
	struct ps_cl_actor *c;

	for (unsigned i = 0; (c = ps_device_part(a, i)); i++)
		if (c->eventcount)
			ps_eventcount_notify(c->eventcount);
}

static bool shares(const struct pstk_fifo *f, const struct pstk_fifo *primary)
{
	return f != primary && f->cl->home == primary->cl->home;
}

/* The other readers of the FIFO's memory must have freed the window too, also those that have ended. */
static int depend_on_sharers(
	struct pstk_firing *firing, unsigned port, const struct pstk_fifo *of, uint64_t number)
{
	struct pstk_actor *a = firing->actor;
	int err = 0;

	for (struct pstk_fifo *f = a->ports[port].fifo; f && !err; f = f->next)
		if (shares(f, of))
			err = ps_cl_actor_depend(a->cl, ps_cl_fifo_freed(f->cl, number));
	return err;
}

/* The buffers that use the same memory, too. */
static int depend_on_merged(struct ps_cl_actor *a, const struct ps_member *member, uint64_t number)
{
	cl_event waits[PS_MEMBER_READERS];
	unsigned count = member ? ps_cl_merged_waits(member, number, waits) : 0;
	int err = 0;

	for (unsigned i = 0; i < count && !err; i++)
		err = ps_cl_actor_depend(a, waits[i]);
	return err;
}

/* Where each port's window is, and what must happen before it is touched. */
static int gather(struct pstk_firing *firing)
{
	struct pstk_actor *a = firing->actor;
	int err = 0;

	for (unsigned p = 0; p < a->type.port_count && !err; p++) {
		struct ps_window *w = &firing->windows[p];
		struct ps_cl_window *cw = &a->cl->windows[p];
		bool input = ps_port_reads(a->type.ports[p].kind);
		struct ps_cl_fifo *c;

		if (!ps_firing_has(firing, p)) { /* a kernel gets NULL */
			*cw = (struct ps_cl_window){ .bytes = cw->bytes };
			continue;
		}
		c = input ? a->ports[p].fifo->cl : w->primary->cl;
		err = input ? ps_cl_fifo_read_window(c, w->number, w->valid, a->cl->queue, cw)
		            : ps_cl_fifo_write_window(c, w->number, cw);
		if (err)
			return say(a, input ? &c->read_fault : &c->write_fault);
		err = ps_cl_actor_depend(a->cl, cw->after);
		if (!err && !input)
			err = ps_cl_actor_depend(a->cl, ps_cl_fifo_before(c, w->number));
		if (!err && !input)
			err = depend_on_sharers(firing, p, w->primary, w->number);
		if (!err && !input)
			err = depend_on_merged(a->cl, c->written_merged, w->number);
		if (err)
			return say(a, &a->cl->fault);
	}
	return err;
}

static int launch(struct pstk_firing *firing, cl_event *event)
{
	struct pstk_actor *a = firing->actor;

	for (unsigned p = 0; p < a->type.port_count; p++) {
		a->cl->valids[p] = firing->windows[p].valid;
		if (ps_firing_has(firing, p))
			firing->windows[p].state = PS_WINDOW_ENDED;
	}
	firing->open = 0;
	a->cl->steps = firing->steps;
	if (ps_cl_actor_launch(a->cl, firing->ran, event))
		return say(a, &a->cl->fault);
	return PSTK_AGAIN;
}

/* fire_cl(), whatever it enqueues; an event behind all of it also when it fails, so that the end can wait for that. */
static int run_host_code(struct pstk_firing *firing, cl_event *event)
{
	struct pstk_actor *a = firing->actor;
	int rc;

	if (ps_cl_actor_enter(a->cl))
		return say(a, &a->cl->fault);
	firing->in_fire_cl = true;
	rc = a->type.fire_cl(firing);
	firing->in_fire_cl = false;
	if (ps_cl_actor_leave(a->cl, firing->ran, event) && rc >= 0)
		return say(a, &a->cl->fault);
	return rc;
}

/* Has this firing taken a window of the FIFO? */
static bool is_taken(const struct pstk_fifo *f)
{
	return f->fifo.writer.started > f->fifo.writer.ended;
}

/* The reader of the same memory whose window has been taken before; NULL: none has. */
static struct pstk_fifo *sharer_taken(const struct pstk_fifo *f, struct pstk_fifo *first)
{
	for (struct pstk_fifo *o = first; o; o = o->next)
		if (shares(o, f) && is_taken(o))
			return o;
	return NULL;
}

/* Once what the actor waits for is through. *copied: owned by the caller, if something was enqueued and the FIFO
 * has not taken it over. */
static int copy_window(struct pstk_fifo *f, uint64_t number, uint32_t valid, const struct ps_cl_window *to,
	const struct ps_cl_window *from, const struct ps_cl_actor *a, cl_event *copied)
{
	cl_event *kept = ps_cl_fifo_kept(f->cl, number);
	int err = ps_cl_fifo_copy(f->cl, to, from, valid * f->fifo.layout.token_size, a->queue, a->wait_count,
		a->waits, copied);

	if (!err)
		err = ps_cl_fifo_written(f->cl, number, valid, a->queue, *copied);
	else if (*copied) /* the end waits for it */
		ps_cl_event_keep(kept, *copied);
	ps_cl_event_hand_over(kept, copied);
	return err;
}

/* Copies the primary's window, which `event` fills, to another reader's memory, which may be that of others too. *last:
 * the last copy's event, owned by the caller. */
static int copy_to(
	struct pstk_firing *firing, unsigned port, struct pstk_fifo *f, cl_event event, cl_event *last)
{
	struct pstk_actor *a = firing->actor;
	struct ps_window *w = &firing->windows[port];
	uint64_t number = ps_fifo_write_take(&f->fifo);
	bool spreads = ps_cl_fifo_spreads(f->cl);
	struct ps_cl_window to;
	cl_event copied = NULL;
	int err = ps_cl_fifo_write_window(f->cl, number, &to);

	if (err)
		return say(a, &f->cl->write_fault);
	a->cl->wait_count = 0; /* the launch's are enqueued */
	err = ps_cl_actor_depend(a->cl, event);
	if (!err)
		err = ps_cl_actor_depend(a->cl, spreads ? ps_cl_fifo_freed(f->cl, number) : to.after);
	if (!err)
		err = ps_cl_actor_depend(a->cl, ps_cl_fifo_before(f->cl, number));
	if (!err)
		err = depend_on_sharers(firing, port, f, number);
	if (err)
		return say(a, &a->cl->fault);
	if (spreads)
		err = ps_cl_fifo_spread(f->cl, number, w->valid, &a->cl->windows[port], a->cl->queue,
			a->cl->wait_count, a->cl->waits, &copied);
	else
		err = copy_window(f, number, w->valid, &to, &a->cl->windows[port], a->cl, &copied);
	if (copied)
		ps_cl_event_put(last, copied);
	return err ? say(a, &f->cl->write_fault) : 0;
}

static bool is_mapped(const struct pstk_fifo *f)
{
	return f->cl->kind == PS_CL_MAPPED || f->cl->kind == PS_CL_COARSE;
}

/* f's window is the one that `written` has just got. */
static int written_too(
	struct pstk_firing *firing, unsigned port, struct pstk_fifo *f, const struct pstk_fifo *written)
{
	uint64_t number = ps_fifo_write_take(&f->fifo);
	int err = ps_cl_fifo_written_too(f->cl, written->cl, number, firing->windows[port].valid);

	return err ? say(firing->actor, &f->cl->write_fault) : 0;
}

/* The readers that see nothing of the primary's memory: one copy for all that share one. */
static int copy_to_others(struct pstk_firing *firing, unsigned port, cl_event event, cl_event *last)
{
	struct pstk_fifo *first = firing->actor->ports[port].fifo, *primary = firing->windows[port].primary;
	int err = 0;

	for (struct pstk_fifo *f = first; f && !err; f = f->next) {
		struct pstk_fifo *sharer = sharer_taken(f, first);

		if (f == primary || shares(f, primary) || atomic_load(&f->fifo.discards))
			continue;
		err = sharer ? written_too(firing, port, f, sharer) : copy_to(firing, port, f, event, last);
	}
	return err;
}

static int hand_on_output(struct pstk_firing *firing, unsigned port, cl_event event)
{
	struct pstk_actor *a = firing->actor;
	struct ps_window *w = &firing->windows[port];
	cl_event last = NULL;
	int err = copy_to_others(firing, port, event, &last);

	/* the copies read it, and what is mapped for the host the device must leave alone */
	if (!err && ps_cl_fifo_written(w->primary->cl, w->number, w->valid, a->cl->queue,
			    last && is_mapped(w->primary) ? last : event))
		err = say(a, &w->primary->cl->write_fault);
	/* another place may write there next */
	if (!err && last && w->primary->cl->moving &&
		ps_cl_home_copied(w->primary->cl->moving, w->number, last, &w->primary->cl->write_fault))
		err = say(a, &w->primary->cl->write_fault);
	ps_cl_event_put(&last, NULL);
	for (struct pstk_fifo *f = a->ports[port].fifo; f && !err; f = f->next)
		if (shares(f, w->primary) && !atomic_load(&f->fifo.discards))
			err = written_too(firing, port, f, w->primary);
	return err;
}

/* What fills the outputs and frees the inputs is `event`. */
static int hand_on(struct pstk_firing *firing, cl_event event)
{
	struct pstk_actor *a = firing->actor;
	int err = 0;

	for (unsigned p = 0; p < a->type.port_count && !err; p++) {
		struct ps_window *w = &firing->windows[p];

		if (w->state != PS_WINDOW_ENDED)
			continue;
		if (!ps_port_reads(a->type.ports[p].kind))
			err = hand_on_output(firing, p, event);
		else if (ps_cl_fifo_was_read(a->ports[p].fifo->cl, w->number, event))
			err = say(a, &a->ports[p].fifo->cl->read_fault);
	}
	return err;
}

/* What ps_device_fire() does, with the serial lock. */
static int enqueue_firing(struct pstk_firing *firing)
{
	struct pstk_actor *a = firing->actor;
	cl_event event = NULL;
	int rc, err;

	ps_cl_actor_begin(a->cl);
	rc = gather(firing);
	if (!rc)
		rc = a->type.fire_cl ? run_host_code(firing, &event) : launch(firing, &event);
	if (rc < 0 || rc > PSTK_DONE) {
		ps_cl_actor_flush(a->cl); /* what it had enqueued is waited for at the end */
		return rc;
	}
	/* serial: the FIFOs' queues are finished one by one, so what they wait for must be through */
	if (ps_cl_serial() && ps_cl_actor_flush(a->cl))
		return say(a, &a->cl->fault);
	err = hand_on(firing, event);
	/* after a failure too: a driver may begin nothing before, and the end waits for it */
	if (ps_cl_actor_flush(a->cl) && !err)
		err = say(a, &a->cl->fault);
	return err ? err : rc;
}

int ps_device_fire(struct pstk_firing *firing)
{
	int rc;

	ps_cl_serial_lock();
	rc = enqueue_firing(firing);
	ps_cl_serial_unlock();
	return rc;
}

void ps_device_publish(struct pstk_firing *firing, unsigned port)
{
	const struct ps_window *w = &firing->windows[port];

	for (struct pstk_fifo *f = firing->actor->ports[port].fifo; f; f = f->next) {
		if (f->fifo.writer.started > f->fifo.writer.ended)
			ps_fifo_write_publish(&f->fifo, w->valid);
		else if (w->valid <
			 f->fifo.layout.write_rate) /* the port's end, whichever readers are left */
			ps_fifo_write_close(&f->fifo);
	}
}

void ps_device_release(struct pstk_firing *firing, unsigned port)
{
	ps_fifo_read_release(&firing->actor->ports[port].fifo->fifo);
}

void ps_device_tell_fifo(struct pstk_fifo *f, const struct ps_cl_fault *is)
{
	struct ps_cl_fault fault = *is;

	find_cause(f->src->network, &fault);
	if (fault.named)
		ps_network_fail(f->src->network, fault.err, "%s", fault.text);
	else
		ps_network_fail(
			f->src->network, fault.err, PS_CONNECTION ": %s", PS_CONNECTION_ARGS(f), fault.text);
}

void ps_device_fifo_failed(struct pstk_fifo *f, bool writer)
{
	atomic_store(&f->src->network->cl->commands_failed, true);
	ps_device_tell_fifo(f, writer ? &f->cl->write_fault : &f->cl->read_fault);
}

static void announce_room(struct pstk_actor *a, struct ps_eventcount *eventcount)
{
	cl_event event = ps_cl_actor_busy(a->cl);

	ps_cl_event_announce(event, eventcount);
	ps_cl_event_put(&event, NULL);
}

/* Of one that moves those at its former places, too. */
static unsigned flights(const struct pstk_actor *a, bool *runs)
{
	const struct ps_cl_actor *c;
	unsigned sum = 0;
	bool one;

	*runs = false;
	for (unsigned i = 0; (c = ps_device_part(a, i)); i++) {
		sum += ps_cl_actor_flights(c, &one);
		*runs |= one;
	}
	return sum;
}

/* Does this end of the FIFO wait for commands that no thread publishes: of another device, of one that fills control
 * tokens, of those that use the same memory, or way? */
static bool end_relays(const struct pstk_fifo *f, bool reader)
{
	struct ps_cl_way_shape way;
	enum ps_cl_kind kind;

	if (!ps_placement(f, &kind))
		return false;
	ps_placement_lead(f, &way);
	return kind == PS_CL_RELAYED || ps_placement_is_home(f) || way.members > 1 ||
	       ps_placement_waits_for_merged(f, reader) || (reader && f->dst_port == f->dst->control_port);
}

static bool relays(const struct pstk_actor *a)
{
	for (unsigned p = 0; p < a->type.port_count; p++) {
		bool reads = ps_port_reads(a->type.ports[p].kind);

		for (const struct pstk_fifo *f = a->ports[p].fifo; f; f = reads ? NULL : f->next)
			if (end_relays(f, reads))
				return true;
	}
	return false;
}

static const char *form(const struct pstk_actor *a)
{
	return a->type.fire_cl ? "fire_cl()" : "a launch";
}

static const struct pstk_device_info *info(const struct pstk_actor *a)
{
	return ps_device_info(a);
}

static const struct pstk_device_info *info_at(const struct pstk_actor *a, unsigned place)
{
	return a->places ? &a->places[place].cl->device->info : ps_device_info(a);
}

static uint64_t waits_since(const struct pstk_actor *a)
{
	return atomic_load_explicit(&a->cl->waits_since, memory_order_relaxed);
}

static uint64_t waited_ns(const struct pstk_actor *a)
{
	const struct ps_cl_actor *c;
	uint64_t sum = 0;

	for (unsigned i = 0; (c = ps_device_part(a, i)); i++)
		sum += atomic_load_explicit(&c->waited_ns, memory_order_relaxed);
	return sum;
}

static uint64_t ran_ns(const struct pstk_actor *a)
{
	const struct ps_cl_actor *c;
	uint64_t sum = 0;

	for (unsigned i = 0; (c = ps_device_part(a, i)); i++)
		sum += atomic_load_explicit(&c->device_ns, memory_order_relaxed);
	return sum;
}

static bool draining(const struct pstk_network *net)
{
	return atomic_load(&net->cl->draining);
}

static void give_up(struct pstk_network *net)
{
	atomic_store(&net->cl->commands_failed, true);
}

/*
 * Of an actor that moves from place to place.
 */

static enum ps_firing_state idle(struct pstk_actor *a)
{
	return as_firing_state(a, ps_cl_actor_idle(a->cl));
}

/* fault: of the call; says what could not be done. */
static int say_state(int err, const struct ps_cl_fault *fault, char text[PS_TEXT_SIZE])
{
	if (err)
		snprintf(text, PS_TEXT_SIZE, "%s", fault->text);
	return err;
}

static int fetch_state(const struct ps_actor_place *place, void *state, char text[PS_TEXT_SIZE])
{
	int err;

	ps_cl_serial_lock();
	err = ps_cl_actor_read_state(place->cl, state);
	ps_cl_serial_unlock();
	return say_state(err, &place->cl->fault, text);
}

static int put_state(const struct ps_actor_place *place, const void *state, char text[PS_TEXT_SIZE])
{
	int err;

	ps_cl_serial_lock();
	err = ps_cl_actor_write_state(place->cl, state);
	ps_cl_serial_unlock();
	return say_state(err, &place->cl->fault, text);
}

/* The end of an actor at this FIFO, and of a port where it reads. */
static void put_end(struct pstk_fifo *f, bool writer, unsigned place)
{
	struct ps_cl_side *side = f->cl->moving ? &f->cl->moving->sides[writer] : NULL;

	if (side && place < side->count)
		side->at = place;
}

static void arrive(struct pstk_actor *a, unsigned place)
{
	for (unsigned p = 0; p < a->type.port_count; p++) {
		bool reads = ps_port_reads(a->type.ports[p].kind);

		for (struct pstk_fifo *f = a->ports[p].fifo; f; f = reads ? NULL : f->next)
			if (f->cl)
				put_end(f, !reads, place);
	}
	/* any thread that finds it on a device finds that device */
	if (a->places[place].cl)
		a->cl = a->places[place].cl;
	if (!a->guarded)
		a->backend = a->places[place].backend;
	atomic_store(&a->place, place);
}

static unsigned in_flight(const struct ps_actor_place *place)
{
	bool runs;

	return ps_cl_actor_flights(place->cl, &runs);
}

static unsigned copies_at(const struct pstk_actor *a, unsigned place)
{
	unsigned copies[2] = { 0, 0 };

	if (!a->places[place].cl)
		return 0;
	if (a->guarded)
		return 2;
	for (unsigned p = 0; p < a->type.port_count; p++) {
		bool reads = ps_port_reads(a->type.ports[p].kind);

		for (const struct pstk_fifo *f = a->ports[p].fifo; f; f = reads ? NULL : f->next)
			if (p != a->control_port && f->cl && f->cl->kind == PS_CL_HOME)
				copies[!reads] = 1;
	}
	return copies[0] + copies[1];
}

/* What fills the FIFO's window of the firing that was published last, if that is no kernel. */
static cl_event bringer(const struct pstk_fifo *f)
{
	uint64_t ended = f->fifo.writer.ended;

	return f->cl && f->cl->kind == PS_CL_HOME && ended ? f->cl->wev[(ended - 1) % f->cl->slots] : NULL;
}

static unsigned await(const struct pstk_firing *firing, struct ps_awaited *awaited)
{
	const struct pstk_actor *a = firing->actor;
	const struct ps_cl_actor *c = a->cl;
	unsigned count = 1;

	for (unsigned p = 0; p < a->type.port_count; p++)
		for (const struct pstk_fifo *f =
				a->ports[p].reads || !ps_firing_has(firing, p) ? NULL : a->ports[p].fifo;
			f; f = f->next) {
			cl_event event = bringer(f);

			if (!event || atomic_load(&f->fifo.discards))
				continue;
			ps_cl_event_await(event, awaited);
			count++;
		}
	ps_cl_event_await(c->fired ? c->flying[(c->fired - 1) % PS_CL_FLYING] : NULL, awaited);
	return count;
}

const struct ps_backend ps_opencl_backend = {
	.name = "opencl",
	.open = ps_device_open,
	.allocate_fifo = ps_device_allocate_fifo,
	.host_windows = ps_device_host_windows,
	.prepare = ps_device_prepare,
	.abandon = ps_device_abandon,
	.drain = ps_device_drain,
	.draining = draining,
	.give_up = give_up,
	.close_fifo = ps_device_close_fifo,
	.close_actor = ps_device_close_actor,
	.close = ps_device_close,
	.room = ps_device_room,
	.wait_room = ps_device_wait_room,
	.announce_room = announce_room,
	.nudge = ps_device_nudge,
	.fire = ps_device_fire,
	.publish = ps_device_publish,
	.release = ps_device_release,
	.flights = flights,
	.relays = relays,
	.waits_since = waits_since,
	.waited_ns = waited_ns,
	.ran_ns = ran_ns,
	.form = form,
	.info = info,
	.info_at = info_at,
	.copies = ps_placement_copies,
	.together = ps_placement_together,
	.idle = idle,
	.fetch_state = fetch_state,
	.put_state = put_state,
	.arrive = arrive,
	.fire_guarded = ps_guard_fire,
	.in_flight = in_flight,
	.copies_at = copies_at,
	.await = await,
	.staging = ps_placement_staging,
	.guarding = ps_guard_bytes,
	.fifo_failed = ps_device_fifo_failed,
	.fifo_shared = ps_placement_shared,
	.fifo_merged = ps_placement_merged,
	.fifo_memory = ps_placement_name,
	.fifo_moves = ps_placement_moves,
	.fifo_hops = ps_placement_hops,
};
