/* SPDX-License-Identifier: MIT */
/* Mapping: what the command line says of a program's pipeline; on which cores and which device its stages run, and how
 * that is chosen. */
#ifndef COMMON_MAPPING_H
#define COMMON_MAPPING_H

#include <getopt.h>
#include <penstock/pipeline.h>

#include "apps/common/measured.h"

/* mapping_init() first. Texts are borrowed. */
struct mapping {
	struct pstk_pipeline_spec spec; /* device: what --device says; once it is found, the pipeline's */
	/* "none" or "none:MASK": no pipeline, each stage is an actor of its own; NULL: a pipeline */
	const char *apart;
	bool report; /* the pipeline's own, behind the run */
	struct measured measured;
	char selector[64]; /* of the only device */
};

/* For the program's table, in which its own options have other numbers. */
enum {
	OPT_PIPELINE = 512,
	OPT_MAPPING_DEVICE,
	OPT_CORES,
	OPT_IN_FLIGHT,
	OPT_OBJECTIVE,
	OPT_MIN_RATE,
	OPT_MAX_WATTS,
	OPT_MAX_OVERHEAD,
	OPT_RULE,
	OPT_CANDIDATES,
	OPT_METER,
	OPT_REPORT,
	OPT_SAVE_MEASUREMENTS
};
#define MAPPING_OPTIONS                                                             \
	{ "pipeline", required_argument, NULL, OPT_PIPELINE },                      \
		{ "device", required_argument, NULL, OPT_MAPPING_DEVICE },          \
		{ "cores", required_argument, NULL, OPT_CORES },                    \
		{ "in-flight", required_argument, NULL, OPT_IN_FLIGHT },            \
		{ "objective", required_argument, NULL, OPT_OBJECTIVE },            \
		{ "min-rate", required_argument, NULL, OPT_MIN_RATE },              \
		{ "max-watts", required_argument, NULL, OPT_MAX_WATTS },            \
		{ "max-overhead", required_argument, NULL, OPT_MAX_OVERHEAD },      \
		{ "rule", required_argument, NULL, OPT_RULE },                      \
		{ "candidates", required_argument, NULL, OPT_CANDIDATES },          \
		{ "meter", required_argument, NULL, OPT_METER },                    \
		{ "report", no_argument, NULL, OPT_REPORT },                        \
	{                                                                           \
		"save-measurements", required_argument, NULL, OPT_SAVE_MEASUREMENTS \
	}

/* For a program's help. */
#define MAPPING_HELP                                                                                         \
	"  --pipeline P        adaptive (the default): measures its stages while it runs, and finds the "    \
	"best\n"                                                                                             \
	"                      configuration; baseline: medium grain, each stage where it is faster; or "    \
	"one\n"                                                                                              \
	"                      at which it stays, such as CP-CG:101:4, CG:000:2 or MG:110; or none: each\n"  \
	"                      stage is an actor of its own, under a team of --cores threads; none:101:\n"   \
	"                      those with a 1 are on the device\n"                                           \
	"  --device SELECTOR   the OpenCL device besides the cores, such as pocl:cpu:0, gpu, or a part of\n" \
	"                      one, pocl:cpu:0/1of2; 'cores': none. Without it: the only one that there "    \
	"is\n"                                                                                               \
	"  --cores N           as many cores, 1 to 255 (those that this process may use)\n"                  \
	"  --in-flight R       frames inside of the pipeline at once, 2 to 256 (2 for each core, and 2)\n"   \
	"  --objective O       throughput (the default), energy of a frame, or ratio: rate / energy\n"       \
	"  --min-rate X        frames/s that are to be reached\n"                                            \
	"  --max-watts W       watts that are not to be exceeded\n"                                          \
	"  --max-overhead X    share of the time that later trainings may cost, 0 to 1 (0.05); 0: it "       \
	"trains\n"                                                                                           \
	"                      at the start only\n"                                                          \
	"  --rule R            how rates are predicted: capacity (the default), bounded, paper\n"            \
	"  --candidates N      configurations that are tried behind a training (4; above four stages 8)\n"   \
	"  --meter METER       what energy is read from, such as perf, or sim:cores=2,core=5,.. (the "       \
	"first\n"                                                                                            \
	"                      that there is); penstock(7) has them\n"                                       \
	"  --report            what the pipeline has measured and chosen, on stderr behind the run\n"        \
	"  --save-measurements FILE.json\n"                                                                  \
	"                      what it has measured of its stages: for 'penstock map'\n"

void mapping_init(struct mapping *);

/* -1: it is none of these options; 0, or what to exit with; said then. */
int mapping_take(struct mapping *, int option, const char *value);

/* Finds the device. 0, or what to exit with; said then. */
int mapping_find(struct mapping *);

/* Makes the pipeline, when its stages are connected, or maps its stages one by one. 0, or what to exit with, and the
 * network has the problem. */
int mapping_add(const struct mapping *, struct pstk_network *, const char *name,
	struct pstk_actor *const *stages, unsigned count);

#endif
