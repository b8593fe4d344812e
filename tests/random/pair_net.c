/* SPDX-License-Identifier: MIT */
#include "tests/random/pair_net.h"

#include <penstock/penstock.h>

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { C, A, B, ACTORS };

/* An actor's arg; written by its thread only. */
struct run_actor {
	const struct pair *pair;
	uint32_t bits;
	struct pair_state left; /* what finish() has seen */
	uint64_t wrong;         /* what fire() has */
};

struct run {
	const struct pair *pair;
	struct run_actor args[ACTORS];
	struct pstk_network *network;
	struct pstk_actor *actors[ACTORS];
	struct pstk_fifo *to_a, *to_b, *data;
	char message[768];
};

PSTK_PRINTF(2, 3) static void say(struct run *run, const char *format, ...)
{
	va_list list;

	if (run->message[0])
		return;
	va_start(list, format);
	vsnprintf(run->message, sizeof run->message, format, list);
	va_end(list);
}

/* -- the actors -- */

static const char source[] = "struct pair_state { ulong firings, wrong; };\n"
			     "__kernel void pair_write(__global uint *out, __global struct pair_state *s, "
			     "ulong firing, uint rate,\n"
			     "	uint valid, uint delay)\n"
			     "{\n"
			     "	s->wrong += s->firings++ != firing || valid != rate || !out;\n"
			     "	for (uint i = 0; i < rate; i++) out[i] = delay + (uint)firing * rate + i;\n"
			     "}\n"
			     "__kernel void pair_read(__global const uint *in, __global struct pair_state "
			     "*s, ulong firing, uint rate,\n"
			     "	uint valid)\n"
			     "{\n"
			     "	s->wrong += s->firings++ != firing || !valid || valid > rate || !in;\n"
			     "	for (uint i = 0; i < rate; i++) s->wrong += in[i] != (i < valid ? "
			     "(uint)firing * rate + i : 0);\n"
			     "}\n";

static void send(struct pstk_firing *f, unsigned port, uint32_t bits, uint64_t k)
{
	uint32_t *token = pstk_fifo_write_start(f, port);

	if (!token) /* kahn: nobody wants it */
		return;
	*token = bits >> k & 1;
	pstk_fifo_write_end(f, port);
}

static int control_fire(struct pstk_firing *f)
{
	const struct pair *p = ((struct run_actor *)pstk_actor_arg(pstk_firing_actor(f)))->pair;
	uint64_t k = pstk_firing_index(f);
	bool b_first = p->order == PAIR_B_FIRST;

	send(f, b_first, b_first ? p->b : p->a, k);
	send(f, !b_first, b_first ? p->a : p->b, k);
	return k + 1 < p->n ? PSTK_AGAIN : PSTK_DONE;
}

static int decide(struct pstk_firing *f, uint32_t value)
{
	pstk_port_enable(f, 1, value);
	return 0;
}

static bool begin(struct pstk_firing *f, struct run_actor *actor, struct pair_state *s)
{
	actor->wrong += !(actor->bits >> pstk_firing_index(f) & 1) || !pstk_port_enabled(f, 1);
	return s->firings++ != UINT64_MAX;
}

static int write_fire(struct pstk_firing *f)
{
	struct run_actor *actor = pstk_actor_arg(pstk_firing_actor(f));
	struct pair_state *s = pstk_actor_state(pstk_firing_actor(f));
	uint32_t *out = pstk_fifo_write_start(f, 1), rate = actor->pair->rate;

	for (uint32_t i = 0; i < rate; i++)
		out[i] = actor->pair->delay + (uint32_t)s->firings * rate + i;
	begin(f, actor, s);
	pstk_fifo_write_end(f, 1);
	return PSTK_AGAIN;
}

static int read_fire(struct pstk_firing *f)
{
	struct run_actor *actor = pstk_actor_arg(pstk_firing_actor(f));
	struct pair_state *s = pstk_actor_state(pstk_firing_actor(f));
	const uint32_t *in = pstk_fifo_read_start(f, 1);
	uint32_t rate = actor->pair->rate, valid = pstk_port_valid(f, 1);

	for (uint32_t i = 0; i < rate; i++)
		s->wrong += in[i] != (i < valid ? (uint32_t)s->firings * rate + i : 0);
	begin(f, actor, s);
	pstk_fifo_read_end(f, 1);
	return PSTK_AGAIN;
}

