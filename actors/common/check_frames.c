/* SPDX-License-Identifier: MIT */
#include "actors/common/check_frames.h"
#include "actors/common/check_moving.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

int frame_source_fire(struct pstk_firing *f)
{
	struct pstk_actor *self = pstk_firing_actor(f);
	struct frame_stream *s = pstk_actor_arg(self);
	size_t left = s->count - s->next, rate = s->rate, n = left < rate ? left : rate;
	uint8_t *window = pstk_fifo_write_start(f, 0);

	memset(window, 0xa5, rate * s->token_size);
	memcpy(window, s->tokens + s->next * s->token_size, n * s->token_size);
	s->next += n;
	if (n)
		pstk_fifo_write_end_partial(f, 0, (uint32_t)n);
	return s->next < s->count ? PSTK_AGAIN : PSTK_DONE;
}

int frame_sink_fire(struct pstk_firing *f)
{
	struct frame_stream *s = pstk_actor_arg(pstk_firing_actor(f));
	size_t n = pstk_port_valid(f, 0);

	if (n > s->room - s->count)
		return pstk_actor_error(pstk_firing_actor(f), -EOVERFLOW, "more tokens than expected");
	memcpy(s->tokens + s->count * s->token_size, pstk_fifo_read_start(f, 0), n * s->token_size);
	s->count += n;
	pstk_fifo_read_end(f, 0);
	return PSTK_AGAIN;
}

void frame_run_init(struct frame_run *run, const struct pstk_actor_type *type, void *arg, size_t token_size,
	uint32_t rate)
{
	memset(run, 0, sizeof *run);
	run->type = type;
	run->arg = arg;
	for (unsigned i = 0; i < FRAME_INPUTS; i++) {
		run->in[i].token_size = token_size;
		run->in[i].rate = rate;
	}
	run->out.token_size = token_size;
	run->out.rate = rate;
}

static void connect(struct pstk_actor *src, const char *out, struct pstk_actor *dst, const char *in,
	const struct frame_stream *s)
{
	pstk_connect(src, out, dst, in,
		PSTK_FIFO(.rate = s->rate, .token_size = s->token_size, .delay = s->delay));
}

int frame_run(struct frame_run *run)
{
	static const struct pstk_port out = { .name = "out", .kind = PSTK_OUTPUT }, in = { .name = "in" };
	static const char *const names[FRAME_INPUTS] = { "source", "other source" };
	struct pstk_network *net = pstk_network_create("frames");
	struct pstk_actor *actor = pstk_network_add(net, "tested", run->type, run->arg), *source, *sink;
	int err;

	for (unsigned p = 0; p + 1 < run->type->port_count; p++) {
		source = pstk_network_add(net, names[p],
			PSTK_ACTOR_TYPE(.name = "source", .ports = &out, .port_count = 1,
				.fire = frame_source_fire),
			&run->in[p]);
		connect(source, "out", actor, run->type->ports[p].name, &run->in[p]);
	}
	sink = pstk_network_add(net, "sink",
		PSTK_ACTOR_TYPE(.name = "sink", .ports = &in, .port_count = 1, .fire = frame_sink_fire),
		&run->out);
	connect(actor, "out", sink, "in", &run->out);
	if (run->device)
		moving_map(actor, run->device);
	err = pstk_network_run(net);
	snprintf(run->error, sizeof run->error, "%s", pstk_network_error(net));
	if (!err)
		moving_check(net);
	pstk_network_destroy(net);
	return err;
}

TEST_ONE_THREAD uint8_t *frame_tokens(struct test_rng *rng, size_t token_size, size_t count)
{
	size_t bytes = token_size * count;
	uint8_t *tokens = malloc(bytes ? bytes : 1);

	ck_assert_ptr_nonnull(tokens);
	for (size_t i = 0; i < bytes; i++) {
		uint8_t r = (uint8_t)test_random(rng);
		const uint8_t of[] = { 0, 255, r & 1 ? 255 : 0 };
		size_t token = i / token_size;

		tokens[i] = token < sizeof of ? of[token] : r;
	}
	return tokens;
}

struct frame_case {
	const struct pstk_actor_type *type;
	struct pstk_frame_size size;
	const uint8_t *tokens, *expected;
	size_t count;
	const char *device;
};

static void run_case(const struct frame_case *c, uint32_t rate)
{
	struct pstk_frame_size size = c->size;
	size_t bytes = (size_t)size.width * size.height;
	struct frame_run run;

	frame_run_init(&run, c->type, &size, bytes, rate);
	run.in[0].tokens = (uint8_t *)c->tokens;
	run.in[0].count = c->count;
	run.device = c->device;
	run.out.room = c->count;
	run.out.tokens = malloc(bytes * c->count);
	ck_assert_ptr_nonnull(run.out.tokens);
	ck_assert_msg(frame_run(&run) == 0, "%ux%u, rate %u: %s", size.width, size.height, rate, run.error);
	ck_assert_uint_eq(run.out.count, c->count);
	for (size_t i = 0; i < bytes * c->count; i++)
		if (run.out.tokens[i] != c->expected[i])
			ck_abort_msg("%ux%u, rate %u, frame %zu, x %zu, y %zu: %u, not %u", size.width,
				size.height, rate, i / bytes, i % bytes % size.width, i % bytes / size.width,
				run.out.tokens[i], c->expected[i]);
	free(run.out.tokens);
}

