/* SPDX-License-Identifier: MIT */
#include "lib/parallel/crew.h"
#include "lib/base/clock.h"
#include "lib/base/cores.h"
#include "lib/base/eventcount.h"
#include "lib/base/memory.h"
#include "lib/base/relax.h"

#include <stdalign.h>
#include <stdatomic.h>
#include <stdint.h>

/*
 * The door's word. All of its changes are sequentially consistent, and each but the one that opens it and the one that
 * gives it back is a read-modify-write: what a helper did inside has happened before the caller sees that it is out.
 */
#define CLAIMED UINT32_C(0x80000000) /* a caller has the crew */
#define SEAT UINT32_C(0x10000)       /* times the helpers that may be inside; none: the door is closed */
#define SEATS UINT32_C(0x7fff0000)
#define INSIDE UINT32_C(0xffff) /* the helpers inside */

enum {
	LINE = 64, /* bytes of a cache line */
	/* Threads that come late or are slow hold up the end by a quarter of a share. */
	PARTS_A_THREAD = 4,
	/* What a wake-up takes: so long it pays to look before a sleep. */
	PATIENCE_NS = 20000,
	LOOKS = 16 /* between two looks at the clock */
};

struct ps_crew {
	/* constant after ps_crew_create() */
	struct ps_eventcount *helpers; /* helpers sleep on it until there is a loop */
	struct ps_eventcount *over;    /* the caller sleeps on it until no helper is inside */
	struct ps_crew_hooks hooks;
	unsigned cores; /* of the process */

	_Atomic unsigned width;

	/* The loop. Written by the caller that has claimed the door, while it is closed and none is inside; read by
	 * that caller and by helpers inside. */
	alignas(LINE) void (*body)(void *data, size_t from, size_t to);
	void *data, *owner;
	size_t count, grain;
	uint64_t parts;

	alignas(LINE) _Atomic uint32_t door;
	/* The next part. It grows beyond `parts` by the threads that find none: 64 bits, so it doesn't come round. */
	alignas(LINE) _Atomic uint64_t next;
};

struct ps_crew *ps_crew_create(unsigned width, const struct ps_crew_hooks *hooks)
{
	struct ps_crew *crew = ps_memory_zalloc_lines(sizeof *crew);

	if (!crew)
		return NULL;
	crew->helpers = ps_eventcount_get();
	crew->over = ps_eventcount_get();
	if (!crew->helpers || !crew->over) {
		ps_crew_destroy(crew);
		return NULL;
	}
	if (hooks)
		crew->hooks = *hooks;
	crew->cores = ps_cores();
	ps_crew_set_width(crew, width);
	return crew;
}

void ps_crew_destroy(struct ps_crew *crew)
{
	if (!crew)
		return;
	ps_eventcount_put(crew->helpers);
	ps_eventcount_put(crew->over);
	ps_memory_free(crew);
}

void ps_crew_set_width(struct ps_crew *crew, unsigned width)
{
	atomic_store_explicit(&crew->width, width, memory_order_relaxed);
}

/* Helpers that may be inside the next loop. */
static uint32_t seats_of(struct ps_crew *crew)
{
	unsigned width = atomic_load_explicit(&crew->width, memory_order_relaxed);
	unsigned most = SEATS / SEAT;

	return width == 0 ? 0 : width - 1 < most ? width - 1 : most;
}

static bool has_seat(uint32_t door)
{
	return (door & INSIDE) < (door & SEATS) / SEAT;
}

/* Call inside, or as the caller. false: there are no more parts. */
static bool take_part(struct ps_crew *crew, size_t *from, size_t *to)
{
	uint64_t part = atomic_fetch_add_explicit(&crew->next, 1, memory_order_relaxed);

	if (part >= crew->parts)
		return false;
	*from = (size_t)part * crew->grain;
	*to = crew->count - *from > crew->grain ? *from + crew->grain : crew->count;
	return true;
}

static void close_door(struct ps_crew *crew)
{
	if (atomic_load_explicit(&crew->door, memory_order_relaxed) & SEATS)
		atomic_fetch_and(&crew->door, ~SEATS);
}

/* The same parts, but none of them offered. Where the caller did not say how large parts are, one is enough. */
static void run_alone(
	size_t count, size_t grain, void (*body)(void *data, size_t from, size_t to), void *data)
{
	size_t from = 0;

	if (grain == 0)
		grain = count;
	for (; count - from > grain; from += grain)
		body(data, from, from + grain);
	body(data, from, count);
}

static bool is_empty(uint32_t door)
{
	return !(door & INSIDE);
}

/*
 * Looks at the door until it is as wanted, but not for long. So loops one behind another, in which no thread waits for
 * long, go on without sleeps and wake-ups. With fewer cores than threads a thread that looks would keep another one
 * from its core.
 */
