/* SPDX-License-Identifier: MIT */
#include "lib/plan/concurrency.h"
#include "lib/base/text.h"
#include "lib/model/error.h"
#include "lib/model/pipeline.h"
#include "lib/model/place.h"
#include "lib/model/type.h"
#include "lib/firing/backend.h"
#include "lib/plan/settle.h"
#include "lib/plan/threads.h"
#include "lib/plan/plan.h"

#include <errno.h>
#include <stdio.h>

static void lower(
	struct ps_limit *limit, unsigned firings, enum ps_limit_kind kind, const struct pstk_fifo *fifo)
{
	if (firings < limit->firings)
		*limit = (struct ps_limit){ .firings = firings, .kind = kind, .fifo = fifo };
}

/* Windows that an actor may have of a FIFO at once: those of its own place, where they cross several. */
static uint32_t windows_of(const struct pstk_actor *a, const struct pstk_fifo *f)
{
	const struct ps_backend *b = f->src == a ? ps_backend_of(f) : NULL;

	return b && b->fifo_hops(f) ? ps_depth_before(f) : f->fifo.layout.depth;
}

/* The FIFO of an actor that holds the fewest windows; NULL: it has none. */
static const struct pstk_fifo *shallowest(const struct pstk_actor *a)
{
	const struct pstk_fifo *least = NULL;

	for (unsigned p = 0; p < a->type.port_count; p++)
		for (const struct pstk_fifo *f = a->ports[p].fifo; f;
			f = ps_port_reads(a->type.ports[p].kind) ? NULL : f->next)
			if (!least || windows_of(a, f) < windows_of(a, least))
				least = f;
	return least;
}

static struct ps_limit find(const struct pstk_actor *a)
{
	struct ps_limit limit = { .firings = 1 };
	const struct pstk_fifo *least = shallowest(a);
	bool on_team = ps_threads_on_team(a);

	bool device = (a->backend && !ps_place_mixes(a)) ||
	              a->guarded; /* one that may move to the cores is counted there */

	limit.kind = !a->type.stateless ? PS_LIMIT_STATE : device ? PS_LIMIT_DEVICE : PS_LIMIT_THREAD;
	if (!a->type.stateless || device || (!on_team && !a->concurrency))
		return limit;
	limit = (struct ps_limit){ .firings = a->concurrency ? a->concurrency : UINT32_MAX,
		.kind = PS_LIMIT_ASKED };
	if (on_team && a->core >= 0)
		lower(&limit, 1, PS_LIMIT_PIN, NULL);
	if (on_team && !ps_is_pipeline(a)) /* that has threads of its own besides */
		lower(&limit, a->network->plan->threads, PS_LIMIT_TEAM, NULL);
	if (least)
		lower(&limit, windows_of(a, least), PS_LIMIT_DEPTH, least);
	return limit;
}

/* Of a stage: each thread of its pipeline may carry an item through it. */
static struct ps_limit of_stage(const struct pstk_actor *a)
{
	return (struct ps_limit){ .firings = a->pipeline->spec.cores + 1, .kind = PS_LIMIT_CARRIED };
}

unsigned ps_concurrency_of(const struct pstk_actor *a, struct ps_limit *why)
{
	struct ps_limit limit;

	ps_plan_settle(a->network);
	limit = ps_is_stage(a) ? of_stage(a) : find(a);
	if (why)
		*why = limit;
	return limit.firings;
}

const char *ps_concurrency_text(const struct pstk_actor *a, const struct ps_limit *limit, char *buffer)
{
	static const char *const texts[] = { [PS_LIMIT_STATE] = "its type is not stateless",
		[PS_LIMIT_DEVICE] = "on a device, which takes its firings in turn",
		[PS_LIMIT_THREAD] = "its one thread: no team, and no concurrency set",
		[PS_LIMIT_ASKED] = "the concurrency that it was given",
		[PS_LIMIT_PIN] = "one thread of the team, which it is pinned to",
		[PS_LIMIT_TEAM] = "the threads of the team",
		[PS_LIMIT_DEPTH] = "the depth of ",
		[PS_LIMIT_CARRIED] = "the threads of its pipeline" };

	if (limit->kind == PS_LIMIT_THREAD && !limit->fifo && a->network->plan->threads)
		snprintf(buffer, PS_LIMIT_TEXT, "its one thread: it blocks, and no concurrency is set");
	else if (limit->kind == PS_LIMIT_ASKED && ps_is_pipeline(a))
		snprintf(buffer, PS_LIMIT_TEXT, "its in_flight, of which its threads carry some at a time");
	else if (limit->fifo)
		snprintf(buffer, PS_LIMIT_TEXT, "%s" PS_CONNECTION, texts[limit->kind],
			PS_CONNECTION_ARGS(limit->fifo));
	else
		snprintf(buffer, PS_LIMIT_TEXT, "%s", texts[limit->kind]);
	return buffer;
}

int ps_concurrency_refuse_device(struct pstk_actor *a, unsigned n)
{
	return ps_network_problem(a->network, -EINVAL,
		"'%s' (%s): %u firings side by side, but it is mapped to '%s', which takes them in turn: set "
		"its "
		"concurrency to 1",
		a->name, a->type.name, n, a->backend->info(a)->selector);
}

void ps_concurrency_check(struct pstk_actor *a)
{
	const struct pstk_fifo *least = shallowest(a);
	uint32_t most = least ? windows_of(a, least) : 0;

	if (a->concurrency <= 1)
		return;
	if (a->backend && !ps_place_mixes(a))
		ps_concurrency_refuse_device(a, a->concurrency);
	else if (least && a->concurrency > most)
		ps_network_problem(a->network, -EINVAL,
			"'%s' (%s): %u firings side by side, but " PS_CONNECTION
			" holds %u window%s: give each of its FIFOs a depth of at least %u, or set the "
			"concurrency to %u",
			a->name, a->type.name, a->concurrency, PS_CONNECTION_ARGS(least), most,
			ps_plural(most), a->concurrency, most);
}
