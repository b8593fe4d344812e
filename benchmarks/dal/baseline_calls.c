/* SPDX-License-Identifier: MIT */
/* Calls: what every process uses: its ports, indices, events, printing. */
#include "benchmarks/dal/baseline_calls.h"

#include "dal/checkpoint.h"
#include "dal/handle.h"

#include <string.h>

struct baseline_process *baseline_process_of(const DALProcess *p)
{
	return p ? p->wptr : NULL;
}

struct ps_dal_checkpoint **ps_dal_checkpoints_of(const DALProcess *dal)
{
	struct baseline_process *p = baseline_process_of(dal);

	return p && !p->definition->stateless ? &p->checkpoints : NULL;
}

struct baseline_port *baseline_port_of(
	struct baseline_process *p, const char *call, const void *port, bool input)
{
	char buffer[16];
	const char *name = ps_dal_port_name(port, buffer);

	if (p->err)
		return NULL;
	if (p->phase != BASELINE_FIRE) {
		baseline_wrong(p, "%s(\"%s\") in init or finish: ports move only in fire", call, name);
		return NULL;
	}
	p->touched = true;
	for (unsigned i = 0; i < p->port_count; i++) {
		unsigned k = (p->next + i) % p->port_count;

		if (strcmp(p->ports[k].name, name) != 0)
			continue;
		if (p->ports[k].input != input)
			break;
		p->next = k + 1;
		return &p->ports[k];
	}
	baseline_wrong(p, "%s(\"%s\"): the process network gives it no such %s", call, name,
		input ? "input" : "output");
	return NULL;
}

int DAL_send_event(const void *message, DALProcess *dal)
{
	struct baseline_process *p = baseline_process_of(dal);

	if (!p || !message || p->phase == BASELINE_FINISH)
		return -1;
	baseline_stop(p->owner);
	return 0;
}

int DAL_getIndex(int dimension, DALProcess *dal)
{
	struct baseline_process *p = baseline_process_of(dal);

	if (!p || dimension < 0 || (unsigned)dimension >= p->index_count)
		return -1;
	return p->indices[dimension];
}
