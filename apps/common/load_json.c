/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "apps/common/load_json.h"

#include <stdlib.h>

enum { CAUSES_MOST = 16 };

bool load_json_is_there(const struct pstk_network *network)
{
	struct pstk_cause cause;

	return pstk_network_causes(network, &cause, 1) > 0;
}

static double share(uint64_t count, uint64_t whole)
{
	double share = whole ? (double)count / (double)whole : 0;

	return share < 1 ? share : 1;
}

/* Of each port at which it waited. */
static json_t *waits_json(const struct pstk_actor *actor, uint64_t looks)
{
	const struct pstk_actor_type *type = pstk_actor_get_type(actor);
	json_t *waits = json_object();
	int failed = 0;

	for (unsigned p = 0; p < type->port_count; p++) {
		uint64_t seen = pstk_actor_port_waits(actor, p);

		if (seen)
			failed |= json_object_set_new(
				waits, type->ports[p].name, json_real(share(seen, looks)));
	}
	if (failed) {
		json_decref(waits);
		return NULL;
	}
	return waits;
}

json_t *load_json_actor(const struct pstk_actor *actor)
{
	struct pstk_actor_load load = { 0 };
	struct pstk_device_info device;
	double busy;

	pstk_actor_get_load(actor, &load);
	busy = pstk_actor_device(actor, &device) ? share(load.fire_ns, load.ns * load.side_by_side)
	                                         : share(load.device_runs, load.looks);
	return json_pack("{s:f, s:I, s:o, s:f, s:f, s:f}", "busy", busy, "side_by_side",
		(json_int_t)load.side_by_side, "waits", waits_json(actor, load.looks), "waits_for_device",
		share(load.for_device, load.looks), "waits_for_thread", share(load.for_thread, load.looks),
		"waits_for_core", share(load.for_core, load.looks));
}

json_t *load_json_fifo(const struct pstk_fifo *fifo)
{
	struct pstk_fifo_load load = { 0 };

	pstk_fifo_get_load(fifo, &load);
	return json_pack("{s:f, s:f, s:f}", "filled", share(load.fill, load.looks * load.capacity), "full",
		share(load.full, load.looks), "empty", share(load.empty, load.looks));
}

json_t *load_json_name(const struct pstk_fifo *fifo)
{
	struct pstk_fifo_info f;

	if (pstk_fifo_get_info(fifo, &f))
		return NULL;
	return json_sprintf("%s.%s -> %s.%s", pstk_actor_name(f.src),
		pstk_actor_get_type(f.src)->ports[f.src_port].name, pstk_actor_name(f.dst),
		pstk_actor_get_type(f.dst)->ports[f.dst_port].name);
}

static json_t *cause_json(const struct pstk_cause *c)
{
	static const char *const kinds[] = {
		[PSTK_CAUSE_SOURCE] = "source",
		[PSTK_CAUSE_ACTOR] = "actor",
		[PSTK_CAUSE_SERIAL] = "serial",
		[PSTK_CAUSE_IMBALANCE] = "imbalance",
		[PSTK_CAUSE_DEVICE] = "device",
		[PSTK_CAUSE_TRANSFER] = "transfer",
		[PSTK_CAUSE_CORES] = "cores",
		[PSTK_CAUSE_SWITCHING] = "switching",
		[PSTK_CAUSE_DEPTH] = "depth",
		[PSTK_CAUSE_NONE] = "none",
	};

	return json_pack("{s:s, s:s?, s:o, s:f, s:s, s:s}", "kind", kinds[c->kind], "actor",
		c->actor ? pstk_actor_name(c->actor) : NULL, "fifo",
		c->fifo ? load_json_name(c->fifo) : json_null(), "gain", c->gain, "evidence", c->evidence,
		"advice", c->advice);
}

json_t *load_json_causes(const struct pstk_network *network)
{
	struct pstk_cause found[CAUSES_MOST];
	int count = pstk_network_causes(network, found, CAUSES_MOST);
	json_t *causes = json_array();
	int failed = 0;

	for (int i = 0; i < count && i < CAUSES_MOST; i++)
		failed |= json_array_append_new(causes, cause_json(&found[i]));
	if (failed) {
		json_decref(causes);
		return NULL;
	}
	return causes;
}
