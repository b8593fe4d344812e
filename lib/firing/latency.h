/* SPDX-License-Identifier: MIT */
/*
 * Latency: how long a window takes from a source to a sink. Now and then a source's window is followed; between them a
 * firing costs a compare a port.
 *
 * A mark follows it. It lies beside a FIFO, at the last token of a window that was published, or in a firing that has
 * read that token.
 *   1. A source publishes, and the last window that it followed is so long ago: a mark is born.
 *   2. Whatever publishes puts the marks of its firing beside each FIFO that it writes, before the window.
 *   3. The first firing whose window holds that token takes the mark, when it takes the window.
 *   4. A sink's firing is through: the mark has arrived.
 * Rules
 *   - Each actor takes a source's marks in the order of their birth, and each only once: where the same one comes by
 *     another way, by a delay or around a cycle, it counts when it comes first. In one firing the way by which it came
 *     last counts for where the time went.
 *   - A firing that publishes nothing drops its marks.
 *   - Where more marks come in one firing than have room (32, and one a source), those that stay are drawn by lot.
 *     Beside a FIFO there are 1,024 at most.
 *   - A kahn actor has no firings: a window that it writes takes the newest mark of each source that it has read.
 *   - Control tokens carry no marks.
 *   - On a device a firing is through when it is enqueued; what the device takes is time in the FIFO behind it.
 *
 * Memory: of an actor with several firings in flight, what the taker changes (ps_task.h) is apart from what the
 * publisher changes. A FIFO's marks are a ring between the publisher of its writer and the taker of its reader.
 */
#ifndef PENSTOCK_LATENCY_H
#define PENSTOCK_LATENCY_H

#include "lib/base/histogram.h"
#include "lib/firing/task.h"

/* From a source to a sink that it reaches. Changed by the sink's publisher. */
struct ps_path {
	const struct pstk_actor *source, *sink; /* constant after start */
	struct ps_histogram total;              /* ns from birth to arrival .. */
	_Atomic uint64_t in_actors_ns; /* .. and of these all together, what the actors between took */
};

struct ps_latency {
	/* constant after start */
	uint64_t period;
	unsigned source_count, path_count;
	const struct pstk_actor **sources;
	struct ps_path *paths;
};

/* start(), with tasks that have their firings. Makes net->latency; a source's window is followed each `period` ns.
 * -ENOMEM. */
int ps_latency_create(struct pstk_network *, uint64_t period);
void ps_latency_free(struct pstk_network *);

/* Of a source: its windows that were followed. Any thread. */
uint64_t ps_latency_followed(const struct pstk_actor *source);

/* How long windows that were followed lay in a FIFO, on average, and how many these were. Any thread. */
uint64_t ps_latency_lay_ns(const struct pstk_fifo *, uint64_t *windows);

/*
 * Only where the task has a latency.
 */

/* The taker: it has taken these windows. Of a kahn actor that of one port. */
void ps_latency_took(struct pstk_firing *);
void ps_latency_took_port(struct pstk_firing *, unsigned port);

/* The publisher: it is about to publish what fire() has ended. A kahn actor so many tokens at one port. */
void ps_latency_publish(struct pstk_firing *);
void ps_latency_write(struct pstk_firing *, unsigned port, uint32_t tokens);

/* A kahn actor has freed windows of this port. */
void ps_latency_freed(struct pstk_firing *, unsigned port);

#endif
