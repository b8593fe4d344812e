/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "apps/common/check_program.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static char program[PATH_MAX];
static const char *name; /* constant after program_find() */

static bool is_script(const char *path)
{
	char begin[2] = "";
	int file = open(path, O_RDONLY);
	bool is = file >= 0 && read(file, begin, 2) == 2 && !memcmp(begin, "#!", 2);

	if (file >= 0)
		close(file);
	return is;
}

/* In the build folder: where the path is libtool's script, what libtool has linked. The script starts that with the
 * libraries beside it, and takes several times as long as a program that refuses an option. */
static bool find_linked(const char *path)
{
	const char *slash = strrchr(path, '/'), *others = getenv("LD_LIBRARY_PATH");
	char linked[PATH_MAX], libraries[PATH_MAX], both[2 * PATH_MAX];

	snprintf(linked, sizeof linked, "%.*s.libs/%s", (int)(slash + 1 - path), path, slash + 1);
	if (!is_script(path) || !realpath(linked, program) || !realpath(".libs", libraries))
		return false;
	snprintf(both, sizeof both, "%s%s%s", libraries, others ? ":" : "", others ? others : "");
	return !setenv("LD_LIBRARY_PATH", both, 1);
}

void program_find(const char *path, const char *variable)
{
	const char *given = getenv(variable);

	if ((given || !find_linked(path)) && !realpath(given ? given : path, program)) {
		fprintf(stderr, "no program: run this in the build folder, or set %s\n", variable);
		exit(1);
	}
	name = strrchr(path, '/') + 1;
	signal(SIGPIPE, SIG_IGN);
	/* else it would depend on the cores of this machine; what is already there is what the tests are to run with */
	setenv("PENSTOCK_TEAM", "0", 0);
}

static void child(const struct run *run, int in, int out, int err, const char *const *arguments)
{
	const char *argv[64] = { name };

	for (size_t i = 0; arguments[i] && i < 60; i++)
		argv[i + 1] = arguments[i];
	if (run->file_limit) {
		struct rlimit limit = { run->file_limit, run->file_limit };

		setrlimit(RLIMIT_FSIZE, &limit);
	}
	signal(SIGPIPE, run->no_sigpipe ? SIG_IGN : SIG_DFL);
	/* a shell ignores it for what runs in the background */
	signal(SIGINT, SIG_DFL);
	signal(SIGHUP, run->nohup ? SIG_IGN : SIG_DFL);
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

	ck_assert_msg(!run->out && !run->err, "the run before this one was not freed");
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

/* Is it executed? Before, it is a copy of this process, or the script that libtool puts before a program:
 * both handle signals in their own way. */
static bool is_executed(pid_t pid)
{
	char path[64], target[PATH_MAX] = "";
	const char *last;

	snprintf(path, sizeof(path), "/proc/%d/exe", (int)pid);
	if (readlink(path, target, sizeof(target) - 1) < 0)
		return false;
	last = strrchr(target, '/');
	if (!last)
		return false;
	last += strncmp(last, "/lt-", 4) ? 1 : 4;
	return !strcmp(last, name);
}

/* Its state ('Z': it has ended), and does it handle this signal? */
static char state_of(pid_t pid, int number, bool *handles)
{
	char path[64], line[128], state = 0;
	unsigned long long caught = 0;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/status", (int)pid);
	file = fopen(path, "r");
	ck_assert_ptr_nonnull(file);
	while (fgets(line, sizeof(line), file)) {
		if (sscanf(line, "State: %c", &state) != 1)
			sscanf(line, "SigCgt: %llx", &caught);
	}
	fclose(file);
	*handles = caught >> (number - 1) & 1;
	return state;
}

void program_await_asleep(const struct run *run, int number)
{
	bool handles = false;
	char state = 0;

	while (!is_executed(run->pid))
		sched_yield();
	while (state != 'S' || !handles) {
		state = state_of(run->pid, number, &handles);
		/* it ended without handling the signal */
		ck_assert_int_ne(state, 'Z');
		sched_yield();
	}
}

bool program_has_taken(const struct run *run)
{
	char path[64], line[128];
	FILE *file;
	unsigned long long pending = 1;

	snprintf(path, sizeof(path), "/proc/%d/status", (int)run->pid);
	file = fopen(path, "r");
	ck_assert_ptr_nonnull(file);
	while (fgets(line, sizeof(line), file)) {
		if (sscanf(line, "ShdPnd: %llx", &pending) == 1)
			break;
	}
	fclose(file);
	return pending == 0;
}

void program_pester(const struct run *run, int number, uint64_t seed)
{
	struct test_rng rng = { seed };
	bool handles = false, executed;
	char state = 0;

	do { /* in this order: before it is executed it has this program's handlers */
		executed = is_executed(run->pid);
		state = state_of(run->pid, SIGINT, &handles);
	} while (state != 'Z' && !(executed && handles));
	while (state_of(run->pid, SIGINT, &handles) != 'Z') {
		ck_assert_int_eq(kill(run->pid, number), 0);
		for (unsigned i = test_between(&rng, 0, 200); i > 0; i--)
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

int program_broken_pipe(void)
{
	int ends[2];

	ck_assert_int_eq(pipe2(ends, O_CLOEXEC), 0);
	close(ends[0]);
	return ends[1];
}

void program_help_to_a_full_device(void)
{
	struct run run = { .out_fd = open("/dev/full", O_WRONLY | O_CLOEXEC) };

	RUN(&run, 1, "--help");
	TEST_SAYS(run.err, "stdout: No space left on device");
	program_free(&run);
}

void expect_file(const char *path, const unsigned char *bytes, size_t size)
{
	size_t got;
	unsigned char *there = files_read(path, &got);

	ck_assert_uint_eq(got, size);
	ck_assert_mem_eq(there, bytes, size);
	free(there);
}
