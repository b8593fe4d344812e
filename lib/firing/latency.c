/* SPDX-License-Identifier: MIT */
#include "lib/firing/latency.h"
#include "lib/base/memory.h"
#include "lib/firing/timing.h"
#include "lib/model/type.h"

#include <errno.h>

/* Marks beside a FIFO, as it has windows; in a firing, besides one a source; histograms, which are large. */
enum { FIFO_LEAST = 64, FIFO_MOST = 1024, FIRING_LEAST = 32, PATHS_MOST = 4096 };

#define PERIOD_MOST (UINT64_C(1) << 60)

struct mark {
	unsigned source;
	unsigned port;  /* in a firing: by which it came */
	uint64_t born;  /* the clock; later for each mark of its source */
	uint64_t since; /* the clock: when it was put beside the FIFO; in a firing: when it was taken .. */
	uint64_t put;   /* .. and when it had been put there */
	uint64_t in_actors; /* ns, until then */
	int64_t tokens;     /* beside a FIFO: written with the one at which it lies */
};

/* Beside a FIFO. */
struct ps_marks {
	alignas(PS_CACHE_LINE) _Atomic uint32_t put;   /* changed by the writer's publisher */
	alignas(PS_CACHE_LINE) _Atomic uint32_t taken; /* changed by the reader's taker, as what follows */
	_Atomic uint64_t lay_ns; /* how long those that were taken lay there, together */
	_Atomic uint64_t lay;    /* how many these were */
	uint32_t mask;
	struct mark marks[];
};

/* In a firing. seen: that came; of more than there is room for each has the same chance. */
struct carried {
	unsigned count, seen;
	struct mark *marks;
};

/* What an actor has of a source that reaches it. */
struct reaching {
	unsigned source;      /* constant after start */
	uint64_t newest;      /* when the newest mark that has come here was born; the taker */
	struct ps_path *path; /* constant after start: of a sink; NULL: there is no histogram */
};

struct ps_task_latency {
	const struct ps_latency *of; /* constant after start */
	/* of the sources that reach the actor, itself with them, by their numbers */
	struct reaching *reaching;
	unsigned reaching_count; /* constant after start */
	unsigned room;           /* constant after start: for marks in a firing */
	/* of a kahn actor, by output port and place in reaching: when the mark was born that was passed on last */
	uint64_t *passed;
	struct carried *carried; /* by slot */

	/* of a source: changed by the publisher */
	bool is_source;        /* constant after start */
	unsigned source;       /* constant after start */
	uint64_t next, latest; /* the clock: of the next mark, of the latest one */
	_Atomic uint64_t followed;
};

/* One thread changes it at a time. */
static void raise_by(_Atomic uint64_t *sum, uint64_t n)
{
	atomic_store_explicit(sum, atomic_load_explicit(sum, memory_order_relaxed) + n, memory_order_relaxed);
}

static struct carried *carried_of(const struct pstk_firing *firing)
{
	return &firing->task->latency->carried[firing - firing->task->slots];
}

static struct reaching *find_reaching(const struct ps_task_latency *l, unsigned source)
{
	unsigned from = 0, to = l->reaching_count;

	while (to - from > 1) {
		unsigned middle = from + (to - from) / 2;

		*(l->reaching[middle].source <= source ? &from : &to) = middle;
	}
	return &l->reaching[from];
}

/* Such an actor's windows go on with the newest mark of each source. */
static bool keeps_newest(const struct pstk_actor *a)
{
	return a->type.kahn && a->has_outputs;
}

/*
 * Taking
 */

static struct mark *find(struct carried *c, const struct mark *m, bool of_source)
{
	for (unsigned i = 0; i < c->count; i++)
		if (c->marks[i].source == m->source && (of_source || c->marks[i].born == m->born))
			return &c->marks[i];
	return NULL;
}

/* Room for one more; of one that is in it already, or NULL: this one has no luck ("Algorithm R", J. Vitter, 1985). */
static struct mark *add(struct carried *c, unsigned room, uint64_t born)
{
	uint64_t chance = (born * UINT64_C(0x9e3779b97f4a7c15)) >> 32;

