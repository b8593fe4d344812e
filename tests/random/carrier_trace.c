/* SPDX-License-Identifier: MIT */
/* Networks on the cores whose runs are traced: with memory for all, or for the end or the beginning only. */
#include "tests/common/file.h"
#include "tests/observe/trace_reader.h"
#include "tests/random/carrier.h"
#include "tests/random/run_actor.h"

#include <inttypes.h>
#include <stdio.h>

static struct trace_sums sums;
static const char *path;

static void trace(struct run *run)
{
	struct test_rng rng = { run->net->seed };
	enum pstk_trace_keep keep = test_chance(&rng, 50) ? PSTK_TRACE_LAST : PSTK_TRACE_FIRST;
	size_t bytes = test_chance(&rng, 50) ? PSTK_TRACE_BYTES / 16 : (size_t)200 << 10;

	/* the least is for all of a network's threads: 2.5 KB for each */
	for (unsigned a = 0; a < run->net->actor_count; a++)
		if (run->net->actors[a].concurrency > 1)
			bytes += run->net->actors[a].concurrency * (size_t)2500;
	path = test_file("random.trace", "");
	if (pstk_network_set_trace(run->built.network, path, bytes, keep))
		run_say(run, "%s", pstk_network_error(run->built.network));
}

static void destroy(struct run *run)
{
	struct pstk_network *network = run->built.network;
	bool peeks[NET_FIFOS];
	const char *what;

	for (unsigned f = 0; f < run->net->fifo_count; f++)
		peeks[f] = run->net->fifos[f].peek;
	what = run->message[0] ? NULL : trace_check(path, network, run->ends, peeks, &sums);
	if (what)
		run_say(run, "%s: %s", path, what);
	pstk_network_destroy(network);
	if (!what)
		test_files_remove();
}

const struct run_exchange carrier_traced = { .exchange = trace, .destroy = destroy };

static bool open_trace(unsigned way, const char *const **devices, unsigned *count)
{
	(void)way;
	*devices = NULL;
	*count = 0;
	run_exchange = &carrier_traced;
	return trace_reader_is_there();
}

static const char *name(unsigned way)
{
	static char text[200];

	(void)way;
	snprintf(text, sizeof text,
		"%" PRIu64 " files, %" PRIu64 " fires (%" PRIu64 " lost), %" PRIu64 " waits, %" PRIu64
		" sleeps, %" PRIu64 " controls, %" PRIu64 " arrows",
		sums.files, sums.fires, sums.lost, sums.waits, sums.sleeps, sums.controls, sums.arrows);
	return text;
}

const struct carrier carrier_trace = { .ways = 1, .open = open_trace, .name = name };
