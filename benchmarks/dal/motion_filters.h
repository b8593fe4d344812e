/* SPDX-License-Identifier: MIT */
/* Motion detection's filters as DAL processes, once for each rate: a file that includes this defines RATE. The
 * blocks of an output's window are its frames. */
#include "benchmarks/dal/motion_processes.h"
#include "benchmarks/apps/motion_frames.h"

#include <string.h>

#define JOINED(name, rate) name##_##rate
#define OF_RATE(name, rate) JOINED(name, rate)
#define FIRE(name) OF_RATE(name, RATE)

#define PORT_IN "in"
#define PORT_NOW "now"
#define PORT_BEFORE "before"
#define PORT_OUT "out"
#define TOKEN_RATE RATE
#define BLOCK_SIZE 1
#define BLOCK_COUNT (TOKEN_RATE / BLOCK_SIZE)

int FIRE(motion_gauss_fire)(DALProcess *p)
{
	size_t bytes = motion_frame_bytes();
	const uint8_t *in = DAL_read_begin(PORT_IN, bytes, TOKEN_RATE, p);

	DAL_foreach_block(blk, BLOCK_COUNT)
	{
		uint8_t *now = DAL_write_begin(PORT_NOW, bytes, TOKEN_RATE, BLOCK_SIZE, blk, p);
		uint8_t *before = DAL_write_begin(PORT_BEFORE, bytes, TOKEN_RATE, BLOCK_SIZE, blk, p);

		motion_gauss(now, in + blk * bytes);
		memcpy(before, now, bytes);
		DAL_write_end(PORT_NOW, now, p);
		DAL_write_end(PORT_BEFORE, before, p);
	}
	DAL_read_end(PORT_IN, in, p);
	return 0;
}

int FIRE(motion_thres_fire)(DALProcess *p)
{
	size_t bytes = motion_frame_bytes();
	const uint8_t *now = DAL_read_begin(PORT_NOW, bytes, TOKEN_RATE, p);
	const uint8_t *before = DAL_read_begin(PORT_BEFORE, bytes, TOKEN_RATE, p);

	DAL_foreach_block(blk, BLOCK_COUNT)
	{
		uint8_t *out = DAL_write_begin(PORT_OUT, bytes, TOKEN_RATE, BLOCK_SIZE, blk, p);

		motion_threshold(out, now + blk * bytes, before + blk * bytes);
		DAL_write_end(PORT_OUT, out, p);
	}
	DAL_read_end(PORT_NOW, now, p);
	DAL_read_end(PORT_BEFORE, before, p);
	return 0;
}

int FIRE(motion_median_fire)(DALProcess *p)
{
	size_t bytes = motion_frame_bytes();
	const uint8_t *in = DAL_read_begin(PORT_IN, bytes, TOKEN_RATE, p);

	DAL_foreach_block(blk, BLOCK_COUNT)
	{
		uint8_t *out = DAL_write_begin(PORT_OUT, bytes, TOKEN_RATE, BLOCK_SIZE, blk, p);

		motion_median(out, in + blk * bytes);
		DAL_write_end(PORT_OUT, out, p);
	}
	DAL_read_end(PORT_IN, in, p);
	return 0;
}
