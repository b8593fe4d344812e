/* SPDX-License-Identifier: MIT */
#include "lib/remote/letters.h"
#include "lib/remote/fault.h"

#include <errno.h>

static bool has_failed(const struct ps_remote *r, const struct ps_letters *l)
{
	return r->broken || atomic_load(&r->peers[l->rank].failed);
}

static int post_receive(struct ps_remote *r, struct ps_letters *l)
{
	int err = r->transport->receive(r->transport->self, l->index + 1, 0, l->in, l->in_most);

	l->posted = !err;
	return err;
}

int ps_letters_begin(struct ps_remote *r)
{
	int err = 0;

	for (uint32_t i = 0; i < r->letter_count && !err; i++)
		if (!r->letters[i]->asks)
			err = post_receive(r, r->letters[i]);
	return err;
}

/* The receive of what comes back goes first. */
static void send_letter(struct ps_remote *r, struct ps_letters *l)
{
	size_t size = l->size;

	atomic_store(&l->wants, false);
	if (post_receive(r, l)) {
		ps_fault_rank(r, l->rank, "letters %u: no receive: %s", l->number, ps_fault_cause(r));
		return;
	}
	l->goes = true;
	if (!r->transport->send(r->transport->self, l->index, 0, l->out, size))
		return;
	l->goes = false;
	ps_fault_rank(r, l->rank, "letters %u: one can't be sent: %s", l->number, ps_fault_cause(r));
}

/* Nothing will come there. What can't be cancelled counts as cancelled: the transport is closed next. */
static void cancel(struct ps_remote *r, struct ps_letters *l)
{
	l->cancels = true;
	if (r->broken || r->transport->cancel(r->transport->self, l->index + 1))
		l->posted = false;
}

bool ps_letters_pump(struct ps_remote *r)
{
	bool moved = false;

	for (uint32_t i = 0; i < r->letter_count; i++) {
		struct ps_letters *l = r->letters[i];

		if (l->posted && !l->cancels && (r->settled || has_failed(r, l))) {
			cancel(r, l);
			moved = true;
		}
		if (!atomic_load(&l->wants) || (l->asks && !l->ready) || has_failed(r, l))
			continue;
		send_letter(r, l);
		moved = true;
	}
	return moved;
}

/* Both buffers are the caller's. */
static void deliver(struct ps_remote *r, struct ps_letters *l)
{
	l->came = false;
	atomic_store(&l->awaits, false);
	r->calls.letter(r->calls.user, l->user, l->bytes);
}

void ps_letters_through(
	struct ps_remote *r, struct ps_letters *l, unsigned which, const struct pstk_transport_done *done)
{
	if (which)
		l->posted = false;
	else
		l->goes = false;
	if (done->err == -ECANCELED || has_failed(r, l))
		return;
	if (done->err) {
		ps_fault_rank(r, l->rank, "letters %u: one was lost: %s", l->number, ps_fault_cause(r));
		return;
	}
	if (which) {
		l->came = true;
		l->bytes = done->bytes;
	}
	if (l->came && !l->goes)
		deliver(r, l);
}

bool ps_letters_hear(struct ps_remote *r, uint32_t rank, uint32_t number)
{
	for (uint32_t i = 0; i < r->letter_count; i++) {
		struct ps_letters *l = r->letters[i];

		if (l->rank != rank || l->number != number || !l->asks)
			continue;
		l->ready = true;
		return true;
	}
	return false;
}

bool ps_letters_wait(const struct ps_remote *r)
{
	for (uint32_t i = 0; i < r->letter_count; i++)
		if (r->letters[i]->asks && atomic_load(&r->letters[i]->awaits) &&
			!has_failed(r, r->letters[i]))
			return true;
	return false;
}

bool ps_letters_have_ended(const struct ps_remote *r)
{
	for (uint32_t i = 0; i < r->letter_count; i++) {
		const struct ps_letters *l = r->letters[i];

		if (!r->broken && (l->posted || (l->goes && !has_failed(r, l))))
			return false;
	}
	return true;
}
