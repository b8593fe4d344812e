/* SPDX-License-Identifier: MIT */
#include "lib/analysis/verdict.h"
#include "lib/analysis/clocks.h"
#include "lib/analysis/rate_rule.h"
#include "lib/base/text.h"
#include "lib/model/error.h"
#include "lib/model/type.h"
#include "lib/plan/threads.h"

#include <errno.h>
#include <stdarg.h>
#include <string.h>

enum { WHEN_SIZE = 200, LEVELS = 4 };

void ps_verdict_reason(struct pstk_verdict *v, const char *format, ...)
{
	char text[sizeof v->reason]; /* what is there may be one of the arguments */
	va_list ap;

	va_start(ap, format);
	if (vsnprintf(text, sizeof text, format, ap) >= (int)sizeof text)
		ps_text_cut(text, sizeof text);
	va_end(ap);
	memcpy(v->reason, text, sizeof text);
}

void ps_verdict_remedy(struct pstk_verdict *v, const char *format, ...)
{
	va_list ap;

	va_start(ap, format);
	if (vsnprintf(v->remedy, sizeof v->remedy, format, ap) >= (int)sizeof v->remedy)
		ps_text_cut(v->remedy, sizeof v->remedy);
	va_end(ap);
}

const char *ps_verdict_rule(const struct pstk_verdict *v)
{
	switch (v->rule) {
	case PSTK_RULE_CONTROL:
		return v->fifo ? "members of a control group that declare different values"
		               : "control() fails";
	case PSTK_RULE_CLOCKS:
		return "ends of a FIFO that are not on at the same times (R1)";
	case PSTK_RULE_CYCLES:
		return "a cycle that can never begin (R2)";
	case PSTK_RULE_RATES:
		return "rates that contradict each other (R0)";
	case PSTK_RULE_ROOM:
		return "a depth that is too small (R3)";
	case PSTK_RULE_NONE:
		break;
	}
	return "no rule";
}

void ps_verdict_values(
	struct ps_text *t, bool (*has)(const void *, uint32_t), const void *data, uint32_t values)
{
	enum { END = 12 };
	const char *comma = "";

	ps_text_add(t, "{");
	for (uint32_t first = 0; first < values; first++) {
		uint32_t last = first;

		if (!has(data, first))
			continue;
		if (t->length + 2 * END > t->size) {
			ps_text_add(t, ", ..");
			break;
		}
		while (last + 1 < values && has(data, last + 1))
			last++;
		ps_text_add(t, last > first ? "%s%u%s%u" : "%s%u", comma, first,
			last > first + 1 ? "-" : ", ", last);
		comma = ", ";
		first = last;
	}
	ps_text_add(t, "}");
}

static bool set_has(const void *set, uint32_t value)
{
	return ps_set_has(set, value);
}

/* Of a long list its beginning and its length: readers of a table want to see the next column too. */
static void say_set(struct ps_text *t, const struct ps_set *set, uint32_t values)
{
	enum { LIST_SIZE = 64 }; /* of which ps_verdict_values() keeps some for its end */
	char buffer[LIST_SIZE];
	struct ps_text list = ps_text(buffer, sizeof buffer);
	uint32_t count = 0;

	ps_verdict_values(&list, set_has, set, values);
	ps_text_add(t, "%s", buffer);
	if (!strstr(buffer, ".."))
		return;
	for (uint32_t value = 0; value < values; value++)
		count += ps_set_has(set, value);
	ps_text_add(t, " (%u of %u values)", count, values);
}

static const char *say_kahn(const struct pstk_fifo *f, bool writer, struct ps_text *t)
{
	const struct pstk_actor *a = writer ? f->src : f->dst;

	if (a->type.kahn)
		ps_text_add(t, "when '%s' likes (kahn)", a->name);
	else
		ps_text_add(t, "as the control of '%s' says (values not declared)", a->name);
	return t->buffer;
}

