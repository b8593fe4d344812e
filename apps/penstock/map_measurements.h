/* SPDX-License-Identifier: MIT */
/* Map's measurements: the file of --model (apps/common/measurements_json.h writes it). For builds with jansson. */
#ifndef PENSTOCK_COMMAND_MAP_MEASUREMENTS_H
#define PENSTOCK_COMMAND_MAP_MEASUREMENTS_H

#include <penstock/mapper.h>

struct map_measurements {
	struct pstk_measurements m;
	/* what m points to, owned; NULL: it is not there */
	double *times[6];
	struct pstk_joules *joules[4];
};

/* Reads it. 0, or what to exit with, said then. The caller frees it, in any case. */
int map_measurements_read(struct map_measurements *, const char *path);
void map_measurements_free(struct map_measurements *);

#endif
