/* SPDX-License-Identifier: MIT */
#include "tests/opencl/row_line.h"
#include "tests/common/common.h"

#include <penstock/pipeline.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { ITEMS = 40, TOKEN_MOST = 40000 };

/*
 * The stages.
 */

#define KERNEL "row_line_add"

static const struct pstk_kernel kernel = { .name = KERNEL,
	.source = "__kernel void " KERNEL "(__global const uchar *in, __global uchar *out, ulong firing)\n"
		  "{ size_t i = get_global_id(0); out[i] = (uchar)(in[i] + 1); }\n" };

static void add(const unsigned char *in, unsigned char *out, size_t bytes)
{
	for (size_t i = 0; i < bytes; i++)
		out[i] = (unsigned char)(in[i] + 1);
}

static void run_kernel(const struct fake_cl_launch *l)
{
	add(l->arg[0], l->arg[1], l->global[0]);
}

void row_line_kernel(const struct fake_cl *fake)
{
	static const struct fake_cl_arg args[] = { FAKE_CL_IN("in", "uchar"), FAKE_CL_OUT("out", "uchar"),
		FAKE_CL_VALUE("firing", "ulong", 8) };
	static const struct fake_cl_kernel is = {
		.name = KERNEL, .args = args, .arg_count = TEST_COUNT(args), .run = run_kernel
	};

	ck_assert_int_eq(fake->add_kernel(&is), 0);
}

static int init(struct pstk_actor *self)
{
	size_t bytes = (size_t)pstk_actor_port_rate(self, 0) * pstk_actor_port_token_size(self, 0);

	return pstk_actor_set_work_size(self, 1, &bytes, NULL);
}

static int fire(struct pstk_firing *f)
{
	size_t size = pstk_actor_port_token_size(pstk_firing_actor(f), 0);
	const unsigned char *in = pstk_fifo_read_start(f, 0);
	unsigned char *out = pstk_fifo_write_start(f, 1);

	add(in, out, size * pstk_port_valid(f, 0));
	pstk_fifo_read_end(f, 0);
	pstk_fifo_write_end(f, 1);
	return PSTK_AGAIN;
}

/*
 * The ends.
 */

static struct row_line *line_of(struct pstk_firing *f)
{
	return *(struct row_line **)pstk_actor_arg(pstk_firing_actor(f));
}

/* The last window is not full, but where it has one token. */
static uint64_t all_tokens(const struct row_line *line)
{
	return (uint64_t)ITEMS * line->rate - line->rate / 2;
}

static unsigned char value(uint64_t token, size_t i)
{
	return (unsigned char)test_mix(token * 8191 + i / 8);
}

static void put(const struct row_line *line, unsigned char *to, uint64_t token)
{
	for (size_t i = 0; i < line->token_size; i++)
		to[i] = value(token, i);
}

static int source_fire(struct pstk_firing *f)
{
	struct row_line *line = line_of(f);
	unsigned char *out = pstk_fifo_write_start(f, 0);
	uint32_t n = 0;

	for (; n < line->rate && line->next < all_tokens(line); n++)
		put(line, out + (size_t)n * line->token_size, line->next++);
	pstk_fifo_write_end_partial(f, 0, n);
	return line->next < all_tokens(line) ? PSTK_AGAIN : PSTK_DONE;
}

static int source_kahn(struct pstk_firing *f)
{
	static unsigned char token[TOKEN_MOST];
	struct row_line *line = line_of(f);

	put(line, token, line->next++);
	if (pstk_fifo_write(f, 0, token, 1) != 1)
		return pstk_actor_error(pstk_firing_actor(f), -EPROTO, "the token was not taken");
	return line->next < all_tokens(line) ? PSTK_AGAIN : PSTK_DONE;
}

