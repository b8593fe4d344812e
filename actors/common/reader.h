/* SPDX-License-Identifier: MIT */
/* What video and I/Q inputs read from. Reading thread only, but for stopped and the wake pipe. */
#ifndef PENSTOCK_ACTORS_READER_H
#define PENSTOCK_ACTORS_READER_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define PS_READER_BUFFER 65536u

/* A file, pipe or terminal that is read in order, and whose waiting another thread can end. */
struct ps_reader {
	int fd; /* -1: none */
	int wake[2];
	bool regular;
	int64_t base;  /* of a regular file: where it began when opened, which on stdin is not always 0 */
	int64_t taken; /* bytes read in order, and the first of them */
	unsigned char head[12];
	atomic_bool stopped; /* any thread */
	unsigned char *buffer;
	size_t start, end; /* what the buffer holds */
};

/* "-" is stdin. 0 or a negative errno. */
int ps_reader_open(struct ps_reader *, const char *path);
void ps_reader_init(struct ps_reader *);
void ps_reader_close(struct ps_reader *);
/* Wakes a read that waits; all later ones fail with -ECANCELED. */
void ps_reader_stop(struct ps_reader *);
/* Up to n bytes without waiting for all of them; 0: the end. */
ssize_t ps_reader_some(struct ps_reader *, void *to, size_t n);
/* n bytes, fewer only at the end. to NULL: skips them. */
ssize_t ps_reader_full(struct ps_reader *, void *to, size_t n);
/* Do the next bytes equal these n (at most 64)? Takes nothing. Also: *any, is there any byte at all? */
int ps_reader_starts_with(struct ps_reader *, const char *bytes, size_t n, bool *any);
/* A line without its newline: its length; -EPROTO: it is longer than size - 1 or has no newline, and what there is of
 * it stands in line; -ENODATA: the end. */
ssize_t ps_reader_line(struct ps_reader *, char *line, size_t size);

/* Of a regular file: its bytes from where it began, which may be beyond its end; a seek within it. Or a
 * negative errno. */
int64_t ps_reader_size(const struct ps_reader *);
int64_t ps_reader_seek(struct ps_reader *, int64_t offset, int whence);

#endif
