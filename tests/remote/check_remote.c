/* SPDX-License-Identifier: MIT */
/* Streams between ranks: every token in order, whatever rates, delays and readers; messages; what is refused.
 */
#include "lib/remote/remote.h"
#include "lib/base/memory.h"
#include "lib/remote/figures.h"
#include "tests/remote/rig.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* One stream, each number of windows, with every size of the last window. */
START_TEST(each_number_of_windows)
{
	for (uint32_t windows = 1; windows <= 4; windows++)
		for (uint64_t tokens = 0; tokens <= 13; tokens++) {
			struct rig rig = { .ranks = 2, .delay = 2, .seed = windows };

			rig_stream(&rig, 0, 1);
			rig.stream[0].rate = rig.stream[0].reader[0].rate = 3;
			rig.stream[0].windows = windows;
			rig.stream[0].tokens = tokens;
			rig_build(&rig);
			rig_begin(&rig);
			rig_run(&rig);
			rig_check(&rig);
			rig_free(&rig);
		}
}
END_TEST

static void draw_reader(
	struct rig_stream *s, struct rig_reader *r, const struct rig_reader *before, struct test_rng *rng)
{
	r->rate = test_between(rng, 1, 5);
	r->depth = test_between(rng, 1, 4);
	r->delay = test_between(rng, 0, 7);
	if (test_chance(rng, 40)) {
		r->history = test_between(rng, 1, 4);
		r->peek = test_chance(rng, 50) && s->tokens + r->delay >= r->history + r->rate;
	}
	r->tail = test_chance(rng, 20) ? test_between(rng, 1, 5) : 0;
	if (before && test_chance(rng, 60)) {
		r->shares = true;
		r->delay = before->delay;
	}
}

static void draw_stream(struct rig *rig, struct test_rng *rng)
{
	uint32_t from = test_between(rng, 0, rig->ranks - 1);
	uint32_t to = (from + test_between(rng, 1, rig->ranks - 1)) % rig->ranks;
	struct rig_stream *s = &rig->stream[rig->count];

	rig_stream(rig, from, to);
	if (rig->ranks > 2 && test_chance(rng, 30)) {
		s->stops = 3;
		s->route[2] = to;
		do
			s->route[1] = test_between(rng, 0, rig->ranks - 1);
		while (s->route[1] == from || s->route[1] == to);
	}
	s->rate = test_between(rng, 1, 6);
	s->windows = test_between(rng, 1, 4);
	s->token_size = test_between(rng, 1, 9);
	s->tokens = test_between(rng, 0, 200);
	s->readers = test_between(rng, 1, RIG_READERS);
	for (uint32_t i = 0; i < s->readers; i++)
		draw_reader(s, &s->reader[i], i ? &s->reader[i - 1] : NULL, rng);
}

static void draw_rig(struct rig *rig, uint64_t seed)
{
	struct test_rng rng = { seed };

	*rig = (struct rig){ .ranks = test_between(&rng, 2, RIG_RANKS), .seed = seed };
	rig->delay = test_chance(&rng, 30) ? 0 : test_between(&rng, 1, 6);
	rig->linger = test_chance(&rng, 50) ? 4 : 0;
	for (uint32_t i = test_between(&rng, 1, RIG_STREAMS); i; i--)
		draw_stream(rig, &rng);
}

START_TEST(every_token_arrives)
{
	uint64_t seed = test_seed();

	for (uint64_t end = seed + test_rounds(300); seed < end; seed++) {
		struct rig rig;

		test_guard("every_token_arrives", seed);
		draw_rig(&rig, test_mix(seed));
		rig_build(&rig);
		rig_begin(&rig);
		rig_run(&rig);
		rig_check(&rig);
		rig_free(&rig);
	}
}
END_TEST

/* A FIFO of one rate, whose memory is not taken. */
static void make(struct ps_fifo *f, uint32_t rate, size_t token_size)
{
	*f = (struct ps_fifo){
		.layout = { .write_rate = rate, .read_rate = rate, .depth = 2, .token_size = token_size }
	};
	ck_assert_int_eq(ps_layout_init(&f->layout), 0);
	ck_assert_int_eq(ps_fifo_init(f), 0);
}

