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
	char *words[WORDS];
	unsigned count; /* more than WORDS: there are too many */
	FILE *out;
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

	if (number >= 0)
		fprintf(o->out, "move %d: %s to %s\n", number, pstk_actor_name(actor), place);
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

/* Which of its places an actor of another host is at is known there. */
static void say_places(FILE *out, const struct pstk_actor *actor)
{
	const char *at = pstk_actor_at(actor), *place, *between = at ? "; else " : "";

	fprintf(out, "%s: ", pstk_actor_name(actor));
	if (at)
		fprintf(out, "at %s", at);
	else
		fprintf(out, "of %s, which alone knows where it is: ", pstk_actor_host(actor));
	for (unsigned p = 0; (place = pstk_actor_place_name(actor, p)); p++)
		if (!at || strcmp(place, at) != 0) {
			fprintf(out, "%s%s", between, place);
			between = ", ";
		}
	fputc('\n', out);
}

static void order_places(struct order *o)
{
	for (unsigned i = 0; i < pstk_network_actor_count(o->network); i++) {
		const struct pstk_actor *actor = pstk_network_actor(o->network, i);

		if (pstk_actor_place_name(actor, 0))
			say_places(o->out, actor);
	}
}

/* The actor's first place that is another one; NULL: it has none. *has: gets whether it has this one. */
static const char *other_place(const struct pstk_actor *actor, const char *place, bool *has)
{
	const char *other = NULL, *name;

	for (unsigned p = 0; (name = pstk_actor_place_name(actor, p)); p++)
		if (!strcmp(name, place))
			*has = true;
		else if (!other)
			other = name;
	return other;
}

/* place: a host's name is the cores of its own actors. */
static void evacuate(struct order *o, struct pstk_actor *actor, const char *place, bool *has)
{
	const char *at = pstk_actor_at(actor), *host = pstk_actor_host(actor), *other;
	bool may_be_there = false;

	if (!at && !strcmp(place, "cores")) /* of this host */
		return;
	if (host && !strcmp(place, host))
		place = "cores";
	other = other_place(actor, place, &may_be_there);
	*has |= may_be_there;
	if (at && other && !strcmp(at, place))
		move(o, actor, other, 0);
	else if (!at && may_be_there && other && !*o->no)
		refuse(o, "'%.128s' is of %.64s, which alone knows where it is: move it by its name",
			pstk_actor_name(actor), host);
}

static void order_evacuate(struct order *o)
{
	unsigned count = pstk_network_actor_count(o->network);
	const char *place = o->words[1];
	struct pstk_device_info device;
	bool has = false;

	if (o->count != 2) {
		refuse(o, "expected evacuate PLACE");
		return;
	}
	for (unsigned i = 0; i < count; i++)
		evacuate(o, pstk_network_actor(o->network, i), place, &has);
	if (!has && !pstk_device_find(place, &device, NULL, 0)) /* in other words */
		for (unsigned i = 0; i < count; i++)
			evacuate(o, pstk_network_actor(o->network, i), device.selector, &has);
	if (!has)
		refuse(o, "'%.128s' is a place of no actor that may move", place);
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

char *orders_answer(struct pstk_network *network, char *line, size_t *size)
{
	struct order o = { .network = network };
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
