/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "apps/penstock/host_find.h"
#include "lib/base/text.h"

#include <stdlib.h>
#include <string.h>

enum { LINE = 1024 };

static bool is_plain(const char *word)
{
	return *word && !word[strspn(word, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
					   "-_=+,.:/@%")];
}

/* As a shell takes it. */
static void add_word(struct ps_text *line, const char *word)
{
	if (is_plain(word)) {
		ps_text_add(line, " %s", word);
		return;
	}
	ps_text_add(line, " '");
	for (const char *c = word; *c; c++)
		ps_text_add(line, *c == '\'' ? "'\\''" : "%c", *c);
	ps_text_add(line, "'");
}

void host_find_line(const struct loading *l, unsigned hosts, char *text, size_t size)
{
	struct ps_text line = ps_text(text, size);

	if (hosts > 1)
		ps_text_add(&line, "mpirun -n %u ", hosts);
	ps_text_add(&line, "penstock run");
	for (int i = 1; i < l->argc; i++) {
		bool host = !strcmp(l->argv[i], "--host");

		if (host)
			i++;
		else if (strncmp(l->argv[i], "--host=", strlen("--host=")) != 0)
			add_word(&line, l->argv[i]);
	}
}

/* "2 hosts (c0, c1)"; how many. */
static unsigned name_hosts(struct pstk_machine *m, char *text, size_t size)
{
	struct ps_text names = ps_text(text, size);
	struct pstk_place p;
	unsigned count = 0;

	for (unsigned i = 0; !pstk_machine_get_place(m, i, &p); i++)
		count += p.host == i;
	ps_text_add(&names, "%u host%s (", count, count == 1 ? "" : "s");
	for (unsigned i = 0, k = 0; !pstk_machine_get_place(m, i, &p); i++)
		if (p.host == i)
			ps_text_add(&names, "%s%s", k++ ? ", " : "", p.name);
	ps_text_add(&names, ")");
	return count;
}

/* The host at which an actor is, as the number of a place. */
static unsigned host_of(struct pstk_machine *m, const struct pstk_actor *a)
{
	const char *place = a ? pstk_actor_given_place(a) : NULL;
	int index = place ? pstk_machine_find(m, place) : 0;
	struct pstk_place p = { .host = 0 };

	pstk_machine_get_place(m, index < 0 ? 0 : (unsigned)index, &p);
	return p.host;
}

bool host_find_is_over(struct pstk_machine *m, const struct pstk_network *network)
{
	unsigned count = pstk_network_actor_count(network);

	for (unsigned i = 1; i < count; i++)
		if (host_of(m, pstk_network_actor(network, i)) != host_of(m, pstk_network_actor(network, 0)))
			return true;
	return false;
}

bool host_find_is_away(const struct loading *l, const struct pstk_actor *a)
{
	struct pstk_machine *m = pstk_graph_machine(l->graph);
	struct pstk_place p;

	if (!m || pstk_machine_get_place(m, host_of(m, a), &p))
		return false;
	return l->hosts && l->hosts->own ? strcmp(p.name, l->hosts->own) != 0
	                                 : host_find_is_over(m, l->network);
}

/* Does the machine have a host of this name? */
static int check_name(struct pstk_machine *m, const char *host)
{
	struct pstk_place p = { .host = 0 };
	int place = m ? pstk_machine_find(m, host) : -1;

	if (!m)
		return app_fail(EXIT_USAGE,
			"--host %s: there is no machine: machine: {hosts: ..} in the graph, or "
			"--machine FILE, says which hosts there are",
			host);
	if (place < 0)
		return app_fail(EXIT_USAGE, "--host %s: %s", host, pstk_machine_error(m));
	pstk_machine_get_place(m, (unsigned)place, &p);
	return p.host == (unsigned)place ? 0 : app_fail(EXIT_USAGE, "--host %s: it is a device", host);
}

