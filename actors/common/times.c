/* SPDX-License-Identifier: MIT */
#include "actors/common/times.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { ROOM = 1024 };

/* As FFmpeg has it for formats in which times may begin anew. */
enum { AHEAD_SECONDS = 10, BACK_TENTHS = 1 };

/* Sums of a stamp and some durations fit; what is beyond is no time. */
#define STAMP_MOST (INT64_C(1) << 60)
#define DURATION_MOST (INT64_C(1) << 40)

struct ps_times {
	struct ps_times_spec spec; /* constant */
	/* the reading thread only */
	int64_t origin; /* the stamp of frame 0 */
	bool known;     /* the origin: a stamp has come */
	/* guarded by lock */
	pthread_mutex_t lock;
	unsigned holders;
	struct ps_times_reader *readers;
	uint64_t count; /* of the frames that were put */
	uint64_t first; /* the oldest frame that is kept; count: none */
	struct ps_time last;
	struct ps_time *kept; /* frame n at n % room; NULL: no reader has come yet */
	size_t room;
};

struct ps_times *ps_times_create(const struct ps_times_spec *spec)
{
	struct ps_times *times = calloc(1, sizeof(*times));

	if (!times)
		return NULL;
	times->spec = *spec;
	times->holders = 1;
	pthread_mutex_init(&times->lock, NULL);
	return times;
}

void ps_times_drop(struct ps_times *times)
{
	unsigned holders;

	if (!times)
		return;
	pthread_mutex_lock(&times->lock);
	holders = --times->holders;
	pthread_mutex_unlock(&times->lock);
	if (holders)
		return;
	pthread_mutex_destroy(&times->lock);
	free(times->kept);
	free(times);
}

const struct ps_times_spec *ps_times_spec(const struct ps_times *times)
{
	return &times->spec;
}

/* Where the next frame starts, in units from frame 0's start, by the stamp that it has. Call with lock held. */
static int64_t start_of(struct ps_times *times, int64_t stamp)
{
	int64_t expected = times->count ? times->last.start + times->last.duration : 0, start, second;

	if (stamp < -STAMP_MOST || stamp > STAMP_MOST)
		return expected;
	if (!times->known)
		times->origin = stamp - expected;
	times->known = true;
	start = stamp - times->origin;
	second = times->spec.unit_den / times->spec.unit_num;
	if (times->spec.jumps && times->count &&
		(start < times->last.start - BACK_TENTHS * second / 10 ||
			start > expected + AHEAD_SECONDS * second)) {
		times->origin += start - expected;
		return expected;
	}
	return times->count && start <= times->last.start ? expected : start;
}

/* Twice the room, frame n where it will be looked for. Call with lock held. */
static int grow(struct ps_times *times)
{
	size_t room = 2 * times->room;
	struct ps_time *kept = malloc(room * sizeof(*kept));

	if (!kept)
		return -ENOMEM;
	for (uint64_t n = times->first; n < times->count; n++)
		kept[n % room] = times->kept[n % times->room];
	free(times->kept);
	times->kept = kept;
	times->room = room;
	return 0;
}

int ps_times_put(struct ps_times *times, int64_t stamp, int64_t duration)
{
	struct ps_time time;
	int err = 0;

	pthread_mutex_lock(&times->lock);
	time.start = start_of(times, stamp);
	if (duration < 1 || duration > DURATION_MOST)
		duration = times->count ? time.start - times->last.start : times->spec.period;
	time.duration = duration;
	if (times->kept && times->count - times->first == times->room)
		err = grow(times);
	if (!err) {
		times->last = time;
		if (times->kept)
			times->kept[times->count % times->room] = time;
		times->count++;
		if (!times->readers)
			times->first = times->count;
	}
	pthread_mutex_unlock(&times->lock);
	return err;
}

void ps_times_end(struct ps_times *times, int64_t stamp)
{
	int64_t end = stamp - times->origin;

	if (stamp < -STAMP_MOST || stamp > STAMP_MOST || !times->known)
		return;
	pthread_mutex_lock(&times->lock);
	if (end > times->last.start)
		times->last.duration = end - times->last.start;
	pthread_mutex_unlock(&times->lock);
}

int ps_times_join(struct ps_times *times, struct ps_times_reader *reader)
{
	int err = 0;

	pthread_mutex_lock(&times->lock);
	if (times->count)
		err = -EBUSY;
	if (!err && !times->kept) {
		times->kept = malloc(ROOM * sizeof(*times->kept));
		times->room = ROOM;
		err = times->kept ? 0 : -ENOMEM;
	}
	if (!err) {
		*reader = (struct ps_times_reader){ .times = times, .next = times->readers };
		times->readers = reader;
		times->holders++;
	}
	pthread_mutex_unlock(&times->lock);
	return err;
}

bool ps_times_get(const struct ps_times_reader *reader, uint64_t n, struct ps_time *time)
{
	struct ps_times *times = reader->times;
	bool there;

	pthread_mutex_lock(&times->lock);
	there = n >= times->first && n < times->count;
	if (there && n + 1 == times->count) {
		*time = times->last;
	} else if (there) {
		*time = times->kept[n % times->room];
		time->duration = times->kept[(n + 1) % times->room].start - time->start;
	}
	pthread_mutex_unlock(&times->lock);
	return there;
}

/* Call with lock held. */
static void forget(struct ps_times *times)
{
	uint64_t needed = times->count;

	for (const struct ps_times_reader *reader = times->readers; reader; reader = reader->next)
		needed = reader->first < needed ? reader->first : needed;
	times->first = needed;
}

void ps_times_release(struct ps_times_reader *reader, uint64_t n)
{
	struct ps_times *times = reader->times;

	pthread_mutex_lock(&times->lock);
	/* so that what comes last can be asked for when all has been written */
	if (times->count && n >= times->count)
		n = times->count - 1;
	if (n > reader->first)
		reader->first = n;
	forget(times);
	pthread_mutex_unlock(&times->lock);
}

void ps_times_leave(struct ps_times_reader *reader)
{
	struct ps_times *times = reader->times;
	struct ps_times_reader **link;

	if (!times)
		return;
	pthread_mutex_lock(&times->lock);
	for (link = &times->readers; *link != reader; link = &(*link)->next)
		continue;
	*link = reader->next;
	forget(times);
	pthread_mutex_unlock(&times->lock);
	reader->times = NULL;
	ps_times_drop(times);
}
