/* SPDX-License-Identifier: MIT */
#include "benchmarks/apps/saliency_timed.h"
#include "apps/saliency/steps.h"
#include "benchmarks/apps/saliency_deal.h"
#include "benchmarks/apps/saliency_frames.h"
#include "benchmarks/common/rounds.h"
#include "tests/fake_cl/fake_cl.h"

#include <penstock/plan.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SHRINK = 16, MAPS = PSTK_SALIENCY_MAPS, DEVICES = 2 };

static const size_t pixels = (size_t)720 * 576 / SHRINK;
static const double rate = 5e9 / SHRINK;

/* Microseconds of a frame; the paper's "normalizations" are ours and the sum. */
static const uint64_t step_us[STEPS] = { 225, 738, 2276, 14908, 12510, 5554 + 5839, 5681 };

/* Bytes of a pixel that a step puts out. */
static const size_t step_bytes[STEPS] = { 4, 8, MAPS * 8, MAPS * 4, MAPS * 4, MAPS * 4, 4 };

/* -- the driver's kernel: hands the frame's number on -- */

#define STEP_KERNEL "step"
#define STEP_SOURCE                                                                                   \
	"__kernel void step(__global const ulong *in, __global ulong *out, ulong firing, ulong ns)\n" \
	"{\n"                                                                                         \
	"  out[0] = in[0];\n"                                                                         \
	"}\n"

static uint64_t step_time(const struct fake_cl_launch *l)
{
	return *(const cl_ulong *)l->arg[3];
}

static void step(const struct fake_cl_launch *l)
{
	memcpy(l->arg[1], l->arg[0], sizeof(cl_ulong));
}

bool saliency_timed_open(const char *driver)
{
	static const struct fake_cl_arg args[] = { FAKE_CL_IN("in", "ulong"), FAKE_CL_OUT("out", "ulong"),
		FAKE_CL_VALUE("firing", "ulong", sizeof(cl_ulong)),
		FAKE_CL_VALUE("ns", "ulong", sizeof(cl_ulong)) };
	static const struct fake_cl_kernel kernel = {
		.name = STEP_KERNEL, .args = args, .arg_count = 4, .run = step, .time = step_time
	};
	char settings[160];
	const struct fake_cl *fake;

	snprintf(settings, sizeof settings, "timed=1,devices=%d,max_alloc=0x40000000,rate=%.17g,latency=1e-5",
		DEVICES, rate);
	fake = fake_cl_start(driver, settings, NULL);
	return fake && !fake->add_kernel(&kernel);
}

/* -- actors -- */

struct run {
	enum saliency_timed_way way;
	uint64_t count;
	bool in_order;
	double *moments;
	struct pstk_actor *steps[DEVICES][STEPS];
};

static struct run *run_of(struct pstk_firing *f)
{
	return *(struct run *const *)pstk_actor_arg(pstk_firing_actor(f));
}

static int produce(struct pstk_firing *f)
{
	uint64_t k = pstk_firing_index(f);

	memcpy(pstk_fifo_write_start(f, 0), &k, sizeof k);
	pstk_fifo_write_end(f, 0);
	return k + 1 < run_of(f)->count ? PSTK_AGAIN : PSTK_DONE;
}

static int consume(struct pstk_firing *f)
{
	struct run *r = run_of(f);
	uint64_t k = pstk_firing_index(f), number;

	memcpy(&number, pstk_fifo_read_start(f, 0), sizeof number);
	pstk_fifo_read_end(f, 0);
	r->in_order &= number == k;
	r->moments[k] = saliency_now();
	return PSTK_AGAIN;
}

static int set_up_step(struct pstk_actor *self)
{
	const size_t one = 1;
	const cl_ulong ns = *(const uint64_t *)pstk_actor_arg(self);
	int err = pstk_actor_set_work_size(self, 1, &one, NULL);

	return err ? err : pstk_actor_set_arg(self, 0, sizeof ns, &ns);
}

static const struct pstk_port ports[] = { { .name = "in" }, { .name = "out", .kind = PSTK_OUTPUT } };

static struct pstk_actor *add_end(struct pstk_network *net, struct run *r, const char *name, bool source,
	int (*fire)(struct pstk_firing *))
{
	return pstk_network_add(net, name,
		PSTK_ACTOR_TYPE(.name = name, .ports = ports + source, .port_count = 1, .arg_size = sizeof r,
			.fire = fire),
		&r);
}

static struct pstk_actor *add_step(struct pstk_network *net, unsigned copy, unsigned i)
{
	static const struct pstk_kernel kernel = { .source = STEP_SOURCE, .name = STEP_KERNEL };
	uint64_t ns = step_us[i] * 1000;
	char name[24]; /* a plan wants each once */

	snprintf(name, sizeof name, copy ? "%s2" : "%s", step_names[i]);
	return pstk_network_add(net, name,
		PSTK_ACTOR_TYPE(.name = "step", .ports = ports, .port_count = 2, .arg_size = sizeof ns,
			.init = set_up_step, .kernel = &kernel),
		&ns);
}

/* -- the machine and the network -- */

static void check(int err, const char *says)
{
	if (err < 0)
		rounds_fail("two devices: %s", says);
}

static struct pstk_machine *new_machine(void)
{
	struct pstk_machine *m = pstk_machine_create();

