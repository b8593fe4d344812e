/* SPDX-License-Identifier: MIT */
/*
 * Causes: what limits the throughput of a network. The rules, in this order; doc/guide/observing.md has them for users:
 *   1. A source that is in fire() nearly all the time, and mostly off its core, waits for the world.
 *   2. An actor or a device that is busy nearly all the time limits: nothing can be faster than it.
 *   3. Actors that wait for windows on their way to or from a device.
 *   4. All threads or all cores are busy.
 *   5. Nothing is: threads sleep between firings that are short, or the ends of a FIFO wait for each other in turns.
 * What a change gains is what the next limit leaves: the network's period is that of its busiest part.
 */
#include "lib/observe/causes.h"
#include "lib/base/text.h"
#include "lib/firing/backend.h"
#include "lib/observe/stages.h"
#include "lib/plan/threads.h"

#include <errno.h>
#include <string.h>

/* Shares of the time. */
#define BUSY 0.75   /* a part that limits */
#define FULL 0.85   /* all threads, or all cores, do */
#define MATTERS 0.1 /* worth saying */

/* A thread that sleeps needs up to so long to go on, so firings that are longer are not what is short. */
#define WAKE_NS 50000.0

static double max(double a, double b)
{
	return a > b ? a : b;
}

static double min(double a, double b)
{
	return a < b ? a : b;
}

static unsigned percent(double share)
{
	return (unsigned)(100 * min(share, 1) + 0.5);
}

/*
 * What a change would gain.
 */

/* How busy the busiest part is: `changed`, whose load is then that, or another; NULL: nothing has changed. */
static double bound(
	const struct ps_load *load, const struct ps_actor_load *changed, double busy, double saved_cores)
{
	double most = changed ? busy : 0;

	for (unsigned i = 0; i < load->net->actor_count; i++)
		if (&load->actors[i] != changed)
			most = max(most, load->actors[i].load);
	return max(most, (load->cores - saved_cores) / load->cores_there);
}

static double gain_of(
	const struct ps_load *load, const struct ps_actor_load *changed, double busy, double saved_cores)
{
	double after = bound(load, changed, busy, saved_cores), now = bound(load, NULL, 0, 0);

	return after > 0 && now > after ? now / after : 1;
}

/*
 * What is said.
 */

static const char *port_name(const struct pstk_actor *a, unsigned port)
{
	return a->type.ports[port].name;
}

/* "; thres waits 71 % of it for tokens at now" */
static void say_waiter(const struct ps_load *load, const struct pstk_actor *a, struct ps_text *t)
{
	const struct pstk_fifo *worst = NULL;
	double most = MATTERS;

	for (unsigned i = 0; i < load->net->fifo_count; i++) {
		const struct pstk_fifo *f = load->net->fifos[i];
		double wait = f->src == a   ? load->fifos[i].reader_waits
		              : f->dst == a ? load->fifos[i].writer_waits
		                            : 0;

		if (f->src != f->dst && wait > most) {
			most = wait;
			worst = f;
		}
	}
	if (!worst)
		return;
	if (worst->src == a)
		ps_text_add(t, "; %.64s waits %u %% of it for tokens at %.64s", worst->dst->name,
			percent(most), port_name(worst->dst, worst->dst_port));
	else
		ps_text_add(t, "; %.64s waits %u %% of it for room at %.64s", worst->src->name, percent(most),
			port_name(worst->src, worst->src_port));
}

static void say_busy(const struct ps_load *load, const struct ps_actor_load *l, struct pstk_cause *c)
{
	struct ps_text t = ps_text(c->evidence, sizeof c->evidence);

	if (l->selector)
		ps_text_add(&t, "%s runs kernels of %.64s %u %% of the time", l->selector, l->actor->name,
			percent(l->busy));
	else if (l->limit.firings > 1)
		ps_text_add(&t, "%.64s is in fire() with %.1f of %u threads", l->actor->name, l->threads,
			l->limit.firings);
	else
		ps_text_add(&t, "%.64s is in fire() %u %% of the time", l->actor->name, percent(l->busy));
	if (!l->selector && l->threads - l->cores > l->threads / 2)
		ps_text_add(&t, ", %u %% of that off its core", percent(1 - l->cores / l->threads));
	say_waiter(load, l->actor, &t);
}

/*
 * The causes.
 */

static const struct ps_actor_load *busiest(const struct ps_load *load)
{
	const struct ps_actor_load *most = &load->actors[0];

	for (unsigned i = 1; i < load->net->actor_count; i++)
		if (load->actors[i].load > most->load)
			most = &load->actors[i];
	return most;
}

