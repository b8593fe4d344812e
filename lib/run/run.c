/* SPDX-License-Identifier: MIT */
/* Run: a network's life from start() to the end of wait(). life.c has create() and destroy(). */
#include "lib/model/actor.h"
#include "lib/analysis/analysis.h"
#include "lib/analysis/build_check.h"
#include "lib/base/clock.h"
#include "lib/base/log.h"
#include "lib/base/memory.h"
#include "lib/fifo/bundle.h"
#include "lib/firing/control_group.h"
#include "lib/firing/crash.h"
#include "lib/firing/firing.h"
#include "lib/firing/texts.h"
#include "lib/model/error.h"
#include "lib/model/graph.h"
#include "lib/model/network.h"
#include "lib/model/pipeline.h"
#include "lib/observe/snapshot.h"
#include "lib/observe/timeline.h"
#include "lib/observe/arrivals.h"
#include "lib/observe/latencies.h"
#include "lib/observe/sampling.h"
#include "lib/move/moving.h"
#include "lib/move/visits.h"
#include "lib/observe/watchdog.h"
#include "lib/run/backends.h"
#include "lib/run/hosts.h"
#include "lib/plan/bundles.h"
#include "lib/plan/depth.h"
#include "lib/plan/merges.h"
#include "lib/plan/parts.h"
#include "lib/plan/sharing.h"
#include "lib/plan/threads.h"
#include "lib/run/run.h"
#include "lib/run/runners.h"
#include "lib/run/signal.h"
#include "lib/schedule/detector.h"
#include "lib/schedule/schedule.h"
#include "lib/schedule/thread.h"
#include "lib/schedule/thread_wait.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/*
 * The watcher: a thread of the network that does what stop(), abort() and failures ask for, because these may
 * come from signal handlers and so can't take locks.
 */

static void wake_actors(struct pstk_network *net, bool sources_only)
{
	for (unsigned i = 0; i < net->actor_count; i++) {
		struct pstk_actor *a = net->actors[i];

		if (sources_only && !a->is_source)
			continue;
		ps_task_nudge(a->task);
		ps_actor_unblock(a);
	}
}

/* Of actors whose last reader is on another host, and has ended. */
static void unblock_unwanted(struct pstk_network *net)
{
	for (unsigned i = 0; i < net->task_count && net->away_ends; i++)
		if (atomic_exchange(&net->tasks[i]->unblock_later, false))
			ps_actor_unblock(net->tasks[i]->actor);
}

static void *watcher_main(void *arg)
{
	struct pstk_network *net = arg;
	bool stopped = false, aborted = false, ended = false;
	struct ps_watchdog dog;

	ps_watchdog_begin(&dog, net);
	pthread_setname_np(pthread_self(), "pstk-watcher");
	ps_crash_thread_begin(net->run->alternate_stack);
	while (!ended) {
		ps_watchdog_wait(&dog);
		ps_snapshot_write(net);
		unblock_unwanted(net);
		ps_moving_tell(net);
		if (pstk_network_failed(net) && !aborted) {
			aborted = true;
			ps_hosts_abort(
				net); /* before actors close their ports: no end of a stream is to be taken for one */
			ps_moving_cancel(net);
			ps_visits_wake(net);
			wake_actors(net, false);
		} else if (atomic_load(&net->stopping) && !stopped && !aborted) {
			stopped = true;
			ps_hosts_stop(net);
			wake_actors(net, true);
		}
		pthread_mutex_lock(&net->lock);
		ended = net->run->ended;
		pthread_mutex_unlock(&net->lock);
	}
	ps_sampling_end(net);
	ps_crash_thread_end(net->run->alternate_stack);
	return NULL;
}

static int create_watcher(struct pstk_network *net)
{
	sigset_t all, former;
	char reason[64];
	int err;

	sigfillset(&all);
	ps_crash_remove_faults(&all); /* unblock() may raise them */
	pthread_sigmask(SIG_SETMASK, &all, &former);
	ps_snapshot_begin(net);
	err = pthread_create(&net->run->watcher, NULL, watcher_main, net);
	pthread_sigmask(SIG_SETMASK, &former, NULL);
	if (err)
		return ps_network_fail(net, -err, "network '%s': cannot create its watcher thread: %s",
			net->name, ps_strerror(err, reason, sizeof reason));
	return 0;
}

