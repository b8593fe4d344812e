/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "apps/penstock/machine_parts.h"
#include "apps/penstock/yaml.h"

#include <errno.h>
#include <stdbool.h>

static const unsigned at_once[NET_COUNTS] = { 1, 2, 6 };

/* Both directions together take longer than one of them by so much: they take turns. */
#define HALF 1.6

static void yaml_host_name(const struct machine_parts *parts, unsigned host, FILE *out)
{
	char name[512];

	snprintf(name, sizeof name, "%s%u", parts->prefix, host);
	yaml_text(name, out);
}

static bool is_half_net(const struct net_measure *n)
{
	return n->both >= HALF;
}

static double net_rate(const struct net_measure *n)
{
	return n->there[0] < n->back[0] ? n->there[0] : n->back[0];
}

static void yaml_net(const struct machine_parts *parts, const struct net_measure *n, FILE *out)
{
	fputs("    - between: [", out);
	yaml_host_name(parts, n->a, out);
	fputs(", ", out);
	yaml_host_name(parts, n->b, out);
	fputs("]\n      kind: net\n", out);
	if (n->latency <= 0)
		return;
	fprintf(out, "      rate: %.4g\n      latency: %.4g\n      duplex: %s\n      measured:\n",
		net_rate(n), n->latency, is_half_net(n) ? "half" : "full");
	for (int k = 0; k < NET_COUNTS; k++)
		fprintf(out, "        - {at_once: %u, there: %.4g, back: %.4g}\n", at_once[k], n->there[k],
			n->back[k]);
}

static void yaml_parts(const struct machine_parts *parts, FILE *out)
{
	unsigned nets = parts->nets ? net_measure_pairs(parts->count) : 0;
	bool any = nets;

	fputs("machine:\n  hosts:\n", out);
	for (unsigned i = 0; i < parts->count; i++) {
		fputs(parts->hosts[i], out);
		any |= *parts->links[i];
	}
	if (any)
		fputs("  links:\n", out);
	for (unsigned i = 0; i < parts->count; i++)
		fputs(parts->links[i], out);
	for (unsigned i = 0; i < nets; i++)
		yaml_net(parts, &parts->nets[i], out);
}

#ifdef HAVE_JANSSON

#include <jansson.h>

static json_t *net_json(const struct machine_parts *parts, const struct net_measure *n)
{
	json_t *ends = json_array(), *measured = json_array(), *link;

	json_array_append_new(ends, json_sprintf("%s%u", parts->prefix, n->a));
	json_array_append_new(ends, json_sprintf("%s%u", parts->prefix, n->b));
	for (int k = 0; k < NET_COUNTS; k++)
		json_array_append_new(measured, json_pack("{s:i, s:f, s:f}", "at_once", (int)at_once[k],
							"there", n->there[k], "back", n->back[k]));
	link = json_pack("{s:o, s:s}", "between", ends, "kind", "net");
	if (n->latency > 0) {
		json_object_set_new(link, "rate", json_real(net_rate(n)));
		json_object_set_new(link, "latency", json_real(n->latency));
		json_object_set_new(link, "duplex", json_string(is_half_net(n) ? "half" : "full"));
		json_object_set(link, "measured", measured);
	}
	json_decref(measured);
	return link;
}

static int json_parts(const struct machine_parts *parts, FILE *out)
{
	json_t *hosts = json_object(), *links = json_array(), *whole;
	unsigned nets = parts->nets ? net_measure_pairs(parts->count) : 0;
	int err = 0;

	for (unsigned i = 0; i < parts->count; i++) {
		json_t *host = json_loads(parts->hosts[i], 0, NULL),
		       *own = json_loads(parts->links[i], 0, NULL);

		if (json_object_update(hosts, host) | json_array_extend(links, own))
			err = -ENOMEM;
		json_decref(host);
		json_decref(own);
	}
	for (unsigned i = 0; i < nets; i++)
		if (json_array_append_new(links, net_json(parts, &parts->nets[i])))
			err = -ENOMEM;
	whole = err ? NULL : json_pack("{s:{s:O, s:O}}", "machine", "hosts", hosts, "links", links);
	if (!whole || (json_dumpf(whole, out, JSON_INDENT(1)) && !ferror(out)))
		err = -ENOMEM;
	json_decref(whole);
	json_decref(hosts);
	json_decref(links);
	fputc('\n', out);
	return err;
}

#else

static int json_parts(const struct machine_parts *parts, FILE *out)
{
	(void)parts, (void)out;
	return -ENOSYS;
}

#endif

int machine_parts_write(const struct machine_parts *parts, bool json, FILE *out)
{
	if (json)
		return json_parts(parts, out);
	yaml_parts(parts, out);
	return 0;
}
