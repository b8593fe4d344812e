/* SPDX-License-Identifier: MIT */
/* What a deadlock looks like in words: one line for the network's error, all of it for the log. */
#include "lib/schedule/detector.h"
#include "lib/schedule/detector_state.h"
#include "lib/base/log.h"
#include "lib/base/text.h"
#include "lib/model/error.h"
#include "lib/plan/ranks.h"
#include "lib/plan/rates.h"

#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

/* Of the error's line: a name, and what is kept for how many actors are left out. */
enum { NAME = 32, LEFT_OUT = 24, WAIT = 960, FIX = 1024 };

/* .. where it is told to other hosts, by a message (lib/remote/remote.h). */
enum { OVER_HOSTS = 480 };

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
	return ps_judged(a)->dead.fifo;
}

static const struct ps_layout *layout_of(const struct pstk_actor *a)
{
	return &ps_judged(a)->dead.layout;
}

static bool waits_for_room(const struct pstk_actor *a)
{
	return ps_judged(a)->dead.writes && !ps_judged(a)->dead.merged;
}

static const struct pstk_actor *next_of(const struct pstk_actor *a)
{
	return ps_judged(a)->dead.other;
}

static bool is_control(const struct pstk_fifo *f)
{
	return f->dst_port == f->dst->control_port;
}

static const char *what(const struct pstk_actor *a)
{
	return ps_judged(a)->dead.merged ? "merged memory" : waits_for_room(a) ? "room" : "tokens";
}

/* NULL: the message is of one host, or there is only one. */
static const char *host_of(const struct pstk_actor *a)
{
	const struct pstk_network *net = a->network;

	return net->schedule->detector->over_hosts && ps_ranks_count(net)
	               ? ps_ranks_host(net, ps_ranks_of_host(net, a->host))
	               : NULL;
}

/* "c1: conf", where the network has hosts */
static void add_actor(const struct pstk_actor *a, size_t most, struct ps_text *t)
{
	const char *name_of_host = host_of(a);
	char host[NAME + 1], name[NAME + 1];

	if (name_of_host)
		ps_text_add(t, "%s: ", shorten(name_of_host, most, host, sizeof host));
	ps_text_add(t, "%s", shorten(a->name, most, name, sizeof name));
}

/* "conf (firing 10) waits for room on ctl_b [rate 1, 2/2] <- b" */
static void say_wait(const struct pstk_actor *a, size_t most, char *text, size_t size)
{
	char port[NAME + 1], rates[PS_RATES_TEXT];
	const struct pstk_fifo *f = fifo_of(a);
	unsigned p = ps_judged(a)->dead.writes ? f->src_port : f->dst_port;
	struct ps_text t = ps_text(text, size);

	add_actor(a, most, &t);
	ps_text_add(&t, " (firing %llu", (unsigned long long)ps_judged(a)->dead.firing);
	if (ps_judged(a)->dead.decided)
		ps_text_add(&t, ", control %u", ps_judged(a)->dead.value);
	ps_text_add(&t, ") waits for %s on %s [%s, %llu/%llu] <- ", what(a),
		shorten(a->type.ports[p].name, most, port, sizeof port), ps_rates_text(layout_of(a), rates),
		(unsigned long long)ps_judged(a)->dead.fill, (unsigned long long)ps_judged(a)->dead.capacity);
	add_actor(next_of(a), most, &t);
}

/*
 * What would fix it.
 */

/* "'a'.out -> 'b'.in" */
static void add_connection(struct ps_text *t, const struct pstk_fifo *f, size_t most)
{
	char src[NAME + 1], out[NAME + 1], dst[NAME + 1], in[NAME + 1];

	ps_text_add(t, "'%s'.%s -> '%s'.%s", shorten(f->src->name, most, src, sizeof src),
		shorten(f->src->type.ports[f->src_port].name, most, out, sizeof out),
		shorten(f->dst->name, most, dst, sizeof dst),
		shorten(f->dst->type.ports[f->dst_port].name, most, in, sizeof in));
}

/* It was refused, and started all the same: the analyser knows the cause, the circle is where it has led. */
static bool say_refusal(const struct pstk_network *net, size_t most, struct ps_text *t)
{
	const struct pstk_verdict *v = &net->verdict;

	if (v->result != -EDEADLK)
		return false;
	ps_text_add(t, "before the start: ");
	if (v->rule == PSTK_RULE_CLOCKS && v->fifo) {
		add_connection(t, v->fifo, most);
		if (v->has_value)
			ps_text_add(t, ", value %u", v->value);
		ps_text_add(t, ": ");
	}
	ps_text_add(t, "%s", v->remedy);
	return true;
}

