/* SPDX-License-Identifier: MIT */
#include "lib/model/steps.h"
#include "lib/base/memory.h"
#include "lib/base/text.h"
#include "lib/model/declare.h"
#include "lib/model/error.h"
#include "lib/model/pipeline.h"
#include "lib/model/type.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#define PORT(a, p) (a)->name, (a)->type.name, (a)->type.ports[p].name

/*
 * What follows.
 */

uint32_t ps_steps_given(const struct pstk_actor *a, unsigned port)
{
	bool reads = ps_port_reads(a->type.ports[port].kind);
	uint32_t given = 0;

	for (const struct pstk_fifo *f = a->ports[port].fifo; f && !given; f = reads ? NULL : f->also)
		given = f->ring ? 0 : reads ? f->given_read : f->given_write;
	return given;
}

/* Why a firing has so many steps. */
struct steps {
	uint32_t count; /* 0: no port declares a rate */
	unsigned port;  /* which was given a multiple of its rate; PS_NO_PORT: none */
};

static struct steps find_steps(const struct pstk_actor *a)
{
	struct steps steps = { .port = PS_NO_PORT };

	for (unsigned p = 0; p < a->type.port_count; p++) {
		uint32_t rate = ps_declared(a, p).rate, given;

		if (!rate)
			continue;
		if (a->steps_asked)
			return (struct steps){ .count = a->steps_asked, .port = PS_NO_PORT };
		steps.count = a->steps_auto ? a->steps_auto : 1;
		given = ps_steps_given(a, p);
		if (given && given % rate == 0)
			return (struct steps){ .count = given / rate, .port = p };
	}
	return steps;
}

/* Steps x rate, 0: not declared. May be more than a rate can be. */
static uint64_t window_of(const struct pstk_actor *a, unsigned port)
{
	return (uint64_t)a->steps * ps_declared(a, port).rate;
}

static bool is_control(const struct pstk_fifo *f)
{
	return f->to.actor->type.ports[f->to.port].kind == PSTK_CONTROL;
}

/* What an end moves without a look at the other one; 0: nothing says so, or too much. */
static uint32_t end_rate(const struct pstk_fifo *f, bool writer)
{
	uint32_t given = writer ? f->given_write : f->given_read;
	uint64_t window;

	if (f->ring || (is_control(f) && !writer))
		return 1;
	window = writer ? window_of(f->from.actor, f->from.port) : window_of(f->to.actor, f->to.port);
	return given ? given : window > UINT32_MAX ? 0 : (uint32_t)window;
}

/* What a port has written, or its readers take, that some FIFO of it knows; first: the output's first. */
static uint32_t output_rate(const struct pstk_fifo *first)
{
	uint32_t rate = 0;

	for (const struct pstk_fifo *f = first; f && !rate; f = f->also)
		rate = end_rate(f, true);
	for (const struct pstk_fifo *f = first; f && !rate; f = f->also)
		rate = end_rate(f, false);
	return rate;
}

static bool same(const struct ps_layout *a, const struct ps_layout *b)
{
	return a->write_rate == b->write_rate && a->read_rate == b->read_rate && a->history == b->history &&
	       a->peek == b->peek;
}

static void settle_fifo(struct pstk_fifo *f, uint32_t output)
{
	struct ps_declared d = ps_declared(f->to.actor, f->to.port);
	struct ps_layout l = f->fifo.layout;
	uint32_t write = end_rate(f, true), read = end_rate(f, false);

	write = write ? write : output;
	read = read ? read : write;
	f->rates_known = write && read;
	if (!f->rates_known)
		return;
	l.write_rate = write;
	l.read_rate = read;
	l.history = d.peek > d.rate ? d.peek - d.rate : d.peek ? 0 : d.history;
	l.peek = d.peek > d.rate;
	if (same(&l, &f->fifo.layout))
		return;
	l.room = 0;
	if (ps_layout_init(&l))
		f->rates_known = false;
	else
		f->fifo.layout = f->fifo.shape = l; /* before the start no FIFO shares memory */
}

