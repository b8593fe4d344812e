/* SPDX-License-Identifier: MIT */
/*
 * Actors on threads of their own that are woken late, and that look again before they sleep: fifo.h ("Waking late"),
 * thread_wait.h. With patience for ever only a thread that is paid wakes. A debt that is forgotten is a hang.
 */
#include "lib/schedule/schedule.h"
#include "lib/fifo/fifo.h"
#include "lib/model/network.h"
#include "lib/schedule/thread_wait.h"
#include "tests/common/common.h"
#include "tests/common/simple.h"
#include "tests/fifo/one_rate.h"
#include "tests/mutants/mutants.h"
#include "tests/random/generator.h"
#include "tests/random/run.h"

#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FOR_EVER (3600 * UINT64_C(1000000000))

/*
 * One FIFO.
 */

struct patient {
	struct ps_fifo fifo;
	bool reader;
	pthread_t thread;
	atomic_bool woken;
};

static struct ps_fifo_end *its_end(struct patient *p)
{
	return p->reader ? &p->fifo.reader : &p->fifo.writer;
}

static struct ps_fifo_end *other_end(struct patient *p)
{
	return p->reader ? &p->fifo.writer : &p->fifo.reader;
}

static unsigned listens(struct patient *p)
{
	return atomic_load(p->reader ? &p->fifo.reader_listens : &p->fifo.writer_listens);
}

static void *patient_main(void *arg)
{
	struct patient *p = arg;

	ps_fifo_wait_patiently(its_end(p));
	atomic_store(&p->woken, true);
	return NULL;
}

/* What the other side does: a window is written, or freed. */
static void step(struct patient *p)
{
	uint32_t valid;

	if (p->reader) {
		ck_assert_int_eq(ps_fifo_peek(&p->fifo.writer), PS_FIFO_READY);
		memset(ps_fifo_write_start(&p->fifo), 'x', p->fifo.layout.read_rate);
		ps_fifo_write_end(&p->fifo, p->fifo.layout.read_rate);
	} else {
		ck_assert_int_eq(ps_fifo_peek(&p->fifo.reader), PS_FIFO_READY);
		ps_fifo_read_start(&p->fifo, &valid);
		ps_fifo_read_end(&p->fifo);
	}
}

/* A reader that has nothing, or a writer that has no room, and says that it waits. */
static void begin(
	struct patient *p, bool reader, uint32_t rate, uint32_t delay, uint32_t depth, uint64_t patience_ns)
{
	unsigned expected = depth > 3 ? PS_LISTENS_PATIENT : PS_LISTENS_URGENT;
	uint32_t valid;

	*p = (struct patient){ .reader = true };
	ps_fifo_patience_ns = patience_ns;
	ck_assert_int_eq(one_rate(&p->fifo.layout, rate, delay, depth, 1), 0);
	ck_assert_int_eq(ps_fifo_init(&p->fifo), 0);
	ck_assert_int_eq(ps_fifo_allocate(&p->fifo, NULL, 0), 0);
	while (reader && ps_fifo_peek(&p->fifo.reader) == PS_FIFO_READY) {
		ps_fifo_read_start(&p->fifo, &valid);
		ps_fifo_read_end(&p->fifo);
	}
	while (!reader && ps_fifo_peek(&p->fifo.writer) == PS_FIFO_READY)
		step(p);
	p->reader = reader;
	pthread_create(&p->thread, NULL, patient_main, p);
	/* whose patience has an end may be past it by the time this thread looks */
	while (listens(p) == PS_LISTENS_NOT || (patience_ns == FOR_EVER && listens(p) != expected))
		sched_yield();
	/* it says so before it looks, and keeps the lock until it sleeps: a step in between is seen without a word */
	pthread_mutex_lock(&p->fifo.lock);
	pthread_mutex_unlock(&p->fifo.lock);
}

static void end(struct patient *p)
{
	pthread_join(p->thread, NULL);
	ck_assert_uint_eq(listens(p), PS_LISTENS_NOT);
	ps_fifo_fini(&p->fifo);
}

