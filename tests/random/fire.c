/* SPDX-License-Identifier: MIT */
/* What the actors of random networks do on the cores. */
#include "tests/random/pipes.h"
#include "tests/random/run_actor.h"

#include <errno.h>
#include <inttypes.h>
#include <sched.h>
#include <string.h>

/* One firing. Several of a stateless actor may be under way. */
struct one {
	struct pstk_firing *f;
	struct run_actor *actor;
	uint64_t number; /* of a dynamic actor: of the control token */
	uint32_t value;
	struct test_rng rng;
	uint64_t moved[NET_PORTS]; /* windows before this firing */
	uint32_t valid[NET_PORTS];
	void *window[NET_PORTS]; /* NULL: off, or not opened */
	bool nothing[NET_PORTS]; /* opened, and to be ended without a token */
};

void run_dawdle(struct test_rng *rng, unsigned percent)
{
	volatile uint32_t spin;

	if (!test_chance(rng, percent))
		return;
	if (test_chance(rng, 50))
		sched_yield();
	for (spin = test_between(rng, 0, 500); spin > 0; spin--)
		;
}

static void dawdle(struct one *one)
{
	run_dawdle(&one->rng, one->actor->spec->dawdle);
}

void run_shuffle(struct test_rng *rng, unsigned *order, unsigned count)
{
	for (unsigned i = 0; i < count; i++) {
		unsigned other = test_between(rng, 0, i);

		order[i] = order[other];
		order[other] = i;
	}
}

static bool is_on(const struct one *one, unsigned p)
{
	return net_on(one->actor->spec, p, one->value);
}

static bool last_firing(const struct one *one)
{
	return one->number == one->actor->spec->last;
}

/* Does this firing leave the port's window open? */
static bool leaves(const struct one *one, unsigned p)
{
	return last_firing(one) && one->actor->spec->last_valid[p] == 0;
}

static const char *open_window(struct one *one, unsigned p)
{
	const struct net_port *port = &one->actor->spec->ports[p];
	size_t lowest = port->token_size & -port->token_size;
	void *window;

	if (port->kind == NET_CONTROL)
		return NULL;
	if (pstk_port_enabled(one->f, p) != is_on(one, p))
		return "is not as its control token says";
	if (!is_on(one, p) || (leaves(one, p) && test_chance(&one->rng, 50)))
		return NULL; /* not even started */
	window = net_reads(port->kind) ? (void *)pstk_fifo_read_start(one->f, p)
	                               : pstk_fifo_write_start(one->f, p);
	if (!window)
		return "gets no window";
	if ((uintptr_t)window % (lowest < 64 ? lowest : 64) != 0)
		return "gets a window that is not aligned";
	one->window[p] = leaves(one, p) ? NULL : window;
	one->nothing[p] = leaves(one, p) && !net_reads(port->kind) && test_chance(&one->rng, 50);
	return NULL;
}

/* The token at a position of the stream: zeros before and behind it. */
static void token_at(const struct run_actor *actor, unsigned f, int64_t position, unsigned char *token)
{
	const struct net_fifo *fifo = &actor->net->fifos[f];

	if (position < 0 || (uint64_t)position >= fifo->delay + actor->oracle->fifos[f].tokens)
		memset(token, 0, fifo->token_size);
	else
		net_token(actor->net, f, (uint64_t)position, token);
}

bool run_window_holds(const struct run_actor *actor, unsigned p, uint64_t moved, uint32_t valid,
	const unsigned char *window)
{
	const struct net_port *port = &actor->spec->ports[p];
	const struct net_fifo *fifo = &actor->net->fifos[actor->fifo[p]];
	int64_t first = (int64_t)(moved * port->rate) - (fifo->peek ? 0 : fifo->history);
	uint32_t seen = fifo->history + valid;
	unsigned char token[128];

	for (uint32_t i = 0; i < seen; i++) {
		token_at(actor, actor->fifo[p], first + i, token);
		if (memcmp(window + i * port->token_size, token, port->token_size) != 0)
			return false;
	}
	for (size_t i = seen * port->token_size; i < (fifo->history + port->rate) * port->token_size; i++)
		if (window[i] != 0)
			return false;
	return true;
}

static const char *check_input(const struct one *one, unsigned p)
{
	uint32_t expected = 0;

	if (is_on(one, p))
		expected = oracle_window(one->actor->oracle, one->actor->fifo[p], one->moved[p]);
	if (one->valid[p] != expected)
		return "has another number of valid tokens than the oracle";
	return !one->window[p] || run_window_holds(one->actor, p, one->moved[p], expected, one->window[p])
	               ? NULL
	               : "reads other tokens than the oracle";
}

