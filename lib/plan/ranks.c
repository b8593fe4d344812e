/* SPDX-License-Identifier: MIT */
#include "lib/plan/ranks.h"
#include "lib/base/memory.h"
#include "lib/base/near_name.h"
#include "lib/base/text.h"
#include "lib/model/error.h"
#include "lib/model/place.h"
#include "lib/plan/parts.h"
#include "lib/plan/plan.h"

#include <errno.h>
#include <string.h>

enum { NO_HOST = -1, LIST_SIZE = 256 };

struct rank {
	char *given, *machine; /* given: NULL: no host */
	char *host;            /* NULL before a plan was applied */
	unsigned place;
	int chosen; /* the host's place in what ps_ranks_place() was given, or NO_HOST */
};

struct ps_ranks {
	uint32_t count, own;
	struct rank *of;
};

int ps_ranks_set(struct pstk_network *net, uint32_t count, uint32_t own)
{
	struct ps_ranks *r = ps_memory_zalloc(1, sizeof *r);

	if (r)
		r->of = ps_memory_zalloc(count, sizeof *r->of);
	if (!r || !r->of) {
		ps_memory_free(r);
		return -ENOMEM;
	}
	r->count = count;
	r->own = own;
	net->plan->ranks = r;
	return 0;
}

int ps_ranks_name(struct pstk_network *net, uint32_t rank, const char *host, const char *machine)
{
	struct rank *r = &net->plan->ranks->of[rank];

	r->given = host ? ps_memory_strdup(host) : NULL;
	r->machine = ps_memory_strdup(machine);
	return r->machine && (r->given || !host) ? 0 : -ENOMEM;
}

/* "c0, c1, .." */
static const char *list_hosts(const struct ps_planned_host *hosts, unsigned count, char list[LIST_SIZE])
{
	struct ps_text text = ps_text(list, LIST_SIZE);

	for (unsigned i = 0; i < count; i++)
		ps_text_add(&text, "%s%s", i ? ", " : "", hosts[i].name);
	return list;
}

static int check_count(struct pstk_network *net, const struct ps_planned_host *hosts, unsigned count)
{
	const struct ps_ranks *r = net->plan->ranks;
	char list[LIST_SIZE];

	if (count == r->count)
		return 0;
	return ps_network_problem(net, -EINVAL,
		"the machine has %u host%s (%s), but %u process%s: start one a host (mpirun -n %u ..)", count,
		ps_plural(count), list_hosts(hosts, count, list), r->count,
		r->count == 1 ? " runs" : "es run", count);
}

/* Gives a rank a host that no other one has. */
static int choose(struct pstk_network *net, const struct ps_planned_host *hosts, uint32_t rank, unsigned host)
{
	struct ps_ranks *r = net->plan->ranks;

	for (uint32_t i = 0; i < r->count; i++)
		if (r->of[i].chosen == (int)host)
			return ps_network_problem(net, -EEXIST,
				"ranks %u and %u were both given host '%s': one rank a host", i, rank,
				hosts[host].name);
	r->of[rank].chosen = (int)host;
	return 0;
}

static int choose_given(
	struct pstk_network *net, const struct ps_planned_host *hosts, unsigned count, uint32_t rank)
{
	const char *given = net->plan->ranks->of[rank].given;
	struct ps_near_name near;
	char hint[PS_NEAR_NAME_HINT], list[LIST_SIZE];

	if (!given)
		return 0;
	ps_near_name_begin(&near, given);
	for (unsigned i = 0; i < count; i++) {
		if (!strcmp(hosts[i].name, given))
			return choose(net, hosts, rank, i);
		ps_near_name_offer(&near, hosts[i].name);
	}
	return ps_network_problem(net, -ENOENT, "rank %u: the machine has no host '%s'%s: it has %s", rank,
		given, ps_near_name_hint(&near, hint), list_hosts(hosts, count, list));
}

/* A name may come with its domain or without. */
static bool is_machine(const char *address, const char *machine)
{
	size_t a = strcspn(address, "."), m = strcspn(machine, ".");

	return !strcmp(address, machine) ||
	       ((!address[a] || !machine[m]) && a == m && !strncmp(address, machine, a));
}

