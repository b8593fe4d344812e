/* SPDX-License-Identifier: MIT */
#include "graph/chain.h"
#include "graph/fifos.h"
#include "graph/values.h"
#include "lib/base/text.h"

#include <string.h>

const char ps_chain_name[] = "chain";

struct chain {
	struct pstk_graph *graph;
	const char *text, *at; /* at: what is read next */
	char *words;           /* where the next word goes: all of them take no more than the text */
	struct ps_node *actors, *fifos;
	struct ps_node *actor; /* that is being read; NULL: a type is expected */
	unsigned count;
	bool wrong;
};

static struct ps_node *new_node(struct chain *c, enum ps_node_kind kind, const char *at)
{
	struct ps_node *n = ps_arena_zalloc(&c->graph->arena, sizeof *n);

	n->kind = kind;
	n->file = ps_chain_name;
	n->line = 1;
	n->column = (unsigned)(at - c->text) + 1;
	return n;
}

static struct ps_node *new_value(struct chain *c, const char *at, const char *text)
{
	struct ps_node *n = new_node(c, PS_NODE_VALUE, at);

	n->text = text;
	return n;
}

/* Puts an entry behind the last one; key: NULL in a list. */
static void append(struct ps_node *parent, const struct ps_node *key, struct ps_node *n)
{
	struct ps_node **end = &parent->first;

	while (*end)
		end = &(*end)->next;
	n->key = key;
	*end = n;
}

#define WRONG(c, at, ...)                                                                \
	do {                                                                             \
		ps_graph_wrong((c)->graph, new_node(c, PS_NODE_VALUE, at), __VA_ARGS__); \
		(c)->wrong = true;                                                       \
	} while (0)

static bool is_blank(char letter)
{
	return letter && strchr(" \t\r\n", letter);
}

/* At the next word's first letter; at the end false. */
static bool find_word(struct chain *c)
{
	while (is_blank(*c->at))
		c->at++;
	return *c->at;
}

/*
 * The word here, without its quotes: '..' takes all as it is; in ".." and outside of both a backslash takes the letter
 * behind it. equals: its first =; NULL: there is none.
 */
static char *read_word(struct chain *c, char **equals)
{
	const char *begin = c->at;
	char *word = c->words, *to = word, quote = 0;

	*equals = NULL;
	for (; *c->at && (quote || !is_blank(*c->at)); c->at++) {
		if (quote ? *c->at == quote : *c->at == '\'' || *c->at == '"') {
			quote = quote ? 0 : *c->at;
			continue;
		}
		if (*c->at == '=' && !*equals)
			*equals = to;
		if (*c->at == '\\' && quote != '\'' && c->at[1])
			c->at++;
		*to++ = *c->at;
	}
	*to = 0;
	c->words = to + 1;
	if (quote)
		WRONG(c, begin, "a %c without the one that ends it", quote);
	return word;
}

/* One that stands alone. */
static bool take_mark(struct chain *c)
{
	if (*c->at != '!' || (c->at[1] && !is_blank(c->at[1])))
		return false;
	c->at++;
	return true;
}

/* "type", "type-2", .., what no actor in front of it is called. */
static const char *name_for(struct chain *c, const char *type)
{
	const char *name = type;

	for (unsigned number = 2; ps_node_find(c->actors, name); number++)
		name = ps_arena_printf(&c->graph->arena, "%s-%u", type, number);
	return name;
}

static void begin_actor(struct chain *c, const char *at, const char *type)
{
	if (strchr(type, '!') || !*type)
		WRONG(c, at, "'%s' as a type: a ! stands between blanks", type);
	else if (strchr(type, '='))
		WRONG(c, at, "'%s' where a type is expected: TYPE KEY=VALUE .. ! TYPE ..", type);
	if (++c->count > PS_CHAIN_ACTORS)
		WRONG(c, at, "more than %d actors: write a graph file", PS_CHAIN_ACTORS);
	c->actor = new_node(c, PS_NODE_MAP, at);
	append(c->actor, new_value(c, at, "type"), new_value(c, at, type));
}

static void add_key(struct chain *c, const char *at, const char *key, char *equals)
{
	if (!equals) {
		WRONG(c, at, "'%s': expected KEY=VALUE, or ! and the next type", key);
		return;
	}
	*equals = 0;
	if (ps_node_find(c->actor, key))
		WRONG(c, at, "'%s' is here a second time", key);
	append(c->actor, new_value(c, at, key), new_value(c, at + (equals - key) + 1, equals + 1));
}

