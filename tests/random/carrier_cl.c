/* SPDX-License-Identifier: MIT */
/* Devices of a real driver. A test is a process of its own (Check forks), so that each has its own drivers. */
#include "tests/random/carrier.h"
#include "tests/random/pipes.h"

#include <stdio.h>
#include <stdlib.h>

static const struct {
	const char *name, *memory, *pocl;
	bool parts, serial;
	const char *launch;
} ways[] = {
	{ "as the device suggests", "", "pthread", false, false, "" },
	{ "svm", "svm", "basic", true, false, "" },
	{ "map", "map", "basic", true, false, "" },
	{ "copy", "copy", "basic", true, false, "" },
	{ "map on threads", "map", "pthread", true, false, "" },
	{ "copy on threads", "copy", "pthread", true, false, "" },
	{ "each actor launched by its own thread", "", "pthread", true, false, "own" },
	{ "copy, each actor launched by its own thread", "copy", "pthread", true, false, "own" },
	{ "one by one", "", "pthread", true, true, "" },
};

/* The whole device, and its two halves if it can be divided. */
static bool open_driver(unsigned way, const char *const **devices, unsigned *count)
{
	static char names[3][80];
	static const char *list[3];
	struct pstk_device_info info;

	setenv("PENSTOCK_MEMORY", ways[way].memory, 1);
	setenv("POCL_DEVICES", ways[way].pocl, 1);
	setenv("PENSTOCK_LAUNCH", ways[way].launch, 1);
	setenv("PENSTOCK_SERIAL", ways[way].serial ? "1" : "0", 1); /* read once a process */
	if (pstk_devices(&info, 1) < 1)
		return false;
	*count = 1;
	snprintf(names[0], sizeof names[0], "%s", info.selector);
	for (unsigned i = 1; ways[way].parts && i <= 2; i++) {
		snprintf(names[i], sizeof names[i], "%s/%uof2", info.selector, i);
		*count += pstk_device_find(names[i], &info, NULL, 0) == 0;
	}
	for (unsigned i = 0; i < *count; i++)
		list[i] = names[i];
	*devices = list;
	pipes_on(list, *count);
	return true;
}

static const char *name(unsigned way)
{
	return ways[way].name;
}

const struct carrier carrier_cl = { .ways = TEST_COUNT(ways), .open = open_driver, .name = name };
