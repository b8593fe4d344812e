/* SPDX-License-Identifier: MIT */
/* What all programs have in common: what they exit with, and how they say what is wrong. */
#ifndef COMMON_APP_H
#define COMMON_APP_H

#include <penstock/penstock.h>

/* What a program exits with. */
enum {
	EXIT_DONE = 0,
	EXIT_FAILED = 1,
	EXIT_USAGE = 2,
	EXIT_DEVICE = 3,
	EXIT_DEADLOCKED = 4,
	EXIT_INTERRUPTED = 130
};

/* The program's own: each message begins with it. Defined beside its options. */
extern const char app_name[];

/* One line on stderr, "NAME: ..". Returns the status. */
int app_fail(int status, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* EXIT_FAILED */
int app_out_of_memory(void);

/* Says all that was wrong with a network that was built. Was there anything? */
bool app_say_problems(const struct pstk_network *);

#endif
