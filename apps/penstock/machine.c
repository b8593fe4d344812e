/* SPDX-License-Identifier: MIT */
/* penstock machine */
#include "config.h"

#include "apps/common/arguments.h"
#include "apps/common/devices.h"
#include "apps/penstock/commands.h"
#include "apps/penstock/hosts.h"
#include "apps/penstock/machine_parts.h"
#include "apps/penstock/machine_write.h"
#include "apps/penstock/network_json.h"
#include "apps/penstock/picture.h"
#include "apps/penstock/talk.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static const char help[] =
	"Usage: penstock machine [OPTION]...\n"
	"Prints the machine that it runs on as a file for 'penstock plan --machine': the cores that it may "
	"use, caches\n"
	"and NUMA nodes, memory, OpenCL devices, and whether what goes between two places is copied.\n"
	"'mpirun -n 2 penstock machine --measure' prints the machine of several hosts.\n"
	"\n"
	"  --measure            measures what is copied: how many bytes/s, in each direction, of 1, 2 and 6\n"
	"                       transfers at once, of pageable and page-locked memory, and both directions "
	"at once\n"
	"  --bytes N            of each transfer, without it 64 MiB\n"
	"  --device SELECTOR    this device alone, or a part of one, as in pocl:cpu:0/1of2; may be given "
	"several times\n"
	"  --name NAME          of the host, without it 'host'; of several NAME0, NAME1, .., without it c0, "
	"c1\n"
	"  --json               the same as JSON\n"
	"  --output FILE        where it goes; without it to stdout\n"
	"  --help\n"
	"\n"
	"Exit status: 0 done;\n" APP_STATUS ".\n";

enum { OPT_MEASURE = 256, OPT_BYTES, OPT_DEVICE, OPT_NAME, OPT_JSON, OPT_OUTPUT, OPT_HELP };

static const struct option table[] = { { "measure", no_argument, NULL, OPT_MEASURE },
	{ "bytes", required_argument, NULL, OPT_BYTES }, { "device", required_argument, NULL, OPT_DEVICE },
	{ "name", required_argument, NULL, OPT_NAME }, { "json", no_argument, NULL, OPT_JSON },
	{ "output", required_argument, NULL, OPT_OUTPUT }, { "help", no_argument, NULL, OPT_HELP },
	{ NULL, 0, NULL, 0 } };

enum { BYTES = 64 << 20, LEAST_BYTES = 64, MOST_BYTES = 1 << 30, SHARE = 48 };

struct options {
	struct machine_look look;
	struct hosts hosts;
	const char *name; /* NULL: none was given */
	bool measure, json;
	uint64_t bytes; /* 0: not said */
	const char *output;
	const char **selectors; /* NULL: all devices */
	unsigned selector_count;
};

static int take_device(struct options *o, const char *value)
{
	const char **list = realloc(o->selectors, (o->selector_count + 1) * sizeof *list);

	if (!list)
		return app_out_of_memory();
	list[o->selector_count++] = value;
	o->selectors = list;
	return -1;
}

static int take(void *data, int option, const char *value)
{
	struct options *o = data;

	switch (option) {
	case OPT_HELP:
		return arguments_print(help);
	case OPT_MEASURE:
		o->measure = true;
		return -1;
	case OPT_BYTES:
		return arguments_number(value, '\0', LEAST_BYTES, MOST_BYTES, &o->bytes)
		               ? -1
		               : arguments_wrong("bytes", value, "a number of bytes from 64 to 1073741824");
	case OPT_DEVICE:
		return take_device(o, value);
	case OPT_NAME:
		o->look.name = o->name = value;
		return -1;
	case OPT_JSON:
		o->json = true;
		return network_json_refuse("json");
	default:
		o->output = value;
		return -1;
	}
}

/* What a graph file takes as a host's name is what a machine takes. */
static int settle(void *data)
{
	struct options *o = data;
	struct pstk_machine *machine = pstk_machine_create();
	int status = -1;

	if (!machine || pstk_machine_add_host(machine, o->look.name, 1, 0) == -ENOMEM)
		status = app_out_of_memory();
	else if (!pstk_machine_place_count(machine))
		status = app_fail(EXIT_USAGE, "--name: %s", pstk_machine_error(machine));
	else if (o->output && !*o->output)
		status = app_fail(EXIT_USAGE, "--output needs a name");
	else if (o->bytes && !o->measure)
		status = app_fail(EXIT_USAGE, "--bytes is of the transfers of --measure: give both");
	pstk_machine_destroy(machine);
	return status;
}