/* Left asleep until half of the depth is there, in FIFOs of all kinds. */
START_TEST(woken_for_half_of_the_depth)
{
	for (uint32_t depth = 1; depth <= 9; depth++)
		for (uint32_t delay = 0; delay <= 5; delay++)
			for (unsigned reader = 0; reader < 2; reader++) {
				/* with a rest of the delay a reader has its first window half full already, or so:
				   what it could run is floor((rest + written) / rate), and it counts whole ones */
				uint32_t half = depth > 3 ? depth / 2 : 1;
				struct patient p;

				begin(&p, reader, 2, delay, depth, FOR_EVER);
				for (uint32_t i = 1; i < half; i++) {
					step(&p);
					ck_assert(other_end(&p)->owes);
					ck_assert_uint_eq(listens(&p), PS_LISTENS_PATIENT);
					ck_assert(!atomic_load(&p.woken));
				}
				step(&p);
				end(&p);
			}
}
END_TEST

static void pay(struct patient *p)
{
	step(p);
	ck_assert(other_end(p)->owes);
	ps_fifo_pay(other_end(p));
	ck_assert(!other_end(p)->owes);
}

static void close_empty(struct patient *p)
{
	if (p->reader)
		ps_fifo_write_close(&p->fifo);
	else
		ps_fifo_read_close(&p->fifo);
}

static void close_owing(struct patient *p)
{
	step(p);
	close_empty(p);
}

static void close_partly_filled(struct patient *p)
{
	if (p->reader) {
		*(char *)ps_fifo_write_start(&p->fifo) = 'x';
		ps_fifo_write_end(&p->fifo, 1);
	} else {
		close_empty(p);
	}
}

static void nudge(struct patient *p)
{
	ps_fifo_nudge(its_end(p));
}

static void relay(struct patient *p)
{
	struct ps_fifo other;

	/* another end is to be nudged at the first change: the owner of this end is told, too */
	ck_assert_int_eq(one_rate(&other.layout, 1, 0, 1, 1), 0);
	ck_assert_int_eq(ps_fifo_init(&other), 0);
	ps_fifo_relay(its_end(p), &other.reader);
	ck_assert_uint_eq(listens(p), PS_LISTENS_URGENT);
	step(p);
	ck_assert(other.reader.nudged);
	ck_assert(!other_end(p)->owes);
	ps_fifo_fini(&other);
}

/* What wakes it at once. */
START_TEST(woken_by_all_else)
{
	static void (*const events[])(
		struct patient *) = { pay, close_empty, close_owing, close_partly_filled, nudge, relay };

	for (unsigned e = 0; e < TEST_COUNT(events); e++)
		for (unsigned reader = 0; reader < 2; reader++) {
			struct patient p;

			begin(&p, reader, 2, 0, 8, FOR_EVER);
			events[e](&p);
			end(&p);
		}
}
END_TEST

/* No thread pays: the waiter wakes by itself, or says that it is urgent and is told of the first window. */
START_TEST(patience_has_an_end)
{
	for (unsigned reader = 0; reader < 2; reader++) {
		struct patient p;

		begin(&p, reader, 1, 0, 8, 50000000);
		step(&p); /* patient or not: it ends */
		end(&p);
		begin(&p, reader, 1, 0, 8, 1000000);
		while (listens(&p) != PS_LISTENS_URGENT)
			sched_yield();
		step(&p);
		ck_assert(!other_end(&p)->owes);
		end(&p);
	}
}
END_TEST

/*
 * Networks.
 */

/* As threads wait by default; or every thread that can be is patient, and for ever. With and without looking again. */
static void tune(uint64_t seed)
{
	ps_fifo_patience_ns = seed % 2 ? FOR_EVER : 10000000;
	mutant_patient_below_ns = seed % 2 ? UINT64_MAX : 20000;
	mutant_spin_ns = seed / 2 % 2 ? 20000 : 0;
}

START_TEST(every_debt_is_paid)
{
	static struct net net;
	struct net_totals totals = { 0 };
	uint64_t first = test_seed(), rounds = test_rounds(1000);

	for (uint64_t seed = first; seed < first + rounds; seed++) {
		struct test_rng rng = { test_mix(seed ^ 0xdeb7) };
		const char *what;
		uint32_t depth;

		test_guard("a random network of patient threads", seed);
		tune(seed);
		net_make_random(
			&net, &(struct net_switches){ .form = NET_STATIC, .proven = true }, seed, NULL, 0);
		depth = net_default_depth((unsigned)net.threads); /* firings side by side may need so much */
		net.threads = 0;
		for (unsigned f = 0; f < net.fifo_count; f++) {
			if (!net.fifos[f].depth)
				net.fifos[f].depth = depth;
			net.fifos[f].depth += 2 * test_between(&rng, 1, 6);
		}
		what = net_run(&net, &totals);
		ck_assert_msg(!what, "PENSTOCK_TEST_SEED=%" PRIu64 ": %s", seed, what);
	}
}
END_TEST

