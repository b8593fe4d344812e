/* SPDX-License-Identifier: MIT */
/*
 * Cache lines: how many lines of FIFOs, and of the actor, one firing of an adder changes. Its memory is copied at the
 * begin and at the end of a firing, and at the begin of the next one; what differs was written. It fires under a team
 * of one, so only this thread writes.
 */
#include "lib/firing/task.h"
#include "lib/plan/bundles.h"
#include "tests/common/common.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SOURCES = 10, EACH = 2, MOST_PORTS = 22, MOST_REGIONS = MOST_PORTS + 3, FIRST = 10 };

struct region {
	const unsigned char *from;
	size_t bytes;
	unsigned char *copy;
	bool *changed; /* by line */
};

/* An adder behind `sources` actors with `each` FIFOs from each of them, and with `outs` to a sink. */
struct adder {
	unsigned sources, each, outs;
	struct pstk_actor *actor;
	struct region regions[MOST_REGIONS];
	unsigned count, of_fifos; /* the FIFOs' come first */
};

static uintptr_t line_of(const void *p)
{
	return (uintptr_t)p / PS_CACHE_LINE;
}

static void add_region(struct adder *a, const void *from, size_t bytes)
{
	struct region *r = &a->regions[a->count++];
	size_t lines = line_of((const char *)from + bytes - 1) - line_of(from) + 1;

	*r = (struct region){ from, bytes, malloc(bytes), calloc(lines, sizeof *r->changed) };
	memcpy(r->copy, from, bytes);
}

static void look(struct region *r)
{
	for (size_t i = 0; i < r->bytes; i++)
		if (r->copy[i] != r->from[i])
			r->changed[line_of(r->from + i) - line_of(r->from)] = true;
	memcpy(r->copy, r->from, r->bytes);
}

static unsigned lines_of(const struct region *r)
{
	size_t lines = line_of(r->from + r->bytes - 1) - line_of(r->from) + 1;
	unsigned count = 0;

	for (size_t i = 0; i < lines; i++)
		count += r->changed[i];
	return count;
}

/* Of each FIFO the adder's side; then the actor's. */
static void begin(struct adder *a)
{
	const struct pstk_actor *actor = a->actor;
	struct ps_task *t = actor->task;

	for (unsigned p = 0; p < actor->type.port_count; p++) {
		const struct ps_fifo *f = &actor->ports[p].fifo->fifo;

		if (actor->ports[p].reads)
			add_region(a, &f->read,
				(size_t)((const char *)(&f->reader + 1) - (const char *)&f->read));
		else
			add_region(a, &f->written,
				(size_t)((const char *)(&f->writer + 1) - (const char *)&f->written));
	}
	a->of_fifos = a->count;
	add_region(a, t, sizeof *t);
	add_region(a, t->slots, sizeof *t->slots);
	add_region(a, t->slots->windows, actor->type.port_count * sizeof *t->slots->windows);
}

static int fire_adder(struct pstk_firing *f)
{
	struct adder *a = pstk_actor_arg(pstk_firing_actor(f));
	unsigned ports = a->sources * a->each + a->outs;
	uint32_t sum = 0;

	if (pstk_firing_index(f) == FIRST)
		begin(a);
	for (unsigned r = 0; r < a->count && pstk_firing_index(f) == FIRST + 1; r++)
		look(&a->regions[r]);
	for (unsigned p = 0; p < a->sources * a->each; p++) {
		sum += *(const uint32_t *)pstk_fifo_read_start(f, p);
		pstk_fifo_read_end(f, p);
	}
	for (unsigned p = a->sources * a->each; p < ports; p++) {
		*(uint32_t *)pstk_fifo_write_start(f, p) = sum;
		pstk_fifo_write_end(f, p);
	}
	for (unsigned r = 0; r < a->count && pstk_firing_index(f) == FIRST; r++)
		look(&a->regions[r]);
	return PSTK_AGAIN;
}

/* All ports of sources and the sink. */
static int fire_other(struct pstk_firing *f)
{
	const struct pstk_actor *a = pstk_firing_actor(f);

	for (unsigned p = 0; p < a->type.port_count; p++)
		if (a->ports[p].reads) {
			pstk_fifo_read_start(f, p);
			pstk_fifo_read_end(f, p);
		} else {
			*(uint32_t *)pstk_fifo_write_start(f, p) = p;
			pstk_fifo_write_end(f, p);
		}
	return a->has_outputs && pstk_firing_index(f) == 20 ? PSTK_DONE : PSTK_AGAIN;
}

