/* SPDX-License-Identifier: MIT */
/* Loading: the network that a command is about, as its arguments say, and the options that all commands have for it. */
#ifndef PENSTOCK_COMMAND_LOADING_H
#define PENSTOCK_COMMAND_LOADING_H

#include "apps/common/moves.h"
#include "apps/common/team.h"

#include <getopt.h>
#include <penstock/graph.h>

struct hosts;

/* Words of the command line, borrowed; the list ends with NULL. */
struct words {
	const char **list; /* NULL: there are none */
	size_t count;
};

struct loading {
	const char *file, *chain; /* one of both */
	struct words sets, overlays, places, plugins;
	char *numbers[2]; /* "rate=N", "frames=N" */
	struct team team;
	struct moves moves;
	bool plans; /* the command makes a plan of its own: places need no device */
	bool draws; /* where the network can't run as planned here it is taken without the plan, with a warning */
	bool planned, no_overlap, no_merge; /* planned: one of these two was asked for */
	struct hosts *hosts; /* that it may run over; NULL: the command knows one process only */
	const char *
		host; /* which of the machine's this process is, as the command line says; NULL: it doesn't */
	int argc;     /* the command line, for messages; with hosts only */
	char **argv;
	struct pstk_graph *graph;
	struct pstk_network *network; /* the graph's */
};

enum {
	LOADING_CHAIN = 'e',
	LOADING_SET = 256,
	LOADING_MAPPING,
	LOADING_DEVICE,
	LOADING_TEAM,
	LOADING_RATE,
	LOADING_FRAMES,
	LOADING_PLUGIN,
	LOADING_MACHINE,
	LOADING_OVERLAP,
	LOADING_MERGE,
	LOADING_END
};

#define LOADING_LETTERS "e:"
#define LOADING_TABLE                                                    \
	{ "chain", required_argument, NULL, LOADING_CHAIN },             \
		{ "set", required_argument, NULL, LOADING_SET },         \
		{ "mapping", required_argument, NULL, LOADING_MAPPING }, \
		{ "device", required_argument, NULL, LOADING_DEVICE },   \
		{ "team", required_argument, NULL, LOADING_TEAM },       \
		{ "rate", required_argument, NULL, LOADING_RATE },       \
		{ "frames", required_argument, NULL, LOADING_FRAMES },   \
	{                                                                \
		"plugin", required_argument, NULL, LOADING_PLUGIN        \
	}

/* Of commands that know a plan. */
#define LOADING_PLAN_TABLE                                               \
	{ "machine", required_argument, NULL, LOADING_MACHINE },         \
		{ "overlap", required_argument, NULL, LOADING_OVERLAP }, \
	{                                                                \
		"merge", required_argument, NULL, LOADING_MERGE          \
	}

#define LOADING_PLAN_HELP                                                                                   \
	"  --machine FILE           hosts, devices and links, instead of those of the graph\n"              \
	"  --overlap on|off         depths as planned; on, the default with a machine: two windows where\n" \
	"                           transfers touch; off: one\n"                                            \
	"  --merge on|off           with these, buffers of a place share memory where that is sound (on)\n"

#define LOADING_HELP                                                                                         \
	"  -e, --chain CHAIN        instead of FILE: 'TYPE KEY=VALUE .. ! TYPE ..', each connected with "    \
	"the next\n"                                                                                         \
	"  --set NAME=VALUE         gives a parameter of the graph a value; may be given several times\n"    \
	"  --rate N                 --set rate=N\n"                                                          \
	"  --frames N               --set frames=N; the first actor of a chain takes it\n"                   \
	"  --mapping FILE           what this file says of mapping, run and parameters replaces what the\n"  \
	"                           graph says\n"                                                            \
	"  --device ACTOR=SELECTOR  runs an actor on this OpenCL device, or on the cores: ACTOR=cores\n"     \
	"  --team N                 a team of N threads fires all actors that do not block; 0: each actor\n" \
	"                           has a thread of its own; auto, the default where the graph says\n"       \
	"                           nothing: as many threads as cores where there are more actors\n"         \
	"  --plugin FILE            loads a plug-in\n"

/* One of the table's options; as the take() of struct arguments. */
int loading_take(struct loading *, int option, const char *value);

/* --seconds: that a run takes, 0.01 to 3600. -1, or what to exit with. */
int loading_take_seconds(const char *value, double *seconds);

/* The graph file. An operand() of struct arguments, whose data begin with a struct loading. */
int loading_operand(void *data, const char *value);

/* What the command is about, for messages. */
const char *loading_name(const struct loading *);

/* Is there a file or a chain? A settle() of struct arguments, whose data begin with a struct loading. */
int loading_settle(void *data);

/* Says why there is no plan, with the place in a file where one is to blame. Returns what to exit with. */
int loading_refuse_plan(const struct loading *, const struct pstk_plan *);

/* How much was said, to take back what is said later. */
struct loading_mark {
	size_t sets, places;
	struct team team;
};
struct loading_mark loading_mark(const struct loading *);

/* Loads it. dry: it will not run; else what could not be started is refused, too. 0, or what to exit with; all problems
 * are said then. */
int loading_open(struct loading *, bool dry);

/* Is what an option names, to be written, a file of the graph? NULL: nothing is named. 0, or EXIT_USAGE, said then: it
 * would be overwritten. Once it is loaded, files of the network's actors, too. */
int loading_check_output(const struct loading *, const char *option, const char *path);

/* Destroys the network, and takes back what was said since the mark. */
void loading_unload(struct loading *, struct loading_mark);

void loading_close(struct loading *);

#endif
