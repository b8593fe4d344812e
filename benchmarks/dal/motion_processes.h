/* SPDX-License-Identifier: MIT */
/*
 * Motion detection as DAL processes: what DAL's tools would generate of motion.xml, and where the pictures
 * come from and go to. Source and sink read and write when they like, as all must that DAL doesn't run on
 * devices; the three filters use windows of a rate that is fixed when they are compiled, as DAL wants it, so
 * there are three objects of them.
 *
 * DAL has no broadcast: gauss writes its frame twice. The source hands a frame to DAL_write() where it lies
 * in memory, and DAL_read() puts the map where it goes: they are copied once each, and that is DAL's own.
 */
#ifndef PENSTOCK_BENCHMARKS_DAL_MOTION_PROCESSES_H
#define PENSTOCK_BENCHMARKS_DAL_MOTION_PROCESSES_H

#include <dal.h>

#include <stddef.h>
#include <stdint.h>

/* bytes of the ends' struct _local_states, which is in their own file */
enum { MOTION_END_STATE = sizeof(uint64_t) + sizeof(uint8_t *) };

void motion_sink_init(DALProcess *p);
void motion_sink_finish(DALProcess *p);
int motion_source_fire(DALProcess *p);
int motion_sink_fire(DALProcess *p);

#define MOTION_FILTERS(rate)                         \
	int motion_gauss_fire_##rate(DALProcess *p); \
	int motion_thres_fire_##rate(DALProcess *p); \
	int motion_median_fire_##rate(DALProcess *p);
MOTION_FILTERS(1)
MOTION_FILTERS(4)
MOTION_FILTERS(8)
MOTION_FILTERS(16)
MOTION_FILTERS(32)

/* The application's outside: one run at a time, set before it. */
struct motion_outside {
	uint64_t frames;
	const uint8_t *(*frame)(uint64_t index);    /* where a frame lies */
	uint8_t *(*place)(uint64_t index);          /* where its map goes; NULL: it is read by `map` only */
	uint64_t (*map)(const uint8_t *, uint64_t); /* what of a map goes into the hash; NULL: nothing */
	void (*first)(void), (*last)(void);         /* before the first frame, after the last map */
	uint64_t hash;                              /* the sink's; 0 before a run */
};
extern struct motion_outside motion_outside;

#endif
