/* SPDX-License-Identifier: MIT */
/* A source of control values. */
#include "config.h"
