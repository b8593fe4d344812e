/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "apps/saliency/split.h"
#include "apps/common/app.h"
#include "apps/common/devices.h"

#include <penstock/plan.h>

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sched.h>

static unsigned cores(void)
{
	cpu_set_t set;
	int count = sched_getaffinity(0, sizeof set, &set) ? 1 : CPU_COUNT(&set);

	return count > 0 ? (unsigned)count : 1;
}

const char *split_place(const struct places *places, unsigned place)
{
	static const char *const names[] = { "c0/g0", "c0/g1" };

	return places->selectors[place] ? names[place] : "c0";
}

/* Of a device that shares the host's memory the library copies nothing. What a copy takes is not known. */
static int add_device(struct pstk_machine *machine, const struct places *places, unsigned place)
{
	const char *name = split_place(places, place);
	struct pstk_device_info info;
	char text[512];
	int err = pstk_device_find(places->selectors[place], &info, text, sizeof text);

	if (err)
		app_fail(EXIT_DEVICE, "--device: %s", text);
	if (err)
		return err;
	err = pstk_machine_add_device(
		machine, "c0", name + strlen("c0/"), places->selectors[place], info.memory_bytes);
	if (err >= 0)
		err = pstk_machine_add_link(
			machine, &(struct pstk_link){ .a = "c0",
					 .b = name,
					 .kind = info.unified ? PSTK_LINK_SHARED : PSTK_LINK_COPY,
					 .rate = info.unified ? 0 : INFINITY });
	return err < 0 ? err : 0;
}

struct pstk_machine *split_machine(const struct places *places)
{
	struct pstk_machine *machine = pstk_machine_create();
	int err = machine ? pstk_machine_add_host(machine, "c0", cores(), 0) : -ENOMEM;

	for (unsigned i = 0; i < 2 && err >= 0; i++)
		if (places->selectors[i])
			err = add_device(machine, places, i);
	if (err >= 0)
		return machine;
	if (err == -ENOMEM)
		app_out_of_memory();
	pstk_machine_destroy(machine);
	return NULL;
}

/*
 * Measuring.
 */

enum { FRAMES = 4 };

struct noise {
	size_t bytes;
	unsigned given;
	uint32_t state;
};

/* Ports: go, out. */
static int noise_fire(struct pstk_firing *f)
{
	struct noise *noise = pstk_actor_arg(pstk_firing_actor(f));
	uint8_t *frame;

	if (noise->given == FRAMES)
		return PSTK_DONE;
	pstk_fifo_read_start(f, 0);
	frame = pstk_fifo_write_start(f, 1);
	for (size_t i = 0; i < noise->bytes; i++) {
		noise->state = noise->state * 1664525 + 1013904223;
		frame[i] = (uint8_t)(noise->state >> 24);
	}
	noise->given++;
	pstk_fifo_read_end(f, 0);
	pstk_fifo_write_end(f, 1);
	return PSTK_AGAIN;
}

/* Ports: in, go. */
static int swallow_fire(struct pstk_firing *f)
{
	pstk_fifo_read_start(f, 0);
	memset(pstk_fifo_write_start(f, 1), 0, 1);
	pstk_fifo_read_end(f, 0);
	pstk_fifo_write_end(f, 1);
	return PSTK_AGAIN;
}

static struct pstk_actor *add_noise(struct pstk_network *network, struct noise *noise)
{
	static const struct pstk_port ports[] = {
		{ .name = "go", .token_size = 1, .rate = 1 },
		{ .name = "out", .kind = PSTK_OUTPUT, .token_type = "u8", .rate = 1 },
	};

	return pstk_network_add(network, "noise",
		PSTK_ACTOR_TYPE(.name = "noise", .ports = ports, .port_count = 2, .fire = noise_fire), noise);
}

static struct pstk_actor *add_swallow(struct pstk_network *network)
{
	static const struct pstk_port ports[] = {
		{ .name = "in", .token_type = "f32", .rate = 1 },
		{ .name = "go", .kind = PSTK_OUTPUT, .token_size = 1, .rate = 1 },
	};

	return pstk_network_add(network, "swallow",
		PSTK_ACTOR_TYPE(.name = "swallow", .ports = ports, .port_count = 2, .fire = swallow_fire),
		NULL);
}

/* The steps between a source and a sink. in_turn: a frame begins when the one before has come through, so that no step
 * runs beside another one. */
static struct pstk_network *build(
	struct steps *steps, const struct pstk_window_arg *arg, struct noise *noise, bool in_turn)
{
	struct pstk_network *network = pstk_network_create("measuring");
	struct pstk_actor *source, *sink;

