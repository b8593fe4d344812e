/* SPDX-License-Identifier: MIT */
#include "benchmarks/apps/cd_to_dat.h"
#include "benchmarks/apps/fm_radio.h"
#include "benchmarks/apps/multirate.h"

#include <string.h>
#include <time.h>

/* What add() is given: of processor time `scale` is the same. */
static const struct rounds_table empty[MULTIRATE_TABLES] = {
	[MULTIRATE_CD] = { .title = "CD to DAT and spectra",
		.unit = "Msamples/s",
		.scale = 1e6,
		.least = CD_LEAST },
	[MULTIRATE_CD_CPU] = { .title = "CD to DAT and spectra, processor time",
		.unit = "Msamples a second of processor time",
		.scale = 1e6,
		.least = CD_LEAST },
	[MULTIRATE_FM] = { .title = "FM radio", .unit = "Msamples/s", .scale = 1e6, .least = FM_LEAST },
};

/* -- processor time -- */

/* A variant of the table of processor time: what it runs. */
struct timed {
	uint64_t (*run)(const void *arg, uint64_t items);
	const void *arg;
};

static struct timed timed[ROUNDS_VARIANTS];
static unsigned timed_count;
static struct rounds_cost cost; /* of the last run */

static double processor_seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static uint64_t run_timed(const void *arg, uint64_t items)
{
	const struct timed *what = arg;
	double begin = processor_seconds();
	uint64_t hash = what->run(what->arg, items);

	cost.seconds = cost.cpu = processor_seconds() - begin;
	return hash;
}

struct rounds_variant *multirate_add(struct rounds_table *t, enum rounds_role role,
	uint64_t (*run)(const void *arg, uint64_t items), const void *arg, const char *name)
{
	struct rounds_variant *v;

	if (!strcmp(t->title, empty[MULTIRATE_CD_CPU].title)) {
		timed[timed_count] = (struct timed){ run, arg };
		v = rounds_add(t, run_timed, &timed[timed_count++], "%s", name);
		v->cost = &cost;
	} else {
		v = rounds_add(t, run, arg, "%s", name);
	}
	v->role = role;
	return v;
}

/* -- the tables -- */

static void run_table(const struct rounds_options *o, enum multirate_table which, const char *absent,
	void (*add)(enum multirate_table, struct rounds_table *))
{
	static struct rounds_table t;
	struct rounds_variant *serial;

	t = empty[which];
	serial = multirate_add(
		&t, ROUNDS_SERIAL, which == MULTIRATE_FM ? fm_run_serial : cd_run_serial, NULL, "serial");
	serial->one_thread = true;
	serial->versus = "serial";
	add(which, &t);
	for (unsigned i = 0; i < t.count && which != MULTIRATE_FM; i++)
		t.variants[i].absent = absent;
	if (t.count > 1)
		rounds_run(o, &t);
}

int multirate_main(int argc, char **argv, void (*add)(enum multirate_table, struct rounds_table *))
{
	struct rounds_options o = rounds_parse(argc, argv, "", NULL,
		"\nNetworks of several rates: CD to DAT with spectra, and StreamIt's FM radio.\n"
		"\"threads\" (one for each actor) and \"team N\" are the library, with so many\n"
		"steps a firing or windows of so many iterations. The radio: \"state\": filters\n"
		"keep what they look back at there; \"merged\": its equaliser is one actor.\n");
	const char *absent = cd_open();

	fm_open();
	for (enum multirate_table which = 0; which < MULTIRATE_TABLES; which++)
		run_table(&o, which, absent, add);
	fm_close();
	cd_close();
	return 0;
}
