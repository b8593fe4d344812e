/* SPDX-License-Identifier: MIT */
/* The program, run inside of the test. */
#ifndef RESAMPLE_CHECK_RUN_H
#define RESAMPLE_CHECK_RUN_H

#include "apps/common/check_main.h"

extern const struct main_program wav_program;

/* What it says on stderr, and its exit status. */
static inline int wav_run(char *err, size_t size, const char *const *arguments)
{
	return main_run(&wav_program, arguments, NULL, err, size);
}
#define WAV_RUN(err, ...) wav_run(err, sizeof(err), (const char *const[]){ __VA_ARGS__, NULL })

#endif
