/* SPDX-License-Identifier: MIT */
/* A DAL process: writes 1 to 5, then ends the application. */
#include "dal_processes.h"

#define PORT_OUT "out"

struct _local_states {
	int next;
};

void generator_init(DALProcess *p)
{
	p->local->next = 1;
}

int generator_fire(DALProcess *p)
{
	if (p->local->next > 5) {
		DAL_send_event((void *)"stop", p);
		return 1;
	}
	DAL_write((void *)PORT_OUT, &p->local->next, sizeof(int), p);
	p->local->next++;
	return 0;
}
