/* SPDX-License-Identifier: MIT */
/* Parts of a network, each with its figures: the first one adopts those of the others, and says the same as they. */
#include "lib/observe/adopt.h"
#include "lib/base/memory.h"
#include "lib/model/adopted.h"
#include "lib/plan/parts.h"
#include "penstock/plan.h"
#include "tests/common/common.h"
#include "tests/common/courier.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/*
 * Host 0    source ----+-------------------+
 * Host 1               +-> middle -> b     |
 * Host 2    other -> d                     +-> c (2 delay tokens)
 */

enum { HOSTS = 3, ACTORS = 6, FIFOS = 4, RATE = 3, WINDOWS = 200, PATHS = 8, BUCKETS = 64 };

static const struct {
	const char *name;
	unsigned host;
} actors[ACTORS] = { { "source", 0 }, { "middle", 1 }, { "b", 1 }, { "c", 2 }, { "other", 2 }, { "d", 2 } };

static int give(struct pstk_firing *f)
{
	unsigned *given = pstk_actor_state(pstk_firing_actor(f));

	memset(pstk_fifo_write_start(f, 0), 1, RATE * sizeof(uint32_t));
	pstk_fifo_write_end(f, 0);
	return ++*given == WINDOWS ? PSTK_DONE : PSTK_AGAIN;
}

static int take(struct pstk_firing *f)
{
	pstk_fifo_read_start(f, 0);
	pstk_fifo_read_end(f, 0);
	return PSTK_AGAIN;
}

static int pass(struct pstk_firing *f)
{
	const void *in = pstk_fifo_read_start(f, 0);

	memcpy(pstk_fifo_write_start(f, 1), in, RATE * sizeof(uint32_t));
	pstk_fifo_read_end(f, 0);
	pstk_fifo_write_end(f, 1);
	return PSTK_AGAIN;
}

static struct pstk_network *make(bool looks)
{
	static const struct pstk_port ports[] = { { .name = "in", .kind = PSTK_INPUT, .token_type = "u32" },
		{ .name = "out", .kind = PSTK_OUTPUT, .token_type = "u32" } };
	struct pstk_network *net = pstk_network_create("parts");
	const struct pstk_actor_type *types[ACTORS] = { [0] = PSTK_ACTOR_TYPE(.name = "give",
								.ports = ports + 1, .port_count = 1,
								.fire = give, .state_size = 8),
		[1] = PSTK_ACTOR_TYPE(.name = "pass", .ports = ports, .port_count = 2, .fire = pass),
		[2] = PSTK_ACTOR_TYPE(.name = "take", .ports = ports, .port_count = 1, .fire = take) };
	struct pstk_actor *a[ACTORS];

	types[3] = types[5] = types[2];
	types[4] = types[0];
	for (unsigned i = 0; i < ACTORS; i++) {
		a[i] = pstk_network_add(net, actors[i].name, types[i], NULL);
		ck_assert_int_eq(ps_parts_place(a[i], actors[i].host), 0);
	}
	ck_assert_ptr_nonnull(pstk_connect(a[0], "out", a[1], "in", PSTK_FIFO(.rate = RATE)));
	ck_assert_ptr_nonnull(pstk_connect(a[1], "out", a[2], "in", PSTK_FIFO(.rate = RATE, .depth = 3)));
	ck_assert_ptr_nonnull(pstk_connect(a[0], "out", a[3], "in",
		PSTK_FIFO(.write_rate = RATE, .read_rate = 2, .delay = 2, .depth = 4)));
	ck_assert_ptr_nonnull(pstk_connect(a[4], "out", a[5], "in", PSTK_FIFO(.rate = RATE)));
	if (looks) {
		ck_assert_int_eq(pstk_network_set_sampling(net, 100000), 0);
		ck_assert_int_eq(pstk_network_set_latency(net, 1), 0);
		ck_assert_int_eq(pstk_network_note_arrivals(net), 0);
	}
	return net;
}

