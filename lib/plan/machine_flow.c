/* SPDX-License-Identifier: MIT */
#include "lib/plan/machine_flow.h"
#include "lib/base/memory.h"
#include "lib/fifo/merged.h"
#include "lib/model/error.h"
#include "lib/model/pipeline.h"
#include "lib/plan/depth.h"
#include "lib/plan/places.h"
#include "lib/plan/plan.h"
#include "lib/plan/rates.h"
#include "lib/plan/settle.h"

#include <errno.h>
#include <math.h>

struct making {
	struct ps_flow *flow;
	const struct pstk_network *net;
	struct pstk_machine *machine;
	struct ps_text *what;
	uint64_t *repetitions; /* of each actor */
	bool is_regular;
};

static void count(const struct pstk_network *net, unsigned *outputs, unsigned *readers)
{
	*outputs = 0;
	*readers = net->fifo_count;
	for (unsigned i = 0; i < net->actor_count; i++)
		for (unsigned p = 0; p < net->actors[i]->type.port_count; p++)
			*outputs += ps_machine_flow_writes(net->actors[i], p);
}

static int add_actor(struct making *m, const struct pstk_actor *a)
{
	const char *given = pstk_actor_given_place(a);
	int place = given ? pstk_machine_find(m->machine, given) : 0;
	double seconds;

	if (place < 0) {
		ps_text_add(m->what, "'%s': %s", a->name, pstk_machine_error(m->machine));
		return place;
	}
	seconds = ps_places_seconds(a, m->machine->places[place].name, m->repetitions[a->index]);
	ps_flow_add_actor(m->flow, a->name, (unsigned)place, isnan(seconds) ? 0 : seconds);
	return 0;
}

/* Windows of a Kahn actor and of dynamic ports come as data want it, and so do those of all actors behind these. Two
 * buffers then are ahead of each other by any number of windows, and one that waited for the other would stop both. */
static bool is_regular(const struct pstk_network *net)
{
	for (unsigned i = 0; i < net->actor_count; i++)
		if (net->actors[i]->type.kahn || net->actors[i]->control_port != PS_NO_PORT)
			return false;
	return true;
}

static void add_reader(struct making *m, const struct pstk_fifo *f)
{
	const struct ps_layout *l = &f->fifo.layout;
	struct ps_flow *flow = m->flow;
	struct ps_flow_reader *r;
	uint64_t iteration = l->read_rate * m->repetitions[f->dst->index];

	ps_flow_add_reader(flow, f->dst->index, l->delay / iteration);
	r = &flow->readers[flow->reader_count - 1];
	r->order = f->index;
	r->bytes = (l->read_rate + (size_t)l->history) * l->token_size;
	r->windows = m->repetitions[f->dst->index];
	r->delay_bytes = l->delay * l->token_size;
	r->on_host = f->dst->type.ports[f->dst_port].kind == PSTK_CONTROL;
	if (r->on_host)
		r->place = m->machine->places[r->place].host;
	/* a pipeline has so many items in flight wherever it is */
	r->depth = f->depth_is_default ? ps_pipeline_windows(f) : l->depth;
	if (r->depth || l->history || l->tail)
		flow->outputs[r->output].merges = false;
}

static int add_output(struct making *m, const struct pstk_actor *a, unsigned port)
{
	const struct pstk_fifo *first = a->ports[port].fifo;
	const struct ps_layout *l = &first->fifo.layout;
	struct ps_flow_output *out;
	unsigned readers = 0;

	ps_flow_add_output(m->flow, a->index, (size_t)l->write_rate * l->token_size);
	out = &m->flow->outputs[m->flow->output_count - 1];
	out->windows = m->repetitions[a->index];
	for (const struct pstk_fifo *f = first; f; f = f->next)
		readers++;
	out->merges = m->is_regular && out->windows == 1 && readers <= PS_MEMBER_READERS;
	for (const struct pstk_fifo *f = first; f; f = f->next) {
		uint64_t iteration;

		if (__builtin_mul_overflow(
			    (uint64_t)f->fifo.layout.read_rate, m->repetitions[f->dst->index], &iteration)) {
			ps_text_add(m->what, PS_CONNECTION ": more tokens in an iteration than 64 bits",
				PS_CONNECTION_ARGS(f));
			return -EOVERFLOW;
		}
		add_reader(m, f);
	}
	return 0;
}

static int make(struct making *m)
{
	const struct pstk_network *net = m->net;
	int err = ps_rates_repetitions(net, m->repetitions);

	if (err) {
		ps_text_add(m->what, "%s",
			err == -ENOMEM ? "out of memory"
				       : "the rates of the network do not fit together: 'penstock check' "
					 "says which");
		return err;
	}
	for (unsigned i = 0; !err && i < net->actor_count; i++)
		err = add_actor(m, net->actors[i]);
	for (unsigned i = 0; !err && i < net->actor_count; i++)
		for (unsigned p = 0; !err && p < net->actors[i]->type.port_count; p++)
			if (ps_machine_flow_writes(net->actors[i], p))
				err = add_output(m, net->actors[i], p);
	if (!err)
		ps_flow_index(m->flow);
	return err;
}

int ps_machine_flow(struct ps_flow *flow, const struct pstk_network *net, struct pstk_machine *machine,
	struct ps_text *what)
{
	struct making m = {
		.flow = flow, .net = net, .machine = machine, .what = what, .is_regular = is_regular(net)
	};
	unsigned outputs, readers;
	int err;

	ps_plan_settle(net);
	count(net, &outputs, &readers);
	err = ps_flow_init(flow, machine, net->actor_count, outputs, readers);
	m.repetitions = ps_memory_zalloc(net->actor_count, sizeof *m.repetitions);
	if (err || !m.repetitions) {
		ps_text_add(what, "out of memory");
		err = -ENOMEM;
	} else if (!machine->place_count) {
		ps_text_add(what, "the machine has no host");
		err = -EINVAL;
	} else {
		flow->core_depth = ps_depth_default(net->plan->threads);
		err = make(&m);
	}
	ps_memory_free(m.repetitions);
	return err;
}
