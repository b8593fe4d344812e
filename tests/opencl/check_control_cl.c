/* SPDX-License-Identifier: MIT */
/*
 * Control of an actor on a device, case by case, on the fake driver: nothing is launched with every port
 * off, control values are taken ahead of the device, and everything that is wrong. Whole networks:
 * check_probes.c, check_probes_fake.c.
 *
 * conf -> dyn.control; feed -> dyn.x; dyn.p -> sink. Bit 0 of a control value turns x on, bit 1 p.
 */
#include "lib/model/network.h"
#include "lib/schedule/launch.h"
#include "tests/common/common.h"
#include "tests/fake_cl/fake_cl.h"

#include <penstock/opencl.h>

#include <errno.h>
#include <inttypes.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>

enum { RATE = 2, VALUES = 4, MARK = 0x5eed, FIRINGS = 64 };

struct unit_state {
	uint64_t launches, seen[VALUES], wrong, mark;
};

/* What control() or fire_cl() does besides its work. */
enum deed {
	WELL,
	FAILS_IN_CONTROL, /* -EDOM for value 1, with a text */
	ENABLES_STATIC,   /* the control port */
	ENABLES_NO_PORT,
	ASKS_IN_CONTROL,  /* for its window */
	ENABLES_LATE,     /* in fire_cl() */
	ASKS_FOR_OFF,     /* pstk_cl_window() of every port */
	ASKS_FOR_CONTROL, /* .. of the control port */
	FORGETS,          /* does not ask for x, which is on */
	PARTIAL,          /* ends with 1 of 2 tokens in p, in the first firing that has one */
	VALID_OF_OFF      /* pstk_cl_set_valid() of p when it is off */
};

struct unit {
	/* set these, then build */
	unsigned n;
	uint32_t values[FIRINGS];
	uint32_t control_depth, depth; /* depth: of p's FIFO */
	enum deed deed;
	bool host_code;         /* fire_cl() */
	bool control_on_device; /* conf is a kernel behind a source */
	bool no_feed;

	struct pstk_network *net;
	struct pstk_actor *source, *conf, *feed, *dyn, *sink;
	struct pstk_fifo *control, *x, *p;
	_Atomic uint64_t go; /* conf's source fires */
	struct unit_state left;
	uint64_t calls, bad, got, fed;
	uint32_t tokens[RATE * FIRINGS]; /* that came to the sink */
};

static struct unit *unit_of(struct pstk_firing *f)
{
	return pstk_actor_arg(pstk_firing_actor(f));
}

/* -- the kernels -- */

static const char source[] = "kernel void unit(\nkernel void choose(\n";

static void run_unit(const struct fake_cl_launch *l)
{
	const uint32_t *x = l->arg[0], *vx = l->arg[4], *vp = l->arg[5];
	uint32_t *p = l->arg[1];
	struct unit_state *s = l->arg[2];

	s->wrong += *(const cl_ulong *)l->arg[3] != s->launches || (x != NULL) != (*vx != 0) ||
	            (p != NULL) != (*vp != 0);
	s->seen[(x ? 1 : 0) + (p ? 2 : 0)]++;
	for (uint32_t i = 0; p && i < RATE; i++)
		p[i] = (uint32_t)(s->launches * RATE) + i;
	s->launches++;
}

static void run_choose(const struct fake_cl_launch *l)
{
	*(uint32_t *)l->arg[1] = *(const uint32_t *)l->arg[0];
}

static const struct fake_cl *driver(const char *settings, const char *memory)
{
	static const struct fake_cl_arg unit[] = { FAKE_CL_IN("x", "uint"), FAKE_CL_OUT("p", "uint"),
		FAKE_CL_OUT("s", "struct unit_state"), FAKE_CL_VALUE("firing", "ulong", 8),
		FAKE_CL_VALUE("vx", "uint", 4), FAKE_CL_VALUE("vp", "uint", 4) };
	static const struct fake_cl_arg choose[] = { FAKE_CL_IN("raw", "uint"), FAKE_CL_OUT("out", "uint"),
		FAKE_CL_VALUE("firing", "ulong", 8) };
	static const struct fake_cl_kernel kernels[] = {
		{ .name = "unit", .args = unit, .arg_count = TEST_COUNT(unit), .run = run_unit },
		{ .name = "choose", .args = choose, .arg_count = TEST_COUNT(choose), .run = run_choose },
	};
	char all[128];
	const struct fake_cl *fake;

	snprintf(all, sizeof all, "%s,nullmem=1", settings);
	test_log_start(); /* what is wrong is told by the error */
	fake = fake_cl_start(FAKE_CL_DRIVER, all, NULL);
	ck_assert_ptr_nonnull(fake);
	setenv("PENSTOCK_MEMORY", memory, 1);
	fake->reset();
	for (size_t i = 0; i < TEST_COUNT(kernels); i++)
		ck_assert_int_eq(fake->add_kernel(&kernels[i]), 0);
	return fake;
}