	c->seen++;
	if (c->count < room)
		return &c->marks[c->count++];
	chance %= c->seen;
	return chance < room ? &c->marks[chance] : NULL;
}

static void take_mark(struct pstk_firing *firing, unsigned port, const struct mark *m, uint64_t now)
{
	const struct pstk_actor *a = firing->actor;
	struct ps_task_latency *l = firing->task->latency;
	struct reaching *from = find_reaching(l, m->source);
	struct carried *c = carried_of(firing);
	struct mark *known = find(c, m, keeps_newest(a));
	bool again = known && known->born == m->born;

	if (again ? m->since <= known->put : m->born <= from->newest)
		return;
	if (a->type.kahn && !again)
		from->newest = m->born;
	if (!known)
		known = add(c, l->room, m->born);
	if (!known)
		return;
	*known = *m;
	known->port = port;
	known->put = m->since;
	known->since = now;
}

void ps_latency_took_port(struct pstk_firing *firing, unsigned port)
{
	struct pstk_fifo *f = firing->actor->ports[port].fifo;
	const struct ps_fifo_end *reader = &ps_counters(f)->reader;
	uint32_t taken = atomic_load_explicit(&f->marks->taken, memory_order_relaxed);
	uint32_t put = atomic_load_explicit(&f->marks->put, memory_order_acquire);
	int64_t tokens;
	uint64_t now;

	if (taken == put)
		return;
	/* what the window before the next one needs */
	tokens = atomic_load_explicit(&reader->needs, memory_order_relaxed) - reader->rate;
	now = ps_clock_ns();
	for (; taken != put && f->marks->marks[taken & f->marks->mask].tokens <= tokens; taken++) {
		const struct mark *m = &f->marks->marks[taken & f->marks->mask];

		raise_by(&f->marks->lay_ns, now - m->since);
		raise_by(&f->marks->lay, 1);
		take_mark(firing, port, m, now);
	}
	atomic_store_explicit(&f->marks->taken, taken, memory_order_release);
}

void ps_latency_took(struct pstk_firing *firing)
{
	struct carried *c = carried_of(firing);

	for (unsigned i = 0; i < firing->on->port_count; i++)
		if (firing->actor->ports[firing->on->ports[i]].reads)
			ps_latency_took_port(firing, firing->on->ports[i]);
	/* only now: the ports of a firing bring marks in no order */
	for (unsigned i = 0; i < c->count; i++) {
		struct reaching *from = find_reaching(firing->task->latency, c->marks[i].source);

		if (c->marks[i].born > from->newest)
			from->newest = c->marks[i].born;
	}
}

/*
 * Passing on
 */

/* The clock, if it is time for a mark. 0: it is not. */
static uint64_t due(const struct pstk_firing *firing)
{
	const struct ps_task_latency *l = firing->task->latency;

	if (!l->is_source)
		return 0;
	/* else this thread has looked at it within its last few firings */
	if (firing->actor->type.kahn)
		ps_timing_look();
	return ps_timing_now >= l->next ? ps_timing_look() : 0;
}

/* A mark that has no way behind it. */
static struct mark bear(struct pstk_firing *firing, uint64_t now)
{
	struct ps_task_latency *l = firing->task->latency;
	uint64_t period = l->of->period;

	/* never in step with what it looks at: up to an eighth later, by the clock's last bits */
	l->next = now + period + (period >> 7) * (now & 15);
	l->latest = now > l->latest ? now : l->latest + 1;
	raise_by(&l->followed, 1);
	return (struct mark){ .source = l->source, .born = l->latest, .since = now };
}