static void run_parts(struct courier *c, bool looks)
{
	*c = (struct courier){ .count = HOSTS, .seed = test_seed() };
	for (unsigned i = 0; i < HOSTS; i++)
		c->parts[i] = make(looks);
	courier_name(c);
	ck_assert_int_eq(courier_run(c), 0);
}

static void destroy(const struct courier *c)
{
	for (unsigned i = 0; i < c->count; i++)
		pstk_network_destroy(c->parts[i]);
}

static struct ps_bytes pack(const struct courier *c, unsigned host)
{
	struct ps_bytes bytes = { 0 };

	ck_assert_int_eq(ps_adopt_pack(c->parts[host], &bytes), 0);
	return bytes;
}

static void adopt(const struct courier *c)
{
	for (unsigned i = 1; i < c->count; i++) {
		struct ps_bytes bytes = pack(c, i);

		ck_assert_int_eq(ps_adopt_take(c->parts[0], i, 0, bytes.at, bytes.size), 0);
		ps_bytes_free(&bytes);
	}
}

static void check_actor(const struct pstk_network *net, const struct pstk_actor *theirs)
{
	const struct pstk_actor *a = net->actors[theirs->index];
	struct pstk_actor_stats s[2] = { 0 };
	struct pstk_actor_load l[2] = { 0 };
	struct pstk_device_info device;

	ck_assert_int_eq(pstk_actor_get_stats(a, &s[0]), 0);
	pstk_actor_get_stats(theirs, &s[1]);
	ck_assert_mem_eq(&s[0], &s[1], sizeof *s);
	ck_assert_uint_ge(s[0].firings, WINDOWS);
	ck_assert_uint_eq(pstk_actor_cpu_ns(a), pstk_actor_cpu_ns(theirs));
	ck_assert_int_eq(pstk_actor_get_load(a, &l[0]), pstk_actor_get_load(theirs, &l[1]));
	ck_assert_mem_eq(&l[0], &l[1], sizeof *l);
	ck_assert_int_eq(pstk_actor_device(a, &device), -ENODEV);
	for (unsigned p = 0; p < 3; p++) { /* also one that isn't there */
		ck_assert_uint_eq(pstk_actor_port_wait_ns(a, p), pstk_actor_port_wait_ns(theirs, p));
		ck_assert_uint_eq(pstk_actor_port_waits(a, p), pstk_actor_port_waits(theirs, p));
	}
}

static void check_fifo(const struct pstk_network *net, const struct pstk_fifo *theirs)
{
	const struct pstk_fifo *f = net->fifos[theirs->index];
	struct pstk_fifo_info i[2] = { 0 };
	struct pstk_fifo_load l[2] = { 0 };
	struct pstk_arrival arrivals[2];
	uint64_t lay[2];

	ck_assert_int_eq(pstk_fifo_get_info(f, &i[0]), 0);
	pstk_fifo_get_info(theirs, &i[1]);
	ck_assert_ptr_eq(i[0].src, f->src);
	ck_assert_ptr_eq(i[0].dst, f->dst);
	ck_assert_str_eq(i[0].memory, i[1].memory);
	ck_assert_uint_eq(i[0].rate, i[1].rate);
	ck_assert_uint_eq(i[0].delay, i[1].delay);
	ck_assert_uint_eq(i[0].depth, i[1].depth);
	ck_assert_uint_eq(i[0].written, i[1].written);
	ck_assert_uint_eq(i[0].written, RATE * WINDOWS);
	ck_assert_uint_eq(i[0].read, i[1].read);
	ck_assert_uint_eq(i[0].fill, i[1].fill);
	ck_assert_uint_eq(i[0].bytes, i[1].bytes);
	ck_assert_uint_eq(i[0].bytes_copied, i[1].bytes_copied);
	ck_assert(i[0].closed && i[1].closed);
	ck_assert_int_eq(pstk_fifo_get_load(f, &l[0]), pstk_fifo_get_load(theirs, &l[1]));
	ck_assert_mem_eq(&l[0], &l[1], sizeof *l);
	ck_assert_uint_eq(pstk_fifo_latency_ns(f, &lay[0]), pstk_fifo_latency_ns(theirs, &lay[1]));
	ck_assert_uint_eq(lay[0], lay[1]);
	pstk_fifo_get_arrival(f, &arrivals[0]);
	pstk_fifo_get_arrival(theirs, &arrivals[1]);
	ck_assert_uint_eq(arrivals[0].came, arrivals[1].came);
}

