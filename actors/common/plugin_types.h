/* SPDX-License-Identifier: MIT */
/* Plug-in types: what the plug-ins of these libraries write down of their actor types. */
#ifndef PENSTOCK_ACTORS_PLUGIN_TYPES_H
#define PENSTOCK_ACTORS_PLUGIN_TYPES_H

#include "penstock/plugin.h"

#include <stddef.h>
#include <sys/stat.h>

/* A parameter that is a member of struct s. */
#define PARAM(s, member, of_type, ...)                                                              \
	{                                                                                           \
		.name = #member, .type = of_type, .offset = offsetof(struct s, member), __VA_ARGS__ \
	}

/* A function that returns what a builder's type says of itself. */
#define BUILDER_TYPE(function, actor, s, list)                                           \
	static const struct pstk_actor_type *function(void)                              \
	{                                                                                \
		static const struct pstk_actor_type type = { .struct_size = sizeof type, \
			.name = actor,                                                   \
			.params = list,                                                  \
			.param_count = sizeof(list) / sizeof *(list),                    \
			.arg_size = sizeof(struct s) };                                  \
		return &type;                                                            \
	}

/* A parameter that is not given is empty. */
static inline const char *ps_or_null(const char *text)
{
	return *text ? text : NULL;
}

/* Does opening it to read change nothing and not wait? Then a builder may look at it, also where no file is needed. */
static inline bool ps_is_regular(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISREG(st.st_mode);
}

#endif
