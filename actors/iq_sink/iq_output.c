/* SPDX-License-Identifier: MIT */
/* An I/Q output. */
#include "config.h"
