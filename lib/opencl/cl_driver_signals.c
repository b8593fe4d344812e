/* SPDX-License-Identifier: MIT */
#include "lib/opencl/cl_driver_signals.h"

#include <pthread.h>
#include <stdbool.h>
#include <string.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

void ps_cl_driver_signals_keep(struct ps_cl_driver_signals *kept)
{
	pthread_mutex_lock(&lock);
	memset(kept, 0, sizeof *kept);
	for (int n = 1; n < PS_CL_DRIVER_SIGNALS; n++)
		sigaction(n, NULL, &kept->before[n]);
	sigaltstack(NULL, &kept->stack);
}

/* The two members share their place, but only one of them is defined. */
static bool same(const struct sigaction *a, const struct sigaction *b)
{
	if (a->sa_flags != b->sa_flags)
		return false;
	return a->sa_flags & SA_SIGINFO ? a->sa_sigaction == b->sa_sigaction : a->sa_handler == b->sa_handler;
}

void ps_cl_driver_signals_put_back(const struct ps_cl_driver_signals *kept)
{
	struct sigaction now;
	stack_t stack;

	if (!sigaltstack(NULL, &stack) && stack.ss_sp != kept->stack.ss_sp)
		sigaltstack(&kept->stack, NULL);
	/* only what has changed: what another thread of the program sets meanwhile is lost as seldom as can be */
	for (int n = 1; n < PS_CL_DRIVER_SIGNALS; n++)
		if (n != SIGKILL && n != SIGSTOP && !sigaction(n, NULL, &now) &&
			!same(&now, &kept->before[n]))
			sigaction(n, &kept->before[n], NULL);
	pthread_mutex_unlock(&lock);
}
