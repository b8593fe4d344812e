/* SPDX-License-Identifier: MIT */
/* Is the machine quiet? For tests of what is measured as time: only runs on a quiet one count against it. */
#ifndef PENSTOCK_TESTS_QUIET_H
#define PENSTOCK_TESTS_QUIET_H

#include <stdbool.h>

/* Does each of as many threads as there are cores have one for itself? It takes 20 ms. */
bool test_machine_is_quiet(void);

/* Calls it until it is true, ten times at most. Returns false where it was false three times while the machine was
 * quiet. Where that was not to be had it says so and returns true: nothing is known. */
bool test_when_quiet(bool (*is_right)(void *), void *data, const char *what);

#endif