/* Off its core is what waits for the world; on a loaded machine all are off it, so more than others by far. */
static bool waits_outside(const struct ps_load *load, const struct ps_actor_load *l)
{
	double others = load->threads - l->threads, theirs = load->cores - l->cores;
	double off = l->threads > 0 ? 1 - l->cores / l->threads : 0;
	double usual = others > MATTERS ? 1 - theirs / others : 0;

	return !l->selector && off > 0.5 && off - usual > 0.25;
}

static bool has_inputs(const struct pstk_actor *a)
{
	for (unsigned p = 0; p < a->type.port_count; p++)
		if (a->ports[p].reads)
			return true;
	return false;
}

static bool find_source(const struct ps_load *load, struct pstk_cause *c)
{
	const struct ps_actor_load *l = busiest(load);
	struct ps_text t = ps_text(c->advice, sizeof c->advice);

	if (has_inputs(l->actor) || l->load < BUSY || !waits_outside(load, l))
		return false;
	c->kind = PSTK_CAUSE_SOURCE;
	c->actor = l->actor;
	say_busy(load, l, c);
	ps_text_add(&t, "nothing: the network keeps up with what %.64s gets from outside", l->actor->name);
	return true;
}

/* The dynamic actor that decides how often `a` fires: the next one against the stream, by the port .. */
static const struct pstk_actor *decides(const struct pstk_actor *a, unsigned *port)
{
	for (unsigned hops = 0; hops < a->network->actor_count; hops++) {
		const struct pstk_fifo *f = NULL;

		for (unsigned p = 0; p < a->type.port_count && !f; p++)
			f = a->ports[p].reads ? a->ports[p].fifo : NULL;
		if (!f || ps_actor_away(f->src))
			return NULL;
		if (f->src->type.ports[f->src_port].kind == PSTK_DYNAMIC_OUTPUT) {
			*port = f->src_port;
			return f->src;
		}
		a = f->src;
	}
	return NULL;
}

static uint64_t windows_of(const struct pstk_actor *a, unsigned port)
{
	const struct pstk_fifo *f = a->ports[port].fifo;

	return atomic_load(&ps_counters(f)->written) / a->ports[port].rate;
}

/* Another branch of the same decider with the same type of actor, the idlest. */
static const struct ps_actor_load *sibling(const struct ps_load *load, const struct ps_actor_load *l,
	const struct pstk_actor *decider, unsigned port, unsigned *other)
{
	const struct ps_actor_load *idlest = NULL;

	for (unsigned i = 0; i < load->net->actor_count; i++) {
		const struct ps_actor_load *s = &load->actors[i];
		unsigned theirs;

		if (s == l || ps_actor_away(s->actor) || strcmp(s->actor->type.name, l->actor->type.name) ||
			decides(s->actor, &theirs) != decider || theirs == port)
			continue;
		if (!idlest || s->load < idlest->load) {
			idlest = s;
			*other = theirs;
		}
	}
	return idlest;
}

static bool find_imbalance(const struct ps_load *load, struct pstk_cause *c)
{
	const struct ps_actor_load *l = busiest(load), *idle;
	unsigned port, other = 0;
	const struct pstk_actor *decider = l->load < BUSY ? NULL : decides(l->actor, &port);
	struct ps_text t;
	double share;

	idle = decider ? sibling(load, l, decider, port, &other) : NULL;
	if (!idle || idle->load > l->load / 2)
		return false;
	c->kind = PSTK_CAUSE_IMBALANCE;
	c->actor = l->actor;
	c->fifo = decider->ports[port].fifo;
	say_busy(load, l, c);
	share = (double)windows_of(decider, port) /
	        (double)(windows_of(decider, port) + windows_of(decider, other));
	t = ps_text(c->advice, sizeof c->advice);
	c->gain = gain_of(load, l, (l->load + idle->load) / 2, 0);
	ps_text_add(&t,
		"%.64s sends %u %% of the windows of %.64s and %.64s to %.64s, and %.64s is busy only %u %%: "
		"send each as many",
		decider->name, percent(share), l->actor->name, idle->actor->name, l->actor->name,
		idle->actor->name, percent(idle->busy));
	return true;
}

