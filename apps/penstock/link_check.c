/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "apps/penstock/link_check.h"

#include <stdlib.h>
#include <string.h>

struct pair {
	unsigned a, b;
};

struct checking {
	struct pstk_machine *machine;
	unsigned places;
	unsigned
		*memory; /* of each place: the first one that it shares memory with, by way of shared links */
	struct pair *told;
	size_t told_count;
};

static unsigned index_of(const struct checking *c, const char *place)
{
	int index = place ? pstk_machine_find(c->machine, place) : 0;

	return index < 0 ? 0 : (unsigned)index;
}

static unsigned root_of(const struct checking *c, unsigned place)
{
	while (c->memory[place] != place)
		place = c->memory[place];
	return place;
}

/* A way over shared links alone has no hop, and so is the shortest one. */
static void join(struct checking *c)
{
	struct pstk_link l;

	for (unsigned i = 0; i < c->places; i++)
		c->memory[i] = i;
	for (unsigned i = 0; !pstk_machine_get_link(c->machine, i, &l); i++) {
		unsigned a = root_of(c, index_of(c, l.a)), b = root_of(c, index_of(c, l.b));

		if (l.kind == PSTK_LINK_SHARED)
			c->memory[a > b ? a : b] = a > b ? b : a;
	}
}

static unsigned host_of(const struct checking *c, unsigned place)
{
	struct pstk_place p = { .host = place };

	pstk_machine_get_place(c->machine, place, &p);
	return p.host;
}

/* Control values are read on the host. */
static unsigned place_of(const struct checking *c, const struct pstk_actor *a, unsigned port)
{
	unsigned place = index_of(c, pstk_actor_given_place(a));

	return pstk_actor_get_type(a)->ports[port].kind != PSTK_CONTROL ? place : host_of(c, place);
}

static bool is_unified(const struct pstk_actor *a)
{
	struct pstk_device_info device;

	return !pstk_actor_device(a, &device) && device.unified;
}

/* What a device with memory of its own maps is copied by its driver. */
static bool is_copied(const struct pstk_fifo_info *f)
{
	if (!strcmp(f->memory, "mapped") || !strcmp(f->memory, "coarse-grain SVM"))
		return !is_unified(f->src) && !is_unified(f->dst);
	return !strncmp(f->memory, "staged", strlen("staged"));
}

static bool has_link(const struct checking *c, struct pair p)
{
	struct pstk_link l;

	for (unsigned i = 0; !pstk_machine_get_link(c->machine, i, &l); i++) {
		unsigned a = index_of(c, l.a), b = index_of(c, l.b);

		if ((a == p.a && b == p.b) || (a == p.b && b == p.a))
			return true;
	}
	return false;
}

static void tell(const struct checking *c, struct pair p, const char *memory, bool copied)
{
	struct pstk_place a = { .name = "" }, b = a;

	pstk_machine_get_place(c->machine, p.a, &a);
	pstk_machine_get_place(c->machine, p.b, &b);
	app_fail(EXIT_DONE, "warning: %s '%s' - '%s' %s in the machine, but %s here (%s): the plan counts %s",
		has_link(c, p) ? "link" : "the way", a.name, b.name, copied ? "is shared" : "copies",
		copied ? "windows are copied" : "both places use one memory", memory,
		copied ? "no transfers; say kind: copy" : "transfers that there are not; say kind: shared");
}

static bool is_told(const struct checking *c, struct pair p)
{
	for (size_t i = 0; i < c->told_count; i++)
		if (c->told[i].a == p.a && c->told[i].b == p.b)
			return true;
	return false;
}

static int check_fifo(struct checking *c, const struct pstk_fifo *fifo)
{
	struct pstk_fifo_info info;
	struct pair p, *told;
	unsigned from, to;

	if (pstk_fifo_get_info(fifo, &info))
		return 0;
	from = place_of(c, info.src, info.src_port);
	to = place_of(c, info.dst, info.dst_port);
	p = from < to ? (struct pair){ from, to } : (struct pair){ to, from };
	if (host_of(c, from) != host_of(c, to)) /* its part in this process says nothing of the whole way */
		return 0;
	if (from == to || !strcmp(info.memory, "host") ||
		is_copied(&info) == (root_of(c, from) != root_of(c, to)) || is_told(c, p))
		return 0;
	told = realloc(c->told, (c->told_count + 1) * sizeof *told);
	if (!told)
		return app_out_of_memory();
	c->told = told;
	c->told[c->told_count++] = p;
	tell(c, p, info.memory, is_copied(&info));
	return 0;
}

int link_check(const struct loading *l)
{
	struct checking c = { .machine = pstk_graph_machine(l->graph) };
	int status = 0;

	if (!c.machine)
		return 0;
	c.places = pstk_machine_place_count(c.machine);
	c.memory = calloc(c.places + 1u, sizeof *c.memory);
	if (!c.memory)
		return app_out_of_memory();
	join(&c);
	for (unsigned i = 0; i < pstk_network_fifo_count(l->network) && !status; i++)
		status = check_fifo(&c, pstk_network_fifo(l->network, i));
	free(c.memory);
	free(c.told);
	return status;
}
