/* SPDX-License-Identifier: MIT */
/* An I/Q input. */
#include "config.h"
