/* SPDX-License-Identifier: MIT */
/* Log: messages by topic and level, chosen by PENSTOCK_DEBUG. */
#ifndef PENSTOCK_LOG_H
#define PENSTOCK_LOG_H

#include "penstock/penstock.h"

enum ps_topic { PS_TOPIC_NETWORK, PS_TOPIC_FIFO, PS_TOPIC_THREAD, PS_TOPIC_OPENCL, PS_TOPIC_COUNT };

/* Is this topic on at this level? The first call reads the environment. */
bool ps_log_on(enum ps_topic, enum pstk_log_level);

/* Logs a message if its topic is on at this level. doc/internals/locks.md says under
 * which locks. */
void ps_log(enum ps_topic, enum pstk_log_level, const char *format, ...) PSTK_PRINTF(3, 4);

/* Reads a PENSTOCK_DEBUG text into levels[PS_TOPIC_COUNT]. false: a part of it is not understood. */
bool ps_log_parse(const char *text, int *levels);

#endif
