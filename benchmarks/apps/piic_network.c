/* SPDX-License-Identifier: MIT */
#include "benchmarks/apps/piic_network.h"
#include "benchmarks/apps/piic_token.h"
#include "benchmarks/common/rounds.h"

#include <penstock/hosts.h>

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

/* A run, as its actors see it. */
struct run {
	const struct piic *is;
	double begin, end; /* the consumer's */
};

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static struct run *run_of(struct pstk_firing *f)
{
	return *(struct run *const *)pstk_actor_arg(pstk_firing_actor(f));
}

static int produce(struct pstk_firing *f)
{
	const struct piic *is = run_of(f)->is;
	uint64_t k = pstk_firing_index(f);

	piic_produce(pstk_fifo_write_start(f, 0), is->bytes / sizeof(float), k);
	pstk_fifo_write_end(f, 0);
	return k + 1 < is->tokens ? PSTK_AGAIN : PSTK_DONE;
}

static int consume(struct pstk_firing *f)
{
	struct run *r = run_of(f);
	const struct piic *is = r->is;
	uint64_t k = pstk_firing_index(f);

	if (!piic_is(pstk_fifo_read_start(f, 0), is->bytes / sizeof(float), k, is->incrementers, is->loops))
		return pstk_actor_error(
			pstk_firing_actor(f), -EPROTO, "token %llu is wrong", (unsigned long long)k);
	pstk_fifo_read_end(f, 0);
	r->end = now();
	if (k == is->first)
		r->begin = r->end;
	return PSTK_AGAIN;
}

static int set_up(struct pstk_actor *self)
{
	const struct piic *is = (*(struct run *const *)pstk_actor_arg(self))->is;
	const size_t floats = is->bytes / sizeof(float);
	const uint32_t loops = is->loops;
	int err = pstk_actor_set_work_size(self, 1, &floats, NULL);

	return err ? err : pstk_actor_set_arg(self, 0, sizeof loops, &loops);
}

static struct pstk_actor *add(struct pstk_network *net, const char *name, struct run *r, bool in, bool out)
{
	static const struct pstk_port ports[] = { { .name = "in", .kind = PSTK_INPUT },
		{ .name = "out", .kind = PSTK_OUTPUT } };
	static const struct pstk_kernel kernel = { .source = PIIC_SOURCE, .name = PIIC_KERNEL };
	bool both = in && out;

	return pstk_network_add(net, name,
		PSTK_ACTOR_TYPE(.name = name, .ports = in ? ports : ports + 1,
			.port_count = in + (unsigned)out, .arg_size = sizeof r, .init = both ? set_up : NULL,
			.fire = both ? NULL
	                        : in ? consume
	                             : produce,
			.kernel = both ? &kernel : NULL),
		&r);
}

/* -- the machine -- */

static void check(int err, const char *what, const char *says)
{
	if (err < 0)
		rounds_fail("%s: %s", what, says);
}

/* At which of the hosts an incrementer's device is. */
static unsigned host_of(const struct piic *is, unsigned incrementer)
{
	return is->two_hosts ? incrementer : 0;
}

static void add_device(struct pstk_machine *m, const struct piic *is, unsigned d)
{
	char host[16], name[16], place[40];
	const struct pstk_link link = { host, place, is->shared ? PSTK_LINK_SHARED : PSTK_LINK_COPY,
		is->shared ? 0 : is->rate, is->shared ? 0 : is->latency, !is->shared && is->half };

	snprintf(host, sizeof host, "c%u", host_of(is, d));
	snprintf(name, sizeof name, "g%u", is->two_hosts ? 0 : d);
	snprintf(place, sizeof place, "%s/%s", host, name);
	check(pstk_machine_add_device(m, host, name, is->selectors[d], 0), "machine", pstk_machine_error(m));
	check(pstk_machine_add_link(m, &link), "machine", pstk_machine_error(m));
}

static struct pstk_machine *new_machine(const struct piic *is)
{
	struct pstk_machine *m = pstk_machine_create();

