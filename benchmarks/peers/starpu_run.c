/* SPDX-License-Identifier: MIT */
#include "benchmarks/peers/starpu_run.h"

#include "benchmarks/peers/peer.h"

/* Submitting stops at the first and goes on at the second number of tasks: each is a struct of a few hundred
 * bytes, and the fewer there are the warmer they are. */
enum { TASKS_MOST = 256, TASKS_LEAST = 128 };

void starpu_run_open(void)
{
	struct starpu_conf conf;

	starpu_conf_init(&conf);
	conf.ncpus = PEER_THREADS;
	conf.ncuda = conf.nopencl = 0;
	if (starpu_init(&conf))
		peer_fail("StarPU doesn't start");
	starpu_pause();
}

void starpu_run_close(void)
{
	starpu_resume();
	starpu_shutdown();
}

void starpu_run_begin(void)
{
	starpu_resume();
}

void starpu_run_end(void)
{
	starpu_task_wait_for_all();
	starpu_pause();
}

void starpu_run_submit(const struct starpu_run_task *t)
{
	struct starpu_task *task = starpu_task_create();

	task->cl = t->codelet;
	for (int i = 0; i < t->codelet->nbuffers; i++)
		task->handles[i] = t->handles[i];
	/* the number itself: nothing to copy */
	task->cl_arg = (void *)(uintptr_t)t->argument;
	if (starpu_task_submit(task))
		peer_fail("StarPU takes no task");
	if (starpu_task_nsubmitted() > TASKS_MOST)
		starpu_task_wait_for_n_submitted(TASKS_LEAST);
}

starpu_data_handle_t starpu_run_register(void *at, size_t n)
{
	starpu_data_handle_t handle;

	starpu_variable_data_register(&handle, STARPU_MAIN_RAM, (uintptr_t)at, n);
	return handle;
}
