/* SPDX-License-Identifier: MIT */
#include "lib/firing/latency.h"
#include "lib/base/memory.h"
#include "lib/firing/timing.h"
#include "lib/model/type.h"

#include <errno.h>

/* Marks beside a FIFO, as it has windows, and in a firing, at most. */
enum { FIFO_LEAST = 64, FIFO_MOST = 1024, FIRING_MOST = 32 };

struct mark {
	unsigned source;
	uint64_t born;  /* the clock; later for each mark of its source */
	uint64_t since; /* the clock: when it was put beside the FIFO; in a firing: when it was taken .. */
	uint64_t put;   /* .. and when it had been put there */
	uint64_t in_actors; /* ns, until then */
	int64_t tokens;     /* beside a FIFO: written with the one at which it lies */
};

/* Beside a FIFO. */
struct ps_marks {
	alignas(PS_CACHE_LINE) _Atomic uint32_t put;   /* changed by the writer's publisher */
	alignas(PS_CACHE_LINE) _Atomic uint32_t taken; /* changed by the reader's taker */
	uint32_t mask;
	struct mark marks[];
};

/* In a firing. */
struct carried {
	unsigned count;
	struct mark marks[FIRING_MOST];
};

struct ps_task_latency {
	const struct ps_latency *of; /* constant after start */
	/* constant after start, by source: where its marks end; NULL: not in this actor */
	struct ps_path **paths;
	/* by source: when the newest mark that has come here was born; the taker */
	uint64_t *newest;
	/* of a kahn actor, by output port and source: .. that was passed on */
	uint64_t *passed;
	struct carried *carried; /* by slot */

	/* of a source: changed by the publisher */
	bool is_source;        /* constant after start */
	unsigned source;       /* constant after start */
	uint64_t next, latest; /* the clock: of the next mark, of the latest one */
	_Atomic uint64_t followed;
};

static struct carried *carried_of(const struct pstk_firing *firing)
{
	return &firing->task->latency->carried[firing - firing->task->slots];
}

/*
 * Taking
 */

static struct mark *find(struct carried *c, const struct mark *m, bool kahn)
{
	for (unsigned i = 0; i < c->count; i++)
		if (c->marks[i].source == m->source && (kahn || c->marks[i].born == m->born))
			return &c->marks[i];
	return NULL;
}

static struct mark *add(struct carried *c)
{
	return c->count < FIRING_MOST ? &c->marks[c->count++] : NULL;
}

static void take_mark(struct pstk_firing *firing, const struct mark *m, uint64_t now)
{
	struct ps_task_latency *l = firing->task->latency;
	struct carried *c = carried_of(firing);
	struct mark *known = find(c, m, firing->actor->type.kahn);
	bool again = known && known->born == m->born;

	if (again ? m->since <= known->put : m->born <= l->newest[m->source])
		return;
	if (!again)
		l->newest[m->source] = m->born;
	if (!known)
		known = add(c);
	if (!known)
		return;
	*known = *m;
	known->put = m->since;
	known->since = now;
}

void ps_latency_took_port(struct pstk_firing *firing, unsigned port)
{
	struct pstk_fifo *f = firing->actor->ports[port].fifo;
	const struct ps_fifo_end *reader = &f->fifo.reader;
	uint32_t taken = atomic_load_explicit(&f->marks->taken, memory_order_relaxed);
	uint32_t put = atomic_load_explicit(&f->marks->put, memory_order_acquire);
	int64_t tokens;
	uint64_t now;

	if (taken == put)
		return;
	/* what the window before the next one needs */
	tokens = atomic_load_explicit(&reader->needs, memory_order_relaxed) - reader->rate;
	now = ps_clock_ns();
	for (; taken != put && f->marks->marks[taken & f->marks->mask].tokens <= tokens; taken++)
		take_mark(firing, &f->marks->marks[taken & f->marks->mask], now);
	atomic_store_explicit(&f->marks->taken, taken, memory_order_release);
}

void ps_latency_took(struct pstk_firing *firing)
{
	for (unsigned p = 0; p < firing->actor->type.port_count; p++)
		if (firing->windows[p].on && firing->actor->ports[p].reads)
			ps_latency_took_port(firing, p);
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
	atomic_store_explicit(&l->followed, atomic_load_explicit(&l->followed, memory_order_relaxed) + 1,
		memory_order_relaxed);
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
	here->tokens = (int64_t)(atomic_load_explicit(&f->fifo.written, memory_order_relaxed) + tokens);
	atomic_store_explicit(&marks->put, put + 1, memory_order_release);
}

/* To each reader of the port's next window. */
static void put_at_port(
	const struct pstk_actor *a, unsigned port, const struct mark *m, uint64_t now, uint32_t tokens)
{
	for (struct pstk_fifo *f = a->ports[port].fifo; f; f = f->next)
		if (f->marks && !atomic_load_explicit(&f->fifo.discards, memory_order_relaxed))
			put_mark(f, m, now, tokens);
}

static void pass(const struct pstk_firing *firing, const struct mark *m, uint64_t now)
{
	const struct pstk_actor *a = firing->actor;

	for (unsigned p = 0; p < a->type.port_count; p++)
		if (!a->ports[p].reads && firing->windows[p].state == PS_WINDOW_ENDED &&
			firing->windows[p].valid)
			put_at_port(a, p, m, now, firing->windows[p].valid);
}

