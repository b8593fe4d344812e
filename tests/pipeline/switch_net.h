/* SPDX-License-Identifier: MIT */
/*
 * A pipeline whose setting is switched while items flow: a source, stages on the cores, or on a device, a sink. Each
 * token is changed by each stage, so that one that is missing, doubled, out of order or not through a stage is seen.
 * Each stage on the cores looks whether its item is carried under one setting, and by a carrier that takes items under
 * it.
 */
#ifndef PENSTOCK_TESTS_SWITCH_NET_H
#define PENSTOCK_TESTS_SWITCH_NET_H

#include "lib/pipeline/carriage.h"

#include <penstock/penstock.h>
#include <pthread.h>
#include <stdatomic.h>

enum { SWITCH_STAGES = 3, SWITCH_SLOTS = 64 };

struct switch_net {
	/* set before switch_build() */
	uint64_t tokens;
	unsigned cores, team;
	const char *configuration;
	const char *device;             /* stages have a kernel, too (SWITCH_KERNEL); NULL: they have none */
	struct pstk_pipeline_spec spec; /* what is 0 in it is the rig's, or the default */
	void (*source)(struct switch_net *, uint64_t token);              /* before it is given */
	int (*stage)(struct switch_net *, unsigned stage, uint64_t item); /* returns what fire() does */
	void (*sink)(struct switch_net *, uint64_t token);                /* when it has come */
	void *data;

	struct pstk_network *net;
	struct pstk_pipeline *pipeline;
	struct ps_carriage *run;
	_Atomic uint64_t given, come, wrong;
	_Atomic uint64_t mixed, strangers; /* items under two settings; carried by those that are no takers */
	uint64_t settings[SWITCH_SLOTS], items[SWITCH_SLOTS]; /* of which item, from 1 */
};

/* __global const ulong *in, __global ulong *out, ulong firing, uint stage */
#define SWITCH_KERNEL "switch_stage"
uint64_t switch_changed(uint64_t token, unsigned stage);

void switch_build(struct switch_net *);

/* Waits, and looks at all that was counted. Returns what wait() has. The caller destroys the network. */
int switch_finish(struct switch_net *);

/* Any thread: asks for a configuration, which is none that can be refused. */
void switch_to(struct switch_net *, const char *configuration);

/* A thread that asks for other settings, goals and trainings, at any moment. */
struct switch_asker {
	struct switch_net *net;
	const char *const *settings; /* NULL among them: adaptive */
	unsigned setting_count;
	uint64_t seed;
	pthread_t thread;
	atomic_bool enough;
};

/* So many of them, each of which asks as its own seed says. */
void switch_begin_asking(struct switch_asker *, unsigned count, const struct switch_asker *as);
void switch_end_asking(struct switch_asker *, unsigned count);

/* Any thread: is it that now? */
bool switch_is(struct switch_net *, const char *configuration);
void switch_await(struct switch_net *, const char *configuration);

/* From here on the library's clock counts how often it was looked at, in microseconds; until switch_clock_real(). */
void switch_clock_virtual(void);
void switch_clock_real(void);

#endif
