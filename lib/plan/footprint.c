/* SPDX-License-Identifier: MIT */
/* Footprint: the bytes of a network's FIFOs. */
#include "lib/firing/backend.h"
#include "lib/firing/visit.h"
#include "lib/model/adopted.h"
#include "lib/model/place.h"
#include "lib/plan/settle.h"
#include "lib/plan/sharing.h"

static size_t bytes_of(const struct pstk_fifo *f)
{
	const struct ps_adopted_fifo *adopted = ps_adopted_fifo(f);

	return adopted ? adopted->info.bytes : f->fifo.layout.bytes;
}

size_t pstk_network_fifo_bytes(const struct pstk_network *net)
{
	size_t sum = 0;

	if (net)
		ps_plan_settle(net);
	for (unsigned i = 0; net && i < net->fifo_count; i++)
		if (ps_fifo_is_known(net->fifos[i]) &&
			__builtin_add_overflow(sum, bytes_of(net->fifos[i]), &sum))
			return SIZE_MAX;
	return sum;
}

static size_t count_devices(const struct pstk_actor *a)
{
	size_t count = 0;

	for (unsigned i = 0; i < a->place_count; i++)
		count += a->places[i].backend != NULL;
	return count;
}

static const struct ps_backend *backend_of(const struct pstk_actor *a)
{
	const struct ps_backend *b = NULL;

	for (unsigned i = 0; i < a->place_count && !b; i++)
		b = a->places[i].backend;
	return b;
}

/* Of one whose ends are the host's: windows at each device, letters for each place of another host; where it visits its
 * state. */
static size_t guarded_bytes(const struct pstk_actor *a, size_t devices)
{
	bool away = ps_actor_away(a);
	size_t letters = 0, sum = 0, bytes;

	for (unsigned i = 0; i < a->place_count; i++)
		letters += a->places[i].far && (!away || a->places[i].host == a->network->host);
	if (devices && __builtin_mul_overflow(devices, backend_of(a)->guarding(a), &sum))
		return SIZE_MAX;
	if (letters && (__builtin_mul_overflow(letters, ps_visit_bytes(a), &bytes) ||
			       __builtin_add_overflow(sum, bytes, &sum) ||
			       (away && __builtin_add_overflow(sum, a->state_size, &sum))))
		return SIZE_MAX;
	return sum;
}

/* What an actor takes at its places: states besides the one on the host; of a guarded one windows, too. */
static size_t actor_bytes(const struct pstk_actor *a)
{
	size_t devices = count_devices(a), bytes;

	if (a->guarded && (devices || a->visits) && (!ps_actor_away(a) || a->visits))
		return guarded_bytes(a, devices);
	if (ps_actor_away(a) || !devices)
		return 0;
	if (!ps_place_moves(a))
		return 0;
	if (a->type.fire_cl)
		devices = 0;
	/* and one on its way */
	return __builtin_mul_overflow(devices + !a->type.stateless, a->state_size, &bytes) ? SIZE_MAX : bytes;
}

size_t pstk_network_move_bytes(const struct pstk_network *net)
{
	size_t sum = 0;

	if (net)
		ps_plan_settle(net);
	for (unsigned i = 0; net && i < net->actor_count; i++)
		if (__builtin_add_overflow(sum, actor_bytes(net->actors[i]), &sum))
			return SIZE_MAX;
	for (unsigned i = 0; net && i < net->fifo_count; i++) {
		const struct ps_backend *b = ps_backend_of(net->fifos[i]);

		if (b && ps_fifo_is_known(net->fifos[i]) &&
			__builtin_add_overflow(sum, b->staging(net->fifos[i]), &sum))
			return SIZE_MAX;
	}
	return sum;
}

size_t pstk_network_shared_bytes(const struct pstk_network *net)
{
	const struct ps_adopted *d = net ? atomic_load(&net->adopted) : NULL;
	size_t sum;

	if (!net)
		return 0;
	ps_plan_settle(net);
	if (__builtin_add_overflow(ps_sharing_bytes(net), pstk_network_move_bytes(net), &sum))
		return SIZE_MAX;
	if (d && __builtin_add_overflow(sum, atomic_load(&d->shared_bytes), &sum))
		return SIZE_MAX;
	return sum;
}

size_t pstk_network_allocated_bytes(const struct pstk_network *net)
{
	const struct ps_adopted *d = net ? atomic_load(&net->adopted) : NULL;
	size_t sum = d ? atomic_load(&d->allocated) : 0;

	for (unsigned i = 0; net && i < net->fifo_count; i++)
		sum += net->fifos[i]->fifo.allocated;
	return sum;
}