static void watch(struct ps_crew *crew, bool (*is_wanted)(uint32_t door))
{
	uint64_t end;

	if (is_wanted(atomic_load(&crew->door)) ||
		atomic_load_explicit(&crew->width, memory_order_relaxed) > crew->cores)
		return;
	end = ps_clock_ns() + PATIENCE_NS;
	do
		for (int i = 0; i < LOOKS; i++) {
			if (is_wanted(atomic_load(&crew->door)))
				return;
			ps_relax();
		}
	while (ps_clock_ns() < end);
}

static void wait_for_helpers(struct ps_crew *crew)
{
	watch(crew, is_empty);
	while (atomic_load(&crew->door) & INSIDE) {
		unsigned seen = ps_eventcount_expect(crew->over);

		if (atomic_load(&crew->door) & INSIDE)
			ps_eventcount_wait(crew->over, seen, PS_EVENTCOUNT_FOR_EVER);
		ps_eventcount_leave(crew->over);
	}
}

static void wake_helpers(struct ps_crew *crew, unsigned most)
{
	if (ps_eventcount_awaited(crew->helpers) > 0)
		ps_eventcount_notify_few(crew->helpers, most);
}

void ps_crew_run(struct ps_crew *crew, void *owner, size_t count, size_t grain,
	void (*body)(void *data, size_t from, size_t to), void *data)
{
	uint32_t seats = seats_of(crew), nobody = 0;
	size_t size = grain, parts, from, to;

	if (count == 0)
		return;
	if (size == 0) {
		size_t wanted = PARTS_A_THREAD * ((size_t)seats + 1);

		size = count / wanted + (count % wanted != 0);
	}
	parts = count / size + (count % size != 0);
	if (seats == 0 || parts == 1 || atomic_load_explicit(&crew->door, memory_order_relaxed) != 0 ||
		!atomic_compare_exchange_strong(&crew->door, &nobody, CLAIMED)) {
		run_alone(count, grain, body, data);
		return;
	}
	crew->body = body;
	crew->data = data;
	crew->owner = owner;
	crew->count = count;
	crew->grain = size;
	crew->parts = parts;
	atomic_store_explicit(&crew->next, 0, memory_order_relaxed);
	atomic_store(&crew->door, CLAIMED | seats * SEAT);
	wake_helpers(crew, parts - 1 < seats ? (unsigned)(parts - 1) : seats);
	while (take_part(crew, &from, &to))
		body(data, from, to);
	close_door(crew);
	wait_for_helpers(crew);
	atomic_store(&crew->door, 0);
}

static bool come_in(struct ps_crew *crew)
{
	uint32_t door = atomic_load(&crew->door);

	while (has_seat(door))
		if (atomic_compare_exchange_weak(&crew->door, &door, door + 1))
			return true;
	return false;
}

static void go_out(struct ps_crew *crew)
{
	uint32_t door = atomic_fetch_sub(&crew->door, 1) - 1;

	/* While the door is open its caller does not wait yet. It closes the door, then looks for helpers inside. */
	if (!(door & (SEATS | INSIDE)) && ps_eventcount_awaited(crew->over) > 0)
		ps_eventcount_notify(crew->over);
}

/* Call inside. */
static void help(struct ps_crew *crew, bool (*wanted)(void *arg), void *arg)
{
	size_t from, to;
	bool more = take_part(crew, &from, &to);

	if (more) {
		if (crew->hooks.enter)
			crew->hooks.enter(crew->owner);
		do
			crew->body(crew->data, from, to);
		while (!wanted(arg) && (more = take_part(crew, &from, &to)));
		if (crew->hooks.leave)
			crew->hooks.leave(crew->owner);
	}
	/* Else this helper would come in again and again until the caller closes it. */
	if (!more)
		close_door(crew);
}

void ps_crew_serve(struct ps_crew *crew, bool (*wanted)(void *arg), void *arg)
{
	while (!wanted(arg)) {
		unsigned seen;

		if (come_in(crew)) {
			help(crew, wanted, arg);
			go_out(crew);
			watch(crew, has_seat);
			continue;
		}
		seen = ps_eventcount_expect(crew->helpers);
		if (!wanted(arg) && !has_seat(atomic_load(&crew->door)))
			ps_eventcount_wait(crew->helpers, seen, PS_EVENTCOUNT_FOR_EVER);
		ps_eventcount_leave(crew->helpers);
	}
	/* This helper's seat is free now, and the wake-up for another one may have come to it. */
	if (has_seat(atomic_load(&crew->door)))
		wake_helpers(crew, 1);
}

void ps_crew_wake(struct ps_crew *crew)
{
	if (ps_eventcount_awaited(crew->helpers) > 0)
		ps_eventcount_notify(crew->helpers);
}