static void put_mark(struct pstk_fifo *f, const struct mark *m, uint64_t now, uint32_t tokens)
{
	struct ps_marks *marks = f->marks;
	uint32_t put = atomic_load_explicit(&marks->put, memory_order_relaxed);
	struct mark *here = &marks->marks[put & marks->mask];

	if (put - atomic_load_explicit(&marks->taken, memory_order_acquire) > marks->mask)
		return;
	*here = *m;
	here->in_actors += now - m->since;
	here->since = now;
	here->tokens =
		(int64_t)(atomic_load_explicit(&ps_counters(f)->written, memory_order_relaxed) + tokens);
	atomic_store_explicit(&marks->put, put + 1, memory_order_release);
}

/* To each reader of the port's next window. */
static void put_at_port(
	const struct pstk_actor *a, unsigned port, const struct mark *m, uint64_t now, uint32_t tokens)
{
	for (struct pstk_fifo *f = a->ports[port].fifo; f; f = f->next)
		if (f->marks && !atomic_load_explicit(&ps_counters(f)->discards, memory_order_relaxed))
			put_mark(f, m, now, tokens);
}

/* Will it publish something at this port? */
static bool writes(const struct pstk_firing *firing, unsigned port)
{
	return !firing->actor->ports[port].reads && firing->windows[port].state == PS_WINDOW_ENDED &&
	       firing->windows[port].valid;
}

static bool writes_any(const struct pstk_firing *firing)
{
	for (unsigned p = 0; p < firing->actor->type.port_count; p++)
		if (writes(firing, p))
			return true;
	return false;
}

static void pass(const struct pstk_firing *firing, const struct mark *m, uint64_t now)
{
	for (unsigned p = 0; p < firing->actor->type.port_count; p++)
		if (writes(firing, p))
			put_at_port(firing->actor, p, m, now, firing->windows[p].valid);
}

static void arrive(const struct pstk_firing *firing, const struct mark *m, uint64_t now)
{
	struct ps_path *path = find_reaching(firing->task->latency, m->source)->path;

	if (!path)
		return;
	raise_by(&path->in_actors_ns, m->in_actors + now - m->since);
	ps_histogram_add(&path->total, now - m->born);
}

static void forget(struct carried *c)
{
	c->count = c->seen = 0;
}

void ps_latency_publish(struct pstk_firing *firing)
{
	struct carried *c = carried_of(firing);
	uint64_t now = due(firing);
	bool is_sink = !firing->actor->has_outputs;

	if (now && writes_any(firing)) {
		struct mark own = bear(firing, now);

		pass(firing, &own, now);
	}
	if (!c->count)
		return;
	now = ps_clock_ns();
	for (unsigned i = 0; i < c->count; i++)
		(is_sink ? arrive : pass)(firing, &c->marks[i], now);
	forget(c);
}

/* Each of its outputs gets it, whichever it writes first. */
static void carry_own(struct pstk_firing *firing, uint64_t now)
{
	struct mark own = bear(firing, now);
	struct carried *c = carried_of(firing);
	struct mark *mark = find(c, &own, true);

	if (!mark)
		mark = add(c, firing->task->latency->room, own.born);
	if (mark)
		*mark = own;
}

void ps_latency_write(struct pstk_firing *firing, unsigned port, uint32_t tokens)
{
	struct ps_task_latency *l = firing->task->latency;
	struct carried *c = carried_of(firing);
	uint64_t now = due(firing), *passed = &l->passed[port * (size_t)l->reaching_count];

	if (now)
		carry_own(firing, now);
	if (c->count)
		now = ps_clock_ns();
	for (unsigned i = 0; i < c->count; i++) {
		const struct mark *m = &c->marks[i];
		uint64_t *last = &passed[find_reaching(l, m->source) - l->reaching];

		if (m->born > *last)
			put_at_port(firing->actor, port, m, now, tokens);
		*last = m->born;
	}
}

void ps_latency_freed(struct pstk_firing *firing, unsigned port)
{
	struct carried *c = carried_of(firing);
	uint64_t now = c->count ? ps_clock_ns() : 0;
	unsigned left = 0;

	if (firing->actor->has_outputs)
		return;
	for (unsigned i = 0; i < c->count; i++) {
		if (c->marks[i].port == port)
			arrive(firing, &c->marks[i], now);
		else
			c->marks[left++] = c->marks[i];
	}
	c->count = c->seen = left;
}

