/* SPDX-License-Identifier: MIT */
#include "lib/plan/machine_choose.h"
#include "lib/base/memory.h"
#include "lib/plan/places.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

/* Steps of a search, if the program does not say how many: some seconds. As few mappings as ALL are all looked at. */
enum { STEPS = 2000000, ALL = 1000000 };

static const struct pstk_actor *find(const struct pstk_network *net, const char *name)
{
	for (unsigned i = 0; i < net->actor_count; i++)
		if (!strcmp(net->actors[i]->name, name))
			return net->actors[i];
	return NULL;
}

static int mark_fixed(
	const struct pstk_network *net, const char *const *names, bool *fixed, struct ps_text *what)
{
	for (; names && *names; names++) {
		const struct pstk_actor *a = find(net, *names);

		if (!a) {
			ps_text_add(
				what, "the network has no actor '%s', which is to stay where it is", *names);
			return -EINVAL;
		}
		fixed[a->index] = true;
	}
	return 0;
}

/* Where an actor can be, and how long its firings take there. A fixed one stays, whatever its time. */
static int set_seconds(const struct ps_flow *f, const struct pstk_network *net, const uint64_t *repetitions,
	const bool *fixed, double *seconds, struct ps_text *what)
{
	for (unsigned i = 0; i < f->actor_count; i++) {
		bool any = fixed[i];

		for (unsigned p = 0; p < f->machine->place_count; p++) {
			double *s = &seconds[(size_t)i * f->machine->place_count + p];

			*s = ps_places_seconds(net->actors[i], f->machine->places[p].name, repetitions[i]);
			if (fixed[i])
				*s = p == f->actors[i].place ? f->actors[i].seconds : NAN;
			any |= !isnan(*s);
		}
		if (!any) {
			ps_text_add(what,
				"'%s' has no time at any place: times: says where it can be, or fixed: that "
				"it "
				"stays where it is",
				f->actors[i].name);
			return -EINVAL;
		}
	}
	return 0;
}

static int keep_places(const struct ps_flow *f, struct pstk_network *net)
{
	int err = 0;

	for (unsigned i = 0; i < f->actor_count && !err; i++)
		err = pstk_actor_place(net->actors[i], f->machine->places[f->actors[i].place].name);
	return err;
}

static uint64_t steps_for(const struct ps_flow *f, const double *seconds)
{
	uint64_t mappings = 1;

	for (unsigned i = 0; i < f->actor_count && mappings <= ALL; i++) {
		unsigned places = 0;

		for (unsigned p = 0; p < f->machine->place_count; p++)
			places += !isnan(seconds[(size_t)i * f->machine->place_count + p]);
		mappings *= places;
	}
	return mappings <= ALL ? UINT64_MAX : STEPS;
}

static int search(struct ps_flow *f, struct pstk_network *net, const struct pstk_plan_options *options,
	const double *seconds, struct pstk_plan_summary *summary, struct ps_text *what)
{
	struct ps_search s = { .flow = f,
		.seconds = seconds,
		.overlap = !options->no_overlap,
		.contiguous = options->contiguous,
		.most = options->steps ? options->steps : steps_for(f, seconds) };
	int err = ps_search_run(&s);

	if (err == -ENOENT)
		ps_text_add(what, "no mapping was found in %" PRIu64 " steps%s", s.steps,
			s.proven ? ": no links join the places where the actors can be" : "");
	if (!err)
		err = keep_places(f, net);
	summary->choice = s.proven ? PSTK_CHOICE_BEST : PSTK_CHOICE_FOUND;
	summary->steps = s.steps;
	return err;
}

int ps_machine_choose(struct ps_flow *f, struct pstk_network *net, const struct pstk_plan_options *options,
	struct pstk_plan_summary *summary, struct ps_text *what)
{
	double *seconds = ps_memory_zalloc((size_t)f->actor_count * f->machine->place_count, sizeof *seconds);
	uint64_t *repetitions = ps_memory_zalloc(f->actor_count, sizeof *repetitions);
	bool *fixed = ps_memory_zalloc(f->actor_count, sizeof *fixed);
	int err = seconds && repetitions && fixed ? 0 : -ENOMEM;

	for (unsigned i = 0; i < f->output_count && !err; i++)
		repetitions[f->outputs[i].writer] = f->outputs[i].windows;
	for (unsigned i = 0; i < f->reader_count && !err; i++)
		repetitions[f->readers[i].actor] = f->readers[i].windows;
	if (!err)
		err = mark_fixed(net, options->fixed, fixed, what);
	if (!err)
		err = set_seconds(f, net, repetitions, fixed, seconds, what);
	if (!err)
		err = search(f, net, options, seconds, summary, what);
	if (err == -ENOMEM)
		ps_text_add(what, "out of memory");
	ps_memory_free(seconds);
	ps_memory_free(repetitions);
	ps_memory_free(fixed);
	return err;
}
