/* SPDX-License-Identifier: MIT */
#include "lib/observe/arrivals.h"
#include "lib/base/memory.h"
#include "lib/firing/arrival.h"
#include "lib/model/adopted.h"
#include "lib/model/error.h"
#include "lib/observe/watch.h"
#include "lib/plan/rates.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>

int pstk_network_note_arrivals(struct pstk_network *net)
{
	int err = ps_network_building(net, __func__);

	if (!err)
		net->watch->notes_arrivals = true;
	return err;
}

/* Where rates do not fit together there are no iterations, and so no cycles. */
int ps_arrivals_prepare(struct pstk_network *net)
{
	uint64_t *repetitions;
	int err;

	if (!net->watch->notes_arrivals)
		return 0;
	repetitions = ps_memory_zalloc(net->actor_count, sizeof *repetitions);
	err = repetitions ? ps_rates_repetitions(net, repetitions) : -ENOMEM;
	if (!err)
		err = ps_arrival_create(net, repetitions);
	else
		ps_memory_free(repetitions);
	return err == -ENOMEM
	               ? ps_network_fail(net, err, "network '%s': no memory to count cycles", net->name)
	               : 0;
}

int pstk_fifo_get_arrival(const struct pstk_fifo *f, struct pstk_arrival *arrival)
{
	const struct ps_adopted_fifo *adopted;

	if (!f || !arrival)
		return -EINVAL;
	adopted = ps_adopted_fifo(f);
	*arrival = (struct pstk_arrival){ .planned = f->planned ? f->planned - 1 : PSTK_NO_CYCLE,
		.came = PSTK_NO_CYCLE };
	/* what start() makes it has made by then */
	if (adopted)
		arrival->came = adopted->came;
	else if (atomic_load(&f->src->network->watch->sampling.began) && f->arrival)
		arrival->came = atomic_load(&f->arrival->cycle);
	return 0;
}

static void print_cycle(uint64_t cycle, FILE *out)
{
	if (cycle == PSTK_NO_CYCLE)
		fprintf(out, "  %7s", "-");
	else
		fprintf(out, "  %7" PRIu64, cycle);
}

int pstk_network_print_arrivals(const struct pstk_network *net, FILE *out)
{
	if (!net || !out)
		return -EINVAL;
	flockfile(out);
	fprintf(out, "network '%s': cycle of each input's first window\n  planned     came\n", net->name);
	for (unsigned i = 0; i < net->fifo_count; i++) {
		const struct pstk_fifo *f = net->fifos[i];
		struct pstk_arrival arrival;

		pstk_fifo_get_arrival(f, &arrival);
		print_cycle(arrival.planned, out);
		print_cycle(arrival.came, out);
		fprintf(out, "  %s.%s from %s.%s\n", f->dst->name, f->dst->type.ports[f->dst_port].name,
			f->src->name, f->src->type.ports[f->src_port].name);
	}
	funlockfile(out);
	return fflush(out) || ferror(out) ? -EIO : 0;
}
