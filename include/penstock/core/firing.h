/* SPDX-License-Identifier: MIT */
/*
 * Firing: what an actor's callbacks call: the paper's four calls on windows, ports, state, errors.
 *
 * Conventions (units, errors, contexts, ownership): <penstock/penstock.h>.
 */
#ifndef PENSTOCK_CORE_FIRING_H
#define PENSTOCK_CORE_FIRING_H

#include <penstock/core/actor.h>
#include <penstock/core/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * -- Windows ----------------------------------------------------------------------------------------------------------
 *
 * Context of all these functions: ACTOR.
 *
 * The library calls fire() when every port has its window, so a start neither blocks nor fails. A firing starts and
 * ends each port once. A window holds `rate` tokens (pstk_actor_port_rate()), an input's in front of them
 * pstk_actor_port_history() older ones. It is aligned to the largest power of two <= 64 that divides the token size.
 * What fire() has ended is published when fire() returns.
 *
 *	const float *in = pstk_fifo_read_start(f, 0);
 *	float *out = pstk_fifo_write_start(f, 1);
 *	..
 *	pstk_fifo_read_end(f, 0);
 *	pstk_fifo_write_end(f, 1);
 *	return PSTK_AGAIN;
 *
 * Only a kahn actor may block in these calls. It gets NULL at the end of the stream, on a stop (if it is a source) and
 * on an abort. Its windows are published at once.
 *
 * Wrong calls
 *   These calls are wrong: of a port that does not exist or is off, pstk_fifo_read_start() of an output,
 *   pstk_fifo_write_start() of an input, a second start or end, an end without a start.
 *   - A wrong call does nothing, and a start returns NULL.
 *   - The log says so at once, as an error.
 *   - When fire() returns, the firing publishes nothing and the network fails (-EPROTO).
 *   - If fire() crashes before that because it uses the NULL, the line of pstk_network_handle_signals() names the wrong
 *     call.
 */

/* Returns the oldest window of an input, to be read until pstk_fifo_read_end(): its oldest token, which is one of the
 * history if the port has one. NULL: a wrong call, or the stream of a
 * kahn actor has ended. */
PSTK_PUBLIC const void *pstk_fifo_read_start(struct pstk_firing *, unsigned port);

/* Ends the reading of an input's window. */
PSTK_PUBLIC void pstk_fifo_read_end(struct pstk_firing *, unsigned port);

/* Returns the next window of an output, to be filled until pstk_fifo_write_end(). Its content is not defined before.
 * NULL: as pstk_fifo_read_start(). */
PSTK_PUBLIC void *pstk_fifo_write_start(struct pstk_firing *, unsigned port);

/* Ends the filling of an output's window; pstk_port_valid() of its tokens are data. */
PSTK_PUBLIC void pstk_fifo_write_end(struct pstk_firing *, unsigned port);

/*
 * Ends an output's last window, of which only the first `valid` tokens are data, 0 <= valid <= rate.
 *
 * With valid < rate this firing is the actor's last one; with 0 it publishes nothing at this port. Of a kahn actor the
 * window is the last one of this port.
 * Example: a source of 10 tokens at rate 4 ends its third window with valid 2.
 */
PSTK_PUBLIC void pstk_fifo_write_end_partial(struct pstk_firing *, unsigned port, uint32_t valid);

/*
 * Moves n tokens, of a kahn actor's port: blocks, and copies. Context: ACTOR.
 *
 * At rate 1 (a ring) the call moves as many tokens at once as there are, or as every reader has room for. Else it moves
 * window by window. A last window that pstk_fifo_write() left partly filled is published when the actor ends.
 * Returns the tokens moved. They are fewer than n only when
 *   - the stream has ended (read);
 *   - no reader is left (write).
 * Errors:
 *   -EINVAL: not a kahn actor's port, n above INT_MAX, or a window of this port is started
 */
PSTK_PUBLIC int pstk_fifo_read(struct pstk_firing *, unsigned port, void *buf, size_t n);
PSTK_PUBLIC int pstk_fifo_write(struct pstk_firing *, unsigned port, const void *buf, size_t n);

/*
 * -- Ports ------------------------------------------------------------------------------------------------------------
 */

