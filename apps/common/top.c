/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "apps/common/top.h"

#include <inttypes.h>
#include <penstock/hosts.h>
#include <penstock/pipeline.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum { BAR = 20, NAME_MOST = 24 };

struct top {
	struct pstk_network *network;
	const char *host; /* this process; NULL: there is one */
	unsigned actor_count, fifo_count, port_count;
	struct pstk_actor_load *actors; /* when it was drawn last */
	uint64_t *waits;                /* .. of each port of each actor */
	struct pstk_fifo_load *fifos;
	bool drawn;
};

void top_free(struct top *top)
{
	if (!top)
		return;
	free(top->actors);
	free(top->waits);
	free(top->fifos);
	free(top);
}

struct top *top_create(struct pstk_network *network, const char *host)
{
	struct top *top = calloc(1, sizeof *top);

	if (!top)
		return NULL;
	top->network = network;
	top->host = host;
	top->actor_count = pstk_network_actor_count(network);
	top->fifo_count = pstk_network_fifo_count(network);
	for (unsigned i = 0; i < top->actor_count; i++)
		top->port_count += pstk_actor_get_type(pstk_network_actor(network, i))->port_count;
	top->actors = calloc(top->actor_count + 1u, sizeof *top->actors);
	top->waits = calloc(top->port_count + 1u, sizeof *top->waits);
	top->fifos = calloc(top->fifo_count + 1u, sizeof *top->fifos);
	if (!top->actors || !top->waits || !top->fifos) {
		top_free(top);
		return NULL;
	}
	return top;
}

/* Rows and columns of the terminal that are left. */
struct space {
	int rows, columns;
	bool terminal;
};

static struct space space_of(FILE *out)
{
	struct winsize window = { 0 };
	struct space s = { .rows = 1 << 30, .columns = 1 << 10, .terminal = isatty(fileno(out)) };

	if (s.terminal && !ioctl(fileno(out), TIOCGWINSZ, &window) && window.ws_row && window.ws_col) {
		s.rows = window.ws_row - 1;
		s.columns = window.ws_col;
	}
	return s;
}

/* A line, so much of it as there is room for. */
static void put(struct space *s, const char *line, FILE *out)
{
	if (s->rows-- <= 0)
		return;
	fprintf(out, "%.*s%s\n", s->columns, line, s->terminal ? "\033[K" : "");
}

static double share(uint64_t count, uint64_t whole)
{
	double share = whole ? (double)count / (double)whole : 0;

	return share < 1 ? share : 1;
}

static const char *bar(double share, char text[BAR + 1])
{
	int full = (int)(share * BAR + 0.5);

	memset(text, ' ', BAR);
	memset(text, '#', (size_t)full);
	text[BAR] = '\0';
	return text;
}

/* "tokens at in 85 %", the port at which it waited most. */
static void say_wait(const struct pstk_actor *actor, const struct pstk_actor_load *now,
	const struct pstk_actor_load *then, uint64_t *waits, char *text, size_t size)
{
	const struct pstk_actor_type *type = pstk_actor_get_type(actor);
	uint64_t most = 0, looks = now->looks - then->looks;
	uint64_t device = now->for_device - then->for_device, thread = now->for_thread - then->for_thread,
		 core = now->for_core - then->for_core;
	unsigned port = 0;

	for (unsigned p = 0; p < type->port_count; p++) {
		uint64_t seen = pstk_actor_port_waits(actor, p), here = seen - waits[p];

		waits[p] = seen;
		if (here > most) {
			most = here;
			port = p;
		}
	}
	text[0] = '\0';
	if (core > most && core >= thread && core >= device)
		snprintf(text, size, "a core %.0f %%", 100 * share(core, looks));
	else if (thread > most && thread >= device)
		snprintf(text, size, "a thread of the team %.0f %%", 100 * share(thread, looks));
	else if (device > most)
		snprintf(text, size, "a device %.0f %%", 100 * share(device, looks));
	else if (most)
		snprintf(text, size, "%s at %.*s %.0f %%",
			type->ports[port].kind == PSTK_OUTPUT || type->ports[port].kind == PSTK_DYNAMIC_OUTPUT
				? "room"
				: "tokens",
			NAME_MOST, type->ports[port].name, 100 * share(most, looks));
}

/* Of a pipeline: its configuration now. */
static void say_configuration(const struct pstk_actor *actor, char *text, size_t size)
{
	const struct pstk_pipeline *p = pstk_actor_pipeline(actor);
	struct pstk_pipeline_report *report = pstk_pipeline_get_report(p);

	if (report && report->configuration.threads)
		pstk_configuration_print(&report->configuration, report->stage_count, text, size);
	if (report && report->why == PSTK_WHY_TRAINING)
		strncat(text, ", a training", size - strlen(text) - 1);
	pstk_pipeline_free_report(report);
}

