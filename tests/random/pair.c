/* SPDX-License-Identifier: MIT */
#include "tests/random/pair.h"

#include <stdio.h>
#include <string.h>

/* -- the conditions -- */

/* How many of the first k are on. */
static unsigned on_count(uint32_t bits, unsigned k)
{
	return (unsigned)__builtin_popcount(bits & ((1u << k) - 1));
}

static unsigned least(unsigned a, unsigned b)
{
	return a < b ? a : b;
}

/*
 * B stands at control token k. What C has written to it beyond that fills its control FIFO, so A has got as
 * many, and one more where its own is written first. (S): that must be enough. With k + depth >= n C has
 * ended, and so will A: B is released by the end of the stream. (F) is the same of A, which waits for room.
 */
bool pair_dies(const struct pair *p)
{
	uint32_t r = p->rate, room = p->delay + p->depth * r;

	for (unsigned k = 1; k <= p->n; k++) {
		unsigned to_a = least(p->n, k + p->depth_b + (p->order == PAIR_A_FIRST));
		unsigned to_b = least(p->n, k + p->depth_a + (p->order == PAIR_B_FIRST));

		if (k + p->depth_b < p->n && p->b >> (k - 1) & 1 &&
			p->delay + on_count(p->a, to_a) * r < on_count(p->b, k) * r)
			return true;
		if (k + p->depth_a < p->n && p->a >> (k - 1) & 1 &&
			p->delay + on_count(p->a, k) * r > room + on_count(p->b, to_b) * r)
			return true;
	}
	return false;
}

/* The firing, from 1, in which the count-th window moves. */
static unsigned firing_of(uint32_t bits, unsigned count)
{
	unsigned k = 0;

	while (on_count(bits, k) < count)
		k++;
	return k;
}

void pair_predict(const struct pair *p, struct pair_end *end)
{
	unsigned all_a = on_count(p->a, p->n), all_b = on_count(p->b, p->n), there = p->delay / p->rate;

	*end = (struct pair_end){ .dead = pair_dies(p), .a_tokens = p->n, .b_tokens = p->n };
	if (p->delay + all_a * p->rate < all_b * p->rate) {
		/* B starves; what is less than a window is its last firing's */
		end->read = there + all_a + (p->delay % p->rate != 0);
		end->b_tokens =
			p->delay % p->rate ? firing_of(p->b, end->read) : firing_of(p->b, end->read + 1) - 1;
		end->written = end->written_least = all_a;
		end->a_least = p->n;
		return;
	}
	/* B obeys all; then A ends too, as soon as it sees that */
	end->read = all_b;
	end->written = least(all_a, all_b + p->depth);
	end->written_least = (all_b * p->rate - least(p->delay, all_b * p->rate) + p->rate - 1) / p->rate;
	end->a_least = firing_of(p->a, end->written_least);
}

/* -- the interleavings -- */

struct state {
	unsigned to_a, to_b;   /* written by C */
	unsigned got_a, got_b; /* control tokens taken; their slots are free */
	bool held_a, held_b;   /* the last one is not obeyed yet: its window is missing */
	bool ended_a, ended_b;
	unsigned read; /* by B */
};

static unsigned written(const struct pair *p, const struct state *s)
{
	return on_count(p->a, s->got_a) - s->held_a;
}

/* Each step: false: can't be done now. */
static bool write_a(const struct pair *p, struct state *s)
{
	if (s->to_a == p->n || (s->ended_a && s->ended_b) ||
		(!s->ended_a && s->to_a - s->got_a == p->depth_a))
		return false;
	s->to_a++;
	return true;
}

static bool write_b(const struct pair *p, struct state *s)
{
	if (s->to_b == p->n || (s->ended_a && s->ended_b) ||
		(!s->ended_b && s->to_b - s->got_b == p->depth_b))
		return false;
	s->to_b++;
	return true;
}

static bool step_c(const struct pair *p, struct state *s)
{
	struct state both = *s;

	if (p->order != PAIR_AT_ONCE)
		return (s->to_a == s->to_b) == (p->order == PAIR_A_FIRST) ? write_a(p, s) : write_b(p, s);
	if (!write_a(p, &both) || !write_b(p, &both))
		return false;
	*s = both;
	return true;
}

/* C has ended, and its token is not coming any more. */
static bool control_ended(const struct pair *p, const struct state *s, unsigned to, unsigned got)
{
	return got == to && ((s->to_a == p->n && s->to_b == p->n) || (s->ended_a && s->ended_b));
}

static bool step_a(const struct pair *p, struct state *s)
{
	if (s->ended_a)
		return false;
	if (s->ended_b || (!s->held_a && control_ended(p, s, s->to_a, s->got_a)))
		return s->ended_a = true;
	if (s->held_a) {
		if (written(p, s) - s->read >= p->depth && written(p, s) >= s->read)
			return false;
		s->held_a = false;
		return true;
	}
	if (s->got_a == s->to_a)
		return false;
	s->held_a = p->a >> s->got_a++ & 1;
	return true;
}

static bool step_b(const struct pair *p, struct state *s)
{
	unsigned there, wanted;

	if (s->ended_b)
		return false;
	if (!s->held_b) {
		if (control_ended(p, s, s->to_b, s->got_b))
			return s->ended_b = true;
		if (s->got_b == s->to_b)
			return false;
		s->held_b = p->b >> s->got_b++ & 1;
		return true;
	}
	there = p->delay + written(p, s) * p->rate;
	wanted = (s->read + 1) * p->rate;
	if (there < wanted && !s->ended_a)
		return false;
	if (there > s->read * p->rate) {
		s->read++;
		s->held_b = false;
	}
	s->ended_b = there < wanted;
	return true;
}

