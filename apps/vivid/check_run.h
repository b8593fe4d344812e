/* SPDX-License-Identifier: MIT */
/* The program, run inside of the test. */
#ifndef VIVID_CHECK_RUN_H
#define VIVID_CHECK_RUN_H

#include "apps/common/check_main.h"

extern const struct main_program vivid_program;

/* What it says on stderr, and its exit status. */
static inline int vivid_run(char *err, size_t size, const char *const *arguments)
{
	return main_run(&vivid_program, arguments, NULL, err, size);
}
#define VIVID_RUN(err, ...) vivid_run(err, sizeof(err), (const char *const[]){ __VA_ARGS__, NULL })

/* It must succeed. */
void vivid_must(const char *const *arguments);
#define VIVID(...) vivid_must((const char *const[]){ __VA_ARGS__, NULL })

#endif
