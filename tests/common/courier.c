/* SPDX-License-Identifier: MIT */
#include "tests/common/courier.h"
#include "lib/firing/backend.h"
#include "lib/firing/firing.h"
#include "lib/plan/parts.h"
#include "lib/schedule/away.h"
#include "lib/schedule/still.h"
#include "tests/common/common.h"

#include <errno.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

enum { HELD = 4 };

/* One output that leads from one part to another one. */
struct channel {
	struct pstk_fifo *out; /* its reader's end is away */
	struct pstk_fifo *in;  /* the first one of the output there: the writers' ends are away */
	unsigned most;         /* windows to hold at once */
	unsigned held, first;
	struct {
		const void *data;
		uint32_t valid;
	} windows[HELD];
	bool closed;
};

void courier_name(struct courier *c)
{
	for (unsigned i = 0; i < c->count; i++)
		ck_assert_int_eq(ps_parts_set_host(c->parts[i], i), 0);
}

static struct pstk_fifo *find_in(const struct courier *c, const struct pstk_fifo *out)
{
	const struct pstk_actor *src = c->parts[out->dst->host]->actors[out->src->index];

	/* the same at both hosts: it names the channel */
	ck_assert_uint_eq(src->ports[out->src_port].fifo->index, out->index);
	return src->ports[out->src_port].fifo;
}

/* As many as each end's place has, or fewer. */
static unsigned find_most(const struct pstk_fifo *out, const struct pstk_fifo *in, struct test_rng *rng)
{
	uint32_t most = ps_parts_windows(out);

	for (; in; in = in->next)
		most = ps_parts_windows(in) < most ? ps_parts_windows(in) : most;
	return test_between(rng, 1, most < HELD ? most : HELD);
}

static unsigned list_channels(const struct courier *c, struct channel *channels, struct test_rng *rng)
{
	unsigned count = 0;

	for (unsigned i = 0; i < c->count; i++)
		for (unsigned k = 0; k < c->parts[i]->fifo_count; k++) {
			struct pstk_fifo *f = c->parts[i]->fifos[k];

			if (f->crossing != PS_CROSSES_OUT)
				continue;
			if (channels)
				channels[count] = (struct channel){ .out = f,
					.in = find_in(c, f),
					.most = find_most(f, find_in(c, f), rng) };
			count++;
		}
	return count;
}

static bool is_wanted(const struct channel *c)
{
	for (const struct pstk_fifo *f = c->in; f; f = f->next)
		if (!atomic_load(&f->fifo.discards))
			return true;
	return false;
}

static bool is_over(const struct channel *c)
{
	return ps_network_over(c->out->src->network) || ps_network_over(c->in->src->network);
}

static void close_channel(struct channel *c)
{
	struct pstk_fifo *next;

	c->closed = true;
	ps_away_close(c->out, false);
	for (struct pstk_fifo *f = c->in; f; f = next) {
		next = f->next; /* with the last one the network may end */
		ps_away_close(f, true);
	}
}

static bool has_room(const struct channel *c)
{
	for (struct pstk_fifo *f = c->in; f; f = f->next)
		if (ps_firing_peek(f, true) == PS_FIFO_WAIT)
			return false;
	return true;
}

/* One window of both ends, if it is there. */
static bool take(struct channel *c)
{
	unsigned at = (c->first + c->held) % HELD;

	if (c->held == c->most || ps_firing_peek(c->out, false) != PS_FIFO_READY || !has_room(c))
		return false;
	c->windows[at].data = ps_fifo_read_start(&c->out->fifo, &c->windows[at].valid);
	for (struct pstk_fifo *f = c->in; f; f = f->next)
		if (f->fifo.owner == &f->fifo && ps_fifo_wanted(&f->fifo))
			ps_fifo_write_start(&f->fifo);
	c->held++;
	return true;
}

/* Was the oldest window of the channel started here? Those that share memory are written once. */
static bool has_started(const struct pstk_fifo *f)
{
	return f->fifo.owner == &f->fifo && atomic_load(&f->fifo.writer.started) != f->fifo.writer.ended;
}

static void put(struct pstk_fifo *f, const void *data, uint32_t valid)
{
	void *to = ps_fifo_write_oldest(&f->fifo);

	if (to) /* else it is there by another FIFO of the output */
		memcpy(to, data, valid * f->fifo.layout.token_size);
}

static void commit(struct channel *c)
{
	const void *data = c->windows[c->first].data;
	uint32_t valid = c->windows[c->first].valid;

	/* all of them first: two may lie at one place, and once one is published its reader may be there */
	for (struct pstk_fifo *f = c->in; f; f = f->next)
		if (has_started(f))
			put(f, data, valid);
	for (struct pstk_fifo *f = c->in; f; f = f->next)
		if (has_started(f) && ps_fifo_write_end(&f->fifo, valid))
			ps_backend_of(f)->fifo_failed(f, true);
	for (struct pstk_fifo *f = c->in; f; f = f->next)
		ps_away_moved(f);
	if (ps_fifo_read_end(&c->out->fifo))
		ps_backend_of(c->out)->fifo_failed(c->out, false);
	ps_away_moved(c->out);
	c->first = (c->first + 1) % HELD;
	c->held--;
}

