/* SPDX-License-Identifier: MIT */
#include "lib/mapping/flow.h"
#include "lib/base/memory.h"

#include <errno.h>
#include <stdlib.h>

int ps_flow_init(struct ps_flow *f, const struct pstk_machine *machine, unsigned actors, unsigned outputs,
	unsigned readers)
{
	*f = (struct ps_flow){ .machine = machine,
		.core_depth = 2,
		.actors = ps_memory_zalloc(actors, sizeof *f->actors),
		.outputs = ps_memory_zalloc(outputs, sizeof *f->outputs),
		.readers = ps_memory_zalloc(readers, sizeof *f->readers),
		.inputs = ps_memory_zalloc(readers, sizeof *f->inputs),
		.input_start = ps_memory_zalloc((size_t)actors + 1, sizeof *f->input_start),
		.output_start = ps_memory_zalloc((size_t)actors + 1, sizeof *f->output_start) };
	return f->actors && f->outputs && f->readers && f->inputs && f->input_start && f->output_start
	               ? 0
	               : -ENOMEM;
}

void ps_flow_fini(struct ps_flow *f)
{
	ps_memory_free(f->actors);
	ps_memory_free(f->outputs);
	ps_memory_free(f->readers);
	ps_memory_free(f->inputs);
	ps_memory_free(f->input_start);
	ps_memory_free(f->output_start);
}

void ps_flow_add_actor(struct ps_flow *f, const char *name, unsigned place, double seconds)
{
	f->actors[f->actor_count++] = (struct ps_flow_actor){ name, place, seconds };
}

void ps_flow_add_output(struct ps_flow *f, unsigned writer, size_t bytes)
{
	f->outputs[f->output_count++] = (struct ps_flow_output){
		.writer = writer, .bytes = bytes, .windows = 1, .merges = true, .first = f->reader_count
	};
}

void ps_flow_add_reader(struct ps_flow *f, unsigned actor, uint64_t delay)
{
	unsigned output = f->output_count - 1;
	size_t bytes = f->outputs[output].bytes;

	f->readers[f->reader_count] = (struct ps_flow_reader){ .output = output,
		.actor = actor,
		.place = f->actors[actor].place,
		.order = f->reader_count,
		.bytes = bytes,
		.windows = 1,
		.delay = delay,
		.delay_bytes = delay * bytes };
	f->reader_count++;
	f->outputs[output].count++;
}

/* Sorts the readers of one actor: it has few inputs, or they are in order already. */
static void sort_inputs(struct ps_flow *f, unsigned from, unsigned until)
{
	for (unsigned i = from + 1; i < until; i++) {
		unsigned reader = f->inputs[i], j = i;

		for (; j > from && f->readers[f->inputs[j - 1]].order > f->readers[reader].order; j--)
			f->inputs[j] = f->inputs[j - 1];
		f->inputs[j] = reader;
	}
}

/* Numbers how many belong to each actor become where those of each begin. */
static void sum_up(unsigned *start, unsigned count)
{
	unsigned sum = 0;

	for (unsigned i = 0; i <= count; i++) {
		unsigned own = start[i];

		start[i] = sum;
		sum += own;
	}
}

void ps_flow_index(struct ps_flow *f)
{
	for (unsigned i = 0; i < f->reader_count; i++)
		f->input_start[f->readers[i].actor]++;
	for (unsigned i = 0; i < f->output_count; i++)
		f->output_start[f->outputs[i].writer]++;
	sum_up(f->input_start, f->actor_count);
	sum_up(f->output_start, f->actor_count);
	/* each start moves to its end, which is where the next one begins */
	for (unsigned i = 0; i < f->reader_count; i++)
		f->inputs[f->input_start[f->readers[i].actor]++] = i;
	for (unsigned i = f->actor_count; i > 0; i--)
		f->input_start[i] = f->input_start[i - 1];
	f->input_start[0] = 0;
	for (unsigned i = 0; i < f->actor_count; i++)
		sort_inputs(f, f->input_start[i], f->input_start[i + 1]);
}
