/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "tests/observe/trace_reader.h"

#ifndef HAVE_JANSSON

bool trace_reader_is_there(void)
{
	return false;
}

bool trace_is_json(const char *path)
{
	(void)path;
	return true;
}

bool trace_has_span(const char *path, const char *name)
{
	(void)path, (void)name;
	return true;
}

bool trace_find_move(const char *path, unsigned number, struct trace_move *move)
{
	(void)path, (void)number, (void)move;
	return false;
}

const char *trace_check(
	const char *path, struct pstk_network *net, bool exact, const bool *peeks, struct trace_sums *sums)
{
	(void)path, (void)net, (void)exact, (void)peeks, (void)sums;
	return NULL;
}

#else

#include <inttypes.h>
#include <jansson.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

struct span {
	unsigned tid;
	int64_t begin, end; /* nanoseconds */
	const char *category, *name;
	size_t length; /* of the actor's name, which the name begins with */
	uint64_t firing;
	int64_t within; /* of a kernel: its times are off by so much at most */
};

struct tip { /* of an arrow */
	uint64_t id;
	unsigned tid;
	int64_t at;
	const struct span *in; /* NULL: none */
};

struct file {
	json_t *json;
	struct pstk_network *net;
	bool exact;
	const bool *peeks;
	uint64_t firings, lost, dropped;
	struct span *spans;
	struct tip *begins, *ends;
	size_t span_count, begin_count, end_count;
	char message[400];
};

PSTK_PRINTF(2, 3) static void complain(struct file *f, const char *format, ...)
{
	va_list ap;

	if (f->message[0])
		return;
	va_start(ap, format);
	vsnprintf(f->message, sizeof f->message, format, ap);
	va_end(ap);
}

static int64_t nanoseconds(const json_t *event, const char *key)
{
	return llround(json_number_value(json_object_get(event, key)) * 1000);
}

static const char *text(struct file *f, const json_t *event, const char *key)
{
	const char *value = json_string_value(json_object_get(event, key));

	if (!value)
		complain(f, "an event without '%s'", key);
	return value ? value : "";
}

static uint64_t argument(const json_t *event, const char *key)
{
	return (uint64_t)json_integer_value(json_object_get(json_object_get(event, "args"), key));
}

/*
 * Spans.
 */

/* On a device firing is enqueueing. */
static bool is_firing(const struct span *s)
{
	return !strcmp(s->category, "fire") || !strcmp(s->category, "enqueue");
}

/* Threads are process 1, devices others. */
static unsigned track(const json_t *event)
{
	unsigned pid = (unsigned)json_integer_value(json_object_get(event, "pid")),
		 tid = (unsigned)json_integer_value(json_object_get(event, "tid"));

	return tid && pid ? (pid - 1) * 100000 + tid : 0;
}

static void take_span(struct file *f, const json_t *event, struct trace_sums *sums)
{
	struct span *s = &f->spans[f->span_count++];

	*s = (struct span){ .tid = track(event),
		.begin = nanoseconds(event, "ts"),
		.category = text(f, event, "cat"),
		.name = text(f, event, "name"),
		.firing = argument(event, "firing") };
	s->end = s->begin + nanoseconds(event, "dur");
	s->length = strcmp(s->category, "control") != 0 ? strlen(s->name)
	                                                : (size_t)(strrchr(s->name, ':') - s->name);
	sums->spans++;
	sums->controls += !strcmp(s->category, "control");
	sums->fires += is_firing(s);
	sums->waits += !strcmp(s->category, "wait");
	sums->sleeps += !strcmp(s->category, "sleep");
	sums->kernels += !strcmp(s->category, "kernel");
	sums->transfers += !strcmp(s->category, "transfer");
	s->within = (int64_t)argument(event, "within_ns");
	if (!s->tid || s->begin < 0 || s->end < s->begin)
		complain(f, "span '%s' on track %u from %" PRId64 " to %" PRId64, s->name, s->tid, s->begin,
			s->end);
}

static int by_track(const void *a, const void *b)
{
	const struct span *x = a, *y = b;

	if (x->tid != y->tid)
		return x->tid < y->tid ? -1 : 1;
	if (x->begin != y->begin)
		return x->begin < y->begin ? -1 : 1;
	return x->end > y->end ? -1 : x->end < y->end;
}

