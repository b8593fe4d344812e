/* SPDX-License-Identifier: MIT */
#include "actors/common/handover.h"

#include <errno.h>
#include <limits.h>
#include <string.h>
#include <time.h>

void ps_handover_init(struct ps_handover *h, enum ps_handover_way way)
{
	pthread_condattr_t monotonic;

	memset(h, 0, sizeof *h);
	h->way = way;
	pthread_mutex_init(&h->lock, NULL);
	pthread_condattr_init(&monotonic);
	pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
	pthread_cond_init(&h->lent, &monotonic);
	pthread_condattr_destroy(&monotonic);
	pthread_cond_init(&h->moved, NULL);
}

void ps_handover_destroy(struct ps_handover *h)
{
	pthread_cond_destroy(&h->moved);
	pthread_cond_destroy(&h->lent);
	pthread_mutex_destroy(&h->lock);
}

struct pstk_actor *ps_handover_add(struct ps_handover *h, struct pstk_network *net, const char *name,
	const struct pstk_actor_type *type, void *arg)
{
	struct pstk_actor *actor = NULL;

	pthread_mutex_lock(&h->lock);
	if (!h->owned) {
		actor = pstk_network_add(net, name, type, arg);
		h->owned = actor;
	} else {
		pstk_network_refuse(net, -EBUSY,
			"'%s': its %s belongs to another actor: create one for each actor", name ? name : "",
			type->name);
	}
	pthread_mutex_unlock(&h->lock);
	return actor;
}

uint32_t ps_handover_lend(struct ps_handover *h, void *window, size_t token_size, uint32_t count)
{
	uint32_t moved;

	pthread_mutex_lock(&h->lock);
	h->window = window;
	h->token_size = token_size;
	h->count = count;
	h->next = 0;
	pthread_cond_broadcast(&h->lent);
	while (h->window && !h->closed)
		pthread_cond_wait(&h->moved, &h->lock);
	h->window = NULL;
	moved = h->next;
	pthread_mutex_unlock(&h->lock);
	return moved;
}

/* Moves what the window allows. Call with h->lock held. */
static size_t move_some(struct ps_handover *h, unsigned char *tokens, size_t n)
{
	size_t left, bytes;
	unsigned char *at;

	if (!h->window || h->closed)
		return 0;
	left = h->count - h->next;
	n = n < left ? n : left;
	bytes = n * h->token_size;
	at = h->window + h->next * h->token_size;
	if (h->way == PS_INTO_WINDOW)
		memcpy(at, tokens, bytes);
	else
		memcpy(tokens, at, bytes);
	h->next += (uint32_t)n;
	if (h->next == h->count) {
		h->window = NULL;
		pthread_cond_signal(&h->moved);
	}
	return n;
}

/* Now and ns later; false: never, which begins where a 32-bit time_t ends. */
static bool deadline_after(uint64_t ns, struct timespec *deadline)
{
	const uint64_t second = 1000000000;

	if (ns / second >= INT32_MAX)
		return false;
	clock_gettime(CLOCK_MONOTONIC, deadline);
	deadline->tv_sec += (time_t)(ns / second);
	deadline->tv_nsec += (long)(ns % second);
	if (deadline->tv_nsec >= (long)second) {
		deadline->tv_nsec -= (long)second;
		deadline->tv_sec++;
	}
	return true;
}

/* Waits for a window; deadline NULL: for ever. False: there is none in time. Call with h->lock held. */
static bool wait_lent(struct ps_handover *h, const struct timespec *deadline)
{
	int err = 0;

	while (!h->window && !h->closed && !err)
		err = deadline ? pthread_cond_timedwait(&h->lent, &h->lock, deadline)
		               : pthread_cond_wait(&h->lent, &h->lock);
	return h->window && !h->closed;
}

int ps_handover_move(struct ps_handover *h, void *tokens, size_t n, uint64_t ns)
{
	unsigned char *at = tokens;
	struct timespec deadline;
	bool limited;
	size_t moved;
	int result;

	if (n > INT_MAX)
		return -EINVAL;
	limited = ns && deadline_after(ns, &deadline);
	pthread_mutex_lock(&h->lock);
	moved = move_some(h, at, n);
	while (ns && moved < n && wait_lent(h, limited ? &deadline : NULL))
		moved += move_some(h, at + moved * h->token_size, n - moved);
	result = !moved && h->closed ? -EPIPE : (int)moved;
	pthread_mutex_unlock(&h->lock);
	return result;
}

void ps_handover_close(struct ps_handover *h)
{
	pthread_mutex_lock(&h->lock);
	h->closed = true;
	pthread_cond_broadcast(&h->lent);
	pthread_cond_signal(&h->moved);
	pthread_mutex_unlock(&h->lock);
}

bool ps_handover_closed(struct ps_handover *h)
{
	bool closed;

	pthread_mutex_lock(&h->lock);
	closed = h->closed;
	pthread_mutex_unlock(&h->lock);
	return closed;
}
