/* SPDX-License-Identifier: MIT */
/* Reminder: a line on stderr when a wait lasts long, so that it is no silence. */
#ifndef PENSTOCK_COMMAND_REMINDER_H
#define PENSTOCK_COMMAND_REMINDER_H

#include <pthread.h>
#include <stdbool.h>

enum { REMINDER_SECONDS = 10 };
extern unsigned reminder_seconds; /* set by tests; constant while one is on */

struct reminder {
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t over_changed;
	bool over; /* guarded by lock */
	bool on;   /* the thread is there */
	int file;
	char text[512];
};

/* file: the descriptor that the line goes to, once. text: is copied. Without a thread nothing is said. */
void reminder_begin(struct reminder *, int file, const char *text);
void reminder_end(struct reminder *);

#endif
