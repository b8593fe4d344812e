/* SPDX-License-Identifier: MIT */
/* A complex FIR filter. */
#include "config.h"