/* In the file they come by time; sorted they must nest. */
static void check_spans(struct file *f)
{
	const struct span *open[64];
	unsigned depth = 0;

	for (size_t i = 1; i < f->span_count; i++)
		if (f->spans[i].begin < f->spans[i - 1].begin)
			complain(f, "span '%s' comes after a later one", f->spans[i].name);
	qsort(f->spans, f->span_count, sizeof *f->spans, by_track);
	for (size_t i = 0; i < f->span_count; i++) {
		const struct span *s = &f->spans[i];

		while (depth && (open[depth - 1]->tid != s->tid || open[depth - 1]->end <= s->begin))
			depth--;
		if (depth && s->end > open[depth - 1]->end)
			complain(f,
				"track %u: '%s' from %" PRId64 " to %" PRId64 " crosses '%s' from %" PRId64
				" to %" PRId64,
				s->tid, s->name, s->begin, s->end, open[depth - 1]->name,
				open[depth - 1]->begin, open[depth - 1]->end);
		if (depth == 64)
			complain(f, "64 spans in each other");
		else
			open[depth++] = s;
	}
}

/* The firing that has enqueued a kernel. NULL: it is lost. */
static const struct span *enqueued_by(const struct file *f, const struct span *kernel)
{
	for (size_t i = 0; i < f->span_count; i++) {
		const struct span *s = &f->spans[i];

		if (!strcmp(s->category, "enqueue") && !strcmp(s->name, kernel->name) &&
			s->firing == kernel->firing)
			return s;
	}
	return NULL;
}

/* A kernel is not before that. */
static void check_kernels(struct file *f)
{
	for (size_t i = 0; i < f->span_count; i++) {
		const struct span *k = &f->spans[i], *s;

		if (strcmp(k->category, "kernel") != 0)
			continue;
		s = enqueued_by(f, k);
		if (!s && !f->lost)
			complain(f, "no firing of '%s' has enqueued kernel %" PRIu64, k->name, k->firing);
		if (s && k->begin + k->within < s->begin)
			complain(f,
				"the kernel of '%s' %" PRIu64 " begins %" PRId64
				" ns before its firing, within %" PRId64,
				k->name, k->firing, s->begin - k->begin, k->within);
	}
}

/* The actors' figures count no firing that was dropped. */
static void check_firings(struct file *f, uint64_t fires)
{
	uint64_t fired = 0;

	for (unsigned i = 0; pstk_network_actor(f->net, i); i++) {
		struct pstk_actor_stats stats;

		pstk_actor_get_stats(pstk_network_actor(f->net, i), &stats);
		fired += stats.firings;
	}
	if (fires + f->lost != f->firings)
		complain(f, "%" PRIu64 " firings, %" PRIu64 " lost of %" PRIu64, fires, f->lost, f->firings);
	if (f->exact && !f->lost ? fired + f->dropped != f->firings : fired > f->firings)
		complain(f, "%" PRIu64 " firings, %" PRIu64 " of them dropped, and the actors have %" PRIu64,
			f->firings, f->dropped, fired);
}

/*
 * Counters.
 */

struct level {
	char name[400];
	int64_t at;
	int64_t tokens, most;
};

static struct level *find_level(struct level *levels, unsigned count, const char *name)
{
	for (unsigned i = 0; i < count; i++)
		if (!strcmp(levels[i].name, name))
			return &levels[i];
	return NULL;
}

static const char *port_name(const struct pstk_actor *a, unsigned port)
{
	return pstk_actor_get_type(a)->ports[port].name;
}

static void name_level(struct level *l, const struct pstk_fifo_info *info)
{
	*l = (struct level){ .at = -1, .tokens = -1 };
	snprintf(l->name, sizeof l->name, "%s.%s -> %s.%s", pstk_actor_name(info->src),
		port_name(info->src, info->src_port), pstk_actor_name(info->dst),
		port_name(info->dst, info->dst_port));
	l->most = (int64_t)(info->room + info->history + info->tail) + info->write_rate + info->rate;
}

