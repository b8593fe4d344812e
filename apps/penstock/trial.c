/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "apps/penstock/trial.h"
#include "apps/common/running.h"
#include "lib/base/clock.h"

#include <errno.h>

static uint64_t tokens_of(const struct pstk_network *network)
{
	uint64_t tokens = 0;

	for (unsigned i = 0; i < pstk_network_fifo_count(network); i++) {
		const struct pstk_fifo *fifo = pstk_network_fifo(network, i);
		struct pstk_fifo_info info = { 0 };

		if (running_is_sink(fifo) && !pstk_fifo_get_info(fifo, &info))
			tokens += info.written;
	}
	return tokens;
}

/* What the run has come to before it is told to end counts: the rest is drained at another speed. */
static int measure(struct pstk_network *network, double seconds, double *tokens)
{
	uint64_t begin;
	int err = pstk_network_handle_signals(network);

	if (!err)
		err = pstk_network_start(network);
	begin = ps_clock_ns();
	if (!err)
		err = pstk_network_wait_for(network, (uint64_t)(seconds * 1e9));
	*tokens = (double)tokens_of(network) * 1e9 / (double)(ps_clock_ns() - begin + 1);
	if (err == -ETIMEDOUT) {
		pstk_network_stop(network);
		err = pstk_network_wait(network);
	}
	if (pstk_network_signal(network))
		return app_fail(EXIT_INTERRUPTED, "interrupted");
	if (err)
		app_fail(EXIT_FAILED, "%s", pstk_network_error(network));
	return err == -EDEADLK ? EXIT_DEADLOCKED : err ? EXIT_FAILED : 0;
}

int trial_run(struct loading *l, const struct trial *t, double seconds, double *tokens)
{
	struct loading_mark mark = loading_mark(l);
	int status = t->team ? loading_take(l, LOADING_TEAM, t->team) : -1;

	for (const char **s = t->sets; *s && status == -1; s++)
		status = loading_take(l, LOADING_SET, *s);
	for (const char **s = t->places; *s && status == -1; s++)
		status = loading_take(l, LOADING_DEVICE, *s);
	if (status == -1)
		status = loading_open(l, false);
	if (!status)
		status = measure(l->network, seconds, tokens);
	loading_unload(l, mark);
	return status;
}
