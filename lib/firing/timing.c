/* SPDX-License-Identifier: MIT */
#include "lib/firing/timing.h"

_Thread_local uint64_t ps_timing_now;
_Thread_local struct ps_timing_cpu ps_timing_cpu = { .since = PS_TIMING_LONG_NS };