static void starve(struct net *net, struct test_rng *rng)
{
	for (unsigned f = 0; f < net->fifo_count; f++)
		if (net->fifos[f].delay && test_chance(rng, 20))
			net->fifos[f].delay--;
}

/* Rings of patient threads, some of which have lost initial tokens; the oracle says which are dead. */
START_TEST(deadlocks_are_found)
{
	static struct net net;
	struct net_totals totals = { 0 };
	uint64_t first = test_seed(), rounds = test_rounds(1000);

	test_log_start();
	for (uint64_t seed = first; seed < first + rounds; seed++) {
		struct test_rng rng = { test_mix(seed ^ 0x4149) };
		uint32_t rate = test_between(&rng, 1, 4);
		const char *what;

		test_guard("a ring of patient threads", seed);
		tune(seed);
		net_make(&net,
			&(struct net_plan){ NET_RING, test_between(&rng, 2, 6), rate,
				test_between(&rng, 0, rate), test_between(&rng, 4, 16),
				test_between(&rng, 10, 400), test_chance(&rng, 50), 10 },
			seed);
		net.threads = 0;
		net.unchecked = true;
		starve(&net, &rng);
		what = net_run(&net, &totals);
		ck_assert_msg(!what, "PENSTOCK_TEST_SEED=%" PRIu64 ": %s", seed, what);
	}
	test_log_stop();
	printf("rings: %" PRIu64 ", %" PRIu64 " deadlocks, all found, no other\n", rounds, totals.dead);
	ck_assert_uint_gt(totals.dead * 20, rounds);
	ck_assert_uint_lt(totals.dead, rounds);
}
END_TEST

/*
 * Request and response: the source's fire() does not return before the sink has answered, by a way of its own.
 */

enum { REQUESTS = 30 };

static _Atomic uint64_t answered;

static int request_fire(struct pstk_firing *f)
{
	uint64_t index = pstk_firing_index(f);

	while (index > 5 && atomic_load(&answered) < index) /* five on account: then its firings are short */
		sched_yield();
	*(uint64_t *)pstk_fifo_write_start(f, 0) = index;
	pstk_fifo_write_end(f, 0);
	return index + 1 == REQUESTS ? PSTK_DONE : PSTK_AGAIN;
}

static int answer_fire(struct pstk_firing *f)
{
	const uint64_t *in = pstk_fifo_read_start(f, 0);

	if (*in != pstk_firing_index(f))
		return -EILSEQ;
	pstk_fifo_read_end(f, 0);
	atomic_fetch_add(&answered, 1);
	return PSTK_AGAIN;
}

START_TEST(user_code_that_waits_for_the_reader)
{
	static const struct pstk_port out = { .name = "out", .kind = PSTK_OUTPUT, .token_size = 8 },
				      in = { .name = "in", .kind = PSTK_INPUT, .token_size = 8 };

	for (unsigned relays = 0; relays < 2; relays++) {
		struct pstk_network *net = pstk_network_create("requests");
		struct pstk_actor *source, *sink, *relay;
		struct simple_relay arg = { 0 };

		ps_fifo_patience_ns = 1000000;
		mutant_patient_below_ns = UINT64_MAX;
		atomic_store(&answered, 0);
		source = pstk_network_add(net, "source",
			PSTK_ACTOR_TYPE(.name = "source", .ports = &out, .port_count = 1,
				.fire = request_fire),
			NULL);
		sink = pstk_network_add(net, "sink",
			PSTK_ACTOR_TYPE(.name = "sink", .ports = &in, .port_count = 1, .fire = answer_fire),
			NULL);
		pstk_network_set_threads(net, 0);
		if (relays) {
			relay = pstk_network_add(net, "relay", simple_relay_type(), &arg);
			pstk_connect(source, "out", relay, "in",
				PSTK_FIFO(.rate = 1, .depth = 16, .token_size = 8));
			pstk_connect(
				relay, "out", sink, "in", PSTK_FIFO(.rate = 1, .depth = 16, .token_size = 8));
		} else {
			pstk_connect(source, "out", sink, "in",
				PSTK_FIFO(.rate = 1, .depth = 16, .token_size = 8));
		}
		ck_assert_msg(!pstk_network_run(net), "%s", pstk_network_error(net));
		ck_assert_uint_eq(atomic_load(&answered), REQUESTS);
		pstk_network_destroy(net);
	}
}
END_TEST

