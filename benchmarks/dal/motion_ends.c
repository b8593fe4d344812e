/* SPDX-License-Identifier: MIT */
/* Motion detection's source and sink as DAL processes. */
#include "benchmarks/dal/motion_processes.h"
#include "benchmarks/apps/motion_frames.h"
#include "benchmarks/common/rounds.h"

#include <stdbool.h>
#include <stdlib.h>

#define PORT_OUT "out"
#define PORT_IN "in"

struct _local_states {
	uint64_t next;
	uint8_t *map; /* the sink's */
};

_Static_assert(sizeof(struct _local_states) <= MOTION_END_STATE, "what the program reserves");

struct motion_outside motion_outside;

/* The source ends the application: all frames before are on their way by then. */
int motion_source_fire(DALProcess *p)
{
	uint64_t *next = &p->local->next;

	if (*next == motion_outside.frames) {
		DAL_send_event("done", p);
		return 0;
	}
	if (!*next)
		motion_outside.first();
	DAL_write(PORT_OUT, motion_outside.frame(*next), (int)motion_frame_bytes(), p);
	++*next;
	return 0;
}

void motion_sink_init(DALProcess *p)
{
	p->local->map = rounds_alloc(motion_frame_bytes());
}

int motion_sink_fire(DALProcess *p)
{
	struct _local_states *s = p->local;
	int bytes = (int)motion_frame_bytes();
	/* the last fire finds the end of the stream, and zeros */
	bool placed = motion_outside.place && s->next < motion_outside.frames;
	uint8_t *map = placed ? motion_outside.place(s->next) : s->map;

	if (DAL_read(PORT_IN, map, bytes, p) < bytes)
		return 0;
	if (motion_outside.map)
		motion_outside.hash += motion_outside.map(map, s->next);
	if (++s->next == motion_outside.frames)
		motion_outside.last();
	return 0;
}

void motion_sink_finish(DALProcess *p)
{
	free(p->local->map);
}