static void take_fill(struct file *f, const json_t *event, struct level *levels, unsigned count)
{
	struct level *l = find_level(levels, count, text(f, event, "name"));
	int64_t at = nanoseconds(event, "ts");

	if (!l) {
		complain(f, "a counter of no FIFO: '%s'", text(f, event, "name"));
		return;
	}
	if (at < l->at)
		complain(f, "counter '%s' goes back in time", l->name);
	l->at = at;
	l->tokens = (int64_t)argument(event, "tokens");
	if (l->tokens > l->most)
		complain(f, "counter '%s': %" PRId64 " of %" PRId64, l->name, l->tokens, l->most);
}

static void check_fills(struct file *f, const json_t *events, struct trace_sums *sums)
{
	static struct level levels[128];
	struct pstk_fifo_info info;
	unsigned count = 0;
	const json_t *event;
	size_t i;

	for (; pstk_network_fifo(f->net, count) && count < 128; count++) {
		pstk_fifo_get_info(pstk_network_fifo(f->net, count), &info);
		name_level(&levels[count], &info);
	}
	json_array_foreach(events, i, event) if (!strcmp(text(f, event, "ph"), "C"))
	{
		take_fill(f, event, levels, count);
		sums->fills++;
	}
	for (unsigned n = 0; n < count; n++) {
		pstk_fifo_get_info(pstk_network_fifo(f->net, n), &info);
		if (f->exact && !f->lost && levels[n].tokens != (int64_t)info.fill)
			complain(f, "counter '%s' ends with %" PRId64 ", there are %" PRIu64, levels[n].name,
				levels[n].tokens, info.fill);
	}
}

/*
 * Arrows.
 */

static int by_id(const void *a, const void *b)
{
	const struct tip *x = a, *y = b;

	return x->id < y->id ? -1 : x->id > y->id;
}

/* The innermost firing, or taking of a control token, around this time. */
static const struct span *firing_at(const struct file *f, unsigned tid, int64_t at)
{
	const struct span *found = NULL;

	for (size_t i = 0; i < f->span_count; i++) {
		const struct span *s = &f->spans[i];

		if (s->tid == tid && s->begin <= at && at <= s->end &&
			(is_firing(s) || !strcmp(s->category, "control")) &&
			(!found || s->begin > found->begin))
			found = s;
	}
	return found;
}

static void take_tip(struct file *f, const json_t *event, struct tip *to)
{
	*to = (struct tip){ .id = (uint64_t)json_integer_value(json_object_get(event, "id")),
		.tid = (unsigned)json_integer_value(json_object_get(event, "tid")),
		.at = nanoseconds(event, "ts") };
	to->in = firing_at(f, to->tid, to->at);
}

/* Pairs of windows with a token in common, between these actors: token by token. */
static uint64_t expected_arrows(struct file *f, const char *from, const char *to)
{
	struct pstk_fifo_info info;
	uint64_t pairs = 0;

	for (unsigned n = 0; pstk_network_fifo(f->net, n); n++) {
		int64_t last_write = -1, last_read = -1;

		pstk_fifo_get_info(pstk_network_fifo(f->net, n), &info);
		if (strcmp(pstk_actor_name(info.src), from) != 0 ||
			strcmp(pstk_actor_name(info.dst), to) != 0)
			continue;
		for (int64_t t = 0; t < (int64_t)info.written; t++) {
			int64_t skipped = f->peeks && f->peeks[n] ? info.history : 0,
				at = t + info.delay - skipped;

			if (at < 0 || (uint64_t)at >= info.read)
				continue;
			pairs += t / info.write_rate != last_write || at / info.rate != last_read;
			last_write = t / info.write_rate;
			last_read = at / info.rate;
		}
	}
	return pairs;
}

static bool is_of(const struct span *s, const char *actor)
{
	return s && s->length == strlen(actor) && !strncmp(s->name, actor, s->length);
}

static uint64_t count_arrows(const struct file *f, const char *from, const char *to)
{
	uint64_t arrows = 0;

	for (size_t i = 0; i < f->begin_count; i++)
		arrows += is_of(f->begins[i].in, from) && is_of(f->ends[i].in, to);
	return arrows;
}

