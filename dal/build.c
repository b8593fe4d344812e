/* SPDX-License-Identifier: MIT */
/* Build: actors and FIFOs of a description. */
#include "dal/description.h"
#include "dal/process.h"

#include <errno.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

_Static_assert((int)PS_DAL_DIMENSIONS == (int)PS_DAL_MAX_DIMENSIONS, "a process keeps all of its indices");

/* What is being built. */
struct builder {
	struct pstk_network *net;
	const struct ps_dal_description *d;
	const struct pstk_dal_process *processes;
	unsigned count;
	unsigned others;            /* actors of the network that aren't of the description */
	struct pstk_actor **actors; /* by ps_dal_process.order */
	const struct pstk_dal_process **definitions; /* the same */
};

#define REFUSE(b, line, err, format, ...) \
	pstk_network_refuse((b)->net, (err), "%s:%u: " format, (b)->d->file, (line), __VA_ARGS__)

static const struct pstk_dal_process *definition_of(const struct builder *b, const struct ps_dal_process *p)
{
	for (unsigned i = 0; i < b->count; i++)
		if (b->processes[i].name && strcmp(b->processes[i].name, p->name) == 0)
			return &b->processes[i];
	for (unsigned i = 0; i < b->count; i++)
		if (b->processes[i].name && strcmp(b->processes[i].name, p->basename) == 0)
			return &b->processes[i];
	return NULL;
}

static bool is_port(const struct pstk_dal_port *said, const struct ps_dal_port *port)
{
	return said->name && (strcmp(said->name, port->name) == 0 || strcmp(said->name, port->basename) == 0);
}

/* What the program says of a port's windows; NULL: its process reads and writes when it likes. */
static const struct pstk_dal_port *windows_of(const struct builder *b, const struct ps_dal_port *port)
{
	const struct pstk_dal_process *def = b->definitions[port->process->order];

	for (unsigned i = 0; def->ports && i < def->port_count; i++)
		if (is_port(&def->ports[i], port))
			return &def->ports[i];
	return NULL;
}

static int check_window(
	const struct builder *b, const struct ps_dal_process *p, const struct pstk_dal_port *said)
{
	const struct ps_dal_port *port = p->ports;

	while (port && !is_port(said, port))
		port = port->next;
	if (!port)
		return REFUSE(b, p->line, -EINVAL,
			"process '%s' has no port '%s', of which the program says the rate", p->name,
			said->name ? said->name : "(NULL)");
	if (!said->rate || !said->token_size)
		return REFUSE(b, port->line, -EINVAL,
			"port '%s' of '%s': the program says rate %u, tokens of %zu bytes: "
			"both are at least 1",
			port->name, p->name, said->rate, said->token_size);
	if (said->blocks && said->rate % said->blocks)
		return REFUSE(b, port->line, -EINVAL,
			"port '%s' of '%s': a window of %u tokens is not %u equal blocks", port->name,
			p->name, said->rate, said->blocks);
	return 0;
}

/* Do the program's process and the network's fit? */
static int check_process(const struct builder *b, const struct ps_dal_process *p)
{
	const struct pstk_dal_process *def = b->definitions[p->order];

	if (!def)
		return REFUSE(b, p->line, -EINVAL,
			"the program has no process '%s': it lists those it has (struct pstk_dal_process)",
			p->basename);
	if (!def->fire && !def->kernel)
		return REFUSE(b, p->line, -EINVAL, "process '%s' has no fire() in the program", p->name);
	if (p->port_count > PS_DAL_PORTS)
		return REFUSE(b, p->line, -EINVAL, "process '%s' has %u ports: at most %d", p->name,
			p->port_count, PS_DAL_PORTS);
	if (!def->ports && (def->stateless || def->kernel))
		return REFUSE(b, p->line, -EINVAL,
			"process '%s' is stateless or has a kernel: the program must say its ports' rates",
			p->name);
	if (!def->ports)
		return 0;
	for (unsigned i = 0; i < def->port_count; i++) {
		int err = check_window(b, p, &def->ports[i]);

		if (err)
			return err;
	}
	for (const struct ps_dal_port *port = p->ports; port; port = port->next) {
		if (!windows_of(b, port))
			return REFUSE(b, port->line, -EINVAL,
				"port '%s' of '%s': the program says rates of the process's other ports, but "
				"not of this",
				port->name, p->name);
	}
	return 0;
}

/* The bytes of a channel's tokens: what it says itself, else the windows at its ends, else single bytes. */
static size_t token_size_of(const struct builder *b, const struct ps_dal_channel *c)
{
	const struct pstk_dal_port *writer = windows_of(b, c->writer), *reader = windows_of(b, c->reader);

	if (c->token_size)
		return c->token_size;
	return writer ? writer->token_size : reader ? reader->token_size : 1;
}

static void fill_type(
	struct pstk_actor_type *type, const struct pstk_dal_process *def, const struct ps_dal_process *p)
{
	bool device = p->place == PS_DAL_DEVICE;

