/* SPDX-License-Identifier: MIT */
/*
 * Networks on the cores that come from a graph file: each is written as one, loaded, compared with what calls have
 * built, written back by the library and loaded once more. That last one runs.
 */
#include "penstock/graph.h"
#include "tests/common/file.h"
#include "tests/random/carrier.h"
#include "tests/random/random_types.h"
#include "tests/random/run_actor.h"

#include <dlfcn.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PLUGIN "tests/random/.libs/random_types.so"

static struct run *current; /* whose actors the plug-in adds */
static struct pstk_graph *graph;

static struct pstk_actor *add(struct pstk_network *network, uint32_t number)
{
	return run_add_actor(current, network, number);
}

/*
 * As a file.
 */

/* Some of those that can move at all. */
static bool may_move(unsigned a, const struct pstk_actor_type *type)
{
	return a % 3 == 0 && !type->kahn;
}

static void write_actor(FILE *file, const struct run *run, unsigned a)
{
	const struct net_actor *spec = &run->net->actors[a];

	fprintf(file, "  %s: {type: random, number: %u", spec->name, a);
	if (run_sets_steps(spec))
		fprintf(file, ", steps: %" PRIu32, spec->steps);
	if (spec->concurrency)
		fprintf(file, ", concurrency: %u", spec->concurrency);
	if (may_move(a, pstk_actor_get_type(run->built.actors[a])))
		fprintf(file, ", may_move: [cores]");
	if (spec->core >= 0 && a % 2)
		fprintf(file, ", pin: %u", test_core((unsigned)spec->core));
	fprintf(file, "}\n");
}

static void write_key(FILE *file, const char *key, uint32_t number)
{
	if (number)
		fprintf(file, ", %s: %" PRIu32, key, number);
}

static void write_fifo(FILE *file, const struct net *net, unsigned f)
{
	const struct net_fifo *fifo = &net->fifos[f];
	struct pstk_fifo_spec spec = run_fifo_spec(net, f);
	const unsigned char *bytes = spec.initial;

	fprintf(file, "  - {from: %s.p%u, to: %s.p%u, token_size: %zu", net->actors[fifo->src].name,
		fifo->src_port, net->actors[fifo->dst].name, fifo->dst_port, spec.token_size);
	write_key(file, "rate", spec.rate);
	write_key(file, "write_rate", spec.write_rate);
	write_key(file, "read_rate", spec.read_rate);
	write_key(file, "depth", spec.depth);
	write_key(file, "delay", spec.delay);
	write_key(file, "tail", spec.tail);
	for (size_t i = 0; bytes && i < spec.delay * spec.token_size; i++)
		fprintf(file, "%s%u", i ? ", " : ", token: u8, initial: [", bytes[i]);
	fprintf(file, "%s}\n", bytes ? "]" : "");
	free((void *)(uintptr_t)spec.initial);
}

static char *write_net(const struct run *run)
{
	const struct net *net = run->net;
	char *text = NULL;
	size_t size;
	FILE *file = open_memstream(&text, &size);

	fprintf(file, "network: random\nactors:\n");
	for (unsigned a = 0; a < net->actor_count; a++)
		write_actor(file, run, a);
	fprintf(file, "fifos:\n");
	for (unsigned f = 0; f < net->fifo_count; f++)
		write_fifo(file, net, f);
	fprintf(file, "mapping:\n");
	for (unsigned a = 0; a < net->actor_count; a++)
		if (net->actors[a].core >= 0 && a % 2 == 0)
			fprintf(file, "  %s: {core: %u}\n", net->actors[a].name,
				test_core((unsigned)net->actors[a].core));
		else
			fprintf(file, "  %s: cores\n", net->actors[a].name);
	fprintf(file, "run: {team: %u, unchecked: %s}\n", pstk_network_threads(run->built.network),
		net->unchecked ? "true" : "false");
	fclose(file);
	return text;
}

/*
 * Two networks are the same.
 */

static bool same_text(const char *a, const char *b)
{
	return a && b ? !strcmp(a, b) : a == b;
}