/* Of A and B, for their device forms. */
static int member_init(struct pstk_actor *self)
{
	const struct run_actor *actor = pstk_actor_arg(self);
	struct pstk_device_info info;
	const size_t one = 1;
	int err;

	if (pstk_actor_device(self, &info))
		return 0;
	err = pstk_actor_set_work_size(self, 1, &one, &one);
	err = err ? err : pstk_actor_set_arg(self, 0, 4, PSTK_ARG_RATE(1));
	err = err ? err : pstk_actor_set_arg(self, 1, 4, PSTK_ARG_VALID(1));
	if (!err && pstk_actor_get_type(self)->ports[1].kind == PSTK_DYNAMIC_OUTPUT)
		err = pstk_actor_set_arg(self, 2, 4, &actor->pair->delay);
	return err;
}

static int member_finish(struct pstk_actor *self)
{
	((struct run_actor *)pstk_actor_arg(self))->left = *(struct pair_state *)pstk_actor_state(self);
	return 0;
}

/* -- building it -- */

static void add_control(struct run *run)
{
	static const struct pstk_port ports[] = { { .name = "a", .kind = PSTK_OUTPUT },
		{ .name = "b", .kind = PSTK_OUTPUT } };

	run->actors[C] = pstk_network_add(run->network, "c",
		PSTK_ACTOR_TYPE(.name = "control", .ports = ports, .port_count = 2, .fire = control_fire,
			.kahn = run->pair->order != PAIR_AT_ONCE),
		&run->args[C]);
}

static void add_member(struct run *run, unsigned which, const char *device)
{
	static const struct pstk_port ports[2][2] = {
		{ { .name = "control", .kind = PSTK_CONTROL },
			{ .name = "out", .kind = PSTK_DYNAMIC_OUTPUT } },
		{ { .name = "control", .kind = PSTK_CONTROL }, { .name = "in", .kind = PSTK_DYNAMIC_INPUT } }
	};
	static const struct pstk_kernel kernels[2] = { { .source = source, .name = "pair_write" },
		{ .source = source, .name = "pair_read" } };

	run->args[which].bits = which == A ? run->pair->a : run->pair->b;
	run->actors[which] = pstk_network_add(run->network, which == A ? "a" : "b",
		PSTK_ACTOR_TYPE(.name = which == A ? "writer" : "reader", .ports = ports[which - A],
			.port_count = 2, .state_size = sizeof(struct pair_state), .control_values = 2,
			.init = member_init, .control = decide, .fire = which == A ? write_fire : read_fire,
			.kernel = device ? &kernels[which - A] : NULL, .finish = member_finish),
		&run->args[which]);
	if (device)
		pstk_actor_map(run->actors[which], device);
}

/* Who runs it, by what it is: a pair that failed fails again. */
static void choose_mode(struct run *run)
{
	const struct pair *p = run->pair;
	struct test_rng rng = { test_mix(test_mix(p->a) ^ p->b) + p->n + 64 * p->depth };

	if (pstk_network_set_threads(run->network, test_team(&rng)))
		say(run, "%s", pstk_network_error(run->network));
}

static void build(struct run *run, const char *a, const char *b)
{
	const struct pair *p = run->pair;
	uint32_t initial[2 * PAIR_RATE];

	run->network = pstk_network_create("pair");
	choose_mode(run);
	for (unsigned i = 0; i < ACTORS; i++)
		run->args[i].pair = p;
	for (uint32_t i = 0; i < TEST_COUNT(initial); i++)
		initial[i] = i;
	add_control(run);
	add_member(run, A, a);
	add_member(run, B, b);
	run->to_a = pstk_connect(run->actors[C], "a", run->actors[A], "control",
		PSTK_FIFO(.rate = 1, .depth = p->depth_a, .token_size = 4));
	run->to_b = pstk_connect(run->actors[C], "b", run->actors[B], "control",
		PSTK_FIFO(.rate = 1, .depth = p->depth_b, .token_size = 4));
	run->data = pstk_connect(run->actors[A], "out", run->actors[B], "in",
		PSTK_FIFO(.rate = p->rate, .delay = p->delay, .depth = p->depth, .token_size = 4,
			.initial = p->delay ? initial : NULL));
	pstk_network_set_flags(run->network, PSTK_UNCHECKED);
}

/* -- what must come of it -- */

