/* SPDX-License-Identifier: MIT */
/*
 * SigMF: a recording is two files, NAME.sigmf-meta, JSON, and NAME.sigmf-data, samples. After the Signal
 * Metadata Format Specification 1.x, https://sigmf.org.
 */
#ifndef PENSTOCK_ACTORS_SIGMF_H
#define PENSTOCK_ACTORS_SIGMF_H

#include <stdbool.h>

/* Is it the name of one of a recording's files? */
bool ps_sigmf_named(const char *path);

/* Is what is there, if anything, a regular file, as those of a recording are? To be asked before it is
 * opened: a FIFO or a device may wait. 0, -EISDIR, or -EINVAL. */
int ps_sigmf_check(const char *path);

/* The name of the meta or data file of the recording that this names; the caller frees it. NULL: out of
 * memory. */
char *ps_sigmf_meta_path(const char *path);
char *ps_sigmf_data_path(const char *path);

#endif