/*
 * Which threads may look again before they sleep.
 */

static unsigned cores(void)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	ck_assert_int_eq(sched_getaffinity(0, sizeof set, &set), 0);
	return (unsigned)CPU_COUNT(&set);
}

/* A chain of so many actors, `pinned` of them to the core of that number, or each to its own. */
static bool spins(unsigned actors, unsigned pinned, bool one_core, unsigned team)
{
	struct simple_chain chain;
	bool spins;

	simple_chain(&chain, actors - 2, 5000, 1, 0, 2);
	pstk_network_set_threads(chain.net, team);
	for (unsigned i = 0; i < pinned; i++)
		pstk_actor_pin(chain.actors[i], test_core(one_core ? 0 : i));
	ck_assert_int_eq(pstk_network_run(chain.net), 0);
	ck_assert_uint_eq(atomic_load(&chain.collect.tokens), 5000);
	ck_assert_uint_eq(atomic_load(&chain.collect.wrong), 0);
	spins = chain.net->schedule->spins;
	pstk_network_destroy(chain.net);
	return spins;
}

START_TEST(spins_only_on_cores_of_its_own)
{
	cpu_set_t all, one;

	mutant_spin_ns = 20000;
	for (unsigned actors = 2; actors <= 6; actors++) {
		ck_assert_int_eq(spins(actors, 0, false, 0), actors <= cores());
		ck_assert_int_eq(spins(actors, actors, false, 0), actors <= cores());
		ck_assert(!spins(actors, 2, true, 0));
		ck_assert(!spins(actors, 0, false, 1));
	}
	mutant_spin_ns = 0;
	ck_assert(!spins(2, 0, false, 0));
	mutant_spin_ns = 20000;
	ck_assert_int_eq(sched_getaffinity(0, sizeof all, &all), 0);
	CPU_ZERO(&one);
	CPU_SET(test_core(0), &one);
	ck_assert_int_eq(sched_setaffinity(0, sizeof one, &one), 0);
	ck_assert(!spins(2, 0, false, 0));
	ck_assert_int_eq(sched_setaffinity(0, sizeof all, &all), 0);
}
END_TEST

/* Brief waits are measured now and then only. No actor waits longer than the run takes, and an actor that always waits
 * does wait. */
START_TEST(waits_are_counted)
{
	for (unsigned spin = 0; spin < 2; spin++) {
		struct simple_chain chain;
		uint64_t ns;

		mutant_spin_ns = spin ? 20000 : 0;
		simple_chain(&chain, 0, 20000, 1, 0, 2);
		pstk_network_set_threads(chain.net, 0);
		ck_assert_int_eq(pstk_network_run(chain.net), 0);
		ck_assert_uint_eq(atomic_load(&chain.collect.tokens), 20000);
		ns = pstk_actor_port_wait_ns(chain.actors[0], 0) +
		     pstk_actor_port_wait_ns(chain.actors[1], 0);
		ck_assert_uint_gt(ns, 0);
		pstk_network_destroy(chain.net);
	}
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("wake");
	TCase *fifo = test_case(suite, "fifo"), *networks = test_case(suite, "networks"),
	      *random = test_case(suite, "random");

	tcase_add_test(fifo, woken_for_half_of_the_depth);
	tcase_add_test(fifo, woken_by_all_else);
	tcase_add_test(fifo, patience_has_an_end);
	tcase_add_test(networks, user_code_that_waits_for_the_reader);
	tcase_add_test(networks, spins_only_on_cores_of_its_own);
	tcase_add_test(networks, waits_are_counted);
	tcase_add_test(random, every_debt_is_paid);
	tcase_add_test(random, deadlocks_are_found);
	return test_main(suite);
}
