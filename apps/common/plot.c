/* SPDX-License-Identifier: MIT */
/*
 * gnuplot reads the script from a file that has no name and writes the picture to a pipe; this program writes it to its
 * file. So a full disk is found and said as for all other files, and nothing is left behind.
 */
#include "config.h"

#include "apps/common/plot.h"
#include "actors/common/message.h"
#include "apps/common/app.h"
#include "apps/common/whole.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

struct plot {
	const char *path;
	struct whole *whole;
	FILE *script, *errors; /* gnuplot's stdin and stderr */
};

int plot_check_name(const char *option, const char *path)
{
	static const char *const others[] = { ".pdf", ".jpg", ".jpeg", ".eps", ".ps", ".gif", ".webp", ".tif",
		".tiff", ".bmp" };
	const char *ending = path ? strrchr(path, '.') : NULL;

	for (size_t i = 0; ending && i < sizeof(others) / sizeof(*others); i++) {
		if (!strcasecmp(ending, others[i]))
			return app_fail(EXIT_USAGE,
				"--%s %s: it is written as SVG or PNG; a name in .svg or .png is wanted",
				option, path);
	}
	return 0;
}

/* Starts it with this argument, stdin, stdout and stderr. It ignores and blocks no signal, whatever this program does.
 * 0 or a negative errno. */
static int start(pid_t *pid, const char *argument, int in, int out, int errors)
{
	char *const argv[] = { (char *)"gnuplot", (char *)(uintptr_t)argument, NULL };
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

int plot_check_gnuplot(const char *option)
{
	int null = open("/dev/null", O_RDWR | O_CLOEXEC), status = 0;
	pid_t pid;
	int err = null < 0 ? -errno : start(&pid, "--version", null, null, null);

	if (!err)
		status = status_of(pid);
	if (null >= 0)
		close(null);
	if (err == -ENOENT)
		return app_fail(EXIT_FAILED,
			"--%s: there is no gnuplot, which draws the picture: install it (Debian's package is "
			"gnuplot-nox, which scripts/setup installs), or leave out --%s",
			option, option);
	if (err)
		return app_fail(EXIT_FAILED, "--%s: gnuplot can't be started: %s", option, strerror(-err));
	if (status)
		return app_fail(EXIT_FAILED,
			"--%s: 'gnuplot --version' fails: install it anew, or leave out --%s", option,
			option);
	return 0;
}

int plot_open(struct plot **result, const char *path, unsigned width, unsigned height)
{
	struct plot *plot = calloc(1, sizeof(*plot));
	bool png = ps_ends_with(path, ".png");
	int status;

	*result = NULL;
	if (!plot)
		return app_out_of_memory();
	plot->path = path;
	plot->script = tmpfile();
	plot->errors = plot->script ? tmpfile() : NULL;
	status = plot->errors ? whole_open(&plot->whole, path)
	                      : app_fail(EXIT_FAILED, "%s: a temporary file for gnuplot: %s", path,
					strerror(errno));
	if (status) {
		plot_drop(plot);
		return status;
	}
	fprintf(plot->script,
		"set terminal %s size %u,%u enhanced font 'sans-serif,%d' background rgb 'white'\n"
		"set encoding utf8\nset minussign\n",
		png ? "pngcairo" : "svg", width, height, png ? 11 : 14);
	*result = plot;
	return 0;
}

FILE *plot_script(struct plot *plot)
{
	return plot->script;
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

/* What became of gnuplot, which wrote so many bytes: 0, or what to exit with; said then. */
static int judge(const struct plot *plot, int status, ssize_t drawn)
{
	char line[256];

	if (WIFSIGNALED(status))
		return app_fail(EXIT_FAILED, "%s: gnuplot was ended by signal %d (%s)", plot->path,
			WTERMSIG(status), strsignal(WTERMSIG(status)));
	if (status || !drawn)
		return app_fail(EXIT_FAILED, "%s: gnuplot %s: %s", plot->path,
			status ? "failed" : "drew nothing", last_line(plot->errors, line, sizeof(line)));
	return 0;
}

/* Copies what gnuplot draws: how many bytes, or a negative errno. What goes wrong in writing stays in the stream. */
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

/* A negative errno: it was not drawn; else 0, and what became of gnuplot is in *status. */
static int draw(struct plot *plot, int *status)
{
	int ends[2], err, ended;
	ssize_t drawn = 0;
	pid_t pid;

	if (ferror(plot->script) | fflush(plot->script) || lseek(fileno(plot->script), 0, SEEK_SET) < 0 ||
		pipe2(ends, O_CLOEXEC))
		return errno ? -errno : -EIO;
	/* -d: without the user's settings */
	err = start(&pid, "-d", fileno(plot->script), ends[1], fileno(plot->errors));
	close(ends[1]);
	if (!err)
		drawn = copy(ends[0], whole_file(plot->whole));
	close(ends[0]);
	if (err)
		return err;
	ended = status_of(pid);
	if (drawn < 0)
		return (int)drawn;
	*status = judge(plot, ended, drawn);
	return 0;
}

int plot_complete(struct plot *plot)
{
	int status = 0, err = draw(plot, &status);

	if (err)
		status = app_fail(EXIT_FAILED, "%s: %s", plot->path, strerror(-err));
	if (!status) {
		status = whole_complete(plot->whole);
		plot->whole = NULL;
	}
	plot_drop(plot);
	return status;
}

void plot_drop(struct plot *plot)
{
	if (!plot)
		return;
	if (plot->script)
		fclose(plot->script);
	if (plot->errors)
		fclose(plot->errors);
	whole_drop(plot->whole);
	free(plot);
}
