/* SPDX-License-Identifier: MIT */
/* Pipelines of random networks: how they are built, and what is left of them. */
#include "tests/random/pipes.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static struct pipe pipes[NET_ACTORS];

struct pipes_devices pipes_devices;

struct pipe *pipes_of(unsigned a)
{
	return pipes[a].run && net_is_pipeline(&pipes[a].run->net->actors[a]) ? &pipes[a] : NULL;
}

struct pstk_pipeline *pipes_made(const struct pipe *pipe)
{
	return pstk_actor_pipeline(pipe->run->built.actors[pipe->plan.number]);
}

/*
 * Building.
 */

static struct net_declared declared(const struct pipe *pipe, const struct stage *stage, unsigned p)
{
	const struct net_actor *spec = &stage->actor;

	if (stage->ports[p].border != STAGES_INNER)
		return run_declared(pipe->run->net, pipe->plan.number, stage->ports[p].border);
	return (struct net_declared){ .rate = spec->steps ? spec->ports[p].rate / spec->steps : 0 };
}

static int call_setters(struct pstk_actor *actor, const struct pipe *pipe, const struct stage *stage)
{
	int err = 0;

	for (unsigned p = 0; p < stage->actor.port_count && !err; p++) {
		const struct net_declared d = declared(pipe, stage, p);

		err = pstk_actor_set_rate(actor, p, d.rate);
		if (!err && d.history)
			err = pstk_actor_set_history(actor, p, d.history);
		if (!err && d.peek)
			err = pstk_actor_set_peek(actor, p, d.peek);
	}
	return err;
}

static int rates(struct pstk_actor *self)
{
	const struct pipe_stage *stage = pstk_actor_arg(self);

	return call_setters(self, stage->of, &stage->of->plan.list[stage->number]);
}

/* Stages are prepared in their order, and finished the other way round. */
static int init(struct pstk_actor *self)
{
	const struct pipe_stage *stage = pstk_actor_arg(self);

	if (stage->of->inits++ != stage->number)
		run_say(stage->of->run, "%s: init() was not called in the order of the stages",
			pstk_actor_name(self));
	return 0;
}

static int finish(struct pstk_actor *self)
{
	const struct pipe_stage *stage = pstk_actor_arg(self);
	struct pipe *pipe = stage->of;

	if (++pipe->finishes + stage->number != pipe->plan.count)
		run_say(pipe->run, "%s: finish() was not called in the other order", pstk_actor_name(self));
	pipe->actor->finished += stage->number == 0;
	return 0;
}

static void name_port(const struct stage *stage, unsigned p, char *name, size_t size)
{
	if (stage->ports[p].border != STAGES_INNER)
		snprintf(name, size, "p%u", stage->ports[p].border);
	else
		snprintf(name, size, "i%u", p);
}

static void add_stage(struct pipe *pipe, struct pstk_network *network, unsigned k)
{
	const struct stage *stage = &pipe->plan.list[k];
	const struct net_actor *spec = &stage->actor;
	bool by_type = !spec->steps || spec->declares == NET_BY_TYPE;
	struct pstk_actor_type type = pstk_actor_type_init();
	struct pstk_port ports[NET_PORTS];
	char names[NET_PORTS][16];

	for (unsigned p = 0; p < spec->port_count; p++) {
		const struct net_declared d = declared(pipe, stage, p);

		name_port(stage, p, names[p], sizeof names[p]);
		ports[p] = (struct pstk_port){ .name = names[p],
			.kind = net_reads(spec->ports[p].kind) ? PSTK_INPUT : PSTK_OUTPUT,
			.token_size = p % 2 ? spec->ports[p].token_size : 0,
			.rate = by_type ? d.rate : 0,
			.history = by_type ? d.history : 0,
			.peek = by_type ? d.peek : 0 };
	}
	type.name = "stage";
	type.ports = ports;
	type.port_count = spec->port_count;
	type.stateless = true;
	type.rates = spec->steps && spec->declares == NET_BY_RATES ? rates : NULL;
	type.init = init;
	type.fire = pipes_fire;
	type.finish = finish;
	type.fire_cl = pipe->forms >> k & 1 ? pipes_devices.fire_cl : NULL;
	pipe->stages[k] = (struct pipe_stage){ .of = pipe, .number = k };
	pipe->stages[k].actor = pstk_network_add(network, spec->name, &type, &pipe->stages[k]);
	if (spec->steps && spec->declares == NET_BY_CALL)
		call_setters(pipe->stages[k].actor, pipe, stage);
	if (run_sets_steps(spec))
		pstk_actor_set_steps(pipe->stages[k].actor, spec->steps);
}

/* Two in three have one. */
static void choose_device(struct pipe *pipe)
{
	struct test_rng rng = { test_mix(pipe->run->net->seed ^ (UINT64_C(0xde71ce) + pipe->plan.number)) };

	if (!pipes_devices.count || test_chance(&rng, 33))
		return;
	pipe->forms = test_between(&rng, 1, (1u << pipe->plan.count) - 1);
	if (test_chance(&rng, 50))
		pipe->forms = (1u << pipe->plan.count) - 1;
	pipe->device = pipes_devices.names[test_between(&rng, 0, pipes_devices.count - 1)];
}

void pipes_add_stages(struct run *run, struct net_built *built, unsigned a)
{
	struct pipe *pipe = &pipes[a];

	memset(pipe, 0, sizeof *pipe);
	pipe->run = run;
	pipe->actor = &run->actors[a];
	pipe->first_error = UINT64_MAX;
	pipe->inner_first = test_mix(run->net->seed + a) % 2;
	stages_plan(&pipe->plan, run->net, a);
	choose_device(pipe);
	for (unsigned k = 0; k < pipe->plan.count; k++)
		add_stage(pipe, built->network, k);
	for (unsigned p = 0; p < run->net->actors[a].port_count; p++)
		built->stages[a][p] = pipe->stages[pipe->plan.border[p].stage].actor;
}

