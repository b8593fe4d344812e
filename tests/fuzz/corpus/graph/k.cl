/* SPDX-License-Identifier: MIT */
/* The kernels of the graphs here: looked at, not compiled. */
