/* SPDX-License-Identifier: MIT */
#include "tests/mapping/flow_case.h"
#include "tests/common/common.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Adds a place, and before it its host. */
static unsigned place(struct pstk_machine *m, const char *name)
{
	const char *slash = strchr(name, '/');
	char host[32];
	int found = pstk_machine_find(m, name);

	if (found >= 0)
		return (unsigned)found;
	if (!slash)
		return (unsigned)pstk_machine_add_host(m, name, 1, 0);
	snprintf(host, sizeof host, "%.*s", (int)(slash - name), name);
	place(m, host);
	return (unsigned)pstk_machine_add_device(m, host, slash + 1, NULL, 0);
}

static void add_link(struct pstk_machine *m, const json_t *link)
{
	static const char *const kinds[] = { "shared", "copy", "net" };
	const char *a = json_string_value(json_array_get(link, 0)),
		   *b = json_string_value(json_array_get(link, 1)),
		   *kind = json_string_value(json_array_get(link, 2));
	struct pstk_link l = { .a = a,
		.b = b,
		.rate = json_number_value(json_array_get(link, 3)),
		.latency = json_number_value(json_array_get(link, 4)),
		.half = !strcmp(json_string_value(json_array_get(link, 5)), "half") };

	place(m, a);
	place(m, b);
	while (strcmp(kinds[l.kind], kind))
		l.kind++;
	ck_assert_msg(pstk_machine_add_link(m, &l) >= 0, "%s", pstk_machine_error(m));
}

static unsigned actor(const struct ps_flow *f, const char *name, size_t length)
{
	unsigned i = 0;

	while (strlen(f->actors[i].name) != length || strncmp(f->actors[i].name, name, length))
		ck_assert_uint_lt(++i, f->actor_count);
	return i;
}

static void add_output(struct ps_flow *f, const json_t *output)
{
	const char *writer = json_string_value(json_array_get(output, 0)), *reader;
	json_t *delay;

	ps_flow_add_output(f, actor(f, writer, strcspn(writer, ".")),
		(size_t)json_integer_value(json_array_get(output, 1)));
	json_object_foreach(json_array_get(output, 2), reader, delay)
		ps_flow_add_reader(f, actor(f, reader, strlen(reader)), (uint64_t)json_integer_value(delay));
}

void flow_case_open(struct flow_case *c, const char *name)
{
	char path[512];
	const json_t *data, *outputs;
	const char *key;
	json_t *value;
	size_t i, readers = 0;

	snprintf(path, sizeof path, "%s/%s.json", TEST_DATA, name);
	*c = (struct flow_case){ .json = json_load_file(path, 0, NULL), .machine = pstk_machine_create() };
	ck_assert_msg(c->json, "%s", path);
	data = json_object_get(c->json, "case");
	outputs = json_object_get(data, "outputs");
	json_array_foreach(json_object_get(data, "links"), i, value) add_link(c->machine, value);
	json_array_foreach(outputs, i, value) readers += json_object_size(json_array_get(value, 2));
	ck_assert_int_eq(ps_flow_init(&c->flow, c->machine,
				 (unsigned)json_object_size(json_object_get(data, "actors")),
				 (unsigned)json_array_size(outputs), (unsigned)readers),
		0);
	json_object_foreach(json_object_get(data, "actors"), key, value) ps_flow_add_actor(&c->flow, key,
		place(c->machine, json_string_value(json_array_get(value, 0))),
		json_number_value(json_array_get(value, 1)));
	json_array_foreach(outputs, i, value) add_output(&c->flow, value);
	ps_flow_index(&c->flow);
}

void flow_case_close(struct flow_case *c)
{
	ps_flow_fini(&c->flow);
	pstk_machine_destroy(c->machine);
	json_decref(c->json);
}

static json_t *readers_of(const struct ps_outline *o, unsigned buffer)
{
	json_t *readers = json_array();

	for (unsigned i = 0; i < o->flow->reader_count; i++)
		if (o->feeds[i] == buffer)
			json_array_append_new(
				readers, json_string(o->flow->actors[o->flow->readers[i].actor].name));
	return readers;
}