static void check_same(const struct courier *c)
{
	for (unsigned i = 0; i < ACTORS; i++)
		if (actors[i].host)
			check_actor(c->parts[0], c->parts[actors[i].host]->actors[i]);
	for (unsigned i = 0; i < FIFOS; i++)
		check_fifo(c->parts[0], c->parts[c->parts[0]->fifos[i]->dst->host]->fifos[i]);
}

static void check_bytes(const struct courier *c)
{
	size_t shared = 0, allocated = 0, bytes = 0;

	for (unsigned i = 1; i < HOSTS; i++) {
		shared += pstk_network_shared_bytes(c->parts[i]);
		allocated += pstk_network_allocated_bytes(c->parts[i]);
	}
	for (unsigned i = 0; i < FIFOS; i++) {
		struct pstk_fifo_info info;

		pstk_fifo_get_info(c->parts[0]->fifos[i], &info);
		bytes += info.bytes;
	}
	ck_assert_uint_gt(pstk_network_shared_bytes(c->parts[0]), shared);
	ck_assert_uint_gt(pstk_network_allocated_bytes(c->parts[0]), allocated);
	ck_assert_uint_eq(pstk_network_fifo_bytes(c->parts[0]), bytes);
}

/* The paths of host 2 are behind those of host 0. */
static void check_latencies(const struct courier *c)
{
	struct pstk_latency mine[PATHS], theirs[PATHS];
	int all = pstk_network_latencies(c->parts[0], mine, PATHS), own = all, their;

	for (unsigned i = 1; i < HOSTS; i++) {
		their = pstk_network_latencies(c->parts[i], theirs, PATHS);
		ck_assert_int_ge(their, 0);
		own -= their;
	}
	ck_assert_int_ge(own, 0);
	ck_assert_int_gt(their, 0);
	for (int i = 0; i < their; i++) {
		struct pstk_latency_bucket buckets[2][BUCKETS];
		struct pstk_latency *l = &mine[all - their + i];
		int count = pstk_network_latency_buckets(
			c->parts[0], (unsigned)(all - their + i), buckets[0], BUCKETS);

		ck_assert_str_eq(pstk_actor_name(l->source), pstk_actor_name(theirs[i].source));
		ck_assert_str_eq(pstk_actor_name(l->sink), pstk_actor_name(theirs[i].sink));
		ck_assert_ptr_eq(l->sink->network, c->parts[0]);
		ck_assert_uint_eq(l->arrived, theirs[i].arrived);
		ck_assert_uint_eq(l->p99_ns, theirs[i].p99_ns);
		ck_assert_int_eq(
			count, pstk_network_latency_buckets(c->parts[2], (unsigned)i, buckets[1], BUCKETS));
		for (int k = 0; k < count && k < BUCKETS; k++)
			ck_assert_mem_eq(&buckets[0][k], &buckets[1][k], sizeof **buckets);
	}
	ck_assert_int_eq(pstk_network_latency_buckets(c->parts[0], (unsigned)all, NULL, 0), -EINVAL);
}

START_TEST(the_first_says_what_all_say)
{
	struct courier c;

	run_parts(&c, true);
	adopt(&c);
	check_same(&c);
	check_bytes(&c);
	check_latencies(&c);
	destroy(&c);
}
END_TEST

