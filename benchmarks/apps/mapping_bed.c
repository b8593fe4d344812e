/* SPDX-License-Identifier: MIT */
#include "benchmarks/apps/mapping_bed.h"
#include "benchmarks/apps/mapping_cores.h"
#include "benchmarks/common/rounds.h"
#include "tests/fake_cl/fake_cl.h"

#include <penstock/opencl.h>

#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>

#define KERNEL "mapping_stage"

enum { FACTOR = 3, PATIENCE_S = 120 };

static const uint64_t poll_ns = 200000;

/* What stages take now: kernels of the driver see their arguments and nothing else. */
static _Atomic(const struct mapping_pipeline *) now_is;

static const struct mapping_pipeline *pipeline_now(void)
{
	return atomic_load_explicit(&now_is, memory_order_acquire);
}

void mapping_bed_change(const struct mapping_pipeline *p)
{
	atomic_store(&now_is, p);
}

static uint64_t ns_of(double seconds)
{
	return (uint64_t)(seconds * 1e9 + 0.5);
}

/* -- what a stage does to an item -- */

static uint64_t stage_of_item(uint64_t item, unsigned stage)
{
	return item * FACTOR + stage + 1;
}

static uint64_t all_stages(uint64_t item, unsigned stages)
{
	for (unsigned k = 0; k < stages; k++)
		item = stage_of_item(item, k);
	return item;
}

/* -- on the device -- */

static cl_uint stage_of_launch(const struct fake_cl_launch *l)
{
	return *(const cl_uint *)l->arg[3];
}

static uint64_t kernel_time(const struct fake_cl_launch *l)
{
	return ns_of(pipeline_now()->device[stage_of_launch(l)]);
}

static void kernel_run(const struct fake_cl_launch *l)
{
	*(uint64_t *)l->arg[1] = stage_of_item(*(const uint64_t *)l->arg[0], stage_of_launch(l));
}

static const struct fake_cl_arg kernel_args[] = { FAKE_CL_IN("in", "ulong"), FAKE_CL_OUT("out", "ulong"),
	FAKE_CL_VALUE("firing", "ulong", sizeof(cl_ulong)), FAKE_CL_VALUE("stage", "uint", sizeof(cl_uint)) };
static const struct fake_cl_kernel fake_kernel = {
	.name = KERNEL, .args = kernel_args, .arg_count = 4, .run = kernel_run, .time = kernel_time
};

bool mapping_bed_driver(void)
{
	const struct fake_cl *fake =
		fake_cl_start(FAKE_CL_DRIVER, "timed=1,rate=1e15,latency=0,report=0", NULL);

	prctl(PR_SET_TIMERSLACK, 1UL); /* also of all threads that are made from here on */
	return fake && !fake->add_kernel(&fake_kernel);
}

/* -- on the cores -- */

static unsigned stage_index(const struct pstk_actor *a)
{
	return *(const unsigned *)pstk_actor_arg((struct pstk_actor *)a);
}

/* Two parts at least: so one part is never all of them, but where the loop is not spread. */
static size_t parts_of(const struct mapping_pipeline *p)
{
	return p->cores > 1 ? p->cores : 2;
}

struct loop {
	const struct mapping_pipeline *is;
	unsigned stage;
};

static void work(void *data, size_t from, size_t to)
{
	const struct loop *l = data;

	if (to - from == parts_of(l->is))
		mapping_cores_work(ns_of(l->is->core[l->stage]));
	else if (from < l->is->cores)
		mapping_cores_work(ns_of(l->is->medium[l->stage]));
}

static int stage_fire(struct pstk_firing *f)
{
	struct loop l = { .is = pipeline_now(), .stage = stage_index(pstk_firing_actor(f)) };
	const uint64_t *in = pstk_fifo_read_start(f, 0);
	uint64_t *out = pstk_fifo_write_start(f, 1);

	pstk_parallel_for(f, parts_of(l.is), 1, work, &l);
	*out = stage_of_item(*in, l.stage);
	pstk_fifo_read_end(f, 0);
	pstk_fifo_write_end(f, 1);
	return PSTK_AGAIN;
}