static void check_pairs(struct file *f)
{
	for (unsigned a = 0; pstk_network_actor(f->net, a); a++)
		for (unsigned b = 0; pstk_network_actor(f->net, b); b++) {
			const struct pstk_actor *from = pstk_network_actor(f->net, a),
						*to = pstk_network_actor(f->net, b);
			uint64_t expected, found;

			if (pstk_actor_get_type(from)->kahn || pstk_actor_get_type(to)->kahn)
				continue;
			expected = expected_arrows(f, pstk_actor_name(from), pstk_actor_name(to));
			found = count_arrows(f, pstk_actor_name(from), pstk_actor_name(to));
			if (found != expected)
				complain(f, "%" PRIu64 " arrows from '%s' to '%s', of %" PRIu64, found,
					pstk_actor_name(from), pstk_actor_name(to), expected);
		}
}

static void check_arrows(struct file *f, const json_t *events, struct trace_sums *sums)
{
	const json_t *event;
	size_t i;

	json_array_foreach(events, i, event)
	{
		if (!strcmp(text(f, event, "ph"), "s"))
			take_tip(f, event, &f->begins[f->begin_count++]);
		else if (!strcmp(text(f, event, "ph"), "f"))
			take_tip(f, event, &f->ends[f->end_count++]);
	}
	qsort(f->begins, f->begin_count, sizeof *f->begins, by_id);
	qsort(f->ends, f->end_count, sizeof *f->ends, by_id);
	if (f->begin_count != f->end_count)
		complain(f, "%zu arrows begin, %zu end", f->begin_count, f->end_count);
	for (i = 0; i < f->begin_count && i < f->end_count; i++) {
		if (f->begins[i].id != f->ends[i].id || (i && f->begins[i].id == f->begins[i - 1].id))
			complain(f, "arrow %" PRIu64 " has not one begin and one end", f->begins[i].id);
		if (f->begins[i].at > f->ends[i].at)
			complain(f, "arrow %" PRIu64 " goes back in time", f->begins[i].id);
		sums->arrows++;
	}
	if (f->exact && !f->lost)
		check_pairs(f);
}

/* The end of the move that this event begins; NULL: it has none behind it. */
static const json_t *end_of(const json_t *events, size_t begin)
{
	const char *id = json_string_value(json_object_get(json_array_get(events, begin), "id"));

	for (size_t i = begin + 1; i < json_array_size(events); i++) {
		const json_t *event = json_array_get(events, i);
		const char *kind = json_string_value(json_object_get(event, "ph")),
			   *its = json_string_value(json_object_get(event, "id"));

		if (kind && its && id && !strcmp(kind, "e") && !strcmp(its, id))
			return event;
	}
	return NULL;
}

static void check_moves(struct file *f, const json_t *events, struct trace_sums *sums)
{
	uint64_t begins = 0, ends = 0;
	const json_t *event;
	size_t i;

	json_array_foreach(events, i, event)
	{
		const json_t *end = NULL;

		ends += !strcmp(text(f, event, "ph"), "e");
		if (strcmp(text(f, event, "ph"), "b") != 0)
			continue;
		begins++;
		end = end_of(events, i);
		if (strcmp(text(f, event, "cat"), "move") != 0 || !end ||
			strcmp(text(f, event, "name"), text(f, end, "name")) != 0 ||
			nanoseconds(event, "ts") < 0 || nanoseconds(end, "ts") < nanoseconds(event, "ts"))
			complain(f, "'%s' does not end, or before it begins", text(f, event, "name"));
	}
	if (begins != ends)
		complain(f, "%" PRIu64 " moves begin, %" PRIu64 " end", begins, ends);
	sums->moves += begins;
}

static void read_events(struct file *f, const json_t *events, struct trace_sums *sums)
{
	uint64_t before = sums->fires;
	const json_t *event;
	size_t i;

	json_array_foreach(events, i, event)
	{
		const char *kind = text(f, event, "ph");

		if (!strcmp(kind, "X"))
			take_span(f, event, sums);
		else if (!strcmp(kind, "i") && !strcmp(text(f, event, "cat"), "dropped"))
			f->dropped++; /* no other moments */
		else if (!strchr("MCsfbe", kind[0]) || strlen(kind) != 1)
			complain(f, "an event of kind '%s'", kind);
	}
	check_spans(f);
	check_kernels(f);
	check_firings(f, sums->fires - before);
	check_fills(f, events, sums);
	check_arrows(f, events, sums);
	check_moves(f, events, sums);
}