	check(pstk_machine_add_host(m, "c0", 2, 0), "machine", pstk_machine_error(m));
	if (is->two_hosts) {
		check(pstk_machine_add_host(m, "c1", 2, 0), "machine", pstk_machine_error(m));
		check(pstk_machine_add_link(m, &(const struct pstk_link){ "c0", "c1", PSTK_LINK_NET,
						       is->net_rate, is->net_latency, false }),
			"machine", pstk_machine_error(m));
	}
	for (unsigned d = 0; d < is->incrementers; d++)
		add_device(m, is, d);
	return m;
}

/* -- the network -- */

static struct pstk_network *new_network(struct run *r)
{
	const struct piic *is = r->is;
	const struct pstk_fifo_spec *spec = PSTK_FIFO(.rate = 1, .token_size = is->bytes);
	struct pstk_network *net = pstk_network_create("piic");
	struct pstk_actor *before = add(net, "P", r, false, true);

	check(pstk_actor_set_time(before, NULL, 0), "P", pstk_network_error(net));
	for (unsigned i = 0; i <= is->incrementers; i++) {
		bool last = i == is->incrementers;
		char name[16] = "C", place[16];
		struct pstk_actor *a;

		snprintf(place, sizeof place, is->two_hosts ? "c1" : "c0");
		if (!last) {
			snprintf(name, sizeof name, "I%u", i + 1);
			snprintf(place, sizeof place, "c%u/g%u", host_of(is, i), is->two_hosts ? 0 : i);
		}
		a = add(net, name, r, true, !last);
		check(pstk_actor_place(a, place), name, pstk_network_error(net));
		check(pstk_actor_set_time(a, NULL, last ? 0 : (uint64_t)(is->kernel_s * 1e9)), name,
			pstk_network_error(net));
		pstk_connect(before, "out", a, "in", spec);
		before = a;
	}
	return net;
}

static struct pstk_plan *new_plan(const struct piic *is, struct pstk_network *net, struct pstk_machine *m)
{
	struct pstk_plan *plan = pstk_plan_create(net, m, PSTK_PLAN(.no_overlap = !is->overlap));

	check(pstk_plan_result(plan), "plan", pstk_plan_error(plan));
	return plan;
}

void piic_plan(const struct piic *is, struct piic_planned *planned)
{
	struct run r = { .is = is };
	struct pstk_network *net = new_network(&r);
	struct pstk_machine *m = new_machine(is);
	struct pstk_plan *plan = new_plan(is, net, m);
	struct pstk_plan_summary summary;
	struct pstk_planned_actor a;
	struct pstk_planned_memory memory;

	*planned = (struct piic_planned){ .bytes = 0 };
	for (unsigned i = 0; i < PIIC_ACTORS && !pstk_plan_get_actor(plan, i, &a); i++) {
		snprintf(planned->names[i], sizeof planned->names[i], "%s", a.name);
		planned->latency[i] = a.latency;
	}
	for (unsigned i = 0; !pstk_plan_get_memory(plan, i, &memory); i++) {
		planned->bytes += memory.bytes;
		if (i == PIIC_PLACES)
			rounds_fail("more places than there are");
		snprintf(planned->place[i], sizeof planned->place[i], "%s", memory.place);
		planned->place_bytes[i] = memory.bytes;
		planned->places = i + 1;
	}
	check(pstk_plan_get_summary(plan, &summary), "plan", pstk_plan_error(plan));
	planned->period = summary.period;
	planned->simulated = summary.simulated;
	pstk_plan_destroy(plan);
	pstk_machine_destroy(m);
	pstk_network_destroy(net);
}

double piic_library(const struct piic *is, uint64_t *taken)
{
	struct run r = { .is = is };
	struct pstk_network *net = new_network(&r);
	struct pstk_machine *m = new_machine(is);
	struct pstk_plan *plan;

	if (is->transport)
		check(pstk_network_set_hosts(net, is->transport, NULL), "hosts", pstk_network_error(net));
	plan = new_plan(is, net, m);
	check(pstk_plan_apply(net, plan), "plan", pstk_network_error(net));
	rounds_run_borrowed(net);
	*taken = pstk_network_allocated_bytes(net);
	pstk_network_destroy(net);
	pstk_plan_destroy(plan);
	pstk_machine_destroy(m);
	return (r.end - r.begin) / (double)(is->tokens - 1 - is->first);
}
