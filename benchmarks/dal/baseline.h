/* SPDX-License-Identifier: MIT */
/*
 * Baseline: what can be said of DAL's own runtime, which cannot be obtained, behind the same <dal.h>: one
 * thread per process, blocking FIFOs with a mutex and two condition variables, channels of the capacity that
 * the programmer chose, on a device one launch of a kernel per firing. Each of its properties has a switch,
 * so that what it costs can be told apart. Sources: the paper's section on DAL; Schor et al., "Exploiting the
 * parallelism of heterogeneous systems using dataflow graphs on top of OpenCL", ESTIMedia 2013.
 *
 * A program links either this (libbaseline) or libpenstock-dal, with the same objects of the same processes.
 * A reader who has DAL can build them against that, too.
 */
#ifndef PENSTOCK_BENCHMARKS_DAL_BASELINE_H
#define PENSTOCK_BENCHMARKS_DAL_BASELINE_H

#include <penstock/dal_network.h>

/* What waits do. */
enum baseline_wait {
	BASELINE_CONDITION, /* mutex and condition variables; a change of a channel wakes the other side's sleeper */
	BASELINE_SPIN, /* looks for a microsecond or two before, where there are cores enough; a change of
	                  a channel takes the lock only if a thread waits */
	BASELINE_DEFERRED /* takes the lock only then, too, and wakes the other side only when half of the channel
	                     has changed, or before it waits itself: fewer wake-ups, but late where firings are
	                     long */
};

struct baseline_options {
	bool copying;      /* windows are the process's own memory, copied from and to the channel; else they
	                          are the channel's. DAL_read and DAL_write always copy. On a device: its own
	                          windows for channels of the host's, unless both can share memory */
	bool pinned;       /* each process's thread runs on the core of the mapping, without one on its number
	                          modulo the cores */
	uint32_t capacity; /* channels are so many times as large as their `size` says; 1: as it says */
	bool wait_per_firing; /* a firing on a device ends when its kernel has; else when it is queued, and events
	                          are handed on */
	bool by_location; /* a channel between two processes on one device stays there; else it goes through
	                          the host */
	enum baseline_wait wait;
};

/* The paper's settings, and those that make the most of this runtime. */
struct baseline_options baseline_paper(void);
struct baseline_options baseline_best(void);

struct baseline;

/* What libpenstock-dal does and this does not: it refuses no network and finds no deadlock (it hangs), no
 * function of the program can hear of events, and commands on a device that wait for one that fails may hang.
 *
 * Reads the files (mapping NULL: all on cores) and makes processes, channels and, if the mapping says gpu_N,
 * what is needed of OpenCL, the kernels built. processes are borrowed until destroy. NULL: text says file,
 * line and what is wrong. */
struct baseline *baseline_create(const char *process_network, const char *mapping,
	const struct pstk_dal_process *processes, unsigned count, const struct baseline_options *options,
	char *text, size_t size);

/* init of all, the threads, until all have ended: an event has been sent and what was under way has drained,
 * as with libpenstock-dal; finish of all. Once. 0, or a negative errno, and baseline_error() says why. */
int baseline_run(struct baseline *);

/* One line; "" when nothing is wrong. Lives as long as the baseline. */
const char *baseline_error(const struct baseline *);

/* Bytes of the channels' memory, host and device, with the windows that processes on devices copy to and
 * from; not those on the host, which are the processes' own. */
size_t baseline_memory(const struct baseline *);

void baseline_destroy(struct baseline *);

#endif
