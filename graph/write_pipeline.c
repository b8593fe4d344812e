/* SPDX-License-Identifier: MIT */
#include "graph/write_pipeline.h"
#include "lib/base/number.h"

#include <string.h>

static const void *at(const struct pstk_pipeline_spec *spec, const struct ps_pipe_key *key)
{
	return (const char *)spec + key->at;
}

static bool is_same_text(const char *a, const char *b)
{
	return !a || !b ? a == b : !strcmp(a, b);
}

static bool is_same(
	const struct ps_pipe_key *key, const struct pstk_pipeline_spec *a, const struct pstk_pipeline_spec *b)
{
	switch (key->kind) {
	case PS_PIPE_TEXT:
		return is_same_text(*(const char *const *)at(a, key), *(const char *const *)at(b, key));
	case PS_PIPE_NUMBER:
		return !memcmp(at(a, key), at(b, key), sizeof(double));
	case PS_PIPE_SWITCH:
		return *(const bool *)at(a, key) == *(const bool *)at(b, key);
	case PS_PIPE_COUNT:
	case PS_PIPE_WORD:
		break;
	}
	return *(const uint32_t *)at(a, key) == *(const uint32_t *)at(b, key);
}

static void write_text(struct ps_writer *w, const struct ps_pipe_key *key, const char *text)
{
	if (text)
		ps_writer_text(w, key->name, text, false);
}

/* What is as by default is left out. */
static void write_key(
	struct ps_writer *w, const struct ps_pipe_key *key, const struct pstk_pipeline_spec *spec)
{
	const void *value = at(spec, key);
	char number[PS_NUMBER_TEXT];

	switch (key->kind) {
	case PS_PIPE_TEXT:
		write_text(w, key, *(const char *const *)value);
		break;
	case PS_PIPE_COUNT:
		if (*(const uint32_t *)value)
			ps_writer_number(w, key->name, *(const uint32_t *)value);
		break;
	case PS_PIPE_NUMBER:
		ps_number_format(PS_FLOAT, sizeof(double), value, number);
		write_text(w, key, *(const double *)value > 0 ? number : NULL);
		break;
	case PS_PIPE_WORD:
		write_text(w, key, *(const unsigned *)value ? key->words[*(const unsigned *)value] : NULL);
		break;
	case PS_PIPE_SWITCH:
		write_text(w, key, *(const bool *)value ? "true" : NULL);
	}
}

static void write_stages(struct ps_writer *w, const struct pstk_pipeline *p)
{
	ps_writer_text(w, "name", pstk_actor_name(pstk_pipeline_actor(p)), false);
	ps_writer_list(w, "stages", false);
	for (unsigned k = 0; pstk_pipeline_stage(p, k); k++)
		ps_writer_text(w, NULL, pstk_actor_name(pstk_pipeline_stage(p, k)), false);
	ps_writer_close_list(w);
}

/* Has the program changed it since it was made of a file? */
static bool is_changed(
	const struct ps_pipe *pipe, const struct pstk_pipeline_spec *now, const struct ps_pipe_key *key)
{
	return pipe && !is_same(key, &pipe->spec, now);
}

static bool is_changed_node(
	const struct ps_pipe *pipe, const struct pstk_pipeline_spec *now, const struct ps_node *n)
{
	for (unsigned i = 0; i < PS_PIPE_KEYS; i++)
		if (!strcmp(ps_pipe_keys[i].name, n->key->text))
			return is_changed(pipe, now, &ps_pipe_keys[i]);
	return false;
}

void ps_write_pipeline(struct ps_writer *w, const struct pstk_pipeline *p, const struct ps_pipe *pipe)
{
	struct pstk_pipeline_spec now;

	pstk_pipeline_get_spec(p, &now);
	ps_writer_map(w, NULL, false);
	if (!pipe)
		write_stages(w, p);
	for (const struct ps_node *n = pipe ? pipe->node->first : NULL; n; n = n->next)
		if (!is_changed_node(pipe, &now, n))
			ps_writer_node(w, n->key->text, n);
	for (unsigned i = 0; i < PS_PIPE_KEYS; i++)
		if (!pipe || is_changed(pipe, &now, &ps_pipe_keys[i]))
			write_key(w, &ps_pipe_keys[i], &now);
	ps_writer_close_map(w);
}

const char *ps_write_pipeline_fault(const struct pstk_pipeline *p)
{
	struct pstk_pipeline_spec spec;

	pstk_pipeline_get_spec(p, &spec);
	return spec.objective == PSTK_OBJECTIVE_SCORE ? "a score()"
	       : spec.own_meter                       ? "a meter of the program"
	                                              : NULL;
}
