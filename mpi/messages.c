/* SPDX-License-Identifier: MIT */
/* Messages: posted, looked at, told. */
#include "mpi/mpi.h"

#include <inttypes.h>
#include <limits.h>

/* The slot's request is not active. */
static void forget(struct ps_mpi_slot *s)
{
	if (s->request != MPI_REQUEST_NULL)
		MPI_Request_free(&s->request);
	s->request = MPI_REQUEST_NULL;
}

/* Makes the slot's request for another buffer. Returns MPI's code. */
static int prepare(struct ps_mpi *m, const struct pstk_transport_channel *c, struct ps_mpi_slot *s,
	const void *buffer, uint64_t bytes)
{
	int peer = (int)c->peer, tag = (int)c->number, count = (int)bytes, code;

	forget(s);
	if (c->sends)
		code = MPI_Send_init(buffer, count, MPI_BYTE, peer, tag, m->comm, &s->request);
	else
		code = MPI_Recv_init((void *)buffer, count, MPI_BYTE, peer, tag, m->comm, &s->request);
	if (code)
		s->request = MPI_REQUEST_NULL;
	s->buffer = buffer;
	s->bytes = bytes;
	return code;
}

static int check(struct ps_mpi *m, bool sends, uint32_t channel, uint32_t slot, uint64_t bytes)
{
	const struct ps_mpi_channel *c;

	if (channel >= m->channel_count)
		return ps_mpi_refuse(m, -EINVAL, "there is no channel at place %" PRIu32, channel);
	c = &m->channels[channel];
	if (c->face.sends != sends)
		return ps_mpi_refuse(
			m, -EINVAL, "channel %" PRIu32 " %s", c->face.number, sends ? "receives" : "sends");
	if (slot >= c->face.slots)
		return ps_mpi_refuse(m, -EINVAL,
			"channel %" PRIu32 ": there is no slot %" PRIu32 ", there are %" PRIu32,
			c->face.number, slot, c->face.slots);
	if (c->slots[slot].posted)
		return ps_mpi_refuse(
			m, -EBUSY, "channel %" PRIu32 ": slot %" PRIu32 " is posted", c->face.number, slot);
	if (bytes > c->face.bytes)
		return ps_mpi_refuse(m, -EMSGSIZE,
			"channel %" PRIu32 ": %" PRIu64 " bytes, where %" PRIu64 " are the most",
			c->face.number, bytes, c->face.bytes);
	return 0;
}

static int post(
	struct ps_mpi *m, bool sends, uint32_t channel, uint32_t slot, const void *buffer, uint64_t bytes)
{
	struct ps_mpi_channel *c;
	struct ps_mpi_slot *s;
	int code = MPI_SUCCESS, err = check(m, sends, channel, slot, bytes);

	if (err)
		return err;
	c = &m->channels[channel];
	s = &c->slots[slot];
	if (s->request == MPI_REQUEST_NULL || s->buffer != buffer || s->bytes != bytes)
		code = prepare(m, &c->face, s, buffer, bytes);
	if (!code)
		code = MPI_Start(&s->request);
	if (code)
		return ps_mpi_failed(m, code, "channel %" PRIu32 " %s rank %" PRIu32, c->face.number,
			sends ? "to" : "from", c->face.peer);
	c->order[(c->first + c->posted++) % c->face.slots] = slot;
	s->posted = true;
	return 0;
}

int ps_mpi_receive(void *self, uint32_t channel, uint32_t slot, void *buffer, uint64_t bytes)
{
	return post(self, false, channel, slot, buffer, bytes);
}

int ps_mpi_send(void *self, uint32_t channel, uint32_t slot, const void *buffer, uint64_t bytes)
{
	return post(self, true, channel, slot, buffer, bytes);
}

int ps_mpi_cancel(void *self, uint32_t channel)
{
	struct ps_mpi *m = self;
	const struct ps_mpi_channel *c;
	int code = MPI_SUCCESS;

	if (channel >= m->channel_count || m->channels[channel].face.sends)
		return ps_mpi_refuse(
			m, -EINVAL, "there is no channel at place %" PRIu32 " that receives", channel);
	c = &m->channels[channel];
	for (uint32_t i = 0; i < c->posted && !code; i++)
		code = MPI_Cancel(&c->slots[c->order[(c->first + i) % c->face.slots]].request);
	return code ? ps_mpi_failed(m, code, "channel %" PRIu32 ": cancel", c->face.number) : 0;
}

/* What MPI says of a message that is through. */
static void describe(struct ps_mpi *m, const struct pstk_transport_channel *c, struct ps_mpi_slot *s,
	int code, const MPI_Status *status, struct pstk_transport_done *done)
{
	int canceled = 0, count = 0;

	if (code) {
		done->err = ps_mpi_failed(m, code, "channel %" PRIu32 " %s rank %" PRIu32, c->number,
			c->sends ? "to" : "from", c->peer);
		forget(s);
		return;
	}
	if (c->sends) {
		done->bytes = s->bytes;
		return;
	}
	MPI_Test_cancelled(status, &canceled);
	if (canceled)
		done->err = -ECANCELED;
	else if (!MPI_Get_count(status, MPI_BYTE, &count))
		done->bytes = (uint64_t)count;
}

/* Looks at the oldest message of a channel. Returns whether it is through, or a negative errno. */
static int look(struct ps_mpi *m, uint32_t channel, struct pstk_transport_done *done)
{
	struct ps_mpi_channel *c = &m->channels[channel];
	struct ps_mpi_slot *s = &c->slots[c->order[c->first]];
	int through = 0, code;
	MPI_Status status;

	code = MPI_Test(&s->request, &through, &status);
	if (!through)
		return code ? ps_mpi_failed(m, code, "MPI_Test()") : 0;
	*done = (struct pstk_transport_done){ .channel = channel, .slot = c->order[c->first] };
	describe(m, &c->face, s, code, &status, done);
	s->posted = false;
	c->first = (c->first + 1) % c->face.slots;
	c->posted--;
	return 1;
}

/* What has been sent may still wait for MPI to move it on. */
static int move_on(struct ps_mpi *m)
{
	int there, code = MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, m->comm, &there, MPI_STATUS_IGNORE);

	return code ? ps_mpi_failed(m, code, "MPI_Iprobe()") : 0;
}

int ps_mpi_test(void *self, struct pstk_transport_done *done, uint32_t room)
{
	struct ps_mpi *m = self;
	uint32_t told = 0, most = room < INT_MAX ? room : INT_MAX;
	bool posted = false;
	int err = 1;

	/* no channel starves: the next look begins behind the one at which the room ended */
	for (uint32_t i = 0; i < m->channel_count && told < most; i++) {
		uint32_t channel = m->next;
		const struct ps_mpi_channel *c = &m->channels[channel];

		m->next = channel + 1 < m->channel_count ? channel + 1 : 0;
		posted = posted || c->posted;
		for (err = 1; c->posted && told < most && err > 0; told += err > 0)
			err = look(m, channel, &done[told]);
		if (err < 0)
			return err;
	}
	err = posted ? 0 : move_on(m);
	return err ? err : (int)told;
}