/* Those that were asked for, or all. */
static int find_devices(struct options *o)
{
	struct machine_look *l = &o->look;
	int count = o->selectors ? (int)o->selector_count : pstk_devices(NULL, 0);
	struct pstk_device_info *infos;
	char text[512];

	if (count < 0)
		return app_fail(EXIT_FAILED, "the OpenCL devices: %s", strerror(-count));
	l->devices = calloc((size_t)count + 1, sizeof *l->devices);
	infos = calloc((size_t)count + 1, sizeof *infos);
	if (!l->devices || !infos) {
		free(infos);
		return app_out_of_memory();
	}
	if (!o->selectors && count) {
		int there = pstk_devices(infos, (unsigned)count);

		count = there < 0 ? 0 : there < count ? there : count;
	}
	for (int i = 0; i < count; i++) {
		int err = o->selectors ? pstk_device_find(o->selectors[i], &infos[i], text, sizeof text) : 0;

		if (err) {
			free(infos);
			return app_fail(devices_status(err), "--device: %s", text);
		}
		l->devices[i].info = infos[i];
	}
	l->device_count = (unsigned)count;
	free(infos);
	return 0;
}

/* The length of "platform:type:number" in front of "/iofn". */
static size_t root_length(const struct machine_device *d)
{
	return strcspn(d->info.selector, "/");
}

static bool is_of(const struct machine_device *a, const struct machine_device *b)
{
	return root_length(a) == root_length(b) &&
	       !strncmp(a->info.selector, b->info.selector, root_length(a));
}

/* "cpu" of "pocl:cpu:0" */
static const char *type_of(const struct machine_device *d, size_t *length)
{
	const char *type = d->info.selector + strcspn(d->info.selector, ":");

	type += *type == ':';
	*length = strcspn(type, ":");
	return type;
}

/* Its type, how many other devices of that type come before it, and which part of the device it is. */
static void name_device(struct machine_look *l, unsigned index)
{
	struct machine_device *d = &l->devices[index];
	const char *part = d->info.selector + root_length(d);
	size_t length, other_length;
	const char *type = type_of(d, &length);
	unsigned number = 0;

	for (unsigned i = 0; i < index && !is_of(&l->devices[i], d); i++) {
		const char *other = type_of(&l->devices[i], &other_length);
		bool is_first = other_length == length && !strncmp(other, type, length);

		for (unsigned k = 0; k < i && is_first; k++)
			is_first = !is_of(&l->devices[k], &l->devices[i]);
		number += is_first;
	}
	snprintf(d->name, sizeof d->name, "%.*s%u%s%s", (int)length, type, number, *part ? "-" : "",
		*part ? part + 1 : "");
}

/* Memory of the host that six transfers at once may take, on both sides of a device that is a part of the host. */
static size_t bytes_for(const struct options *o)
{
	uint64_t most = o->look.host.memory ? o->look.host.memory / SHARE : BYTES, bytes = BYTES;

	while (bytes > most && bytes > LEAST_BYTES)
		bytes /= 2;
	return (size_t)(o->bytes ? o->bytes : bytes);
}

static int look_at(struct options *o, struct machine_device *d, bool *measured)
{
	enum pstk_link_kind kind = PSTK_LINK_COPY;
	char text[512];

	pstk_device_link(&d->info, NULL, &kind);
	d->copies = kind == PSTK_LINK_COPY;
	if (!d->copies && o->look.host.memory && d->info.memory_bytes > o->look.host.memory)
		d->info.memory_bytes = o->look.host.memory;
	if (!d->copies || !o->measure)
		return 0;
	*measured = true;
	return pstk_device_measure(d->info.selector, bytes_for(o), &d->transfers, text, sizeof text)
	               ? app_fail(EXIT_FAILED, "--measure: %s", text)
	               : 0;
}

static int look(struct options *o)
{
	bool measured = false;
	int status;

	machine_host_look(&o->look.host);
	status = find_devices(o);
	for (unsigned i = 0; i < o->look.device_count && !status; i++) {
		name_device(&o->look, i);
		for (unsigned k = 0; k < i && !status; k++)
			if (!strcmp(o->look.devices[k].name, o->look.devices[i].name))
				status = app_fail(EXIT_USAGE, "--device: '%s' is given twice",
					o->look.devices[i].info.selector);
		if (!status)
			status = look_at(o, &o->look.devices[i], &measured);
	}
	if (!status && o->measure && !measured && !hosts_are_several(&o->hosts))
		app_say(stderr, "%s: --measure: nothing is copied between the places of this machine\n",
			app_name);
	return status;
}

/* What is to be drawn. */
struct drawing {
	const struct machine_parts *parts;
	bool json;
};

static int draw(const void *data, FILE *out, const char *path)
{
	const struct drawing *d = data;

	(void)path;
	return machine_parts_write(d->parts, d->json, out) == -ENOMEM ? app_out_of_memory() : 0;
}