static void check_counts(struct run *run, const struct pair_end *end)
{
	const struct pair *p = run->pair;
	struct pstk_actor_stats a, b;
	struct pstk_fifo_info data;

	pstk_actor_get_stats(run->actors[A], &a);
	pstk_actor_get_stats(run->actors[B], &b);
	pstk_fifo_get_info(run->data, &data);
	if (a.control_tokens < end->a_least || a.control_tokens > end->a_tokens ||
		b.control_tokens != end->b_tokens)
		say(run, "A has obeyed %" PRIu64 " control tokens, not %u to %u, B %" PRIu64 ", not %u",
			a.control_tokens, end->a_least, end->a_tokens, b.control_tokens, end->b_tokens);
	if (data.read != (uint64_t)end->read * p->rate || b.firings != end->read)
		say(run, "%" PRIu64 " tokens read in %" PRIu64 " firings, not %u windows", data.read,
			b.firings, end->read);
	if (data.written < (uint64_t)end->written_least * p->rate ||
		data.written > (uint64_t)end->written * p->rate || data.written % p->rate)
		say(run, "%" PRIu64 " tokens written, not %u to %u windows", data.written, end->written_least,
			end->written);
	if (data.written + p->delay >= data.read && data.fill != data.written + p->delay - data.read)
		say(run, "%" PRIu64 " tokens left of %" PRIu64 " + %u - %" PRIu64, data.fill, data.written,
			p->delay, data.read);
	for (unsigned i = A; i <= B; i++)
		if (run->args[i].left.wrong || run->args[i].wrong)
			say(run, "%c: %" PRIu64 " wrong tokens, %" PRIu64 " wrong firings", "CAB"[i],
				run -> args[i].left.wrong, run->args[i].wrong);
	/* after a failure the states of devices stay there */
	if (!end->dead && (run->args[A].left.firings < a.firings || run->args[B].left.firings != b.firings))
		say(run, "the states say %" PRIu64 " and %" PRIu64 " firings, not %" PRIu64 " and %" PRIu64,
			run->args[A].left.firings, run->args[B].left.firings, a.firings, b.firings);
}

/* "a (firing 3) waits", or "a (firing 3, control 1) waits". */
static bool waits_in(const char *text, char actor, unsigned firing)
{
	char start[32];
	const char *at;

	snprintf(start, sizeof start, " %c (firing %u", actor, firing);
	at = strstr(text, start);
	return at && strchr("),", at[strlen(start)]);
}

/* The detector must have seen what the model says: whoever misses something in which firing. */
static void check_report(struct run *run, const struct pair_end *end)
{
	const char *text = pstk_network_error(run->network);

	if (!strstr(text, "deadlock: ") || !strstr(text, "c (firing ") ||
		!waits_in(text, 'a', end->a_tokens) || !waits_in(text, 'b', end->b_tokens))
		say(run, "the report should say that a waits in firing %u and b in %u: %s", end->a_tokens,
			end->b_tokens, text);
}

/* Thousands of expected deadlocks are told by the network's error. */
static void no_log(void *data, enum pstk_log_level level, const char *topic, const char *message)
{
	(void)data, (void)level, (void)topic, (void)message;
}

/* A dead pair's state is the same in every interleaving, so that of one will do. */
static void expect(const struct pair *p, struct pair_end *end)
{
	struct test_rng any = { 0 };

	pair_predict(p, end);
	if (!end->dead)
		return;
	pair_simulate(p, &any, end);
	end->dead = true;
	end->written_least = end->written;
	end->a_least = end->a_tokens;
}

const char *pair_run(const struct pair *p, const char *a, const char *b, struct pair_totals *totals)
{
	static _Thread_local struct run run;
	struct pair_end end;
	int err;

	memset(&run, 0, sizeof run);
	run.pair = p;
	pstk_set_log(no_log, NULL);
	expect(p, &end);
	build(&run, a, b);
	err = pstk_network_run(run.network);
	if (err != (end.dead ? -EDEADLK : 0))
		say(&run, "%s: %d (%s), not as predicted, %s", pair_text(p), err,
			pstk_network_error(run.network), end.dead ? "dead" : "alive");
	check_counts(&run, &end);
	if (end.dead)
		check_report(&run, &end);
	pstk_set_log(NULL, NULL);
	pstk_network_destroy(run.network);
	totals->pairs++;
	totals->dead += end.dead;
	totals->starved += !end.dead && end.b_tokens < p->n;
	totals->firings += end.read;
	return run.message[0] ? run.message : NULL;
}
