/* SPDX-License-Identifier: MIT */
/*
 * What the ports of an actor cost: actors that do nothing but pass a number of 4 bytes on, with so many ports each.
 * Nanoseconds a firing, and as a ratio to a node of oneTBB's flow_graph, where configure has found oneTBB.
 *
 *	apart      of PORTS + 1 actors each has a FIFO to every later one, so each has PORTS ports and no two FIFOs are
 *	           between the same two actors
 *	together   a chain of 6 actors, with PORTS / 2 FIFOs from each to the next
 *	static     all ports are always on
 *	dynamic    all are on because of a control token, of which one actor makes one for all others; another value
 *	           would turn all off. The control port and that actor are not counted
 *
 * Why it is fair: it is not. A node of the flow graph has one input and one output, and is here so that figures of two
 * machines or two versions can be compared: both have one thread. The sum of what arrives is checked.
 *
 * Tables: as of all programs here (-h).
 *
 * Usage: ports [-p PORTS] [-n ROUNDS] [-s SECONDS] [-k TEXT] [-c] [-v] [-q]
 */
#include "config.h"

#include "benchmarks/common/number.h"
#include "benchmarks/common/rounds.h"
#include "benchmarks/peers/hop_tbb.h"

#include <stdio.h>

/* With fewer numbers the start of hundreds of FIFOs would count. */
enum { NUMBERS_LEAST = 2048 };
enum { PORTS_MOST = 62, CHAIN = 6, WAYS = 3, KINDS = 4, ALL = 0, VALUES = 2 };

/* One way to run it. */
struct way {
	bool together, dynamic;
	unsigned ports, team, depth;
};

/* What an actor is given: constant while anything runs, but for the sum. */
struct actor {
	const struct way *way;
	uint64_t numbers;
	unsigned index;
	uint64_t sum; /* the last actor's */
};

static unsigned actors_of(const struct way *w)
{
	return w->together ? CHAIN : w->ports + 1;
}

/* Ports of an actor, without that of its control. */
static unsigned ins_of(const struct way *w, unsigned index)
{
	return !w->together ? index : index ? w->ports / 2 : 0;
}

static unsigned outs_of(const struct way *w, unsigned index)
{
	unsigned behind = actors_of(w) - 1 - index;

	return !w->together ? behind : behind ? w->ports / 2 : 0;
}

/* -- the actors: ports are the control, if there is one, then inputs, then outputs -- */

static int control(struct pstk_firing *f, uint32_t value)
{
	const struct actor *self = pstk_actor_arg(pstk_firing_actor(f));
	unsigned ports = ins_of(self->way, self->index) + outs_of(self->way, self->index);

	for (unsigned i = 0; i < ports; i++)
		pstk_port_enable(f, 1 + i, value == ALL);
	return 0;
}

static void write_all(struct pstk_firing *f, unsigned from, unsigned end, uint32_t number)
{
	for (unsigned i = from; i < end; i++) {
		*(uint32_t *)pstk_fifo_write_start(f, i) = number;
		pstk_fifo_write_end(f, i);
	}
}

static uint64_t read_all(struct pstk_firing *f, unsigned from, unsigned end)
{
	uint64_t sum = 0;

	for (unsigned i = from; i < end; i++) {
		sum += *(const uint32_t *)pstk_fifo_read_start(f, i);
		pstk_fifo_read_end(f, i);
	}
	return sum;
}

static int conf_fire(struct pstk_firing *f)
{
	const uint64_t *numbers = pstk_actor_arg(pstk_firing_actor(f));

	write_all(f, 0, 1, ALL);
	return pstk_firing_index(f) + 1 == *numbers ? PSTK_DONE : PSTK_AGAIN;
}

static int first_fire(struct pstk_firing *f)
{
	const struct actor *self = pstk_actor_arg(pstk_firing_actor(f));
	unsigned first = self->way->dynamic;
	uint64_t i = pstk_firing_index(f);

	write_all(f, first, first + outs_of(self->way, 0), (uint32_t)i);
	return i + 1 == self->numbers ? PSTK_DONE : PSTK_AGAIN;
}

