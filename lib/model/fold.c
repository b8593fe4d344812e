/* SPDX-License-Identifier: MIT */
#include "lib/model/fold.h"
#include "lib/base/memory.h"
#include "lib/base/text.h"
#include "lib/model/error.h"
#include "lib/model/graph.h"
#include "lib/model/place.h"
#include "lib/model/type.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

/* Tells the network why there is no such pipeline, and returns err. */
#define REFUSE(net, name, err, format, ...) \
	ps_network_problem(net, err, "pipeline '%s': " format, name, __VA_ARGS__)

/*
 * What a stage may be.
 */

static bool has_inputs(const struct pstk_actor *a)
{
	for (unsigned p = 0; p < a->type.port_count; p++)
		if (ps_port_reads(a->type.ports[p].kind))
			return true;
	return false;
}

/* NULL: it can be one. Fits behind "'gauss' (gauss5x5) ". */
static const char *stage_fault(const struct pstk_actor *a)
{
	if (a->pipeline)
		return a->pipeline->actor == a ? "is a pipeline itself: name its stages instead"
		                               : "is a stage of another pipeline: leave it out of one";
	if (a->type.kahn)
		return "is a kahn actor, which has no firings: give its type a fire() with windows";
	if (a->control_port != PS_NO_PORT)
		return "is dynamic: a stage moves a window at each port in each item";
	if (!a->type.stateless)
		return "is not stateless: items are side by side; if its firings are independent, set "
		       "stateless in "
		       "the type";
	if (!has_inputs(a))
		return "is a source: a pipeline begins behind one";
	if (!a->type.fire)
		return "has no fire(): items that find the device busy need one";
	if (a->type.unblock)
		return "has an unblock(): a stage does not block";
	if (a->core >= 0)
		return "is pinned to a core: leave out its pstk_actor_pin(), or `pin`: the threads of a "
		       "pipeline are not";
	if (a->guarded)
		return "is guarded: leave out its pstk_actor_guard(), or `guard`";
	if (a->places)
		return "may move: leave out its pstk_actor_may_move(), or `may_move`: a pipeline finds its "
		       "place by itself";
	if (a->backend || a->map_refused)
		return "is mapped by hand: leave out its pstk_actor_map(), `mapping` or --device, and give "
		       "the pipeline a `device`";
	if (a->concurrency)
		return "has a concurrency: leave that out, and give the pipeline `in_flight` instead";
	return NULL;
}

static int check_stage(
	struct pstk_network *net, const char *name, struct pstk_actor *const *stages, unsigned k)
{
	struct pstk_actor *a = stages[k];
	const char *fault;

	if (!a)
		return net->add_failed ? -EINVAL /* that is why, and has been said */
		                       : REFUSE(net, name, -EINVAL, "stage %u is NULL", k + 1);
	if (a->network != net)
		return REFUSE(net, name, -EINVAL, "'%s' (%s) is of another network", a->name, a->type.name);
	for (unsigned i = 0; i < k; i++)
		if (stages[i] == a)
			return REFUSE(net, name, -EINVAL, "'%s' (%s) is there twice", a->name, a->type.name);
	if (stages[0] && a->host != stages[0]->host)
		return REFUSE(net, name, -EINVAL, "'%s' and '%s' are at two hosts: a pipeline runs at one",
			stages[0]->name, a->name);
	fault = stage_fault(a);
	return fault ? REFUSE(net, name, -EINVAL, "'%s' (%s) %s", a->name, a->type.name, fault) : 0;
}

/*
 * What lies between stages.
 */

/* count: it is none of them. */
static unsigned index_of(struct pstk_actor *const *stages, unsigned count, const struct pstk_actor *a)
{
	unsigned k = 0;

	while (k < count && stages[k] != a)
		k++;
	return k;
}

/* From one stage to another one. */
static int check_inner(const char *name, const struct pstk_fifo *f, unsigned from, unsigned to)
{
	struct pstk_network *net = f->src->network;

	if (from >= to)
		return REFUSE(net, name, -EINVAL,
			PS_CONNECTION " leads backwards: list '%s' behind '%s', or leave one of them out",
			PS_CONNECTION_ARGS(f), f->dst->name, f->src->name);
	if (f->fifo.layout.delay)
		return REFUSE(net, name, -EINVAL,
			PS_CONNECTION " has %u delay token%s: what lies between stages is of one item alone",
			PS_CONNECTION_ARGS(f), f->fifo.layout.delay, ps_plural(f->fifo.layout.delay));
	if (f->fifo.layout.tail)
		return REFUSE(net, name, -EINVAL,
			PS_CONNECTION
			" has a tail of %u tokens: what lies between stages is of one item alone",
			PS_CONNECTION_ARGS(f), f->fifo.layout.tail);
	if (f->given_write && f->given_read && f->given_write != f->given_read)
		return REFUSE(net, name, -EINVAL,
			PS_CONNECTION " has rates %u and %u: stages of one item move the same tokens",
			PS_CONNECTION_ARGS(f), f->given_write, f->given_read);
	return 0;
}