static int stage_init(struct pstk_actor *self)
{
	const size_t one = 1;
	cl_uint stage = stage_index(self);
	int err = pstk_actor_set_work_size(self, 1, &one, NULL);

	return err ? err : pstk_actor_set_arg(self, 0, sizeof stage, &stage);
}

/* -- the ends -- */

static struct mapping_bed *bed_of(struct pstk_firing *f)
{
	return pstk_actor_arg(pstk_firing_actor(f));
}

static int source_fire(struct pstk_firing *f)
{
	struct mapping_bed *bed = bed_of(f);
	uint64_t *out = pstk_fifo_write_start(f, 0);

	*out = bed->next++;
	pstk_fifo_write_end(f, 0);
	return atomic_load(&bed->over) ? PSTK_DONE : PSTK_AGAIN;
}

static int sink_fire(struct pstk_firing *f)
{
	struct mapping_bed *bed = bed_of(f);
	uint64_t item = *(const uint64_t *)pstk_fifo_read_start(f, 0);

	pstk_fifo_read_end(f, 0);
	if (item != all_stages(bed->expected++, bed->stages))
		return pstk_actor_error(pstk_firing_actor(f), -EPROTO, "item %llu is wrong",
			(unsigned long long)bed->expected - 1);
	return PSTK_AGAIN;
}

/* -- the network -- */

static const struct pstk_port ports[] = {
	{ .name = "in", .kind = PSTK_INPUT, .token_size = sizeof(uint64_t) },
	{ .name = "out", .kind = PSTK_OUTPUT, .token_size = sizeof(uint64_t) }
};

static const struct pstk_kernel kernel = { .name = KERNEL,
	.source = "__kernel void " KERNEL
		  "(__global const ulong *in, __global ulong *out, ulong firing, uint stage) { }" };

static const struct pstk_actor_type of_cores = { .struct_size = sizeof of_cores,
	.name = "simulated",
	.ports = ports,
	.port_count = 2,
	.stateless = true,
	.fire = stage_fire };
static const struct pstk_actor_type of_both = { .struct_size = sizeof of_both,
	.name = "simulated",
	.ports = ports,
	.port_count = 2,
	.stateless = true,
	.init = stage_init,
	.fire = stage_fire,
	.kernel = &kernel };

static void connect_all(struct mapping_bed *bed, struct pstk_actor *const *row, unsigned count)
{
	for (unsigned i = 0; i + 1 < count; i++)
		pstk_connect(row[i], "out", row[i + 1], "in",
			PSTK_FIFO(.token_size = sizeof(uint64_t), .rate = 1));
	(void)bed;
}

static struct pstk_actor *add_end(struct mapping_bed *bed, const char *name, unsigned port)
{
	return pstk_network_add(bed->net, name,
		PSTK_ACTOR_TYPE(.name = name, .ports = &ports[port], .port_count = 1,
			.fire = port ? source_fire : sink_fire),
		bed);
}

/* The calling thread, and those that it makes. They sleep nearly all the time, so nothing else is held up. But they
 * wake in time where other processes keep all cores busy. */
static void come_first(bool first)
{
	static const struct sched_param one = { .sched_priority = 1 }, none;
	static bool came;
	int policy = sched_getscheduler(0);

	if (first && (policy == SCHED_RR || policy == SCHED_FIFO)) /* chrt has seen to it */
		return;
	if (first && sched_setscheduler(0, SCHED_RR, &one))
		rounds_fail("--before-others: %s", strerror(errno));
	if (!first && came)
		sched_setscheduler(0, SCHED_OTHER, &none);
	came = first;
}