START_TEST(without_looks)
{
	struct pstk_actor_load load;
	struct courier c;

	run_parts(&c, false);
	adopt(&c);
	check_same(&c);
	ck_assert_int_eq(pstk_actor_get_load(c.parts[0]->actors[1], &load), -EINVAL);
	ck_assert_int_eq(pstk_network_latencies(c.parts[0], NULL, 0), -EINVAL);
	destroy(&c);
}
END_TEST

static char *print(const struct pstk_network *net, int (*how)(const struct pstk_network *, FILE *))
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	ck_assert_int_eq(how(net, out), 0);
	fclose(out);
	return text;
}

START_TEST(tables_have_all)
{
	struct courier c;
	char *text;

	run_parts(&c, true);
	text = print(c.parts[0], pstk_network_print_stats);
	ck_assert_ptr_null(strstr(text, "middle.out"));
	free(text);
	adopt(&c);
	text = print(c.parts[0], pstk_network_print_stats);
	TEST_SAYS(text, "middle         200", "middle.out -> ", "600 tokens written, 600 read", "602 read");
	free(text);
	text = print(c.parts[0], pstk_network_explain);
	TEST_SAYS(text, "middle: busy", "d: busy", "other.out -> d.in: filled");
	free(text);
	text = print(c.parts[0], pstk_network_print_latencies);
	TEST_SAYS(text, "other -> d: p50");
	free(text);
	text = print(c.parts[0], pstk_network_print_arrivals);
	TEST_SAYS(text, "d.in from other.out");
	free(text);
	destroy(&c);
}
END_TEST

/* Cut at each place, or of another host. */
START_TEST(what_makes_no_sense_is_refused)
{
	struct ps_bytes bytes;
	struct courier c;

	run_parts(&c, true);
	bytes = pack(&c, 2);
	for (size_t size = 0; size < bytes.size; size += size < 200 ? 1 : 41) {
		unsigned char *copy = malloc(size + 1); /* so that a sanitizer sees reads behind it */

		memcpy(copy, bytes.at, size);
		ck_assert_int_eq(ps_adopt_take(c.parts[0], 2, 0, copy, size), -EPROTO);
		free(copy);
	}
	ck_assert_int_eq(ps_adopt_take(c.parts[0], 1, 0, bytes.at, bytes.size), -EPROTO);
	ck_assert_int_eq(ps_adopt_take(c.parts[0], 0, 0, bytes.at, bytes.size), -EPROTO);
	ps_bytes_put_number(&bytes, 0);
	ck_assert_int_eq(ps_adopt_take(c.parts[0], 2, 0, bytes.at, bytes.size), -EPROTO);
	ps_bytes_free(&bytes);
	destroy(&c);
}
END_TEST

START_TEST(without_memory)
{
	struct ps_bytes bytes = { 0 };
	struct courier c;
	bool failed = true;

	run_parts(&c, true);
	for (long n = 0; failed; n++) {
		ps_memory_fail_at = n;
		failed = ps_adopt_pack(c.parts[2], &bytes) == -ENOMEM;
		ck_assert_int_eq(failed, ps_memory_fail_at < 0);
		ps_memory_fail_at = -1;
		if (failed)
			ps_bytes_free(&bytes);
	}
	failed = true;
	for (long n = 0; failed; n++) {
		ps_memory_fail_at = n;
		failed = ps_adopt_take(c.parts[0], 2, 0, bytes.at, bytes.size) == -ENOMEM;
		ck_assert_int_eq(failed, ps_memory_fail_at < 0);
		ps_memory_fail_at = -1;
	}
	ps_bytes_free(&bytes);
	destroy(&c);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("adopt");
	TCase *c = test_case(s, "adopt");

	tcase_add_test(c, the_first_says_what_all_say);
	tcase_add_test(c, without_looks);
	tcase_add_test(c, tables_have_all);
	tcase_add_test(c, what_makes_no_sense_is_refused);
	tcase_add_test(c, without_memory);
	return test_main(s);
}
