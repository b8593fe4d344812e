/* SPDX-License-Identifier: MIT */
#define RATE 16
#include "benchmarks/dal/motion_filters.h"
