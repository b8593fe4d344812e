/* SPDX-License-Identifier: MIT */
/* Settings that change while items flow, among those with stages on the device: each token, in order. */
#include "tests/common/common.h"
#include "tests/opencl/fault_net.h"
#include "tests/opencl/row_net.h"
#include "tests/pipeline/switch_net.h"

#include <errno.h>
#include <sched.h>
#include <string.h>

/* NULL: adaptive */
static const char *const settings[] = { "CPU-CG:000:1", "CPU-CG:000:3", "CPU-MG:000:3", "DP-CG:111:1",
	"DP-CG:111:3", "CP-CG:100:2", "CP-CG:010:3", "CP-CG:101:3", "CP-CG:001:1", "CP-CG:110:2", "MG:111",
	"MG:010", "MG:101", "MG:001", "baseline", NULL };

/* The driver and PENSTOCK_MEMORY: windows are copied, waits in the driver; .. or used in place. */
static const struct {
	const char *settings, *memory;
} ways[] = { { "svm=none,unified=0,races=1", NULL }, { "svm=none,unified=0,races=1,delay=5", NULL },
	{ "svm=none,unified=1,races=1", NULL }, { "svm=none,unified=0,lazy=1", "map" } };
enum { WAYS = TEST_COUNT(ways) };

/* Threads of the team; 0: there is none. */
static const unsigned teams[] = { 0, 1, 3 };
enum { TEAMS = TEST_COUNT(teams) };

static struct switch_net n;

static void run_kernel(const struct fake_cl_launch *l)
{
	*(uint64_t *)l->arg[1] = switch_changed(*(const uint64_t *)l->arg[0], *(const cl_uint *)l->arg[3]);
}

static const struct fake_cl *open_driver(int way)
{
	static const struct fake_cl_arg args[] = { FAKE_CL_IN("in", "ulong"), FAKE_CL_OUT("out", "ulong"),
		FAKE_CL_VALUE("firing", "ulong", 8), FAKE_CL_VALUE("stage", "uint", 4) };
	static const struct fake_cl_kernel kernel = {
		.name = SWITCH_KERNEL, .args = args, .arg_count = TEST_COUNT(args), .run = run_kernel
	};
	const struct fake_cl *fake = row_net_driver(ways[way].settings, ways[way].memory);

	ck_assert_int_eq(fake->add_kernel(&kernel), 0);
	return fake;
}

static void start(uint64_t tokens, const char *configuration, unsigned team)
{
	n = (struct switch_net){
		.tokens = tokens, .configuration = configuration, .team = team, .device = "pstk:gpu:0"
	};
	n.spec.repetitions = 1;
	n.spec.max_overhead = 1; /* it may train at any time */
	switch_build(&n);
	ck_assert_msg(!pstk_network_start(n.net), "%s", pstk_network_error(n.net));
}

static const char *any_setting(struct test_rng *rng)
{
	return settings[test_between(rng, 0, TEST_COUNT(settings) - 1)];
}

static void begin_asking(struct switch_asker *a, unsigned count, uint64_t seed)
{
	const struct switch_asker as = {
		.net = &n, .settings = settings, .setting_count = TEST_COUNT(settings), .seed = seed
	};

	switch_begin_asking(a, count, &as);
}

/* Ends the network. The items that were through, by path. */
static uint64_t finish(int expected, uint64_t *on_device)
{
	struct pstk_pipeline_report *r;
	uint64_t items;

	ck_assert_int_eq(switch_finish(&n), expected);
	r = pstk_pipeline_get_report(n.pipeline);
	ck_assert_ptr_nonnull(r);
	*on_device = r->on_device;
	items = r->on_device + r->on_cores;
	pstk_pipeline_free_report(r);
	pstk_network_destroy(n.net);
	return items;
}

/* Each setting alone: the device has items of a mask, and of no other. */
START_TEST(alone)
{
	const struct fake_cl *fake = open_driver(_i);

	for (unsigned i = 0; i < TEST_COUNT(settings); i++) {
		const char *is = settings[i];
		uint64_t on_device;

		start(60, is, teams[i % TEAMS]);
		ck_assert_uint_eq(finish(0, &on_device), 60);
		ck_assert_uint_eq(n.come, 60);
		if (is && strncmp(is, "baseline", 8) != 0)
			ck_assert_msg((on_device > 0) == (strncmp(is, "CPU", 3) != 0),
				"%s: %llu on the device", is, (unsigned long long)on_device);
		fault_check_left(fake, false, is ? is : "adaptive");
	}
}
END_TEST

/* One thread asks, or two; a thread an actor, or a team; the clock counts, or is real. */
START_TEST(any_moment)
{
	const struct fake_cl *fake = open_driver(_i % WAYS);
	unsigned askers = 1 + _i / WAYS % 2, team = teams[_i / WAYS / 2];
	uint64_t rounds = test_rounds(12), sum = 0, on_device;

	for (uint64_t round = 0, seed = test_seed(); round < rounds; round++, seed++) {
		struct test_rng rng = { .state = test_mix(seed) };
		struct switch_asker a[2];

		test_guard(ways[_i % WAYS].settings, seed);
		if (test_chance(&rng, 50))
			switch_clock_virtual();
		start(test_between(&rng, 1, 400), any_setting(&rng), team);
		begin_asking(a, askers, seed);
		ck_assert_int_eq(pstk_network_wait(n.net), 0);
		switch_end_asking(a, askers);
		ck_assert_uint_eq(n.come, n.tokens);
		ck_assert_uint_eq(finish(0, &on_device), n.tokens);
		sum += on_device;
		switch_clock_real();
		fault_check_left(fake, false, ways[_i % WAYS].settings);
	}
	ck_assert(sum > 0 || rounds < 12);
}
END_TEST

/* Stop: what was given arrives. Abort: it ends. */
START_TEST(ended)
{
	const struct fake_cl *fake = open_driver(_i % WAYS);
	bool aborts = _i / WAYS;

	for (uint64_t round = 0, seed = test_seed(); round < test_rounds(12); round++, seed++) {
		struct test_rng rng = { .state = test_mix(seed) };
		struct switch_asker a;
		uint64_t on_device;
		int err;

		test_guard(ways[_i % WAYS].settings, seed);
		start(UINT64_MAX, any_setting(&rng), teams[seed % TEAMS]);
		begin_asking(&a, 1, seed);
		for (uint64_t until = test_between(&rng, 0, 200); atomic_load(&n.come) < until;)
			sched_yield();
		if (aborts)
			pstk_network_abort(n.net);
		else
			pstk_network_stop(n.net);
		err = pstk_network_wait(n.net);
		switch_end_asking(&a, 1);
		finish(err, &on_device);
		ck_assert(aborts ? !err || err == -ECANCELED : !err && n.come == n.given);
		fault_check_left(fake, false, ways[_i % WAYS].settings);
	}
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("row_switches");
	TCase *tcase = test_case(suite, "switches");

	tcase_add_loop_test(tcase, alone, 0, WAYS);
	tcase_add_loop_test(tcase, any_moment, 0, 2 * WAYS * TEAMS);
	tcase_add_loop_test(tcase, ended, 0, 2 * WAYS);
	return test_main(suite);
}
