/* SPDX-License-Identifier: MIT */
#include "lib/remote/control.h"
#include "lib/remote/fault.h"
#include "lib/remote/letters.h"
#include "lib/remote/receiving.h"
#include "lib/remote/sending.h"

#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

static const uint32_t slots_of[PS_PEER_CHANNELS] = { PS_CONTROL_SLOTS, PS_CONTROL_SLOTS, PS_CONTROL_ACKS,
	PS_CONTROL_ACKS };

static uint32_t next_slot(const struct ps_peer *p, enum ps_peer_channel which)
{
	return (uint32_t)(p->posted[which] % slots_of[which]);
}

static int post_receive(struct ps_remote *r, struct ps_peer *p, enum ps_peer_channel which)
{
	uint32_t slot = next_slot(p, which);
	bool ack = which == PS_PEER_HEARS_ACKS;
	int err = r->transport->receive(r->transport->self, p->index + which, slot, &p->in[ack ? 0 : slot],
		ack ? 0 : sizeof p->in[slot]);

	if (!err)
		p->posted[which]++;
	return err;
}

int ps_control_begin(struct ps_remote *r, struct ps_peer *p)
{
	int err = 0;

	for (uint32_t i = 0; i < PS_CONTROL_ACKS && !err; i++)
		err = post_receive(r, p, PS_PEER_HEARS_ACKS);
	for (uint32_t i = 0; i < PS_CONTROL_SLOTS && !err; i++)
		err = post_receive(r, p, PS_PEER_HEARS);
	return err;
}

static bool is_posted(const struct ps_peer *p, enum ps_peer_channel which)
{
	return p->posted[which] > p->through[which] + p->cancelled[which];
}

static bool send_message(
	struct ps_remote *r, struct ps_peer *p, enum ps_peer_channel which, const void *bytes, size_t size)
{
	if (r->transport->send(r->transport->self, p->index + which, next_slot(p, which), bytes, size)) {
		ps_fault_rank(r, p->rank, "a control message can't be sent: %s", ps_fault_cause(r));
		return false;
	}
	p->posted[which]++;
	return true;
}

/* Is there anything new of this channel? Then it is in the entry, and it counts as said. */
static bool put_entry(struct ps_channel *c, struct ps_control_message *m)
{
	enum ps_control_what what;
	uint64_t total = c->posted;

	if (c->sends && c->tells_last) {
		c->tells_last = false;
		what = PS_CONTROL_LAST;
	} else if (!c->sends && c->told < c->posted) {
		c->told = c->posted;
		what = PS_CONTROL_CREDITS;
	} else if (!c->sends && c->unwanted && !c->told_unwanted) {
		c->told_unwanted = true;
		what = PS_CONTROL_UNWANTED;
	} else {
		return false;
	}
	m->entry[m->entries].what = what;
	m->entry[m->entries].number = c->number;
	m->entry[m->entries].total = total;
	m->entries++;
	return true;
}

/* The receives of letters that this rank answers are posted. Each is said once. */
static void put_letters(struct ps_remote *r, const struct ps_peer *p, struct ps_control_message *m)
{
	for (uint32_t i = 0; i < r->letter_count && m->entries < PS_CONTROL_ENTRIES; i++) {
		struct ps_letters *l = r->letters[i];

		if (l->asks || l->told_ready || l->rank != p->rank)
			continue;
		l->told_ready = true;
		m->entry[m->entries].what = PS_CONTROL_READY;
		m->entry[m->entries].number = l->number;
		m->entry[m->entries].total = 0;
		m->entries++;
	}
}

/* Goes round the channels, from message to message, so that none is left out when all have news. */
static void put_entries(struct ps_remote *r, struct ps_peer *p, struct ps_control_message *m)
{
	for (uint32_t i = 0; i < r->count && m->entries < PS_CONTROL_ENTRIES; i++) {
		struct ps_channel *c = &r->channels[p->next];

		while (c->rank == p->rank && m->entries < PS_CONTROL_ENTRIES && put_entry(c, m))
			;
		if (m->entries < PS_CONTROL_ENTRIES)
			p->next = (p->next + 1) % r->count;
	}
}

static void put_abort(const struct ps_remote *r, struct ps_control_message *m)
{
	int32_t err = r->abort.err;
	size_t length = strlen(r->abort.text);

	m->flags |= PS_CONTROL_ABORT;
	m->kind = r->abort.origin;
	m->size = (uint32_t)(sizeof err + length);
	memcpy(m->user, &err, sizeof err);
	memcpy(m->user + sizeof err, r->abort.text, length);
}

/* The oldest message of the user that waits. */
static void put_user(struct ps_peer *p, struct ps_control_message *m)
{
	const struct ps_waiting *w = &p->waiting[p->first];

	m->flags |= PS_CONTROL_USER;
	m->kind = w->kind;
	m->size = w->size;
	memcpy(m->user, w->bytes, w->size);
	p->first = (p->first + 1) % PS_REMOTE_WAITING;
	p->count--;
}

