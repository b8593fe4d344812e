/* SPDX-License-Identifier: MIT */
/* The figures of a run, as JSON: --stats. A NULL report takes everything and does nothing. Without jansson
 * there is none: report_missing(). */
#ifndef COMMON_REPORT_H
#define COMMON_REPORT_H

#include "apps/common/running.h"

#include <stdio.h>

struct report;

/* Why this build can't write reports; NULL: it can. */
const char *report_missing(void);

/* Opens a file beside PATH (a device: itself), so that a name that can't be written is known before the run.
 * path NULL: *report is NULL and that is all. 0, or what to exit with; said then. */
int report_open(struct report **, const char *path);

/* The program's own figures, in this order, before those that report_write() adds. Out of memory is said
 * there. */
void report_integer(struct report *, const char *key, uint64_t value);
void report_real(struct report *, const char *key, double value);      /* finite */
void report_text(struct report *, const char *key, const char *value); /* any bytes */

/* Adds what every run has (its count under the name of its unit, times, bytes, actors, FIFOs; what limited it and
 * how late windows came, if it was looked at), writes it and gives the file its name; frees the report. Of a run that
 * was aborted there is none: it would be of a part. 0, or what to exit with; said then. */
int report_write(struct report *, const struct running *);

/* The same in another form, which writes it. It returns 0, or what to exit with, and has said why; what goes wrong in
 * writing it leaves in the stream. */
struct json_t;
typedef int report_form(void *data, const struct json_t *, FILE *);
int report_write_as(struct report *, const struct running *, report_form *, void *data);

/* Frees it and removes what was begun. */
void report_drop(struct report *);

#endif
