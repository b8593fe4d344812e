/* SPDX-License-Identifier: MIT */
/* The power spectral density of a signal, by Welch. */
#include "config.h"
