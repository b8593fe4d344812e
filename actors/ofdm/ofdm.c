/* SPDX-License-Identifier: MIT */
/* The generated signal: OFDM symbols with random data. */
#include "config.h"