/* A dynamic port at which the circle can be cut. */
struct cut {
	const struct pstk_actor *actor;
	const char *port;
};

/* One port an actor. */
static void keep_cut(struct cut *cuts, unsigned *count, const struct pstk_actor *a, unsigned port)
{
	enum pstk_port_kind kind = a->type.ports[port].kind;

	if ((kind == PSTK_DYNAMIC_INPUT || kind == PSTK_DYNAMIC_OUTPUT) && *count < 2 &&
		!(*count && cuts[0].actor == a))
		cuts[(*count)++] = (struct cut){ a, a->type.ports[port].name };
}

/* Of the circle's FIFOs, of different actors: two at most. */
static unsigned find_cuts(const struct pstk_actor *a, unsigned count, struct cut *cuts)
{
	unsigned found = 0;

	for (unsigned i = 0; i < count; i++, a = next_of(a)) {
		const struct pstk_fifo *f = fifo_of(a);

		/* an actor that waits there has it on */
		keep_cut(cuts, &found, waits_for_room(a) ? f->src : f->dst,
			waits_for_room(a) ? f->src_port : f->dst_port);
		keep_cut(cuts, &found, waits_for_room(a) ? f->dst : f->src,
			waits_for_room(a) ? f->dst_port : f->src_port);
	}
	return found;
}

static bool have_one_control(const struct pstk_actor *a, const struct pstk_actor *b)
{
	const struct pstk_fifo *f = a->ports[a->control_port].fifo, *g = b->ports[b->control_port].fifo;

	return f->src == g->src && f->src_port == g->src_port;
}

/* Some end was on when the other one was off. No depth would help for long. */
static bool say_control(const struct pstk_actor *first, unsigned count, size_t most, struct ps_text *t)
{
	char a[NAME + 1], in[NAME + 1], b[NAME + 1], out[NAME + 1];
	struct cut cuts[2];
	unsigned found = find_cuts(first, count, cuts);
	const char *name, *port, *other;

	if (!found)
		return false;
	name = shorten(cuts[0].actor->name, most, a, sizeof a);
	port = shorten(cuts[0].port, most, in, sizeof in);
	if (found == 1) {
		ps_text_add(t,
			"'%s'.%s may be off: the actor that waits behind it needs a dynamic port under the "
			"same control",
			name, port);
		return true;
	}
	other = shorten(cuts[1].actor->name, most, b, sizeof b);
	ps_text_add(t, "'%s'.%s and '%s'.%s must be on at the same times: ", name, port, other,
		shorten(cuts[1].port, most, out, sizeof out));
	ps_text_add(t, have_one_control(cuts[0].actor, cuts[1].actor)
			       ? "compare the control of both"
			       : "feed both control ports from one output, a broadcast");
	return true;
}

/* The first of the cycle that waits for room, whose FIFO may be deeper; at one of control tokens only if there
 * is no other. NULL: none. */
static const struct pstk_actor *find_full(const struct pstk_actor *a, unsigned count)
{
	const struct pstk_actor *full = NULL;

	for (unsigned i = 0; i < count; i++, a = next_of(a))
		if (waits_for_room(a) && (!full || (is_control(fifo_of(full)) && !is_control(fifo_of(a)))))
			full = a;
	return full;
}

/* Tokens until the window is full for which this actor waits. */
static uint64_t missing(const struct pstk_actor *a)
{
	return ps_judged(a)->dead.rate - ps_judged(a)->dead.fill;
}

/* The actor at whose FIFO initial tokens are most likely meant to be: where there are some, then where fewest are
 * missing. Control FIFOs can't have any: NULL. */
static const struct pstk_actor *find_empty(const struct pstk_actor *a, unsigned count)
{
	const struct pstk_actor *best = NULL;

	for (unsigned i = 0; i < count; i++, a = next_of(a)) {
		uint32_t delay = layout_of(a)->delay, least = best ? layout_of(best)->delay : 0;

		if (ps_judged(a)->dead.writes || is_control(fifo_of(a)) || (best && least && !delay))
			continue;
		if (!best || (delay && !least) || missing(a) < missing(best))
			best = a;
	}
	return best;
}

/* No other buffer would hold up an actor that has memory of its own. */
static bool say_merged(const struct pstk_actor *a, unsigned count, struct ps_text *t)
{
	bool merged = false;

	for (unsigned i = 0; i < count; i++, a = next_of(a))
		merged |= ps_judged(a)->dead.merged;
	if (merged)
		ps_text_add(t, "let no buffers share memory (.no_merge, --merge off)");
	return merged;
}