uint64_t ps_latency_followed(const struct pstk_actor *source)
{
	return atomic_load_explicit(&source->task->latency->followed, memory_order_relaxed);
}

uint64_t ps_latency_lay_ns(const struct pstk_fifo *f, uint64_t *windows)
{
	*windows = f->marks ? atomic_load_explicit(&f->marks->lay, memory_order_relaxed) : 0;
	return *windows ? atomic_load_explicit(&f->marks->lay_ns, memory_order_relaxed) / *windows : 0;
}

/*
 * Preparing
 */

static bool carries(const struct pstk_fifo *f)
{
	return f->dst->type.ports[f->dst_port].kind != PSTK_CONTROL;
}

/* Nothing that others have written comes in here. */
static bool is_source(const struct pstk_actor *a)
{
	bool fed = false;

	for (unsigned p = 0; p < a->type.port_count; p++)
		fed |= a->ports[p].reads && a->type.ports[p].kind != PSTK_CONTROL;
	return a->is_source || !fed;
}

static int create_marks(struct pstk_fifo *f)
{
	uint64_t most = f->fifo.layout.ring / f->fifo.layout.write_rate + 2;
	uint32_t count = FIFO_LEAST;

	if (!carries(f) || ps_actor_away(f->dst))
		return 0;
	while (count < most && count < FIFO_MOST)
		count *= 2;
	f->marks = ps_memory_zalloc_lines(sizeof *f->marks + count * sizeof *f->marks->marks);
	if (!f->marks)
		return -ENOMEM;
	f->marks->mask = count - 1;
	return 0;
}

static int create_task(const struct ps_latency *of, struct ps_task *t)
{
	size_t ports = t->actor->type.kahn ? t->actor->type.port_count : 0;
	struct ps_task_latency *l = t->latency;
	unsigned count = l->reaching_count;

	l->of = of;
	l->reaching_count = 0; /* counted again as they are found */
	l->room = count + FIRING_LEAST;
	l->reaching = ps_memory_zalloc(count, sizeof *l->reaching);
	l->passed = ps_memory_zalloc(ports * count, sizeof *l->passed);
	l->carried = ps_memory_zalloc(t->slot_count, sizeof *l->carried);
	if (!l->reaching || !l->passed || !l->carried)
		return -ENOMEM;
	for (unsigned i = 0; i < t->slot_count; i++) {
		l->carried[i].marks = ps_memory_zalloc(l->room, sizeof(struct mark));
		if (!l->carried[i].marks)
			return -ENOMEM;
	}
	return 0;
}

static void free_task(struct ps_task *t)
{
	if (!t->latency)
		return;
	for (unsigned i = 0; t->latency->carried && i < t->slot_count; i++)
		ps_memory_free(t->latency->carried[i].marks);
	ps_memory_free(t->latency->carried);
	ps_memory_free(t->latency->passed);
	ps_memory_free(t->latency->reaching);
	ps_memory_free(t->latency);
	t->latency = NULL;
}

/* Actors that a source's marks reach, itself first. `order`: room for all actors; `reached`: by actor. Returns how
 * many. */
static unsigned find_reached(const struct pstk_actor *source, const struct pstk_actor **order, bool *reached)
{
	unsigned count = 0;

	order[count++] = source;
	reached[source->index] = true;
	for (unsigned i = 0; i < count; i++)
		for (unsigned p = 0; p < order[i]->type.port_count; p++) {
			const struct pstk_fifo *f = order[i]->ports[p].reads ? NULL : order[i]->ports[p].fifo;

			for (; f; f = f->next)
				if (carries(f) && !ps_actor_away(f->dst) && !reached[f->dst->index]) {
					reached[f->dst->index] = true;
					order[count++] = f->dst;
				}
		}
	return count;
}

struct search {
	const struct pstk_actor **order;
	bool *reached;
};