/* With twice the firings side by side, if it may have them. */
static bool advise_concurrency(
	const struct ps_load *load, const struct ps_actor_load *l, struct pstk_cause *c)
{
	struct ps_text t = ps_text(c->advice, sizeof c->advice);
	char why[PS_LIMIT_TEXT];

	if (!l->actor->type.stateless || l->selector)
		return false;
	c->gain = gain_of(load, l, l->load / 2, 0);
	if (c->gain < 1 + MATTERS)
		return false;
	switch (l->limit.kind) {
	case PS_LIMIT_THREAD:
	case PS_LIMIT_ASKED:
		ps_text_add(
			&t, "give it more threads: it is stateless; concurrency %u", 2 * l->limit.firings);
		break;
	case PS_LIMIT_DEPTH:
		ps_text_add(&t, "give it more threads: it is stateless; %.300s limits them",
			ps_concurrency_text(l->actor, &l->limit, why));
		c->fifo = l->limit.fifo;
		break;
	case PS_LIMIT_PIN:
		ps_text_add(&t, "do not pin it: it is stateless, and other threads of the team are there");
		break;
	case PS_LIMIT_STATE:
	case PS_LIMIT_DEVICE:
	case PS_LIMIT_TEAM:
	case PS_LIMIT_CARRIED: /* a stage has no load of its own */
		return false;
	}
	return true;
}

/* Of a pipeline: it has its threads, so its longest stage is what could be faster. */
static void advise_stage(const struct ps_load *load, const struct ps_actor_load *l, struct pstk_cause *c)
{
	struct ps_text t = ps_text(c->advice, sizeof c->advice);
	double share;
	const struct pstk_actor *longest = ps_stages_longest(l->actor->pipeline, &share);

	c->kind = PSTK_CAUSE_ACTOR;
	c->gain = gain_of(load, l, l->load * (1 - share / 2), 0);
	if (longest)
		ps_text_add(&t, "make its stage %.64s faster, which takes %u %% of an item on the cores; ",
			longest->name, percent(share));
	ps_text_add(&t, "pstk_pipeline_print() says why it runs as it does");
}

static bool find_busy(const struct ps_load *load, struct pstk_cause *c)
{
	const struct ps_actor_load *l = busiest(load);
	struct ps_text t;

	if (l->load < BUSY || find_source(load, &(struct pstk_cause){ 0 }))
		return false;
	c->actor = l->actor;
	say_busy(load, l, c);
	if (ps_is_pipeline(l->actor) && load->cores > FULL * load->cores_there)
		return false; /* all cores are short: see find_cores() */
	if (ps_is_pipeline(l->actor)) {
		advise_stage(load, l, c);
		return true;
	}
	if (advise_concurrency(load, l, c)) {
		c->kind = PSTK_CAUSE_ACTOR;
		return true;
	}
	/* then all threads or all cores are short, not its own: see find_cores() */
	if (!l->selector && l->actor->type.stateless &&
		(l->limit.kind == PS_LIMIT_TEAM || load->cores > FULL * load->cores_there))
		return false;
	c->kind = l->selector ? PSTK_CAUSE_DEVICE : PSTK_CAUSE_SERIAL;
	c->gain = gain_of(load, l, l->load / 2, l->cores / 2);
	t = ps_text(c->advice, sizeof c->advice);
	if (l->selector)
		ps_text_add(&t, "make its kernel faster, or map another actor of this device elsewhere");
	else if (l->actor->type.stateless)
		ps_text_add(&t, "make its fire() faster: other threads have no time for it");
	else
		ps_text_add(&t,
			"make its fire() faster, or split it into two actors: it has a state, so its firings "
			"come one after the other");
	return true;
}

/* The FIFO between a device and another place that moves the most. */
static const struct pstk_fifo *busiest_transfer(const struct pstk_network *net)
{
	const struct pstk_fifo *most = NULL;
	uint64_t bytes, most_bytes = 0;

	for (unsigned i = 0; i < net->fifo_count; i++) {
		const struct pstk_fifo *f = net->fifos[i];

		bytes = atomic_load(&ps_counters(f)->written) * f->fifo.layout.token_size;
		if (ps_backend_of(f) && ps_backend_of(f)->fifo_moves(f) && bytes > most_bytes) {
			most = f;
			most_bytes = bytes;
		}
	}
	return most;
}

