/* SPDX-License-Identifier: MIT */
/* StarPU with two workers, for both applications. */
#ifndef PENSTOCK_BENCHMARKS_PEERS_STARPU_RUN_H
#define PENSTOCK_BENCHMARKS_PEERS_STARPU_RUN_H

#include <starpu.h>

/* A task that is submitted: its number is the task's argument. */
struct starpu_run_task {
	struct starpu_codelet *codelet; /* how many handles, and how each is accessed, is said there */
	starpu_data_handle_t handles[STARPU_NMAXBUFS];
	uint64_t argument;
};

/* Two workers on the processor, no devices, the scheduler that the environment names (STARPU_SCHED). They
 * are paused: idle workers poll, which would disturb what else is measured. */
void starpu_run_open(void);
void starpu_run_close(void);

/* Workers run between these; the second one waits until all tasks are done. */
void starpu_run_begin(void);
void starpu_run_end(void);

/* Waits, when too many tasks wait. Dependencies follow from the order of submission. */
void starpu_run_submit(const struct starpu_run_task *);

/* Where dependencies are all that StarPU has to know of memory: n bytes at an address. */
starpu_data_handle_t starpu_run_register(void *at, size_t n);

#endif