/* Zeros of the FIFO from the pipeline, those that have gone through it, then what the source has written. */
static int check(struct pstk_firing *f, const struct row_line *line, uint64_t at, const unsigned char *token)
{
	for (size_t i = 0; i < line->token_size; i++) {
		unsigned char is =
			at < line->delay ? 0
			: at < 2 * line->delay
				? ROW_LINE_STAGES
				: (unsigned char)(value(at - 2 * line->delay, i) + ROW_LINE_STAGES);

		if (token[i] != is)
			return pstk_actor_error(pstk_firing_actor(f), -EPROTO,
				"token %llu: byte %zu is %u, not %u", (unsigned long long)at, i, token[i],
				is);
	}
	return 0;
}

static unsigned number_of(struct pstk_firing *f)
{
	return !strcmp(pstk_actor_name(pstk_firing_actor(f)), "sink1");
}

static int sink_fire(struct pstk_firing *f)
{
	struct row_line *line = line_of(f);
	const unsigned char *in = pstk_fifo_read_start(f, 0);
	int err = 0;

	for (uint32_t n = 0; n < pstk_port_valid(f, 0) && !err; n++)
		err = check(f, line, line->came[number_of(f)]++, in + (size_t)n * line->token_size);
	pstk_fifo_read_end(f, 0);
	return err ? err : PSTK_AGAIN;
}

static int sink_kahn(struct pstk_firing *f)
{
	static unsigned char tokens[3 * TOKEN_MOST];
	struct row_line *line = line_of(f);
	int n = pstk_fifo_read(f, 0, tokens, 3), err = 0;

	for (int i = 0; i < n && !err; i++)
		err = check(f, line, line->came[0]++, tokens + (size_t)i * line->token_size);
	return err ? err : n == 3 ? PSTK_AGAIN : PSTK_DONE;
}

/*
 * The network.
 */

static const struct pstk_port ports[] = { { .name = "in", .kind = PSTK_INPUT },
	{ .name = "out", .kind = PSTK_OUTPUT } };

static struct pstk_actor *add_end(struct row_line *line, const char *name, bool source)
{
	return pstk_network_add(line->net, name,
		PSTK_ACTOR_TYPE(.name = "end", .ports = &ports[source], .port_count = 1, .kahn = line->kahn,
			.fire = source       ? line->kahn ? source_kahn : source_fire
	                        : line->kahn ? sink_kahn
	                                     : sink_fire,
			.arg_size = sizeof line),
		&line);
}

static void connect(
	const struct row_line *line, struct pstk_actor *from, struct pstk_actor *to, uint32_t delay)
{
	pstk_connect(from, "out", to, "in",
		PSTK_FIFO(.rate = line->rate, .token_size = line->token_size, .delay = delay));
}

static struct pstk_pipeline *build(struct row_line *line)
{
	struct pstk_actor *source, *stages[ROW_LINE_STAGES];

	line->next = line->came[0] = line->came[1] = 0;
	line->net = pstk_network_create("line");
	source = add_end(line, "source", true);
	for (unsigned k = 0; k < ROW_LINE_STAGES; k++)
		stages[k] = pstk_network_add(line->net, k ? "second" : "first",
			PSTK_ACTOR_TYPE(.name = "add", .ports = ports, .port_count = 2, .stateless = true,
				.init = init, .fire = fire, .kernel = &kernel),
			NULL);
	connect(line, source, stages[0], line->delay);
	connect(line, stages[0], stages[1], 0);
	connect(line, stages[1], add_end(line, "sink0", false), line->delay);
	if (line->two_sinks)
		connect(line, stages[1], add_end(line, "sink1", false), line->delay);
	if (line->threads)
		ck_assert_int_eq(pstk_network_set_threads(line->net, line->threads), 0);
	return pstk_pipeline_add(line->net, "adds", stages, ROW_LINE_STAGES,
		PSTK_PIPELINE(.device = line->device, .configuration = line->configuration, .cores = 1));
}

