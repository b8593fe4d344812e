/* SPDX-License-Identifier: MIT */
/* Checkpoints: what a process keeps of its state, by name. The one thing that may be allocated after the
 * start: by the process's own call. */
#include "dal/checkpoint.h"

#include "penstock/dal.h"

#include <stdlib.h>
#include <string.h>

struct ps_dal_checkpoint {
	struct ps_dal_checkpoint *next;
	char *name;
	size_t size;
	char data[];
};

/* Where the checkpoint's pointer is; NULL there: there is none of this name. NULL: a wrong call. */
static struct ps_dal_checkpoint **find(DALProcess *p, const char *name)
{
	struct ps_dal_checkpoint **at = name ? ps_dal_checkpoints_of(p) : NULL;

	while (at && *at && strcmp((*at)->name, name) != 0)
		at = &(*at)->next;
	return at;
}

static void drop(struct ps_dal_checkpoint **at)
{
	struct ps_dal_checkpoint *old = *at;

	*at = old->next;
	free(old->name);
	free(old);
}

int DAL_create_checkpoint(const void *buf, int len, const char *name, DALProcess *p)
{
	struct ps_dal_checkpoint **at = find(p, name), *c;

	if (!at || len < 0 || (len && !buf))
		return -1;
	c = malloc(sizeof *c + (size_t)len);
	if (!c)
		return -1;
	*c = (struct ps_dal_checkpoint){ .name = strdup(name), .size = (size_t)len };
	if (!c->name) {
		free(c);
		return -1;
	}
	if (len)
		memcpy(c->data, buf, (size_t)len);
	if (*at)
		drop(at);
	c->next = *at;
	*at = c;
	return 0;
}

int DAL_read_checkpoint(void *buf, int len, const char *name, DALProcess *p)
{
	struct ps_dal_checkpoint **at = find(p, name);

	if (!at || !*at || len < 0 || (*at)->size != (size_t)len || (len && !buf))
		return -1;
	if (len)
		memcpy(buf, (*at)->data, (size_t)len);
	return 0;
}

int DAL_destroy_checkpoint(const char *name, DALProcess *p)
{
	struct ps_dal_checkpoint **at = find(p, name);

	if (!at || !*at)
		return -1;
	drop(at);
	return 0;
}

void ps_dal_forget(struct ps_dal_checkpoint **checkpoints)
{
	while (*checkpoints)
		drop(checkpoints);
}