static void join_watcher(struct pstk_network *net)
{
	pthread_mutex_lock(&net->lock);
	net->run->ended = true;
	pthread_mutex_unlock(&net->lock);
	sem_post(&net->wake);
	pthread_join(net->run->watcher, NULL);
}

/*
 * Start.
 */

/* Memory that is promised and not there kills the process later: refuse what this machine can't hold. */
static int check_memory(struct pstk_network *net)
{
	size_t fifos = ps_sharing_bytes(net), bytes = fifos;
	long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
	char threads[80] = "";
	bool team = false;

	for (unsigned i = 0; i < net->actor_count; i++)
		if (!ps_actor_away(net->actors[i]) &&
			__builtin_add_overflow(bytes, net->actors[i]->state_size, &bytes))
			bytes = SIZE_MAX;
	if (pages <= 0 || page <= 0 || bytes / (size_t)page < (size_t)pages)
		return 0;
	for (unsigned i = 0; i < net->fifo_count; i++)
		team |= pstk_network_threads(net) && ps_depth_is_open(net->fifos[i]);
	if (team)
		snprintf(threads, sizeof threads, ", or the threads of the team (%u: depth %u by default)",
			pstk_network_threads(net), ps_depth_default(pstk_network_threads(net)));
	return ps_network_fail(net, -ENOMEM,
		"network '%s': its FIFOs take %.3f MB and its actors' states %.3f MB, this machine has %.3f "
		"MB: lower rates, depths or token sizes%s",
		net->name, (double)fifos / 1e6, (double)(bytes - fifos) / 1e6,
		(double)pages * (double)page / 1e6, threads);
}

/* FIFOs begin so far apart modulo a page. An odd number of cache lines: they come round to the same place late. */
enum { STAGGER = 5 * PS_CACHE_LINE, DEVICE_ALIGNMENT = 2 * PS_CACHE_LINE, DEVICE_PLACES = 31 };

/* What a FIFO may take so that each of its windows begins where devices want it. */
enum { PADDING_MOST = 1 << 20 };

/* May a pipeline's device use its windows in place? */
static bool is_border(const struct pstk_fifo *f)
{
	return (ps_is_pipeline(f->src) && f->src->pipeline->backend) ||
	       (ps_is_pipeline(f->dst) && f->dst->pipeline->backend);
}

/* Windows at the border begin where devices want it, which is never a page: a FIFO without a stagger begins
 * anywhere. */
static size_t stagger_of(const struct pstk_fifo *f)
{
	return is_border(f) ? (f->index % DEVICE_PLACES + 1) * (size_t)DEVICE_ALIGNMENT
	                    : f->index * (size_t)STAGGER;
}

/* What the row has no use for in place, and what would take too much, lies side by side, and is copied. */
static bool lies_aligned(const struct pstk_fifo *f)
{
	const struct ps_layout *l = &f->fifo.shape;

	return is_border(f) && !f->fifo.sharer && !f->fifo.merged && !f->fifo.borrowed &&
	       ps_layout_is_simple(l) && !ps_layout_rest(l) &&
	       ps_layout_windows(l) <= PADDING_MOST / DEVICE_ALIGNMENT;
}

/* Bytes of the largest window beside this lead's. */
static size_t largest_window(const struct pstk_fifo *lead)
{
	const struct pstk_actor *a = lead->src;
	size_t most = 0;

	for (unsigned p = lead->src_port; p != PS_NO_PORT; p = a->ports[p].along) {
		const struct ps_layout *l = &a->ports[p].fifo->fifo.layout;

		if (l->read_rate * l->token_size > most)
			most = l->read_rate * l->token_size;
	}
	return most;
}

/* Shall windows lie wherever it is warm? Only a team gains by that. Not with a kahn reader, which looks for several
 * side by side. */
