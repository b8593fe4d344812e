/* SPDX-License-Identifier: MIT */
/*
 * Predistortion as DAL processes: what DAL's tools would generate of predistortion.xml, and what a run is.
 * All read and write when they like: which branches get a block differs from block to block, and DAL has
 * that only in this form, and only on cores.
 *
 * The source also says which branches are active, so that the one process that ends the application knows
 * that all that belongs to its last block has been written.
 */
#ifndef PENSTOCK_BENCHMARKS_DAL_PREDISTORTION_PROCESSES_H
#define PENSTOCK_BENCHMARKS_DAL_PREDISTORTION_PROCESSES_H

#include <dal.h>

#include <stddef.h>
#include <stdint.h>

/* bytes of the struct _local_states, which are in the processes' own files */
enum { PREDISTORTION_END_STATE = 64, PREDISTORTION_BRANCHES_STATE = 2048, PREDISTORTION_FIR_STATE = 256 };

void predistortion_end_init(DALProcess *p);
void predistortion_end_finish(DALProcess *p);
int predistortion_source_fire(DALProcess *p);
int predistortion_sink_fire(DALProcess *p);

void predistortion_branches_init(DALProcess *p);
void predistortion_branches_finish(DALProcess *p);
int predistortion_polynomial_fire(DALProcess *p);
int predistortion_adder_fire(DALProcess *p);

void predistortion_fir_init(DALProcess *p);
void predistortion_fir_finish(DALProcess *p);
int predistortion_fir_fire(DALProcess *p);

/* The application's outside: one run at a time, set before it. */
struct predistortion_outside {
	uint32_t block; /* samples */
	uint64_t blocks;
	unsigned active; /* branches; HAMMERSTEIN_RANDOM: another set each period */
	uint64_t sum;    /* the sink's; 0 before a run */
};
extern struct predistortion_outside predistortion_outside;

/* Memory of so many blocks, each a cache line further from the one before, so that they don't lie at one
 * place of their pages all; block i begins at i x predistortion_stride(). */
float *predistortion_blocks(size_t count);
size_t predistortion_stride(void);

#endif
