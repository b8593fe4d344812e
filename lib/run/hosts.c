/* SPDX-License-Identifier: MIT */
#include "lib/run/hosts.h"
#include "lib/base/memory.h"
#include "lib/firing/backend.h"
#include "lib/firing/crash.h"
#include "lib/model/error.h"
#include "lib/model/type.h"
#include "lib/move/far.h"
#include "lib/move/visits.h"
#include "lib/plan/parts.h"
#include "lib/plan/ranks.h"
#include "lib/plan/ways.h"
#include "lib/remote/exchange.h"
#include "lib/remote/remote.h"
#include "lib/run/agreement.h"
#include "lib/run/blueprint.h"
#include "lib/run/figures.h"
#include "lib/run/hosts_counts.h"
#include "lib/run/hosts_still.h"
#include "lib/run/run.h"
#include "lib/schedule/away.h"
#include "lib/schedule/schedule.h"
#include "penstock/hosts.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What exchanges are about. */
enum { ABOUT_NAMES = 1, ABOUT_START, ABOUT_END };

enum { NAME_MOST = 255 };
#define PATIENCE_NS 5000000000u /* at the end, when all that remains to be done is this */

struct ps_hosts {
	struct pstk_network *net;
	struct pstk_transport *transport;
	struct ps_remote *remote; /* NULL before ps_hosts_prepare() */
	char *blueprint;          /* free() frees it */
	void *alternate_stack;    /* the remote thread's */
	struct ps_hosts_still *still;
	struct ps_hosts_counts *counts;
	atomic_bool alone; /* the network's own part is done */
	bool begun;        /* set before the remote thread begins */
	bool went;         /* set before windows may move. Before that the remote thread closes no end */
	atomic_int lost;   /* a rank; -1: none */
};

static struct ps_hosts *hosts_of(const struct pstk_network *net)
{
	return net->run->hosts;
}

/*
 * What the remote thread calls.
 */

static struct pstk_fifo *of(struct ps_fifo *f)
{
	return (struct pstk_fifo *)f;
}

static const char *name(void *user, uint32_t rank)
{
	return ps_ranks_host(((struct ps_hosts *)user)->net, rank);
}

static void fault(void *user, uint32_t rank, const char *text)
{
	struct ps_hosts *h = user;

	atomic_compare_exchange_strong(&h->lost, &(int){ -1 }, (int)rank);
	ps_network_fail(h->net, -EIO, "%s", text);
	ps_hosts_abort(h->net);
}

static void message(void *user, uint32_t rank, uint32_t kind, const void *bytes, uint32_t size)
{
	struct ps_hosts *h = user;

	if (kind >= PS_FAR_KIND)
		ps_far_hear(h->net, rank, kind, bytes, size);
	else if (!ps_hosts_counts_hear(h->counts, kind, bytes, size))
		ps_hosts_still_hear(h->still, rank, kind, bytes, size);
}

static void looked(void *user)
{
	struct ps_hosts *h = user;

	bool told = ps_far_look(h->net);

	if (told && atomic_load(&h->alone))
		ps_remote_done(h->remote);
	ps_hosts_still_look(h->still);
	ps_hosts_counts_look(h->counts);
}

static void changed(void *user, struct ps_fifo *f)
{
	if (((struct ps_hosts *)user)->went)
		ps_away_moved(of(f));
}

/* Before windows may move nothing waits for this end. */
static void close_end(void *user, struct ps_fifo *f, bool writes)
{
	if (((struct ps_hosts *)user)->went)
		ps_away_close(of(f), writes);
	else if (writes)
		ps_fifo_write_close(f);
	else
		ps_fifo_read_close(f);
}

static void failed(void *user, struct ps_fifo *f, bool writes)
{
	(void)user;
	ps_backend_of(of(f))->fifo_failed(of(f), writes);
}

static bool over(void *user)
{
	struct ps_hosts *h = user;

	if (!ps_network_over(h->net))
		return false;
	ps_hosts_abort(h->net);
	return true;
}

static void aborted(void *user, uint32_t rank, int err, const char *text)
{
	struct ps_hosts *h = user;

	(void)rank; /* the text names its host */
	if (err == -ECANCELED)
		pstk_network_abort(h->net);
	else
		ps_network_fail_elsewhere(h->net, err, "%s", text);
}

static void stopped(void *user, uint32_t rank)
{
	(void)rank;
	pstk_network_stop(((struct ps_hosts *)user)->net);
}

static void letter(void *user, void *of_letters, uint64_t bytes)
{
	(void)user;
	(void)bytes;
	ps_visits_letter(of_letters);
}

