/* SPDX-License-Identifier: MIT */
#define RATE 8
#include "benchmarks/dal/motion_filters.h"
