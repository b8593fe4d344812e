/* SPDX-License-Identifier: MIT */
/* What the suites of DAL share: allocations that fail, XML. */
#ifndef PENSTOCK_DAL_CHECK_DAL_H
#define PENSTOCK_DAL_CHECK_DAL_H

#include "tests/common/common.h"

#include <stdatomic.h>

/* The n-th allocation from now on fails, of the library, libxml2 and the tests; 0: none does. */
extern atomic_uint dal_fail_allocation;
extern atomic_bool dal_allocation_failed; /* the one that was to fail has */
/* libxml2 allocates where those fail. Before its first call. */
void dal_watch_allocations(void);

/* A channel between two processes, with its connections, as text. */
#define DAL_CHANNEL(name, values, from, from_port, to, to_port)                     \
	"<sw_channel type='fifo' name='" name "' " values "/>\n"                    \
	"<connection><origin name='" from "'><port name='" from_port "'/></origin>" \
	"<target name='" name "'><port name='0'/></target></connection>\n"          \
	"<connection><origin name='" name "'><port name='1'/></origin>"             \
	"<target name='" to "'><port name='" to_port "'/></target></connection>\n"

#define DAL_IN(name) "<port type='input' name='" name "'/>"
#define DAL_OUT(name) "<port type='output' name='" name "'/>"

#endif