/* Where both may run: the cores need a fire(), a device a kernel. */
static void advise_place(const struct pstk_fifo *f, struct ps_text *t)
{
	const struct pstk_actor_type *from = &f->src->type, *to = &f->dst->type;
	bool device = (from->kernel || from->fire_cl) && (to->kernel || to->fire_cl);
	bool cores = from->fire && to->fire;

	if (device || cores)
		ps_text_add(t, "keep the windows in one place: map %.64s and %.64s to %s%s%s", f->src->name,
			f->dst->name, device ? "one device" : "", device && cores ? ", or both to " : "",
			cores ? "the cores" : "");
	else
		ps_text_add(t,
			"move fewer bytes: %.64s and %.64s can't run in one place, so what makes the tokens "
			"smaller "
			"belongs in front of it",
			f->src->name, f->dst->name);
}

static bool find_transfer(const struct ps_load *load, struct pstk_cause *c)
{
	const struct ps_actor_load *l = &load->actors[0];
	const struct pstk_fifo *f = busiest_transfer(load->net);
	struct ps_text t;
	double runs = 0;

	for (unsigned i = 0; i < load->net->actor_count; i++) {
		l = load->actors[i].for_device > l->for_device ? &load->actors[i] : l;
		runs += load->actors[i].selector ? load->actors[i].busy : 0;
	}
	if (!f || l->for_device < 0.4 || runs > l->for_device / 2)
		return false;
	c->kind = PSTK_CAUSE_TRANSFER;
	c->actor = l->actor;
	c->fifo = f;
	c->gain = 1 / max(1 - l->for_device + runs, bound(load, NULL, 0, 0));
	t = ps_text(c->evidence, sizeof c->evidence);
	ps_text_add(&t,
		"%.64s waits %u %% of the time for windows of a device, which runs kernels %u %%; "
		"%.64s.%.64s -> "
		"%.64s.%.64s moves %.0f MB/s",
		l->actor->name, percent(l->for_device), percent(runs), f->src->name,
		port_name(f->src, f->src_port), f->dst->name, port_name(f->dst, f->dst_port),
		(double)(atomic_load(&ps_counters(f)->written) * f->fifo.layout.token_size) / 1e6 /
			load->seconds);
	t = ps_text(c->advice, sizeof c->advice);
	advise_place(f, &t);
	return true;
}

static bool find_cores(const struct ps_load *load, struct pstk_cause *c)
{
	unsigned team = pstk_network_threads(load->net);
	double on_team = 0, most = 0;
	const struct ps_actor_load *l = NULL;
	struct ps_text t = ps_text(c->evidence, sizeof c->evidence);

	for (unsigned i = 0; i < load->net->actor_count; i++) {
		const struct ps_actor_load *one = &load->actors[i];

		if (ps_threads_on_team(one->actor))
			on_team += one->threads;
		if (one->threads > most) {
			most = one->threads;
			l = one;
		}
	}
	if (!l || (load->cores < FULL * load->cores_there && !(team && on_team > FULL * team)))
		return false;
	c->kind = PSTK_CAUSE_CORES;
	c->actor = l->actor;
	if (team && on_team > FULL * team)
		ps_text_add(&t, "the team's %u thread%s fire %u %% of the time", team, ps_plural(team),
			percent(on_team / team));
	else
		ps_text_add(&t, "fire() takes %.1f of %u cores", load->cores, load->cores_there);
	ps_text_add(&t, "; %.64s takes most of it, %u %%", l->actor->name, percent(most / load->threads));
	c->gain = 1 / (1 - most / load->threads / 2);
	t = ps_text(c->advice, sizeof c->advice);
	if (team && load->cores < team * FULL / 2) {
		c->gain = 2;
		ps_text_add(
			&t, "a team of %u: its threads mostly wait inside fire(), off their cores", 2 * team);
	} else if (team && team < load->cores_there) {
		c->gain = (double)load->cores_there / team;
		ps_text_add(&t, "a team of %u: there are so many cores", load->cores_there);
	} else {
		ps_text_add(&t, "make its fire() faster, or map it to a device: there are %u cores",
			load->cores_there);
	}
	return true;
}