static bool same_ports(const struct pstk_actor_type *a, const struct pstk_actor_type *b)
{
	bool same = a->port_count == b->port_count;

	for (unsigned p = 0; same && p < a->port_count; p++) {
		const struct pstk_port *m = &a->ports[p], *n = &b->ports[p];

		same = same_text(m->name, n->name) && m->kind == n->kind && m->token_size == n->token_size &&
		       same_text(m->token_type, n->token_type) && m->rate == n->rate &&
		       m->history == n->history && m->peek == n->peek;
	}
	return same;
}

static bool same_places(const struct pstk_actor *a, const struct pstk_actor *b)
{
	const char *place;
	unsigned i = 0;

	while ((place = pstk_actor_place_name(a, i)) && same_text(place, pstk_actor_place_name(b, i)))
		i++;
	return !place && !pstk_actor_place_name(b, i);
}

static bool same_actor(const struct pstk_actor *a, const struct pstk_actor *b)
{
	const struct pstk_actor_type *m = pstk_actor_get_type(a), *n = pstk_actor_get_type(b);

	return same_text(pstk_actor_name(a), pstk_actor_name(b)) && same_text(m->name, n->name) &&
	       same_ports(m, n) && m->control_values == n->control_values && m->stateless == n->stateless &&
	       m->kahn == n->kahn && pstk_actor_core(a) == pstk_actor_core(b) &&
	       pstk_actor_given_steps(a) == pstk_actor_given_steps(b) && same_places(a, b) &&
	       pstk_actor_steps(a) == pstk_actor_steps(b) &&
	       pstk_actor_repetitions(a) == pstk_actor_repetitions(b) &&
	       pstk_actor_given_concurrency(a) == pstk_actor_given_concurrency(b) &&
	       pstk_actor_concurrency(a, NULL, 0) == pstk_actor_concurrency(b, NULL, 0);
}

static bool same_spec(const struct pstk_fifo *a, const struct pstk_fifo *b)
{
	struct pstk_fifo_spec m, n;

	return !pstk_fifo_get_spec(a, &m) && !pstk_fifo_get_spec(b, &n) && m.rate == n.rate &&
	       m.write_rate == n.write_rate && m.read_rate == n.read_rate && m.depth == n.depth &&
	       m.delay == n.delay && m.tail == n.tail && m.capacity == n.capacity &&
	       m.token_size == n.token_size && !m.initial == !n.initial &&
	       (!m.initial || !memcmp(m.initial, n.initial, m.delay * m.token_size));
}

static bool same_fifo(const struct pstk_fifo *a, const struct pstk_fifo *b)
{
	struct pstk_fifo_info m, n;

	pstk_fifo_get_info(a, &m);
	pstk_fifo_get_info(b, &n);
	return same_text(pstk_actor_name(m.src), pstk_actor_name(n.src)) &&
	       same_text(pstk_actor_name(m.dst), pstk_actor_name(n.dst)) && m.src_port == n.src_port &&
	       m.dst_port == n.dst_port && m.rate == n.rate && m.write_rate == n.write_rate &&
	       m.delay == n.delay && m.depth == n.depth && m.history == n.history && m.tail == n.tail &&
	       m.token_size == n.token_size && m.bytes == n.bytes && m.room == n.room &&
	       m.shared == n.shared && same_spec(a, b);
}

static bool same_verdict(struct pstk_network *a, struct pstk_network *b)
{
	struct pstk_verdict m = *PSTK_VERDICT(), n = *PSTK_VERDICT();

	pstk_network_check(a, NULL, &m);
	pstk_network_check(b, NULL, &n);
	return m.result == n.result && m.rule == n.rule && m.has_value == n.has_value && m.value == n.value &&
	       m.bytes == n.bytes && m.shared_bytes == n.shared_bytes && same_text(m.reason, n.reason) &&
	       same_text(m.remedy, n.remedy);
}