/* If it is the first one of its output, all of that. */
static void settle_output(struct pstk_fifo *first)
{
	uint32_t rate;

	if (first->from.actor->ports[first->from.port].fifo != first)
		return;
	rate = output_rate(first);
	for (struct pstk_fifo *f = first; f; f = f->also)
		settle_fifo(f, rate);
}

void ps_steps_settle(struct pstk_network *net)
{
	for (unsigned i = 0; i < net->actor_count; i++)
		net->actors[i]->steps = find_steps(net->actors[i]).count;
	for (struct pstk_pipeline *p = net->pipelines; p; p = p->next)
		for (unsigned k = 0; k < p->stage_count; k++)
			p->stages[k]->steps = find_steps(p->stages[k]).count;
	for (unsigned i = 0; i < net->fifo_count; i++)
		settle_output(net->fifos[i]);
	for (struct pstk_pipeline *p = net->pipelines; p; p = p->next)
		for (unsigned i = 0; i < p->inner_count; i++)
			settle_output(p->inner[i]);
}

/*
 * What does not fit.
 */

#define REFUSE(a, err, ...) ps_network_problem((a)->network, err, __VA_ARGS__)

/* Calls it once more, to see whether it says the same. */
static void check_rates_call(struct pstk_actor *a)
{
	size_t bytes = a->type.port_count * sizeof *a->declared;
	struct ps_declared *before = ps_memory_dup(a->declared, bytes);
	char reason[64];

	if (!before) {
		REFUSE(a, -ENOMEM, "'%s' (%s): out of memory for its rates", a->name, a->type.name);
		return;
	}
	if (!a->declare_err)
		ps_declare_call(a);
	if (a->declare_err)
		REFUSE(a, a->declare_err, "'%s' (%s): rates() failed: %s", a->name, a->type.name,
			a->text[0] ? a->text : ps_strerror(a->declare_err, reason, sizeof reason));
	else if (memcmp(before, a->declared, bytes))
		REFUSE(a, -EINVAL,
			"'%s' (%s): rates() does not say the same each time it is called: what it declares "
			"must follow from the actor's parameters alone",
			a->name, a->type.name);
	ps_memory_free(before);
}

static void check_port(struct pstk_actor *a, unsigned p)
{
	struct ps_declared d = ps_declared(a, p);

	if (d.history && d.peek)
		REFUSE(a, -EINVAL,
			"'%s' (%s): port '%s' has a history of %u tokens and a peek of %u: declare one of "
			"both",
			PORT(a, p), d.history, d.peek);
	else if (d.peek && !d.rate)
		REFUSE(a, -EINVAL,
			"'%s' (%s): port '%s' has a peek of %u tokens, but no rate: a peek is what a step "
			"sees, "
			"so declare how many of these it takes",
			PORT(a, p), d.peek);
	else if (d.peek && d.peek < d.rate)
		REFUSE(a, -EINVAL,
			"'%s' (%s): port '%s' has a peek of %u tokens, but a step takes %u: a step sees at "
			"least "
			"what it takes",
			PORT(a, p), d.peek, d.rate);
	if (window_of(a, p) > UINT32_MAX)
		REFUSE(a, -EINVAL,
			"'%s' (%s): port '%s' would move %llu tokens in a firing, %u steps of %u: a window "
			"has at "
			"most 4294967295: set fewer steps",
			PORT(a, p), (unsigned long long)window_of(a, p), a->steps, d.rate);
}

/* A FIFO was given another rate than steps x rate of its port. */
static void check_given(struct pstk_fifo *f, bool writer)
{
	struct pstk_actor *a = writer ? f->from.actor : f->to.actor;
	unsigned p = writer ? f->from.port : f->to.port;
	uint32_t given = writer ? f->given_write : f->given_read, rate = ps_declared(a, p).rate;
	struct steps steps = find_steps(a);
	char why[200] = "", fit[60];

	if (!given || !rate || f->ring || given == window_of(a, p))
		return;
	if (a->steps_asked)
		snprintf(why, sizeof why, " (as it was given)");
	else if (steps.port != PS_NO_PORT)
		snprintf(why, sizeof why, ", for port '%s' moves %u a step and its FIFO gives it %u",
			a->type.ports[steps.port].name, ps_declared(a, steps.port).rate,
			ps_steps_given(a, steps.port));
	if (a->steps_asked || steps.port != PS_NO_PORT)
		snprintf(fit, sizeof fit, "%llu", (unsigned long long)window_of(a, p));
	else
		snprintf(fit, sizeof fit, "a multiple of %u", rate);
	REFUSE(a, -EINVAL,
		"'%s' (%s): port '%s' moves %u token%s a step and a firing is %u step%s%s, but " PS_CONNECTION
		" gives it %u: give it %s, or none",
		PORT(a, p), rate, ps_plural(rate), a->steps, ps_plural(a->steps), why, PS_CONNECTION_ARGS(f),
		given, fit);
}

