/* SPDX-License-Identifier: MIT */
#include "lib/machine/machine.h"
#include "lib/base/memory.h"
#include "lib/base/near_name.h"

#include <errno.h>
#include <math.h>
#include <search.h>
#include <stdlib.h>
#include <string.h>

/* An entry of the tree: places move when their array grows. */
struct ps_place_name {
	const char *name; /* the place's */
	unsigned index;
};

struct pstk_machine *pstk_machine_create(void)
{
	return ps_memory_zalloc(1, sizeof(struct pstk_machine));
}

void pstk_machine_destroy(struct pstk_machine *m)
{
	if (!m)
		return;
	tdestroy(m->names, ps_memory_free);
	for (unsigned i = 0; i < m->place_count; i++) {
		ps_memory_free(m->places[i].name);
		ps_memory_free(m->places[i].selector);
		ps_memory_free(m->places[i].address);
		ps_memory_free(m->places[i].links);
	}
	ps_memory_free(m->places);
	ps_memory_free(m->links);
	ps_memory_free(m);
}

PSTK_PRINTF(3, 4)
static int refuse(struct pstk_machine *m, int err, const char *format, ...)
{
	struct ps_text text = ps_text(m->error, sizeof m->error);
	char line[PS_MACHINE_ERROR];
	va_list ap;

	va_start(ap, format);
	vsnprintf(line, sizeof line, format, ap);
	va_end(ap);
	ps_text_add_shown(&text, line, sizeof line);
	return err;
}

static int no_memory(struct pstk_machine *m)
{
	return refuse(m, -ENOMEM, "out of memory");
}

static int compare_names(const void *a, const void *b)
{
	return strcmp(((const struct ps_place_name *)a)->name, ((const struct ps_place_name *)b)->name);
}

static int find(const struct pstk_machine *m, const char *name)
{
	struct ps_place_name key = { .name = name };
	void *found = tfind(&key, &m->names, compare_names);

	return found ? (int)(*(struct ps_place_name **)found)->index : -ENOENT;
}

int pstk_machine_find(struct pstk_machine *m, const char *name)
{
	struct ps_near_name near;
	char hint[PS_NEAR_NAME_HINT];
	int place;

	if (!m || !name)
		return -EINVAL;
	place = find(m, name);
	if (place >= 0)
		return place;
	ps_near_name_begin(&near, name);
	for (unsigned i = 0; i < m->place_count; i++)
		ps_near_name_offer(&near, m->places[i].name);
	return refuse(m, -ENOENT, "the machine has no place '%s'%s", name, ps_near_name_hint(&near, hint));
}

static bool is_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

/* Takes over the name and the selector. */
static int add_place(struct pstk_machine *m, struct ps_place place)
{
	struct ps_place *places = ps_memory_resize(m->places, m->place_count + 1, sizeof *places);
	struct ps_place_name *entry = ps_memory_zalloc(1, sizeof *entry);

	if (places)
		m->places = places;
	if (entry)
		*entry = (struct ps_place_name){ place.name, m->place_count };
	if (!places || !entry || !tsearch(entry, &m->names, compare_names)) {
		ps_memory_free(entry);
		ps_memory_free(place.name);
		ps_memory_free(place.selector);
		return no_memory(m);
	}
	m->places[m->place_count] = place;
	return (int)m->place_count++;
}

static int check_name(struct pstk_machine *m, const char *what, const char *name)
{
	if (!is_letter(*name) || strchr(name, '/'))
		return refuse(m, -EINVAL,
			"'%s' is no name of a %s: it begins with a letter, a digit or '_', and contains no "
			"'/'",
			name, what);
	return 0;
}

int pstk_machine_add_host(struct pstk_machine *m, const char *name, unsigned cores, uint64_t memory)
{
	struct ps_place place = { .cores = cores, .memory = memory };
	int err;

	if (!m || !name)
		return -EINVAL;
	err = check_name(m, "host", name);
	if (err)
		return err;
	if (!cores)
		return refuse(m, -EINVAL, "host '%s' has no core: it needs at least 1", name);
	if (find(m, name) >= 0)
		return refuse(m, -EEXIST, "host '%s' is there already", name);
	place.host = m->place_count;
	place.name = ps_memory_strdup(name);
	return place.name ? add_place(m, place) : no_memory(m);
}

int pstk_machine_add_device(
	struct pstk_machine *m, const char *host, const char *name, const char *selector, uint64_t memory)
{
	struct ps_place place = { .cores = 1, .memory = memory };
	size_t size;
	int err, owner;

	if (!m || !host || !name)
		return -EINVAL;
	err = check_name(m, "device", name);
	if (err)
		return err;
	owner = pstk_machine_find(m, host);
	if (owner < 0)
		return owner;
	if (m->places[owner].host != (unsigned)owner)
		return refuse(m, -EINVAL, "'%s' is a device: only a host has devices", host);
	place.host = (unsigned)owner;
	size = strlen(host) + strlen(name) + 2;
	place.name = ps_memory_zalloc(1, size);
	if (!place.name)
		return no_memory(m);
	snprintf(place.name, size, "%s/%s", host, name);
	if (find(m, place.name) >= 0) {
		ps_memory_free(place.name);
		return refuse(m, -EEXIST, "device '%s/%s' is there already", host, name);
	}
	if (selector && *selector && !(place.selector = ps_memory_strdup(selector))) {
		ps_memory_free(place.name);
		return no_memory(m);
	}
	return add_place(m, place);
}

