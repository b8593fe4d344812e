/* SPDX-License-Identifier: MIT */
#include "graph/writer.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { WIDTH = 120 };

static int write_out(void *data, unsigned char *bytes, size_t size)
{
	struct ps_writer *w = data;

	errno = 0;
	if (fwrite(bytes, 1, size, w->file) == size)
		return 1;
	w->err = errno ? -errno : -EIO;
	return 0;
}

/* made: what the event's initialisation has returned. */
static void emit(struct ps_writer *w, yaml_event_t *event, int made)
{
	if (!made)
		w->err = -ENOMEM;
	else if (!yaml_emitter_emit(&w->emitter, event) && !w->err)
		w->err = -ENOMEM;
}

void ps_writer_begin(struct ps_writer *w, FILE *file)
{
	yaml_event_t event;

	*w = (struct ps_writer){ .file = file };
	if (!yaml_emitter_initialize(&w->emitter)) {
		w->err = -ENOMEM;
		return;
	}
	yaml_emitter_set_output(&w->emitter, write_out, w);
	yaml_emitter_set_width(&w->emitter, WIDTH);
	yaml_emitter_set_unicode(&w->emitter, 1);
	emit(w, &event, yaml_stream_start_event_initialize(&event, YAML_UTF8_ENCODING));
	if (!w->err)
		emit(w, &event, yaml_document_start_event_initialize(&event, NULL, NULL, NULL, 1));
	ps_writer_map(w, NULL, true);
}

int ps_writer_end(struct ps_writer *w)
{
	yaml_event_t event;

	ps_writer_close_map(w);
	if (!w->err)
		emit(w, &event, yaml_document_end_event_initialize(&event, 1));
	if (!w->err)
		emit(w, &event, yaml_stream_end_event_initialize(&event));
	yaml_emitter_delete(&w->emitter);
	if (!w->err && fflush(w->file))
		w->err = -errno;
	return w->err;
}

static void put(struct ps_writer *w, const char *text, bool quoted)
{
	yaml_event_t event;
	int made;

	if (w->err)
		return;
	made = yaml_scalar_event_initialize(&event, NULL, NULL, (const yaml_char_t *)text, (int)strlen(text),
		1, 1, quoted ? YAML_SINGLE_QUOTED_SCALAR_STYLE : YAML_PLAIN_SCALAR_STYLE);
	emit(w, &event, made);
	for (const char *c = text; !made && *c; c++)
		if (*c & 0x80) {
			w->err = -EILSEQ; /* libyaml says of neither which it was */
			snprintf(w->text, sizeof w->text, "%s", text);
		}
}

static void put_key(struct ps_writer *w, const char *key)
{
	if (key)
		put(w, key, false);
}

/* So many bytes more than the text are its dollars. */
static char *with_double_dollars(const char *text)
{
	size_t dollars = 0;
	char *doubled, *to;

	for (const char *c = text; *c; c++)
		dollars += *c == '$';
	doubled = to = malloc(strlen(text) + dollars + 1);
	for (; doubled && *text; text++) {
		*to++ = *text;
		if (*text == '$')
			*to++ = '$';
	}
	if (doubled)
		*to = 0;
	return doubled;
}

void ps_writer_text(struct ps_writer *w, const char *key, const char *text, bool quoted)
{
	char *doubled = strchr(text, '$') ? with_double_dollars(text) : NULL;

	put_key(w, key);
	if (strchr(text, '$') && !doubled)
		w->err = w->err ? w->err : -ENOMEM;
	else
		put(w, doubled ? doubled : text, quoted);
	free(doubled);
}

void ps_writer_number(struct ps_writer *w, const char *key, uint64_t number)
{
	char text[24];

	snprintf(text, sizeof text, "%" PRIu64, number);
	ps_writer_text(w, key, text, false);
}

void ps_writer_node(struct ps_writer *w, const char *key, const struct ps_node *n)
{
	if (n->kind == PS_NODE_VALUE) {
		ps_writer_text(w, key, n->text, n->quoted);
	} else if (n->kind == PS_NODE_LIST) {
		ps_writer_list(w, key, false);
		for (const struct ps_node *e = n->first; e; e = e->next)
			ps_writer_node(w, NULL, e);
		ps_writer_close_list(w);
	} else {
		ps_writer_map(w, key, false);
		for (const struct ps_node *e = n->first; e; e = e->next)
			ps_writer_node(w, e->key->text, e);
		ps_writer_close_map(w);
	}
}

void ps_writer_map(struct ps_writer *w, const char *key, bool rows)
{
	yaml_event_t event;

	put_key(w, key);
	if (!w->err)
		emit(w, &event,
			yaml_mapping_start_event_initialize(&event, NULL, NULL, 1,
				rows ? YAML_BLOCK_MAPPING_STYLE : YAML_FLOW_MAPPING_STYLE));
}

void ps_writer_list(struct ps_writer *w, const char *key, bool rows)
{
	yaml_event_t event;

	put_key(w, key);
	if (!w->err)
		emit(w, &event,
			yaml_sequence_start_event_initialize(&event, NULL, NULL, 1,
				rows ? YAML_BLOCK_SEQUENCE_STYLE : YAML_FLOW_SEQUENCE_STYLE));
}

void ps_writer_close_map(struct ps_writer *w)
{
	yaml_event_t event;

	if (!w->err)
		emit(w, &event, yaml_mapping_end_event_initialize(&event));
}

void ps_writer_close_list(struct ps_writer *w)
{
	yaml_event_t event;

	if (!w->err)
		emit(w, &event, yaml_sequence_end_event_initialize(&event));
}