/* All that it reads is the same number, if nothing is wrong: so it is the mean. */
static int middle_fire(struct pstk_firing *f)
{
	const struct actor *self = pstk_actor_arg(pstk_firing_actor(f));
	unsigned first = self->way->dynamic, ins = ins_of(self->way, self->index),
		 outs = outs_of(self->way, self->index);
	uint64_t sum = read_all(f, first, first + ins);

	write_all(f, first + ins, first + ins + outs, (uint32_t)(sum / ins));
	return PSTK_AGAIN;
}

static int last_fire(struct pstk_firing *f)
{
	struct actor *self = pstk_actor_arg(pstk_firing_actor(f));
	unsigned first = self->way->dynamic;

	self->sum += read_all(f, first, first + ins_of(self->way, self->index));
	return PSTK_AGAIN;
}

/* -- the network -- */

static struct pstk_actor *add(struct pstk_network *net, struct actor *self)
{
	const struct way *w = self->way;
	struct pstk_port ports[PORTS_MOST + 1] = { { .name = "control", .kind = PSTK_CONTROL } };
	char names[PORTS_MOST + 1][16], name[24];
	unsigned ins = ins_of(w, self->index), outs = outs_of(w, self->index), count = w->dynamic;
	enum pstk_port_kind in = w->dynamic ? PSTK_DYNAMIC_INPUT : PSTK_INPUT,
			    out = w->dynamic ? PSTK_DYNAMIC_OUTPUT : PSTK_OUTPUT;

	for (unsigned i = 0; i < ins + outs; i++, count++) {
		snprintf(
			names[count], sizeof names[count], i < ins ? "in%u" : "out%u", i < ins ? i : i - ins);
		ports[count] = (struct pstk_port){ .name = names[count], .kind = i < ins ? in : out };
	}
	snprintf(name, sizeof name, "actor%u", self->index);
	return pstk_network_add(net, name,
		PSTK_ACTOR_TYPE(.name = "pass", .ports = ports, .port_count = count,
			.control_values = w->dynamic ? VALUES : 0, .control = w->dynamic ? control : NULL,
			.fire = !ins    ? first_fire
	                        : !outs ? last_fire
	                                : middle_fire),
		self);
}

static void join(
	const struct way *w, struct pstk_actor *from, unsigned out, struct pstk_actor *to, unsigned in)
{
	char out_name[16], in_name[16];

	snprintf(out_name, sizeof out_name, "out%u", out);
	snprintf(in_name, sizeof in_name, "in%u", in);
	pstk_connect(from, out_name, to, in_name,
		PSTK_FIFO(.rate = 1, .depth = w->depth, .token_size = sizeof(uint32_t)));
}

static void join_all(const struct way *w, struct pstk_actor *const actors[])
{
	for (unsigned to = 1; to < actors_of(w); to++)
		if (w->together)
			for (unsigned i = 0; i < w->ports / 2; i++)
				join(w, actors[to - 1], i, actors[to], i);
		else
			for (unsigned from = 0; from < to; from++)
				join(w, actors[from], to - from - 1, actors[to], from);
}

static void steer(
	const struct way *w, struct pstk_network *net, uint64_t *numbers, struct pstk_actor *const actors[])
{
	static const struct pstk_port port = { .name = "out", .kind = PSTK_OUTPUT };
	struct pstk_actor *conf = pstk_network_add(net, "conf",
		PSTK_ACTOR_TYPE(.name = "conf", .ports = &port, .port_count = 1, .fire = conf_fire), numbers);

	for (unsigned i = 0; i < actors_of(w); i++)
		pstk_connect(conf, "out", actors[i], "control",
			PSTK_FIFO(.rate = 1, .depth = 2 * w->depth, .token_size = sizeof(uint32_t)));
}

