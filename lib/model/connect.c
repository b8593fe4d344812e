/* SPDX-License-Identifier: MIT */
/* Connect: makes a FIFO between two ports, or says why not. */
#include "lib/base/memory.h"
#include "lib/base/near_name.h"
#include "lib/model/declare.h"
#include "lib/model/error.h"
#include "lib/model/network.h"
#include "lib/model/pipeline.h"
#include "lib/model/type.h"

#include <errno.h>
#include <string.h>

static int no_such_port(struct pstk_actor *a, const char *name, enum pstk_port_kind kind)
{
	struct ps_near_name near;

	ps_near_name_begin(&near, name);
	for (unsigned p = 0; p < a->type.port_count; p++)
		if (ps_port_reads(a->type.ports[p].kind) == ps_port_reads(kind))
			ps_near_name_offer(&near, a->type.ports[p].name);
	return ps_actor_has_no(a, ps_port_kind_name(kind), &near);
}

static int find_port(struct pstk_actor *a, const char *name, enum pstk_port_kind kind, unsigned *port)
{
	for (unsigned p = 0; p < a->type.port_count; p++)
		if (!strcmp(a->type.ports[p].name, name)) {
			*port = p;
			if (ps_port_reads(a->type.ports[p].kind) == ps_port_reads(kind))
				return 0;
			return ps_network_problem(a->network, -EINVAL, "'%s': port '%s' is an %s, not an %s",
				a->name, name, ps_port_reads(kind) ? "output" : "input",
				ps_port_reads(kind) ? "input" : "output");
		}
	return no_such_port(a, name, kind);
}

#define REFUSE(f, err, format, ...) \
	ps_network_problem(         \
		(f)->src->network, err, PS_CONNECTION ": " format, PS_CONNECTION_ARGS(f), __VA_ARGS__)

static int check_end_size(
	struct pstk_fifo *f, const struct pstk_port *port, const struct pstk_actor *a, size_t size)
{
	size_t element = ps_token_type_size(port->token_type);

	if (port->token_size && port->token_size != size)
		return REFUSE(f, -EINVAL,
			"token size is %zu, but '%s'.%s has tokens of %zu bytes: give it %zu, or none", size,
			a->name, port->name, port->token_size, port->token_size);
	if (element && size % element)
		return REFUSE(f, -EINVAL, "token size %zu is no multiple of '%s'.%s's element %s, %zu", size,
			a->name, port->name, port->token_type, element);
	return 0;
}

/* What the port states; 0: nothing. */
static size_t stated_size(const struct pstk_port *port)
{
	return port->kind == PSTK_CONTROL ? sizeof(uint32_t) : port->token_size;
}

/* The token size of a FIFO that has none: what its ports state, else that of the output's first reader, else one
 * element of their type; 0: nothing tells. */
static size_t ports_size(const struct pstk_fifo *f, const struct pstk_port *out, const struct pstk_port *in)
{
	const struct pstk_fifo *first = f->src->ports[f->src_port].fifo;
	size_t stated = stated_size(out) ? stated_size(out) : stated_size(in),
	       element = ps_token_type_size(out->token_type);

	if (stated)
		return stated;
	if (first)
		return first->fifo.layout.token_size;
	return element ? element : ps_token_type_size(in->token_type);
}

static int check_tokens(struct pstk_fifo *f, struct pstk_fifo_spec *spec)
{
	const struct pstk_port *out = &f->src->type.ports[f->src_port],
			       *in = &f->dst->type.ports[f->dst_port];
	int err = 0, wrong;

	if (out->token_type && in->token_type && strcmp(out->token_type, in->token_type))
		err = REFUSE(f, -EINVAL, "token types differ: %s and %s", out->token_type, in->token_type);
	if (stated_size(out) && stated_size(in) && stated_size(out) != stated_size(in))
		return ps_first_error(err, REFUSE(f, -EINVAL,
						   "token sizes differ: '%s'.%s has tokens of %zu bytes, "
						   "'%s'.%s of %zu; connect ports of "
						   "one size, or put an actor between them that converts",
						   f->src->name, out->name, stated_size(out), f->dst->name,
						   in->name, stated_size(in)));
	if (!spec->token_size && err)
		return err; /* which of the types it is to be is not known */
	if (!spec->token_size)
		spec->token_size = ports_size(f, out, in);
	if (in->kind == PSTK_CONTROL && spec->token_size != sizeof(uint32_t))
		return ps_first_error(
			err, REFUSE(f, -EINVAL, "token size is %zu: must be 4, a control token is a uint32_t",
				     spec->token_size));
	if (!spec->token_size)
		return ps_first_error(
			err, REFUSE(f, -EINVAL, "token size is %d: give the bytes of one token", 0));
	wrong = check_end_size(f, out, f->src, spec->token_size);
	if (!wrong || out->token_size != in->token_size || /* else it is the same mistake */
		ps_token_type_size(out->token_type) != ps_token_type_size(in->token_type))
		wrong = ps_first_error(wrong, check_end_size(f, in, f->dst, spec->token_size));
	return ps_first_error(err, wrong);
}