/* -- the actors -- */

enum { CONTROL, X, P };

static int conf_fire(struct pstk_firing *f)
{
	struct unit *u = unit_of(f);
	uint64_t k = pstk_firing_index(f);

	test_await(&u->go, 1);
	*(uint32_t *)pstk_fifo_write_start(f, 0) = u->values[k];
	pstk_fifo_write_end(f, 0);
	return k + 1 < u->n ? PSTK_AGAIN : PSTK_DONE;
}

static int feed_fire(struct pstk_firing *f)
{
	struct unit *u = unit_of(f);
	uint32_t *out;

	if (u->no_feed)
		return PSTK_DONE;
	out = pstk_fifo_write_start(f, 0);
	for (uint32_t i = 0; i < RATE; i++)
		out[i] = 1000 + (uint32_t)u->fed++;
	pstk_fifo_write_end(f, 0);
	return u->fed < (uint64_t)RATE * FIRINGS ? PSTK_AGAIN : PSTK_DONE;
}

static int sink_fire(struct pstk_firing *f)
{
	struct unit *u = unit_of(f);
	const uint32_t *in = pstk_fifo_read_start(f, 0);

	for (uint32_t i = 0; i < pstk_port_valid(f, 0); i++)
		u->tokens[u->got++] = in[i];
	pstk_fifo_read_end(f, 0);
	return PSTK_AGAIN;
}

static int decide(struct pstk_firing *f, uint32_t value)
{
	struct unit *u = unit_of(f);
	struct pstk_cl_window w;

	if (u->deed == FAILS_IN_CONTROL && value == 1)
		return pstk_actor_error(pstk_firing_actor(f), -EDOM, "one is not wanted");
	if (u->deed == ENABLES_STATIC || u->deed == ENABLES_NO_PORT)
		pstk_port_enable(f, u->deed == ENABLES_STATIC ? CONTROL : 9, true);
	if (u->deed == ASKS_IN_CONTROL)
		pstk_cl_window(f, X, &w);
	pstk_port_enable(f, X, value & 1);
	pstk_port_enable(f, P, value & 2);
	return 0;
}

static bool asks_wrongly(struct pstk_firing *f, const struct unit *u, bool x, bool p)
{
	struct pstk_cl_window w;

	switch (u->deed) {
	case ENABLES_LATE:
		pstk_port_enable(f, X, true);
		return true;
	case ASKS_FOR_OFF:
		return pstk_cl_window(f, x ? P : X, &w) == -EPROTO;
	case ASKS_FOR_CONTROL:
		return pstk_cl_window(f, CONTROL, &w) == -EPROTO;
	case FORGETS:
		return x;
	case VALID_OF_OFF:
		return !p && pstk_cl_set_valid(f, P, 1) == -EINVAL;
	default:
		return false;
	}
}

static int dyn_fire_cl(struct pstk_firing *f)
{
	struct unit *u = unit_of(f);
	bool x = pstk_port_enabled(f, X), p = pstk_port_enabled(f, P);
	uint32_t value = u->values[pstk_firing_index(f)], fill = 77;
	struct pstk_cl_window in, out;
	cl_int code = 0;

	u->calls++;
	u->bad += x != (value & 1) || p != !!(value & 2) || pstk_port_enabled(f, CONTROL) ||
	          (!x && pstk_port_valid(f, X)) || (!p && pstk_port_valid(f, P));
	if (asks_wrongly(f, u, x, p))
		return PSTK_AGAIN;
	if ((x && pstk_cl_window(f, X, &in)) || (p && pstk_cl_window(f, P, &out)))
		return -EPROTO;
	if (x && p)
		code = clEnqueueCopyBuffer(
			pstk_cl_queue(f), in.buffer, out.buffer, 0, 0, in.bytes, 0, NULL, NULL);
	else if (p)
		code = clEnqueueFillBuffer(
			pstk_cl_queue(f), out.buffer, &fill, 4, 0, out.bytes, 0, NULL, NULL);
	if (u->deed == PARTIAL && p)
		u->bad += pstk_cl_set_valid(f, P, 1) != 0;
	return code ? -EIO : PSTK_AGAIN;
}