/* items: firings. The sum, by the FIFOs that it came through. */
static uint64_t run_library(const void *arg, uint64_t items)
{
	const struct way *w = arg;
	uint64_t numbers = items / actors_of(w);
	struct pstk_network *net = pstk_network_create("ports");
	struct pstk_actor *actors[PORTS_MOST + 1];
	struct actor args[PORTS_MOST + 1];
	unsigned last = actors_of(w) - 1;

	for (unsigned i = 0; i <= last; i++) {
		args[i] = (struct actor){ w, numbers, i, 0 };
		actors[i] = add(net, &args[i]);
	}
	join_all(w, actors);
	if (w->dynamic)
		steer(w, net, &numbers, actors);
	pstk_network_set_threads(net, w->team);
	rounds_run_network(net);
	if (args[last].sum % ins_of(w, last))
		rounds_fail("a number came by some FIFOs only");
	return args[last].sum / ins_of(w, last);
}

/* -- the tables -- */

static uint64_t expected(const void *arg, uint64_t items)
{
	uint64_t sum = 0;

	for (uint64_t i = 0; i < items / actors_of(arg); i++)
		sum += (uint32_t)i;
	return sum;
}

#ifdef HOP_TBB
static uint64_t run_flow(const void *arg, uint64_t items)
{
	const struct way *w = arg;

	return hop_tbb_flow(
		&(struct hop_tbb){ .actors = actors_of(w), .threads = 1, .tokens = 2 }, items / actors_of(w));
}
#endif

static void add_peers(struct rounds_table *t, const struct way *w)
{
#ifdef HOP_TBB
	struct rounds_variant *v = rounds_add(t, run_flow, w, "flow_graph, 1 thread, nodes of 2 ports");

	v->one_thread = true;
	v->role = ROUNDS_PEER;
	v->versus = "flow_graph";
#else
	(void)t;
	(void)w;
#endif
}

static void measure(const struct rounds_options *o, unsigned ports, bool together, bool dynamic)
{
	static const unsigned teams[WAYS] = { 1, 1, 2 }, depths[WAYS] = { 2, 16, 4 };
	static struct rounds_table table;
	static struct way ways[WAYS];
	static char title[96], family[96];

	snprintf(title, sizeof title, "one %s firing of %u ports, their FIFOs %s",
		dynamic ? "dynamic" : "static", ports, together ? "together" : "apart");
	snprintf(family, sizeof family, "one %s firing of some ports, their FIFOs %s",
		dynamic ? "dynamic" : "static", together ? "together" : "apart");
	for (unsigned i = 0; i < WAYS; i++)
		ways[i] = (struct way){ together, dynamic, ports, teams[i], depths[i] };
	table = (struct rounds_table){ .title = title,
		.unit = "ns a firing",
		.scale = 1,
		.times = true,
		.least = NUMBERS_LEAST * actors_of(&ways[0]),
		.expect = expected,
		.family = family,
		.sweep = "ports",
		.at = ports };
	add_peers(&table, &ways[0]);
	for (unsigned i = 0; i < WAYS; i++)
		rounds_add(&table, run_library, &ways[i], "team %u, depth %u", ways[i].team, ways[i].depth)
			->one_thread = ways[i].team == 1;
	rounds_run(o, &table);
}

static unsigned only_ports;

static bool option(int c, const char *arg)
{
	(void)c;
	return number_unsigned(arg, 2, PORTS_MOST, &only_ports) && only_ports % 2 == 0;
}

int main(int argc, char **argv)
{
	static const unsigned all[] = { 2, 10, 22 };
	struct rounds_options o = rounds_parse(argc, argv, "p:", option,
		"  -p PORTS   of each actor, 2, 4, .. 62 (2, 10, 22)\n\n"
		"What the ports of an actor that only passes a number on cost: ns a firing. \"apart\": each "
		"FIFO goes to\n"
		"another actor; \"together\": half of an actor's ports go to one other. \"dynamic\": after a "
		"control token.\n"
		"flow_graph is a chain of oneTBB's nodes, of one input and one output each.\n");

	for (unsigned i = 0; i < (only_ports ? 1 : sizeof all / sizeof *all); i++)
		for (unsigned kind = 0; kind < KINDS; kind++)
			measure(&o, only_ports ? only_ports : all[i], kind / 2, kind % 2);
	return 0;
}