static bool keeps_warm(const struct pstk_fifo *f)
{
	const struct ps_layout *l = &f->fifo.shape;

	for (const struct pstk_fifo *o = f->src->ports[f->src_port].fifo; o; o = o->next)
		if (o->fifo.owner == &f->fifo && o->dst->type.kahn)
			return false;
	return f->fifo.writer_polled && !f->fifo.merged && !f->fifo.borrowed && l->slots == l->ring &&
	       l->write_rate == l->read_rate && !l->tail && !l->mixed && ps_layout_windows(l) > 1 &&
	       largest_window(f) >= ps_fifo_warm_least;
}

/* When bundles are tied: the lead's blocks say where the windows of all lie. -ENOMEM. */
static int keep_warm(struct pstk_network *net)
{
	int err = 0;

	for (unsigned i = 0; i < net->fifo_count && !err; i++) {
		struct pstk_fifo *f = net->fifos[i];

		if (f->crossing != PS_CROSSES_ELSEWHERE && !ps_backend_of(f) && f->fifo.owner == &f->fifo &&
			f->lead == f && keeps_warm(f))
			err = ps_fifo_keep_warm(&f->fifo);
	}
	return err;
}

/* A broadcast to the cores and to places behind hops is written once. */
static int borrow_host_windows(struct pstk_fifo *f)
{
	int err = 0;

	for (struct pstk_fifo *o = f->src->ports[f->src_port].fifo; o && !f->fifo.memory && !err;
		o = o->next) {
		const struct ps_backend *b = ps_backend_of(o);
		unsigned char *windows;

		if (!b || f->fifo.merged)
			continue;
		err = b->allocate_fifo(o);
		windows = err ? NULL : b->host_windows(o, f);
		if (windows)
			ps_fifo_borrow(&f->fifo, windows);
	}
	return err;
}

static int allocate_plain(struct pstk_fifo *f)
{
	int err = borrow_host_windows(f);

	if (!err && lies_aligned(f))
		ps_fifo_align(&f->fifo, DEVICE_ALIGNMENT);
	return err ? err : ps_fifo_allocate(&f->fifo, f->initial, stagger_of(f));
}

static int allocate_fifo(struct pstk_fifo *f)
{
	const struct ps_backend *b = ps_backend_of(f);
	int err = 0;

	if (f->crossing == PS_CROSSES_ELSEWHERE)
		return 0;
	if (b)
		err = b->allocate_fifo(f);
	else if (f->fifo.owner == &f->fifo)
		err = allocate_plain(f);
	if (err)
		return ps_network_fail(f->src->network, err, PS_CONNECTION ": no memory for %.3f MB",
			PS_CONNECTION_ARGS(f), (double)f->fifo.shape.bytes / 1e6);
	return 0;
}

/* When all FIFOs have theirs: readers that share memory are known by equal delay tokens. */
static void free_initial(struct pstk_network *net)
{
	for (unsigned i = 0; i < net->fifo_count; i++) {
		ps_memory_free(net->fifos[i]->initial);
		net->fifos[i]->initial = NULL;
	}
}

static int allocate_task(struct ps_task *t)
{
	struct pstk_actor *a = t->actor;
	size_t allocated;
	int err = ps_firing_init(t, ps_concurrency_of(a, NULL));

	if (!err)
		err = ps_texts_give(t, false);
	if (!err)
		err = ps_thread_prepare(t);
	if (!err && a->state_size) {
		a->state = ps_memory_windows(a->state_size, 0, &allocated);
		if (a->state)
			memset(a->state, 0, a->state_size);
		else
			err = -ENOMEM;
	}
	if (err)
		return ps_network_fail(a->network, err,
			"'%s': no memory for its windows, stack and state of %zu bytes", a->name,
			a->state_size);
	return 0;
}

static unsigned count_threads(const struct pstk_network *net)
{
	unsigned count = ps_runners_threads(net);

	for (unsigned i = 0; i < net->task_count; i++)
		count += ps_thread_count(net->tasks[i]);
	return count;
}

