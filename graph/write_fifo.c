/* SPDX-License-Identifier: MIT */
#include "graph/write_fifo.h"
#include "graph/element.h"

#include <penstock/pipeline.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Of a pipeline's border: the stage that was connected. */
static void find_ends(struct pstk_fifo_info *info)
{
	const struct pstk_pipeline *src = pstk_actor_pipeline(info->src),
				   *dst = pstk_actor_pipeline(info->dst);
	struct pstk_actor *stage;

	if (src && pstk_pipeline_actor(src) == info->src &&
		!pstk_pipeline_port(src, info->src_port, &stage, &info->src_port))
		info->src = stage;
	if (dst && pstk_pipeline_actor(dst) == info->dst &&
		!pstk_pipeline_port(dst, info->dst_port, &stage, &info->dst_port))
		info->dst = stage;
}

int ps_fifo_ends(const struct pstk_fifo *fifo, struct pstk_fifo_info *info)
{
	int err = pstk_fifo_get_info(fifo, info);

	if (!err)
		find_ends(info);
	return err;
}

static const struct pstk_port *port_of(const struct pstk_actor *a, unsigned port)
{
	return &pstk_actor_get_type(a)->ports[port];
}

static void write_end(struct ps_writer *w, const char *key, const struct pstk_actor *a, unsigned port)
{
	const char *actor = pstk_actor_name(a), *name = port_of(a, port)->name;
	size_t size = strlen(actor) + strlen(name) + 2;
	char *text = malloc(size);

	if (text) {
		snprintf(text, size, "%s.%s", actor, name);
		ps_writer_text(w, key, text, false);
	} else if (!w->err) {
		w->err = -ENOMEM;
	}
	free(text);
}

/* What the library finds without `token` and `token_size`. */
static size_t size_of_ports(const struct pstk_port *out, const struct pstk_port *in)
{
	if (out->token_size)
		return out->token_size;
	if (in->kind == PSTK_CONTROL)
		return sizeof(uint32_t);
	if (in->token_size)
		return in->token_size;
	return ps_element_size(ps_element_size(out->token_type) ? out->token_type : in->token_type);
}

/* Do these tokens come back from their texts? Not all that are no numbers do. */
static bool are_numbers(const char *type, const struct pstk_fifo_spec *s)
{
	size_t step = ps_element_step(type);
	char text[PS_NUMBER_TEXT];

	if (!step || s->token_size % ps_element_size(type))
		return false;
	for (size_t at = 0; s->initial && at < s->delay * s->token_size; at += step) {
		const char *bytes = (const char *)s->initial + at;

		ps_element_number(type, bytes, text);
		if (!ps_element_is(type, text, bytes))
			return false;
	}
	return true;
}

static void write_initial(struct ps_writer *w, const char *type, const struct pstk_fifo_spec *s)
{
	char text[PS_NUMBER_TEXT];

	ps_writer_list(w, "initial", false);
	for (size_t at = 0; at < s->delay * s->token_size; at += ps_element_step(type)) {
		ps_element_number(type, (const char *)s->initial + at, text);
		ps_writer_text(w, NULL, text, false);
	}
	ps_writer_close_list(w);
}

/* Type, size and initial tokens. */
static void write_tokens(struct ps_writer *w, const struct pstk_fifo_info *info,
	const struct pstk_fifo_spec *s, const char *token)
{
	const struct pstk_port *out = port_of(info->src, info->src_port),
			       *in = port_of(info->dst, info->dst_port);
	const char *type = out->token_type ? out->token_type : in->token_type;
	size_t told = size_of_ports(out, in);

	if (token && !are_numbers(token, s))
		token = NULL;
	if (s->initial && !token && !are_numbers(type, s))
		token = "u8";
	if (token) {
		ps_writer_text(w, "token", token, false);
		told = ps_element_size(token);
	}
	if (told != s->token_size)
		ps_writer_number(w, "token_size", s->token_size);
	if (s->initial)
		write_initial(w, token ? token : type, s);
}

int ps_write_fifo(struct ps_writer *w, const struct pstk_fifo *fifo, const char *token)
{
	struct pstk_fifo_info info;
	struct pstk_fifo_spec s;
	int err = pstk_fifo_get_spec(fifo, &s);

	if (err)
		return err;
	ps_fifo_ends(fifo, &info);
	const struct {
		const char *key;
		uint32_t number;
	} numbers[] = { { "rate", s.rate }, { "write_rate", s.write_rate }, { "read_rate", s.read_rate },
		{ "capacity", s.capacity }, { "depth", s.depth }, { "delay", s.delay }, { "tail", s.tail } };
	ps_writer_map(w, NULL, false);
	write_end(w, "from", info.src, info.src_port);
	write_end(w, "to", info.dst, info.dst_port);
	for (unsigned i = 0; i < sizeof numbers / sizeof *numbers; i++)
		if (numbers[i].number)
			ps_writer_number(w, numbers[i].key, numbers[i].number);
	write_tokens(w, &info, &s, token);
	ps_writer_close_map(w);
	return 0;
}
