/* SPDX-License-Identifier: MIT */
/* Terms of a complex polynomial. */
#include "config.h"
