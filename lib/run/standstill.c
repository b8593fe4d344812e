/* SPDX-License-Identifier: MIT */
#include "lib/run/standstill.h"
#include "lib/base/memory.h"

#include <errno.h>

/* What rank 0 keeps of each rank. */
struct ps_standstill_rank {
	struct ps_standstill_report report; /* known: the latest */
	bool known;                         /* it stood still then */
	bool to_ask, answered;              /* in this round */
};

int ps_standstill_init(struct ps_standstill *s, uint32_t rank, uint32_t ranks)
{
	*s = (struct ps_standstill){ .rank = rank, .ranks = ranks };
	s->of = rank ? NULL : ps_memory_zalloc(ranks, sizeof *s->of);
	return rank || s->of ? 0 : -ENOMEM;
}

void ps_standstill_fini(struct ps_standstill *s)
{
	ps_memory_free(s->of);
	s->of = NULL;
}

/*
 * Of each rank.
 */

bool ps_standstill_wants(const struct ps_standstill *s, uint64_t activity)
{
	return !s->pending && (s->owes || !s->told || s->message.report.activity != activity);
}

void ps_standstill_look(struct ps_standstill *s, const struct ps_standstill_report *report)
{
	/* what was not told is found again, by the next look */
	s->told = report->still;
	if (!report->still && !s->owes)
		return;
	s->message = (struct ps_standstill_message){ .report = *report, .round = s->owes };
	s->owes = 0;
	s->pending = s->rank != 0;
	if (!s->rank)
		ps_standstill_hear(s, 0, &s->message);
}

const struct ps_standstill_message *ps_standstill_pending(const struct ps_standstill *s)
{
	return s->pending ? &s->message : NULL;
}

void ps_standstill_told(struct ps_standstill *s)
{
	s->pending = false;
}

void ps_standstill_asked(struct ps_standstill *s, uint64_t round)
{
	s->owes = round;
}

/*
 * Rank 0.
 */

static bool is_same(const struct ps_standstill_report *a, const struct ps_standstill_report *b)
{
	return a->activity == b->activity && a->sent == b->sent && a->come == b->come &&
	       a->granted == b->granted && a->credits == b->credits && a->waiting == b->waiting;
}

/* Do all stand still, some with actors that wait, and is nothing on its way? As far as the reports say, which are of
 * different moments. */
static bool may_be_dead(const struct ps_standstill *s)
{
	struct ps_standstill_report sum = { 0 };

	for (uint32_t i = 0; i < s->ranks; i++) {
		const struct ps_standstill_report *r = &s->of[i].report;

		if (!s->of[i].known)
			return false;
		sum.sent += r->sent;
		sum.come += r->come;
		sum.granted += r->granted;
		sum.credits += r->credits;
		sum.waiting |= r->waiting;
	}
	return sum.waiting && sum.sent == sum.come && sum.granted == sum.credits;
}

static bool have_answered(const struct ps_standstill *s)
{
	for (uint32_t i = 0; i < s->ranks; i++)
		if (!s->of[i].answered)
			return false;
	return true;
}

static void ask_all(struct ps_standstill *s)
{
	s->round++;
	for (uint32_t i = 0; i < s->ranks; i++) {
		s->of[i].answered = false;
		s->of[i].to_ask = i != s->rank;
	}
	ps_standstill_asked(s, s->round);
}

void ps_standstill_hear(struct ps_standstill *s, uint32_t rank, const struct ps_standstill_message *m)
{
	struct ps_standstill_rank *r = &s->of[rank];
	bool same = r->known && m->report.still && is_same(&r->report, &m->report);

	if (s->dead)
		return;
	if (!same)
		s->asking = false;
	else if (s->asking && m->round == s->round)
		r->answered = true;
	r->known = m->report.still;
	r->report = m->report;
	if (s->asking)
		s->dead = have_answered(s);
	else if (may_be_dead(s)) {
		s->asking = true;
		ask_all(s);
	}
}

uint64_t ps_standstill_to_ask(const struct ps_standstill *s, uint32_t rank)
{
	return s->of[rank].to_ask ? s->round : 0;
}

void ps_standstill_ask(struct ps_standstill *s, uint32_t rank)
{
	s->of[rank].to_ask = false;
}

bool ps_standstill_dead(const struct ps_standstill *s)
{
	return s->dead;
}

void ps_standstill_forget(struct ps_standstill *s)
{
	s->dead = s->asking = false;
	for (uint32_t i = 0; i < s->ranks; i++)
		s->of[i].known = false;
	ask_all(s); /* each thinks that what it has told is known */
}
