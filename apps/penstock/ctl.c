/* SPDX-License-Identifier: MIT */
/* penstock ctl */
#include "config.h"

#include "apps/common/arguments.h"
#include "apps/penstock/commands.h"
#include "apps/penstock/control.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

static const char help[] =
	"Usage: penstock ctl SOCKET ORDER\n"
	"Asks a network that 'penstock run --control SOCKET' runs:\n"
	"\n"
	"  move ACTOR PLACE [at FIRING]  to move an actor, at this firing or the next one\n"
	"  moves                         which moves there were, and what they took\n"
	"  places                        where each actor is that may move, and where else it may be\n"
	"  evacuate PLACE                to move all actors from there, each to its first other place\n"
	"  stop                          to end its sources, and to let the rest drain\n"
	"\n"
	"  --help\n"
	"\n"
	"Exit status: 0 done, 1 refused, or there is no such network; 2 wrong usage.\n";

enum { WORDS = 7, LINE = 1024 };

struct order {
	const char *words[WORDS]; /* the socket first */
	unsigned count;
};

static const struct option table[] = { { "help", no_argument, NULL, 'h' }, { NULL, 0, NULL, 0 } };

static int take(void *data, int option, const char *value)
{
	(void)data, (void)option, (void)value;
	return arguments_print(help);
}

static int take_word(void *data, const char *value)
{
	struct order *o = data;

	if (o->count == WORDS)
		return app_fail(EXIT_USAGE, "unexpected argument '%s'", value);
	if (!*value || strpbrk(value, "\t\n"))
		return app_fail(EXIT_USAGE,
			"'%s': no word of an order is empty, or has tabs or ends of lines", value);
	o->words[o->count++] = value;
	return -1;
}

static int settle(void *data)
{
	const struct order *o = data;

	return o->count > 1 ? -1 : app_fail(EXIT_USAGE, "a socket and an order are needed");
}

/* Its words, apart by tabs: names may have blanks. */
static int send_order(int fd, const struct order *o)
{
	char line[LINE];
	size_t length = 0;

	for (unsigned i = 1; i < o->count && length < sizeof line; i++)
		length += (size_t)snprintf(line + length, sizeof line - length, "%s%s", o->words[i],
			i + 1 < o->count ? "\t" : "\t\n");
	if (length >= sizeof line)
		return app_fail(EXIT_USAGE, "the order is too long");
	if (send(fd, line, length, MSG_NOSIGNAL) != (ssize_t)length)
		return app_fail(EXIT_FAILED, "%s: %s", o->words[0], strerror(errno));
	return 0;
}

/* The first line is for this program, the others are for people. */
static int read_answer(FILE *in, const char *path)
{
	char *line = NULL;
	size_t size = 0;
	ssize_t length = getline(&line, &size, in);
	int status = EXIT_FAILED;

	if (length > 0 && line[length - 1] == '\n')
		line[length - 1] = '\0';
	if (length > 0 && !strcmp(line, "ok"))
		status = EXIT_DONE;
	else if (length > 3 && !strncmp(line, "no ", 3))
		app_fail(EXIT_FAILED, "%s", line + 3);
	else
		app_fail(EXIT_FAILED, "%s: no answer: the network has ended", path);
	while (getline(&line, &size, in) > 0)
		app_say(stdout, "%s", line);
	free(line);
	return ferror(stdout) | fflush(stdout) ? arguments_stdout_failed() : status;
}

static int ask(const struct order *o)
{
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0), status;
	struct sockaddr_un address;
	FILE *in = fd >= 0 ? fdopen(fd, "r") : NULL;

	if (!in)
		return app_fail(EXIT_FAILED, "%s", strerror(errno));
	if (!control_address(&address, o->words[0]))
		status = app_fail(EXIT_USAGE, "%s: the name of a socket has 1 to %zu letters", o->words[0],
			sizeof address.sun_path - 1);
	else if (connect(fd, (const struct sockaddr *)&address, sizeof address))
		status = app_fail(EXIT_FAILED, "%s: %s", o->words[0], strerror(errno));
	else
		status = send_order(fd, o);
	if (!status)
		status = read_answer(in, o->words[0]);
	fclose(in);
	return status;
}

int command_ctl(int argc, char **argv)
{
	struct order o = { .count = 0 };
	int status = arguments_parse(&(struct arguments){ .table = table,
					     .take = take,
					     .settle = settle,
					     .data = &o,
					     .operand = take_word,
					     .called = "penstock ctl" },
		argc, argv);

	return status == -1 ? ask(&o) : status;
}
