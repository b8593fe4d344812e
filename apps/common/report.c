/* SPDX-License-Identifier: MIT */
/* The figures of a run, as JSON. */
#include "config.h"

#include "apps/common/report.h"

#ifdef HAVE_JANSSON

#include "apps/common/app.h"
#include "apps/common/latency_json.h"
#include "apps/common/load_json.h"
#include "apps/common/moves_json.h"
#include "apps/common/pipelines_json.h"
#include "apps/common/whole.h"

#include <penstock/hosts.h>
#include <penstock/plan.h>

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

struct report {
	struct whole *file;
	json_t *json;
	bool incomplete; /* memory was lacking for a figure */
};

const char *report_missing(void)
{
	return NULL;
}

int report_open(struct report **result, const char *path)
{
	struct report *report;
	int status;

	*result = NULL;
	if (!path)
		return 0;
	report = calloc(1, sizeof(*report));
	if (!report)
		return app_out_of_memory();
	report->json = json_object();
	status = report->json ? whole_open(&report->file, path) : app_out_of_memory();
	if (status)
		report_drop(report);
	else
		*result = report;
	return status;
}

void report_drop(struct report *report)
{
	if (!report)
		return;
	whole_drop(report->file);
	json_decref(report->json);
	free(report);
}

/* Takes the value, NULL when there was no memory for it. */
static void add(struct report *report, const char *key, json_t *value)
{
	if (json_object_set_new(report->json, key, value))
		report->incomplete = true;
}

void report_integer(struct report *report, const char *key, uint64_t value)
{
	if (report)
		add(report, key, json_integer((json_int_t)value));
}

void report_real(struct report *report, const char *key, double value)
{
	if (report)
		add(report, key, json_real(value));
}

/* Bytes of the UTF-8 character at the beginning of a text (RFC 3629), 0: there is none. */
static size_t character_size(const unsigned char *text)
{
	/* what the second byte can be, by the first one */
	bool is_e0 = text[0] == 0xe0, is_ed = text[0] == 0xed, is_f0 = text[0] == 0xf0,
	     is_f4 = text[0] == 0xf4;
	unsigned char low = is_e0 ? 0xa0 : is_f0 ? 0x90 : 0x80, high = is_ed ? 0x9f : is_f4 ? 0x8f : 0xbf;
	size_t size = text[0] < 0x80 ? 1 : text[0] < 0xe0 ? 2 : text[0] < 0xf0 ? 3 : 4;

	if (size == 1)
		return 1;
	if (text[0] < 0xc2 || text[0] > 0xf4 || text[1] < low || text[1] > high)
		return 0;
	for (size_t i = 2; i < size; i++) {
		if (text[i] < 0x80 || text[i] > 0xbf)
			return 0;
	}
	return size;
}

/* JSON is UTF-8, which names of files need not be: bytes that are none become U+FFFD. NULL: out of memory. */
static json_t *text_json(const char *text)
{
	static const char replacement[] = "\xef\xbf\xbd";
	json_t *json = json_string(text);
	char *copy = json ? NULL : malloc(strlen(text) * (sizeof(replacement) - 1) + 1);
	size_t length = 0;

	if (!copy)
		return json;
	while (*text) {
		size_t size = character_size((const unsigned char *)text), put = size ? size : 3;

		memcpy(copy + length, size ? text : replacement, put);
		length += put;
		text += size ? size : 1;
	}
	copy[length] = '\0';
	json = json_string(copy);
	free(copy);
	return json;
}

void report_text(struct report *report, const char *key, const char *value)
{
	if (report)
		add(report, key, text_json(value));
}

/* null: it runs on the cores. */
static json_t *device_json(const struct pstk_actor *actor)
{
	struct pstk_device_info info;

	if (pstk_actor_device(actor, &info))
		return json_null();
	return json_pack("{s:o, s:o, s:o, s:o}", "selector", text_json(info.selector), "name",
		text_json(info.name), "platform", text_json(info.platform), "driver", text_json(info.driver));
}

/* As the network is printed: "any core", "core 2", "pocl:cpu:0", "pocl:cpu:0, fired from core 2". */
static json_t *where_json(const struct pstk_actor *actor)
{
	struct pstk_device_info info = { .selector = "" };
	char where[sizeof(info.selector) + 48], core[32] = "";
	bool on_device = !pstk_actor_device(actor, &info), pinned = pstk_actor_core(actor) >= 0;

	if (pinned)
		snprintf(core, sizeof(core), "core %d", pstk_actor_core(actor));
	snprintf(where, sizeof(where), "%s%s%s", info.selector, on_device && pinned ? ", fired from " : "",
		pinned || on_device ? core : "any core");
	return text_json(where);
}

