/* SPDX-License-Identifier: MIT */
/*
 * A decimating filter as a kernel: its port's history in front of the new samples, PSTK_ARG_STEPS, the tail. In each
 * way of sharing memory, as the first, the second and the only actor on a device, on two parts of it, against plain
 * loops.
 */
#include "tests/common/common.h"
#include "tests/opencl/cl_chain.h"

#include <errno.h>
#include <string.h>

enum { TAPS = 7, KEEP = 3, TAIL = TAPS - 1, MOST = 2000 };

static const int32_t taps[TAPS] = { 1, -2, 3, 5, -7, 11, 4 };

static const char filter_source[] = "__kernel void filter(__global const int *in, __global int *out, ulong "
				    "firing, __constant int *taps,\n"
				    "	uint steps, uint valid)\n"
				    "{\n"
				    "	size_t i = get_global_id(0);\n"
				    "	int sum = 0;\n"
				    "	for (int k = 0; k < 7; k++) sum += taps[k] * in[3 * i + k];\n"
				    "	out[i] = i < steps && steps == valid ? sum : 12345;\n"
				    "}\n";

static int filter_init(struct pstk_actor *self)
{
	const size_t steps = pstk_actor_steps(self);
	int err = pstk_actor_set_work_size(self, 1, &steps, NULL);

	err = err ? err : pstk_actor_set_arg(self, 0, sizeof taps, taps);
	err = err ? err : pstk_actor_set_arg(self, 1, sizeof(uint32_t), PSTK_ARG_STEPS);
	return err ? err : pstk_actor_set_arg(self, 2, sizeof(uint32_t), PSTK_ARG_VALID(1));
}

static int filter_fire(struct pstk_firing *f)
{
	const int32_t *in = pstk_fifo_read_start(f, 0);
	int32_t *out = pstk_fifo_write_start(f, 1);

	for (uint32_t i = 0; i < pstk_firing_steps(f); i++) {
		out[i] = 0;
		for (unsigned k = 0; k < TAPS; k++)
			out[i] += taps[k] * in[KEEP * i + k];
	}
	pstk_fifo_read_end(f, 0);
	pstk_fifo_write_end(f, 1);
	return PSTK_AGAIN;
}

struct source {
	uint32_t samples, given;
};

static int32_t sample(uint32_t i)
{
	return (int32_t)(test_mix(i) % 2001) - 1000;
}

static int give(struct pstk_firing *f)
{
	struct source *s = pstk_actor_arg(pstk_firing_actor(f));
	uint32_t window = pstk_actor_port_rate(pstk_firing_actor(f), 0), n = 0;
	int32_t *out = pstk_fifo_write_start(f, 0);

	while (n < window && s->given < s->samples)
		out[n++] = sample(s->given++);
	pstk_fifo_write_end_partial(f, 0, n);
	return PSTK_AGAIN;
}

struct sink {
	uint32_t count;
	int32_t samples[MOST];
};

static int keep(struct pstk_firing *f)
{
	struct sink *s = pstk_actor_arg(pstk_firing_actor(f));
	const int32_t *in = pstk_fifo_read_start(f, 0);
	uint32_t valid = pstk_port_valid(f, 0);

	ck_assert_uint_le(s->count + valid, MOST);
	memcpy(s->samples + s->count, in, valid * sizeof *in);
	s->count += valid;
	pstk_fifo_read_end(f, 0);
	return PSTK_AGAIN;
}

/* Twice the filter, each with TAIL zeros behind its stream. */
static uint32_t expect(uint32_t samples, int32_t *to)
{
	static int32_t stream[3 * MOST];
	uint32_t count = samples;

	memset(stream, 0, sizeof stream);
	for (uint32_t i = 0; i < samples; i++)
		stream[TAPS - 1 + i] = sample(i);
	for (unsigned pass = 0; pass < 2; pass++) {
		uint32_t steps = (count + TAIL + KEEP - 1) / KEEP;

		for (uint32_t i = 0; i < steps; i++) {
			to[i] = 0;
			for (unsigned k = 0; k < TAPS; k++)
				to[i] += taps[k] * stream[KEEP * i + k];
		}
		memset(stream, 0, sizeof stream);
		memcpy(stream + TAPS - 1, to, steps * sizeof *to);
		count = steps;
	}
	return count;
}