	check(pstk_machine_add_host(m, "c0", 2, 0), pstk_machine_error(m));
	for (unsigned d = 0; d < DEVICES; d++) {
		char name[8], place[16], selector[24];

		snprintf(name, sizeof name, "g%u", d);
		snprintf(place, sizeof place, "c0/g%u", d);
		snprintf(selector, sizeof selector, "pstk:gpu:%u", d);
		check(pstk_machine_add_device(m, "c0", name, selector, 0), pstk_machine_error(m));
		check(pstk_machine_add_link(
			      m, &(const struct pstk_link){ "c0", place, PSTK_LINK_COPY, rate, 1e-5, false }),
			pstk_machine_error(m));
	}
	return m;
}

static void connect(
	struct pstk_actor *from, const char *out, struct pstk_actor *to, const char *in, size_t bytes)
{
	pstk_connect(from, out, to, in, PSTK_FIFO(.rate = 1, .token_size = bytes));
}

/* Where a step is, if nothing chooses. */
static unsigned device_of(const struct run *r, unsigned copy, unsigned step)
{
	return r->way == TIMED_DEALT ? copy : step > STEP_INTERACTIONS;
}

static void add_steps(struct pstk_network *net, struct run *r, unsigned copy, struct pstk_actor *from,
	const char *out, struct pstk_actor *to, const char *in)
{
	for (unsigned i = 0; i < STEPS; i++) {
		struct pstk_actor *a = r->steps[copy][i] = add_step(net, copy, i);

		connect(from, out, a, "in", i ? step_bytes[i - 1] * pixels : pixels);
		for (unsigned d = 0; d < DEVICES; d++)
			pstk_actor_set_time(a, d ? "c0/g1" : "c0/g0", step_us[i] * 1000);
		pstk_actor_place(a, device_of(r, copy, i) ? "c0/g1" : "c0/g0");
		from = a;
		out = "out";
	}
	connect(from, out, to, in, step_bytes[STEP_SUM] * pixels);
}

static struct pstk_network *build(struct run *r)
{
	struct pstk_network *net = pstk_network_create("saliency");
	struct pstk_actor *source = add_end(net, r, "source", true, produce),
			  *sink = add_end(net, r, "sink", false, consume), *deal, *collect;

	pstk_actor_set_time(source, NULL, 0);
	pstk_actor_set_time(sink, NULL, 0);
	if (r->way != TIMED_DEALT) {
		add_steps(net, r, 0, source, "out", sink, "in");
		return net;
	}
	deal = saliency_deal_add(net);
	collect = saliency_collect_add(net);
	connect(source, "out", deal, "in", pixels);
	add_steps(net, r, 0, deal, "out1", collect, "in1");
	add_steps(net, r, 1, deal, "out2", collect, "in2");
	connect(collect, "out", sink, "in", step_bytes[STEP_SUM] * pixels);
	return net;
}

/* The devices' loads by the plan, the lesser by the greater. */
static double loads(const struct pstk_plan *plan)
{
	struct pstk_planned_load load;
	double all[DEVICES] = { 0 };

	for (unsigned i = 0; !pstk_plan_get_load(plan, i, &load); i++)
		for (unsigned d = 0; d < DEVICES; d++)
			if (!strcmp(load.name, d ? "c0/g1" : "c0/g0"))
				all[d] = load.seconds;
	return fmin(all[0], all[1]) / fmax(all[0], all[1]);
}

static struct pstk_plan *plan(struct pstk_network *net, struct pstk_machine *m, enum saliency_timed_way way)
{
	static const char *const fixed[] = { "source", "sink", NULL };
	struct pstk_plan *p = way == TIMED_SPLIT
	                              ? pstk_plan_create(net, m,
						PSTK_PLAN(.choose = true, .fixed = fixed, .contiguous = true))
	                              : pstk_plan_create(net, m, PSTK_PLAN(.no_merge = false));

	check(pstk_plan_result(p), pstk_plan_error(p));
	check(pstk_plan_apply(net, p), pstk_network_error(net));
	return p;
}

void saliency_timed_run(
	enum saliency_timed_way way, uint64_t count, const char *trace, struct saliency_timed *timed)
{
	struct run r = { .way = way, .count = count, .in_order = true };
	struct pstk_network *net;
	struct pstk_machine *m = new_machine();
	struct pstk_plan *p;
	struct pstk_plan_summary summary = { 0 };
	uint64_t first =
		count / 3 + (count - 1 - count / 3) % 2; /* of dealt frames as many from each device */

	r.moments = rounds_alloc(count * sizeof *r.moments);
	net = build(&r);
	p = plan(net, m, way);
	pstk_plan_get_summary(p, &summary);
	if (trace)
		pstk_network_set_trace(net, trace, PSTK_TRACE_BYTES, PSTK_TRACE_LAST);
	rounds_run_borrowed(net);
	*timed = (struct saliency_timed){ .seconds = (r.moments[count - 1] - r.moments[first]) /
		                                     (double)(count - 1 - first),
		.planned = way == TIMED_DEALT ? summary.simulated / DEVICES : summary.simulated,
		.evenness = saliency_evenness(r.moments + first, count - first),
		.loads = loads(p),
		.bytes = (uint64_t)pstk_network_allocated_bytes(net) * SHRINK,
		.in_order = r.in_order };
	pstk_network_destroy(net);
	pstk_plan_destroy(p);
	pstk_machine_destroy(m);
	free(r.moments);
}
