/* SPDX-License-Identifier: MIT */
#include "tests/pipeline/switch_net.h"
#include "lib/base/clock.h"
#include "tests/common/common.h"

#include <sched.h>
#include <stdlib.h>

struct at {
	struct switch_net *of;
	unsigned stage;
};

static struct at ats[SWITCH_STAGES];

static const struct pstk_port ports[] = { { .name = "in", .kind = PSTK_INPUT, .token_size = 8 },
	{ .name = "out", .kind = PSTK_OUTPUT, .token_size = 8 } };

uint64_t switch_changed(uint64_t token, unsigned stage)
{
	return token * 3 + stage + 1;
}

static int source_fire(struct pstk_firing *f)
{
	struct switch_net *n = pstk_actor_arg(pstk_firing_actor(f));
	uint64_t k = pstk_firing_index(f);

	if (n->source)
		n->source(n, k);
	*(uint64_t *)pstk_fifo_write_start(f, 0) = k;
	pstk_fifo_write_end(f, 0);
	atomic_fetch_add(&n->given, 1);
	return k + 1 < n->tokens ? PSTK_AGAIN : PSTK_DONE;
}

/* Which setting the item is carried under. */
static uint64_t setting_of(const struct ps_carriage *c)
{
	const struct ps_setting *s = &c->conductor.phase.setting;

	return test_mix(c->taken_before) ^
	       (s->configuration.threads * 4 + s->configuration.medium_grain * 2 + s->waits);
}

static void look(struct switch_net *n, uint64_t item, bool begins)
{
	uint64_t *slot = &n->settings[item % SWITCH_SLOTS], *is = &n->items[item % SWITCH_SLOTS];
	uint64_t now = setting_of(n->run);

	if (*is != item + 1 && begins) { /* the first of its stages on the cores */
		*is = item + 1;
		*slot = now;
	} else if (*is != item + 1 || *slot != now) {
		atomic_fetch_add(&n->mixed, 1);
	}
	if (ps_carrier_current->index >= n->run->conductor.phase.setting.takers)
		atomic_fetch_add(&n->strangers, 1);
}

static void part(void *data, size_t from, size_t to)
{
	uint64_t *out = data;

	for (size_t i = from; i < to;
		i++) /* one part has it all: the sum is the same on any number of threads */
		if (i == 0)
			out[0] = out[0] * 3;
}

static int stage_fire(struct pstk_firing *f)
{
	const struct at *at = pstk_actor_arg(pstk_firing_actor(f));
	struct switch_net *n = at->of;
	uint64_t item = pstk_firing_index(f);
	const uint64_t *in = pstk_fifo_read_start(f, 0);
	uint64_t *out = pstk_fifo_write_start(f, 1);
	int rc;

	look(n, item, true);
	rc = n->stage ? n->stage(n, at->stage, item) : PSTK_AGAIN;
	if (rc < 0)
		return rc;
	*out = *in;
	pstk_parallel_for(f, 4, 1, part, out);
	*out += at->stage + 1;
	look(n, item, false);
	pstk_fifo_read_end(f, 0);
	pstk_fifo_write_end(f, 1);
	return rc;
}

static const struct pstk_kernel kernel = { .name = SWITCH_KERNEL,
	.source = "__kernel void " SWITCH_KERNEL
		  "(__global const ulong *in, __global ulong *out, ulong firing, uint stage)\n"
		  "{ out[0] = in[0] * 3 + stage + 1; }\n" };

static int stage_init(struct pstk_actor *self)
{
	const struct at *at = pstk_actor_arg(self);
	int err = at->of->device ? pstk_actor_set_work_size(self, 1, &(size_t){ 1 }, NULL) : 0;

	return err || !at->of->device ? err : pstk_actor_set_arg(self, 0, sizeof at->stage, &at->stage);
}

static int sink_fire(struct pstk_firing *f)
{
	struct switch_net *n = pstk_actor_arg(pstk_firing_actor(f));
	uint64_t k = pstk_firing_index(f), expected = k;

	for (unsigned i = 0; i < SWITCH_STAGES; i++)
		expected = switch_changed(expected, i);
	if (*(const uint64_t *)pstk_fifo_read_start(f, 0) != expected)
		atomic_fetch_add(&n->wrong, 1);
	pstk_fifo_read_end(f, 0);
	atomic_fetch_add(&n->come, 1);
	if (n->sink)
		n->sink(n, k);
	return PSTK_AGAIN;
}

static void connect(struct pstk_actor *from, struct pstk_actor *to)
{
	ck_assert_ptr_nonnull(pstk_connect(from, "out", to, "in", PSTK_FIFO(.rate = 1, .token_size = 8)));
}

