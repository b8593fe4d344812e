/* SPDX-License-Identifier: MIT */
/* What all programs have in common: what they exit with, and how they say what is wrong. */
#ifndef COMMON_APP_H
#define COMMON_APP_H

#include <penstock/penstock.h>

#include <stdio.h>

/* What a program exits with. */
enum {
	EXIT_DONE = 0,
	EXIT_FAILED = 1,
	EXIT_USAGE = 2,
	EXIT_DEVICE = 3,
	EXIT_DEADLOCKED = 4,
	EXIT_INTERRUPTED = 130
};

/* What --help says of the failures, alike in all programs. */
#define APP_STATUS                                                                                           \
	"1 failed; 2 wrong usage, or a file that is missing or wrong; 3 no OpenCL device fits a selector,\n" \
	"or several do"

/* The program's own: each message begins with it. Defined beside its options. */
extern const char app_name[];

/* As fprintf(), but control characters, which could steer a terminal, are written as \x1b: for what is not the
 * program's own text, as names of files and words of plug-ins. Ends of lines and tabs stay. */
void app_say(FILE *, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* One line on stderr, "NAME: ..", as app_say(). Returns the status. */
int app_fail(int status, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* A hash of all that the program has said on stderr so far: do two processes say the same? */
uint64_t app_said(void);

/* EXIT_FAILED */
int app_out_of_memory(void);

/* Says all that was wrong with a network that was built. Was there anything? */
bool app_say_problems(const struct pstk_network *);

#endif
