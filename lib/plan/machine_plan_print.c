/* SPDX-License-Identifier: MIT */
#include "lib/plan/machine_plan.h"
#include "lib/base/text.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>

static int width_of(int width, const char *text)
{
	int own = (int)strlen(text);

	return own > width ? own : width;
}

static const char *seconds(double s, char text[static PS_TEXT_TIME])
{
	return isnan(s) ? "?" : ps_text_time(1e9 * s, text);
}

static void print_actors(const struct pstk_plan *p, FILE *out)
{
	int name = 5, place = 5;

	for (unsigned i = 0; i < p->actor_count; i++) {
		name = width_of(name, p->actors[i].name);
		place = width_of(place, p->actors[i].place);
	}
	fprintf(out, "%-*s  %-*s  %8s  %7s  %5s  %9s\n", name, "actor", place, "place", "schedule", "latency",
		"slack", "time");
	for (unsigned i = 0; i < p->actor_count; i++) {
		const struct pstk_planned_actor *a = &p->actors[i];
		char time[PS_TEXT_TIME];

		fprintf(out, "%-*s  %-*s  %8" PRIu32 "  ", name, a->name, place, a->place, a->schedule);
		if (a->latency == UINT64_MAX)
			fprintf(out, "%7s", "?");
		else
			fprintf(out, "%7" PRIu64, a->latency);
		fprintf(out, "  %5" PRIu64 "  %9s\n", a->slack, seconds(a->seconds, time));
	}
}

static void print_buffers(const struct pstk_plan *p, FILE *out)
{
	int place = 5, writer = 9;

	for (unsigned i = 0; i < p->buffer_count; i++) {
		place = width_of(place, p->buffers[i].place);
		writer = width_of(writer, p->buffers[i].writer ? p->buffers[i].writer : "");
	}
	fprintf(out, "\nbuffer  %-*s  %-*s  %5s  %12s  %5s  readers\n", place, "place", writer, "filled by",
		"depth", "window bytes", "group");
	for (unsigned i = 0; i < p->buffer_count; i++) {
		const struct pstk_planned_buffer *b = &p->buffers[i];
		char from[32];

		snprintf(from, sizeof from, "buffer %" PRIu32, b->from);
		fprintf(out, "%6u  %-*s  %-*s  %5" PRIu32 "  %12zu  %5" PRIu32, i, place, b->place, writer,
			b->writer ? b->writer : from, b->depth, b->window_bytes, b->group);
		for (unsigned k = 0; pstk_plan_buffer_reader(p, i, k); k++)
			fprintf(out, "%s%s", k ? " " : "  ", pstk_plan_buffer_reader(p, i, k));
		if (b->delay_bytes)
			fprintf(out, " (and %zu bytes of initial tokens)", b->delay_bytes);
		fputc('\n', out);
	}
}

static void print_memory(const struct pstk_plan *p, FILE *out)
{
	int place = 6;

	for (unsigned i = 0; i < p->memory_count; i++)
		place = width_of(place, p->memory[i].place);
	fprintf(out, "\n%-*s  %14s  %14s\n", place, "memory", "bytes apart", "bytes merged");
	for (unsigned i = 0; i < p->memory_count; i++)
		fprintf(out, "%-*s  %14" PRIu64 "  %14" PRIu64 "\n", place, p->memory[i].place,
			p->memory[i].bytes, p->memory[i].merged_bytes);
}

static void print_loads(const struct pstk_plan *p, FILE *out)
{
	int name = 4;

	for (unsigned i = 0; i < p->load_count; i++)
		name = width_of(name, p->loads[i].name);
	fprintf(out, "\n%-*s  %12s\n", name, "load", "an iteration");
	for (unsigned i = 0; i < p->load_count; i++) {
		char time[PS_TEXT_TIME];

		fprintf(out, "%-*s  %12s\n", name, p->loads[i].name, seconds(p->loads[i].seconds, time));
	}
}

static void print_summary(const struct pstk_plan *p, FILE *out)
{
	const struct pstk_plan_summary *s = &p->summary;
	double with = s->overlap ? s->simulated : s->other, without = s->overlap ? s->other : s->simulated;
	char bound[PS_TEXT_TIME], simulated[PS_TEXT_TIME];

	if (s->choice != PSTK_CHOICE_NONE)
		fprintf(out, "\nplaces: chosen in %" PRIu64 " steps, %s", s->steps,
			s->choice == PSTK_CHOICE_BEST ? "no other mapping is better"
						      : "the best that was found in these");
	fprintf(out, "\nperiod: at least %s, limited by %s; %s when each actor fires as soon as it can",
		seconds(s->period, bound), *s->limit ? s->limit : "nothing",
		seconds(s->simulated, simulated));
	if (s->simulated > 0)
		fprintf(out, " (%.4g iterations/s)", 1 / s->simulated);
	fprintf(out, "\noverlap is %s", s->overlap ? "on" : "off");
	if (with > 0 && without > 0)
		fprintf(out, ": with it a run is %.2f times as fast as without", without / with);
	fputc('\n', out);
	if (s->slow)
		fprintf(out, "a cycle can't have a window in each cycle: %s\n", s->slow);
	if (s->untimed_count)
		fprintf(out,
			"no time is known of %" PRIu32 " actor%s, '%s'%s: counted as 0; times: says it\n",
			s->untimed_count, ps_plural(s->untimed_count), s->untimed,
			s->untimed_count > 1 ? ", .." : "");
}

int pstk_plan_print(const struct pstk_plan *p, FILE *out)
{
	if (!p || p->result || !out)
		return -EINVAL;
	print_actors(p, out);
	print_buffers(p, out);
	print_memory(p, out);
	print_loads(p, out);
	print_summary(p, out);
	return fflush(out) || ferror(out) ? -EIO : 0;
}