static int dyn_init(struct pstk_actor *self)
{
	struct unit_state *s = pstk_actor_state(self);
	const size_t one = 1;
	int err = pstk_actor_set_work_size(self, 1, &one, &one);

	s->mark = MARK;
	err = err ? err : pstk_actor_set_arg(self, 0, 4, PSTK_ARG_VALID(X));
	return err ? err : pstk_actor_set_arg(self, 1, 4, PSTK_ARG_VALID(P));
}

static int dyn_finish(struct pstk_actor *self)
{
	struct unit *u = pstk_actor_arg(self);

	u->left = *(struct unit_state *)pstk_actor_state(self);
	return 0;
}

static int one_init(struct pstk_actor *self)
{
	const size_t one = 1;

	return pstk_actor_set_work_size(self, 1, &one, &one);
}

/* -- building it -- */

static void add_conf(struct unit *u)
{
	static const struct pstk_port ports[] = { { .name = "raw", .kind = PSTK_INPUT },
		{ .name = "out", .kind = PSTK_OUTPUT } };
	static const struct pstk_kernel choose = { .source = source, .name = "choose" };

	u->source = u->conf = pstk_network_add(u->net, u->control_on_device ? "raw" : "conf",
		PSTK_ACTOR_TYPE(.name = "values", .ports = &ports[1], .port_count = 1, .fire = conf_fire), u);
	if (!u->control_on_device)
		return;
	u->conf = pstk_network_add(u->net, "conf",
		PSTK_ACTOR_TYPE(.name = "chooser", .ports = ports, .port_count = 2, .init = one_init,
			.kernel = &choose),
		u);
	pstk_actor_map(u->conf, "pstk:gpu:0");
	pstk_connect(u->source, "out", u->conf, "raw", PSTK_FIFO(.rate = 1, .token_size = 4));
}

static void build(struct unit *u)
{
	static const struct pstk_port ports[] = { { .name = "control", .kind = PSTK_CONTROL },
		{ .name = "x", .kind = PSTK_DYNAMIC_INPUT }, { .name = "p", .kind = PSTK_DYNAMIC_OUTPUT } };
	static const struct pstk_port out = { .name = "out", .kind = PSTK_OUTPUT };
	static const struct pstk_port in = { .name = "in", .kind = PSTK_INPUT };
	static const struct pstk_kernel kernel = { .source = source, .name = "unit" };

	u->net = pstk_network_create("unit");
	pstk_network_set_flags(u->net, PSTK_UNCHECKED); /* feed and sink are static */
	add_conf(u);
	u->feed = pstk_network_add(u->net, "feed",
		PSTK_ACTOR_TYPE(.name = "feed", .ports = &out, .port_count = 1, .fire = feed_fire), u);
	u->dyn = pstk_network_add(u->net, "dyn",
		PSTK_ACTOR_TYPE(.name = "unit", .ports = ports, .port_count = 3, .control_values = VALUES,
			.state_size = u->host_code ? 0 : sizeof(struct unit_state),
			.init = u->host_code ? NULL : dyn_init, .control = decide,
			.fire_cl = u->host_code ? dyn_fire_cl : NULL, .kernel = u->host_code ? NULL : &kernel,
			.finish = u->host_code ? NULL : dyn_finish),
		u);
	pstk_actor_map(u->dyn, "pstk:gpu:0");
	u->sink = pstk_network_add(u->net, "sink",
		PSTK_ACTOR_TYPE(.name = "sink", .ports = &in, .port_count = 1, .fire = sink_fire), u);
	u->control = pstk_connect(u->conf, "out", u->dyn, "control",
		PSTK_FIFO(.rate = 1, .depth = u->control_depth, .token_size = 4));
	u->x = pstk_connect(u->feed, "out", u->dyn, "x", PSTK_FIFO(.rate = RATE, .token_size = 4));
	u->p = pstk_connect(
		u->dyn, "p", u->sink, "in", PSTK_FIFO(.rate = RATE, .depth = u->depth, .token_size = 4));
}

