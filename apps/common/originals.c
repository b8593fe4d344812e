/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "apps/common/originals.h"
#include "apps/common/app.h"

#include <ctype.h>
#include <glob.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

struct original {
	dev_t device;
	ino_t file;
};

static int grow(struct originals *o)
{
	size_t room = o->room ? 2 * o->room : 16;
	struct original *list = calloc(room, sizeof *list);

	if (!list)
		return app_out_of_memory();
	if (o->count)
		memcpy(list, o->list, o->count * sizeof *list);
	free(o->list);
	o->list = list;
	o->room = room;
	return 0;
}

static int add_file(struct originals *o, const char *name)
{
	struct stat status;

	if (stat(name, &status) || !S_ISREG(status.st_mode))
		return 0;
	if (o->count == o->room && grow(o))
		return EXIT_FAILED;
	o->list[o->count++] = (struct original){ status.st_dev, status.st_ino };
	return 0;
}

/* What finds all names that "%03d" may stand for; the caller frees it. NULL: out of memory. */
static char *make_pattern(const char *name)
{
	char *pattern = malloc(2 * strlen(name) + 2), *to = pattern;

	for (; pattern && *name; name++) {
		if (*name == '%') {
			*to++ = '*';
			while (isdigit((unsigned char)name[1]))
				name++;
			if (name[1])
				name++;
			continue;
		}
		if (strchr("*?[\\", *name))
			*to++ = '\\';
		*to++ = *name;
	}
	if (pattern)
		*to = '\0';
	return pattern;
}

static int add_numbered(struct originals *o, const char *name)
{
	char *pattern = make_pattern(name);
	glob_t found;
	int status = pattern ? 0 : app_out_of_memory(),
	    err = pattern ? glob(pattern, 0, NULL, &found) : GLOB_NOMATCH;

	if (err == GLOB_NOSPACE)
		status = app_out_of_memory();
	for (size_t i = 0; !err && i < found.gl_pathc && !status; i++)
		status = add_file(o, found.gl_pathv[i]);
	if (!err)
		globfree(&found);
	free(pattern);
	return status;
}

int originals_add(struct originals *o, const char *name)
{
	int status = name ? add_file(o, name) : 0;

	return status || !name || !strchr(name, '%') ? status : add_numbered(o, name);
}

bool originals_have(const struct originals *o, const char *name)
{
	struct stat status;

	if (!o->count || stat(name, &status))
		return false;
	for (size_t i = 0; i < o->count; i++)
		if (o->list[i].device == status.st_dev && o->list[i].file == status.st_ino)
			return true;
	return false;
}

void originals_free(struct originals *o)
{
	free(o->list);
	*o = (struct originals){ .list = NULL };
}
