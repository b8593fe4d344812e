/* SPDX-License-Identifier: MIT */
/* Port: what fire() calls to reach its windows. */
#include "lib/firing/firing.h"
#include "lib/firing/firing_error.h"
#include "lib/firing/kahn.h"
#include "lib/model/type.h"

#include <string.h>

/* The port's window if the call fits the port, else NULL and a misuse. */
static struct ps_window *window(
	struct pstk_firing *firing, unsigned port, enum pstk_port_kind kind, const char *call)
{
	const struct pstk_actor_type *t;

	if (!firing)
		return NULL;
	t = &firing->actor->type;
	if (port >= t->port_count) {
		ps_firing_misuse(firing, "%s: there is no port %u, only %u, numbered from 0", call, port,
			t->port_count);
		return NULL;
	}
	if (t->ports[port].kind == PSTK_CONTROL) {
		ps_firing_misuse(firing,
			"%s: port '%s' is the control port, which has no window: control() gets its value",
			call, t->ports[port].name);
		return NULL;
	}
	if (ps_port_reads(t->ports[port].kind) != ps_port_reads(kind)) {
		ps_firing_misuse(firing, "%s: port '%s' is an %s: call pstk_fifo_%s_%s()", call,
			t->ports[port].name, ps_port_reads(kind) ? "output" : "input",
			ps_port_reads(kind) ? "write" : "read", strstr(call, "_start") ? "start" : "end");
		return NULL;
	}
	if (firing->in_control) {
		ps_firing_misuse(firing, "%s: not in control(): port '%s' has no window yet", call,
			t->ports[port].name);
		return NULL;
	}
	if (firing->in_fire_cl) {
		ps_firing_misuse(firing, "%s: port '%s' has its window on the device: call pstk_cl_window()",
			call, t->ports[port].name);
		return NULL;
	}
	if (!ps_firing_has(firing, port)) {
		ps_firing_misuse(firing, "%s: port '%s' is off in this firing: ask pstk_port_enabled()", call,
			t->ports[port].name);
		return NULL;
	}
	return &firing->windows[port];
}

/* The port's window where the call fits it, as nearly always; NULL: the slow form says why not. On a device it has no
 * data. */
static inline struct ps_window *quick(
	struct pstk_firing *firing, unsigned port, bool reads, enum ps_window_state state)
{
	struct ps_window *w;

	if (!firing || port >= firing->port_count)
		return NULL;
	w = &firing->windows[port];
	return w->state == state && w->reads == reads && w->data ? w : NULL;
}

static void *start_slowly(
	struct pstk_firing *firing, unsigned port, enum pstk_port_kind kind, const char *call)
{
	struct ps_window *w = window(firing, port, kind, call);

	if (!w)
		return NULL;
	if (firing->kahn && w->state == PS_WINDOW_NONE && !ps_kahn_take(firing, port))
		return NULL;
	if (w->state != PS_WINDOW_TAKEN) {
		ps_firing_misuse(firing, "%s: port '%s' %s", call, firing->actor->type.ports[port].name,
			w->state == PS_WINDOW_COPYING ? "is in the middle of a copied window"
						      : "was started before in this firing");
		return NULL;
	}
	w->state = PS_WINDOW_STARTED;
	return w->data;
}

static inline void *start(
	struct pstk_firing *firing, unsigned port, enum pstk_port_kind kind, const char *call)
{
	struct ps_window *w = quick(firing, port, kind == PSTK_INPUT, PS_WINDOW_TAKEN);

	if (!w)
		return start_slowly(firing, port, kind, call);
	w->state = PS_WINDOW_STARTED;
	return w->data;
}