static bool is_away(const struct top *top, const struct pstk_actor *actor)
{
	const char *host = top->host ? pstk_actor_host(actor) : NULL;

	return host && strcmp(host, top->host) != 0;
}

static void print_actor(struct top *top, unsigned index, uint64_t *waits, struct space *s, FILE *out)
{
	const struct pstk_actor *actor = pstk_network_actor(top->network, index);
	struct pstk_actor_load now, *then = &top->actors[index];
	struct pstk_device_info device;
	char line[512], wait[96], drawn[BAR + 1], where[200];
	bool on_device = !pstk_actor_device(actor, &device);
	double busy;

	if (is_away(top, actor)) {
		snprintf(line, sizeof line, "  %-*.*s  at %s", NAME_MOST, NAME_MOST, pstk_actor_name(actor),
			pstk_actor_host(actor));
		put(s, line, out);
		return;
	}
	if (pstk_actor_get_load(actor, &now))
		return;
	busy = on_device ? share(now.device_runs - then->device_runs, now.looks - then->looks)
	                 : share(now.fire_ns - then->fire_ns, (now.ns - then->ns) * now.side_by_side);
	say_wait(actor, &now, then, waits, wait, sizeof wait);
	/* of one that may move */
	pstk_actor_say_move(actor, where, sizeof where);
	say_configuration(actor, where, sizeof where);
	snprintf(line, sizeof line, "  %-*.*s  %12.1f  %5.0f %% [%s]  %s%s%s", NAME_MOST, NAME_MOST,
		pstk_actor_name(actor),
		1e9 * (double)(now.firings - then->firings) / (double)(now.ns - then->ns + 1), 100 * busy,
		bar(busy, drawn), wait, *wait && *where ? "; " : "", where);
	put(s, line, out);
	*then = now;
}

static void print_fifo(struct top *top, unsigned index, struct space *s, FILE *out)
{
	const struct pstk_fifo *fifo = pstk_network_fifo(top->network, index);
	struct pstk_fifo_load now, *then = &top->fifos[index];
	struct pstk_fifo_info info;
	char line[256], name[120], drawn[BAR + 1];
	double fill;

	if (pstk_fifo_get_load(fifo, &now) || pstk_fifo_get_info(fifo, &info))
		return;
	fill = share(now.fill - then->fill, (now.looks - then->looks) * now.capacity);
	snprintf(name, sizeof name, "%.*s.%.*s -> %.*s.%.*s", NAME_MOST, pstk_actor_name(info.src), NAME_MOST,
		pstk_actor_get_type(info.src)->ports[info.src_port].name, NAME_MOST,
		pstk_actor_name(info.dst), NAME_MOST,
		pstk_actor_get_type(info.dst)->ports[info.dst_port].name);
	if (is_away(top, info.src) && is_away(top, info.dst)) {
		snprintf(line, sizeof line, "  %-38s  at %s", name, pstk_actor_host(info.dst));
		put(s, line, out);
		return;
	}
	snprintf(line, sizeof line, "  %-38s  %5.0f %% [%s]  full %.0f %%, empty %.0f %%", name, 100 * fill,
		bar(fill, drawn), 100 * share(now.full - then->full, now.looks - then->looks),
		100 * share(now.empty - then->empty, now.looks - then->looks));
	put(s, line, out);
	*then = now;
}

void top_print(struct top *top, FILE *out)
{
	struct space s = space_of(out);
	struct pstk_cause cause = { 0 };
	uint64_t *waits = top->waits;
	char line[600];

	if (s.terminal)
		fputs(top->drawn ? "\033[H" : "\033[2J\033[H", out);
	top->drawn = true;
	pstk_network_causes(top->network, &cause, 1);
	snprintf(line, sizeof line, "network '%s'; limit so far: %s", pstk_network_name(top->network),
		cause.evidence);
	put(&s, line, out);
	snprintf(line, sizeof line, "  %-*s  %12s  %7s  %*s  waits for", NAME_MOST, "actor", "firings/s",
		"busy", BAR + 1, "");
	put(&s, line, out);
	for (unsigned i = 0; i < top->actor_count; i++) {
		print_actor(top, i, waits, &s, out);
		waits += pstk_actor_get_type(pstk_network_actor(top->network, i))->port_count;
	}
	snprintf(line, sizeof line, "  %-38s  %7s", "FIFO", "filled");
	put(&s, line, out);
	for (unsigned i = 0; i < top->fifo_count; i++)
		print_fifo(top, i, &s, out);
	if (s.terminal)
		fputs("\033[J", out);
	fflush(out);
}