/* The key `name`, which is no key of an actor in a file. */
static const struct ps_node *take_name(struct ps_node *actor)
{
	for (struct ps_node **n = &actor->first; *n; n = &(*n)->next)
		if (!strcmp((*n)->key->text, "name")) {
			const struct ps_node *name = *n;

			*n = name->next;
			return name;
		}
	return NULL;
}

/* FIFOs from an actor in front of it, if there is one. */
static void add_fifo(struct chain *c, const struct ps_node *from, const struct ps_node *to)
{
	struct ps_node *fifo = new_node(c, PS_NODE_MAP, c->at);
	struct ps_arena *arena = &c->graph->arena;

	fifo->column = to->column;
	append(fifo, new_value(c, c->at, "from"),
		new_value(c, c->text + from->column - 1, ps_arena_printf(arena, "%s.", from->text)));
	append(fifo, new_value(c, c->at, "to"),
		new_value(c, c->text + to->column - 1, ps_arena_printf(arena, "%s.", to->text)));
	append(fifo, new_value(c, c->at, "rate"), new_value(c, c->text + to->column - 1, "$rate"));
	append(c->fifos, NULL, fifo);
}

static void end_actor(struct chain *c, const struct ps_node **former)
{
	const struct ps_node *name = take_name(c->actor), *key = c->actor->first;

	if (!ps_value_name(c->graph, name ? name : key, name ? name->text : key->text, "an actor", "$="))
		c->wrong = true;
	else if (name && ps_node_find(c->actors, name->text))
		WRONG(c, c->text + name->column - 1, "a second actor '%s'", name->text);
	key = new_value(c, c->text + c->actor->column - 1, name ? name->text : name_for(c, key->text));
	append(c->actors, key, c->actor);
	if (*former)
		add_fifo(c, *former, key);
	*former = key;
	c->actor = NULL;
}

static void read_actors(struct chain *c)
{
	const struct ps_node *former = NULL;

	while (!c->wrong && find_word(c)) {
		const char *at = c->at;
		char *equals, *word;

		if (take_mark(c)) {
			if (c->actor)
				end_actor(c, &former);
			else
				WRONG(c, at, "a ! without an actor in front of it");
			continue;
		}
		word = read_word(c, &equals);
		if (c->actor)
			add_key(c, at, word, equals);
		else
			begin_actor(c, at, word);
	}
	if (!c->actor && !c->wrong)
		WRONG(c, c->at, "expected a type%s: TYPE KEY=VALUE .. ! TYPE ..",
			former ? " behind the !" : "");
	else if (!c->wrong)
		end_actor(c, &former);
}

struct ps_node *ps_chain_read(struct pstk_graph *g, const char *text)
{
	struct chain c = { .graph = g, .text = text, .at = text };
	struct ps_node *root = new_node(&c, PS_NODE_MAP, text), *parameters;

	if (strlen(text) > PS_CHAIN_BYTES) {
		WRONG(&c, text, "more than %d KiB: write a graph file", PS_CHAIN_BYTES >> 10);
		return NULL;
	}
	c.words = ps_arena_zalloc(&g->arena, strlen(text) + 2);
	c.actors = new_node(&c, PS_NODE_MAP, text);
	c.fifos = new_node(&c, PS_NODE_LIST, text);
	parameters = new_node(&c, PS_NODE_MAP, text);
	append(parameters, new_value(&c, text, "rate"), new_value(&c, text, "1"));
	append(parameters, new_value(&c, text, "frames"), new_value(&c, text, ""));
	append(root, new_value(&c, text, "parameters"), parameters);
	append(root, new_value(&c, text, "actors"), c.actors);
	append(root, new_value(&c, text, "fifos"), c.fifos);
	read_actors(&c);
	return c.wrong ? NULL : root;
}

void ps_chain_limit(struct pstk_graph *g, const struct ps_node *root)
{
	static const char value[] = "$frames";
	struct ps_node *actor = ps_node_find(root, "actors")->first;
	struct chain c = { .graph = g, .text = g->chain };

	if (!*pstk_graph_parameter(g, value + 1))
		return;
	/* behind what the chain says, which is looked at, too: the last one counts */
	c.at = g->chain + actor->column - 1;
	append(actor, new_value(&c, c.at, value + 1), new_value(&c, c.at, value));
}

/*
 * Connecting.
 */

bool ps_chain_is_end(const struct ps_end *end)
{
	return !*end->port && end->node->file == ps_chain_name;
}

