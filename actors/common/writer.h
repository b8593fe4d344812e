/* SPDX-License-Identifier: MIT */
/* What video and I/Q outputs write to. Writing thread only, but for stopped and the wake pipe. */
#ifndef PENSTOCK_ACTORS_WRITER_H
#define PENSTOCK_ACTORS_WRITER_H

#include "actors/common/file.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A file that gets its name when it is whole, or a device, FIFO or stdout, written directly. */
struct ps_writer {
	int fd; /* -1: none */
	int wake[2];
	bool regular, waits; /* it can seek; its reader may keep it waiting */
	bool dry;            /* set before it is opened: nothing is made, what is written goes nowhere */
	atomic_bool stopped; /* any thread */
	struct ps_part part; /* empty: written directly */
};

/* "-" is stdout. 0 or a negative errno. */
int ps_writer_open(struct ps_writer *, const char *path);
/* As ps_writer_open(), but always a new regular file. */
int ps_writer_open_part(struct ps_writer *, const char *path);
void ps_writer_init(struct ps_writer *);
/* All of it, or a negative errno; -ECANCELED when stopped. */
int ps_writer_write(struct ps_writer *, const void *bytes, size_t n);
/* Of a regular file: lseek() with an errno. */
int64_t ps_writer_seek(struct ps_writer *, int64_t offset, int whence);
/* Closes the file and gives it its name; -ECANCELED when stopped: then it has none. */
int ps_writer_complete(struct ps_writer *);
/* The same of two regular files: both get their names, the first one first, or neither does. */
int ps_writer_complete_both(struct ps_writer *first, struct ps_writer *second);
/* Closes the file; removes it if it was not completed. */
void ps_writer_close(struct ps_writer *);
void ps_writer_stop(struct ps_writer *);

#endif