static int check_ports(struct pstk_network *net, const char *name, struct pstk_actor *const *stages,
	unsigned count, unsigned k)
{
	struct pstk_actor *a = stages[k];
	int err = 0;

	for (unsigned p = 0; p < a->type.port_count; p++) {
		const struct pstk_fifo *f = a->ports[p].fifo;
		unsigned from = f ? index_of(stages, count, f->src) : count;

		if (!f && !a->ports[p].broken)
			err = REFUSE(net, name, -EINVAL,
				"%s '%s' of '%s' (%s) is not connected: connect it before "
				"pstk_pipeline_add()",
				ps_port_kind_name(a->type.ports[p].kind), a->type.ports[p].name, a->name,
				a->type.name);
		else if (!f)
			err = -EINVAL; /* why not has been said */
		else if (ps_port_reads(a->type.ports[p].kind) && from < count)
			err = ps_first_error(err, check_inner(name, f, from, k));
	}
	return err;
}

int ps_fold_check_stages(
	struct pstk_network *net, const char *name, struct pstk_actor *const *stages, unsigned count)
{
	int err = 0;

	if (!stages || !count || count > PS_STAGES_MAX)
		return REFUSE(
			net, name, -EINVAL, "%u stages: expected 1 to %d", stages ? count : 0, PS_STAGES_MAX);
	for (unsigned k = 0; k < count; k++)
		err = ps_first_error(err, check_stage(net, name, stages, k));
	for (unsigned k = 0; k < count && !err; k++)
		err = check_ports(net, name, stages, count, k);
	return err;
}

/*
 * Folding.
 */

static bool is_stage_of(const struct pstk_pipeline *p, const struct pstk_actor *a)
{
	return index_of(p->stages, p->stage_count, a) < p->stage_count;
}

static bool is_inner(const struct pstk_pipeline *p, const struct pstk_fifo *f)
{
	return is_stage_of(p, f->src) && is_stage_of(p, f->dst);
}

/* Does the port have a FIFO that leads out of the pipeline? */
static bool leads_out(const struct pstk_pipeline *p, const struct pstk_actor *a, unsigned port)
{
	const struct pstk_fifo *f = a->ports[port].fifo;

	if (ps_port_reads(a->type.ports[port].kind))
		return !is_stage_of(p, f->src);
	while (f && is_stage_of(p, f->dst))
		f = f->also;
	return f;
}

/* The ports that lead out, as the network's actor has them. Names lie in `names`. */
static unsigned list_ports(
	const struct pstk_pipeline *p, struct pstk_port *ports, char (*names)[PS_NAME_MAX + 1])
{
	unsigned n = 0;

	for (unsigned k = 0; k < p->stage_count; k++)
		for (unsigned i = 0; i < p->stages[k]->type.port_count; i++) {
			const struct pstk_port *port = &p->stages[k]->type.ports[i];

			if (!leads_out(p, p->stages[k], i))
				continue;
			if (ports) {
				/* a name has a length at most */
				if ((size_t)snprintf(names[n], PS_NAME_MAX + 1, "%s.%s", p->stages[k]->name,
					    port->name) > PS_NAME_MAX)
					snprintf(names[n], PS_NAME_MAX + 1, "stage %u, port %u", k + 1, i);
				ports[n] = (struct pstk_port){ .name = names[n],
					.kind = ps_port_reads(port->kind) ? PSTK_INPUT : PSTK_OUTPUT,
					.token_size = port->token_size,
					.token_type = port->token_type };
				p->border[n] = (struct ps_connected){ p->stages[k], i };
			}
			n++;
		}
	return n;
}

