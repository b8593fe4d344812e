/* SPDX-License-Identifier: MIT */
/* control() of an actor with more dynamic ports than a word has bits must be pure, too. */
#include "penstock/penstock.h"
#include "tests/common/common.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static int conf_fire(struct pstk_firing *f)
{
	static const uint32_t values[] = { 0, 1, 1, 0 };
	uint64_t i = pstk_firing_index(f);

	*(uint32_t *)pstk_fifo_write_start(f, 0) = values[i];
	pstk_fifo_write_end(f, 0);
	return i + 1 < TEST_COUNT(values) ? PSTK_AGAIN : PSTK_DONE;
}

static int drain_fire(struct pstk_firing *f)
{
	pstk_fifo_read_start(f, 0);
	pstk_fifo_read_end(f, 0);
	return PSTK_AGAIN;
}

static const struct pstk_port conf_port = { .name = "out", .kind = PSTK_OUTPUT },
			      drain_port = { .name = "in", .kind = PSTK_INPUT };

/* 100 outputs, each into a sink of its own. From firing `from` on output `odd` is decided the other way. */
enum { MANY = 100 };

struct many {
	uint32_t odd;
	uint64_t from; /* the firing from which it differs */
	uint64_t fired;
};

static int many_control(struct pstk_firing *f, uint32_t value)
{
	const struct many *m = pstk_actor_arg(pstk_firing_actor(f));

	for (uint32_t p = 0; p < MANY; p++)
		pstk_port_enable(
			f, 1 + p, (p % 2 == value) != (p == m->odd && pstk_firing_index(f) >= m->from));
	return 0;
}

static int many_fire(struct pstk_firing *f)
{
	struct many *m = pstk_actor_arg(pstk_firing_actor(f));

	for (uint32_t p = 1; p <= MANY; p++)
		if (pstk_port_enabled(f, p)) {
			memset(pstk_fifo_write_start(f, p), 0, 1);
			pstk_fifo_write_end(f, p);
		}
	m->fired++;
	return PSTK_AGAIN;
}

static struct pstk_network *build_many(struct many *many)
{
	struct pstk_network *net = pstk_network_create("many");
	struct pstk_port ports[MANY + 1] = { { .name = "ctl", .kind = PSTK_CONTROL } };
	char names[MANY][16];
	struct pstk_actor *c, *m;

	for (unsigned p = 0; p < MANY; p++) {
		snprintf(names[p], sizeof names[p], "o%u", p);
		ports[1 + p] = (struct pstk_port){ .name = names[p], .kind = PSTK_DYNAMIC_OUTPUT };
	}
	c = pstk_network_add(net, "conf",
		PSTK_ACTOR_TYPE(.name = "conf", .ports = &conf_port, .port_count = 1, .fire = conf_fire),
		NULL);
	m = pstk_network_add(net, "many",
		PSTK_ACTOR_TYPE(.name = "many", .ports = ports, .port_count = MANY + 1, .control_values = 2,
			.control = many_control, .fire = many_fire),
		many);
	pstk_connect(c, "out", m, "ctl", PSTK_FIFO(.rate = 1, .token_size = 4));
	for (unsigned p = 0; p < MANY; p++) {
		struct pstk_actor *d = pstk_network_add(net, names[p],
			PSTK_ACTOR_TYPE(.name = "drain", .ports = &drain_port, .port_count = 1,
				.fire = drain_fire),
			NULL);

		pstk_connect(m, names[p], d, "in", PSTK_FIFO(.rate = 1, .token_size = 1));
	}
	return net;
}

/* Each port counts, also in the hash; proven networks are looked at as well. */
START_TEST(many_ports)
{
	static const uint32_t odd[] = { 0, 63, 64, 99, MANY };

	for (unsigned i = 0; i < TEST_COUNT(odd); i++) {
		struct many many = { .odd = odd[i], .from = 3 };
		struct pstk_network *net = build_many(&many);

		ck_assert_int_eq(pstk_network_check(net, NULL, NULL), 0);
		ck_assert_int_eq(pstk_network_run(net), odd[i] < MANY ? -EPROTO : 0);
		ck_assert_str_eq(pstk_network_error(net),
			odd[i] < MANY
				? "control() of 'many' turned other ports on for value 0 in firing 3 than "
				  "before the start: it may depend on the value and arg only"
				: "");
		ck_assert_uint_eq(many.fired, odd[i] < MANY ? 3 : 4);
		pstk_network_destroy(net);
	}
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("control_pure");
	TCase *c = test_case(suite, "pure");

	tcase_add_test(c, many_ports);
	return test_main(suite);
}