/* The number of the next output or input from `port` on, without this one; the port count: there is none. */
static unsigned next_port(const struct pstk_actor_type *type, unsigned port, bool output, const char *without)
{
	for (; port < type->port_count; port++) {
		enum pstk_port_kind kind = type->ports[port].kind;

		if ((kind == PSTK_OUTPUT || kind == PSTK_DYNAMIC_OUTPUT) == output && kind != PSTK_CONTROL &&
			(!without || strcmp(type->ports[port].name, without) != 0))
			break;
	}
	return port;
}

static unsigned count_ports(const struct pstk_actor_type *type, bool output, const char *without)
{
	unsigned count = 0;

	for (unsigned p = next_port(type, 0, output, without); p < type->port_count;
		p = next_port(type, p + 1, output, without))
		count++;
	return count;
}

static bool has_control(const struct pstk_actor_type *type)
{
	for (unsigned p = 0; p < type->port_count; p++)
		if (type->ports[p].kind == PSTK_CONTROL)
			return true;
	return false;
}

/* Does it move as many tokens in a step as its port or its parameters say, not one? */
static bool is_multirate(const struct pstk_actor_type *type, const struct pstk_port *port)
{
	return type->rates || port->rate > 1;
}

static void set_steps(struct pstk_actor *a, const struct pstk_port *port, uint32_t rate)
{
	if ((pstk_actor_get_type(a)->rates || port->rate) && !pstk_actor_given_steps(a))
		pstk_actor_set_steps(a, rate);
}

/* What the parameter `rate` says: the rate of a FIFO between ports that declare none, or one token a step; where one of
 * both moves more, the steps of the actors, from which the library has the FIFO's rates: then 0. */
static uint32_t take_rate(struct pstk_actor *from, const struct pstk_port *out, struct pstk_actor *to,
	const struct pstk_port *in, uint32_t rate)
{
	if (!is_multirate(pstk_actor_get_type(from), out) && !is_multirate(pstk_actor_get_type(to), in))
		return rate > 1 || (!out->rate && !in->rate) ? rate : 0;
	if (rate > 1) {
		set_steps(from, out, rate);
		set_steps(to, in, rate);
	}
	return 0;
}

static void connect_ports(struct pstk_graph *g, const struct ps_link *l, unsigned out, unsigned in,
	uint32_t rate, uint32_t delay)
{
	const struct pstk_actor_type *from = pstk_actor_get_type(l->from.entry->actor),
				     *to = pstk_actor_get_type(l->to.entry->actor);
	struct pstk_fifo_spec spec = pstk_fifo_spec_init();
	struct ps_link link = *l;

	link.all = l->from.node; /* which says nothing */
	link.from.port = from->ports[out].name;
	link.to.port = to->ports[in].name;
	spec.rate =
		take_rate(l->from.entry->actor, &from->ports[out], l->to.entry->actor, &to->ports[in], rate);
	spec.delay = delay;
	ps_fifo_connect(g, &link, &spec);
}

void ps_chain_connect(struct pstk_graph *g, const struct ps_link *l)
{
	const struct ps_entry *a = l->from.entry, *b = l->to.entry;
	const struct pstk_actor_type *from = pstk_actor_get_type(a->actor),
				     *to = pstk_actor_get_type(b->actor);
	const char *before = b->type ? b->type->before : NULL;
	unsigned outs = count_ports(from, true, NULL), ins = count_ports(to, false, before), out, in;
	uint32_t rate;

	if (!ps_value_u32(g, ps_node_find(l->all, "rate"), 1, &rate))
		return;
	if (has_control(to) || !outs || outs != ins) {
		ps_graph_wrong(g, l->to.node,
			"%u output%s of '%s' (%s), %u input%s of '%s' (%s)%s: a chain connects as many "
			"inputs as "
			"outputs: write a graph file",
			outs, ps_plural(outs), a->node->key->text, from->name, ins, ps_plural(ins),
			b->node->key->text, to->name, has_control(to) ? " and its control port" : "");
		return;
	}
	out = next_port(from, 0, true, NULL);
	in = next_port(to, 0, false, before);
	for (; out < from->port_count; out = next_port(from, out + 1, true, NULL)) {
		connect_ports(g, l, out, in, rate, 0);
		in = next_port(to, in + 1, false, before);
	}
	for (in = 0; before && in < to->port_count; in++)
		if (!strcmp(to->ports[in].name, before))
			connect_ports(g, l, next_port(from, 0, true, NULL), in, rate, 1);
}
