/* SPDX-License-Identifier: MIT */
#include "graph/plugins.h"
#include "lib/base/near_name.h"

#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

struct ps_plugin {
	const char *path;
	void *handle;
	const struct pstk_plugin *is;
	struct ps_plugin *next;
};

struct ps_plugins {
	struct ps_plugin *first, **end;
	bool lack; /* of a type that is like none that they have */
	/* what is open while there may be no memory */
	void *handle;
	DIR *folder;
};

static const struct pstk_plugin_type *find(
	const struct pstk_graph *g, const char *name, const struct ps_plugin **in)
{
	for (const struct ps_plugin *p = g->plugins->first; p; p = p->next)
		for (unsigned i = 0; i < p->is->type_count; i++)
			if (!strcmp(p->is->types[i].type()->name, name)) {
				*in = p;
				return &p->is->types[i];
			}
	return NULL;
}

enum { MOST_PORTS = 4096, MOST_PARAMS = 65536 };

/* A text says what is wrong with it; NULL: nothing. */
static const char *fault_of(const struct pstk_plugin_type *t)
{
	const struct pstk_actor_type *type = t->type ? t->type() : NULL;

	if (!t->type)
		return "a type without type()";
	if (!type)
		return "a type() that returns NULL";
	if (!type->name || !*type->name)
		return "a type without a name";
	if (type->port_count > MOST_PORTS || (type->port_count && !type->ports))
		return "a type with ports, but no list of them, or of more than 4096";
	if (type->param_count > MOST_PARAMS || (type->param_count && !type->params))
		return "a type with parameters, but no list of them, or of more than 65536";
	if (t->format && strcmp(t->format, "gray8") != 0 && strcmp(t->format, "any") != 0)
		return "a type with a format that is neither gray8 nor any";
	return t->close && !t->add ? "a type with close(), but without add()" : NULL;
}

/* Has a type before number i of its list this name? */
static bool has_before(const struct pstk_plugin *is, unsigned i, const char *name)
{
	while (i-- > 0)
		if (!strcmp(is->types[i].type()->name, name))
			return true;
	return false;
}

static bool check_types(struct pstk_graph *g, const char *path, const struct pstk_plugin *is)
{
	for (unsigned i = 0; i < is->type_count; i++) {
		const char *fault = fault_of(&is->types[i]), *name = fault ? NULL : is->types[i].type()->name;
		const struct ps_plugin *other = NULL;

		if (fault)
			ps_graph_wrong(g, NULL, "%s: %s, number %u of its list", path, fault, i);
		else if (has_before(is, i, name))
			ps_graph_wrong(g, NULL, "%s: two types '%s'", path, name);
		else if (find(g, name, &other))
			ps_graph_wrong(
				g, NULL, "%s: it has a type '%s', and so has %s", path, name, other->path);
		else
			continue;
		return false;
	}
	return true;
}

/* One plug-in comes in place of a former one of its name: of a build in place of the one that is installed. */
static void replace(struct ps_plugins *plugins, const char *name)
{
	struct ps_plugin **p = &plugins->first;

	while (*p && strcmp((*p)->is->name, name) != 0)
		p = &(*p)->next;
	if (!*p)
		return;
	dlclose((*p)->handle);
	*p = (*p)->next;
	for (plugins->end = &plugins->first; *plugins->end;)
		plugins->end = &(*plugins->end)->next;
}

static const struct pstk_plugin *check(struct pstk_graph *g, const char *path, void *handle)
{
	const struct pstk_plugin *is = dlsym(handle, "pstk_plugin");

	if (!is)
		ps_graph_wrong(g, NULL, "%s: no plug-in: it has no symbol pstk_plugin", path);
	else if (is->abi != PSTK_PLUGIN_ABI)
		ps_graph_wrong(g, NULL,
			"%s: it was built for plug-ins of ABI %u, this library has ABI %u: build it anew",
			path, is->abi, PSTK_PLUGIN_ABI);
	else if (!is->name || !*is->name)
		ps_graph_wrong(g, NULL, "%s: a plug-in without a name", path);
	else if (!is->types && is->type_count)
		ps_graph_wrong(g, NULL, "%s: %u types, but no list of them", path, is->type_count);
	else {
		replace(g->plugins, is->name);
		return check_types(g, path, is) ? is : NULL;
	}
	return NULL;
}

static void load(struct pstk_graph *g, const char *path)
{
	struct ps_plugin *p = ps_arena_zalloc(&g->arena, sizeof *p);
	/* a name without a slash would be looked for in the system's folders */
	const char *name = strchr(path, '/') ? path : ps_arena_printf(&g->arena, "./%s", path);

	p->path = ps_arena_text(&g->arena, path, strlen(path));
	ps_graph_use_file(g, NULL, NULL, path, false);
	g->plugins->handle = dlopen(name, RTLD_NOW | RTLD_LOCAL);
	if (!g->plugins->handle) {
		ps_graph_wrong(g, NULL, "%s", dlerror());
		return;
	}
	p->is = check(g, p->path, g->plugins->handle);
	if (p->is) {
		p->handle = g->plugins->handle;
		*g->plugins->end = p;
		g->plugins->end = &p->next;
	} else {
		dlclose(g->plugins->handle);
	}
	g->plugins->handle = NULL;
}