static void abort_all(const struct courier *c)
{
	for (unsigned i = 0; i < c->count; i++)
		pstk_network_abort(c->parts[i]);
}

/* Has all gone through, or does no reader want more? Then, and not before, it is to be asked whether the part is over:
 * its actors close their ends, too. */
static bool has_ended(const struct channel *c)
{
	return !is_wanted(c) || (!c->held && ps_firing_peek(c->out, false) == PS_FIFO_ENDED);
}

/* Does one thing. false: there was nothing to do. */
static bool step(struct courier *courier, struct channel *c, struct test_rng *rng)
{
	bool took, ended, over;

	if (c->closed)
		return false;
	ended = has_ended(c);
	over = is_over(c);
	if (over) /* before another part takes it for the end of its streams */
		abort_all(courier);
	if (ended || over) {
		close_channel(c);
		return true;
	}
	took = take(c);
	if (!c->held || (took && test_chance(rng, 50)))
		return took;
	commit(c);
	courier->windows++;
	if (courier->carried)
		courier->carried(courier->data);
	return true;
}

static bool any_over(const struct courier *c)
{
	for (unsigned i = 0; i < c->count; i++)
		if (ps_network_over(c->parts[i]))
			return true;
	return false;
}

/* Do all parts stand still, some with actors that wait? Their activity, and 1; else 0. */
static uint64_t look_at_all(const struct courier *c)
{
	uint64_t sum = 1;
	unsigned left = 0;
	bool still = true;

	for (unsigned i = 0; i < c->count && still; i++) {
		still = ps_still_begin(c->parts[i]);
		sum += ps_still_activity(c->parts[i]);
		left += ps_still_left(c->parts[i]);
		ps_still_end(c->parts[i]);
	}
	return still && left ? sum : 0;
}

/* Not if an actor can't be held at the moment: it looks again. */
static void report(struct courier *c)
{
	struct ps_still_wait *waits;
	unsigned most = ps_still_most(c->parts[0]), count = 0;
	bool still = true;

	waits = calloc(most, sizeof *waits);
	ck_assert_ptr_nonnull(waits);
	for (unsigned i = 0; i < c->count && still; i++) {
		still = ps_still_begin(c->parts[i]);
		if (still)
			count += ps_still_waits(c->parts[i], waits + count, most - count);
		ps_still_end(c->parts[i]);
	}
	c->dead = still;
	if (still)
		ps_still_report(c->parts[0], waits, count);
	free(waits);
}

/* Nothing was there to carry for a while. Two looks, and such a round in between: nothing moves any more. */
static void judge(struct courier *c)
{
	uint64_t activity = look_at_all(c);

	if (activity && activity == c->activity && !c->dead)
		report(c);
	c->activity = activity;
}

static void rest(struct courier *c)
{
	enum { PATIENCE = 16 };

	if (c->judges && ++c->idle % PATIENCE == 0)
		judge(c);
	sched_yield();
}

static void carry(struct courier *c, struct channel *channels, struct test_rng *rng)
{
	unsigned open = c->channels;

	while (open) {
		unsigned from = test_between(rng, 0, c->channels - 1);
		bool moved = false;

		if (any_over(c))
			abort_all(c);
		for (unsigned i = 0; i < c->channels; i++) {
			struct channel *of = &channels[(from + i) % c->channels];

			if (step(c, of, rng)) {
				moved = true;
				open -= of->closed;
			}
		}
		if (moved)
			c->activity = 0;
		else
			rest(c);
	}
}

static int wait_for_all(struct courier *c)
{
	int result = 0;

	if (any_over(c))
		abort_all(c);
	for (unsigned i = 0; i < c->count; i++) {
		c->results[i] = pstk_network_wait(c->parts[i]);
		if (!result || (result == -ECANCELED && c->results[i]))
			result = c->results[i];
	}
	return result;
}

/* One of the parts has not started: the others end, too. */
static void give_up(struct courier *c)
{
	for (unsigned i = 0; i < c->count; i++) {
		struct pstk_network *part = c->parts[i];

		if (part->state != PS_RUNNING)
			continue;
		pstk_network_abort(part);
		for (unsigned k = 0; k < part->fifo_count; k++)
			if (part->fifos[k]->crossing == PS_CROSSES_OUT ||
				part->fifos[k]->crossing == PS_CROSSES_IN)
				ps_away_close(part->fifos[k], part->fifos[k]->crossing == PS_CROSSES_IN);
		c->results[i] = pstk_network_wait(part);
	}
}

int courier_run(struct courier *c)
{
	struct test_rng rng = { c->seed };
	struct channel *channels;
	int err = 0;

	for (unsigned i = 0; i < c->count && !err; i++)
		err = c->results[i] = pstk_network_start(c->parts[i]);
	if (err) {
		give_up(c);
		return err;
	}
	c->channels = list_channels(c, NULL, &rng);
	channels = calloc(c->channels + 1, sizeof *channels);
	ck_assert_ptr_nonnull(channels);
	list_channels(c, channels, &rng);
	carry(c, channels, &rng);
	free(channels);
	return wait_for_all(c);
}
