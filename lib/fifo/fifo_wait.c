/* SPDX-License-Identifier: MIT */
#include "lib/fifo/fifo_wait.h"
#include "lib/base/clock.h"

#include <assert.h>
#include <errno.h>
#include <time.h>

uint64_t ps_fifo_patience_ns = 10000000;

static uint64_t started(const struct ps_fifo_end *end)
{
	return atomic_load_explicit(&end->started, memory_order_relaxed);
}

static uint64_t written(const struct ps_fifo *f)
{
	return atomic_load(&f->written);
}

struct ps_fifo_end *ps_fifo_blocker(const struct ps_fifo_end *end)
{
	if (ps_fifo_look(end) == PS_FIFO_WAIT)
		return end->other;
	return end->ops && end->ops->blocker ? end->ops->blocker(end->place, end->writes, started(end))
	                                     : NULL;
}

/* Call with the lock held. */
static void set_listens(struct ps_fifo_end *end)
{
	enum ps_fifo_listens listens = PS_LISTENS_NOT;

	assert(atomic_load(ps_fifo_listens_of(end)) != PS_LISTENS_ALWAYS); /* that never changes */
	if (end->relay || (end->waiting && !end->patient))
		listens = PS_LISTENS_URGENT;
	else if (end->waiting)
		listens = PS_LISTENS_PATIENT;
	atomic_store(ps_fifo_listens_of(end), (unsigned char)listens);
}

/* Tells the owner of `end`, which listens, that the counters have changed. No lock held. */
static void tell(struct ps_fifo *f, struct ps_fifo_end *end)
{
	struct ps_fifo_end *relay;
	void *awaited = NULL;
	bool announce, waits;

	pthread_mutex_lock(&f->lock);
	announce = end->waiting && end->eventcount;
	if (announce) { /* under the lock: its owner needs it to go on, so what it waits for stays where it is */
		awaited = end->ops->awaited(end->place, end->writes, started(end));
		end->waiting = false; /* told: woken once, when the place is through with the window */
	}
	relay = end->relay;
	end->relay = NULL;
	waits = end->waiting && !end->quiet;
	set_listens(end);
	pthread_mutex_unlock(&f->lock);
	/* Not under the lock: the thread that wakes needs it next. It has tested after this lock was taken, or it
	 * sleeps. */
	if (waits)
		pthread_cond_signal(&end->changed);
	if (announce)
		end->ops->announce(end->place, end->eventcount, awaited);
	if (relay)
		ps_fifo_nudge(relay);
}

/* Could the owner of `end` run half of the depth? It holds no window of this end. */
static bool worth_waking(struct ps_fifo *f, const struct ps_fifo_end *end)
{
	const struct ps_layout *l = &f->layout;
	int64_t more = (int64_t)ps_fifo_worth(f) - 1, in = (int64_t)written(f),
		out = (int64_t)atomic_load(&f->read);

	/* the last of these windows, counted from what the end has ended */
	return end->writes ? out >= in + more * l->write_rate - (int64_t)(l->ahead + f->room_before)
	                   : in >= out + more * l->read_rate + (int64_t)l->first - l->delay;
}

void ps_fifo_tell(struct ps_fifo *f, struct ps_fifo_end *end, bool patiently)
{
	if (atomic_load(ps_fifo_listens_of(end)) == PS_LISTENS_ALWAYS)
		ps_eventcount_notify(end->listener);
	else if (patiently && !worth_waking(f, end))
		end->other->owes = true;
	else
		tell(f, end);
}

void ps_fifo_listen(struct ps_fifo_end *end, struct ps_eventcount *eventcount)
{
	assert(!end->fifo->merged && !end->listener);
	end->listener = eventcount;
	atomic_store(ps_fifo_listens_of(end), PS_LISTENS_ALWAYS);
}

/* A callback for each event is enough: it is still to come if nothing has changed. */
void ps_fifo_announce(struct ps_fifo_end *end, struct ps_eventcount *eventcount)
{
	uint64_t n = started(end);

	if (!end->ops || !ps_fifo_may(end) || end->announced == n + 1)
		return;
	end->announced = n + 1;
	end->ops->announce(end->place, eventcount, end->ops->awaited(end->place, end->writes, n));
}

