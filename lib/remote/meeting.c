/* SPDX-License-Identifier: MIT */
#include "lib/remote/meeting.h"
#include "lib/base/clock.h"
#include "lib/base/relax.h"
#include "lib/remote/pace.h"

#include <errno.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>

/* Only so that it can be found. */
static _Atomic(struct ps_given_up *) given_up;

void ps_meeting_give_up(struct ps_given_up *g)
{
	g->next = atomic_load(&given_up);
	while (!atomic_compare_exchange_weak(&given_up, &g->next, g))
		;
}

/* What the transport says about its last error. */
static const char *cause(const struct ps_meeting *m)
{
	const char *text = m->transport->error(m->transport->self);

	return text && *text ? text : "it doesn't say why";
}

static int blame_transport(struct ps_meeting *m, int err)
{
	snprintf(m->text, m->size, "%s: %s", m->transport->name, cause(m));
	return err;
}

int ps_meeting_open(struct ps_meeting *m, const struct pstk_transport_channel *channels, uint32_t count)
{
	int err;

	if (m->transport->struct_size < sizeof *m->transport) {
		snprintf(m->text, m->size, "%s: its table has %u bytes, not %zu: another version?",
			m->transport->name, m->transport->struct_size, sizeof *m->transport);
		return -EINVAL;
	}
	err = m->transport->open(m->transport->self, channels, count);
	m->opened = !err;
	m->moved = ps_clock_ns();
	return err ? blame_transport(m, err) : 0;
}

int ps_meeting_blame(struct ps_meeting *m, int err, uint32_t rank, const char *format, ...)
{
	int used = snprintf(m->text, m->size, "rank %u (%.200s): ", rank,
		m->transport->host_name(m->transport->self, rank));
	va_list args;

	va_start(args, format);
	if (used >= 0 && (size_t)used < m->size)
		vsnprintf(m->text + used, m->size - (size_t)used, format, args);
	va_end(args);
	return err;
}

int ps_meeting_blame_cause(struct ps_meeting *m, int err, uint32_t rank, const char *what)
{
	char why[256]; /* first: it is gone with the transport's next call */

	snprintf(why, sizeof why, "%s", cause(m));
	return ps_meeting_blame(m, err, rank, "%s: %s", what, why);
}

int ps_meeting_receive(
	struct ps_meeting *m, uint32_t rank, uint32_t channel, uint32_t slot, void *buffer, uint64_t bytes)
{
	int err = m->transport->receive(m->transport->self, channel, slot, buffer, bytes);

	return err ? ps_meeting_blame_cause(m, err, rank, "nothing can be received from there") : 0;
}

int ps_meeting_send(struct ps_meeting *m, uint32_t rank, uint32_t channel, uint32_t slot, const void *buffer,
	uint64_t bytes)
{
	int err = m->transport->send(m->transport->self, channel, slot, buffer, bytes);

	return err ? ps_meeting_blame_cause(m, err, rank, "nothing can be sent there") : 0;
}

int ps_meeting_look(struct ps_meeting *m, struct pstk_transport_done *done, uint32_t room)
{
	int n = m->transport->test(m->transport->self, done, room);

	return n < 0 ? blame_transport(m, n) : n;
}

void ps_meeting_pause(struct ps_meeting *m, bool moved)
{
	uint64_t now = ps_clock_ns();

	if (moved) {
		m->moved = now;
		m->sleep = 0;
		return;
	}
	m->sleep = ps_pace_sleep(now - m->moved, m->sleep, PS_PACE_LONG_NS);
	if (m->sleep)
		clock_nanosleep(CLOCK_MONOTONIC, 0, &(struct timespec){ .tv_nsec = (long)m->sleep }, NULL);
	else
		ps_relax();
}

bool ps_meeting_is_still(const struct ps_meeting *m, uint64_t ns)
{
	return ps_clock_ns() - m->moved >= ns;
}

void ps_meeting_close(struct ps_meeting *m)
{
	if (m->opened)
		m->transport->close(m->transport->self);
	m->opened = false;
}