static struct pstk_actor *add(struct pstk_network *net, const char *name, unsigned first, unsigned count,
	int (*fire)(struct pstk_firing *), void *arg)
{
	static const struct pstk_kernel kernel = { .name = "filter", .source = filter_source };
	static const struct pstk_port ports[] = {
		{ .name = "in", .kind = PSTK_INPUT, .token_type = "i32", .rate = KEEP, .history = TAPS - 1 },
		{ .name = "out", .kind = PSTK_OUTPUT, .token_type = "i32", .rate = 1 },
		{ .name = "in", .kind = PSTK_INPUT, .token_type = "i32", .rate = 1 },
	};
	bool filter = count == 2;

	return pstk_network_add(net, name,
		PSTK_ACTOR_TYPE(.name = name, .ports = ports + first, .port_count = count, .fire = fire,
			.init = filter ? filter_init : NULL, .kernel = filter ? &kernel : NULL,
			.stateless = filter),
		arg);
}

/* on: of the two filters, which is on which device; NULL: on the cores. */
static void run(const char *const on[2], uint32_t samples, const uint32_t steps[4], unsigned threads)
{
	static struct sink sink;
	static int32_t expected[MOST];
	struct source source = { .samples = samples };
	struct pstk_network *net = pstk_network_create("filters");
	struct pstk_actor *actors[4] = { add(net, "source", 1, 1, give, &source),
		add(net, "first", 0, 2, filter_fire, NULL), add(net, "second", 0, 2, filter_fire, NULL),
		add(net, "sink", 2, 1, keep, &sink) };
	uint32_t count = expect(samples, expected);

	sink.count = 0;
	for (unsigned i = 0; i < 4; i++)
		ck_assert_int_eq(pstk_actor_set_steps(actors[i], steps[i]), 0);
	for (unsigned i = 0; i < 2; i++)
		ck_assert_int_eq(pstk_actor_map(actors[i + 1], on[i]), 0);
	for (unsigned i = 0; i < 3; i++)
		pstk_connect(actors[i], "out", actors[i + 1], "in", PSTK_FIFO(.tail = i < 2 ? TAIL : 0));
	ck_assert_int_eq(pstk_network_set_threads(net, threads), 0);
	ck_assert_msg(!pstk_network_run(net), "%s", pstk_network_error(net));
	ck_assert_uint_eq(sink.count, count);
	ck_assert_int_eq(memcmp(sink.samples, expected, count * sizeof *expected), 0);
	pstk_network_destroy(net);
}

static const char *const memories[] = { "", "svm", "map", "copy" };

START_TEST(filters)
{
	static const uint32_t steps[][4] = { { 64, 32, 16, 8 }, { 3, 1, 1, 1 }, { 100, 7, 5, 3 },
		{ 5, 50, 40, 2 } };
	static const uint32_t samples[] = { 0, 1, 5, 18, 63, 500 };
	const char *device = cl_chain_device("pthread", memories[_i]);
	char parts[2][128];

	if (!device)
		return;
	for (unsigned i = 0; i < 2; i++)
		snprintf(parts[i], sizeof parts[i], "%s/%uof2", device, i + 1);
	for (unsigned s = 0; s < TEST_COUNT(samples); s++) {
		const char *const ways[][2] = { { device, device }, { device, NULL }, { NULL, device },
			{ parts[0], parts[1] } };

		for (unsigned w = 0; w < TEST_COUNT(ways); w++) {
			test_guard("filters", s * 10 + w);
			run(ways[w], samples[s], steps[(s + w) % TEST_COUNT(steps)], (s + w) % 3);
		}
	}
}
END_TEST

/* Marks and sizes that don't fit. */
START_TEST(arguments)
{
	struct pstk_network *net = pstk_network_create("arguments");
	struct pstk_actor *a = add(net, "filter", 0, 2, filter_fire, NULL);

	ck_assert_int_eq(pstk_actor_set_arg(a, 0, sizeof(uint32_t), PSTK_ARG_STEPS), 0);
	ck_assert_int_eq(pstk_actor_set_arg(a, 0, sizeof(uint64_t), PSTK_ARG_STEPS), -EINVAL);
	TEST_SAYS(pstk_network_error(net), "'filter'", "PSTK_ARG_STEPS with 8 bytes: expected 4 bytes");
	pstk_network_destroy(net);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("steps on devices");
	TCase *test = test_case(suite, "filters");

	tcase_add_loop_test(test, filters, 0, TEST_COUNT(memories));
	tcase_add_test(test, arguments);
	return test_main(suite);
}
