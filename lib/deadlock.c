/* SPDX-License-Identifier: MIT */
/* What a deadlock looks like in words: one line for the network's error, all of it for the log. */
#include "lib/detector.h"
#include "lib/error.h"
#include "lib/log.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

/* Of the error's line: a name, what is kept for how many actors are left out, for the mend. Whatever the names are, two
 * waits fit in between, so that it is never cut where it matters. */
enum { NAME = 32, LEFT_OUT = 24, MEND = 192, WAIT = 480 };

/* A name of at most `most` bytes, whole letters of UTF-8 and ".." where it is longer. */
static const char *shorten(const char *name, size_t most, char *buffer, size_t size)
{
	size_t length = strlen(name), cut = most - 2;

	if (length <= most)
		return name;
	while (cut && ((unsigned char)name[cut] & 0xC0) == 0x80)
		cut--;
	snprintf(buffer, size, "%.*s..", (int)cut, name);
	return buffer;
}

static const struct pstk_fifo *fifo_of(const struct pstk_actor *a)
{
	return (const struct pstk_fifo *)a->dead.end->fifo;
}

static bool waits_for_room(const struct pstk_actor *a)
{
	return a->dead.end == &a->dead.end->fifo->writer;
}

/* "conf (firing 10) waits for room on ctl_b [rate 1, 2/2] <- b" */
static void say_wait(const struct pstk_actor *a, size_t most, char *text, size_t size)
{
	char self[NAME + 1], port[NAME + 1], other[NAME + 1];
	const struct pstk_fifo *f = fifo_of(a);
	unsigned p = waits_for_room(a) ? f->src_port : f->dst_port;

	snprintf(text, size, "%s (firing %llu) waits for %s on %s [rate %u, %llu/%llu] <- %s",
		shorten(a->name, most, self, sizeof self), (unsigned long long)a->dead.firing,
		waits_for_room(a) ? "room" : "tokens",
		shorten(a->type.ports[p].name, most, port, sizeof port), f->fifo.layout.rate,
		(unsigned long long)a->dead.fill, (unsigned long long)a->dead.capacity,
		shorten(ps_detector_other(a->dead.end)->name, most, other, sizeof other));
}

/* The first of the cycle that waits for room, whose FIFO may be deeper; NULL: none. */
static const struct pstk_actor *find_full(const struct pstk_actor *a, unsigned count)
{
	for (unsigned i = 0; i < count; i++, a = ps_detector_other(a->dead.end))
		if (waits_for_room(a))
			return a;
	return NULL;
}

static void say_mend(const struct pstk_actor *a, unsigned count, size_t most, char *text, size_t size)
{
	const struct pstk_actor *full = find_full(a, count);
	char src[NAME + 1], port[NAME + 1];
	const struct pstk_fifo *f = fifo_of(full ? full : a);

	if (full)
		snprintf(text, size, "give %s.%s more room: a depth above %u",
			shorten(f->src->name, most, src, sizeof src),
			shorten(f->src->type.ports[f->src_port].name, most, port, sizeof port),
			f->fifo.layout.depth);
	else
		snprintf(text, size,
			"one of these FIFOs needs initial tokens (a delay of its rate), or a control table "
		        "must turn "
			"both its ends on at once");
}

/* The line of the network's error: as many waits as fit. */
static void say_line(const struct pstk_actor *first, unsigned count, char *line)
{
	char wait[WAIT], mend[MEND];
	size_t used = (size_t)snprintf(line, PS_ERROR_SIZE, "deadlock: ");
	const struct pstk_actor *a = first;
	unsigned i = 0;

	say_mend(first, count, NAME, mend, sizeof mend);
	for (; i < count; i++, a = ps_detector_other(a->dead.end)) {
		say_wait(a, NAME, wait, sizeof wait);
		if (used + strlen(wait) + 2 + (i + 1 < count ? LEFT_OUT : 0) + strlen(mend) >= PS_ERROR_SIZE)
			break;
		used += (size_t)snprintf(line + used, PS_ERROR_SIZE - used, "%s; ", wait);
	}
	if (i < count)
		used += (size_t)snprintf(line + used, PS_ERROR_SIZE - used, ".. %u more; ", count - i);
	snprintf(line + used, PS_ERROR_SIZE - used, "%s", mend);
}

void ps_deadlock_report(struct pstk_actor *first, unsigned count)
{
	char line[PS_ERROR_SIZE], wait[2 * WAIT], mend[2 * WAIT];
	const struct pstk_actor *a = first;

	say_line(first, count, line);
	ps_log(PS_TOPIC_NETWORK, PSTK_LOG_ERROR,
		"%s: deadlock, %u actor%s wait for each other:", first->network->name, count,
		count == 1 ? "" : "s");
	for (unsigned i = 0; i < count; i++, a = ps_detector_other(a->dead.end)) {
		say_wait(a, SIZE_MAX, wait, sizeof wait);
		ps_log(PS_TOPIC_NETWORK, PSTK_LOG_ERROR, "%s:   %s", first->network->name, wait);
	}
	say_mend(first, count, SIZE_MAX, mend, sizeof mend);
	ps_log(PS_TOPIC_NETWORK, PSTK_LOG_ERROR, "%s:   %s", first->network->name, mend);
	ps_network_fail(first->network, -EDEADLK, "%s", line);
}
