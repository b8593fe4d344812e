/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "lib/run/backends.h"
#ifdef HAVE_OPENCL
#include "lib/opencl/device.h"
#endif

/* NULL: the end. */
static const struct ps_backend *const backends[] = {
#ifdef HAVE_OPENCL
	&ps_opencl_backend,
#endif
	NULL,
};

int ps_backends_open(struct pstk_network *net)
{
	int err = 0;

	for (unsigned i = 0; backends[i] && !err; i++)
		err = backends[i]->open(net);
	return err;
}

int ps_backends_prepare(struct pstk_network *net)
{
	int err = 0;

	for (unsigned i = 0; backends[i] && !err; i++)
		err = backends[i]->prepare(net);
	return err;
}

void ps_backends_abandon(struct pstk_network *net)
{
	for (unsigned i = 0; backends[i]; i++)
		backends[i]->abandon(net);
}

void ps_backends_drain(struct pstk_network *net)
{
	for (unsigned i = 0; backends[i]; i++)
		backends[i]->drain(net);
}

void ps_backends_close_fifo(struct pstk_fifo *f)
{
	for (unsigned i = 0; backends[i]; i++)
		backends[i]->close_fifo(f);
}

void ps_backends_close_actor(struct pstk_actor *a)
{
	for (unsigned i = 0; backends[i]; i++)
		backends[i]->close_actor(a);
}

void ps_backends_close(struct pstk_network *net)
{
	for (unsigned i = 0; backends[i]; i++)
		backends[i]->close(net);
}
