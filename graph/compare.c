/* SPDX-License-Identifier: MIT */
/* What the file says of an actor or a pipeline, for a comparison between the processes that the network runs over. */
#include "graph/actors.h"

#include <inttypes.h>
#include <penstock/hosts.h>
#include <stdio.h>
#include <string.h>

/* A long text is cut, and its hash (FNV-1a, of 64 bits) stands for the rest. */
enum { LONGEST = 200 };

struct said {
	char text[LONGEST + 1];
	size_t length; /* of the whole */
	uint64_t hash;
};

static void say(struct said *s, const char *text)
{
	for (; *text; text++, s->length++) {
		s->hash = (s->hash ^ (unsigned char)*text) * 1099511628211u;
		if (s->length < LONGEST)
			s->text[s->length] = (char)(*text == '\n' ? ' ' : *text);
	}
}

static void say_node(struct said *s, const struct ps_node *n)
{
	if (n->kind == PS_NODE_VALUE) {
		say(s, n->text ? n->text : "");
		return;
	}
	say(s, n->kind == PS_NODE_MAP ? "{" : "[");
	for (const struct ps_node *e = n->first; e; e = e->next) {
		if (e->key) {
			say(s, e->key->text);
			say(s, ": ");
		}
		say_node(s, e);
		say(s, e->next ? ", " : "");
	}
	say(s, n->kind == PS_NODE_MAP ? "}" : "]");
}

void ps_actors_compare(struct pstk_graph *g, const char *what, const struct ps_node *n)
{
	struct said s = { .hash = 14695981039346656037u };
	char line[LONGEST + 40];

	say(&s, what);
	if (n->key) {
		say(&s, " '");
		say(&s, n->key->text);
		say(&s, "'");
	}
	say(&s, ": ");
	say_node(&s, n);
	snprintf(line, sizeof line, "%s", s.text);
	if (s.length > LONGEST)
		snprintf(line, sizeof line, "%s .., of hash %016" PRIx64, s.text, s.hash);
	pstk_network_compare(g->network, line);
	ps_actors_blame(g, n->key ? n->key : n);
}