int pstk_machine_set_address(struct pstk_machine *m, const char *host, const char *address)
{
	int place = pstk_machine_find(m, host);
	char *copy = NULL;

	if (place < 0)
		return place;
	if (m->places[place].host != (unsigned)place)
		return refuse(m, -EINVAL, "'%s' is a device: only a host has an address", host);
	if (address && *address && !(copy = ps_memory_strdup(address)))
		return no_memory(m);
	ps_memory_free(m->places[place].address);
	m->places[place].address = copy;
	return 0;
}

static int check_link(struct pstk_machine *m, const struct pstk_link *l, const unsigned ends[2])
{
	const struct ps_place *a = &m->places[ends[0]], *b = &m->places[ends[1]];

	if (a == b)
		return refuse(m, -EINVAL, "a link joins '%s' to itself", l->a);
	if (l->kind == PSTK_LINK_NET && (a->host != ends[0] || b->host != ends[1]))
		return refuse(m, -EINVAL, "link '%s' - '%s': a net joins two hosts", l->a, l->b);
	if (l->kind != PSTK_LINK_NET && a->host != b->host)
		return refuse(m, -EINVAL,
			"link '%s' - '%s': places of two hosts are joined by a net between the hosts", l->a,
			l->b);
	if (l->kind == PSTK_LINK_SHARED ? l->rate != 0 || l->latency != 0 || l->half : false)
		return refuse(m, -EINVAL,
			"link '%s' - '%s': a shared link copies nothing: it has no rate, latency or duplex",
			l->a, l->b);
	if (l->kind != PSTK_LINK_SHARED && !(l->rate > 0))
		return refuse(m, -EINVAL, "link '%s' - '%s': the rate is %g bytes/s, it must be above 0",
			l->a, l->b, l->rate);
	if (!(isfinite(l->latency) && l->latency >= 0))
		return refuse(m, -EINVAL, "link '%s' - '%s': the latency is %g s, it can't be below 0", l->a,
			l->b, l->latency);
	for (unsigned i = 0; i < a->link_count; i++)
		if (ps_link_other(&m->links[a->links[i]], ends[0]) == ends[1])
			return refuse(m, -EEXIST, "'%s' and '%s' have a link already", l->a, l->b);
	return 0;
}

/* Room for one more link at a place. */
static bool grow(struct ps_place *p)
{
	unsigned *links = ps_memory_resize(p->links, p->link_count + 1, sizeof *links);

	if (links)
		p->links = links;
	return links;
}

int pstk_machine_add_link(struct pstk_machine *m, const struct pstk_link *l)
{
	unsigned ends[2];
	struct ps_link *links;
	int err;

	if (!m || !l || !l->a || !l->b)
		return -EINVAL;
	if ((unsigned)l->kind > PSTK_LINK_NET)
		return refuse(
			m, -EINVAL, "link '%s' - '%s': there is no kind %u", l->a, l->b, (unsigned)l->kind);
	for (int i = 0; i < 2; i++) {
		int place = pstk_machine_find(m, i ? l->b : l->a);

		if (place < 0)
			return place;
		ends[i] = (unsigned)place;
	}
	err = check_link(m, l, ends);
	if (err)
		return err;
	links = ps_memory_resize(m->links, m->link_count + 1, sizeof *links);
	if (links)
		m->links = links;
	if (!links || !grow(&m->places[ends[0]]) || !grow(&m->places[ends[1]]))
		return no_memory(m);
	m->links[m->link_count] =
		(struct ps_link){ { ends[0], ends[1] }, l->kind, l->rate, l->latency, l->half };
	for (int i = 0; i < 2; i++) {
		struct ps_place *p = &m->places[ends[i]];

		p->links[p->link_count++] = m->link_count;
	}
	return (int)m->link_count++;
}

const char *pstk_machine_error(const struct pstk_machine *m)
{
	return m ? m->error : "";
}

unsigned pstk_machine_place_count(const struct pstk_machine *m)
{
	return m ? m->place_count : 0;
}

unsigned pstk_machine_link_count(const struct pstk_machine *m)
{
	return m ? m->link_count : 0;
}

int pstk_machine_get_place(const struct pstk_machine *m, unsigned index, struct pstk_place *place)
{
	const struct ps_place *p;

	if (!m || !place || index >= m->place_count)
		return -EINVAL;
	p = &m->places[index];
	*place = (struct pstk_place){ p->name, p->selector, p->host, p->cores, p->memory, p->address };
	return 0;
}

int pstk_machine_get_link(const struct pstk_machine *m, unsigned index, struct pstk_link *link)
{
	const struct ps_link *l;

	if (!m || !link || index >= m->link_count)
		return -EINVAL;
	l = &m->links[index];
	*link = (struct pstk_link){ m->places[l->ends[0]].name, m->places[l->ends[1]].name, l->kind, l->rate,
		l->latency, l->half };
	return 0;
}

const char *ps_link_kind_name(enum pstk_link_kind kind)
{
	static const char *const names[] = { "shared", "copy", "net" };

	return names[kind];
}
