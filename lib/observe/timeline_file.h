/* SPDX-License-Identifier: MIT */
/* Timeline file: its lines, and its end where the disk is full. */
#ifndef PENSTOCK_TIMELINE_FILE_H
#define PENSTOCK_TIMELINE_FILE_H

#include "lib/observe/timeline_windows.h"

struct ps_timeline_file {
	const struct pstk_network *net;
	const struct ps_timeline *timeline;
	FILE *file;
	int err;      /* the first that writing has said; then nothing more is written */
	bool is_next; /* an event is before this one */
};

/* With this each file begins. */
#define PS_TIMELINE_BEGIN "{\"displayTimeUnit\":\"ns\","

/* Opens the stream; what was in the file before is gone. A negative errno. */
int ps_timeline_open(struct ps_timeline_file *);

/* Writes the end, and closes the stream. A negative errno, of this or an earlier call: the file ends behind the last
 * event for which there was room. */
int ps_timeline_close(struct ps_timeline_file *);

/* Writes an event, without the braces. */
PSTK_PRINTF(2, 3)
void ps_timeline_event(struct ps_timeline_file *, const char *format, ...);

/* A time of the clock, in microseconds of the file; made so that no digit is lost. */
#define PS_TIMELINE_TIME "%" PRId64 ".%03u"
#define PS_TIMELINE_TIME_ARGS(ns) (int64_t)((ns) / 1000), (unsigned)((ns) % 1000)

/* A name as it may stand in a JSON string; cut if it is longer than fits. */
enum { PS_TIMELINE_NAME = 6 * 128 };
const char *ps_timeline_name(const char *name, char buffer[PS_TIMELINE_NAME]);

/* "c1: ": what names of a host begin with, where the trace is that of several; else "". */
enum { PS_TIMELINE_HOST = PS_TIMELINE_NAME + 3 };
const char *ps_timeline_host(const struct ps_timeline_file *, unsigned host, char buffer[PS_TIMELINE_HOST]);

#endif
