/* SPDX-License-Identifier: MIT */
/* Environment check: warnings of variables and values that the library does not understand. */
#ifndef PENSTOCK_ENVIRONMENT_CHECK_H
#define PENSTOCK_ENVIRONMENT_CHECK_H

#include "lib/base/environment.h"

/*
 * pstk_network_create(): reads the environment, and logs a warning, once a process, of
 *   - each value that is not understood: with what was expected. A variable that gets another wrong value later is
 *     warned of again;
 *   - each variable PENSTOCK_.. that the table does not have: with the one that was probably meant, and all names.
 */
void ps_environment_take(struct ps_environment *);

#endif
