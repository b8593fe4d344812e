/* SPDX-License-Identifier: MIT */
#include "lib/plan/machine_plan.h"
#include "lib/base/memory.h"
#include "lib/base/text.h"
#include "lib/mapping/selftimed.h"
#include "lib/model/error.h"
#include "lib/plan/machine_choose.h"
#include "lib/plan/machine_flow.h"
#include "lib/plan/places.h"
#include "lib/plan/ranks.h"
#include "lib/plan/ways.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>

/* Of a plan that is being made. */
struct making {
	struct pstk_plan *plan;
	struct pstk_network *net;
	struct ps_flow flow;
	struct ps_outline outline;
	struct ps_text error;
	const char **places; /* the plan's copies of their names */
};

static int no_memory(struct making *m)
{
	ps_text_add(&m->error, "out of memory");
	return -ENOMEM;
}

/* A copy that lives as long as the plan; NULL: out of memory. */
static const char *keep(struct pstk_plan *p, const char *text)
{
	if (p->text_count == p->text_room) {
		unsigned room = 2 * p->text_room + 16;
		char **texts = ps_memory_resize(p->texts, room, sizeof *texts);

		if (!texts)
			return NULL;
		p->texts = texts;
		p->text_room = room;
	}
	p->texts[p->text_count] = ps_memory_strdup(text);
	return p->texts[p->text_count] ? p->texts[p->text_count++] : NULL;
}

/* "'a' -> 'b' -> 'a'" */
static void add_cycle(struct making *m, struct ps_text *t, const unsigned *actors, unsigned count)
{
	for (unsigned i = 0; i <= count; i++)
		ps_text_add(t, "%s'%s'", i ? " -> " : "", m->net->actors[actors[i % count]]->name);
}

/* The FIFO that closes a cycle: its last actor writes it for the first one. */
static const struct pstk_fifo *closing(const struct making *m)
{
	const struct ps_outline *o = &m->outline;
	const unsigned *actors = o->scheduled + o->cycle_first;

	for (unsigned i = 0; i < m->flow.reader_count; i++) {
		const struct ps_flow_reader *r = &m->flow.readers[i];

		if (!r->delay && r->actor == actors[0] &&
			m->flow.outputs[r->output].writer == actors[o->cycle_count - 1])
			return m->net->fifos[r->order];
	}
	return NULL;
}

/* What the outline has refused, in words. */
static int refuse(struct making *m, int err)
{
	const struct ps_outline *o = &m->outline;
	const struct ps_place *places = m->flow.machine->places;
	const struct ps_flow_reader *r;
	const struct ps_flow_actor *writer;

	switch (err) {
	case -ENOMEM:
		return no_memory(m);
	case -ELOOP:
		ps_text_add(&m->error, "a cycle without a whole iteration of initial tokens: ");
		add_cycle(m, &m->error, o->scheduled + o->cycle_first, o->cycle_count);
		ps_text_add(&m->error, ": give one of its FIFOs a delay");
		m->plan->blamed = closing(m);
		return -EDEADLK;
	case -ENOENT:
		r = &m->flow.readers[o->no_route];
		writer = &m->flow.actors[m->flow.outputs[r->output].writer];
		ps_text_add(&m->error,
			"no links lead from '%s' to '%s', but '%s' there reads what '%s' here writes",
			places[writer->place].name, places[r->place].name, m->flow.actors[r->actor].name,
			writer->name);
		m->plan->blamed = m->net->fifos[r->order];
		return err;
	default:
		ps_text_add(&m->error, "the buffers have more windows or bytes than 63 bits");
		return err;
	}
}

static unsigned output_count(const struct pstk_actor *a)
{
	unsigned count = 0;

	for (unsigned i = 0; i < a->type.port_count; i++)
		count += ps_machine_flow_writes(a, i);
	return count;
}

