/* SPDX-License-Identifier: MIT */
/* Network: the object that the others are built into. */
#include "lib/model/network.h"
#include "lib/base/environment_check.h"
#include "lib/base/memory.h"
#include "lib/model/error.h"

#include <errno.h>
#include <search.h>

static int init_locks(struct pstk_network *net)
{
	pthread_condattr_t attr;
	int err = pthread_mutex_init(&net->lock, NULL);

	if (err)
		return err;
	err = pthread_condattr_init(&attr);
	if (!err) {
		pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
		err = pthread_cond_init(&net->changed, &attr);
		pthread_condattr_destroy(&attr);
	}
	if (!err && sem_init(&net->wake, 0, 0)) {
		err = errno;
		pthread_cond_destroy(&net->changed);
	}
	if (err)
		pthread_mutex_destroy(&net->lock);
	return err;
}

struct pstk_network *ps_network_create(const char *name)
{
	static _Atomic uint64_t created;
	struct pstk_network *net = ps_memory_zalloc(1, sizeof *net);

	if (!net)
		return NULL;
	net->name = ps_memory_strdup(name);
	if (!net->name || init_locks(net)) {
		ps_memory_free(net->name);
		ps_memory_free(net);
		return NULL;
	}
	net->number = atomic_fetch_add(&created, 1) + 1;
	ps_environment_take(&net->environment);
	return net;
}

void ps_fifo_free(struct pstk_fifo *f)
{
	ps_fifo_fini(&f->fifo);
	ps_memory_free(f->initial);
	ps_memory_free(f->way);
	ps_memory_free(f);
}

static void keep_node(void *node)
{
	(void)node; /* the tree's nodes are actors: freed with the array */
}

void ps_network_free(struct pstk_network *net)
{
	tdestroy(net->names, keep_node);
	for (unsigned i = 0; i < net->problem_count; i++)
		ps_memory_free(net->problems[i]);
	ps_memory_free(net->fifos);
	ps_memory_free(net->actors);
	ps_memory_free(net->problems);
	ps_memory_free(net->name);
	sem_destroy(&net->wake);
	pthread_cond_destroy(&net->changed);
	pthread_mutex_destroy(&net->lock);
	ps_memory_free(net);
}

int pstk_network_set_flags(struct pstk_network *net, unsigned flags)
{
	int err = ps_network_building(net, __func__);

	if (err)
		return err;
	if (flags & ~(unsigned)(PSTK_UNCHECKED | PSTK_DEPTH_AUTO | PSTK_PROFILE | PSTK_STEPS_AUTO))
		return ps_network_problem(net, -EINVAL, "pstk_network_set_flags: unknown flags 0x%x", flags);
	net->flags = flags;
	return 0;
}

unsigned pstk_network_flags(const struct pstk_network *net)
{
	return net ? net->flags : 0;
}

const char *pstk_network_name(const struct pstk_network *net)
{
	return net ? net->name : NULL;
}

unsigned pstk_network_actor_count(const struct pstk_network *net)
{
	return net ? net->actor_count : 0;
}

unsigned pstk_network_fifo_count(const struct pstk_network *net)
{
	return net ? net->fifo_count : 0;
}

struct pstk_actor *pstk_network_actor(const struct pstk_network *net, unsigned index)
{
	return net && index < net->actor_count ? net->actors[index] : NULL;
}

struct pstk_fifo *pstk_network_fifo(const struct pstk_network *net, unsigned index)
{
	return net && index < net->fifo_count ? net->fifos[index] : NULL;
}