static int copy_spec(struct pstk_pipeline *p, const struct pstk_pipeline_spec *spec)
{
	p->spec = *spec;
	p->spec.device = spec->device ? ps_memory_strdup(spec->device) : NULL;
	p->spec.configuration = spec->configuration ? ps_memory_strdup(spec->configuration) : NULL;
	p->spec.meter = spec->meter ? ps_memory_strdup(spec->meter) : NULL;
	return (spec->device && !p->spec.device) || (spec->configuration && !p->spec.configuration) ||
	                       (spec->meter && !p->spec.meter)
	               ? -ENOMEM
	               : 0;
}

/* An actor, or a stage of another pipeline; NULL: there is none. */
static const struct pstk_actor *actor_named(const struct pstk_network *net, const char *name)
{
	for (unsigned i = 0; i < net->actor_count; i++)
		if (!strcmp(net->actors[i]->name, name))
			return net->actors[i];
	for (const struct pstk_pipeline *p = net->pipelines; p; p = p->next)
		for (unsigned k = 0; k < p->stage_count; k++)
			if (!strcmp(p->stages[k]->name, name))
				return p->stages[k];
	return NULL;
}

/* The pipeline's actor, behind all others. NULL: out of memory, or its name is taken: the network has the problem. */
static struct pstk_actor *add_actor(
	struct pstk_pipeline *p, const char *name, const struct pstk_actor_type *type)
{
	unsigned count = list_ports(p, NULL, NULL);
	struct pstk_port *ports = ps_memory_zalloc(count, sizeof *ports);
	char(*names)[PS_NAME_MAX + 1] = ps_memory_zalloc(count, sizeof *names);
	struct pstk_actor_type with = *type;
	const struct pstk_actor *taken = actor_named(p->network, name);
	struct pstk_actor *a = NULL;

	p->border = ps_memory_zalloc(count, sizeof *p->border);
	/* said here, because it is the pipeline's name that can change */
	if (taken)
		REFUSE(p->network, name, -EEXIST, "'%s' (%s) has this name: give the pipeline another one",
			taken->name, taken->type.name);
	else if (ports && names && p->border) {
		with.ports = ports;
		with.port_count = list_ports(p, ports, names);
		a = pstk_network_add(p->network, name, &with, NULL);
	} else {
		REFUSE(p->network, name, -ENOMEM, "out of memory%s", "");
	}
	ps_memory_free(names);
	ps_memory_free(ports);
	return a;
}

/* Nothing of the network has changed yet. NULL: as ps_fold(). */
static struct pstk_pipeline *create(struct pstk_network *net, const char *name,
	struct pstk_actor *const *stages, unsigned count, const struct pstk_actor_type *type,
	const struct pstk_pipeline_spec *spec)
{
	struct pstk_pipeline *p = ps_memory_zalloc(1, sizeof *p);

	if (p) {
		p->network = net;
		memcpy(p->stages, stages, count * sizeof(*stages));
		p->stage_count = count;
		for (unsigned i = 0; i < net->fifo_count; i++)
			p->inner_count += is_inner(p, net->fifos[i]);
		p->inner = ps_memory_zalloc(p->inner_count, sizeof(*p->inner));
	}
	if (!p || !p->inner || copy_spec(p, spec))
		REFUSE(net, name, -ENOMEM, "out of memory%s", "");
	else
		p->actor = add_actor(p, name, type);
	if (!p || p->actor)
		return p;
	ps_pipeline_free(p);
	return NULL;
}

/* Of an output: those that lead out stay a broadcast of its own. */
static void split_output(struct pstk_pipeline *p, struct pstk_fifo *first, unsigned port)
{
	struct pstk_fifo **out = &p->actor->ports[port].fifo;

	for (struct pstk_fifo *f = first; f; f = f->also) {
		f->next = NULL;
		if (is_stage_of(p, f->dst))
			continue;
		f->src = p->actor;
		f->src_port = port;
		*out = f;
		out = &f->next;
	}
}

static void fold_fifos(struct pstk_pipeline *p)
{
	struct pstk_network *net = p->network;
	unsigned kept = 0, inner = 0;

	for (unsigned i = 0; i < net->fifo_count; i++)
		if (is_inner(p, net->fifos[i]))
			p->inner[inner++] = net->fifos[i];
		else
			net->fifos[kept++] = net->fifos[i];
	net->fifo_count = kept;
	for (unsigned i = 0; i < kept; i++)
		net->fifos[i]->index = i;
	for (unsigned i = 0; i < inner; i++)
		p->inner[i]->index = i;
	for (unsigned q = 0; q < p->actor->type.port_count; q++) {
		const struct ps_connected *b = &p->border[q];
		struct pstk_fifo *f = b->actor->ports[b->port].fifo;

		if (!ps_port_reads(b->actor->type.ports[b->port].kind)) {
			split_output(p, f, q);
			continue;
		}
		f->dst = p->actor;
		f->dst_port = q;
		p->actor->ports[q].fifo = f;
	}
}

