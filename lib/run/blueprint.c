/* SPDX-License-Identifier: MIT */
#include "lib/run/blueprint.h"
#include "lib/model/pipeline.h"
#include "lib/model/place.h"
#include "lib/model/error.h"
#include "lib/plan/ranks.h"
#include "lib/plan/ways.h"
#include "lib/run/run.h"

#include "penstock/hosts.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *kind_name(enum pstk_port_kind kind)
{
	return kind == PSTK_INPUT ? "input" : kind == PSTK_OUTPUT ? "output" : "control";
}

static const char *host_name(const struct pstk_network *net, unsigned host)
{
	return ps_ranks_host(net, ps_ranks_of_host(net, host));
}

static void put_actor(FILE *out, const struct pstk_actor *a)
{
	fprintf(out, "actor '%s' (%s) at %s", a->name, a->type.name, host_name(a->network, a->host));
	for (unsigned p = 0; p < a->type.port_count; p++) {
		const struct pstk_port *port = &a->type.ports[p];

		fprintf(out, ", %s '%s' of %zu bytes, %s", kind_name(port->kind), port->name,
			port->token_size, port->token_type ? port->token_type : "any type");
	}
	if (a->visits)
		fprintf(out, ", %zu bytes of state, %u steps", a->state_size, (unsigned)a->steps);
	for (unsigned k = 0; ps_is_pipeline(a) && k < a->pipeline->stage_count; k++)
		fprintf(out, ", stage '%s' (%s)", a->pipeline->stages[k]->name,
			a->pipeline->stages[k]->type.name);
	for (unsigned i = 0; a->visits && i < a->place_count; i++)
		if (a->places[i].far)
			fprintf(out, ", may move to %s", a->places[i].name);
	fputs(a->type.kahn ? ", kahn\n" : "\n", out);
}

int pstk_network_compare(struct pstk_network *net, const char *line)
{
	int err = ps_network_building(net, __func__);
	struct ps_run *run;

	if (err || !line || strchr(line, '\n'))
		return err ? err : -EINVAL;
	run = net->run;
	if (!run->compare)
		run->compare = open_memstream(&run->compared, &run->compared_bytes);
	if (run->compare && fprintf(run->compare, "%s\n", line) >= 0 && !fflush(run->compare))
		return 0;
	return ps_network_problem(
		net, -ENOMEM, "network '%s': out of memory for what its hosts compare", net->name);
}

/* FNV-1a, of 64 bits. */
static uint64_t hash(const unsigned char *bytes, size_t size)
{
	uint64_t h = 14695981039346656037u;

	for (size_t i = 0; i < size; i++)
		h = (h ^ bytes[i]) * 1099511628211u;
	return h;
}

static void put_fifo(FILE *out, const struct pstk_fifo *f)
{
	const struct ps_layout *l = &f->fifo.layout;

	fprintf(out, "FIFO " PS_CONNECTION ": rates %" PRIu32 " and %" PRIu32 ", tokens of %zu bytes",
		PS_CONNECTION_ARGS(f), l->write_rate, l->read_rate, l->token_size);
	if (l->delay)
		fprintf(out, ", %" PRIu32 " delay tokens of hash %016" PRIx64, l->delay,
			f->initial ? hash(f->initial, l->delay * l->token_size) : 0);
	if (l->history || l->tail)
		fprintf(out, ", history %" PRIu32 ", tail %" PRIu32, l->history, l->tail);
	for (unsigned i = 0; f->way && i < f->way->count; i++)
		fprintf(out, ", over %s", host_name(f->src->network, f->way->hosts[i]));
	fputs(f->ring ? ", a ring\n" : "\n", out);
}

char *ps_blueprint_new(const struct pstk_network *net)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);
	bool failed;

	if (!out)
		return NULL;
	fprintf(out, "Penstock " PSTK_VERSION ", %u actors, %u FIFOs\n", net->actor_count, net->fifo_count);
	for (unsigned i = 0; i < net->actor_count; i++)
		put_actor(out, net->actors[i]);
	for (unsigned i = 0; i < net->fifo_count; i++)
		put_fifo(out, net->fifos[i]);
	if (net->run->compared)
		fputs(net->run->compared, out);
	failed = ferror(out);
	if (fclose(out) || failed) {
		free(text);
		return NULL;
	}
	return text;
}

static struct ps_blueprint_line line_at(const char *text)
{
	return (struct ps_blueprint_line){ text, (int)strcspn(text, "\n") };
}

static const char *next_line(const char *text)
{
	text += strcspn(text, "\n");
	return *text ? text + 1 : text;
}

bool ps_blueprint_same(const char *a, const char *b, struct ps_blueprint_line differs[2])
{
	for (; *a || *b; a = next_line(a), b = next_line(b)) {
		differs[0] = line_at(a);
		differs[1] = line_at(b);
		if (differs[0].length != differs[1].length || memcmp(a, b, (size_t)differs[0].length) != 0)
			return false;
	}
	return true;
}
