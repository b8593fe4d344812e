/* SPDX-License-Identifier: MIT */
/*
 * SIGINT and SIGTERM before the network handles them: what may wait, the input and FIFOs, is opened while
 * there are no files yet, and a signal ends the program at once. The files are opened while signals are
 * blocked. Afterwards only files are closed and named, which the first signal lets happen. A signal that ends the
 * program removes the files that it has begun: a graph's outputs may be open while its inputs still wait.
 * SIGHUP, which a terminal sends that is closed, does at each of these times what SIGTERM does, so that no begun
 * file is left behind; under nohup it stays ignored.
 * SIGUSR1, which makes a running network write a snapshot, does nothing before and afterwards.
 */
#ifndef COMMON_SIGNALS_H
#define COMMON_SIGNALS_H

#include <stdbool.h>

/* First of all. Also ignores SIGPIPE and SIGXFSZ: a closed pipe and a file that is too large are errors like
 * any other. */
void signals_handle(void);

/* Does what SIGPIPE would have done: ends the program, but where the program that started it said to ignore it. */
void signals_end_of_pipe(void);

/* From now on files are opened. */
void signals_block(void);

/* The network handles them. */
void signals_unblock(void);

/* Behind the network's run: has the first signal come? What takes long then asks, and ends early. */
bool signals_came(void);

#endif
