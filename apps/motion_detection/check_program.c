/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "apps/motion_detection/check_program.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static char program[PATH_MAX];

void program_find(void)
{
	const char *given = getenv("MOTION_DETECTION");

	if (!realpath(given ? given : "apps/motion_detection/motion_detection", program)) {
		fprintf(stderr, "no program: run this in the build folder, or set MOTION_DETECTION\n");
		exit(1);
	}
	signal(SIGPIPE, SIG_IGN);
}

static void child(const struct run *run, int in, int out, int err, const char *const *arguments)
{
	const char *argv[64] = { "motion_detection" };

	for (size_t i = 0; arguments[i] && i < 60; i++)
		argv[i + 1] = arguments[i];
	if (run->file_limit) {
		struct rlimit limit = { run->file_limit, run->file_limit };

		setrlimit(RLIMIT_FSIZE, &limit);
	}
	signal(SIGPIPE, SIG_DFL);
	/* a shell ignores it for what runs in the background */
	signal(SIGINT, SIG_DFL);
	dup2(in, STDIN_FILENO);
	dup2(out, STDOUT_FILENO);
	dup2(err, STDERR_FILENO);
	for (int fd = 0; fd < 3; fd++) {
		if (run->closed[fd])
			close(fd);
	}
	execv(program, (char *const *)argv);
	_exit(127);
}

static void *feed(void *arg)
{
	struct run *run = ((void **)arg)[0];
	int fd = *(int *)((void **)arg)[1];
	size_t done = 0;

	while (done < run->input_size) {
		ssize_t n = write(fd, run->input + done, run->input_size - done);

		if (n <= 0)
			break; /* it wants no more */
		done += (size_t)n;
	}
	close(fd);
	return NULL;
}

void program_start(struct run *run, const char *const *arguments)
{
	int in[2] = { run->in_fd ? run->in_fd : open("/dev/null", O_RDONLY | O_CLOEXEC), -1 };

	run->out = NULL;
	run->err = NULL;
	if (run->input) {
		close(in[0]);
		ck_assert_int_eq(pipe2(in, O_CLOEXEC), 0);
	}
	if (!run->out_fd)
		run->out_fd = memfd_create("out", MFD_CLOEXEC);
	if (!run->err_fd)
		run->err_fd = memfd_create("err", MFD_CLOEXEC);
	run->pid = fork();
	ck_assert_int_ge(run->pid, 0);
	if (!run->pid)
		child(run, in[0], run->out_fd, run->err_fd, arguments);
	close(in[0]);
	if (run->input) {
		void *arg[2] = { run, &in[1] };
		pthread_t thread;

		ck_assert_int_eq(pthread_create(&thread, NULL, feed, arg), 0);
		pthread_join(thread, NULL);
	}
}

/* Is it executed? Before, it is a copy of this process, or the script that libtool puts before a program: both handle
 * signals in their own way. */
static bool is_executed(pid_t pid)
{
	char path[64], target[PATH_MAX] = "";
	const char *name;

	snprintf(path, sizeof(path), "/proc/%d/exe", (int)pid);
	if (readlink(path, target, sizeof(target) - 1) < 0)
		return false;
	name = strrchr(target, '/');
	return name && (!strncmp(name, "/motion_", 8) || !strncmp(name, "/lt-motion_", 11));
}

void program_await_asleep(const struct run *run, int number)
{
	char path[64], line[128], state = 0;
	unsigned long long caught = 0;

	while (!is_executed(run->pid))
		sched_yield();
	snprintf(path, sizeof(path), "/proc/%d/status", (int)run->pid);
	while (state != 'S' || !(caught >> (number - 1) & 1)) {
		FILE *file = fopen(path, "r");

		ck_assert_ptr_nonnull(file);
		while (fgets(line, sizeof(line), file)) {
			if (sscanf(line, "State: %c", &state) != 1)
				sscanf(line, "SigCgt: %llx", &caught);
		}
		fclose(file);
		/* it ended without handling the signal */
		ck_assert_int_ne(state, 'Z');
		sched_yield();
	}
}

