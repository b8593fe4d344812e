/* SPDX-License-Identifier: MIT */
/* Motion detection on a device, as benchmarks/motion_device has it: the same frames and maps, the actors' own
 * kernels. */
#ifndef PENSTOCK_BENCHMARKS_DAL_MOTION_DEVICE_H
#define PENSTOCK_BENCHMARKS_DAL_MOTION_DEVICE_H

#include "benchmarks/dal/files.h"

#include <penstock/penstock.h>

enum { MOTION_DEVICE_RING = 64, MOTION_DEVICE_VALUES = 6 };

/* Frames, and what their maps must be, from the C kernels. */
void motion_device_open(void);
void motion_device_close(void);

/* For struct motion_outside: they lie in rings of so many. */
const uint8_t *motion_device_frame(uint64_t index);
uint8_t *motion_device_place(uint64_t index);

/* Ends the program with status 1 if the maps of a run are wrong. Its frames: a multiple of the ring, at least
 * two of them. */
void motion_device_verify(const char *who);

/*
 * The kernels of windows of `rate` frames, and the work sizes for the mapping's variables.
 *
 * DAL launches workgroups x workitems in one dimension and gives a kernel its windows and nothing else. So
 * the actors' kernels are wrapped: what they are told besides are constants, and the one dimension is shared
 * out over their three, exactly as the library does. gauss's work-items copy what they have made to its
 * second output, because DAL has no broadcast.
 */
struct motion_device_kernels {
	struct pstk_kernel gauss, thres, median;
	struct files_value values[MOTION_DEVICE_VALUES];
};
struct motion_device_kernels *motion_device_kernels_create(uint32_t rate);
void motion_device_kernels_destroy(struct motion_device_kernels *);

#endif
