/* SPDX-License-Identifier: MIT */
#include "lib/observe/snapshot.h"
#include "lib/move/moving.h"
#include "lib/base/clock.h"
#include "lib/base/text.h"
#include "lib/firing/backend.h"
#include "lib/firing/reorder.h"
#include "lib/firing/runner.h"
#include "lib/model/type.h"
#include "lib/observe/host_text.h"
#include "lib/observe/stages.h"
#include "lib/observe/watch.h"
#include "lib/plan/rates.h"
#include "lib/schedule/detector.h"

#include <errno.h>
#include <stdio.h>

/* Where it waits, and for what. */
static void look_at_wait(struct ps_state *s, const struct ps_fifo_end *end)
{
	const struct pstk_fifo *f = (const struct pstk_fifo *)end->fifo;
	bool writer = end->writes;

	s->port = writer ? f->src_port : f->dst_port;
	s->other = ps_detector_awaited(end);
	if (!s->other)
		s->other = ps_detector_other(end);
	/* the counters are there: it is the place that is busy */
	if (end->ops && ps_fifo_look(end) != PS_FIFO_WAIT)
		s->doing = f->fifo.merged ? PS_WAITS_FOR_MERGED : PS_WAITS_FOR_DEVICE;
	else
		s->doing = writer ? PS_WAITS_FOR_ROOM : PS_WAITS_FOR_TOKENS;
}

/* It waits nowhere: its next firing is looked at. */
static void look_at_polled(struct ps_state *s, struct pstk_actor *a)
{
	const struct ps_fifo_end *end;

	if (atomic_load(&a->task->ended)) {
		s->doing = PS_HAS_ENDED;
		return;
	}
	s->doing = PS_IN_FIRE;
	if (!a->task->runner->hold(a->task))
		return;
	if (!ps_reorder_in_flight(a->task)) {
		end = ps_firing_awaits(a->task);
		if (end)
			look_at_wait(s, end);
		else
			s->doing = atomic_load(&a->task->taken) ? PS_MAY_FIRE : PS_NOT_BEGUN;
	}
	a->task->runner->let_go(a->task);
}

struct ps_state ps_state_of(struct pstk_actor *a)
{
	struct ps_state s = { .since = atomic_load_explicit(&a->task->since, memory_order_relaxed) };
	uint64_t room = ps_backend_anywhere(a) ? ps_backend_anywhere(a)->waits_since(a) : 0;
	const struct ps_fifo_end *end = atomic_load(&a->task->waits_for);

	if (ps_actor_away(a)) {
		s.doing = PS_IS_AWAY;
		return s;
	}
	if (ps_backend_anywhere(a))
		s.flights = ps_backend_anywhere(a)->flights(a, &s.runs);
	if (a->task->polled) {
		look_at_polled(&s, a);
		return s;
	}
	if (atomic_load(&a->task->ended)) {
		s.doing = PS_HAS_ENDED;
	} else if (end && (a->task->slot_count == 1 ||
				  !ps_reorder_in_flight(a->task))) { /* else another thread of it fires */
		look_at_wait(&s, end);
	} else if (room) {
		s.doing = PS_WAITS_FOR_COMMANDS;
		s.since = room;
	} else {
		s.doing = s.since ? PS_IN_FIRE : PS_NOT_BEGUN;
	}
	return s;
}

bool ps_state_is_busy(const struct ps_state *s)
{
	return s->flights || s->doing == PS_IN_FIRE || s->doing == PS_WAITS_FOR_DEVICE ||
	       s->doing == PS_WAITS_FOR_COMMANDS;
}

/* What runs when it fires. */
static const char *form(const struct pstk_actor *a)
{
	return a->backend ? ps_backend_anywhere(a)->form(a) : "fire()";
}