const char *ps_verdict_when(
	const struct ps_analysis *an, const struct pstk_fifo *f, bool writer, char *buffer, size_t size)
{
	struct ps_text t = ps_text(buffer, size);
	unsigned clock = ps_analysis_clock(an, f, writer), first = clock;
	const struct pstk_fifo *unknown = ps_analysis_unknown(an, f, writer);

	if (clock == PS_TERM_UNKNOWN || (writer ? f->src : f->dst)->type.kahn)
		return say_kahn(f, writer, &t);
	for (unsigned level = 0; ps_term_is_set(clock); level++) {
		const struct ps_set *s = &an->sets[clock];
		const struct ps_group *g = &an->groups[s->group];

		if (level && clock == first) { /* refused: it depends on itself */
			ps_text_add(&t, " while the same");
			break;
		}
		if (level == LEVELS) {
			/* deeper nesting is not readable, and may lead to a clock that depends on itself */
			ps_text_add(&t, " while ..");
			break;
		}
		if (s->empty) {
			ps_text_add(&t, "%snever", level ? " while " : "");
			break;
		}
		ps_text_add(&t, "%s" PS_GROUP " in ", level ? " while " : "", PS_GROUP_ARGS(g));
		say_set(&t, s, g->values);
		clock = ps_analysis_group_clock(an, s->group);
	}
	if (unknown && first == PS_TERM_ACTOR)
		ps_text_add(&t, "not known, because of " PS_CONNECTION, PS_CONNECTION_ARGS(unknown));
	else if (!t.length)
		ps_text_add(&t, "always");
	return buffer;
}

static void print_result(const struct ps_analysis *an, FILE *out)
{
	const struct pstk_verdict *v = an->verdict;
	const char *name = an->net->name;

	if (!v->result)
		fprintf(out, "network '%s': proven: free of deadlock in bounded memory%s\n", name,
			an->group_count ? ", whatever the control tokens are" : "");
	else if (v->result > 0)
		fprintf(out,
			"network '%s': checked at run time: nothing is wrong, but not everything can be "
			"proven\n",
			name);
	else
		fprintf(out, "network '%s': refused: %s%s\n", name, ps_verdict_rule(v),
			v->conservative ? ", conservatively: it may be sound" : "");
	fprintf(out, "  why: %s\n", v->reason);
	if (v->remedy[0])
		fprintf(out, "  to fix it: %s\n", v->remedy);
}

/* Base clocks of classes that have a control group or a static actor, and sets. */
static unsigned count_clocks(const struct ps_analysis *an)
{
	unsigned count = an->set_count;

	for (unsigned i = 0; i < an->net->actor_count; i++)
		count += an->clocks[i].parent == i && an->clocks[i].set == PS_TERM_ACTOR &&
		         !an->net->actors[i]->type.kahn;
	return count;
}

static void print_scope(const struct ps_analysis *an, FILE *out)
{
	unsigned clocks = an->clocks ? count_clocks(an) : 0;

	fprintf(out, "  looked at: %u actor%s, %u FIFO%s", an->net->actor_count,
		ps_plural(an->net->actor_count), an->net->fifo_count, ps_plural(an->net->fifo_count));
	if (an->group_count) {
		unsigned long long values = 0;

		for (unsigned g = 0; g < an->group_count; g++)
			values += an->groups[g].values;
		fprintf(out, ", %u control group%s", an->group_count, ps_plural(an->group_count));
		if (values)
			fprintf(out, " with %llu value%s", values, ps_plural(values));
	}
	if (clocks)
		fprintf(out, ", %u clock%s", clocks, ps_plural(clocks));
	if (an->graph.component) /* it has come so far */
		fprintf(out, ", %u part%s with cycles", an->loops, ps_plural(an->loops));
	if (an->cases)
		fprintf(out, ", %llu case%s of control values", (unsigned long long)an->cases,
			ps_plural(an->cases));
	fputc('\n', out);
}

static void print_bytes(size_t bytes, FILE *out)
{
	if (bytes < 10000)
		fprintf(out, "%zu B", bytes);
	else
		fprintf(out, "%.3f MB", (double)bytes / 1e6);
}

static void print_memory(const struct pstk_verdict *v, FILE *out)
{
	fputs(v->result < 0 ? "  memory of its FIFOs: " : "  memory bound: ", out);
	print_bytes(v->bytes, out);
	if (v->shared_bytes != v->bytes) {
		fputs(", ", out);
		print_bytes(v->shared_bytes, out);
		fputs(" where readers of a broadcast share a buffer", out);
	}
	fputc('\n', out);
}

static int connection_width(const struct pstk_fifo *f)
{
	return snprintf(NULL, 0, PS_CONNECTION, PS_CONNECTION_ARGS(f));
}

/* One line of a table whose first column is so wide. */
static void print_fifo(const struct ps_analysis *an, const struct pstk_fifo *f, int width, FILE *out)
{
	const struct ps_layout *l = &f->fifo.layout;
	bool kahn = f->dst->type.kahn;
	char when[WHEN_SIZE];
	int n = fprintf(out, "    " PS_CONNECTION, PS_CONNECTION_ARGS(f)) - 4;

	char rates[24];

	if (l->write_rate == l->read_rate)
		snprintf(rates, sizeof rates, "%u", l->read_rate);
	else
		snprintf(rates, sizeof rates, "%u:%u", l->write_rate, l->read_rate);
	fprintf(out, "%*s  %8s  %8u  %5u  %10zu  %s\n", width > n ? width - n : 0, "", rates, l->delay,
		l->depth, l->bytes, ps_verdict_when(an, f, !kahn, when, sizeof when));
}

