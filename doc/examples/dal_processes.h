/* SPDX-License-Identifier: MIT */
/* The processes of the example dal.c: what DAL's tools would generate of the process network. */
#ifndef DAL_PROCESSES_H
#define DAL_PROCESSES_H

#include <dal.h>

/* bytes of its struct _local_states, which is in its own file */
enum { GENERATOR_STATE = sizeof(int) };

void generator_init(DALProcess *p);
int generator_fire(DALProcess *p);
int square_fire(DALProcess *p);
int consumer_fire(DALProcess *p);
void consumer_finish(DALProcess *p);

#endif
