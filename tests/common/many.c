/* SPDX-License-Identifier: MIT */
#include "tests/common/many.h"

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void check(struct pstk_firing *f, struct many_actor *m, uint64_t value)
{
	uint64_t k = pstk_firing_index(f);

	if (value != m->base + m->step * k)
		atomic_fetch_add(&m->wrong, 1);
	for (uint64_t n = m->many->delay ? test_mix(m->many->seed ^ test_mix(k ^ (uint64_t)m->index << 40)) %
	                                           (m->many->delay + 1)
	                                 : 0;
		n; n--)
		sched_yield();
}

static int fire(struct pstk_firing *f)
{
	struct many_actor *m = pstk_actor_arg(pstk_firing_actor(f));
	uint64_t value = m->index ? m->index : pstk_firing_index(f), *out;

	if (!m->index && value == m->many->ends)
		return PSTK_DONE;
	for (unsigned p = 0; p < m->inputs; p++) {
		const uint64_t *in = pstk_fifo_read_start(f, p);

		if (!in) /* a kahn actor's end */
			return PSTK_DONE;
		value += *in;
		pstk_fifo_read_end(f, p);
	}
	check(f, m, value);
	if (m->is_read) {
		out = pstk_fifo_write_start(f, m->inputs);
		if (!out)
			return PSTK_DONE;
		*out = value;
		pstk_fifo_write_end(f, m->inputs);
	}
	return PSTK_AGAIN;
}

static void choose_inputs(struct many_actor *m, enum many_shape shape, struct test_rng *rng)
{
	unsigned i = m->index;

	m->inputs = i > 0;
	if (!i)
		return;
	switch (shape) {
	case MANY_CHAIN:
		m->from[0] = i - 1;
		break;
	case MANY_TREE:
		m->from[0] = (i - 1) / 2;
		break;
	case MANY_RANDOM:
		m->inputs = test_between(rng, 1, 2);
		for (unsigned p = 0; p < m->inputs; p++)
			m->from[p] = test_between(rng, i > 20 ? i - 20 : 0, i - 1);
		break;
	default:
		m->from[0] = 0;
	}
}

static void choose(struct many *many, enum many_shape shape, unsigned kinds, struct test_rng *rng)
{
	for (unsigned i = 0; i < many->count; i++) {
		struct many_actor *m = &many->actors[i];

		m->many = many;
		m->index = i;
		choose_inputs(m, shape, rng);
		m->base = i;
		m->step = !i;
		for (unsigned p = 0; p < m->inputs; p++) {
			many->actors[m->from[p]].is_read = true;
			m->base += many->actors[m->from[p]].base;
			m->step += many->actors[m->from[p]].step;
		}
		if (kinds && test_chance(rng, 50))
			m->kinds = 1u << test_between(rng, 0, 3) & kinds;
		if (!i) /* the one that counts */
			m->kinds &= ~(unsigned)MANY_STATELESS;
	}
}

static void add(struct many *many, struct many_actor *m)
{
	struct pstk_port ports[3] = { 0 };
	static const char *const names[] = { "a", "b" };
	char name[16];
	unsigned count = 0;

	for (; count < m->inputs; count++)
		ports[count] = (struct pstk_port){
			.name = names[count], .kind = PSTK_INPUT, .token_size = sizeof(uint64_t)
		};
	if (m->is_read)
		ports[count++] = (struct pstk_port){
			.name = "out", .kind = PSTK_OUTPUT, .token_size = sizeof(uint64_t)
		};
	snprintf(name, sizeof name, "m%u", m->index);
	m->actor = pstk_network_add(many->net, name,
		PSTK_ACTOR_TYPE(.name = "many", .ports = ports, .port_count = count, .fire = fire,
			.stateless = m->kinds & MANY_STATELESS, .blocks = m->kinds & MANY_BLOCKS,
			.kahn = m->kinds & MANY_KAHN),
		m);
	ck_assert_ptr_nonnull(m->actor);
	if (m->kinds & MANY_PINNED)
		ck_assert_int_eq(pstk_actor_pin(m->actor, test_core(m->index)), 0);
}

void many_build(struct many *many, enum many_shape shape, unsigned count, unsigned kinds, unsigned threads,
	uint32_t depth)
{
	struct test_rng rng = { many->seed };

	many->count = count;
	many->actors = calloc(count, sizeof *many->actors);
	many->net = pstk_network_create("many");
	ck_assert_ptr_nonnull(many->actors);
	ck_assert_int_eq(pstk_network_set_threads(many->net, threads), 0);
	choose(many, shape, kinds, &rng);
	for (unsigned i = 0; i < count; i++)
		add(many, &many->actors[i]);
	for (unsigned i = 0; i < count; i++)
		for (unsigned p = 0; p < many->actors[i].inputs; p++)
			ck_assert_ptr_nonnull(pstk_connect(many->actors[many->actors[i].from[p]].actor, "out",
				many->actors[i].actor, p ? "b" : "a",
				PSTK_FIFO(.rate = 1, .depth = depth, .token_size = sizeof(uint64_t))));
}

void many_free(struct many *many)
{
	pstk_network_destroy(many->net);
	free(many->actors);
}

uint64_t many_firings(const struct many *many, unsigned index)
{
	struct pstk_actor_stats stats;

	ck_assert_int_eq(pstk_actor_get_stats(many->actors[index].actor, &stats), 0);
	return stats.firings;
}

uint64_t many_wrong(const struct many *many)
{
	uint64_t wrong = 0;

	for (unsigned i = 0; i < many->count; i++)
		wrong += atomic_load(&many->actors[i].wrong);
	return wrong;
}

void many_check(const struct many *many, uint64_t firings)
{
	struct pstk_fifo_info info;

	ck_assert_uint_eq(many_wrong(many), 0);
	for (unsigned i = 0; i < many->count; i++) {
		uint64_t n = many_firings(many, i);

		/* the source's last firing gives nothing, nor does a kahn actor's, which finds the end */
		ck_assert_uint_ge(n, firings);
		ck_assert_uint_le(n, firings + (!i || many->actors[i].kinds & MANY_KAHN ? 2 : 0));
	}
	for (unsigned k = 0; pstk_network_fifo(many->net, k); k++) {
		ck_assert_int_eq(pstk_fifo_get_info(pstk_network_fifo(many->net, k), &info), 0);
		ck_assert_uint_eq(info.written, firings);
		ck_assert_uint_eq(info.read, firings);
	}
}