static void check_json(struct file *f, struct trace_sums *sums)
{
	const json_t *events = json_object_get(f->json, "traceEvents"),
		     *other = json_object_get(f->json, "otherData");
	size_t count = json_array_size(events);

	if (!json_is_array(events) || !json_is_object(other)) {
		complain(f, "no traceEvents, or no otherData");
		return;
	}
	f->firings = (uint64_t)json_integer_value(json_object_get(other, "firings"));
	f->lost = (uint64_t)json_integer_value(json_object_get(other, "lost_firings"));
	sums->lost += f->lost;
	f->spans = calloc(count + 1, sizeof *f->spans);
	f->begins = calloc(count + 1, sizeof *f->begins);
	f->ends = calloc(count + 1, sizeof *f->ends);
	if (!f->spans || !f->begins || !f->ends)
		abort();
	read_events(f, events, sums);
	free(f->spans);
	free(f->begins);
	free(f->ends);
}

bool trace_reader_is_there(void)
{
	return true;
}

bool trace_is_json(const char *path)
{
	json_t *json = json_load_file(path, JSON_REJECT_DUPLICATES, NULL);
	bool is = json_is_array(json_object_get(json, "traceEvents"));

	json_decref(json);
	return is;
}

bool trace_has_span(const char *path, const char *name)
{
	json_t *json = json_load_file(path, JSON_REJECT_DUPLICATES, NULL), *event;
	bool has = false;
	size_t i;

	json_array_foreach(json_object_get(json, "traceEvents"), i, event)
	{
		const char *its = json_string_value(json_object_get(event, "name"));

		has |= its && !strcmp(its, name) && json_number_value(json_object_get(event, "dur")) > 0;
	}
	json_decref(json);
	return has;
}

static void copy_text(const json_t *object, const char *key, char *to, size_t size)
{
	const char *value = json_string_value(json_object_get(object, key));

	snprintf(to, size, "%s", value ? value : "");
}

static void take_move(const json_t *events, size_t begin, struct trace_move *move)
{
	const json_t *event = json_array_get(events, begin), *args = json_object_get(event, "args");

	*move = (struct trace_move){ .wanted = argument(event, "wanted"),
		.firing = argument(event, "firing"),
		.state_bytes = argument(event, "state_bytes"),
		.took_ns = (uint64_t)(nanoseconds(end_of(events, begin), "ts") - nanoseconds(event, "ts")) };
	copy_text(event, "name", move->name, sizeof move->name);
	copy_text(args, "from", move->from, sizeof move->from);
	copy_text(args, "to", move->to, sizeof move->to);
	copy_text(args, "state", move->state, sizeof move->state);
	copy_text(args, "text", move->text, sizeof move->text);
}

bool trace_find_move(const char *path, unsigned number, struct trace_move *move)
{
	json_t *json = json_load_file(path, JSON_REJECT_DUPLICATES, NULL),
	       *events = json_object_get(json, "traceEvents"), *event;
	bool found = false;
	size_t i;

	json_array_foreach(events, i, event)
	{
		const char *kind = json_string_value(json_object_get(event, "ph"));

		if (kind && !strcmp(kind, "b") && argument(event, "move") == number) {
			take_move(events, i, move);
			found = true;
		}
	}
	json_decref(json);
	return found;
}

const char *trace_check(
	const char *path, struct pstk_network *net, bool exact, const bool *peeks, struct trace_sums *sums)
{
	static struct file f;
	json_error_t error;

	f = (struct file){ .net = net, .exact = exact, .peeks = peeks };
	f.json = json_load_file(path, JSON_REJECT_DUPLICATES, &error);
	if (!f.json)
		complain(&f, "%s:%d: %s", path, error.line, error.text);
	else
		check_json(&f, sums);
	json_decref(f.json);
	sums->files++;
	return f.message[0] ? f.message : NULL;
}

#endif