static void check_left(const struct fake_cl *fake)
{
	fake->settle();
	for (int kind = FAKE_CL_CONTEXT; kind < FAKE_CL_KIND_COUNT; kind++)
		ck_assert_msg(!fake->live((enum fake_cl_kind)kind), "%ld objects of kind %d are left",
			fake->live((enum fake_cl_kind)kind), kind);
	ck_assert_msg(!fake->violation_count(), "%s", fake->violation(0));
}

static const struct {
	const char *settings, *memory;
} ways[] = { { "svm=none,unified=0", "copy" }, { "svm=none,unified=1", "map" },
	{ "svm=coarse,unified=1,guard=1", "svm" }, { "svm=fine,unified=1", "svm" } };

/* Runs, and checks counts against the values. */
static void run_well(struct unit *u, const struct fake_cl *fake)
{
	uint64_t count[VALUES] = { 0 }, launches;
	struct pstk_actor_stats stats;
	struct pstk_fifo_info x, p;

	for (unsigned k = 0; k < u->n; k++)
		count[u->values[k]]++;
	launches = count[1] + count[2] + count[3];
	atomic_store(&u->go, 1);
	ck_assert_msg(!pstk_network_run(u->net), "%s", pstk_network_error(u->net));
	pstk_actor_get_stats(u->dyn, &stats);
	ck_assert_uint_eq(stats.control_tokens, u->n);
	ck_assert_uint_eq(stats.firings, launches);
	pstk_fifo_get_info(u->x, &x);
	pstk_fifo_get_info(u->p, &p);
	ck_assert_uint_eq(x.read, RATE * (count[1] + count[3]));
	ck_assert_uint_eq(p.written, RATE * (count[2] + count[3]));
	ck_assert_uint_eq(u->got, RATE * (count[2] + count[3]));
	pstk_network_destroy(u->net);
	if (!u->host_code) {
		ck_assert_uint_eq(u->left.launches, launches);
		for (unsigned v = 1; v < VALUES; v++)
			ck_assert_uint_eq(u->left.seen[v], count[v]);
		ck_assert_uint_eq(u->left.seen[0], 0);
		ck_assert_uint_eq(u->left.wrong, 0);
		ck_assert_uint_eq(u->left.mark, MARK);
	}
	ck_assert_uint_eq(u->bad, 0);
	ck_assert_uint_eq(u->calls, u->host_code ? launches : 0);
	/* each kernel's first launch on top */
	ck_assert_uint_eq(fake->commands(CL_COMMAND_NDRANGE_KERNEL),
		(u->host_code ? 0 : 1 + launches) + (u->control_on_device ? 1 + u->n : 0));
	check_left(fake);
}

/* -- what is right -- */

START_TEST(nothing_is_launched)
{
	for (unsigned on_device = 0; on_device < 2; on_device++) {
		const struct fake_cl *fake = driver(ways[_i].settings, ways[_i].memory);
		struct unit u = { .n = FIRINGS, .control_on_device = on_device };

		build(&u);
		run_well(&u, fake);
	}
}
END_TEST

static void mix_values(struct unit *u, uint64_t seed)
{
	struct test_rng rng = { test_mix(seed) };

	u->n = test_between(&rng, 1, FIRINGS);
	for (unsigned k = 0; k < u->n; k++)
		u->values[k] = test_between(&rng, 0, VALUES - 1);
}

START_TEST(pointers_of_ports_that_are_off)
{
	for (uint64_t seed = 0; seed < 24; seed++) {
		const struct fake_cl *fake = driver(ways[_i].settings, ways[_i].memory);
		struct unit u = { .control_on_device = seed % 2 };
		uint64_t next = 0;

		mix_values(&u, seed);
		build(&u);
		run_well(&u, fake);
		for (unsigned k = 0, t = 0; k < u.n; k++) {
			if (u.values[k] & 2)
				for (uint32_t i = 0; i < RATE; i++)
					ck_assert_uint_eq(u.tokens[t++], next * RATE + i);
			next += u.values[k] != 0;
		}
	}
}
END_TEST

