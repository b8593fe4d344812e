/* SPDX-License-Identifier: MIT */
#include "tests/pipeline/line.h"
#include "tests/common/common.h"

#include <stdio.h>
#include <string.h>

static int init(struct pstk_actor *self)
{
	struct line_stage *at = pstk_actor_arg(self);

	if (!at)
		return 0;
	at->inits++;
	at->order = ++at->of->calls;
	return at->init_err;
}

static int fire(struct pstk_firing *f)
{
	struct line_stage *at = pstk_actor_arg(pstk_firing_actor(f));
	const uint64_t *in = pstk_fifo_read_start(f, 0);
	uint64_t *out = pstk_fifo_write_start(f, 1);
	int rc = at && at->act ? at->act(f, at) : PSTK_AGAIN;

	if (rc < 0)
		return rc;
	memcpy(out, in, pstk_port_valid(f, 0) * sizeof *in);
	pstk_fifo_read_end(f, 0);
	pstk_fifo_write_end(f, 1);
	if (at)
		atomic_fetch_add(&at->firings, 1);
	return rc;
}

static int finish(struct pstk_actor *self)
{
	struct line_stage *at = pstk_actor_arg(self);

	if (!at)
		return 0;
	at->finishes++;
	at->order = ++at->of->calls;
	return at->finish_err;
}

const struct pstk_actor_type *line_type(void)
{
	static const struct pstk_port ports[] = {
		{ .name = "in", .kind = PSTK_INPUT, .token_size = 8 },
		{ .name = "out", .kind = PSTK_OUTPUT, .token_size = 8 },
	};
	static const struct pstk_actor_type type = { .struct_size = sizeof type,
		.name = "pass",
		.ports = ports,
		.port_count = 2,
		.init = init,
		.fire = fire,
		.finish = finish,
		.stateless = true };

	return &type;
}

void line_begin(struct line *line, unsigned stages, uint64_t tokens, uint32_t rate)
{
	line_begin_with(line, line_type(), stages, tokens, rate);
}

void line_begin_with(struct line *line, const struct pstk_actor_type *type, unsigned stages, uint64_t tokens,
	uint32_t rate)
{
	const struct pstk_fifo_spec spec = *PSTK_FIFO(.rate = rate, .token_size = sizeof(uint64_t));
	struct pstk_actor *from;

	memset(line, 0, sizeof *line);
	line->net = pstk_network_create("net");
	line->stage_count = stages;
	line->count.tokens = tokens;
	line->collect.wanted = SIMPLE_ALL;
	atomic_store(&line->collect.allowed, SIMPLE_ALL);
	from = line->first = pstk_network_add(line->net, "count", simple_count_type(), &line->count);
	for (unsigned k = 0; k < stages; k++) {
		char name[16];

		snprintf(name, sizeof name, "stage%u", k);
		line->at[k].of = line;
		line->stages[k] = pstk_network_add(line->net, name, type, &line->at[k]);
		line->fifos[k] = pstk_connect(from, "out", line->stages[k], "in", &spec);
		from = line->stages[k];
	}
	line->last = pstk_network_add(line->net, "collect", simple_held_type(), &line->collect);
	line->fifos[stages] = pstk_connect(from, "out", line->last, "in", &spec);
}

struct pstk_pipeline *line_make(struct line *line, const struct pstk_pipeline_spec *spec)
{
	line->pipeline = pstk_pipeline_add(line->net, "line", line->stages, line->stage_count, spec);
	return line->pipeline;
}

void line_run(struct line *line)
{
	int err = pstk_network_run(line->net);

	ck_assert_msg(!err, "%d: %s", err, pstk_network_error(line->net));
	ck_assert_uint_eq(atomic_load(&line->collect.tokens), line->count.tokens);
	ck_assert_uint_eq(atomic_load(&line->collect.wrong), 0);
}