/* Turns a dynamic port on or off for this firing. Context: control() only. */
PSTK_PUBLIC void pstk_port_enable(struct pstk_firing *, unsigned port, bool on);

/*
 * Returns whether a port is on. Context: ACTOR in fire() and fire_cl(), and control().
 *
 * In fire() and fire_cl(): whether the port moves a window in this firing. In control(): what it has decided so far.
 * Static ports are always on. A port that is off can't be started; a kernel gets NULL for it.
 */
PSTK_PUBLIC bool pstk_port_enabled(const struct pstk_firing *, unsigned port);

/*
 * Returns how many new tokens of a port's window are data. Context: ACTOR.
 *
 * It is `rate`, but for the last window of a stream; 0 for a port that is off. Behind the valid tokens of an input's
 * window there are zeros. A firing with a partly filled input is the actor's last one.
 *
 * Of an output it is what this firing will publish unless fire() says otherwise: rate x the least valid / rate of the
 * inputs that are on, rounded up. Example: an input of rate 4 whose last window has 3 valid tokens, an output of rate
 * 6: 6 x 3 / 4 = 4.5, so 5 tokens. Of an actor that declares what a step is: pstk_firing_steps() x rate.
 */
PSTK_PUBLIC uint32_t pstk_port_valid(const struct pstk_firing *, unsigned port);

/*
 * Returns how many steps of this firing have data; 0: the actor does not declare what a step is. Context: ACTOR.
 *
 * It is pstk_actor_steps(), but for the last firing of a stream: the least number, over the inputs that are on, of
 * steps that have a token, or that are whole if the type says `whole_steps`.
 */
PSTK_PUBLIC uint32_t pstk_firing_steps(const struct pstk_firing *);

/* Returns the actor that fires. Context: ACTOR. */
PSTK_PUBLIC struct pstk_actor *pstk_firing_actor(const struct pstk_firing *);

/*
 * Returns the number of this firing: 0, 1, .. of this actor's firings. Context: ACTOR.
 *
 * Of a dynamic actor it counts the control tokens that the actor has taken. So actors under one control see the same
 * number in the same firing.
 */
PSTK_PUBLIC uint64_t pstk_firing_index(const struct pstk_firing *);

/*
 * -- The actor --------------------------------------------------------------------------------------------------------
 */

/* The new tokens in a window of a port, the tokens of its history (or peek - rate), and the bytes of one token; 0: no
 * such port, or not known yet. Context: ANY; all are known from pstk_network_check() or the init() calls of
 * pstk_network_start() on. */
PSTK_PUBLIC uint32_t pstk_actor_port_rate(const struct pstk_actor *, unsigned port);
PSTK_PUBLIC uint32_t pstk_actor_port_history(const struct pstk_actor *, unsigned port);
PSTK_PUBLIC size_t pstk_actor_port_token_size(const struct pstk_actor *, unsigned port);

/* Returns the private state: zeroed before init(), aligned for any type, freed by pstk_network_destroy(). NULL: its
 * size is 0. Context: ACTOR. */
PSTK_PUBLIC void *pstk_actor_state(struct pstk_actor *);

/* Returns the arg that was given to pstk_network_add(), or the network's copy of it. Context: ANY. */
PSTK_PUBLIC void *pstk_actor_arg(const struct pstk_actor *);

/* The actor's name, and its network. Context: ANY. */
PSTK_PUBLIC const char *pstk_actor_name(const struct pstk_actor *);
PSTK_PUBLIC struct pstk_network *pstk_actor_network(const struct pstk_actor *);

/* Returns the network's copy of the actor's type, with its ports and params. Context: ANY. */
PSTK_PUBLIC const struct pstk_actor_type *pstk_actor_get_type(const struct pstk_actor *);

/*
 * Says what went wrong, in one line of at most 255 bytes, for the network's error. Context: ACTOR.
 *
 * Returns err, so that a callback can end with
 *	return pstk_actor_error(self, -EIO, "cannot read %s", path);
 */
PSTK_PUBLIC int pstk_actor_error(struct pstk_actor *, int err, const char *format, ...) PSTK_PRINTF(3, 4);

#ifdef __cplusplus
}
#endif

#endif