static bool (*const steps[])(const struct pair *, struct state *) = { step_c, step_a, step_b };

static void describe(const struct pair *p, const struct state *s, struct pair_end *end)
{
	*end = (struct pair_end){ .dead = !s->ended_a || !s->ended_b,
		.a_tokens = s->got_a - s->held_a,
		.b_tokens = s->got_b - s->held_b,
		.written = written(p, s),
		.read = s->read };
}

/* -- all of them -- */

enum { SMALL = 6, SIDES = (SMALL + 1) * 4, STATES = (SMALL + 1) * 3 * SIDES * SIDES };

/* read follows from the rest, but for a partly filled last window, after which B has ended. */
static unsigned number_of(const struct state *s)
{
	unsigned number = s->to_a * 3 + (s->to_b + 1 - s->to_a);

	number = number * SIDES + s->got_a * 4 + s->held_a * 2 + s->ended_a;
	return number * SIDES + s->got_b * 4 + s->held_b * 2 + s->ended_b;
}

static bool as_predicted(const struct pair *p, const struct state *s, const struct pair_end *predicted)
{
	struct pair_end end;

	describe(p, s, &end);
	if (end.dead || predicted->dead)
		return end.dead == predicted->dead;
	return end.read == predicted->read && end.b_tokens == predicted->b_tokens &&
	       end.written <= predicted->written && end.written >= predicted->written_least &&
	       end.a_tokens <= predicted->a_tokens && end.a_tokens >= predicted->a_least;
}

unsigned pair_explore(const struct pair *p, const struct pair_end *predicted)
{
	static unsigned seen[STATES], round;
	static struct state stack[STATES];
	unsigned height = 1, count = 1;

	round++;
	stack[0] = (struct state){ 0 };
	seen[number_of(&stack[0])] = round;
	while (height) {
		struct state s = stack[--height];
		bool moved = false;

		for (unsigned i = 0; i < 3; i++) {
			struct state next = s;

			if (!steps[i](p, &next))
				continue;
			moved = true;
			if (seen[number_of(&next)] == round)
				continue;
			seen[number_of(&next)] = round;
			stack[height++] = next;
			count++;
		}
		if (!moved && !as_predicted(p, &s, predicted))
			return 0;
	}
	return count;
}

/* -- random ones -- */

/* As many on as in `bits`, at other places. */
static uint32_t shuffled(uint32_t bits, unsigned n, struct test_rng *rng)
{
	for (unsigned i = n - 1; i > 0; i--) {
		unsigned j = test_between(rng, 0, i);

		if ((bits >> i & 1) != (bits >> j & 1))
			bits ^= 1u << i | 1u << j;
	}
	return bits;
}

void pair_random(struct pair *p, struct test_rng *rng)
{
	uint32_t all;

	p->n = test_between(rng, 1, PAIR_FIRINGS);
	all = (1u << p->n) - 1;
	p->rate = test_between(rng, 1, PAIR_RATE);
	p->delay = test_chance(rng, 60) ? 0 : test_between(rng, 1, 2 * p->rate);
	p->depth = test_between(rng, 1, PAIR_DEPTH);
	p->depth_a = test_between(rng, 1, PAIR_CONTROL_DEPTH);
	p->depth_b = test_chance(rng, 50) ? p->depth_a : test_between(rng, 1, PAIR_CONTROL_DEPTH);
	p->order = (enum pair_order)test_between(rng, PAIR_AT_ONCE, PAIR_B_FIRST);
	p->a = (uint32_t)test_random(rng) & all;
	p->b = (uint32_t)test_random(rng) & all;
	if (test_chance(rng, 50)) /* balanced: only the order can be wrong */
		p->b = shuffled(p->a, p->n, rng);
}

void pair_net(const struct pair *p, struct net *net)
{
	bool b_first = p->order == PAIR_B_FIRST;
	uint32_t bits[2] = { p->a, p->b };

	net_add_actor(net, 0);
	for (unsigned i = 0; i < 2; i++)
		net_add_port(net, PAIR_C, NET_OUTPUT, 0);
	for (unsigned i = 0; i < 2; i++) {
		net_add_group(net, PAIR_C, i != b_first, 2);
		net_add_member(net, i);
		net->fifos[i].depth = i ? p->depth_b : p->depth_a;
		net->values.length[i] = p->n;
		for (unsigned k = 0; k < p->n; k++)
			net->values.values[i][k] = bits[i] >> k & 1;
	}
	net->actors[PAIR_C].kahn = p->order != PAIR_AT_ONCE;
	net_end_at(net, PAIR_C, p->n - 1);
	net->fifos[net_join(net, PAIR_A, 2, PAIR_B, 2, p->rate, p->delay)].depth = p->depth;
}

const char *pair_text(const struct pair *p)
{
	static const char *const orders[] = { "at once", "A's first", "B's first" };
	static char text[256];
	char a[PAIR_FIRINGS + 1] = "", b[PAIR_FIRINGS + 1] = "";

	for (unsigned k = 0; k < p->n; k++) {
		a[k] = (char)('0' + (p->a >> k & 1));
		b[k] = (char)('0' + (p->b >> k & 1));
	}
	snprintf(text, sizeof text,
		"A %s, B %s, rate %u, delay %u, depth %u, control depths %u and %u, control tokens %s", a, b,
		p->rate, p->delay, p->depth, p->depth_a, p->depth_b, orders[p->order]);
	return text;
}
