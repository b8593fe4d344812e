/* SPDX-License-Identifier: MIT */
#include "actors/common/check_branches.h"
#include "actors/common/check_moving.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *const branch_memories[BRANCH_MEMORIES] = { "svm", "map", "copy", "" };

size_t branch_firings(const struct branch_run *run)
{
	return (run->samples + run->rate - 1) / run->rate;
}

size_t branch_window(const struct branch_run *run, size_t firing)
{
	size_t left = run->samples - firing * run->rate;

	return left < run->rate ? left : run->rate;
}

bool branch_on(const struct branch_run *run, unsigned branch, size_t firing)
{
	return !run->dynamic || run->values[firing % run->value_count] >> branch & 1;
}

static int source_fire(struct pstk_firing *f)
{
	struct pstk_actor *self = pstk_firing_actor(f);
	struct branch_side *s = pstk_actor_arg(self);
	bool over = false;

	for (unsigned p = 0; p < s->ports; p++) {
		size_t rate = pstk_actor_port_rate(self, p), left = s->count[p] - s->next[p];
		size_t n = left < rate ? left : rate;
		float *window;

		if (!pstk_port_enabled(f, p) || !n)
			continue;
		window = pstk_fifo_write_start(f, p);
		memset(window, 0xa5, rate * sizeof *window); /* behind the data zeros must come */
		memcpy(window, s->data[p] + s->next[p], n * sizeof *window);
		pstk_fifo_write_end_partial(f, p, (uint32_t)n);
		s->next[p] += n;
	}
	for (unsigned p = 0; p < s->ports; p++)
		over = over || s->next[p] == s->count[p];
	return over && !s->endless ? PSTK_DONE : PSTK_AGAIN;
}

static int sink_fire(struct pstk_firing *f)
{
	struct branch_side *s = pstk_actor_arg(pstk_firing_actor(f));

	for (unsigned p = 0; p < s->ports; p++) {
		size_t n = pstk_port_valid(f, p);

		if (!pstk_port_enabled(f, p))
			continue;
		if (n > s->room - s->count[p])
			return pstk_actor_error(
				pstk_firing_actor(f), -EOVERFLOW, "more samples than expected");
		memcpy(s->data[p] + s->count[p], pstk_fifo_read_start(f, p), n * sizeof(float));
		s->count[p] += n;
		pstk_fifo_read_end(f, p);
	}
	return PSTK_AGAIN;
}

static int values_fire(struct pstk_firing *f)
{
	struct branch_run *run = pstk_actor_arg(pstk_firing_actor(f));
	uint32_t *token;

	if (run->tokens == run->limit)
		return PSTK_DONE;
	token = pstk_fifo_write_start(f, 0);
	*token = run->values[run->tokens++ % run->value_count];
	pstk_fifo_write_end(f, 0);
	return PSTK_AGAIN;
}

static int control(struct pstk_firing *f, uint32_t value)
{
	const struct branch_side *s = pstk_actor_arg(pstk_firing_actor(f));

	for (unsigned p = 0; p < s->ports; p++)
		pstk_port_enable(f, p, value >> p / 2 & 1);
	return 0;
}

/* "im2", of the second branch; "im" of the one signal */
static const char *port_name(char *name, size_t size, unsigned port, bool one)
{
	int n = snprintf(name, size, "%s", port % 2 ? "im" : "re");

	if (!one)
		snprintf(name + n, size - (size_t)n, "%u", port / 2 + 1);
	return name;
}

enum { PORT_NAME = 16 };

/* A source, or a sink, of one side. */
static struct pstk_actor *add_side(struct branch_run *run, struct branch_side *s, bool source)
{
	static struct pstk_port ports[2 * BRANCHES_MAX + 1];
	static char names[2 * BRANCHES_MAX][PORT_NAME];
	bool one = s == &run->one, dynamic = run->dynamic && !one;

	for (unsigned p = 0; p < s->ports; p++)
		ports[p] = (struct pstk_port){ .name = port_name(names[p], PORT_NAME, p, one),
			.kind = source ? (dynamic ? PSTK_DYNAMIC_OUTPUT : PSTK_OUTPUT)
			               : (dynamic ? PSTK_DYNAMIC_INPUT : PSTK_INPUT) };
	ports[s->ports] = (struct pstk_port){ .name = "active", .kind = PSTK_CONTROL };
	return pstk_network_add(run->net, source ? "source" : "sink",
		PSTK_ACTOR_TYPE(.name = source ? "source" : "sink", .ports = ports,
			.port_count = s->ports + dynamic, .control = dynamic ? control : NULL,
			.control_values = dynamic ? UINT32_C(1) << run->count : 0,
			.fire = source ? source_fire : sink_fire),
		s);
}

static void connect_side(
	struct branch_run *run, const struct branch_side *s, struct pstk_actor *from, struct pstk_actor *to)
{
	for (unsigned p = 0; p < s->ports; p++) {
		char name[PORT_NAME];
		bool one = s == &run->one, other = one && p == 1 && run->one_rate;

		port_name(name, sizeof name, p, one);
		pstk_connect(from, name, to, name,
			PSTK_FIFO(.rate = other ? run->one_rate : run->rate, .token_size = sizeof(float)));
	}
}