/* As a text, for free(). NULL: out of memory. */
static char *text_of(const struct options *o, int (*write)(const struct machine_look *, bool, FILE *))
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);
	int err = out ? write(&o->look, o->json, out) : -ENOMEM;

	if (out && fclose(out))
		err = -ENOMEM;
	if (!err)
		return text;
	free(text);
	return NULL;
}

static int write_alone(const struct options *o)
{
	char *host = text_of(o, machine_write_host), *links = text_of(o, machine_write_links);
	const struct machine_parts parts = { .hosts = &host, .links = &links, .count = 1 };
	int status = host && links ? picture_write(draw, &(struct drawing){ &parts, o->json }, o->output)
	                           : app_out_of_memory();

	free(host);
	free(links);
	return status;
}

/* Each in turn: several may be on one machine. */
static int look_in_turn(struct options *o)
{
	const struct pstk_transport *t = o->hosts.transport;
	int status = 0;

	for (unsigned r = 0; r < t->ranks && !status; r++) {
		hosts_hold(&o->hosts);
		status = hosts_agree(&o->hosts, r == t->rank ? look(o) : 0);
	}
	return status;
}

/* What all ranks have said; ends them if that is not known. */
static char **gather(struct options *o, int (*write)(const struct machine_look *, bool, FILE *))
{
	char *mine = text_of(o, write), **texts = NULL;
	int err = -ENOMEM;

	if (mine)
		texts = talk_texts(o->hosts.talk, mine, &err);
	free(mine);
	if (!texts)
		hosts_lose(&o->hosts, err);
	return texts;
}

/* The least that a rank has memory for. */
static uint64_t least_bytes(struct options *o)
{
	const unsigned ranks = o->hosts.transport->ranks;
	uint64_t mine = bytes_for(o), least = mine, *all = calloc(ranks, sizeof *all);
	int err = all ? talk_round(o->hosts.talk, &mine, sizeof mine, all) : -ENOMEM;

	if (err)
		hosts_lose(&o->hosts, err);
	for (unsigned r = 0; r < ranks; r++)
		least = all[r] < least ? all[r] : least;
	free(all);
	return least;
}

static struct net_measure *measure_nets(struct options *o)
{
	const unsigned pairs = net_measure_pairs(o->hosts.transport->ranks);
	struct net_measure *nets = calloc(pairs + 1u, sizeof *nets);
	unsigned k = 0;
	int err = nets ? 0 : -ENOMEM;

	for (unsigned a = 0; !err && a < o->hosts.transport->ranks; a++)
		for (unsigned b = a + 1; b < o->hosts.transport->ranks; b++)
			nets[k++] = (struct net_measure){ .a = a, .b = b };
	if (!err && o->measure)
		err = net_measure_run(o->hosts.transport, least_bytes(o), o->bytes, nets);
	if (err)
		hosts_lose(&o->hosts, err);
	return nets;
}

static int write_several(struct options *o)
{
	const char *prefix = o->name ? o->name : "c";
	struct machine_parts parts = { .count = o->hosts.transport->ranks, .prefix = prefix };
	char name[512];
	int status;

	snprintf(name, sizeof name, "%s%u", prefix, o->hosts.transport->rank);
	o->look.name = name;
	o->look.address = o->hosts.transport->host_name(o->hosts.transport->self, o->hosts.transport->rank);
	status = look_in_turn(o);
	if (status)
		return status;
	parts.hosts = gather(o, machine_write_host);
	parts.links = gather(o, machine_write_links);
	parts.nets = measure_nets(o);
	if (hosts_is_first(&o->hosts))
		status = picture_write(draw, &(struct drawing){ &parts, o->json }, o->output);
	talk_free(parts.hosts, parts.count);
	talk_free(parts.links, parts.count);
	free((struct net_measure *)(uintptr_t)parts.nets);
	return status;
}

int command_machine(int argc, char **argv)
{
	struct options o = { .look = { .name = "host" } };
	int status;

	hosts_look(&o.hosts, "machine");
	status = arguments_parse(&(struct arguments){ .table = table,
					 .take = take,
					 .settle = settle,
					 .data = &o,
					 .called = "penstock machine" },
		argc, argv);
	if (o.measure)
		o.hosts.subject = "machine --measure";
	if (status)
		status = hosts_begin(&o.hosts, status);
	if (status == -1 && hosts_are_several(&o.hosts)) {
		status = write_several(&o);
	} else if (status == -1) {
		status = look(&o);
		if (!status)
			status = write_alone(&o);
	}
	free(o.look.devices);
	free(o.selectors);
	return hosts_end(&o.hosts, status);
}