static void through(void *user)
{
	ps_schedule_leave(((struct ps_hosts *)user)->net);
}

/* It runs code of the program's: launched actors, what the log calls. */
static void enter(void *user)
{
	sigset_t blocked;

	sigfillset(&blocked);
	ps_crash_remove_faults(&blocked);
	pthread_sigmask(SIG_SETMASK, &blocked, NULL);
	ps_crash_thread_begin(((struct ps_hosts *)user)->alternate_stack);
}

static void leave(void *user)
{
	ps_crash_thread_end(((struct ps_hosts *)user)->alternate_stack);
}

static const struct ps_remote_calls calls = {
	.met = true, /* by the exchange before */
	.name = name,
	.fault = fault,
	.message = message,
	.looked = looked,
	.changed = changed,
	.close = close_end,
	.failed = failed,
	.letter = letter,
	.over = over,
	.aborted = aborted,
	.stopped = stopped,
	.through = through,
	.enter = enter,
	.leave = leave,
};

/*
 * BUILD.
 */

static int check_call(const struct pstk_network *net, const struct pstk_transport *t, const char *host)
{
	if (!t || t->struct_size < sizeof *t || !t->host_name || !t->open || !t->receive || !t->send ||
		!t->cancel || !t->test || !t->error || !t->abort || !t->close)
		return -EINVAL;
	if (t->rank >= t->ranks || (host && strlen(host) > NAME_MOST))
		return -EINVAL;
	return net->run->hosts ? -EBUSY : 0;
}

/* What the ranks have said. */
static int take_names(
	struct pstk_network *net, const struct pstk_transport *t, const struct ps_exchanged *names)
{
	int err = ps_ranks_set(net, t->ranks, t->rank);

	for (uint32_t i = 0; i < t->ranks && !err; i++)
		err = ps_ranks_name(net, i, names->sizes[i] ? (const char *)names->bytes[i] : NULL,
			t->host_name(t->self, i));
	return err;
}

int pstk_network_set_hosts(struct pstk_network *net, struct pstk_transport *t, const char *host)
{
	int err = ps_network_building(net, __func__);
	struct ps_exchanged names;
	struct ps_hosts *h;
	char text[PS_TEXT_SIZE];

	err = err ? err : check_call(net, t, host);
	if (err)
		return err;
	h = ps_memory_zalloc(1, sizeof *h);
	if (!h)
		return ps_network_problem(
			net, -ENOMEM, "network '%s': out of memory for its hosts", net->name);
	h->net = net;
	h->transport = t;
	atomic_init(&h->lost, -1);
	net->run->hosts = h;
	err = ps_exchange_with(t, &(struct ps_exchange_how){ .subject = ABOUT_NAMES }, host,
		host ? strlen(host) : 0, &names, text, sizeof text);
	if (err) {
		atomic_store(&h->lost, (int)t->rank);
		return ps_network_problem(net, err, "network '%s': its hosts: %s", net->name, text);
	}
	err = take_names(net, t, &names);
	ps_exchanged_free(&names);
	return err ? ps_network_problem(net, err, "network '%s': out of memory for its hosts", net->name) : 0;
}

const char *pstk_network_host(const struct pstk_network *net, uint32_t rank)
{
	return net ? ps_ranks_host(net, rank) : NULL;
}

const char *pstk_actor_host(const struct pstk_actor *a)
{
	return a && a->network->has_hosts ? ps_ranks_host(a->network, ps_ranks_of_host(a->network, a->host))
	                                  : NULL;
}

int pstk_network_lost_rank(const struct pstk_network *net)
{
	return net && net->run->hosts ? atomic_load(&net->run->hosts->lost) : -1;
}

/*
 * start().
 */

int ps_hosts_note(struct pstk_network *net)
{
	struct ps_hosts *h = hosts_of(net);

	if (!h)
		return 0;
	if (!net->has_hosts)
		return ps_network_fail(net, -EINVAL,
			"network '%s' runs over %u processes, but no plan says where its actors are: call "
			"pstk_plan_apply()",
			net->name, h->transport->ranks);
	h->blueprint = ps_blueprint_new(net);
	return h->blueprint ? 0
	                    : ps_network_fail(
				      net, -ENOMEM, "network '%s': out of memory for its start", net->name);
}

static int add_sender(struct ps_hosts *h, struct pstk_fifo *f)
{
	uint32_t to = ps_ranks_of_host(h->net, ps_way_next(f, h->net->host));
	int err = ps_remote_add_sender(h->remote, to, f->index, ps_parts_windows(f), &f->fifo);

	return err ? ps_network_fail(h->net, err, PS_CONNECTION ": %s", PS_CONNECTION_ARGS(f),
			     ps_remote_error(h->remote))
	           : 0;
}

