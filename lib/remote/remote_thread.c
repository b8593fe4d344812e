/* SPDX-License-Identifier: MIT */
#include "lib/remote/remote_thread.h"
#include "lib/base/clock.h"
#include "lib/base/relax.h"
#include "lib/remote/control.h"
#include "lib/remote/fault.h"
#include "lib/remote/letters.h"
#include "lib/remote/pace.h"
#include "lib/remote/receiving.h"
#include "lib/remote/sending.h"

#include <signal.h>

enum { TOLD_AT_ONCE = 64 };

/* Of a channel of windows, or of letters behind these. */
static void pass_on_payload(struct ps_remote *r, uint32_t channel, const struct pstk_transport_done *done)
{
	struct ps_channel *c = channel < r->count ? &r->channels[channel] : NULL;
	struct ps_letters *l = c ? NULL : r->letters[(channel - r->count) / 2];
	bool comes = c ? !c->sends : (channel - r->count) % 2;

	r->busy = true;
	if (!c)
		ps_letters_through(r, l, comes, done);
	else if (c->sends)
		ps_sending_through(r, c, done);
	else
		ps_receiving_through(r, c, done);
	if (comes && !done->err)
		ps_control_heard(&r->peers[c ? c->rank : l->rank]);
}

static void pass_on(struct ps_remote *r, const struct pstk_transport_done *done)
{
	uint32_t controls = (r->peer_count - 1) * PS_PEER_CHANNELS;

	if (done->channel >= controls) {
		pass_on_payload(r, done->channel - controls, done);
		return;
	}
	PS_REMOTE_EACH_PEER(r, p) if (done->channel - p->index < PS_PEER_CHANNELS)
	{
		enum ps_peer_channel which = done->channel - p->index;

		if (!done->err && (which == PS_PEER_HEARS || which == PS_PEER_HEARS_ACKS))
			ps_control_heard(p);
		ps_control_through(r, p, which, done);
	}
}

/* What has gone and come. Has anything? */
static bool hear(struct ps_remote *r)
{
	struct pstk_transport_done done[TOLD_AT_ONCE];
	int n = r->broken ? 0 : r->transport->test(r->transport->self, done, TOLD_AT_ONCE);

	if (n < 0)
		ps_fault_transport(r);
	for (int i = 0; i < n; i++)
		pass_on(r, &done[i]);
	return n != 0;
}

/* Sends and posts what may go. */
static bool move_windows(struct ps_remote *r)
{
	bool moved = false;

	if (!ps_fault_may_move(r))
		return false;
	PS_REMOTE_EACH_PEER(r, p) if (atomic_load(&p->failed)) ps_fault_end(r, p);
	for (uint32_t i = 0; i < r->count; i++) {
		struct ps_channel *c = &r->channels[i];

		if (!c->done && (c->sends ? ps_sending_pump : ps_receiving_pump)(r, c))
			moved = true;
	}
	return moved;
}

static uint64_t silence_clock(struct ps_remote *r)
{
	return r->calls.now ? r->calls.now(r->calls.user) : ps_clock_ns();
}

/* This process may have been stopped for a while, and can't have heard anything then: that counts as a second. */
static void measure_silence(struct ps_remote *r)
{
	uint64_t now = silence_clock(r), passed = now - r->looked;

	if (passed > PS_CONTROL_QUIET_NS)
		passed = PS_CONTROL_QUIET_NS;
	r->looked = now;
	PS_REMOTE_EACH_PEER(r, p) if (!atomic_load(&p->failed)) ps_control_wait(r, p, passed);
}

static enum ps_control_end how_far(const struct ps_remote *r)
{
	if (!atomic_load(&r->done))
		return PS_CONTROL_GOES_ON;
	for (uint32_t i = 0; i < r->count; i++)
		if (!r->channels[i].done)
			return PS_CONTROL_GOES_ON;
	if (ps_letters_wait(r))
		return PS_CONTROL_GOES_ON;
	return atomic_load(&r->ends) ? PS_CONTROL_ENDS : PS_CONTROL_IS_DONE;
}

/* This rank is done. Are all? */
static void settle(struct ps_remote *r)
{
	PS_REMOTE_EACH_PEER(r, p) if (!p->heard_done && !atomic_load(&p->failed)) return;
	r->settled = true;
	if (r->calls.through)
		r->calls.through(r->calls.user);
}

static bool speak(struct ps_remote *r)
{
	enum ps_control_end end = how_far(r);
	bool moved = false;

	PS_REMOTE_EACH_PEER(r, p) if (ps_control_pump(r, p, end)) moved = true;
	if (end != PS_CONTROL_GOES_ON && !r->settled)
		settle(r);
	return moved;
}

/* Is nothing posted any more, and will nothing be? */
static bool has_ended(struct ps_remote *r)
{
	if (!atomic_load(&r->ends))
		return false;
	for (uint32_t i = 0; i < r->count; i++)
		if (!r->channels[i].done)
			return false;
	PS_REMOTE_EACH_PEER(r, p) if (!ps_control_has_ended(p)) return false;
	return ps_letters_have_ended(r);
}

/* What was heard is counted before silence is. */
static bool go_round(struct ps_remote *r)
{
	bool heard = hear(r), moved;

	measure_silence(r);
	moved = move_windows(r);
	moved = ps_letters_pump(r) || moved;
	r->busy = r->busy || moved;
	return speak(r) || moved || heard;
}

static void *main_of_remote(void *arg)
{
	struct ps_remote *r = arg;
	uint64_t moved = ps_clock_ns(), sleep = 0;
	bool carries = r->count || r->letter_count;
	uint64_t longest = carries ? PS_PACE_LONG_NS : PS_PACE_ALONE_NS;

	pthread_setname_np(pthread_self(), "pstk-remote");
	if (r->calls.enter)
		r->calls.enter(r->calls.user);
	for (;;) {
		unsigned seen = ps_eventcount_count(r->eventcount);
		bool any = go_round(r);

		if (has_ended(r)) {
			if (r->calls.leave)
				r->calls.leave(r->calls.user);
			return NULL;
		}
		if (r->calls.looked)
			r->calls.looked(r->calls.user);
		if (any) {
			if (r->busy) /* signs of life alone are no reason to look often */
				moved = ps_clock_ns();
			r->busy = false;
			sleep = 0;
			continue;
		}
		/* no windows can come to it: it is soon at its longest sleep, also behind a message */
		sleep = ps_pace_sleep(carries ? ps_clock_ns() - moved : PS_PACE_LATELY_NS, sleep, longest);
		if (sleep)
			ps_eventcount_wait(r->eventcount, seen, sleep);
		else
			ps_relax();
	}
}

int ps_remote_thread_begin(struct ps_remote *r)
{
	sigset_t every, former;
	int err;

	r->looked = silence_clock(r);
	sigfillset(&every); /* signals are for the program's own threads */
	pthread_sigmask(SIG_SETMASK, &every, &former);
	err = pthread_create(&r->thread, NULL, main_of_remote, r);
	pthread_sigmask(SIG_SETMASK, &former, NULL);
	r->runs = !err;
	return -err;
}
