/* SPDX-License-Identifier: MIT */
#include "lib/plan/rates.h"
#include "lib/base/memory.h"
#include "lib/model/declare.h"
#include "lib/model/pipeline.h"
#include "lib/model/type.h"
#include "lib/plan/settle.h"
#include "lib/plan/plan.h"

#include <errno.h>
#include <string.h>

static bool is_simple(const struct ps_layout *l)
{
	return l->write_rate == l->read_rate && !l->history;
}

static bool is_unknown(const struct pstk_actor *a, unsigned port)
{
	return a->type.kahn || (ps_port_is_dynamic(a->type.ports[port].kind) && !a->type.control_values);
}

/* Nothing is known of when a Kahn actor moves windows, or a port whose control values are not declared. */
static bool counts(const struct pstk_fifo *f)
{
	return !is_unknown(f->src, f->src_port) && !is_unknown(f->dst, f->dst_port);
}

static bool is_broadcast(const struct pstk_fifo *f)
{
	return f->src->ports[f->src_port].fifo != f || f->next;
}

/* Of an end whose port declares a rate, else 0. */
static uint32_t steps_of(const struct pstk_actor *a, unsigned port)
{
	return ps_declared(a, port).rate ? a->steps : 0;
}

/* An end of which nothing says a rate takes that of the other end, also a new one. */
static bool follows(const struct pstk_actor *a, unsigned port, uint32_t given)
{
	return !given && !ps_declared(a, port).rate;
}

/* Can the rate of an end not be changed alone? What is both declared and given would have to be changed twice. */
static bool keeps_write(const struct pstk_fifo *f)
{
	return is_broadcast(f) || follows(f->dst, f->dst_port, f->given_read) ||
	       (f->given_write && ps_declared(f->src, f->src_port).rate);
}

static bool keeps_read(const struct pstk_fifo *f)
{
	return f->dst_port == f->dst->control_port || follows(f->src, f->src_port, f->given_write) ||
	       (f->given_read && ps_declared(f->dst, f->dst_port).rate);
}

static struct ps_rate_edge edge_of(const struct pstk_fifo *f)
{
	const struct ps_layout *l = &f->fifo.layout;

	return (struct ps_rate_edge){ .src = f->src->index,
		.dst = f->dst->index,
		.write_rate = l->write_rate,
		.read_rate = l->read_rate,
		.marking = (int64_t)l->delay - (l->peek ? l->history : 0),
		.room = l->room + f->fifo.room_before,
		.fixed = !ps_depth_is_open(f),
		.write_steps = steps_of(f->src, f->src_port),
		.read_steps = steps_of(f->dst, f->dst_port),
		.keeps_write = keeps_write(f),
		.keeps_read = keeps_read(f) };
}

static int make_graph(struct ps_rates *r, const struct pstk_network *net)
{
	struct ps_rate_graph *g = &r->graph;

	g->actor_count = net->actor_count;
	g->edges = ps_memory_zalloc(net->fifo_count, sizeof *g->edges);
	r->fifo = ps_memory_zalloc(net->fifo_count, sizeof(*r->fifo));
	r->edge_of = ps_memory_zalloc(net->fifo_count, sizeof *r->edge_of);
	r->q = ps_memory_zalloc(net->actor_count, sizeof *r->q);
	if (!g->edges || !r->fifo || !r->edge_of || !r->q)
		return -ENOMEM;
	for (unsigned i = 0; i < net->fifo_count; i++) {
		const struct pstk_fifo *f = net->fifos[i];

		r->edge_of[i] = counts(f) ? g->edge_count : PS_NO_EDGE;
		if (!counts(f))
			continue;
		r->fifo[g->edge_count] = f;
		g->edges[g->edge_count++] = edge_of(f);
	}
	return 0;
}

/* Parts of one rate without history are R2's own (lib/analysis/cycle_rule.c). */
static int mark_executed(struct ps_rates *r)
{
	r->executed = ps_memory_zalloc(r->rooms.part_count, sizeof *r->executed);
	if (!r->executed)
		return -ENOMEM;
	for (unsigned e = 0; e < r->graph.edge_count; e++)
		if (!is_simple(&r->fifo[e]->fifo.layout))
			r->executed[r->rooms.part[e]] = true;
	return 0;
}

static int find(struct ps_rates *r, const struct pstk_network *net)
{
	int err = make_graph(r, net);

	if (!err)
		err = ps_balance_find(&r->graph, r->q, &r->imbalance);
	if (!err)
		err = ps_rooms_begin(&r->rooms, &r->graph);
	if (!err)
		err = mark_executed(r);
	return err ? err : ps_rooms_find(&r->rooms, &r->graph, r->q, r->executed);
}

