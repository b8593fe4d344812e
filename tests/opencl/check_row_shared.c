/* SPDX-License-Identifier: MIT */
/* Two pipelines at one device: never two runs at once, and each token of both is right. */
#include "lib/opencl/cl_row.h"
#include "lib/pipeline/carriage.h"
#include "tests/common/common.h"
#include "tests/opencl/fault_net.h"
#include "tests/opencl/row_net.h"

#include <penstock/pipeline.h>

#include <errno.h>
#include <inttypes.h>
#include <sched.h>
#include <stdio.h>

enum { STAGES = 2, PIPELINES = 2, TOKENS = 600 };

#define KERNEL "shared_stage"

/* Of both. They are one behind the other, or side by side. */
static const char *const settings[][PIPELINES] = { { "DP-CG:11:2", "CP-CG:01:2" },
	{ "CP-CG:10:2", "DP-CG:11:3" }, { "DP-CG:11:1", "DP-CG:11:1" }, { "MG:11", "CP-CG:10:3" },
	{ "DP-CG:11:2", "MG:01" }, { "MG:10", "MG:11" }, { NULL, "DP-CG:11:2" }, { NULL, NULL } };
enum { SETTINGS = TEST_COUNT(settings) };

static const struct {
	const char *driver;
	unsigned team;
	bool beside; /* the pipelines read one source, each has its own sink */
} ways[] = { { "svm=none,unified=0", 0, false }, { "svm=none,unified=1,delay=3", 0, true },
	{ "svm=none,unified=0,delay=3", 2, false }, { "svm=none,unified=1", 2, true } };
enum { WAYS = TEST_COUNT(ways) };

static struct {
	struct pstk_network *net;
	struct pstk_pipeline *pipelines[PIPELINES];
	_Atomic uint64_t runs, overlaps; /* launches; .. while the other pipeline's row had commands */
} t;

/* Which stage of which pipeline. */
struct at {
	cl_uint pipeline, stage;
};

static uint64_t changed(uint64_t token, unsigned pipeline, unsigned stage)
{
	return token * 5 + 7 * pipeline + stage + 1;
}

/*
 * The kernel. The thread that runs it may look at the other row: whichever thread enqueued this launch has the device.
 */

static void run_kernel(const struct fake_cl_launch *l)
{
	const struct at *at = l->arg[3];
	const struct pstk_pipeline *other = t.pipelines[1 - at->pipeline];

	atomic_fetch_add(&t.runs, 1);
	for (unsigned i = 0; i < 3; i++, sched_yield())
		if (other->row && other->row->command_count)
			atomic_fetch_add(&t.overlaps, 1);
	*(uint64_t *)l->arg[1] = changed(*(const uint64_t *)l->arg[0], at->pipeline, at->stage);
}

static const struct fake_cl *open_driver(const char *driver)
{
	static const struct fake_cl_arg args[] = { FAKE_CL_IN("in", "ulong"), FAKE_CL_OUT("out", "ulong"),
		FAKE_CL_VALUE("firing", "ulong", 8), FAKE_CL_VALUE("at", "uint2", 8) };
	static const struct fake_cl_kernel kernel = {
		.name = KERNEL, .args = args, .arg_count = TEST_COUNT(args), .run = run_kernel
	};
	const struct fake_cl *fake = row_net_driver(driver, NULL);

	ck_assert_int_eq(fake->add_kernel(&kernel), 0);
	return fake;
}

/*
 * Actors.
 */

static const struct pstk_port ports[] = { { .name = "in", .kind = PSTK_INPUT, .token_size = 8 },
	{ .name = "out", .kind = PSTK_OUTPUT, .token_size = 8 } };

static int source_fire(struct pstk_firing *f)
{
	uint64_t k = pstk_firing_index(f);

	*(uint64_t *)pstk_fifo_write_start(f, 0) = k;
	pstk_fifo_write_end(f, 0);
	return k + 1 < TOKENS ? PSTK_AGAIN : PSTK_DONE;
}

static int stage_init(struct pstk_actor *self)
{
	const struct at *at = pstk_actor_arg(self);
	int err = pstk_actor_set_work_size(self, 1, &(size_t){ 1 }, NULL);

	return err ? err : pstk_actor_set_arg(self, 0, sizeof *at, at);
}

static int stage_fire(struct pstk_firing *f)
{
	const struct at *at = pstk_actor_arg(pstk_firing_actor(f));

	*(uint64_t *)pstk_fifo_write_start(f, 1) =
		changed(*(const uint64_t *)pstk_fifo_read_start(f, 0), at->pipeline, at->stage);
	pstk_fifo_read_end(f, 0);
	pstk_fifo_write_end(f, 1);
	return PSTK_AGAIN;
}

/* What a sink is behind. */
struct sink {
	bool behind[PIPELINES];
	uint64_t come;
};

static int sink_fire(struct pstk_firing *f)
{
	struct sink *sink = pstk_actor_arg(pstk_firing_actor(f));
	uint64_t is = *(const uint64_t *)pstk_fifo_read_start(f, 0), expected = sink->come++;

	for (unsigned i = 0; i < PIPELINES * STAGES; i++)
		if (sink->behind[i / STAGES])
			expected = changed(expected, i / STAGES, i % STAGES);
	pstk_fifo_read_end(f, 0);
	if (is != expected)
		return pstk_actor_error(
			pstk_firing_actor(f), -EPROTO, "token %" PRIu64 " is wrong", sink->come - 1);
	return PSTK_AGAIN;
}