/* A ring between kahn actors is a FIFO of rate 1 and as many windows as tokens fit. */
static int check_ring(struct pstk_fifo *f, struct pstk_fifo_spec *spec)
{
	if (!f->src->type.kahn || !f->dst->type.kahn)
		return REFUSE(f, -EINVAL, "capacity %u: only between two kahn actors", spec->capacity);
	if (spec->write_rate > 1 || spec->read_rate > 1 || spec->depth)
		return REFUSE(f, -EINVAL, "a ring (capacity %u) has no rate or depth", spec->capacity);
	if (spec->tail)
		return REFUSE(
			f, -EINVAL, "a ring (capacity %u) has no tail: it is %u", spec->capacity, spec->tail);
	if (spec->delay >= spec->capacity)
		return REFUSE(f, -EINVAL, "capacity %u leaves no room beside %u delay tokens", spec->capacity,
			spec->delay);
	spec->write_rate = spec->read_rate = 1;
	spec->depth = spec->capacity - spec->delay;
	return 0;
}

static int check_broadcast(struct pstk_fifo *f, const struct pstk_fifo *first)
{
	const struct ps_layout *l = &f->fifo.layout, *m = &first->fifo.layout;

	/* a rate that is not known yet is compared at the start (steps.c) */
	if ((f->given_write && first->given_write && l->write_rate != m->write_rate) ||
		l->token_size != m->token_size)
		return REFUSE(f, -EINVAL,
			"a broadcast has one write rate and token size: here %u tokens of %zu bytes, "
			"to '%s' %u of %zu",
			l->write_rate, l->token_size, first->dst->name, m->write_rate, m->token_size);
	return 0;
}

static int check_control(struct pstk_fifo *f, const struct pstk_fifo_spec *spec)
{
	int err = 0;

	if (spec->read_rate > 1)
		err = REFUSE(f, -EINVAL, "%s is %u: must be 1, control tokens are read one by one",
			spec->rate ? "rate" : "read_rate", spec->read_rate);
	if (spec->delay)
		err = REFUSE(f, -EINVAL,
			"delay is %u: must be 0, there is no control token before the first was written",
			spec->delay);
	if (spec->tail)
		err = REFUSE(f, -EINVAL,
			"tail is %u: must be 0, zeros behind the last control token would be decisions",
			spec->tail);
	return err;
}

static int check_rate(struct pstk_fifo *f, struct pstk_fifo_spec *spec)
{
	const struct pstk_actor *src = f->src, *dst = f->dst;

	if (spec->initial && !spec->delay)
		return REFUSE(f, -EINVAL, "initial tokens are given, but delay is %d", 0);
	if (spec->reserved)
		return REFUSE(f, -EINVAL, "the spec's reserved is %u, not 0", spec->reserved);
	if (spec->capacity)
		return check_ring(f, spec);
	if (!spec->write_rate && !spec->read_rate && !ps_declare_may(src, f->src_port) &&
		!ps_declare_may(dst, f->dst_port))
		return REFUSE(f, -EINVAL,
			"rate is %d: give the tokens of a window, at least 1; '%s'.%s and '%s'.%s declare "
			"none",
			0, src->name, src->type.ports[f->src_port].name, dst->name,
			dst->type.ports[f->dst_port].name);
	if (f->dst->type.ports[f->dst_port].kind == PSTK_CONTROL)
		return check_control(f, spec);
	return 0;
}

/* .rate is that of both ends. */
static int settle_rates(struct pstk_fifo *f, struct pstk_fifo_spec *spec)
{
	uint32_t write = spec->write_rate ? spec->write_rate : spec->rate;
	uint32_t read = spec->read_rate ? spec->read_rate : spec->rate;

	if (spec->rate && (write != spec->rate || read != spec->rate))
		return REFUSE(f, -EINVAL,
			"rate is %u, write_rate %u, read_rate %u: rate is that of both ends: leave it out",
			spec->rate, write, read);
	spec->write_rate = write;
	spec->read_rate = read;
	return 0;
}

