/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "apps/penstock/orders.h"
#include "apps/common/arguments.h"

#include <penstock/hosts.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WORDS = 6, REASON = 512 };

struct order {
	struct pstk_network *network;
	const struct pstk_machine *machine; /* NULL: none */
	char *words[WORDS];
	unsigned count; /* more than WORDS: there are too many */
	FILE *out;
	bool moved;      /* one was asked to */
	char no[REASON]; /* why it is refused; "": it is not */
};

static void refuse(struct order *o, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void refuse(struct order *o, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(o->no, sizeof o->no, format, arguments);
	va_end(arguments);
}

/* Asks, and says the move's number or why not. */
static void move(struct order *o, struct pstk_actor *actor, const char *place, uint64_t firing)
{
	int number = pstk_actor_migrate(actor, strcmp(place, "cores") != 0 ? place : NULL, firing);

	o->moved |= number >= 0;
	if (number >= 0)
		fprintf(o->out, "move %d: %s to %s: asked\n", number, pstk_actor_name(actor), place);
	else if (!*o->no)
		pstk_network_move_refusal(o->network, o->no, sizeof o->no);
}

static void order_move(struct order *o)
{
	bool late = o->count == 5 && !strcmp(o->words[3], "at");
	uint64_t firing = 0;

	if ((o->count != 3 && !late) ||
		(late && !arguments_number(o->words[4], '\0', 0, UINT64_MAX, &firing))) {
		refuse(o, "expected move ACTOR PLACE [at FIRING]");
		return;
	}
	for (unsigned i = 0; i < pstk_network_actor_count(o->network); i++) {
		struct pstk_actor *actor = pstk_network_actor(o->network, i);

		if (!strcmp(pstk_actor_name(actor), o->words[1])) {
			move(o, actor, o->words[2], firing);
			return;
		}
	}
	refuse(o, "the network has no actor '%.128s'", o->words[1]);
}

static void order_moves(struct order *o)
{
	pstk_network_print_moves(o->network, o->out);
}

/* Has a guarded actor lost this place? The moves that are kept say so. */
static bool has_failed(const struct order *o, const struct pstk_actor *actor, const char *place)
{
	struct pstk_move m = PSTK_MOVE();

	if (!pstk_actor_guarded(actor))
		return false;
	for (int i = 0; (i = pstk_network_kept_move(o->network, (unsigned)i)) >= 0; i++)
		if (!pstk_network_move(o->network, (unsigned)i, &m) && m.actor == actor &&
			m.state == PSTK_MOVE_DONE && m.err && !strcmp(m.from, place))
			return true;
	return false;
}

/* Which of its places an actor of another host is at is known there. */
static void say_places(const struct order *o, const struct pstk_actor *actor)
{
	const char *at = pstk_actor_at(actor), *place, *between = at ? "; else " : "";

	fprintf(o->out, "%s: ", pstk_actor_name(actor));
	if (at)
		fprintf(o->out, "at %s", at);
	else
		fprintf(o->out, "of %s, which alone knows where it is: ", pstk_actor_host(actor));
	for (unsigned p = 0; (place = pstk_actor_place_name(actor, p)); p++)
		if (!at || strcmp(place, at) != 0) {
			fprintf(o->out, "%s%s%s", between, place,
				has_failed(o, actor, place) ? " (failed)" : "");
			between = ", ";
		}
	fputc('\n', o->out);
}

static void order_places(struct order *o)
{
	for (unsigned i = 0; i < pstk_network_actor_count(o->network); i++) {
		const struct pstk_actor *actor = pstk_network_actor(o->network, i);

		if (pstk_actor_place_name(actor, 0))
			say_places(o, actor);
	}
}

/* A place that actors are to leave: in the machine's words, and in those of actors that are of its host. */
struct left {
	const char *place;
	const char *selector; /* NULL: it is no device of the machine */
	const char *device;   /* the one that the selector, or the place, means here; NULL: none */
	bool found;           /* some actor has it */
};

/* What this actor calls it. */
static const char *name_of(const struct left *left, const struct pstk_actor *actor)
{
	const char *host = pstk_actor_host(actor), *rest = strchr(left->place, '/');
	size_t length = rest ? (size_t)(rest - left->place) : 0;

	if (host && !strcmp(left->place, host)) /* the cores of its own actors */
		return "cores";
	if (!left->selector)
		return left->place;
	if (host && (strlen(host) != length || strncmp(host, left->place, length) != 0))
		return left->place;
	return pstk_actor_at(actor) && left->device ? left->device : left->selector;
}

/* The actor's first place that is another one and lives; NULL: it has none. */
static const char *other_place(
	const struct order *o, const struct pstk_actor *actor, const char *place, bool *has, bool *others)
{
	const char *other = NULL, *name;

	for (unsigned p = 0; (name = pstk_actor_place_name(actor, p)); p++)
		if (!strcmp(name, place)) {
			*has = true;
		} else {
			*others = true;
			if (!other && !has_failed(o, actor, name))
				other = name;
		}
	return other;
}

static void evacuate(struct order *o, struct pstk_actor *actor, struct left *left)
{
	const char *at = pstk_actor_at(actor), *place = name_of(left, actor), *other;
	bool may_be_there = false, others = false;

	if (!at && !strcmp(left->place, "cores")) /* of this host */
		return;
	other = other_place(o, actor, place, &may_be_there, &others);
	left->found |= may_be_there;
	if (at && other && !strcmp(at, place))
		move(o, actor, other, 0);
	else if (at && others && !strcmp(at, place) && !*o->no)
		refuse(o, "'%.128s' stays at %.64s: all of its other places have failed",
			pstk_actor_name(actor), at);
	else if (!at && may_be_there && other && !*o->no)
		refuse(o, "'%.128s' is of %.64s, which alone knows where it is: move it by its name",
			pstk_actor_name(actor), pstk_actor_host(actor));
}

static void evacuate_all(struct order *o, struct left *left)
{
	for (unsigned i = 0; i < pstk_network_actor_count(o->network); i++)
		evacuate(o, pstk_network_actor(o->network, i), left);
}

/* What the machine says of the place. NULL: it has none of this name, or that is no device. */
static const char *selector_of(const struct pstk_machine *machine, const char *place)
{
	struct pstk_place p;

	for (unsigned i = 0; machine && !pstk_machine_get_place(machine, i, &p); i++)
		if (!strcmp(p.name, place))
			return p.selector;
	return NULL;
}

static void order_evacuate(struct order *o)
{
	struct left left = { .place = o->words[1] };
	struct pstk_device_info device;

	if (o->count != 2) {
		refuse(o, "expected evacuate PLACE");
		return;
	}
	left.selector = selector_of(o->machine, left.place);
	if (!pstk_device_find(left.selector ? left.selector : left.place, &device, NULL, 0))
		left.device = device.selector;
	evacuate_all(o, &left);
	if (!left.found && left.device && !left.selector) { /* in other words */
		left.place = left.device;
		evacuate_all(o, &left);
	}
	if (!left.found)
		refuse(o, "'%.128s' is a place of no actor that may move", o->words[1]);
	else if (!o->moved && !*o->no)
		fprintf(o->out, "no actor that may move is at %s\n", o->words[1]);
}

static void order_stop(struct order *o)
{
	pstk_network_stop(o->network);
}

static void split(struct order *o, char *line)
{
	const char *apart = strchr(line, '\t') ? "\t" : " ";
	char *rest = NULL;

	for (char *word = strtok_r(line, apart, &rest); word; word = strtok_r(NULL, apart, &rest)) {
		if (o->count < WORDS)
			o->words[o->count] = word;
		o->count++;
	}
}

static void obey(struct order *o)
{
	static const struct {
		const char *name;
		unsigned most; /* words */
		void (*obey)(struct order *);
	} orders[] = { { "move", WORDS, order_move }, { "moves", 1, order_moves },
		{ "places", 1, order_places }, { "evacuate", WORDS, order_evacuate },
		{ "stop", 1, order_stop } };

	for (unsigned i = 0; o->count && i < sizeof orders / sizeof *orders; i++)
		if (!strcmp(o->words[0], orders[i].name) && o->count <= orders[i].most) {
			orders[i].obey(o);
			return;
		}
	refuse(o, "'%.128s': expected move ACTOR PLACE [at FIRING], moves, places, evacuate PLACE or stop",
		o->count ? o->words[0] : "");
}

char *orders_answer(
	struct pstk_network *network, const struct pstk_machine *machine, char *line, size_t *size)
{
	struct order o = { .network = network, .machine = machine };
	char *rest = NULL, *answer = NULL;
	size_t length;

	o.out = open_memstream(&rest, &length);
	if (!o.out)
		return NULL;
	split(&o, line);
	obey(&o);
	if (fclose(o.out) || asprintf(&answer, "%s%s\n%s", *o.no ? "no " : "ok", o.no, rest) < 0)
		answer = NULL;
	free(rest);
	*size = answer ? strlen(answer) : 0;
	return answer;
}
