/* SPDX-License-Identifier: MIT */
/* Checkpoints: what a process keeps of its state, by name. The one thing that may be allocated after the
 * start: by the process's own call. */
#include "benchmarks/dal/baseline_calls.h"

#include <stdlib.h>
#include <string.h>

struct baseline_checkpoint {
	struct baseline_checkpoint *next;
	char *name;
	size_t size;
	char data[];
};

/* Where the checkpoint's pointer is; NULL there: there is none of this name. NULL: a wrong call, or firings
 * of this process run side by side and keep nothing. */
static struct baseline_checkpoint **find(DALProcess *p, const char *name)
{
	struct baseline_process *run = baseline_process_of(p);
	struct baseline_checkpoint **at;

	if (!run || !name || run->definition->stateless)
		return NULL;
	at = &run->checkpoints;
	while (*at && strcmp((*at)->name, name) != 0)
		at = &(*at)->next;
	return at;
}

static void drop(struct baseline_checkpoint **at)
{
	struct baseline_checkpoint *old = *at;

	*at = old->next;
	free(old->name);
	free(old);
}

int DAL_create_checkpoint(const void *buf, int len, const char *name, DALProcess *p)
{
	struct baseline_checkpoint **at = find(p, name), *c;

	if (!at || len < 0 || (len && !buf))
		return -1;
	c = malloc(sizeof *c + (size_t)len);
	if (!c)
		return -1;
	*c = (struct baseline_checkpoint){ .name = strdup(name), .size = (size_t)len };
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
	struct baseline_checkpoint **at = find(p, name);

	if (!at || !*at || len < 0 || (*at)->size != (size_t)len || (len && !buf))
		return -1;
	if (len)
		memcpy(buf, (*at)->data, (size_t)len);
	return 0;
}

int DAL_destroy_checkpoint(const char *name, DALProcess *p)
{
	struct baseline_checkpoint **at = find(p, name);

	if (!at || !*at)
		return -1;
	drop(at);
	return 0;
}

void baseline_forget(struct baseline_process *p)
{
	while (p->checkpoints)
		drop(&p->checkpoints);
}
