/* SPDX-License-Identifier: MIT */
#include "lib/run/signal.h"
#include "lib/firing/crash.h"
#include "lib/model/error.h"
#include "lib/run/run.h"

#include <errno.h>
#include <unistd.h>

enum { NETWORKS = 16, INTERRUPTED = 130 };

static const int stop_signals[] = { SIGINT, SIGTERM };
enum { STOPS = sizeof stop_signals / sizeof *stop_signals };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static unsigned users;                                    /* guarded by lock: networks that handle signals */
static struct sigaction former[STOPS];                    /* guarded by lock; read by the handler too */
static _Atomic(struct pstk_network *) networks[NETWORKS]; /* set under lock, read by the handlers */
static atomic_uint in_handler; /* handlers that may hold a pointer out of networks[] */

/* No network to stop: what the signal did before. Async-signal-safe. */
static void do_former(int number, siginfo_t *info, void *context)
{
	const struct sigaction *old = &former[number == stop_signals[0] ? 0 : 1];

	if (old->sa_flags & SA_SIGINFO) {
		old->sa_sigaction(number, info, context);
	} else if (old->sa_handler == SIG_DFL) {
		sigaction(number, old, NULL);
		raise(number); /* blocked until the handler returns */
	} else if (old->sa_handler != SIG_IGN) {
		old->sa_handler(number);
	}
}

/* Stops or aborts one network; false: it has had both before. Async-signal-safe. */
static bool stop_network(struct pstk_network *net, int number)
{
	unsigned times = atomic_fetch_add(&net->run->signals, 1);

	if (atomic_load(&net->fate) == PS_FATE_UNKNOWN)
		atomic_compare_exchange_strong(&net->run->signal, &(int){ 0 }, number);
	if (times == 0)
		pstk_network_stop(net);
	else if (times == 1)
		pstk_network_abort(net);
	return times < 2;
}

/* Async-signal-safe. */
static void on_stop(int number, siginfo_t *info, void *context)
{
	unsigned live = 0, obeying = 0;
	int saved = errno;

	atomic_fetch_add(&in_handler, 1);
	for (unsigned i = 0; i < NETWORKS; i++) {
		struct pstk_network *net = atomic_load(&networks[i]);

		/* until its finish() calls are through: a signal shall not cut them off */
		if (!net || atomic_load(&net->run->finished))
			continue;
		live++;
		obeying += stop_network(net, number);
	}
	atomic_fetch_sub(&in_handler, 1);
	if (!live)
		do_former(number, info, context);
	else if (!obeying)
		_exit(INTERRUPTED);
	errno = saved;
}

/* Call with lock held. */
static void install(void)
{
	struct sigaction stop = { .sa_sigaction = on_stop, .sa_flags = SA_RESTART | SA_SIGINFO };

	sigfillset(&stop.sa_mask);
	ps_crash_remove_faults(&stop.sa_mask);
	for (unsigned i = 0; i < STOPS; i++)
		sigaction(stop_signals[i], &stop, &former[i]);
	ps_crash_install();
}

/* Call with lock held. */
static void restore(void)
{
	for (unsigned i = 0; i < STOPS; i++)
		sigaction(stop_signals[i], &former[i], NULL);
	ps_crash_restore();
}

int pstk_network_handle_signals(struct pstk_network *net)
{
	int err = ps_network_building(net, __func__);

	if (err || net->handles_signals)
		return err;
	err = -EBUSY;
	pthread_mutex_lock(&lock);
	for (unsigned i = 0; i < NETWORKS && err; i++) {
		if (atomic_load(&networks[i]))
			continue;
		if (!users++)
			install();
		atomic_store(&networks[i], net);
		net->handles_signals = true;
		err = 0;
	}
	pthread_mutex_unlock(&lock);
	if (err)
		return ps_network_problem(net, err, "%d networks handle signals already", NETWORKS);
	return 0;
}

int pstk_network_signal(const struct pstk_network *net)
{
	return net ? atomic_load(&net->run->signal) : 0;
}

void ps_signal_forget(struct pstk_network *net)
{
	if (!net->handles_signals)
		return;
	pthread_mutex_lock(&lock);
	for (unsigned i = 0; i < NETWORKS; i++)
		if (atomic_load(&networks[i]) == net)
			atomic_store(&networks[i], NULL);
	if (!--users)
		restore();
	pthread_mutex_unlock(&lock);
	/* a handler on another thread may be in the middle of it; handlers wait for no thread */
	while (atomic_load(&in_handler))
		sched_yield();
}