void switch_build(struct switch_net *n)
{
	struct pstk_actor *stages[SWITCH_STAGES], *source, *sink, *before;
	struct pstk_pipeline_spec spec = n->spec;

	unsetenv("PENSTOCK_PIPELINE");
	n->net = pstk_network_create("switch");
	source = pstk_network_add(n->net, "source",
		PSTK_ACTOR_TYPE(.name = "source", .ports = ports + 1, .port_count = 1, .fire = source_fire,
			.blocks = true),
		n);
	before = source;
	for (unsigned i = 0; i < SWITCH_STAGES; i++) {
		static const char *const names[] = { "a", "b", "c" };

		ats[i] = (struct at){ .of = n, .stage = i };
		stages[i] = pstk_network_add(n->net, names[i],
			PSTK_ACTOR_TYPE(.name = "stage", .ports = ports, .port_count = 2, .fire = stage_fire,
				.init = stage_init, .stateless = true, .kernel = n->device ? &kernel : NULL),
			&ats[i]);
		connect(before, stages[i]);
		before = stages[i];
	}
	sink = pstk_network_add(n->net, "sink",
		PSTK_ACTOR_TYPE(.name = "sink", .ports = ports, .port_count = 1, .fire = sink_fire,
			.blocks = true),
		n);
	connect(before, sink);
	spec.struct_size = sizeof spec;
	spec.cores = n->cores ? n->cores : 2;
	spec.configuration = n->configuration;
	spec.device = n->device;
	spec.meter = "none";
	n->pipeline = pstk_pipeline_add(n->net, "line", stages, SWITCH_STAGES, &spec);
	ck_assert_msg(n->pipeline != NULL, "%s", pstk_network_error(n->net));
	n->run = n->pipeline->run;
	ck_assert_int_eq(pstk_network_set_threads(n->net, n->team), 0);
}

int switch_finish(struct switch_net *n)
{
	int err = pstk_network_wait(n->net);

	ck_assert_uint_eq(n->wrong, 0);
	ck_assert_uint_eq(n->mixed, 0);
	ck_assert_uint_eq(n->strangers, 0);
	ck_assert_uint_le(n->come, n->given);
	return err;
}

void switch_to(struct switch_net *n, const char *configuration)
{
	char error[256] = "";

	ck_assert_msg(!pstk_pipeline_set_configuration(n->pipeline, configuration, error, sizeof error), "%s",
		error);
}

bool switch_is(struct switch_net *n, const char *configuration)
{
	struct pstk_configuration wanted, is;

	ck_assert_int_eq(pstk_configuration_parse(
				 configuration, SWITCH_STAGES, n->pipeline->spec.cores, &wanted, NULL, 0),
		0);
	pthread_mutex_lock(&n->run->lock);
	is = n->run->conductor.phase.setting.configuration;
	pthread_mutex_unlock(&n->run->lock);
	return is.mask == wanted.mask && is.threads == wanted.threads &&
	       is.medium_grain == wanted.medium_grain;
}

void switch_await(struct switch_net *n, const char *configuration)
{
	while (!switch_is(n, configuration))
		sched_yield();
}

/*
 * What asks.
 */

static void ask(const struct switch_asker *a, struct test_rng *rng)
{
	struct pstk_goal goal = { .struct_size = sizeof goal, .min_rate = test_between(rng, 0, 100) };
	unsigned what = test_between(rng, 0, 9);

	if (what < 8)
		switch_to(a->net, a->settings[test_between(rng, 0, a->setting_count - 1)]);
	else if (what == 8)
		ck_assert_int_eq(pstk_pipeline_set_goal(a->net->pipeline, &goal, NULL, 0), 0);
	else
		pstk_pipeline_retrain(a->net->pipeline, NULL, 0);
}

static void *ask_on(void *data)
{
	struct switch_asker *a = data;
	struct test_rng rng = { .state = a->seed };

	while (!atomic_load(&a->enough)) {
		for (unsigned i = test_between(&rng, 0, test_chance(&rng, 10) ? 300 : 10); i; i--)
			sched_yield();
		ask(a, &rng);
	}
	return NULL;
}

void switch_begin_asking(struct switch_asker *a, unsigned count, const struct switch_asker *as)
{
	for (unsigned i = 0; i < count; i++) {
		a[i] = *as;
		a[i].seed = test_mix(as->seed + i);
		ck_assert_int_eq(pthread_create(&a[i].thread, NULL, ask_on, &a[i]), 0);
	}
}

void switch_end_asking(struct switch_asker *a, unsigned count)
{
	for (unsigned i = 0; i < count; i++) {
		atomic_store(&a[i].enough, true);
		pthread_join(a[i].thread, NULL);
	}
}

/*
 * The clock.
 */

static _Atomic uint64_t looks;

static uint64_t count_looks(void)
{
	return 1000 * (1000 + atomic_fetch_add(&looks, 1));
}

void switch_clock_virtual(void)
{
	ps_setting_clock = count_looks;
}

void switch_clock_real(void)
{
	ps_setting_clock = ps_clock_ns;
}
