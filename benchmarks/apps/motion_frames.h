/* SPDX-License-Identifier: MIT */
/*
 * Motion detection without the library: the frames, the five actors' work on them as functions, called by
 * one thread and by two that share nothing. All programs that detect motion call these, so that they differ
 * in which thread calls what when, and in nothing else.
 */
#ifndef PENSTOCK_BENCHMARKS_MOTION_FRAMES_H
#define PENSTOCK_BENCHMARKS_MOTION_FRAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { MOTION_THRESHOLD = 20 };

/* For rounds_parse(): -H and -S WxH. */
#define MOTION_OPTIONS "HS:"
#define MOTION_HELP                                                     \
	"  -H          heavy: scalar kernels of about 1.5 ms a frame\n" \
	"  -S WxH      size of a frame (320x240)\n"
/* Behind the last option. */
#define MOTION_ABOUT                                                                                         \
	"\n"                                                                                                 \
	"Motion detection on the cores: frames a second. serial is one thread that calls the same kernels, " \
	"ideal\n"                                                                                            \
	"two that share nothing. \"threads\" (one for each actor) and \"team N\" are the library, with "     \
	"windows of r\n"                                                                                     \
	"frames and FIFOs of so many windows; \"in turn\" is by hand. Others are the system in the "         \
	"program's name.\n"
bool motion_option(int c, const char *arg);

/* After the options, before anything else. */
void motion_open(void);
void motion_close(void);

bool motion_is_light(void); /* the library's own kernels */
const char *motion_name(void);
uint32_t motion_width(void);
uint32_t motion_height(void);
size_t motion_frame_bytes(void);

/* What the actors do with a frame. Any thread. The source's picture moves up by another number of rows in
 * each frame; before the first one of gauss's lies one of zeros. The sink reads all; what it gives is added
 * up, in any order. */
void motion_source(uint8_t *frame, uint64_t index);
const uint8_t *motion_picture(uint64_t index); /* what the source copies, for those whose runtime copies it */
void motion_gauss(uint8_t *frame, const uint8_t *in);
void motion_threshold(uint8_t *frame, const uint8_t *now, const uint8_t *before);
void motion_median(uint8_t *frame, const uint8_t *in);
uint64_t motion_sink(const uint8_t *frame, uint64_t index);

/* For tables of rounds.h; arg is not used. Serial: one thread. Light: the same with the light kernels,
 * which give the same pixels as the heavy ones. Ideal: two threads, a half each; the second begins with one
 * gauss more than it has frames. */
uint64_t motion_run_serial(const void *arg, uint64_t items);
uint64_t motion_run_light(const void *arg, uint64_t items);
uint64_t motion_run_ideal(const void *arg, uint64_t items);

#ifdef __cplusplus
}
#endif

#endif
