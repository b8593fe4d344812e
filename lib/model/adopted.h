/* SPDX-License-Identifier: MIT */
/*
 * Adopted: the figures of actors that ran on other hosts, and of FIFOs whose readers did. At the end of a run this
 * process has them from the processes of those hosts (lib/observe/adopt.h). Then its calls that say figures say these.
 *
 * A FIFO's figures are those of its reader's host: there it is as it was built, with its delay tokens and its rates.
 */
#ifndef PENSTOCK_ADOPTED_H
#define PENSTOCK_ADOPTED_H

#include "lib/model/network.h"
#include "lib/model/pipeline.h"
#include "penstock/hosts.h"

/* Constant once `there` is. */
struct ps_adopted_actor {
	atomic_bool there;
	bool on_team, on_device;
	struct pstk_actor_stats stats;
	uint64_t cpu_ns;
	struct pstk_actor_load load;     /* without looks: nothing */
	struct pstk_device_info device;  /* on_device */
	uint64_t *wait_ns, *looks_waits; /* by port: time, and looks that saw it waiting there */
};

/* Constant once `there` is. */
struct ps_adopted_fifo {
	atomic_bool there;
	struct pstk_fifo_info info;
	struct pstk_fifo_load load;
	uint64_t lay_ns, lay; /* of windows that were followed: how long on average, and how many */
	uint64_t came;        /* the cycle of the first window */
	uint64_t first;       /* its layout's */
	uint64_t ended[2];    /* windows that its writer, and its reader, have ended */
	char memory[40];
};

/* Paths between actors of one other host. Constant once they are in the list. */
struct ps_adopted_path {
	struct pstk_latency latency;
	struct pstk_latency_bucket *buckets;
	unsigned bucket_count;
};

struct ps_adopted_paths {
	struct ps_adopted_paths *_Atomic next;
	unsigned count;
	struct ps_adopted_path path[];
};

/* What has crossed from one process. Constant once it is in the list. */
struct ps_adopted_crossings {
	struct ps_adopted_crossings *_Atomic next;
	unsigned count;
	struct pstk_crossing crossing[];
};

struct ps_adopted {
	struct ps_adopted_actor *actors; /* by index */
	struct ps_adopted_fifo *fifos;
	uint64_t *port_figures; /* of all actors */

	struct ps_adopted_crossings *_Atomic crossings; /* of this process, and of those that were adopted */

	/* of all hosts that were adopted */
	struct ps_adopted_paths *_Atomic paths;
	_Atomic unsigned cores;
	_Atomic size_t shared_bytes, allocated;
};

/* NULL: this process's own figures count, if there are any. */
/* Stages of pipelines, and FIFOs between them, have numbers of their own, and are not told of. */
static inline const struct ps_adopted_actor *ps_adopted_actor(const struct pstk_actor *a)
{
	const struct ps_adopted *d = atomic_load(&a->network->adopted);

	return d && !ps_is_stage(a) && atomic_load(&d->actors[a->index].there) ? &d->actors[a->index] : NULL;
}

static inline const struct ps_adopted_fifo *ps_adopted_fifo(const struct pstk_fifo *f)
{
	const struct ps_adopted *d = atomic_load(&f->src->network->adopted);

	return d && !ps_is_stage(f->src) && atomic_load(&d->fifos[f->index].there) ? &d->fifos[f->index]
	                                                                           : NULL;
}

/* The device that an adopted actor is on. NULL: it is on the cores, or not adopted. */
static inline const struct pstk_device_info *ps_adopted_device(const struct pstk_actor *a)
{
	const struct ps_adopted_actor *adopted = ps_adopted_actor(a);

	return adopted && adopted->on_device ? &adopted->device : NULL;
}

/* The n-th path of all that were adopted. NULL: there are no more. */
static inline const struct ps_adopted_path *ps_adopted_path(const struct pstk_network *net, unsigned n)
{
	const struct ps_adopted *d = atomic_load(&net->adopted);
	const struct ps_adopted_paths *of = d ? atomic_load(&d->paths) : NULL;

	for (; of && n >= of->count; of = atomic_load(&of->next))
		n -= of->count;
	return of ? &of->path[n] : NULL;
}

/* Are there figures of it? */
static inline bool ps_actor_is_known(const struct pstk_actor *a)
{
	return !ps_actor_away(a) || ps_adopted_actor(a);
}

static inline bool ps_fifo_is_known(const struct pstk_fifo *f)
{
	return f->crossing != PS_CROSSES_ELSEWHERE || ps_adopted_fifo(f);
}

#endif
