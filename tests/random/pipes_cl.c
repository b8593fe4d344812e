/* SPDX-License-Identifier: MIT */
/* What stages of random networks do on a device: the host reads and writes their windows there. */
#include "tests/random/pipes.h"

#include <penstock/opencl.h>

#include <errno.h>
#include <stdlib.h>

/* Of the firing that this thread enqueues. */
static _Thread_local struct {
	cl_mem buffer;
	void *host;
	size_t bytes;
} copies[NET_PORTS];

enum { ALIGNMENT = 64 };

static void *open_copy(struct pstk_firing *f, unsigned port, bool reads)
{
	const struct pstk_actor *self = pstk_firing_actor(f);
	size_t size = pstk_actor_port_token_size(self, port), bytes;
	struct pstk_cl_window w;

	if (pstk_cl_window(f, port, &w) || w.rate != pstk_actor_port_rate(self, port))
		return NULL;
	bytes = size * (w.rate + (reads ? pstk_actor_port_history(self, port) : 0));
	copies[port].buffer = w.buffer;
	copies[port].bytes = bytes;
	copies[port].host = aligned_alloc(ALIGNMENT, (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT);
	if (reads && clEnqueueReadBuffer(
			     pstk_cl_queue(f), w.buffer, CL_TRUE, 0, bytes, copies[port].host, 0, NULL, NULL))
		return NULL;
	return copies[port].host;
}

static int close_copy(struct pstk_firing *f, unsigned port, bool reads, uint32_t moved)
{
	cl_int code = CL_SUCCESS;

	if (!reads)
		code = clEnqueueWriteBuffer(pstk_cl_queue(f), copies[port].buffer, CL_TRUE, 0,
			copies[port].bytes, copies[port].host, 0, NULL, NULL);
	free(copies[port].host);
	if (code)
		return -EIO;
	return reads || moved == pstk_port_valid(f, port) ? 0 : pstk_cl_set_valid(f, port, moved);
}

static int fire_cl(struct pstk_firing *f)
{
	static const struct pipes_windows windows = { open_copy, close_copy };

	return pipes_fire_on(f, &windows);
}

void pipes_on(const char *const *devices, unsigned count)
{
	pipes_devices = (struct pipes_devices){ .names = devices, .count = count, .fire_cl = fire_cl };
}
