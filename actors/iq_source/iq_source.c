/* SPDX-License-Identifier: MIT */
/* The source: samples of an I/Q input, a window at a time. */
#include "config.h"
