/* SPDX-License-Identifier: MIT */
/*
 * The tests must see a team that loses something. This program is built once for each mutant of team.c or reorder.c,
 * and once without a fault. `mutant` says which.
 */
#include "lib/model/network.h"
#include "lib/schedule/schedule.h"
#include "lib/schedule/team.h"
#include "tests/common/common.h"
#include "tests/mutants/mutants.h"

#include <errno.h>
#include <limits.h>
#include <sched.h>

/* a mutated file says otherwise */
enum mutant mutant __attribute__((weak)) = NO_FAULT;

enum { WINDOWS = 8 };

/* Which of the tests runs, and what has happened in it. */
static atomic_bool sleeping, publishing;
static _Atomic(struct pstk_network *) forgetful;
static _Atomic uint64_t about_to_sleep, about_to_stop, published, second_done, release;

/* From now on its members do not judge: as if what has moved had left no mark. */
static void forget_marks(struct ps_team *team)
{
	atomic_store(&team->dirty, false);
	atomic_store(&team->judged_at, UINT64_MAX / 2);
}

/* A member has found nothing. The first time it waits here until another one has published what it should find. */
void mutant_before_word(void)
{
	struct pstk_network *net = atomic_load(&forgetful);

	if (net)
		forget_marks(net->schedule->team);
	if (!atomic_exchange(&sleeping, false))
		return;
	atomic_store(&about_to_sleep, 1);
	test_await(&published, 1);
}

/* A thread has published firing 0. The first time it waits here until the thread that has fired 1 has left it to it. */
void mutant_before_stop(void)
{
	if (!atomic_exchange(&publishing, false))
		return;
	atomic_store(&about_to_stop, 1);
	test_await(&second_done, 1);
}

struct end {
	void (*step)(uint64_t firing);
	_Atomic uint64_t firings;
};

static int give_fire(struct pstk_firing *f)
{
	struct end *e = pstk_actor_arg(pstk_firing_actor(f));
	uint64_t k = pstk_firing_index(f);

	if (e->step)
		e->step(k);
	*(uint64_t *)pstk_fifo_write_start(f, 0) = k;
	pstk_fifo_write_end(f, 0);
	atomic_fetch_add(&e->firings, 1);
	return k + 1 < WINDOWS ? PSTK_AGAIN : PSTK_DONE;
}

static int pass_fire(struct pstk_firing *f)
{
	struct end *e = pstk_actor_arg(pstk_firing_actor(f));
	uint64_t token = *(const uint64_t *)pstk_fifo_read_start(f, 0);

	if (e->step)
		e->step(pstk_firing_index(f));
	*(uint64_t *)pstk_fifo_write_start(f, 1) = token;
	pstk_fifo_read_end(f, 0);
	pstk_fifo_write_end(f, 1);
	atomic_fetch_add(&e->firings, 1);
	return PSTK_AGAIN;
}

static int take_fire(struct pstk_firing *f)
{
	struct end *e = pstk_actor_arg(pstk_firing_actor(f));

	if (*(const uint64_t *)pstk_fifo_read_start(f, 0) == pstk_firing_index(f))
		atomic_fetch_add(&e->firings, 1);
	pstk_fifo_read_end(f, 0);
	return PSTK_AGAIN;
}

/* Its firings count as short, and none is measured: so the member that fires it does so again before it looks at
 * others. */
static int give_init(struct pstk_actor *a)
{
	atomic_store(&a->task->timing.lately_ns, 1);
	atomic_store(&a->task->timing.until, UINT_MAX);
	return 0;
}

static const struct pstk_port ports[] = { { .name = "in", .kind = PSTK_INPUT },
	{ .name = "out", .kind = PSTK_OUTPUT } };

static struct pstk_actor *add(struct pstk_network *net, const char *name, struct end *end)
{
	bool gives = *name == 'g', takes = *name == 't';

	return pstk_network_add(net, name,
		PSTK_ACTOR_TYPE(.name = name, .ports = ports + gives, .port_count = gives || takes ? 1 : 2,
			.stateless = !gives && !takes, .init = gives ? give_init : NULL,
			.fire = gives   ? give_fire
	                        : takes ? take_fire
	                                : pass_fire),
		end);
}

static void connect(struct pstk_actor *from, struct pstk_actor *to)
{
	ck_assert_ptr_nonnull(
		pstk_connect(from, "out", to, "in", PSTK_FIFO(.rate = 1, .depth = WINDOWS, .token_size = 8)));
}