void row_line_run(struct row_line *line)
{
	struct pstk_pipeline *pipeline = build(line);
	struct pstk_pipeline_report *report;
	uint64_t all = all_tokens(line) + 2 * (uint64_t)line->delay;

	ck_assert_msg(!pstk_network_run(line->net), "%s, %u of %u bytes: %s", line->configuration, line->rate,
		line->token_size, pstk_network_error(line->net));
	for (unsigned i = 0; i < 1u + line->two_sinks; i++)
		ck_assert_uint_eq(line->came[i], all);
	report = pstk_pipeline_get_report(pipeline);
	ck_assert_ptr_nonnull(report);
	line->to_device = report->bytes_to_device;
	line->to_host = report->bytes_to_host;
	line->on_device = report->on_device;
	for (unsigned k = 0; k < ROW_LINE_STAGES; k++)
		line->device_s[k] = report->stages[k].device;
	pstk_pipeline_free_report(report);
	pstk_network_destroy(line->net);
}

/*
 * What is copied.
 */

static void expect_nothing(struct row_line *line)
{
	row_line_run(line);
	ck_assert_msg(!line->to_device && !line->to_host,
		"%s, %u of %u bytes: %llu bytes copied to the device, %llu from there", line->configuration,
		line->rate, line->token_size, (unsigned long long)line->to_device,
		(unsigned long long)line->to_host);
}

void row_line_sizes(const char *device)
{
	static const uint32_t sizes[][2] = { { 1, 40000 }, { 5, 8000 }, { 1000, 4 }, { 1, 1 }, { 129, 1 },
		{ 1, 129 }, { 2, 64 } };
	static const struct {
		const char *configuration;
		unsigned mask; /* bit k: stage k is on the device */
	} cases[] = { { "CG:11:1", 3 }, { "CG:11:2", 3 }, { "CG:10:2", 1 }, { "CG:01:1", 2 }, { "MG:01", 2 },
		{ "MG:11", 3 }, { "CG:00:2", 0 } };

	for (unsigned i = 0; i < TEST_COUNT(sizes); i++)
		for (unsigned k = 0; k < TEST_COUNT(cases); k++) {
			struct row_line line = { .device = device,
				.configuration = cases[k].configuration,
				.rate = sizes[i][0],
				.token_size = sizes[i][1] };

			expect_nothing(&line);
			ck_assert_int_eq(line.on_device > 0, cases[k].mask > 0);
			for (unsigned s = 0; s < ROW_LINE_STAGES; s++)
				ck_assert_int_eq(line.device_s[s] > 0, cases[k].mask >> s & 1);
		}
}

void row_line_kinds(const char *device)
{
	static const struct row_line kinds[] = {
		{ .rate = 3, .token_size = 43, .delay = 3 },
		{ .rate = 1, .token_size = 5, .delay = 4 },
		{ .rate = 1, .token_size = 5, .kahn = true },
		{ .rate = 7, .token_size = 5, .kahn = true },
		{ .rate = 1, .token_size = 40000, .threads = 2 },
		{ .rate = 3, .token_size = 1667, .threads = 1, .delay = 3 },
	};
	static const char *const configurations[] = { "CG:11:1", "CG:10:2", "MG:01" };

	for (unsigned i = 0; i < TEST_COUNT(kinds); i++)
		for (unsigned k = 0; k < TEST_COUNT(configurations); k++) {
			struct row_line line = kinds[i];

			line.device = device;
			line.configuration = configurations[k];
			expect_nothing(&line);
		}
}

void row_line_copies(const char *device)
{
	struct row_line part = {
		.device = device, .configuration = "CG:11:1", .rate = 3, .token_size = 43, .delay = 1
	};
	struct row_line shared = {
		.device = device, .configuration = "CG:11:1", .rate = 128, .token_size = 1, .two_sinks = true
	};

	row_line_run(&part);
	ck_assert_uint_gt(part.to_device, 0);
	ck_assert_uint_gt(part.to_host, 0);
	row_line_run(&shared);
	ck_assert_uint_eq(shared.to_device, 0);
	ck_assert_uint_gt(shared.to_host, 0);
}