static void check_fifo(struct pstk_fifo *f)
{
	const struct pstk_fifo *first = f->from.actor->ports[f->from.port].fifo;
	const struct ps_layout *l = &f->fifo.layout;
	struct ps_declared d = ps_declared(f->to.actor, f->to.port);
	uint32_t write = end_rate(f, true), read = end_rate(f, false);

	if (f->from.actor->declare_err || f->to.actor->declare_err)
		return; /* that is why */
	check_given(f, true);
	check_given(f, false);
	if (f->rates_known && first->rates_known && l->write_rate != first->fifo.layout.write_rate)
		REFUSE(f->src, -EINVAL,
			PS_CONNECTION
			": a broadcast has one write rate: here %u, to '%s' %u: give its FIFOs one, or none",
			PS_CONNECTION_ARGS(f), l->write_rate, first->to.actor->name,
			first->fifo.layout.write_rate);
	if (f->rates_known || window_of(f->from.actor, f->from.port) > UINT32_MAX ||
		window_of(f->to.actor, f->to.port) > UINT32_MAX)
		return;
	if (!write && !read && !output_rate(first))
		REFUSE(f->src, -EINVAL,
			PS_CONNECTION ": no rate: give the tokens of a window, for neither port declares any",
			PS_CONNECTION_ARGS(f));
	else
		REFUSE(f->src, -EOVERFLOW,
			PS_CONNECTION
			": windows of %u and %u tokens with %u of history, depth %u, token size "
			"%zu: more bytes than memory can have",
			PS_CONNECTION_ARGS(f), write ? write : read, read ? read : write,
			d.peek ? d.peek - d.rate : d.history, l->depth, l->token_size);
}

static void check_actor(struct pstk_actor *a)
{
	if (a->type.rates)
		check_rates_call(a);
	if (a->steps_asked && !a->steps && !a->declare_err)
		REFUSE(a, -EINVAL,
			"'%s' (%s): a firing of %u steps, but none of its ports declares what it moves in a "
			"step: "
			"leave its steps out",
			a->name, a->type.name, a->steps_asked);
	for (unsigned p = 0; p < a->type.port_count; p++)
		check_port(a, p);
}

void ps_steps_check(struct pstk_network *net)
{
	for (unsigned i = 0; i < net->actor_count; i++)
		check_actor(net->actors[i]);
	for (struct pstk_pipeline *p = net->pipelines; p; p = p->next)
		for (unsigned k = 0; k < p->stage_count; k++)
			check_actor(p->stages[k]);
	for (unsigned i = 0; i < net->fifo_count; i++)
		check_fifo(net->fifos[i]);
	for (struct pstk_pipeline *p = net->pipelines; p; p = p->next)
		for (unsigned i = 0; i < p->inner_count; i++)
			check_fifo(p->inner[i]);
}

int pstk_actor_set_steps(struct pstk_actor *a, uint32_t n)
{
	int err = a ? ps_network_building(a->network, __func__) : -EINVAL;

	if (err)
		return err;
	if (!n)
		return ps_network_problem(a->network, -EINVAL, "'%s' (%s): a firing of %d steps: at least 1",
			a->name, a->type.name, 0);
	a->steps_asked = n;
	return 0;
}

uint32_t pstk_actor_given_steps(const struct pstk_actor *a)
{
	return a ? a->steps_asked : 0;
}

uint32_t pstk_actor_steps(const struct pstk_actor *a)
{
	return a ? a->steps : 0;
}