/* Of all FIFOs, or of some. */
static void print_fifos(
	const struct ps_analysis *an, const struct pstk_fifo *const *fifos, unsigned count, FILE *out)
{
	enum { MOST = 72 };
	int width = 4;

	for (unsigned i = 0; i < count; i++) {
		int n = connection_width(fifos[i]);

		width = n > width && n <= MOST ? n : width;
	}
	fprintf(out, "    %-*s  %8s  %8s  %5s  %10s  %s\n", width, "FIFO", "rate", "delay", "depth", "bytes",
		"is on");
	for (unsigned i = 0; i < count; i++)
		print_fifo(an, fifos[i], width, out);
}

/* Says why an end is on then, if its own control() does not decide it: the FIFOs over which its clock comes. */
static void print_way(const struct ps_analysis *an, FILE *out)
{
	enum { MOST = 5 };

	for (unsigned i = 0; i < an->way_length; i++) {
		fputs(!i ? ", because of " : i + 1 < an->way_length && i < MOST ? ", " : " and ", out);
		if (i == MOST && i + 1 < an->way_length) {
			fprintf(out, "%u more", an->way_length - i);
			return;
		}
		fprintf(out, PS_CONNECTION, PS_CONNECTION_ARGS(an->way[i]));
	}
}

/* R1: when each end is on. */
static void print_end(const struct ps_analysis *an, const struct pstk_fifo *f, bool writer, FILE *out)
{
	const struct pstk_actor *a = writer ? f->src : f->dst;
	char when[WHEN_SIZE];

	fprintf(out, "    '%s'.%s is on: %s", a->name, a->type.ports[writer ? f->src_port : f->dst_port].name,
		ps_verdict_when(an, f, writer, when, sizeof when));
	if (writer == an->way_of_writer)
		print_way(an, out);
	fputc('\n', out);
}

/* How many firings of a stateless actor can run side by side. Under a team, or with a concurrency set. */
static bool has_limits(const struct pstk_network *net)
{
	bool any = pstk_network_threads(net);

	for (unsigned i = 0; i < net->actor_count; i++)
		any = any || net->actors[i]->concurrency;
	return any;
}

static void print_limits(const struct pstk_network *net, FILE *out)
{
	enum { MOST = 40 };
	int width = 5;
	bool listed = false;

	for (unsigned i = 0; i < net->actor_count; i++) {
		int n = (int)strnlen(net->actors[i]->name, MOST) + 2;

		width = net->actors[i]->type.stateless && n > width ? n : width;
	}
	for (unsigned i = 0; i < net->actor_count; i++) {
		const struct pstk_actor *a = net->actors[i];
		char text[PS_LIMIT_TEXT];
		struct ps_limit limit;
		int n;

		if (!a->type.stateless)
			continue;
		if (!listed)
			fprintf(out, "    %-*s  %12s  %s\n", width, "actor", "side by side", "limited by");
		listed = true;
		ps_concurrency_of(a, &limit);
		n = fprintf(out, "    '%s'", a->name) - 4;
		fprintf(out, "%*s  %12u  %s\n", width > n ? width - n : 0, "", limit.firings,
			ps_concurrency_text(a, &limit, text));
	}
}

int ps_verdict_print(const struct ps_analysis *an, FILE *out)
{
	const struct pstk_verdict *v = an->verdict;

	print_result(an, out);
	if (v->rule == PSTK_RULE_CLOCKS) {
		fprintf(out, "  the ends of " PS_CONNECTION ":\n", PS_CONNECTION_ARGS(v->fifo));
		print_end(an, v->fifo, true, out);
		print_end(an, v->fifo, false, out);
	}
	if (v->rule == PSTK_RULE_CYCLES || v->rule == PSTK_RULE_ROOM) {
		fprintf(out, "  the cycle:\n");
		print_fifos(an, an->cycle, an->cycle_length, out);
	}
	print_scope(an, out);
	print_memory(v, out);
	ps_analysis_print_rates(an, out);
	if (v->result >= 0)
		print_fifos(an, (const struct pstk_fifo *const *)an->net->fifos, an->net->fifo_count, out);
	if (v->result >= 0 && has_limits(an->net))
		print_limits(an->net, out);
	return fflush(out) || ferror(out) ? -EIO : 0;
}
