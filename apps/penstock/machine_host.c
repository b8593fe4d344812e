/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "apps/penstock/machine_host.h"
#include "apps/penstock/memory_limit.h"
#include "lib/base/cores.h"

#include <stdbool.h>
#include <unistd.h>

static uint64_t least(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/* What the system says that it has. */
static uint64_t system_memory(void)
{
	long pages = sysconf(_SC_PHYS_PAGES), size = sysconf(_SC_PAGESIZE);

	return pages > 0 && size > 0 ? (uint64_t)pages * (uint64_t)size : UINT64_MAX;
}

#ifdef HAVE_HWLOC

#include <hwloc.h>

static unsigned cores_of(hwloc_obj_t o)
{
	int count = hwloc_bitmap_weight(o->cpuset);

	return count > 0 ? (unsigned)count : 0;
}

static void add_cache(struct machine_host *h, unsigned level, hwloc_obj_t o)
{
	struct machine_cache one = { level, cores_of(o), 1, o->attr->cache.size };

	for (unsigned i = 0; i < h->cache_count; i++) {
		struct machine_cache *c = &h->caches[i];

		if (c->level == level && c->cores == one.cores && c->bytes == one.bytes) {
			c->count++;
			return;
		}
	}
	if (h->cache_count < MACHINE_CACHES && one.bytes)
		h->caches[h->cache_count++] = one;
}

/* The part of the machine that this process may use. Of a machine that is only told (HWLOC_SYNTHETIC) that is all. */
static void restrict_to_own(hwloc_topology_t topology)
{
	hwloc_bitmap_t set = hwloc_bitmap_alloc();

	if (set && !hwloc_get_cpubind(topology, set, HWLOC_CPUBIND_PROCESS) && !hwloc_bitmap_iszero(set))
		hwloc_topology_restrict(topology, set, 0);
	hwloc_bitmap_free(set);
}

static uint64_t look_with_hwloc(struct machine_host *h)
{
	static const hwloc_obj_type_t levels[] = { HWLOC_OBJ_L1CACHE, HWLOC_OBJ_L2CACHE, HWLOC_OBJ_L3CACHE,
		HWLOC_OBJ_L4CACHE, HWLOC_OBJ_L5CACHE };
	hwloc_topology_t topology;
	uint64_t memory = 0;
	hwloc_obj_t o = NULL;

	if (hwloc_topology_init(&topology))
		return UINT64_MAX;
	if (hwloc_topology_load(topology)) {
		hwloc_topology_destroy(topology);
		return UINT64_MAX;
	}
	restrict_to_own(topology);
	for (unsigned i = 0; i < sizeof levels / sizeof *levels; i++)
		while ((o = hwloc_get_next_obj_by_type(topology, levels[i], o)))
			add_cache(h, i + 1, o);
	while ((o = hwloc_get_next_obj_by_type(topology, HWLOC_OBJ_NUMANODE, o))) {
		memory += o->attr->numanode.local_memory;
		if (h->node_count < MACHINE_NODES)
			h->nodes[h->node_count++] =
				(struct machine_node){ cores_of(o), o->attr->numanode.local_memory };
	}
	hwloc_topology_destroy(topology);
	return memory ? memory : UINT64_MAX;
}

#else

static uint64_t look_with_hwloc(struct machine_host *h)
{
	(void)h;
	return UINT64_MAX;
}

#endif

void machine_host_look(struct machine_host *h)
{
	*h = (struct machine_host){ .cores = ps_cores() };
	h->memory = least(least(system_memory(), look_with_hwloc(h)), memory_limit(""));
	if (h->memory == UINT64_MAX)
		h->memory = 0;
}
