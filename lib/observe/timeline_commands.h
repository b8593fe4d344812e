/* SPDX-License-Identifier: MIT */
/* Timeline commands: tracks of devices, with the kernels and transfers on their queues. */
#ifndef PENSTOCK_TIMELINE_COMMANDS_H
#define PENSTOCK_TIMELINE_COMMANDS_H

#include "lib/observe/timeline_file.h"

/* The names of devices and queues that the trace has commands of. */
void ps_timeline_queues(struct ps_timeline_file *);

/* A record's span, of PS_TRACE_KERNEL or PS_TRACE_TRANSFER. */
void ps_timeline_command(struct ps_timeline_file *, const struct ps_trace_record *);

#endif
