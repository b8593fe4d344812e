/* SPDX-License-Identifier: MIT */
/* Channels: which there are, and their memory. */
#include "mpi/mpi.h"

#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>

/* The largest tag of this MPI; at least 32767. */
static uint32_t largest_tag(const struct ps_mpi *m)
{
	int *value = NULL, found = 0;

	if (MPI_Comm_get_attr(m->comm, MPI_TAG_UB, &value, &found) || !found || *value < 0)
		return 32767;
	return (uint32_t)*value;
}

static int check(struct ps_mpi *m, const struct pstk_transport_channel *c, uint32_t tags)
{
	if (c->peer >= m->table.ranks)
		return ps_mpi_refuse(m, -EINVAL,
			"channel %" PRIu32 ": there is no rank %" PRIu32 ", there are %" PRIu32, c->number,
			c->peer, m->table.ranks);
	if (c->peer == m->table.rank)
		return ps_mpi_refuse(m, -EINVAL,
			"channel %" PRIu32 ": its peer is rank %" PRIu32 ", which is this one", c->number,
			c->peer);
	if (!c->slots)
		return ps_mpi_refuse(m, -EINVAL, "channel %" PRIu32 ": no slots", c->number);
	if (c->number > tags)
		return ps_mpi_refuse(m, -ERANGE, "channel %" PRIu32 ": MPI's tags end at %" PRIu32 " here",
			c->number, tags);
	if (c->bytes > INT_MAX)
		return ps_mpi_refuse(m, -EMSGSIZE,
			"channel %" PRIu32 ": messages of %" PRIu64 " bytes, MPI takes %d at most", c->number,
			c->bytes, INT_MAX);
	return 0;
}

static int compare(const void *a, const void *b)
{
	const struct pstk_transport_channel *x = *(const struct pstk_transport_channel *const *)a;
	const struct pstk_transport_channel *y = *(const struct pstk_transport_channel *const *)b;

	if (x->peer != y->peer)
		return x->peer < y->peer ? -1 : 1;
	if (x->sends != y->sends)
		return x->sends ? 1 : -1;
	return x->number < y->number ? -1 : x->number > y->number;
}

/* Two channels of one tag, peer and direction would take each other's messages. */
static int check_twins(struct ps_mpi *m, const struct pstk_transport_channel *channels, uint32_t count)
{
	const struct pstk_transport_channel **sorted = calloc(count ? count : 1, sizeof *sorted);
	int err = 0;

	if (!sorted)
		return ps_mpi_refuse(m, -ENOMEM, "out of memory");
	for (uint32_t i = 0; i < count; i++)
		sorted[i] = &channels[i];
	qsort(sorted, count, sizeof *sorted, compare);
	for (uint32_t i = 1; i < count && !err; i++)
		if (!compare(&sorted[i - 1], &sorted[i]))
			err = ps_mpi_refuse(m, -EEXIST, "channel %" PRIu32 ": there are two %s rank %" PRIu32,
				sorted[i]->number, sorted[i]->sends ? "to" : "from", sorted[i]->peer);
	free(sorted);
	return err;
}

/* Of all channels together; at least 1, so that there is memory to allocate. */
static int count_slots(
	struct ps_mpi *m, const struct pstk_transport_channel *channels, uint32_t count, size_t *slots)
{
	uint64_t sum = 0;

	for (uint32_t i = 0; i < count; i++)
		sum += channels[i].slots;
	if (sum > INT_MAX)
		return ps_mpi_refuse(m, -E2BIG,
			"the channels have %" PRIu64 " slots together, %d are the most", sum, INT_MAX);
	*slots = sum ? (size_t)sum : 1;
	return 0;
}

static bool allocate(struct ps_mpi *m, uint32_t count, size_t slots)
{
	m->channels = calloc(count ? count : 1, sizeof *m->channels);
	m->slots = calloc(slots, sizeof *m->slots);
	m->orders = calloc(slots, sizeof *m->orders);
	return m->channels && m->slots && m->orders;
}

int ps_mpi_open(void *self, const struct pstk_transport_channel *channels, uint32_t count)
{
	struct ps_mpi *m = self;
	uint32_t tags = largest_tag(m);
	size_t slots = 0, next = 0;
	int err = m->channels ? ps_mpi_refuse(m, -EALREADY, "the channels are open already") : 0;

	for (uint32_t i = 0; i < count && !err; i++)
		err = check(m, &channels[i], tags);
	if (!err)
		err = count_slots(m, channels, count, &slots);
	if (!err)
		err = check_twins(m, channels, count);
	if (err)
		return err;
	if (!allocate(m, count, slots)) {
		ps_mpi_close(m);
		return ps_mpi_refuse(m, -ENOMEM, "out of memory for %" PRIu32 " channels", count);
	}
	for (size_t i = 0; i < slots; i++)
		m->slots[i].request = MPI_REQUEST_NULL;
	for (uint32_t i = 0; i < count; next += channels[i++].slots)
		m->channels[i] = (struct ps_mpi_channel){
			.face = channels[i], .slots = m->slots + next, .order = m->orders + next
		};
	m->slot_count = next;
	m->channel_count = count;
	return 0;
}

/* Gives up what is still posted. A receive that is cancelled has ended only after MPI_Wait(): then MPI writes to its
 * buffer no more. MPI can't take a send back, but forgets it. */
static void give_up(const struct ps_mpi_channel *c)
{
	for (uint32_t i = 0; i < c->posted && !c->face.sends; i++) {
		MPI_Request *request = &c->slots[c->order[(c->first + i) % c->face.slots]].request;

		if (!MPI_Cancel(request))
			MPI_Wait(request, MPI_STATUS_IGNORE);
	}
}

void ps_mpi_close(void *self)
{
	struct ps_mpi *m = self;
	int ended = 0;

	MPI_Finalized(&ended);
	for (uint32_t i = 0; i < m->channel_count && !ended; i++)
		give_up(&m->channels[i]);
	for (size_t i = 0; i < m->slot_count && !ended; i++)
		if (m->slots[i].request != MPI_REQUEST_NULL)
			MPI_Request_free(&m->slots[i].request);
	free(m->channels);
	free(m->slots);
	free(m->orders);
	*m = (struct ps_mpi){ .table = m->table, .comm = m->comm, .hosts = m->hosts };
}
