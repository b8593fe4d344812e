/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "apps/penstock/network_json.h"
#include "apps/common/app.h"

#include <errno.h>

#ifdef HAVE_JANSSON

#include "apps/common/pipelines_json.h"

#include <jansson.h>

int network_json_refuse(const char *option)
{
	(void)option;
	return -1;
}

static json_t *ports_json(const struct pstk_actor_type *type)
{
	static const char *const kinds[] = { "input", "output", "dynamic_input", "dynamic_output",
		"control" };
	json_t *ports = json_array();

	for (unsigned i = 0; i < type->port_count; i++) {
		const struct pstk_port *p = &type->ports[i];

		json_array_append_new(ports, json_pack("{s:s, s:s, s:s?}", "name", p->name, "kind",
						     kinds[p->kind], "token", p->token_type));
	}
	return ports;
}

static json_t *actor_json(const struct pstk_actor *a)
{
	const struct pstk_actor_type *type = pstk_actor_get_type(a);
	struct pstk_device_info device;
	bool on_device = !pstk_actor_device(a, &device);
	json_t *json = json_pack("{s:s, s:s, s:s, s:I, s:I, s:I, s:o}", "name", pstk_actor_name(a), "type",
		type->name, "place", on_device ? device.selector : "cores", "repetitions",
		(json_int_t)pstk_actor_repetitions(a), "steps", (json_int_t)pstk_actor_steps(a),
		"concurrency", (json_int_t)pstk_actor_concurrency(a, NULL, 0), "ports", ports_json(type));

	if (pstk_actor_core(a) >= 0)
		json_object_set_new(json, "core", json_integer(pstk_actor_core(a)));
	return json;
}

static json_t *end_json(const struct pstk_actor *a, unsigned port)
{
	return json_sprintf("%s.%s", pstk_actor_name(a), pstk_actor_get_type(a)->ports[port].name);
}

static json_t *fifo_json(const struct pstk_fifo *fifo)
{
	struct pstk_fifo_info i = { 0 };
	bool control;

	if (pstk_fifo_get_info(fifo, &i))
		return NULL;
	control = pstk_actor_get_type(i.dst)->ports[i.dst_port].kind == PSTK_CONTROL;
	return json_pack("{s:o, s:o, s:b, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:s}", "from",
		end_json(i.src, i.src_port), "to", end_json(i.dst, i.dst_port), "control", control,
		"write_rate", (json_int_t)i.write_rate, "read_rate", (json_int_t)i.rate, "depth",
		(json_int_t)i.depth, "delay", (json_int_t)i.delay, "tail", (json_int_t)i.tail, "token_size",
		(json_int_t)i.token_size, "bytes", (json_int_t)i.bytes, "memory", i.memory);
}

static json_t *verdict_json(const struct pstk_verdict *v)
{
	static const char *const rules[] = { "none", "control", "clocks", "cycles", "rates", "room" };
	const char *result = v->result == 0          ? "proven"
	                     : v->result == 1        ? "watched"
	                     : v->result == -EDEADLK ? "refused"
	                                             : "wrong";

	return json_pack("{s:s, s:s, s:s, s:s, s:b, s:I, s:I}", "verdict", result, "rule", rules[v->rule],
		"reason", v->reason, "remedy", v->remedy, "conservative", v->conservative, "fifo_bytes",
		(json_int_t)v->bytes, "shared_bytes", (json_int_t)v->shared_bytes);
}

/* NULL: no memory. */
static json_t *network_json(const struct pstk_network *net, const struct pstk_verdict *verdict)
{
	json_t *actors = json_array(), *fifos = json_array(), *json;
	int failed = 0;

	for (unsigned i = 0; i < pstk_network_actor_count(net); i++)
		failed |= json_array_append_new(actors, actor_json(pstk_network_actor(net, i)));
	for (unsigned i = 0; i < pstk_network_fifo_count(net); i++)
		failed |= json_array_append_new(fifos, fifo_json(pstk_network_fifo(net, i)));
	json = json_pack("{s:s, s:I, s:o, s:o}", "network", pstk_network_name(net), "team",
		(json_int_t)pstk_network_threads(net), "actors", actors, "fifos", fifos);
	if (json && pstk_network_pipeline(net, 0))
		failed |= json_object_set_new(json, "pipelines", pipelines_json_built(net));
	if (json && verdict)
		failed |= json_object_set_new(json, "check", verdict_json(verdict));
	if (failed) {
		json_decref(json);
		return NULL;
	}
	return json;
}

int network_json_print(const struct pstk_network *net, const struct pstk_verdict *verdict, FILE *out)
{
	json_t *json = network_json(net, verdict);
	int failed = json ? json_dumpf(json, out, JSON_INDENT(2)) : 0;

	if (!json)
		return -ENOMEM;
	json_decref(json);
	fputc('\n', out);
	return ferror(out) ? -EIO : failed ? -ENOMEM : 0;
}

#else

int network_json_refuse(const char *option)
{
	return app_fail(EXIT_USAGE, "--%s: this build has no jansson", option);
}

/* The options refuse it in such a build. */
int network_json_print(const struct pstk_network *net, const struct pstk_verdict *verdict, FILE *out)
{
	(void)net, (void)verdict, (void)out;
	return -ENOSYS;
}

#endif