static void say_doing(const struct pstk_actor *a, const struct ps_state *s, struct ps_text *t)
{
	const char *port = s->other ? a->type.ports[s->port].name : "";
	char host[PS_HOST_TEXT];

	switch (s->doing) {
	case PS_NOT_BEGUN:
		ps_text_add(t, "has not begun");
		break;
	case PS_WAITS_FOR_TOKENS:
		ps_text_add(t, "waits for tokens at %.64s <- %.64s", port, s->other->name);
		break;
	case PS_WAITS_FOR_ROOM:
		ps_text_add(t, "waits for room at %.64s -> %.64s", port, s->other->name);
		break;
	case PS_WAITS_FOR_MERGED:
		ps_text_add(t, "waits for merged memory at %.64s, of %.64s", port, s->other->name);
		break;
	case PS_WAITS_FOR_DEVICE:
		ps_text_add(t, "waits for the device's commands at %.64s, of %.64s", port, s->other->name);
		break;
	case PS_WAITS_FOR_COMMANDS:
		ps_text_add(t, "waits for its own firings' commands");
		break;
	case PS_MAY_FIRE:
		ps_text_add(t, "may fire");
		break;
	case PS_IN_FIRE:
		ps_text_add(t, "is in %s", form(a));
		if (ps_is_pipeline(a))
			ps_stages_say(a->pipeline, t);
		break;
	case PS_HAS_ENDED:
		ps_text_add(t, "has ended");
		break;
	case PS_IS_AWAY:
		ps_text_add(t, "is on %s", ps_host_text(a->network, a->host, host));
	}
}

const char *ps_time_say(uint64_t ns, char buffer[PS_TIME_SIZE])
{
	bool brief = ns < 1000000000u;

	snprintf(buffer, PS_TIME_SIZE, "%.1f %s", (double)ns / (brief ? 1e6 : 1e9), brief ? "ms" : "s");
	return buffer;
}

/* ", control 2 (on: loud)" */
static void say_decision(const struct pstk_actor *a, struct ps_text *t)
{
	enum { MOST = 4 };
	uint64_t decision = atomic_load_explicit(&a->task->decision, memory_order_relaxed);
	unsigned on = 0;

	if (!decision)
		return;
	ps_text_add(t, ", control %llu (on:", (unsigned long long)decision - 1);
	for (unsigned p = 0; p < a->type.port_count; p++) {
		if (!ps_port_is_dynamic(a->type.ports[p].kind) || !ps_task_has(a->task, p))
			continue;
		if (on < MOST)
			ps_text_add(t, "%s%.32s", on ? ", " : " ", a->type.ports[p].name);
		on++;
	}
	if (on > MOST)
		ps_text_add(t, " and %u more", on - MOST);
	ps_text_add(t, on ? ")" : " none)");
}

static void say_flights(const struct pstk_actor *a, const struct ps_state *s, struct ps_text *t)
{
	bool kernel = a->type.kernel && !a->type.fire_cl;

	ps_text_add(t, ", %u in flight on %.40s", s->flights, ps_backend_anywhere(a)->info(a)->selector);
	if (kernel)
		ps_text_add(t, ", kernel '%.48s'", a->type.kernel->name);
	if (s->runs)
		ps_text_add(t, ", which runs");
}

void ps_state_say(const struct pstk_actor *a, const struct ps_state *s, uint64_t now, char *text, size_t size)
{
	unsigned long long firings = atomic_load_explicit(&a->task->firings, memory_order_relaxed);
	unsigned long long tokens = atomic_load_explicit(&a->task->control_tokens, memory_order_relaxed);
	struct ps_text t = ps_text(text, size);
	char time[PS_TIME_SIZE];

	say_doing(a, s, &t);
	if (s->doing == PS_IS_AWAY)
		return;
	if (s->since && s->doing != PS_HAS_ENDED && now > s->since)
		ps_text_add(&t, " for %s", ps_time_say(now - s->since, time));
	ps_text_add(&t, ", %llu firing%s", firings, ps_plural(firings));
	if (a->control_port != PS_NO_PORT)
		ps_text_add(&t, ", %llu control token%s", tokens, ps_plural(tokens));
	if (s->doing != PS_HAS_ENDED)
		say_decision(a, &t);
	if (s->flights)
		say_flights(a, s, &t);
	ps_moving_say(a, &t);
}

