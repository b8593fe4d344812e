/* SPDX-License-Identifier: MIT */
#include "lib/opencl/cl_mover.h"
#include "lib/base/memory.h"
#include "lib/opencl/cl_fifo.h"
#include "lib/opencl/cl_serial.h"

#include <errno.h>
#include <signal.h>

int ps_cl_mover_add(struct ps_cl_mover *m, struct ps_cl_fifo *c)
{
	struct ps_cl_fifo **fifos = ps_memory_resize(m->fifos, m->count + 1, sizeof *fifos);

	if (!fifos)
		return -ENOMEM;
	m->fifos = fifos;
	if (!m->eventcount)
		m->eventcount = ps_eventcount_get();
	if (!m->eventcount)
		return -ENOMEM;
	m->fifos[m->count++] = c;
	c->way->mover = m->eventcount;
	return 0;
}

/* A driver may forget to call back when a command has failed, and an end may have asked for that. So the mover looks
 * again after a while, like all threads that wait for a device. */
static void *main_of_mover(void *arg)
{
	struct ps_cl_mover *m = arg;

	pthread_setname_np(pthread_self(), "pstk-mover");
	for (;;) {
		unsigned seen = ps_eventcount_count(m->eventcount);

		if (atomic_load(&m->ends))
			return NULL;
		ps_cl_serial_lock();
		for (unsigned i = 0; i < m->count; i++)
			ps_cl_way_move(m->fifos[i]);
		ps_cl_serial_unlock();
		ps_eventcount_wait(m->eventcount, seen, PS_EVENTCOUNT_LOOK_AGAIN_NS);
	}
}

int ps_cl_mover_begin(struct ps_cl_mover *m)
{
	sigset_t every, former;
	int err;

	if (!m->count)
		return 0;
	sigfillset(&every); /* signals are for the program's own threads */
	pthread_sigmask(SIG_SETMASK, &every, &former);
	err = pthread_create(&m->thread, NULL, main_of_mover, m);
	pthread_sigmask(SIG_SETMASK, &former, NULL);
	m->runs = !err;
	return -err;
}

void ps_cl_mover_end(struct ps_cl_mover *m)
{
	if (!m->runs)
		return;
	atomic_store(&m->ends, true);
	ps_eventcount_notify(m->eventcount);
	pthread_join(m->thread, NULL);
	m->runs = false;
}

void ps_cl_mover_free(struct ps_cl_mover *m)
{
	ps_cl_mover_end(m);
	ps_eventcount_put(m->eventcount);
	ps_memory_free(m->fifos);
}
