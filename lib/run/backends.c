/* SPDX-License-Identifier: MIT */
#include "lib/run/backends.h"
#include "lib/opencl/device.h"

static const struct ps_backend *const backends[] = { &ps_opencl_backend };
enum { BACKENDS = sizeof backends / sizeof *backends };

int ps_backends_open(struct pstk_network *net)
{
	int err = 0;

	for (unsigned i = 0; i < BACKENDS && !err; i++)
		err = backends[i]->open(net);
	return err;
}

int ps_backends_prepare(struct pstk_network *net)
{
	int err = 0;

	for (unsigned i = 0; i < BACKENDS && !err; i++)
		err = backends[i]->prepare(net);
	return err;
}

void ps_backends_drain(struct pstk_network *net)
{
	for (unsigned i = 0; i < BACKENDS; i++)
		backends[i]->drain(net);
}

void ps_backends_close_fifo(struct pstk_fifo *f)
{
	for (unsigned i = 0; i < BACKENDS; i++)
		backends[i]->close_fifo(f);
}

void ps_backends_close_actor(struct pstk_actor *a)
{
	for (unsigned i = 0; i < BACKENDS; i++)
		backends[i]->close_actor(a);
}

void ps_backends_close(struct pstk_network *net)
{
	for (unsigned i = 0; i < BACKENDS; i++)
		backends[i]->close(net);
}
