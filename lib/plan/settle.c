/* SPDX-License-Identifier: MIT */
#include "lib/plan/settle.h"
#include "lib/firing/backend.h"
#include "lib/model/declare.h"
#include "lib/model/error.h"
#include "lib/model/steps.h"
#include "lib/plan/depth.h"
#include "lib/plan/plan.h"
#include "lib/plan/rates.h"
#include "lib/plan/steps_auto.h"

#include <errno.h>

/* Call with net->lock held. Steps that are chosen are chosen for the default depths. */
static void settle_steps(struct pstk_network *net)
{
	for (unsigned i = 0; i < net->actor_count; i++)
		net->actors[i]->steps_auto = 0;
	ps_steps_settle(net);
	if (!(net->flags & PSTK_STEPS_AUTO))
		return;
	ps_depth_reset(net);
	ps_steps_auto(net); /* without memory for that the actors keep one step; the start will fail anyway */
}

/* Before anything asks how FIFOs share memory. */
static void settle_uniform(struct pstk_network *net)
{
	net->is_uniform = true;
	for (unsigned i = 0; i < net->actor_count; i++)
		if (net->actors[i]->type.kahn || net->actors[i]->control_port != PS_NO_PORT)
			net->is_uniform = false;
	for (unsigned i = 0; i < net->fifo_count; i++)
		if (!ps_layout_is_simple(&net->fifos[i]->fifo.layout))
			net->is_uniform = false;
}

void ps_settle_ways(struct pstk_network *net)
{
	for (unsigned i = 0; i < net->fifo_count; i++) {
		struct pstk_fifo *f = net->fifos[i];
		const struct ps_backend *b = ps_backend_of(f);
		uint64_t hops = b && f->crossing != PS_CROSSES_ELSEWHERE ? b->fifo_hops(f) : 0;

		f->fifo.room_before = hops * ps_depth_before(f) * f->fifo.layout.write_rate;
	}
}

void ps_plan_settle(const struct pstk_network *network)
{
	/* a question (const) fills in what was not known yet, and changes nothing that was */
	struct pstk_network *net = (struct pstk_network *)network;

	if (atomic_load_explicit(&net->settled, memory_order_acquire))
		return;
	if (ps_declaring) {
		ps_declaring_wrongly(-EINVAL, "it asks for what follows from it: it may only declare");
		return;
	}
	pthread_mutex_lock(&net->plan->declaring);
	if (!atomic_load(&net->settled)) {
		ps_declare_all(net); /* without net->lock, whatever rates() calls */
		pthread_mutex_lock(&net->lock);
		settle_steps(net);
		settle_uniform(net);
		ps_depth_decide(net);
		ps_settle_ways(net);
		ps_rates_settle(net);
		atomic_store_explicit(&net->settled, true, memory_order_release);
		pthread_mutex_unlock(&net->lock);
	}
	pthread_mutex_unlock(&net->plan->declaring);
}