/* A broadcast to readers that share memory is copied nowhere, to one apart once. */
START_TEST(a_copy_for_each_memory)
{
	struct rig rig = { .ranks = 2 };

	rig_stream(&rig, 0, 1);
	rig.stream[0].readers = 3;
	rig.stream[0].reader[1].shares = true;
	rig_build(&rig);
	rig_begin(&rig);
	rig_run(&rig);
	rig_check(&rig);
	ck_assert_uint_eq(rig.stream[0].way[0].copied, 0);
	ck_assert_uint_eq(rig.stream[0].reader[0].fifo.copied, 0);
	ck_assert_uint_eq(rig.stream[0].reader[1].fifo.copied, 0);
	ck_assert_uint_eq(rig.stream[0].reader[2].fifo.copied, 20 * 4);
	rig_free(&rig);
}
END_TEST

/* Two FIFOs whose memory is the same: the window is there already. */
START_TEST(no_copy_onto_itself)
{
	enum { TOKENS = 20 };
	struct rig rig = { .ranks = 2 };
	struct ps_fifo in, out[2], *owners[] = { &out[0], &out[1] };
	uint32_t memory, valid;

	rig_build(&rig);
	make(&in, 1, 4);
	ck_assert_int_eq(ps_fifo_allocate(&in, NULL, 0), 0);
	for (unsigned i = 0; i < 2; i++) {
		out[i] = (struct ps_fifo){
			.layout = { .write_rate = 1, .read_rate = 1, .depth = 1, .token_size = 4 }
		};
		ck_assert_int_eq(ps_layout_init(&out[i].layout), 0);
		ck_assert_int_eq(ps_fifo_init(&out[i]), 0);
		ps_fifo_borrow(&out[i], (unsigned char *)&memory);
		ck_assert_int_eq(ps_fifo_allocate(&out[i], NULL, 0), 0);
	}
	ck_assert_int_eq(ps_remote_add_sender(rig.rank[0].remote, 1, 0, 1, &in), 0);
	ck_assert_int_eq(ps_remote_add_receiver(rig.rank[1].remote, 0, 0, 1, owners, 2), 0);
	rig_begin(&rig);
	for (uint32_t t = 0; t < TOKENS; t++) {
		while (ps_fifo_peek(&in.writer) == PS_FIFO_WAIT)
			ps_fifo_wait(&in.writer);
		*(uint32_t *)ps_fifo_write_start(&in) = t;
		ps_fifo_write_end(&in, 1);
		for (unsigned i = 0; i < 2; i++) {
			while (ps_fifo_peek(&out[i].reader) == PS_FIFO_WAIT)
				ps_fifo_wait(&out[i].reader);
			ck_assert_uint_eq(*(const uint32_t *)ps_fifo_read_start(&out[i], &valid), t);
		}
		for (unsigned i = 0; i < 2; i++)
			ps_fifo_read_end(&out[i]);
	}
	ps_fifo_write_close(&in);
	for (unsigned i = 0; i < 2; i++)
		ps_fifo_read_close(&out[i]);
	rig_run(&rig);
	for (unsigned i = 0; i < 2; i++) {
		ck_assert_uint_eq(atomic_load(&out[i].copied), 0);
		ps_fifo_fini(&out[i]);
	}
	ps_fifo_fini(&in);
	rig_free(&rig);
}
END_TEST

