/* SPDX-License-Identifier: MIT */
/* The sum of some signals and a constant. */
#include "config.h"