/* What the rates are, or might be, until ps_steps_settle() knows. */
static struct ps_layout first_layout(const struct pstk_fifo *f, const struct pstk_fifo_spec *spec)
{
	uint32_t write = spec->write_rate, read = spec->read_rate;

	if (f->dst->type.ports[f->dst_port].kind == PSTK_CONTROL)
		read = 1;
	return (struct ps_layout){ .write_rate = write  ? write
		                                 : read ? read
		                                        : 1,
		.read_rate = read    ? read
		             : write ? write
		                     : 1,
		.delay = spec->delay,
		.depth = spec->depth,
		.tail = spec->tail,
		.token_size = spec->token_size };
}

static int set_layout(struct pstk_fifo *f, const struct pstk_fifo_spec *given)
{
	struct pstk_fifo_spec spec = { .struct_size = given->struct_size };
	int err;

	/* a program of an older version has fewer members */
	memcpy(&spec, given, given->struct_size < sizeof spec ? given->struct_size : sizeof spec);
	f->ring = spec.capacity;
	err = check_tokens(f, &spec);
	err = ps_first_error(err, settle_rates(f, &spec));
	err = ps_first_error(err, check_rate(f, &spec));
	if (err)
		return err;
	if (!spec.depth) {
		f->depth_is_default = true;
		spec.depth = f->src->network->default_depth;
	}
	f->given_write = spec.write_rate;
	f->given_read = spec.read_rate;
	f->rates_known = !ps_declare_may(f->src, f->src_port) && !ps_declare_may(f->dst, f->dst_port);
	f->fifo.layout = first_layout(f, &spec);
	err = ps_layout_init(&f->fifo.layout);
	if (err)
		return REFUSE(f, err,
			"write rate %u, read rate %u, delay %u, depth %u, token size %zu: more bytes "
			"than memory can have",
			f->fifo.layout.write_rate, f->fifo.layout.read_rate, spec.delay, spec.depth,
			spec.token_size);
	return 0;
}

static int check_ports(struct pstk_fifo *f, const struct pstk_fifo_spec *spec)
{
	struct ps_port *out = &f->src->ports[f->src_port], *in = &f->dst->ports[f->dst_port];
	int err;

	if (in->fifo)
		return REFUSE(f, -EISCONN, "the input is connected already, to '%s'", in->fifo->src->name);
	err = set_layout(f, spec);
	if (!err && out->fifo)
		err = check_broadcast(f, out->fifo);
	return err;
}

/* Appends to the network's list and to the ports. */
static int enlist(struct pstk_network *net, struct pstk_fifo *f)
{
	struct pstk_fifo **end = &f->src->ports[f->src_port].fifo, *last = NULL;

	if (net->fifo_count == net->fifo_capacity) {
		unsigned capacity = net->fifo_capacity ? 2 * net->fifo_capacity : 16;
		struct pstk_fifo **fifos = ps_memory_resize(net->fifos, capacity, sizeof(*fifos));

		if (!fifos)
			return -ENOMEM;
		net->fifos = fifos;
		net->fifo_capacity = capacity;
	}
	for (; *end; end = &(*end)->next)
		last = *end;
	*end = f;
	if (last)
		last->also = f;
	f->dst->ports[f->dst_port].fifo = f;
	f->index = net->fifo_count;
	net->fifos[net->fifo_count++] = f;
	return 0;
}

/* Makes the FIFO of a connection that has passed all checks. */
static struct pstk_fifo *make_fifo(const struct pstk_fifo *plan, const void *initial)
{
	const struct ps_layout *l = &plan->fifo.layout;
	struct pstk_fifo *f = ps_memory_zalloc_lines(sizeof *f);

	if (!f)
		return NULL;
	*f = *plan;
	f->lead = f;
	if (initial && l->delay) {
		f->initial = ps_memory_dup(initial, l->delay * l->token_size);
		if (!f->initial)
			goto fail;
	}
	if (ps_fifo_init(&f->fifo))
		goto fail;
	return f;
fail:
	ps_memory_free(f->initial);
	ps_memory_free(f);
	return NULL;
}

static struct pstk_fifo *connect_ports(struct pstk_fifo *plan, const struct pstk_fifo_spec *spec)
{
	struct pstk_network *net = plan->src->network;
	struct pstk_fifo *f;

	if (check_ports(plan, spec))
		return NULL;
	f = make_fifo(plan, spec->initial);
	if (f && !enlist(net, f))
		return f;
	if (f)
		ps_fifo_free(f);
	ps_network_problem(net, -ENOMEM, PS_CONNECTION ": out of memory", PS_CONNECTION_ARGS(plan));
	return NULL;
}