/* More channels with news than a message has entries. */
START_TEST(all_channels_are_told)
{
	enum { STREAMS = 40, TOKENS = 20 };
	struct rig rig = { .ranks = 2, .delay = 1 };
	static struct ps_fifo fifos[2][STREAMS];

	rig_build(&rig);
	for (unsigned i = 0; i < STREAMS; i++)
		for (unsigned k = 0; k < 2; k++) {
			struct ps_fifo *f = &fifos[k][i];

			*f = (struct ps_fifo){
				.layout = { .write_rate = 1, .read_rate = 1, .depth = 1, .token_size = 4 }
			};
			ck_assert_int_eq(ps_layout_init(&f->layout), 0);
			ck_assert_int_eq(ps_fifo_init(f), 0);
			ck_assert_int_eq(ps_fifo_allocate(f, NULL, 0), 0);
			ck_assert_int_eq(k ? ps_remote_add_receiver(rig.rank[1].remote, 0, i, 1, &f, 1)
					   : ps_remote_add_sender(rig.rank[0].remote, 1, i, 1, f),
				0);
		}
	rig_begin(&rig);
	for (uint32_t t = 0; t < TOKENS; t++)
		for (unsigned i = 0; i < STREAMS; i++) {
			struct ps_fifo *in = &fifos[0][i];

			while (ps_fifo_peek(&in->writer) == PS_FIFO_WAIT)
				ps_fifo_wait(&in->writer);
			*(uint32_t *)ps_fifo_write_start(in) = t * STREAMS + i;
			ps_fifo_write_end(in, 1);
			if (!t)
				continue;
			while (ps_fifo_peek(&fifos[1][i].reader) == PS_FIFO_WAIT)
				ps_fifo_wait(&fifos[1][i].reader);
			ck_assert_uint_eq(
				*(const uint32_t *)ps_fifo_read_start(&fifos[1][i], &(uint32_t){ 0 }),
				(t - 1) * STREAMS + i);
			ps_fifo_read_end(&fifos[1][i]);
		}
	for (unsigned i = 0; i < STREAMS; i++) {
		ps_fifo_write_close(&fifos[0][i]);
		ps_fifo_read_close(&fifos[1][i]);
	}
	rig_run(&rig);
	for (unsigned i = 0; i < STREAMS; i++)
		for (unsigned k = 0; k < 2; k++)
			ps_fifo_fini(&fifos[k][i]);
	rig_free(&rig);
}
END_TEST

/* Messages from each rank to each, in order, beside windows. */
START_TEST(messages_in_order)
{
	enum { MESSAGES = 200 };
	struct rig rig = { .ranks = 3, .delay = 8 };

	rig_stream(&rig, 0, 1);
	rig_build(&rig);
	rig_begin(&rig);
	for (uint64_t n = 0; n < MESSAGES; n++)
		for (uint32_t from = 0; from < 3; from++)
			for (uint32_t to = 0; to < 3; to++) {
				int err;

				while (to != from && (err = rig_tell(&rig, from, to, n)) != 0)
					ck_assert_int_eq(err, -EAGAIN);
			}
	rig_run(&rig);
	rig_check(&rig);
	for (uint32_t i = 0; i < 3; i++) {
		ck_assert_uint_eq(rig.rank[i].messages, 2 * MESSAGES);
		ck_assert_int_eq(rig_tell(&rig, i, (i + 1) % 3, 0), -EPIPE);
	}
	rig_free(&rig);
}
END_TEST

START_TEST(a_message_may_be_refused)
{
	struct rig rig = { .ranks = 2 };
	char bytes[PS_REMOTE_MESSAGE + 1] = { 0 };

	rig_build(&rig); /* no thread takes what waits */
	for (uint64_t n = 0; n < PS_REMOTE_WAITING; n++)
		ck_assert_int_eq(rig_tell(&rig, 0, 1, n), 0);
	ck_assert_int_eq(rig_tell(&rig, 0, 1, 0), -EAGAIN);
	ck_assert_int_eq(ps_remote_tell(rig.rank[0].remote, 0, 0, NULL, 0), -EINVAL);
	ck_assert_int_eq(ps_remote_tell(rig.rank[0].remote, 2, 0, NULL, 0), -EINVAL);
	ck_assert_int_eq(ps_remote_tell(rig.rank[1].remote, 0, 0, bytes, sizeof bytes), -EINVAL);
	rig_begin(&rig);
	rig_run(&rig);
	ck_assert_uint_eq(rig.rank[1].messages, PS_REMOTE_WAITING);
	rig_free(&rig);
}
END_TEST