/* An abort, else a message of the user. last: if there is none, none may come any more. */
static void put_rest(
	struct ps_remote *r, struct ps_peer *p, struct ps_control_message *m, enum ps_control_end end)
{
	pthread_mutex_lock(&r->lock);
	if (!p->told_abort && atomic_load(&r->aborts)) {
		p->told_abort = true;
		put_abort(r, m);
	} else if (p->count) {
		put_user(p, m);
	} else if (end == PS_CONTROL_ENDS && m->entries < PS_CONTROL_ENTRIES) { /* else more may follow */
		p->deaf = true;
		m->flags |= PS_CONTROL_BYE;
	}
	/* behind all that was told before it */
	if (!p->told_done && end != PS_CONTROL_GOES_ON && !p->count) {
		p->told_done = true;
		m->flags |= PS_CONTROL_DONE;
	}
	pthread_mutex_unlock(&r->lock);
	if (!p->told_stop && atomic_load(&r->stops)) {
		p->told_stop = true;
		m->flags |= PS_CONTROL_STOP;
	}
}

/* Is there more than what the entries say, which goes to the end of the message? */
static bool is_long(const struct ps_control_message *m)
{
	return m->flags & (PS_CONTROL_USER | PS_CONTROL_ABORT);
}

/* The message that goes next, if there is anything to say. */
static bool say(struct ps_remote *r, struct ps_peer *p, enum ps_control_end end)
{
	struct ps_control_message *m = &p->out[next_slot(p, PS_PEER_SAYS)];
	size_t size;

	m->entries = m->flags = m->kind = m->size = 0;
	put_letters(r, p, m);
	put_entries(r, p, m);
	put_rest(r, p, m, end);
	if (!m->entries && !m->flags && p->quiet < PS_CONTROL_QUIET_NS)
		return false;
	size = is_long(m) ? sizeof *m : offsetof(struct ps_control_message, entry[m->entries]);
	if (!send_message(r, p, PS_PEER_SAYS, m, size))
		return false;
	r->busy = r->busy || m->entries || m->flags;
	p->quiet = 0;
	if (m->flags & PS_CONTROL_BYE) {
		p->says_bye = true;
		p->silent = 0;
	}
	return true;
}

/* May a message go: is its receive posted, and is its slot free here? */
static bool may_say(const struct ps_peer *p)
{
	uint64_t n = p->posted[PS_PEER_SAYS];

	return !p->says_bye && n - p->through[PS_PEER_SAYS] < PS_CONTROL_SLOTS &&
	       n < PS_CONTROL_SLOTS + p->through[PS_PEER_HEARS_ACKS] * PS_CONTROL_BATCH;
}

static bool acknowledge(struct ps_remote *r, struct ps_peer *p)
{
	uint64_t n = p->posted[PS_PEER_SAYS_ACKS];

	return n < p->through[PS_PEER_HEARS] / PS_CONTROL_BATCH &&
	       n - p->through[PS_PEER_SAYS_ACKS] < PS_CONTROL_ACKS &&
	       send_message(r, p, PS_PEER_SAYS_ACKS, p, 0);
}

/* Has everything gone, and come, that will? */
static bool is_through(const struct ps_peer *p)
{
	return p->says_bye && p->heard_bye && !is_posted(p, PS_PEER_SAYS) &&
	       !is_posted(p, PS_PEER_SAYS_ACKS) &&
	       p->posted[PS_PEER_SAYS_ACKS] == p->through[PS_PEER_HEARS] / PS_CONTROL_BATCH &&
	       p->through[PS_PEER_HEARS_ACKS] == p->posted[PS_PEER_SAYS] / PS_CONTROL_BATCH;
}

/* Ends the receives. What can't be cancelled counts as cancelled: the transport is closed next. */
static void cancel(struct ps_remote *r, struct ps_peer *p)
{
	static const enum ps_peer_channel receives[] = { PS_PEER_HEARS, PS_PEER_HEARS_ACKS };

	p->cancels = true;
	for (unsigned i = 0; i < 2; i++)
		if (is_posted(p, receives[i]) &&
			(r->broken || r->transport->cancel(r->transport->self, p->index + receives[i])))
			p->cancelled[receives[i]] = p->posted[receives[i]] - p->through[receives[i]];
}

bool ps_control_pump(struct ps_remote *r, struct ps_peer *p, enum ps_control_end end)
{
	bool moved = false;

	if (!p->cancels && (atomic_load(&p->failed) || is_through(p))) {
		cancel(r, p);
		return true;
	}
	while (!p->cancels && !atomic_load(&p->failed) && acknowledge(r, p))
		moved = true;
	while (!p->cancels && !atomic_load(&p->failed) && may_say(p) && say(r, p, end))
		moved = true;
	return moved;
}

