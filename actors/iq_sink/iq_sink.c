/* SPDX-License-Identifier: MIT */
/* The sink: samples to an I/Q output, a window at a time. */
#include "config.h"
