/* SPDX-License-Identifier: MIT */
#include "lib/plan/places.h"
#include "lib/base/memory.h"
#include "lib/model/error.h"
#include "lib/model/pipeline.h"
#include "lib/plan/plan.h"
#include "penstock/plan.h"

#include <errno.h>
#include <math.h>
#include <string.h>

struct time_at {
	char *place; /* NULL: all that have none of their own */
	uint64_t ns;
};

struct wish {
	char *place; /* NULL: none was given */
	struct time_at *times;
	unsigned time_count;
	double share; /* 0: none was given */
};

/* By actor. BUILD. */
struct ps_places {
	struct wish *wishes;
	unsigned count;
};

/* A stage is where its pipeline is. */
static const struct wish *wish_of(const struct pstk_actor *a)
{
	const struct ps_places *p = a->network->plan->places;

	if (ps_is_stage(a))
		a = a->pipeline->actor;
	return p && a->index < p->count ? &p->wishes[a->index] : NULL;
}

/* NULL: out of memory. */
static struct wish *new_wish(struct pstk_actor *a)
{
	struct ps_places **p = &a->network->plan->places;
	struct wish *wishes;
	unsigned count;

	if (!*p)
		*p = ps_memory_zalloc(1, sizeof **p);
	if (*p && a->index >= (*p)->count) {
		count = a->index + a->index / 2 + 1; /* each actor may come with a wish of its own */
		if (count < a->network->actor_count)
			count = a->network->actor_count;
		wishes = ps_memory_resize((*p)->wishes, count, sizeof *wishes);
		if (!wishes)
			return NULL;
		memset(wishes + (*p)->count, 0, (count - (*p)->count) * sizeof *wishes);
		(*p)->wishes = wishes;
		(*p)->count = count;
	}
	return *p ? &(*p)->wishes[a->index] : NULL;
}

static int out_of_memory(struct pstk_actor *a)
{
	return ps_network_problem(a->network, -ENOMEM, "'%s' (%s): out of memory", a->name, a->type.name);
}

int pstk_actor_place(struct pstk_actor *a, const char *place)
{
	int err = a ? ps_network_building(a->network, __func__) : -EINVAL;
	struct wish *w;
	char *own = NULL;

	if (!err && ps_is_stage(a) && ps_pipeline_refuses(a, __func__))
		err = -EINVAL;
	if (err)
		return err;
	w = new_wish(a);
	if (!w || (place && *place && !(own = ps_memory_strdup(place))))
		return out_of_memory(a);
	ps_memory_free(w->place);
	w->place = own;
	return 0;
}

const char *pstk_actor_given_place(const struct pstk_actor *a)
{
	const struct wish *w = a ? wish_of(a) : NULL;

	return w ? w->place : NULL;
}

static bool is_at(const struct time_at *t, const char *place)
{
	return !t->place || !place ? !t->place && !place : !strcmp(t->place, place);
}

static const struct time_at *find(const struct wish *w, const char *place)
{
	for (unsigned i = 0; w && i < w->time_count; i++)
		if (is_at(&w->times[i], place))
			return &w->times[i];
	return NULL;
}

int pstk_actor_set_time(struct pstk_actor *a, const char *place, uint64_t ns)
{
	int err = a ? ps_network_building(a->network, __func__) : -EINVAL;
	struct time_at *former, *times;
	struct wish *w;
	char *own = NULL;

	if (!err && ps_is_stage(a) && ps_pipeline_refuses(a, __func__))
		err = -EINVAL;
	if (err)
		return err;
	w = new_wish(a);
	former = (struct time_at *)find(w, place);
	if (former) {
		former->ns = ns;
		return 0;
	}
	times = w ? ps_memory_resize(w->times, w->time_count + 1, sizeof *times) : NULL;
	if (times)
		w->times = times;
	if (!times || (place && !(own = ps_memory_strdup(place))))
		return out_of_memory(a);
	w->times[w->time_count++] = (struct time_at){ own, ns };
	return 0;
}

int pstk_actor_get_time(const struct pstk_actor *a, const char *place, uint64_t *ns)
{
	const struct wish *w = a ? wish_of(a) : NULL;
	const struct time_at *t;

	if (!a || !ns)
		return -EINVAL;
	t = find(w, place);
	if (!t)
		t = find(w, NULL);
	if (!t)
		return -ENOENT;
	*ns = t->ns;
	return 0;
}

int pstk_actor_set_share(struct pstk_actor *a, double share)
{
	int err = a ? ps_network_building(a->network, __func__) : -EINVAL;
	struct wish *w;

	if (!err && ps_is_stage(a) && ps_pipeline_refuses(a, __func__))
		err = -EINVAL;
	if (err)
		return err;
	if (!(share > 0 && share <= 1))
		return ps_network_problem(a->network, -EINVAL,
			"'%s' (%s): a share of %g of its firings: expected above 0, up to 1", a->name,
			a->type.name, share);
	w = new_wish(a);
	if (!w)
		return out_of_memory(a);
	w->share = share;
	return 0;
}

double pstk_actor_share(const struct pstk_actor *a)
{
	const struct wish *w = a ? wish_of(a) : NULL;

	return !a ? 0 : w && w->share > 0 ? w->share : 1;
}

double ps_places_seconds(const struct pstk_actor *a, const char *place, uint64_t firings)
{
	uint64_t ns;

	return pstk_actor_get_time(a, place, &ns) ? NAN
	                                          : 1e-9 * (double)ns * (double)firings * pstk_actor_share(a);
}

static void free_wish(struct wish *w)
{
	for (unsigned j = 0; j < w->time_count; j++)
		ps_memory_free(w->times[j].place);
	ps_memory_free(w->times);
	ps_memory_free(w->place);
}

int ps_places_renumber(struct pstk_network *net, const unsigned *former)
{
	struct ps_places *p = net->plan->places;
	struct wish *wishes = p ? ps_memory_zalloc(net->actor_count, sizeof *wishes) : NULL;

	if (p && !wishes)
		return -ENOMEM;
	for (unsigned i = 0; p && i < net->actor_count; i++)
		if (former[i] < p->count) {
			wishes[i] = p->wishes[former[i]];
			p->wishes[former[i]] = (struct wish){ 0 };
		}
	for (unsigned i = 0; p && i < p->count; i++)
		free_wish(&p->wishes[i]);
	if (p) {
		ps_memory_free(p->wishes);
		p->wishes = wishes;
		p->count = net->actor_count;
	}
	return 0;
}

void ps_places_free(struct pstk_network *net)
{
	struct ps_places *p = net->plan ? net->plan->places : NULL;

	for (unsigned i = 0; p && i < p->count; i++)
		free_wish(&p->wishes[i]);
	if (p)
		ps_memory_free(p->wishes);
	ps_memory_free(p);
}
