/* SPDX-License-Identifier: MIT */
/*
 * Guard: firings of a guarded actor (pstk_actor_guard()) on a device, each of which is wholly done or not at all.
 *
 * Its ends of FIFOs are the host's. A firing uploads its inputs, launches, downloads the outputs and the state, all
 * from and to memory of the place's own, and waits for each command before it enqueues the next one: PoCL 3.1 leaves
 * what waits for a failed command queued for ever. Then, as one step of the host, the outputs are copied to the FIFOs
 * and the copy becomes the state.
 *
 * A call or a command that fails: nothing was published, and no input freed. The place is dead, its memory is left to
 * its commands, which may still come through. The same firing is fired at the next living place.
 *
 * tests/models/guard.pml is a model of this.
 */
#ifndef PENSTOCK_GUARD_H
#define PENSTOCK_GUARD_H

#include "lib/firing/task.h"
#include "lib/opencl/cl_actor.h"

/* start(), behind ps_cl_actor_prepare(): memory of its own for this place. 0, or a negative errno with the part's
 * fault. */
int ps_guard_prepare(const struct pstk_actor *, struct ps_cl_actor *);
void ps_guard_free(struct ps_cl_actor *);

/* The bytes of that at one device place, and of its state there: buffers, and their copies on the host. */
size_t ps_guard_bytes(const struct pstk_actor *);

/* As fire(): at the place where the actor is, or the next one that lives. */
int ps_guard_fire(struct pstk_firing *);

#endif
