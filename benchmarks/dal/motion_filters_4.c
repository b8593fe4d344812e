/* SPDX-License-Identifier: MIT */
#define RATE 4
#include "benchmarks/dal/motion_filters.h"