/* first: of an output's FIFOs here, all of which are fed from there. */
static int add_receiver(struct ps_hosts *h, struct pstk_fifo *first)
{
	struct ps_fifo **owners = ps_memory_zalloc(h->net->fifo_count, sizeof *owners);
	uint32_t windows = UINT32_MAX, count = 0, from;
	int err = -ENOMEM;

	from = ps_ranks_of_host(h->net, ps_way_before(first, h->net->host));
	for (struct pstk_fifo *f = first; f && owners; f = f->next) {
		uint32_t most = ps_parts_windows(f);

		windows = most < windows ? most : windows;
		if (f->fifo.owner == &f->fifo)
			owners[count++] = &f->fifo;
	}
	if (owners)
		err = ps_remote_add_receiver(h->remote, from, first->index, windows, owners, count);
	ps_memory_free(owners);
	return err ? ps_network_fail(h->net, err, PS_CONNECTION ": %s", PS_CONNECTION_ARGS(first),
			     ps_remote_error(h->remote))
	           : 0;
}

static int add_channels(struct ps_hosts *h, struct pstk_actor *a)
{
	int err = 0;

	for (unsigned p = 0; p < a->type.port_count && !err; p++) {
		struct pstk_fifo *f = a->ports[p].fifo;

		if (ps_port_reads(a->type.ports[p].kind) || !f)
			continue;
		if (ps_actor_away(a))
			err = add_receiver(h, f);
		for (; f && !err; f = f->next)
			if (f->crossing == PS_CROSSES_OUT || f->crossing == PS_CROSSES_THROUGH)
				err = add_sender(h, f);
	}
	return err;
}

/* The last one but the remote thread has left. */
static void is_alone(struct pstk_network *net)
{
	struct ps_hosts *h = hosts_of(net);

	atomic_store(&h->alone, true);
	ps_remote_wake(h->remote); /* which first tells what waits */
}

int ps_hosts_prepare(struct pstk_network *net)
{
	struct ps_hosts *h = hosts_of(net);
	struct ps_remote_calls with = calls;
	int err;

	if (!h)
		return 0;
	with.user = h;
	net->schedule->alone = is_alone;
	h->remote = ps_remote_new(h->transport, &with);
	err = h->remote ? ps_crash_prepare(net, &h->alternate_stack) : -ENOMEM;
	h->still = err ? NULL : ps_hosts_still_new(net, h->remote, h->transport->rank, h->transport->ranks);
	h->counts = err ? NULL : ps_hosts_counts_new(net, h->remote, h->transport->rank, h->transport->ranks);
	err = err || (h->still && h->counts) ? err : -ENOMEM;
	if (err)
		return ps_network_fail(net, err, "network '%s': out of memory for its start", net->name);
	for (unsigned i = 0; i < net->actor_count && !err; i++)
		err = add_channels(h, net->actors[i]);
	if (!err)
		err = ps_visits_prepare(net, h->remote);
	ps_far_join(net, h->remote, h->transport->rank, h->transport->ranks);
	return err;
}

/* Exchanges words. After an error this rank is lost to the others. */
static int agree(struct ps_hosts *h, const struct ps_exchange_how *how, int err, const char *rest,
	struct ps_exchanged *all, char *why, size_t why_size)
{
	int failed = ps_agreement_make(
		h->transport, how, err, err ? pstk_network_error(h->net) : "", rest, all, why, why_size);

	if (failed)
		atomic_compare_exchange_strong(&h->lost, &(int){ -1 }, (int)h->transport->rank);
	return failed;
}

static void say_agreed(struct ps_hosts *h, const struct ps_exchanged *all, uint32_t rank)
{
	ps_agreement_say(
		all, rank, ps_ranks_host(h->net, rank), h->net->run->agreed, sizeof h->net->run->agreed);
}

/* The first network that is another one than that of rank 0. */
static int compare(struct ps_hosts *h, const struct ps_exchanged *all)
{
	struct ps_blueprint_line lines[2];

	for (uint32_t i = 1; i < all->ranks; i++)
		if (!ps_blueprint_same(ps_agreement_rest(all, 0), ps_agreement_rest(all, i), lines))
			return ps_network_fail_elsewhere(h->net, -EINVAL,
				"the ranks have built different networks: rank 0 (%s) has [%.*s], rank %u "
				"(%s) has [%.*s]: start the same program with the same files on each",
				ps_ranks_host(h->net, 0), lines[0].length, lines[0].text, i,
				ps_ranks_host(h->net, i), lines[1].length, lines[1].text);
	return 0;
}

