/* SPDX-License-Identifier: MIT */
#include "lib/observe/adopt.h"
#include "lib/observe/watchdog.h"
#include "lib/base/clock.h"
#include "lib/base/log.h"
#include "lib/base/memory.h"
#include "lib/firing/backend.h"
#include "lib/model/error.h"
#include "lib/observe/snapshot.h"
#include "lib/observe/stages.h"
#include "lib/observe/watch.h"
#include "lib/plan/threads.h"
#include "lib/schedule/detector.h"
#include "lib/schedule/schedule.h"

#include <errno.h>
#include <stdio.h>
#include <time.h>

#define SECOND 1000000000u

/* It looks so many times in the time after which it speaks. */
enum { LOOKS = 4 };

uint64_t ps_watchdog_remind_ns = 30 * (uint64_t)SECOND;

int ps_watch_create(struct pstk_network *net)
{
	net->watch = ps_memory_zalloc(1, sizeof *net->watch);
	return net->watch ? 0 : -ENOMEM;
}

void ps_watch_free(struct pstk_network *net)
{
	if (net->watch) {
		ps_memory_free(net->watch->watchdog_warned);
		ps_sampling_free(net);
	}
	ps_memory_free(net->watch);
	ps_adopt_free(net);
}

int ps_watchdog_prepare(struct pstk_network *net)
{
	struct ps_watch *watch = net->watch;

	if (!watch->watchdog_set) {
		watch->watchdog_ns = net->environment.watchdog_ns;
		watch->watchdog_aborts = net->environment.watchdog_aborts;
	}
	watch->watchdog_warned = ps_memory_zalloc(net->actor_count, sizeof *watch->watchdog_warned);
	return watch->watchdog_warned ? 0 : -ENOMEM;
}

int pstk_network_set_watchdog(struct pstk_network *net, uint64_t ns, bool abort)
{
	int err = ps_network_building(net, __func__);

	if (err)
		return err;
	net->watch->watchdog_set = true;
	net->watch->watchdog_ns = ns;
	net->watch->watchdog_aborts = abort;
	return 0;
}

uint64_t pstk_network_watchdog(const struct pstk_network *net)
{
	if (!net)
		return 0;
	return net->watch->watchdog_set ? net->watch->watchdog_ns : net->environment.watchdog_ns;
}

/* What has been done in the network so far; any change is progress. */
static uint64_t count_commits(const struct pstk_network *net)
{
	uint64_t sum = 0;

	for (unsigned i = 0; i < net->fifo_count; i++)
		sum += atomic_load_explicit(&ps_counters(net->fifos[i])->written, memory_order_relaxed) +
		       atomic_load_explicit(&ps_counters(net->fifos[i])->read, memory_order_relaxed);
	for (unsigned i = 0; i < net->actor_count; i++)
		sum += atomic_load_explicit(&net->actors[i]->task->firings, memory_order_relaxed) +
		       atomic_load_explicit(&net->actors[i]->task->control_tokens, memory_order_relaxed) +
		       atomic_load(&net->actors[i]->task->ended);
	return sum;
}

static unsigned count_flights(const struct pstk_network *net)
{
	unsigned sum = 0;

	for (unsigned i = 0; i < net->actor_count; i++)
		sum += ps_state_of(net->actors[i]).flights;
	return sum;
}

void ps_watchdog_begin(struct ps_watchdog *dog, struct pstk_network *net)
{
	/* the actors may have begun before this thread: looked is 0 */
	*dog = (struct ps_watchdog){ .net = net, .since = ps_clock_ns() };
}

/* The one to blame first: the actor whose kernel or code runs, not one that waits behind it. */
static int blame(const struct ps_state *s)
{
	return s->runs ? 3 : s->doing == PS_IN_FIRE ? 2 : s->flights ? 1 : 0;
}

