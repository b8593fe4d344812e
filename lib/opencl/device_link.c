/* SPDX-License-Identifier: MIT */
/*
 * Device link: do two places share memory? As placement.c decides for a FIFO between them, from what the devices say
 * and PENSTOCK_MEMORY. Without CL types: it is the same in a library configured --without-opencl.
 */
#include "lib/base/environment.h"
#include "penstock/plan.h"

#include <errno.h>
#include <string.h>

/* Of a selector that the library has made, "pocl:cpu:0/1of2": the whole device's length. */
static size_t root_length(const char *selector)
{
	return strcspn(selector, "/");
}

static bool of_one_root(const char *a, const char *b)
{
	size_t length = root_length(a);

	return length == root_length(b) && !strncmp(a, b, length);
}

static enum pstk_link_kind with_host(const struct pstk_device_info *d)
{
	struct ps_environment environment;

	ps_environment_read(&environment, NULL);
	if (environment.memory == PS_MEMORY_ANY)
		environment.memory = d->unified ? PS_MEMORY_SVM : PS_MEMORY_COPY;
	if (environment.memory == PS_MEMORY_COPY)
		return PSTK_LINK_COPY;
	/* what is mapped on a device with memory of its own is copied there and back by its driver */
	return d->unified || (environment.memory == PS_MEMORY_SVM && d->svm_fine) ? PSTK_LINK_SHARED
	                                                                          : PSTK_LINK_COPY;
}

int pstk_device_link(const struct pstk_device_info *device, const struct pstk_device_info *other,
	enum pstk_link_kind *kind)
{
	if (!device || !kind)
		return -EINVAL;
	if (!other)
		*kind = with_host(device);
	else
		*kind = of_one_root(device->selector, other->selector) ? PSTK_LINK_SHARED : PSTK_LINK_COPY;
	return 0;
}