static json_t *filled_from(const struct ps_outline *o, unsigned buffer)
{
	json_t *to = json_array();

	for (unsigned i = 0; i < o->buffer_count; i++)
		if (o->buffers[i].from == buffer)
			json_array_append_new(to, json_integer(i));
	return to;
}

static json_t *buffers(const struct ps_outline *o)
{
	const struct ps_flow *f = o->flow;
	json_t *list = json_array();

	for (unsigned i = 0; i < o->buffer_count; i++) {
		const struct ps_buffer *b = &o->buffers[i];
		bool written = b->from == PS_NONE;
		json_t *one = json_object();

		json_object_set_new(one, "id", json_integer(i));
		json_object_set_new(one, "place", json_string(f->machine->places[b->place].name));
		json_object_set_new(one, "writer",
			written ? json_string(f->actors[f->outputs[b->output].writer].name) : json_null());
		json_object_set_new(one, "from", written ? json_null() : json_integer(b->from));
		json_object_set_new(one, "readers", readers_of(o, i));
		json_object_set_new(one, "to", filled_from(o, i));
		json_object_set_new(one, "depth", json_integer(b->depth));
		json_object_set_new(one, "bytes", json_integer((json_int_t)b->bytes));
		json_object_set_new(one, "group", json_integer(b->group));
		json_array_append_new(list, one);
	}
	return list;
}

static json_t *by_actor(const struct ps_outline *o, bool latency)
{
	json_t *all = json_object();

	for (unsigned i = 0; i < o->flow->actor_count; i++)
		json_object_set_new(all, o->flow->actors[i].name,
			json_integer(latency ? (json_int_t)o->latency[i] : (json_int_t)o->schedule[i]));
	return all;
}

static json_t *memory(const struct ps_outline *o)
{
	json_t *all = json_object();

	for (unsigned i = 0; i < o->flow->machine->place_count; i++)
		if (o->memory[i].bytes)
			json_object_set_new(all, o->flow->machine->places[i].name,
				json_pack("{sI sI}", "bytes", (json_int_t)o->memory[i].bytes, "merged_bytes",
					(json_int_t)o->memory[i].merged));
	return all;
}

static void expect(const json_t *wanted, json_t *got, const char *what)
{
	json_t *value = json_object_get(wanted, what);

	if (!json_equal(value, got))
		ck_abort_msg("%s is %s, not %s", what, json_dumps(got, JSON_SORT_KEYS | JSON_COMPACT),
			json_dumps(value, JSON_SORT_KEYS | JSON_COMPACT));
	json_decref(got);
}

static void load_name(const struct ps_outline *o, unsigned index, char name[64])
{
	const struct pstk_machine *m = o->flow->machine;
	const struct ps_load *l = &o->loads[index];
	const unsigned *ends;

	if (l->place != PS_NONE) {
		snprintf(name, 64, "%s", m->places[l->place].name);
		return;
	}
	ends = m->links[l->link].ends;
	snprintf(name, 64, "%s -> %s", m->places[ends[l->back]].name, m->places[ends[!l->back]].name);
}

static void compare_loads(const struct ps_outline *o, const json_t *wanted)
{
	const json_t *loads = json_object_get(wanted, "loads");
	char name[64];

	ck_assert_uint_eq(o->load_count, json_object_size(loads));
	for (unsigned i = 0; i < o->load_count; i++) {
		load_name(o, i, name);
		ck_assert_msg(json_object_get(loads, name), "%s", name);
		ck_assert_double_eq_tol(
			o->loads[i].seconds, json_number_value(json_object_get(loads, name)), 1e-15);
	}
	ck_assert_double_eq_tol(o->period, json_number_value(json_object_get(wanted, "period")), 1e-15);
	load_name(o, o->bottleneck, name);
	ck_assert_str_eq(name, json_string_value(json_object_get(wanted, "bottleneck")));
}

void flow_case_compare(const struct flow_case *c, const struct ps_outline *o)
{
	const json_t *wanted = json_object_get(c->json, o->overlap ? "on" : "off");

	ck_assert(json_is_boolean(json_object_get(wanted, "overlap")));
	expect(wanted, by_actor(o, false), "schedule");
	expect(wanted, by_actor(o, true), "latency");
	expect(wanted, buffers(o), "buffers");
	expect(wanted, memory(o), "memory");
	compare_loads(o, wanted);
}
