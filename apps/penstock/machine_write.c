/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "apps/penstock/machine_write.h"
#include "apps/penstock/yaml.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

enum { COUNTS = 3 };
static const unsigned at_once[COUNTS] = { 1, 2, 6 };
static const char *const memories[] = { "pageable", "locked" };

/* Both directions together take longer than one of them by so much: they take turns. */
#define HALF 1.6

static bool is_half(const struct machine_device *d)
{
	return d->transfers.both >= HALF;
}

/* Of a link that was measured: one transfer, page-locked, in the slower direction, as a run has it. */
static double rate_of(const struct machine_device *d)
{
	double there = d->transfers.to_device[1][0], back = d->transfers.to_host[1][0];

	return there < back ? there : back;
}

static bool is_shared(const struct machine_device *a, const struct machine_device *b)
{
	enum pstk_link_kind kind = PSTK_LINK_COPY;

	pstk_device_link(&a->info, &b->info, &kind);
	return kind == PSTK_LINK_SHARED;
}

static void yaml_host(const struct machine_host *h, const char *address, FILE *out)
{
	fprintf(out, "      cores: %u\n", h->cores);
	if (address) {
		fputs("      address: ", out);
		yaml_text(address, out);
		fputc('\n', out);
	}
	if (h->memory)
		fprintf(out, "      memory: %" PRIu64 "\n", h->memory);
	if (h->cache_count)
		fputs("      caches:\n", out);
	for (unsigned i = 0; i < h->cache_count; i++)
		fprintf(out, "        - {level: %u, size: %" PRIu64 ", cores: %u, count: %u}\n",
			h->caches[i].level, h->caches[i].bytes, h->caches[i].cores, h->caches[i].count);
	if (h->node_count)
		fputs("      numa:\n", out);
	for (unsigned i = 0; i < h->node_count; i++)
		fprintf(out, "        - {memory: %" PRIu64 ", cores: %u}\n", h->nodes[i].bytes,
			h->nodes[i].cores);
}

static void yaml_device(const struct machine_device *d, FILE *out)
{
	fprintf(out, "        %s: {device: ", d->name);
	yaml_text(d->info.selector, out);
	if (d->info.memory_bytes)
		fprintf(out, ", memory: %" PRIu64, d->info.memory_bytes);
	fprintf(out, "} # %s\n", d->info.name);
}

static void yaml_place(const struct machine_look *l, const struct machine_device *d, FILE *out)
{
	char place[512];

	snprintf(place, sizeof place, "%s/%s", l->name, d->name);
	yaml_text(place, out);
}

static void yaml_measured(const struct machine_device *d, FILE *out)
{
	fprintf(out, "      rate: %.4g\n      latency: %.4g\n      duplex: %s\n      measured:\n", rate_of(d),
		d->transfers.latency, is_half(d) ? "half" : "full");
	for (int locked = 0; locked < 2; locked++)
		for (int k = 0; k < COUNTS; k++)
			fprintf(out, "        - {memory: %s, at_once: %u, there: %.4g, back: %.4g}\n",
				memories[locked], at_once[k], d->transfers.to_device[locked][k],
				d->transfers.to_host[locked][k]);
}

static void yaml_links(const struct machine_look *l, FILE *out)
{
	for (unsigned i = 0; i < l->device_count; i++) {
		const struct machine_device *d = &l->devices[i];

		fputs("    - between: [", out);
		yaml_text(l->name, out);
		fputs(", ", out);
		yaml_place(l, d, out);
		fprintf(out, "]\n      kind: %s\n", d->copies ? "copy" : "shared");
		if (d->transfers.bytes)
			yaml_measured(d, out);
	}
	for (unsigned i = 0; i < l->device_count; i++)
		for (unsigned k = 0; k < i; k++) {
			if (!is_shared(&l->devices[i], &l->devices[k]))
				continue;
			fputs("    - between: [", out);
			yaml_place(l, &l->devices[k], out);
			fputs(", ", out);
			yaml_place(l, &l->devices[i], out);
			fputs("]\n      kind: shared\n", out);
		}
}

static void yaml_look(const struct machine_look *l, FILE *out)
{
	fputs("    ", out);
	yaml_text(l->name, out);
	fputs(":\n", out);
	yaml_host(&l->host, l->address, out);
	if (l->device_count)
		fputs("      devices:\n", out);
	for (unsigned i = 0; i < l->device_count; i++)
		yaml_device(&l->devices[i], out);
}

#ifdef HAVE_JANSSON

#include <jansson.h>

static json_t *bytes_json(uint64_t bytes)
{
	return json_integer((json_int_t)bytes);
}

