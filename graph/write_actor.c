/* SPDX-License-Identifier: MIT */
#include "graph/write_actor.h"
#include "graph/element.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/*
 * Parameters.
 */

/* The value as text; NULL: it has none. number: room for a number's. */
static const char *value_of(
	const struct pstk_param *p, const struct pstk_actor *holder, char number[PS_NUMBER_TEXT])
{
	const char *at = (const char *)pstk_actor_arg(holder) + p->offset;

	if (!strcmp(p->type, "string"))
		return *(const char *const *)(const void *)at;
	if (!strcmp(p->type, "bool"))
		return *(const bool *)at ? "true" : "false";
	ps_element_number(p->type, at, number);
	return number;
}

static bool text_says(const struct pstk_param *p, const struct pstk_actor *holder, const char *text)
{
	char number[PS_NUMBER_TEXT];
	const char *value = value_of(p, holder, number);

	if (value == number)
		return ps_element_is(p->type, text, (const char *)pstk_actor_arg(holder) + p->offset);
	return value && !strcmp(value, text);
}

/* A list is its values with blanks between them. */
static bool list_says(const struct pstk_param *p, const struct pstk_actor *holder, const struct ps_node *list)
{
	char number[PS_NUMBER_TEXT];
	const char *rest = value_of(p, holder, number);

	for (const struct ps_node *n = list->first; n && rest; n = n->next) {
		size_t length = strlen(n->text);

		if (strncmp(rest, n->text, length) != 0 || rest[length] != (n->next ? ' ' : 0))
			return false;
		rest += length + 1;
	}
	return rest;
}

static bool says(const struct pstk_param *p, const struct pstk_actor *holder, const struct ps_node *n)
{
	return n->kind == PS_NODE_LIST ? list_says(p, holder, n) : text_says(p, holder, n->text);
}

/* NULL: the actor's type has no such parameter, or a value of it is nowhere. */
static const struct pstk_param *find_param(const struct pstk_actor *holder, const char *name)
{
	const struct pstk_actor_type *type = pstk_actor_get_type(holder);

	for (unsigned i = 0; type->arg_size && i < type->param_count; i++)
		if (!strcmp(type->params[i].name, name))
			return &type->params[i];
	return NULL;
}

/* A parameter that the file has given: as it was written, unless the value is another one now. */
static void write_given(struct ps_writer *w, const struct ps_node *n, const struct pstk_actor *holder)
{
	const struct pstk_param *p = find_param(holder, n->key->text);
	char number[PS_NUMBER_TEXT];

	if (!p || says(p, holder, n))
		ps_writer_node(w, n->key->text, n);
	else if (value_of(p, holder, number))
		ps_writer_text(w, n->key->text, value_of(p, holder, number), false);
}

/* Is it to be written though the file has not given it? */
static bool is_changed(
	const struct pstk_param *p, const struct pstk_actor *holder, const struct ps_node *actor)
{
	char number[PS_NUMBER_TEXT];

	return !ps_node_find(actor, p->name) && !ps_node_find(ps_node_find(actor, "parameters"), p->name) &&
	       value_of(p, holder, number) && !(p->default_value && text_says(p, holder, p->default_value));
}

/* What stands under `parameters`, and what the file has not given. */
static void write_more(struct ps_writer *w, const struct ps_node *actor, const struct pstk_actor *holder)
{
	const struct pstk_actor_type *type = pstk_actor_get_type(holder);
	const struct ps_node *more = ps_node_find(actor, "parameters");
	bool open = more;

	if (more)
		ps_writer_map(w, "parameters", false);
	for (const struct ps_node *n = more ? more->first : NULL; n; n = n->next)
		write_given(w, n, holder);
	for (unsigned i = 0; type->arg_size && i < type->param_count; i++) {
		char number[PS_NUMBER_TEXT];

		if (!is_changed(&type->params[i], holder, actor))
			continue;
		if (!open)
			ps_writer_map(w, "parameters", false);
		open = true;
		ps_writer_text(w, type->params[i].name, value_of(&type->params[i], holder, number), false);
	}
	if (open)
		ps_writer_close_map(w);
}