static int allocate_texts(struct pstk_network *net)
{
	int err = ps_texts_prepare(net, count_threads(net));

	return err ? ps_network_fail(net, err, "network '%s': out of memory for its start", net->name) : 0;
}

/* What of the network runs here. Whether an actor is a source the whole tells. */
static int take_part(struct pstk_network *net)
{
	int err = ps_graph_mark_sources(net);

	if (err)
		return ps_network_fail(net, err, "network '%s': out of memory for its start", net->name);
	return ps_parts_take(net);
}

static int allocate(struct pstk_network *net)
{
	char reason[64];
	int err;

	ps_sharing_decide(net);
	err = ps_merges_decide(net);
	if (err)
		return ps_network_fail(net, err, "network '%s': out of memory for its start", net->name);
	err = check_memory(net);
	if (!err) {
		err = ps_crash_prepare(net, &net->run->alternate_stack);
		if (!err)
			err = ps_tasks_create(net);
		if (!err)
			err = ps_schedule_create(net);
		if (!err)
			err = ps_watchdog_prepare(net);
		if (!err)
			err = ps_sampling_prepare(net);
		if (!err)
			err = ps_control_group_prepare(net);
		if (err)
			ps_network_fail(net, err, "network '%s': out of memory for its start", net->name);
	}
	if (!err)
		err = ps_backends_open(net);
	if (!err) {
		err = ps_runners_prepare(net);
		if (err)
			ps_network_fail(net, err, "network '%s': cannot prepare what fires its actors: %s",
				net->name, ps_strerror(err, reason, sizeof reason));
	}
	for (unsigned i = 0; i < net->fifo_count && !err; i++)
		err = allocate_fifo(net->fifos[i]);
	free_initial(net);
	if (!err && (ps_bundles_tie(net) || keep_warm(net)))
		err = ps_network_fail(net, -ENOMEM, "network '%s': out of memory for its start", net->name);
	for (unsigned i = 0; i < net->task_count && !err; i++)
		err = allocate_task(net->tasks[i]);
	if (!err)
		err = allocate_texts(net);
	if (!err)
		err = ps_moving_prepare(net);
	if (!err)
		err = ps_latencies_prepare(net);
	if (!err)
		err = ps_arrivals_prepare(net);
	if (!err)
		err = ps_timeline_prepare(net);
	return err;
}

static int init_actors(struct pstk_network *net)
{
	for (; net->run->initialised < net->actor_count; net->run->initialised++) {
		struct pstk_actor *a = net->tasks[net->run->initialised]->actor, *former;
		int err = 0;

		if (!ps_actor_fires_here(a))
			continue;
		former = ps_actor_enter(a);
		a->text[0] = 0;
		if (a->type.init)
			err = a->type.init(a);
		ps_actor_leave(former);
		if (err < 0)
			return ps_actor_fail(a, err, "init()");
	}
	return 0;
}

static void finish_actors(struct pstk_network *net)
{
	while (net->run->initialised) {
		struct pstk_actor *a = net->tasks[--net->run->initialised]->actor, *former;
		int err = 0;

		if (!ps_actor_fires_here(a))
			continue;
		former = ps_actor_enter(a);
		a->text[0] = 0;
		if (a->type.finish)
			err = a->type.finish(a);
		ps_actor_leave(former);
		if (err < 0)
			ps_actor_fail(a, err, "finish()");
	}
}

static int prepare_detector(struct pstk_network *net)
{
	int err = ps_detector_prepare(net);

	return err ? ps_network_fail(net, err, "network '%s': out of memory for its start", net->name) : 0;
}

static void set_gate(struct pstk_network *net, bool open)
{
	pthread_mutex_lock(&net->lock);
	if (open)
		net->state = PS_RUNNING;
	ps_schedule_open_gate(net, open);
	pthread_mutex_unlock(&net->lock);
}