static void add_values(struct branch_run *run, struct pstk_actor *side)
{
	static const struct pstk_port out = { .name = "out", .kind = PSTK_OUTPUT };
	struct pstk_actor *values = pstk_network_add(run->net, "values",
		PSTK_ACTOR_TYPE(.name = "values", .ports = &out, .port_count = 1, .fire = values_fire), run);

	pstk_connect(values, "out", run->tested, "active", PSTK_FIFO(.rate = 1, .token_size = 4));
	pstk_connect(values, "out", side, "active", PSTK_FIFO(.rate = 1, .token_size = 4));
}

static float sample(struct test_rng *rng)
{
	return (float)((int)test_between(rng, 0, 1400000) - 700000) * 1e-6F;
}

static void make_side(struct branch_run *run, struct branch_side *s, unsigned ports)
{
	s->ports = ports;
	s->room = branch_firings(run) * run->rate;
	for (unsigned p = 0; p < ports; p++) {
		s->data[p] = calloc(s->room + 1, sizeof *s->data[p]);
		ck_assert_ptr_nonnull(s->data[p]);
	}
}

void branch_run_fill(struct branch_run *run, struct test_rng *rng)
{
	struct branch_side *source = run->inputs ? &run->branches : &run->one;

	make_side(run, &run->one, 2);
	make_side(run, &run->branches, 2 * run->count);
	source->endless = run->inputs && run->dynamic;
	run->limit = source->endless ? (uint32_t)branch_firings(run) : UINT32_MAX;
	for (unsigned p = 0; p < source->ports; p++) {
		for (size_t i = 0; i < branch_firings(run); i++)
			if (!run->inputs || branch_on(run, p / 2, i))
				source->count[p] += branch_window(run, i);
		for (size_t i = 0; i < source->count[p]; i++)
			source->data[p][i] = sample(rng);
	}
}

/* Its type with another init() or other options for the compiler. */
static size_t local_size;
static int (*own_init)(struct pstk_actor *);

static int init_local(struct pstk_actor *self)
{
	size_t global = 3 * local_size;
	int err = own_init(self);

	return err ? err : pstk_actor_set_work_size(self, 1, &global, &local_size);
}

static struct pstk_actor *add_tested(struct branch_run *run, branch_add add, const void *data)
{
	struct pstk_network *other;
	struct pstk_actor *actor;
	struct pstk_actor_type type;
	struct pstk_kernel kernel;

	if (!run->local && !run->options)
		return add(run->net, run, data);
	other = pstk_network_create("other");
	actor = add(other, run, data);
	ck_assert_msg(actor, "%s", pstk_network_error(other));
	type = *pstk_actor_get_type(actor);
	kernel = *type.kernel;
	kernel.options = run->options;
	type.kernel = &kernel;
	own_init = type.init;
	local_size = run->local ? run->local : 1;
	type.init = init_local;
	actor = pstk_network_add(run->net, "tested", &type, pstk_actor_arg(actor));
	pstk_network_destroy(other);
	return actor;
}

void branch_run_build(struct branch_run *run, branch_add add, const void *data)
{
	struct branch_side *first = run->inputs ? &run->branches : &run->one,
			   *second = run->inputs ? &run->one : &run->branches;
	struct pstk_actor *source, *sink;

	run->net = pstk_network_create("branches");
	source = add_side(run, first, true);
	run->tested = add_tested(run, add, data);
	sink = add_side(run, second, false);
	if (!run->tested)
		return;
	connect_side(run, first, source, run->tested);
	connect_side(run, second, run->tested, sink);
	if (run->dynamic)
		add_values(run, run->inputs ? source : sink);
	if (run->device)
		moving_map(run->tested, run->device);
}

int branch_run_end(struct branch_run *run)
{
	int err = pstk_network_run(run->net);

	snprintf(run->error, sizeof run->error, "%s", pstk_network_error(run->net));
	if (!err)
		moving_check(run->net);
	pstk_network_destroy(run->net);
	return err;
}

void branch_run(struct branch_run *run, struct test_rng *rng, branch_add add, const void *data)
{
	branch_run_fill(run, rng);
	branch_run_build(run, add, data);
	ck_assert_msg(branch_run_end(run) == 0, "%s", run->error);
}

void branch_run_free(struct branch_run *run)
{
	for (unsigned p = 0; p < run->one.ports; p++)
		free(run->one.data[p]);
	for (unsigned p = 0; p < run->branches.ports; p++)
		free(run->branches.data[p]);
}

void branch_compare(const struct branch_run *run, const char *what, const float *got, const double *expected,
	size_t count, double least)
{
	double largest = least;

	for (size_t i = 0; i < count; i++)
		largest = fmax(largest, fabs(expected[i]));
	for (size_t i = 0; i < count; i++)
		if (!(fabs((double)got[i] - expected[i]) <= 1e-5 * largest))
			ck_abort_msg(
				"%s of %u branches, rate %u, %zu samples on %s: sample %zu is %.9g, not %.9g",
				what, run->count, run->rate, run->samples,
				run->device ? run->device : "the cores", i, (double)got[i], expected[i]);
}

const char *branch_device(void)
{
	static struct pstk_device_info info;

	if (pstk_devices(&info, 1) >= 1)
		return info.selector;
	printf("no OpenCL device: skipped\n");
	return NULL;
}