static json_t *actor_json(const struct pstk_actor *actor)
{
	struct pstk_actor_stats stats = { 0 };

	pstk_actor_get_stats(actor, &stats);
	return json_pack("{s:s, s:s, s:o, s:s*, s:o, s:I, s:I, s:I, s:I, s:I}", "name",
		pstk_actor_name(actor), "type", pstk_actor_get_type(actor)->name, "where", where_json(actor),
		"host", pstk_actor_host(actor), "device", device_json(actor), "firings",
		(json_int_t)stats.firings, "fire_ns", (json_int_t)stats.fire_ns, "cpu_ns",
		(json_int_t)pstk_actor_cpu_ns(actor), "wait_ns", (json_int_t)stats.wait_ns, "device_ns",
		(json_int_t)stats.device_ns);
}

static json_t *fifo_json(const struct pstk_fifo *fifo, uint64_t *copied)
{
	struct pstk_fifo_info info = { 0 };

	pstk_fifo_get_info(fifo, &info);
	*copied += info.bytes_copied;
	return json_pack("{s:s, s:s, s:s, s:s, s:I, s:I, s:I, s:I, s:I, s:s, s:b, s:b, s:I}", "from",
		pstk_actor_name(info.src), "output", pstk_actor_get_type(info.src)->ports[info.src_port].name,
		"to", pstk_actor_name(info.dst), "input",
		pstk_actor_get_type(info.dst)->ports[info.dst_port].name, "rate", (json_int_t)info.rate,
		"delay", (json_int_t)info.delay, "depth", (json_int_t)info.depth, "token_size",
		(json_int_t)info.token_size, "bytes", (json_int_t)info.bytes, "memory", info.memory, "shared",
		info.shared, "merged", info.merged, "bytes_copied", (json_int_t)info.bytes_copied);
}

/* null: it is not known, or none has come. */
static json_t *cycle_json(uint64_t cycle)
{
	return cycle == PSTK_NO_CYCLE ? json_null() : json_integer((json_int_t)cycle);
}

/* Of a network with a plan: the cycles of the FIFO's first window. 0, or -1: no memory. */
static int add_cycles(json_t *json, const struct pstk_fifo *fifo)
{
	struct pstk_arrival arrival = { 0 };

	pstk_fifo_get_arrival(fifo, &arrival);
	return json_object_set_new(json, "planned_cycle", cycle_json(arrival.planned)) |
	       json_object_set_new(json, "first_cycle", cycle_json(arrival.came));
}

static json_t *link_json(const struct pstk_network *network, const struct pstk_crossing *c)
{
	const char *from = pstk_network_host(network, c->from), *to = pstk_network_host(network, c->to);

	return json_pack("{s:s?, s:s?, s:o, s:I, s:I, s:I}", "from", from, "to", to, "fifo",
		load_json_name(c->fifo), "windows", (json_int_t)c->windows, "bytes", (json_int_t)c->bytes,
		"wait_ns", (json_int_t)c->wait_ns);
}

/* Of a network that ran over hosts: what has crossed. */
static void add_links(struct report *report, const struct pstk_network *network)
{
	int count = pstk_network_crossings(network, NULL, 0);
	struct pstk_crossing *crossings = count > 0 ? calloc((size_t)count, sizeof(*crossings)) : NULL;
	json_t *links = json_array();
	int failed = 0;

	if (count > 0 && crossings) {
		pstk_network_crossings(network, crossings, (unsigned)count);
		for (int i = 0; i < count; i++)
			failed |= json_array_append_new(links, link_json(network, &crossings[i]));
		add(report, "links", json_incref(links));
	}
	report->incomplete |= failed || !links || (count > 0 && !crossings);
	json_decref(links);
	free(crossings);
}