/* All threads, or none of them. */
static int create_threads(struct pstk_network *net)
{
	unsigned tasks = 0, own = 0, members = 0;
	int err;

	ps_sampling_begin(net); /* before any thread: all that they do is within its time */
	err = create_watcher(net);
	if (err)
		return err;
	ps_schedule_expect(net, count_threads(net) + net->away_ends + ps_hosts_expected(net));
	ps_thread_wait_prepare(net);
	while (tasks < net->task_count && !err) {
		err = ps_thread_create(net->tasks[tasks], &own);
		tasks += !err;
	}
	if (!err)
		err = ps_runners_begin(net, &members);
	set_gate(net, !err);
	if (!err) {
		ps_hosts_go(net);
		return 0;
	}
	ps_runners_join(net, members);
	if (tasks < net->task_count)
		ps_thread_join(net->tasks[tasks], own);
	while (tasks-- > 0)
		ps_thread_join(net->tasks[tasks], ps_thread_count(net->tasks[tasks]));
	join_watcher(net);
	return err;
}

static void report_problems(const struct pstk_network *net)
{
	for (unsigned i = 1; i < net->problem_count; i++)
		ps_log(PS_TOPIC_NETWORK, PSTK_LOG_ERROR, "%s: also: %s", net->name, net->problems[i]);
}

/* Returns what start() does. */
static int fail_start(struct pstk_network *net, int err)
{
	if (ps_visits_close(net))
		ps_backends_drain(net);
	ps_backends_abandon(net);
	ps_moving_end(net);
	finish_actors(net);
	err = ps_hosts_end(net, err);
	if (err == -ECANCELED)
		atomic_store(&net->cancelled, true);
	pthread_mutex_lock(&net->lock);
	net->state = PS_FAILED_START;
	atomic_store(&net->run->finished, true);
	net->run->result = err;
	pthread_cond_broadcast(&net->changed);
	pthread_mutex_unlock(&net->lock);
	return err;
}

/* All that takes memory, before any code of the actors. */
static int get_ready(struct pstk_network *net)
{
	int err = ps_analysis_start(net);

	if (!err)
		err = ps_hosts_note(net);
	if (!err)
		err = ps_visits_note(net);
	if (!err)
		err = take_part(net);
	if (!err)
		err = allocate(net);
	if (!err)
		err = ps_hosts_prepare(net);
	return err;
}

static int begin(struct pstk_network *net)
{
	int err = ps_hosts_begin(net);

	if (!err)
		err = init_actors(net);
	if (!err)
		err = ps_backends_prepare(net);
	if (!err)
		err = ps_visits_begin(net);
	if (!err)
		err = prepare_detector(net);
	for (unsigned i = 0; i < net->task_count && !err; i++)
		ps_firing_settle(net->tasks[i]);
	if (!err)
		err = ps_hosts_error(net);
	return err ? err : create_threads(net);
}

int pstk_network_start(struct pstk_network *net)
{
	int err = ps_network_building(net, __func__);

	if (err)
		return err;
	err = ps_network_check(net);
	pthread_mutex_lock(&net->lock);
	net->state = PS_STARTING;
	pthread_mutex_unlock(&net->lock);
	if (err)
		report_problems(net);
	else
		err = get_ready(net);
	err = ps_hosts_agree(net, err);
	if (!err)
		err = begin(net);
	return err ? fail_start(net, err) : 0;
}

/*
 * The end.
 */

static void report_leftovers(const struct pstk_network *net)
{
	if (!ps_log_on(PS_TOPIC_FIFO, PSTK_LOG_INFO))
		return;
	for (unsigned i = 0; i < net->fifo_count; i++) {
		struct pstk_fifo *f = net->fifos[i];
		uint64_t fill =
			f->crossing == PS_CROSSES_ELSEWHERE ? 0 : ps_bundle_fill(&f->fifo, ps_counters(f));
		uint32_t dropped = f->dst->ports[f->dst_port].dropped;

		if (dropped)
			ps_log(PS_TOPIC_FIFO, PSTK_LOG_INFO,
				PS_CONNECTION ": %u token%s dropped: no whole step", PS_CONNECTION_ARGS(f),
				dropped, dropped == 1 ? " was" : "s were");
		if (fill)
			ps_log(PS_TOPIC_FIFO, PSTK_LOG_INFO, PS_CONNECTION ": %llu token%s left",
				PS_CONNECTION_ARGS(f), (unsigned long long)fill, fill == 1 ? " is" : "s are");
	}
}

