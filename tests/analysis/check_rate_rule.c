/* SPDX-License-Identifier: MIT */
/*
 * The change of one rate that R0's message names: is the network right once a program has done just that? Diamonds
 * a -> b -> d, a -> c -> d whose ports declare rates, or leave them to the FIFOs.
 */
#include "penstock/penstock.h"
#include "tests/common/common.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

enum { ACTORS = 4, LINKS = 4 };

static int idle(struct pstk_firing *f)
{
	(void)f;
	return PSTK_DONE;
}

/* What a program says: it can be changed, and built again. */
struct link {
	unsigned src, dst;
	const char *out, *in;
	uint32_t declared_out, declared_in; /* 0: the port declares nothing */
	uint32_t write, read;               /* of the FIFO; 0: nothing is given */
};

static const char *const names[ACTORS] = { "a", "b", "c", "d" };

struct diamond {
	uint32_t steps[ACTORS]; /* 0: nothing is said */
	struct link links[LINKS];
};

static struct pstk_actor *add(struct pstk_network *net, const struct diamond *d, unsigned index)
{
	struct pstk_port ports[2 * LINKS];
	unsigned count = 0;

	for (unsigned i = 0; i < LINKS; i++) {
		const struct link *l = &d->links[i];

		if (l->src == index)
			ports[count++] = (struct pstk_port){
				.name = l->out, .kind = PSTK_OUTPUT, .token_size = 1, .rate = l->declared_out
			};
		if (l->dst == index)
			ports[count++] = (struct pstk_port){
				.name = l->in, .kind = PSTK_INPUT, .token_size = 1, .rate = l->declared_in
			};
	}
	return pstk_network_add(net, names[index],
		PSTK_ACTOR_TYPE(.name = "any", .ports = ports, .port_count = count, .fire = idle), NULL);
}

static struct pstk_network *build(const struct diamond *d)
{
	struct pstk_network *net = pstk_network_create("diamond");
	struct pstk_actor *actors[ACTORS];

	for (unsigned i = 0; i < ACTORS; i++) {
		actors[i] = add(net, d, i);
		if (d->steps[i])
			ck_assert_int_eq(pstk_actor_set_steps(actors[i], d->steps[i]), 0);
	}
	for (unsigned i = 0; i < LINKS; i++) {
		const struct link *l = &d->links[i];

		ck_assert_ptr_nonnull(pstk_connect(actors[l->src], l->out, actors[l->dst], l->in,
			PSTK_FIFO(.write_rate = l->write, .read_rate = l->read)));
	}
	return net;
}

/* Ports of an actor declare all or nothing; FIFOs give what no port declares, or nothing where one end says it. */
static void make(struct diamond *d, struct test_rng *rng)
{
	static const struct link shape[LINKS] = { { .src = 0, .dst = 1, .out = "o", .in = "i" },
		{ .src = 0, .dst = 2, .out = "p", .in = "i" }, { .src = 1, .dst = 3, .out = "o", .in = "i" },
		{ .src = 2, .dst = 3, .out = "o", .in = "j" } };
	bool declares[ACTORS];

	memcpy(d->links, shape, sizeof shape);
	for (unsigned i = 0; i < ACTORS; i++) {
		declares[i] = test_chance(rng, 60);
		d->steps[i] = declares[i] && test_chance(rng, 30) ? test_between(rng, 1, 3) : 0;
	}
	for (unsigned i = 0; i < LINKS; i++) {
		struct link *l = &d->links[i];
		bool other;

		l->declared_out = declares[l->src] ? test_between(rng, 1, 4) : 0;
		l->declared_in = declares[l->dst] ? test_between(rng, 1, 4) : 0;
		other = l->declared_out || l->declared_in;
		l->write = l->declared_out || (other && test_chance(rng, 40)) ? 0 : test_between(rng, 1, 4);
		l->read = l->declared_in || (other && test_chance(rng, 40)) ? 0 : test_between(rng, 1, 4);
	}
}

/* Does what the message says. false: it says that no single change would do. */
static bool change(struct diamond *d, const char *remedy)
{
	char from[8], out[8], to[8], in[8], verb[8];
	unsigned rate;

	if (sscanf(remedy, "let '%7[^']'.%7s declare %u", from, out, &rate) == 3) {
		for (unsigned i = 0; i < LINKS; i++) {
			struct link *l = &d->links[i];

			if (!strcmp(names[l->src], from) && !strcmp(l->out, out))
				l->declared_out = rate;
			if (!strcmp(names[l->dst], from) && !strcmp(l->in, out))
				l->declared_in = rate;
		}
		return true;
	}
	if (sscanf(remedy, "let '%7[^']'.%7s -> '%7[^']'.%7s %7s %u", from, out, to, in, verb, &rate) != 6)
		return false;
	for (unsigned i = 0; i < LINKS; i++) {
		struct link *l = &d->links[i];

		if (!strcmp(names[l->src], from) && !strcmp(l->out, out))
			*(strcmp(verb, "write") ? &l->read : &l->write) = rate;
	}
	return true;
}

START_TEST(what_it_says_mends_it)
{
	struct test_rng rng = { test_seed() };
	uint64_t refused = 0, changed = 0, rounds = test_rounds(5000);

	for (uint64_t round = 0; round < rounds; round++) {
		struct diamond d;
		struct pstk_network *net;
		struct pstk_verdict *verdict = PSTK_VERDICT(), *after = PSTK_VERDICT();

		test_guard("R0's fix", rng.state);
		make(&d, &rng);
		net = build(&d);
		pstk_network_check(net, NULL, verdict);
		pstk_network_destroy(net);
		if (verdict->result != -EDEADLK || verdict->rule != PSTK_RULE_RATES)
			continue;
		refused++;
		if (!change(&d, verdict->remedy))
			continue;
		changed++;
		net = build(&d);
		pstk_network_check(net, NULL, after);
		ck_assert_msg(after->result >= 0, "%s: %s\n then %s: %s", verdict->reason, verdict->remedy,
			after->reason, after->remedy);
		pstk_network_destroy(net);
	}
	printf("R0: %llu refused, %llu have a change of one rate\n", (unsigned long long)refused,
		(unsigned long long)changed);
	ck_assert_uint_gt(2 * changed, refused);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("rate rule");
	TCase *c = test_case(suite, "fixes");

	tcase_add_test(c, what_it_says_mends_it);
	return test_main(suite);
}
