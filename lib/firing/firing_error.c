/* SPDX-License-Identifier: MIT */
/* Firing error: what was wrong in a firing, and what its actor says of it. */
#include "lib/firing/firing_error.h"
#include "lib/base/log.h"
#include "lib/firing/backend.h"
#include "lib/firing/firing.h"
#include "lib/firing/texts.h"
#include "lib/model/error.h"
#include "lib/model/type.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

_Thread_local struct pstk_firing *ps_firing_current;

int pstk_actor_error(struct pstk_actor *a, int err, const char *format, ...)
{
	struct pstk_firing *firing = ps_firing_current;
	char text[PS_TEXT_SIZE] = "";
	va_list ap;

	if (!a || !format)
		return err;
	va_start(ap, format);
	vsnprintf(text, sizeof text, format, ap);
	va_end(ap);
	for (char *c = text; *c; c++) /* one line */
		if (*c == '\n' || *c == '\r')
			*c = ' ';
	/* a stage's loop may run on several threads, each of which finds something wrong */
	pthread_mutex_lock(&a->network->lock);
	memcpy(firing && firing->actor == a ? firing->text : a->text, text, sizeof text);
	pthread_mutex_unlock(&a->network->lock);
	return err;
}

/* Was it fire_cl() that has returned? Of a stage in its row, too, which has no backend. */
static bool by_fire_cl(const struct pstk_firing *firing)
{
	return firing->actor->backend || firing->in_fire_cl;
}

/* The first thing that is wrong in a firing. */
PSTK_PRINTF(2, 3)
static void note(struct pstk_firing *firing, const char *format, ...)
{
	char *text = ps_texts_misuse(firing);
	va_list ap;

	if (!text)
		return;
	va_start(ap, format);
	vsnprintf(text, PS_TEXT_SIZE, format, ap);
	va_end(ap);
}

/* What fire() must have done if it wants to be called again. The network is told of the first that it has not. */
static void check_windows(struct pstk_firing *firing)
{
	const struct pstk_actor *a = firing->actor;

	for (unsigned p = 0; p < a->type.port_count && !firing->misuse[0]; p++) {
		enum ps_window_state state = firing->windows[p].state;
		const char *name = a->type.ports[p].name;

		if (by_fire_cl(firing) && state == PS_WINDOW_TAKEN)
			note(firing, "port '%s' was not asked for before PSTK_AGAIN: call pstk_cl_window()",
				name);
		else if (state == PS_WINDOW_STARTED || state == PS_WINDOW_TAKEN)
			note(firing, "port '%s' was not %s before PSTK_AGAIN: call pstk_fifo_%s_%s()", name,
				state == PS_WINDOW_TAKEN ? "started and ended" : "ended",
				ps_port_reads(a->type.ports[p].kind) ? "read" : "write",
				state == PS_WINDOW_TAKEN ? "start() and _end" : "end");
	}
}

int ps_firing_check(struct pstk_firing *firing)
{
	int rc = firing->rc;
	const struct pstk_actor *a = firing->actor;

	if (rc < 0)
		return rc;
	if (rc > PSTK_DONE && !firing->misuse[0])
		note(firing, "fire%s() returned %d: neither PSTK_AGAIN, PSTK_DONE nor a negative errno",
			by_fire_cl(firing) ? "_cl" : "", rc);
	else if (rc == PSTK_AGAIN && (firing->open || a->type.kahn))
		check_windows(firing);
	return firing->misuse[0] ? -EPROTO : 0;
}

bool ps_firing_failed(struct pstk_firing *firing)
{
	int err = ps_firing_check(firing);
	struct pstk_actor *a = firing->actor;
	char where[48];

	if (!err)
		return false;
	if (firing->rc < 0) {
		snprintf(where, sizeof where, "%s in firing %llu",
			!a->backend       ? "fire()"
			: a->type.fire_cl ? "fire_cl()"
					  : "its kernel",
			(unsigned long long)firing->index);
		ps_actor_fail(a, err, where);
		return true;
	}
	ps_network_fail(a->network, -EPROTO, "'%s' (%s), firing %llu: %s", a->name, a->type.name,
		(unsigned long long)firing->index, firing->misuse);
	return true;
}

void ps_firing_set_misuse(struct pstk_firing *firing, const char *text)
{
	if (*text)
		note(firing, "%s", text);
}

void ps_firing_misuse(struct pstk_firing *firing, const char *format, ...)
{
	const struct pstk_actor *a = firing->actor;
	char text[PS_TEXT_SIZE];
	va_list ap;

	if (firing->misuse[0])
		return;
	va_start(ap, format);
	vsnprintf(text, sizeof text, format, ap);
	va_end(ap);
	note(firing, "%s", text);
	/* fire() may use the NULL that it gets, and not return */
	ps_log(PS_TOPIC_NETWORK, PSTK_LOG_ERROR, "'%s' (%s), firing %llu: %s", a->name, a->type.name,
		(unsigned long long)firing->index, text);
}

const char *ps_firing_misused(const struct pstk_actor *a)
{
	const struct pstk_firing *firing = ps_firing_current;
	const struct ps_task *t = a->task;

	if (firing && firing->actor == a)
		return firing->misuse;
	for (unsigned i = 0; t && i < t->slot_count; i++)
		if (t->slots[i].misuse && t->slots[i].misuse[0])
			return t->slots[i].misuse;
	return "";
}