static bool ends(const struct pstk_actor *source, const struct pstk_actor *a)
{
	return !a->has_outputs && a != source;
}

/* Twice: counts what reaches what, and paths; then, with make, notes it. */
static void find_ways(struct ps_latency *of, const struct search *s, bool make)
{
	of->path_count = 0;
	for (unsigned i = 0; i < of->source_count; i++) {
		unsigned count = find_reached(of->sources[i], s->order, s->reached);

		for (unsigned k = 0; k < count; k++) {
			const struct pstk_actor *a = s->order[k];
			struct ps_task_latency *l = a->task->latency;
			struct ps_path *path = NULL;

			s->reached[a->index] = false;
			if (ends(of->sources[i], a) && of->path_count < PATHS_MOST)
				path = make ? &of->paths[of->path_count++] : (of->path_count++, NULL);
			if (path) {
				path->source = of->sources[i];
				path->sink = a;
			}
			if (make)
				l->reaching[l->reaching_count] =
					(struct reaching){ .source = i, .path = path };
			l->reaching_count++;
		}
	}
}

static int create_ways(struct ps_latency *of, const struct pstk_network *net, const struct search *s)
{
	int err = s->order && s->reached ? 0 : -ENOMEM;

	if (err)
		return err;
	find_ways(of, s, false);
	of->paths = ps_memory_zalloc(of->path_count, sizeof *of->paths);
	err = of->paths ? 0 : -ENOMEM;
	for (unsigned i = 0; i < net->task_count && !err; i++)
		err = create_task(of, net->tasks[i]);
	if (!err)
		find_ways(of, s, true);
	return err;
}

static int create_paths(struct ps_latency *of, const struct pstk_network *net)
{
	struct search s = { .order = ps_memory_zalloc(net->actor_count, sizeof(*s.order)),
		.reached = ps_memory_zalloc(net->actor_count, sizeof *s.reached) };
	int err = create_ways(of, net, &s);

	ps_memory_free((void *)s.order);
	ps_memory_free(s.reached);
	return err;
}

static int create_parts(struct pstk_network *net, struct ps_latency *of)
{
	int err;

	of->sources = ps_memory_zalloc(net->actor_count, sizeof(*of->sources));
	err = of->sources ? 0 : -ENOMEM;
	for (unsigned i = 0; i < net->actor_count && !err; i++)
		if (!ps_actor_away(net->actors[i]) && is_source(net->actors[i]))
			of->sources[of->source_count++] = net->actors[i];
	for (unsigned i = 0; i < net->fifo_count && !err; i++)
		err = create_marks(net->fifos[i]);
	for (unsigned i = 0; i < net->task_count && !err; i++) {
		net->tasks[i]->latency = ps_memory_zalloc(1, sizeof *net->tasks[i]->latency);
		err = net->tasks[i]->latency ? 0 : -ENOMEM;
		net->tasks[i]->followed = true;
	}
	for (unsigned i = 0; i < of->source_count && !err; i++) {
		of->sources[i]->task->latency->is_source = true;
		of->sources[i]->task->latency->source = i;
	}
	return err ? err : create_paths(of, net);
}

int ps_latency_create(struct pstk_network *net, uint64_t period)
{
	net->latency = ps_memory_zalloc(1, sizeof *net->latency);
	if (!net->latency)
		return -ENOMEM;
	net->latency->period = period < PERIOD_MOST ? period : PERIOD_MOST;
	return create_parts(net, net->latency);
}

void ps_latency_free(struct pstk_network *net)
{
	if (!net->latency)
		return;
	for (unsigned i = 0; i < net->task_count; i++)
		free_task(net->tasks[i]);
	for (unsigned i = 0; i < net->fifo_count; i++) {
		ps_memory_free(net->fifos[i]->marks);
		net->fifos[i]->marks = NULL;
	}
	ps_memory_free((void *)net->latency->sources);
	ps_memory_free(net->latency->paths);
	ps_memory_free(net->latency);
	net->latency = NULL;
}
