/* SPDX-License-Identifier: MIT */
#include "tests/analysis/analysis_net.h"
#include "tests/common/common.h"

#include <stdlib.h>
#include <string.h>

enum { PORTS = 64 };

int analysis_net_fire(struct pstk_firing *f)
{
	(void)f;
	return PSTK_DONE;
}

static const struct net_table *find_table(const struct net_actor *a, const char *port)
{
	for (unsigned i = 0; i < NET_TABLES && a->tables[i].port; i++)
		if (!strcmp(a->tables[i].port, port))
			return &a->tables[i];
	return NULL;
}

static int obey(struct pstk_firing *f, uint32_t value)
{
	const struct pstk_actor *self = pstk_firing_actor(f);
	const struct net_actor *a = pstk_actor_arg(self);
	const struct pstk_actor_type *t = pstk_actor_get_type(self);

	for (unsigned p = 0; p < t->port_count; p++) {
		const struct net_table *table = find_table(a, t->ports[p].name);

		if (table)
			pstk_port_enable(f, p, value < 64 && (table->on >> value & 1));
	}
	return 0;
}

static void add_port(
	struct pstk_port *ports, unsigned *count, const struct net_actor *a, const char *name, bool reads)
{
	bool dynamic = find_table(a, name) != NULL;

	for (unsigned p = 0; p < *count; p++)
		if (!strcmp(ports[p].name, name)) /* a broadcast */
			return;
	ck_assert_uint_lt(*count, PORTS);
	ports[(*count)++] = (struct pstk_port){ .name = name,
		.kind = reads && !strcmp(name, "ctl") ? PSTK_CONTROL
		        : reads                       ? dynamic ? PSTK_DYNAMIC_INPUT : PSTK_INPUT
		        : dynamic                     ? PSTK_DYNAMIC_OUTPUT
		                                      : PSTK_OUTPUT };
}

static struct pstk_actor *add(
	struct pstk_network *net, const struct net_actor *a, const struct net_link *links, unsigned count)
{
	struct pstk_port ports[PORTS];
	unsigned port_count = 0;
	bool dynamic = false;

	for (unsigned i = 0; i < count; i++) {
		if (!strcmp(links[i].src, a->name))
			add_port(ports, &port_count, a, links[i].out, false);
		if (!strcmp(links[i].dst, a->name))
			add_port(ports, &port_count, a, links[i].in, true);
	}
	for (unsigned p = 0; p < port_count; p++)
		dynamic = dynamic || ports[p].kind == PSTK_CONTROL;
	return pstk_network_add(net, a->name,
		PSTK_ACTOR_TYPE(.name = "node", .ports = ports, .port_count = port_count, .kahn = a->kahn,
			.control_values = a->values,
			.control = a->control ? a->control
	                           : dynamic  ? obey
	                                      : NULL,
			.fire = analysis_net_fire),
		(void *)(uintptr_t)a);
}

static void look_back(struct pstk_actor *a, const char *input, uint32_t back)
{
	const struct pstk_actor_type *type = pstk_actor_get_type(a);

	for (unsigned p = 0; p < type->port_count; p++)
		if (!strcmp(type->ports[p].name, input)) {
			pstk_actor_set_rate(a, p, 1);
			pstk_actor_set_peek(a, p, 1 + back);
		}
}

struct pstk_network *analysis_net_build(const char *name, const struct net_actor *actors,
	unsigned actor_count, const struct net_link *links, unsigned link_count)
{
	struct pstk_network *net = pstk_network_create(name);
	struct pstk_actor **made = calloc(actor_count, sizeof(*made));

	pstk_network_set_threads(net, 0); /* the depths expected are those of threads */
	for (unsigned i = 0; i < actor_count; i++)
		made[i] = add(net, &actors[i], links, link_count);
	for (unsigned i = 0; i < link_count; i++) {
		struct pstk_actor *src = NULL, *dst = NULL;

		for (unsigned a = 0; a < actor_count; a++) {
			src = strcmp(actors[a].name, links[i].src) ? src : made[a];
			dst = strcmp(actors[a].name, links[i].dst) ? dst : made[a];
		}
		pstk_connect(src, links[i].out, dst, links[i].in,
			PSTK_FIFO(.write_rate = links[i].rate ? links[i].rate : 1,
				.read_rate = links[i].read_rate, .delay = links[i].delay,
				.depth = links[i].depth, .token_size = 4));
		if (links[i].back)
			look_back(dst, links[i].in, links[i].back);
	}
	free(made);
	return net;
}

struct pstk_actor *net_build_end(struct pstk_network *net, const char *name, const struct pstk_port *port)
{
	return pstk_network_add(net, name,
		PSTK_ACTOR_TYPE(.name = "end", .ports = port, .port_count = 1, .fire = analysis_net_fire),
		NULL);
}

unsigned net_actor_count(const struct net_actor *actors)
{
	unsigned n = 0;

	while (n < NET_ACTORS && actors[n].name)
		n++;
	return n;
}

unsigned net_link_count(const struct net_link *links)
{
	unsigned n = 0;

	while (n < NET_LINKS && links[n].src)
		n++;
	return n;
}