/* Of inputs, the tokens too; fills one->valid. */
static const char *check_valid(struct one *one, unsigned *port)
{
	const struct net_actor *spec = one->actor->spec;

	for (*port = 0; *port < spec->port_count; ++*port) {
		const char *what = NULL;

		if (spec->ports[*port].kind == NET_CONTROL)
			continue;
		one->valid[*port] = pstk_port_valid(one->f, *port);
		if (net_reads(spec->ports[*port].kind))
			what = check_input(one, *port);
		if (what)
			return what;
	}
	for (*port = 0; *port < spec->port_count; ++*port) {
		if (net_reads(spec->ports[*port].kind))
			continue;
		if (one->valid[*port] != (is_on(one, *port) ? net_default_valid(spec, *port, one->valid) : 0))
			return "would publish another number of tokens than the oracle";
	}
	*port = 0;
	return pstk_firing_steps(one->f) == net_steps(spec, one->valid) ? NULL
	                                                                : "has other steps than the oracle";
}

static void fill(const struct one *one, unsigned p)
{
	const struct run_actor *actor = one->actor;
	const struct net_port *port = &actor->spec->ports[p];
	uint64_t key = net_written_key(actor->net, actor->number, p), first = one->moved[p] * port->rate;
	unsigned char *window = one->window[p];

	if (port->group >= 0) {
		for (uint32_t i = 0; i < port->rate; i++)
			((uint32_t *)one->window[p])[i] = net_value(
				actor->net, actor->oracle->sequences, (unsigned)port->group, first + i);
		return;
	}
	for (uint32_t i = 0; i < port->rate; i++)
		net_fill(key, first + i, window + i * port->token_size, port->token_size);
}

static void close_window(struct one *one, unsigned p)
{
	const struct net_port *port = &one->actor->spec->ports[p];

	if (one->nothing[p])
		pstk_fifo_write_end_partial(one->f, p, 0);
	if (!one->window[p])
		return;
	if (net_reads(port->kind))
		pstk_fifo_read_end(one->f, p);
	else if (last_firing(one) && one->actor->spec->last_valid[p] < port->rate)
		pstk_fifo_write_end_partial(one->f, p, one->actor->spec->last_valid[p]);
	else if (one->number % 7 == 3 && one->valid[p] == port->rate)
		pstk_fifo_write_end_partial(one->f, p, port->rate); /* the same as write_end */
	else
		pstk_fifo_write_end(one->f, p);
}

static int complain(const struct one *one, unsigned port, const char *what)
{
	return pstk_actor_error(pstk_firing_actor(one->f), -EILSEQ, "port %u in firing %" PRIu64 " %s", port,
		one->number, what);
}

/* Opens, checks, computes, checks, closes; with delays in between. */
static int run_windows(struct one *one)
{
	unsigned count = one->actor->spec->port_count, order[NET_PORTS], port = 0;
	const char *what = NULL;

	run_shuffle(&one->rng, order, count);
	for (unsigned i = 0; i < count; i++) {
		what = open_window(one, order[i]);
		if (what)
			return complain(one, order[i], what);
		dawdle(one);
	}
	what = check_valid(one, &port);
	if (what)
		return complain(one, port, what);
	for (unsigned p = 0; p < count; p++)
		if (one->window[p] && !net_reads(one->actor->spec->ports[p].kind))
			fill(one, p);
	dawdle(one);
	what = check_valid(one, &port); /* no thread has touched the windows meanwhile */
	if (what)
		return complain(one, port, what);
	run_shuffle(&one->rng, order, count);
	for (unsigned i = 0; i < count; i++)
		close_window(one, order[i]);
	return 0;
}

/* One port after the other. A port whose readers have ended gives no window. */
static int run_kahn(struct one *one)
{
	for (unsigned p = 0; p < one->actor->spec->port_count; p++) {
		one->window[p] = pstk_fifo_write_start(one->f, p);
		if (!one->window[p])
			continue;
		fill(one, p);
		dawdle(one);
		pstk_fifo_write_end(one->f, p);
	}
	return 0;
}

/* Which firing of its actor it must be. */
static const char *check_number(const struct one *one, uint64_t before, uint64_t ran)
{
	const struct run_actor *actor = one->actor;
	uint64_t expected = net_fired(actor->net, actor->oracle->sequences, actor->number, one->number);

	if (!actor->spec->stateless && (before != expected || ran != expected))
		return "is not the next firing";
	if (before >= ran + actor->most) /* others that have begun later may be through */
		return "is one firing too many side by side";
	for (unsigned p = 0; p < actor->spec->port_count && !actor->spec->stateless; p++)
		if (actor->spec->ports[p].kind != NET_CONTROL && actor->moved[p] != one->moved[p])
			return "does not see what its last firing has left";
	return NULL;
}