/* The pipeline's actor, the last one, takes the place of the first stage. */
static void fold_actors(struct pstk_pipeline *p, unsigned *former)
{
	struct pstk_network *net = p->network;
	unsigned kept = 0;
	bool there = false;

	for (unsigned i = 0; i < net->actor_count; i++) {
		struct pstk_actor *a = net->actors[i];
		bool stage = is_stage_of(p, a);

		if (a == p->actor || (stage && there))
			continue;
		former[kept] = stage ? UINT_MAX : i;
		net->actors[kept] = stage ? p->actor : a;
		net->actors[kept]->index = kept;
		kept++;
		there |= stage;
	}
	net->actor_count = kept;
	for (unsigned k = 0; k < p->stage_count; k++) {
		p->stages[k]->pipeline = p;
		p->stages[k]->index = k;
	}
	p->actor->pipeline = p;
}

struct pstk_pipeline *ps_fold(struct pstk_network *net, const char *name, struct pstk_actor *const *stages,
	unsigned count, const struct pstk_actor_type *type, const struct pstk_pipeline_spec *spec,
	unsigned *former)
{
	struct pstk_pipeline *p = create(net, name, stages, count, type, spec), **end = &net->pipelines;

	if (!p)
		return NULL;
	p->actor->host = stages[0]->host;
	fold_fifos(p);
	fold_actors(p, former);
	while (*end)
		end = &(*end)->next;
	*end = p;
	return p;
}

/*
 * What comes later.
 */

static void check_rates(const struct pstk_pipeline *p, const struct pstk_fifo *f)
{
	const struct ps_layout *l = &f->fifo.layout;

	if (!f->rates_known)
		return; /* why has been said */
	if (l->write_rate != l->read_rate)
		REFUSE(p->network, p->actor->name, -EINVAL,
			PS_CONNECTION
			" has rates %u and %u: stages of one item move the same tokens: set the steps "
			"of one of them",
			PS_CONNECTION_ARGS(f), l->write_rate, l->read_rate);
	else if (l->history)
		REFUSE(p->network, p->actor->name, -EINVAL,
			PS_CONNECTION
			" has a history of %u tokens: what lies between stages is of one item alone",
			PS_CONNECTION_ARGS(f), l->history);
}

/* A way out and back in would wait for an item that is in there. */
static void check_ways_back(const struct pstk_pipeline *p)
{
	struct ps_graph g;

	if (ps_graph_init(&g, p->network)) {
		REFUSE(p->network, p->actor->name, -ENOMEM, "out of memory%s", "");
		ps_graph_fini(&g);
		return;
	}
	ps_graph_search(&g, NULL, p->network->actor_count, NULL, NULL);
	for (unsigned i = 0; i < p->network->fifo_count; i++) {
		const struct pstk_fifo *f = p->network->fifos[i];

		if (f->src != p->actor || !ps_graph_on_cycle(&g, f))
			continue;
		REFUSE(p->network, p->actor->name, -EINVAL,
			"a way leads out at " PS_CONNECTION
			" and back in: make the actors on it stages, too, or leave '%s' out",
			PS_CONNECTION_ARGS(f), f->from.actor->name);
		break;
	}
	ps_graph_fini(&g);
}

void ps_fold_check(struct pstk_pipeline *p)
{
	struct pstk_network *net = p->network;

	for (unsigned i = 0; i < p->inner_count; i++)
		check_rates(p, p->inner[i]);
	for (unsigned i = 0; i < net->fifo_count; i++) {
		const struct pstk_fifo *f = net->fifos[i];
		bool border = f->src == p->actor || f->dst == p->actor;

		if (border && f->fifo.layout.depth < p->spec.in_flight)
			REFUSE(net, p->actor->name, -EINVAL,
				PS_CONNECTION
				" holds %u window%s, but %u items may be in flight: give it a depth of at "
				"least %u, or none, or set `in_flight`",
				PS_CONNECTION_ARGS(f), f->fifo.layout.depth, ps_plural(f->fifo.layout.depth),
				p->spec.in_flight, p->spec.in_flight);
	}
	check_ways_back(p);
}
