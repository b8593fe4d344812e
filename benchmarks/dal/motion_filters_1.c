/* SPDX-License-Identifier: MIT */
#define RATE 1
#include "benchmarks/dal/motion_filters.h"