/* Time in which the actor that fires longest is not in fire(), in each of its periods. */
static bool find_switching(const struct ps_load *load, struct pstk_cause *c)
{
	const struct ps_actor_load *l = busiest(load);
	double period, fire, firings = 0;
	struct ps_text t;

	for (unsigned i = 0; i < load->net->actor_count; i++)
		firings += (double)load->actors[i].firings;
	if (l->load >= BUSY || find_transfer(load, &(struct pstk_cause){ 0 }))
		return false;
	if (!l->firings || load->threads * load->seconds * 1e9 / firings > WAKE_NS)
		return false;
	period = load->seconds * 1e9 / (double)l->firings;
	fire = period * l->threads;
	if (period < fire * (1 + MATTERS))
		return false;
	c->kind = PSTK_CAUSE_SWITCHING;
	c->actor = l->actor;
	c->gain = period / (fire + (period - fire) / 4);
	t = ps_text(c->evidence, sizeof c->evidence);
	ps_text_add(&t,
		"no actor is in fire() more than %u %% of the time, threads sleep between firings: %.64s "
		"fires every "
		"%.1f us, and that takes %.1f us",
		percent(l->busy), l->actor->name, period / 1e3, fire / 1e3);
	t = ps_text(c->advice, sizeof c->advice);
	ps_text_add(&t, l->actor->steps ? "more steps a firing: 4 times as many"
					: "a higher rate of the FIFOs: 4 times");
	if (!pstk_network_threads(load->net))
		ps_text_add(&t, "; or a team of %u: its threads need not wake each other for each firing",
			load->cores_there);
	return true;
}

static bool find_depth(const struct ps_load *load, struct pstk_cause *c)
{
	const struct pstk_fifo *worst = NULL;
	double most = MATTERS, waits;
	struct ps_text t;

	for (unsigned i = 0; i < load->net->fifo_count; i++) {
		double both = min(load->fifos[i].writer_waits, load->fifos[i].reader_waits);

		if (both > most) {
			most = both;
			worst = load->net->fifos[i];
		}
	}
	if (!worst)
		return false;
	c->kind = PSTK_CAUSE_DEPTH;
	c->fifo = worst;
	/* no more than the end gains that waits longer */
	waits = max(load->fifos[worst->index].writer_waits, load->fifos[worst->index].reader_waits);
	c->gain = min(1 / max(bound(load, NULL, 0, 0), MATTERS), 1 / max(1 - waits, MATTERS));
	if (c->gain < 1 + MATTERS) /* it would only make windows later */
		return false;
	t = ps_text(c->evidence, sizeof c->evidence);
	ps_text_add(&t,
		"%.64s waits %u %% of the time for room at %.64s, and %.64s %u %% for tokens at %.64s: they "
		"take turns",
		worst->src->name, percent(load->fifos[worst->index].writer_waits),
		port_name(worst->src, worst->src_port), worst->dst->name,
		percent(load->fifos[worst->index].reader_waits), port_name(worst->dst, worst->dst_port));
	t = ps_text(c->advice, sizeof c->advice);
	ps_text_add(&t, "a deeper FIFO between them: depth %u", 4 * worst->fifo.layout.depth);
	return true;
}

static void find_none(const struct ps_load *load, struct pstk_cause *c)
{
	const struct ps_actor_load *l = busiest(load);
	struct ps_text t = ps_text(c->evidence, sizeof c->evidence);

	c->kind = PSTK_CAUSE_NONE;
	ps_text_add(&t, "no actor is busy all the time: the busiest, %.64s, is in fire() %u %% of it",
		l->actor->name, percent(l->busy));
}

/* The first that applies is what limits; behind it come others that apply, too. */
static unsigned find_all(const struct ps_load *load, struct pstk_cause *found)
{
	static bool (*const rules[])(const struct ps_load *, struct pstk_cause *) = { find_source,
		find_imbalance, find_busy, find_transfer, find_cores, find_switching, find_depth };
	unsigned count = 0;

	for (unsigned i = 0; i < PS_CAUSES_MOST; i++) {
		found[count] = (struct pstk_cause){ .gain = 1 };
		if (rules[i](load, &found[count]))
			count++;
	}
	if (!count)
		find_none(load, &found[count++]);
	return count;
}

unsigned ps_causes_find(const struct ps_load *load, struct pstk_cause found[PS_CAUSES_MOST])
{
	if (!load->net->actor_count || !load->looks) {
		found[0] = (struct pstk_cause){ .kind = PSTK_CAUSE_NONE, .gain = 1 };
		snprintf(found[0].evidence, sizeof found[0].evidence,
			"the network ended before it was looked at: let it run longer");
		return 1;
	}
	return find_all(load, found);
}

int pstk_network_causes(const struct pstk_network *net, struct pstk_cause *causes, unsigned size)
{
	struct pstk_cause found[PS_CAUSES_MOST];
	struct ps_load load;
	unsigned count;
	int err;

	if (!net || (size && !causes))
		return -EINVAL;
	err = ps_load_measure(&load, net);
	if (err)
		return err;
	count = ps_causes_find(&load, found);
	ps_load_free(&load);
	for (unsigned i = 0; i < count && i < size; i++)
		causes[i] = found[i];
	return (int)count;
}
