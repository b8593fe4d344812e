/* SPDX-License-Identifier: MIT */
/* Runs the built program. */
#ifndef COMMON_CHECK_PROGRAM_H
#define COMMON_CHECK_PROGRAM_H

#include "actors/common/check_files.h"

#include <sys/types.h>

struct run {
	/* to be set before, or zero */
	const unsigned char *input; /* comes on stdin, through a pipe */
	size_t input_size;
	size_t file_limit; /* no file grows beyond so many bytes; 0: none */
	int err_fd;        /* stderr goes there; 0: is kept in err */
	int out_fd;        /* stdout goes there; 0: is kept in out */
	int in_fd;         /* stdin comes from there; 0: input, or nothing */
	bool closed[3];    /* it is started without these standard streams */
	bool nohup;        /* it is started with SIGHUP ignored, as nohup does */
	bool no_sigpipe;   /* it is started with SIGPIPE ignored, as some programs do */
	/* afterwards */
	pid_t pid;
	int status; /* the exit status; 1000 + signal */
	unsigned char *out;
	size_t out_size;
	char *err;
};

/* Before the first test: where the program is, in this environment variable or at this path in the build
 * folder, which the tests run in. */
void program_find(const char *path, const char *variable);

/* Arguments up to NULL. */
void program_start(struct run *, const char *const *arguments);
void program_wait(struct run *);
/* Also: makes it ready for another run. */
void program_free(struct run *);

/* Runs it to the end, expects this exit status. The caller frees the run. */
void program_run(struct run *, int status, const char *const *arguments);
#define RUN(run, status, ...) program_run(run, status, (const char *const[]){ __VA_ARGS__, NULL })

/* Runs it, expects a failure with this status and each of the words on stderr, and nothing on stdout. */
#define FAILS(status, words, ...) program_fails(status, words, (const char *const[]){ __VA_ARGS__, NULL })
void program_fails(int status, const char *words, const char *const *arguments);

/* A pipe that no process reads any more, for out_fd. */
int program_broken_pipe(void);

/* Runs it with --help, which can't be written. */
void program_help_to_a_full_device(void);

/* The status for what is no selector of a device. Without OpenCL none is read: there is no such device. */
#ifdef HAVE_OPENCL
enum { PROGRAM_NO_SELECTOR = 2 };
#else
enum { PROGRAM_NO_SELECTOR = 3 };
#endif

/* Waits until it handles this signal and sleeps. */
void program_await_asleep(const struct run *, int number);

/* Has it taken the signals that were sent to it? */
bool program_has_taken(const struct run *);

/* Sends it this signal at random moments, from when it handles SIGINT until it ends; program_wait()
 * follows. */
void program_pester(const struct run *, int number, uint64_t seed);

void expect_file(const char *path, const unsigned char *bytes, size_t size);

#endif
