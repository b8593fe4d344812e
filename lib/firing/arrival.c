/* SPDX-License-Identifier: MIT */
#include "lib/firing/arrival.h"
#include "lib/base/memory.h"

#include <errno.h>

static _Atomic(struct ps_arrivals *) staying;

/* From one actor to all behind it that have no source yet. */
static void flood(const struct pstk_network *net, unsigned from, const struct pstk_actor **source,
	const struct pstk_actor **stack)
{
	unsigned count = 0;

	source[from] = net->actors[from];
	stack[count++] = net->actors[from];
	while (count) {
		const struct pstk_actor *a = stack[--count];

		for (unsigned p = 0; p < a->type.port_count; p++)
			for (const struct pstk_fifo *f = a->ports[p].reads ? NULL : a->ports[p].fifo; f;
				f = f->next) {
				if (source[f->dst->index] || ps_actor_away(f->dst))
					continue;
				source[f->dst->index] = source[from];
				stack[count++] = f->dst;
			}
	}
}

static void begin(struct pstk_fifo *f, struct ps_arrivals *of, const struct pstk_actor *source)
{
	int64_t first = ps_layout_written_by(&f->fifo.layout, 0);
	struct ps_arrival *a = &of->inputs[f->index];

	*a = (struct ps_arrival){ .of = of,
		.source = source->index,
		.first = first < 0 ? 0 : (uint64_t)first,
		.cycle = first < 0 ? 0 : PSTK_NO_CYCLE };
	f->arrival = a;
}

static int create_parts(struct pstk_network *net, struct ps_arrivals *of)
{
	unsigned count = net->actor_count;
	const struct pstk_actor **source = ps_memory_zalloc(count, sizeof(*source)),
				**stack = ps_memory_zalloc(count, sizeof(*stack));
	bool there;

	of->through = ps_memory_zalloc(count, sizeof *of->through);
	of->inputs = ps_memory_zalloc(net->fifo_count, sizeof *of->inputs);
	there = source && stack && of->through && of->inputs;
	for (unsigned i = 0; i < count && there; i++)
		if (net->actors[i]->is_source && !ps_actor_away(net->actors[i]) && !source[i])
			flood(net, i, source, stack);
	for (unsigned i = 0; i < net->fifo_count && there; i++) {
		const struct pstk_actor *from = source[net->fifos[i]->src->index];

		if (from && !from->type.kahn)
			begin(net->fifos[i], of, from);
	}
	for (unsigned i = 0; i < net->task_count && there; i++) {
		net->tasks[i]->arrivals = of;
		net->tasks[i]->followed = true;
	}
	ps_memory_free((void *)source);
	ps_memory_free((void *)stack);
	return there ? 0 : -ENOMEM;
}

int ps_arrival_create(struct pstk_network *net, uint64_t *repetitions)
{
	net->arrivals = ps_memory_zalloc(1, sizeof *net->arrivals);
	if (!net->arrivals) {
		ps_memory_free(repetitions);
		return -ENOMEM;
	}
	net->arrivals->repetitions = repetitions;
	return create_parts(net, net->arrivals);
}

void ps_arrival_free(struct pstk_network *net)
{
	struct ps_arrivals *of = net->arrivals;

	net->arrivals = NULL;
	if (!of)
		return;
	if (atomic_load(&of->awaited)) {
		of->next = atomic_load(&staying);
		while (!atomic_compare_exchange_weak(&staying, &of->next, of))
			;
		return;
	}
	ps_memory_free(of->repetitions);
	ps_memory_free(of->through);
	ps_memory_free(of->inputs);
	ps_memory_free(of);
}

void ps_arrival_came(struct ps_arrival *a)
{
	uint64_t none = PSTK_NO_CYCLE, through = atomic_load(&a->of->through[a->source]);

	atomic_compare_exchange_strong(&a->cycle, &none, through / a->of->repetitions[a->source]);
}

void ps_arrival_publish(const struct pstk_firing *firing)
{
	const struct pstk_actor *a = firing->actor;
	struct ps_arrivals *of = firing->task->arrivals;

	for (unsigned p = 0; p < a->type.port_count; p++) {
		bool writes = !a->ports[p].reads && firing->windows[p].state == PS_WINDOW_ENDED &&
		              firing->windows[p].valid;

		for (struct pstk_fifo *f = writes ? a->ports[p].fifo : NULL; f; f = f->next)
			if (f->arrival && !f->cl && f->arrival->writes++ == f->arrival->first)
				ps_arrival_came(f->arrival);
	}
	if (a->is_source)
		atomic_fetch_add(&of->through[a->index], 1);
}

void ps_arrival_await(struct ps_arrival *a)
{
	atomic_fetch_add(&a->of->awaited, 1);
}

void ps_arrival_done(struct ps_arrival *a)
{
	atomic_fetch_sub(&a->of->awaited, 1);
}