static bool is_taken(const struct ps_ranks *r, unsigned host)
{
	for (uint32_t i = 0; i < r->count; i++)
		if (r->of[i].chosen == (int)host)
			return true;
	return false;
}

/* By the hosts' addresses. */
static void choose_by_machine(
	const struct ps_ranks *r, const struct ps_planned_host *hosts, unsigned count, uint32_t rank)
{
	for (unsigned i = 0; i < count && r->of[rank].chosen == NO_HOST; i++)
		if (hosts[i].address && !is_taken(r, i) && is_machine(hosts[i].address, r->of[rank].machine))
			r->of[rank].chosen = (int)i;
}

/* By their order. */
static int choose_by_number(struct pstk_network *net, const struct ps_planned_host *hosts, uint32_t rank)
{
	const struct ps_ranks *r = net->plan->ranks;
	unsigned host = rank;

	if (r->of[rank].chosen != NO_HOST)
		return 0;
	for (unsigned i = 0; is_taken(r, host); i++)
		host = i;
	if (hosts[host].address)
		return ps_network_problem(net, -EINVAL,
			"host '%s' has the address '%s', but rank %u, which is left for it, runs on '%s'",
			hosts[host].name, hosts[host].address, rank, r->of[rank].machine);
	r->of[rank].chosen = (int)host;
	return 0;
}

static int keep_choice(struct pstk_network *net, const struct ps_planned_host *hosts)
{
	struct ps_ranks *r = net->plan->ranks;

	for (uint32_t i = 0; i < r->count; i++) {
		ps_memory_free(r->of[i].host);
		r->of[i].host = ps_memory_strdup(hosts[r->of[i].chosen].name);
		if (!r->of[i].host)
			return ps_network_problem(net, -ENOMEM, "out of memory for the hosts");
		r->of[i].place = hosts[r->of[i].chosen].place;
	}
	ps_place_name_none(net);
	for (uint32_t i = 0; i < r->count; i++)
		if (ps_place_name(net, r->of[i].host, r->of[i].place, false, NULL))
			return ps_network_problem(net, -ENOMEM, "out of memory for the hosts");
	net->host_name = r->of[r->own].host;
	return ps_parts_set_host(net, r->of[r->own].place);
}

int ps_ranks_place(struct pstk_network *net, const struct ps_planned_host *hosts, unsigned count)
{
	struct ps_ranks *r = net->plan->ranks;
	int err;

	if (!r)
		return 0;
	err = check_count(net, hosts, count);
	for (uint32_t i = 0; i < r->count; i++)
		r->of[i].chosen = NO_HOST;
	for (uint32_t i = 0; i < r->count && !err; i++)
		err = choose_given(net, hosts, count, i);
	for (uint32_t i = 0; i < r->count && !err; i++)
		choose_by_machine(r, hosts, count, i);
	for (uint32_t i = 0; i < r->count && !err; i++)
		err = choose_by_number(net, hosts, i);
	return err ? err : keep_choice(net, hosts);
}

uint32_t ps_ranks_count(const struct pstk_network *net)
{
	return net->plan->ranks ? net->plan->ranks->count : 0;
}

uint32_t ps_ranks_of_host(const struct pstk_network *net, unsigned place)
{
	const struct ps_ranks *r = net->plan->ranks;
	uint32_t rank = 0;

	while (rank < r->count && r->of[rank].place != place)
		rank++;
	return rank;
}

const char *ps_ranks_host(const struct pstk_network *net, uint32_t rank)
{
	const struct ps_ranks *r = net->plan->ranks;

	return r && rank < r->count ? r->of[rank].host : NULL;
}

void ps_ranks_free(struct pstk_network *net)
{
	struct ps_ranks *r = net->plan ? net->plan->ranks : NULL;

	for (uint32_t i = 0; r && i < r->count; i++) {
		ps_memory_free(r->of[i].given);
		ps_memory_free(r->of[i].machine);
		ps_memory_free(r->of[i].host);
	}
	if (r)
		ps_memory_free(r->of);
	ps_memory_free(r);
	ps_place_name_none(net);
}
