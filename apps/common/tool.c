/* SPDX-License-Identifier: MIT */
/*
 * The tool reads the text from a file that has no name and writes the picture to a pipe; this program writes it to its
 * file. So a full disk is found and said as for all other files, and nothing is left behind.
 */
#include "config.h"

#include "apps/common/tool.h"
#include "apps/common/app.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

/* Starts it with this argument, stdin, stdout and stderr. It ignores and blocks no signal, whatever this program does.
 * 0 or a negative errno. */
static int start(pid_t *pid, const struct tool *tool, const char *argument, int in, int out, int errors)
{
	char *const argv[] = { (char *)(uintptr_t)tool->name, (char *)(uintptr_t)argument, NULL };
	posix_spawn_file_actions_t actions;
	posix_spawnattr_t attributes;
	sigset_t none, pipe;
	int err;

	sigemptyset(&none);
	sigemptyset(&pipe);
	sigaddset(&pipe, SIGPIPE);
	/* none of the calls before posix_spawnp() fails but for lack of memory, and then that one does, too */
	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_adddup2(&actions, in, STDIN_FILENO);
	posix_spawn_file_actions_adddup2(&actions, out, STDOUT_FILENO);
	posix_spawn_file_actions_adddup2(&actions, errors, STDERR_FILENO);
	posix_spawnattr_init(&attributes);
	posix_spawnattr_setsigmask(&attributes, &none);
	posix_spawnattr_setsigdefault(&attributes, &pipe);
	posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
	err = posix_spawnp(pid, argv[0], &actions, &attributes, argv, environ);
	posix_spawnattr_destroy(&attributes);
	posix_spawn_file_actions_destroy(&actions);
	return -err;
}

/* As waitpid() says it; 0 where it can't be told, because the program was started with SIGCHLD ignored. */
static int status_of(pid_t pid)
{
	int status = 0;

	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	return status;
}

/* 0 or a negative errno: it can't be started. */
static int ask(const struct tool *tool, int *status)
{
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);
	pid_t pid;
	int err = null < 0 ? -errno : start(&pid, tool, tool->asked, null, null, null);

	if (!err)
		*status = status_of(pid);
	if (null >= 0)
		close(null);
	return err;
}

bool tool_is_here(const struct tool *tool)
{
	int status = 0;

	return !ask(tool, &status) && !status;
}

int tool_check(const struct tool *tool, const char *option)
{
	int status = 0, err = ask(tool, &status);

	if (err == -ENOENT)
		return app_fail(EXIT_FAILED,
			"--%s: there is no %s, which draws the picture: install it (Debian's package is %s), "
			"or leave out --%s",
			option, tool->name, tool->package, option);
	if (err)
		return app_fail(
			EXIT_FAILED, "--%s: %s can't be started: %s", option, tool->name, strerror(-err));
	if (status)
		return app_fail(EXIT_FAILED, "--%s: '%s %s' fails: install it anew, or leave out --%s",
			option, tool->name, tool->asked, option);
	return 0;
}

/* The last line that is not empty. */
static const char *last_line(FILE *file, char *line, size_t size)
{
	char next[256];

	snprintf(line, size, "it did not say why");
	rewind(file);
	while (fgets(next, sizeof(next), file)) {
		size_t blank = strspn(next, " \t\n");

		next[strcspn(next, "\n")] = '\0';
		if (next[blank])
			snprintf(line, size, "%s", next + blank);
	}
	return line;
}

/* What became of the tool, which wrote so many bytes: 0, or what to exit with; said then. */
static int judge(const struct tool *tool, const char *path, FILE *errors, int status, ssize_t drawn)
{
	char line[256];

	if (WIFSIGNALED(status))
		return app_fail(EXIT_FAILED, "%s: %s was ended by signal %d (%s)", path, tool->name,
			WTERMSIG(status), strsignal(WTERMSIG(status)));
	if (status || !drawn)
		return app_fail(EXIT_FAILED, "%s: %s %s: %s", path, tool->name,
			status ? "failed" : "drew nothing", last_line(errors, line, sizeof(line)));
	return 0;
}

/* Copies what the tool draws: how many bytes, or a negative errno. What goes wrong in writing stays in the stream. */
static ssize_t copy(int from, FILE *to)
{
	char bytes[8192];
	ssize_t all = 0, n;

	while ((n = read(from, bytes, sizeof(bytes))) != 0) {
		if (n < 0 && errno != EINTR)
			return -errno;
		if (n > 0) {
			fwrite(bytes, 1, (size_t)n, to);
			all += n;
		}
	}
	return all;
}

/* A negative errno: it was not drawn; else 0, and what became of the tool is in *status. */
static int draw(
	const struct tool *tool, FILE *text, FILE *errors, FILE *picture, const char *path, int *status)
{
	int ends[2], err, ended;
	ssize_t drawn = 0;
	pid_t pid;

	if (ferror(text) | fflush(text) || lseek(fileno(text), 0, SEEK_SET) < 0 || pipe2(ends, O_CLOEXEC))
		return errno ? -errno : -EIO;
	err = start(&pid, tool, tool->argument, fileno(text), ends[1], fileno(errors));
	close(ends[1]);
	if (!err)
		drawn = copy(ends[0], picture);
	close(ends[0]);
	if (err)
		return err;
	ended = status_of(pid);
	if (drawn < 0)
		return (int)drawn;
	*status = judge(tool, path, errors, ended, drawn);
	return 0;
}

int tool_draw(const struct tool *tool, FILE *text, FILE *picture, const char *path)
{
	FILE *errors = tmpfile();
	int status = 0, err = errors ? draw(tool, text, errors, picture, path, &status) : -errno;

	if (errors)
		fclose(errors);
	return err ? app_fail(EXIT_FAILED, "%s: %s", path, strerror(-err)) : status;
}