/* What was written to a file in memory; a terminal or pipe gives nothing. */
static unsigned char *take(int fd, size_t *size)
{
	off_t end = lseek(fd, 0, SEEK_END);
	unsigned char *bytes;

	*size = end > 0 ? (size_t)end : 0;
	bytes = calloc(1, *size + 1);
	ck_assert_ptr_nonnull(bytes);
	if (*size)
		ck_assert_int_eq(pread(fd, bytes, *size, 0), (ssize_t)*size);
	close(fd);
	return bytes;
}

void program_wait(struct run *run)
{
	int status;
	size_t size;

	while (waitpid(run->pid, &status, 0) < 0)
		ck_assert_int_eq(errno, EINTR);
	run->status = WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + WTERMSIG(status);
	run->out = take(run->out_fd, &run->out_size);
	run->err = (char *)take(run->err_fd, &size);
}

void program_free(struct run *run)
{
	free(run->out);
	free(run->err);
	*run = (struct run){ 0 };
}

void program_run(struct run *run, int status, const char *const *arguments)
{
	program_start(run, arguments);
	program_wait(run);
	ck_assert_msg(run->status == status, "status %d instead of %d: %s", run->status, status, run->err);
}

void program_fails(int status, const char *words, const char *const *arguments)
{
	struct run run = { 0 };

	program_run(&run, status, arguments);
	ck_assert_msg(strstr(run.err, words) != NULL, "'%s' is not in: %s", words, run.err);
	ck_assert_uint_eq(run.out_size, 0);
	program_free(&run);
}

/* The definition, pixel by pixel. */
static int gauss_pixel(const unsigned char *src, int w, int h, int x, int y)
{
	static const int weights[5] = { 1, 4, 6, 4, 1 };
	int sum = 0;

	if (y < 2 || y >= h - 2)
		return src[(size_t)y * (size_t)w + (size_t)x];
	for (int dy = -2; dy <= 2; dy++) {
		for (int dx = -2; dx <= 2; dx++) {
			int column = x + dx < 0 ? 0 : x + dx > w - 1 ? w - 1 : x + dx;

			sum += weights[dy + 2] * weights[dx + 2] *
			       src[(size_t)(y + dy) * (size_t)w + (size_t)column];
		}
	}
	return (sum + 128) >> 8;
}

static int median_pixel(const unsigned char *src, int w, int h, int x, int y)
{
	const unsigned char *c = src + (size_t)y * (size_t)w + x;
	int ones;

	if (x == 0 || y == 0 || x == w - 1 || y == h - 1)
		return *c;
	/* of five values that are 0 or 255 the median is the more frequent one */
	ones = (c[0] == 255) + (c[-1] == 255) + (c[1] == 255) + (c[-w] == 255) + (c[w] == 255);
	return ones >= 3 ? 255 : 0;
}

unsigned char *oracle_maps(const unsigned char *frames, unsigned w, unsigned h, size_t count, int threshold)
{
	size_t size = (size_t)w * h;
	unsigned char *maps = malloc(count * size), *before = calloc(1, size), *now = malloc(size),
		      *moved = malloc(size);

	for (size_t n = 0; n < count; n++) {
		unsigned char *swapped = before;

		for (size_t i = 0; i < size; i++) {
			now[i] = (unsigned char)gauss_pixel(
				frames + n * size, (int)w, (int)h, (int)(i % w), (int)(i / w));
			moved[i] = abs(now[i] - before[i]) > threshold ? 255 : 0;
		}
		for (size_t i = 0; i < size; i++)
			maps[n * size + i] = (unsigned char)median_pixel(
				moved, (int)w, (int)h, (int)(i % w), (int)(i / w));
		before = now;
		now = swapped;
	}
	free(before);
	free(now);
	free(moved);
	return maps;
}

void expect_file(const char *name, const unsigned char *bytes, size_t size)
{
	size_t got;
	unsigned char *there = files_read(name, &got);

	ck_assert_uint_eq(got, size);
	ck_assert_mem_eq(there, bytes, size);
	free(there);
}