static struct pstk_actor *add(struct pstk_network *net, const char *name, unsigned ins, unsigned outs,
	int (*fire)(struct pstk_firing *), void *arg)
{
	struct pstk_port ports[MOST_PORTS];
	char names[MOST_PORTS][16];

	for (unsigned p = 0; p < ins + outs; p++) {
		snprintf(names[p], sizeof names[p], "%c%u", p < ins ? 'i' : 'o', p < ins ? p : p - ins);
		ports[p] = (struct pstk_port){
			.name = names[p], .kind = p < ins ? PSTK_INPUT : PSTK_OUTPUT, .token_size = 4
		};
	}
	return pstk_network_add(net, name,
		PSTK_ACTOR_TYPE(.name = "part", .ports = ports, .port_count = ins + outs, .fire = fire), arg);
}

static void join(struct pstk_actor *src, unsigned out, struct pstk_actor *dst, unsigned in)
{
	char from[16], to[16];

	snprintf(from, sizeof from, "o%u", out);
	snprintf(to, sizeof to, "i%u", in);
	ck_assert_ptr_nonnull(pstk_connect(src, from, dst, to, PSTK_FIFO(.rate = 1, .depth = 3)));
}

static void run(struct adder *a)
{
	struct pstk_network *net = pstk_network_create("adder");
	struct pstk_actor *sink;
	char name[16];

	pstk_network_set_threads(net, 1);
	a->actor = add(net, "adder", a->sources * a->each, a->outs, fire_adder, a);
	for (unsigned s = 0; s < a->sources; s++) {
		struct pstk_actor *source;

		snprintf(name, sizeof name, "s%u", s);
		source = add(net, name, 0, a->each, fire_other, NULL);
		for (unsigned p = 0; p < a->each; p++)
			join(source, p, a->actor, s * a->each + p);
	}
	sink = add(net, "sink", a->outs, 0, fire_other, NULL);
	for (unsigned p = 0; p < a->outs; p++)
		join(a->actor, p, sink, p);
	ck_assert_int_eq(pstk_network_run(net), 0);
	ck_assert_uint_gt(a->of_fifos, 0);
	pstk_network_destroy(net);
}

static unsigned sum_lines(struct adder *a, unsigned from, unsigned end)
{
	unsigned lines = 0;

	for (unsigned r = from; r < end; r++)
		lines += lines_of(&a->regions[r]);
	return lines;
}

/* A line a bundle and side; of the actor its windows, two a line, and what a firing counts. */
static void check(unsigned sources, unsigned each, unsigned outs, bool bundles)
{
	struct adder a = { .sources = sources, .each = each, .outs = outs };
	unsigned ports = sources * each + outs, fifos, windows, rest;

	ps_bundles_wanted = bundles;
	run(&a);
	fifos = sum_lines(&a, 0, a.of_fifos);
	windows = lines_of(&a.regions[a.count - 1]);
	rest = sum_lines(&a, a.of_fifos, a.count - 1);
	printf("%u ports, bundles %s: %u lines of FIFOs, %u of windows, %u of the actor\n", ports,
		bundles ? "on" : "off", fifos, windows, rest);
	ck_assert_uint_eq(fifos, bundles ? sources + 1 : ports);
	ck_assert_uint_eq(windows, (ports + 1) / 2);
	ck_assert_uint_le(rest, 3); /* the task's, another one in a firing that is measured, the slot's */
	for (unsigned r = 0; r < a.count; r++) {
		free(a.regions[r].copy);
		free(a.regions[r].changed);
	}
}

START_TEST(lines_written)
{
	for (unsigned bundles = 0; bundles < 2; bundles++) {
		check(1, 1, 1, bundles);
		check(5, 2, 1, bundles);
		check(SOURCES, EACH, 2, bundles);
	}
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("lines");
	TCase *test = test_case(suite, "lines");

	tcase_add_test(test, lines_written);
	return test_main(suite);
}