int run_fire(struct pstk_firing *f)
{
	struct run_actor *actor = pstk_actor_arg(pstk_firing_actor(f));
	const struct net_actor *spec = actor->spec;
	struct one one = { .f = f, .actor = actor, .number = pstk_firing_index(f) };
	uint64_t before = atomic_fetch_add(&actor->begun, 1), ran = atomic_load(&actor->ran);
	const char *what;
	int err;

	run_move_any(actor);
	pipes_switch_any(actor);
	one.rng.state = test_mix(test_mix(actor->net->seed + actor->number) ^ one.number);
	if (actor->group < NET_GROUPS)
		one.value = net_value(actor->net, actor->oracle->sequences, actor->group, one.number);
	for (unsigned p = 0; p < spec->port_count; p++)
		one.moved[p] = net_moved(actor->net, actor->oracle->sequences, actor->number, p, one.number);
	what = check_number(&one, before, ran);
	err = what ? complain(&one, 0, what) : spec->kahn ? run_kahn(&one) : run_windows(&one);
	if (err)
		return err;
	for (unsigned p = 0; p < spec->port_count && !spec->stateless; p++)
		actor->moved[p] += is_on(&one, p);
	atomic_fetch_add(&actor->numbers, test_mix(one.number));
	atomic_fetch_add(&actor->ran, 1);
	return last_firing(&one) && !spec->last_again ? PSTK_DONE : PSTK_AGAIN;
}

/* Of all bytes of a window; NULL: 0. */
static uint64_t sum_of(const struct one *one, unsigned p, const unsigned char *window)
{
	const struct net_port *port = &one->actor->spec->ports[p];
	uint64_t sum = 0;

	for (size_t i = 0; window && i < port->rate * port->token_size; i++)
		sum = sum * 31 + window[i];
	return sum;
}

/* On the cores, of an actor that moves: what its kernel does, on the same state. */
int run_fire_moving(struct pstk_firing *f)
{
	struct run_actor *actor = pstk_actor_arg(pstk_firing_actor(f));
	struct one one = { .f = f, .actor = actor, .number = pstk_firing_index(f) };
	const struct device_actor *d = &actor->device;
	struct device_state *state = pstk_actor_state(pstk_firing_actor(f));
	void *at[NET_WINDOWS] = { NULL };
	uint32_t rate[NET_WINDOWS], valid[NET_WINDOWS];
	uint64_t before[NET_WINDOWS];

	run_move_any(actor);
	one.rng.state = test_mix(test_mix(actor->net->seed + actor->number) ^ one.number);
	for (unsigned w = 0; w < d->windows; w++) {
		unsigned p = d->port[w];

		rate[w] = actor->spec->ports[p].rate;
		valid[w] = pstk_port_valid(f, p);
		if (pstk_port_enabled(f, p))
			at[w] = net_reads(actor->spec->ports[p].kind) ? (void *)pstk_fifo_read_start(f, p)
			                                              : pstk_fifo_write_start(f, p);
		dawdle(&one);
	}
	device_run(state, net_fired(actor->net, actor->oracle->sequences, actor->number, one.number),
		state->table, d->windows, at, rate, valid);
	for (unsigned w = 0; w < d->windows; w++)
		before[w] = sum_of(&one, d->port[w], at[w]);
	dawdle(&one);
	for (unsigned w = 0; w < d->windows; w++)
		if (sum_of(&one, d->port[w], at[w]) != before[w])
			return complain(&one, d->port[w], "has a window that another one changes");
	for (unsigned w = 0; w < d->windows; w++)
		if (at[w] && net_reads(actor->spec->ports[d->port[w]].kind))
			pstk_fifo_read_end(f, d->port[w]);
		else if (at[w])
			pstk_fifo_write_end(f, d->port[w]);
	atomic_fetch_add(&actor->ran, 1);
	return PSTK_AGAIN;
}

int run_control(struct pstk_firing *f, uint32_t value)
{
	const struct run_actor *actor = pstk_actor_arg(pstk_firing_actor(f));

	for (unsigned p = 0; p < actor->spec->port_count; p++)
		if (net_is_dynamic(actor->spec->ports[p].kind) && net_on(actor->spec, p, value))
			pstk_port_enable(f, p, true);
	return 0;
}

int run_init(struct pstk_actor *self)
{
	struct run_actor *actor = pstk_actor_arg(self);

	return net_has_kernel(actor->spec) ? device_init(self, &actor->device, actor->spec->plain) : 0;
}

int run_finish(struct pstk_actor *self)
{
	struct run_actor *actor = pstk_actor_arg(self);

	actor->finished++;
	if (net_has_kernel(actor->spec))
		memcpy(&actor->left, pstk_actor_state(self), actor->device.state_size);
	return 0;
}
