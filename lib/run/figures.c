/* SPDX-License-Identifier: MIT */
#include "lib/run/figures.h"
#include "lib/base/log.h"
#include "lib/base/memory.h"
#include "lib/observe/adopt.h"
#include "lib/plan/ranks.h"
#include "lib/remote/alignment.h"
#include "lib/remote/exchange.h"

#include <errno.h>

/* Of exchanges those of hosts.c are about 1 to 3. */
enum { ABOUT_FIGURES = 4 };

/* All that remains to be done is this; but a trace may be long, and a link slow. */
uint64_t ps_figures_patience_ns = 5000000000;
enum { LONGER = 12 };

static void say(const struct pstk_network *net, const char *what, const char *why)
{
	ps_log(PS_TOPIC_NETWORK, PSTK_LOG_WARNING, "%s: %s: %s", net->name, what, why);
}

/* The host's number in the machine, then its figures. Without memory: nothing. */
static void pack(struct pstk_network *net, uint32_t rank, const struct ps_remote *remote, struct ps_bytes *to)
{
	int err = ps_adopt_sent(net, rank, remote);

	if (!err && rank) {
		ps_bytes_put_number(to, net->host);
		err = ps_adopt_pack(net, to);
	}
	if (err) {
		ps_bytes_free(to);
		say(net, "its figures are not for other hosts", "out of memory");
	}
}

static int take(struct pstk_network *net, uint32_t rank, int64_t ahead, struct ps_bytes_left from)
{
	uint64_t host;

	if (!ps_bytes_take_number(&from, &host) || host > UINT32_MAX ||
		ps_ranks_of_host(net, (unsigned)host) != rank)
		return -EPROTO;
	return ps_adopt_take(net, (unsigned)host, ahead, from.at, from.size);
}

static void take_all(struct pstk_network *net, const struct ps_exchanged *all, const int64_t *ahead)
{
	for (uint32_t i = 1; i < all->ranks; i++) {
		int err = take(net, i, ahead[i], (struct ps_bytes_left){ all->bytes[i], all->sizes[i] });

		if (err)
			ps_log(PS_TOPIC_NETWORK, PSTK_LOG_WARNING, "%s: no figures of rank %u (%s): %s",
				net->name, i, ps_ranks_host(net, i),
				err == -ENOMEM  ? "out of memory"
				: all->sizes[i] ? "they make no sense"
						: "it has sent none");
	}
}

bool ps_figures_gather(struct pstk_network *net, struct pstk_transport *t, const struct ps_remote *remote)
{
	const struct ps_exchange_how how = {
		.subject = ABOUT_FIGURES, .gathers = true, .patience_ns = LONGER * ps_figures_patience_ns
	};
	const struct ps_alignment_how align = { .patience_ns = ps_figures_patience_ns };
	int64_t *ahead = ps_memory_zalloc(t->ranks, sizeof *ahead), none = 0;
	struct ps_exchanged all = { 0 };
	struct ps_bytes bytes = { 0 };
	char why[PS_TEXT_SIZE];
	int err = ahead || t->rank ? 0 : -ENOMEM;

	snprintf(why, sizeof why, "out of memory");
	if (!err)
		err = ps_alignment_measure(t, &align, ahead ? ahead : &none, NULL, why, sizeof why);
	if (!err)
		pack(net, t->rank, remote, &bytes);
	if (!err)
		err = ps_exchange_with(t, &how, bytes.at, bytes.size, &all, why, sizeof why);
	ps_bytes_free(&bytes);
	if (err)
		say(net, "no figures of other hosts", why);
	else if (!t->rank)
		take_all(net, &all, ahead);
	ps_exchanged_free(&all);
	ps_memory_free(ahead);
	return !err;
}