START_TEST(host_code)
{
	for (uint64_t seed = 0; seed < 24; seed++) {
		const struct fake_cl *fake = driver(ways[_i].settings, ways[_i].memory);
		struct unit u = { .host_code = true, .control_on_device = seed % 2 };
		uint32_t fed = 1000;

		mix_values(&u, seed);
		build(&u);
		run_well(&u, fake);
		for (unsigned k = 0, t = 0; k < u.n; k++)
			for (uint32_t i = 0; i < RATE; i++) {
				if (u.values[k] & 2)
					ck_assert_uint_eq(u.tokens[t++], u.values[k] & 1 ? fed : 77);
				fed += u.values[k] & 1;
			}
	}
}
END_TEST

/* An actor that waits at its control port for a device's command has its own thread to do so. */
START_TEST(who_launches)
{
	const struct fake_cl *fake = driver(ways[_i].settings, ways[_i].memory);

	for (unsigned on_device = 0; on_device < 2; on_device++) {
		struct unit u = { .n = 3, .values = { 2, 0, 3 }, .control_on_device = on_device };

		build(&u);
		ck_assert_int_eq(pstk_network_set_threads(u.net, 0), 0);
		atomic_store(&u.go, 1);
		ck_assert_int_eq(pstk_network_start(u.net), 0);
		ck_assert((u.dyn->task->runner == &ps_launch_runner) == !on_device);
		ck_assert(!on_device || u.conf->task->runner == &ps_launch_runner);
		ck_assert_int_eq(pstk_network_wait(u.net), 0);
		pstk_network_destroy(u.net);
	}
	check_left(fake);
}
END_TEST

/* -- ahead of the device -- */

static void await_written(struct unit *u, uint64_t tokens)
{
	struct pstk_fifo_info info;

	do {
		sched_yield();
		pstk_fifo_get_info(u->control, &info);
		ck_assert_uint_le(info.written, tokens);
	} while (info.written < tokens);
	for (unsigned i = 0; i < 200; i++) {
		sched_yield();
		pstk_fifo_get_info(u->control, &info);
		ck_assert_uint_eq(info.written, tokens);
	}
}

/* No command runs: the actor takes one control token more than it can enqueue, and conf fills the FIFO behind it. It
 * can enqueue as many firings as there are windows at the places that its output crosses, and not more than are in
 * flight at once. */
enum { IN_FLIGHT = 8 };

static const struct {
	uint32_t depth, control_depth;
} held[] = { { 1, 1 }, { 2, 1 }, { 2, 8 }, { 3, 2 }, { 16, 1 }, { 16, 8 } };

START_TEST(conf_runs_ahead)
{
	const struct fake_cl *fake = driver(ways[_i].settings, ways[_i].memory);

	for (size_t i = 0; i < TEST_COUNT(held); i++) {
		struct unit u = {
			.n = FIRINGS, .depth = held[i].depth, .control_depth = held[i].control_depth
		};
		struct pstk_actor_stats stats;
		struct pstk_fifo_info x;
		uint32_t enqueued;

		for (unsigned k = 0; k < u.n; k++)
			u.values[k] = 2;
		build(&u);
		ck_assert_int_eq(pstk_network_start(u.net), 0);
		ck_assert_int_eq(pstk_fifo_get_info(u.x, &x), 0);
		enqueued = held[i].depth * (strcmp(x.memory, "staged") ? 1 : 2);
		enqueued = enqueued < IN_FLIGHT ? enqueued : IN_FLIGHT;
		fake->hold(true);
		atomic_store(&u.go, 1);
		await_written(&u, enqueued + 1 + held[i].control_depth);
		pstk_actor_get_stats(u.dyn, &stats);
		ck_assert_uint_eq(stats.control_tokens, enqueued);
		fake->hold(false);
		ck_assert_msg(!pstk_network_wait(u.net), "%s", pstk_network_error(u.net));
		ck_assert_uint_eq(u.got, RATE * FIRINGS);
		pstk_network_destroy(u.net);
	}
	check_left(fake);
}
END_TEST