/* device: of the first rates only, which have many firings. */
static void check_size(const struct pstk_actor_type *type, frame_expect expect, struct test_rng *rng,
	struct pstk_frame_size size, const char *device)
{
	static const uint32_t rates[] = { 1, 2, 3, 4, 8, 16 };
	size_t bytes = (size_t)size.width * size.height, count = bytes > 10000 ? 5 : 19;
	uint8_t *tokens = frame_tokens(rng, bytes, count), *expected = malloc(bytes * count);
	struct frame_case c = { type, size, tokens, expected, count, device };

	ck_assert_ptr_nonnull(expected);
	for (size_t i = 0; i < count; i++)
		expect(expected + i * bytes, tokens + i * bytes, (int)size.width, (int)size.height);
	for (size_t i = 0; i < (device ? 3 : TEST_COUNT(rates)); i++)
		run_case(&c, rates[i]);
	c.count = 16; /* every rate but 3 divides it: the last window is full */
	if (count > c.count)
		run_case(&c, 4);
	free(tokens);
	free(expected);
}

void frame_check_filter(const struct pstk_actor_type *type, frame_expect expect)
{
	static const struct pstk_frame_size sizes[] = { { 320, 240 }, { 768, 576 }, { 321, 243 }, { 16, 5 },
		{ 5, 5 }, { 1, 1 }, { 1, 7 }, { 7, 1 }, { 2, 2 }, { 3, 3 }, { 4, 4 }, { 5, 6 }, { 2, 9 },
		{ 9, 2 }, { 1023, 6 }, { 1024, 7 }, { 1025, 5 }, { 1026, 8 }, { 1027, 6 }, { 2051, 7 } };
	struct test_rng rng = { test_seed() };

	for (size_t i = 0; i < TEST_COUNT(sizes); i++) {
		test_guard("a size", test_seed());
		check_size(type, expect, &rng, sizes[i], NULL);
	}
	for (uint64_t i = 0; i < test_rounds(30); i++) {
		struct pstk_frame_size size = { test_between(&rng, 1, 90), test_between(&rng, 1, 40) };

		test_guard("a random size", test_seed());
		check_size(type, expect, &rng, size, NULL);
	}
}

void frame_check_moves(const struct pstk_actor_type *type, frame_expect expect, const char *memory)
{
	static const struct pstk_frame_size sizes[] = { { 96, 72 }, { 67, 63 }, { 5, 5 }, { 1025, 6 } };
	struct test_rng rng = { test_seed() };

	for (size_t i = 0; i < TEST_COUNT(sizes); i++) {
		const char *device = moving_device(memory, &rng);

		if (!device)
			return;
		test_guard("moves", test_seed());
		check_size(type, expect, &rng, sizes[i], device);
	}
}

void frame_check_refusals(const struct pstk_actor_type *type)
{
	struct pstk_frame_size size = { 8, 6 };
	struct frame_run run;

	frame_run_init(&run, type, &size, 47, 1);
	ck_assert_int_eq(frame_run(&run), -EINVAL);
	TEST_SAYS(run.error, "'tested'", type->name, "'in'", "47", "8 x 6", "48", "token size");

	frame_run_init(&run, type, &size, 48, 1);
	run.out.token_size = 96;
	ck_assert_int_eq(frame_run(&run), -EINVAL);
	TEST_SAYS(run.error, "'tested'", "'in'", "48", "'out'", "96", "one token size");

	frame_run_init(&run, type, &size, 48, 2);
	run.out.rate = 3;
	ck_assert_int_eq(frame_run(&run), -EINVAL);
	TEST_SAYS(run.error, "'tested'", "port 'out' moves 1 token a step", "'in'", "gives it 2",
		"gives it 3: give it 2");

	size.height = 0;
	frame_run_init(&run, type, &size, 48, 2);
	ck_assert_int_eq(frame_run(&run), -ERANGE);
	TEST_SAYS(run.error, "'tested'", "height", "1..");

	frame_run_init(&run, type, NULL, 48, 2); /* there is no default size */
	ck_assert_int_eq(frame_run(&run), -EINVAL);
	TEST_SAYS(run.error, "'tested'", "width");

	/* no 32-bit product: 65536 x 65537 is 65536 there */
	size = (struct pstk_frame_size){ 65536, 65537 };
	frame_run_init(&run, type, &size, 65536, 1);
	ck_assert_int_eq(frame_run(&run), -EINVAL);
	TEST_SAYS(run.error, "65536 x 65537", "4295032832");
}
