/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "apps/common/app.h"
#include "apps/common/signals.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static volatile sig_atomic_t files_begun;
static sigset_t handled; /* constant after signals_handle() */
static char text[64];    /* constant after signals_handle(): a handler must not print */

static void on_signal(int number)
{
	(void)number;
	if (!files_begun && write(STDERR_FILENO, text, strlen(text)) < 0) {
		/* it ends anyway */
	}
	if (files_begun != 1)
		_exit(EXIT_INTERRUPTED);
	files_begun = 2;
}

void signals_handle(void)
{
	static const int numbers[] = { SIGINT, SIGTERM };
	struct sigaction action = { .sa_handler = on_signal }, former;

	/* before the others, so that it is ignored when they are handled; when the network is gone again, too */
	signal(SIGUSR1, SIG_IGN);
	files_begun = 0;
	snprintf(text, sizeof(text), "%s: interrupted\n", app_name);
	sigemptyset(&handled);
	for (size_t i = 0; i < sizeof(numbers) / sizeof(*numbers); i++) {
		sigaddset(&handled, numbers[i]);
		if (!sigaction(numbers[i], NULL, &former) && former.sa_handler != SIG_IGN)
			sigaction(numbers[i], &action, NULL);
	}
	signal(SIGPIPE, SIG_IGN);
	signal(SIGXFSZ, SIG_IGN);
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