static bool hear_entry(struct ps_remote *r, struct ps_peer *p, const struct ps_control_message *m, uint32_t i)
{
	uint32_t what = m->entry[i].what;
	bool sends = what != PS_CONTROL_LAST; /* here */

	if (what >= PS_CONTROL_WHATS)
		return false;
	if (what == PS_CONTROL_READY)
		return ps_letters_hear(r, p->rank, m->entry[i].number);
	for (uint32_t n = 0; n < r->count; n++) {
		struct ps_channel *c = &r->channels[n];

		if (c->rank == p->rank && c->number == m->entry[i].number && c->sends == sends)
			return (sends ? ps_sending_hear : ps_receiving_hear)(c, what, m->entry[i].total);
	}
	return false;
}

static bool is_sane(const struct ps_peer *p, const struct ps_control_message *m, uint64_t bytes)
{
	size_t head = offsetof(struct ps_control_message, entry);

	if (bytes < head || p->heard_bye || m->entries > PS_CONTROL_ENTRIES || m->size > PS_REMOTE_MESSAGE)
		return false;
	if (m->flags & PS_CONTROL_ABORT && m->size < sizeof(int32_t))
		return false;
	return bytes == (is_long(m) ? sizeof *m : head + m->entries * sizeof m->entry[0]);
}

static void hear_abort(struct ps_remote *r, const struct ps_control_message *m)
{
	char text[PS_REMOTE_TEXT + 1];
	int32_t err;

	memcpy(&err, m->user, sizeof err);
	snprintf(text, sizeof text, "%.*s", (int)(m->size - sizeof err), (const char *)m->user + sizeof err);
	if (ps_remote_keep_abort(r, m->kind, err, text) && r->calls.aborted)
		r->calls.aborted(r->calls.user, m->kind, err, text);
}

/* What a message says besides its entries, but for an abort. */
static void hear_rest(struct ps_remote *r, struct ps_peer *p, const struct ps_control_message *m)
{
	if (m->flags & PS_CONTROL_STOP && r->calls.stopped)
		r->calls.stopped(r->calls.user, p->rank);
	if (m->flags & PS_CONTROL_USER && r->calls.message)
		r->calls.message(r->calls.user, p->rank, m->kind, m->user, m->size);
	if (m->flags & PS_CONTROL_DONE)
		p->heard_done = true;
	p->heard_bye = m->flags & PS_CONTROL_BYE;
}

static void hear(struct ps_remote *r, struct ps_peer *p, uint64_t bytes)
{
	const struct ps_control_message *m = &p->in[(p->through[PS_PEER_HEARS] - 1) % PS_CONTROL_SLOTS];
	bool sane = is_sane(p, m, bytes);

	r->busy = r->busy || m->entries || m->flags;
	if (sane && m->flags & PS_CONTROL_ABORT) /* first: what ends behind it is no end of a stream */
		hear_abort(r, m);
	for (uint32_t i = 0; sane && i < m->entries; i++)
		sane = hear_entry(r, p, m, i);
	if (!sane) {
		ps_fault_rank(r, p->rank,
			"control message %llu makes no sense: another version of the library?",
			(unsigned long long)p->through[PS_PEER_HEARS]);
		return;
	}
	hear_rest(r, p, m);
	if (post_receive(r, p, PS_PEER_HEARS))
		ps_fault_rank(r, p->rank, "no receive for control messages: %s", ps_fault_cause(r));
}

void ps_control_through(struct ps_remote *r, struct ps_peer *p, enum ps_peer_channel which,
	const struct pstk_transport_done *done)
{
	/* of a rank that has failed a receive may have come before it was cancelled */
	if (done->err == -ECANCELED || atomic_load(&p->failed)) {
		p->cancelled[which]++;
		return;
	}
	if (done->err) {
		p->cancelled[which]++;
		ps_fault_rank(r, p->rank, "a control message was lost: %s", ps_fault_cause(r));
		return;
	}
	p->through[which]++;
	if (which == PS_PEER_HEARS)
		hear(r, p, done->bytes);
	else if (which == PS_PEER_HEARS_ACKS && post_receive(r, p, which))
		ps_fault_rank(r, p->rank, "no receive for acknowledgements: %s", ps_fault_cause(r));
}

void ps_control_heard(struct ps_peer *p)
{
	p->began = true;
	p->silent = 0;
}

void ps_control_wait(struct ps_remote *r, struct ps_peer *p, uint64_t ns)
{
	p->quiet += ns;
	if (!p->began)
		return;
	/* After its last word a rank only acknowledges. That is missed when it stops messages from going. */
	if (p->heard_bye && !p->says_bye && may_say(p))
		return;
	p->silent += ns;
	if (p->silent >= PS_CONTROL_SILENCE_NS && !p->cancels)
		ps_fault_rank(r, p->rank, "nothing has come from there for %llu s",
			(unsigned long long)(p->silent / 1000000000u));
}

bool ps_control_has_ended(const struct ps_peer *p)
{
	return p->cancels && !is_posted(p, PS_PEER_HEARS) && !is_posted(p, PS_PEER_HEARS_ACKS);
}