static void end_slowly(struct pstk_firing *firing, unsigned port, enum pstk_port_kind kind, const char *call)
{
	struct ps_window *w = window(firing, port, kind, call);

	if (!w)
		return;
	if (w->state != PS_WINDOW_STARTED) {
		ps_firing_misuse(firing, "%s: port '%s' has %s", call, firing->actor->type.ports[port].name,
			w->state == PS_WINDOW_ENDED ? "ended its window in this firing already"
						    : "no window that was started: start it first");
		return;
	}
	w->state = PS_WINDOW_ENDED;
	if (firing->kahn)
		ps_kahn_end(firing, port);
	else
		firing->open--;
}

static inline void end(struct pstk_firing *firing, unsigned port, enum pstk_port_kind kind, const char *call)
{
	struct ps_window *w = quick(firing, port, kind == PSTK_INPUT, PS_WINDOW_STARTED);

	if (!w || firing->kahn) {
		end_slowly(firing, port, kind, call);
		return;
	}
	w->state = PS_WINDOW_ENDED;
	firing->open--;
}

const void *pstk_fifo_read_start(struct pstk_firing *firing, unsigned port)
{
	return start(firing, port, PSTK_INPUT, __func__);
}

void pstk_fifo_read_end(struct pstk_firing *firing, unsigned port)
{
	end(firing, port, PSTK_INPUT, __func__);
}

void *pstk_fifo_write_start(struct pstk_firing *firing, unsigned port)
{
	return start(firing, port, PSTK_OUTPUT, __func__);
}

void pstk_fifo_write_end(struct pstk_firing *firing, unsigned port)
{
	end(firing, port, PSTK_OUTPUT, __func__);
}

void pstk_fifo_write_end_partial(struct pstk_firing *firing, unsigned port, uint32_t valid)
{
	struct ps_window *w = window(firing, port, PSTK_OUTPUT, __func__);
	uint32_t rate;

	if (!w)
		return;
	rate = firing->actor->ports[port].rate;
	if (w->state != PS_WINDOW_STARTED) { /* says so, and leaves the window as it is */
		end(firing, port, PSTK_OUTPUT, __func__);
		return;
	}
	if (valid > rate) {
		ps_firing_misuse(firing, "%s: port '%s': %u valid tokens: expected 0 to %u", __func__,
			firing->actor->type.ports[port].name, valid, rate);
		return;
	}
	w->valid = valid;
	if (valid < rate && !firing->actor->type.kahn)
		firing->last = true;
	end(firing, port, PSTK_OUTPUT, __func__);
}

void pstk_port_enable(struct pstk_firing *firing, unsigned port, bool on)
{
	const struct pstk_actor_type *t;

	if (!firing)
		return;
	t = &firing->actor->type;
	if (!firing->in_control)
		ps_firing_misuse(firing, "%s: only in control()", __func__);
	else if (port >= t->port_count)
		ps_firing_misuse(firing, "%s: there is no port %u, only %u, numbered from 0", __func__, port,
			t->port_count);
	else if (!ps_port_is_dynamic(t->ports[port].kind))
		ps_firing_misuse(firing, "%s: port '%s' is not dynamic (%s)", __func__, t->ports[port].name,
			ps_port_kind_name(t->ports[port].kind));
	else
		ps_mask_put(firing->own->mask, port, on);
}

bool pstk_port_enabled(const struct pstk_firing *firing, unsigned port)
{
	if (!firing || port >= firing->actor->type.port_count)
		return false;
	return firing->in_control ? ps_mask_has(firing->own->mask, port) : ps_firing_has(firing, port);
}

uint32_t pstk_port_valid(const struct pstk_firing *firing, unsigned port)
{
	if (!firing || port >= firing->actor->type.port_count)
		return 0;
	return firing->windows[port].valid;
}

uint32_t pstk_firing_steps(const struct pstk_firing *firing)
{
	return firing ? firing->steps : 0;
}

struct pstk_actor *pstk_firing_actor(const struct pstk_firing *firing)
{
	return firing ? firing->actor : NULL;
}

uint64_t pstk_firing_index(const struct pstk_firing *firing)
{
	return firing ? firing->index : 0;
}