/* One that waits for others in there holds up a thread that they may need. */
static const char *hint(const struct pstk_actor *a, const struct ps_state *s)
{
	if (s->doing != PS_IN_FIRE || a->backend || !ps_threads_on_team(a))
		return "";
	if (!ps_is_pipeline(a))
		return "; it holds a thread of the team: if it waits for something, set blocks in its type";
	return ps_stages_on_team(a->pipeline) ? "; it holds a thread of the team: if it waits for something, "
	                                        "set blocks in the type of that stage"
	                                      : "";
}

/* Says of each actor that is inside something what it is, once. Returns the first one to blame, NULL: there is none. */
static struct pstk_actor *report(struct ps_watchdog *dog, uint64_t now)
{
	struct pstk_network *net = dog->net;
	struct pstk_actor *worst = NULL;
	struct ps_state worst_state = { 0 };

	for (unsigned i = 0; i < net->actor_count; i++) {
		struct pstk_actor *a = net->actors[i];
		struct ps_state s = ps_state_of(a);
		char text[PS_TEXT_SIZE], time[PS_TIME_SIZE];

		if (!ps_state_is_busy(&s))
			continue;
		if (!worst || blame(&s) > blame(&worst_state)) {
			worst = a;
			worst_state = s;
		}
		if (net->watch->watchdog_warned[i])
			continue;
		net->watch->watchdog_warned[i] = true;
		ps_state_say(a, &s, now, text, sizeof text);
		ps_log(PS_TOPIC_NETWORK, PSTK_LOG_WARNING, "%s%s%s: nothing has moved for %s: '%s' (%s) %s%s",
			net->name, net->host_name ? " on " : "", net->host_name ? net->host_name : "",
			ps_time_say(now - dog->since, time), a->name, a->type.name, text, hint(a, &s));
	}
	return worst;
}

/* Only they can end what they are blocked in: wait() may take long, and is not to be silent. */
static void say_blocked(const struct pstk_network *net)
{
	const struct pstk_actor *first = NULL;
	unsigned others = 0;

	for (unsigned i = 0; i < net->actor_count; i++) {
		struct pstk_actor *a = net->actors[i];

		if (a->backend || a->type.unblock || ps_state_of(a).doing != PS_IN_FIRE)
			continue;
		others += first != NULL;
		first = first ? first : a;
	}
	if (first && others)
		ps_log(PS_TOPIC_NETWORK, PSTK_LOG_ERROR,
			"%s: ends the network; waits for fire() of '%s' and %u more, which have no unblock()",
			net->name, first->name, others);
	else if (first)
		ps_log(PS_TOPIC_NETWORK, PSTK_LOG_ERROR,
			"%s: ends the network; waits for fire() of '%s', which has no unblock()", net->name,
			first->name);
}

void ps_watchdog_remind(const struct pstk_network *net)
{
	enum { MOST = 8 };
	unsigned said = 0;

	if (!ps_network_over(net))
		return;
	for (unsigned i = 0; i < net->actor_count && said < MOST; i++) {
		struct pstk_actor *a = net->actors[i];
		struct ps_state s = ps_state_of(a);
		char text[PS_TEXT_SIZE];

		if (!ps_state_is_busy(&s))
			continue;
		said++;
		ps_state_say(a, &s, ps_clock_ns(), text, sizeof text);
		ps_log(PS_TOPIC_NETWORK, PSTK_LOG_ERROR,
			"%s: has %s, and pstk_network_wait() still waits for '%s' (%s): it %s%s", net->name,
			atomic_load(&net->failed) ? "failed" : "been aborted", a->name, a->type.name, text,
			a->backend || a->type.unblock ? "" : "; its type has no unblock()");
	}
}

/* All members of the team sleep, and nothing has moved since one of them judged: so a deadlock that is found now was
 * one then, and the network was taken for alive. That would be a fault of the library; this is the last resort. */
static void judge_again(const struct ps_watchdog *dog, uint64_t now)
{
	struct pstk_network *net = dog->net;
	char time[PS_TIME_SIZE];

	if (ps_network_over(net) || !ps_schedule_rests(net))
		return;
	ps_detector_judge(net);
	if (atomic_load(&net->failed))
		ps_log(PS_TOPIC_NETWORK, PSTK_LOG_ERROR,
			"%s: this deadlock was found only when nothing had moved for %s: a bug of Penstock, "
			"please report it",
			net->name, ps_time_say(now - dog->since, time));
}

