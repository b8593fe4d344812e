/* SPDX-License-Identifier: MIT */
/*
 * Networks of several rates: CD to DAT with spectra (cd_to_dat.h) and StreamIt's FM radio (fm_radio.h). Other systems'
 * are peers/SYSTEM_multirate.
 *
 * Why it is fair: all call the same loops on blocks of the same signal, from a source that copies it to a sink that
 * hashes all of the output. "serial" is these loops on blocks that stay in the cache. Windows of n iterations are the
 * others' blocks: the common multiple of all rates, so that each actor fires once in them; "by hand" is one iteration,
 * for steps that the library chooses. In "state" the radio's filters keep the history there, in a buffer in front of a
 * copy of the window, and so are not stateless; all else is the same network. "merged" has the equaliser as one actor,
 * as a pipeline has to; else it is StreamIt's graph.
 *
 * A table of its own has processor time in place of time: what all threads have used, whatever else the machine does.
 *
 * Usage: multirate [-n ROUNDS] [-s SECONDS] [-k TEXT] [-c] [-v] [-q]
 */
#include "benchmarks/apps/multirate.h"
#include "benchmarks/apps/cd_to_dat.h"
#include "benchmarks/apps/fm_radio_network.h"

#include <stdio.h>

static void add_cd(struct rounds_table *t, const char *name, struct cd_way way, enum rounds_role role,
	const char *versus)
{
	static struct cd_way ways[ROUNDS_VARIANTS];
	static unsigned count;
	struct rounds_variant *v;

	ways[count] = way;
	v = multirate_add(t, role, cd_run_network, &ways[count++], name);
	v->one_thread = way.team == 1;
	v->versus = versus;
}

static void add_fm(struct rounds_table *t, struct fm_way way)
{
	static struct fm_way ways[ROUNDS_VARIANTS];
	static unsigned count;
	struct rounds_variant *v;
	char name[64], steps[24] = "auto";

	if (way.steps)
		snprintf(steps, sizeof steps, "steps %u", way.steps);
	snprintf(name, sizeof name, "team %u, %s%s%s", way.team, way.merged ? "merged, " : "",
		way.state ? "state, " : "", steps);
	ways[count] = way;
	v = multirate_add(t, way.state ? ROUNDS_LIMIT : ROUNDS_LIBRARY, fm_run_network, &ways[count++], name);
	v->one_thread = way.team == 1;
	v->versus = way.state && way.steps == 1024 ? v->name : NULL;
}

static void add(enum multirate_table which, struct rounds_table *t)
{
	static const uint32_t sizes[] = { 64, 256, 1024 };

	if (which == MULTIRATE_FM) {
		for (unsigned merged = 0; merged < 2; merged++) {
			for (unsigned i = 0; i < sizeof sizes / sizeof *sizes; i++)
				for (unsigned state = 0; state < 2; state++)
					add_fm(t, (struct fm_way){ 2, sizes[i], merged, state });
			add_fm(t, (struct fm_way){ .team = 2, .merged = merged });
			add_fm(t, (struct fm_way){ .team = 1, .steps = 1024, .merged = merged });
		}
		return;
	}
	add_cd(t, "threads, steps 64", (struct cd_way){ .steps = 64 }, ROUNDS_LIBRARY, NULL);
	add_cd(t, "team 1, steps 64", (struct cd_way){ .team = 1, .steps = 64 }, ROUNDS_LIBRARY, NULL);
	add_cd(t, "team 2, steps 64", (struct cd_way){ .team = 2, .steps = 64 }, ROUNDS_LIBRARY, NULL);
	add_cd(t, "team 2, auto", (struct cd_way){ .team = 2 }, ROUNDS_LIBRARY, NULL);
	add_cd(t, "team 2, iterations 1, depth 2", (struct cd_way){ 2, 0, 1, 2 }, ROUNDS_LIBRARY, NULL);
	add_cd(t, "team 2, iterations 4, depth 2", (struct cd_way){ 2, 0, 4, 2 }, ROUNDS_LIBRARY, NULL);
	add_cd(t, "team 2, by hand", (struct cd_way){ .team = 2, .iterations = 1 }, ROUNDS_LIMIT, "by hand");
}

int main(int argc, char **argv)
{
	return multirate_main(argc, argv, add);
}