/* "actor", or "actor.port" where it has several outputs. */
static const char *keep_writer(struct making *m, unsigned output)
{
	const struct ps_flow_output *out = &m->flow.outputs[output];
	const struct pstk_actor *a = m->net->actors[out->writer];
	const struct pstk_fifo *f = m->net->fifos[m->flow.readers[out->first].order];
	char name[PS_TEXT_SIZE];
	struct ps_text text = ps_text(name, sizeof name);

	ps_text_add(&text, output_count(a) > 1 ? "%s.%s" : "%s", a->name, a->type.ports[f->src_port].name);
	return keep(m->plan, name);
}

static bool keep_places(struct making *m)
{
	const struct pstk_machine *machine = m->flow.machine;

	m->places = ps_memory_zalloc(machine->place_count, sizeof *m->places);
	for (unsigned i = 0; m->places && i < machine->place_count; i++)
		if (!(m->places[i] = keep(m->plan, machine->places[i].name)))
			return false;
	return m->places;
}

static bool keep_actors(struct making *m)
{
	struct pstk_plan *p = m->plan;
	const struct ps_outline *o = &m->outline;

	p->actors = ps_memory_zalloc(m->flow.actor_count, sizeof *p->actors);
	if (!p->actors)
		return false;
	p->actor_count = m->flow.actor_count;
	for (unsigned i = 0; i < p->actor_count; i++) {
		const struct pstk_actor *a = m->net->actors[i];
		const char *place = m->places[m->flow.actors[i].place];
		struct pstk_planned_actor *to = &p->actors[i];

		*to = (struct pstk_planned_actor){ .name = keep(p, a->name),
			.place = place,
			.schedule = o->schedule[i],
			.latency = o->latency[i],
			.seconds = m->flow.actors[i].seconds };
		if (!to->name)
			return false;
		if (isnan(ps_places_seconds(a, place, 1))) {
			to->seconds = NAN;
			p->summary.untimed = p->summary.untimed ? p->summary.untimed : to->name;
			p->summary.untimed_count++;
		}
	}
	for (unsigned i = 0; i < m->flow.reader_count; i++) {
		uint64_t *slack = &p->actors[m->flow.readers[i].actor].slack;

		*slack = o->slack[i] > *slack ? o->slack[i] : *slack;
	}
	return true;
}

/* The cycle in which an input has its first window, and 1; 0: not known. */
static uint64_t arrives(const struct ps_outline *o, unsigned reader)
{
	uint64_t latency = o->latency[o->flow->readers[reader].actor], slack = o->slack[reader];

	if (latency == PS_UNSETTLED)
		return 0;
	return slack < latency ? latency - slack + 1 : 1;
}

/* Over which hosts the windows of each FIFO go. */
static bool keep_ways(struct making *m)
{
	struct pstk_plan *p = m->plan;
	const struct ps_flow *flow = &m->flow;

	p->ways = ps_memory_zalloc(p->fifo_count, sizeof *p->ways);
	for (unsigned i = 0; p->ways && i < flow->reader_count; i++) {
		const struct ps_flow_reader *r = &flow->readers[i];

		if (ps_way_find(&m->outline.routes, p->hosts[flow->outputs[r->output].writer],
			    p->hosts[r->actor], &p->ways[r->order]))
			return false;
	}
	return p->ways;
}

/* What pstk_plan_get_path() needs. */
static bool keep_edges(struct making *m)
{
	struct pstk_plan *p = m->plan;
	const struct ps_flow *flow = &m->flow;

	p->edges = ps_memory_zalloc(p->fifo_count, sizeof *p->edges);
	for (unsigned i = 0; p->edges && i < flow->reader_count; i++) {
		const struct ps_flow_reader *r = &flow->readers[i];

		p->edges[r->order] = (struct ps_planned_edge){
			.from = flow->outputs[r->output].writer, .to = r->actor, .cost = m->outline.costs[i]
		};
	}
	return p->edges;
}

