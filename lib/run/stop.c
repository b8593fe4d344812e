/* SPDX-License-Identifier: MIT */
/* Stop: asking a network to end. All of this is async-signal-safe; the watcher (run.c) does what follows. */
#include "lib/model/network.h"

void pstk_network_stop(struct pstk_network *net)
{
	if (!net)
		return;
	atomic_store(&net->stopping, true);
	sem_post(&net->wake);
}

void pstk_network_abort(struct pstk_network *net)
{
	enum ps_network_fate unknown = PS_FATE_UNKNOWN;

	if (!net)
		return;
	/* an abort after the end changes nothing */
	if (atomic_compare_exchange_strong(&net->fate, &unknown, PS_FATE_ABORTED))
		sem_post(&net->wake);
}
