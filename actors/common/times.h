/* SPDX-License-Identifier: MIT */
/*
 * Time stamps of frames on their way from a video input to outputs.
 *
 * FIFOs carry pixels only. The thread that reads frames puts each frame's time here, by the frame's number; a thread
 * that writes frames gets it by the same number. A time is kept until every output has released it. So the memory is
 * bounded by what lies between: the frames in FIFOs and actors, and those that an encoder holds back. Without outputs
 * nothing is kept.
 */
#ifndef PENSTOCK_ACTORS_TIMES_H
#define PENSTOCK_ACTORS_TIMES_H

#include <stdbool.h>
#include <stdint.h>

struct pstk_video_input;
struct ps_times;

/* In units of the times; frame 0 starts at 0, and each one starts later than the one before. */
struct ps_time {
	int64_t start, duration;
};

/* What the input knows of its stamps. */
struct ps_times_spec {
	uint32_t unit_num, unit_den; /* seconds */
	int64_t period;              /* units of a frame at the stream's rate, at least 1 */
	bool jumps;                  /* the format's stamps may begin anew somewhere in the stream */
};

/* An output's place in the times. Guarded by the times' lock, but for times. */
struct ps_times_reader {
	struct ps_times *times; /* NULL: it has none; owner thread only */
	struct ps_times_reader *next;
	uint64_t first; /* it has released the frames before this one */
};

#define PS_NO_STAMP INT64_MIN

/* NULL: out of memory. The input and each reader hold it; the last one to let it go frees it. */
struct ps_times *ps_times_create(const struct ps_times_spec *);
void ps_times_drop(struct ps_times *);

/* The reading thread: the next frame's stamp and duration as the format has them, each in units from anywhere,
 * PS_NO_STAMP or a duration below 1 where it has none. A stamp that is missing or not later than the one before is
 * replaced by where the frame before ends; so is, with all that follow it, one that jumps where the format's may: ahead
 * by more than ten seconds, or back by more than a tenth of one. 0 or -ENOMEM. */
int ps_times_put(struct ps_times *, int64_t stamp, int64_t duration);
/* The reading thread, after the last frame: where it ends, as a stamp. What lies before its start changes nothing. */
void ps_times_end(struct ps_times *, int64_t stamp);

/* Before the first frame is put. 0, -EBUSY: it has been, or -ENOMEM. */
int ps_times_join(struct ps_times *, struct ps_times_reader *);
/* Frame n's time: false: it has not been put yet, or was released. The last frame's duration may change until the input
 * ends, the others last until the next one starts. */
bool ps_times_get(const struct ps_times_reader *, uint64_t n, struct ps_time *);
/* It needs no frame before n. The last one that was put stays all the same. */
void ps_times_release(struct ps_times_reader *, uint64_t n);
void ps_times_leave(struct ps_times_reader *);

/* Constant. */
const struct ps_times_spec *ps_times_spec(const struct ps_times *);

/* An input's times, NULL: its frames have a constant rate. Also: how many audio streams are beside the video. */
struct ps_times *ps_input_times(const struct pstk_video_input *);
unsigned ps_input_audio_streams(const struct pstk_video_input *);

#endif
