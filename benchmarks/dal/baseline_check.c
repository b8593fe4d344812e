/* SPDX-License-Identifier: MIT */
/* Check: do the program's processes, the network and the mapping fit? As libpenstock-dal asks. */
#include "benchmarks/dal/baseline_build.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

int baseline_refuse(
	const struct baseline_build *build, const char *file, unsigned line, int err, const char *format, ...)
{
	va_list args;
	int used = snprintf(build->text, build->size, "%s:%u: ", file, line);

	va_start(args, format);
	if (used >= 0 && (size_t)used < build->size)
		vsnprintf(build->text + used, build->size - (size_t)used, format, args);
	va_end(args);
	return err;
}

#define REFUSE(build, line, err, ...) baseline_refuse((build), (build)->d->file, (line), (err), __VA_ARGS__)

static const struct pstk_dal_process *definition_of(
	const struct baseline_build *build, const struct ps_dal_process *p)
{
	for (unsigned i = 0; i < build->count; i++)
		if (build->processes[i].name && strcmp(build->processes[i].name, p->name) == 0)
			return &build->processes[i];
	for (unsigned i = 0; i < build->count; i++)
		if (build->processes[i].name && strcmp(build->processes[i].name, p->basename) == 0)
			return &build->processes[i];
	return NULL;
}

static bool is_port(const struct pstk_dal_port *said, const struct ps_dal_port *port)
{
	return said->name && (strcmp(said->name, port->name) == 0 || strcmp(said->name, port->basename) == 0);
}

const struct pstk_dal_port *baseline_windows_of(
	const struct baseline_build *build, const struct ps_dal_port *port)
{
	const struct pstk_dal_process *def = build->b->processes[port->process->order].definition;

	for (unsigned i = 0; def->ports && i < def->port_count; i++)
		if (is_port(&def->ports[i], port))
			return &def->ports[i];
	return NULL;
}

static int check_window(
	const struct baseline_build *build, const struct ps_dal_process *p, const struct pstk_dal_port *said)
{
	const struct ps_dal_port *port = p->ports;

	while (port && !is_port(said, port))
		port = port->next;
	if (!port)
		return REFUSE(build, p->line, -EINVAL,
			"process '%s' has no port '%s', of which the program says the rate", p->name,
			said->name ? said->name : "(NULL)");
	if (!said->rate || !said->token_size)
		return REFUSE(build, port->line, -EINVAL,
			"port '%s' of '%s': the program says rate %u, tokens of %zu bytes: both are at least "
			"1",
			port->name, p->name, said->rate, said->token_size);
	if (said->blocks && said->rate % said->blocks)
		return REFUSE(build, port->line, -EINVAL,
			"port '%s' of '%s': a window of %u tokens is not %u equal blocks", port->name,
			p->name, said->rate, said->blocks);
	return 0;
}

static int check_windows(const struct baseline_build *build, const struct ps_dal_process *p,
	const struct pstk_dal_process *def)
{
	for (unsigned i = 0; i < def->port_count; i++) {
		int err = check_window(build, p, &def->ports[i]);

		if (err)
			return err;
	}
	for (const struct ps_dal_port *port = p->ports; port; port = port->next)
		if (!baseline_windows_of(build, port))
			return REFUSE(build, port->line, -EINVAL,
				"port '%s' of '%s': the program says rates of the process's other ports, but "
				"not of this",
				port->name, p->name);
	return 0;
}

static int check_place(const struct baseline_build *build, const struct ps_dal_process *p,
	const struct pstk_dal_process *def)
{
	if (p->place == PS_DAL_DEVICE && !def->kernel)
		return baseline_refuse(build, build->d->mapping_file, p->mapping_line, -EINVAL,
			"'%s' is mapped to gpu_%u, but has no kernel in the program: map it to core_N",
			p->name, p->number);
	if (p->place != PS_DAL_DEVICE && !def->fire)
		return REFUSE(
			build, p->line, -EINVAL, "process '%s' has only a kernel: map it to gpu_N", p->name);
	return 0;
}

static int check_process(const struct baseline_build *build, const struct ps_dal_process *p)
{
	const struct pstk_dal_process *def = build->b->processes[p->order].definition;
	int err;

	if (!def)
		return REFUSE(build, p->line, -EINVAL, "the program has no process '%s'", p->basename);
	if (!def->fire && !def->kernel)
		return REFUSE(build, p->line, -EINVAL, "process '%s' has no fire() in the program", p->name);
	if (!def->ports && (def->stateless || def->kernel))
		return REFUSE(build, p->line, -EINVAL,
			"process '%s' is stateless or has a kernel: the program must say its ports' rates",
			p->name);
	err = def->ports ? check_windows(build, p, def) : 0;
	return err ? err : check_place(build, p, def);
}

int baseline_check(const struct baseline_build *build)
{
	for (const struct ps_dal_process *p = build->d->processes; p; p = p->next)
		build->b->processes[p->order].definition = definition_of(build, p);
	for (const struct ps_dal_process *p = build->d->processes; p; p = p->next) {
		int err = check_process(build, p);

		if (err)
			return err;
	}
	return 0;
}