struct name {
	char *path;
	struct name *next;
};

/* Into a list that is sorted, so that the order is the same everywhere. */
static void insert(struct pstk_graph *g, struct name **list, const char *folder, const char *file)
{
	struct name *name = ps_arena_zalloc(&g->arena, sizeof *name);

	name->path = ps_arena_printf(&g->arena, "%s/%s", folder, file);
	while (*list && strcmp((*list)->path, name->path) < 0)
		list = &(*list)->next;
	name->next = *list;
	*list = name;
}

static void load_folder(struct pstk_graph *g, const char *folder)
{
	struct name *names = NULL;
	const struct dirent *e;

	g->plugins->folder = opendir(folder);
	if (!g->plugins->folder) {
		ps_graph_wrong(g, NULL, "%s: %s", folder, strerror(errno));
		return;
	}
	while ((e = readdir(g->plugins->folder))) {
		size_t length = strlen(e->d_name);

		if (*e->d_name != '.' && length > 3 && !strcmp(e->d_name + length - 3, ".so"))
			insert(g, &names, folder, e->d_name);
	}
	closedir(g->plugins->folder);
	g->plugins->folder = NULL;
	for (; names; names = names->next)
		load(g, names->path);
}

static void load_named(struct pstk_graph *g, const char *path)
{
	struct stat st;

	if (*path != '/')
		ps_graph_wrong(g, NULL,
			"PENSTOCK_PLUGINS: '%s': expected an absolute path, of a file or a folder", path);
	else if (stat(path, &st) == 0 && S_ISDIR(st.st_mode))
		load_folder(g, path);
	else
		load(g, path);
}

static void load_list(struct pstk_graph *g, const char *list)
{
	while (list && *list) {
		size_t length = strcspn(list, ":");

		if (length)
			load_named(g, ps_arena_text(&g->arena, list, length));
		list += length + (list[length] == ':');
	}
}

void ps_plugins_load(struct pstk_graph *g, const char *const *files)
{
	struct stat st;

	g->plugins = ps_arena_zalloc(&g->arena, sizeof *g->plugins);
	g->plugins->end = &g->plugins->first;
	if (stat(PENSTOCK_PLUGIN_FOLDER, &st) == 0)
		load_folder(g, PENSTOCK_PLUGIN_FOLDER);
	load_list(g, getenv("PENSTOCK_PLUGINS"));
	for (unsigned i = 0; files && files[i]; i++)
		load(g, files[i]);
}

const struct pstk_plugin_type *ps_plugins_find(struct pstk_graph *g, const struct ps_node *name)
{
	const struct ps_plugin *in;
	const struct pstk_plugin_type *type = find(g, name->text, &in);
	struct ps_near_name near;
	const char *meant;

	if (type)
		return type;
	ps_near_name_begin(&near, name->text);
	for (in = g->plugins->first; in; in = in->next)
		for (unsigned i = 0; i < in->is->type_count; i++)
			ps_near_name_offer(&near, in->is->types[i].type()->name);
	meant = ps_near_name_meant(&near);
	if (meant)
		ps_graph_wrong(
			g, name, "no plug-in has an actor type '%s'; did you mean '%s'?", name->text, meant);
	else
		ps_graph_wrong(g, name, "no plug-in has an actor type '%s'", name->text);
	g->plugins->lack |= !meant;
	return NULL;
}

void ps_plugins_advise(struct pstk_graph *g)
{
	if (g->plugins->lack)
		ps_graph_wrong(g, NULL,
			"'penstock actors' lists the actor types; those of other plug-ins need "
			"PENSTOCK_PLUGINS, or --plugin FILE");
}

const struct pstk_plugin *pstk_graph_plugin(const struct pstk_graph *g, unsigned index, const char **file)
{
	const struct ps_plugin *p = g && g->plugins ? g->plugins->first : NULL;

	while (p && index-- > 0)
		p = p->next;
	if (p && file)
		*file = p->path;
	return p ? p->is : NULL;
}

void ps_plugins_unload(struct pstk_graph *g)
{
	if (!g->plugins)
		return;
	if (g->plugins->handle)
		dlclose(g->plugins->handle);
	if (g->plugins->folder)
		closedir(g->plugins->folder);
	for (struct ps_plugin *p = g->plugins->first; p; p = p->next)
		dlclose(p->handle);
	g->plugins = NULL;
}