	*type = pstk_actor_type_init();
	type->name = p->basename;
	type->port_count = p->port_count;
	type->state_size = def->state_size;
	type->stateless = def->stateless;
	type->kahn = !def->ports;
	type->init = ps_dal_init;
	type->finish = ps_dal_finish;
	if (def->fire)
		type->fire = def->ports ? ps_dal_fire_windows : ps_dal_fire;
	if (device || !def->fire)
		type->kernel = def->kernel;
}

/* Names of XML are names of actors; only that they may be taken already. */
static bool is_taken(const struct builder *b, const char *name)
{
	for (unsigned i = 0; i < b->others; i++)
		if (strcmp(pstk_actor_name(pstk_network_actor(b->net, i)), name) == 0)
			return true;
	return false;
}

static struct pstk_actor *add(const struct builder *b, const struct ps_dal_process *p)
{
	const struct pstk_dal_process *def = b->definitions[p->order];
	size_t size = sizeof(struct ps_dal_actor) + p->port_count * sizeof(struct ps_dal_socket);
	struct ps_dal_actor *arg = calloc(1, size);
	struct pstk_port *ports = calloc(p->port_count + 1, sizeof *ports);
	struct pstk_actor_type type;
	struct pstk_actor *actor = NULL;

	if (arg && ports) {
		fill_type(&type, def, p);
		for (const struct ps_dal_port *port = p->ports; port; port = port->next) {
			const struct pstk_dal_port *said = windows_of(b, port);

			ports[port->number].name = port->name;
			ports[port->number].kind = port->input ? PSTK_INPUT : PSTK_OUTPUT;
			arg->sockets[port->number].token_size = token_size_of(b, port->channel);
			arg->sockets[port->number].blocks = said && said->blocks ? said->blocks : 1;
		}
		arg->process = def;
		arg->index_count = p->index_count;
		memcpy(arg->indices, p->indices, sizeof arg->indices);
		type.ports = ports;
		type.arg_size = size;
		actor = pstk_network_add(b->net, p->name, &type, arg);
	} else {
		REFUSE(b, p->line, -ENOMEM, "process '%s': out of memory", p->name);
	}
	free(arg);
	free(ports);
	return actor;
}

static int map_core(const struct builder *b, const struct ps_dal_process *p)
{
	cpu_set_t allowed;

	if (sched_getaffinity(0, sizeof allowed, &allowed) == 0 &&
		(p->number >= CPU_SETSIZE || !CPU_ISSET(p->number, &allowed)))
		return pstk_network_refuse(b->net, -EINVAL,
			"%s:%u: '%s' is mapped to core_%u, which this process may not use",
			b->d->mapping_file, p->mapping_line, p->name, p->number);
	return pstk_actor_pin(b->actors[p->order], p->number);
}

static int map_device(const struct builder *b, const struct ps_dal_process *p)
{
	struct pstk_device_info *list;
	size_t local = p->workitems, global = (size_t)p->workgroups * p->workitems;
	int count = pstk_devices(NULL, 0), err;

	if (!b->definitions[p->order]->kernel)
		return pstk_network_refuse(b->net, -EINVAL,
			"%s:%u: '%s' is mapped to gpu_%u, but has no kernel in the program: map it to core_N",
			b->d->mapping_file, p->mapping_line, p->name, p->number);
	if (count < 0 || (unsigned)count <= p->number)
		return pstk_network_refuse(b->net, count < 0 ? count : -ENODEV,
			"%s:%u: '%s' is mapped to gpu_%u, but the system has %d OpenCL devices",
			b->d->mapping_file, p->mapping_line, p->name, p->number, count < 0 ? 0 : count);
	list = calloc((size_t)count, sizeof *list);
	if (!list)
		return pstk_network_refuse(
			b->net, -ENOMEM, "%s:%u: out of memory", b->d->mapping_file, p->mapping_line);
	pstk_devices(list, (unsigned)count);
	err = pstk_actor_map(b->actors[p->order], list[p->number].selector);
	if (!err)
		err = pstk_actor_set_work_size(b->actors[p->order], 1, &global, &local);
	free(list);
	return err;
}

static int add_all(struct builder *b)
{
	for (const struct ps_dal_process *p = b->d->processes; p; p = p->next)
		b->definitions[p->order] = definition_of(b, p);
	for (const struct ps_dal_process *p = b->d->processes; p; p = p->next) {
		int err = check_process(b, p);

		if (err)
			return err;
	}
	for (const struct ps_dal_process *p = b->d->processes; p; p = p->next) {
		int err = 0;

		if (is_taken(b, p->name))
			return REFUSE(b, p->line, -EEXIST, "the network has an actor '%s' already", p->name);
		b->actors[p->order] = add(b, p);
		if (!b->actors[p->order])
			return -ENOMEM;
		if (p->place == PS_DAL_CORE)
			err = map_core(b, p);
		else if (p->place == PS_DAL_DEVICE)
			err = map_device(b, p);
		else if (!b->definitions[p->order]->fire)
			err = REFUSE(b, p->line, -EINVAL, "process '%s' has only a kernel: map it to gpu_N",
				p->name);
		if (err)
			return err;
	}
	return 0;
}

