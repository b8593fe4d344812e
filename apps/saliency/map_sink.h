/* SPDX-License-Identifier: MIT */
/* The actor that writes maps as they are: floats, little-endian, one map after the other. */
#ifndef SALIENCY_MAP_SINK_H
#define SALIENCY_MAP_SINK_H

#include <penstock/penstock.h>

#include "actors/common/message.h"
#include "actors/common/writer.h"

struct map_sink {
	struct ps_writer writer;
	bool opened; /* false: maps are swallowed */
	char label[PS_LABEL_SIZE];
};

/* Is it the name of such a file? */
bool map_sink_is_for(const char *path);

/* 0, or what to exit with; said then. map_sink_close() follows. */
int map_sink_open(struct map_sink *, const char *path);
void map_sink_close(struct map_sink *);

/* Port: in, f32. arg: the sink, borrowed. The file gets its name when the network has ended well. waits: what it will
 * write to may keep it waiting. */
const struct pstk_actor_type *map_sink_type(bool waits);

#endif