/* What turns every port off waits for nothing, whatever the device still has to do. */
START_TEST(off_passes_what_flies)
{
	const struct fake_cl *fake = driver(ways[_i].settings, ways[_i].memory);
	struct unit u = { .n = FIRINGS, .values = { 2, 2 }, .control_depth = 1 };
	struct pstk_actor_stats stats;

	build(&u);
	ck_assert_int_eq(pstk_network_start(u.net), 0);
	fake->hold(true);
	atomic_store(&u.go, 1);
	do {
		sched_yield();
		pstk_actor_get_stats(u.dyn, &stats);
	} while (stats.control_tokens < FIRINGS);
	ck_assert_uint_eq(stats.firings, 2);
	ck_assert_uint_eq(u.got, 0);
	fake->hold(false);
	ck_assert_int_eq(pstk_network_wait(u.net), 0);
	ck_assert_uint_eq(u.got, 2 * RATE);
	pstk_network_destroy(u.net);
	ck_assert_uint_eq(u.left.launches, 2);
	check_left(fake);
}
END_TEST

/* -- what is wrong -- */

static const struct {
	enum deed deed;
	bool host_code;
	uint32_t values[3];
	int err;
	const char *says[4];
} deeds[] = {
	{ WELL, false, { 2, 9, 2 }, -ERANGE,
		{ "'dyn' (unit), firing 1", "'conf'.", "sent 9: its control values are 0 to 3" } },
	{ WELL, true, { 2, 4, 2 }, -ERANGE,
		{ "'dyn' (unit), firing 1", "'conf'.", "sent 4: its control values are 0 to 3" } },
	{ FAILS_IN_CONTROL, false, { 2, 0, 1 }, -EDOM,
		{ "'dyn' (unit), control() in firing 2", "one is not wanted" } },
	{ FAILS_IN_CONTROL, true, { 1 }, -EDOM,
		{ "'dyn' (unit), control() in firing 0", "one is not wanted" } },
	{ ENABLES_STATIC, false, { 2 }, -EPROTO,
		{ "'dyn' (unit), firing 0", "pstk_port_enable", "'control'", "not dynamic" } },
	{ ENABLES_NO_PORT, false, { 2 }, -EPROTO, { "'dyn'", "pstk_port_enable", "no port 9", "only 3" } },
	{ ASKS_IN_CONTROL, true, { 2 }, -EPROTO, { "'dyn'", "pstk_cl_window", "only in fire_cl()" } },
	{ ENABLES_LATE, true, { 2 }, -EPROTO, { "'dyn'", "pstk_port_enable", "only in control()" } },
	{ ASKS_FOR_OFF, true, { 0, 1 }, -EPROTO,
		{ "'dyn' (unit), firing 1", "pstk_cl_window", "'p' is off", "pstk_port_enabled()" } },
	{ ASKS_FOR_OFF, true, { 2 }, -EPROTO, { "'dyn'", "pstk_cl_window", "'x' is off" } },
	{ ASKS_FOR_CONTROL, true, { 2 }, -EPROTO,
		{ "'dyn'", "pstk_cl_window", "'control' is the control port" } },
	{ FORGETS, true, { 2, 3 }, -EPROTO, { "'dyn' (unit), firing 1", "'x' was not asked for" } },
	{ VALID_OF_OFF, true, { 1 }, -EPROTO, { "'dyn'", "pstk_cl_set_valid", "'p'", "that was asked for" } },
};

START_TEST(what_is_wrong)
{
	const struct fake_cl *fake = driver(ways[_i].settings, ways[_i].memory);

	for (unsigned on_device = 0; on_device < 2; on_device++)
		for (size_t i = 0; i < TEST_COUNT(deeds); i++) {
			struct unit u = { .n = 3,
				.deed = deeds[i].deed,
				.host_code = deeds[i].host_code,
				.control_on_device = on_device };

			memcpy(u.values, deeds[i].values, sizeof deeds[i].values);
			build(&u);
			atomic_store(&u.go, 1);
			ck_assert_msg(pstk_network_run(u.net) == deeds[i].err, "case %zu: %s", i,
				pstk_network_error(u.net));
			for (size_t w = 0; w < 4 && deeds[i].says[w]; w++)
				TEST_SAYS(pstk_network_error(u.net), deeds[i].says[w]);
			pstk_network_destroy(u.net);
			ck_assert_uint_eq(u.bad, 0);
		}
	check_left(fake);
}
END_TEST

