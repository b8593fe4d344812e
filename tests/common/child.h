/* SPDX-License-Identifier: MIT */
/* A test's child process: signals and crashes need one of their own. */
#ifndef PENSTOCK_TESTS_CHILD_H
#define PENSTOCK_TESTS_CHILD_H

#include <stdio.h>
#include <sys/types.h>
#include <unistd.h>

/* Exit statuses of a child, beside those of the library. */
enum { CHILD_FINE = 0, CHILD_WRONG = 99 };

/* Ends a child that finds something wrong; the text is in the log of the test. */
#define CHILD_NEEDS(condition)                                                                      \
	do {                                                                                        \
		if (!(condition)) {                                                                 \
			fprintf(stderr, "%s:%d: child needs %s\n", __FILE__, __LINE__, #condition); \
			fflush(stderr);                                                             \
			_exit(CHILD_WRONG);                                                         \
		}                                                                                   \
	} while (0)

struct child {
	pid_t pid;
	int from; /* bytes that say how far the child is */
};

/* In the child: where child_say() writes. */
extern int child_to_parent;

/* In the child: tells the parent how far it is. */
void child_say(char byte);

/* Forks; the child runs body and exits with CHILD_FINE. It has a guard of its own. */
void child_start(struct child *, void (*body)(void));

/* Waits until the child has said so. */
void child_await(const struct child *, char expected);

/* Waits for its end: wait()'s status. */
int child_status(const struct child *);
void child_exits(const struct child *, int expected);

/* The last words of a child that writes to child_to_parent, all of them: its end closes the pipe. */
void child_read(const struct child *, char *text, size_t room);

#endif
