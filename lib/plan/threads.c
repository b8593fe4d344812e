/* SPDX-License-Identifier: MIT */
#include "lib/plan/threads.h"
#include "lib/base/cores.h"
#include "lib/base/memory.h"
#include "lib/base/text.h"
#include "lib/model/error.h"
#include "lib/model/pipeline.h"
#include "lib/model/place.h"
#include "lib/plan/depth.h"
#include "lib/plan/places.h"
#include "lib/plan/merges.h"
#include "lib/plan/plan.h"
#include "lib/plan/ranks.h"
#include "lib/plan/rates.h"

#include <errno.h>

int ps_plan_create(struct pstk_network *net)
{
	net->plan = ps_memory_zalloc(1, sizeof *net->plan);
	if (!net->plan)
		return -ENOMEM;
	net->plan->rates = ps_memory_zalloc(1, sizeof *net->plan->rates);
	if (!net->plan->rates || pthread_mutex_init(&net->plan->declaring, NULL)) {
		ps_rates_free(net);
		ps_memory_free(net->plan);
		net->plan = NULL;
		return -ENOMEM;
	}
	net->plan->threads = net->environment.threads;
	net->plan->depth = net->default_depth = ps_depth_default(net->plan->threads);
	return 0;
}

void ps_plan_free(struct pstk_network *net)
{
	ps_rates_free(net);
	ps_places_free(net);
	ps_ranks_free(net);
	if (net->plan)
		ps_merges_free(net);
	if (net->plan)
		pthread_mutex_destroy(&net->plan->declaring);
	ps_memory_free(net->plan);
}

bool ps_threads_on_team(const struct pstk_actor *a)
{
	return a->network->plan->threads && !a->type.kahn && !a->type.blocks && !a->guarded &&
	       !(ps_is_pipeline(a) && a->core >= 0); /* its own threads are pinned, too */
}

void ps_threads_cores(const struct pstk_actor *a, cpu_set_t *set)
{
	const struct pstk_network *net = a->network;
	bool on_team = ps_threads_on_team(a);

	CPU_ZERO(set);
	CPU_SET((unsigned)a->core, set);
	for (unsigned i = 0; i < net->actor_count && on_team; i++) {
		const struct pstk_actor *other = net->actors[i];

		if (other->core >= 0 && ps_threads_on_team(other) &&
			(unsigned)other->core % net->plan->threads == (unsigned)a->core % net->plan->threads)
			CPU_SET((unsigned)other->core, set);
	}
}

int pstk_network_set_threads(struct pstk_network *net, unsigned threads)
{
	char rates[PS_RATES_TEXT];
	const struct pstk_fifo *f;
	int err = ps_network_building(net, __func__);

	if (err)
		return err;
	if (threads > PS_THREADS_MAX)
		return ps_network_problem(net, -EINVAL,
			"a team of %u threads: expected 1 to %d, or 0, a thread per actor", threads,
			PS_THREADS_MAX);
	err = ps_depth_fits(net, threads, &f);
	if (err)
		return ps_network_problem(net, err,
			PS_CONNECTION
			": %s, delay %u, token size %zu, and depth %u for a team of %u threads: more "
			"bytes than memory can have: give it a depth",
			PS_CONNECTION_ARGS(f), ps_rates_text(&f->fifo.layout, rates), f->fifo.layout.delay,
			f->fifo.layout.token_size, ps_depth_default(threads), threads);
	net->plan->threads = threads;
	net->default_depth = ps_depth_default(threads);
	net->plan->depth = 0;
	return 0;
}

unsigned pstk_network_auto_threads(const struct pstk_network *net)
{
	unsigned cores = ps_cores();

	cores = cores < PS_THREADS_MAX ? cores : PS_THREADS_MAX;
	return net && net->actor_count > cores ? cores : 0;
}

unsigned pstk_network_threads(const struct pstk_network *net)
{
	return net ? net->plan->threads : 0;
}

int pstk_network_set_depth_budget(struct pstk_network *net, size_t bytes)
{
	int err = ps_network_building(net, __func__);

	if (err)
		return err;
	net->plan->depth_budget = bytes;
	return 0;
}

size_t pstk_network_depth_budget(const struct pstk_network *net)
{
	return net ? net->plan->depth_budget : 0;
}

unsigned pstk_actor_given_concurrency(const struct pstk_actor *a)
{
	return a ? a->concurrency : 0;
}

int pstk_actor_set_concurrency(struct pstk_actor *a, unsigned n)
{
	int err = a ? ps_network_building(a->network, __func__) : -EINVAL;

	if (!err && ps_pipeline_refuses(a, __func__))
		err = -EINVAL;
	if (err)
		return err;
	if (!n || n > PS_CONCURRENCY_MAX)
		return ps_network_problem(a->network, -EINVAL,
			"'%s' (%s): %u firings side by side: expected 1 to %d", a->name, a->type.name, n,
			PS_CONCURRENCY_MAX);
	if (n > 1 && !a->type.stateless)
		return ps_network_problem(a->network, -EINVAL,
			"'%s' (%s): %u firings side by side, but its type is not "
			"stateless: leave it at 1, or, if firings are independent, set stateless in the type",
			a->name, a->type.name, n);
	err = n > 1 && a->backend && !ps_place_mixes(a) ? ps_concurrency_refuse_device(a, n) : 0;
	if (!err)
		a->concurrency = n;
	return err;
}

/* Copies as much of the text as there is room for. */
static void fill(char *buffer, size_t size, const char *text)
{
	enum { ROOM_FOR_DOTS = 8 };

	if (size >= ROOM_FOR_DOTS) {
		struct ps_text t = ps_text(buffer, size);

		ps_text_add(&t, "%s", text);
	} else if (size) {
		snprintf(buffer, size, "%s", text);
	}
}

unsigned pstk_actor_concurrency(const struct pstk_actor *a, char *why, size_t size)
{
	char text[PS_LIMIT_TEXT];
	struct ps_limit limit;

	if (why)
		fill(why, size, "");
	if (!a)
		return 0;
	ps_concurrency_of(a, &limit);
	if (why)
		fill(why, size, ps_concurrency_text(a, &limit, text));
	return limit.firings;
}