/* Is this counter still below `least` after half a second? Where nothing is wrong it comes at last. */
static bool is_missed(struct pstk_network *net, const _Atomic uint64_t *counter, uint64_t least, bool wrong)
{
	if (!wrong) {
		test_await(counter, least);
		return false;
	}
	ck_assert_int_ne(pstk_network_wait_for(net, 500000000), 0);
	return atomic_load(counter) < least;
}

static void finish(struct pstk_network *net, const struct end *take)
{
	atomic_store(&release, 1);
	ck_assert_int_eq(pstk_network_wait(net), 0);
	ck_assert_uint_eq(take->firings, WINDOWS);
	pstk_network_destroy(net);
}

/* Firing 0 waits until the other member has found nothing; firing 1 comes at once, and keeps its member. */
static void give_then_hold(uint64_t firing)
{
	if (firing == 0)
		test_await(&about_to_sleep, 1);
	if (firing == 1) {
		atomic_store(&published, 1);
		test_await(&release, 1);
	}
}

START_TEST(last_look)
{
	bool wrong = mutant == NO_LAST_LOOK;
	struct pstk_network *net = pstk_network_create("sleep");
	struct end give = { .step = give_then_hold }, take = { 0 };

	connect(add(net, "give", &give), add(net, "take", &take));
	ck_assert_int_eq(pstk_network_set_threads(net, 2), 0);
	atomic_store(&sleeping, true);
	ck_assert_int_eq(pstk_network_start(net), 0);
	test_await(&published, 1);
	ck_assert_int_eq(is_missed(net, &take.firings, 1, wrong), wrong);
	finish(net, &take);
}
END_TEST

/* Firing 1 ends while 0 is being published; firing 2 shows that its thread has gone on, and keeps it. */
static void leave_it_to_him(uint64_t firing)
{
	if (firing == 1)
		test_await(&about_to_stop, 1);
	if (firing == 2) {
		atomic_store(&second_done, 1);
		test_await(&release, 1);
	}
}

START_TEST(second_look)
{
	bool wrong = mutant == NO_SECOND_LOOK;
	struct pstk_network *net = pstk_network_create("order");
	struct end give = { 0 }, pass = { .step = leave_it_to_him }, take = { 0 };
	struct pstk_actor *source = add(net, "give", &give), *relay = add(net, "pass", &pass);

	connect(source, relay);
	connect(relay, add(net, "take", &take));
	ck_assert_int_eq(pstk_network_set_threads(net, 2), 0);
	ck_assert_uint_eq(pstk_actor_concurrency(relay, NULL, 0), 2);
	atomic_store(&publishing, true);
	ck_assert_int_eq(pstk_network_start(net), 0);
	test_await(&second_done, 1);
	ck_assert_int_eq(is_missed(net, &take.firings, 2, wrong), wrong);
	finish(net, &take);
}
END_TEST

/*
 * The watchdog's last resort, where all members sleep and nothing is in flight.
 */

enum { PATIENCE_NS = 20000000 };

/* The team takes a deadlock for alive. */
START_TEST(missed_deadlock)
{
	struct end ends[2] = { 0 };
	struct pstk_network *net = pstk_network_create("missed");
	struct pstk_actor *a = add(net, "pass", &ends[0]), *b = add(net, "pass2", &ends[1]);

	connect(a, b);
	connect(b, a);
	ck_assert_int_eq(pstk_network_set_flags(net, PSTK_UNCHECKED), 0);
	ck_assert_int_eq(pstk_network_set_threads(net, 2), 0);
	ck_assert_int_eq(pstk_network_set_watchdog(net, PATIENCE_NS, _i), 0);
	test_log_start();
	atomic_store(&forgetful, net);
	ck_assert_int_eq(pstk_network_run(net), -EDEADLK);
	atomic_store(&forgetful, NULL);
	ck_assert(test_log_has("missed: this deadlock was found only when nothing had moved for "));
	test_log_stop();
	pstk_network_destroy(net);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("team_mutants");
	TCase *c = test_case(suite, "mutants");

	tcase_add_test(c, last_look);
	tcase_add_loop_test(c, missed_deadlock, 0, 2);
	/* whose members may sleep for ever anywhere is no good for anything else */
	if (mutant != NO_LAST_LOOK)
		tcase_add_test(c, second_look);
	return test_main(suite);
}