void mapping_bed_open(struct mapping_bed *bed, const struct mapping_pipeline *p,
	const struct pstk_pipeline_spec *given, const struct mapping_bed_options *how)
{
	struct pstk_actor *row[MAPPING_STAGES + 2];
	struct pstk_pipeline_spec spec = *given;

	memset(bed, 0, sizeof *bed);
	bed->how = *how;
	if (how->first)
		come_first(true);
	bed->stages = p->stages;
	mapping_cores_open(p->cores, how->stretch, how->permits);
	mapping_bed_change(p);
	bed->net = pstk_network_create("mapping");
	row[0] = add_end(bed, "source", 1);
	for (unsigned k = 0; k < p->stages; k++) {
		static const unsigned numbers[MAPPING_STAGES] = { 0, 1, 2, 3, 4, 5 };
		char name[16];

		snprintf(name, sizeof name, "stage%u", k + 1);
		row[k + 1] = pstk_network_add(
			bed->net, name, p->no_kernel >> k & 1 ? &of_cores : &of_both, (void *)&numbers[k]);
	}
	row[p->stages + 1] = add_end(bed, "sink", 0);
	connect_all(bed, row, p->stages + 2);
	spec.cores = p->cores;
	spec.device = "pstk:gpu:0";
	if (p->coarse)
		spec.granularities = PSTK_GRAIN_COARSE;
	bed->pipeline = pstk_pipeline_add(bed->net, "pipeline", row + 1, p->stages, &spec);
	if (pstk_network_start(bed->net))
		rounds_fail("%s: %s", p->name, pstk_network_error(bed->net));
}

/* What lies before the pipeline, up to in_flight items, goes through it at once. */
static void hurry(void)
{
	static struct mapping_pipeline quick;

	quick = *pipeline_now();
	for (unsigned k = 0; k < quick.stages; k++)
		quick.core[k] = quick.medium[k] = quick.device[k] = 1e-6;
	mapping_bed_change(&quick);
}

void mapping_bed_close(struct mapping_bed *bed)
{
	int err;

	atomic_store(&bed->over, true);
	hurry();
	err = pstk_network_wait(bed->net);
	if (err)
		rounds_fail("%s", pstk_network_error(bed->net));
	if (bed->expected != bed->next)
		rounds_fail("%llu items went in, and %llu came out", (unsigned long long)bed->next,
			(unsigned long long)bed->expected);
	pstk_network_destroy(bed->net);
	if (bed->how.first)
		come_first(false);
}

/* -- watching it -- */

static struct pstk_pipeline_report *report_of(const struct mapping_bed *bed)
{
	struct pstk_pipeline_report *r = pstk_pipeline_get_report(bed->pipeline);

	if (!r)
		rounds_fail("out of memory");
	if (pstk_network_failed(bed->net))
		rounds_fail("%s", pstk_network_error(bed->net));
	return r;
}

uint64_t mapping_bed_count(const struct mapping_bed *bed)
{
	struct pstk_pipeline_report *r = report_of(bed);
	uint64_t count = r->on_device + r->on_cores;

	pstk_pipeline_free_report(r);
	return count;
}

uint64_t mapping_bed_next(const struct mapping_bed *bed, double most, uint64_t *now)
{
	uint64_t before = mapping_bed_count(bed), count = before, until = mapping_cores_now() + ns_of(most);

	do {
		*now = mapping_cores_now();
		mapping_cores_sleep(*now + poll_ns);
		count = mapping_bed_count(bed);
	} while (count == before && *now < until);
	*now = mapping_cores_now();
	return count;
}

double mapping_bed_rate(const struct mapping_bed *bed, double settle, double seconds)
{
	uint64_t begin, end, first, last;

	mapping_cores_sleep(mapping_cores_now() + ns_of(settle));
	first = mapping_bed_next(bed, 1, &begin);
	mapping_cores_sleep(begin + ns_of(seconds));
	last = mapping_bed_next(bed, 1, &end);
	return (double)(last - first) / (1e-9 * (double)(end - begin));
}

struct pstk_pipeline_report *mapping_bed_chosen(const struct mapping_bed *bed)
{
	uint64_t until = mapping_cores_now() + ns_of(PATIENCE_S);

	for (;;) {
		struct pstk_pipeline_report *r = report_of(bed);

		if (r->why != PSTK_WHY_TRAINING && r->why != PSTK_WHY_BEGINS)
			return r;
		pstk_pipeline_free_report(r);
		if (mapping_cores_now() > until)
			rounds_fail("it has chosen nothing for %d s", PATIENCE_S);
		mapping_cores_sleep(mapping_cores_now() + 10 * poll_ns);
	}
}