void ps_fifo_pay_debt(struct ps_fifo_end *end)
{
	struct ps_fifo_end *other = end->other;

	end->owes = false;
	if (atomic_load(ps_fifo_listens_of(other)))
		tell(end->fifo, other);
}

/* The end's owner goes on: it waits here no more. Call with the lock held. */
static void clear_waits_for(struct ps_fifo_end *end)
{
	if (end->waits_for &&
		!end->quiet) /* where the owner of a quiet end waits the launching threads say */
		atomic_store(end->waits_for, NULL);
}

/* Waits for the counters first, then for the place; one notification serves both. */
static void wait_for_eventcount(struct ps_fifo *f, struct ps_fifo_end *end)
{
	bool nudged;
	/* before the look at `nudged`: no notification in between is lost */
	unsigned seen = ps_eventcount_count(end->eventcount);

	pthread_mutex_lock(&f->lock);
	nudged = end->nudged;
	end->nudged = false;
	end->waiting = !nudged;
	set_listens(end);
	if (!nudged) {
		bool counters = ps_fifo_look(end) == PS_FIFO_WAIT;

		end->waiting = counters;
		set_listens(end);
		pthread_mutex_unlock(&f->lock);
		if (counters)
			ps_eventcount_wait(end->eventcount, seen, PS_EVENTCOUNT_LOOK_AGAIN_NS);
		else
			end->ops->wait(end->place, end->writes, started(end), seen);
		pthread_mutex_lock(&f->lock);
		end->waiting = false;
		set_listens(end);
	}
	clear_waits_for(end);
	pthread_mutex_unlock(&f->lock);
}

/* The time at which a patient waiter has been left asleep for long enough. */
static struct timespec end_of_patience(void)
{
	uint64_t until = ps_clock_ns() + ps_fifo_patience_ns;

	return (struct timespec){ .tv_sec = (time_t)(until / 1000000000),
		.tv_nsec = (long)(until % 1000000000) };
}

/* Sleeps until the end may go on. Call with the lock held. */
static void sleep_at(struct ps_fifo *f, struct ps_fifo_end *end)
{
	struct timespec until = { 0 };

	if (end->patient)
		until = end_of_patience();
	/* launching threads too act on a quiet end's counters: its owner learns of changes only by nudges */
	while (!end->nudged && (end->quiet || ps_fifo_look(end) == PS_FIFO_WAIT)) {
		if (!end->patient) {
			pthread_cond_wait(&end->changed, &f->lock);
		} else if (pthread_cond_timedwait(&end->changed, &f->lock, &until) == ETIMEDOUT) {
			end->patient = false;
			set_listens(end); /* before the look */
		}
	}
}

static void wait_for_counters(struct ps_fifo_end *end, bool patient)
{
	struct ps_fifo *f = end->fifo;

	pthread_mutex_lock(&f->lock);
	end->waiting = true;
	end->patient = patient;
	set_listens(end);
	sleep_at(f, end);
	end->waiting = false;
	end->nudged = false;
	set_listens(end);
	clear_waits_for(end);
	pthread_mutex_unlock(&f->lock);
}

void ps_fifo_wait(struct ps_fifo_end *end)
{
	if (end->eventcount)
		wait_for_eventcount(end->fifo, end);
	else
		wait_for_counters(end, false);
}

void ps_fifo_wait_patiently(struct ps_fifo_end *end)
{
	assert(!end->eventcount && !end->ops);
	wait_for_counters(end, ps_fifo_worth(end->fifo) > 1);
}

void ps_fifo_nudge(struct ps_fifo_end *end)
{
	pthread_mutex_lock(&end->fifo->lock);
	end->nudged = true;
	pthread_cond_signal(&end->changed);
	pthread_mutex_unlock(&end->fifo->lock);
	ps_fifo_notify(end);
}

void ps_fifo_relay(struct ps_fifo_end *end, struct ps_fifo_end *other)
{
	struct ps_fifo *f = end->fifo;
	bool already;

	pthread_mutex_lock(&f->lock);
	end->relay = other;
	/* before the look: a thread that changes the counters meanwhile reads it after that */
	set_listens(end);
	already = ps_fifo_look(end) != PS_FIFO_WAIT;
	if (already)
		end->relay = NULL;
	set_listens(end);
	pthread_mutex_unlock(&f->lock);
	if (already)
		ps_fifo_nudge(other);
}
