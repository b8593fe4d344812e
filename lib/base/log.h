/* SPDX-License-Identifier: MIT */
/* Log: messages by topic and level, chosen by PENSTOCK_DEBUG. */
#ifndef PENSTOCK_LOG_H
#define PENSTOCK_LOG_H

#include "penstock/penstock.h"

enum ps_topic { PS_TOPIC_NETWORK, PS_TOPIC_FIFO, PS_TOPIC_THREAD, PS_TOPIC_OPENCL, PS_TOPIC_COUNT };

/* Is it on? One load once the environment has been read. */
bool ps_log_on(enum ps_topic, enum pstk_log_level);

/* Says it if it is on. No lock of the library may be held but a claim. */
void ps_log(enum ps_topic, enum pstk_log_level, const char *format, ...) PSTK_PRINTF(3, 4);

/* Reads a PENSTOCK_DEBUG text into levels[PS_TOPIC_COUNT]; false: something in it is not understood. */
bool ps_log_parse(const char *text, int *levels);

#endif