static void compare(struct run *run, struct pstk_network *a, struct pstk_network *b, const char *what)
{
	if (!same_verdict(a, b))
		run_say(run, "%s: another verdict", what);
	if (pstk_network_actor_count(a) != pstk_network_actor_count(b) ||
		pstk_network_fifo_count(a) != pstk_network_fifo_count(b) ||
		pstk_network_threads(a) != pstk_network_threads(b) ||
		pstk_network_flags(a) != pstk_network_flags(b))
		run_say(run, "%s: not so many actors, FIFOs or threads, or other flags", what);
	for (unsigned i = 0; !run->message[0] && i < pstk_network_actor_count(a); i++)
		if (!same_actor(pstk_network_actor(a, i), pstk_network_actor(b, i)))
			run_say(run, "%s: actor %u is another one", what, i);
	for (unsigned i = 0; !run->message[0] && i < pstk_network_fifo_count(a); i++)
		if (!same_fifo(pstk_network_fifo(a, i), pstk_network_fifo(b, i)))
			run_say(run, "%s: FIFO %u is another one", what, i);
}

/*
 * The exchange.
 */

static struct pstk_graph *load(struct run *run, const char *text)
{
	const char *const plugins[] = { PLUGIN, NULL };
	struct pstk_graph *g =
		pstk_graph_load(test_file("random.yaml", text), PSTK_GRAPH(.plugins = plugins));

	if (!pstk_graph_network(g))
		run_say(run, "%s", pstk_graph_problem(g, 0));
	return g;
}

static char *write_back(struct run *run, const struct pstk_graph *g)
{
	char *text = NULL;
	size_t size;
	FILE *file = open_memstream(&text, &size);

	if (pstk_graph_write(g, file))
		run_say(run, "%s", pstk_graph_write_error(g));
	fclose(file);
	return text;
}

static void read_back(struct run *run, const struct pstk_graph *first, struct pstk_network *original)
{
	char *text = write_back(run, first), *again;

	graph = load(run, text);
	if (!run->message[0])
		compare(run, original, pstk_graph_network(graph), "written back by the library");
	again = run->message[0] ? NULL : write_back(run, graph);
	if (again && strcmp(text, again) != 0)
		run_say(run, "written back twice it is not the same text");
	free(text);
	free(again);
}

/* The original's are as those of the file. */
static void add_places(struct run *run)
{
	for (unsigned a = 0; a < run->net->actor_count; a++)
		if (may_move(a, pstk_actor_get_type(run->built.actors[a])))
			pstk_actor_may_move(run->built.actors[a], NULL);
}

static void exchange(struct run *run)
{
	struct net_built *built = &run->built;
	struct pstk_network *original = built->network;
	char *text = write_net(run);
	struct pstk_graph *first;

	current = run;
	graph = NULL;
	add_places(run);
	first = load(run, text);
	free(text);
	if (!run->message[0])
		compare(run, original, pstk_graph_network(first), "from a file");
	if (!run->message[0])
		read_back(run, first, original);
	pstk_graph_destroy(first);
	if (run->message[0])
		return;
	pstk_network_destroy(original);
	built->network = pstk_graph_network(graph);
	for (unsigned a = 0; a < run->net->actor_count; a++)
		built->actors[a] = pstk_network_actor(built->network, a);
	for (unsigned f = 0; f < run->net->fifo_count; f++)
		built->fifos[f] = pstk_network_fifo(built->network, f);
}

static void destroy(struct run *run)
{
	/* with a message it may not have been exchanged */
	if (run->built.network != pstk_graph_network(graph))
		pstk_network_destroy(run->built.network);
	pstk_graph_destroy(graph);
	graph = NULL;
	test_files_remove();
}

static bool open_graph(unsigned way, const char *const **devices, unsigned *count)
{
	static const struct run_exchange with_files = { .exchange = exchange, .destroy = destroy };
	void *plugin = dlopen("./" PLUGIN, RTLD_NOW | RTLD_LOCAL);
	random_types_adder **adder = plugin ? dlsym(plugin, "random_types_add") : NULL;

	(void)way;
	ck_assert_msg(adder != NULL, "%s", dlerror());
	*adder = add;
	*devices = NULL;
	*count = 0;
	run_exchange = &with_files;
	return true;
}

const struct carrier carrier_graph = { .ways = 1, .open = open_graph };
