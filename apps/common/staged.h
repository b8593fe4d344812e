/* SPDX-License-Identifier: MIT */
/*
 * Staged: what the programs have in common that carry frames through the stages of a pipeline: vivid, srad, tracking,
 * scene_recognition. A program has a struct staged_program, and a main() that calls staged_main().
 */
#ifndef COMMON_STAGED_H
#define COMMON_STAGED_H

#include "apps/common/app.h"
#include "apps/common/files.h"
#include "apps/common/frame_source.h"
#include "apps/common/mapping.h"
#include "apps/common/report.h"

/* What all of them take. */
struct staged_options {
	const char **inputs; /* input_count of them, of argv */
	unsigned input_count;
	struct size size; /* width 0: each input has its own */
	uint64_t frames;  /* at most; 0: all */
	uint64_t repeat;
	const char *output, *stats, *rates, *trace; /* NULL: none */
	bool check;                                 /* says whether the network can deadlock, and ends */
	struct mapping mapping;
};

/* For the program's table, whose own options have numbers from OPT_OWN on. */
enum {
	OPT_INPUT = 256,
	OPT_SIZE,
	OPT_FRAMES,
	OPT_REPEAT,
	OPT_OUTPUT,
	OPT_STATS,
	OPT_RATES,
	OPT_TRACE,
	OPT_CHECK,
	OPT_DEVICES,
	OPT_HELP,
	OPT_VERSION,
	OPT_OWN = 1024
};
#define STAGED_OPTIONS                                                                                      \
	MAPPING_OPTIONS, { "input", required_argument, NULL, OPT_INPUT },                                   \
		{ "size", required_argument, NULL, OPT_SIZE },                                              \
		{ "frames", required_argument, NULL, OPT_FRAMES },                                          \
		{ "repeat", required_argument, NULL, OPT_REPEAT },                                          \
		{ "output", required_argument, NULL, OPT_OUTPUT },                                          \
		{ "stats", required_argument, NULL, OPT_STATS },                                            \
		{ "rates", required_argument, NULL, OPT_RATES },                                            \
		{ "trace", required_argument, NULL, OPT_TRACE }, { "check", no_argument, NULL, OPT_CHECK }, \
		{ "devices", no_argument, NULL, OPT_DEVICES }, { "help", no_argument, NULL, OPT_HELP },     \
	{                                                                                                   \
		"version", no_argument, NULL, OPT_VERSION                                                   \
	}

/* For its help: in front of its own options, and behind them. */
#define STAGED_INPUT_HELP                                                                                    \
	"  --input FILE        what FFmpeg reads, also numbered pictures (p%03d.png), or Y4M, also on "      \
	"stdin\n"                                                                                            \
	"                      (-); raw grey (.gray, with --size). Further files may follow: they are one\n" \
	"                      stream, each with frames of its own size\n"                                   \
	"  --size WxH          .gray: the size of a frame; other inputs are scaled to it\n"                  \
	"  --frames N          ends after N frames\n"                                                        \
	"  --repeat N          goes through the inputs N times (1)\n"
#define STAGED_HELP                                                                                         \
	MAPPING_HELP                                                                                        \
	"  --devices           lists the devices with their selectors, ready to paste\n"                    \
	"  --stats FILE.json   writes what the run took as JSON\n"                                          \
	"  --rates FILE        writes a line each 0.2 s: seconds, frames, frames/s, configuration\n"        \
	"  --trace FILE        writes a timeline of its threads, for https://ui.perfetto.dev\n"             \
	"  --check             says whether the network can deadlock and what memory it needs; runs "       \
	"nothing\n"                                                                                         \
	"  --help, --version\n"                                                                             \
	"\n"                                                                                                \
	"Exit status: 0 done;\n" APP_STATUS "; 4 the network deadlocked; 130 interrupted.\n"                \
	"The first SIGINT, SIGTERM or SIGHUP ends the input and lets the rest drain, the second stops at\n" \
	"once.\n"

/* A run. */
struct staged {
	struct staged_options options;
	struct inputs inputs;
	struct frame_source frames;
	struct pstk_network *network;
	struct pstk_actor *source; /* out: a frame a token, of token_size bytes */
	size_t token_size;
	struct pstk_fifo *last; /* build() sets it: its written tokens are the frames that are done */
	const char *unit;       /* .. and what they are, "frames"; build() may say otherwise .. */
	uint64_t fewer;         /* .. as so many frames have none */
};

/* A program. `own` is what staged_main() was given. What a function returns is 0, or what to exit with; it has said
 * why then. */
struct staged_program {
	const char *help;
	const struct option *table; /* STAGED_OPTIONS, its own, zeros */
	/* one of its own options; -1: go on */
	int (*take)(void *own, int option, const char *value);
	/* adds inputs of its own after the last option: inputs is freed by the caller; NULL: there are none */
	int (*find_inputs)(void *own, struct staged_options *);
	/* then: do they go together? */
	int (*settle)(void *own, const struct staged_options *);
	/* adds its actors behind the source, connects them, makes the pipeline: staged_map(). The network's problems
	 * are said by the caller. */
	int (*build)(void *own, struct staged *);
	/* opens its outputs once the network stands: those that are FIFOs, then the others; they are known by name.
	 * NULL: there are none */
	int (*open)(void *own, struct staged *, bool fifos);
	/* gives them their names, after a run that was not aborted; NULL: sinks do that */
	int (*complete)(void *own, struct staged *);
	/* its own figures of --stats; NULL: there are none */
	void (*report)(void *own, struct report *);
	/* frees its own, behind the network */
	void (*close)(void *own);
};

/* main() of a program. Returns what to exit with. */
int staged_main(const struct staged_program *, void *own, int argc, char **argv);

/* Makes the pipeline of the command line's mapping, under the program's name, once its stages are connected. 0, or what
 * to exit with; the network has the problem. */
int staged_map(const struct staged *, struct pstk_actor *const *stages, unsigned count);

/* Connects the source with a port of the sink, around the pipeline, behind staged_map(): with as many windows as the
 * way through it holds, so that the source never waits for this one. As above. */
int staged_connect_around(const struct staged *, struct pstk_actor *sink, const char *port);

/* Do these names of files that the program reads or writes, and those of all shared options but --input, each stand for
 * a file of its own? count: STAGED_NAMES_MOST at most. 0, or EXIT_USAGE. */
enum { STAGED_NAMES_MOST = 4 };
int staged_check_names(const struct staged_options *, const struct files_named *own, unsigned count);

/* Have the frames of all inputs at least this size? 0, or EXIT_USAGE. without: what smaller frames have not, for the
 * message: "no cell of 8x8 pixels". */
int staged_check_sizes(const struct staged *, uint32_t width, uint32_t height, const char *without);

#endif
