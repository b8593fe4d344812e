/* SPDX-License-Identifier: MIT */
#define RATE 32
#include "benchmarks/dal/motion_filters.h"
