/* SPDX-License-Identifier: MIT */
/*
 * Decisions: an actor of many dynamic outputs, each into a sink of its own. What each sink gets, which ports fire()
 * sees on, and the lists that firings go by, against a set of ports that is asked port by port.
 */
#include "lib/firing/decision.h"
#include "lib/firing/task.h"
#include "penstock/penstock.h"
#include "tests/common/common.h"

#include <stdio.h>
#include <string.h>

enum { MOST = 200, VALUES = 24, FIRINGS = 64 };

/* Each set is that of two values; of value 0 and 1 it is empty, of the last two it is all. */
static bool is_on(uint32_t value, unsigned output)
{
	uint64_t h = (uint64_t)(value / 2) * 0x9e3779b97f4a7c15u + output * 0xbf58476d1ce4e5b9u;

	h ^= h >> 31;
	h *= 0x94d049bb133111ebu;
	return value >= VALUES - 2 || (value >= 2 && h >> 63);
}

struct many {
	unsigned outputs, first; /* dynamic ones; the first of their ports: behind the control port, or not */
	uint32_t values[FIRINGS];
	unsigned asked; /* control() in all */
	unsigned fired, wrong;
	uint64_t got[MOST]; /* windows, by output */
};

static int conf_fire(struct pstk_firing *f)
{
	const struct many *m = pstk_actor_arg(pstk_firing_actor(f));
	uint64_t i = pstk_firing_index(f);

	*(uint32_t *)pstk_fifo_write_start(f, 0) = m->values[i];
	pstk_fifo_write_end(f, 0);
	return i + 1 < FIRINGS ? PSTK_AGAIN : PSTK_DONE;
}

static int drain_fire(struct pstk_firing *f)
{
	uint64_t *got = pstk_actor_arg(pstk_firing_actor(f));

	pstk_fifo_read_start(f, 0);
	pstk_fifo_read_end(f, 0);
	++*got;
	return PSTK_AGAIN;
}

static const struct pstk_port conf_port = { .name = "out", .kind = PSTK_OUTPUT },
			      drain_port = { .name = "in", .kind = PSTK_INPUT };

static int many_control(struct pstk_firing *f, uint32_t value)
{
	struct many *m = pstk_actor_arg(pstk_firing_actor(f));

	m->asked++;
	for (unsigned o = 0; o < m->outputs; o++) {
		pstk_port_enable(f, m->first + o, is_on(value, o));
		m->wrong += pstk_port_enabled(f, m->first + o) != is_on(value, o);
	}
	return 0;
}

static int many_fire(struct pstk_firing *f)
{
	struct many *m = pstk_actor_arg(pstk_firing_actor(f));
	uint32_t value = m->values[pstk_firing_index(f)];

	m->fired++;
	for (unsigned o = 0; o < m->outputs; o++) {
		bool on = pstk_port_enabled(f, m->first + o);

		m->wrong += on != is_on(value, o) || pstk_port_valid(f, m->first + o) != on;
		if (!on)
			continue;
		*(char *)pstk_fifo_write_start(f, m->first + o) = 0;
		pstk_fifo_write_end(f, m->first + o);
	}
	return PSTK_AGAIN;
}

static struct pstk_actor *add_many(struct pstk_network *net, struct many *m, bool declared)
{
	struct pstk_port ports[MOST + 1] = { 0 };
	char names[MOST][16];
	unsigned control = m->first ? 0 : m->outputs;
	struct pstk_actor *a;

	ports[control] = (struct pstk_port){ .name = "ctl", .kind = PSTK_CONTROL };
	for (unsigned o = 0; o < m->outputs; o++) {
		snprintf(names[o], sizeof names[o], "o%u", o);
		ports[m->first + o] = (struct pstk_port){ .name = names[o], .kind = PSTK_DYNAMIC_OUTPUT };
	}
	a = pstk_network_add(net, "many",
		PSTK_ACTOR_TYPE(.name = "many", .ports = ports, .port_count = m->outputs + 1,
			.control_values = declared ? VALUES : 0, .control = many_control, .fire = many_fire),
		m);
	for (unsigned o = 0; o < m->outputs; o++) {
		struct pstk_actor *d = pstk_network_add(net, names[o],
			PSTK_ACTOR_TYPE(.name = "drain", .ports = &drain_port, .port_count = 1,
				.fire = drain_fire),
			&m->got[o]);

		pstk_connect(a, names[o], d, "in", PSTK_FIFO(.rate = 1, .token_size = 1));
	}
	return a;
}

/* The lists of a value's decision, by its set. */
static void expect_lists(const struct ps_task *t, const struct many *m, uint32_t value)
{
	const struct ps_decision *d = t->decided[value];
	unsigned count = 0;

	ck_assert_ptr_eq(d, t->decided[value / 2 * 2]);
	for (unsigned o = 0; o < m->outputs; o++) {
		ck_assert_int_eq(ps_mask_has(d->mask, m->first + o), is_on(value, o));
		if (!is_on(value, o))
			continue;
		ck_assert_uint_eq(d->ports[count], m->first + o);
		ck_assert_uint_eq(d->terms[count]->port, m->first + o);
		ck_assert(d->terms[count++]->writer);
	}
	ck_assert_uint_eq(d->port_count, count);
	ck_assert_uint_eq(d->term_count, count);
}

/* Masks of less than a word, of whole words, of more. */
static const unsigned outputs[] = { 1, 2, 62, 63, 64, 65, 127, 128, MOST };

START_TEST(many_ports)
{
	struct many m = { .outputs = outputs[_i / 4], .first = _i & 1 };
	bool declared = !(_i & 2);
	struct test_rng rng = { test_seed() + (uint64_t)_i };
	struct pstk_network *net = pstk_network_create("many");
	struct pstk_actor *a, *c;
	unsigned fired = 0;

	for (unsigned k = 0; k < FIRINGS; k++)
		m.values[k] = test_between(&rng, 0, VALUES - 1);
	c = pstk_network_add(net, "conf",
		PSTK_ACTOR_TYPE(.name = "conf", .ports = &conf_port, .port_count = 1, .fire = conf_fire), &m);
	a = add_many(net, &m, declared);
	pstk_connect(c, "out", a, "ctl", PSTK_FIFO(.rate = 1, .token_size = 4));
	ck_assert_int_eq(pstk_network_start(net), 0);
	for (uint32_t value = 0; declared && value < VALUES; value++)
		expect_lists(a->task, &m, value);
	ck_assert_int_eq(pstk_network_wait(net), 0);
	for (unsigned k = 0; k < FIRINGS; k++) {
		bool any = false;

		for (unsigned o = 0; o < m.outputs; o++)
			any |= is_on(m.values[k], o);
		fired += any;
	}
	ck_assert_uint_eq(m.fired, fired);
	ck_assert_uint_eq(m.wrong, 0);
	ck_assert_uint_eq(m.asked, declared ? VALUES : FIRINGS);
	for (unsigned o = 0; o < m.outputs; o++) {
		uint64_t expected = 0;

		for (unsigned k = 0; k < FIRINGS; k++)
			expected += is_on(m.values[k], o);
		ck_assert_uint_eq(m.got[o], expected);
	}
	pstk_network_destroy(net);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("decision");
	TCase *c = test_case(suite, "decision");

	tcase_add_loop_test(c, many_ports, 0, 4 * TEST_COUNT(outputs));
	return test_main(suite);
}
