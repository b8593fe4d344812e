/* SPDX-License-Identifier: MIT */
/* A snapshot when a signal comes: the handler leaves a word and posts the watcher, which writes. */
#include "lib/model/error.h"
#include "lib/observe/snapshot.h"
#include "lib/observe/watch.h"

#include <errno.h>
#include <sched.h>
#include <signal.h>

enum { NETWORKS = 16 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static _Atomic(struct pstk_network *) networks[NETWORKS]; /* set under lock, read by the handler */
static struct sigaction former[NSIG];                     /* guarded by lock */
static unsigned users[NSIG];                              /* guarded by lock: networks with this signal */
static atomic_uint in_handler; /* handlers that may hold a pointer out of networks[] */

/* Async-signal-safe. */
static void on_signal(int number)
{
	int saved = errno;

	atomic_fetch_add(&in_handler, 1);
	for (unsigned i = 0; i < NETWORKS; i++) {
		struct pstk_network *net = atomic_load(&networks[i]);

		if (!net || net->watch->snapshot_signal != number)
			continue;
		atomic_store(&net->watch->snapshot_wanted, true);
		sem_post(&net->wake);
	}
	atomic_fetch_sub(&in_handler, 1);
	errno = saved;
}

static bool is_taken(int number)
{
	static const int others[] = { SIGINT, SIGTERM, SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGKILL,
		SIGSTOP };

	for (unsigned i = 0; i < sizeof others / sizeof *others; i++)
		if (number == others[i])
			return true;
	return number <= 0 || number >= NSIG;
}

/* Call with lock held. */
static int install(int number)
{
	struct sigaction action = { .sa_handler = on_signal, .sa_flags = SA_RESTART };

	sigfillset(&action.sa_mask);
	if (!users[number] && sigaction(number, &action, &former[number]))
		return -EINVAL;
	users[number]++;
	return 0;
}

/* Call with lock held. */
static int enter(struct pstk_network *net, int number)
{
	for (unsigned i = 0; i < NETWORKS; i++) {
		int err;

		if (atomic_load(&networks[i]))
			continue;
		err = install(number);
		if (err)
			return err;
		net->watch->snapshot_signal = number; /* before a handler can find the network */
		atomic_store(&networks[i], net);
		return 0;
	}
	return -EBUSY;
}

int pstk_network_snapshot_on_signal(struct pstk_network *net, int signum)
{
	int err = ps_network_building(net, __func__);

	if (err || (net->watch->snapshot_signal && net->watch->snapshot_signal == signum))
		return err;
	if (net->watch->snapshot_signal)
		return ps_network_problem(
			net, -EBUSY, "signal %d makes snapshots already", net->watch->snapshot_signal);
	if (is_taken(signum))
		return ps_network_problem(
			net, -EINVAL, "signal %d can't make snapshots: take SIGUSR1", signum);
	pthread_mutex_lock(&lock);
	err = enter(net, signum);
	pthread_mutex_unlock(&lock);
	if (err == -EBUSY)
		return ps_network_problem(
			net, err, "%d networks make snapshots on signals already", NETWORKS);
	return err ? ps_network_problem(net, err, "signal %d can't be caught", signum) : 0;
}

void ps_snapshot_forget(struct pstk_network *net)
{
	if (!net->watch->snapshot_signal)
		return;
	pthread_mutex_lock(&lock);
	for (unsigned i = 0; i < NETWORKS; i++)
		if (atomic_load(&networks[i]) == net)
			atomic_store(&networks[i], NULL);
	if (!--users[net->watch->snapshot_signal])
		sigaction(net->watch->snapshot_signal, &former[net->watch->snapshot_signal], NULL);
	pthread_mutex_unlock(&lock);
	/* a handler on another thread may be in the middle of it; handlers wait for no thread */
	while (atomic_load(&in_handler))
		sched_yield();
}
