/* SPDX-License-Identifier: MIT */
/*
 * Environment: the variables that the library reads, in one table. No other file of lib calls getenv() (check_tree.sh).
 *
 * When a variable is read depends on what it decides:
 *
 *   network   How one network is built and run. pstk_network_create() reads all of these at once, and the network uses
 *             nothing but that snapshot. So what a network says of itself before the start (its bytes, its threads) is
 *             what the start does; a program may change the environment between two networks; and no thread of a
 *             network that runs calls getenv() while the program calls setenv(), which is a race.
 *   process   What all networks of the process share: the log, how threads wait for devices, the lock around OpenCL. It
 *             is read at the first use and never again.
 *   drivers   Variables of OpenCL's loader and drivers, which read them when they like. The library reads them only to
 *             explain why a driver shows no device, in the call of the program that asks for one. It reads them each
 *             time: a program may have changed them because of an earlier message.
 */
#ifndef PENSTOCK_ENVIRONMENT_H
#define PENSTOCK_ENVIRONMENT_H

#include <stdbool.h>
#include <stdint.h>

/* In the order of the table. */
enum ps_variable {
	/* of a network */
	PS_VARIABLE_LAUNCH,
	PS_VARIABLE_MEMORY,
	PS_VARIABLE_PIPELINE,
	PS_VARIABLE_PROFILE,
	PS_VARIABLE_SHARE,
	PS_VARIABLE_TEAM,
	PS_VARIABLE_TRACE,
	PS_VARIABLE_WATCHDOG,
	/* of the process */
	PS_VARIABLE_DEBUG,
	PS_VARIABLE_SERIAL,
	PS_VARIABLE_WAIT,
	/* of libpenstock-graph, which reads it */
	PS_VARIABLE_PLUGINS,
	/* of the command penstock, which reads it */
	PS_VARIABLE_MPI,
	/* of drivers */
	PS_VARIABLE_HOME,
	PS_VARIABLE_HWLOC_FSROOT,
	PS_VARIABLE_HWLOC_SYNTHETIC,
	PS_VARIABLE_HWLOC_XMLFILE,
	PS_VARIABLE_OCL_ICD_VENDORS,
	PS_VARIABLE_POCL_CACHE_DIR,
	PS_VARIABLE_POCL_DEVICES,
	PS_VARIABLE_XDG_CACHE_HOME,
	PS_VARIABLE_COUNT
};

enum { PS_ENVIRONMENT_THREADS_MAX = 256 };

/* What the variables of networks and of the process say; where one is not set or not understood: its default. */
struct ps_environment {
	bool launch_own;                                                             /* PENSTOCK_LAUNCH=own */
	enum { PS_MEMORY_ANY, PS_MEMORY_SVM, PS_MEMORY_MAP, PS_MEMORY_COPY } memory; /* PENSTOCK_MEMORY */
	char pipeline[64];    /* PENSTOCK_PIPELINE: of all pipelines; "": each has its own */
	bool profile;         /* PENSTOCK_PROFILE=1 */
	bool share;           /* but for PENSTOCK_SHARE=0 */
	unsigned threads;     /* PENSTOCK_TEAM */
	uint64_t watchdog_ns; /* PENSTOCK_WATCHDOG; 0: none */
	bool watchdog_aborts; /* PENSTOCK_WATCHDOG=..,abort */
	bool serial;          /* PENSTOCK_SERIAL=1 */
	enum {
		PS_EVENT_WAIT_BLOCK,
		PS_EVENT_WAIT_SPIN,
		PS_EVENT_WAIT_ADAPTIVE,
		PS_EVENT_WAIT_POLL
	} wait; /* PENSTOCK_WAIT */
};

struct ps_variable_row {
	const char *name;
	const char *form;     /* its values, as messages say them; NULL: the library does not judge them */
	const char *standard; /* the value that does the same as none; "": there is none */
	const char *effect;   /* what it does, in a line */
	/* Takes a text that is not empty; false: it is not understood. NULL: the text is used as it is. */
	bool (*take)(const char *text, struct ps_environment *);
};

extern const struct ps_variable_row ps_environment_table[PS_VARIABLE_COUNT];

/* Reads what struct ps_environment holds. wrong: called for each value that is not understood; may be NULL. */
void ps_environment_read(
	struct ps_environment *, void (*wrong)(const struct ps_variable_row *, const char *text));

/* The variables of the process, as they were at the first call. Any thread. */
const struct ps_environment *ps_environment_process(void);

/* A variable's text at this moment; NULL: it is not set. For drivers' variables, and for the log's own. */
const char *ps_environment_text(enum ps_variable);

#endif
