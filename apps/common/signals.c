/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "apps/common/signals.h"
#include "actors/common/file.h"
#include "apps/common/app.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static volatile sig_atomic_t files_begun;
static sigset_t handled;         /* constant after signals_handle() */
static void (*former_pipe)(int); /* constant after signals_handle() */
static char text[64];            /* constant after signals_handle(): a handler must not print */

static void on_signal(int number)
{
	(void)number;
	if (!files_begun && write(STDERR_FILENO, text, strlen(text)) < 0) {
		/* it ends anyway */
	}
	if (files_begun != 1) {
		ps_part_remove_all();
		_exit(EXIT_INTERRUPTED);
	}
	files_begun = 2;
}

/* The terminal is gone: as SIGTERM, whatever that does at this moment. raise() delivers it before it returns, so that a
 * second hangup is a second SIGTERM. */
static void on_hangup(int number)
{
	int saved = errno;

	(void)number;
	raise(SIGTERM);
	errno = saved;
}

/* An ignored signal stays ignored: nohup and shells say so. */
static void handle(int number, const struct sigaction *action)
{
	struct sigaction former;

	sigaddset(&handled, number);
	if (!sigaction(number, NULL, &former) && former.sa_handler != SIG_IGN)
		sigaction(number, action, NULL);
}

void signals_handle(void)
{
	const struct sigaction stop = { .sa_handler = on_signal }, hangup = { .sa_handler = on_hangup };

	/* before the others, so that it is ignored when they are handled; when the network is gone again, too */
	signal(SIGUSR1, SIG_IGN);
	files_begun = 0;
	snprintf(text, sizeof(text), "%s: interrupted\n", app_name);
	sigemptyset(&handled);
	handle(SIGINT, &stop);
	handle(SIGTERM, &stop);
	handle(SIGHUP, &hangup);
	former_pipe = signal(SIGPIPE, SIG_IGN);
	signal(SIGXFSZ, SIG_IGN);
}

void signals_end_of_pipe(void)
{
	signal(SIGPIPE, former_pipe);
	raise(SIGPIPE);
}

void signals_block(void)
{
	sigprocmask(SIG_BLOCK, &handled, NULL);
	files_begun = 1;
}

void signals_unblock(void)
{
	sigprocmask(SIG_UNBLOCK, &handled, NULL);
}

bool signals_came(void)
{
	return files_begun > 1;
}
