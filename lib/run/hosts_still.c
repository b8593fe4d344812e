/* SPDX-License-Identifier: MIT */
#include "lib/run/hosts_still.h"
#include "lib/base/clock.h"
#include "lib/base/memory.h"
#include "lib/observe/watch.h"
#include "lib/remote/rests.h"
#include "lib/run/standstill.h"
#include "lib/schedule/still.h"

#include <string.h>

uint64_t ps_hosts_still_after_ns = 20000000;

/* What messages are about. */
enum {
	KIND_REPORT,    /* to rank 0: struct ps_standstill_message */
	KIND_ASK,       /* from rank 0: the round, uint64_t */
	KIND_ASK_WAITS, /* from rank 0: which actor waits for what? The round */
	KIND_WAITS,     /* to rank 0: struct piece */
	KIND_MOVED,     /* to all: something has moved */
	KIND_SNAPSHOT   /* to all */
};

/* Some of the waits of a rank. */
enum { PIECE = (PS_REMOTE_MESSAGE - 16) / sizeof(struct ps_still_wait) };
_Static_assert(PIECE > 0, "a wait fits a message");

struct piece {
	uint64_t round; /* in which rank 0 has asked for them */
	uint32_t count; /* in this message .. */
	uint32_t left;  /* .. and in later ones; LOST: it has gone on */
	struct ps_still_wait waits[PIECE];
};

#define LOST UINT32_MAX

/* What is still to be told to another rank. */
struct other {
	atomic_bool moved, snapshot; /* set by the watcher */
	bool asks_waits;             /* rank 0 */
	bool done;                   /* rank 0: all its waits are there */
};

struct ps_hosts_still {
	struct pstk_network *net;
	struct ps_remote *remote;
	uint32_t rank, ranks;
	atomic_bool goes;
	struct ps_standstill standstill;
	uint64_t activity,
		since; /* the latest; the clock when it had changed, or when it was looked in vain */
	uint64_t next; /* the clock: it is to be asked for */

	struct other *others; /* by rank */
	struct ps_still_wait *waits;
	unsigned most, count, told; /* waits that there may be, are known, were told to rank 0 */
	uint64_t round;             /* for which they are, were asked for */
	bool asked_waits;           /* rank 0 wants them */
	bool tells;                 /* they are on their way */
	bool collects, reported;    /* rank 0 */
};

static bool tell(struct ps_hosts_still *h, uint32_t rank, uint32_t kind, const void *bytes, size_t size)
{
	return !ps_remote_tell(h->remote, rank, kind, bytes, (uint32_t)size);
}

/*
 * What the watcher says.
 */

static void tell_all(void *user, enum ps_watch_news news)
{
	struct ps_hosts_still *h = user;

	for (uint32_t i = 0; i < h->ranks; i++)
		atomic_store(news == PS_WATCH_MOVED ? &h->others[i].moved : &h->others[i].snapshot, true);
}

static void tell_if(struct ps_hosts_still *h, uint32_t rank, atomic_bool *flag, uint32_t kind)
{
	if (atomic_load(flag) && tell(h, rank, kind, NULL, 0))
		atomic_store(flag, false);
}

/*
 * BUILD.
 */

struct ps_hosts_still *ps_hosts_still_new(
	struct pstk_network *net, struct ps_remote *remote, uint32_t rank, uint32_t ranks)
{
	struct ps_hosts_still *h = ps_memory_zalloc(1, sizeof *h);

	if (!h)
		return NULL;
	h->net = net;
	h->remote = remote;
	h->rank = rank;
	h->ranks = ranks;
	h->most = ps_still_most(net);
	h->others = ps_memory_zalloc(ranks, sizeof *h->others);
	h->waits = ps_memory_zalloc(h->most, sizeof *h->waits);
	if (ps_standstill_init(&h->standstill, rank, ranks) || !h->others || !h->waits) {
		ps_hosts_still_free(h);
		return NULL;
	}
	pthread_mutex_lock(&net->lock); /* any thread may ask for a snapshot meanwhile */
	net->watch->tell = tell_all;
	net->watch->user = h;
	pthread_mutex_unlock(&net->lock);
	return h;
}

void ps_hosts_still_free(struct ps_hosts_still *h)
{
	if (!h)
		return;
	ps_standstill_fini(&h->standstill);
	ps_memory_free(h->others);
	ps_memory_free(h->waits);
	ps_memory_free(h);
}

void ps_hosts_still_go(struct ps_hosts_still *h)
{
	atomic_store(&h->goes, true);
}

/*
 * Looking.
 */

static uint64_t activity_of(const struct ps_hosts_still *h)
{
	struct ps_remote_counts counts;

	ps_remote_count(h->remote, &counts);
	return counts.activity + ps_still_activity(h->net);
}

/* Nothing moves while it looks: the actors are held, and this is the remote thread. */
static void look(struct ps_hosts_still *h)
{
	bool still = ps_still_begin(h->net) && ps_remote_rests(h->remote);
	struct ps_standstill_report report = { .still = still, .waiting = ps_still_left(h->net) };
	struct ps_remote_counts counts;

	ps_remote_count(h->remote, &counts);
	report.activity = counts.activity + ps_still_activity(h->net);
	report.sent = counts.sent;
	report.come = counts.come;
	report.granted = counts.granted;
	report.credits = counts.credits;
	ps_still_end(h->net);
	ps_standstill_look(&h->standstill, &report);
}

