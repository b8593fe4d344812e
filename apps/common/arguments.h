/* SPDX-License-Identifier: MIT */
/* Command lines: long options with numbers in them, and what to say of wrong ones. */
#ifndef COMMON_ARGUMENTS_H
#define COMMON_ARGUMENTS_H

#include <getopt.h>

#include "apps/common/app.h"

/* Of a program's options. What is wrong, take() and settle() say themselves. */
struct arguments {
	const struct option *table;
	/* -1: go on; else what to exit with. value: NULL where the table has no_argument */
	int (*take)(void *data, int option, const char *value);
	/* after the last one, do they go together? As take() */
	int (*settle)(void *data);
	void *data;
	/* what --input has said: arguments that are no options may be meant for it while it is NULL; may be
	 * NULL: there is no such option */
	const char *const *input;
	/* takes an argument that is no option; as take(). NULL: there is none */
	int (*operand)(void *data, const char *value);
	const char *called;  /* for messages; NULL: app_name */
	const char *letters; /* short options, as getopt() takes them; NULL: none */
};

/* -1: run; else what to exit with, everything has been said. Arguments that are no options are refused. */
int arguments_parse(const struct arguments *, int argc, char **argv);

/* Digits only, up to `end`: no sign, no space, nothing behind. NULL: not so, or not in low..high; else where
 * `end` is. */
const char *arguments_number(const char *text, char end, uint64_t low, uint64_t high, uint64_t *value);

/* "--OPTION: 'TEXT' is not WANTED": EXIT_USAGE. */
int arguments_wrong(const char *option, const char *text, const char *wanted);

/* A number that says so itself: 0 or EXIT_USAGE. */
int arguments_uint32(const char *option, const char *text, uint32_t low, uint32_t high, uint32_t *value);

/* A number from 1. As arguments_uint32(). */
int arguments_count(const char *option, const char *text, uint64_t *value);

/* WIDTHxHEIGHT, from 1. As arguments_uint32(). */
int arguments_size(const char *option, const char *text, uint32_t *width, uint32_t *height);

/* Cuts a copy of text, which the caller frees (*copy, freed before), at its commas: into at most `room`
 * parts, how many in *count, which is 0 when one is empty or there are more. 0, or EXIT_FAILED: out of
 * memory, said. */
int arguments_cut(const char *text, char **copy, const char **parts, unsigned room, unsigned *count);

/* To stdout, for --help and --version: EXIT_DONE or EXIT_FAILED. */
int arguments_print(const char *text);

/* stdout could not be written, errno says why: EXIT_FAILED. Where it is a pipe that is read no more the program ends by
 * SIGPIPE, as other tools do. */
int arguments_stdout_failed(void);

#endif