/*
 * The network.
 */

static void connect(struct pstk_actor *from, struct pstk_actor *to)
{
	ck_assert_ptr_nonnull(pstk_connect(from, "out", to, "in", PSTK_FIFO(.rate = 1, .token_size = 8)));
}

static void add_stages(unsigned i, struct pstk_actor *from, struct pstk_actor *stages[STAGES])
{
	static const struct pstk_kernel kernel = { .name = KERNEL,
		.source = "__kernel void " KERNEL
			  "(__global const ulong *in, __global ulong *out, ulong firing, uint2 at)\n"
			  "{ out[0] = in[0] * 5 + 7 * at.x + at.y + 1; }\n" };

	for (unsigned k = 0; k < STAGES; k++) {
		struct at at = { .pipeline = i, .stage = k };
		char name[16];

		snprintf(name, sizeof name, "stage%u%u", i, k);
		stages[k] = pstk_network_add(t.net, name,
			PSTK_ACTOR_TYPE(.name = "stage", .ports = ports, .port_count = 2, .stateless = true,
				.init = stage_init, .fire = stage_fire, .kernel = &kernel,
				.arg_size = sizeof at),
			&at);
		connect(k ? stages[k - 1] : from, stages[k]);
	}
}

static void make_pipeline(unsigned i, struct pstk_actor *stages[STAGES], const char *configuration)
{
	t.pipelines[i] = pstk_pipeline_add(t.net, i ? "right" : "left", stages, STAGES,
		PSTK_PIPELINE(.device = "pstk:gpu:0", .cores = 2, .configuration = configuration,
			.max_overhead = 1));
	ck_assert_msg(t.pipelines[i] != NULL, "%s", pstk_network_error(t.net));
}

static void add_sink(struct pstk_actor *from, struct sink *sink, const char *name)
{
	connect(from, pstk_network_add(t.net, name,
			      PSTK_ACTOR_TYPE(.name = "sink", .ports = ports, .port_count = 1,
				      .fire = sink_fire, .blocks = true),
			      sink));
}

static void build(const char *const configurations[PIPELINES], bool beside, struct sink sinks[PIPELINES])
{
	struct pstk_actor *source, *stages[PIPELINES][STAGES], *left, *right;

	t.net = pstk_network_create("shared");
	source = pstk_network_add(t.net, "source",
		PSTK_ACTOR_TYPE(.name = "source", .ports = ports + 1, .port_count = 1, .fire = source_fire,
			.blocks = true),
		NULL);
	add_stages(0, source, stages[0]);
	left = stages[0][STAGES - 1];
	add_stages(1, beside ? source : left, stages[1]);
	right = stages[1][STAGES - 1];
	sinks[0] = (struct sink){ .behind = { !beside, true } };
	sinks[1] = (struct sink){ .behind = { true, false } };
	add_sink(right, &sinks[0], "sink0");
	if (beside)
		add_sink(left, &sinks[1], "sink1");
	for (unsigned i = 0; i < PIPELINES; i++)
		make_pipeline(i, stages[i], configurations[i]);
}

static uint64_t on_device(unsigned i)
{
	struct pstk_pipeline_report *r = pstk_pipeline_get_report(t.pipelines[i]);
	uint64_t items;

	ck_assert_ptr_nonnull(r);
	ck_assert_uint_eq(r->on_device + r->on_cores, TOKENS);
	items = r->on_device;
	pstk_pipeline_free_report(r);
	return items;
}

START_TEST(one_run_at_once)
{
	const struct fake_cl *fake = open_driver(ways[_i % WAYS].driver);
	const char *const *configurations = settings[_i / WAYS];

	for (uint64_t round = 0; round < test_rounds(3); round++) {
		struct sink sinks[PIPELINES];

		test_guard(ways[_i % WAYS].driver, round);
		atomic_store(&t.runs, 0);
		atomic_store(&t.overlaps, 0);
		build(configurations, ways[_i % WAYS].beside, sinks);
		ck_assert_int_eq(pstk_network_set_threads(t.net, ways[_i % WAYS].team), 0);
		ck_assert_msg(!pstk_network_run(t.net), "%s", pstk_network_error(t.net));
		ck_assert_uint_eq(sinks[0].come, TOKENS);
		ck_assert_uint_eq(sinks[1].come, ways[_i % WAYS].beside ? TOKENS : 0);
		for (unsigned i = 0; i < PIPELINES; i++)
			ck_assert(on_device(i) > 0 || !configurations[i]);
		ck_assert_ptr_eq(t.pipelines[0]->run->device, t.pipelines[1]->run->device);
		ck_assert_uint_gt(t.runs, 0);
		ck_assert_uint_eq(t.overlaps, 0);
		pstk_network_destroy(t.net);
		fault_check_left(fake, false, ways[_i % WAYS].driver);
	}
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("row_shared");
	TCase *tcase = test_case(suite, "shared");

	tcase_add_loop_test(tcase, one_run_at_once, 0, SETTINGS * WAYS);
	return test_main(suite);
}
