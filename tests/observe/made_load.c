/* SPDX-License-Identifier: MIT */
#include "tests/observe/made_load.h"
#include "tests/common/common.h"

#include <string.h>

void made_load(struct ps_load *load, const struct pstk_network *net)
{
	ck_assert_int_eq(ps_load_measure(load, net), 0);
	load->seconds = 10;
	load->looks = 1000;
	load->cores_there = 4;
	load->threads = load->cores = 0;
	for (unsigned i = 0; i < net->actor_count; i++)
		load->actors[i] = (struct ps_actor_load){ .actor = net->actors[i],
			.firings = 100,
			.limit = load->actors[i].limit,
			.selector = load->actors[i].selector };
	for (unsigned i = 0; i < net->fifo_count; i++)
		load->fifos[i] = (struct ps_fifo_load){ .fill = 0.5 };
}

static const struct pstk_actor *find(const struct ps_load *load, const char *name)
{
	const struct pstk_actor *a = NULL;

	for (unsigned i = 0; i < load->net->actor_count; i++)
		if (!strcmp(load->net->actors[i]->name, name))
			a = load->net->actors[i];
	ck_assert_ptr_nonnull(a);
	return a;
}

void made_load_busy(struct ps_load *load, const char *actor, double busy, double cores)
{
	struct ps_actor_load *l = &load->actors[find(load, actor)->index];

	l->busy = l->load = busy;
	l->threads = busy * l->limit.firings;
	l->cores = cores;
	load->threads += l->threads;
	load->cores += cores;
}

void made_load_waits(struct ps_load *load, const char *reader, double writer_waits, double reader_waits)
{
	const struct pstk_actor *a = find(load, reader);

	load->fifos[a->ports[0].fifo->index].writer_waits = writer_waits;
	load->fifos[a->ports[0].fifo->index].reader_waits = reader_waits;
}

void made_load_expect(struct ps_load *load, enum pstk_cause_kind kind, double gain, const char *evidence,
	const char *advice)
{
	struct pstk_cause found[PS_CAUSES_MOST];

	ck_assert_uint_ge(ps_causes_find(load, found), 1);
	ck_assert_str_eq(found[0].evidence, evidence);
	ck_assert_int_eq(found[0].kind, kind);
	ck_assert_str_eq(found[0].advice, advice);
	ck_assert_double_eq_tol(found[0].gain, gain, 0.005);
	ps_load_free(load);
}