static void arrive(const struct pstk_firing *firing, const struct mark *m, uint64_t now)
{
	struct ps_path *path = firing->task->latency->paths[m->source];

	atomic_store_explicit(&path->in_actors_ns,
		atomic_load_explicit(&path->in_actors_ns, memory_order_relaxed) + m->in_actors + now -
			m->since,
		memory_order_relaxed);
	ps_histogram_add(&path->total, now - m->born);
}

static void arrive_all(struct pstk_firing *firing)
{
	struct carried *c = carried_of(firing);
	uint64_t now = c->count ? ps_clock_ns() : 0;

	for (unsigned i = 0; i < c->count; i++)
		arrive(firing, &c->marks[i], now);
	c->count = 0;
}

void ps_latency_publish(struct pstk_firing *firing)
{
	struct carried *c = carried_of(firing);
	uint64_t now = due(firing);

	if (now) {
		struct mark own = bear(firing, now);

		pass(firing, &own, now);
	}
	if (!firing->actor->has_outputs) {
		arrive_all(firing);
		return;
	}
	if (c->count)
		now = ps_clock_ns();
	for (unsigned i = 0; i < c->count; i++)
		pass(firing, &c->marks[i], now);
	c->count = 0;
}

void ps_latency_write(struct pstk_firing *firing, unsigned port, uint32_t tokens)
{
	struct ps_task_latency *l = firing->task->latency;
	struct carried *c = carried_of(firing);
	uint64_t now = due(firing), *passed = &l->passed[port * l->of->source_count];

	if (now) {
		struct mark own = bear(firing, now);

		put_at_port(firing->actor, port, &own, now, tokens);
	}
	if (c->count)
		now = ps_clock_ns();
	for (unsigned i = 0; i < c->count; i++) {
		const struct mark *m = &c->marks[i];

		if (m->born > passed[m->source])
			put_at_port(firing->actor, port, m, now, tokens);
		passed[m->source] = m->born;
	}
}

void ps_latency_freed(struct pstk_firing *firing)
{
	if (!firing->actor->has_outputs)
		arrive_all(firing);
}

uint64_t ps_latency_followed(const struct pstk_actor *source)
{
	return atomic_load_explicit(&source->task->latency->followed, memory_order_relaxed);
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

	if (!carries(f))
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
	struct ps_task_latency *l = t->latency = ps_memory_zalloc(1, sizeof *l);

	if (!l)
		return -ENOMEM;
	l->of = of;
	l->paths = ps_memory_zalloc(of->source_count, sizeof(*l->paths));
	l->newest = ps_memory_zalloc(of->source_count, sizeof *l->newest);
	l->passed = ps_memory_zalloc(ports * of->source_count, sizeof *l->passed);
	l->carried = ps_memory_zalloc(t->slot_count, sizeof *l->carried);
	return l->paths && l->newest && l->passed && l->carried ? 0 : -ENOMEM;
}

static void free_task(struct ps_task *t)
{
	if (!t->latency)
		return;
	ps_memory_free(t->latency->carried);
	ps_memory_free(t->latency->passed);
	ps_memory_free(t->latency->newest);
	ps_memory_free((void *)t->latency->paths);
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
				if (carries(f) && !reached[f->dst->index]) {
					reached[f->dst->index] = true;
					order[count++] = f->dst;
				}
		}
	return count;
}

/* Calls of it for each source: counts the paths, then makes them. */
struct search {
	const struct pstk_actor **order;
	bool *reached;
};

static void find_paths(struct ps_latency *of, const struct search *s, bool make)
{
	of->path_count = 0;
	for (unsigned i = 0; i < of->source_count; i++) {
		unsigned count = find_reached(of->sources[i], s->order, s->reached);

		for (unsigned k = 0; k < count; k++) {
			const struct pstk_actor *a = s->order[k];
			struct ps_path *path = &of->paths[of->path_count];

			s->reached[a->index] = false;
			if (a->has_outputs || a == of->sources[i])
				continue;
			of->path_count++;
			if (!make)
				continue;
			path->source = of->sources[i];
			path->sink = a;
			a->task->latency->paths[i] = path;
		}
	}
}

static int create_paths(struct ps_latency *of, const struct pstk_network *net)
{
	struct search s = { .order = ps_memory_zalloc(net->actor_count, sizeof(*s.order)),
		.reached = ps_memory_zalloc(net->actor_count, sizeof *s.reached) };
	int err = s.order && s.reached ? 0 : -ENOMEM;

	if (!err) {
		find_paths(of, &s, false);
		of->paths = ps_memory_zalloc(of->path_count, sizeof *of->paths);
		err = of->paths ? 0 : -ENOMEM;
	}
	if (!err)
		find_paths(of, &s, true);
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
		if (is_source(net->actors[i]))
			of->sources[of->source_count++] = net->actors[i];
	for (unsigned i = 0; i < net->fifo_count && !err; i++)
		err = create_marks(net->fifos[i]);
	for (unsigned i = 0; i < net->task_count && !err; i++)
		err = create_task(of, net->tasks[i]);
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
	net->latency->period = period;
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