static json_t *devices_json(const struct machine_look *l)
{
	json_t *devices = json_object();

	for (unsigned i = 0; i < l->device_count; i++) {
		const struct machine_device *d = &l->devices[i];
		json_t *one = json_pack("{s:s}", "device", d->info.selector);

		if (d->info.memory_bytes)
			json_object_set_new(one, "memory", bytes_json(d->info.memory_bytes));
		json_object_set_new(devices, d->name, one);
	}
	return devices;
}

static json_t *host_json(const struct machine_look *l)
{
	const struct machine_host *h = &l->host;
	json_t *host = json_object(), *caches = json_array(), *numa = json_array();

	for (unsigned i = 0; i < h->cache_count; i++)
		json_array_append_new(
			caches, json_pack("{s:i, s:o, s:i, s:i}", "level", (int)h->caches[i].level, "size",
					bytes_json(h->caches[i].bytes), "cores", (int)h->caches[i].cores,
					"count", (int)h->caches[i].count));
	for (unsigned i = 0; i < h->node_count; i++)
		json_array_append_new(numa, json_pack("{s:o, s:i}", "memory", bytes_json(h->nodes[i].bytes),
						    "cores", (int)h->nodes[i].cores));
	json_object_set_new(host, "cores", json_integer(h->cores));
	if (l->address)
		json_object_set_new(host, "address", json_string(l->address));
	if (h->memory)
		json_object_set_new(host, "memory", bytes_json(h->memory));
	json_object_set_new(host, "caches", caches);
	json_object_set_new(host, "numa", numa);
	json_object_set_new(host, "devices", devices_json(l));
	return host;
}

static json_t *measured_json(const struct machine_device *d)
{
	json_t *measured = json_array();

	for (int locked = 0; locked < 2; locked++)
		for (int k = 0; k < COUNTS; k++)
			json_array_append_new(measured,
				json_pack("{s:s, s:i, s:f, s:f}", "memory", memories[locked], "at_once",
					(int)at_once[k], "there", d->transfers.to_device[locked][k], "back",
					d->transfers.to_host[locked][k]));
	return measured;
}

/* a NULL: the host. */
static json_t *link_json(const struct machine_look *l, const struct machine_device *a,
	const struct machine_device *b, bool copies)
{
	json_t *ends = json_array(), *link;

	json_array_append_new(ends, a ? json_sprintf("%s/%s", l->name, a->name) : json_string(l->name));
	json_array_append_new(ends, json_sprintf("%s/%s", l->name, b->name));
	link = json_pack("{s:o, s:s}", "between", ends, "kind", copies ? "copy" : "shared");
	if (!a && b->transfers.bytes) {
		json_object_set_new(link, "rate", json_real(rate_of(b)));
		json_object_set_new(link, "latency", json_real(b->transfers.latency));
		json_object_set_new(link, "duplex", json_string(is_half(b) ? "half" : "full"));
		json_object_set_new(link, "measured", measured_json(b));
	}
	return link;
}

static json_t *links_json(const struct machine_look *l)
{
	json_t *links = json_array();

	for (unsigned i = 0; i < l->device_count; i++)
		json_array_append_new(links, link_json(l, NULL, &l->devices[i], l->devices[i].copies));
	for (unsigned i = 0; i < l->device_count; i++)
		for (unsigned k = 0; k < i; k++)
			if (is_shared(&l->devices[i], &l->devices[k]))
				json_array_append_new(
					links, link_json(l, &l->devices[k], &l->devices[i], false));
	return links;
}

static int dump(json_t *json, size_t flags, FILE *out)
{
	int failed = json ? json_dumpf(json, out, flags) : 0;

	if (!json)
		return -ENOMEM;
	json_decref(json);
	return failed && !ferror(out) ? -ENOMEM : 0;
}

static int json_look(const struct machine_look *l, FILE *out)
{
	return dump(json_pack("{s:o}", l->name, host_json(l)), JSON_COMPACT, out);
}

static int json_links(const struct machine_look *l, FILE *out)
{
	return dump(links_json(l), JSON_COMPACT, out);
}

#else

static int json_look(const struct machine_look *l, FILE *out)
{
	(void)l, (void)out;
	return -ENOSYS;
}

static int json_links(const struct machine_look *l, FILE *out)
{
	(void)l, (void)out;
	return -ENOSYS;
}

#endif

int machine_write_host(const struct machine_look *l, bool json, FILE *out)
{
	if (json)
		return json_look(l, out);
	yaml_look(l, out);
	return 0;
}

int machine_write_links(const struct machine_look *l, bool json, FILE *out)
{
	if (json)
		return json_links(l, out);
	yaml_links(l, out);
	return 0;
}
