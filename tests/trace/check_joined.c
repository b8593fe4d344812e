/* SPDX-License-Identifier: MIT */
/* Traces of several processes as one: times on one clock, tracks with their hosts, whole where all are. */
#include "lib/trace/joined.h"
#include "lib/base/memory.h"
#include "tests/common/common.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { BYTES = 1 << 20, ACTORS = 3 };

static void put(struct ps_trace *t, uint32_t actor, uint64_t begin, uint64_t took)
{
	struct ps_trace_record r = { .begin = begin, .kind = PS_TRACE_FIRE, .number = begin };

	r.actor = actor & (PS_TRACE_ACTORS_MOST - 1);
	ps_trace_took(&r, took);
	ps_trace_put(t, &r);
}

/* Of one thread of an actor, with so many firings of 10 ns, each 100 ns, from a time on. */
static struct ps_trace *make(uint32_t actor, uint64_t from, unsigned firings)
{
	struct ps_trace *t = ps_trace_create(BYTES, 1, false);

	ck_assert_ptr_nonnull(t);
	ps_trace_enter(t, PS_TRACE_THREAD_OF, actor);
	for (unsigned i = 0; i < firings; i++)
		put(t, actor, from + 100 * i, 10);
	ps_trace_collect(t);
	return t;
}

static struct ps_bytes pack(const struct ps_trace *t)
{
	struct ps_bytes bytes = { 0 };

	ps_trace_pack(t, &bytes);
	ck_assert(!bytes.failed);
	return bytes;
}

static struct ps_trace_part *take(const struct ps_bytes *bytes, uint32_t host, int64_t ahead)
{
	struct ps_bytes_left left = { bytes->at, bytes->size };
	int err;
	struct ps_trace_part *p = ps_trace_take(&left, host, ahead, ACTORS, &err);

	ck_assert_ptr_nonnull(p);
	ck_assert_int_eq(err, 0);
	ck_assert_uint_eq(left.size, 0);
	return p;
}

START_TEST(on_one_clock)
{
	struct ps_trace *own = make(0, 1000, 3), *others[2] = { make(1, 51050, 4), make(2, 20, 2) };
	struct ps_trace_part *parts[2];
	struct ps_trace *all;
	uint64_t begins[ACTORS] = { 1000, 1050, 1020 };
	uint32_t seen[ACTORS] = { 0 };

	for (uint32_t i = 0; i < 2; i++) {
		struct ps_bytes bytes = pack(others[i]);

		parts[i] = take(&bytes, 5 + i, i ? -1000 : 50000);
		ps_bytes_free(&bytes);
		ps_trace_free(others[i]);
	}
	parts[0]->next = parts[1];
	all = ps_trace_join(own, 4, parts[0]);
	ck_assert_ptr_nonnull(all);
	ps_trace_free(own);
	ps_trace_part_free(parts[0]);
	ps_trace_part_free(parts[1]);
	ck_assert_uint_eq(all->order_count, 9);
	ck_assert_uint_eq(ps_trace_fired(all), 9);
	ck_assert_uint_eq(ps_trace_lost(all), 0);
	for (uint32_t n = 0; n < all->order_count; n++) {
		const struct ps_trace_record *r = ps_trace_at(all, n);
		const struct ps_trace_track *k = &all->tracks[ps_trace_track_of(all, n)];

		ck_assert_uint_eq(r->begin, begins[r->actor] + 100 * seen[r->actor]++);
		ck_assert_uint_eq(ps_trace_ended(r), r->begin + 10);
		ck_assert_uint_eq(k->number, r->actor);
		ck_assert_uint_eq(k->host, 4 + r->actor);
		ck_assert_int_eq(k->owner, PS_TRACE_THREAD_OF);
	}
	ps_trace_free(all);
}
END_TEST

/* What one process has lost, the whole has not. */
START_TEST(whole_where_all_are)
{
	struct ps_trace *own = make(0, 1000, 10), *other = make(1, 0, 10);
	struct ps_bytes bytes;
	struct ps_trace_part *part;
	struct ps_trace *all;

	atomic_store(&other->from, 200);
	atomic_store(&other->until, 605);
	ps_trace_collect(other);
	bytes = pack(other);
	part = take(&bytes, 1, -1000);
	all = ps_trace_join(own, 0, part);
	ck_assert_ptr_nonnull(all);
	ck_assert_uint_eq(ps_trace_from(all), 1200);
	ck_assert_uint_eq(ps_trace_until(all), 1605);
	for (uint32_t n = 0; n < all->order_count; n++)
		ck_assert(ps_trace_at(all, n)->begin >= 1200 && ps_trace_ended(ps_trace_at(all, n)) < 1605);
	ck_assert_uint_eq(all->order_count, 8); /* of each those that began at 200, 300, 400 and 500 */
	ck_assert_uint_eq(ps_trace_lost(all), 12);
	ps_trace_free(all);
	ps_trace_part_free(part);
	ps_bytes_free(&bytes);
	ps_trace_free(other);
	ps_trace_free(own);
}
END_TEST

START_TEST(what_makes_no_sense)
{
	struct ps_trace *t = make(2, 1000, 3);
	struct ps_bytes bytes = pack(t);
	struct ps_bytes_left left;
	int err;

	for (size_t size = 0; size < bytes.size; size++) {
		unsigned char *copy = malloc(size + 1);

		memcpy(copy, bytes.at, size);
		left = (struct ps_bytes_left){ copy, size };
		ck_assert_ptr_null(ps_trace_take(&left, 1, 0, ACTORS, &err));
		ck_assert_int_eq(err, -EPROTO);
		free(copy);
	}
	left = (struct ps_bytes_left){ bytes.at, bytes.size };
	ck_assert_ptr_null(ps_trace_take(&left, 1, 0, 2, &err)); /* there is no actor 2 */
	ck_assert_int_eq(err, -EPROTO);
	for (long n = 0; n < 4; n++) {
		left = (struct ps_bytes_left){ bytes.at, bytes.size };
		ps_memory_fail_at = n;
		ck_assert_ptr_null(ps_trace_take(&left, 1, 0, ACTORS, &err));
		ck_assert_int_eq(err, -ENOMEM);
		ps_memory_fail_at = n;
		ck_assert_ptr_null(ps_trace_join(t, 0, NULL));
	}
	ps_memory_fail_at = -1;
	ps_bytes_free(&bytes);
	ps_trace_free(t);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("joined");
	TCase *c = test_case(s, "joined");

	tcase_add_test(c, on_one_clock);
	tcase_add_test(c, whole_where_all_are);
	tcase_add_test(c, what_makes_no_sense);
	return test_main(s);
}