/* What pstk_plan_apply() needs. */
static bool keep_devices(struct making *m)
{
	struct pstk_plan *p = m->plan;
	const struct ps_place *places = m->flow.machine->places;
	const struct ps_outline *o = &m->outline;

	p->network = m->net;
	p->fifo_count = m->net->fifo_count;
	p->selectors = ps_memory_zalloc(p->actor_count, sizeof *p->selectors);
	p->on_device = ps_memory_zalloc(p->actor_count, sizeof *p->on_device);
	p->hosts = ps_memory_zalloc(p->actor_count, sizeof *p->hosts);
	p->depths = ps_memory_zalloc(m->net->fifo_count, sizeof *p->depths);
	p->before = ps_memory_zalloc(m->net->fifo_count, sizeof *p->before);
	p->arrives = ps_memory_zalloc(m->net->fifo_count, sizeof *p->arrives);
	if (!p->selectors || !p->on_device || !p->hosts || !p->depths || !p->before || !p->arrives)
		return false;
	for (unsigned i = 0; i < p->actor_count; i++) {
		unsigned place = m->flow.actors[i].place;

		p->hosts[i] = places[place].host;
		p->on_device[i] = places[place].host != place;
		if (places[place].selector && !(p->selectors[i] = keep(p, places[place].selector)))
			return false;
	}
	for (unsigned i = 0; i < m->flow.reader_count; i++) {
		const struct ps_buffer *b = &o->buffers[o->feeds[i]];
		const struct ps_buffer *from = b->from != PS_NONE ? &o->buffers[b->from] : NULL;

		p->depths[m->flow.readers[i].order] = b->depth;
		p->arrives[m->flow.readers[i].order] = arrives(o, i);
		if (from) /* what another reader there lets wait, or was given, is no concern of this way */
			p->before[m->flow.readers[i].order] = from->usual;
	}
	return true;
}

/* What a buffer shares memory with. */
static struct ps_merge merge_of(const struct making *m, const struct ps_merge *groups, unsigned buffer)
{
	const struct ps_outline *o = &m->outline;
	const struct ps_buffer *b = &o->buffers[buffer];
	struct ps_merge merge = groups[b->group];

	if (merge.group < 2)
		return (struct ps_merge){ 0 };
	merge.group = b->group + 1;
	merge.order = b->from != PS_NONE ? 0 : o->schedule[o->flow->outputs[b->output].writer] + 1;
	return merge;
}

/* The machine's hosts, for runs on several of them. */
static bool keep_hosts(struct making *m)
{
	struct pstk_plan *p = m->plan;
	const struct pstk_machine *machine = m->flow.machine;

	p->machine = ps_memory_zalloc(machine->place_count, sizeof *p->machine);
	for (unsigned i = 0; p->machine && i < machine->place_count; i++) {
		const struct ps_place *place = &machine->places[i];
		struct ps_planned_host *h = &p->machine[p->host_count];

		if (place->host != i)
			continue;
		*h = (struct ps_planned_host){ .place = i, .name = keep(p, place->name) };
		if (place->address)
			h->address = keep(p, place->address);
		if (!h->name || (place->address && !h->address))
			return false;
		p->host_count++;
	}
	return p->machine;
}

/* And their devices, to which actors may move. */
static bool keep_host_devices(struct making *m)
{
	struct pstk_plan *p = m->plan;
	const struct pstk_machine *machine = m->flow.machine;

	p->devices = ps_memory_zalloc(machine->place_count, sizeof *p->devices);
	for (unsigned i = 0; p->devices && i < machine->place_count; i++) {
		const struct ps_place *place = &machine->places[i];
		struct ps_planned_device *d = &p->devices[p->device_count];

		if (place->host == i)
			continue;
		*d = (struct ps_planned_device){ .host = place->host, .name = keep(p, place->name) };
		if (place->selector)
			d->selector = keep(p, place->selector);
		if (!d->name || (place->selector && !d->selector))
			return false;
		p->device_count++;
	}
	return p->devices;
}

