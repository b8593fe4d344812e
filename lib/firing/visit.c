/* SPDX-License-Identifier: MIT */
#include "lib/firing/visit.h"
#include "lib/base/memory.h"
#include "lib/firing/firing_error.h"
#include "lib/model/type.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

enum { LINE = 64 }; /* windows and states begin at such addresses, as they do in FIFOs */

struct question_port {
	uint32_t on, valid;
};

/* Behind it the ports, then input windows, then the state. */
struct question {
	uint64_t index, ran;
	uint32_t steps, last, decided, value;
	uint32_t with_state;
	struct question_port ports[];
};

struct answer_port {
	uint32_t state, valid;
};

/* Behind it the ports, then output windows, then the state. */
struct answer {
	int32_t rc;
	uint32_t dropped, last, open;
	char text[PS_TEXT_SIZE], misuse[PS_TEXT_SIZE];
	struct answer_port ports[];
};

static bool reads(const struct pstk_actor *a, unsigned p)
{
	return ps_port_reads(a->type.ports[p].kind);
}

/* false: more bytes than there can be. */
static bool add(size_t *sum, size_t bytes)
{
	return !__builtin_add_overflow(*sum, bytes, sum) && !__builtin_add_overflow(*sum, LINE - 1, sum) &&
	       ((*sum &= ~(size_t)(LINE - 1)), true);
}

int ps_visit_shape_init(struct ps_visit_shape *s, const struct pstk_actor *a)
{
	unsigned ports = a->type.port_count;
	size_t ends[2] = { 0, 0 };
	bool fits = add(&ends[0], sizeof(struct question) + ports * sizeof(struct question_port)) &&
	            add(&ends[1], sizeof(struct answer) + ports * sizeof(struct answer_port));

	s->at = ps_memory_zalloc(ports, sizeof *s->at);
	if (!s->at)
		return -ENOMEM;
	for (unsigned p = 0; p < ports && fits; p++) {
		size_t tokens = (size_t)pstk_actor_port_rate(a, p) + pstk_actor_port_history(a, p), bytes;

		s->at[p] = ends[!reads(a, p)];
		fits = !__builtin_mul_overflow(tokens, pstk_actor_port_token_size(a, p), &bytes) &&
		       (p == a->control_port || add(&ends[!reads(a, p)], bytes));
	}
	for (unsigned i = 0; i < 2 && fits; i++) {
		s->state_at[i] = ends[i];
		fits = add(&ends[i], a->state_size);
	}
	s->question_bytes = ends[0];
	s->answer_bytes = ends[1];
	return fits ? 0 : -EOVERFLOW;
}

void ps_visit_shape_fini(struct ps_visit_shape *s)
{
	ps_memory_free(s->at);
	s->at = NULL;
}

size_t ps_visit_bytes(const struct pstk_actor *a)
{
	struct ps_visit_shape s = { 0 };
	size_t sum;

	if (ps_visit_shape_init(&s, a) || __builtin_add_overflow(s.question_bytes, s.answer_bytes, &sum))
		sum = SIZE_MAX;
	ps_visit_shape_fini(&s);
	return sum;
}

/* With its history. */
static size_t window_bytes(const struct pstk_actor *a, unsigned p)
{
	return ((size_t)a->ports[p].rate + pstk_actor_port_history(a, p)) * pstk_actor_port_token_size(a, p);
}

static bool keeps(const struct pstk_actor *a)
{
	return a->state_size && !a->type.stateless;
}

size_t ps_visit_ask(
	const struct pstk_firing *f, const struct ps_visit_shape *s, bool with_state, void *question)
{
	const struct pstk_actor *a = f->actor;
	struct question *q = question;

	with_state = with_state && keeps(a);
	*q = (struct question){ .index = f->index,
		.ran = f->ran,
		.steps = f->steps,
		.last = f->last,
		.decided = f->decided,
		.value = f->value,
		.with_state = with_state };
	for (unsigned p = 0; p < a->type.port_count; p++) {
		const struct ps_window *w = &f->windows[p];

		q->ports[p] = (struct question_port){ ps_firing_has(f, p), w->valid };
		if (ps_firing_has(f, p) && reads(a, p))
			memcpy((unsigned char *)question + s->at[p], w->data, window_bytes(a, p));
	}
	if (with_state)
		memcpy((unsigned char *)question + s->state_at[0], a->state, a->state_size);
	return with_state ? s->question_bytes : s->state_at[0];
}

void ps_visit_begin(
	struct pstk_firing *f, const struct ps_visit_shape *s, unsigned char *question, unsigned char *answer)
{
	const struct question *q = (const void *)question;
	struct pstk_actor *a = f->actor;

	f->index = q->index;
	f->ran = q->ran;
	f->steps = q->steps;
	f->last = q->last;
	f->decided = q->decided;
	f->value = q->value;
	f->open = 0;
	f->misuse[0] = a->text[0] = 0;
	f->rc = PSTK_AGAIN;
	for (unsigned p = 0; p < a->type.port_count; p++) {
		bool on = q->ports[p].on;

		ps_mask_put(f->own->mask, p, on);
		f->windows[p] = (struct ps_window){ .state = on ? PS_WINDOW_TAKEN : PS_WINDOW_NONE,
			.data = (reads(a, p) ? question : answer) + s->at[p],
			.valid = q->ports[p].valid,
			.reads = reads(a, p) };
		f->open += on;
	}
	ps_decision_list(f->own, a, NULL, 0);
	f->on = f->own;
	if (q->with_state)
		memcpy(a->state, question + s->state_at[0], a->state_size);
}

size_t ps_visit_answer(
	const struct pstk_firing *f, const struct ps_visit_shape *s, bool dropped, void *answer)
{
	const struct pstk_actor *a = f->actor;
	struct answer *to = answer;

	to->rc = f->rc;
	to->dropped = dropped;
	to->last = f->last;
	to->open = f->open;
	snprintf(to->text, sizeof to->text, "%s", a->text);
	snprintf(to->misuse, sizeof to->misuse, "%s", f->misuse);
	for (unsigned p = 0; p < a->type.port_count; p++)
		to->ports[p] = (struct answer_port){ f->windows[p].state, f->windows[p].valid };
	if (!keeps(a))
		return s->state_at[1];
	memcpy((unsigned char *)answer + s->state_at[1], a->state, a->state_size);
	return s->answer_bytes;
}

int ps_visit_accept(
	struct pstk_firing *f, const struct ps_visit_shape *s, const unsigned char *answer, bool *dropped)
{
	const struct answer *from = (const void *)answer;
	struct pstk_actor *a = f->actor;

	*dropped = from->dropped;
	if (from->dropped)
		return PSTK_AGAIN;
	f->last = from->last;
	f->open = from->open;
	ps_firing_set_misuse(f, from->misuse);
	snprintf(a->text, sizeof a->text, "%s", from->text);
	for (unsigned p = 0; p < a->type.port_count; p++) {
		struct ps_window *w = &f->windows[p];

		if (!ps_firing_has(f, p))
			continue;
		w->state = (unsigned char)from->ports[p].state;
		w->valid = from->ports[p].valid <= a->ports[p].rate ? from->ports[p].valid : a->ports[p].rate;
		if (!reads(a, p) && w->state == PS_WINDOW_ENDED)
			memcpy(w->data, answer + s->at[p], w->valid * pstk_actor_port_token_size(a, p));
	}
	if (keeps(a))
		memcpy(a->state, answer + s->state_at[1], a->state_size);
	return from->rc;
}