static void connect_inner(const struct pipe *pipe, unsigned k, unsigned p)
{
	const struct stage *stage = &pipe->plan.list[k], *from = &pipe->plan.list[stage->ports[p].stage];
	const struct net_actor *spec = &stage->actor;
	char out[16], in[16];

	name_port(from, stage->ports[p].port, out, sizeof out);
	name_port(stage, p, in, sizeof in);
	pstk_connect(pipe->stages[stage->ports[p].stage].actor, out, pipe->stages[k].actor, in,
		PSTK_FIFO(.rate = spec->steps && !spec->given ? 0 : spec->ports[p].rate,
			.token_size = spec->ports[p].token_size));
}

void pipes_connect(struct run *run, struct net_built *built, bool first)
{
	(void)built;
	for (unsigned a = 0; a < run->net->actor_count; a++) {
		const struct pipe *pipe = net_is_pipeline(&run->net->actors[a]) ? &pipes[a] : NULL;

		for (unsigned k = 0; pipe && pipe->inner_first == first && k < pipe->plan.count; k++)
			for (unsigned p = 0; p < pipe->plan.list[k].actor.port_count; p++)
				if (stages_reads_inner(&pipe->plan.list[k], p))
					connect_inner(pipe, k, p);
	}
}

void pipes_make(struct run *run, struct net_built *built)
{
	struct test_rng rng = { test_mix(run->net->seed ^ UINT64_C(0x9a9e)) };

	for (unsigned a = 0; a < run->net->actor_count; a++) {
		const struct net_actor *spec = &run->net->actors[a];
		struct pstk_actor *stages[STAGES_MOST];
		struct pipe *pipe = &pipes[a];
		struct pstk_pipeline *made;
		char configuration[PSTK_CONFIGURATION_TEXT] = "";

		if (!net_is_pipeline(spec))
			continue;
		for (unsigned k = 0; k < pipe->plan.count; k++)
			stages[k] = pipe->stages[k].actor;
		pipes_random_configuration(pipe, &rng, configuration, sizeof configuration);
		made = pstk_pipeline_add(built->network, spec->name, stages, pipe->plan.count,
			PSTK_PIPELINE(.cores = spec->cores, .in_flight = spec->in_flight,
				.device = pipe->device,
				.configuration = configuration[0] ? configuration : NULL));
		built->actors[a] = pstk_pipeline_actor(made);
		if (!made)
			run_say(run, "%s", pstk_network_error(built->network));
	}
}

/*
 * What is left.
 */

static void compare_stage(
	struct run *run, const struct pipe *pipe, unsigned k, uint64_t items, bool last_fired)
{
	const struct pipe_stage *stage = &pipe->stages[k];
	uint64_t fired = items - (items && !last_fired), ran = atomic_load(&stage->ran), numbers = 0;
	const char *name = pipe->plan.list[k].actor.name;
	struct pstk_actor_stats stats = { 0 };

	pstk_actor_get_stats(pstk_pipeline_stage(pipes_made(pipe), k), &stats);
	if (stats.firings != fired)
		run_say(run, "%s: the statistics say %" PRIu64 " firings of %" PRIu64, name, stats.firings,
			fired);
	if (ran < fired || ran >= items + pipe->actor->spec->in_flight)
		run_say(run, "%s ran %" PRIu64 " times in %" PRIu64 " items", name, ran, items);
	for (uint64_t n = 0; n < ran; n++)
		numbers += test_mix(n);
	if (numbers != atomic_load(&stage->numbers))
		run_say(run, "%s was not fired once in each of the first %" PRIu64 " items", name, ran);
}

/* Items that a stage on the device has fired. */
static uint64_t on_device(struct run *run, const struct pipe *pipe, uint64_t items)
{
	struct pstk_pipeline_report *report = pstk_pipeline_get_report(pipes_made(pipe));
	uint64_t count = report ? report->on_device : 0;

	if (!report || report->on_device + report->on_cores < items || (count && !pipe->device))
		run_say(run, "%s: the report has other paths of %" PRIu64 " items", pipe->actor->spec->name,
			items);
	pstk_pipeline_free_report(report);
	return count;
}

void pipes_compare(struct run *run, unsigned a, uint64_t items, struct net_totals *totals)
{
	const struct pipe *pipe = &pipes[a];
	struct pstk_fifo_info info = { 0 };
	struct stages_item last = { 0 };

	if (items)
		pipes_foretell(pipe, items - 1, &last);
	for (unsigned k = 0; k < pipe->plan.count; k++)
		compare_stage(run, pipe, k, items, last.fired[k]);
	if (pipe->inits != pipe->plan.count || pipe->finishes != pipe->plan.count)
		run_say(run, "%s: of %u stages %u were prepared, %u finished", pipe->actor->spec->name,
			pipe->plan.count, pipe->inits, pipe->finishes);
	for (unsigned i = 0; pstk_pipeline_fifo(pipes_made(pipe), i); i++)
		if (pstk_fifo_get_info(pstk_pipeline_fifo(pipes_made(pipe), i), &info))
			run_say(run, "%s: FIFO %u between stages tells nothing", pipe->actor->spec->name, i);
	totals->pipelines++;
	totals->items += items;
	totals->device_items += on_device(run, pipe, items);
}