/* Every thread has ended: what one waiting thread does for all. */
static int end_run(struct pstk_network *net)
{
	int err, untraced;

	for (unsigned i = 0; i < net->task_count; i++)
		ps_thread_join(net->tasks[i], ps_thread_count(net->tasks[i]));
	ps_runners_join(net, ps_runners_threads(net));
	report_leftovers(net);
	ps_visits_close(net); /* it enqueues commands */
	ps_backends_drain(net);
	join_watcher(net); /* until now: a command may never end */
	ps_moving_end(net);
	finish_actors(net);
	err = ps_network_err(net);
	if (!err && atomic_load(&net->fate) == PS_FATE_ABORTED)
		err = -ECANCELED;
	err = ps_hosts_end(net, err);
	untraced = ps_timeline_write(net);
	if (untraced && (!err || err == -ECANCELED))
		err = untraced;
	atomic_store(&net->run->finished, true);
	if (err == -ECANCELED)
		atomic_store(&net->cancelled, true);
	return err;
}

static struct timespec timespec_of(uint64_t ns)
{
	return (struct timespec){ .tv_sec = (time_t)(ns / 1000000000u), .tv_nsec = (long)(ns % 1000000000u) };
}

/* Call with net->lock held. false: the deadline has passed. Says now and then what holds up the end of a network that
 * is over: user code may take for ever, and an endless wait is not to be silent. */
static bool wait_changed(struct pstk_network *net, uint64_t deadline)
{
	uint64_t now = ps_clock_ns(), reminder = now + ps_watchdog_remind_ns;
	struct timespec until = timespec_of(deadline < reminder ? deadline : reminder);

	if (pthread_cond_timedwait(&net->changed, &net->lock, &until) != ETIMEDOUT)
		return true;
	if (deadline <= reminder)
		return false;
	if (net->state != PS_RUNNING) /* start() is not through: its actors are nowhere yet */
		return true;
	pthread_mutex_unlock(&net->lock);
	ps_watchdog_remind(net);
	pthread_mutex_lock(&net->lock);
	return true;
}

/* deadline: the clock; UINT64_MAX: none. */
static int wait_until(struct pstk_network *net, uint64_t deadline)
{
	int result;

	if (!net)
		return -EINVAL;
	if (ps_actor_current && ps_actor_current->network == net)
		return -EDEADLK;
	pthread_mutex_lock(&net->lock);
	if (net->state == PS_BUILD) {
		pthread_mutex_unlock(&net->lock);
		return -EINVAL;
	}
	while (net->state == PS_STARTING ||
		(net->state == PS_RUNNING && (ps_schedule_running(net) || net->run->ending)))
		if (!wait_changed(net, deadline)) {
			pthread_mutex_unlock(&net->lock);
			return -ETIMEDOUT;
		}
	if (net->state == PS_RUNNING) {
		net->run->ending = true;
		pthread_mutex_unlock(&net->lock);
		result = end_run(net);
		pthread_mutex_lock(&net->lock);
		net->run->result = result;
		net->state = PS_ENDED;
		pthread_cond_broadcast(&net->changed);
	}
	result = net->run->result;
	pthread_mutex_unlock(&net->lock);
	return result;
}

int pstk_network_wait(struct pstk_network *net)
{
	return wait_until(net, UINT64_MAX);
}

int pstk_network_wait_for(struct pstk_network *net, uint64_t ns)
{
	uint64_t deadline;

	if (__builtin_add_overflow(ps_clock_ns(), ns, &deadline))
		deadline = UINT64_MAX;
	return wait_until(net, deadline);
}

int pstk_network_run(struct pstk_network *net)
{
	int err = pstk_network_start(net);

	return err ? err : pstk_network_wait(net);
}
