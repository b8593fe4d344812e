/* SPDX-License-Identifier: MIT */
#include "actors/common/check_stream.h"
#include "actors/common/check_moving.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int give(struct pstk_firing *f)
{
	struct stream *s = pstk_actor_arg(pstk_firing_actor(f));
	size_t window = pstk_actor_port_rate(pstk_firing_actor(f), 0), left = s->count - s->next;
	size_t count = left < window ? left : window;

	if (!count)
		return PSTK_DONE;
	memcpy(pstk_fifo_write_start(f, 0), s->tokens + s->next * s->token_size, count * s->token_size);
	s->next += count;
	pstk_fifo_write_end_partial(f, 0, (uint32_t)count);
	return PSTK_AGAIN;
}

static int keep(struct pstk_firing *f)
{
	struct stream *s = pstk_actor_arg(pstk_firing_actor(f));
	const void *in = pstk_fifo_read_start(f, 0);
	size_t valid = pstk_port_valid(f, 0);

	s->tokens = realloc(s->tokens, (s->count + valid) * s->token_size);
	ck_assert_ptr_nonnull(s->tokens);
	memcpy(s->tokens + s->count * s->token_size, in, valid * s->token_size);
	s->count += valid;
	pstk_fifo_read_end(f, 0);
	return PSTK_AGAIN;
}

struct stream_way stream_way(struct test_rng *rng)
{
	struct stream_way way = { .steps = test_between(rng, 0, 9),
		.depth = test_between(rng, 1, 4),
		.tail = test_chance(rng, 60) ? 0 : test_between(rng, 1, 40),
		.threads = test_between(rng, 0, 3) };

	for (unsigned p = 0; p < STREAM_PORTS; p++) {
		way.write_rates[p] = test_between(rng, 1, 12);
		way.read_rates[p] = test_chance(rng, 50) ? 0 : test_between(rng, 1, 12);
	}
	way.aside = test_between(rng, 1, way.depth);
	return way;
}

const char *const stream_memories[STREAM_MEMORIES] = { "svm", "map", "copy", "moves", "moves copy" };

/* The PENSTOCK_MEMORY of an actor that moves; NULL: it stays. */
static const char *memory_of_moves(const char *memory)
{
	for (size_t i = 0; memory && i < MOVING_MEMORIES; i++)
		if (!strcmp(memory, stream_memories[STREAM_MEMORIES - MOVING_MEMORIES + i]))
			return moving_memories[i];
	return NULL;
}

const char *stream_device(const char *memory)
{
	static struct pstk_device_info info;
	const char *moves = memory_of_moves(memory);

	if (moves)
		return moving_device(moves, &(struct test_rng){ test_seed() });
	setenv("PENSTOCK_MEMORY", memory, 1);
	if (pstk_devices(&info, 1) > 0)
		return info.selector;
	printf("no OpenCL device\n");
	return NULL;
}

/* A device that can't be divided stands for its halves. */
static const char *choose_part(const char *device, struct test_rng *rng)
{
	static char half[80];
	struct pstk_device_info info;
	unsigned part = test_between(rng, 0, 2);

	snprintf(half, sizeof half, "%s/%uof2", device, part);
	return part && !pstk_device_find(half, &info, NULL, 0) ? half : device;
}

struct stream_way stream_way_on(const char *memory, struct test_rng *rng)
{
	const char *moves = memory_of_moves(memory);
	struct stream_way way = stream_way(rng);

	if (moves)
		way.device = moving_device(moves, rng);
	else if (memory)
		way.device = stream_device(memory);
	if (moving_is(way.device))
		way.steps = 1; /* many firings */
	else if (way.device)
		way.device = choose_part(way.device, rng);
	return way;
}

