/* SPDX-License-Identifier: MIT */
/* Net measure: how fast messages go between the hosts of a machine, each two of them in turn. */
#ifndef PENSTOCK_COMMAND_NET_MEASURE_H
#define PENSTOCK_COMMAND_NET_MEASURE_H

#include "apps/penstock/talk.h"

enum { NET_COUNTS = 3 }; /* of messages at once: 1, 2, 6 */

/* Between ranks a and b, a < b. Rates are bytes/s of all messages that go on at once. 0: not measured. */
struct net_measure {
	unsigned a, b;
	double there[NET_COUNTS], back[NET_COUNTS]; /* from a to b, from b to a */
	double latency;                             /* s: of a message of 8 bytes */
	double both; /* one message in each direction at once: how long it takes, as a multiple of the slower one */
};

/* How many pairs there are. */
unsigned net_measure_pairs(unsigned ranks);

/* Measures, in all ranks. bytes: of a message, the same in all ranks; exact: else less, where that takes too long.
 * nets: gets all pairs. Negative errno: -ENOMEM, or of the transport. */
int net_measure_run(struct pstk_transport *, uint64_t bytes, bool exact, struct net_measure *nets);

#endif