START_TEST(what_is_refused)
{
	struct rig rig = { .ranks = 2 };
	struct ps_fifo a, b, c, *both[] = { &a, &b };
	struct ps_remote *r;

	rig_build(&rig);
	r = rig.rank[0].remote;
	make(&a, 2, 4);
	make(&b, 3, 4);
	make(&c, 1u << 20, 2048);
	ck_assert_int_eq(ps_remote_add_sender(r, 0, 7, 1, &a), -EINVAL);
	TEST_SAYS(ps_remote_error(r), "channel 7 to rank 0", "no such other rank");
	ck_assert_int_eq(ps_remote_add_sender(r, 2, 7, 1, &a), -EINVAL);
	ck_assert_int_eq(ps_remote_add_sender(r, 1, 7, 0, &a), -EINVAL);
	TEST_SAYS(ps_remote_error(r), "channel 7 to rank 1", "no windows");
	ck_assert_int_eq(ps_remote_add_sender(r, 1, UINT32_MAX, 4, &a), -EINVAL);
	TEST_SAYS(ps_remote_error(r), "channel 4294967295 to rank 1", "numbers end at 4294967291");
	ck_assert_int_eq(ps_remote_add_receiver(r, 1, 7, 1, both, 0), -EINVAL);
	TEST_SAYS(ps_remote_error(r), "channel 7 from rank 1", "no FIFO");
	ck_assert_int_eq(ps_remote_add_receiver(r, 1, 7, 1, both, 2), -EINVAL);
	TEST_SAYS(ps_remote_error(r), "channel 7 from rank 1", "differ");
	ck_assert_int_eq(ps_remote_add_sender(r, 1, 7, 1, &c), -EMSGSIZE);
	TEST_SAYS(ps_remote_error(r), "2147483648 bytes", "lower the rate");
	b.layout.delay = 1;
	ck_assert_int_eq(ps_remote_add_sender(r, 1, 7, 1, &b), -EINVAL);
	TEST_SAYS(ps_remote_error(r), "delay tokens");
	b.owner = &a;
	ck_assert_int_eq(ps_remote_add_receiver(r, 1, 7, 1, &both[1], 1), -EINVAL);
	TEST_SAYS(ps_remote_error(r), "own its memory");
	b.merged = (struct ps_member *)&c; /* only looked at */
	ck_assert_int_eq(ps_remote_add_receiver(r, 1, 7, 1, &both[1], 1), -EINVAL);
	TEST_SAYS(ps_remote_error(r), "merged");
	b.merged = NULL;
	b.owner = &b;
	for (long n = 0; n < 3; n++) {
		ps_memory_fail_at = n;
		ck_assert_int_eq(ps_remote_add_sender(r, 1, 7, 1, &a), -ENOMEM);
	}
	ps_memory_fail_at = -1;
	ck_assert_int_eq(ps_remote_add_sender(r, 1, 7, 1, &a), 0);
	ck_assert_int_eq(ps_remote_add_sender(r, 1, 7, 1, &a), -EEXIST);
	ps_fifo_fini(&a);
	ps_fifo_fini(&b);
	ps_fifo_fini(&c);
	rig_free(&rig);
}
END_TEST

static int is_full(void *self, const struct pstk_transport_channel *channels, uint32_t count)
{
	(void)self, (void)channels, (void)count;
	return -ENOMEM;
}

static const char *says_full(void *self)
{
	(void)self;
	return "full";
}

START_TEST(a_transport_may_be_refused)
{
	struct inside *s = inside_new(2, 1, 0);
	struct pstk_transport t = *inside_rank(s, 0);
	const struct ps_remote_calls calls = { 0 };
	struct ps_remote *r;

	/* it is out of memory itself */
	t.open = is_full;
	t.error = says_full;
	r = ps_remote_new(&t, &calls);
	ck_assert_ptr_nonnull(r);
	ck_assert_int_eq(ps_remote_begin(r), -ENOMEM);
	TEST_SAYS(ps_remote_error(r), "inside: full");
	ps_remote_free(r);
	/* of an older library, which lacks a function */
	t.struct_size--;
	r = ps_remote_new(&t, &calls);
	ck_assert_ptr_nonnull(r);
	ck_assert_int_eq(ps_remote_begin(r), -EINVAL);
	TEST_SAYS(ps_remote_error(r), "inside: its table has", "another version");
	ps_remote_free(r);
	inside_free(s);
}
END_TEST

