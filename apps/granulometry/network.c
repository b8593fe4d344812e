/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "apps/granulometry/network.h"
#include "apps/common/devices.h"
#include "apps/common/probe.h"
#include "apps/granulometry/cost.h"

#include <errno.h>
#include <string.h>

enum { SOURCE, SMALL, LARGE, SINK, ACTORS };

static struct pstk_openings_spec part(const struct granulometry_spec *spec, uint32_t first, uint32_t last)
{
	struct pstk_openings_spec part = pstk_openings_spec_init();

	part.width = spec->size.width;
	part.height = spec->size.height;
	part.depth = spec->size.depth;
	part.element = spec->element;
	part.first = first;
	part.last = last;
	part.image = last < spec->openings;
	return part;
}

static void add_actors(
	struct pstk_network *net, const struct granulometry_spec *spec, struct pstk_actor *a[ACTORS])
{
	struct pstk_openings_spec small = part(spec, 0, spec->split),
				  large = part(spec, spec->split + 1, spec->openings);

	a[SOURCE] = pstk_network_add(net, "source", spec->source, spec->source_arg);
	a[SMALL] = pstk_openings_add(net, "small", &small);
	a[LARGE] = small.image ? pstk_openings_add(net, "large", &large) : NULL;
	a[SINK] = pstk_network_add(net, "sink", spec->sink, spec->sink_arg);
}

/* The way round large holds as many counts as the way through it holds images, so that small never waits for it. A
 * plan says it by itself. */
static void connect_actors(
	struct granulometry *g, const struct granulometry_spec *spec, struct pstk_actor *const a[ACTORS])
{
	struct pstk_fifo_spec image = pstk_fifo_spec_init(), counts = image, around = image;
	struct pstk_fifo *through;

	image.token_size = pstk_bits_size(spec->size.width, spec->size.height, spec->size.depth);
	pstk_connect(a[SOURCE], "out", a[SMALL], "in", &image);
	around.token_size = (spec->split + (size_t)1) * sizeof(uint64_t);
	if (spec->split < spec->openings) {
		counts.token_size = (spec->openings - (size_t)spec->split) * sizeof(uint64_t);
		through = pstk_connect(a[SMALL], "out", a[LARGE], "in", &image);
		g->last = pstk_connect(a[LARGE], "counts", a[SINK], "large", &counts);
		if (!g->is_planned)
			around.depth = team_depth_of(through) + team_depth_of(g->last);
		pstk_connect(a[SMALL], "counts", a[SINK], "small", &around);
	} else {
		g->last = pstk_connect(a[SMALL], "counts", a[SINK], "small", &around);
	}
}

static int map(const struct granulometry_spec *spec, struct pstk_actor *const a[ACTORS])
{
	int err = 0;

	for (unsigned i = 0; i < GRANULOMETRY_PARTS && !err; i++)
		if (a[SMALL + i] && spec->devices[i])
			err = pstk_actor_map(a[SMALL + i], spec->devices[i]);
	return err ? devices_status(err) : 0;
}

/* Says what is known of the times. */
static void tell(const struct granulometry_spec *spec, struct pstk_actor *const a[ACTORS])
{
	const double units[GRANULOMETRY_PARTS] = { (double)cost_first(spec->split),
		(double)cost_second(spec->split, spec->openings) };

	if (spec->source_ns > 0)
		pstk_actor_set_time(a[SOURCE], NULL, (uint64_t)(spec->source_ns + 0.5));
	for (unsigned i = 0; i < GRANULOMETRY_PARTS; i++) {
		double ns = units[i] * spec->unit_ns[i];

		if (a[SMALL + i] && ns > 0)
			pstk_actor_set_time(a[SMALL + i], NULL, (uint64_t)(ns + 0.5));
	}
}

static int apply(struct granulometry *g, const struct pstk_plan *plan)
{
	struct pstk_plan_summary summary = { .period = 0 };
	int err = pstk_plan_result(plan);

	if (err)
		return app_fail(EXIT_FAILED, "--overlap: %s", pstk_plan_error(plan));
	pstk_plan_get_summary(plan, &summary);
	g->period = summary.period;
	err = pstk_plan_apply(g->network, plan);
	return err == -ENOMEM ? EXIT_FAILED : err ? devices_status(err) : 0;
}

static int plan(
	struct granulometry *g, const struct granulometry_spec *spec, struct pstk_actor *const a[ACTORS])
{
	struct pstk_machine *machine = pstk_network_machine(g->network);
	struct pstk_plan *plan = NULL;
	int status;

	tell(spec, a);
	if (machine)
		plan = pstk_plan_create(
			g->network, machine, PSTK_PLAN(.no_overlap = spec->overlap == GRANULOMETRY_OFF));
	status = plan ? apply(g, plan) : app_out_of_memory();
	pstk_plan_destroy(plan);
	pstk_machine_destroy(machine);
	return status;
}

int granulometry_build(struct granulometry *g, const struct granulometry_spec *spec)
{
	struct pstk_actor *a[ACTORS];
	int status;

	*g = (struct granulometry){ .uses_device = spec->devices[0] || spec->devices[1],
		.is_planned = spec->overlap != GRANULOMETRY_UNPLANNED };
	g->network = pstk_network_create(app_name);
	if (!g->network)
		return app_out_of_memory();
	add_actors(g->network, spec, a);
	team_apply(&spec->team, g->network);
	connect_actors(g, spec, a);
	if (pstk_network_error(g->network)[0]) /* a plan would only say that it has problems */
		status = EXIT_FAILED;
	else
		status = map(spec, a);
	if (!status && g->is_planned)
		status = plan(g, spec, a);
	if (!status && spec->moves)
		status = moves_apply(spec->moves, g->network);
	if (app_say_problems(g->network) && !status)
		status = EXIT_FAILED;
	return status;
}

bool granulometry_is_together(const char *const devices[GRANULOMETRY_PARTS])
{
	struct pstk_device_info a, b;

	if (!devices[0] && !devices[1])
		return probe_core(1) < 0;
	return devices[0] && devices[1] && !pstk_device_find(devices[0], &a, NULL, 0) &&
	       !pstk_device_find(devices[1], &b, NULL, 0) && !strcmp(a.selector, b.selector);
}

void granulometry_destroy(struct granulometry *g)
{
	pstk_network_destroy(g->network);
	*g = (struct granulometry){ .network = NULL };
}
