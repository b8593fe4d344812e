/* SPDX-License-Identifier: MIT */
/* A DAL process: prints what comes. */
#include "dal_processes.h"

#define PORT_IN "in"

int consumer_fire(DALProcess *p)
{
	int x;

	if (DAL_read((void *)PORT_IN, &x, sizeof x, p) == sizeof x)
		DAL_printf("%d\n", x);
	return 0;
}

void consumer_finish(DALProcess *p)
{
	(void)p;
	DAL_printf("that was all\n");
}