START_TEST(a_start_may_fail)
{
	struct inside *s = inside_new(2, 1, 0);
	const struct ps_remote_calls calls = { 0 };
	struct ps_remote *r;

	for (long n = 0; n < 2; n++) {
		ps_memory_fail_at = n;
		ck_assert_ptr_null(ps_remote_new(inside_rank(s, 0), &calls));
	}
	ps_memory_fail_at = -1;
	r = ps_remote_new(inside_rank(s, 0), &calls);
	ck_assert_ptr_nonnull(r);
	ps_memory_fail_at = 0;
	ck_assert_int_eq(ps_remote_begin(r), -ENOMEM);
	TEST_SAYS(ps_remote_error(r), "memory");
	ps_remote_free(r);
	for (uint32_t n = 0; n < 2; n++) {
		inside_fail(s, 0, n ? INSIDE_RECEIVE : INSIDE_OPEN, n);
		r = ps_remote_new(inside_rank(s, 0), &calls);
		ck_assert_ptr_nonnull(r);
		ck_assert_int_eq(ps_remote_begin(r), -EIO);
		TEST_SAYS(ps_remote_error(r), "inside: planted fault");
		ps_remote_free(r);
	}
	ps_remote_free(NULL);
	inside_free(s);
}
END_TEST

/* With nothing left to allocate a whole run goes well. */
START_TEST(nothing_is_allocated_after_begin)
{
	struct rig rig = { .ranks = 2 };

	rig_stream(&rig, 0, 1);
	rig_stream(&rig, 1, 0);
	rig_build(&rig);
	rig_begin(&rig);
	ps_memory_fail_at = 0;
	ck_assert_int_eq(rig_tell(&rig, 0, 1, 0), 0);
	rig_run(&rig);
	ck_assert_int_eq(ps_memory_fail_at, 0);
	ps_memory_fail_at = -1;
	rig_check(&rig);
	rig_free(&rig);
}
END_TEST

/* What a stream has sent; how long it waited depends on the machine. */
START_TEST(what_was_sent_is_counted)
{
	struct rig rig = { .ranks = 3, .delay = 2, .seed = 5 };
	struct ps_sent sent;

	rig_stream(&rig, 0, 1);
	rig_stream(&rig, 0, 2);
	rig_stream(&rig, 2, 0);
	rig.stream[0].tokens = 41;
	rig_build(&rig);
	ck_assert(ps_remote_sent(rig.rank[0].remote, 0, &sent));
	ck_assert_uint_eq(sent.windows + sent.bytes + sent.starved_ns, 0);
	rig_begin(&rig);
	rig_run(&rig);
	rig_check(&rig);
	ck_assert(ps_remote_sent(rig.rank[0].remote, 0, &sent));
	ck_assert_uint_eq(sent.rank, 1);
	ck_assert_uint_eq(sent.number, 1);
	ck_assert_uint_eq(sent.windows, 21);
	ck_assert_uint_eq(sent.bytes, 41 * 4);
	ck_assert(ps_remote_sent(rig.rank[0].remote, 1, &sent));
	ck_assert_uint_eq(sent.rank, 2);
	ck_assert_uint_eq(sent.windows, 10);
	ck_assert(!ps_remote_sent(rig.rank[0].remote, 2, &sent));
	ck_assert(!ps_remote_sent(rig.rank[1].remote, 0, &sent));
	rig_free(&rig);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("remote");
	TCase *c = test_case(s, "remote");

	tcase_add_test(c, each_number_of_windows);
	tcase_add_test(c, every_token_arrives);
	tcase_add_test(c, a_copy_for_each_memory);
	tcase_add_test(c, no_copy_onto_itself);
	tcase_add_test(c, all_channels_are_told);
	tcase_add_test(c, messages_in_order);
	tcase_add_test(c, what_was_sent_is_counted);
	tcase_add_test(c, a_message_may_be_refused);
	tcase_add_test(c, what_is_refused);
	tcase_add_test(c, a_transport_may_be_refused);
	tcase_add_test(c, a_start_may_fail);
	tcase_add_test(c, nothing_is_allocated_after_begin);
	return test_main(s);
}