static void join(struct stream_run *run, struct pstk_network *net, struct pstk_actor *tested, unsigned port,
	unsigned *ins, unsigned *outs)
{
	static const struct pstk_port in = { .name = "in", .kind = PSTK_INPUT },
				      out = { .name = "out", .kind = PSTK_OUTPUT };
	const struct pstk_port *p = &pstk_actor_get_type(tested)->ports[port];
	bool input = p->kind == PSTK_INPUT;
	unsigned i = input ? (*ins)++ : (*outs)++;
	struct stream *s = input ? &run->in[i] : &run->out[i];
	char name[16] = { input ? 'i' : 'o', (char)('0' + i) };
	struct pstk_actor *other = pstk_network_add(net, name,
		PSTK_ACTOR_TYPE(.name = input ? "give" : "keep", .ports = input ? &out : &in, .port_count = 1,
			.fire = input ? give : keep),
		s);

	if (input)
		pstk_connect(other, "out", tested, p->name,
			PSTK_FIFO(.write_rate = run->way.write_rates[i], .depth = run->way.depth,
				.token_size = s->token_size, .tail = run->way.tail));
	else
		pstk_connect(tested, p->name, other, "in",
			PSTK_FIFO(.read_rate = run->way.read_rates[i], .depth = run->way.depth,
				.token_size = s->token_size));
}

static struct pstk_network *build(struct stream_run *run, stream_add add, const void *data)
{
	struct pstk_network *net = pstk_network_create("streams");
	struct pstk_actor *tested = add(net, data);
	unsigned ins = 0, outs = 0;

	for (unsigned p = 0; tested && p < pstk_actor_get_type(tested)->port_count; p++)
		join(run, net, tested, p, &ins, &outs);
	if (tested && run->way.steps)
		pstk_actor_set_steps(tested, run->way.steps);
	else
		pstk_network_set_flags(net, PSTK_STEPS_AUTO);
	pstk_network_set_threads(net, run->way.threads);
	if (tested && run->way.device)
		moving_map(tested, run->way.device);
	if (tested && run->way.aside > 1 && (!run->way.device || moving_is(run->way.device)))
		pstk_actor_set_concurrency(tested, run->way.aside); /* a device takes firings in turn */
	return net;
}

static struct pstk_network *begin(struct stream_run *run, stream_add add, const void *data)
{
	for (unsigned p = 0; p < STREAM_PORTS; p++) {
		run->in[p].next = run->out[p].count = 0;
		run->out[p].tokens = NULL;
	}
	return build(run, add, data);
}

void stream_run(struct stream_run *run, stream_add add, const void *data)
{
	struct pstk_network *net = begin(run, add, data);

	ck_assert_msg(!pstk_network_run(net), "%s", pstk_network_error(net));
	moving_check(net);
	pstk_network_destroy(net);
}

void stream_fails(struct stream_run *run, stream_add add, const void *data, int err, const char *const *words,
	size_t count)
{
	struct pstk_network *net = begin(run, add, data);

	ck_assert_int_eq(pstk_network_run(net), err);
	test_says(pstk_network_error(net), words, count);
	pstk_network_destroy(net);
}

void stream_free(struct stream_run *run)
{
	for (unsigned p = 0; p < STREAM_PORTS; p++) {
		free(run->out[p].tokens);
		run->out[p].tokens = NULL;
	}
}

void stream_check(
	const struct stream_run *run, unsigned port, const void *tokens, size_t count, uint64_t seed)
{
	const struct stream *s = &run->out[port];
	const unsigned char *expected = tokens;

	ck_assert_msg(s->count == count, "PENSTOCK_TEST_SEED=%llu: port %u: %zu tokens, not %zu",
		(unsigned long long)seed, port, s->count, count);
	for (size_t i = 0; i < count; i++)
		ck_assert_msg(
			!memcmp(s->tokens + i * s->token_size, expected + i * s->token_size, s->token_size),
			"PENSTOCK_TEST_SEED=%llu: port %u: token %zu of %zu differs",
			(unsigned long long)seed, port, i, count);
}

static void refuses(
	stream_add add, const void *data, size_t out, int err, const char *const *words, size_t count)
{
	struct stream_run run = { .way = { .steps = 1, .depth = 1 } };
	struct pstk_network *net;

	for (unsigned p = 0; p < STREAM_PORTS; p++) {
		run.in[p].token_size = 8;
		run.out[p].token_size = out;
	}
	net = build(&run, add, data);
	ck_assert_int_eq(pstk_network_run(net), err);
	test_says(pstk_network_error(net), words, count);
	pstk_network_destroy(net);
}

void stream_refuses(stream_add add, const void *data, int err, const char *const *words, size_t count)
{
	refuses(add, data, 8, err, words, count);
}

void stream_refuses_sizes(stream_add add, const void *data)
{
	static const char *const words[] = { "'tested'", "has tokens of ", "give both one token size" };

	refuses(add, data, 4, -EINVAL, words, TEST_COUNT(words));
}