/* Also where another part has no answer. -EFBIG: more bytes than memory can have; then the network is refused. */
static int grow(struct ps_rates *r, struct pstk_network *net)
{
	for (unsigned i = 0; i < net->fifo_count; i++) {
		struct pstk_fifo *f = net->fifos[i];
		struct ps_layout l = f->fifo.layout;
		unsigned e = r->edge_of[i];

		if (e == PS_NO_EDGE || !r->rooms.growth[e].from)
			continue;
		l.room = r->graph.edges[e].room - f->fifo.room_before;
		if (ps_layout_init(&l)) {
			r->too_large = f;
			return -EFBIG;
		}
		f->fifo.layout = f->fifo.shape = l; /* before the start no FIFO shares memory */
	}
	return 0;
}

/* What it has grown by before something else was built. */
static void take_back(struct pstk_fifo *f)
{
	struct ps_layout l = f->fifo.layout;

	l.room = 0;
	if (ps_depth_is_open(f) && !ps_layout_init(&l))
		f->fifo.layout = f->fifo.shape = l;
}

static void forget(struct ps_rates *r)
{
	ps_memory_free(r->q);
	ps_memory_free(r->graph.edges);
	ps_memory_free(r->fifo);
	ps_memory_free(r->edge_of);
	ps_memory_free(r->imbalance.way);
	ps_memory_free(r->executed);
	ps_rooms_end(&r->rooms);
	*r = (struct ps_rates){ .several = false };
}

void ps_rates_settle(struct pstk_network *net)
{
	struct ps_rates *r = net->plan->rates;

	forget(r);
	for (unsigned i = 0; i < net->fifo_count; i++) {
		take_back(net->fifos[i]);
		r->several = r->several || !is_simple(&net->fifos[i]->fifo.layout);
	}
	if (!r->several)
		return;
	r->err = find(r, net);
	if (r->executed && r->err != -ENOMEM && grow(r, net))
		r->err = -EFBIG;
}

int ps_rates_repetitions(const struct pstk_network *net, uint64_t *q)
{
	struct ps_rates r = { .several = true };
	int err = make_graph(&r, net);

	if (!err)
		err = ps_balance_find(&r.graph, q, &r.imbalance);
	forget(&r);
	return err;
}

const struct ps_rates *ps_rates_of(const struct pstk_network *net)
{
	return net->plan->rates;
}

bool ps_rates_executed(const struct pstk_fifo *f)
{
	const struct ps_rates *r = f->src->network->plan->rates;
	unsigned e = r->several && r->executed ? r->edge_of[f->index] : PS_NO_EDGE;

	return e != PS_NO_EDGE && r->executed[r->rooms.part[e]];
}

void ps_rates_free(struct pstk_network *net)
{
	if (!net->plan || !net->plan->rates)
		return;
	forget(net->plan->rates);
	ps_memory_free(net->plan->rates);
}

uint64_t ps_rates_depth(const struct ps_layout *l, uint64_t room)
{
	uint64_t step = (uint64_t)l->write_rate + l->read_rate - ps_gcd(l->write_rate, l->read_rate);
	struct ps_layout deeper = *l;
	uint64_t depth = l->depth + (room - l->room) / step;

	/* rounding up may have given room that a larger depth does not add to */
	for (;; depth++) {
		deeper.depth = (uint32_t)depth;
		deeper.room = 0;
		if (depth > UINT32_MAX || ps_layout_init(&deeper) || deeper.room >= room)
			return depth;
	}
}

const char *ps_rates_text(const struct ps_layout *l, char text[PS_RATES_TEXT])
{
	if (l->write_rate == l->read_rate)
		snprintf(text, PS_RATES_TEXT, "rate %u", l->read_rate);
	else
		snprintf(text, PS_RATES_TEXT, "rates %u and %u", l->write_rate, l->read_rate);
	return text;
}

uint64_t pstk_actor_repetitions(const struct pstk_actor *a)
{
	const struct ps_rates *r;
	uint64_t q;

	if (!a)
		return 0;
	if (ps_is_stage(a))
		a = a->pipeline->actor;
	ps_plan_settle(a->network);
	r = a->network->plan->rates;
	/* BUILD calls of another thread may settle it again */
	pthread_mutex_lock(&a->network->lock);
	q = !r->several                                                              ? 1
	    : r->q && r->err != -EINVAL && r->err != -EOVERFLOW && r->err != -ENOMEM ? r->q[a->index]
	                                                                             : 0;
	pthread_mutex_unlock(&a->network->lock);
	return q;
}
