/* SPDX-License-Identifier: MIT */
/*
 * Fuzz: what reads files, fed with any bytes. A target is a file fuzz_NAME.c with one function, and corpus/NAME is
 * what it has been fed with. libFuzzer calls the function, or replay.c, for each file of the corpus.
 */
#ifndef PENSTOCK_TESTS_FUZZ_H
#define PENSTOCK_TESTS_FUZZ_H

#include <stddef.h>
#include <stdint.h>

/* The target. 0: go on. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Writes the bytes to a file of this name, in a folder of this process's that goes with it; its path, until the next
 * call with this name. */
const char *fuzz_file(const char *name, const void *data, size_t size);

#endif