/* For pstk_plan_apply(): of groups with several buffers. */
static bool keep_merges(struct making *m)
{
	struct pstk_plan *p = m->plan;
	const struct ps_outline *o = &m->outline;
	/* of each group: how many there are, how deep the deepest is */
	struct ps_merge *groups = ps_memory_zalloc(o->group_count, sizeof *groups);

	p->merges = ps_memory_zalloc(m->net->fifo_count, sizeof *p->merges);
	p->merges_before = ps_memory_zalloc(m->net->fifo_count, sizeof *p->merges_before);
	for (unsigned i = 0; groups && i < o->buffer_count; i++) {
		struct ps_merge *g = &groups[o->buffers[i].group];

		g->group++;
		g->slots = o->buffers[i].depth > g->slots ? o->buffers[i].depth : g->slots;
	}
	for (unsigned i = 0; groups && p->merges && p->merges_before && i < m->flow.reader_count; i++) {
		unsigned fifo = m->flow.readers[i].order, last = o->feeds[i], first = last;

		while (o->buffers[first].from != PS_NONE)
			first = o->buffers[first].from;
		p->merges[fifo] = merge_of(m, groups, last);
		if (first != last)
			p->merges_before[fifo] = merge_of(m, groups, first);
	}
	ps_memory_free(groups);
	return groups && p->merges && p->merges_before;
}

static bool keep_buffers(struct making *m)
{
	struct pstk_plan *p = m->plan;
	const struct ps_outline *o = &m->outline;

	p->buffers = ps_memory_zalloc(o->buffer_count, sizeof *p->buffers);
	if (!p->buffers)
		return false;
	p->buffer_count = o->buffer_count;
	for (unsigned i = 0; i < o->buffer_count; i++) {
		const struct ps_buffer *b = &o->buffers[i];

		p->buffers[i] = (struct pstk_planned_buffer){ .place = m->places[b->place],
			.writer = b->from == PS_NONE ? keep_writer(m, b->output) : NULL,
			.from = b->from,
			.depth = b->depth,
			.group = b->group,
			.window_bytes = b->bytes,
			.delay_bytes = b->delay_bytes };
		if (b->from == PS_NONE && !p->buffers[i].writer)
			return false;
	}
	return true;
}

/* The readers of all buffers, those of one in the order of the FIFOs. */
static bool keep_readers(struct making *m)
{
	struct pstk_plan *p = m->plan;
	const struct ps_outline *o = &m->outline;
	unsigned count = m->flow.reader_count, sum = 0;

	p->readers = ps_memory_zalloc(count, sizeof *p->readers);
	p->first = ps_memory_zalloc((size_t)o->buffer_count + 1, sizeof *p->first);
	if (!p->readers || !p->first)
		return false;
	for (unsigned i = 0; i < count; i++)
		p->first[o->feeds[i]]++;
	for (unsigned i = 0; i <= o->buffer_count; i++) {
		unsigned own = p->first[i];

		p->first[i] = sum;
		sum += own;
	}
	for (unsigned i = 0; i < count; i++)
		p->readers[p->first[o->feeds[i]]++] = p->actors[m->flow.readers[i].actor].name;
	for (unsigned i = o->buffer_count; i > 0; i--)
		p->first[i] = p->first[i - 1];
	p->first[0] = 0;
	return true;
}

static bool keep_memory(struct making *m, bool merge)
{
	struct pstk_plan *p = m->plan;
	unsigned places = m->flow.machine->place_count;

	p->memory = ps_memory_zalloc(places, sizeof *p->memory);
	p->there = ps_memory_zalloc(places, sizeof *p->there);
	for (unsigned i = 0; p->memory && p->there && i < places; i++) {
		const struct ps_memory_of *of = &m->outline.memory[i];

		if (!of->bytes)
			continue;
		p->there[p->memory_count] = m->flow.machine->places[i].memory;
		p->memory[p->memory_count++] = (struct pstk_planned_memory){ m->places[i], of->bytes,
			merge ? of->merged : of->bytes };
	}
	return p->memory && p->there;
}