/* With room to spare for how windows lie. */
static bool is_too_large(
	uint32_t size, uint32_t initial, const struct pstk_dal_port *windows, size_t token_size)
{
	uint64_t tokens = (uint64_t)size + initial + (windows ? 4 * (uint64_t)windows->rate : 1);
	size_t bytes;

	return __builtin_mul_overflow(tokens, token_size, &bytes) || bytes > PTRDIFF_MAX / 8;
}

/* Do the ends of a channel, and what it says itself, agree? */
static int check_channel(const struct builder *b, const struct ps_dal_channel *c)
{
	const struct pstk_dal_port *ends[] = { windows_of(b, c->writer), windows_of(b, c->reader) };

	for (unsigned i = 0; i < 2; i++) {
		const struct ps_dal_port *port = i ? c->reader : c->writer;

		if (ends[i] && ends[i]->token_size != token_size_of(b, c))
			return REFUSE(b, c->line, -EINVAL,
				"channel '%s' has tokens of %zu bytes, port '%s' of '%s' of %zu", c->name,
				token_size_of(b, c), port->name, port->process->name, ends[i]->token_size);
	}
	if (is_too_large(c->size, c->initial, ends[0] ? ends[0] : ends[1], token_size_of(b, c)))
		return REFUSE(
			b, c->line, -EOVERFLOW, "channel '%s': more bytes than memory can have", c->name);
	if (ends[0] && ends[1] && ends[0]->rate != ends[1]->rate)
		return REFUSE(b, c->line, -EINVAL,
			"channel '%s': '%s' writes windows of %u tokens, '%s' reads %u: both ends move the "
			"same",
			c->name, c->writer->process->name, ends[0]->rate, c->reader->process->name,
			ends[1]->rate);
	return 0;
}

/* Tokens that fit, and the FIFO for them. */
static void fill_spec(const struct builder *b, const struct ps_dal_channel *c, struct pstk_fifo_spec *spec)
{
	const struct pstk_dal_port *windows = windows_of(b, c->writer);
	uint32_t size = c->size;

	windows = windows ? windows : windows_of(b, c->reader);
	*spec = pstk_fifo_spec_init();
	spec->token_size = token_size_of(b, c);
	spec->delay = c->initial;
	if (!c->token_size)
		size = (uint32_t)(c->size / spec->token_size);
	/* at least one token, or window, must have room beside the initial ones */
	if (windows) {
		spec->rate = windows->rate;
		spec->depth = size > c->initial ? (size - c->initial) / spec->rate : 0;
		spec->depth = spec->depth ? spec->depth : 1;
	} else {
		spec->capacity = size > c->initial ? size : c->initial + 1;
	}
}

static int connect_all(const struct builder *b)
{
	for (const struct ps_dal_channel *c = b->d->channels; c; c = c->next) {
		struct pstk_actor *from = b->actors[c->writer->process->order];
		struct pstk_actor *to = b->actors[c->reader->process->order];
		struct pstk_fifo_spec spec;
		struct pstk_fifo *fifo;
		int err = check_channel(b, c);

		if (err)
			return err;
		fill_spec(b, c, &spec);
		fifo = pstk_connect(from, c->writer->name, to, c->reader->name, &spec);
		if (!fifo)
			return REFUSE(b, c->line, -ENOMEM, "channel '%s': out of memory", c->name);
		ps_dal_actor_of(from)->sockets[c->writer->number].fifo = fifo;
		ps_dal_actor_of(to)->sockets[c->reader->number].fifo = fifo;
	}
	return 0;
}

int pstk_dal_build(struct pstk_network *net, const char *process_network, const char *mapping,
	const struct pstk_dal_process *processes, unsigned count)
{
	struct builder b = { .net = net, .processes = processes, .count = count };
	struct ps_dal_description *d;
	char text[400];
	int err;

	if (!net || !process_network || (count && !processes))
		return pstk_network_refuse(
			net, -EINVAL, "pstk_dal_build() needs a network, a file and processes, not NULL");
	err = ps_dal_read(&d, process_network, mapping, text, sizeof text);
	if (err)
		return pstk_network_refuse(net, err, "%s", text);
	b.d = d;
	b.others = pstk_network_actor_count(net);
	b.actors = calloc(d->process_count, sizeof(struct pstk_actor *));
	b.definitions = calloc(d->process_count, sizeof(const struct pstk_dal_process *));
	if (b.actors && b.definitions)
		err = add_all(&b);
	else
		err = pstk_network_refuse(net, -ENOMEM, "%s: out of memory", process_network);
	if (!err)
		err = connect_all(&b);
	free(b.actors);
	free(b.definitions);
	ps_dal_free(d);
	return err;
}
