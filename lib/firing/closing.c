/* SPDX-License-Identifier: MIT */
#include "lib/firing/closing.h"
#include "lib/firing/firing.h"
#include "lib/firing/mover.h"
#include "lib/firing/runner.h"
#include "lib/model/type.h"

void ps_closing_reader(struct pstk_fifo *f)
{
	struct pstk_actor *src = f->src;
	struct ps_task *t = src->task;

	/* before there is room for ever: see ps_firing_take() */
	atomic_store(&t->reader_ended, true);
	ps_fifo_read_close(ps_counters(f));
	if (t->runner->help) /* its thread may wait elsewhere */
		t->runner->help(t);
	if (!ps_firing_unwanted(src) || atomic_load(&t->ended))
		return;
	ps_task_nudge(t); /* it may wait at an input */
	if (atomic_flag_test_and_set(&t->told_unwanted))
		return;
	if (f->crossing != PS_CROSSES_OUT) {
		ps_actor_unblock(src);
		return;
	}
	/* The thread that owns the end has others to serve: the watcher calls the actor's code. */
	atomic_store(&t->unblock_later, true);
	sem_post(&src->network->wake);
}

void ps_closing_writer(struct pstk_fifo *f)
{
	ps_fifo_write_close(ps_counters(f));
	atomic_store(&f->dst->task->writer_ended, true);
	ps_task_nudge(f->dst->task); /* it may wait at another port */
}

void ps_firing_close(struct ps_task *t)
{
	struct pstk_actor *a = t->actor;

	atomic_store(&t->ended, true);
	for (unsigned p = 0; p < a->type.port_count; p++) {
		struct pstk_fifo *f = a->ports[p].fifo;

		if (ps_port_reads(a->type.ports[p].kind)) {
			ps_closing_reader(f);
			continue;
		}
		for (; f; f = f->next)
			ps_closing_writer(f);
	}
	if (t->mover)
		t->mover->ended(t);
}
