/* SPDX-License-Identifier: MIT */
/* What the tests of video in and out share: a folder of their own, files in it, allocations that fail. */
#ifndef PENSTOCK_ACTORS_CHECK_MEDIA_H
#define PENSTOCK_ACTORS_CHECK_MEDIA_H

#include "penstock/media.h"
#include "tests/common.h"

/* A case whose tests each run in an empty folder, which is removed afterwards. */
TCase *media_case(Suite *suite, const char *name);

void media_write(const char *name, const void *bytes, size_t size);
void media_text(const char *name, const char *text);
/* The caller frees it. */
unsigned char *media_read(const char *name, size_t *size);
bool media_exists(const char *name);
/* Files in the folder. */
unsigned media_count(void);

/* The name of the file that will be NAME when it is whole; "" when there is none. Valid until the next call. */
const char *media_part(const char *name);

/* Random bytes. The caller frees them. */
unsigned char *media_random(size_t size, uint64_t seed);

/* Opens, expects success. */
struct pstk_video_input *media_open(const struct pstk_video_input_spec *);
/* Opens, expects this error and text. */
void media_refuses(const struct pstk_video_input_spec *, int err, const char *text);
/* Reads frames until the end; the last result. Appends them to `to` if it is not NULL; *count: frames. */
int media_drain(struct pstk_video_input *, unsigned char *to, size_t room, size_t *count);

/* The n-th malloc, calloc or strdup of the code under test from now on fails, and only that one; 0: none
 * does. */
void media_fail_allocation(unsigned n);
/* Has it failed? None does any more. */
bool media_allocation_failed(void);

/* The same for its read, write, poll, pipe2, fstat, lseek, fcntl and rename: EIO, also of a close, which
 * closes though. */
void media_fail_system(unsigned n);
bool media_system_failed(void);

#endif