/* It has stood still for a while, or rank 0 wants to know. */
static void look_in_time(struct ps_hosts_still *h, uint64_t now)
{
	uint64_t activity;

	if (now < h->next && !h->standstill.owes) /* counters are the actors' cache lines */
		return;
	h->next = now + ps_hosts_still_after_ns / 4;
	activity = activity_of(h);
	if (activity != h->activity) {
		h->activity = activity;
		h->since = now;
	}
	if (!ps_standstill_wants(&h->standstill, activity) ||
		(!h->standstill.owes && now - h->since < ps_hosts_still_after_ns))
		return;
	h->since = now;
	look(h);
}

/*
 * Which actor waits for what.
 */

/* false: it does not stand still any more. */
static bool find_waits(struct ps_hosts_still *h)
{
	bool still = ps_still_begin(h->net) && ps_remote_rests(h->remote);

	h->count = still ? ps_still_waits(h->net, h->waits, h->most) : 0;
	ps_still_end(h->net);
	return still;
}

static void begin_waits(struct ps_hosts_still *h)
{
	struct piece lost = { .round = h->round, .left = LOST };

	if (!find_waits(h)) {
		h->asked_waits = !tell(h, 0, KIND_WAITS, &lost, offsetof(struct piece, waits));
		return;
	}
	h->asked_waits = false;
	h->tells = true;
	h->told = 0;
}

static void tell_waits(struct ps_hosts_still *h)
{
	while (h->tells) {
		struct piece p = { .round = h->round,
			.count = h->count - h->told < PIECE ? h->count - h->told : PIECE };

		p.left = h->count - h->told - p.count;
		memcpy(p.waits, h->waits + h->told, p.count * sizeof *p.waits);
		if (!tell(h, 0, KIND_WAITS, &p, offsetof(struct piece, waits) + p.count * sizeof *p.waits))
			return;
		h->told += p.count;
		h->tells = p.left;
	}
}

static void hear_waits(struct ps_hosts_still *h, uint32_t rank, const struct piece *p)
{
	if (!h->collects || p->round != h->round || p->count > PIECE)
		return;
	if (p->left == LOST) {
		h->collects = false;
		ps_standstill_forget(&h->standstill);
		return;
	}
	for (uint32_t i = 0; i < p->count && h->count < h->most; i++)
		h->waits[h->count++] = p->waits[i];
	h->others[rank].done = !p->left;
}

static void collect(struct ps_hosts_still *h)
{
	h->collects = find_waits(h);
	h->round = h->standstill.round;
	if (!h->collects)
		ps_standstill_forget(&h->standstill);
	for (uint32_t i = 0; i < h->ranks && h->collects; i++) {
		h->others[i].asks_waits = i != 0;
		h->others[i].done = i == 0;
	}
}

static bool have_all(const struct ps_hosts_still *h)
{
	for (uint32_t i = 0; i < h->ranks; i++)
		if (!h->others[i].done)
			return false;
	return true;
}

/* Rank 0 */
static void conclude(struct ps_hosts_still *h)
{
	if (h->reported || !ps_standstill_dead(&h->standstill))
		return;
	if (!h->collects)
		collect(h);
	if (!h->collects || !have_all(h))
		return;
	h->reported = true;
	ps_still_report(h->net, h->waits, h->count);
}

/*
 * Telling and hearing.
 */

static void tell_rank(struct ps_hosts_still *h, uint32_t rank)
{
	struct ps_standstill *s = &h->standstill;
	struct other *o = &h->others[rank];
	uint64_t round = h->rank ? 0 : ps_standstill_to_ask(s, rank);

	tell_if(h, rank, &o->moved, KIND_MOVED);
	tell_if(h, rank, &o->snapshot, KIND_SNAPSHOT);
	if (round && tell(h, rank, KIND_ASK, &round, sizeof round))
		ps_standstill_ask(s, rank);
	if (o->asks_waits && tell(h, rank, KIND_ASK_WAITS, &h->round, sizeof h->round))
		o->asks_waits = false;
	if (!rank && ps_standstill_pending(s) &&
		tell(h, 0, KIND_REPORT, ps_standstill_pending(s), sizeof s->message))
		ps_standstill_told(s);
}

void ps_hosts_still_look(struct ps_hosts_still *h)
{
	uint64_t now = ps_clock_ns();

	if (!atomic_load(&h->goes))
		return;
	look_in_time(h, now);
	if (h->asked_waits)
		begin_waits(h);
	tell_waits(h);
	if (!h->rank)
		conclude(h);
	for (uint32_t i = 0; i < h->ranks; i++)
		if (i != h->rank)
			tell_rank(h, i);
}

void ps_hosts_still_hear(
	struct ps_hosts_still *h, uint32_t rank, uint32_t kind, const void *bytes, uint32_t size)
{
	struct ps_standstill_message report;
	struct piece piece;
	uint64_t round;

	if (kind == KIND_REPORT && !h->rank && size == sizeof report) {
		memcpy(&report, bytes, size);
		ps_standstill_hear(&h->standstill, rank, &report);
	} else if (kind == KIND_ASK && size == sizeof round) {
		memcpy(&round, bytes, size);
		ps_standstill_asked(&h->standstill, round);
	} else if (kind == KIND_ASK_WAITS && size == sizeof round) {
		memcpy(&h->round, bytes, size);
		h->asked_waits = true;
		h->tells = false;
	} else if (kind == KIND_WAITS && size >= offsetof(struct piece, waits) && size <= sizeof piece) {
		memcpy(&piece, bytes, size);
		hear_waits(h, rank, &piece);
	} else if (kind == KIND_MOVED) {
		atomic_store(&h->net->watch->moved_elsewhere, ps_clock_ns());
	} else if (kind == KIND_SNAPSHOT) {
		atomic_store(&h->net->watch->snapshot_asked, true);
		sem_post(&h->net->wake);
	}
}
