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

static uint64_t changed(uint64_t token, unsigned stage)
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

static void look(struct switch_net *n, const struct at *at, uint64_t item, bool begins)
{
	uint64_t *slot = &n->settings[item % SWITCH_SLOTS], now = setting_of(n->run);

	if (at->stage == 0 && begins)
		*slot = now;
	else if (*slot != now)
		atomic_fetch_add(&n->mixed, 1);
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

	look(n, at, item, true);
	rc = n->stage ? n->stage(n, at->stage, item) : PSTK_AGAIN;
	if (rc < 0)
		return rc;
	*out = *in;
	pstk_parallel_for(f, 4, 1, part, out);
	*out += at->stage + 1;
	look(n, at, item, false);
	pstk_fifo_read_end(f, 0);
	pstk_fifo_write_end(f, 1);
	return rc;
}

static int sink_fire(struct pstk_firing *f)
{
	struct switch_net *n = pstk_actor_arg(pstk_firing_actor(f));
	uint64_t k = pstk_firing_index(f), expected = k;

	for (unsigned i = 0; i < SWITCH_STAGES; i++)
		expected = changed(expected, i);
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
				.stateless = true),
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
