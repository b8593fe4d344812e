/* SPDX-License-Identifier: MIT */
/*
 * Migrate: what it costs that an actor may move between devices and cores, and what a move costs the stream. The
 * experiment is that of "Task migration of DSP application specified with a DFG and implemented with the BSP computing
 * model on a CPU-GPU cluster" (Mansouri, Huet, Fristot, Houzet, DASIP 2013), section V. benchmarks/README.md says more.
 */
#include "apps/common/probe.h"
#include "benchmarks/apps/migrate_figures.h"
#include "benchmarks/apps/migrate_gaps.h"
#include "benchmarks/apps/migrate_lockstep.h"
#include "benchmarks/apps/migrate_steady.h"
#include "benchmarks/common/number.h"
#include "benchmarks/common/rounds.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { SIDE_MAX = 4096, MOVES_MOST = 10000 };

static uint32_t width = 512, height = 512;
static unsigned moves = 200;

static const char help[] =
	"  -S WxH      size of a frame (512x512)\n"
	"  --figures DIR   the paper's figures alone, as CSV and SVG\n"
	"  -m MOVES    of each scenario (200)\n"
	"\n"
	"First: firings a second of an actor that may move and of one that may not, at the same place. Then\n"
	"moves of a step of saliency between two halves of PoCL's CPU and the cores: the longest time "
	"between two\n"
	"outputs around a move, less what controls (moves to nowhere) have above a period; and memory.\n";

static bool set_option(int c, const char *text)
{
	return c == 'S' ? number_size(text, SIDE_MAX, &width, &height)
	                : number_unsigned(text, 1, MOVES_MOST, &moves);
}

static void set_staged(bool staged)
{
	if (staged)
		setenv("PENSTOCK_MEMORY", "copy", 1);
	else
		unsetenv("PENSTOCK_MEMORY");
}

static void measure_gaps(bool staged)
{
	struct migrate_gaps gaps[MIGRATE_SCENARIOS];
	struct saliency_frames frames;

	set_staged(staged);
	saliency_frames_open(&frames, width, height);
	printf("saliency %ux%u, normalize moves, %s:\n", width, height,
		staged ? "staged homes" : "homes as they are");
	migrate_gaps_print_head();
	migrate_gaps_run(&frames, true, moves, gaps);
	migrate_gaps_run(&frames, false, moves, gaps);
	for (unsigned s = 0; s < MIGRATE_SCENARIOS; s++)
		migrate_gaps_print(migrate_scenarios[s].name, &gaps[s],
			migrate_lockstep_gap(&frames, &migrate_scenarios[s]));
	saliency_frames_close(&frames);
}

static size_t allocated(struct saliency_frames *f, bool movable, size_t *move_bytes)
{
	const struct migrate_way way = { .first = MIGRATE_CORES,
		.movable = movable,
		.frames = SALIENCY_RING,
		.cycle = { MIGRATE_HALF_1, MIGRATE_HALF_2 },
		.cycle_length = 2 };
	struct migrate_ran ran;

	migrate_run(f, &way, &ran);
	free(ran.moments);
	free(ran.moves);
	*move_bytes = ran.move_bytes;
	return ran.allocated_bytes;
}

/* What start() takes more for an actor that may move than for one on the cores, which may not. */
static void measure_memory(void)
{
	struct saliency_frames frames;
	size_t said, none, with, without;

	set_staged(true);
	saliency_frames_open(&frames, width, height);
	without = allocated(&frames, false, &none);
	with = allocated(&frames, true, &said);
	printf("memory: %zu bytes more than for one that may not move, %zu by pstk_network_move_bytes(): "
	       "%.4f\n",
		with - without, said, (double)(with - without) / (double)said);
	saliency_frames_close(&frames);
}

/* The maps are learnt in a run without moves. */
static void write_figures(const char *folder)
{
	const struct migrate_way still = { .first = MIGRATE_CORES, .frames = SALIENCY_RING };
	struct saliency_frames frames;
	struct migrate_ran ran;

	if (mkdir(folder, 0777) && errno != EEXIST)
		rounds_fail("%s: %s", folder, strerror(errno));
	saliency_frames_open(&frames, width, height);
	migrate_run(&frames, &still, &ran);
	free(ran.moments);
	free(ran.moves);
	printf("the longest time between two frames around a move (the period before it), ms:\n");
	for (unsigned staged = 0; staged < 2; staged++) {
		set_staged(staged);
		migrate_figures_write(&frames, folder, staged);
	}
	migrate_figures_write_paper(&frames, folder);
	saliency_frames_close(&frames);
	printf("two ranks: mpirun -n 2 benchmarks/migrate_hosts; unmeasured: a GPU, none is here\n");
}

/* Takes --figures DIR out of the arguments, which are not those of the driver. NULL: it is not there. */
static const char *take_figures(int *argc, char **argv)
{
	for (int i = 1; i + 1 < *argc; i++)
		if (!strcmp(argv[i], "--figures")) {
			const char *folder = argv[i + 1];

			memmove(argv + i, argv + i + 2, (size_t)(*argc - i - 1) * sizeof *argv);
			*argc -= 2;
			return folder;
		}
	return NULL;
}

int main(int argc, char **argv)
{
	const char *folder = take_figures(&argc, argv);
	struct rounds_options o = rounds_parse(argc, argv, "S:m:", set_option, help);
	const char *absent = migrate_absent();

	if (folder && absent)
		rounds_fail("--figures: %s", absent);
	if (folder) {
		probe_print("before");
		write_figures(folder);
		probe_print("after");
		return 0;
	}
	migrate_steady(&o, absent);
	if (o.mode != ROUNDS_TABLES)
		return 0;
	rounds_require_choice(&o);
	if (absent) {
		printf("left out: moves: %s\n", absent);
		return 0;
	}
	if (o.only)
		return 0;
	probe_print("before");
	measure_gaps(true);
	measure_memory();
	probe_print("after");
	return 0;
}