static void print_fifo(const struct pstk_fifo *f, FILE *out)
{
	char rates[PS_RATES_TEXT];
	struct pstk_fifo_info info;

	pstk_fifo_get_info(f, &info);
	fprintf(out, "  %s.%s -> %s.%s: %s, %llu/%llu tokens, %llu written, %llu read%s%s, %s\n",
		f->src->name, f->src->type.ports[f->src_port].name, f->dst->name,
		f->dst->type.ports[f->dst_port].name, ps_rates_text(&f->fifo.layout, rates),
		(unsigned long long)info.fill, (unsigned long long)ps_fifo_capacity(&f->fifo),
		(unsigned long long)info.written, (unsigned long long)info.read,
		info.closed ? ", closed" : "", info.discards ? ", no reader" : "", info.memory);
}

static const char *name_state(enum ps_network_state state)
{
	switch (state) {
	case PS_BUILD:
		return "is being built";
	case PS_STARTING:
		return "starts";
	case PS_RUNNING:
		return "runs";
	case PS_FAILED_START:
		return "did not start";
	case PS_ENDED:
		break;
	}
	return "has ended";
}

/* Of this process's part. */
static int write_part(struct pstk_network *net, FILE *out)
{
	enum ps_network_state state;
	uint64_t now = ps_clock_ns();
	char text[PS_TEXT_SIZE + 256];

	pthread_mutex_lock(&net->lock);
	state = net->state;
	pthread_mutex_unlock(&net->lock);
	flockfile(out); /* of two networks at once, one after the other */
	fprintf(out, "network '%s'%s%s %s%s%s\n", net->name, net->host_name ? " on " : "",
		net->host_name ? net->host_name : "", name_state(state),
		atomic_load(&net->stopping) ? ", was stopped" : "",
		pstk_network_failed(net) ? ", has failed" : "");
	for (unsigned i = 0; (state == PS_RUNNING || state == PS_ENDED) && i < net->actor_count; i++) {
		struct ps_state s = ps_state_of(net->actors[i]);

		ps_state_say(net->actors[i], &s, now, text, sizeof text);
		fprintf(out, "  %s (%s) %s\n", net->actors[i]->name, net->actors[i]->type.name, text);
	}
	for (unsigned i = 0; (state == PS_RUNNING || state == PS_ENDED) && i < net->fifo_count; i++)
		if (net->fifos[i]->crossing != PS_CROSSES_ELSEWHERE)
			print_fifo(net->fifos[i], out);
	funlockfile(out);
	return fflush(out) || ferror(out) ? -EIO : 0;
}

static void tell_others(struct pstk_network *net)
{
	void (*tell)(void *user, enum ps_watch_news);
	void *user;

	pthread_mutex_lock(&net->lock);
	tell = net->watch->tell;
	user = net->watch->user;
	pthread_mutex_unlock(&net->lock);
	if (tell)
		tell(user, PS_WATCH_SNAPSHOT);
}

int pstk_network_snapshot(struct pstk_network *net, FILE *out)
{
	if (!net || !out)
		return -EINVAL;
	tell_others(net);
	return write_part(net, out);
}

void ps_snapshot_begin(struct pstk_network *net)
{
	atomic_store(&net->watch->snapshot_wanted, false);
}

void ps_snapshot_write(struct pstk_network *net)
{
	if (atomic_exchange(&net->watch->snapshot_wanted, false))
		pstk_network_snapshot(net, stderr);
	if (atomic_exchange(&net->watch->snapshot_asked, false))
		write_part(net, stderr);
}