/* A partly filled window of a dynamic output: the actor's last. */
START_TEST(partly_filled)
{
	const struct fake_cl *fake = driver(ways[_i].settings, ways[_i].memory);
	struct unit u = {
		.n = 5, .values = { 1, 0, 3, 2, 2 }, .deed = PARTIAL, .host_code = true, .control_depth = 1
	};
	struct pstk_actor_stats stats;

	build(&u);
	atomic_store(&u.go, 1);
	ck_assert_msg(!pstk_network_run(u.net), "%s", pstk_network_error(u.net));
	pstk_actor_get_stats(u.dyn, &stats);
	ck_assert_uint_eq(stats.firings, 2);
	ck_assert_uint_eq(stats.control_tokens, 3);
	ck_assert_uint_eq(u.got, 1);
	ck_assert_uint_eq(u.tokens[0], 1000 + RATE);
	ck_assert_uint_eq(u.bad, 0);
	pstk_network_destroy(u.net);
	check_left(fake);
}
END_TEST

/* The kernel that makes control values fails: the actor that waits for them says so. */
START_TEST(control_commands_fail)
{
	const struct fake_cl *fake = driver(ways[_i].settings, ways[_i].memory);

	for (unsigned nth = 1; nth <= 3; nth++) {
		struct unit u = { .n = 8, .control_on_device = true };

		build(&u);
		ck_assert_int_eq(pstk_network_start(u.net), 0);
		ck_assert_int_eq(fake->fail_command(CL_COMMAND_NDRANGE_KERNEL, nth, CL_OUT_OF_RESOURCES), 0);
		atomic_store(&u.go, 1);
		ck_assert_int_lt(pstk_network_wait(u.net), 0);
		TEST_SAYS(pstk_network_error(u.net), "'conf'", "pstk:gpu:0", "CL_");
		pstk_network_destroy(u.net);
	}
	check_left(fake);
}
END_TEST

/* Giving a control token's slot back fails. Of the unmaps the first is that of the raw value. */
START_TEST(control_release_fails)
{
	const struct fake_cl *fake = driver("svm=none,unified=1", "map");
	struct unit u = { .n = 1, .values = { 2 }, .control_on_device = true, .no_feed = true };

	build(&u);
	ck_assert_int_eq(pstk_network_start(u.net), 0);
	ck_assert_int_eq(fake->fail_calls("clEnqueueUnmapMemObject", 2, 1, CL_OUT_OF_HOST_MEMORY), 0);
	atomic_store(&u.go, 1);
	ck_assert_int_eq(pstk_network_wait(u.net), -ENOMEM);
	TEST_SAYS(pstk_network_error(u.net), "'conf'.out -> 'dyn'.control", "clEnqueueUnmapMemObject",
		"CL_OUT_OF_HOST_MEMORY");
	pstk_network_destroy(u.net);
	ck_assert_uint_eq(u.left.launches, 0);
	ck_assert_uint_eq(u.got, 0);
	check_left(fake);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("control_cl");
	TCase *right = test_case(suite, "right"), *wrong = test_case(suite, "wrong");

	tcase_add_loop_test(right, nothing_is_launched, 0, TEST_COUNT(ways));
	tcase_add_loop_test(right, pointers_of_ports_that_are_off, 0, TEST_COUNT(ways));
	tcase_add_loop_test(right, host_code, 0, TEST_COUNT(ways));
	tcase_add_loop_test(right, who_launches, 0, TEST_COUNT(ways));
	tcase_add_loop_test(right, conf_runs_ahead, 0, TEST_COUNT(ways));
	tcase_add_loop_test(right, off_passes_what_flies, 0, TEST_COUNT(ways));
	tcase_add_loop_test(right, partly_filled, 0, TEST_COUNT(ways));
	tcase_add_loop_test(wrong, what_is_wrong, 0, TEST_COUNT(ways));
	tcase_add_loop_test(wrong, control_commands_fail, 0, TEST_COUNT(ways));
	tcase_add_test(wrong, control_release_fails);
	return test_main(suite);
}