/* More room, by the option that has set its size. With it the firing that waits would go on, or its call. */
static void say_room(const struct pstk_actor *full, size_t most, struct ps_text *t)
{
	const struct pstk_fifo *f = fifo_of(full);
	const struct ps_layout *l = layout_of(full);
	uint64_t lacks = ps_judged(full)->dead.lacks, size = f->ring ? l->capacity : l->depth;
	uint64_t wanted = f->ring ? size + lacks : ps_rates_depth(l, l->room + lacks * l->write_rate);

	ps_text_add(t, "give ");
	add_connection(t, f, most);
	ps_text_add(t, " more room: a .%s of %llu or more (it is %llu)", f->ring ? "capacity" : "depth",
		(unsigned long long)wanted, (unsigned long long)size);
}

static void say_fix(const struct pstk_actor *first, unsigned count, size_t most, char *text, size_t size)
{
	const struct pstk_actor *full = find_full(first, count);
	const struct pstk_actor *empty = find_empty(first, count);
	struct ps_text t = ps_text(text, size);

	if (say_refusal(first->network, most, &t) || say_merged(first, count, &t) ||
		say_control(first, count, most, &t))
		return;
	/* a circle of control FIFOs only is refused, or one of its outputs is a dynamic port */
	assert(full || empty);
	if (full) {
		say_room(full, most, &t);
		return;
	}
	ps_text_add(&t, "give ");
	add_connection(&t, fifo_of(empty), most);
	ps_text_add(&t, " %llu or more initial tokens (.delay; it has %u, a window is %u)",
		(unsigned long long)(layout_of(empty)->delay + missing(empty)), layout_of(empty)->delay,
		ps_judged(empty)->dead.rate);
}

/* The line of the network's error: one wait, what would fix it, and of the other waits as many as fit. */
static void say_line(const struct pstk_actor *first, unsigned count, char *line)
{
	char wait[WAIT], fix[FIX], cut[PS_ERROR_SIZE];
	size_t size = first->network->schedule->detector->over_hosts ? OVER_HOSTS : PS_ERROR_SIZE;
	struct ps_text t = ps_text(line, size);
	const struct pstk_actor *a = first;
	unsigned i = 0;
	size_t room;

	ps_text_add(&t, "deadlock: ");
	say_fix(first, count, NAME, fix, sizeof fix);
	say_wait(first, NAME, wait, sizeof wait);
	room = size - 1 - t.length - strlen(wait) - 2 - LEFT_OUT;
	if (shorten(fix, room, cut, sizeof cut) == cut)
		memcpy(fix, cut, strlen(cut) + 1);
	for (; i < count; i++, a = next_of(a)) {
		say_wait(a, NAME, wait, sizeof wait);
		if (i && t.length + strlen(wait) + 2 + (i + 1 < count ? LEFT_OUT : 0) + strlen(fix) >= size)
			break;
		ps_text_add(&t, "%s; ", wait);
	}
	if (i < count)
		ps_text_add(&t, ".. %u more; ", count - i);
	ps_text_add(&t, "%s", fix);
}

void ps_deadlock_report(struct pstk_actor *first, unsigned count)
{
	char line[PS_ERROR_SIZE], text[FIX];
	const struct pstk_network *net = first->network;
	const struct pstk_actor *a = first;

	say_line(first, count, line);
	if (count == 1)
		ps_log(PS_TOPIC_NETWORK, PSTK_LOG_ERROR,
			"%s: deadlock, an actor waits for itself:", net->name);
	else
		ps_log(PS_TOPIC_NETWORK, PSTK_LOG_ERROR,
			"%s: deadlock, %u actors wait for each other:", net->name, count);
	for (unsigned i = 0; i < count; i++, a = next_of(a)) {
		say_wait(a, SIZE_MAX, text, sizeof text);
		ps_log(PS_TOPIC_NETWORK, PSTK_LOG_ERROR, "%s:   %s", net->name, text);
	}
	if (net->verdict.result == -EDEADLK)
		ps_log(PS_TOPIC_NETWORK, PSTK_LOG_ERROR, "%s:   before the start it was refused: %s",
			net->name, net->verdict.reason);
	say_fix(first, count, SIZE_MAX, text, sizeof text);
	ps_log(PS_TOPIC_NETWORK, PSTK_LOG_ERROR, "%s:   %s", net->name, text);
	if (net->schedule->detector->over_hosts)
		ps_network_fail_elsewhere(first->network, -EDEADLK, "%s", line);
	else
		ps_network_fail(first->network, -EDEADLK, "%s", line);
}
