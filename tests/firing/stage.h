/* SPDX-License-Identifier: MIT */
/*
 * Actors for tests of latency: each writes, and passes on, the clock when the source was through with its work. A
 * source is so slow that each of its windows is followed.
 */
#ifndef PENSTOCK_TESTS_STAGE_H
#define PENSTOCK_TESTS_STAGE_H

#include "tests/common/common.h"

#include <penstock/penstock.h>

/* Longer than firings that the library does not measure one by one (lib/firing/timing.h). */
enum { SLOW_NS = 3000 };

struct stage {
	uint64_t ns;   /* of work */
	uint64_t most; /* firings; 0: as long as there are tokens */
	uint64_t kept; /* how a kahn actor writes: its test says */
	/* a sink's: sums over its firings */
	uint64_t fired, least, longest; /* between which all latencies together are */
	uint64_t stamp;                 /* .. of the firing before */
};

#define STAGE_PORT(name_, kind_)                              \
	{                                                     \
		.name = name_, .kind = kind_, .token_size = 8 \
	}

#define STAGE_TYPE(name_, ports_, fire_)                                                       \
	{                                                                                      \
		.struct_size = sizeof(struct pstk_actor_type), .name = name_, .ports = ports_, \
		.port_count = TEST_COUNT(ports_), .arg_size = 0, .fire = fire_                 \
	}

#define STAGE_SPEC(...)                                                   \
	{                                                                 \
		.struct_size = sizeof(struct pstk_fifo_spec), __VA_ARGS__ \
	}

extern const struct pstk_port stage_source_ports[1], stage_relay_ports[2], stage_sink_ports[1];
extern const struct pstk_actor_type stage_source, stage_relay, stage_join, stage_sink; /* arg: struct stage */

uint64_t stage_now(void);
void stage_spin(uint64_t ns);

/* Parts of actors. read_all: a window of each port. */
int stage_source_fire(struct pstk_firing *);
int stage_relay_fire(struct pstk_firing *);
int stage_read_all(struct pstk_firing *);

/* Of the sink's last firing: it arrived after its fire() was through, and before `begin`. */
void stage_count_before(struct stage *, uint64_t begin);

/* A network that follows all windows; its run, which is to end well; its latency, where there is one path. */
struct pstk_network *stage_begin(void);
void stage_run(struct pstk_network *);
struct pstk_latency stage_path(const struct pstk_network *);

#endif
