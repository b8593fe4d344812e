/* SPDX-License-Identifier: MIT */
#include "lib/schedule/away.h"
#include "lib/firing/closing.h"
#include "lib/schedule/schedule.h"
#include "lib/schedule/thread.h"

#include <assert.h>

/* With run() it is none of the runners that poll; without slots it has no thread that calls this. It is in no list of
 * runners, so it needs no takes(). */
static void run(struct ps_task *t)
{
	(void)t;
}

const struct ps_runner ps_away_runner = {
	.name = "away",
	.run = run,
	.nudge = ps_thread_nudge,
};

void ps_away_moved(const struct pstk_fifo *f)
{
	struct ps_task *here = f->crossing == PS_CROSSES_OUT ? f->src->task : f->dst->task;

	if (here->runner->help)
		here->runner->help(here);
}

void ps_away_close(struct pstk_fifo *f, bool writes)
{
	struct pstk_network *net = f->src->network;

	assert(f->crossing == PS_CROSSES_THROUGH || f->crossing == (writes ? PS_CROSSES_IN : PS_CROSSES_OUT));
	if (writes)
		ps_closing_writer(f);
	else
		ps_closing_reader(f);
	ps_schedule_leave(net);
}