/* One process alone. */
static int check_alone(const struct loading *l)
{
	struct pstk_machine *m = pstk_graph_machine(l->graph);
	int status = l->host ? check_name(m, l->host) : 0;
	char hosts[LINE], line[LINE];
	unsigned count;

	if (status || !m)
		return status;
	count = name_hosts(m, hosts, sizeof hosts);
	if (count == 1 || (!l->host && !host_find_is_over(m, l->network)))
		return 0;
	host_find_line(l, count, line, sizeof line);
	return app_fail(EXIT_USAGE, "the machine has %s: start it with: %s", hosts, line);
}

static int check_count(const struct hosts *h, const struct loading *l)
{
	struct pstk_machine *m = pstk_graph_machine(l->graph);
	char hosts[LINE], line[LINE];
	unsigned count;

	if (!m) {
		host_find_line(l, 1, line, sizeof line);
		return app_fail(EXIT_USAGE,
			"%s has no machine, so each of the %u processes would run all of it: say which hosts "
			"there are, machine: {hosts: ..} in the graph or --machine FILE; or start one "
			"process: %s",
			loading_name(l), h->transport->ranks, line);
	}
	count = name_hosts(m, hosts, sizeof hosts);
	if (count == h->transport->ranks)
		return 0;
	host_find_line(l, count, line, sizeof line);
	return app_fail(EXIT_USAGE, "the machine has %s, but %u processes were started: start it with: %s",
		hosts, h->transport->ranks, line);
}

/* Of processes on one machine the first one is the first host with this address, and so on. Without such a host, the
 * one of the rank's number. NULL: out of memory. */
static char *choose(const struct hosts *h, struct pstk_machine *m)
{
	struct pstk_transport *t = h->transport;
	const char *machine = t->host_name(t->self, t->rank), *name = NULL;
	unsigned before = 0, number = 0;
	struct pstk_place p;

	for (unsigned r = 0; r < t->rank; r++)
		before += !strcmp(t->host_name(t->self, r), machine);
	for (unsigned i = 0; !pstk_machine_get_place(m, i, &p); i++) {
		if (p.host != i)
			continue;
		if (p.address && !strcmp(p.address, machine) && !before--)
			return strdup(p.name);
		if (number++ == t->rank)
			name = p.name;
	}
	return name ? strdup(name) : NULL;
}

static bool is_here(const struct loading *l, const char *actor)
{
	for (unsigned i = 0; i < pstk_network_actor_count(l->network); i++) {
		const struct pstk_actor *a = pstk_network_actor(l->network, i);

		if (!strcmp(pstk_actor_name(a), actor))
			return !host_find_is_away(l, a);
	}
	return false;
}

/* mpirun gives its stdin to rank 0. */
static int check_stdin(const struct hosts *h, const struct loading *l)
{
	const char *path, *actor;
	bool writes;

	for (unsigned i = 0; h->transport->rank && (path = pstk_graph_file(l->graph, i, &writes)); i++) {
		actor = pstk_graph_file_actor(l->graph, i);
		if (actor && !writes && !strcmp(path, "-") && is_here(l, actor))
			return app_fail(EXIT_USAGE,
				"'%s' reads stdin, but it is at '%s', rank %u, and mpirun gives stdin to "
				"rank 0: "
				"put it at the host of rank 0, or let it read a file",
				actor, h->own, h->transport->rank);
	}
	return 0;
}

int host_find(struct hosts *h, const struct loading *l)
{
	struct pstk_machine *m = pstk_graph_machine(l->graph);
	int status;

	if (!hosts_are_several(h))
		return check_alone(l);
	status = check_count(h, l);
	if (!status && l->host)
		status = check_name(m, l->host);
	if (status)
		return status;
	free(h->own);
	h->own = l->host ? strdup(l->host) : choose(h, m);
	return h->own ? check_stdin(h, l) : app_out_of_memory();
}