static void add_parts(struct report *report, const struct running *running)
{
	const struct pstk_network *network = running->network;
	json_t *actors = json_array(), *fifos = json_array();
	bool looked = load_json_is_there(network), late = latency_json_is_there(network);
	uint64_t copied = 0;
	int failed = 0;

	for (unsigned i = 0; i < pstk_network_actor_count(network); i++) {
		const struct pstk_actor *actor = pstk_network_actor(network, i);
		json_t *json = actor_json(actor);

		failed |= looked && json_object_set_new(json, "load", load_json_actor(actor));
		failed |= json_array_append_new(actors, json);
	}
	for (unsigned i = 0; i < pstk_network_fifo_count(network); i++) {
		const struct pstk_fifo *fifo = pstk_network_fifo(network, i);
		json_t *json = fifo_json(fifo, &copied);

		failed |= looked && json_object_set_new(json, "load", load_json_fifo(fifo));
		failed |= late && json_object_set_new(json, "latency_ns",
					  json_integer((json_int_t)pstk_fifo_latency_ns(fifo, NULL)));
		failed |= running->cycles && add_cycles(json, fifo);
		failed |= json_array_append_new(fifos, json);
	}
	if (looked)
		add(report, "causes", load_json_causes(network));
	if (late)
		add(report, "latencies", latency_json(network));
	report->incomplete |= failed != 0;
	report_integer(report, "bytes_copied", copied);
	add(report, "actors", actors);
	add(report, "fifos", fifos);
	add_links(report, network);
	if (moves_json_is_there(network))
		add(report, "moves", moves_json(network));
	if (pstk_network_pipeline(network, 0))
		add(report, "pipelines", pipelines_json(network));
}

/* Of a network whose sinks are all counted. */
static void add_sinks(struct report *report, const struct running *running)
{
	json_t *sinks = json_array();
	int failed = 0;

	for (unsigned i = 0; i < pstk_network_fifo_count(running->network); i++) {
		const struct pstk_fifo *fifo = pstk_network_fifo(running->network, i);
		struct pstk_fifo_info info = { 0 };

		if (!running_is_sink(fifo))
			continue;
		pstk_fifo_get_info(fifo, &info);
		failed |= json_array_append_new(
			sinks, json_pack("{s:s, s:s, s:I, s:f}", "actor", pstk_actor_name(info.dst), "input",
				       pstk_actor_get_type(info.dst)->ports[info.dst_port].name,
				       running->unit, (json_int_t)info.written, "per_second",
				       running->run_ns ? (double)info.written * 1e9 / (double)running->run_ns
						       : 0.0));
	}
	report->incomplete |= failed != 0;
	add(report, "sinks", sinks);
}

static void add_run(struct report *report, const struct running *running)
{
	const struct pstk_network *network = running->network;
	char key[64];

	if (running->last)
		report_integer(report, running->unit, running_count(running));
	else
		add_sinks(report, running);
	report_real(report, "start_seconds", (double)running->start_ns / 1e9);
	report_real(report, "seconds", (double)running->run_ns / 1e9);
	if (running->last) {
		snprintf(key, sizeof(key), "%s_per_second", running->unit);
		report_real(report, key, running_per_second(running));
	}
	report_integer(report, "fifo_bytes", pstk_network_fifo_bytes(network));
	report_integer(report, "shared_bytes", pstk_network_shared_bytes(network));
	report_integer(report, "allocated_bytes", pstk_network_allocated_bytes(network));
	add_parts(report, running);
}

static int write_json(void *data, const json_t *json, FILE *file)
{
	(void)data;
	if (json_dumpf(json, file, JSON_INDENT(2) | JSON_REAL_PRECISION(12)) && !ferror(file))
		return app_out_of_memory();
	fputc('\n', file);
	return 0;
}

int report_write_as(struct report *report, const struct running *running, report_form *form, void *data)
{
	int status;

	if (!report)
		return 0;
	if (running->err) {
		report_drop(report);
		return 0;
	}
	add_run(report, running);
	status =
		report->incomplete ? app_out_of_memory() : form(data, report->json, whole_file(report->file));
	if (!status) {
		status = whole_complete(report->file);
		report->file = NULL;
	}
	report_drop(report);
	return status;
}

int report_write(struct report *report, const struct running *running)
{
	return report_write_as(report, running, write_json, NULL);
}

#else

#include <stddef.h>

/* The options refuse a report in such a build. */
const char *report_missing(void)
{
	return "this build has no jansson";
}

int report_open(struct report **report, const char *path)
{
	(void)path;
	*report = NULL;
	return 0;
}

void report_integer(struct report *report, const char *key, uint64_t value)
{
	(void)report, (void)key, (void)value;
}

void report_real(struct report *report, const char *key, double value)
{
	(void)report, (void)key, (void)value;
}

void report_text(struct report *report, const char *key, const char *value)
{
	(void)report, (void)key, (void)value;
}

int report_write(struct report *report, const struct running *running)
{
	(void)report, (void)running;
	return 0;
}

int report_write_as(struct report *report, const struct running *running, report_form *form, void *data)
{
	(void)report, (void)running, (void)form, (void)data;
	return 0;
}

void report_drop(struct report *report)
{
	(void)report;
}

#endif
