/* SPDX-License-Identifier: MIT */
/* Files that are written: never on the descriptors 0 to 2, and under their name only when they are whole. */
#ifndef PENSTOCK_ACTORS_FILE_H
#define PENSTOCK_ACTORS_FILE_H

/* What open() gave. When the program has closed a standard stream, a file must not take its place:
 * descriptors 0 to 2 become higher ones. -1: -errno. */
int ps_file_lift(int fd);

/* A pipe that wakes poll(): neither end waits. 0 or a negative errno. */
int ps_file_pipe(int ends[2]);

/* "-" and /dev/stdout, /dev/stderr, /dev/fd/N: a duplicate of what the program has open there. What is
 * there and is no regular file: a device, a FIFO. Else 0: it is to be a regular file. A negative errno:
 * -EISDIR, or open()'s. */
int ps_file_open_direct(const char *path);

/* Can it be written, as far as is known without that? 1: directly, as ps_file_open_direct() says; 0: as a regular file;
 * a negative errno: it can't. Nothing is opened or made. */
int ps_file_check(const char *path);

/* The name in the folder that this path is in, or the name itself if it is absolute; the caller frees it.
 * NULL: out of memory. */
char *ps_file_beside(const char *path, const char *name);

/* A regular file until it is whole. */
struct ps_part {
	char *path; /* where it will be: a link's target, which need not be there yet */
	char *name; /* its own name until then, which no other file had; NULL: nothing to remove */
};

/* A descriptor or a negative errno. The file has the permission bits of the one that is there now. */
int ps_part_open(struct ps_part *, const char *path);
/* Its descriptor was closed: gives it its name. 0 or a negative errno. */
int ps_part_complete(struct ps_part *);
/* Gives two their names, the first one first, or neither: what was there before stays then. -EISDIR: one of
 * the names is a folder by now. */
int ps_part_complete_both(struct ps_part *first, struct ps_part *second);
/* Frees it; removes a file that was not completed. */
void ps_part_drop(struct ps_part *);
/* Removes all that this process has open, whichever library has opened them. For a signal handler that ends the
 * process. */
void ps_part_remove_all(void);

#endif