/* The whole network failed to start if one rank's part has. */
static int judge_start(struct ps_hosts *h, const struct ps_exchanged *all, int err)
{
	uint32_t rank = ps_agreement_blamed(all);

	if (rank == all->ranks)
		return compare(h, all);
	say_agreed(h, all, rank);
	if (!err)
		ps_network_fail_elsewhere(h->net, ps_agreement_err(all, rank), "%s", h->net->run->agreed);
	ps_network_agree(h->net, h->net->run->agreed);
	return ps_agreement_err(all, rank);
}

int ps_hosts_agree(struct pstk_network *net, int err)
{
	struct ps_hosts *h = hosts_of(net);
	const struct ps_exchange_how how = { .subject = ABOUT_START };
	struct ps_exchanged all;
	char why[PS_TEXT_SIZE];
	int failed;

	/* the ranks are out of step already */
	if (!h || atomic_load(&h->lost) >= 0)
		return err;
	failed = agree(h, &how, err, h->blueprint ? h->blueprint : "", &all, why, sizeof why);
	if (failed)
		return err ? err
		           : ps_network_fail(net, failed, "network '%s': its start: %s", net->name, why);
	err = judge_start(h, &all, err);
	ps_exchanged_free(&all);
	return err;
}

int ps_hosts_begin(struct pstk_network *net)
{
	struct ps_hosts *h = hosts_of(net);
	int err;

	if (!h)
		return 0;
	h->begun = true;
	err = ps_remote_begin(h->remote);
	if (!err)
		return 0;
	h->begun = false;
	atomic_store(&h->lost, (int)h->transport->rank);
	return ps_network_fail(net, err, "network '%s': %s", net->name, ps_remote_error(h->remote));
}

int ps_hosts_error(struct pstk_network *net)
{
	int err = ps_network_err(net);

	if (!hosts_of(net) || !ps_network_over(net))
		return 0;
	return err ? err : -ECANCELED;
}

/* The remote thread, and start() itself until windows may move: a rank may have no thread and no end. */
unsigned ps_hosts_expected(const struct pstk_network *net)
{
	return hosts_of(net) ? 2 : 0;
}

void ps_hosts_go(struct pstk_network *net)
{
	struct ps_hosts *h = hosts_of(net);

	if (!h)
		return;
	h->went = true;
	ps_hosts_still_go(h->still);
	ps_remote_go(h->remote);
	ps_schedule_leave(net);
}

/*
 * The run.
 */

void ps_hosts_abort(struct pstk_network *net)
{
	struct ps_hosts *h = hosts_of(net);
	int err;

	if (!h || !h->begun)
		return;
	err = ps_network_err(net);
	ps_remote_abort(h->remote, err ? err : -ECANCELED, err ? pstk_network_error(net) : "");
}

void ps_hosts_stop(struct pstk_network *net)
{
	struct ps_hosts *h = hosts_of(net);

	if (h && h->begun)
		ps_remote_stop(h->remote);
}

/*
 * The end.
 */

int ps_hosts_end(struct pstk_network *net, int err)
{
	struct ps_hosts *h = hosts_of(net);
	const struct ps_exchange_how how = { .subject = ABOUT_END, .patience_ns = PATIENCE_NS };
	struct ps_exchanged all;
	char why[PS_TEXT_SIZE];
	uint32_t rank;

	if (!h || !h->begun)
		return err;
	if (err)
		ps_hosts_abort(net);
	ps_remote_end(h->remote);
	ps_visits_end(net);
	if (atomic_load(&h->lost) >= 0)
		return err;
	if (agree(h, &how, err, "", &all, why, sizeof why)) {
		ps_network_fail(net, -EIO, "network '%s': its end: %s", net->name, why);
		return err ? err : -EIO;
	}
	rank = ps_agreement_blamed(&all);
	if (rank < all.ranks) {
		err = ps_agreement_err(&all, rank);
		say_agreed(h, &all, rank);
		if (err != -ECANCELED)
			ps_network_agree(net, net->run->agreed);
	}
	ps_exchanged_free(&all);
	if (!ps_figures_gather(net, h->transport, h->remote))
		atomic_store(&h->lost, (int)h->transport->rank);
	return err;
}

void ps_hosts_free(struct pstk_network *net)
{
	struct ps_hosts *h = net->run ? hosts_of(net) : NULL;

	if (!h)
		return;
	ps_remote_free(h->remote);
	ps_hosts_still_free(h->still);
	ps_hosts_counts_free(h->counts);
	free(h->blueprint);
	ps_memory_free(h->alternate_stack);
	ps_memory_free(h);
}