static void bark(struct ps_watchdog *dog, uint64_t now)
{
	struct pstk_network *net = dog->net;
	struct pstk_actor *worst = report(dog, now);
	struct ps_state s;
	char text[PS_TEXT_SIZE], time[PS_TIME_SIZE];

	judge_again(dog, now);
	if ((!worst && !ps_backends_draining(net)) || !net->watch->watchdog_aborts || dog->barked)
		return;
	dog->barked = true;
	say_blocked(net);
	if (!worst) { /* transfers: every actor has ended, and has nothing in flight */
		ps_backends_give_up(net);
		ps_network_fail(net, -ETIMEDOUT,
			"network '%s': nothing has moved for %s: transfers to or from a "
			"device do not end",
			net->name, ps_time_say(now - dog->since, time));
		return;
	}
	s = ps_state_of(worst);
	ps_state_say(worst, &s, now, text, sizeof text);
	ps_backends_give_up(net); /* wait() must not wait for ever for what is in flight */
	ps_network_fail(net, -ETIMEDOUT, "'%s' (%s): nothing has moved for %s: it %s%s", worst->name,
		worst->type.name, ps_time_say(now - dog->since, time), text, hint(worst, &s));
}

/* When what has changed since the last look did so: the actor that did it has begun something else then; not a
 * device. */
static uint64_t moved_at(const struct ps_watchdog *dog, uint64_t now)
{
	uint64_t latest = 0;

	for (unsigned i = 0; i < dog->net->actor_count; i++) {
		uint64_t since =
			atomic_load_explicit(&dog->net->actors[i]->task->since, memory_order_relaxed);

		latest = since > latest ? since : latest;
	}
	return latest > dog->looked && latest < now ? latest : now;
}

/* What has moved in another process is told by its watcher, when that looks: so it may come late. */
static uint64_t patience(const struct ps_watch *watch)
{
	return watch->watchdog_ns + (watch->tell ? watch->watchdog_ns / 2 : 0);
}

static void look(struct ps_watchdog *dog)
{
	struct ps_watch *watch = dog->net->watch;
	uint64_t elsewhere = atomic_load(&watch->moved_elsewhere);
	uint64_t now = ps_clock_ns(), commits = count_commits(dog->net); /* what is missed came later */
	unsigned flights = count_flights(dog->net);

	if (commits != dog->commits || flights != dog->flights) {
		dog->commits = commits;
		dog->flights = flights;
		dog->since = moved_at(dog, now);
		if (watch->tell)
			watch->tell(watch->user, PS_WATCH_MOVED);
	} else if (elsewhere > dog->since) {
		dog->since = elsewhere;
	} else if (now - dog->since >= patience(watch)) {
		bark(dog, now);
	}
	dog->looked = now;
}

/* Waits for net->wake until the clock says so much. Returns false: it does. */
static bool wait_until(struct pstk_network *net, uint64_t ns)
{
	struct timespec until = { .tv_sec = (time_t)(ns / SECOND), .tv_nsec = (long)(ns % SECOND) };
	int err;

	do {
		err = sem_clockwait(&net->wake, CLOCK_MONOTONIC, &until) ? errno : 0;
	} while (err == EINTR);
	return err != ETIMEDOUT;
}

void ps_watchdog_wait(struct ps_watchdog *dog)
{
	/* beyond what a timespec can hold anywhere */
	const uint64_t never = (uint64_t)INT32_MAX * SECOND;
	struct pstk_network *net = dog->net;
	uint64_t period = net->watch->watchdog_ns / LOOKS + 1, now = ps_clock_ns(), sample, until;

	sample = ps_sampling_look(net, now);
	if (!net->watch->watchdog_ns || period > never || dog->next > never)
		dog->next = never;
	else if (!dog->next)
		dog->next = now + period;
	until = sample < dog->next ? sample : dog->next;
	if (wait_until(net, until) || dog->next > ps_clock_ns())
		return;
	look(dog);
	dog->next = 0;
}