	if (!network)
		return NULL;
	noise->bytes = (size_t)arg->size.width * arg->size.height;
	source = add_noise(network, noise);
	steps_add(steps, network, arg, "", true);
	sink = add_swallow(network);
	steps_connect(steps, arg, 0);
	pstk_connect(source, "out", steps->actors[STEP_WINDOW], "in", PSTK_FIFO(.token_size = noise->bytes));
	pstk_connect(steps->actors[STEP_SUM], "out", sink, "in",
		PSTK_FIFO(.token_size = noise->bytes * sizeof(float)));
	pstk_connect(sink, "go", source, "go", PSTK_FIFO(.delay = in_turn ? 1 : 16));
	return network;
}

/* One thread, so that nothing runs beside what is measured on the cores. */
static int run(struct pstk_network *network, const struct steps *steps, const char *selector)
{
	const struct places all = { { selector, NULL }, STEPS };
	int err;

	pstk_network_set_flags(network, PSTK_PROFILE);
	pstk_network_set_threads(network, 1);
	err = steps_map(steps, &all);
	return err ? err : pstk_network_run(network);
}

static int measure(uint64_t ns[STEPS], const char *selector, const struct pstk_window_arg *arg)
{
	struct noise noise = { .state = 1 };
	struct steps steps;
	struct pstk_network *network = build(&steps, arg, &noise, true);
	int err = network ? run(network, &steps, selector) : -ENOMEM, status = 0;

	for (unsigned i = 0; i < STEPS && !err; i++) {
		struct pstk_actor_stats stats = { 0 };

		pstk_actor_get_stats(steps.actors[i], &stats);
		ns[i] = (selector ? stats.device_ns : stats.fire_ns) / FRAMES;
	}
	if (err)
		status = app_fail(err == -ENODEV ? EXIT_DEVICE : EXIT_FAILED, "--split auto, on %s: %s",
			selector ? selector : "the cores",
			network ? pstk_network_error(network) : "out of memory");
	pstk_network_destroy(network);
	return status;
}

/*
 * Choosing.
 */

static int set_times(const struct split *split, const struct places *places, const struct steps *steps)
{
	int err = 0;

	for (unsigned place = 0; place < 2; place++)
		for (unsigned i = 0; i < STEPS && !err; i++)
			err = pstk_actor_set_time(
				steps->actors[i], split_place(places, place), split->ns[place][i]);
	return err;
}

/* The period with this split. Negative errno as an error. */
static int plan(struct pstk_network *network, struct pstk_machine *machine, const struct steps *steps,
	const struct places *places, bool overlap, struct pstk_plan_summary *summary)
{
	struct pstk_plan *plan;
	int err = 0;

	for (unsigned i = 0; i < STEPS && !err; i++)
		err = pstk_actor_place(steps->actors[i], split_place(places, place_of(places, i)));
	if (err)
		return err;
	plan = pstk_plan_create(network, machine, PSTK_PLAN(.no_overlap = !overlap));
	err = plan ? pstk_plan_result(plan) : -ENOMEM;
	if (!err)
		err = pstk_plan_get_summary(plan, summary);
	pstk_plan_destroy(plan);
	return err;
}

/* Periods that differ by less are one: then what is executed decides. */
static bool is_better(const struct pstk_plan_summary *a, const struct pstk_plan_summary *b)
{
	if (fabs(a->period - b->period) > 1e-9)
		return a->period < b->period;
	return a->simulated < b->simulated;
}

static int choose(struct split *split, struct places *places, const struct pstk_window_arg *arg, bool overlap,
	struct pstk_machine *machine)
{
	struct noise noise = { 0 };
	struct steps steps;
	struct pstk_network *network = build(&steps, arg, &noise, false);
	struct pstk_plan_summary best = { .period = INFINITY }, summary = { 0 };
	struct places tried = *places;
	int err = network ? set_times(split, places, &steps) : -ENOMEM;

	for (unsigned i = STEP_WINDOW; i < STEP_SUM && !err; i++) {
		tried.split = i;
		err = plan(network, machine, &steps, &tried, overlap, &summary);
		if (!err && is_better(&summary, &best)) {
			best = summary;
			places->split = i;
		}
	}
	split->chosen = !err;
	split->period = best.period;
	if (err) /* of an actor that was not added the cause is what the network says */
		app_fail(EXIT_FAILED, "--split auto: %s",
			network && pstk_network_error(network)[0] ? pstk_network_error(network)
								  : strerror(-err));
	pstk_network_destroy(network);
	return err ? EXIT_FAILED : 0;
}

int split_choose(struct split *split, struct places *places, const struct pstk_window_arg *arg, bool overlap)
{
	struct pstk_machine *machine = split_machine(places);
	int status = machine ? 0 : EXIT_FAILED;

	for (unsigned i = 0; i < 2 && !status; i++)
		status = measure(split->ns[i], places->selectors[i], arg);
	if (!status)
		status = choose(split, places, arg, overlap, machine);
	pstk_machine_destroy(machine);
	return status;
}