#define TWO_NETWORKS "pstk_connect: '%s' and '%s' are of two networks"

/* NULL pointers, actors of two networks, an unknown spec. The network to tell is that of whichever actor is
 * there. */
static int check_call(struct pstk_actor *src, const char *out, struct pstk_actor *dst, const char *in,
	const struct pstk_fifo_spec *spec)
{
	struct pstk_actor *a = src ? src : dst;
	int err = a ? ps_network_building(a->network, "pstk_connect") : -EINVAL;
	char text[PS_TEXT_SIZE];

	if (err)
		return err;
	if ((!src || !dst) && a->network->add_failed) /* that is why, and has been said */
		return -EINVAL;
	if (!src || !dst)
		return ps_network_problem(a->network, -EINVAL,
			"pstk_connect: '%s'.%s has no actor at its other end (NULL)", a->name,
			src ? (out ? out : "?") : (in ? in : "?"));
	if (!out || !in || !spec)
		return ps_network_problem(a->network, -EINVAL,
			"pstk_connect: '%s'.%s -> '%s'.%s: NULL for %s", src->name, out ? out : "?",
			dst->name, in ? in : "?",
			!out  ? "the output"
			: !in ? "the input"
			      : "the spec: PSTK_FIFO() is one that gives nothing");
	if (ps_pipeline_refuses(src, "pstk_connect") || ps_pipeline_refuses(dst, "pstk_connect"))
		return -EINVAL;
	if (src->network != dst->network) {
		if (!ps_network_building(dst->network, "pstk_connect"))
			ps_network_problem(dst->network, -EINVAL, TWO_NETWORKS, src->name, dst->name);
		return ps_network_problem(src->network, -EINVAL, TWO_NETWORKS, src->name, dst->name);
	}
	if (!ps_struct_fits(&ps_struct_fifo, spec, text))
		return ps_network_problem(src->network, -EINVAL, "pstk_connect: '%s'.%s -> '%s'.%s: %s",
			src->name, out, dst->name, in, text);
	return 0;
}

/* A port that a refused connection names shall not be reported as open too, if its network has a problem to refuse the
 * start for. */
static void mark_broken(struct pstk_actor *a, const char *port)
{
	for (unsigned p = 0; a && port && a->network->problem_total && p < a->type.port_count; p++)
		if (!strcmp(a->type.ports[p].name, port))
			a->ports[p].broken = true;
}

struct pstk_fifo *pstk_connect(struct pstk_actor *src, const char *out, struct pstk_actor *dst,
	const char *in, const struct pstk_fifo_spec *spec)
{
	struct pstk_fifo plan = { .src = src, .dst = dst }, *f = NULL;
	struct pstk_fifo_spec known = { 0 };

	if (!check_call(src, out, dst, in, spec)) {
		int no_out, no_in;

		memcpy(&known, spec, spec->struct_size < sizeof known ? spec->struct_size : sizeof known);
		no_out = find_port(
			src, out, PSTK_OUTPUT, &plan.src_port); /* both, so that both are reported */
		no_in = find_port(dst, in, PSTK_INPUT, &plan.dst_port);
		plan.from = (struct ps_connected){ src, plan.src_port };
		plan.to = (struct ps_connected){ dst, plan.dst_port };
		if (!no_out && !no_in)
			f = connect_ports(&plan, &known);
	}
	if (!f) {
		mark_broken(src, out);
		mark_broken(dst, in);
	}
	return f;
}

/* Unlike ps_network_building() it leaves what was settled. */
static bool is_started(struct pstk_network *net)
{
	enum ps_network_state state;

	pthread_mutex_lock(&net->lock);
	state = net->state;
	pthread_mutex_unlock(&net->lock);
	return state != PS_BUILD;
}

int pstk_fifo_get_spec(const struct pstk_fifo *f, struct pstk_fifo_spec *spec)
{
	const struct ps_layout *l;

	if (!f || !spec)
		return -EINVAL;
	if (is_started(f->src->network))
		return -EBUSY;
	l = &f->fifo.layout;
	*spec = pstk_fifo_spec_init();
	spec->token_size = l->token_size;
	spec->delay = l->delay;
	spec->initial = f->initial;
	spec->tail = l->tail;
	if (f->ring) {
		spec->capacity = l->depth + l->delay;
		return 0;
	}
	spec->depth = f->depth_is_default ? 0 : l->depth;
	if (f->given_write == f->given_read) {
		spec->rate = f->given_write;
	} else {
		spec->write_rate = f->given_write;
		spec->read_rate = f->given_read;
	}
	return 0;
}
