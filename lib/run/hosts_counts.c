/* SPDX-License-Identifier: MIT */
#include "lib/run/hosts_counts.h"
#include "lib/base/clock.h"
#include "lib/base/memory.h"
#include "lib/fifo/bundle.h"
#include "lib/observe/watch.h"

#include <errno.h>
#include <string.h>

uint64_t ps_hosts_counts_every_ns = 1000000000;

/* What messages are about, behind what those of hosts_still.c are about. */
enum {
	KIND_FOLLOW = 16, /* from rank 0: it wants to be told */
	KIND_COUNTS       /* to rank 0: some of struct count */
};

struct count {
	uint64_t written; /* tokens */
	uint64_t fifo;
};

enum { PIECE = PS_REMOTE_MESSAGE / sizeof(struct count) };

struct ps_hosts_counts {
	struct pstk_network *net;
	struct ps_remote *remote;
	uint32_t rank, ranks;
	/* rank 0 */
	uint32_t asked;            /* ranks below this one know that they are to tell */
	_Atomic uint64_t *written; /* by FIFO: as it was told. Any thread reads it (watch.h) */
	/* of other ranks */
	bool wanted;    /* rank 0 wants to be told */
	uint64_t *told; /* by FIFO: tokens, the last that was told */
	uint64_t since; /* the clock when the last telling began .. */
	unsigned next;  /* .. which has come to this FIFO */
};

struct ps_hosts_counts *ps_hosts_counts_new(
	struct pstk_network *net, struct ps_remote *remote, uint32_t rank, uint32_t ranks)
{
	struct ps_hosts_counts *h = ps_memory_zalloc(1, sizeof *h);

	if (!h)
		return NULL;
	*h = (struct ps_hosts_counts){ .net = net,
		.remote = remote,
		.rank = rank,
		.ranks = ranks,
		.asked = 1, /* itself */
		.written = ps_memory_zalloc(rank ? 0 : net->fifo_count, sizeof *h->written),
		.told = ps_memory_zalloc(rank ? net->fifo_count : 0, sizeof *h->told),
		.next = net->fifo_count };
	if (!h->written || !h->told) {
		ps_hosts_counts_free(h);
		return NULL;
	}
	if (!rank)
		atomic_store(&net->watch->written_elsewhere, h->written);
	return h;
}

void ps_hosts_counts_free(struct ps_hosts_counts *h)
{
	if (!h)
		return;
	atomic_store(&h->net->watch->written_elsewhere, NULL);
	ps_memory_free(h->written);
	ps_memory_free(h->told);
	ps_memory_free(h);
}

/* A rank that has failed needs not be asked. */
static void ask(struct ps_hosts_counts *h)
{
	while (h->asked < h->ranks && ps_remote_tell(h->remote, h->asked, KIND_FOLLOW, NULL, 0) != -EAGAIN)
		h->asked++;
}

/* Some of those that have changed. */
static void tell_some(struct ps_hosts_counts *h)
{
	struct count piece[PIECE];
	unsigned n = 0, i;

	for (i = h->next; i < h->net->fifo_count && n < PIECE; i++) {
		const struct pstk_fifo *f = h->net->fifos[i];
		uint64_t written = ps_actor_away(f->dst) ? 0 : ps_bundle_written(&f->fifo, ps_counters(f));

		if (written != h->told[i])
			piece[n++] = (struct count){ written, i };
	}
	if (n && ps_remote_tell(h->remote, 0, KIND_COUNTS, piece, n * sizeof *piece) == -EAGAIN)
		return;
	h->next = i;
	while (n-- > 0)
		h->told[piece[n].fifo] = piece[n].written;
}

void ps_hosts_counts_look(struct ps_hosts_counts *h)
{
	if (!h->rank && h->asked < h->ranks && atomic_load(&h->net->watch->follows))
		ask(h);
	if (!h->wanted)
		return;
	if (h->next == h->net->fifo_count) {
		uint64_t now = ps_clock_ns();

		if (now - h->since < ps_hosts_counts_every_ns)
			return;
		h->since = now;
		h->next = 0;
	}
	tell_some(h);
}

static void take(struct ps_hosts_counts *h, const void *bytes, uint32_t size)
{
	struct count piece[PIECE];

	memcpy(piece, bytes, size);
	for (unsigned i = 0; i < size / sizeof *piece; i++)
		if (piece[i].fifo < h->net->fifo_count)
			atomic_store(&h->written[piece[i].fifo], piece[i].written);
}

bool ps_hosts_counts_hear(struct ps_hosts_counts *h, uint32_t kind, const void *bytes, uint32_t size)
{
	if (kind == KIND_FOLLOW)
		h->wanted = h->rank;
	else if (kind == KIND_COUNTS && !h->rank && size <= sizeof(struct count) * PIECE)
		take(h, bytes, size);
	return kind >= KIND_FOLLOW;
}
