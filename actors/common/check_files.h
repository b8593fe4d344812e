/* SPDX-License-Identifier: MIT */
/* What tests with files share: a folder of their own, files in it, allocations and system calls that fail. */
#ifndef PENSTOCK_ACTORS_CHECK_FILES_H
#define PENSTOCK_ACTORS_CHECK_FILES_H

#include "tests/common/allocation.h"
#include "tests/common/common.h"

#include <sys/types.h>

/* A case whose tests each run in an empty folder, which is removed afterwards. */
TCase *files_case(Suite *suite, const char *name);

void files_write(const char *name, const void *bytes, size_t size);
void files_text(const char *name, const char *text);
/* The caller frees it. */
unsigned char *files_read(const char *name, size_t *size);
bool files_exists(const char *name);
/* Bytes of the file; -1: there is none. */
off_t files_size(const char *name);
/* Files in the folder. */
unsigned files_count(void);

/* The name of the file that will be NAME when it is whole; "" when there is none. Valid until the next
 * call. */
const char *files_part(const char *name);

/* Random bytes. The caller frees them. */
unsigned char *files_random(size_t size, uint64_t seed);

/* As test_fail_allocation() and test_allocation_failed(), for the read, write, poll, pipe2, fstat, lseek, fcntl, rename
 * and link: EIO, also of a close, which closes though. */
void files_fail_system(unsigned n);
bool files_system_failed(void);

#endif
