/* SPDX-License-Identifier: MIT */
#include "lib/model/declare.h"
#include "lib/model/actor.h"
#include "lib/model/error.h"
#include "lib/model/pipeline.h"
#include "lib/model/type.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>

const char *ps_declare_fault(const struct pstk_actor_type *t, unsigned port, const struct ps_declared *d)
{
	enum pstk_port_kind kind = t->ports[port].kind;

	if (kind == PSTK_CONTROL && d->rate > 1)
		return "control tokens are read one by one";
	if (!d->history && !d->peek)
		return NULL;
	if (!ps_port_reads(kind))
		return "only an input looks back";
	if (kind == PSTK_CONTROL)
		return "a control port does not look back";
	return t->kahn ? "a kahn actor keeps by itself what it has read" : NULL;
}

static struct ps_declared of_type(const struct pstk_actor *a, unsigned port)
{
	const struct pstk_port *p = &a->type.ports[port];

	return (struct ps_declared){ .rate = p->rate, .history = p->history, .peek = p->peek };
}

struct ps_declared ps_declared(const struct pstk_actor *a, unsigned port)
{
	struct ps_declared d = a->declared ? a->declared[port] : of_type(a, port);

	if (a->type.ports[port].kind == PSTK_CONTROL) /* 1, whatever a step is */
		d.rate = 0;
	return d;
}

bool ps_declare_may(const struct pstk_actor *a, unsigned port)
{
	return a->type.rates || ps_declared(a, port).rate;
}

/* In rates() the first text is kept. */
PSTK_PRINTF(3, 4)
static int refuse(struct pstk_actor *a, int err, const char *format, ...)
{
	char text[PS_TEXT_SIZE];
	va_list ap;

	va_start(ap, format);
	vsnprintf(text, sizeof text, format, ap);
	va_end(ap);
	if (ps_declaring != a)
		return ps_network_problem(a->network, err, "'%s' (%s): %s", a->name, a->type.name, text);
	ps_declaring_wrongly(err, "%s", text);
	return err;
}

enum what { RATE, HISTORY, PEEK };

static int declare(struct pstk_actor *a, unsigned port, enum what what, uint32_t tokens, const char *call)
{
	static const char *const words[] = { "a rate", "a history", "a peek" };
	struct ps_declared d;
	struct pstk_port *p;
	const char *fault;
	int err = !a ? -EINVAL : ps_declaring == a ? 0 : ps_network_building(a->network, call);

	if (err)
		return err;
	if (ps_is_pipeline(a) && ps_pipeline_refuses(a, call))
		return -EINVAL;
	if (port >= a->type.port_count)
		return refuse(a, -ERANGE, "%s: there is no port %u, only %u, numbered from 0", call, port,
			a->type.port_count);
	d = ps_declaring == a ? a->declared[port] : of_type(a, port);
	*(what == RATE ? &d.rate : what == HISTORY ? &d.history : &d.peek) = tokens;
	fault = ps_declare_fault(&a->type, port, &d);
	if (fault)
		return refuse(a, -EINVAL, "%s: port '%s' can't have %s of %u: %s", call,
			a->type.ports[port].name, words[what], tokens, fault);
	if (ps_declaring == a) {
		a->declared[port] = d;
		return 0;
	}
	p = (struct pstk_port *)&a->type.ports[port]; /* of the network's copy */
	p->rate = d.rate;
	p->history = d.history;
	p->peek = d.peek;
	return 0;
}

int pstk_actor_set_rate(struct pstk_actor *a, unsigned port, uint32_t tokens)
{
	return declare(a, port, RATE, tokens, __func__);
}

int pstk_actor_set_history(struct pstk_actor *a, unsigned port, uint32_t tokens)
{
	return declare(a, port, HISTORY, tokens, __func__);
}

int pstk_actor_set_peek(struct pstk_actor *a, unsigned port, uint32_t tokens)
{
	return declare(a, port, PEEK, tokens, __func__);
}

void ps_declare_call(struct pstk_actor *a)
{
	struct pstk_actor *former = ps_actor_enter(a);
	int rc;

	for (unsigned p = 0; p < a->type.port_count; p++)
		a->declared[p] = of_type(a, p);
	a->text[0] = 0;
	a->declare_err = 0;
	ps_declaring = a;
	rc = a->type.rates(a);
	ps_declaring = NULL;
	ps_actor_leave(former);
	if (rc && !a->declare_err)
		a->declare_err = rc < 0 ? rc : -EINVAL;
}

void ps_declare_all(struct pstk_network *net)
{
	for (unsigned i = 0; i < net->actor_count; i++)
		if (net->actors[i]->type.rates)
			ps_declare_call(net->actors[i]);
	for (const struct pstk_pipeline *p = net->pipelines; p; p = p->next)
		for (unsigned k = 0; k < p->stage_count; k++)
			if (p->stages[k]->type.rates)
				ps_declare_call(p->stages[k]);
}
