/* SPDX-License-Identifier: MIT */
#include "benchmarks/micro/mpi_network.h"

#include <penstock/hosts.h>
#include <penstock/penstock.h>
#include <penstock/plan.h>

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

/* A run, as the actor that is here sees it. */
struct run {
	const struct mpi_network *is;
	double begin, end, cpu_begin, cpu_end;
};

static double clock_of(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static void note(struct run *r, uint64_t window)
{
	r->end = clock_of(CLOCK_MONOTONIC);
	r->cpu_end = clock_of(CLOCK_PROCESS_CPUTIME_ID);
	if (window == r->is->windows / 10) {
		r->begin = r->end;
		r->cpu_begin = r->cpu_end;
	}
}

static struct run *run_of(struct pstk_firing *f)
{
	return *(struct run *const *)pstk_actor_arg(pstk_firing_actor(f));
}

/* Each token begins with its number, as far as it has room for that. */
static size_t marked(const struct mpi_network *is)
{
	return is->token < sizeof(uint64_t) ? is->token : sizeof(uint64_t);
}

static int produce(struct pstk_firing *f)
{
	struct run *r = run_of(f);
	const struct mpi_network *is = r->is;
	uint64_t k = pstk_firing_index(f);
	uint8_t *out = pstk_fifo_write_start(f, 0);

	for (uint64_t i = 0, number = k * is->rate; i < is->rate; i++, number++)
		memcpy(out + i * is->token, &number, marked(is));
	pstk_fifo_write_end(f, 0);
	note(r, k);
	return k + 1 < is->windows ? PSTK_AGAIN : PSTK_DONE;
}

static int consume(struct pstk_firing *f)
{
	struct run *r = run_of(f);
	const struct mpi_network *is = r->is;
	uint64_t k = pstk_firing_index(f);
	const uint8_t *in = pstk_fifo_read_start(f, 0);

	for (uint64_t i = 0, number = k * is->rate; i < is->rate; i++, number++)
		if (memcmp(in + i * is->token, &number, marked(is)) != 0)
			return pstk_actor_error(pstk_firing_actor(f), -EPROTO, "token %llu is wrong",
				(unsigned long long)number);
	pstk_fifo_read_end(f, 0);
	note(r, k);
	return PSTK_AGAIN;
}

static struct pstk_network *build(struct run *r)
{
	static const struct pstk_port in = { .name = "in", .kind = PSTK_INPUT },
				      out = { .name = "out", .kind = PSTK_OUTPUT };
	struct pstk_network *net = pstk_network_create("hop");
	struct pstk_actor *source = pstk_network_add(net, "source",
		PSTK_ACTOR_TYPE(.name = "source", .ports = &out, .port_count = 1, .arg_size = sizeof r,
			.fire = produce),
		&r);
	struct pstk_actor *sink = pstk_network_add(net, "sink",
		PSTK_ACTOR_TYPE(.name = "sink", .ports = &in, .port_count = 1, .arg_size = sizeof r,
			.fire = consume),
		&r);

	pstk_connect(source, "out", sink, "in",
		PSTK_FIFO(.rate = r->is->rate, .token_size = r->is->token, .depth = r->is->depth));
	pstk_actor_place(source, "c0");
	pstk_actor_place(sink, "c1");
	return net;
}

/* What is wrong with the machine shows in the plan. */
static struct pstk_machine *new_machine(void)
{
	struct pstk_machine *m = pstk_machine_create();

	pstk_machine_add_host(m, "c0", 2, 0);
	pstk_machine_add_host(m, "c1", 2, 0);
	pstk_machine_add_link(m, &(const struct pstk_link){ "c0", "c1", PSTK_LINK_NET, INFINITY, 0, false });
	return m;
}

const char *mpi_network_run(const struct mpi_network *is, struct mpi_network_cost *cost)
{
	static char why[512];
	struct run r = { .is = is };
	struct pstk_network *net = build(&r);
	struct pstk_machine *m = new_machine();
	struct pstk_plan *plan = NULL;
	int err = pstk_network_set_hosts(net, is->transport, NULL);

	if (!err) {
		plan = pstk_plan_create(net, m, NULL);
		err = pstk_plan_result(plan);
	}
	if (!err)
		err = pstk_plan_apply(net, plan);
	if (!err)
		err = pstk_network_run(net);
	if (err)
		snprintf(why, sizeof why, "%s; %s", pstk_network_error(net),
			plan ? pstk_plan_error(plan) : "");
	pstk_network_destroy(net);
	pstk_plan_destroy(plan);
	pstk_machine_destroy(m);
	*cost = (struct mpi_network_cost){ (r.end - r.begin) / (double)(is->windows - 1 - is->windows / 10),
		(r.cpu_end - r.cpu_begin) / (r.end - r.begin) };
	return err ? why : NULL;
}