static const char *keep_load_name(struct making *m, const struct ps_load *l)
{
	const struct ps_link *link = &m->flow.machine->links[l->link];
	char name[PS_TEXT_SIZE];
	struct ps_text text = ps_text(name, sizeof name);

	if (l->place != PS_NONE)
		return m->places[l->place];
	ps_text_add(&text, "%s %s %s", m->places[link->ends[l->back]], link->half ? "<->" : "->",
		m->places[link->ends[!l->back]]);
	return keep(m->plan, name);
}

static bool keep_loads(struct making *m)
{
	struct pstk_plan *p = m->plan;
	const struct ps_outline *o = &m->outline;

	p->loads = ps_memory_zalloc(o->load_count, sizeof *p->loads);
	if (!p->loads)
		return false;
	p->load_count = o->load_count;
	for (unsigned i = 0; i < o->load_count; i++) {
		p->loads[i] =
			(struct pstk_planned_load){ keep_load_name(m, &o->loads[i]), o->loads[i].seconds };
		if (!p->loads[i].name)
			return false;
	}
	p->summary.period = o->period;
	p->summary.limit = o->load_count ? p->loads[o->bottleneck].name : "";
	return true;
}

static bool keep_slow(struct making *m)
{
	const struct ps_slow_cycle *slow = &m->outline.slow;
	char line[PS_ERROR_SIZE];
	struct ps_text text = ps_text(line, sizeof line);

	if (!slow->count)
		return true;
	add_cycle(m, &text, slow->actors, slow->count);
	ps_text_add(&text, ": %" PRIu64 " window%s of initial tokens in %" PRIu64 " cycles", slow->windows,
		ps_plural(slow->windows), slow->cycles);
	m->plan->summary.slow = keep(m->plan, line);
	return m->plan->summary.slow;
}

/* Each group of a plan without merging is one buffer. */
static void part_groups(struct pstk_plan *p)
{
	for (unsigned i = 0; i < p->buffer_count; i++)
		p->buffers[i].group = i;
}

/* Executes the outline, and that of the other choice of overlap. What can't be executed has no simulated period. */
static int simulate(struct making *m, bool merge)
{
	struct pstk_plan_summary *s = &m->plan->summary;
	struct ps_outline other;
	int err = ps_selftimed(&m->outline, merge, &s->simulated);

	s->other = NAN;
	if (err != -ENOMEM) {
		err = ps_outline_make(&other, &m->flow, !m->outline.overlap);
		if (!err)
			err = ps_selftimed(&other, merge, &s->other);
		ps_outline_fini(&other);
	}
	return err == -ENOMEM ? no_memory(m) : 0;
}

static int make(struct making *m, struct pstk_machine *machine, const struct pstk_plan_options *options)
{
	bool merge = !options->no_merge;
	int err = ps_machine_flow(&m->flow, m->net, machine, &m->error);

	if (!err && options->choose)
		err = ps_machine_choose(&m->flow, m->net, options, &m->plan->summary, &m->error);
	if (err)
		return err;
	m->plan->summary.overlap = !options->no_overlap;
	err = ps_outline_make(&m->outline, &m->flow, !options->no_overlap);
	if (err)
		return refuse(m, err);
	if (!keep_places(m) || !keep_actors(m) || !keep_devices(m) || !keep_hosts(m) ||
		!keep_host_devices(m) || !keep_ways(m) || !keep_edges(m) || (merge && !keep_merges(m)) ||
		!keep_buffers(m) || !keep_readers(m) || !keep_memory(m, merge) || !keep_loads(m) ||
		!keep_slow(m))
		return no_memory(m);
	if (!merge)
		part_groups(m->plan);
	return simulate(m, merge);
}

static int check(struct making *m, struct pstk_network *net, const struct pstk_plan_options *options)
{
	int err = ps_network_building(net, "pstk_plan_create");

	if (err)
		ps_text_add(&m->error, "the network was started: a plan is made before");
	else if (options && options->struct_size != sizeof *options)
		ps_text_add(&m->error, "options without struct_size");
	else if (net->problem_count)
		ps_text_add(&m->error, "%s", net->problems[0]);
	else
		return 0;
	return err ? err : -EINVAL;
}

