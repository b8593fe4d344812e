/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "apps/penstock/reminder.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

unsigned reminder_seconds = REMINDER_SECONDS;

static void *remind(void *data)
{
	struct reminder *r = data;
	struct timespec until;
	int err = 0;

	clock_gettime(CLOCK_MONOTONIC, &until);
	until.tv_sec += reminder_seconds;
	pthread_mutex_lock(&r->lock);
	while (!r->over && err != ETIMEDOUT)
		err = pthread_cond_timedwait(&r->over_changed, &r->lock, &until);
	if (!r->over && write(r->file, r->text, strlen(r->text)) < 0) {
		/* there is no other place for it */
	}
	pthread_mutex_unlock(&r->lock);
	return NULL;
}

void reminder_begin(struct reminder *r, int file, const char *text)
{
	pthread_condattr_t clock;
	sigset_t all, former;

	memset(r, 0, sizeof *r);
	r->file = file;
	snprintf(r->text, sizeof r->text, "%s\n", text);
	pthread_mutex_init(&r->lock, NULL);
	pthread_condattr_init(&clock);
	pthread_condattr_setclock(&clock, CLOCK_MONOTONIC);
	pthread_cond_init(&r->over_changed, &clock);
	pthread_condattr_destroy(&clock);
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &former);
	r->on = !pthread_create(&r->thread, NULL, remind, r);
	pthread_sigmask(SIG_SETMASK, &former, NULL);
}

void reminder_end(struct reminder *r)
{
	pthread_mutex_lock(&r->lock);
	r->over = true;
	pthread_cond_signal(&r->over_changed);
	pthread_mutex_unlock(&r->lock);
	if (r->on)
		pthread_join(r->thread, NULL);
	pthread_cond_destroy(&r->over_changed);
	pthread_mutex_destroy(&r->lock);
}
