/* SPDX-License-Identifier: MIT */
/* The program, run inside of the test. */
#ifndef RESAMPLE_CHECK_RUN_H
#define RESAMPLE_CHECK_RUN_H

#include <stdbool.h>
#include <stddef.h>

/* Runs main(); what it says on stderr, and its exit status. Allocation `wav_fail_allocation` of it fails; 0: none. */
extern unsigned wav_fail_allocation;
extern bool wav_allocation_failed;
int wav_run(char *err, size_t size, const char *const *arguments);
#define WAV_RUN(err, ...) wav_run(err, sizeof(err), (const char *const[]){ __VA_ARGS__, NULL })

#endif