/*
 * The actor.
 */

/* From the folder of the file that names it to an absolute path. */
static void write_kernel(struct ps_writer *w, const struct ps_node *n)
{
	const char *slash = *n->text == '/' ? NULL : strrchr(n->file, '/');
	size_t folder = slash ? (size_t)(slash - n->file) + 1 : 0, size = folder + strlen(n->text) + 1;
	char *path = malloc(size), *absolute;

	if (!path) {
		w->err = w->err ? w->err : -ENOMEM;
		return;
	}
	snprintf(path, size, "%.*s%s", (int)folder, n->file, n->text);
	absolute = realpath(path, NULL); /* NULL: there is none now */
	ps_writer_text(w, "kernel", absolute ? absolute : path, n->quoted);
	free(absolute);
	free(path);
}

static bool is_settings(const char *key)
{
	return !strcmp(key, "steps") || !strcmp(key, "pin") || !strcmp(key, "concurrency") ||
	       !strcmp(key, "share") || !strcmp(key, "may_move") || !strcmp(key, "guard") ||
	       !strcmp(key, "parameters");
}

/* Places as the file has them; behind these, those that the program has added. */
static void write_places(struct ps_writer *w, const struct ps_node *actor, const struct pstk_actor *a)
{
	const struct ps_node *all = ps_node_find(actor, "may_move"),
			     *n = all && all->kind == PS_NODE_LIST ? all->first : all;
	unsigned count = 1; /* the first one is where it is mapped to */
	const char *place;

	if (!all && !pstk_actor_place_name(a, 1))
		return;
	ps_writer_list(w, "may_move", false);
	for (; n; n = n == all ? NULL : n->next, count++)
		ps_writer_node(w, NULL, n);
	while ((place = pstk_actor_place_name(a, count++)))
		ps_writer_text(w, NULL, place, false);
	ps_writer_close_list(w);
}

/* As the file has it, unless the program has guarded it since. */
static void write_guard(struct ps_writer *w, const struct ps_node *actor, const struct pstk_actor *a)
{
	const struct ps_node *guard = ps_node_find(actor, "guard");

	if (pstk_actor_guarded(a) && (!guard || strcmp(guard->text, "true") != 0))
		ps_writer_text(w, "guard", "true", false);
	else if (guard)
		ps_writer_node(w, "guard", guard);
}

static void write_settings(struct ps_writer *w, const struct pstk_actor *a)
{
	double share = pstk_actor_share(a);
	char number[PS_NUMBER_TEXT];

	if (pstk_actor_given_steps(a))
		ps_writer_number(w, "steps", pstk_actor_given_steps(a));
	if (pstk_actor_core(a) >= 0)
		ps_writer_number(w, "pin", (uint64_t)pstk_actor_core(a));
	if (pstk_actor_given_concurrency(a))
		ps_writer_number(w, "concurrency", pstk_actor_given_concurrency(a));
	if (share < 1) {
		ps_number_format(PS_FLOAT, sizeof share, &share, number);
		ps_writer_text(w, "share", number, false);
	}
}

void ps_write_actor(struct ps_writer *w, const struct ps_node *actor, const struct pstk_actor *a,
	const struct pstk_actor *holder)
{
	bool typed = ps_node_find(actor, "type");

	ps_writer_map(w, pstk_actor_name(a), false);
	for (const struct ps_node *n = actor->first; n; n = n->next)
		if (is_settings(n->key->text))
			continue;
		else if (!strcmp(n->key->text, "kernel"))
			write_kernel(w, n);
		else if (typed && strcmp(n->key->text, "type") != 0)
			write_given(w, n, holder);
		else
			ps_writer_node(w, n->key->text, n);
	if (typed)
		write_more(w, actor, holder);
	write_settings(w, a);
	write_places(w, actor, a);
	write_guard(w, actor, a);
	ps_writer_close_map(w);
}
