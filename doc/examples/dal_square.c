/* SPDX-License-Identifier: MIT */
/* A DAL process: the square of each number. */
#include "dal_processes.h"

#define PORT_IN 0
#define PORT_OUT 1

int square_fire(DALProcess *p)
{
	int x;

	DAL_read((void *)PORT_IN, &x, sizeof x, p);
	x *= x;
	DAL_write((void *)PORT_OUT, &x, sizeof x, p);
	return 0;
}