struct pstk_plan *pstk_plan_create(
	struct pstk_network *net, struct pstk_machine *machine, const struct pstk_plan_options *options)
{
	static const struct pstk_plan_options none;
	struct pstk_plan *p = net && machine ? ps_memory_zalloc(1, sizeof *p) : NULL;
	struct making m = { .plan = p, .net = net };

	if (!p)
		return NULL;
	m.error = ps_text(p->error, sizeof p->error);
	p->result = check(&m, net, options);
	if (!p->result) {
		p->result = make(&m, machine, options ? options : &none);
		ps_memory_free(m.places);
		if (m.outline.flow)
			ps_outline_fini(&m.outline);
		ps_flow_fini(&m.flow);
	}
	return p;
}

void pstk_plan_destroy(struct pstk_plan *p)
{
	if (!p)
		return;
	for (unsigned i = 0; i < p->text_count; i++)
		ps_memory_free(p->texts[i]);
	for (unsigned i = 0; p->ways && i < p->fifo_count; i++)
		ps_memory_free(p->ways[i]);
	ps_memory_free(p->ways);
	ps_memory_free(p->texts);
	ps_memory_free(p->actors);
	ps_memory_free(p->buffers);
	ps_memory_free(p->memory);
	ps_memory_free(p->loads);
	ps_memory_free(p->readers);
	ps_memory_free(p->first);
	ps_memory_free(p->selectors);
	ps_memory_free(p->on_device);
	ps_memory_free(p->hosts);
	ps_memory_free(p->machine);
	ps_memory_free(p->devices);
	ps_memory_free(p->depths);
	ps_memory_free(p->before);
	ps_memory_free(p->arrives);
	ps_memory_free(p->edges);
	ps_memory_free(p->merges);
	ps_memory_free(p->merges_before);
	ps_memory_free(p->there);
	ps_memory_free(p);
}

int pstk_plan_result(const struct pstk_plan *p)
{
	return p ? p->result : -EINVAL;
}

const char *pstk_plan_error(const struct pstk_plan *p)
{
	return p ? p->error : "";
}

const struct pstk_fifo *pstk_plan_error_fifo(const struct pstk_plan *p)
{
	return p ? p->blamed : NULL;
}

int pstk_plan_get_summary(const struct pstk_plan *p, struct pstk_plan_summary *summary)
{
	if (!p || p->result || !summary)
		return -EINVAL;
	*summary = p->summary;
	return 0;
}

/* Each copies one of an array, if there is a plan that has so many. */
int pstk_plan_get_actor(const struct pstk_plan *p, unsigned index, struct pstk_planned_actor *actor)
{
	if (!p || p->result || index >= p->actor_count || !actor)
		return -EINVAL;
	*actor = p->actors[index];
	return 0;
}

int pstk_plan_get_buffer(const struct pstk_plan *p, unsigned index, struct pstk_planned_buffer *buffer)
{
	if (!p || p->result || index >= p->buffer_count || !buffer)
		return -EINVAL;
	*buffer = p->buffers[index];
	return 0;
}

int pstk_plan_get_memory(const struct pstk_plan *p, unsigned index, struct pstk_planned_memory *memory)
{
	if (!p || p->result || index >= p->memory_count || !memory)
		return -EINVAL;
	*memory = p->memory[index];
	return 0;
}

int pstk_plan_get_load(const struct pstk_plan *p, unsigned index, struct pstk_planned_load *load)
{
	if (!p || p->result || index >= p->load_count || !load)
		return -EINVAL;
	*load = p->loads[index];
	return 0;
}

const char *pstk_plan_buffer_reader(const struct pstk_plan *p, unsigned buffer, unsigned k)
{
	if (!p || p->result || buffer >= p->buffer_count || k >= p->first[buffer + 1] - p->first[buffer])
		return NULL;
	return p->readers[p->first[buffer] + k];
}
