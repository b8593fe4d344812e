/* SPDX-License-Identifier: MIT */
/* What the code under test writes to stdout and stderr, when it runs inside of a test. */
#ifndef COMMON_CHECK_SAID_H
#define COMMON_CHECK_SAID_H

/* From now on both are kept. */
void said_start(void);

/* As before; what was written since, valid until the next call. */
void said_stop(void);
extern char said_out[8192], said_err[8192];

#endif
